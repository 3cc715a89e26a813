#include "solvers/markov/modules.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "solvers/markov/relevance.h"

namespace ergode {
namespace {

constexpr std::size_t most_inputs = 1000;       // of one condition
constexpr std::uint64_t most_rows = 1U << 20U;  // of its truth table, where what is certain already is one row

/// Gives up: the model cannot be taken apart.
struct NotModular {};

class Finding {
 public:
  Finding(const AnalysisModel& model, const Budget& budget)
      : model_(model),
        budget_(budget),
        charts_(model.charts),
        relevance_(model, {}),
        part_(charts_.instances.size()),
        gates_(charts_.instances.size()),
        known_gate_(charts_.instances.size(), 0),
        support_(charts_.instances.size()),
        known_support_(charts_.instances.size(), 0) {
    std::iota(part_.begin(), part_.end(), 0U);
    count_slot_.resize(charts_.initial_slots.size(), nullptr);
    for (const CountSlot& slot : charts_.count_slots) count_slot_[slot.slot] = &slot;
  }

  Modules find() {
    for (const Measure& measure : model_.measures) check(measure);
    parts();
    std::vector<std::uint32_t> seen;
    for (const Measure& measure : model_.measures)
      for (const std::uint32_t slot : measure.program.slots())
        for (const std::uint32_t part : support(slot))
          if (std::find(seen.begin(), seen.end(), part) == seen.end()) seen.push_back(part);
    if (seen.size() < 2) throw NotModular();
    for (const std::uint32_t part : seen) module_of_[part] = static_cast<std::uint32_t>(module_of_.size());
    // Variables of one module follow each other, so all outcomes are named before the diagram is drawn.
    for (const Measure& measure : model_.measures) name_outcomes(measure.program);
    out_.modules.resize(seen.size());
    std::uint32_t variable = 0;
    for (Module& module : out_.modules)
      for (auto& [slot, outcome] : outcomes_)
        if (outcome.module == static_cast<std::uint32_t>(&module - out_.modules.data())) {
          outcome.variable = variable++;
          module.outcomes.push_back({Program::load(slot), outcome.variable});
          module.roots.push_back(count_slot_[slot]->first);
        }
    for (const Measure& measure : model_.measures) out_.functions.push_back(function(measure.program));
    return std::move(out_);
  }

 private:
  /// A component that waits for a condition and then stays.
  struct Gate {
    bool is = false;
    int after = -1;  ///< state that it stays in
    const Program* condition = nullptr;
  };
  struct Outcome {
    std::uint32_t module = 0, variable = 0;
  };

  void poll() {
    if (++polled_ % 1024 == 0 && budget_.stop_requested()) throw NotModular();
  }

  void check(const Measure& measure) {
    const std::string& kind = measure.spec.kind;
    const bool at_a_time = kind == measure_kind::probability_at || kind == measure_kind::time_average;
    const bool first = kind == measure_kind::probability_by || kind == measure_kind::time_to;
    if ((!at_a_time && !first) || measure.counts_event || !lasting(measure.program, first)) throw NotModular();
  }

  /// The condition hangs only on states that are never left, and (`growing`) never becomes false again.
  bool lasting(const Program& program, bool growing) {
    const std::vector<std::uint32_t>& slots = program.slots();
    if (slots.empty() || slots.size() > most_inputs) return false;
    for (const std::uint32_t slot : slots) {
      const CountSlot* counted = count_slot_[slot];
      if (counted == nullptr || counted->count != 1 || !never_left(counted->first, counted->state)) return false;
    }
    DecisionDiagram table;
    std::vector<DecisionDiagram::Function> inputs(slots.size());
    for (std::size_t k = 0; k < slots.size(); ++k) inputs[k] = table.variable(static_cast<std::uint32_t>(k));
    std::uint64_t rows = 0;
    const auto drawn = draw(table, program, inputs, rows);
    if (!drawn || *drawn == DecisionDiagram::no) return drawn.has_value();
    for (DecisionDiagram::Function f = 2; growing && f <= *drawn; ++f) {
      const auto kept = table.if_then_else(table.with(f, false), table.with(f, true), DecisionDiagram::yes, budget_);
      if (kept != DecisionDiagram::yes) return false;
    }
    return true;
  }

