#pragma once
#include <array>
#include <cstddef>

#include "solvers/cluster/batch/job_chain.h"

namespace ergode {

/// What a learned provisioner sees of a moment: one row of Mirage's state. Of those who wait, then of those who run:
/// their number, their hosts, and least, lower quartile, median, upper quartile and greatest of limit [min], wait [s]
/// and elapsed run time [s] (nought of those who wait); then limit [min], hosts, wait [s] and elapsed [s] of the
/// running job of the chain and of its successor. All nought where there is nobody.
inline constexpr std::size_t chain_features = 42;
/// Place of the time that the running job of the chain has run.
inline constexpr std::size_t elapsed_feature = 37;
using ChainFeatures = std::array<double, chain_features>;

/// O(n log n) in those who wait or run.
ChainFeatures features_of(const ChainMoment& moment, const ChainRules& rules);

}  // namespace ergode
