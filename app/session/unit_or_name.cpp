#include "app/session/unit_or_name.h"

#include <algorithm>
#include <map>
#include <optional>

#include "app/session/catalogue.h"
#include "app/session/create_parameter.h"
#include "app/session/expressions_of.h"
#include "core/base/text.h"
#include "core/document/command.h"

namespace ergode {
namespace {

/// `1/d`: a number, a slash and a word that is a unit.
struct NumberUse {
  ElementId element;
  std::string property, word;
  int begin = 0;             ///< of the number
  int word_begin = 0;        ///< of the word
  bool reciprocal = false;   ///< the number is one
  bool like_a_name = false;  ///< written as a name is divided by: nothing between, and a word or a power of it alone
  std::string as_written;
};

bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

std::optional<NumberUse> use_of(const Syntax& s, const std::string& text) {
  if (s.kind != Syntax::Kind::number || s.unit.size() < 2 || s.unit.front() != '/') return std::nullopt;
  std::size_t end = 1;
  while (end < s.unit.size() && letter(s.unit[end])) ++end;
  NumberUse out;
  out.word = s.unit.substr(1, end - 1);
  if (!is_identifier(out.word)) return std::nullopt;
  const std::string_view rest = std::string_view(s.unit).substr(end);
  out.begin = s.begin, out.word_begin = s.unit_begin + 1;
  out.reciprocal = s.number == 1.0;
  const char before = s.unit_begin > 0 ? text[static_cast<std::size_t>(s.unit_begin - 1)] : ' ';
  out.like_a_name = before >= '0' && before <= '9' && (rest.empty() || rest.front() == '^');
  out.as_written = text.substr(static_cast<std::size_t>(s.begin), static_cast<std::size_t>(s.end - s.begin));
  return out;
}

std::vector<NumberUse> uses_in(const Document& document) {
  std::vector<NumberUse> out;
  for (const Element& element : document.elements()) {
    const KindSpec* kind = catalogue().kind_of(document, element);
    if (kind == nullptr) continue;
    for (const PropertySpec& spec : kind->properties) {
      if (!element.has(spec.name) || !element.properties[spec.name].is_string()) continue;
      const std::string text = element.text(spec.name);
      if (text.find('/') == std::string::npos) continue;  // most have none
      walk_property(spec, text, [&](const Syntax& s) {
        auto use = use_of(s, text);
        if (!use) return;
        use->element = element.id, use->property = spec.name;
        out.push_back(std::move(*use));
      });
    }
  }
  return out;
}

/// The parameter, and brackets around its name at every place that may mean it: `1/(d)` cannot be read as a unit.
/// Nothing where the word is a unit beyond doubt somewhere: then it would be both (EXP007).
std::optional<QuickFix> divide_by_a_parameter(const Document& document, const std::vector<NumberUse>& uses,
                                              const NumberUse& of) {
  if (document.named(Section::parameter, of.word) != nullptr) return std::nullopt;
  std::map<std::pair<ElementId, std::string>, std::vector<int>> places;
  for (const NumberUse& use : uses) {
    if (use.word != of.word) continue;
    if (!use.like_a_name) return std::nullopt;
    places[{use.element, use.property}].push_back(use.word_begin);
  }
  const std::string label = "Create parameter " + of.word + " and divide by it";
  Edit edit(document, label);
  insert_parameter(edit, of.word, NumberOf::anything,
                   unit_of_divisor(document, of.element, of.property, of.as_written, of.word));
  for (auto& [place, begins] : places) {
    std::string text = document.find(place.first)->text(place.second);
    std::sort(begins.rbegin(), begins.rend());
    for (const int begin : begins) {
      text.insert(static_cast<std::size_t>(begin) + of.word.size(), ")");
      text.insert(static_cast<std::size_t>(begin), "(");
    }
    edit.set(place.first, place.second, text);
  }
  return QuickFix{label, std::make_shared<const Command>(edit.finish())};
}

}  // namespace

void say_units_that_may_be_names(const Document& document, Diagnostics& problems) {
  const std::vector<NumberUse> uses = uses_in(document);
  constexpr std::size_t most_said = 20;
  std::size_t said = 0;
  for (const NumberUse& use : uses) {
    if (!use.like_a_name || said == most_said) continue;
    const auto at_place = [&](const char* code) {
      return std::find_if(problems.begin(), problems.end(), [&](const Diagnostic& d) {
        return d.code == code && d.element == use.element && d.pointer == use.property;
      });
    };
    if (at_place("EXP007") != problems.end()) continue;
    const auto misfit = at_place("EXP004");
    if (misfit == problems.end() && !use.reciprocal) continue;
    auto fix = divide_by_a_parameter(document, uses, use);
    const std::string read = "`" + use.as_written + "` is read as a number with the unit /" +
                             use.as_written.substr(use.as_written.find('/') + 1) + "; nothing is called " + use.word +
                             ".";
    ++said;
    if (misfit != problems.end()) {
      misfit->hint = read + (misfit->hint.empty() ? "" : " " + misfit->hint);
      if (fix) misfit->fixes.push_back(std::move(*fix));
      continue;
    }
    Diagnostic d{.severity = Severity::info,
                 .code = "EXP009",
                 .element = use.element,
                 .pointer = use.property,
                 .message = read,
                 .hint = "Write 1 /" + use.word + " where the unit is meant, 1/(" + use.word + ") where a name is.",
                 .column = use.begin + 1};
    if (fix) d.fixes.push_back(std::move(*fix));
    problems.push_back(std::move(d));
  }
}

}  // namespace ergode
