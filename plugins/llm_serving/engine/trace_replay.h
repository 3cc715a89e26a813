#pragma once
#include <cstdint>
#include <vector>

#include "plugins/llm_serving/engine/step_time.h"

namespace llm_serving {

/// What a verification at each output position of a request would give with an unlimited draft.
struct AcceptanceTrace {
  double prompt = 0.0;                ///< tokens
  std::vector<std::uint32_t> tokens;  ///< by output position, each at least 1; as many as the request generates
};
constexpr int oracle_length = -1;  ///< proposes just what will be accepted

struct ReplayedBatch {
  double ms = 0.0;
  double tokens_per_s = 0.0;
  std::uint64_t steps = 0;  ///< verifications
};
/// One request as a batch of identical copies, prompt and all, with k proposals a step (the rule of the authors'
/// benchmark, arXiv 2601.11580). O(output).
/// @param copies    at least 1
/// @param proposed  k, or oracle_length; 0: without speculation
ReplayedBatch replay(const AcceptanceTrace& request, const StepTime& time, std::uint32_t copies, int proposed);

}  // namespace llm_serving
