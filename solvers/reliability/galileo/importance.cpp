#include "solvers/reliability/galileo/importance.h"

#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "solvers/markov/ctmc_solver.h"
#include "solvers/reliability/galileo/galileo.h"

namespace ergode {
namespace {

using Kind = TreeElement::Kind;

TreeValue number(double value) { return {number_text(value), value, {}}; }

Diagnostics refusals(const FaultTree& tree) {
  Diagnostics out;
  for (const TreeElement& e : tree.elements) {
    const bool fixed = e.law.first.number && (e.law.second.text.empty() || e.law.second.number);
    if (e.kind == Kind::basic_event && !fixed)
      out.push_back(
          tree_problem("GAL009", e.place, "\"" + quotable(e.name) + "\" depends on a parameter; wanted numbers."));
    if (e.kind != Kind::basic_event && e.kind != Kind::conjunction && e.kind != Kind::disjunction &&
        e.kind != Kind::vote)
      out.push_back(tree_problem(
          "GAL009", e.place, "\"" + quotable(e.name) + "\" makes the tree dynamic; importance is that of static trees.",
          "Wanted and, or, k of n only."));
  }
  return out;
}

void set_probability(FailureLaw& law, double probability, double time) {
  law = {};
  // Certain and impossible events need no clock, which keeps the chain small.
  const bool sure = probability <= 0.0 || probability >= 1.0;
  law.kind = sure ? FailureLaw::Kind::constant : FailureLaw::Kind::exponential;
  law.first = number(sure ? probability : -std::log1p(-probability) / time);
}

/// Leaves out what does not stand below the top event.
FaultTree below_top(const FaultTree& tree) {
  std::vector<int> place(tree.elements.size(), -1), open = {tree.top};
  place[static_cast<std::size_t>(tree.top)] = 0;
  while (!open.empty()) {
    const int e = open.back();
    open.pop_back();
    for (const TreeElement::Child& child : tree.at(e).children)
      if (place[static_cast<std::size_t>(child.element)] < 0)
        place[static_cast<std::size_t>(child.element)] = 0, open.push_back(child.element);
  }
  FaultTree out;
  for (std::size_t i = 0; i < tree.elements.size(); ++i)
    if (place[i] == 0) place[i] = static_cast<int>(out.elements.size()), out.elements.push_back(tree.elements[i]);
  for (TreeElement& e : out.elements)
    for (TreeElement::Child& child : e.children) child.element = place[static_cast<std::size_t>(child.element)];
  out.top = place[static_cast<std::size_t>(tree.top)];
  return out;
}

std::variant<double, Diagnostics> top_probability(const FaultTree& tree, double time) {
  const ReadOutcome model = model_of_tree(below_top(tree), "tree", {});
  if (!model.document) return model.diagnostics;
  RunRequest request;
  request.overrides["mission_time"] = number_text(time) + " h";
  request.error_bound = 1e-14;
  RunControl control;
  const ResultSet results = CtmcTransientSolver().solve(*model.document, request, control);
  const MeasureResult* top = results.measure("failed_by_end");
  if (results.status == RunStatus::failed || top == nullptr) return results.diagnostics;
  return top->estimate;
}

}  // namespace

double failure_probability(const FailureLaw& law, double time) {
  const double first = law.first.number.value_or(0.0), second = law.second.number.value_or(0.0);
  switch (law.kind) {
    case FailureLaw::Kind::exponential:
      return -std::expm1(-first * time);
    case FailureLaw::Kind::erlang:
      return boost::math::gamma_p(law.phases, first * time);
    case FailureLaw::Kind::weibull:
      return -std::expm1(-std::pow(time / first, second));
    case FailureLaw::Kind::lognormal:
      return 0.5 * std::erfc((first - std::log(time)) / (second * std::sqrt(2.0)));
    case FailureLaw::Kind::constant:
      return first;
  }
  return 0.0;
}

std::variant<TreeImportance, Diagnostics> tree_importance(const FaultTree& tree, double time) {
  if (Diagnostics reasons = refusals(tree); !reasons.empty()) return reasons;
  FaultTree equivalent = tree;
  for (TreeElement& e : equivalent.elements)
    if (e.kind == Kind::basic_event) set_probability(e.law, failure_probability(e.law, time), time);
  TreeImportance out;
  const auto solve = [&](double& into) -> Diagnostics {
    auto solved = top_probability(equivalent, time);
    if (auto* reasons = std::get_if<Diagnostics>(&solved)) return std::move(*reasons);
    into = std::get<double>(solved);
    return {};
  };
  if (Diagnostics reasons = solve(out.top); !reasons.empty()) return reasons;
  for (std::size_t i = 0; i < tree.elements.size(); ++i) {
    const TreeElement& event = tree.elements[i];
    if (event.kind != Kind::basic_event) continue;
    EventImportance one{event.name, failure_probability(event.law, time)};
    const FailureLaw law = equivalent.elements[i].law;
    for (const bool failed : {true, false}) {
      set_probability(equivalent.elements[i].law, failed ? 1.0 : 0.0, time);
      if (Diagnostics reasons = solve(failed ? one.with : one.without); !reasons.empty()) return reasons;
    }
    equivalent.elements[i].law = law;
    out.events.push_back(std::move(one));
  }
  return out;
}

}  // namespace ergode
