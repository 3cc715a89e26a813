#include "core/stats/known_share.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/stats/mean_interval.h"

namespace ergode {

// Who lies in a tail comes in stretches. Where few were met their number is like a Poisson count, and the tail may be
// greater by far than its spread tells, as it seems smaller together with it.
std::vector<Interval> share_bands(std::span<const std::pair<double, double>> curve, std::span<const KnownShare> known,
                                  double confidence) {
  constexpr double rarely = 0.1, too_rarely = 0.3;
  std::vector<Interval> out(curve.size(), Interval{0.0, 1.0});
  std::vector<std::uint8_t> open_below(curve.size(), 1), open_above(curve.size(), 1);
  for (std::size_t i = 0; i < curve.size(); ++i) {
    const KnownShare& its = known[i];
    const double error = its.standard_error;
    if (std::isnan(error)) continue;
    const bool above = its.seen > 0.5;
    const double tail = above ? 1.0 - its.seen : its.seen;
    out[i] = its.ends;
    if (error > rarely * tail) {
      const double most = above ? its.most_above : its.most_below;
      const Interval ends = gamma_interval(tail, error * error, most, confidence);
      const double lower = above ? 1.0 - ends.upper : ends.lower, upper = above ? 1.0 - ends.lower : ends.upper;
      out[i] = {std::clamp(lower, 0.0, out[i].lower), std::clamp(upper, out[i].upper, 1.0)};
    }
    const bool unknown = error > too_rarely * tail;
    open_below[i] = unknown && above ? 1 : 0, open_above[i] = unknown && !above ? 1 : 0;
    if (curve[i].second >= 1.0) out[i].upper = 1.0;
  }
  // A share is no less than any that ends before it.
  for (std::size_t i = 0; i < out.size(); ++i)
    if (open_below[i] != 0) out[i].lower = i > 0 ? out[i - 1].lower : 0.0;
  for (std::size_t i = out.size(); i-- > 0;)
    if (open_above[i] != 0) out[i].upper = i + 1 < out.size() ? out[i + 1].upper : 1.0;
  return out;
}

}  // namespace ergode
