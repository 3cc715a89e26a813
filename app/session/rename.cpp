#include "app/session/rename.h"

#include <algorithm>
#include <set>

#include "app/session/catalogue.h"
#include "app/session/expressions_of.h"
#include "core/base/text.h"
#include "core/catalogue/element_figure.h"
#include "core/catalogue/measure_kinds.h"
#include "core/catalogue/model_kinds.h"
#include "core/catalogue/names.h"
#include "core/expression/syntax.h"

namespace ergode {
namespace {

/// Finds the words in one text that mean an element.
class Finder {
 public:
  Finder(const Document& document, const Element& target)
      : document_(document), target_(target), names_(document, catalogue()) {}

  /// Byte offsets of the words in a property of `owner`.
  std::vector<int> places(const Element& owner, const PropertySpec& spec, const std::string& text) {
    places_.clear();
    plain_.clear();
    root_ = true;
    scope_ = spec.scope ? spec.scope(document_, owner) : owner.diagram;
    walk_property(spec, text, [&](const Syntax& s) {
      // A trigger that is a word is an event.
      if (root_ && spec.type == PropertyType::trigger) plain_.insert(&s);
      root_ = false;
      if (s.kind == Syntax::Kind::call) leave_out_plain_words(s);
      if (s.kind == Syntax::Kind::path && !plain_.contains(&s)) path(s);
    });
    if (spec.type == PropertyType::arguments) left_sides(owner, spec, text);
    if (text == target_.name() && names_whole(spec, text)) places_.push_back(0);
    if (spec.type == PropertyType::text && spec.reference == "measure") measure_or_stream(owner, text);
    else if (spec.type == PropertyType::text && names_kind_of_target(spec)) words_of_list(text);
    std::sort(places_.begin(), places_.end());
    return places_;
  }

 private:
  /// Events, causes and the ids of what is sent are words of their own: a state may be called like one.
  void leave_out_plain_words(const Syntax& call) {
    static const std::set<std::string> name_something = {"raise", "send", "cancel", "record", "ccf"};
    if (!name_something.contains(call.word)) return;
    for (std::size_t i = 0; i < call.children.size(); ++i)
      if (i == 0 || (i < call.names.size() && call.names[i] == "id")) plain_.insert(&call.children[i]);
  }

  /// Whether a text that is the name and nothing else means the element: a choice or a file by parameter, or a
  /// reference.
  bool names_whole(const PropertySpec& spec, const std::string& text) const {
    if (spec.type == PropertyType::choice)
      return target_.section == Section::parameter &&
             std::none_of(spec.choices.begin(), spec.choices.end(), [&](const Choice& c) { return c.name == text; });
    // A file, or the parameter that names it.
    if (spec.type == PropertyType::text) return spec.reference == "parameter" && target_.section == Section::parameter;
    if (spec.type != PropertyType::reference) return false;
    return target_.section == Section::diagram || names_kind_of_target(spec);
  }

  /// Whether its texts name elements of such a kind.
  bool names_kind_of_target(const PropertySpec& spec) const {
    if (spec.reference == observed_sort) {
      const KindSpec* kind = catalogue().kind_of(document_, target_);
      return kind != nullptr && kind->told_apart;
    }
    const std::vector<std::string> kinds = split(spec.reference, ' ');
    return target_.is_node() && std::find(kinds.begin(), kinds.end(), target_.kind) != kinds.end();
  }

  /// Names, separated by whatever is none.
  void words_of_list(const std::string& text) {
    const auto of_word = [](char c) { return is_identifier(std::string("x") + c); };
    for (std::size_t begin = 0; begin < text.size();) {
      std::size_t end = begin;
      while (end < text.size() && of_word(text[end])) ++end;
      if (text.compare(begin, end - begin, target_.name()) == 0 && end > begin)
        places_.push_back(static_cast<int>(begin));
      begin = std::max(end, begin + 1);
    }
  }

  /// On the left stand the names of what the owner is made of (a component: its chart), elements of a kind that the
  /// property tells, or the model's parameters.
  void left_sides(const Element& owner, const PropertySpec& spec, const std::string& text) {
    const ElementId members = names_.members_of(owner.id);
    const bool of_kind = !spec.reference.empty() && names_kind_of_target(spec);
    if (owner.is_node() && !members && !of_kind) return;
    const auto parsed = parse_arguments(text);
    const auto* list = std::get_if<std::vector<ArgumentSyntax>>(&parsed);
    if (list == nullptr) return;
    for (const ArgumentSyntax& argument : *list) {
      if (argument.name == target_.name() && (of_kind || names_.value_in(members, argument.name) == target_.id))
        places_.push_back(argument.begin);
      if (of_kind && argument.value.kind == Syntax::Kind::call && argument.value.word == "parts")
        names_in_call(argument.value, text);
    }
  }

  /// Of parts(user = 2, batch = 1) the names: each stands before its value.
  void names_in_call(const Syntax& call, const std::string& text) {
    for (std::size_t i = 0; i < call.children.size() && i < call.names.size(); ++i)
      if (call.names[i] == target_.name())
        places_.push_back(
            static_cast<int>(text.rfind(target_.name(), static_cast<std::size_t>(call.children[i].begin - 1))));
  }

