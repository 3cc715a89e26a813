#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "solvers/cluster/batch/chain_features.h"

namespace ergode {

/// What becomes of one start, by the moment at which the successor of its first job is submitted.
struct SubmissionTrials {
  struct Moment {
    double left_s = 0.0;  ///< until the running job ends
    ChainFeatures seen{};
    std::int64_t interruption_s = 0;  ///< where the successor is submitted then
  };
  std::vector<Moment> moments;               ///< in their order; a part of the decisions between start and end
  std::int64_t reactive_interruption_s = 0;  ///< where it is submitted when the running job has ended
};

/// One chain of two jobs that goes on from each of those moments by itself: until its job starts the cluster is the
/// same whenever the successor comes, so trying 288 moments costs some three chains and not 288.
///
/// @param begin_s  a whole minute
/// @param tried    of the time that is left at a decision [s]: whether a submission then is tried
SubmissionTrials try_submissions(const Background& background, std::int64_t begin_s, const ChainRules& rules,
                                 const std::function<bool(double left_s)>& tried);

}  // namespace ergode
