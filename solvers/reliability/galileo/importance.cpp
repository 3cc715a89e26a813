#include "solvers/reliability/galileo/importance.h"

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "solvers/markov/decision_diagram.h"

namespace ergode {
namespace {

using TreeKind = TreeElement::Kind;

// Found out in some seconds, in either order of the events.
constexpr std::size_t most_nodes = 500000;

Diagnostics refusals(const FaultTree& tree) {
  Diagnostics out;
  for (const TreeElement& e : tree.elements) {
    const bool fixed = e.law.first.number && (e.law.second.text.empty() || e.law.second.number);
    if (e.kind == TreeKind::basic_event && !fixed)
      out.push_back(
          tree_problem("GAL009", e.place, "\"" + quotable(e.name) + "\" depends on a parameter; wanted numbers."));
    if (e.kind != TreeKind::basic_event && e.kind != TreeKind::conjunction && e.kind != TreeKind::disjunction &&
        e.kind != TreeKind::vote)
      out.push_back(tree_problem(
          "GAL009", e.place, "\"" + quotable(e.name) + "\" makes the tree dynamic; importance is that of static trees.",
          "Wanted and, or, k of n only."));
  }
  return out;
}

/// Sums over ranges of places; only additions, so that nothing cancels. O(log n) each.
class RangeSums {
 public:
  explicit RangeSums(std::size_t places) : places_(places), sums_(2 * places, 0.0) {}
  /// To every place in [first, end).
  void add(std::size_t first, std::size_t end, double value) {
    for (first += places_, end += places_; first < end; first /= 2, end /= 2) {
      if (first % 2 != 0) sums_[first++] += value;
      if (end % 2 != 0) sums_[--end] += value;
    }
  }
  double at(std::size_t place) const {
    double sum = 0.0;
    for (std::size_t i = place + places_; i > 0; i /= 2) sum += sums_[i];
    return sum;
  }

 private:
  std::size_t places_;
  std::vector<double> sums_;
};

/// The top event as a function of the basic events below it.
class TopEvent {
 public:
  /// @param small_first  Inputs with fewer events below them come first, instead of those written first.
  TopEvent(const FaultTree& tree, bool small_first, const Budget& budget)
      : tree_(tree),
        budget_(budget),
        function_(tree.elements.size(), DecisionDiagram::no),
        variable_(function_.size(), -1) {
    order_events(small_first);
  }

  /// False: the diagram grew too large, or somebody asked to stop.
  bool draw() {
    for (const int e : failing_order(tree_)) {
      const auto i = static_cast<std::size_t>(e);
      if (!below_[i]) continue;
      const auto f = tree_.at(e).kind == TreeKind::basic_event
                         ? std::optional(diagram_.variable(static_cast<std::uint32_t>(variable_[i])))
                         : gate(tree_.at(e), inputs_[i]);
      if (!f) return false;
      function_[i] = *f;
    }
    return true;
  }
  std::size_t size() const { return diagram_.size(); }

  /// @param probability  by element
  TreeImportance importance(const std::vector<double>& probability) const {
    const std::size_t events = event_.size();
    std::vector<double> p(events);
    for (std::size_t v = 0; v < events; ++v) p[v] = probability[static_cast<std::size_t>(event_[v])];
    const DecisionDiagram::Function top = function_[static_cast<std::size_t>(tree_.top)];
    // Branches have lower numbers than the node they leave, so the numbers are an order for both passes.
    std::vector<double> holds(top + std::size_t{2}, 0.0), reached(holds.size(), 0.0);
    holds[DecisionDiagram::yes] = 1.0;
    for (DecisionDiagram::Function f = 2; f <= top; ++f) {
      const double x = p[diagram_.first_variable(f)];
      holds[f] = (1.0 - x) * holds[diagram_.with(f, false)] + x * holds[diagram_.with(f, true)];
    }
    reached[top] = 1.0;
    std::vector<double> with(events, 0.0), without(events, 0.0);
    RangeSums past(events);  // by variable: probability of paths to the top event on which it is not asked for
    const auto place = [&](DecisionDiagram::Function f) {
      return diagram_.constant(f) ? events : diagram_.first_variable(f);
    };
    past.add(0, place(top), holds[top]);
    for (DecisionDiagram::Function f = top; f > 1; --f) {
      if (reached[f] == 0.0) continue;
      const std::size_t v = diagram_.first_variable(f);
      for (const bool failed : {false, true}) {
        const DecisionDiagram::Function next = diagram_.with(f, failed);
        (failed ? with : without)[v] += reached[f] * holds[next];
        const double way = reached[f] * (failed ? p[v] : 1.0 - p[v]);
        reached[next] += way;
        past.add(v + 1, place(next), way * holds[next]);
      }
    }
    TreeImportance out;
    out.top = holds[top];
    for (std::size_t e = 0; e < tree_.elements.size(); ++e) {
      if (tree_.elements[e].kind != TreeKind::basic_event) continue;
      EventImportance one{tree_.elements[e].name, probability[e], out.top, out.top};
      if (variable_[e] >= 0) {
        const auto v = static_cast<std::size_t>(variable_[e]);
        const double beside = past.at(v);
        one.with = beside + with[v], one.without = beside + without[v];
      }
      out.events.push_back(std::move(one));
    }
    return out;
  }

