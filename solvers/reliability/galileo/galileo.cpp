#include "solvers/reliability/galileo/galileo.h"

#include <algorithm>
#include <set>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/base/unit.h"
#include "core/document/layout_limits.h"
#include "solvers/reliability/galileo/event_charts.h"
#include "solvers/reliability/galileo/gate_charts.h"

namespace ergode {
namespace {

using TreeKind = TreeElement::Kind;

constexpr std::size_t most_in_row = 5000;  // wider levels go on in the next row: coordinates have limits

/// Names of components: those of the tree as far as expressions can read them.
class ComponentNames {
 public:
  explicit ComponentNames(const FaultTree& tree) {
    taken_ = {"h",  // the unit of time that is written
              "and",
              "or",
              "not",
              "true",
              "false",
              "else",
              "now",
              "index",
              "in",
              "count",
              "any",
              "all",
              "mission_time",
              "Operational",
              "Standby",
              "Active",
              "Failed",
              "lambda",
              "dormancy",
              "scale",
              "shape",
              "mu",
              "sigma",
              "probability",
              "ExponentialEvent",
              "WeibullEvent",
              "LognormalEvent",
              "ConstantEvent"};
    for (const FaultTree::Parameter& p : tree.parameters) taken_.insert(p.name);
    for (const TreeElement& e : tree.elements) names_.push_back(unique(identifier(e.name)));
  }
  const std::vector<std::string>& all() const { return names_; }

 private:
  static std::string identifier(const std::string& text) {
    std::string out;
    for (const char c : text) {
      const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
      out += letter ? c : '_';
    }
    if (!is_identifier(out)) out = "E_" + out;
    return out;
  }
  // A prefix is left to modules and Erlang charts.
  std::string unique(std::string name) {
    if (name.rfind("Module_", 0) == 0 || name.rfind("ErlangEvent_", 0) == 0) name = "E_" + name;
    std::string out = name;
    for (int i = 2; !taken_.insert(out).second; ++i) out = name + "_" + std::to_string(i);
    return out;
  }
  std::set<std::string> taken_;
  std::vector<std::string> names_;
};

class TreeImport {
 public:
  TreeImport(const FaultTree& tree, const std::string& name, Diagnostics& problems)
      : tree_(tree),
        model_name_(name),
        problems_(problems),
        ids_("galileo " + name),
        names_(tree),
        modules_(tree),
        conditions_(tree, modules_, names_.all()),
        order_(failing_order(tree)) {}

  Document build() {
    header();
    parameters();
    system_ = ids_.id("system");
    document_.append({.id = system_,
                      .section = Section::diagram,
                      .kind = "diagram",
                      .properties = {{"name", "Tree"}, {"notation", "system"}}});
    places();
    events();
    gates();
    dependencies();
    constraints();
    measures();
    return std::move(document_);
  }

 private:
  const std::string& name(int e) const { return names_.all()[static_cast<std::size_t>(e)]; }
  TreeDrawing drawing() { return {document_, ids_, tree_, modules_, conditions_, names_.all()}; }

  void header();
  void parameters();
  void places();
  void events();
  void gates();
  void dependencies();
  void constraints();
  void measures();
  EventBehaviour behaviour(int event);
  void component(const std::string& name, const std::string& chart, const std::string& arguments, Rect place,
                 const std::string& label);
  Rect next_place(std::size_t level);
  /// From row to row; closer in trees so deep that they would leave the drawing.
  double row_pitch() const { return std::min(120.0, layout_limit / 2 / static_cast<double>(first_row_.back())); }

