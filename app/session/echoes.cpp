#include "app/session/echoes.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/session/catalogue.h"
#include "core/catalogue/names.h"

namespace ergode {
namespace {

/// The words of a text that may be names of parameters.
std::set<std::string> words_of(const std::string& text) {
  std::set<std::string> out;
  std::string word;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const bool part = i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_');
    if (part) word += text[i];
    if (part || word.empty()) continue;
    // A number names nobody, and a list may have a million of them.
    if (std::isdigit(static_cast<unsigned char>(word.front())) == 0) out.insert(word);
    word.clear();
  }
  return out;
}

bool names_one_of(const std::string& text, const std::set<std::string>& names) {
  const std::set<std::string> words = words_of(text);
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) { return names.contains(word); });
}

/// The names, and those of all parameters whose values name one of them, directly or through others. O(text * log n).
std::set<std::string> named_by(const std::vector<const Element*>& parameters, const std::set<std::string>& names) {
  std::map<std::string, std::vector<const Element*>> readers;
  for (const Element* p : parameters)
    for (const std::string& word : words_of(p->text("value"))) readers[word].push_back(p);
  std::set<std::string> out = names;
  std::vector<std::string> open(names.begin(), names.end());
  while (!open.empty()) {
    const auto found = readers.find(open.back());
    open.pop_back();
    if (found == readers.end()) continue;
    for (const Element* p : found->second)
      if (out.insert(p->name()).second) open.push_back(p->name());
  }
  return out;
}

/// Whether an unknown name is one of a thing that is there with all its values, whatever else is wrong with it: a
/// scheduler knows what it tells before it has read its trace. Of things that could not be made nothing can be wanted.
bool values_are_known(const Diagnostic& d) {
  const auto says = [&](const char* words) { return d.message.find(words) != std::string::npos; };
  return says("\" has no value \"") && (says("; did you mean ") || says("; wanted one of its values"));
}

}  // namespace

void drop_echoes(const Document& document, Diagnostics& problems) {
  const auto parameters = document.of(Section::parameter);
  std::set<ElementId> faulty;
  for (const Diagnostic& d : problems)
    if (d.severity == Severity::error) faulty.insert(d.element);
  // The roots: parameters with an error that no other parameter explains.
  std::set<std::string> names;
  for (const Element* p : parameters)
    if (faulty.contains(p->id)) names.insert(p->name());
  std::set<std::string> roots;
  for (const Element* p : parameters) {
    if (!names.contains(p->name())) continue;
    const std::set<std::string> words = words_of(p->text("value"));
    const bool explained = std::any_of(
        words.begin(), words.end(), [&](const std::string& word) { return word != p->name() && names.contains(word); });
    if (!explained) roots.insert(p->name());
  }
  if (roots.empty()) roots = names;  // a circle explains itself
  // Components that could not be made: whoever names one finds nothing.
  std::set<std::string> components;
  std::set<ElementId> unmade;
  std::optional<Names> names_of_model;  // only where a node is wrong
  const auto known_everywhere = [&](ElementId element) {
    if (!names_of_model) names_of_model.emplace(document, catalogue());
    return names_of_model->global(element);
  };
  for (const Diagnostic& d : problems)
    if (const Element* e = document.find(d.element); e != nullptr && d.severity == Severity::error && e->is_node())
      if (known_everywhere(e->id)) components.insert(e->name()), unmade.insert(e->id);
  const std::set<std::string> broken = named_by(parameters, roots);
  std::set<std::pair<ElementId, std::string>> empty_at;
  std::set<ElementId> without_unit;
  for (const Diagnostic& d : problems) {
    if (d.code == "DOC004" || d.code == "PAR002" || d.code == "PAR012") empty_at.emplace(d.element, d.code + d.pointer);
    if (d.code == "UNI001") without_unit.insert(d.element);
  }
  const auto also_empty = [&](const Diagnostic& d, const char* code) {
    return d.code != code && empty_at.contains({d.element, code + d.pointer});
  };
  const auto echo = [&](const Diagnostic& d) {
    // What is empty is not wrong as well, and without a unit no value fits.
    if (d.element && also_empty(d, "PAR012")) return true;
    if (d.element && d.code != "PAR012" && (also_empty(d, "DOC004") || also_empty(d, "PAR002"))) return true;
    if (d.element && d.code != "UNI001" && without_unit.contains(d.element)) return true;
    const Element* element = document.find(d.element);
    if (element == nullptr || d.severity != Severity::error || d.code == "EXP001") return false;
    if (element->section == Section::parameter)
      return !roots.contains(element->name()) && broken.contains(element->name());
    // A group lacks the members that could not be made.
    if (d.code == "CCF001")
      for (const Element* edge : document.incident(element->id))
        for (const ElementId end : {edge->source, edge->target})
          if (const Element* member = document.find(end); member != nullptr && components.contains(member->name()))
            return true;
    const std::string text = element->text(d.pointer);
    if (names_one_of(text, broken)) return true;
    // Why a component could not be made is no echo of that, even where it names itself or another such one.
    return d.code == "EXP002" && !unmade.contains(element->id) && !values_are_known(d) &&
           names_one_of(text, components);
  };
  const auto is_error = [](const Diagnostic& d) { return d.severity == Severity::error; };
  Diagnostics left;
  for (const Diagnostic& d : problems)
    if (!echo(d)) left.push_back(d);
  // A model with errors is never said to have none: what explains everything else would have been left out.
  const bool all_lost = std::none_of(left.begin(), left.end(), is_error);
  if (!all_lost || std::none_of(problems.begin(), problems.end(), is_error)) problems = std::move(left);
}

}  // namespace ergode
