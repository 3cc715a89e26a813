#include "app/session/rename.h"

#include <algorithm>
#include <map>

#include "app/session/catalogue.h"
#include "app/session/expressions_of.h"
#include "core/expression/syntax.h"
#include "statecharts/lower/lower.h"

namespace ergode {
namespace {

/// Finds the words in one text that mean the renamed element.
class Finder {
 public:
  Finder(const Document& document, const Element& target) : document_(document), target_(target) {
    Diagnostics ignored;
    for (const Element* diagram : document.of(Section::diagram))
      if (diagram->text("notation") == "statechart")
        charts_.emplace(diagram->name(), lower_chart(document, *diagram, ignored));
    for (const Element& element : document.elements())
      if (element.kind == "component") chart_of_[element.name()] = element.text("chart");
  }

  /// Byte offsets of words to replace in a property of `owner`.
  std::vector<int> places(const Element& owner, const PropertySpec& spec, const std::string& text) {
    places_.clear();
    const Element* diagram = document_.find(owner.diagram);
    chart_ = diagram != nullptr && diagram->text("notation") == "statechart" ? diagram : nullptr;
    // What a group asks of its members is said in the words of their chart.
    if (owner.kind == "ccf_group" && spec.name == "exposed")
      for (const Element* edge : document_.incident(owner.id))
        if (const Element* member = document_.find(edge->source == owner.id ? edge->target : edge->source))
          chart_ = document_.named(Section::diagram, member->text("chart"));
    walk_property(spec, text, [this](const Syntax& s) {
      if (s.kind == Syntax::Kind::path) path(s);
    });
    if (spec.type == PropertyType::arguments) left_sides(owner, text);
    if (spec.type == PropertyType::choice && target_.kind == "parameter" && text == target_.name() &&
        std::none_of(spec.choices.begin(), spec.choices.end(), [&](const Choice& c) { return c.name == text; }))
      places_.push_back(0);
    if (spec.type == PropertyType::reference && target_.section == Section::diagram && text == target_.name())
      places_.push_back(0);
    std::sort(places_.begin(), places_.end());
    return places_;
  }

 private:
  bool variable_of(const std::string& chart) const {
    const Element* diagram = document_.find(target_.diagram);
    return target_.kind == "variable" && diagram != nullptr && diagram->name() == chart;
  }
  bool hidden_by_variable(const std::string& word) const {
    if (chart_ == nullptr) return false;
    for (const Element* node : document_.nodes(chart_->id))
      if (node->kind == "variable" && node->name() == word) return true;
    return false;
  }

  // On the left stand a chart's parameters (components) or the model's (scenarios).
  void left_sides(const Element& owner, const std::string& text) {
    const bool meant = owner.kind == "scenario" ? target_.kind == "parameter" : variable_of(owner.text("chart"));
    const auto parsed = parse_arguments(text);
    const auto* list = std::get_if<std::vector<ArgumentSyntax>>(&parsed);
    if (list == nullptr || !meant) return;
    for (const ArgumentSyntax& argument : *list)
      if (argument.name == target_.name()) places_.push_back(argument.begin);
  }

  void path(const Syntax& s) {
    const Syntax::Segment& head = s.segments.front();
    const bool bare = s.segments.size() == 1 && s.index == Syntax::Index::none;
    const auto component = chart_of_.find(head.word);
    if (target_.kind == "parameter" && bare && head.word == target_.name() && !hidden_by_variable(head.word))
      places_.push_back(head.begin);
    if (target_.kind == "component" && head.word == target_.name() && !hidden_by_variable(head.word))
      places_.push_back(head.begin);
    if (target_.kind == "variable") {
      if (bare && chart_ != nullptr && chart_->id == target_.diagram && head.word == target_.name())
        places_.push_back(head.begin);
      if (s.segments.size() == 2 && component != chart_of_.end() && variable_of(component->second) &&
          s.segments[1].word == target_.name())
        places_.push_back(s.segments[1].begin);
    }
    if (target_.kind != "state" && target_.kind != "region") return;
    const bool own = component == chart_of_.end();
    const std::string chart_name = own ? (chart_ != nullptr ? chart_->name() : std::string()) : component->second;
    const auto chart = charts_.find(chart_name);
    if (chart == charts_.end() || chart->second.element != target_.diagram) return;
    std::vector<std::string> words;
    for (std::size_t i = own ? 0 : 1; i < s.segments.size(); ++i) {
      words.push_back(s.segments[i].word);
      const int state = chart->second.find(words, 0);
      if (state > 0 && chart->second.states[static_cast<std::size_t>(state)].element == target_.id)
        places_.push_back(s.segments[i].begin);
    }
  }

  const Document& document_;
  const Element& target_;
  const Element* chart_ = nullptr;  ///< of the text's owner, when it stands in a chart
  std::map<std::string, StateChart> charts_;
  std::map<std::string, std::string> chart_of_;  ///< component -> chart
  std::vector<int> places_;
};

}  // namespace

Command rename_element(const Document& document, ElementId id, const std::string& new_name) {
  const Element* target = document.find(id);
  Edit edit(document, "Rename " + (target == nullptr ? std::string() : target->name()));
  if (target == nullptr || target->name() == new_name) return edit.finish();
  const std::string old_name = target->name();
  if (!old_name.empty()) {
    Finder finder(document, *target);
    for (const Element& element : document.elements()) {
      const KindSpec* kind = catalogue().kind_of(document, element);
      if (kind == nullptr) continue;
      for (const PropertySpec& spec : kind->properties) {
        if (!element.has(spec.name) || !element.properties[spec.name].is_string()) continue;
        std::string text = element.text(spec.name);
        const std::vector<int> places = finder.places(element, spec, text);
        for (auto place = places.rbegin(); place != places.rend(); ++place)
          text.replace(static_cast<std::size_t>(*place), old_name.size(), new_name);
        if (!places.empty()) edit.set(element.id, spec.name, text);
      }
    }
  }
  edit.set(id, "name", new_name);
  return edit.finish();
}

}  // namespace ergode
