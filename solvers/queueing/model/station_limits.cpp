#include "solvers/queueing/model/station_limits.h"

#include <algorithm>
#include <cmath>

#include "core/base/special_values.h"
#include "core/des/world.h"
#include "solvers/queueing/model/begun_again.h"
#include "solvers/queueing/model/changing_servers.h"

namespace ergode {

using M = NetworkModel;
using Kind = NetworkModel::Kind;

double StationLimits::upper(const Program& program) const {
  return program.is_constant() || !known_.ranges.empty() ? program.range(known_.ranges).upper : infinity;
}

double StationLimits::lower(const Program& program) const {
  return program.is_constant() || !known_.ranges.empty() ? std::max(0.0, program.range(known_.ranges).lower) : 0.0;
}

std::optional<double> StationLimits::mean(const Program& program, bool memoryless) const {
  const LongRunValue* const value = known_.in_the_long_run(program);
  return value != nullptr && value->least >= 0.0 && (value->memoryless || !memoryless) ? std::optional(value->mean)
                                                                                       : std::nullopt;
}

std::optional<double> StationLimits::mean_over_mission(const Program& program) const {
  const auto slots = program.slots();
  if (!(known_.horizon_s > 0.0) || slots.size() != 1 || slots.front() != World::now_slot) return std::nullopt;
  constexpr int parts = 4096;
  double out = 0.0;
  std::vector<double> now(World::now_slot + std::size_t{1}, 0.0);
  for (int i = 0; i < parts; ++i) {
    now[World::now_slot] = known_.horizon_s * (i + 0.5) / parts;
    const double value = program.evaluate(now.data());
    if (!(value >= 0.0 && std::isfinite(value))) return std::nullopt;
    out += value / parts;
  }
  return out;
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
    if (c < node.ways.size() && !node.ways[c].target.empty() && !node.time[c].mean_known()) return false;
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

StationLimits::LeftOver StationLimits::left_at_failure(const Node& node) const {
  if (node.interruption != M::Interruption::finish) return {.mean_s = 0.0, .exactly = true};
  const M::Duration& fails = rules(node)->to_failure;
  const bool memoryless = fails.law.family() == Distribution::Family::exponential;
  return node.servers.is_constant() ? left_over(node, true, memoryless ? 1.0 / fails.mean_s : 0.0) : LeftOver();
}

double StationLimits::up(const Node& node) const {
  if (!node.has(M::breaks_down) || !up_known(node)) return 1.0;
  const double finishes_s = left_at_failure(node).mean_s;
  if (finishes_s == infinity) return 1.0;
  const double works_s = rules(node)->to_failure.mean_s + finishes_s;
  return works_s / (works_s + rules(node)->to_repair.mean_s);
}

bool StationLimits::up_at_most(const Node& node) const {
  return node.has(M::breaks_down) && !(up_known(node) && left_at_failure(node).exactly);
}

namespace {

/// In the mean, whatever has gone before: of branches that are exponential the longest.
double left_at_most_s(const M::Duration& time) {
  if (to_draw_again_never_helps(time.law)) return time.mean_s;
  if (time.law.family() != Distribution::Family::hyperexponential) return infinity;
  double out = infinity;
  if (const auto phases = time.law.phases()) {
    out = 0.0;
    for (const double rate : phases->rate) out = std::max(out, 1.0 / rate);
  }
  return out;
}

}  // namespace

// Whatever puts other times between services, or chooses customers by their times, makes what is left depend on the
// moment.
StationLimits::LeftOver StationLimits::left_over(const Node& node, bool renews, double rate_s) const {
  using D = M::Discipline;
  constexpr std::uint32_t harmless = M::breaks_down | M::own_servers | M::raises_events | M::tells_stays |
                                     M::tells_services | M::draws_first | M::prioritises | M::varies_speed;
  const M::Rules* const more = rules(node);
  const bool in_line = node.discipline == D::fcfs || node.discipline == D::lcfs || node.discipline == D::siro;
  const bool alike =
      more == nullptr || (more->speeds.empty() && more->speed.is_constant() && more->speed.value() > 0.0);
  if (!in_line || (node.features & ~harmless) != 0 || !alike) return {};
  const double speed = more == nullptr ? 1.0 : more->speed.value();
  const M::Duration* only = nullptr;
  double longest_s = 0.0, shortest_s = infinity, longest_left_s = 0.0, spread_s = 0.0;
  // Of several servers it is not proven: who is done first goes, and the others' services are longer for it.
  constexpr double several = 4.0;
  bool memoryless = true;
  int classes = 0;
  for (std::size_t c = 0; c < node.time.size() && c < node.ways.size(); ++c) {
    if (node.ways[c].target.empty()) continue;
    const M::Duration& time = node.time[c];
    if (!time.drawn || time.process != M::none || !(time.mean_s > 0.0)) return {};
    only = ++classes == 1 ? &time : nullptr;
    longest_s = std::max(longest_s, time.mean_s), shortest_s = std::min(shortest_s, time.mean_s);
    memoryless = memoryless && time.law.family() == Distribution::Family::exponential;
    longest_left_s = std::max(longest_left_s, left_at_most_s(time));
    spread_s = std::max(spread_s, time.law.variance() / time.mean_s + time.mean_s);
  }
  if (memoryless && shortest_s == longest_s) return {.mean_s = longest_s / speed, .exactly = true};
  if (only != nullptr && renews && rate_s > 0.0) {
    // In seconds of work: (1 / E e^(-r S) - 1) / r, at least.
    const double rate = rate_s / speed;
    const MeanTime anew = time_drawn_again(only->law, rate);
    if (anew.mean_s > 0.0)
      return {.mean_s = (only->mean_s * (1.0 + 1.0 / (rate * anew.mean_s)) - 1.0 / rate) / speed,
              .exactly = anew.exactly};
  }
  LeftOver out{.mean_s = longest_left_s};
  out.mean_s = std::min(out.mean_s, only != nullptr && renews ? spread_s : several * spread_s);
  out.mean_s /= speed;
  return out;
}

bool StationLimits::up_known(const Node& node) const {
  const M::Rules* const more = rules(node);
  return more != nullptr && more->to_failure.drawn && more->to_repair.drawn &&
         std::isfinite(more->to_failure.mean_s + more->to_repair.mean_s);
}

// Of those who share there is always exactly as much as there are servers.
bool StationLimits::at_once(const Node& node) {
  return node.interruption != M::Interruption::finish || node.has(M::shares | M::by_attained);
}

const StationLimits::Capacity& StationLimits::able(const Node& node) const {
  const auto [place, fresh] = able_.try_emplace(&node);
  Capacity& out = place->second;
  if (!fresh) return out;
  const M::Rules* const more = rules(node);
  double servers = upper(node.servers);
  if (!node.servers.is_constant()) {
    const LongRunValue* const changing = known_.in_the_long_run(node.servers);
    const double there = changing != nullptr && changing->least >= 0.0 ? changing->mean : infinity;
    const double work = there == infinity || at_once(node) ? there : finishing(node, *changing, out.at_most);
    if (work < servers) servers = work, out.servers = there;
    else out.greatest = true, out.at_most = false;
  }
  // What else keeps servers from working while they are there.
  constexpr std::uint32_t others = M::sets_up | M::vacates | M::polls | M::batches | M::may_block | M::holds_before |
                                   M::in_regions | M::lets_in | M::loses_units;
  out.at_most = out.at_most || (changes(node) && node.has(others));
  out.work = servers * up(node);
  if (more == nullptr) return out;
  if (!more->speeds.empty()) {
    double all = 0.0;
    for (const double speed : more->speeds) all += speed;
    out.work = all * up(node);
  }
  double speed = upper(more->speed);
  if (!more->speed.is_constant()) {
    // The mean of a product is that of both only where one of them is the same all the time.
    const std::optional<double> known = node.servers.is_constant() ? mean(more->speed) : std::nullopt;
    if (known && *known < speed) speed = out.speed = *known;
    else out.greatest = true;
    const bool both = !node.servers.is_constant() && more->speeds.empty() && at_once(node);
    const std::optional<double> product =
        both ? mean(Program::apply(Program::Op::multiply, {node.servers, more->speed})) : std::nullopt;
    if (product && *product < servers * speed) {
      out.greatest = false, out.servers = nan, out.together = *product;
      out.work = *product * up(node) * std::max(1U, more->batch);
      return out;
    }
  }
  out.work *= speed * static_cast<double>(std::max(1U, more->batch));
  return out;
}

/// Servers that work in the mean: those there are, and who finishes.
double StationLimits::finishing(const Node& node, const LongRunValue& servers, bool& at_most) const {
  // One server alone renews itself with each service for as long as it is there.
  const LeftOver left = left_over(node, servers.most <= 1.0, 0.0);
  if (left.exactly && servers.chain) {
    // By the mean of services, a few of them.
    constexpr std::size_t most_services = 10;
    auto& known = servers.worked_out;
    if (!known.contains(left.mean_s) && known.size() < most_services)
      known[left.mean_s] = working_in_the_mean(*servers.chain, left.mean_s);
    if (const auto found = known.find(left.mean_s); found != known.end() && found->second) return *found->second;
  }
  at_most = true;
  return servers.mean + servers.falls_per_s * left.mean_s;
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
  return time.mean_known() ? time.mean_s : time.varying == M::none ? lower(time.value) : 0.0;
}

}  // namespace ergode
