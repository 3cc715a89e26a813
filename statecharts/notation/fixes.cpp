#include "statecharts/notation/fixes.h"

#include <algorithm>
#include <set>

#include "core/base/text.h"
#include "core/document/command.h"
#include "core/expression/compile.h"
#include "statecharts/lower/common_cause.h"

namespace ergode {
namespace {

constexpr std::size_t most_offers = 4;

QuickFix fix_of(Edit& edit, const std::string& label) {
  return {label, std::make_shared<const Command>(edit.finish())};
}

std::string shown(const Element& element) { return element.name().empty() ? element.kind : element.name(); }

/// The first place beside which nothing stands, left of what is there.
Rect place_before(const Document& document, const Element& target) {
  const Rect there = target.layout.bounds.value_or(Rect{200, 80, 140, 60});
  Rect place{there.x - 60, there.y + there.height / 2 - 10, 20, 20};
  if (const Element* around = document.find(target.parent); around != nullptr && around->layout.bounds)
    place.x = std::max(place.x, around->layout.bounds->x + 8);
  return place;
}

std::vector<QuickFix> begin_somewhere(const Document& document, const Diagnostic& problem) {
  const Element* element = document.find(problem.element);
  if (element == nullptr) return {};
  const bool leads_nowhere = element->kind == "initial";
  const ElementId diagram = element->section == Section::diagram ? element->id : element->diagram;
  const ElementId inside = leads_nowhere                          ? element->parent
                           : element->section == Section::diagram ? ElementId()
                                                                  : element->id;
  const auto nodes = document.children(diagram, inside);
  const auto target =
      std::find_if(nodes.begin(), nodes.end(), [](const Element* node) { return node->kind == "state"; });
  if (target == nodes.end()) return {};
  const std::string label = (leads_nowhere ? "Lead it to " : "Begin in ") + shown(**target);
  Edit edit(document, label);
  ElementId initial = element->id;
  if (!leads_nowhere) {
    Element node;
    node.kind = "initial", node.diagram = diagram, node.parent = inside;
    node.layout.bounds = place_before(document, **target);
    initial = edit.insert(node);
  }
  Element way;
  way.section = Section::edge, way.kind = "transition", way.diagram = diagram;
  way.source = initial, way.target = (*target)->id;
  edit.insert(way);
  return {fix_of(edit, label)};
}

/// A law alone as the trigger, as it stands in service times: "exponential(mean = 1 h)" for after(...).
std::vector<QuickFix> wait_for_law(const Document& document, const Diagnostic& problem) {
  const Element* edge = document.find(problem.element);
  if (edge == nullptr || problem.pointer != "trigger") return {};
  const std::string law(trim(edge->text("trigger")));
  const auto parsed = parse_expression(law);
  const Syntax* written = std::get_if<Syntax>(&parsed);
  if (written == nullptr || written->kind != Syntax::Kind::call || !is_distribution(written->word)) return {};
  Edit edit(document, "Write after(...)");
  edit.set(edge->id, "trigger", "after(" + law + ")");
  return {fix_of(edit, "Write after(...)")};
}

std::vector<QuickFix> add_component(const Document& document, ElementId only) {
  std::vector<QuickFix> out;
  for (const Element* chart : document.of(Section::diagram)) {
    if (chart->text("notation") != "statechart" || !is_identifier(chart->name()) || out.size() == most_offers) continue;
    if (only ? chart->id != only : document.nodes(chart->id).empty()) continue;
    const std::string label = "Add a component of " + chart->name();
    Edit edit(document, label);
    ElementId place;
    for (const Element* diagram : document.of(Section::diagram))
      if (!place && diagram->text("notation") == "system") place = diagram->id;
    if (!place) {
      Element system;
      system.section = Section::diagram, system.kind = "diagram";
      system.properties = {{"name", "System"}, {"notation", "system"}};
      place = edit.insert(system);
    }
    std::set<std::string> taken;
    double below = 80;
    for (const Element* node : document.nodes(place)) {
      taken.insert(node->name());
      if (node->layout.bounds) below = std::max(below, node->layout.bounds->bottom() + 40);
    }
    Element component;
    component.kind = "component", component.diagram = place;
    std::string name = chart->name();
    for (int number = 2; taken.contains(name); ++number) name = chart->name() + std::to_string(number);
    component.properties = {{"name", name}, {"chart", chart->name()}};
    component.layout.bounds = Rect{80, below, 160, 70};
    edit.insert(component);
    out.push_back(fix_of(edit, label));
  }
  return out;
}

/// "Running.Failed", as expressions name it in a component.
std::string state_path(const Document& document, const Element& state) {
  std::string out = state.name();
  for (const Element* up = document.find(state.parent); up != nullptr; up = document.find(up->parent)) {
    if (!is_identifier(up->name())) return {};
    out = up->name() + "." + out;
  }
  return is_identifier(state.name()) ? out : std::string();
}

std::vector<QuickFix> ask_for_failure(const Document& document) {
  for (const Element& component : document.elements()) {
    if (component.kind != "component" || !is_identifier(component.name())) continue;
    const Element* chart = document.named(Section::diagram, component.text("chart"));
    if (chart == nullptr) continue;
    const auto edges = document.edges(chart->id);
    const auto fails = std::find_if(edges.begin(), edges.end(), [&](const Element* e) {
      const Element* target = document.find(e->target);
      return target != nullptr && target->kind == "state" && target->id != e->source &&
             (e->text("role") == "failure" || !common_cause_of(*e).empty());
    });
    const auto rated = std::find_if(edges.begin(), edges.end(), [&](const Element* e) {
      const Element* target = document.find(e->target);
      return target != nullptr && target->kind == "state" && target->id != e->source &&
             e->text("trigger").starts_with("rate(");
    });
    const auto found = fails != edges.end() ? fails : rated;
    if (found == edges.end()) continue;
    const std::string path = state_path(document, *document.find((*found)->target));
    if (path.empty()) continue;
    const bool array = !trim(component.text("count")).empty();
    const std::string what =
        array ? "any(" + component.name() + "[*]." + path + ")" : "in(" + component.name() + "." + path + ")";
    Edit edit(document, "Add measure");
    Element measure;
    measure.section = Section::measure, measure.kind = "measure";
    measure.properties = {{"name", "measure1"}, {"type", "probability_by"}, {"expression", what}};
    edit.insert(measure);
    return {fix_of(edit, "Ask for the probability of " + what)};
  }
  return {};
}

}  // namespace

std::vector<QuickFix> chart_fixes(const Document& document, const Diagnostic& problem) {
  if (problem.code == "SCH001") return begin_somewhere(document, problem);
  if (problem.code == "SCH006") return wait_for_law(document, problem);
  return {};
}

std::vector<QuickFix> system_fixes(const Document& document, const Diagnostic& problem) {
  if (problem.code == "SYS004") return add_component(document, {});
  if (problem.code == "SYS006") return add_component(document, problem.element);
  if (problem.code == "MEA008") return ask_for_failure(document);
  return {};
}

}  // namespace ergode
