#pragma once
#include <cstdint>
#include <limits>

#include "core/des/advance.h"
#include "statecharts/execute/chart_replication.h"

namespace ergode {

/// One history of charts alone, without groups and flows: for traces of a chart and for the states of a Markov chain.
/// Demands fail never and shocks never come unless whoever owns it says so (ChartReplication::set_demand_source(),
/// set_common_cause_clock()); models that are hybrid must not be run by it. One thread.
class ChartHistory {
 public:
  /// @param model  must outlive it
  /// @param seed   with their names, the keys of its random streams
  ChartHistory(const CompiledModel& model, std::uint64_t seed)
      : world_(*model.table), charts_(model, world_, seed), loop_(world_, nothing_flows_, charts_) {}

  World& world() { return world_; }
  const World& world() const { return world_; }
  ChartReplication& charts() { return charts_; }
  const ChartReplication& charts() const { return charts_; }

  /// Time zero: every component is entered, and the model comes to rest.
  /// @throws ModelFailure  RUN002, as step()
  void start(std::uint64_t replication) {
    world_.start();
    charts_.start(replication);
  }
  /// When the next clock goes off or the next event arrives [s]; infinity: nothing waits.
  double next_time() const { return loop_.next_time(); }
  /// Goes on to that, where it is not after `until_s` [s], and comes to rest. @returns false: nothing was due.
  bool step(double until_s = std::numeric_limits<double>::max()) {
    NobodyWatches nobody;
    return loop_.step(until_s, nobody);
  }

  /// All that moves, at rest; for histories of the same model. A history that is restored goes on as the saved one
  /// would.
  struct Saved {
    World::Saved world;
    ChartReplication::Saved charts;
  };
  void save(Saved& into) const {
    world_.save(into.world);
    charts_.save(into.charts);
  }
  void restore(const Saved& from) {
    world_.restore(from.world);
    charts_.restore(from.charts);
  }

 private:
  World world_;
  ChartReplication charts_;
  NothingFlows nothing_flows_;
  Advance<NothingFlows, ChartReplication> loop_;
};

}  // namespace ergode
