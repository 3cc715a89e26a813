#pragma once
#include <string>
#include <variant>
#include <vector>

#include "solvers/reliability/galileo/fault_tree.h"

namespace ergode {

/// What a basic event means for the top event at one time. Van der Borst, Schoonakker, An overview of PSA importance
/// measures, Reliability Engineering and System Safety 72(3), 2001.
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
/// event, by conditioning. In such a tree only the probability of each event at that time matters, so every law is
/// replaced by the exponential one of the same probability and the tree is solved as a Markov chain; the number of its
/// states limits trees to some twenty events that matter together.
///
/// @param time  in the tree's unit, > 0.
/// @returns GAL009 for trees that are not static and values that are parameters, or what the Markov solver complains
/// of.
std::variant<TreeImportance, Diagnostics> tree_importance(const FaultTree& tree, double time);

/// Probability that an event of this law has failed at a time, active from the start; its values must be numbers.
double failure_probability(const FailureLaw& law, double time);

}  // namespace ergode
