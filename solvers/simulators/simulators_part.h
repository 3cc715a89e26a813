#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/des/running_part.h"
#include "core/plugin/plugin_simulator.h"

namespace ergode {

/// The simulators of a model: each is played before anything begins in a replication (RunningPart::prepare()), with a
/// seed of its own; what it found once stands in slots for all of the replication, what it observed is told to streams
/// at time zero. One without chance is played once for all replications of all runs that give it the same values
/// (KeptNews).
class SimulatorsPart : public LoweredPart {
 public:
  struct Box {
    ElementId element;
    std::string name;
    const SimulatorPlugin* what = nullptr;
    PluginValues values = {};
    std::string files = {};                 ///< what the files among the values hold, as hashes
    std::vector<std::uint32_t> place = {};  ///< by output: its slot, or its stream
    std::vector<double> scale = {};         ///< by output: SI value of its unit
    bool measures_all = false, measures_none = false;
  };
  explicit SimulatorsPart(std::vector<Box> boxes);

  std::unique_ptr<RunningPart> run(World& world, std::uint64_t seed) const override;
  std::vector<Thing> things() const override;
  std::vector<ResultTable> tables(std::span<const MeanOverTime> means, const std::string& solver) const override;
  std::vector<OwnMeasure> own_measures() const override;
  Diagnostics told() const override;
  std::map<std::string, std::string> sources() const override;

  const std::vector<Box>& boxes() const { return boxes_; }
  /// Of the first replication of the run that was begun last; by box. For any thread.
  void keep_first(std::uint64_t seed, std::vector<SimulatorNews> news) const;

 private:
  std::vector<Box> boxes_;
  mutable std::mutex mutex_;
  mutable std::uint64_t seed_ = 0;            ///< of the run that was begun last
  mutable std::vector<SimulatorNews> first_;  ///< by box, observations left out; empty: none was played
};

}  // namespace ergode