 private:
  // Variables in the order in which a walk from the top, depth first, meets the events.
  void order_events(bool small_first) {
    const std::size_t n = tree_.elements.size();
    std::vector<double> size(n, 1.0);
    for (const int e : failing_order(tree_))
      for (const TreeElement::Child& child : tree_.at(e).children)
        size[static_cast<std::size_t>(e)] += size[static_cast<std::size_t>(child.element)];
    inputs_.resize(n), below_.assign(n, false);
    std::vector<int> open = {tree_.top};
    while (!open.empty()) {
      const int e = open.back();
      const auto i = static_cast<std::size_t>(e);
      open.pop_back();
      if (below_[i]) continue;
      below_[i] = true;
      if (tree_.at(e).kind == TreeKind::basic_event) {
        variable_[i] = static_cast<int>(event_.size());
        event_.push_back(e);
        continue;
      }
      for (const TreeElement::Child& child : tree_.at(e).children) inputs_[i].push_back(child.element);
      if (small_first)
        std::stable_sort(inputs_[i].begin(), inputs_[i].end(), [&](int a, int b) {
          return size[static_cast<std::size_t>(a)] < size[static_cast<std::size_t>(b)];
        });
      open.insert(open.end(), inputs_[i].rbegin(), inputs_[i].rend());
    }
  }

  // at_least[k] after input j: that k of the inputs from j on have failed. From the last input, whose events come last,
  // so that each step only puts something above what is there.
  std::optional<DecisionDiagram::Function> gate(const TreeElement& element, const std::vector<int>& inputs) {
    const std::size_t needed = element.kind == TreeKind::conjunction   ? inputs.size()
                               : element.kind == TreeKind::disjunction ? 1
                                                                       : static_cast<std::size_t>(element.needed);
    std::vector<DecisionDiagram::Function> at_least(needed + 1, DecisionDiagram::no);
    at_least[0] = DecisionDiagram::yes;
    for (std::size_t j = inputs.size(); j-- > 0;) {
      const DecisionDiagram::Function input = function_[static_cast<std::size_t>(inputs[j])];
      // More than the inputs gone through cannot have failed; fewer than the others leave open are never asked for.
      const std::size_t seen = inputs.size() - j, first = needed > j ? needed - j : 1;
      for (std::size_t k = std::min(needed, seen); k >= first && k > 0; --k) {
        const auto f = diagram_.if_then_else(input, at_least[k - 1], at_least[k], budget_);
        if (!f) return std::nullopt;
        at_least[k] = *f;
      }
    }
    return at_least[needed];
  }

  const FaultTree& tree_;
  const Budget& budget_;
  DecisionDiagram diagram_{most_nodes};
  std::vector<DecisionDiagram::Function> function_;  ///< by element
  std::vector<int> variable_;                        ///< by element: of a basic event below the top, else -1
  std::vector<int> event_;                           ///< by variable
  std::vector<std::vector<int>> inputs_;             ///< by element
  std::vector<bool> below_;                          ///< by element: stands below the top event
};

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

std::variant<TreeImportance, Diagnostics> tree_importance(const FaultTree& tree, double time, const Budget& budget) {
  if (Diagnostics reasons = refusals(tree); !reasons.empty()) return reasons;
  std::vector<double> probability(tree.elements.size(), 0.0);
  for (std::size_t e = 0; e < probability.size(); ++e)
    if (tree.elements[e].kind == TreeKind::basic_event)
      probability[e] = failure_probability(tree.elements[e].law, time);
  try {
    std::size_t size = 0;
    // Each order draws some trees that are too large in the other.
    for (const bool small_first : {false, true}) {
      TopEvent top(tree, small_first, budget);
      if (top.draw()) return top.importance(probability);
      if (budget.stop_requested()) return Diagnostics{{.code = "RUN001", .message = "It was stopped."}};
      size = top.size();
    }
    return Diagnostics{{.code = "GAL011",
                        .message = "The decision diagram of " + std::to_string(tree.basic_events()) +
                                   " basic events and " + std::to_string(tree.elements.size() - tree.basic_events()) +
                                   " gates has more than " + std::to_string(size - 1) +
                                   " nodes or steps to them; wanted at most " + std::to_string(most_nodes) + ".",
                        .hint = "Fewer events that stand below several gates make it smaller. Import the tree and "
                                "simulate it."}};
  } catch (const OverBudget& cost) {
    return Diagnostics{cost.diagnostic};
  }
}

}  // namespace ergode
