#include "statecharts/compile/compiler.h"

#include <cmath>
#include <limits>

#include "core/base/text.h"
#include "statecharts/lower/lower.h"

namespace ergode {
namespace {

constexpr long most_members = 10000;

}  // namespace

ModelCompiler::ModelCompiler(const Document& document, const ParameterTable& parameters, std::string folder, Diagnostics& problems)
    : document_(document), parameters_(parameters), folder_(std::move(folder)), problems_(problems) {
  model_.initial_slots.push_back(0.0);  // now
  scopes_.push_back(std::make_unique<ModelScope>(*this, -1));
  // Every stage runs whatever the earlier ones found, so that the user sees all mistakes at once; only the tables need a
  // sound chart.
  charts(document);
  components(document);
  if (!has_errors(problems_))
    for (const StateChart& chart : lowered_) model_.charts.push_back(make_tables(chart, events_));
  timers_of_state_.resize(model_.total_states);
  for (std::uint32_t i = 0; i < model_.instances.size(); ++i) instance_tables(i);
}

ModelCompiler::~ModelCompiler() = default;

ModelCompiler::ModelScope& ModelCompiler::scope() { return *scopes_.front(); }
ModelCompiler::ModelScope& ModelCompiler::scope(std::uint32_t instance) { return *scopes_[instance + 1]; }
void ModelCompiler::set_index(const std::string& name, long value) { indices_[name] = value; }

const ComponentArray* ModelCompiler::array(const std::string& name) const {
  for (const ComponentArray& array : model_.arrays)
    if (array.name == name) return &array;
  return nullptr;
}

const ComponentArray* ModelCompiler::array(ElementId component) const {
  for (const ComponentArray& array : model_.arrays)
    if (array.element == component) return &array;
  return nullptr;
}

void ModelCompiler::report(const char* code, ElementId id, const char* property, std::string message, std::string hint, Severity severity) {
  problems_.push_back({.severity = severity, .code = code, .element = id, .pointer = property, .message = std::move(message), .hint = std::move(hint)});
}

void ModelCompiler::complain(const ExpressionError& error, ElementId element, const char* property, const std::string& text) {
  // An array repeats its chart's mistakes: once is enough.
  for (const Diagnostic& known : problems_)
    if (known.element == element && known.pointer == property && known.code == error.code) return;
  Diagnostic d = to_diagnostic(error, element, property);
  if (!text.empty()) d.message = "\"" + text + "\": " + d.message;
  problems_.push_back(std::move(d));
}

void ModelCompiler::charts(const Document& document) {
  for (const Element* diagram : document.of(Section::diagram)) {
    const std::string notation = diagram->text("notation");
    if (notation != "statechart") continue;
    if (!is_identifier(diagram->name()))
      report("SCH003", diagram->id, "name", "The chart's name is \"" + diagram->name() + "\"; wanted letters, digits and _.");
    if (!chart_numbers_.emplace(diagram->name(), static_cast<std::uint32_t>(lowered_.size())).second)
      report("SCH004", diagram->id, "name", "Two charts are called \"" + diagram->name() + "\".");
    lowered_.push_back(lower_chart(document, *diagram, problems_));
  }
  for (const StateChart& chart : lowered_)
    for (const Transition& t : chart.transitions)
      if (t.trigger.kind == Trigger::Kind::event) events_.number(event_name(chart, t));
}

void ModelCompiler::components(const Document& document) {
  std::vector<const Element*> elements;
  for (const Element* diagram : document.of(Section::diagram)) {
    if (diagram->text("notation") != "system") continue;
    for (const Element* node : document.nodes(diagram->id))
      if (node->kind == "component") elements.push_back(node);
  }
  std::vector<const Element*> owners;
  for (const Element* element : elements) {
    ComponentArray array;
    array.name = element->name();
    array.element = element->id;
    array.first = static_cast<std::uint32_t>(model_.instances.size());
    if (!is_identifier(array.name)) report("SYS001", element->id, "name", "The component's name is \"" + array.name + "\"; wanted letters, digits and _.");
    if (this->array(array.name) != nullptr) report("SYS001", element->id, "name", "Two components are called \"" + array.name + "\".");
    if (parameters_.find(array.name) != nullptr) report("SYS001", element->id, "name", "\"" + array.name + "\" is also a parameter; wanted a name of its own.");
    const auto chart = chart_numbers_.find(element->text("chart"));
    if (chart == chart_numbers_.end()) {
      std::vector<std::string> known;
      for (const auto& [name, number] : chart_numbers_) known.push_back(name);
      const std::string near = nearest_word(element->text("chart"), known);
      report("SYS002", element->id, "chart", "There is no chart \"" + element->text("chart") + "\".", near.empty() ? std::string() : "Did you mean " + near + "?");
      continue;
    }
    array.chart = chart->second;
    array.array = !trim(element->text("count")).empty();
    ParameterScope constants(parameters_);
    const long count = PropertyReader(constants, problems_).integer(*element, "count", 1);
    if (count < 1 || count > most_members) {
      report("SYS003", element->id, "count", "The count is " + std::to_string(count) + "; wanted 1 to " + std::to_string(most_members) + ".");
      continue;
    }
    array.count = static_cast<std::uint32_t>(count);
    const StateChart& drawn = lowered_[array.chart];
    for (std::uint32_t member = 0; member < array.count; ++member) {
      Instance instance;
      instance.name = array.array ? array.name + "[" + std::to_string(member + 1) + "]" : array.name;
      instance.component = element->id;
      instance.chart = array.chart;
      instance.member = member;
      instance.configuration = model_.words;
      instance.state_base = static_cast<std::uint32_t>(model_.total_states);
      instance.transition_base = static_cast<std::uint32_t>(model_.guards.size());
      model_.words += static_cast<std::uint32_t>((drawn.states.size() + 63) / 64);
      model_.total_states += drawn.states.size();
      model_.guards.resize(model_.guards.size() + drawn.transitions.size());
      model_.roles.resize(model_.guards.size());
      model_.instances.push_back(std::move(instance));
      owners.push_back(element);
    }
    model_.arrays.push_back(std::move(array));
  }
  if (elements.empty() && !has_errors(problems_))
    report("SYS004", document.model().id, "", "The model has no components; wanted at least one instance of a chart.",
           "Draw a component in a system diagram and give it a chart.");
  state_slots_.resize(model_.total_states);
  variables_.resize(model_.instances.size());
  for (std::uint32_t i = 0; i < model_.instances.size(); ++i) scopes_.push_back(std::make_unique<ModelScope>(*this, i));
  for (std::uint32_t i = 0; i < model_.instances.size(); ++i) variables(i, *owners[i]);
}

const StateChart& ModelCompiler::chart_of(std::uint32_t instance) const { return lowered_[model_.instances[instance].chart]; }

void ModelCompiler::variables(std::uint32_t instance, const Element& component) {
  const StateChart& chart = lowered_[model_.instances[instance].chart];
  std::map<std::string, Syntax> given;
  const std::string text = component.text("arguments");
  auto parsed = parse_arguments(text);
  if (const auto* error = std::get_if<SyntaxError>(&parsed))
    return complain({error->code, error->message, error->column, {}}, component.id, "arguments", text);
  for (ArgumentSyntax& argument : std::get<std::vector<ArgumentSyntax>>(parsed)) given[argument.name] = std::move(argument.value);

  ParameterScope constants(parameters_);
  constants.set_index("index", static_cast<long>(model_.instances[instance].member) + 1);
  for (const ChartVariable& drawn : chart.variables) {
    Variable v;
    v.element = drawn.element;
    const auto unit = parse_unit(drawn.unit);
    if (!unit) report("UNI001", drawn.element, "unit", "\"" + drawn.unit + "\" is no unit.");
    if (drawn.type == "real") v.type = ValueType::real(unit ? unit->dimension : Dimension{});
    else if (drawn.type == "time") v.type = ValueType::real(Dimension::of_time());
    else if (drawn.type == "integer") v.type = ValueType::integer();
    else if (drawn.type == "boolean") v.type = ValueType::boolean();
    else report("SCH009", drawn.element, "type", "The type is \"" + drawn.type + "\"; wanted real, integer, boolean or time.");
    const auto argument = given.find(drawn.name);
    const bool set = argument != given.end();
    if (set && !drawn.parameter)
      report("SYS005", component.id, "arguments", "\"" + drawn.name + "\" is a variable of the chart, not a parameter; only parameters are set from outside.");
    // A zero needs no unit: it is the same in all of them.
    const bool zero = !set && parse_number(drawn.initial) == 0.0;
    auto value = set ? compile_as(argument->second, v.type, constants) : zero ? Checked<Program>(Program(0.0)) : compile_as(drawn.initial, v.type, constants);
    if (const auto* error = std::get_if<ExpressionError>(&value))
      complain(*error, set ? component.id : drawn.element, set ? "arguments" : "initial", set ? text : drawn.initial);
    else v.value = std::get<Program>(value).value();
    if (set) given.erase(argument);
    v.constant = drawn.parameter;
    if (!v.constant) {
      v.slot = static_cast<std::uint32_t>(model_.initial_slots.size());
      model_.initial_slots.push_back(v.value);
    }
    variables_[instance][drawn.name] = v;
  }
  for (const auto& [name, value] : given) {
    std::vector<std::string> known;
    for (const ChartVariable& v : chart.variables)
      if (v.parameter) known.push_back(v.name);
    const std::string near = nearest_word(name, known);
    complain({"SYS005", "The chart \"" + chart.name + "\" has no parameter \"" + name + "\".", value.begin + 1,
              near.empty() ? std::string() : "Did you mean " + near + "?"}, component.id, "arguments", text);
  }
}

std::int32_t ModelCompiler::keep(Program program) {
  model_.programs.push_back(std::move(program));
  return static_cast<std::int32_t>(model_.programs.size() - 1);
}

std::uint32_t ModelCompiler::cause(const std::string& name) {
  const int known = model_.cause(name);
  if (known >= 0) return static_cast<std::uint32_t>(known);
  model_.cause_names.push_back(name);
  return static_cast<std::uint32_t>(model_.cause_names.size() - 1);
}

std::uint32_t ModelCompiler::count_slot(std::uint32_t first, std::uint32_t count, int state) {
  const auto [found, fresh] = count_slots_.emplace(std::vector<std::uint32_t>{first, count, static_cast<std::uint32_t>(state)},
                                                   static_cast<std::uint32_t>(model_.initial_slots.size()));
  if (fresh) {
    model_.count_slots.push_back({found->second, first, count, state});
    model_.initial_slots.push_back(0.0);
    for (std::uint32_t i = first; i < first + count; ++i)
      state_slots_[model_.instances[i].state_base + static_cast<std::uint32_t>(state)].push_back(found->second);
  }
  return found->second;
}

std::vector<std::uint32_t> ModelCompiler::actions(std::uint32_t instance, ElementId element, const char* property, const std::vector<ActionSyntax>& list) {
  std::vector<std::uint32_t> out;
  const auto refuse = [&](std::string message, int begin) { complain({"SCH011", std::move(message), begin + 1, {}}, element, property, {}); };
  const auto event_of = [&](const Syntax& s) -> std::string {
    if (s.kind != Syntax::Kind::path || s.index != Syntax::Index::none) return {};
    std::string name;
    for (const Syntax::Segment& segment : s.segments) name += (name.empty() ? "" : ".") + segment.word;
    return name;
  };
  for (const ActionSyntax& action : list) {
    ActionSpec spec;
    const Syntax& value = action.value;
    if (action.target) {
      const auto target = compile(*action.target, scope(instance));
      if (const auto* error = std::get_if<ExpressionError>(&target)) {
        complain(*error, element, property, {});
        continue;
      }
      const std::string& name = action.target->segments.front().word;
      const auto variable = variables_[instance].find(name);
      if (!action.target->is_word() || variable == variables_[instance].end() || variable->second.constant) {
        refuse("\"" + name + "\" cannot be assigned to; wanted a variable of this chart.", action.target->begin);
        continue;
      }
      auto program = compile_as(value, variable->second.type, scope(instance));
      if (const auto* error = std::get_if<ExpressionError>(&program)) {
        complain(*error, element, property, {});
        continue;
      }
      spec.kind = ActionSpec::Kind::assign;
      spec.slot = variable->second.slot;
      spec.program = keep(std::get<Program>(std::move(program)));
    } else {
      const std::string event = value.children.empty() ? std::string() : event_of(value.children.front());
      const bool send = value.word == "send";
      if (value.word != "raise" && value.word != "record" && !send) {
        refuse("There is no action \"" + value.word + "\"; wanted raise, send or record.", value.begin);
        continue;
      }
      if (event.empty() || value.children.size() > (send ? 3U : 1U)) {
        refuse(value.word + "(...) wants an event's name" + (send ? ", then optionally a component and a delay." : "."), value.begin);
        continue;
      }
      spec.kind = send ? ActionSpec::Kind::send : value.word == "raise" ? ActionSpec::Kind::raise : ActionSpec::Kind::record;
      spec.event = events_.number(event);
      spec.first = 0, spec.last = static_cast<std::uint32_t>(model_.instances.size()) - 1;
      if (send && value.children.size() > 1) {
        const Syntax& to = value.children[1];
        const ComponentArray* array = to.kind == Syntax::Kind::path && to.segments.size() == 1 ? this->array(to.segments.front().word) : nullptr;
        if (array == nullptr) {
          refuse("send(...) wants a component as its second argument: EDG[2], EDG[*] or grid.", to.begin);
          continue;
        }
        spec.first = array->first, spec.last = array->first + array->count - 1;
        if (array->array && to.index == Syntax::Index::none) {
          refuse("\"" + array->name + "\" is an array; wanted " + array->name + "[*] or " + array->name + "[1].", to.begin);
          continue;
        }
        if (!array->array && to.index != Syntax::Index::none) {
          refuse("\"" + array->name + "\" is a single component; wanted no index.", to.begin);
          continue;
        }
        if (!to.children.empty()) {
          const auto index = [&](const Syntax& s) {
            const auto compiled = compile_as(s, ValueType::integer(), scope(instance));
            const Program* program = std::get_if<Program>(&compiled);
            const bool good = program != nullptr && program->is_constant() && program->value() >= 1 && program->value() <= array->count;
            return good ? static_cast<std::uint32_t>(program->value()) : 0U;
          };
          const std::uint32_t first = index(to.children.front()), last = index(to.children.back());
          if (first == 0 || last < first) {
            refuse("The index is out of range; " + array->name + " has members 1 to " + std::to_string(array->count) + ".", to.begin);
            continue;
          }
          spec.first = array->first + first - 1, spec.last = array->first + last - 1;
        }
      }
      if (send && value.children.size() > 2) {
        auto delay = compile_as(value.children[2], ValueType::real(Dimension::of_time()), scope(instance));
        if (const auto* error = std::get_if<ExpressionError>(&delay)) {
          complain(*error, element, property, {});
          continue;
        }
        spec.program = keep(std::get<Program>(std::move(delay)));
      }
    }
    out.push_back(static_cast<std::uint32_t>(model_.actions.size()));
    model_.actions.push_back(spec);
  }
  return out;
}

void ModelCompiler::timer(std::uint32_t instance, std::uint32_t transition) {
  const Instance& owner = model_.instances[instance];
  const Transition& t = lowered_[owner.chart].transitions[transition];
  TimerSpec spec;
  spec.kind = t.trigger.kind;
  spec.instance = instance, spec.transition = transition, spec.row = owner.transition_base + transition;
  const auto refuse = [&](const std::string& seen, const char* wanted) {
    complain({"SCH009", "The value is " + seen + "; wanted " + wanted + ".", 0, {}}, t.element, "trigger", t.trigger.text);
  };
  if (t.trigger.kind == Trigger::Kind::after) {
    auto delay = compile_random(t.trigger.argument, Dimension::of_time(), scope(instance), folder_);
    if (const auto* error = std::get_if<ExpressionError>(&delay)) return complain(*error, t.element, "trigger", t.trigger.text);
    if (auto* distribution = std::get_if<Distribution>(&std::get<RandomQuantity>(delay))) {
      if (distribution->quantile(0.0) < 0.0) refuse("a distribution that can be negative", "a delay >= 0");
      spec.random = true, spec.constant = false;
      spec.distribution = static_cast<std::int32_t>(model_.distributions.size());
      model_.distributions.push_back(std::move(*distribution));
    } else {
      Program& program = std::get<Program>(std::get<RandomQuantity>(delay));
      spec.constant = program.is_constant();
      if (spec.constant) spec.value = program.value();
      if (spec.constant && !(spec.value >= 0.0)) refuse(number_text(spec.value) + " s", "a delay >= 0");
      spec.program = keep(std::move(program));
    }
  } else if (t.trigger.kind != Trigger::Kind::common_cause) {
    const bool rate = t.trigger.kind == Trigger::Kind::rate;
    auto value = compile_as(t.trigger.argument, ValueType::real(rate ? Dimension::per_time() : Dimension::of_time()), scope(instance));
    if (const auto* error = std::get_if<ExpressionError>(&value)) return complain(*error, t.element, "trigger", t.trigger.text);
    Program& program = std::get<Program>(value);
    spec.constant = program.is_constant();
    if (spec.constant) {
      spec.value = program.value();
      if (rate && !(spec.value >= 0.0 && std::isfinite(spec.value))) refuse(number_text(spec.value * 3600.0) + " /h", "a finite rate >= 0");
      if (t.trigger.kind == Trigger::Kind::at && !(spec.value >= 0.0)) refuse(number_text(spec.value) + " s", "a time >= 0");
      if (t.trigger.kind == Trigger::Kind::every && !(spec.value > 0.0)) refuse(number_text(spec.value) + " s", "a period > 0");
      if (rate) spec.value = spec.value > 0.0 ? 1.0 / spec.value : std::numeric_limits<double>::infinity();
    }
    spec.program = keep(std::move(program));
  } else {
    cause(t.trigger.event);
  }
  timers_of_state_[owner.state_base + static_cast<std::uint32_t>(t.source)].push_back(static_cast<std::uint32_t>(model_.timers.size()));
  model_.timers.push_back(spec);
}

void ModelCompiler::guard(std::uint32_t instance, std::uint32_t transition) {
  const Instance& owner = model_.instances[instance];
  const Transition& t = lowered_[owner.chart].transitions[transition];
  GuardSpec& spec = model_.guards[owner.transition_base + transition];
  spec.otherwise = t.otherwise;
  if (!t.demand_cause.empty()) {
    spec.kind = t.demand_negated ? GuardSpec::Kind::demand_not : GuardSpec::Kind::demand;
    spec.cause = cause(t.demand_cause);
  }
  std::optional<Program> condition;
  const auto add = [&](const Syntax& s, const char* property, const std::string& text) {
    auto program = compile_as(s, ValueType::boolean(), scope(instance));
    if (const auto* error = std::get_if<ExpressionError>(&program)) return complain(*error, t.element, property, text);
    Program& next = std::get<Program>(program);
    condition = condition ? Program::apply(Program::Op::conjunction, {*condition, next}) : std::move(next);
  };
  if (t.trigger.kind == Trigger::Kind::when) add(t.trigger.argument, "trigger", t.trigger.text);
  if (!t.guard.empty()) add(t.guard.front(), "guard", t.guard_text);
  if (condition) {
    for (const std::uint32_t slot : condition->slots())
      if (slot == CompiledModel::now_slot && t.trigger.kind == Trigger::Kind::when)
        complain({"SCH012", "A condition on `now` changes continuously; wanted at(time) or after(delay).", 1, {}}, t.element, "trigger", t.trigger.text);
    if (condition->is_constant()) spec.kind = condition->value() != 0.0 ? GuardSpec::Kind::always : GuardSpec::Kind::never;
    else spec.kind = GuardSpec::Kind::program, spec.program = keep(std::move(*condition));
  }
  if (t.trigger.kind == Trigger::Kind::branch) {
    auto weight = compile_as(t.trigger.argument, ValueType::real(), scope(instance));
    if (const auto* error = std::get_if<ExpressionError>(&weight)) return complain(*error, t.element, "trigger", t.trigger.text);
    const Program& program = std::get<Program>(weight);
    if (program.is_constant() && !(program.value() >= 0.0 && program.value() <= 1.0))
      complain({"SCH009", "The probability is " + number_text(program.value()) + "; wanted 0 to 1.", 1, {}}, t.element, "trigger", t.trigger.text);
    spec.weight = keep(program);
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
      const GuardSpec& guard = model_.guards[owner.transition_base + t];
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
      complain({"SCH008", "The branches' probabilities sum to " + number_text(sum, 12) + "; wanted 1" + (otherwise ? " at most." : "."), 0,
                "Let one branch have the guard else."}, chart.states[s].element, "", {});
  }
}

void ModelCompiler::instance_tables(std::uint32_t index) {
  Instance& instance = model_.instances[index];
  const StateChart& chart = lowered_[instance.chart];
  instance.timer_base = static_cast<std::uint32_t>(model_.timers.size());
  for (std::uint32_t t = 0; t < chart.transitions.size(); ++t) {
    const Transition& transition = chart.transitions[t];
    if (transition.trigger.timed()) timer(index, t);
    guard(index, t);
    model_.roles[instance.transition_base + t] = transition.role;
    model_.transition_actions.push(actions(index, transition.element, "action", transition.actions));
  }
  for (const State& state : chart.states) {
    entry_of_state_.push_back(actions(index, state.element, "entry", state.entry));
    exit_of_state_.push_back(actions(index, state.element, "exit", state.exit));
  }
  check_branches(index);
}

std::uint32_t ModelCompiler::observe(Program program) {
  model_.observers.push_back(std::move(program));
  return static_cast<std::uint32_t>(model_.observers.size() - 1);
}

Hop ModelCompiler::hop(std::uint32_t index, std::uint32_t transition) {
  Hop out;
  const Instance& instance = model_.instances[index];
  const ChartTables& tables = model_.charts[instance.chart];
  const ChartTables::Way& way = tables.ways[transition];
  if (tables.words != 1 || way.exit_first > way.exit_last || !model_.transition_actions.empty(instance.transition_base + transition)) return out;
  std::vector<std::uint32_t> left, entered;
  for (int s = way.source; s >= static_cast<int>(way.exit_first); s = tables.chart.states[static_cast<std::size_t>(s)].parent) {
    const State::Kind kind = tables.chart.states[static_cast<std::size_t>(s)].kind;
    // A composite or parallel source leaves whatever is active inside it, which is known only while running.
    if (kind == State::Kind::parallel || (s == way.source && kind == State::Kind::composite)) return out;
    left.push_back(static_cast<std::uint32_t>(s));
  }
  for (const std::uint32_t* s = tables.entries.begin(way.entry); s != tables.entries.end(way.entry); ++s) {
    if ((*s & ChartTables::initial_flag) != 0) {
      if (!model_.transition_actions.empty(instance.transition_base + (*s & ~ChartTables::initial_flag))) return out;
      continue;
    }
    if (tables.is_final[*s] != 0) return out;
    entered.push_back(*s);
  }
  std::map<std::uint32_t, float> deltas;
  for (const std::uint32_t s : left) {
    const StateInfo& info = model_.states[instance.state_base + s];
    if (info.exit != info.exit_end) return out;
    out.clear |= std::uint64_t{1} << s;
    for (std::uint32_t i = info.slots; i != info.slots_end; ++i) deltas[model_.state_values[i]] -= 1.0F;
  }
  for (const std::uint32_t s : entered) {
    const StateInfo& info = model_.states[instance.state_base + s];
    if (info.entry != info.entry_end) return out;
    out.set |= std::uint64_t{1} << s;
    for (std::uint32_t i = info.slots; i != info.slots_end; ++i) deltas[model_.state_values[i]] += 1.0F;
  }
  out.known = true;
  out.role = model_.roles[instance.transition_base + transition];
  out.demand = model_.guards[instance.transition_base + transition].kind == GuardSpec::Kind::demand;
  out.word = instance.configuration;
  out.eventless = tables.eventless[0];
  out.cancel = static_cast<std::uint32_t>(model_.hop_timers.size());
  for (const std::uint32_t s : left)
    for (std::uint32_t i = model_.states[instance.state_base + s].timers; i != model_.states[instance.state_base + s].timers_end; ++i)
      model_.hop_timers.push_back(model_.state_values[i]);
  out.arm = static_cast<std::uint32_t>(model_.hop_timers.size());
  for (const std::uint32_t s : entered)
    for (std::uint32_t i = model_.states[instance.state_base + s].timers; i != model_.states[instance.state_base + s].timers_end; ++i)
      model_.hop_timers.push_back(model_.state_values[i]);
  out.end = static_cast<std::uint32_t>(model_.hop_timers.size());
  out.slots = static_cast<std::uint32_t>(model_.hop_slots.size());
  for (const auto& [slot, delta] : deltas)
    if (delta != 0.0F) model_.hop_slots.push_back({slot, delta});
  out.slots_end = static_cast<std::uint32_t>(model_.hop_slots.size());
  return out;
}

CompiledModel ModelCompiler::finish() {
  const auto append = [](std::vector<std::uint32_t>& to, const std::vector<std::uint32_t>& row, std::uint32_t& begin, std::uint32_t& end) {
    begin = static_cast<std::uint32_t>(to.size());
    to.insert(to.end(), row.begin(), row.end());
    end = static_cast<std::uint32_t>(to.size());
  };
  for (std::size_t s = 0; s < model_.total_states; ++s) {
    StateInfo info;
    append(model_.state_values, timers_of_state_[s], info.timers, info.timers_end);
    append(model_.state_values, state_slots_[s], info.slots, info.slots_end);
    append(model_.state_values, entry_of_state_[s], info.entry, info.entry_end);
    append(model_.state_values, exit_of_state_[s], info.exit, info.exit_end);
    model_.states.push_back(info);
  }
  for (std::uint32_t i = 0; i < model_.instances.size(); ++i)
    for (std::uint32_t t = 0; t < lowered_[model_.instances[i].chart].transitions.size(); ++t) model_.hops.push_back(hop(i, t));
  const std::size_t slots = model_.initial_slots.size();
  std::vector<std::vector<std::uint32_t>> instances(slots), timers(slots), observers(slots);
  for (std::uint32_t i = 0; i < model_.instances.size(); ++i) {
    const Instance& instance = model_.instances[i];
    const StateChart& chart = lowered_[instance.chart];
    for (std::size_t t = 0; t < chart.transitions.size(); ++t) {
      const Trigger::Kind kind = chart.transitions[t].trigger.kind;
      const GuardSpec& guard = model_.guards[instance.transition_base + t];
      if ((kind != Trigger::Kind::none && kind != Trigger::Kind::when) || guard.kind != GuardSpec::Kind::program) continue;
      for (const std::uint32_t slot : model_.programs[static_cast<std::size_t>(guard.program)].slots())
        if (slot != CompiledModel::now_slot && (instances[slot].empty() || instances[slot].back() != i)) instances[slot].push_back(i);
    }
  }
  for (std::uint32_t t = 0; t < model_.timers.size(); ++t) {
    const TimerSpec& timer = model_.timers[t];
    const Instance& instance = model_.instances[timer.instance];
    model_.stream_names.push_back(instance.name + "/" + model_.element_of(timer.instance, timer.transition).text());
    if (timer.kind != Trigger::Kind::rate || timer.constant) continue;
    for (const std::uint32_t slot : model_.programs[static_cast<std::size_t>(timer.program)].slots()) timers[slot].push_back(t);
  }
  for (const Instance& instance : model_.instances) model_.stream_names.push_back(instance.name + "/branches");
  for (std::uint32_t o = 0; o < model_.observers.size(); ++o)
    for (const std::uint32_t slot : model_.observers[o].slots()) observers[slot].push_back(o);
  for (std::size_t s = 0; s < slots; ++s) {
    SlotInfo info;
    append(model_.dependents, observers[s], info.observers, info.instances);
    append(model_.dependents, instances[s], info.instances, info.timers);
    append(model_.dependents, timers[s], info.timers, info.end);
    model_.slots.push_back(info);
  }
  model_.event_names = events_.names;
  return std::move(model_);
}

}  // namespace ergode
