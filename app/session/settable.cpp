#include "app/session/settable.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/session/catalogue.h"
#include "app/session/rename.h"
#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/document/property_path.h"
#include "core/expression/parameters.h"

namespace ergode {
namespace {

/// Texts that are read as values, and not to tell elements apart or to describe them.
bool says_what_runs(const PropertySpec& spec) {
  switch (spec.type) {
    case PropertyType::boolean:
    case PropertyType::integer:
    case PropertyType::quantity:
    case PropertyType::predicate:
    case PropertyType::expression:
    case PropertyType::choice:
    case PropertyType::arguments:
      return true;
    case PropertyType::text:  // a file or the parameter that names it, and the column of it that is read
      return spec.reference == "parameter" || spec.reference == "column";
    default:
      return false;
  }
}

/// The constants of a model as a request has them, to read numbers of properties by.
class Numbers {
 public:
  Numbers(const Document& document, const RunRequest& request)
      : document_(with_properties(document, request.overrides, unsaid_)),
        parameters_(ParameterTable::resolve(document, request.scenario, request.overrides, unsaid_)),
        scope_(parameters_),
        time_unit_(document.model().text("time_unit", "h")) {}

  const Document& document() const { return document_; }
  std::vector<SettableNumber> of_parameters() {
    std::vector<SettableNumber> out;
    for (const Parameter& p : parameters_.all())
      if (p.type.number())
        out.push_back({p.name, p.value_text(), p.unit, p.type.base == ValueType::Base::integer, bound_of(p, "minimum"),
                       bound_of(p, "maximum")});
    return out;
  }
  const ParameterTable& parameters() const { return parameters_; }
  std::vector<std::string> names_of_parameters() const {
    std::vector<std::string> out;
    for (const Parameter& p : parameters_.all()) out.push_back(p.name);
    return out;
  }

  /// What a property is now; nothing where it is no number.
  std::optional<SettableNumber> of(const std::string& path, const Element& element, const PropertySpec& spec) {
    if (spec.type != PropertyType::integer && spec.type != PropertyType::quantity &&
        spec.type != PropertyType::expression)
      return std::nullopt;
    const std::string text(trim(element.text(spec.name, default_of(spec, element))));
    SettableNumber out{path + "." + spec.name, "", {}, spec.type == PropertyType::integer};
    if (text.empty()) {
      // What an expression would be is not known without one; of the others the table says it.
      if (spec.type == PropertyType::expression || spec.dimension == "*") return std::nullopt;
      if (const auto unit = parse_unit(spec.dimension)) out.unit = *unit;
      return out;
    }
    const auto parsed = parse_expression(text);
    const auto* syntax = std::get_if<Syntax>(&parsed);
    if (syntax == nullptr) return std::nullopt;
    const auto compiled = compile(*syntax, scope_);
    const auto* number = std::get_if<Compiled>(&compiled);
    if (number == nullptr || !number->type.number() || !number->program.is_constant()) return std::nullopt;
    for (const std::string& symbol : {syntax->unit, time_unit_, "/" + time_unit_, number->type.dimension.text()}) {
      const auto unit = parse_unit(symbol);
      if (symbol.empty() || !unit || !(unit->dimension == number->type.dimension)) continue;
      out.unit = *unit;
      break;
    }
    out.value = number_text(out.unit.from_si(number->program.value()), 12);
    if (!out.unit.symbol.empty()) out.value += " " + out.unit.symbol;
    return out;
  }

 private:
  std::optional<double> bound_of(const Parameter& p, const char* bound) {
    const Element* element = document_.find(p.element);
    if (element == nullptr || trim(element->text(bound)).empty()) return std::nullopt;
    const auto compiled = compile_as(element->text(bound), p.type, scope_);
    const auto* program = std::get_if<Program>(&compiled);
    if (program == nullptr || !program->is_constant()) return std::nullopt;
    return parse_number(number_text(p.unit.from_si(program->value()), 12));
  }

