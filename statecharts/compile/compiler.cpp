#include "statecharts/compile/compiler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "statecharts/lower/lower.h"

namespace ergode {
namespace {

constexpr long most_members = 1000000;

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
  model_scope_ = (scopes_[-1] = std::make_unique<ModelScope>(*this, -1)).get();
  // Every stage runs whatever the earlier ones found, so that the user sees all mistakes at once; only the tables need
  // a sound chart.
  charts(document);
  components(document);
  if (!has_errors(problems_))
    for (const StateChart& chart : lowered_) model_.charts.push_back(make_tables(chart, table_->events));
  model_.event_name_slots.resize(model_.instances.size());
  event_parameter_types();
  for (const ComponentArray& array : model_.arrays) {
    for (std::uint32_t m = 0; m < array.count; ++m) {
      const Sizes before = sizes();
      reading_ = {};
      instance_tables(array.first + m);
      if (m == 1 && repeats(array, before)) {
        repeat(array, before);
        break;
      }
    }
  }
}

ModelCompiler::~ModelCompiler() = default;

ModelCompiler::ModelScope& ModelCompiler::scope() { return *model_scope_; }
ModelCompiler::ModelScope& ModelCompiler::scope(std::uint32_t instance) {
  std::unique_ptr<ModelScope>& made = scopes_[instance];
  if (made == nullptr) made = std::make_unique<ModelScope>(*this, instance);
  return *made;
}
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
  if (!text.empty()) d.message = said_of(text, d.message);
  problems_.push_back(std::move(d));
}

void ModelCompiler::charts(const Document& document) {
  std::set<std::string> used;
  for (const Element& element : document.elements())
    if (element.kind == "component") used.insert(element.text("chart"));
  for (const Element* diagram : document.of(Section::diagram)) {
    const std::string notation = diagram->text("notation");
    if (notation != "statechart") continue;
    if (!is_identifier(diagram->name()))
      report("SCH003", diagram->id, "name",
             "The chart's name is \"" + diagram->name() + "\"; wanted letters, digits and _.");
    // A new model begins with a chart. Who draws something else leaves it as it is, and is told nothing of it.
    if (!used.contains(diagram->name()) && document.nodes(diagram->id).empty()) continue;
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
    const auto words = static_cast<std::uint32_t>((drawn.states.size() + 63) / 64);
    const auto histories = static_cast<std::uint32_t>(
        std::count_if(drawn.states.begin(), drawn.states.end(), [](const State& s) { return s.history(); }));
    model_.instances.reserve(model_.instances.size() + array.count);
    for (std::uint32_t member = 0; member < array.count; ++member) {
      Instance instance;
      instance.array = static_cast<std::uint32_t>(model_.arrays.size());
      instance.chart = array.chart;
      instance.member = member;
      instance.configuration = model_.words;
      instance.history = model_.history_words;
      instance.transition_base = model_.transitions;
      model_.words += words;
      model_.history_words += words * histories;
      model_.transitions += static_cast<std::uint32_t>(drawn.transitions.size());
      model_.instances.push_back(instance);
    }
    owners.push_back(element);
    if (const auto* other = table_->declare(array.name, {element->id, "component"});
        other != nullptr && this->array(array.name) == nullptr)
      report("SYS001", element->id, "name",
             "\"" + array.name + "\" is also a " + other->what + "; wanted a name of its own.");
    array_by_name_.emplace(array.name, model_.arrays.size());
    array_by_element_.emplace(array.element, model_.arrays.size());
    model_.arrays.push_back(std::move(array));
  }
  for (std::size_t a = 0; a < model_.arrays.size(); ++a) variables(model_.arrays[a], *owners[a]);
}

const StateChart& ModelCompiler::chart_of(std::uint32_t instance) const {
  return lowered_[model_.instances[instance].chart];
}

