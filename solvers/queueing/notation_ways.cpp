#include "solvers/queueing/notation_ways.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "core/base/text.h"
#include "core/document/command.h"
#include "core/expression/parameters.h"
#include "core/study/run_request.h"
#include "solvers/queueing/lowering/words.h"

namespace ergode {
namespace {

struct Way {
  const Element* flow;
  std::string text;             ///< of its probability; empty: it shares what is left
  std::optional<double> value;  ///< none where it changes while the model runs, or cannot be read
};

/// Ways that belong together: of one class, taken for one reason.
struct Ways {
  std::vector<Way> ways;
  std::string of;     ///< " of class gold"; empty: of all
  double sum = 0.0;   ///< of those that are given
  bool known = true;  ///< All that are given are.
  std::size_t open = 0;

  bool wrong() const {
    constexpr double hair = 1e-9;
    return known && (sum > 1 + hair || (open == 0 && sum < 1 - hair));
  }
};

std::vector<Ways> ways_from(const Document& document, ElementId node, const RunRequest& request) {
  Diagnostics unsaid;  // the checks say it
  const auto table = ParameterTable::resolve(document, request.scenario, request.overrides, unsaid);
  ParameterScope scope(table);
  std::map<std::pair<std::string, std::string>, Ways> groups;
  for (const Element* edge : document.incident(node)) {
    if (edge->kind != "flow" || edge->source != node) continue;
    const std::string of(trim(edge->text("class"))), who = edge->text("taken_by", taken_by_words[0].name);
    Ways& group = groups[{of, who}];
    if (!of.empty()) group.of = " of class " + of;
    if (who != taken_by_words[0].name)
      for (const auto& word : taken_by_words)
        if (who == word.name) group.of += std::string(" of ") + word.label;
    Way way{edge, std::string(trim(edge->text("probability"))), {}};
    if (way.text.empty()) {
      ++group.open;
    } else {
      const std::size_t before = unsaid.size();
      const double value = PropertyReader(scope, unsaid).quantity(*edge, "probability", Dimension{}, 0.0);
      if (unsaid.size() == before) way.value = value, group.sum += value;
      else group.known = false;
    }
    group.ways.push_back(std::move(way));
  }
  std::vector<Ways> out;
  for (auto& [key, group] : groups) out.push_back(std::move(group));
  return out;
}

std::string name_of_target(const Document& document, const Element& flow) {
  const Element* target = document.find(flow.target);
  return target == nullptr ? "?" : target->name();
}

ReportTable table_of(const Document& document, const Ways& group) {
  ReportTable out{.caption = {}, .columns = {"To" + group.of, "Probability", "Value"}, .rows = {}, .note = {}};
  const double left = group.open > 0 ? std::max(0.0, 1 - group.sum) / static_cast<double>(group.open) : 0.0;
  for (const Way& way : group.ways) {
    const bool open = way.text.empty();
    std::string value = "changes";
    if (open) value = group.known ? number_text(left, 4) : "";
    else if (way.value) value = number_text(*way.value, 4);
    out.rows.push_back({name_of_target(document, *way.flow), open ? "what is left" : way.text, value});
  }
  if (group.known) {
    const double whole = group.open > 0 ? std::max(1.0, group.sum) : group.sum;
    out.rows.push_back({"Sum", group.wrong() ? "wanted 1" : "", number_text(whole, 4)});
  }
  return out;
}

/// The way's share of the sum, as a number where all are numbers, else as the expression that it is.
std::string normalised(const Ways& group, const Way& way) {
  std::string sum;
  bool numbers = true;
  for (const Way& one : group.ways) {
    if (one.text.empty()) continue;
    numbers = numbers && parse_number(one.text).has_value();
    sum += (sum.empty() ? "(" : " + (") + one.text + ")";
  }
  return numbers ? number_text(*way.value / group.sum, 15) : "(" + way.text + ") / (" + sum + ")";
}

}  // namespace

ReportSection ways_preview(const Document& document, ElementId node, const RunRequest& request) {
  ReportSection out;
  const Element* element = document.find(node);
  if (element == nullptr) return out;
  const std::string routing = element->text("routing", routing_words[0].name);
  for (const Ways& group : ways_from(document, node, request)) {
    if (group.ways.size() < 2 && (group.ways.empty() || group.ways.front().text.empty())) continue;
    out.heading = "Ways from here";
    out.tables.push_back(table_of(document, group));
  }
  if (!out.tables.empty() && routing != routing_words[0].name)
    out.paragraphs = {"Customers choose otherwise here: the probabilities do not count."};
  return out;
}

std::vector<QuickFix> network_fixes(const Document& document, const Diagnostic& problem) {
  if (problem.code != "QN003" || !problem.pointer.empty()) return {};
  Edit edit(document, "Normalise probabilities");
  bool any = false;
  for (const Ways& group : ways_from(document, problem.element, {})) {
    if (!group.wrong() || !(group.sum > 0)) continue;
    any = true;
    for (const Way& way : group.ways)
      if (way.value) edit.set(way.flow->id, "probability", normalised(group, way));
  }
  if (!any) return {};
  return {{"Normalise", std::make_shared<const Command>(edit.finish())}};
}

}  // namespace ergode