  Diagnostics unsaid_;  ///< whoever checks the model says it
  Document document_;
  ParameterTable parameters_;
  ParameterScope scope_;
  std::string time_unit_;
};

std::vector<std::string> words_of_parameter(const Parameter& parameter) {
  if (parameter.type.base == ValueType::Base::boolean) return {"false", "true"};
  return parameter.choices;
}

std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 20;
  std::string out;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) out += (i == 0 ? "" : ", ") + names[i];
  return names.size() > most ? out + ", ..." : out;
}

std::string called(const Document& document, const Element& element) {
  return element.section == Section::model ? "The model" : "\"" + document.path(element.id) + "\"";
}

/// A document as the values of a request leave it, to ask what is read of it.
class WhatIsRead {
 public:
  WhatIsRead(const Document& document, const RunRequest& request)
      : request_(request),
        document_(with_properties(document, request.overrides, unsaid_)),
        parameters_(ParameterTable::resolve(document_, request.scenario, request.overrides, unsaid_)) {}

  /// Why nothing reads it; empty: something does, or it is not known here. A clause that goes on from "X: ".
  std::string why_not(const std::string& path) const {
    return is_property_path(path) ? of_property(path) : of_name(path);
  }

 private:
  std::string of_name(const std::string& name) const {
    const Element* parameter = document_.named(Section::parameter, name);
    if (parameter == nullptr) return "";
    // Scenarios only give it values.
    for (const Use& use : uses_of(document_, parameter->id))
      if (document_.find(use.element)->section != Section::scenario) return "";
    return "nothing in the model reads this parameter";
  }

  std::string of_property(const std::string& path) const {
    const auto found = find_property(document_, path);
    const auto* at = std::get_if<PropertyPath>(&found);
    if (at == nullptr) return "";
    const Element& element = *document_.find(at->element);
    const KindSpec* kind = catalogue().kind_of(document_, element);
    const PropertySpec* spec = kind != nullptr ? kind->property(at->property) : nullptr;
    if (spec == nullptr) return "";
    if (element.section == Section::model &&
        ((spec->name == "seed" && request_.seed) || (spec->name == "replications" && request_.replications)))
      return "the run has its own, by --" + spec->name;
    if (const std::string other = replaced_by(*spec, element); !other.empty())
      return "it is not read where " + other + " is given";
    return undecided(*kind, element, *spec);
  }

  /// Up the chain of properties that decide about others.
  std::string undecided(const KindSpec& kind, const Element& element, const PropertySpec& spec) const {
    const PropertySpec* decides = kind.property(spec.when_property);
    if (decides == nullptr) return "";
    std::string value(trim(property_text(kind, element, decides->name)));
    const bool word = std::any_of(decides->choices.begin(), decides->choices.end(),
                                  [&](const Choice& choice) { return choice.name == value; });
    if (const Parameter* named = parameters_.find(value); !word && named != nullptr) value = named->value_text();
    if (std::find(spec.when_values.begin(), spec.when_values.end(), value) != spec.when_values.end())
      return undecided(kind, element, *decides);
    return "it is read only where " + decides->name + " is " + some_of(spec.when_values) + ", and that is " +
           (value.empty() ? "empty" : quotable(value));
  }

  const RunRequest& request_;
  Diagnostics unsaid_;  ///< whoever checks the model says it
  Document document_;
  ParameterTable parameters_;
};

}  // namespace

std::optional<UsualRange> usual_range(const SettableNumber& number) {
  const std::string& text = number.value;
  const auto value = parse_number(text.substr(0, text.find(' ')));
  if (!value || !std::isfinite(*value)) return std::nullopt;
  const double now = *value, least = number.minimum.value_or(-INFINITY), most = number.maximum.value_or(INFINITY);
  const auto within = [&](double x) { return std::clamp(x, std::min(least, most), most); };
  constexpr double few = 20, steps = 5;
  if (number.whole) {
    if (now >= 0 && now <= few) {
      const double from = std::ceil(within(std::min(1.0, now)));
      const double to = std::max(from, std::floor(within(std::max(2.0 * now, from + 1.0))));
      return UsualRange{from, to, static_cast<std::uint64_t>(to - from) + 1};
    }
    const double step = std::max(1.0, std::round(std::abs(now) / 10));
    const auto room = [&](double bound) { return std::clamp(std::floor(std::abs(bound - now) / step), 0.0, steps); };
    const double down = room(least), up = room(most);
    return UsualRange{now - down * step, now + up * step, static_cast<std::uint64_t>(down + up) + 1};
  }
  if (now == 0.0) return UsualRange{.from = within(0.0), .to = within(1.0)};
  double from = 0.5 * now, to = 1.5 * now;
  const bool plain = number.unit.symbol.empty() || number.unit.symbol == "1";
  if (plain && now > 0.0 && now < 1.0) to = std::min(to, 0.5 * (1.0 + now));
  if (from > to) std::swap(from, to);
  from = within(from), to = within(to);
  // Of the digits that a person would write; an end that is a bound is the bound.
  const auto written = [](double x) { return *parse_number(number_text(x, 6)); };
  if (from != least) from = written(from);
  if (to != most) to = written(to);
  if (from == to) return UsualRange{from, to, 1};
  return UsualRange{.from = from, .to = to};
}