  bool never_left(std::uint32_t instance, int state) const {
    const ChartTables& tables = charts_.charts[charts_.instances[instance].chart];
    const StateChart& chart = tables.chart;
    if (chart.states[static_cast<std::size_t>(state)].kind != State::Kind::atomic) return false;
    for (int t = 0; t < static_cast<int>(chart.transitions.size()); ++t) {
      const bool initial =
          std::any_of(chart.states.begin(), chart.states.end(), [&](const State& s) { return s.initial == t; });
      if (!initial && chart.inside(state, chart.transitions[static_cast<std::size_t>(t)].source)) return false;
    }
    return true;
  }

  const Gate& gate(std::uint32_t instance) {
    Gate& out = gates_[instance];
    if (known_gate_[instance] != 0) return out;
    known_gate_[instance] = 1;
    const Instance& owner = charts_.instances[instance];
    const ChartTables& tables = charts_.charts[owner.chart];
    const StateChart& chart = tables.chart;
    if (chart.states.size() != 3 || chart.transitions.size() != 2) return out;
    for (std::uint32_t t = 0; t < 2; ++t) {
      const Transition& way = chart.transitions[t];
      if (chart.states[0].initial == static_cast<int>(t)) {
        if (!way.actions.empty() || !way.guard.empty() || way.targets.size() != 1) return out;
        continue;
      }
      const GuardSpec& guard = charts_.guards[owner.transition_base + t];
      const int start = only_target(chart, chart.states[0].initial);
      if (way.trigger.kind != Trigger::Kind::when || guard.kind != GuardSpec::Kind::program || guard.weight >= 0 ||
          way.source != start || way.targets.size() != 1 || way.targets[0] == start || !way.actions.empty())
        return out;
      out.after = way.targets[0];
      out.condition = &charts_.programs[static_cast<std::size_t>(guard.program)];
    }
    if (out.condition == nullptr || !never_left(instance, out.after)) return out;
    for (const State& state : chart.states)
      if (!state.entry.empty() || !state.exit.empty() || !state.flow.empty() || state.history()) return out;
    out.is = lasting(*out.condition, true);
    return out;
  }
  static int only_target(const StateChart& chart, int transition) {
    if (transition < 0) return -1;
    const Transition& t = chart.transitions[static_cast<std::size_t>(transition)];
    return t.targets.size() == 1 ? t.targets[0] : -1;
  }
  /// The gate that the slot asks about, when it is one.
  const Gate* gate_of(std::uint32_t slot) {
    const Gate& found = gate(count_slot_[slot]->first);
    return found.is && found.after == count_slot_[slot]->state ? &found : nullptr;
  }

  std::uint32_t part(std::uint32_t instance) {
    while (part_[instance] != instance) instance = part_[instance] = part_[part_[instance]];
    return instance;
  }
  void join(std::uint32_t one, std::uint32_t other) { part_[part(one)] = part(other); }

  /// Components that read each other, or that one shock or demand strikes, belong together; static gates belong to
  /// whoever reads them, but join nobody by themselves.
  void parts() {
    for (std::uint32_t i = 0; i < charts_.instances.size(); ++i) {
      if (gate(i).is) continue;
      for (const std::uint32_t other : relevance_.reach({i}))
        if (!gate(other).is) join(i, other);
    }
    for (const CcfGroup& group : model_.groups)
      for (std::size_t m = 1; m < group.members.size(); ++m) join(group.members[0], group.members[m]);
  }

  /// The parts on which the state asked about hangs, ascending.
  const std::vector<std::uint32_t>& support(std::uint32_t slot) {
    const std::uint32_t instance = count_slot_[slot]->first;
    std::vector<std::uint32_t>& out = support_[instance];
    if (known_support_[instance] != 0) return out;
    known_support_[instance] = 1;
    if (const Gate* through = gate_of(slot)) {
      for (const std::uint32_t input : through->condition->slots()) {
        const std::vector<std::uint32_t>& more = support(input);
        out.insert(out.end(), more.begin(), more.end());
      }
      std::sort(out.begin(), out.end());
      out.erase(std::unique(out.begin(), out.end()), out.end());
    } else {
      out = {part(instance)};
    }
    return out;
  }

