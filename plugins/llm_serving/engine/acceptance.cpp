#include "plugins/llm_serving/engine/acceptance.h"

#include <cmath>
#include <stdexcept>
#include <string>

namespace llm_serving {

double tokens_of_a_step(double acceptance, int proposed) {
  // The sum rather than the quotient: it keeps its digits where the acceptance is nearly one.
  double sum = 1.0, term = 1.0;
  for (int i = 0; i < proposed; ++i) sum += term *= acceptance;
  return sum;
}

Acceptance::Acceptance(const std::array<double, most_proposed + 1>& reached) {
  mean_[0] = 1.0;
  for (std::size_t n = 1; n <= most_proposed; ++n) {
    mean_[n] = mean_[n - 1] + reached[n];
    below_[n] = static_cast<std::uint64_t>(std::llround(reached[n] * 0x1p32));
  }
}

Acceptance Acceptance::independent(double a) { return tree(a, 1); }

Acceptance Acceptance::tree(double a, int width) {
  if (!(a >= 0.0 && a <= 1.0)) throw std::invalid_argument("an acceptance outside of [0, 1]");
  if (width < 1) throw std::invalid_argument("a tree without branches");
  const double one = 1.0 - std::pow(1.0 - a, width);
  std::array<double, most_proposed + 1> reached{};
  reached[0] = 1.0;
  for (std::size_t n = 1; n <= most_proposed; ++n) reached[n] = reached[n - 1] * one;
  return Acceptance(reached);
}

Acceptance Acceptance::by_position(const std::vector<double>& given) {
  std::array<double, most_proposed + 1> reached{};
  double before = 1.0;
  for (std::size_t i = 0; i < given.size() && i < most_proposed; ++i) {
    if (!(given[i] >= 0.0 && given[i] <= before))
      throw std::invalid_argument("position " + std::to_string(i + 1) + " is reached with " + std::to_string(given[i]) +
                                  "; wanted a chance not above that of the position before");
    before = reached[i + 1] = given[i];
  }
  return Acceptance(reached);
}

Acceptance Acceptance::of_traces(const std::vector<std::vector<std::uint32_t>>& traces, double match) {
  std::array<double, most_proposed + 1> reached{};
  double positions = 0.0, drafts = 0.0;
  for (const std::vector<std::uint32_t>& trace : traces)
    for (const std::uint32_t tokens : trace) {
      positions += 1.0, drafts += tokens > 1 ? 1.0 : match;
      // Of the tokens the last is the target's own.
      for (std::uint32_t n = 1; n <= most_proposed && n < tokens; ++n) reached[n] += 1.0;
    }
  if (!(positions > 0.0)) throw std::invalid_argument("traces without a position");
  for (double& share : reached) share /= drafts > 0.0 ? drafts : 1.0;
  return Acceptance(reached);
}

}  // namespace llm_serving
