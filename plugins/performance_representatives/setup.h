#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "plugins/abi/ergode_plugin.h"
#include "plugins/performance_representatives/engine/asked_target.h"
#include "plugins/performance_representatives/engine/study.h"
#include "plugins/performance_representatives/engine/targets.h"
#include "plugins/support/bad_input.h"

namespace performance_representatives {

/// Parameters in the order of plugin.json, which says what they mean.
struct StudyParameter {
  enum Index : std::uint32_t {
    source,
    measurements,
    ranges,
    network,
    samples,
    tests,
    trees,
    target,
    derived,
    measured,
    repeats,
    noise,
    rows,
    columns,
    block,
    largest,
    base,
    jump_noises,
    jump_share,
    start_time,
    target_file,
    all
  };
};

/// A layer of a network, with its type and its parameters.
struct NetworkLayer {
  EstimatedLayer layer;
  std::string type;
  Point point;
  double count = 1.0;
};

/// Where times come from: choices of `source`, in their order.
enum class TimesFrom : std::uint8_t { array, measurements, plugin };

struct StudySetup {
  TimesFrom source = TimesFrom::array;
  GemmArray array;
  std::vector<std::string> names;  ///< of parameters
  std::vector<LayerType> types;
  std::vector<std::vector<SizeRange>> ranges;  ///< by type and parameter
  std::vector<AskedType> asked;                ///< by type: of a plugin
  std::vector<NetworkLayer> network;
  std::vector<std::string> left_out;  ///< layers of an ONNX file that no type of measurements is for
  StudyOptions study;
  double noise = 0.0, start_time = 0.0;
};

/// Reads files too. @throws plugin_support::BadInput
StudySetup read_setup(const ergode_input& input);

}  // namespace performance_representatives
