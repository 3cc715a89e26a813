#include "app/session/name_offers.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>

#include "app/session/catalogue.h"
#include "core/base/text.h"
#include "core/base/unit.h"
#include "core/catalogue/measure_kinds.h"
#include "core/random/distribution.h"

namespace ergode {
namespace {

std::string joined(const std::vector<std::string>& path) {
  std::string out;
  for (const std::string& word : path) out += (out.empty() ? "" : ".") + word;
  return out;
}

std::vector<DeclaredName> declared(const Document& document) {
  std::vector<DeclaredName> out;
  for (const Element* diagram : document.of(Section::diagram)) {
    const NotationSpec* notation = catalogue().notation(diagram->text("notation"));
    if (notation == nullptr || !notation->names) continue;
    for (DeclaredName& name : notation->names(document, *diagram)) out.push_back(std::move(name));
  }
  return out;
}

std::vector<std::string> streams(const Document& document) {
  std::vector<std::string> out;
  for (const DeclaredName& name : declared(document))
    if (name.stream) out.push_back(joined(name.path));
  return out;
}

std::vector<std::string> measures_above(const Document& document, const Element& measure) {
  std::vector<std::string> out;
  for (const Element* one : document.of(Section::measure)) {
    if (one->id == measure.id) break;
    out.push_back(one->name());
  }
  return out;
}

bool holds_names(PropertyType type) {
  return type == PropertyType::integer || type == PropertyType::quantity || type == PropertyType::predicate ||
         type == PropertyType::expression || type == PropertyType::trigger || type == PropertyType::actions ||
         type == PropertyType::arguments;
}

bool number_ends_at(const std::string& text, std::size_t place) {
  std::size_t begin = place;
  while (begin > 0 && (std::isalnum(static_cast<unsigned char>(text[begin - 1])) != 0 || text[begin - 1] == '_' ||
                       text[begin - 1] == '.'))
    --begin;
  return begin < place && (std::isdigit(static_cast<unsigned char>(text[begin])) != 0 || text[begin] == '.');
}

/// Whether the word from `begin` on belongs to the unit of a number: "48 h", "0.5 /h".
bool in_unit(const std::string& text, std::size_t begin, std::size_t end) {
  const auto behind = [&](std::size_t place) {
    while (place > 0 && text[place - 1] == ' ') --place;
    return place;
  };
  const std::size_t before = behind(begin);
  if (number_ends_at(text, before)) return true;
  if (before == 0 || text[before - 1] != '/' || !number_ends_at(text, behind(before - 1))) return false;
  return parse_unit(text.substr(before - 1, end - before + 1)).has_value();  // or what it is divided by: "2 /mu"
}

constexpr const char* functions[] = {"all(", "any(", "count(", "if(", "in(", "max(", "min(", "table("};

}  // namespace

std::vector<std::string> name_offers(const Document& document, const Element& element, const PropertySpec& property) {
  if (property.type == PropertyType::text && property.reference == "measure") {
    const MeasureKind* kind = find_measure_kind(element.text("type"));
    if (kind == nullptr) return {};
    return kind->source == MeasureKind::Source::measures ? measures_above(document, element) : streams(document);
  }
  if (!holds_names(property.type)) return {};
  const ElementId scope = property.scope ? property.scope(document, element) : element.diagram;
  std::set<std::string> out(std::begin(functions), std::end(functions));
  for (const DistributionForm& form : distribution_forms()) out.insert(form.family + "(");
  for (const Element* parameter : document.of(Section::parameter)) out.insert(parameter->name());
  const std::vector<DeclaredName> all = declared(document);
  for (const DeclaredName& name : all) {
    if (name.stream || (name.scope && name.scope != scope)) continue;
    if (name.value || name.scope) out.insert(joined(name.path));
    if (!name.members) continue;
    const Element* owner = document.find(name.element);
    const bool array = owner != nullptr && !trim(owner->text("count")).empty();
    for (const DeclaredName& member : all)
      if (member.scope == name.members) out.insert(joined(name.path) + (array ? "[*]." : ".") + joined(member.path));
  }
  out.erase("");
  return {out.begin(), out.end()};
}

WordAt word_at(const std::string& text, std::size_t place) {
  const auto part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '[' || c == ']' || c == '*';
  };
  WordAt out{std::min(place, text.size()), {}};
  const std::size_t end = out.begin;
  while (out.begin > 0 && part(text[out.begin - 1])) --out.begin;
  // "2*c" is a product: a star belongs to a name between brackets alone, and a number begins none.
  for (std::size_t i = out.begin; i < end; ++i)
    if (text[i] == '*' && (i == 0 || text[i - 1] != '[')) out.begin = i + 1;
  while (out.begin < end && (std::isdigit(static_cast<unsigned char>(text[out.begin])) != 0 || text[out.begin] == '.' ||
                             text[out.begin] == ']' || text[out.begin] == '['))
    ++out.begin;
  if (in_unit(text, out.begin, end)) out.begin = end;
  out.word = text.substr(out.begin, end - out.begin);
  return out;
}

}  // namespace ergode
