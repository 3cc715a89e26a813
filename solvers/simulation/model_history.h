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

/// What flows between the events of a model; nothing does in most.
class ModelFlow {
 public:
  ModelFlow(ChartReplication& charts, const OdeOptions& options) {
    if (charts.model().hybrid) flow_ = std::make_unique<ContinuousFlow>(charts, options);
  }
  bool flows() const { return flow_ != nullptr; }
  double advance(double until_s) { return flow_->advance(until_s); }
  void commit() { flow_->commit(); }
  ContinuousPath& path() { return *flow_; }
  void start() {
    if (flow_) flow_->start();
  }

 private:
  std::unique_ptr<ContinuousFlow> flow_;
};

/// One history of a model: its parts, which share one world and one loop. A notation that runs adds its part here.
class ModelHistory {
 public:
  /// Everything refers to the model and the groups, which must outlive it.
  ModelHistory(const AnalysisModel& model, const CcfProgram& groups, std::uint64_t seed)
      : world_(*model.charts.table),
        charts_(model.charts, world_, seed),
        groups_(model, groups, charts_, seed),
        flow_(charts_, model.ode),
        others_(model.others, world_, seed),
        loop_(world_, flow_, charts_, groups_, others_) {
    charts_.set_demand_source(&groups_);
  }

  World& world() { return world_; }
  const World& world() const { return world_; }
  ChartReplication& charts() { return charts_; }
  const ChartReplication& charts() const { return charts_; }
  CcfRuntime& groups() { return groups_; }
  OtherParts& others() { return others_; }
  const OtherParts& others() const { return others_; }
  const CcfRuntime& groups() const { return groups_; }

  void start(std::uint64_t replication) {
    world_.start();
    groups_.start(replication);
    others_.start(replication);
    charts_.start(replication);
    loop_.settle();
    flow_.start();
  }
  /// See Advance.
  bool moves_on(double end_s) const { return loop_.moves_on(end_s); }
  double next_time() const { return loop_.next_time(); }
  template <class Watch>
  bool step(double end_s, Watch& watch) {
    return loop_.step(end_s, watch);
  }
  void happen() { loop_.happen(); }
  void settle() { loop_.settle(); }

  /// What waits for its time in any part, earliest first.
  std::vector<Waiting> waiting() const {
    std::vector<Waiting> out;
    charts_.waiting(out);
    groups_.waiting(out);
    others_.waiting(out);
    std::stable_sort(out.begin(), out.end(), [](const Waiting& a, const Waiting& b) { return a.time_s < b.time_s; });
    return out;
  }

  struct Saved {
    World::Saved world;
    ChartReplication::Saved charts;
    CcfRuntime::Saved groups;
    OtherParts::Saved others;
  };
  void save(Saved& into) const {
    world_.save(into.world);
    charts_.save(into.charts);
    groups_.save(into.groups);
    others_.save(into.others);
  }
  /// @param path  further draws of common-cause groups are those of this number. Those of the charts go on as saved.
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
