#include "solvers/reliability/notation.h"

namespace ergode {
namespace {

using Type = PropertyType;

PropertySpec for_model(PropertySpec spec, std::vector<std::string> models) {
  spec.group = "Parameter set";
  spec.when_property = "model";
  spec.when_values = std::move(models);
  return spec;
}

}  // namespace

const std::vector<Choice>& ccf_models() {
  static const std::vector<Choice> models = {{"bfr", "Binomial failure rate"},
                                             {"beta", "Beta factor"},
                                             {"mgl", "Multiple Greek letters"},
                                             {"alpha_staggered", "Alpha factors, staggered"},
                                             {"alpha_nonstaggered", "Alpha factors, non-staggered"}};
  return models;
}

NotationSpec reliability_notation() {
  NotationSpec out;
  out.name = "system";
  out.kinds =
      {{.kind = "ccf_group",
        .label = "Common-cause group",
        .shape = Shape::group,
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
              .required = true},
             {.name = "cause",
              .label = "Cause",
              .type = Type::text,
              .group = "Identity",
              .help = "The name that the members' chart uses in ccf(...).",
              .required = true},
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
              .when_values = {"rate"}},
             {.name = "source",
              .label = "Source",
              .type = Type::text,
              .group = "Notes",
              .help = "Where the numbers come from."},
             {.name = "description", .label = "Notes", .type = Type::notes, .group = "Notes", .help = "Assumptions."}}},
       {.kind = "membership",
        .label = "Membership",
        .section = Section::edge,
        .shape = Shape::membership,
        .shortcut = "M",
        .icon = "membership",
        .named = false,
        .help = "The component (all of an array) belongs to the group.",
        .properties = {
            {.name = "description", .label = "Notes", .type = Type::notes, .group = "Notes", .help = "Remarks."}}}};
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
  return out;
}

const PropertySpec& ccf_property(std::string_view name) {
  static const NotationSpec notation = reliability_notation();
  return *notation.kind("ccf_group")->property(name);
}

}  // namespace ergode
