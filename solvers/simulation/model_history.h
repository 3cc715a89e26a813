#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>

#include "core/des/advance.h"
#include "core/des/running_part.h"
#include "solvers/hybrid/continuous_flow.h"
#include "solvers/model/analysis_model.h"
#include "solvers/simulation/ccf_runtime.h"
#include "statecharts/execute/chart_replication.h"

namespace ergode {

/// What flows between the events of a model; nothing does in most. The Flow of Advance: where flows() says no, none of
/// the others but start() may be called.
class ModelFlow {
 public:
  ModelFlow(ChartReplication& charts, const OdeOptions& options, double horizon_s) {
    if (charts.model().hybrid) flow_ = std::make_unique<ContinuousFlow>(charts, options, horizon_s);
  }
  bool flows() const { return flow_ != nullptr; }
  /// Goes on towards `until_s` [s] without touching the charts. @returns the time reached [s]
  /// @throws ModelFailure  RUN030, as ContinuousFlow::advance()
  double advance(double until_s) { return flow_->advance(until_s); }
  /// Hands what was reached to the charts, which may react; ModelFailure as ChartReplication.
  void commit() { flow_->commit(); }
  /// Values within the step between advance() and commit().
  ContinuousPath& path() { return *flow_; }
  /// Forgets what was integrated: at time zero, and whenever the history is set to another moment.
  void start() {
    if (flow_) flow_->start();
  }

 private:
  std::unique_ptr<ContinuousFlow> flow_;
};

/// One history of a model: its parts, which share one world and one loop. A notation that runs adds its part here.
///
/// Timers lie in the world in the order of the parts, and of equal times the smaller id goes off first: clocks of the
/// charts, events on their way, shocks of common-cause groups, timers of other notations. One per thread, used for one
/// replication after the other; what a replication does depends on seed and number of the replication alone.
///
///     history.start(replication);
///     while (history.step(horizon_s, watch)) {}
class ModelHistory {
 public:
  /// Everything refers to the model and the groups, which must outlive it. Allocates everything that a history needs;
  /// demands are answered by the groups until ChartReplication::set_demand_source() names somebody else.
  /// @param groups  made of this model
  ModelHistory(const AnalysisModel& model, const CcfProgram& groups, std::uint64_t seed)
      : world_(*model.charts.table),
        charts_(model.charts, world_, seed),
        groups_(model, groups, charts_, seed),
        flow_(charts_, model.ode, model.horizon_s),
        others_(model.others, world_, seed),
        loop_(world_, flow_, charts_, groups_, others_) {
    charts_.set_demand_source(&groups_);
  }

  /// Parts of this history, valid as long as it. Whoever changes something in one calls settle() afterwards.
  World& world() { return world_; }
  const World& world() const { return world_; }
  ChartReplication& charts() { return charts_; }
  const ChartReplication& charts() const { return charts_; }
  CcfRuntime& groups() { return groups_; }
  OtherParts& others() { return others_; }
  const OtherParts& others() const { return others_; }
  const CcfRuntime& groups() const { return groups_; }

  /// Time zero of a replication: nobody's clock is armed before, everything is at rest after. Charts are entered last,
  /// so that what they do on entry finds shocks and other parts ready.
  /// @throws ModelFailure  RUN002: the model does not come to rest, or a rate is none
  void start(std::uint64_t replication) {
    world_.start();
    others_.prepare(replication);
    groups_.start(replication);
    others_.start(replication);
    charts_.start(replication);
    loop_.settle();
    flow_.start();
  }
  /// See Advance; times in [s], and ModelFailure as start().
  bool moves_on(double end_s) const { return loop_.moves_on(end_s); }
  double next_time() const { return loop_.next_time(); }
  template <class Watch>
  bool step(double end_s, Watch& watch) {
    return loop_.step(end_s, watch);
  }
  template <class Watch>
  void pass(double time_s, Watch& watch) {
    loop_.pass(time_s, watch);
  }
  void settle() { loop_.settle(); }

  /// What waits for its time in any part, earliest first; of equal times charts before groups before other parts. For
  /// people: allocates, and costs O(clocks).
  std::vector<Waiting> waiting() const {
    std::vector<Waiting> out;
    charts_.waiting(out);
    groups_.waiting(out);
    others_.waiting(out);
    std::stable_sort(out.begin(), out.end(), [](const Waiting& a, const Waiting& b) { return a.time_s < b.time_s; });
    return out;
  }

  /// A moment of a history that another can go on from, of this model and seed; a value. Averages that the charts keep
  /// (ChartReplication::integral()) and what was integrated within a step of the flow are not part of it.
  struct Saved {
    World::Saved world;
    ChartReplication::Saved charts;
    CcfRuntime::Saved groups;
    OtherParts::Saved others;
  };
  /// At rest, or in the middle of a moment between two steps. Memory of `into` is used again.
  void save(Saved& into) const {
    world_.save(into.world);
    charts_.save(into.charts);
    groups_.save(into.groups);
    others_.save(into.others);
  }
  /// Afterwards every observer counts as changed, and what flows is integrated afresh from this moment.
  /// @param path  further draws of common-cause groups and of other notations are those of this number. Those of the
  ///              charts go on as saved.
  void restore(const Saved& from, std::uint64_t path) {
    world_.restore(from.world);
    charts_.restore(from.charts);
    groups_.restore(from.groups, path);
    others_.restore(from.others, path);
    flow_.start();
  }

 private:
  World world_;
  ChartReplication charts_;
  CcfRuntime groups_;
  ModelFlow flow_;
  OtherParts others_;
  Advance<ModelFlow, ChartReplication, CcfRuntime, OtherParts> loop_;
};

}  // namespace ergode
