// Seconds of service that customers get in all where services begin anew: part of LeastFlows.
#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/special_values.h"
#include "solvers/queueing/model/least_flows.h"
#include "solvers/queueing/model/traffic.h"

namespace ergode {

using Kind = NetworkModel::Kind;
using M = NetworkModel;

void LeastFlows::work_out() {
  work_.resize(ways_.size());
  const bool any = std::any_of(model_.nodes.begin(), model_.nodes.end(),
                               [](const M::Node& node) { return StationLimits::begins_anew(node); });
  const Arrivals arrivals = any ? without_memory() : Arrivals();
  for (std::uint32_t n = 0; n < model_.nodes.size(); ++n)
    for (std::uint32_t c = 0; c < classes_ && c < model_.nodes[n].time.size(); ++c)
      if (ways_at(n, c) != nullptr)
        work_[place(n, c)] = StationLimits::begins_anew(model_.nodes[n])
                                 ? time_in_all(n, c, arrivals)
                                 : MeanTime{stations_.work(model_.nodes[n], c), true};
}

// A part of a Poisson process, taken by chance, is one (Kingman, Poisson Processes, 1993, section 5.1).
LeastFlows::Arrivals LeastFlows::without_memory() const {
  Arrivals out{std::vector<double>(ways_.size(), 0.0), std::vector<std::uint8_t>(ways_.size(), 0)};
  for (std::uint32_t n = 0; n < model_.nodes.size(); ++n) {
    const M::Node& node = model_.nodes[n];
    if (node.kind != Kind::source) {
      if (!node.passes())
        for (std::uint32_t c = 0; c < classes_; ++c) {
          for (const M::Leaving how : {M::Leaving::done, M::Leaving::refused, M::Leaving::reneged})
            if (const auto& all = node.ways_of(how); all.size() > c)
              each_place(all[c], [&](std::size_t next) { mark_through_routers(next, out.others); });
        }
      continue;
    }
    const bool memoryless = node.has_rate ? node.rate.is_constant()
                                          : node.process == M::none && !node.time.empty() && node.time[0].drawn &&
                                                node.time[0].law.family() == Distribution::Family::exponential;
    if (!memoryless || node.batched) {
      mark_through_routers(place(n, node.emits), out.others);
      continue;
    }
    // Forwards as far as no time passes; a circle of routers comes to an end because its chances become small.
    std::vector<std::pair<std::size_t, double>> ahead = {{place(n, node.emits), rate_of(node).value_or(0.0)}};
    constexpr std::size_t most = 10'000;
    for (std::size_t looked = 0; !ahead.empty(); ++looked) {
      const auto [here, rate] = ahead.back();
      ahead.pop_back();
      const M::Node& at = node_at(here);
      if (at.kind != Kind::source && !at.passes()) {
        out.rate[here] += rate;
        continue;
      }
      const M::Ways* const ways =
          ways_at(static_cast<std::uint32_t>(here / classes_), static_cast<std::uint32_t>(here % classes_));
      if (ways == nullptr) continue;
      const bool by_chance = ways->target.size() == 1 || drawn(here / classes_, *ways);
      if (!by_chance || looked > most) {
        mark_through_routers(here, out.others);
        continue;
      }
      double before = 0.0;
      for (std::size_t w = 0; w < ways->target.size(); ++w) {
        const double p = ways->target.size() == 1 ? 1.0 : ways->upto[w] - before;
        before += p;
        if (p * rate > 0.0) ahead.emplace_back(to(*ways, w), p * rate);
      }
    }
  }
  for (std::uint32_t c = 0; c < classes_; ++c)
    if (const M::JobClass& one = model_.classes[c]; one.population > 0 && one.reference != M::none)
      out.others[place(one.reference, c)] = 1;
  return out;
}

void LeastFlows::mark_through_routers(std::size_t from, std::vector<std::uint8_t>& marks) const {
  std::vector<std::size_t> ahead = {from};
  while (!ahead.empty()) {
    const std::size_t here = ahead.back();
    ahead.pop_back();
    if (std::exchange(marks[here], std::uint8_t{1}) != 0) continue;
    const M::Node& node = node_at(here);
    if (node.kind != Kind::source && !node.passes()) continue;
    if (const M::Ways* ways =
            ways_at(static_cast<std::uint32_t>(here / classes_), static_cast<std::uint32_t>(here % classes_)))
      each_place(*ways, [&](std::size_t next) { ahead.push_back(next); });
  }
}

// The only server is taken from whoever stands lower by each who comes and stands higher; servers fail one by one.
MeanTime LeastFlows::time_in_all(std::uint32_t n, std::uint32_t c, const Arrivals& arrivals) const {
  const M::Node& node = model_.nodes[n];
  const M::Duration& time = node.time[c];
  const M::Rules* const rules = node.rules == M::none ? nullptr : &model_.rules[node.rules];
  const bool anew = node.interruption == M::Interruption::resample;
  const MeanTime once{stations_.work(node, c), true};
  // Without memory a new time is what is left of the old one.
  const bool same = anew && time.drawn && time.process == M::none && !node.has(M::draws_first) &&
                    time.law.family() == Distribution::Family::exponential;
  if (same) return once;
  double rate = 0.0;
  // What is missing in the rate only makes a service longer that is begun with the same time.
  bool exactly = !node.has(M::takes_away | M::loses_units);
  if (node.has(M::preempts)) {
    const bool one_server = node.servers.is_constant() && node.servers.value() == 1.0;
    const bool by_class = one_server && !model_.ranked && !node.has(M::draws_first);
    const bool last_first = node.discipline == M::Discipline::lcfs_pr;
    exactly = exactly && by_class;
    for (std::uint32_t other = 0; other < classes_ && by_class; ++other) {
      const std::uint32_t its = model_.classes[other].level, own = model_.classes[c].level;
      const bool interrupts = node.has(M::prioritises) ? its < own || (last_first && its == own) : last_first;
      if (!interrupts) continue;
      rate += arrivals.rate[place(n, other)];
      exactly = exactly && arrivals.others[place(n, other)] == 0;
    }
  }
  if (node.has(M::breaks_down)) {
    const M::Duration& fails = rules->to_failure;
    if (fails.drawn && fails.law.family() == Distribution::Family::exponential) rate += 1.0 / fails.mean_s;
    else exactly = false;
  }
  const bool even =
      rules == nullptr || (rules->speeds.empty() && rules->speed.is_constant() && rules->speed.value() > 0.0);
  const bool known = even && time.drawn && time.process == M::none &&
                     !node.has(M::shares | M::by_attained | M::batches | M::takes_away | M::loses_units);
  const double speed = even && rules != nullptr ? rules->speed.value() : 1.0;
  if (anew && !(exactly && known)) {
    const bool never_shorter =
        time.drawn && time.process == M::none && !node.has(M::draws_first) && to_draw_again_never_helps(time.law);
    return {never_shorter ? once.mean_s : 0.0, false};
  }
  if (!known) return {once.mean_s, false};
  if (rate == 0.0) return {once.mean_s, exactly};
  MeanTime out = anew ? time_drawn_again(time.law, rate / speed) : time_begun_again(time.law, rate / speed);
  if (!anew) out.mean_s = std::max(out.mean_s, once.mean_s);  // sums from below
  out.exactly = out.exactly && exactly;
  return out;
}

}  // namespace ergode
