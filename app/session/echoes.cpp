#include "app/session/echoes.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

namespace ergode {
namespace {

/// The words of a text that may be names of parameters.
std::set<std::string> words_of(const std::string& text) {
  std::set<std::string> out;
  std::string word;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const bool part = i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_');
    if (part) word += text[i];
    else if (!word.empty()) out.insert(word), word.clear();
  }
  return out;
}

bool names_one_of(const std::string& text, const std::set<std::string>& names) {
  const std::set<std::string> words = words_of(text);
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) { return names.contains(word); });
}

}  // namespace

void drop_echoes(const Document& document, Diagnostics& problems) {
  const auto parameters = document.of(Section::parameter);
  const auto faulty = [&](const Element& parameter) {
    return std::any_of(problems.begin(), problems.end(),
                       [&](const Diagnostic& d) { return d.severity == Severity::error && d.element == parameter.id; });
  };
  // The roots: parameters with an error that no other parameter explains.
  std::set<std::string> names;
  for (const Element* p : parameters)
    if (faulty(*p)) names.insert(p->name());
  std::set<std::string> roots;
  for (const Element* p : parameters) {
    if (!names.contains(p->name())) continue;
    std::set<std::string> others = names;
    others.erase(p->name());
    if (!names_one_of(p->text("value"), others)) roots.insert(p->name());
  }
  if (roots.empty()) roots = names;  // a circle explains itself
  // Components that could not be made: whoever names one finds nothing.
  std::set<std::string> components;
  for (const Diagnostic& d : problems)
    if (const Element* e = document.find(d.element); e != nullptr && e->kind == "component")
      if (d.severity == Severity::error) components.insert(e->name());
  std::set<std::string> broken = roots;
  for (bool grew = true; grew;) {
    grew = false;
    for (const Element* p : parameters)
      if (!broken.contains(p->name()) && names_one_of(p->text("value"), broken)) grew = broken.insert(p->name()).second;
  }
  const Diagnostics all = problems;
  const auto also = [&](const Diagnostic& d, const char* code, bool same_place) {
    return d.code != code && std::any_of(all.begin(), all.end(), [&](const Diagnostic& other) {
             return other.code == code && other.element == d.element && (!same_place || other.pointer == d.pointer);
           });
  };
  std::erase_if(problems, [&](const Diagnostic& d) {
    // What is empty is not wrong as well, and without a unit no value fits.
    if (d.element && (also(d, "DOC004", true) || also(d, "PAR002", true) || also(d, "UNI001", false))) return true;
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
    return names_one_of(text, broken) || (d.code == "EXP002" && names_one_of(text, components));
  });
}

}  // namespace ergode