  const FaultTree& tree_;
  std::string model_name_;
  Diagnostics& problems_;
  NamedElements ids_;
  ComponentNames names_;
  SpareModules modules_;
  TreeConditions conditions_;
  std::vector<int> order_;  ///< events, then gates from below
  Document document_;
  ElementId system_;
  std::vector<std::size_t> level_;          ///< by element: gates above it, at most
  std::vector<std::size_t> in_level_;       ///< components drawn so far
  std::vector<std::size_t> first_row_;      ///< of each level, and the first below all
  std::vector<std::vector<int>> triggers_;  ///< by element: dependencies that make it fail
  std::set<std::string> shared_;
};

void TreeImport::header() {
  Element header = document_.model();
  header.id = ids_.id("model");
  header.properties = {
      {"name", model_name_},
      {"question", "With what probability does " + tree_.at(tree_.top).name + " fail by the mission time, and when?"},
      {"horizon", "mission_time"},
      {"time_unit", "h"},
      {"replications", "100000"},
      {"seed", "1"},
      {"assumptions", "A dynamic fault tree in the Galileo format; its unit of time is taken as 1 h."}};
  document_.replace(0, std::move(header));
}

void TreeImport::parameters() {
  const auto add = [&](Value properties) {
    document_.append({.id = ids_.id("parameter " + properties["name"].get<std::string>()),
                      .section = Section::parameter,
                      .kind = "parameter",
                      .properties = std::move(properties)});
  };
  // The format declares parameters without values: a run asks for them.
  for (const FaultTree::Parameter& p : tree_.parameters)
    add({{"name", p.name}, {"description", "Parameter of the tree; set it for a run"}});
  add({{"name", "mission_time"},
       {"type", "time"},
       {"value", "1 h"},
       {"unit", "h"},
       {"minimum", "0 h"},
       {"description", "Mission time; the tree itself has none"}});
}

void TreeImport::places() {
  level_.assign(tree_.elements.size(), 0);
  std::size_t deepest = 0;
  // Gates before their inputs, so that a level is final when it is handed down.
  for (auto e = order_.rbegin(); e != order_.rend(); ++e)
    for (const TreeElement::Child& child : tree_.at(*e).children) {
      std::size_t& below = level_[static_cast<std::size_t>(child.element)];
      below = std::max(below, level_[static_cast<std::size_t>(*e)] + 1);
      deepest = std::max(deepest, below);
    }
  in_level_.assign(deepest + 3, 0);  // and one level for modules, one for dependencies
  std::vector<std::size_t> elements(in_level_.size(), 0);
  for (const std::size_t level : level_) ++elements[level];
  elements[deepest + 1] = elements[deepest + 2] = level_.size();
  first_row_ = {0};
  for (const std::size_t count : elements)
    first_row_.push_back(first_row_.back() + std::max<std::size_t>(1, (count + most_in_row - 1) / most_in_row));
}

Rect TreeImport::next_place(std::size_t level) {
  const std::size_t k = in_level_[level]++;
  return {60.0 + 190.0 * static_cast<double>(k % most_in_row),
          60.0 + row_pitch() * static_cast<double>(first_row_[level] + k / most_in_row), 160, 70};
}

void TreeImport::component(const std::string& own, const std::string& chart, const std::string& arguments, Rect place,
                           const std::string& label) {
  Value properties = {{"name", own}, {"chart", chart}};
  if (!arguments.empty()) properties["arguments"] = arguments;
  if (label != own) properties["description"] = label;
  Element e{.id = ids_.id("component " + own),
            .section = Section::node,
            .kind = "component",
            .diagram = system_,
            .properties = std::move(properties)};
  e.layout.bounds = place;
  document_.append(std::move(e));
}

EventBehaviour TreeImport::behaviour(int event) {
  const TreeElement& e = tree_.at(event);
  EventBehaviour out;
  out.law = e.law.kind, out.phases = e.law.phases;
  std::vector<std::string> triggers;
  for (const int dependency : triggers_[static_cast<std::size_t>(event)])
    triggers.push_back(name(dependency) + ".Triggered");
  out.forced = condition::any(triggers);
  if (const auto allowed = conditions_.allowed(event)) out.allowed = *allowed;
  else
    problems_.push_back(tree_problem("GAL009", e.place,
                                     "What the failure of \"" + quotable(e.name) +
                                         "\" makes fail at once is too complex for the constraints above it.",
                                     "Put constraints on basic events."));
  if (!conditions_.stands_by(event)) return out;
  out.stands_by = true;
  out.activation = conditions_.activation(event);
  const TreeValue dormancy = dormancy_in(tree_, modules_, event);
  out.cold = dormancy.is(0.0);
  const bool rates = e.law.kind == FailureLaw::Kind::exponential || e.law.kind == FailureLaw::Kind::erlang;
  if (!rates && !out.cold)
    problems_.push_back(tree_problem("GAL009", dormancy.place,
                                     "\"" + quotable(e.name) + "\" stands by with dormancy " + quotable(dormancy.text) +
                                         "; wanted 0 or 1 for a law without a rate."));
  return out;
}

void TreeImport::events() {
  triggers_.resize(tree_.elements.size());
  for (std::size_t i = 0; i < tree_.elements.size(); ++i)
    if (tree_.elements[i].kind == TreeKind::dependency)
      for (std::size_t c = 1; c < tree_.elements[i].children.size(); ++c)
        triggers_[static_cast<std::size_t>(tree_.elements[i].children[c].element)].push_back(static_cast<int>(i));
  for (const int e : order_) {
    const TreeElement& event = tree_.at(e);
    if (event.kind != TreeKind::basic_event) continue;
    const EventBehaviour b = behaviour(e);
    const std::string chart = b.own() ? name(e) : shared_chart_name(b);
    if (b.own()) draw_event(document_, ids_, chart, "Basic event " + event.name + ".", b);
    else if (shared_.insert(chart).second)
      draw_event(document_, ids_, chart, "Basic events on which nothing acts from outside.", b);
    component(name(e), chart, event_arguments(event.law, b, dormancy_in(tree_, modules_, e)),
              next_place(level_[static_cast<std::size_t>(e)]), event.name);
  }
}

void TreeImport::gates() {
  for (const int e : order_) {
    if (tree_.at(e).kind == TreeKind::basic_event) continue;
    draw_gate(drawing(), e);
    component(name(e), name(e), "", next_place(level_[static_cast<std::size_t>(e)]), tree_.at(e).name);
  }
  for (std::size_t m = 0; m < modules_.modules.size(); ++m) {
    if (!conditions_.has_component(m)) continue;
    draw_module(drawing(), m);
    component(conditions_.module_name(m), conditions_.module_name(m), "", next_place(in_level_.size() - 2),
              conditions_.module_name(m));
  }
}

// After all gates: what depends on a trigger fails after everything above the trigger has.
void TreeImport::dependencies() {
  for (std::size_t i = 0; i < tree_.elements.size(); ++i) {
    const TreeElement& e = tree_.elements[i];
    if (e.kind != TreeKind::dependency) continue;
    const int element = static_cast<int>(i);
    draw_dependency(drawing(), element);
    const TreeValue& p = e.probability;
    const std::string arguments =
        p.is(1.0) ? "" : "probability = " + (p.number ? number_text(*p.number) : "(" + p.text + ")");
    component(name(element), name(element), arguments, next_place(in_level_.size() - 1), e.name);
  }
}

void TreeImport::constraints() {
  // For people alone: the events themselves are drawn with conditions that keep the constraints.
  double y = 80.0 + row_pitch() * static_cast<double>(first_row_.back());
  for (const TreeElement& e : tree_.elements) {
    if (e.kind != TreeKind::sequence && e.kind != TreeKind::mutex) continue;
    std::string text = e.kind == TreeKind::sequence ? " fail only in this order" : ": at most one of them fails";
    std::string inputs;
    for (const TreeElement::Child& child : e.children) inputs += (inputs.empty() ? "" : ", ") + child.name;
    Element note{.id = ids_.id("constraint " + e.name),
                 .section = Section::node,
                 .kind = "note",
                 .diagram = system_,
                 .properties = {{"text", "Constraint " + e.name + ": " + inputs + text + "."}}};
    note.layout.bounds = Rect{60, y, 540, 40};
    y += 50;
    document_.append(std::move(note));
  }
}

void TreeImport::measures() {
  const std::string failed = conditions_.failed(tree_.top), label = tree_.at(tree_.top).name;
  const auto add = [&](Value properties) {
    document_.append({.id = ids_.id("measure " + properties["name"].get<std::string>()),
                      .section = Section::measure,
                      .kind = "measure",
                      .properties = std::move(properties)});
  };
  add({{"name", "failed_by_end"},
       {"label", label + " has failed by the mission time"},
       {"type", "probability_by"},
       {"expression", failed},
       {"headline", "true"}});
  add({{"name", "time_to_failure"},
       {"label", "time to the failure of " + label + ", when that happens"},
       {"type", "time_to"},
       {"expression", failed},
       {"unit", "h"}});
}

}  // namespace

ReadOutcome model_of_tree(const FaultTree& tree, const std::string& name, Diagnostics problems) {
  ReadOutcome out{std::nullopt, std::move(problems)};
  if (has_errors(out.diagnostics)) return out;
  Document document = TreeImport(tree, name, out.diagnostics).build();
  if (!has_errors(out.diagnostics)) out.document = std::move(document);
  return out;
}

ReadOutcome import_galileo(std::string_view text, const std::string& name) {
  Diagnostics problems;
  const FaultTree tree = parse_galileo(text, problems);
  return model_of_tree(tree, name, std::move(problems));
}

ReadOutcome import_tree_json(std::string_view text, const std::string& name) {
  Diagnostics problems;
  const FaultTree tree = parse_tree_json(text, problems);
  return model_of_tree(tree, name, std::move(problems));
}

}  // namespace ergode
