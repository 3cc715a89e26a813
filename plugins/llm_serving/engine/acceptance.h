#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "plugins/llm_serving/engine/random.h"

namespace llm_serving {

constexpr int most_proposed = 32;  ///< tokens a step, of any policy

/// How many tokens a step gives: those proposed that are accepted in a row, and one that the target adds.
/// Independent acceptance of each token with probability a: L(a, k) = (1 - a^(k+1)) / (1 - a) (Leviathan, Kalman and
/// Matias, Fast inference from transformers via speculative decoding, ICML 2023).
/// @param acceptance  in [0, 1]
/// @param proposed    k >= 0
double tokens_of_a_step(double acceptance, int proposed);

/// Chances that the first 1, 2, ... proposed tokens are all accepted.
class Acceptance {
 public:
  /// Every token alike and independent of the others, a in [0, 1].
  static Acceptance independent(double a);
  /// @param reached  by position: the chance that this token and all before it are accepted, in [0, 1], not rising;
  ///                 0 beyond
  /// @throws std::invalid_argument
  static Acceptance by_position(const std::vector<double>& reached);
  /// A tree proposes several tokens at each depth; one of them is accepted with 1 - (1 - a)^width (Miao et al.,
  /// SpecInfer, ASPLOS 2024, by independent siblings).
  static Acceptance tree(double a, int width);
  /// Mean over all positions of traces (AcceptanceTrace): how often a draft of n tokens is accepted whole there. What a
  /// draft meets in the mean where its acceptance does not depend on where others ended.
  /// @param traces  tokens that a verification would give, each at least 1; one trace with one position at least
  /// @param match   chance of a draft where a trace gives one token alone (ReplicaOptions::match): of those drafted
  static Acceptance of_traces(const std::vector<std::vector<std::uint32_t>>& traces, double match = 1.0);

  double tokens(int proposed) const { return mean_[static_cast<std::size_t>(proposed)]; }
  /// Tokens of one step, 1 ... k + 1. One draw of 32 bits decides, to 2^-32.
  std::uint32_t draw(int proposed, std::uint32_t bits) const {
    std::uint32_t n = 1;
    while (n <= static_cast<std::uint32_t>(proposed) && bits < below_[n]) ++n;
    return n;
  }

 private:
  explicit Acceptance(const std::array<double, most_proposed + 1>& reached);
  std::array<double, most_proposed + 1> mean_{};          ///< by k
  std::array<std::uint64_t, most_proposed + 2> below_{};  ///< by n: n proposed tokens are accepted below it, of 2^32
};

}  // namespace llm_serving
