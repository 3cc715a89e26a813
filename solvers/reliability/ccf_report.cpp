#include "solvers/reliability/ccf_report.h"

#include <iterator>

#include "core/base/text.h"
#include "solvers/model/analysis_model.h"
#include "solvers/reliability/ccf_expansion.h"

namespace ergode {
namespace {

constexpr double hour_s = 3600.0;
constexpr std::size_t listed_sets = 24;

std::string model_text(const std::string& model) {
  if (model == "bfr") return "binomial failure rate (Atwood)";
  if (model == "beta") return "beta factor";
  if (model == "mgl") return "multiple Greek letters";
  if (model == "alpha_staggered") return "alpha factors, staggered testing";
  if (model == "alpha_nonstaggered") return "alpha factors, non-staggered testing";
  return model;
}

std::string delay_text(const DelayLaw& law) {
  const auto hours = [](double s) { return number_text(s / hour_s, 6) + " h"; };
  switch (law.kind) {
    case DelayLaw::Kind::none:
      return "none: members fail at the shock";
    case DelayLaw::Kind::exponential:
      return "exponential with mean " + hours(law.mean_s);
    case DelayLaw::Kind::uniform:
      return "uniform on 0 to " + hours(law.window_s);
    case DelayLaw::Kind::truncated_exponential:
      return "exponential with mean " + hours(law.mean_s) + ", truncated at " + hours(law.window_s);
  }
  return "";
}

ReportTable given_table(const CcfGroupFacts& group, double scale, const std::string& unit) {
  ReportTable t;
  t.caption = "Group " + group.name + " as it was run";
  t.columns = {"Parameter", "Meaning", "Value", "Unit"};
  if (group.bfr) {
    const BfrRates& r = *group.bfr;
    t.rows.push_back({"\u03bb", "independent failures of one member, drawn in its chart",
                      group.independent_known ? number_text(r.lambda_ind * scale, 6) : "not a constant rate", unit});
    t.rows.push_back({"\u03bc", "non-lethal shocks", number_text(r.mu * scale, 6), unit});
    t.rows.push_back(
        {"\u03c1", "probability that a non-lethal shock affects a given member", number_text(r.rho, 6), "1"});
    t.rows.push_back({"\u03c9", "lethal shocks", number_text(r.omega * scale, 6), unit});
  }
  t.rows.push_back(
      {"Qt", "all failures of one member", number_text(total_component_rate(group.rates) * scale, 6), unit});
  if (!group.on_demand) t.rows.push_back({"F", "delay from shock to failure", delay_text(group.law), ""});
  t.rows.push_back({"", "source", group.source.empty() ? "not stated" : group.source, ""});
  return t;
}

ReportTable equivalent_table(const CcfGroupFacts& group) {
  ReportTable t;
  t.caption = "Equivalent parameter sets of group " + group.name;
  t.columns = {"k", "Alpha factor, non-staggered", "Alpha factor, staggered", "Multiple Greek letter"};
  const auto plain = alpha_factors(group.rates), staggered = alpha_factors(group.rates, Testing::staggered),
             mgl = mgl_factors(group.rates);
  static const char* const letters[] = {"\u03b2", "\u03b3", "\u03b4", "\u03b5", "\u03b6", "\u03b7", "\u03b8"};
  for (std::size_t k = 0; k < plain.size(); ++k) {
    std::string letter;
    if (k >= 1)
      letter = (k <= std::size(letters) ? std::string(letters[k - 1]) + " = " : "") + number_text(mgl[k - 1], 6);
    t.rows.push_back({std::to_string(k + 1), number_text(plain[k], 6), number_text(staggered[k], 6), letter});
  }
  t.note = "Beta factor: " + number_text(beta_factor(group.rates), 6) +
           ". The sets describe the same instantaneous events; a delay law is not part of them.";
  return t;
}

/// Sum of the constant failure rates of a member's chart; nothing when one of them is not constant, or there is none.
std::optional<double> independent_rate(const AnalysisModel& model, std::uint32_t instance) {
  const StateChart& chart = model.charts.charts[model.charts.instances[instance].chart].chart;
  std::optional<double> sum;
  for (const TimerSpec& timer : model.charts.timers) {
    if (timer.instance != instance || chart.transitions[timer.transition].role != TransitionRole::failure) continue;
    if (timer.kind == Trigger::Kind::common_cause) continue;
    if (timer.kind != Trigger::Kind::rate || !timer.constant) return std::nullopt;
    sum = sum.value_or(0.0) + 1.0 / timer.value;
  }
  return sum;
}

}  // namespace

ReportSection ccf_report_section(const CcfGroupFacts& group) {
  const double scale = group.on_demand ? 1.0 : hour_s;
  const std::string unit = group.on_demand ? "per demand" : "/h";
  ReportSection section;
  section.heading = "Group " + group.name;
  section.paragraphs.push_back("Members: " + std::to_string(group.rates.n()) + ". Model: " + model_text(group.model) +
                               ". " + (group.on_demand ? "Failures on demand." : "Failures in operation."));
  if (!group.independent_known)
    section.paragraphs.push_back(
        "The independent failures of the members are not a constant rate, so the factors and the expansion below "
        "cover the shocks alone.");
  section.tables.push_back(given_table(group, scale, unit));
  section.tables.push_back(equivalent_table(group));

  const CcfExpansion expansion = expand(group.rates, group.members, listed_sets);
  const std::string quantity = (group.on_demand ? "Probability of each" : "Rate of each [/h]");
  ReportTable orders;
  orders.caption = "Expansion of group " + group.name + ": " + number_text(expansion.set_count, 15) + " basic events";
  orders.columns = {"Members that fail together", "Combinations", quantity, "Total", "Share"};
  for (const ExpandedOrder& o : expansion.orders)
    orders.rows.push_back({std::to_string(o.k), number_text(o.combinations, 12), number_text(o.specific * scale, 6),
                           number_text(o.total * scale, 6), number_text(100 * o.share, 4) + " %"});
  section.tables.push_back(orders);

  ReportTable sets;
  sets.caption = "Basic events of group " + group.name;
  sets.columns = {"Members", quantity};
  for (const ExpandedSet& s : expansion.sets) sets.rows.push_back({s.members, number_text(s.specific * scale, 6)});
  if (static_cast<double>(expansion.sets.size()) < expansion.set_count)
    sets.note = "The first " + std::to_string(expansion.sets.size()) + " of " + number_text(expansion.set_count, 15) +
                " are listed.";
  if (!sets.rows.empty()) section.tables.push_back(sets);
  return section;
}

std::vector<ReportSection> ccf_report_sections(const Document& document, const AnalysisModel& model) {
  std::vector<ReportSection> sections;
  for (const CcfGroup& group : model.groups) {
    CcfGroupFacts facts;
    facts.name = group.name;
    facts.model = group.model;
    facts.on_demand = group.demand;
    facts.rates = group.orders;
    facts.law = group.delay;
    facts.members = group.member_names;
    if (const Element* element = document.find(group.element)) facts.source = element->text("source");
    if (group.model == "bfr") {
      facts.bfr = group.bfr;
      const auto independent =
          group.demand || group.members.empty() ? std::nullopt : independent_rate(model, group.members.front());
      facts.independent_known = independent.has_value();
      facts.bfr->lambda_ind = independent.value_or(0.0);
      facts.rates = order_rates(*facts.bfr, group.orders.n());
    }
    sections.push_back(ccf_report_section(facts));
  }
  return sections;
}

}  // namespace ergode