std::vector<SettableNumber> settable_numbers(const Document& document, const RunRequest& request) {
  Numbers numbers(document, request);
  std::vector<SettableNumber> out = numbers.of_parameters();
  for (const auto& [path, element] : elements_with_paths(numbers.document())) {
    const KindSpec* kind = catalogue().kind_of(numbers.document(), *element);
    if (kind == nullptr) continue;
    for (const PropertySpec& spec : kind->properties) {
      auto one = numbers.of(path, *element, spec);
      if (!one) continue;
      one->drawn = element->section == Section::node || element->section == Section::edge;
      one->written = element->has(spec.name);
      out.push_back(std::move(*one));
    }
  }
  return out;
}

std::variant<SettableNumber, Diagnostic> settable_number(const Document& document, const RunRequest& request,
                                                         const std::string& name) {
  Numbers numbers(document, request);
  if (!is_property_path(name)) {
    for (SettableNumber& one : numbers.of_parameters())
      if (one.name == name) return std::move(one);
    const std::vector<std::string> names = numbers.names_of_parameters();
    const bool other = std::find(names.begin(), names.end(), name) != names.end();
    const std::string near = nearest_word(name, names);
    return Diagnostic{
        .code = "PAR006",
        .message = other ? "The parameter \"" + name + "\" is no number." : "There is no parameter \"" + name + "\".",
        .hint = other          ? ""
                : near.empty() ? "A property is named with its element, as in desk.servers."
                               : "Did you mean " + near + "?"};
  }
  const auto found = find_property(numbers.document(), name);
  if (const auto* problem = std::get_if<Diagnostic>(&found)) return *problem;
  const auto& [id, property] = std::get<PropertyPath>(found);
  const Element& element = *numbers.document().find(id);
  const KindSpec* kind = catalogue().kind_of(numbers.document(), element);
  const std::string path = name.substr(0, name.rfind('.'));
  std::vector<std::string> there;
  const PropertySpec* asked = nullptr;
  if (kind != nullptr)
    for (const PropertySpec& spec : kind->properties) {
      if (spec.name == property) asked = &spec;
      auto one = numbers.of(path, element, spec);
      if (one && spec.name == property) return std::move(*one);
      if (one) there.push_back(spec.name);
    }
  const std::string title = called(numbers.document(), element);
  std::string hint = there.empty() ? "It has no numbers." : "Its numbers are: " + some_of(there) + ".";
  const bool law = asked != nullptr && says_what_runs(*asked);
  if (law) hint += " Where it is an expression, put a parameter into it and name that.";
  const std::string now =
      asked == nullptr ? "" : std::string(trim(element.text(property, default_of(*asked, element))));
  return Diagnostic{.code = "PAR010",
                    .element = id,
                    .pointer = property,
                    .message = asked == nullptr
                                   ? title + " has no property \"" + quotable(property) + "\"."
                                   : title + ": " + property + " is " +
                                         (now.empty() ? "empty" : "\"" + quotable(now) + "\"") + "; wanted a number.",
                    .hint = hint};
}

std::vector<SettableWords> settable_choices(const Document& document, const RunRequest& request) {
  const Numbers numbers(document, request);
  std::vector<SettableWords> out;
  for (const Parameter& p : numbers.parameters().all())
    if (std::vector<std::string> words = words_of_parameter(p); !words.empty())
      out.push_back({p.name, std::move(words)});
  return out;
}

