#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plugins/abi/ergode_plugin.h"
#include "plugins/support/bad_input.h"
#include "plugins/systolic_array/engine/array.h"

namespace systolic {

/// Parameters in the order of plugin.json, which says what they mean.
struct ArrayParameter {
  enum Index : std::uint32_t {
    rows,
    columns,
    dataflow,
    input_memory,
    filter_memory,
    output_memory,
    bandwidth,
    clock,
    workload,
    layers,
    m,
    n,
    k,
    height,
    width,
    filter_height,
    filter_width,
    channels,
    filters,
    stride,
    sparsity,
    kept,
    block,
    sparse_block,
    sparse_seed,
    sparse_format,
    as_reference
  };
};

/// What is asked of the plugin, as the engine takes it.
struct ArraySetup {
  Array array;
  double clock_mhz = 1000.0;
  std::vector<Layer> layers;   ///< at least one
  bool product = true;         ///< one, whose rows customers may say
  bool unread_layers = false;  ///< a file of them is named, but they do not run
};

/// Reads files too. @throws plugin_support::BadInput
ArraySetup read_array_setup(const ergode_input& input);

/// All layers, one after the other; equal ones are simulated once.
/// @param rows  in place of those of the product
/// @returns as many as layers; fewer, the last of them cancelled, after stop()
std::vector<LayerRun> run_layers(const ArraySetup& setup, std::optional<std::uint64_t> rows = {},
                                 const std::function<bool()>& stop = {});

/// Seconds from the first word fetched to the last written, layers one after the other.
double layers_take_s(const ArraySetup& setup, const std::vector<LayerRun>& runs);

}  // namespace systolic
