#include "solvers/queueing/model/station_limits.h"

#include <algorithm>
#include <cmath>

#include "core/base/special_values.h"
#include "solvers/queueing/model/begun_again.h"

namespace ergode {

using M = NetworkModel;
using Kind = NetworkModel::Kind;

double StationLimits::upper(const Program& program) const {
  return program.is_constant() || !ranges_.empty() ? program.range(ranges_).upper : infinity;
}

double StationLimits::lower(const Program& program) const {
  return program.is_constant() || !ranges_.empty() ? std::max(0.0, program.range(ranges_).lower) : 0.0;
}

bool StationLimits::judged(const Node& node) const {
  const bool endless = node.capacity == M::unlimited || node.when_full == M::WhenFull::retry;
  return node.kind == Kind::station && endless && node.region == M::none && !node.has(M::patient | M::balks);
}

bool StationLimits::passes(const Node& node) const {
  constexpr std::uint32_t other = M::patient | M::balks | M::may_block | M::holds_before | M::in_regions | M::lets_in |
                                  M::loses_units | M::takes_away | M::varies_speed;
  if (node.kind == Kind::source || node.kind == Kind::delay || node.passes()) return node.region == M::none;
  if (node.kind != Kind::station || node.capacity != M::unlimited || node.region != M::none || node.has(other))
    return false;
  const M::Rules* const more = rules(node);
  if (node.has(M::breaks_down | M::preempts) && node.interruption != M::Interruption::resume) return false;
  if (node.has(M::breaks_down) && !up_known(node)) return false;
  for (std::size_t c = 0; c < node.time.size(); ++c)
    if (c < node.ways.size() && !node.ways[c].target.empty() && !node.time[c].drawn) return false;
  if (more != nullptr && (more->least_batch > 1 || (node.has(M::polls) && more->visit == M::Visit::limited)))
    return false;
  return node.servers.is_constant();
}

bool StationLimits::keeps_all(const Node& node) const {
  switch (node.kind) {
    case Kind::station:
      if (node.has(M::patient | M::balks)) return false;
      if (node.capacity != M::unlimited && node.when_full == M::WhenFull::lose) return false;
      break;
    case Kind::source:
    case Kind::delay:
    case Kind::router:
    case Kind::logger:
    case Kind::seize:
    case Kind::release:
      break;
    default:
      return false;
  }
  if (node.region == M::none) return true;
  for (std::size_t c = 0; c < node.ways.size(); ++c)
    if (!node.ways[c].target.empty() && model_.regions[node.region].loses[c] != 0) return false;
  return true;
}

bool StationLimits::begins_anew(const Node& node) {
  return node.has(M::breaks_down | M::preempts | M::takes_away | M::loses_units) &&
         (node.interruption == M::Interruption::repeat || node.interruption == M::Interruption::resample);
}

bool StationLimits::may_take_less(const Node& node) const {
  if (!begins_anew(node) || node.interruption != M::Interruption::resample) return false;
  for (std::size_t c = 0; c < node.time.size() && c < node.ways.size(); ++c)
    if (!node.ways[c].target.empty() &&
        (node.has(M::draws_first) || !node.time[c].drawn || node.time[c].process != M::none ||
         !to_draw_again_never_helps(node.time[c].law)))
      return true;
  return false;
}

double StationLimits::up(const Node& node) const {
  if (!node.has(M::breaks_down) || !up_known(node)) return 1.0;
  const double finishes_s = node.interruption == M::Interruption::finish ? left_over_s(node) : 0.0;
  if (finishes_s == infinity) return 1.0;
  const double works_s = rules(node)->to_failure.mean_s + finishes_s;
  return works_s / (works_s + rules(node)->to_repair.mean_s);
}

bool StationLimits::up_at_most(const Node& node) const {
  return node.interruption == M::Interruption::finish && up(node) < 1.0;
}

// Each server that is never idle renews itself with each service from its repair on. Whatever puts other times between
// services, or chooses customers by their times, makes what is left depend on the moment.
double StationLimits::left_over_s(const Node& node) const {
  using D = M::Discipline;
  constexpr std::uint32_t harmless =
      M::breaks_down | M::own_servers | M::raises_events | M::tells_stays | M::tells_services | M::draws_first;
  const M::Rules* const more = rules(node);
  const bool in_line = node.discipline == D::fcfs || node.discipline == D::lcfs || node.discipline == D::siro;
  if (!in_line || (node.features & ~harmless) != 0 || !more->speeds.empty() || !node.servers.is_constant() ||
      !more->speed.is_constant() || more->speed.value() != 1.0)
    return infinity;
  double out = infinity;
  int classes = 0;
  for (std::size_t c = 0; c < node.time.size() && c < node.ways.size(); ++c) {
    if (node.ways[c].target.empty()) continue;
    const M::Duration& time = node.time[c];
    if (!time.drawn || time.process != M::none || !(time.mean_s > 0.0) || ++classes > 1) return infinity;
    out = time.law.variance() / time.mean_s + time.mean_s;
  }
  return out < infinity ? out : infinity;
}

bool StationLimits::up_known(const Node& node) const {
  const M::Rules* const more = rules(node);
  return more != nullptr && more->to_failure.drawn && more->to_repair.drawn &&
         std::isfinite(more->to_failure.mean_s + more->to_repair.mean_s);
}

double StationLimits::capacity(const Node& node) const {
  const M::Rules* const more = rules(node);
  double out = upper(node.servers) * up(node);
  if (more == nullptr) return out;
  if (!more->speeds.empty()) {
    double all = 0.0;
    for (const double speed : more->speeds) all += speed;
    out = all * up(node);
  }
  return out * upper(more->speed) * static_cast<double>(std::max(1U, more->batch));
}

bool StationLimits::changes(const Node& node) const {
  const M::Rules* const more = rules(node);
  return !node.servers.is_constant() || (more != nullptr && !more->speed.is_constant());
}

double StationLimits::moving_on_s(const Node& node) const {
  const M::Rules* const more = rules(node);
  if (!node.has(M::polls) || more == nullptr || more->visit != M::Visit::limited || !more->switchover.given ||
      !more->switchover.drawn)
    return 0.0;
  return static_cast<double>(model_.classes.size()) * more->switchover.mean_s / more->limit;
}

double StationLimits::work(const Node& node, std::uint32_t of_class) const {
  const M::Duration& time = node.time[of_class];
  return time.drawn ? time.mean_s : time.list == M::none && time.varying == M::none ? lower(time.value) : 0.0;
}

}  // namespace ergode
