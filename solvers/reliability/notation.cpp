#include "solvers/reliability/notation.h"

#include <algorithm>
#include <set>

#include "core/base/text.h"
#include "core/document/command.h"
#include "core/drawing/node_pen.h"
#include "core/report/report_section.h"
#include "solvers/reliability/ccf_parameters.h"
#include "solvers/reliability/ccf_preview.h"
#include "statecharts/lower/common_cause.h"

namespace ergode {
namespace {

using Type = PropertyType;

PropertySpec for_model(PropertySpec spec, std::vector<std::string> models) {
  spec.group = "Parameter set";
  spec.when_property = "model";
  spec.when_values = std::move(models);
  return spec;
}

/// A hexagon with the badge that transitions carry, and the model in a few words.
void draw_group(NodePen& pen) {
  const Rect b = pen.box();
  const double tip = std::min(14.0, b.width / 6);
  const Point c = b.centre();
  pen.polygon({{b.x + tip, b.y},
               {b.right() - tip, b.y},
               {b.right(), c.y},
               {b.right() - tip, b.bottom()},
               {b.x + tip, b.bottom()},
               {b.x, c.y}},
              pen.border(Role::ccf), pen.fill(Role::canvas))
      .line_width = pen.weight();
  pen.centred({c.x, c.y - 8}, prefixed("CCF", pen.element().name()), name_font, Role::ccf, b.width - 2 * tip);
  const std::string model = pen.text("model", "bfr");
  std::string words = model == "bfr"               ? "binomial failure rate"
                      : model == "beta"            ? "beta factor"
                      : model == "mgl"             ? "MGL"
                      : model == "alpha_staggered" ? "alpha factor, staggered"
                                                   : "alpha factor";
  if (pen.text("applies_to", "rate") == "demand") words += ", on demand";
  pen.centred({c.x, c.y + 9}, words, {11}, Role::muted, b.width - tip - 6);
  pen.badge({b.right() - tip, b.y + 2});
}

/// What a group asks of its members is said in the words of their chart: the last member's.
ElementId chart_of_members(const Document& document, const Element& group) {
  ElementId chart;
  for (const Element* edge : document.incident(group.id)) {
    const Element* member = document.find(edge->source == group.id ? edge->target : edge->source);
    if (member == nullptr) continue;
    const Element* named = document.named(Section::diagram, member->text("chart"));
    chart = named != nullptr ? named->id : ElementId();
  }
  return chart;
}

constexpr std::size_t most_offers = 4;

/// Causes that the charts of the group's members wait for, or any chart when it has no members yet.
std::vector<QuickFix> take_cause(const Document& document, ElementId group) {
  std::set<std::string> charts, driven;
  for (const Element* edge : document.incident(group))
    for (const ElementId end : {edge->source, edge->target})
      if (const Element* member = document.find(end); member != nullptr && member->kind == "component")
        charts.insert(member->text("chart"));
  std::vector<std::string> causes;
  for (const Element& element : document.elements()) {
    if (element.kind == "ccf_group" && element.id != group) driven.insert(element.text("cause"));
    const Element* diagram = document.find(element.diagram);
    if (element.kind != "transition" || diagram == nullptr) continue;
    if (!charts.empty() && !charts.contains(diagram->name())) continue;
    const std::string cause = common_cause_of(element);
    if (is_identifier(cause) && std::find(causes.begin(), causes.end(), cause) == causes.end()) causes.push_back(cause);
  }
  // What nobody drives yet is meant more often than what has a group already.
  std::stable_partition(causes.begin(), causes.end(), [&](const std::string& c) { return !driven.contains(c); });
  std::vector<QuickFix> out;
  for (const std::string& cause : causes) {
    if (out.size() == most_offers) break;
    Edit edit(document, "Cause " + cause);
    edit.set(group, "cause", cause);
    out.push_back({"Take the cause " + cause, std::make_shared<const Command>(edit.finish())});
  }
  return out;
}

}  // namespace

NotationSpec reliability_notation() {
  NotationSpec out;
  out.name = "system";
  out.kinds =
      {{.kind = "ccf_group",
        .label = "Common-cause group",
        .shortcut = "G",
        .icon = "ccf_group",
        .width = 150,
        .height = 44,
        .help = "Components that can fail together. Join it to its members; in their chart, draw the failure with the "
                "trigger "
                "ccf(cause) (rates) or the guard ccf(cause) (demands).",
        .properties =
            {{.name = "name",
              .label = "Name",
              .type = Type::text,
              .group = "Identity",
              .help = "Shown on the badge.",
              .required = true,
              .absence_told_elsewhere = true},
             {.name = "cause",
              .label = "Cause",
              .type = Type::text,
              .group = "Identity",
              .help = "The name that the members' chart uses in ccf(...).",
              .required = true,
              .absence_told_elsewhere = true},
             {.name = "applies_to",
              .label = "Applies to",
              .type = Type::choice,
              .group = "Identity",
              .default_text = "rate",
              .choices = {{"rate", "In operation"}, {"demand", "On demand"}},
              .help = "Failures in operation (rates) or on demand (probabilities)."},
             {.name = "model",
              .label = "Model",
              .type = Type::choice,
              .group = "Identity",
              .default_text = "bfr",
              .choices = ccf_models(),
              .help = "Binomial failure rate (Atwood), beta factor, multiple Greek letters, or alpha factors "
                      "for staggered or "
                      "non-staggered testing. In the binomial model the independent failures are drawn in the "
                      "chart; in the "
                      "others `total` covers them too (see Independent failures)."},
             for_model({.name = "mu",
                        .label = "Non-lethal shocks",
                        .type = Type::quantity,
                        .default_text = "0 /h",
                        .dimension = "*",
                        .dimension_of = "applies_to",
                        .dimensions = {{"rate", "/h"}, {"demand", ""}},
                        .help = "mu: rate of non-lethal shocks, >= 0 (on demand: probability of one)."},
                       {"bfr"}),
             for_model({.name = "rho",
                        .label = "Affected by a shock",
                        .type = Type::quantity,
                        .default_text = "0",
                        .dimension = "",
                        .help = "rho: probability that a given member is affected by a non-lethal shock, 0 ... 1."},
                       {"bfr"}),
             for_model({.name = "omega",
                        .label = "Lethal shocks",
                        .type = Type::quantity,
                        .default_text = "0 /h",
                        .dimension = "*",
                        .dimension_of = "applies_to",
                        .dimensions = {{"rate", "/h"}, {"demand", ""}},
                        .help = "omega: rate of lethal shocks, >= 0 (on demand: probability of one)."},
                       {"bfr"}),
             for_model({.name = "total",
                        .label = "Total of one member",
                        .type = Type::quantity,
                        .dimension = "*",
                        .dimension_of = "applies_to",
                        .dimensions = {{"rate", "/h"}, {"demand", ""}},
                        .help = "Q_t: failure rate, or probability on demand, of one member from all causes: the sum "
                                "of the probabilities "
                                "of its independent events. Where that sum is not small, the member fails less "
                                "often, because several of "
                                "them may happen at once."},
                       {"beta", "mgl", "alpha_staggered", "alpha_nonstaggered"}),
             for_model({.name = "beta",
                        .label = "Beta",
                        .type = Type::quantity,
                        .default_text = "0",
                        .dimension = "",
                        .help = "Share of a member's failures that take the whole group, 0 ... 1."},
                       {"beta"}),
             for_model({.name = "mgl",
                        .label = "Greek letters",
                        .type = Type::expression,
                        .dimension = "",
                        .help = "[beta, gamma, delta, ...]: one fewer than the members, each 0 ... 1."},
                       {"mgl"}),
             for_model({.name = "alphas",
                        .label = "Alpha factors",
                        .type = Type::expression,
                        .dimension = "",
                        .help = "[alpha_1, ..., alpha_n]: one for each member; they sum to one."},
                       {"alpha_staggered", "alpha_nonstaggered"}),
             for_model({.name = "independent",
                        .label = "Independent failures",
                        .type = Type::choice,
                        .default_text = "group",
                        .choices = {{"group", "The group"}, {"chart", "The chart"}},
                        .help = "Who fails one member alone. The group: this group does, and the chart draws no "
                                "rate of its own for the same failure. The chart: it draws the independent "
                                "part, (1 - beta) of the total, and the group causes shared failures only."},
                       {"beta", "mgl", "alpha_staggered", "alpha_nonstaggered"}),
             {.name = "delay_law",
              .label = "Delay law",
              .type = Type::choice,
              .group = "Staggering",
              .default_text = "none",
              .choices = {{"none", "None"},
                          {"exponential", "Exponential"},
                          {"uniform", "Uniform"},
                          {"truncated_exponential", "Truncated exponential"}},
              .help = "How long after the shock an affected member fails; drawn for each member and shock.",
              .when_property = "applies_to",
              .when_values = {"rate"}},
             {.name = "delay_mean",
              .label = "Mean delay",
              .type = Type::quantity,
              .group = "Staggering",
              .default_text = "0 h",
              .dimension = "h",
              .help = "Mean of the exponential delay (before truncation), > 0.",
              .when_property = "delay_law",
              .when_values = {"exponential", "truncated_exponential"}},
             {.name = "delay_window",
              .label = "Delay window",
              .type = Type::quantity,
              .group = "Staggering",
              .default_text = "0 h",
              .dimension = "h",
              .help = "Longest delay, > 0.",
              .when_property = "delay_law",
              .when_values = {"uniform", "truncated_exponential"}},
             {.name = "delay_acts_on",
              .label = "Delay acts on",
              .type = Type::choice,
              .group = "Staggering",
              .default_text = "shared",
              .choices = {{"shared", "Shared failures"}, {"all", "All failures"}},
              .help = "Shared failures: those of two or more members; one that fails alone fails at once, as an "
                      "independent failure does. All failures: every one that this group causes, also of a single "
                      "member. In the binomial model a shock acts after the delay whomever it affects.",
              .when_property = "model",
              .when_values = {"beta", "mgl", "alpha_staggered", "alpha_nonstaggered"}},
             {.name = "exposed",
              .label = "Exposed while",
              .type = Type::predicate,
              .group = "Staggering",
              .default_text = "true",
              .help = "Condition on a member, in its own terms, for a shock to reach it: in(FirstHour).",
              .when_property = "applies_to",
              .when_values = {"rate"},
              .scope = chart_of_members},
             {.name = "source",
              .label = "Source",
              .type = Type::text,
              .group = "Notes",
              .help = "Where the numbers come from."},
             {.name = "description", .label = "Notes", .type = Type::notes, .group = "Notes", .help = "Assumptions."}},
        .stem = "CCF",
        .free_name = true,
        .ports = Ports::centres,
        .draw = draw_group,
        .pill_property = "cause",
        .report_data = DataInReport{.data = "common-cause parameters",
                                    .heading = "Common-cause groups",
                                    .given_caption = "Common-cause groups as given",
                                    .given_note = "The expansion of the groups into their events is not available for "
                                                  "this run.",
                                    .none = "The model has no common-cause groups.",
                                    .expected_in = {"statechart", "system"}},
        .preview = ccf_preview},
       {.kind = "membership",
        .label = "Membership",
        .section = Section::edge,
        .shortcut = "M",
        .icon = "membership",
        .named = false,
        .help = "The component (all of an array) belongs to the group.",
        .properties =
            {{.name = "description", .label = "Notes", .type = Type::notes, .group = "Notes", .help = "Remarks."}},
        .edge_look =
            [](const Element&) { return EdgeLook{.role = Role::ccf, .head = ArrowHead::none, .dash = Dash::dashed}; },
        .binds = true}};
  out.refuse_parent = [](const Document&, const std::string& kind, const Element* parent) -> std::string {
    (void)kind;
    return parent == nullptr ? "" : "Groups stand directly in the diagram.";
  };
  out.edge_kind = [](const Document&, const Element& source, const Element& target,
                     std::string& why_not) -> std::string {
    const bool joins = (source.kind == "ccf_group" && target.kind == "component") ||
                       (source.kind == "component" && target.kind == "ccf_group");
    if (joins) return "membership";
    why_not = "A group is joined to components.";
    return "";
  };
  out.fixes = [](const Document& document, const Diagnostic& problem) {
    return problem.code == "CCF021" ? take_cause(document, problem.element) : std::vector<QuickFix>();
  };
  return out;
}

const PropertySpec& ccf_property(std::string_view name) {
  static const NotationSpec notation = reliability_notation();
  return *notation.kind("ccf_group")->property(name);
}

}  // namespace ergode
