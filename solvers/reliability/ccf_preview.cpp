#include "solvers/reliability/ccf_preview.h"

#include <charconv>

#include "core/base/text.h"
#include "core/study/run_request.h"
#include "solvers/reliability/ccf_report.h"

namespace ergode {
namespace {

constexpr std::size_t listed_sets = 64;

/// "12.5 %"
std::string percent_of(double share) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, share * 100, std::chars_format::fixed, 1).ptr;
  return std::string(text, end) + " %";
}

/// "4 members, 11 combinations of two or more. Base parameter values."
std::string size_line(const CcfGroupFacts& facts, const RunRequest& request) {
  int combinations = 0;
  for (const ExpandedSet& set : facts.cases.front().expansion.sets) combinations += set.k >= 2;
  return std::to_string(facts.members.size()) + " members, " + std::to_string(combinations) +
         " combinations of two or more. " +
         (request.scenario.empty() ? "Base parameter values" : "Values of scenario " + request.scenario) + ".";
}

std::string case_line(const CcfGroupFacts& facts, const CcfCase& one) {
  const auto number = [&](double si) { return number_text(si * facts.scale(), 4); };
  std::string line = one.states.empty() ? "No state is drawn in which the group can strike a member."
                                        : "In " + one.states + ": total of one member " +
                                              number(total_component_rate(one.rates)) + (facts.on_demand ? "" : " /h");
  if (!one.independent) line += ", by the group alone (own failures are no constant rate)";
  else if (*one.independent > 0.0)
    line += facts.drives_single ? ", besides " + number(*one.independent) + " of its own"
                                : ", " + number(*one.independent) + " of it drawn in the chart";
  return line;
}

ReportTable orders_of(const CcfGroupFacts& facts, const std::string& unit) {
  ReportTable out;
  out.columns = {"k", "Sets"};
  for (const CcfCase& one : facts.cases) {
    const std::string in = facts.cases.size() > 1 ? " in " + one.states : "";
    out.columns.push_back("Each" + unit + in);
    out.columns.push_back("Share" + in);
  }
  const auto& orders = facts.cases.front().expansion.orders;
  for (std::size_t i = 0; i < orders.size(); ++i) {
    std::vector<std::string> row = {std::to_string(orders[i].k), number_text(orders[i].combinations, 6)};
    for (const CcfCase& one : facts.cases) {
      const ExpandedOrder& order = one.expansion.orders[i];
      row.push_back(number_text(order.specific * facts.scale(), 4));
      row.push_back(percent_of(order.share));
    }
    out.rows.push_back(std::move(row));
  }
  return out;
}

ReportTable sets_of(const CcfGroupFacts& facts, const std::string& unit) {
  ReportTable out;
  out.columns = {"Fail together"};
  for (const CcfCase& one : facts.cases) {
    const std::string in = facts.cases.size() > 1 ? " in " + one.states : "";
    out.columns.push_back(facts.on_demand ? "Probability" + in : "Rate" + in + unit);
  }
  const auto& sets = facts.cases.front().expansion.sets;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    if (sets[i].k < 2) continue;
    std::vector<std::string> row = {sets[i].members};
    for (const CcfCase& one : facts.cases)
      row.push_back(number_text(one.expansion.sets[i].specific * facts.scale(), 4));
    out.rows.push_back(std::move(row));
  }
  return out;
}

}  // namespace

ReportSection ccf_preview(const Document& document, ElementId group, const RunRequest& request) {
  ReportSection out{.heading = "Expansion"};
  Diagnostics problems;
  const auto facts = ccf_group_facts(document, group, request, problems, listed_sets);
  if (!facts) return out;
  if (facts->members.empty()) {
    out.paragraphs = {"Join the group to its members to see what it expands into."};
    return out;
  }
  if (has_errors(problems)) {
    out.paragraphs = {problems.front().message};
    return out;
  }
  const std::string unit = *facts->unit() == 0 ? "" : std::string(" [") + facts->unit() + "]";
  out.paragraphs = {size_line(*facts, request)};
  for (const CcfCase& one : facts->cases) out.paragraphs.push_back(case_line(*facts, one));
  if (!facts->on_demand) out.paragraphs.push_back("Delay: " + delay_text(*facts));
  out.tables = {orders_of(*facts, unit), sets_of(*facts, unit)};
  return out;
}

}  // namespace ergode
