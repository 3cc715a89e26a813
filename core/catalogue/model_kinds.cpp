#include "core/catalogue/model_kinds.h"

namespace ergode {
namespace {

using Type = PropertyType;

KindSpec header_kind() {
  return {.kind = "model", .label = "Model", .section = Section::model, .icon = "model", .named = true,
          .help = "The model as a whole.",
          .properties = {
              {.name = "name", .label = "Name", .type = Type::text, .group = "Identity", .help = "Title of the model and its report.",
               .required = true},
              {.name = "question", .label = "Question", .type = Type::notes, .group = "Identity", .help = "What the model answers."},
              {.name = "horizon", .label = "Mission time", .type = Type::quantity, .group = "Run", .default_text = "24 h",
               .dimension = "h", .help = "Model time that each replication covers, > 0."},
              {.name = "time_unit", .label = "Time unit", .type = Type::text, .group = "Run", .default_text = "h",
               .help = "Unit of time on axes and in tables."},
              {.name = "replications", .label = "Replications", .type = Type::integer, .group = "Run", .default_text = "100000",
               .help = "How many replications a run makes unless the user says otherwise, >= 1."},
              {.name = "seed", .label = "Seed", .type = Type::integer, .group = "Run", .default_text = "1",
               .help = "Seed of a run unless the user gives another."},
              {.name = "assumptions", .label = "Assumptions", .type = Type::notes, .group = "Notes", .help = "Listed in the report."},
              {.name = "description", .label = "Notes", .type = Type::notes, .group = "Notes", .help = "Scope, open problems."}}};
}

KindSpec parameter_kind() {
  return {.kind = "parameter", .label = "Parameter", .section = Section::parameter, .icon = "parameter",
          .help = "A named value with its unit and source; scenarios and runs may give it another.",
          .properties = {
              {.name = "name", .label = "Name", .type = Type::text, .group = "Identity", .help = "Letters, digits and _; unique.",
               .required = true},
              {.name = "type", .label = "Type", .type = Type::choice, .group = "Value", .default_text = "real",
               .choices = {"real", "integer", "boolean", "time", "choice"}, .help = "What values it takes."},
              {.name = "value", .label = "Value", .type = Type::expression, .group = "Value", .dimension = "*",
               .help = "A value with unit, or an expression of other parameters.", .required = true},
              {.name = "unit", .label = "Unit", .type = Type::text, .group = "Value", .help = "Unit it is shown in: /h, h, 1."},
              {.name = "choices", .label = "Choices", .type = Type::text, .group = "Value",
               .help = "For a choice: the words it may be, separated by commas.", .when_property = "type", .when_values = {"choice"}},
              {.name = "minimum", .label = "Minimum", .type = Type::expression, .group = "Value", .dimension = "*",
               .help = "Least value allowed; empty: none."},
              {.name = "maximum", .label = "Maximum", .type = Type::expression, .group = "Value", .dimension = "*",
               .help = "Greatest value allowed; empty: none."},
              {.name = "source", .label = "Source", .type = Type::text, .group = "Notes", .help = "Where the value comes from."},
              {.name = "description", .label = "Meaning", .type = Type::text, .group = "Identity", .help = "What it is."}}};
}

KindSpec measure_kind() {
  return {.kind = "measure", .label = "Measure", .section = Section::measure, .icon = "measure",
          .help = "A quantity asked of the model.",
          .properties = {
              {.name = "name", .label = "Name", .type = Type::text, .group = "Identity",
               .help = "Letters, digits and _; with an index, {m} stands for its value: failed_{m}.", .required = true},
              {.name = "label", .label = "Label", .type = Type::text, .group = "Identity", .help = "For tables and plots."},
              {.name = "type", .label = "Type", .type = Type::choice, .group = "Question", .default_text = "probability_at",
               .choices = {"probability_at", "probability_by", "time_average", "count", "time_to", "final_value"},
               .help = "Probability that the condition holds at a time, or has held by a time; time average of an expression; "
                       "number of events; time until the condition first holds; value at the end."},
              {.name = "expression", .label = "Expression", .type = Type::expression, .group = "Question", .dimension = "*",
               .help = "Condition or value: count(EDG[*].Failed) >= 3, in(Plant.Damaged)."},
              {.name = "event", .label = "Event", .type = Type::text, .group = "Question",
               .help = "For a count: the event (raised, sent or recorded) that is counted; empty: how often the condition becomes true.",
               .when_property = "type", .when_values = {"count"}},
              {.name = "at", .label = "At or by", .type = Type::quantity, .group = "Question", .dimension = "h",
               .help = "Model time; empty: the mission time.", .when_property = "type",
               .when_values = {"probability_at", "probability_by"}},
              {.name = "curve", .label = "Curve", .type = Type::integer, .group = "Question", .default_text = "48",
               .help = "Points of the curve over the mission; 0: none.", .when_property = "type",
               .when_values = {"probability_at", "probability_by", "time_average"}},
              {.name = "index", .label = "Index", .type = Type::text, .group = "Family",
               .help = "Name of a running index that makes a family of measures, used in name, label and expression."},
              {.name = "from", .label = "From", .type = Type::integer, .group = "Family", .default_text = "0", .help = "First index."},
              {.name = "to", .label = "To", .type = Type::integer, .group = "Family", .default_text = "0", .help = "Last index."},
              {.name = "scale", .label = "Times", .type = Type::quantity, .group = "Presentation", .default_text = "1", .dimension = "*",
               .help = "Factor on the estimate, e.g. an initiating-event frequency."},
              {.name = "unit", .label = "Unit", .type = Type::text, .group = "Presentation", .help = "Unit it is shown in."},
              {.name = "headline", .label = "Headline", .type = Type::boolean, .group = "Presentation", .default_text = "false",
               .help = "Shown first; the precision asked of a run is asked of the headline measures."},
              {.name = "description", .label = "Notes", .type = Type::notes, .group = "Notes", .help = "Why it is asked."}}};
}

}  // namespace

std::vector<KindSpec> model_kinds() {
  return {
      header_kind(),
      parameter_kind(),
      {.kind = "diagram", .label = "Diagram", .section = Section::diagram, .icon = "diagram",
       .help = "One drawing.",
       .properties = {{.name = "name", .label = "Name", .type = Type::text, .group = "Identity",
                       .help = "Letters, digits and _; components name the chart by it.", .required = true},
                      {.name = "notation", .label = "Notation", .type = Type::text, .group = "Identity", .help = "How it is read.",
                       .required = true},
                      {.name = "description", .label = "Notes", .type = Type::notes, .group = "Notes", .help = "What it shows."}}},
      measure_kind(),
      {.kind = "scenario", .label = "Scenario", .section = Section::scenario, .icon = "scenario",
       .help = "A named set of parameter values.",
       .properties = {{.name = "name", .label = "Name", .type = Type::text, .group = "Identity", .help = "Unique.", .required = true},
                      {.name = "values", .label = "Values", .type = Type::arguments, .group = "Value",
                       .help = "repair_crews = 0, grace_time = 8 h."},
                      {.name = "description", .label = "Notes", .type = Type::notes, .group = "Notes", .help = "What it stands for."}}}};
}

}  // namespace ergode
