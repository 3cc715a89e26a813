#include "solvers/markov/lone_delays.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solvers/markov/qualify.h"

namespace ergode {
namespace {

/// Components with delays that have no phases: their chart is one in which each such delay is alone.
class LoneDelays {
 public:
  LoneDelays(const AnalysisModel& model, const Relevance& relevance, const std::vector<std::uint32_t>& components)
      : model_(model.charts), groups_(model.groups), relevance_(relevance), components_(components) {}

  /// Clocks with such delays. @returns nothing: some of them are not alone
  std::optional<std::vector<std::uint32_t>> find() {
    std::vector<std::uint32_t> out, owners;
    for (std::uint32_t t = 0; t < model_.timers.size(); ++t) {
      const TimerSpec timer = model_.timers[t];
      if (timer.kind != Trigger::Kind::after || !among(components_, timer.instance) || has_phases(timer)) continue;
      if (!(timer.constant || timer.random) || timer.resume || !alone(timer)) return std::nullopt;
      out.push_back(t);
      if (owners.empty() || owners.back() != timer.instance) owners.push_back(timer.instance);
    }
    std::sort(owners.begin(), owners.end());
    owners.erase(std::unique(owners.begin(), owners.end()), owners.end());
    if (owners.empty()) return out;
    int of_fixed_length = 0;
    for (const std::uint32_t i : owners) {
      if (!simple(i) || !independent(i)) return std::nullopt;
      of_fixed_length += spread_out(i) ? 0 : 1;
    }
    if (of_fixed_length > 1) return std::nullopt;
    return out;
  }

 private:
  static bool among(const std::vector<std::uint32_t>& sorted, std::uint32_t one) {
    return std::binary_search(sorted.begin(), sorted.end(), one);
  }
  const StateChart& chart_of(std::uint32_t instance) const {
    return model_.charts[model_.instances[instance].chart].chart;
  }
  bool has_phases(const TimerSpec& timer) const {
    const auto phases = phases_of(model_, timer);
    if (!phases) return false;
    double begun = 0.0;
    for (const double p : phases->initial) begun += p;
    return begun >= 1.0 - 1e-9;
  }
  // Whatever else led out of the state would end the delay before its time.
  bool alone(const TimerSpec& timer) const {
    const StateChart& chart = chart_of(timer.instance);
    const std::uint32_t end = timer.transition + timer.alternatives;
    for (std::uint32_t t = 0; t < chart.transitions.size(); ++t) {
      const bool its = t >= timer.transition && t < end;
      if (!its && chart.transitions[t].source == chart.transitions[timer.transition].source) return false;
      if (its && model_.guard(timer.instance, t).kind != GuardSpec::Kind::always) return false;
    }
    return true;
  }
  // No states in states, nothing that is remembered, and chance alone says where it goes.
  bool simple(std::uint32_t instance) const {
    const StateChart& chart = chart_of(instance);
    for (std::size_t s = 1; s < chart.states.size(); ++s)
      if (chart.states[s].kind != State::Kind::atomic && chart.states[s].kind != State::Kind::choice) return false;
    const std::vector<std::uint8_t> initial = initial_ways(chart);
    for (std::uint32_t t = 0; t < chart.transitions.size(); ++t) {
      if (initial[t] != 0) continue;
      const Transition& one = chart.transitions[t];
      const bool of_choice = chart.states[static_cast<std::size_t>(one.source)].kind == State::Kind::choice;
      const bool clock = one.trigger.kind == Trigger::Kind::after || one.trigger.kind == Trigger::Kind::rate;
      if (one.source == 0 || (!of_choice && !clock)) return false;
      if (model_.guard(instance, t).kind != GuardSpec::Kind::always) return false;
    }
    return true;
  }
  bool independent(std::uint32_t instance) const {
    if (!relevance_.reads(instance).empty()) return false;
    for (const std::uint32_t other : components_)
      if (among(relevance_.reads(other), instance)) return false;
    return std::none_of(groups_.begin(), groups_.end(), [&](const CcfGroup& group) {
      return std::find(group.members.begin(), group.members.end(), instance) != group.members.end();
    });
  }
  // From every state to every other, on the way through a delay of a law with a density.
  bool spread_out(std::uint32_t instance) const {
    const StateChart& chart = chart_of(instance);
    const std::size_t states = chart.states.size();
    std::vector<std::vector<std::size_t>> onwards(states), back(states);
    for (const Transition& t : chart.transitions)
      for (const int to : t.targets)
        onwards[static_cast<std::size_t>(t.source)].push_back(static_cast<std::size_t>(to)),
            back[static_cast<std::size_t>(to)].push_back(static_cast<std::size_t>(t.source));
    const auto reaches_all = [&](const std::vector<std::vector<std::size_t>>& ways) {
      std::vector<std::uint8_t> reached(states, 0);
      std::vector<std::size_t> open = {1};
      std::size_t count = 0;
      while (!open.empty()) {
        const std::size_t s = open.back();
        open.pop_back();
        if (s == 0 || std::exchange(reached[s], std::uint8_t{1}) != 0) continue;
        ++count;
        open.insert(open.end(), ways[s].begin(), ways[s].end());
      }
      return count + 1 == states;
    };
    if (states < 2 || !reaches_all(onwards) || !reaches_all(back)) return false;
    return std::any_of(model_.timers.begin(), model_.timers.end(), [&](const TimerSpec& timer) {
      if (timer.instance != instance) return false;
      if (timer.kind == Trigger::Kind::rate) return true;
      if (!timer.random) return false;
      const auto family = model_.distributions[static_cast<std::size_t>(timer.distribution)].family();
      return family != Distribution::Family::deterministic && family != Distribution::Family::empirical &&
             family != Distribution::Family::quantile_table;  // it may have steps
    });
  }

  const CompiledModel& model_;
  const std::vector<CcfGroup>& groups_;
  const Relevance& relevance_;
  const std::vector<std::uint32_t>& components_;
};

}  // namespace

std::optional<std::vector<std::uint32_t>> lone_delays(const AnalysisModel& model, const Relevance& relevance,
                                                      const std::vector<std::uint32_t>& components) {
  return LoneDelays(model, relevance, components).find();
}

bool make_exponential(CompiledModel& charts, const std::vector<std::uint32_t>& clocks) {
  std::vector<std::uint8_t> done(charts.timers.specs.size(), 0);
  for (const std::uint32_t t : clocks) {
    const std::uint32_t number = charts.timers.places[t].spec;
    if (std::exchange(done[number], std::uint8_t{1}) != 0) continue;
    TimerTable::Shared& spec = charts.timers.specs[number];
    const double mean_s =
        spec.random ? charts.distributions[static_cast<std::size_t>(spec.distribution)].mean() : spec.value;
    if (!(mean_s > 0.0 && std::isfinite(mean_s))) return false;
    spec.random = true, spec.program = -1;
    spec.distribution = static_cast<std::int32_t>(charts.distributions.size());
    charts.distributions.push_back(Distribution::exponential(1.0 / mean_s));
  }
  return true;
}

}  // namespace ergode