  /// A ratio names measures; everything else a stream of observations, which begins with whoever makes them.
  void measure_or_stream(const Element& owner, const std::string& text) {
    const MeasureKind* kind = find_measure_kind(owner.text("type"));
    if (kind == nullptr) return;
    if (kind->source == MeasureKind::Source::measures) {
      if (target_.section == Section::measure && trim(text) == target_.name())
        places_.push_back(static_cast<int>(text.find(target_.name())));
      return;
    }
    const auto parsed = parse_expression(text);
    const auto* stream = std::get_if<Syntax>(&parsed);
    if (stream != nullptr && stream->kind == Syntax::Kind::path) path(*stream);
  }

  void path(const Syntax& s) {
    std::vector<std::string> words;
    for (const Syntax::Segment& segment : s.segments) words.push_back(segment.word);
    // Only texts with the word in them are worth the question.
    if (std::find(words.begin(), words.end(), target_.name()) == words.end()) return;
    for (const auto& [word, element] : names_.meaning(words, s.index != Syntax::Index::none, scope_))
      if (element == target_.id) places_.push_back(s.segments[word].begin);
  }

  const Document& document_;
  const Element& target_;
  const Names names_;
  ElementId scope_;                ///< of the text that is being read
  std::set<const Syntax*> plain_;  ///< words in the present text that mean no element
  bool root_ = true;               ///< nothing of the present text has been seen
  std::vector<int> places_;
};

/// Puts another name in the place of the old one in every text that uses it.
void rename_uses(const Document& document, const std::vector<Use>& uses, std::size_t old_size,
                 const std::string& new_name, Edit& edit) {
  for (std::size_t first = 0, last = 0; first < uses.size(); first = last) {
    const Use& use = uses[first];
    while (last < uses.size() && uses[last].element == use.element && uses[last].property == use.property) ++last;
    std::string text = document.find(use.element)->text(use.property);
    // From the end, so that the places before stay where they are.
    for (std::size_t i = last; i > first; --i)
      text.replace(static_cast<std::size_t>(uses[i - 1].begin), old_size, new_name);
    edit.set(use.element, use.property, text);
  }
}

/// Whether a name is the one that was given, or that with the number which made it another's: "wait", "wait_2".
bool is_given(const std::string& name, const std::string& given) {
  if (given.empty() || name.compare(0, given.size(), given) != 0) return false;
  const std::string_view rest = std::string_view(name).substr(given.size());
  return rest.empty() || (rest.size() > 1 && rest.front() == '_' &&
                          std::all_of(rest.begin() + 1, rest.end(), [](char c) { return c >= '0' && c <= '9'; }));
}

/// Names and labels of measures of the target that are those which its notation gives, as "Measure everything" made
/// them: what a user wrote instead stays.
void follow_with_measures(const Document& document, const Element& target, const std::string& new_name,
                          const std::vector<Use>& uses, Edit& edit) {
  const KindSpec* kind = target.is_node() ? catalogue().kind_of(document, target) : nullptr;
  if (kind == nullptr || !kind->figures) return;
  struct Given {
    std::string name, label;
  };
  const auto given = [&](const Element& element) {
    std::vector<Given> out;
    for (const ElementFigure& figure : kind->figures(document, element)) {
      out.emplace_back();
      for (const auto& [property, text] : figure.measure)
        if (property == "label") out.back().label = text;
        else if (property == "name") out.back().name = text;
    }
    return out;
  };
  Element renamed = target;
  renamed.properties["name"] = new_name;
  const std::vector<Given> before = given(target), after = given(renamed);
  std::set<std::string> taken;
  for (const Element* measure : document.of(Section::measure)) taken.insert(measure->name());
  std::set<ElementId> named;  // one may use the name more than once
  for (const Use& use : uses) {
    const Element& measure = *document.find(use.element);
    if (measure.section != Section::measure || !named.insert(measure.id).second) continue;
    for (std::size_t at = 0; at < std::min(before.size(), after.size()); ++at) {
      if (!measure.text("label").empty() && measure.text("label") == before[at].label)
        edit.set(measure.id, "label", after[at].label);
      if (!is_given(measure.name(), before[at].name) || after[at].name == before[at].name) continue;
      std::string name = after[at].name;
      for (int number = 2; taken.contains(name); ++number) name = after[at].name + "_" + std::to_string(number);
      taken.insert(name);
      rename_uses(document, uses_of(document, measure.id), measure.name().size(), name, edit);
      edit.set(measure.id, "name", name);
      break;
    }
  }
}

}  // namespace

std::vector<Use> uses_of(const Document& document, ElementId id) {
  std::vector<Use> out;
  const Element* target = document.find(id);
  if (target == nullptr || target->name().empty()) return out;
  Finder finder(document, *target);
  for (const Element& element : document.elements()) {
    const KindSpec* kind = catalogue().kind_of(document, element);
    if (kind == nullptr) continue;
    for (const PropertySpec& spec : kind->properties) {
      if (!element.has(spec.name) || !element.properties[spec.name].is_string()) continue;
      for (const int place : finder.places(element, spec, element.text(spec.name)))
        out.push_back({element.id, spec.name, place});
    }
  }
  return out;
}

Command rename_element(const Document& document, ElementId id, const std::string& new_name) {
  const Element* target = document.find(id);
  Edit edit(document, "Rename " + (target == nullptr ? std::string() : target->name()));
  if (target == nullptr || target->name() == new_name) return edit.finish();
  const std::vector<Use> uses = uses_of(document, id);
  rename_uses(document, uses, target->name().size(), new_name, edit);
  follow_with_measures(document, *target, new_name, uses, edit);
  edit.set(id, "name", new_name);
  return edit.finish();
}

}  // namespace ergode
