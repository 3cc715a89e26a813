#include "solvers/simulation/ccf_runtime.h"

#include <algorithm>
#include <limits>
#include <string>

namespace ergode {

CcfProgram::CcfProgram(const AnalysisModel& model) {
  for (const CcfGroup& group : model.groups) {
    Group out;
    out.group = &group;
    if (group.demand) out.demand.emplace_back(group.orders);
    else if (group.model == "bfr")
      out.process.emplace_back(group.bfr, group.delay, static_cast<int>(group.members.size()));
    else out.process.emplace_back(group.orders, group.delay);
    groups.push_back(std::move(out));
  }
}

CcfRuntime::CcfRuntime(const AnalysisModel& model, const CcfProgram& program, ChartReplication& charts,
                       std::uint64_t seed)
    : model_(model), program_(program), charts_(charts), timers_(charts.world().timers) {
  static constexpr const char* purposes[stream_count] = {"independent", "non-lethal", "lethal",
                                                         "marks",       "delays",     "demands"};
  const std::size_t causes = model.charts.cause_names.size();
  group_of_.assign(model.charts.instances.size() * causes, -1);
  member_of_.assign(group_of_.size(), 0);
  std::size_t largest = 0;
  for (std::size_t g = 0; g < program.groups.size(); ++g) {
    const CcfProgram::Group& group = program.groups[g];
    for (const char* purpose : purposes) keys_.push_back(stream_key(seed, group.group->element.text() + "/" + purpose));
    largest = std::max(largest, group.group->members.size());
    joint_.emplace_back();
    joint_.back().outcome.resize(group.group->members.size());
    if (!group.process.empty())
      for (int s = 0; s < CcfProcess::source_count; ++s) {
        const auto source = static_cast<CcfProcess::Source>(s);
        if (group.process.front().rate(source) > 0.0) shocks_of_.push_back({static_cast<std::uint32_t>(g), source});
      }
    // No chart waits for this cause: its shocks still come, draw and count, and strike nobody.
    if (group.group->cause < 0) continue;
    const std::string& name = model.charts.cause_names[static_cast<std::size_t>(group.group->cause)];
    for (std::size_t m = 0; m < group.group->members.size() && !group.process.empty(); ++m)
      for (const TimerSpec& timer : model.charts.timers) {
        if (timer.kind != Trigger::Kind::common_cause || timer.instance != group.group->members[m]) continue;
        const Transition& way =
            model.charts.charts[model.charts.instances[timer.instance].chart].chart.transitions[timer.transition];
        if (way.trigger.cause == name)
          listeners_.push_back(
              {static_cast<std::uint32_t>(g), static_cast<std::uint32_t>(m), timer.instance, way.source});
      }
    if (group.demand.empty()) continue;
    for (std::size_t m = 0; m < group.group->members.size(); ++m) {
      const std::size_t place = group.group->members[m] * causes + static_cast<std::size_t>(group.group->cause);
      group_of_[place] = static_cast<std::int32_t>(g);
      member_of_[place] = static_cast<std::uint32_t>(m);
    }
  }
  streams_.resize(keys_.size());
  effects_.resize(largest);
  first_timer_ = charts.world().add_timers(static_cast<std::uint32_t>(shocks_of_.size()));
}

void CcfRuntime::start(std::uint64_t replication) {
  for (std::size_t i = 0; i < streams_.size(); ++i) streams_[i].restart(keys_[i], replication);
  for (std::size_t clock = 0; clock < shocks_of_.size(); ++clock) await_next(clock, 0.0);
  for (JointDemand& joint : joint_) joint.time = -1.0;
}

void CcfRuntime::save(Saved& into) const { into.joint = joint_; }

void CcfRuntime::restore(const Saved& from, std::uint64_t path) {
  joint_ = from.joint;
  for (std::size_t i = 0; i < streams_.size(); ++i) streams_[i].restart(keys_[i], path);
}

void CcfRuntime::await_next(std::size_t clock, double now_s) {
  const Shock& shock = shocks_of_[clock];
  const double time =
      program_.groups[shock.group].process.front().next_shock(shock.source, stream(shock.group, shock.source), now_s);
  timers_.schedule(first_timer_ + static_cast<std::uint32_t>(clock), time);
}

void CcfRuntime::fire(std::uint32_t clock) {
  const Shock& shock = shocks_of_[clock];
  const CcfProgram::Group& group = program_.groups[shock.group];
  const CcfProcess& process = group.process.front();
  const double now = charts_.now();
  ++charts_.world().events;
  charts_.world().stamp(first_timer_ + clock);
  double ratio = 1.0;
  const bool mixed = marks_ != nullptr && process.mixed(shock.source);
  const bool spread = mixed && marks_->spread();
  const int count =
      process.affect(shock.source, spread, stream(shock.group, struck), stream(shock.group, delays), effects_, ratio);
  if (mixed) marks_->drawn(ratio);
  for (int i = 0; i < count; ++i) {
    const ShockEffect& effect = effects_[static_cast<std::size_t>(i)];
    const auto member = static_cast<std::size_t>(effect.member);
    if (group.group->cause < 0 || !group.group->exposed[member].holds(charts_.slots())) continue;
    charts_.set_common_cause_clock(group.group->members[member], static_cast<std::uint32_t>(group.group->cause),
                                   now + effect.delay_s, effect.cause);
  }
  await_next(clock, now);
}

bool CcfRuntime::finds_anybody(std::size_t clock) const {
  const std::uint32_t group = shocks_of_[clock].group;
  return std::any_of(listeners_.begin(), listeners_.end(), [&](const Listener& l) {
    return l.group == group && charts_.active(l.instance, l.state) &&
           program_.groups[group].group->exposed[l.member].holds(charts_.slots());
  });
}

void CcfRuntime::waiting(std::vector<Waiting>& out) const {
  for (std::size_t g = 0; g < program_.groups.size(); ++g) {
    double next = std::numeric_limits<double>::infinity();
    for (std::uint32_t clock = 0; clock < shocks_of_.size(); ++clock)
      if (shocks_of_[clock].group == g) next = std::min(next, timers_.time_of(first_timer_ + clock));
    const CcfGroup& group = *program_.groups[g].group;
    if (next < std::numeric_limits<double>::infinity())
      out.push_back({next, group.name, "common-cause shock", group.element});
  }
}

SplitPart CcfRuntime::demand(std::uint32_t instance, std::uint32_t cause, double now_s) {
  const auto [g, member, group] = asked(instance, cause);
  if (group == nullptr) return Cause::none;
  JointDemand& joint = joint_[g];
  // Time alone tells joint demands apart: whoever asks at one moment asks about the same draw.
  if (joint.time != now_s) {
    program_.groups[g].demand.front().sample_causes(stream(g, demands), joint.outcome);
    joint.time = now_s;
  }
  return joint.outcome[member];
}

}  // namespace ergode