std::vector<std::string> settable_words(const Document& document, const RunRequest& request, const std::string& name) {
  const Numbers numbers(document, request);
  if (!is_property_path(name)) {
    const Parameter* found = numbers.parameters().find(name);
    return found == nullptr ? std::vector<std::string>() : words_of_parameter(*found);
  }
  const auto found = find_property(numbers.document(), name);
  const auto* at = std::get_if<PropertyPath>(&found);
  if (at == nullptr) return {};
  const KindSpec* kind = catalogue().kind_of(numbers.document(), *numbers.document().find(at->element));
  const PropertySpec* spec = kind != nullptr ? kind->property(at->property) : nullptr;
  if (spec == nullptr) return {};
  if (spec->type == PropertyType::boolean) return {"false", "true"};
  std::vector<std::string> out;
  for (const Choice& choice : spec->choices) out.push_back(choice.name);
  return out;
}

Diagnostics unknown_properties(const Document& document, const RunRequest& request) {
  Diagnostics out;
  for (const auto& [path, text] : request.overrides) {
    if (!is_property_path(path)) continue;
    const auto found = find_property(document, path);
    const auto* at = std::get_if<PropertyPath>(&found);
    if (at == nullptr) continue;  // who builds the model says so
    const Element& element = *document.find(at->element);
    const KindSpec* kind = catalogue().kind_of(document, element);
    if (kind == nullptr) continue;
    const PropertySpec* spec = kind->property(at->property);
    if (spec != nullptr && says_what_runs(*spec)) {
      // A value that was lost on the way to the command line would run as another model.
      const std::string now(trim(element.text(spec->name, default_of(*spec, element))));
      if (trim(text).empty() && !now.empty())
        out.push_back(
            {.code = "PAR012",
             .element = element.id,
             .pointer = at->property,
             .message = "--set " + quotable(path) + " is empty; wanted a value.",
             .hint = "It is " + quotable(now) + " in the model: leave it out to keep that, or change the model."});
      continue;
    }
    std::vector<std::string> there;
    for (const PropertySpec& one : kind->properties) {
      // What another choice of the element's would have is not offered.
      const std::string chosen = one.when_property.empty() ? std::string() : element.text(one.when_property);
      const bool of_another =
          !chosen.empty() && std::find(one.when_values.begin(), one.when_values.end(), chosen) == one.when_values.end();
      if (says_what_runs(one) && !of_another) there.push_back(one.name);
    }
    std::string near = spec == nullptr ? nearest_word(at->property, there) : "";
    // A parameter of the plugin that the element names: "rows" is systolic_array_rows there.
    if (const std::string own = element.text("plugin") + "_" + at->property;
        spec == nullptr && std::find(there.begin(), there.end(), own) != there.end())
      near = own;
    out.push_back({.code = "PAR010",
                   .element = element.id,
                   .pointer = at->property,
                   .message = "--set " + quotable(path) + ": " + called(document, element) +
                              (spec == nullptr ? " has no property \"" + quotable(at->property) + "\"."
                                               : ": " + at->property + " says nothing of what runs."),
                   .hint = near.empty() ? "There are: " + some_of(there) + "." : "Did you mean " + near + "?"});
  }
  return out;
}

Diagnostics values_without_effect(const Document& document, const RunRequest& request) {
  Diagnostics out;
  if (request.overrides.empty()) return out;
  const WhatIsRead read(document, request);
  for (const auto& [path, text] : request.overrides) {
    const std::string why = read.why_not(path);
    if (why.empty()) continue;
    const auto found = find_property(document, path);
    const auto* at = std::get_if<PropertyPath>(&found);
    const Element* parameter = document.named(Section::parameter, path);
    out.push_back({.severity = Severity::warning,
                   .code = "PAR011",
                   .element = parameter != nullptr ? parameter->id
                              : at != nullptr      ? at->element
                                                   : ElementId(),
                   .pointer = parameter == nullptr && at != nullptr ? at->property : "",
                   .message = "--set " + quotable(path) + " changes nothing: " + why + ".",
                   .hint = "Leave it out, or set what the model reads."});
  }
  return out;
}

}  // namespace ergode
