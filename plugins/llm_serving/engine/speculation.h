#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "plugins/llm_serving/engine/acceptance.h"
#include "plugins/llm_serving/engine/step_time.h"

namespace llm_serving {

/// Who decodes in a step.
struct DecodeLoad {
  double requests = 0.0;       ///< B
  double with_proposal = 0.0;  ///< m: for whom the drafter finds something to propose; B but for lookups of n-grams
  double context = 0.0;        ///< N_kv: sum of their contexts [tokens]
};
/// The pass that verifies k proposals a request, each with `width` siblings.
inline Pass pass_of(const DecodeLoad& load, double k, double width = 1.0) {
  return {load.context, load.requests + load.with_proposal * k * width, load.requests, load.with_proposal};
}

/// Tokens that requests get, over the time of the step [tokens/s]: rejected proposals do not count (Liu et al., arXiv
/// 2406.14066).
/// @param tokens  that a request with k proposals gets, in the mean
double goodput(const StepTime& time, const DecodeLoad& load, int k, double tokens);

struct ProposedLength {
  int k = 0;
  double goodput = 0.0;  ///< [tokens/s], as predicted; without the bias
};
/// How the length is looked for.
struct LengthSearch {
  int most = 7;
  double bias = 1.0;        ///< by which the goodput without proposals is multiplied: they must win by that much
  bool stop_early = false;  ///< at the first length that does not improve: goodput has one peak
  double room = 0.0;        ///< tokens of the cache: lengths are skipped for which it might not do; 0: no limit
};
/// The length of the greatest goodput, of equal ones the shortest. O(most).
/// @param tokens  by length: what a request gets in the mean
ProposedLength best_length(const StepTime& time, const DecodeLoad& load, const std::function<double(int)>& tokens,
                           const LengthSearch& search);

/// The next batch that CUDA graphs were captured for: powers of two up to 32, then multiples of 32.
double padded_batch(double requests);

/// Which rule chooses how many tokens are proposed.
enum class Policy : std::uint8_t {
  none,
  fixed,
  goodput,  ///< each step by the acceptance as it is
  /// Every 20 steps by an exponential average, with a bias against proposing (the authors' first). Of lookups each
  /// step, by how many found something: a long proposal is cut to the length that is verified.
  dsd,
  tuner,        ///< every 200 steps with a full proposal, by a window of 100 (the authors' second)
  per_request,  ///< each step, each request by its own history
};

struct ControlOptions {
  Policy policy = Policy::none;
  int fixed = 3;  ///< k of `fixed`
  LengthSearch search{};
  int interval = 0;  ///< steps between decisions; 0: of the policy (1, 20, 200)
  Acceptance known =
      Acceptance::independent(0.7);  ///< of `goodput`; what `none` and `fixed` expect, which choose nothing
  double first_estimate = 0.7;
  bool pad_batch = false;
  bool looks_up = false;  ///< the drafter looks n-grams up: proposals cost no passes one after the other
};
/// The options that the authors' code has for that policy, which a user may change.
ControlOptions usual_options(Policy policy);

/// Chooses how many tokens are proposed, step by step, from what was accepted so far.
class LengthController {
 public:
  LengthController() = default;
  explicit LengthController(const ControlOptions& options);

  /// Of the next step.
  /// @param waiting  requests that wait for admission
  /// @param room     tokens that the cache has room for; 0: without a limit
  int choose(const StepTime& time, const DecodeLoad& load, std::size_t waiting, double room);
  /// What the step gave.
  /// @param proposed  tokens that were proposed in all
  /// @param tried     of these, up to and with the first that was rejected of each request
  /// @param accepted  of these
  void observe(double proposed, double tried, double accepted);

  /// What a request with k proposals is expected to get in the mean: by what is known, of `dsd` and `tuner` by what was
  /// learnt. `per_request` has an estimate for each (Replica), which is not here.
  double tokens(int k) const;
  /// Of `dsd` and `tuner`: the acceptance of a token.
  double estimate() const { return estimate_; }
  const ProposedLength& last() const { return last_; }
  const ControlOptions& options() const { return options_; }

 private:
  ProposedLength decide(const StepTime& time, const DecodeLoad& load, double room) const;
  int choose_of_lookups(const StepTime& time, const DecodeLoad& load, double room);

  ControlOptions options_;
  double estimate_ = 0.7;
  ProposedLength last_;
  std::uint64_t steps_ = 0;
  std::vector<double> window_;
  std::size_t oldest_ = 0;
  // Of dsd: it stays off while as many wait as when it went off, and tries once more when that is long ago.
  std::size_t off_with_ = 0;
  bool off_ = false;
  int disabled_steps_ = 0, last_proposed_ = 1;
  int zeros_ = 0;  ///< ... of lookups: steps in a row in which nothing was verified
};

}  // namespace llm_serving
