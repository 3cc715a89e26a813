#include "solvers/markov/qualify.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ergode {
namespace {

class Qualification {
 public:
  Qualification(const AnalysisModel& model, std::span<const std::uint32_t> among)
      : model_(model), charts_(model.charts), among_(among) {
    slots_ = charts_.slot_ranges(model.horizon_s);
  }

  Diagnostics run() {
    refuse_other_notations(model_, "a Markov solver", problems_);
    // Of members of an array that are alike one tells all.
    std::vector<std::uint8_t> seen(charts_.timers.specs.size());
    for (std::uint32_t t = 0; t < charts_.timers.size(); ++t) {
      std::uint8_t& told = seen[charts_.timers.places[t].spec];
      if (told != 0) continue;
      const TimerSpec timer = charts_.timers[t];
      if (!asked(timer.instance)) continue;
      told = 1;
      if (!idle(timer)) clock(timer);
    }
    for (std::uint32_t i = 0; i < charts_.instances.size(); ++i)
      if (asked(i) && (i == 0 || charts_.instances[i].hops != charts_.instances[i - 1].hops || !asked(i - 1)))
        instance(i);
    for (const FlowSpec& flow : charts_.flows)
      if (asked(flow.instance))
        report("MKV007", charts_.charts[charts_.instances[flow.instance].chart].chart.states[flow.state].element,
               "A variable changes continuously; a Markov chain wants variables that jump.");
    for (const CcfGroup& group : model_.groups)
      if (!group.demand && group.cause >= 0 && group.delay.kind != DelayLaw::Kind::none)
        report("MKV009", group.element,
               "Shocks on \"" + group.name + "\" act after a delay (" + to_text(group.delay.kind) +
                   "); a Markov chain wants them to act at once.");
    return std::move(problems_);
  }

 private:
  bool asked(std::uint32_t component) const {
    return among_.empty() || std::binary_search(among_.begin(), among_.end(), component);
  }
  void report(const char* code, ElementId element, std::string message) {
    for (const Diagnostic& known : problems_)
      if (known.element == element && known.code == code) return;
    problems_.push_back({.code = code, .element = element, .message = std::move(message)});
  }

  // Proven never to do anything.
  bool idle(const TimerSpec& timer) const {
    if (timer.kind == Trigger::Kind::rate && timer.constant && !(timer.value < std::numeric_limits<double>::infinity()))
      return true;
    for (std::uint32_t a = 0; a < timer.alternatives; ++a) {
      const GuardSpec guard = charts_.guard(timer.instance, timer.transition + a);
      if (guard.kind == GuardSpec::Kind::never) continue;
      if (guard.kind != GuardSpec::Kind::program) return false;
      const Range range = charts_.programs[static_cast<std::size_t>(guard.program)].range(slots_);
      if (range.lower != 0.0 || range.upper != 0.0) return false;
    }
    return true;
  }

  void clock(const TimerSpec& timer) {
    const ElementId element = charts_.element_of(timer.instance, timer.transition);
    const StateChart& chart = charts_.charts[charts_.instances[timer.instance].chart].chart;
    const std::string text = "\"" + chart.transitions[timer.transition].trigger.text + "\"";
    switch (timer.kind) {
      case Trigger::Kind::after: {
        if (!timer.random)
          return report("MKV001", element,
                        text + " is a fixed delay; a Markov chain wants exponential delays or phases.");
        const auto phases = phases_of(charts_, timer);
        if (!phases)
          return report(
              "MKV005", element,
              text + " is neither exponential nor made of at most " + std::to_string(most_phases) +
                  " phases; wanted exponential, erlang, hypoexponential, hyperexponential, coxian or phase_type.");
        double begun = 0.0;
        for (const double p : phases->initial) begun += p;
        if (begun < 1.0 - 1e-9)
          report("MKV005", element, text + " may take no time at all; wanted initial probabilities that sum to 1.");
        if (timer.resume && phases->rate.size() > 1)
          report("MKV008", element,
                 text + " keeps its phase while its state is left; a Markov chain of this model wants memory restart.");
        return;
      }
      case Trigger::Kind::at:
        return report("MKV002", element, text + " happens at a fixed time; a Markov chain has none.");
      case Trigger::Kind::every:
        return report("MKV003", element, text + " happens at fixed intervals; a Markov chain wants random ones.");
      case Trigger::Kind::rate:
        if (!timer.constant && reads_now(timer.program))
          report("MKV006", element, "The rate " + text + " depends on `now`; a Markov chain wants constant rates.");
        return;
      case Trigger::Kind::becomes:
        if (reads_now(timer.program))
          report("MKV006", element,
                 "The condition " + text + " depends on `now`; a Markov chain wants states and variables.");
        return;
      default:
        return;
    }
  }

  void instance(std::uint32_t index) {
    const Instance& owner = charts_.instances[index];
    const StateChart& chart = charts_.charts[owner.chart].chart;
    for (std::uint32_t t = 0; t < chart.transitions.size(); ++t) {
      const std::size_t row = owner.rows + t;
      const GuardSpec guard = charts_.guard(index, t);
      if (reads_now(guard.program) || reads_now(guard.weight))
        report("MKV006", chart.transitions[t].element,
               "A condition depends on `now`; a Markov chain wants conditions on states and variables.");
      actions(owner, chart.transitions[t].element, charts_.transition_actions.begin(row),
              charts_.transition_actions.end(row));
    }
    for (std::size_t s = 0; s < chart.states.size(); ++s) {
      const StateInfo& info = charts_.states[owner.state_base + s];
      const MemberNumber* const values = charts_.state_values.data();
      actions(owner, chart.states[s].element, values + info.entry, values + info.entry_end);
      actions(owner, chart.states[s].element, values + info.exit, values + info.exit_end);
    }
  }

  void actions(const Instance& owner, ElementId element, const MemberNumber* begin, const MemberNumber* end) {
    for (const MemberNumber* at = begin; at != end; ++at) {
      const ActionSpec& action = charts_.actions[at->of(owner.member)];
      if (action.kind == ActionSpec::Kind::send && action.program >= 0)
        report("MKV004", element,
               "An event is sent with a delay; a Markov chain wants a state with an exponential delay instead.");
      bool reads = reads_now(action.program) || reads_now(action.condition);
      for (std::uint32_t p = action.parameters; p != action.parameters_end; ++p)
        reads = reads || reads_now(charts_.event_parameters[p].program);
      if (reads) report("MKV006", element, "An action depends on `now`; a Markov chain wants states and variables.");
    }
  }

  bool reads_now(std::int32_t program) const {
    if (program < 0) return false;
    const auto slots = charts_.programs[static_cast<std::size_t>(program)].slots();
    return std::binary_search(slots.begin(), slots.end(), World::now_slot);
  }

  const AnalysisModel& model_;
  const CompiledModel& charts_;
  std::span<const std::uint32_t> among_;
  std::vector<Range> slots_;
  Diagnostics problems_;
};

}  // namespace

Diagnostics why_not_markov(const AnalysisModel& model, std::span<const std::uint32_t> among) {
  return Qualification(model, among).run();
}

std::optional<Phases> phases_of(const CompiledModel& charts, const TimerSpec& timer) {
  if (timer.kind != Trigger::Kind::after || !timer.random) return std::nullopt;
  return charts.distributions[static_cast<std::size_t>(timer.distribution)].phases(most_phases);
}

}  // namespace ergode
