#include "plugins/llm_serving/engine/trace_replay.h"

#include <algorithm>

namespace llm_serving {

ReplayedBatch replay(const AcceptanceTrace& request, const StepTime& time, std::uint32_t copies, int proposed) {
  const double b = copies;
  ReplayedBatch out;
  out.ms = time.prefill_ms({0.0, b * request.prompt, b, 0.0});
  double context = b * request.prompt + b;
  // The prefill gave the first token.
  std::size_t done = 1;
  while (done < request.tokens.size()) {
    const double would = request.tokens[done - 1];
    const double verified = proposed == oracle_length ? would : proposed + 1.0, k = verified - 1.0;
    const double got = std::min(would, verified);
    const double target = time.target_ms({context, b * verified, b, k > 0.0 ? b : 0.0});
    out.ms += target + time.overhead.of(k, target);
    // The drafter reads contexts that grow while it proposes, but for one copy's.
    if (proposed != 0) {
      const Pass drafted{context + got * (b - 1.0) / 2.0, b, b, b};
      out.ms += time.draft.whole(drafted, k, target);
    }
    context += got * b;
    done += static_cast<std::size_t>(got);
    ++out.steps;
  }
  out.tokens_per_s = 1000.0 * b * static_cast<double>(request.tokens.size()) / out.ms;
  return out;
}

}  // namespace llm_serving
