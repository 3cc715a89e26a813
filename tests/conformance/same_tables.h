#pragma once
#include <random>
#include <string>

#include "statecharts/compile/compiled_model.h"

namespace ergode::test {

/// Where the tables of two models differ; empty: they run alike. Element ids and names of streams are not compared.
/// Programs are compared by what they read and by their values for random slots.
class TableComparison {
 public:
  TableComparison(const CompiledModel& a, const CompiledModel& b) : a_(a), b_(b) {
    slots_ = std::max(a.table->size(), b.table->size());
  }

  std::string difference() {
    same("charts", a_.charts.size(), b_.charts.size());
    same("instances", a_.instances.size(), b_.instances.size());
    same("events", a_.event_names, b_.event_names);
    same("values of events", a_.event_parameter_names, b_.event_parameter_names);
    same("words", a_.words, b_.words);
    same("slots", a_.table->size(), b_.table->size());
    if (!found_.empty()) return found_;
    for (std::size_t i = 0; i < slots_; ++i)
      number("initial slot " + std::to_string(i), a_.table->initial()[i], b_.table->initial()[i]);
    for (std::size_t c = 0; c < a_.charts.size() && found_.empty(); ++c) chart(a_.charts[c], b_.charts[c]);
    same("guards", a_.guards.size(), b_.guards.size());
    same("actions", a_.actions.size(), b_.actions.size());
    same("timers", a_.timers.size(), b_.timers.size());
    same("states", a_.states.size(), b_.states.size());
    same("state values", a_.state_values, b_.state_values);
    same("transition actions", a_.transition_actions.start, b_.transition_actions.start);
    same("transition actions", a_.transition_actions.values, b_.transition_actions.values);
    rows("event slots", a_.event_slots, b_.event_slots);
    for (std::size_t g = 0; g < a_.guards.size() && found_.empty(); ++g) {
      const GuardSpec &x = a_.guards[g], &y = b_.guards[g];
      const std::string where = "guard " + std::to_string(g);
      same(where, static_cast<int>(x.kind), static_cast<int>(y.kind));
      same(where + " otherwise", x.otherwise, y.otherwise);
      program(where, x.program, y.program);
    }
    for (std::size_t i = 0; i < a_.actions.size() && found_.empty(); ++i)
      action("action " + std::to_string(i), a_.actions[i], b_.actions[i]);
    for (std::size_t s = 0; s < a_.states.size() && found_.empty(); ++s) {
      const StateInfo &x = a_.states[s], &y = b_.states[s];
      same("state " + std::to_string(s),
           std::vector{x.timers, x.timers_end, x.slots, x.slots_end, x.entry, x.entry_end, x.exit, x.exit_end},
           std::vector{y.timers, y.timers_end, y.slots, y.slots_end, y.entry, y.entry_end, y.exit, y.exit_end});
    }
    return found_;
  }

 private:
  template <class T>
  void same(const std::string& what, const T& x, const T& y) {
    if (found_.empty() && x != y) found_ = what;
  }
  void number(const std::string& what, double x, double y) {
    if (found_.empty() && x != y && !(std::isnan(x) && std::isnan(y)))
      found_ = what + ": " + std::to_string(x) + " and " + std::to_string(y);
  }
  void rows(const std::string& what, const Rows& x, const Rows& y) {
    same(what, x.start, y.start), same(what, x.values, y.values);
  }

  void chart(const ChartTables& x, const ChartTables& y) {
    same("states", x.chart.states.size(), y.chart.states.size());
    same("transitions", x.chart.transitions.size(), y.chart.transitions.size());
    if (!found_.empty()) return;
    for (std::size_t s = 0; s < x.chart.states.size(); ++s) {
      same("name of state " + std::to_string(s), s == 0 ? "" : x.chart.states[s].name,
           s == 0 ? "" : y.chart.states[s].name);
      same("kind of " + x.chart.states[s].name, static_cast<int>(x.chart.states[s].kind),
           static_cast<int>(y.chart.states[s].kind));
      same("parent of " + x.chart.states[s].name, x.chart.states[s].parent, y.chart.states[s].parent);
    }
    same("atomic", x.atomic, y.atomic), same("eventless", x.eventless, y.eventless);
    same("final", x.is_final, y.is_final), same("done events", x.done_event, y.done_event);
    same("histories", x.histories, y.histories);
    for (std::size_t w = 0; w < x.ways.size() && found_.empty(); ++w) {
      const auto &p = x.ways[w], &q = y.ways[w];
      same("way " + std::to_string(w),
           std::vector<std::int64_t>{p.source, p.exit_first, p.exit_last, p.entry, p.remembers},
           std::vector<std::int64_t>{q.source, q.exit_first, q.exit_last, q.entry, q.remembers});
      same("targets", x.chart.transitions[w].targets, y.chart.transitions[w].targets);
    }
    rows("entries", x.entries, y.entries), rows("candidates", x.candidates, y.candidates);
  }

  void action(const std::string& where, const ActionSpec& x, const ActionSpec& y) {
    same(where, static_cast<int>(x.kind), static_cast<int>(y.kind));
    same(where, std::vector{x.slot, x.event, x.first, x.last, x.id, x.parameters, x.parameters_end},
         std::vector{y.slot, y.event, y.first, y.last, y.id, y.parameters, y.parameters_end});
    program(where, x.program, y.program), program(where + " condition", x.condition, y.condition);
    for (std::uint32_t p = x.parameters; p != x.parameters_end && found_.empty(); ++p) {
      same(where + " value", a_.event_parameters[p].name, b_.event_parameters[p].name);
      program(where + " value", a_.event_parameters[p].program, b_.event_parameters[p].program);
    }
  }

  void program(const std::string& what, std::int32_t x, std::int32_t y) {
    same(what + " program", x < 0, y < 0);
    if (!found_.empty() || x < 0) return;
    const Program &p = a_.programs[static_cast<std::size_t>(x)], &q = b_.programs[static_cast<std::size_t>(y)];
    same(what + " reads", p.slots(), q.slots());
    std::vector<double> slots(slots_);
    for (int draw = 0; draw < 16; ++draw) {
      for (double& slot : slots) slot = static_cast<double>(random_() % 5) - 1.0;
      number(what + " value", p.evaluate(slots.data()), q.evaluate(slots.data()));
    }
  }

  const CompiledModel &a_, &b_;
  std::size_t slots_ = 0;
  std::string found_;
  std::mt19937 random_{20151};
};

}  // namespace ergode::test
