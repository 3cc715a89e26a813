#pragma once
#include <cstddef>
#include <vector>

namespace cost_effectiveness {

/// Points that no other point dominates: none that is as good in all objectives and better in one. Equal points do not
/// dominate each other. Two objectives by sorting and one sweep, O(n log n); more pairwise, O(n^2 k).
/// @param points  by point, then objective; all of one length; less is better
/// @returns  their numbers, ascending
std::vector<std::size_t> pareto_front(const std::vector<std::vector<double>>& points);

}  // namespace cost_effectiveness
