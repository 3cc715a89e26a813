#include "statecharts/compile/compiler.h"

#include <cmath>
#include <limits>

#include "core/base/text.h"
#include "statecharts/lower/lower.h"

namespace ergode {
namespace {

constexpr long most_members = 10000;

}  // namespace

ModelCompiler::ModelCompiler(const Document& document, const ParameterTable& parameters, DataFiles files,
                             Diagnostics& problems, std::shared_ptr<SlotTable> table)
    : document_(document),
      parameters_(parameters),
      files_(std::move(files)),
      problems_(problems),
      table_(table != nullptr ? std::move(table) : std::make_shared<SlotTable>()),
      events_of_others_(table_->events.names.size()) {
  model_.table = table_;
  scopes_.push_back(std::make_unique<ModelScope>(*this, -1));
  // Every stage runs whatever the earlier ones found, so that the user sees all mistakes at once; only the tables need
  // a sound chart.
  charts(document);
  components(document);
  if (!has_errors(problems_))
    for (const StateChart& chart : lowered_) model_.charts.push_back(make_tables(chart, table_->events));
  timers_of_state_.resize(model_.total_states);
  event_slots_.resize(model_.instances.size());
  model_.event_name_slots.resize(model_.instances.size());
  event_parameter_types();
  for (std::uint32_t i = 0; i < model_.instances.size(); ++i) instance_tables(i);
}

ModelCompiler::~ModelCompiler() = default;

ModelCompiler::ModelScope& ModelCompiler::scope() { return *scopes_.front(); }
ModelCompiler::ModelScope& ModelCompiler::scope(std::uint32_t instance) { return *scopes_[instance + 1]; }
void ModelCompiler::set_index(const std::string& name, long value) { indices_[name] = value; }

const ComponentArray* ModelCompiler::array(const std::string& name) const {
  const auto found = array_by_name_.find(name);
  return found == array_by_name_.end() ? nullptr : &model_.arrays[found->second];
}

const ComponentArray* ModelCompiler::array(ElementId component) const {
  const auto found = array_by_element_.find(component);
  return found == array_by_element_.end() ? nullptr : &model_.arrays[found->second];
}

void ModelCompiler::report(const char* code, ElementId id, const char* property, std::string message, std::string hint,
                           Severity severity) {
  problems_.push_back({.severity = severity,
                       .code = code,
                       .element = id,
                       .pointer = property,
                       .message = std::move(message),
                       .hint = std::move(hint)});
}

void ModelCompiler::complain(const ExpressionError& error, ElementId element, const char* property,
                             const std::string& text) {
  // An array repeats its chart's mistakes: once is enough.
  if (known_problems_.contain(problems_, error.code, element, property)) return;
  Diagnostic d = to_diagnostic(error, element, property);
  if (!text.empty()) d.message = "\"" + text + "\": " + d.message;
  problems_.push_back(std::move(d));
}

void ModelCompiler::charts(const Document& document) {
  for (const Element* diagram : document.of(Section::diagram)) {
    const std::string notation = diagram->text("notation");
    if (notation != "statechart") continue;
    if (!is_identifier(diagram->name()))
      report("SCH003", diagram->id, "name",
             "The chart's name is \"" + diagram->name() + "\"; wanted letters, digits and _.");
    if (!chart_numbers_.emplace(diagram->name(), static_cast<std::uint32_t>(lowered_.size())).second)
      report("SCH004", diagram->id, "name", "Two charts are called \"" + diagram->name() + "\".");
    lowered_.push_back(lower_chart(document, *diagram, problems_));
  }
  for (const StateChart& chart : lowered_) add_events(chart, table_->events);
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
    if (!is_identifier(array.name))
      report("SYS001", element->id, "name",
             "The component's name is \"" + array.name + "\"; wanted letters, digits and _.");
    if (this->array(array.name) != nullptr)
      report("SYS001", element->id, "name", "Two components are called \"" + array.name + "\".");
    if (parameters_.find(array.name) != nullptr)
      report("SYS001", element->id, "name", "\"" + array.name + "\" is also a parameter; wanted a name of its own.");
    const auto chart = chart_numbers_.find(element->text("chart"));
    if (chart == chart_numbers_.end()) {
      std::vector<std::string> known;
      for (const auto& [name, number] : chart_numbers_) known.push_back(name);
      const std::string near = nearest_word(element->text("chart"), known);
      report("SYS002", element->id, "chart", "There is no chart \"" + element->text("chart") + "\".",
             near.empty() ? std::string() : "Did you mean " + near + "?");
      continue;
    }
    array.chart = chart->second;
    array.array = !trim(element->text("count")).empty();
    ParameterScope constants(parameters_);
    const long count = PropertyReader(constants, problems_).integer(*element, "count", 1);
    if (count < 1 || count > most_members) {
      report("SYS003", element->id, "count",
             "The count is " + std::to_string(count) + "; wanted 1 to " + std::to_string(most_members) + ".");
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
      instance.history = model_.history_words;
      instance.state_base = static_cast<std::uint32_t>(model_.total_states);
      instance.transition_base = static_cast<std::uint32_t>(model_.guards.size());
      model_.words += static_cast<std::uint32_t>((drawn.states.size() + 63) / 64);
      for (const State& state : drawn.states)
        if (state.history()) model_.history_words += static_cast<std::uint32_t>((drawn.states.size() + 63) / 64);
      model_.total_states += drawn.states.size();
      model_.guards.resize(model_.guards.size() + drawn.transitions.size());
      model_.roles.resize(model_.guards.size());
      model_.instances.push_back(std::move(instance));
      owners.push_back(element);
    }
    if (const auto* other = table_->declare(array.name, {element->id, "component"});
        other != nullptr && this->array(array.name) == nullptr)
      report("SYS001", element->id, "name",
             "\"" + array.name + "\" is also a " + other->what + "; wanted a name of its own.");
    array_by_name_.emplace(array.name, model_.arrays.size());
    array_by_element_.emplace(array.element, model_.arrays.size());
    model_.arrays.push_back(std::move(array));
  }
  state_slots_.resize(model_.total_states);
  variables_.resize(model_.instances.size());
  for (std::uint32_t i = 0; i < model_.instances.size(); ++i) scopes_.push_back(std::make_unique<ModelScope>(*this, i));
  for (std::uint32_t i = 0; i < model_.instances.size(); ++i) variables(i, *owners[i]);
}

