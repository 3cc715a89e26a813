#include "app/session/value_fixes.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <set>

#include "app/session/catalogue.h"
#include "app/session/expressions_of.h"
#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/document/command.h"

namespace ergode {
namespace {

constexpr std::size_t most_units = 4, most_choices = 8;

const PropertySpec* spec_of(const Document& document, const Element& element, const std::string& property) {
  const KindSpec* kind = catalogue().kind_of(document, element);
  return kind != nullptr ? kind->property(property) : nullptr;
}

/// Whether it is made of numbers alone, none of which has a unit.
bool plain(const Syntax& s) {
  bool out = true;
  walk(s, [&](const Syntax& part) {
    const bool number =
        part.kind == Syntax::Kind::number || part.kind == Syntax::Kind::unary || part.kind == Syntax::Kind::binary;
    out = out && number && part.unit.empty();
  });
  return out;
}

/// Units of this dimension that people would write at this place.
std::vector<std::string> units_for(const Document& document, const Element& element, const PropertySpec& spec,
                                   const Dimension& wanted) {
  std::vector<std::string> candidates = {element.text("unit")};
  if (const KindSpec* kind = catalogue().kind_of(document, element); kind != nullptr)
    if (const std::string unit = wanted_unit(*kind, element, spec); unit != "h" && unit != "/h")
      candidates.push_back(unit);
  const std::string over = wanted == Dimension::per_time() ? "/" : "";
  for (const std::string& time : {document.model().text("time_unit", "h"), std::string("h"), std::string("min"),
                                  std::string("s"), std::string("d"), std::string("yr")})
    candidates.push_back(over + time);
  candidates.push_back(wanted.text());
  std::vector<std::string> out;
  for (const std::string& symbol : candidates) {
    const auto unit = parse_unit(symbol);
    if (symbol.empty() || !unit || !(unit->dimension == wanted) || out.size() == most_units) continue;
    if (std::find(out.begin(), out.end(), symbol) == out.end()) out.push_back(symbol);
  }
  return out;
}

/// Units of this dimension that what an expression names is kept in: a level in m, a pressure in kPa.
std::vector<std::string> units_in(const Document& document, const std::string& expression, const Dimension& wanted) {
  const auto part_of_name = [&](std::size_t at) {
    return at < expression.size() &&
           (std::isalnum(static_cast<unsigned char>(expression[at])) || expression[at] == '_');
  };
  std::vector<std::string> out;
  for (const Element& named : document.elements()) {
    const std::string symbol = named.text("unit");
    const auto unit = parse_unit(symbol);
    const std::size_t at = named.name().empty() ? std::string::npos : expression.find(named.name());
    if (symbol.empty() || !unit || !(unit->dimension == wanted) || at == std::string::npos) continue;
    if ((at > 0 && part_of_name(at - 1)) || part_of_name(at + named.name().size())) continue;
    if (std::find(out.begin(), out.end(), symbol) == out.end()) out.push_back(symbol);
  }
  return out;
}

std::vector<std::string> words_for(const Element& element, const PropertySpec& spec) {
  std::vector<std::string> out;
  if (element.kind == "parameter" && spec.name == "value" && element.text("type") == "choice")
    for (const std::string& word : split(element.text("choices"), ',')) out.emplace_back(trim(word));
  if (spec.type == PropertyType::choice)
    for (const Choice& choice : spec.choices) out.push_back(choice.name);
  return out;
}

/// What somebody may have meant comes first: the nearest by slips of the hand, then those that share most words or
/// begin alike; others keep their order.
void by_likeness(const std::string& word, std::vector<std::string>& choices) {
  const auto parts = [](const std::string& text) {
    std::set<std::string> out;
    for (const std::string& part : split(text, '_')) out.insert(part);
    return out;
  };
  const std::string near = nearest_word(word, choices);
  const std::set<std::string> mine = parts(word);
  const auto score = [&](const std::string& choice) {
    if (choice == near) return std::numeric_limits<std::size_t>::max();
    std::size_t shared = 0;
    for (const std::string& part : parts(choice)) shared += mine.contains(part) ? 100 : 0;
    const auto differs = std::mismatch(word.begin(), word.end(), choice.begin(), choice.end()).first;
    const auto alike = static_cast<std::size_t>(differs - word.begin());
    return shared + (alike >= 3 ? std::min<std::size_t>(alike, 99) : 0);
  };
  std::stable_sort(choices.begin(), choices.end(),
                   [&](const std::string& a, const std::string& b) { return score(a) > score(b); });
}

bool applies(const KindSpec& kind, const Element& element, const PropertySpec& spec) {
  return spec.when_property.empty() ||
         std::find(spec.when_values.begin(), spec.when_values.end(),
                   property_text(kind, element, spec.when_property)) != spec.when_values.end();
}

}  // namespace

std::vector<QuickFix> give_unit(const Document& document, const Diagnostic& problem) {
  const Element* element = document.find(problem.element);
  if (problem.code != "EXP004" || element == nullptr || problem.column < 1) return {};
  if (!problem.wanted || problem.wanted->none()) return {};
  const PropertySpec* spec = spec_of(document, *element, problem.pointer);
  if (spec == nullptr) return {};
  const std::string text = element->text(problem.pointer);
  // The outermost that begins there; parents come first.
  std::optional<std::pair<int, int>> place;
  bool bracket = false, good = false;
  walk_property(*spec, text, [&](const Syntax& s) {
    if (place || s.begin != problem.column - 1) return;
    place = {s.begin, s.end};
    bracket = s.kind != Syntax::Kind::number;
    good = plain(s);
  });
  if (!place || !good) return {};
  const auto begin = static_cast<std::size_t>(place->first), end = static_cast<std::size_t>(place->second);
  const std::string number = text.substr(begin, end - begin);
  std::vector<QuickFix> out;
  for (const std::string& unit : units_for(document, *element, *spec, *problem.wanted)) {
    const std::string with = (bracket ? "(" + number + ")" : number) + " " + unit;
    Edit edit(document, "Write " + with);
    edit.set(element->id, problem.pointer, text.substr(0, begin) + with + text.substr(end));
    out.push_back({"Write " + with, std::make_shared<const Command>(edit.finish())});
  }
  return out;
}

std::vector<QuickFix> unit_of_measure(const Document& document, const Diagnostic& problem) {
  const Element* element = document.find(problem.element);
  if (element == nullptr || element->kind != "measure" || !problem.wanted) return {};
  const PropertySpec* spec = spec_of(document, *element, "unit");
  const KindSpec* kind = catalogue().kind_of(document, *element);
  if (spec == nullptr || kind == nullptr) return {};
  std::vector<std::string> units = units_in(document, element->text("expression"), *problem.wanted);
  for (std::string& unit : units_for(document, *element, *spec, *problem.wanted))
    if (std::find(units.begin(), units.end(), unit) == units.end()) units.push_back(std::move(unit));
  if (units.size() > most_units) units.resize(most_units);
  if (problem.wanted->none()) units = {""};
  std::vector<QuickFix> out;
  const auto offer = [&](const std::string& label, const std::string& type, const std::string& unit) {
    Edit edit(document, label);
    if (!type.empty()) edit.set(element->id, "type", type);
    edit.set(element->id, "unit", unit);
    out.push_back({label, std::make_shared<const Command>(edit.finish())});
  };
  if (problem.code == "MEA003") {
    for (const std::string& unit : units) offer(unit.empty() ? "Clear the unit" : "Set the unit " + unit, "", unit);
    return out;
  }
  // A number where a condition is wanted: the questions that one can ask of a number of a mission.
  if (units.empty()) return {};
  const PropertySpec* type = kind->property("type");
  for (const char* word : {"final_value", "time_average"})
    if (type != nullptr)
      offer("Choose " + choice_label(type->choices, word) + (units.front().empty() ? "" : " in " + units.front()), word,
            units.front());
  return out;
}

std::vector<QuickFix> choose(const Document& document, const Diagnostic& problem) {
  const Element* element = document.find(problem.element);
  const PropertySpec* spec = element != nullptr ? spec_of(document, *element, problem.pointer) : nullptr;
  if (spec == nullptr || problem.severity != Severity::error) return {};
  std::vector<std::string> words = words_for(*element, *spec);
  const std::string word(trim(element->text(problem.pointer)));
  if (std::find(words.begin(), words.end(), word) != words.end()) return {};
  by_likeness(word, words);
  if (words.size() > most_choices) words.resize(most_choices);
  std::vector<QuickFix> out;
  for (const std::string& choice : words) {
    const std::string shown = choice_label(spec->choices, choice);
    Edit edit(document, "Choose " + shown);
    edit.set(element->id, problem.pointer, choice);
    out.push_back({"Choose " + shown, std::make_shared<const Command>(edit.finish())});
  }
  return out;
}

void check_choices(const Document& document, Diagnostics& problems) {
  Diagnostics found;
  for (const Element& element : document.elements()) {
    const KindSpec* kind = catalogue().kind_of(document, element);
    if (kind == nullptr) continue;
    for (const PropertySpec& spec : kind->properties) {
      if (spec.type != PropertyType::choice || spec.choices.empty() || !applies(*kind, element, spec)) continue;
      const std::string word(trim(element.text(spec.name)));
      if (word.empty() || document.named(Section::parameter, word) != nullptr) continue;
      std::vector<std::string> words = words_for(element, spec);
      if (std::find(words.begin(), words.end(), word) != words.end()) continue;
      const bool said = std::any_of(problems.begin(), problems.end(), [&](const Diagnostic& d) {
        return d.element == element.id && d.pointer == spec.name && d.severity == Severity::error;
      });
      if (said) continue;
      std::string wanted;
      for (const std::string& one : words) wanted += (wanted.empty() ? "" : ", ") + one;
      const std::string near = nearest_word(word, words);
      found.push_back({.code = "DOC002",
                       .element = element.id,
                       .pointer = spec.name,
                       .message = "Here is \"" + quotable(word) + "\"; wanted one of: " + wanted + ".",
                       .hint = near.empty() ? std::string() : "Did you mean " + near + "?"});
    }
  }
  problems.insert(problems.end(), found.begin(), found.end());
}

}  // namespace ergode
