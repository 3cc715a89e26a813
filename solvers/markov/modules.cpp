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
        values_(charts_.table->initial()),
        ranges_(values_.size(), {0.0, 1.0}) {
    std::iota(part_.begin(), part_.end(), 0U);
    for (const ChartTables& tables : charts_.charts) initial_.push_back(initial_ways(tables.chart));
    count_slot_.resize(charts_.table->size(), nullptr);
    for (const CountSlot& slot : charts_.count_slots) count_slot_[slot.slot] = &slot;
  }

  std::vector<std::size_t> fitting() {
    std::vector<std::size_t> out;
    for (std::size_t m = 0; m < model_.measures.size(); ++m)
      if (of_the_kind(model_.measures[m])) out.push_back(m);
    return out;
  }

  Modules find() {
    for (const Measure& measure : model_.measures) check(measure);
    parts();
    for (const Measure& measure : model_.measures)
      for (const std::uint32_t slot : measure.program.slots()) find_support(slot);
    for (const Measure& measure : model_.measures)
      for (const std::uint32_t slot : measure.program.slots()) name_modules(slot);
    if (module_of_.size() < 2) throw NotModular();
    // Variables of one module follow each other, so all outcomes are named before the diagram is drawn.
    for (const Measure& measure : model_.measures) name_outcomes(measure.program);
    out_.modules.resize(module_of_.size());
    std::vector<std::vector<std::uint32_t>> slots(module_of_.size());
    for (const auto& [slot, outcome] : outcomes_) slots[outcome.module].push_back(slot);
    std::uint32_t variable = 0;
    for (std::size_t m = 0; m < slots.size(); ++m)
      for (const std::uint32_t slot : slots[m]) {
        outcomes_[slot].variable = variable++;
        out_.modules[m].outcomes.push_back({Program::load(slot), outcomes_[slot].variable});
        out_.modules[m].roots.push_back(count_slot_[slot]->first);
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
    if (!of_the_kind(measure)) throw NotModular();
  }
  bool of_the_kind(const Measure& measure) {
    const MeasureKind& kind = *measure.spec.kind;
    const bool at_a_time =
        kind.meaning == MeasureKind::Meaning::at_time || kind.meaning == MeasureKind::Meaning::average;
    const bool first = kind.first_passage();
    return (at_a_time || first) && !measure.counts_event && lasting(measure.program, first);
  }

  /// The condition hangs only on states that are never left, and (`growing`) never becomes false again.
  bool lasting(const Program& program, bool growing) {
    const auto slots = program.slots();
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
    const std::vector<std::uint8_t>& initial = initial_[charts_.instances[instance].chart];
    for (std::size_t t = 0; t < chart.transitions.size(); ++t)
      if (initial[t] == 0 && chart.inside(state, chart.transitions[t].source)) return false;
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
      const GuardSpec guard = charts_.guard(instance, static_cast<std::uint32_t>(t));
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
  /// whoever reads them, but join nobody by themselves. Joined are i and whoever i can reach, i ascending. What an
  /// earlier component reached is not gone through again: all of it is one part already.
  void parts() {
    const std::vector<std::uint32_t> least = least_reached();
    std::vector<std::uint32_t> reached_by(charts_.instances.size(), nobody), open;
    for (std::uint32_t i = 0; i < charts_.instances.size(); ++i) {
      poll();
      if (gate(i).is) continue;
      std::map<std::uint32_t, std::uint32_t> others;  // part -> the least of those reached in it
      const auto meet = [&](std::uint32_t who) {
        const auto [known, fresh] = others.emplace(part(who), who);
        if (!fresh) known->second = std::min(known->second, who);
      };
      const auto visit = [&](std::uint32_t read) {
        if (reached_by[read] == i) return;
        if (reached_by[read] != nobody) {
          if (least[read] != nobody) meet(least[read]);
          return;
        }
        reached_by[read] = i, open.push_back(read);
        if (!gate(read).is) meet(read);
      };
      if (reached_by[i] == nobody) reached_by[i] = i, open.push_back(i);
      while (!open.empty()) {
        const std::uint32_t from = open.back();
        open.pop_back();
        for (const std::uint32_t read : relevance_.reads(from)) visit(read);
      }
      others.erase(part(i));
      std::vector<std::uint32_t> in_order;
      for (const auto& [part, who] : others) in_order.push_back(who);
      std::sort(in_order.begin(), in_order.end());
      for (const std::uint32_t other : in_order) join(i, other);
    }
    for (const CcfGroup& group : model_.groups)
      for (std::size_t m = 1; m < group.members.size(); ++m) join(group.members[0], group.members[m]);
  }

  /// By component: the least component, other than gates, that it can reach or is.
  std::vector<std::uint32_t> least_reached() {
    std::vector<std::vector<std::uint32_t>> readers(charts_.instances.size());
    for (std::uint32_t i = 0; i < readers.size(); ++i)
      for (const std::uint32_t read : relevance_.reads(i)) readers[read].push_back(i);
    std::vector<std::uint32_t> out(readers.size(), nobody), open;
    for (std::uint32_t i = 0; i < readers.size(); ++i) {
      if (gate(i).is || out[i] != nobody) continue;
      out[i] = i, open.push_back(i);
      while (!open.empty()) {
        const std::uint32_t at = open.back();
        open.pop_back();
        for (const std::uint32_t reader : readers[at])
          if (out[reader] == nobody) out[reader] = i, open.push_back(reader);
      }
    }
    return out;
  }

  /// The gate behind a slot, or none: its inputs are the slots of its condition.
  const Program* condition_of(std::uint32_t slot) {
    const Gate* through = gate_of(slot);
    return through != nullptr ? through->condition : nullptr;
  }

  /// Goes through the slots below `top`, each after those its gate reads, without recursion. Gates in a circle are no
  /// function of anything.
  /// @param inside  whether what lies below a slot is gone through, asked once before it
  template <typename Inside, typename After>
  void below(std::uint32_t top, const Inside& inside, const After& after) {
    struct Open {
      std::uint32_t slot;
      MovedItems<std::uint32_t> inputs;
      std::size_t next = 0;
    };
    const MovedItems<std::uint32_t> none({}, 0);
    std::vector<Open> open;
    const auto enter = [&](std::uint32_t slot) {
      const bool further = inside(slot);
      open.push_back({slot, further ? condition_of(slot)->slots() : none});
      if (further) on_path_.insert(slot);
    };
    enter(top);
    while (!open.empty()) {
      poll();
      if (open.back().next < open.back().inputs.size()) {
        const std::uint32_t input = open.back().inputs[open.back().next++];
        if (on_path_.contains(input)) throw NotModular();
        enter(input);
        continue;
      }
      after(open.back().slot);
      on_path_.erase(open.back().slot);
      open.pop_back();
    }
  }

  /// The parts on which the state asked about hangs: one of them, or several.
  void find_support(std::uint32_t slot) {
    below(
        slot, [&](std::uint32_t s) { return !support_.contains(s) && condition_of(s) != nullptr; },
        [&](std::uint32_t s) {
          if (support_.contains(s)) return;
          const Program* condition = condition_of(s);
          std::uint32_t& out = support_[s];
          if (condition == nullptr) {
            out = part(count_slot_[s]->first);
            return;
          }
          out = support_.at(condition->slots().front());
          for (const std::uint32_t input : condition->slots())
            if (support_.at(input) != out) out = several;
        });
  }
  bool hangs_on_several(std::uint32_t slot) const { return support_.at(slot) == several; }

  /// Modules have numbers in the order in which the measures name them, those of one name ascending.
  void name_modules(std::uint32_t slot) {
    std::set<std::uint32_t> found;
    below(
        slot,
        [&](std::uint32_t s) {
          if (!hangs_on_several(s)) found.insert(support_.at(s));
          return hangs_on_several(s) && numbered_.insert(s).second;
        },
        [](std::uint32_t) {});
    for (const std::uint32_t part : found)
      if (!module_of_.contains(part)) module_of_[part] = static_cast<std::uint32_t>(module_of_.size());
  }

  void name_outcomes(const Program& program) {
    for (const std::uint32_t slot : program.slots())
      below(
          slot,
          [&](std::uint32_t s) {
            if (!visited_.insert(s).second) return false;
            if (!hangs_on_several(s)) outcomes_[s].module = module_of_.at(support_.at(s));
            return hangs_on_several(s);
          },
          [](std::uint32_t) {});
  }

  DecisionDiagram::Function function(const Program& program) {
    for (const std::uint32_t slot : program.slots())
      below(
          slot, [&](std::uint32_t s) { return !drawn_.contains(s) && !outcomes_.contains(s); },
          [&](std::uint32_t s) {
            if (drawn_.contains(s)) return;
            const auto outcome = outcomes_.find(s);
            const DecisionDiagram::Function f = outcome != outcomes_.end()
                                                    ? out_.diagram.variable(outcome->second.variable)
                                                    : drawn_function(*condition_of(s));
            drawn_[s] = f;
          });
    return drawn_function(program);
  }

  /// Of a program whose slots are drawn.
  DecisionDiagram::Function drawn_function(const Program& program) {
    std::vector<DecisionDiagram::Function> inputs;
    for (const std::uint32_t slot : program.slots()) inputs.push_back(drawn_.at(slot));
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
    Drawing drawing{diagram, program, inputs, values_, ranges_};
    const auto drawn = choose(drawing, 0, rows);
    // The next one begins with the same values and costs nothing for slots that it does not read.
    for (const std::uint32_t slot : program.slots()) {
      values_[slot] = charts_.table->initial()[slot];
      ranges_[slot] = {0.0, 1.0};
    }
    return drawn;
  }

  struct Drawing {
    DecisionDiagram& diagram;
    const Program& program;
    const std::vector<DecisionDiagram::Function>& inputs;
    std::vector<double>& values;
    std::vector<Range>& ranges;
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
  static constexpr std::uint32_t nobody = ~std::uint32_t{0}, several = nobody;
  std::vector<std::vector<std::uint8_t>> initial_;    ///< by chart: initial_ways()
  std::map<std::uint32_t, std::uint32_t> support_;    ///< by slot: the only part that it hangs on, or `several`
  std::map<std::uint32_t, std::uint32_t> module_of_;  ///< by part
  std::map<std::uint32_t, Outcome> outcomes_;         ///< by slot
  std::set<std::uint32_t> visited_, numbered_;
  std::set<std::uint32_t> on_path_;  ///< gates' slots that are being gone through
  std::vector<double> values_;       ///< scratch of draw(), as at the beginning between two of them
  std::vector<Range> ranges_;
  std::map<std::uint32_t, DecisionDiagram::Function> drawn_;
  Modules out_;
};

}  // namespace

std::vector<std::size_t> modular_measures(const AnalysisModel& model, const Budget& budget) {
  try {
    return Finding(model, budget).fitting();
  } catch (const NotModular&) {
    return {};  // stopped
  }
}

std::optional<Modules> find_modules(const AnalysisModel& model, const Budget& budget) {
  if (model.measures.empty()) return std::nullopt;
  try {
    return Finding(model, budget).find();
  } catch (const NotModular&) {
    return std::nullopt;
  }
}

}  // namespace ergode
