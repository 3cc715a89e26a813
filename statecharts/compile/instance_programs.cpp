// What one component does: its clocks and guards as programs over slots.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/text.h"
#include "statecharts/compile/compiler.h"

namespace ergode {

void ModelCompiler::timer(std::uint32_t instance, std::uint32_t transition) {
  const Instance& owner = model_.instances[instance];
  const Transition& t = lowered_[owner.chart].transitions[transition];
  TimerTable::Shared spec;
  spec.kind = t.trigger.kind;
  spec.instance = instance, spec.transition = transition, spec.row = owner.transition_base + transition;
  spec.resume = t.resume && t.trigger.kind == Trigger::Kind::after;
  model_.resumes = model_.resumes || spec.resume;
  // Ways of one drawn edge stand one behind the other and share its clock.
  const auto& all = lowered_[owner.chart].transitions;
  while (transition + spec.alternatives < all.size() && all[transition + spec.alternatives].alternative)
    ++spec.alternatives;
  const auto refuse = [&](const std::string& seen, const char* wanted) {
    complain({"SCH009", "The value is " + seen + "; wanted " + wanted + ".", 0, {}}, t.element, "trigger",
             t.trigger.text);
  };
  if (t.trigger.kind == Trigger::Kind::after) {
    auto delay = compile_random(resolved(t.trigger.argument), Dimension::of_time(), scope(instance), files_);
    if (const auto* error = std::get_if<ExpressionError>(&delay))
      return complain(*error, t.element, "trigger", t.trigger.text);
    if (auto* distribution = std::get_if<Distribution>(&std::get<RandomQuantity>(delay))) {
      if (distribution->quantile(0.0) < 0.0) refuse("a distribution that can be negative", "a delay >= 0");
      spec.random = true, spec.constant = false;
      spec.distribution = static_cast<std::int32_t>(model_.distributions.size());
      model_.distributions.push_back(std::move(*distribution));
    } else {
      Program& program = std::get<Program>(std::get<RandomQuantity>(delay));
      spec.constant = program.is_constant();
      if (spec.constant) spec.value = program.value();
      if (spec.constant && !(spec.value >= 0.0 && std::isfinite(spec.value)))
        refuse(number_text(spec.value) + " s", "a finite delay >= 0");
      spec.program = keep(std::move(program));
    }
  } else if (t.trigger.kind == Trigger::Kind::becomes) {
    auto condition = compile_as(resolved(t.trigger.argument), ValueType::boolean(), scope(instance));
    if (const auto* error = std::get_if<ExpressionError>(&condition))
      return complain(*error, t.element, "trigger", t.trigger.text);
    refuse_clock(std::get<Program>(condition), t);
    spec.program = keep(std::get<Program>(std::move(condition)));
    GuardSpec& edge = model_.guards[owner.rows + transition];
    edge.kind = GuardSpec::Kind::becomes, edge.timer = static_cast<std::uint32_t>(model_.timers.size());
  } else if (t.trigger.kind != Trigger::Kind::common_cause) {
    const bool rate = t.trigger.kind == Trigger::Kind::rate;
    auto value = compile_as(resolved(t.trigger.argument),
                            ValueType::real(rate ? Dimension::per_time() : Dimension::of_time()), scope(instance));
    if (const auto* error = std::get_if<ExpressionError>(&value))
      return complain(*error, t.element, "trigger", t.trigger.text);
    Program& program = std::get<Program>(value);
    spec.constant = program.is_constant();
    if (spec.constant) {
      spec.value = program.value();
      if (rate && !(spec.value >= 0.0 && std::isfinite(spec.value)))
        refuse(number_text(spec.value * 3600.0) + " /h", "a finite rate >= 0");
      // Its mean time would be infinite, as that of the rate 0.
      constexpr double least_rate = 1e-304 / 3600.0;
      if (rate && spec.value > 0.0 && spec.value < least_rate)
        refuse(number_text(spec.value * 3600.0) + " /h", "0 or at least 1e-304 /h");
      if (t.trigger.kind == Trigger::Kind::at && !(spec.value >= 0.0 && std::isfinite(spec.value)))
        refuse(number_text(spec.value) + " s", "a finite time >= 0");
      if (t.trigger.kind == Trigger::Kind::every && !(spec.value > 0.0 && std::isfinite(spec.value)))
        refuse(number_text(spec.value) + " s", "a finite period > 0");
      if (rate) spec.value = spec.value > 0.0 ? 1.0 / spec.value : std::numeric_limits<double>::infinity();
    }
    spec.program = keep(std::move(program));
  } else {
    cause(t.trigger.cause);
  }
  timers_of_state_[owner.state_base + static_cast<std::uint32_t>(t.source)].push_back(
      {static_cast<std::uint32_t>(model_.timers.size()), 0});
  model_.timers.places.push_back({static_cast<std::uint32_t>(model_.timers.specs.size()), 0});
  model_.timers.specs.push_back(spec);
}

void ModelCompiler::refuse_clock(const Program& condition, const Transition& t) {
  const auto slots = condition.slots();
  if (std::find(slots.begin(), slots.end(), World::now_slot) == slots.end()) return;
  if (t.trigger.kind == Trigger::Kind::none)
    return complain({"SCH012",
                     "A guard without event that reads `now` would have to be asked all the time; wanted the trigger "
                     "at(time) or after(delay), or a choice, which asks once.",
                     1,
                     {}},
                    t.element, "guard", t.guard_text);
  complain({"SCH012", "A condition on `now` changes continuously; wanted at(time) or after(delay).", 1, {}}, t.element,
           "trigger", t.trigger.text);
}

void ModelCompiler::guard(std::uint32_t instance, std::uint32_t transition) {
  const Instance& owner = model_.instances[instance];
  const Transition& t = lowered_[owner.chart].transitions[transition];
  GuardSpec& spec = model_.guards[owner.rows + transition];
  spec.otherwise = t.otherwise;
  if (!t.demand_cause.empty()) {
    spec.kind = t.demand_negated ? GuardSpec::Kind::demand_not : GuardSpec::Kind::demand;
    spec.cause = cause(t.demand_cause);
  }
  if (!t.fault.empty()) {
    const std::vector<MemberNumber> made = actions(instance, t.element, "guard", t.fault);
    spec.kind = GuardSpec::Kind::fault;
    if (!made.empty()) spec.action = made.front().first;
    return;
  }
  std::optional<Program> condition;
  const auto add = [&](const Syntax& s, const char* property, const std::string& text) {
    auto program = compile_as(resolved(s), ValueType::boolean(), scope(instance));
    if (const auto* error = std::get_if<ExpressionError>(&program)) return complain(*error, t.element, property, text);
    Program& next = std::get<Program>(program);
    condition = condition ? Program::apply(Program::Op::conjunction, {*condition, next}) : std::move(next);
  };
  if (t.trigger.kind == Trigger::Kind::when) add(t.trigger.argument, "trigger", t.trigger.text);
  for (const Syntax& part : t.guard) add(part, "guard", t.guard_text);
  if (condition && spec.kind == GuardSpec::Kind::becomes) {
    spec.program = keep(std::move(*condition));
  } else if (condition) {
    const State& source = lowered_[owner.chart].states[static_cast<std::size_t>(t.source)];
    const bool asked_once = source.kind == State::Kind::choice;
    if (t.trigger.kind == Trigger::Kind::when || (t.trigger.kind == Trigger::Kind::none && !asked_once))
      refuse_clock(*condition, t);
    if (condition->is_constant())
      spec.kind = condition->value() != 0.0 ? GuardSpec::Kind::always : GuardSpec::Kind::never;
    else spec.kind = GuardSpec::Kind::program, spec.program = keep(std::move(*condition));
  }
  if (t.trigger.kind == Trigger::Kind::branch) {
    auto weight = compile_as(t.trigger.argument, ValueType::real(), scope(instance));
    if (const auto* error = std::get_if<ExpressionError>(&weight))
      return complain(*error, t.element, "trigger", t.trigger.text);
    const Program& program = std::get<Program>(weight);
    if (program.is_constant() && !(program.value() >= 0.0 && program.value() <= 1.0))
      complain({"SCH009", "The probability is " + number_text(program.value()) + "; wanted 0 to 1.", 1, {}}, t.element,
               "trigger", t.trigger.text);
    spec.weight = keep(program);
    model_.chances = true;
  }
}

void ModelCompiler::flows(std::uint32_t instance) {
  const StateChart& chart = lowered_[model_.instances[instance].chart];
  for (std::uint32_t s = 0; s < chart.states.size(); ++s) {
    const State& state = chart.states[s];
    for (const ActionSyntax& flow : state.flow) {
      const auto refuse = [&](const std::string& message) {
        complain({"SCH017", message, flow.target->begin + 1, {}}, state.element, "flow", {});
      };
      const auto target = compile(*flow.target, scope(instance));
      if (const auto* error = std::get_if<ExpressionError>(&target)) {
        complain(*error, state.element, "flow", state.flow_text);
        continue;
      }
      const Compiled& variable = std::get<Compiled>(target);
      const auto counted = [&](std::uint32_t slot) {
        return std::any_of(model_.count_slots.begin(), model_.count_slots.end(),
                           [&](const CountSlot& c) { return c.slot == slot; });
      };
      if (variable.type.base != ValueType::Base::real || variable.program.slots().size() != 1 ||
          variable.program.slots()[0] == World::now_slot || counted(variable.program.slots()[0])) {
        refuse("Here flows " + variable.type.text() + "; wanted a real variable of this chart or of a component.");
        continue;
      }
      const auto per_time = product(variable.type.dimension, Dimension::of_time(), -1);
      if (!per_time) {
        refuse("The unit of what flows has a power that no quantity has.");
        continue;
      }
      auto program = compile_as(resolved(flow.value), ValueType::real(*per_time), scope(instance));
      if (const auto* error = std::get_if<ExpressionError>(&program)) {
        complain(*error, state.element, "flow", state.flow_text);
        continue;
      }
      const std::uint32_t slot = variable.program.slots()[0];
      model_.flows.push_back({instance, s, slot, keep(std::get<Program>(std::move(program)))});
      const auto place = std::lower_bound(model_.continuous_slots.begin(), model_.continuous_slots.end(), slot);
      if (place == model_.continuous_slots.end() || *place != slot) model_.continuous_slots.insert(place, slot);
    }
  }
}

void ModelCompiler::check_branches(std::uint32_t instance) {
  const Instance& owner = model_.instances[instance];
  const StateChart& chart = lowered_[owner.chart];
  for (std::size_t s = 0; s < chart.states.size(); ++s) {
    if (chart.states[s].kind != State::Kind::choice) continue;
    double sum = 0.0;
    bool weighted = false, otherwise = false, constant = true;
    for (std::size_t t = 0; t < chart.transitions.size(); ++t) {
      if (chart.transitions[t].source != static_cast<int>(s)) continue;
      const GuardSpec& guard = model_.guards[owner.rows + t];
      if (guard.weight < 0) {
        otherwise = true;
        continue;
      }
      weighted = true;
      const Program& p = model_.programs[static_cast<std::size_t>(guard.weight)];
      constant = constant && p.is_constant();
      if (p.is_constant()) sum += p.value();
    }
    const bool wrong = otherwise ? sum > 1.0 + 1e-9 : std::abs(sum - 1.0) > 1e-9;
    if (weighted && constant && wrong)
      complain({"SCH008",
                "The branches' probabilities sum to " + number_text(sum, 12) + "; wanted 1" +
                    (otherwise ? " at most." : "."),
                0, "Let one branch have the guard else."},
               chart.states[s].element, "", {});
  }
}

void ModelCompiler::instance_tables(std::uint32_t index) {
  Instance& instance = model_.instances[index];
  const StateChart& chart = lowered_[instance.chart];
  instance.rows = static_cast<std::uint32_t>(model_.guards.size());
  instance.state_base = static_cast<std::uint32_t>(timers_of_state_.size());
  model_.guards.resize(model_.guards.size() + chart.transitions.size());
  model_.roles.resize(model_.guards.size());
  timers_of_state_.resize(timers_of_state_.size() + chart.states.size());
  for (std::uint32_t t = 0; t < chart.transitions.size(); ++t) {
    const Transition& transition = chart.transitions[t];
    const bool edge = transition.trigger.kind == Trigger::Kind::becomes;
    if (edge || (transition.trigger.timed() && !transition.alternative)) timer(index, t);
    guard(index, t);
    model_.roles[instance.rows + t] = transition.role;
    model_.transition_actions.push(actions(index, transition.element, "action", transition.actions));
  }
  for (const State& state : chart.states) {
    entry_of_state_.push_back(actions(index, state.element, "entry", state.entry));
    exit_of_state_.push_back(actions(index, state.element, "exit", state.exit));
  }
  check_branches(index);
  flows(index);
}

}  // namespace ergode
