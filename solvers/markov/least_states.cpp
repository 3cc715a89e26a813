#include "solvers/markov/least_states.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

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
    if (tables_.words != 1 || !tables_.histories.empty() || !entered(start)) return 1;
    reached_ = {start};
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
  // Where its clocks of constant rate lead. Others may lead further, and take nothing away.
  bool leave(std::uint64_t word) {
    for_states(word, [&](std::uint32_t state) {
      const StateInfo& info = model_.states[owner_.state_base + state];
      for (std::uint32_t i = info.timers; i != info.timers_end; ++i) {
        const TimerSpec& timer = model_.timers.shared(model_.state_values[i].of(owner_.member));
        const Hop& hop = model_.hops[owner_.hops + timer.transition];
        if (timer.kind != Trigger::Kind::rate || !timer.constant || !std::isfinite(timer.value) || !hop.known ||
            model_.guards[owner_.rows + timer.transition].kind != GuardSpec::Kind::always)
          continue;
        rates_.push_back(std::bit_cast<std::uint64_t>(timer.value));
        const std::uint64_t next = (word & ~hop.clear) | hop.set;
        if (std::find(reached_.begin(), reached_.end(), next) == reached_.end()) reached_.push_back(next);
      }
    });
    return undisturbed(word);
  }

  const CompiledModel& model_;
  const Instance& owner_;
  const ChartTables& tables_;
  std::vector<std::uint64_t> reached_, rates_;
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
