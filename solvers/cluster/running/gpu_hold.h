#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>

namespace ergode {

/// The GPUs that a job of fixed width has, by how they are rented, and what comes to the spot ones among them: a
/// warning, a last checkpoint that is finished when they go, the taking. Whoever runs it looks at it at `at_s`.
/// Interruptions at a rate are a threshold (exponential, of mean 1) that is used up by the hazard, so that the rate may
/// change.
struct GpuHold {
  /// `safe`: nothing can be taken.
  enum class Stage : std::uint8_t { safe, held, warned, saving };
  static constexpr double never = std::numeric_limits<double>::infinity();

  double reserved = 0.0, beyond = 0.0;  ///< GPUs
  double since_s = 0.0;                 ///< it has them
  double blended = 0.0;                 ///< BlendedPrice::until that moment [USD]
  double threshold = never, rate = 0.0, used_s = 0.0;
  double at_s = never, taken_s = never;
  Stage stage = Stage::safe;

  double gpus() const { return reserved + beyond; }
  double price_per_s(double of_reserved_per_s, double of_beyond_per_s) const {
    return reserved * of_reserved_per_s + beyond * of_beyond_per_s;
  }
  /// The hazard is this from now on [1/s].
  void follow(double now_s, double hazard) {
    if (stage != Stage::held) return;
    if (rate > 0.0) threshold = std::max(0.0, threshold - rate * (now_s - used_s));
    used_s = now_s, rate = hazard;
    at_s = rate > 0.0 ? now_s + threshold / rate : never;
  }
  /// Warned now. @param saving_s  time of the last checkpoint; never: there is none
  void warn(double now_s, double notice_s, double saving_s) {
    stage = Stage::warned, taken_s = now_s + notice_s;
    at_s = saving_s <= notice_s ? std::max(now_s, taken_s - saving_s) : taken_s;
  }

  template <typename Archive>
  void archive(Archive& a) {
    auto is = static_cast<std::uint8_t>(stage);
    a(reserved, beyond, since_s, blended, threshold, rate, used_s, at_s, taken_s, is);
    stage = static_cast<Stage>(is);
  }
};

}  // namespace ergode
