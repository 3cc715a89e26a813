#include "solvers/simulation/rare/scheduled_times.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solvers/simulation/rare/weighted_recorder.h"

namespace ergode {

ScheduledTimes::ScheduledTimes(const AnalysisModel& model) : horizon_s_(model.horizon_s) {
  const CompiledModel& charts = model.charts;
  for (std::uint32_t t = 0; t < charts.timers.size(); ++t) {
    const Trigger::Kind kind = charts.timers[t].kind;
    const bool timed = kind == Trigger::Kind::after || kind == Trigger::Kind::at || kind == Trigger::Kind::every;
    if (timed && charts.role(charts.timers[t]) != TransitionRole::repair) timers_.push_back(t);
  }
  const std::vector<MeasureSpec> specs = weighted_specs(model, {});
  const std::vector<std::uint32_t> answered = weighted_measures(model);
  for (std::size_t m = 0; m < answered.size(); ++m) {
    const double at_s = model.measures[answered[m]].at_s;
    if (specs[m].headline && specs[m].kind->meaning == MeasureKind::Meaning::at_time && at_s > 0.0)
      asked_.push_back({at_s, m});
  }
  any_ = !timers_.empty() || !asked_.empty() ||
         std::any_of(charts.actions.begin(), charts.actions.end(),
                     [](const ActionSpec& a) { return a.kind == ActionSpec::Kind::send && a.program >= 0; });
}

bool ScheduledTimes::look(const ChartReplication& charts) {
  const double now = charts.now();
  const bool come = next_ <= now, begins = std::exchange(fresh_, false);
  if (come) behind_ = next_, last_kind_ = kind_;
  next_ = infinity, kind_ = none(), ahead_ = 0.0;
  const auto found = [&](double time, std::size_t kind, double many) {
    if (!(time <= horizon_s_)) return;
    ahead_ += many;
    if (time < next_) next_ = time, kind_ = kind;
  };
  for (std::size_t i = 0; i < timers_.size(); ++i) {
    if (!charts.waiting(timers_[i])) continue;
    const TimerSpec& spec = charts.model().timers[timers_[i]];
    const double time = charts.time_of(timers_[i]);
    // Clocks that may start anew.
    const bool again = spec.kind != Trigger::Kind::at && spec.constant && !spec.random && spec.value > 0.0;
    found(time, i, again ? 1.0 + std::floor(std::max(0.0, horizon_s_ - time) / spec.value) : 1.0);
  }
  if (charts.pending_events() > 0)
    for (const ChartReplication::Pending& event : charts.pending()) found(event.time_s, timers_.size(), 1.0);
  for (std::size_t i = 0; i < asked_.size(); ++i)
    if (asked_[i].at_s > now) found(asked_[i].at_s, timers_.size() + 1 + i, 1.0);
  return come || begins;
}

double ScheduledTimes::stop(double now_s) const {
  double out = infinity;
  const auto at = [&](double time) {
    if (time > now_s) out = std::min(out, time);
  };
  if (kind_ != none() && kind_ > timers_.size()) at(next_);
  at(next_ - reach_s());
  at(behind_ + reach_s());
  return out;
}

}  // namespace ergode
