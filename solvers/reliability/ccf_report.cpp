#include "solvers/reliability/ccf_report.h"

#include <iterator>

#include "core/base/text.h"
#include "solvers/reliability/ccf_group.h"
#include "solvers/reliability/notation.h"

namespace ergode {
namespace {

constexpr double hour_s = 3600.0;

std::string law_text(const DelayLaw& law) {
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

/// " in Running.FirstHour", where there are several cases to tell apart.
std::string in_states(const CcfGroupFacts& group, const CcfCase& one) {
  return group.cases.size() > 1 ? " in " + one.states : std::string();
}

ReportTable given_table(const CcfGroupFacts& group) {
  const double scale = group.scale();
  const std::string unit = group.on_demand ? "per demand" : "/h";
  ReportTable t;
  t.caption = "Group " + group.name + " as it was run";
  t.columns = {"Parameter", "Meaning", "Value", "Unit"};
  for (const CcfCase& one : group.cases)
    if (!group.drives_single || one.independent != 0.0)
      t.rows.push_back({"\u03bb",
                        (group.drives_single ? "own failures of one member, drawn in its chart beside the group's"
                                             : "independent failures of one member, drawn in its chart") +
                            in_states(group, one),
                        one.independent ? number_text(*one.independent * scale, 6) : "not constant", unit});
  if (group.bfr) {
    const BfrRates& r = *group.bfr;
    t.rows.push_back({"\u03bc", "non-lethal shocks", number_text(r.mu * scale, 6), unit});
    t.rows.push_back(
        {"\u03c1", "probability that a non-lethal shock affects a given member", number_text(r.rho, 6), "1"});
    t.rows.push_back({"\u03c9", "lethal shocks", number_text(r.omega * scale, 6), unit});
  }
  for (const CcfCase& one : group.cases)
    t.rows.push_back({"Qt",
                      std::string(one.independent || group.drives_single ? "all failures of one member"
                                                                         : "failures of one member by shocks") +
                          in_states(group, one),
                      number_text(total_component_rate(one.rates) * scale, 6), unit});
  if (!group.on_demand) t.rows.push_back({"F", "delay from shock to failure", delay_text(group), ""});
  t.rows.push_back({"", "source", group.source.empty() ? "not stated" : group.source, ""});
  return t;
}

ReportTable equivalent_table(const CcfGroupFacts& group, const CcfCase& one) {
  ReportTable t;
  t.caption = "Equivalent parameter sets of group " + group.name + in_states(group, one);
  t.columns = {"k", "Alpha factor, non-staggered", "Alpha factor, staggered", "Multiple Greek letter"};
  const auto plain = alpha_factors(one.rates), staggered = alpha_factors(one.rates, Testing::staggered),
             mgl = mgl_factors(one.rates);
  static const char* const letters[] = {"\u03b2", "\u03b3", "\u03b4", "\u03b5", "\u03b6", "\u03b7", "\u03b8"};
  for (std::size_t k = 0; k < plain.size(); ++k) {
    std::string letter;
    if (k >= 1)
      letter = (k <= std::size(letters) ? std::string(letters[k - 1]) + " = " : "") + number_text(mgl[k - 1], 6);
    t.rows.push_back({std::to_string(k + 1), number_text(plain[k], 6), number_text(staggered[k], 6), letter});
  }
  t.note = "Beta factor: " + number_text(beta_factor(one.rates), 6) +
           ". The sets describe the same instantaneous events; a delay law is not part of them.";
  return t;
}

void expansion_tables(const CcfGroupFacts& group, const CcfCase& one, ReportSection& section) {
  const CcfExpansion& expansion = one.expansion;
  const std::string quantity = (group.on_demand ? "Probability of each" : "Rate of each [/h]");
  const double scale = group.scale();
  ReportTable orders;
  orders.caption = "Expansion of group " + group.name + in_states(group, one) + ": " +
                   number_text(expansion.set_count, 15) + " basic events";
  orders.columns = {"Members that fail together", "Combinations", quantity, "Total", "Share"};
  for (const ExpandedOrder& o : expansion.orders)
    orders.rows.push_back({std::to_string(o.k), number_text(o.combinations, 12), number_text(o.specific * scale, 6),
                           number_text(o.total * scale, 6), number_text(100 * o.share, 4) + " %"});
  section.tables.push_back(orders);

  ReportTable sets;
  sets.caption = "Basic events of group " + group.name + in_states(group, one);
  sets.columns = {"Members", quantity};
  for (const ExpandedSet& s : expansion.sets) sets.rows.push_back({s.members, number_text(s.specific * scale, 6)});
  if (static_cast<double>(expansion.sets.size()) < expansion.set_count)
    sets.note = "The first " + std::to_string(expansion.sets.size()) + " of " + number_text(expansion.set_count, 15) +
                " are listed.";
  if (!sets.rows.empty()) section.tables.push_back(sets);
}

CcfCase case_of(const CcfGroup& group, const CcfExposure* exposure, std::size_t listed_sets) {
  CcfCase out;
  if (exposure != nullptr) out.states = states_text(*exposure), out.independent = exposure->independent;
  else out.independent = 0.0;
  out.rates = group.orders;
  // Beside a group that drives them itself, own failures are others: they are no part of what the group means.
  if (group.independent_in_chart && !out.rates.specific.empty()) {
    double& single = out.rates.specific.front();
    const double own = out.independent.value_or(0.0);
    single = group.demand ? single + own - single * own : single + own;
  }
  out.expansion = expand(out.rates, group.member_names, listed_sets);
  return out;
}

}  // namespace

std::string delay_text(const CcfGroupFacts& group) {
  std::string out = law_text(group.law);
  if (group.law.kind == DelayLaw::Kind::none || !group.drives_single) return out;
  return out + (group.law.delays_single ? "; failures of one member alone are delayed too"
                                        : "; failures of one member alone are not delayed");
}

CcfGroupFacts ccf_group_facts(const Document& document, const CcfGroup& group, std::size_t listed_sets) {
  CcfGroupFacts facts;
  facts.name = group.name;
  facts.model = group.model;
  facts.on_demand = group.demand;
  facts.drives_single = !group.independent_in_chart;
  facts.law = group.delay;
  facts.members = group.member_names;
  if (group.model == "bfr") facts.bfr = group.bfr;
  if (const Element* element = document.find(group.element)) facts.source = element->text("source");
  for (const CcfExposure& exposure : group.exposures) facts.cases.push_back(case_of(group, &exposure, listed_sets));
  if (facts.cases.empty()) facts.cases.push_back(case_of(group, nullptr, listed_sets));
  return facts;
}

std::optional<CcfGroupFacts> ccf_group_facts(const Document& document, ElementId group, const RunRequest& request,
                                             Diagnostics& problems, std::size_t listed_sets) {
  const auto lowered = lower_group(document, group, request, problems);
  if (!lowered) return std::nullopt;
  return ccf_group_facts(document, *lowered, listed_sets);
}

ReportSection ccf_report_section(const CcfGroupFacts& group) {
  ReportSection section;
  section.heading = "Group " + group.name;
  section.paragraphs.push_back("Members: " + std::to_string(group.members.size()) +
                               ". Model: " + choice_label(ccf_models(), group.model) + ". " +
                               (group.on_demand ? "Failures on demand." : "Failures in operation."));
  std::string where;
  for (const CcfCase& one : group.cases) where += (where.empty() ? "" : "; ") + one.states;
  section.paragraphs.push_back(where.empty()     ? "No state is drawn in which this group can strike a member."
                               : group.on_demand ? "The tables hold for demands asked in: " + where + "."
                                                 : "The tables hold for members in: " + where + ".");
  section.tables.push_back(given_table(group));
  for (const CcfCase& one : group.cases) {
    if (!one.independent)
      section.paragraphs.push_back("The own failures of members in " + one.states +
                                   " are no constant rate, so the factors and the expansion for them cover the group "
                                   "alone.");
    section.tables.push_back(equivalent_table(group, one));
    expansion_tables(group, one, section);
  }
  return section;
}

std::vector<DataSection> ccf_report_sections(const Document& document, const std::vector<CcfGroup>& groups) {
  std::vector<DataSection> sections;
  for (const CcfGroup& group : groups)
    sections.push_back({group.element, ccf_report_section(ccf_group_facts(document, group))});
  return sections;
}

}  // namespace ergode