const StateChart& ModelCompiler::chart_of(std::uint32_t instance) const {
  return lowered_[model_.instances[instance].chart];
}

void ModelCompiler::variables(std::uint32_t instance, const Element& component) {
  const StateChart& chart = lowered_[model_.instances[instance].chart];
  std::map<std::string, Syntax> given;
  const std::string text = component.text("arguments");
  auto parsed = parse_arguments(text);
  if (const auto* error = std::get_if<SyntaxError>(&parsed))
    return complain({error->code, error->message, error->column, {}}, component.id, "arguments", text);
  for (ArgumentSyntax& argument : std::get<std::vector<ArgumentSyntax>>(parsed))
    given[argument.name] = std::move(argument.value);

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
    else
      report("SCH009", drawn.element, "type",
             "The type is \"" + drawn.type + "\"; wanted real, integer, boolean or time.");
    const auto argument = given.find(drawn.name);
    const bool set = argument != given.end();
    if (set && !drawn.parameter)
      report(
          "SYS005", component.id, "arguments",
          "\"" + drawn.name + "\" is a variable of the chart, not a parameter; only parameters are set from outside.");
    // A zero needs no unit: it is the same in all of them.
    const bool zero = !set && parse_number(drawn.initial) == 0.0;
    auto value = set    ? compile_as(argument->second, v.type, constants)
                 : zero ? Checked<Program>(Program(0.0))
                        : compile_as(drawn.initial, v.type, constants);
    if (const auto* error = std::get_if<ExpressionError>(&value))
      complain(*error, set ? component.id : drawn.element, set ? "arguments" : "initial", set ? text : drawn.initial);
    else v.value = std::get<Program>(value).value();
    if (set) given.erase(argument);
    v.constant = drawn.parameter;
    if (!v.constant) {
      const bool time = drawn.type == "time";
      v.slot = table_->add({.name = model_.instances[instance].name + "." + drawn.name,
                            .unit = time ? "h" : drawn.unit,
                            .scale = time   ? 3600.0
                                     : unit ? unit->scale
                                            : 1.0,
                            .type = v.type,
                            .element = drawn.element,
                            .writer = "statechart"},
                           v.value);
    }
    variables_[instance][drawn.name] = v;
  }
  for (const auto& [name, value] : given) {
    std::vector<std::string> known;
    for (const ChartVariable& v : chart.variables)
      if (v.parameter) known.push_back(v.name);
    const std::string near = nearest_word(name, known);
    complain({"SYS005", "The chart \"" + chart.name + "\" has no parameter \"" + name + "\".", value.begin + 1,
              near.empty() ? std::string() : "Did you mean " + near + "?"},
             component.id, "arguments", text);
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
  const auto [found, fresh] =
      count_slots_.emplace(std::vector<std::uint32_t>{first, count, static_cast<std::uint32_t>(state)},
                           static_cast<std::uint32_t>(table_->size()));
  if (fresh) {
    model_.count_slots.push_back({found->second, first, count, state});
    table_->add(0.0);
    for (std::uint32_t i = first; i < first + count; ++i)
      state_slots_[model_.instances[i].state_base + static_cast<std::uint32_t>(state)].push_back(found->second);
  }
  return found->second;
}

std::uint32_t ModelCompiler::observe(Program program) { return table_->observe(std::move(program)); }

}  // namespace ergode
