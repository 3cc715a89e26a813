#include "statecharts/notation/notation.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "core/document/command.h"
#include "statecharts/notation/fixes.h"
#include "statecharts/notation/shapes.h"
#include "statecharts/notation/transition_label.h"

namespace ergode {
namespace {

using Typed = PropertyType;

PropertySpec notes_property() {
  return {.name = "description",
          .label = "Notes",
          .type = Typed::notes,
          .group = "Notes",
          .help = "What a reader must know: meaning, assumptions, sources."};
}

PropertySpec scxml_id_property() {
  return {.name = "scxml_id",
          .label = "SCXML id",
          .type = Typed::text,
          .group = "Notes",
          .help = "What the state is called in SCXML documents where that is no name here; exports and traces use it."};
}

PropertySpec flow_property() {
  return {.name = "flow",
          .label = "Flow (d/dt)",
          .type = Typed::actions,
          .group = "Continuous",
          .help =
              "While the state is active, what it adds to the derivative of a variable: level := inflow / area. "
              "Contributions of all active states to one variable add up."};
}

KindSpec state_kind() {
  return {.kind = "state",
          .label = "State",
          .shortcut = "S",
          .icon = "state",
          .width = 140,
          .height = 60,
          .container = true,
          .help = "A state; drop states or regions into it to make it composite.",
          .properties = {name_property("Letters, digits and _; unique among the states of the same parent."),
                         {.name = "entry",
                          .label = "On entry",
                          .type = Typed::actions,
                          .group = "Behaviour",
                          .help = "Actions done whenever the state is entered: x := 0; raise(ready)."},
                         {.name = "exit",
                          .label = "On exit",
                          .type = Typed::actions,
                          .group = "Behaviour",
                          .help = "Actions done whenever the state is left."},
                         flow_property(),
                         notes_property()},
          .draw = draw_state,
          .report_columns = {"flow", "entry", "exit", "description"},
          .report_caption = "What states of * do"};
}

KindSpec region_kind() {
  KindSpec out = state_kind();
  out.kind = "region";
  out.label = "Region";
  out.shortcut = "R";
  out.icon = "region";
  out.width = 240, out.height = 160;
  out.help = "One of several parts of a state that are active at the same time.";
  out.properties.front() = name_property("Letters, digits and _; unique in the state.");
  out.compartment = true;
  out.draw = draw_region;
  return out;
}

KindSpec variable_kind() {
  return {
      .kind = "variable",
      .label = "Variable",
      .shortcut = "",
      .icon = "variable",
      .width = 160,
      .height = 30,
      .help = "A variable of each component of this chart, or a parameter that each component sets.",
      .properties = {name_property("Letters, digits and _; unique in the chart."),
                     {.name = "role",
                      .label = "Role",
                      .type = Typed::choice,
                      .group = "Identity",
                      .default_text = "variable",
                      .choices = {{"variable", "Variable"}, {"parameter", "Parameter"}},
                      .help =
                          "A variable changes by actions; a parameter is set by the component's arguments and stays."},
                     {.name = "type",
                      .label = "Type",
                      .type = Typed::choice,
                      .group = "Value",
                      .default_text = "real",
                      .choices = {{"real", "Real number"},
                                  {"integer", "Whole number"},
                                  {"boolean", "True or false"},
                                  {"time", "Time"}},
                      .help = "What values it takes."},
                     {.name = "unit",
                      .label = "Unit",
                      .type = Typed::text,
                      .group = "Value",
                      .help = "Unit of a real: h, /h, GiB."},
                     {.name = "initial",
                      .label = "Initial value",
                      .type = Typed::expression,
                      .group = "Value",
                      .default_text = "0",
                      .dimension = "*",
                      .help = "Value at time zero; for a parameter the value unless a component gives another."},
                     notes_property()},
      .draw = draw_variable,
      .report_columns = {"role", "type", "unit", "initial", "description"},
      .report_caption = "Variables and parameters of *"};
}

KindSpec transition_kind() {
  return {
      .kind = "transition",
      .label = "Transition",
      .section = Section::edge,
      .shortcut = "T",
      .icon = "transition",
      .named = false,
      .help = "Label: trigger [guard] / actions.",
      .properties =
          {{.name = "trigger",
            .label = "Trigger",
            .type = Typed::trigger,
            .group = "Behaviour",
            .help =
                "after(8 h), after(lognormal(median = 1.5 h, ef = 8)), rate(1e-3 /h), "
                "rate(table(mod(now, 24 h), 6 h: 0 /h, 12 h: 1 /h, 18 h: 0 /h)) for what repeats every day, at(24 h), "
                "every(1 h), "
                "when(condition) while it holds, becomes(condition) when it turns true, events: start, pump.*, done, "
                "ccf(cause) for failures driven by a common-cause group, p(0.3) for a branch of a choice; empty: at "
                "once."},
           {.name = "guard",
            .label = "Guard",
            .type = Typed::predicate,
            .group = "Behaviour",
            .default_text = "",
            .help = "Condition that must hold; on a choice also `else`. raise(e) never holds and raises e when it is "
                    "asked."},
           {.name = "action",
            .label = "Actions",
            .type = Typed::actions,
            .group = "Behaviour",
            .help = "x := x + 1; raise(event); send(event, EDG[*], 2 h); send(event, delay = 2 h, id = t, x = 3); "
                    "cancel(t); record(name). The receiver reads event.x and event.name."},
           {.name = "type",
            .label = "Type",
            .type = Typed::choice,
            .group = "Behaviour",
            .default_text = "external",
            .choices = {{"external", "External"}, {"internal", "Internal"}},
            .help =
                "Internal: a target inside the source does not leave the source; a target that is the source itself "
                "leaves nothing, only the actions are done."},
           {.name = "memory",
            .label = "Memory of the delay",
            .type = Typed::choice,
            .group = "Behaviour",
            .default_text = "restart",
            .choices = {{"restart", "Restart"}, {"resume", "Resume"}},
            .help = "Restart: a delay is drawn anew whenever the state is entered. Resume: a delay that had not ended "
                    "keeps its age and runs on."},
           {.name = "role",
            .label = "Role",
            .type = Typed::choice,
            .group = "Reliability",
            .default_text = "none",
            .choices = {{"none", "None"}, {"failure", "Failure"}, {"repair", "Repair"}},
            .help =
                "A failure sets the component's cause (independent unless a common-cause group drives it); a repair "
                "clears it. Results are split by cause."},
           {.name = "priority",
            .label = "Priority",
            .type = Typed::integer,
            .group = "Behaviour",
            .default_text = "0",
            .help = "Among transitions of one state, the greater priority is tried first; then the order of drawing."},
           notes_property()},
      .edge_look = transition_look,
      .label_hint = "trigger [guard] / actions",
      .write_label = transition_label,
      .read_label = [](const Document&, const Element&,
                       const std::string& text) { return read_transition_label(text); },
      .report_columns = {"trigger", "guard", "action", "role", "type", "memory", "priority", "description"},
      .report_caption = "Transitions of *, in the order in which they are tried"};
}

/// A small sign whose name is optional and stands beside it.
KindSpec simple(std::string kind, std::string label, void (*draw)(NodePen&), std::string key, double size,
                std::string help) {
  return {.kind = kind,
          .label = std::move(label),
          .shortcut = std::move(key),
          .icon = kind,
          .width = size,
          .height = size,
          .named = false,
          .help = std::move(help),
          .properties = {{.name = "name",
                          .label = "Name",
                          .type = Typed::text,
                          .group = "Identity",
                          .help = "Optional; shown beside it."},
                         notes_property()},
          .ports = Ports::centres,
          .draw = draw};
}

KindSpec history_kind() {
  KindSpec out = simple("history", "History", draw_history, "H", 26,
                        "Leads back to what was active in its state when that was last left; before, along the "
                        "transition drawn from it, or else to the initial state.");
  out.properties.insert(out.properties.begin() + 1,
                        {.name = "depth",
                         .label = "Depth",
                         .type = Typed::choice,
                         .group = "Behaviour",
                         .default_text = "shallow",
                         .choices = {{"shallow", "Shallow"}, {"deep", "Deep"}},
                         .help = "Shallow: the states directly inside; deep: down to the innermost ones."});
  return out;
}

KindSpec bar_kind() {
  KindSpec out = simple("bar", "Fork and join", draw_bar, "B", 80,
                        "One way in, several out: a fork into different regions. Several in, one out: a join, taken "
                        "when all its sources are active.");
  out.width = 8;
  out.ports = Ports::sides;
  return out;
}

bool is_vertex(const std::string& kind) {
  static const std::set<std::string> vertices = {"state",       "region",     "initial",  "final",
                                                 "choice",      "history",    "bar",      "junction",
                                                 "entry_point", "exit_point", "terminate"};
  return vertices.contains(kind);
}
/// What is a state of the lowered chart, so that expressions may name it.
bool is_state(const std::string& kind) {
  return kind == "state" || kind == "region" || kind == "final" || kind == "choice" || kind == "history";
}
/// What a state without regions holds and a state with regions does not.
bool makes_composite(const std::string& kind) {
  return kind == "state" || kind == "initial" || kind == "final" || kind == "choice";
}

std::string refuse_chart_parent(const Document& document, const std::string& kind, const Element* parent) {
  if (kind == "variable") return parent == nullptr ? "" : "A variable belongs to the chart, not to a state.";
  if (kind == "note") return "";
  if (kind == "region") {
    if (parent == nullptr || (parent->kind != "state" && parent->kind != "region"))
      return "A region stands inside a state.";
    for (const Element* child : document.children(parent->diagram, parent->id))
      if (makes_composite(child->kind)) return "The state has states of its own; move them into a region first.";
    return "";
  }
  if (parent == nullptr) return kind == "history" ? "A history stands inside the state that it remembers." : "";
  if (parent->kind != "state" && parent->kind != "region") return "Only a state or a region contains states.";
  if (!makes_composite(kind)) return "";
  for (const Element* child : document.children(parent->diagram, parent->id))
    if (child->kind == "region") return "The state has regions; drop it into one of them.";
  return "";
}

std::string chart_edge(const Document& document, const Element& source, const Element& target, std::string& why_not) {
  (void)document;
  if (!is_vertex(source.kind)) why_not = "A transition starts at a state or a sign such as a choice.";
  else if (source.kind == "final" || source.kind == "terminate") why_not = "A final state has no way out.";
  else if (!is_vertex(target.kind)) why_not = "A transition ends at a state or a sign such as a choice.";
  else if (target.kind == "initial") why_not = "Nothing leads to an initial state.";
  else return "transition";
  return "";
}

/// Variables and parameters of the chart by their names, states by their names and those of the states around them.
std::vector<DeclaredName> chart_names(const Document& document, const Element& chart) {
  std::vector<DeclaredName> out;
  std::unordered_map<ElementId, std::vector<std::string>> paths;
  std::vector<const Element*> open = document.children(chart.id, {});
  std::unordered_map<ElementId, std::vector<const Element*>> contents;
  for (const Element* node : document.nodes(chart.id)) {
    if (node->kind == "variable") out.push_back({.path = {node->name()}, .element = node->id, .scope = chart.id});
    contents[node->parent].push_back(node);
  }
  while (!open.empty()) {
    const Element* node = open.back();
    open.pop_back();
    if (!is_state(node->kind)) continue;
    std::vector<std::string> path = paths[node->parent];
    path.push_back(node->name());
    if (!node->name().empty())
      out.push_back({.path = path, .element = node->id, .scope = chart.id, .value = false, .shortened = true});
    paths[node->id] = std::move(path);
    for (const Element* inner : contents[node->id]) open.push_back(inner);
  }
  return out;
}

/// Components are known everywhere; after a dot follow the names of their chart.
std::vector<DeclaredName> system_names(const Document& document, const Element& system) {
  std::unordered_map<std::string, ElementId> charts;
  for (const Element* diagram : document.of(Section::diagram))
    if (diagram->text("notation") == "statechart") charts.emplace(diagram->name(), diagram->id);
  std::vector<DeclaredName> out;
  for (const Element* node : document.nodes(system.id)) {
    if (node->kind != "component") continue;
    const auto chart = charts.find(node->text("chart"));
    out.push_back({.path = {node->name()},
                   .element = node->id,
                   .members = chart == charts.end() ? ElementId() : chart->second,
                   .value = false});
  }
  return out;
}

/// Charts that no component uses are meant to be used: each gets a component.
std::vector<ElementId> use_charts(Edit& edit) {
  std::set<std::string> used;
  for (const Element& e : edit.document().elements())
    if (e.kind == "component") used.insert(e.text("chart"));
  std::vector<ElementId> unused;
  for (const Element* d : edit.document().of(Section::diagram))
    if (d->text("notation") == "statechart" && !used.contains(d->name()) && !edit.document().nodes(d->id).empty())
      unused.push_back(d->id);
  if (unused.empty()) return unused;
  Element system;
  system.section = Section::diagram, system.kind = "diagram";
  system.properties = {{"name", "unused charts"}, {"notation", "system"}};
  const ElementId place = edit.insert(system);
  for (const ElementId chart : unused) {
    const std::string name = edit.document().find(chart)->name();
    Element component;
    component.section = Section::node, component.kind = "component", component.diagram = place;
    component.properties = {{"name", "component_of_" + name}, {"chart", name}};
    edit.insert(component);
  }
  return unused;
}

}  // namespace

NotationSpec statechart_notation() {
  NotationSpec out;
  out.name = "statechart";
  out.label = "Statechart";
  out.help = "A chart is a class of components: what they can be in, and what makes them change.";
  out.kinds = {state_kind(),
               simple("initial", "Initial state", draw_disc, "I", 20,
                      "Where the region around it begins: draw one transition from it."),
               simple("final", "Final state", draw_final, "F", 24,
                      "The region around it is finished; raises `done` for its state."),
               simple("choice", "Choice", draw_choice, "C", 30,
                      "Branches by guards or by probabilities p(...); decided at once."),
               region_kind(),
               history_kind(),
               simple("junction", "Junction", draw_disc, "J", 12,
                      "Ways that meet and part: guards and actions of the whole way belong to one transition."),
               bar_kind(),
               simple("entry_point", "Entry point", draw_point, "", 18,
                      "On the border of a state: where ways from outside lead in. Draw the way on from it."),
               simple("exit_point", "Exit point", draw_exit, "", 18,
                      "On the border of a state: where ways from inside lead out. Draw the way on from it."),
               simple("terminate", "Terminate", draw_cross, "X", 18, "The whole component ends here."),
               note_kind(),
               variable_kind(),
               transition_kind()};
  for (KindSpec& kind : out.kinds)
    if (kind.kind == "state" || kind.kind == "region" || kind.kind == "final" || kind.kind == "history")
      kind.properties.insert(kind.properties.end() - 1, scxml_id_property());
  out.diagrams = {{.name = "chart",
                   .label = "Statechart",
                   .menu = "New &statechart",
                   .stem = "Chart",
                   .icon = "diagram",
                   .help_page = "2_drawing",
                   .in_new_model = true}};
  out.refuse_parent = refuse_chart_parent;
  out.edge_kind = chart_edge;
  out.names = chart_names;
  out.fixes = chart_fixes;
  out.use_unused = use_charts;
  out.reports_unknown_kinds = true;
  return out;
}

NotationSpec system_notation() {
  NotationSpec out;
  out.name = "system";
  out.label = "System";
  out.help = "The components that exist, and what joins them.";
  out.kinds = {
      {.kind = "component",
       .label = "Component",
       .shortcut = "O",
       .icon = "component",
       .width = 160,
       .height = 70,
       .help = "An instance of a chart, or an array of them.",
       .properties =
           {name_property("Letters, digits and _; unique in the model. Expressions use it: EDG[1].Failed."),
            {.name = "chart",
             .label = "Chart",
             .type = Typed::reference,
             .group = "Behaviour",
             .reference = "statechart",
             .help = "Name of the chart that says how the component behaves.",
             .required = true},
            {.name = "count",
             .label = "Count",
             .type = Typed::integer,
             .group = "Behaviour",
             .help = "Length of an array, 1 ... 1000000, or an expression of parameters; empty: a single component."},
            {.name = "arguments",
             .label = "Arguments",
             .type = Typed::arguments,
             .group = "Behaviour",
             .help = "Values for the chart's own parameters: lambda = 2e-3 /h, mttr = 8 h. `index` is the place in the "
                     "array."},
            notes_property()},
       .draw = draw_component,
       .report_columns = {"chart", "count", "arguments", "description"},
       .report_caption = "Components of *"},
      note_kind()};
  out.diagrams = {{.name = "system",
                   .label = "System diagram",
                   .menu = "New s&ystem diagram",
                   .stem = "System",
                   .icon = "component",
                   .in_new_model = true}};
  out.names = system_names;
  out.fixes = system_fixes;
  out.refuse_parent = [](const Document&, const std::string& kind, const Element* parent) -> std::string {
    (void)kind;
    return parent == nullptr ? "" : "Components stand directly in the diagram.";
  };
  out.edge_kind = [](const Document&, const Element&, const Element&, std::string& why_not) -> std::string {
    why_not = "Components are joined through groups and by the events they send.";
    return "";
  };
  return out;
}

}  // namespace ergode
