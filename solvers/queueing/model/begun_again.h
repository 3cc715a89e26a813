#pragma once
#include "core/random/distribution.h"

namespace ergode {

/// A mean that is known, or from below only.
struct MeanTime {
  double mean_s = 0.0;  ///< may be infinite
  bool exactly = true;
};

/// Seconds of service in all, with those that come to nothing, that a customer gets whose service is interrupted at
/// moments that come without memory and then begins anew: with the same time, (E e^(r S) - 1) / r, or with another one,
/// (1 / E e^(-r S) - 1) / r. Interrupted at further moments besides the former takes longer still.
/// Conway, Maxwell and Miller, Theory of Scheduling, 1967, section 8-7; Gaver, A waiting line with interrupted service,
/// including priorities, Journal of the Royal Statistical Society B 24(1), 1962.
///
/// Closed forms, of phases (up to 60) by elimination; sums from below of all other laws, to a thousandth or so. The
/// former is infinite where the tail of the law is heavier than that of the interruptions is light.
/// @param law     of service times, >= 0
/// @param rate_s  interruptions per second, > 0
/// Cost: O(phases^3), or 4,096 values of the distribution function.
MeanTime time_begun_again(const Distribution& law, double rate_s);
MeanTime time_drawn_again(const Distribution& law, double rate_s);

/// Whether a time that has lasted for a while has no more to last in the mean than a new one has, so that to draw it
/// again never shortens it (new better than used in expectation: Barlow and Proschan, Statistical Theory of Reliability
/// and Life Testing, 1975); false where it is not known. O(1).
bool to_draw_again_never_helps(const Distribution& law);

}  // namespace ergode