// Of a large array all at once, unless they depend on the member.
void ModelCompiler::variables(const ComponentArray& array, const Element& component) {
  const bool together = array.array && array.count >= large_array && variables(array.first, array.count, component);
  for (std::uint32_t m = 0; !together && m < array.count; ++m) variables(array.first + m, 1, component);
}

namespace {

/// Notices that something depends on the member of an array.
class MemberScope : public ParameterScope {
 public:
  MemberScope(const ParameterTable& parameters, std::uint32_t member) : ParameterScope(parameters) {
    set_index("index", static_cast<long>(member) + 1);
  }
  std::optional<Symbol> name(std::string_view word) override {
    asked = asked || word == "index";
    return ParameterScope::name(word);
  }
  bool asked = false;
};

}  // namespace

std::optional<ModelCompiler::Variable> ModelCompiler::variable(std::uint32_t instance, std::string_view name) const {
  const auto& known = variables_[variables_of_[instance]];
  const auto found = known.find(name);
  if (found == known.end()) return std::nullopt;
  Variable out = found->second;
  out.slot += (instance - out.first) * out.step;
  return out;
}

/// Of so many members from this one on. @returns false: they differ, and nothing was added.
bool ModelCompiler::variables(std::uint32_t instance, std::uint32_t members, const Element& component) {
  const StateChart& chart = lowered_[model_.instances[instance].chart];
  variables_of_.resize(instance, 0);
  variables_of_.resize(instance + members, static_cast<std::uint32_t>(variables_.size()));
  auto& known_here = variables_.emplace_back();
  std::map<std::string, Syntax> given;
  const std::string text = component.text("arguments");
  auto parsed = parse_arguments(text);
  if (const auto* error = std::get_if<SyntaxError>(&parsed)) {
    complain({error->code, error->message, error->column, {}}, component.id, "arguments", text);
    return true;
  }
  for (ArgumentSyntax& argument : std::get<std::vector<ArgumentSyntax>>(parsed))
    given[argument.name] = std::move(argument.value);

  MemberScope constants(parameters_, model_.instances[instance].member);
  std::vector<NamedSlot> slots;
  std::vector<double> initial;
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
      v.slot = static_cast<std::uint32_t>(table_->size() + slots.size());
      v.first = instance;
      slots.push_back({.name = drawn.name,
                       .unit = time ? "h" : drawn.unit,
                       .scale = time   ? 3600.0
                                : unit ? unit->scale
                                       : 1.0,
                       .type = v.type,
                       .element = drawn.element,
                       .writer = "statechart"});
      initial.push_back(v.value);
    }
    known_here[drawn.name] = v;
  }
  if (members > 1 && constants.asked) {
    variables_.pop_back();
    variables_of_.resize(instance);
    return false;
  }
  if (members > 1) {
    for (auto& [name, v] : known_here)
      if (!v.constant) v.step = static_cast<std::uint32_t>(slots.size());
    table_->add(model_.arrays[model_.instances[instance].array].name, members, std::move(slots), initial);
  } else {
    const std::string name = model_.name(instance);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      slots[i].name = name + "." + slots[i].name;
      table_->add(std::move(slots[i]), initial[i]);
    }
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
  return true;
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
  const auto repeated = repeated_.find(model_.instances[first].array);
  if (count == 1 && repeated != repeated_.end() && model_.instances[first].member >= 2)
    for (const auto& [own, slot] : repeated->second.counts)
      if (own == state) return slot.of(model_.instances[first].member);
  const auto [found, fresh] =
      count_slots_.emplace(std::vector<std::uint32_t>{first, count, static_cast<std::uint32_t>(state)},
                           static_cast<std::uint32_t>(table_->size()));
  if (fresh) {
    model_.count_slots.push_back({found->second, first, count, state});
    table_->add(0.0);
  }
  return found->second;
}

std::uint32_t ModelCompiler::observe(Program program) { return table_->observe(std::move(program)); }

}  // namespace ergode