  void name_outcomes(const Program& program) {
    for (const std::uint32_t slot : program.slots()) {
      if (!visited_.insert(slot).second) continue;
      const std::vector<std::uint32_t>& parts = support(slot);
      if (parts.size() > 1) name_outcomes(*gate_of(slot)->condition);
      else outcomes_[slot].module = module_of_.at(parts.front());
    }
  }

  DecisionDiagram::Function function(const Program& program) {
    std::vector<DecisionDiagram::Function> inputs;
    for (const std::uint32_t slot : program.slots()) {
      const auto known = drawn_.find(slot);
      if (known != drawn_.end()) {
        inputs.push_back(known->second);
        continue;
      }
      const auto outcome = outcomes_.find(slot);
      const DecisionDiagram::Function f = outcome != outcomes_.end() ? out_.diagram.variable(outcome->second.variable)
                                                                     : function(*gate_of(slot)->condition);
      drawn_[slot] = f;
      inputs.push_back(f);
    }
    std::uint64_t rows = 0;
    const auto drawn = draw(out_.diagram, program, inputs, rows);
    if (!drawn) throw NotModular();
    return *drawn;
  }

  /// The condition as a function of its inputs; nothing when it takes other values than 0 and 1, or too many rows of
  /// its truth table have to be looked at.
  std::optional<DecisionDiagram::Function> draw(DecisionDiagram& diagram, const Program& program,
                                                const std::vector<DecisionDiagram::Function>& inputs,
                                                std::uint64_t& rows) {
    Drawing drawing{diagram, program, inputs, charts_.initial_slots, {}};
    drawing.ranges.assign(drawing.values.size(), {0.0, 1.0});
    return choose(drawing, 0, rows);
  }

  struct Drawing {
    DecisionDiagram& diagram;
    const Program& program;
    const std::vector<DecisionDiagram::Function>& inputs;
    std::vector<double> values;
    std::vector<Range> ranges;
  };
  std::optional<DecisionDiagram::Function> choose(Drawing& drawing, std::size_t k, std::uint64_t& rows) {
    poll();
    // Most of many inputs need not be looked at: so many have failed that the rest does not matter.
    const Range range = drawing.program.range(drawing.ranges);
    const bool last = k == drawing.inputs.size();
    if (last || range.certain()) {
      const double value = last ? drawing.program.evaluate(drawing.values.data()) : range.lower;
      if ((value != 0.0 && value != 1.0) || ++rows > most_rows) return std::nullopt;
      return value != 0.0 ? DecisionDiagram::yes : DecisionDiagram::no;
    }
    const std::uint32_t slot = drawing.program.slots()[k];
    drawing.values[slot] = 0.0, drawing.ranges[slot] = {0.0, 0.0};
    const auto low = choose(drawing, k + 1, rows);
    if (!low) return std::nullopt;
    drawing.values[slot] = 1.0, drawing.ranges[slot] = {1.0, 1.0};
    const auto high = choose(drawing, k + 1, rows);
    drawing.ranges[slot] = {0.0, 1.0};
    if (!high) return std::nullopt;
    return drawing.diagram.if_then_else(drawing.inputs[k], *high, *low, budget_);
  }

  const AnalysisModel& model_;
  const Budget& budget_;
  std::uint64_t polled_ = 0;
  const CompiledModel& charts_;
  Relevance relevance_;
  std::vector<const CountSlot*> count_slot_;  ///< by slot
  std::vector<std::uint32_t> part_;           ///< by component: another one of its part, or itself
  std::vector<Gate> gates_;
  std::vector<std::uint8_t> known_gate_;
  std::vector<std::vector<std::uint32_t>> support_;
  std::vector<std::uint8_t> known_support_;
  std::map<std::uint32_t, std::uint32_t> module_of_;  ///< by part
  std::map<std::uint32_t, Outcome> outcomes_;         ///< by slot
  std::set<std::uint32_t> visited_;
  std::map<std::uint32_t, DecisionDiagram::Function> drawn_;
  Modules out_;
};

}  // namespace

std::optional<Modules> find_modules(const AnalysisModel& model, const Budget& budget) {
  if (model.measures.empty()) return std::nullopt;
  try {
    return Finding(model, budget).find();
  } catch (const NotModular&) {
    return std::nullopt;
  }
}

}  // namespace ergode
