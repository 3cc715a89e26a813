#pragma once
#include <string>
#include <vector>

#include "solvers/reliability/ccf_parameters.h"

namespace ergode {

/// One order of an expanded common-cause group: all sets of exactly `k` members.
struct ExpandedOrder {
  int k = 0;
  double combinations = 0.0;  ///< C(n, k), exact below 2^53
  double specific = 0.0;      ///< rate [1/s] or probability of each specific set
  double total = 0.0;         ///< combinations * specific; of probabilities the expected number, which may exceed 1
  double share = 0.0;         ///< of the sum of totals over all orders; 0 when nothing can fail
};

/// One basic event of the expanded group.
struct ExpandedSet {
  int k = 0;
  std::string members;    ///< "EDG[1], EDG[3]"
  double specific = 0.0;  ///< rate [1/s] or probability
};

/// A group written out as its basic events.
struct CcfExpansion {
  std::vector<ExpandedOrder> orders;  ///< k = 1 .. n
  std::vector<ExpandedSet> sets;      ///< by order, then in the order of the members; at most the cap
  double set_count = 0.0;             ///< 2^n - 1, listed or not
};

/// What a group expands into before it is solved: for tables and reports. Simulation and closed forms work with orders
/// alone and never list the 2^n - 1 events.
///
/// @param rates    one entry per order, n = rates.n() in 1 .. ccf_group_limit.
/// @param members  n names; with another number of names no set is listed.
/// @param cap      most sets to list.
/// Time O(n + sets listed * n).
CcfExpansion expand(const OrderRates& rates, const std::vector<std::string>& members, std::size_t cap = 256);

}  // namespace ergode
