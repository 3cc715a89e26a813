#include "solvers/markov/least_states.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>

#include "solvers/markov/qualify.h"

namespace ergode {
namespace {

constexpr std::size_t enough = 64;  // states of one component: more are not counted

/// The configurations that one component passes through, or none when somebody else may have a say.
class FreeComponent {
 public:
  FreeComponent(const CompiledModel& model, std::uint32_t instance)
      : model_(model), owner_(model.instances[instance]), tables_(model.charts[owner_.chart]) {}

  std::size_t states() {
    std::uint64_t start = 0;
    if (tables_.words != 1 || !tables_.histories.empty() || !entered(start) || !arrive(start)) return 1;
    for (std::size_t at = 0; at < reached_.size() && reached_.size() < enough; ++at)
      if (!leave(reached_[at])) return 1;
    for (const std::uint64_t word : reached_)
      if (!undisturbed(word)) return 1;
    return reached_.size();
  }
  /// The rates that it was found by: equal for components that may be exchanged.
  std::vector<std::uint64_t> rates() const { return rates_; }

 private:
  bool entered(std::uint64_t& word) const {
    for (const std::uint32_t* at = tables_.entries.begin(tables_.start_row);
         at != tables_.entries.end(tables_.start_row); ++at) {
      if ((*at & ChartTables::initial_flag) != 0) {
        if (!model_.transition_actions.empty(owner_.rows + (*at & ~ChartTables::initial_flag))) return false;
        continue;
      }
      word |= std::uint64_t{1} << *at;
    }
    return true;
  }
  template <class Visit>
  static void for_states(std::uint64_t word, Visit visit) {
    for (; word != 0; word &= word - 1) visit(static_cast<std::uint32_t>(std::countr_zero(word)));
  }
  // Nothing reacts at once, and no event moves it.
  bool undisturbed(std::uint64_t word) const {
    if ((word & tables_.eventless[0]) != 0) return false;
    bool out = true;
    for_states(word, [&](std::uint32_t state) {
      const StateInfo& info = model_.states[owner_.state_base + state];
      out = out && tables_.is_final[state] == 0 && tables_.is_choice[state] == 0 && info.entry == info.entry_end &&
            info.exit == info.exit_end;
      if ((tables_.atomic[0] >> state & 1U) == 0) return;
      for (std::uint32_t event = 0; event < tables_.events; ++event)
        out = out && tables_.candidates.empty(std::size_t{state} * (tables_.events + 1) + event);
    });
    return out;
  }
  // Choices are gone through: branches of constant probability, the others by `else`. @returns false where that
  // cannot be said.
  bool arrive(std::uint64_t word) {
    std::uint64_t choices = 0;
    for_states(word, [&](std::uint32_t state) {
      if (tables_.is_choice[state] != 0) choices |= std::uint64_t{1} << state;
    });
    if (choices == 0) {
      if (std::find(reached_.begin(), reached_.end(), word) == reached_.end()) reached_.push_back(word);
      return true;
    }
    if (++choices_met_ > enough) return false;
    const auto choice = static_cast<std::uint32_t>(std::countr_zero(choices));
    double sum = 0.0;
    std::int64_t otherwise = -1;
    const std::size_t row = std::size_t{choice} * (tables_.events + 1) + tables_.events;
    for (const std::uint32_t* t = tables_.candidates.begin(row); t != tables_.candidates.end(row); ++t) {
      const GuardSpec guard = model_.guards[owner_.rows + *t].of(owner_.member);
      if (guard.kind != GuardSpec::Kind::always || tables_.ways[*t].source != static_cast<std::int32_t>(choice))
        return false;
      if (guard.weight < 0) {
        if (!guard.otherwise || otherwise >= 0) return false;
        otherwise = *t;
        continue;
      }
      const Program& weight = model_.programs[static_cast<std::size_t>(guard.weight)];
      if (!weight.slots().empty()) return false;
      const double probability = weight.evaluate(model_.table->initial().data());
      sum += probability;
      if (probability > 0.0 && !follow(word, *t)) return false;
    }
    return otherwise < 0 || !(sum < 1.0 - 1e-9) || follow(word, static_cast<std::uint32_t>(otherwise));
  }
  bool follow(std::uint64_t word, std::uint32_t transition) {
    const auto next = taken(word, transition);
    return next && arrive(*next);
  }
  /// The configuration behind a transition, before choices that it leads to. What it does besides moves nobody who
  /// hears of no event.
  std::optional<std::uint64_t> taken(std::uint64_t word, std::uint32_t transition) const {
    const ChartTables::Way& way = tables_.ways[transition];
    if (way.remembers || way.common_cause) return std::nullopt;
    for (std::uint32_t s = way.exit_first; s <= way.exit_last && s < 64; ++s) word &= ~(std::uint64_t{1} << s);
    for (const std::uint32_t* at = tables_.entries.begin(way.entry); at != tables_.entries.end(way.entry); ++at)
      if ((*at & ChartTables::initial_flag) == 0) word |= std::uint64_t{1} << *at;
    return word;
  }

  // Where its clocks of constant rate and its delays made of phases lead. Others may lead further, and take nothing
  // away.
  bool leave(std::uint64_t word) {
    bool known = true;
    for_states(word, [&](std::uint32_t state) {
      const StateInfo& info = model_.states[owner_.state_base + state];
      for (std::uint32_t i = info.timers; i != info.timers_end; ++i) {
        const TimerSpec& timer = model_.timers.shared(model_.state_values[i].of(owner_.member));
        const bool rate = timer.kind == Trigger::Kind::rate && timer.constant && std::isfinite(timer.value);
        // Never zero, never for ever: what has phases goes off. Which phases it has plays no part.
        const bool delay = timer.kind == Trigger::Kind::after && timer.random && timer.program < 0 &&
                           phases_of(model_, timer).has_value();
        if ((!rate && !delay) || model_.guards[owner_.rows + timer.transition].kind != GuardSpec::Kind::always)
          continue;
        const auto next = taken(word, timer.transition);
        if (!next) continue;
        if (rate) rates_.push_back(std::bit_cast<std::uint64_t>(timer.value));
        known = known && arrive(*next);
      }
    });
    return known && undisturbed(word);
  }

  const CompiledModel& model_;
  const Instance& owner_;
  const ChartTables& tables_;
  std::vector<std::uint64_t> reached_, rates_;
  std::size_t choices_met_ = 0;
};

}  // namespace

double least_states(const AnalysisModel& model, const std::vector<std::uint32_t>& components) {
  struct Alike {
    std::size_t states = 1, count = 0;
  };
  std::map<std::pair<std::uint32_t, std::vector<std::uint64_t>>, Alike> alike;
  for (const std::uint32_t instance : components) {
    FreeComponent component(model.charts, instance);
    const std::size_t states = component.states();
    if (states < 2) continue;
    Alike& kind = alike[{model.charts.instances[instance].chart, component.rates()}];
    kind.states = states, ++kind.count;
  }
  double logarithm = 0.0;
  for (const auto& [key, kind] : alike) {
    const double c = static_cast<double>(kind.count), s = static_cast<double>(kind.states);
    logarithm += std::lgamma(c + s) - std::lgamma(c + 1.0) - std::lgamma(s);
  }
  return std::floor(std::exp(logarithm) * (1.0 - 1e-9) + 1e-6);
}

}  // namespace ergode
