#pragma once
#include <string>
#include <variant>
#include <vector>

#include "core/study/budget.h"
#include "solvers/reliability/galileo/fault_tree.h"

namespace ergode {

/// What a basic event means for the top event at one time. Van der Borst, Schoonakker, An overview of PSA importance
/// measures, Reliability Engineering and System Safety 72(3), 2001. Ratios are NaN or infinite where the top event
/// cannot happen. The functions take the probability of the top event, which is the same for all events of a tree.
struct EventImportance {
  std::string event;
  double probability = 0.0;  ///< that it has failed
  double with = 0.0;         ///< probability of the top event, given that it has failed
  double without = 0.0;      ///< and given that it has not
  double birnbaum() const { return with - without; }
  double criticality(double top) const { return birnbaum() * probability / top; }
  double diagnostic(double top) const { return with * probability / top; }  ///< that it has failed, given the top event
  double achievement_worth(double top) const { return with / top; }
  double reduction_worth(double top) const { return top / without; }  ///< infinity when nothing happens without it
};

struct TreeImportance {
  double top = 0.0;                     ///< probability of the top event
  std::vector<EventImportance> events;  ///< in the order of the tree
};

/// Exact probability of the top event of a static tree (and, or, k of n) at a time, and the importance of every basic
/// event. The top event is drawn as a decision diagram of the basic events, in the order in which they are met from the
/// top; one pass up gives its probability, one pass down the two conditional ones of every event (Andrews, Beeby,
/// Efficient basic event ordering schemes for binary decision diagrams, Quality and Reliability Engineering
/// International 16(3), 2000, and Sinnamon, Andrews, New approaches to evaluating fault trees, RESS 58(2), 1997). Sums
/// of positive terms only: small probabilities keep their digits. Cost O(nodes log events) beside drawing the diagram,
/// which some trees with many shared events make exponentially large.
///
/// @param tree  sound, with its top event
/// @param time  in the tree's unit, > 0.
/// @returns GAL009 for trees that are not static and values that are parameters, GAL011 (with the size seen and the
/// size allowed) when the diagram grows beyond half a million nodes in both orders tried, RUN003 when the time is over,
/// RUN001 when somebody asked to stop.
std::variant<TreeImportance, Diagnostics> tree_importance(const FaultTree& tree, double time,
                                                          const Budget& budget = {});

/// Probability that an event of this law has failed at a time > 0 [tree's unit], active from the start; its values must
/// be numbers. Dormancy is not looked at.
double failure_probability(const FailureLaw& law, double time);

}  // namespace ergode
