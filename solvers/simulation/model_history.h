#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>

#include "solvers/hybrid/continuous_flow.h"
#include "solvers/model/analysis_model.h"
#include "solvers/simulation/ccf_runtime.h"
#include "statecharts/execute/chart_replication.h"

namespace ergode {

/// One history of a model: charts, common-cause groups and continuous variables under one clock.
class ModelHistory {
 public:
  ModelHistory(const AnalysisModel& model, const CcfProgram& groups, std::uint64_t seed)
      : charts_(model.charts, seed), groups_(model, groups, seed) {
    charts_.set_demand_source(&groups_);
    if (model.charts.hybrid) flow_ = std::make_unique<ContinuousFlow>(model.charts, model.ode);
  }
  ChartReplication& charts() { return charts_; }
  CcfRuntime& groups() { return groups_; }

  void start(std::uint64_t replication) {
    groups_.start(replication);
    charts_.start(replication);
    if (flow_) flow_->start();
    now_ = 0.0;
  }
  /// Whether the next step moves the clock; otherwise something more happens at this moment.
  bool moves_on(double end_s) const {
    const double next = std::min(charts_.next_time(), groups_.next_time());
    return flow_ ? std::min(next, end_s) > now_ : next > now_;
  }
  struct Saved {
    ChartReplication::Saved charts;
    CcfRuntime::Saved groups;
    double now = 0.0;
  };
  void save(Saved& into) const {
    charts_.save(into.charts);
    groups_.save(into.groups);
    into.now = now_;
  }
  /// @param path  further draws of common-cause groups are those of this number. Those of the charts go on as saved.
  void restore(const Saved& from, std::uint64_t path) {
    charts_.restore(from.charts);
    groups_.restore(from.groups, path);
    if (flow_) flow_->start();
    now_ = from.now;
  }

  /// Goes on to the next event at or before `end_s` [s] and comes to rest, or, where something flows, to a step of the
  /// integration before it. Before the clock moves `watch.until(time, charts)` is called; of a stretch in which
  /// something flowed `watch.follow(from, to, path)` tells.
  /// @returns false: nothing more happens up to `end_s`.
  template <class Watch>
  bool step(double end_s, Watch& watch) {
    const double clock = charts_.next_time(), shock = groups_.next_time();
    const double next = clock <= shock ? clock : shock;
    if (flow_ && std::min(next, end_s) > now_) {
      const double reached = flow_->advance(charts_, std::min(next, end_s));
      watch.until(reached, charts_);
      watch.follow(now_, reached, *flow_);
      flow_->commit(charts_);
      now_ = reached;
      return true;
    }
    if (!(next <= end_s)) return false;
    if (next > now_) {
      watch.until(next, charts_);
      now_ = next;
    }
    if (clock <= shock) charts_.step();
    else groups_.strike(charts_);
    return true;
  }

 private:
  ChartReplication charts_;
  CcfRuntime groups_;
  std::unique_ptr<ContinuousFlow> flow_;  ///< null: nothing flows
  double now_ = 0.0;
};

}  // namespace ergode
