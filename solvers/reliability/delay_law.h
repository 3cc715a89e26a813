#pragma once
#include "core/base/diagnostic.h"
#include "core/random/random_stream.h"

namespace ergode {

/// Time from a shock to the failure of a component that it affects; independent per component and shock. Times in [s].
/// All functions but validate() want a law that is valid. A value; any thread.
struct DelayLaw {
  enum class Kind {
    none,                  ///< at once
    exponential,           ///< mean `mean_s`
    uniform,               ///< on [0, window_s]
    truncated_exponential  ///< exponential with rate 1 / mean_s, conditioned to [0, window_s]
  };
  Kind kind = Kind::none;
  double mean_s = 0.0;    ///< Of the exponential before truncation [s]; > 0 where used.
  double window_s = 0.0;  ///< Longest delay [s]; > 0 where used.
  /// Failures of one member alone that the group drives (order one of beta, Greek letters, alpha) are delayed too; else
  /// they act at once, as independent failures do. A shock of the binomial model is one whomever it affects.
  bool delays_single = false;

  /// Probability that the delay is at most `u_s`; 0 below zero and for NaN.
  double cdf(double u_s) const;
  /// 1 - cdf, without the loss of digits where cdf is close to 1.
  double survival(double u_s) const;
  /// Inverse of cdf for p in [0, 1), by closed form [s]; never above the window.
  double quantile(double p) const;
  /// Mean delay [s].
  double mean() const;
  /// From here on every delay is over (to 4e-18 for the exponential law, which has no last moment) [s].
  double horizon_s() const;
  /// One uniform draw by inversion, whatever the law, so that two laws stay comparable with the same stream; the law
  /// `none` draws nothing.
  double sample(RandomStream& stream) const { return kind == Kind::none ? 0.0 : quantile(stream.uniform()); }

  /// CCF010, one error each: mean or window is not a finite positive time although the law needs it. Empty: valid.
  Diagnostics validate() const;
};

const char* to_text(DelayLaw::Kind kind);  ///< "none", "exponential", "uniform", "truncated_exponential"
std::optional<DelayLaw::Kind> parse_delay_kind(std::string_view text);  ///< nothing: no word of to_text()

}  // namespace ergode
