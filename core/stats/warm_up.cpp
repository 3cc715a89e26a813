#include "core/stats/warm_up.h"

#include <limits>
#include <numeric>

namespace ergode {

WarmUp warm_up_by_mser(std::span<const double> means) {
  const std::size_t n = means.size();
  if (n < 10) return {};
  // From the end, so that sums grow and no difference of sums is taken (Welford).
  double mean = 0.0, squares = 0.0, least = std::numeric_limits<double>::infinity();
  std::size_t best = 0;
  for (std::size_t i = n; i-- > 0;) {
    const double count = static_cast<double>(n - i), delta = means[i] - mean;
    mean += delta / count;
    squares += delta * (means[i] - mean);
    // The last few are left out of the search: of two that are alike the error is nothing.
    if (n - i >= 5 && squares / (count * count) <= least) least = squares / (count * count), best = i;
  }
  if (2 * best > n) return {n / 2, true};
  return {best, false};
}

WarmUp warm_up_by_stationarity(std::span<const double> means) {
  constexpr double critical = 1.168;  // of the integral of a squared Brownian bridge, 0.1 %
  constexpr std::size_t groups = 20;
  const std::size_t n = means.size();
  if (n < 2 * groups) return {};
  // n times the variance of a mean, from the half that is likeliest to be stationary.
  const std::size_t each = n / 2 / groups;
  const std::span<const double> late = means.last(each * groups);
  const double level = std::accumulate(late.begin(), late.end(), 0.0) / static_cast<double>(late.size());
  double spread = 0.0;
  for (std::size_t g = 0; g < groups; ++g) {
    const auto group = late.subspan(g * each, each);
    const double off = std::accumulate(group.begin(), group.end(), 0.0) - static_cast<double>(each) * level;
    spread += off * off;
  }
  spread /= static_cast<double>(groups - 1) * static_cast<double>(each);
  for (std::size_t tenth = 1; tenth <= 5; ++tenth) {
    const std::size_t first = n * tenth / 10;
    const auto rest = means.subspan(first);
    const double size = static_cast<double>(rest.size());
    const double mean = std::accumulate(rest.begin(), rest.end(), 0.0) / size;
    double sum = 0.0, statistic = 0.0;
    for (const double x : rest) sum += x - mean, statistic += sum * sum;
    if (statistic <= critical * spread * size * size) return {first, false};
  }
  return {n / 2, true};
}

WarmUp warm_up(WarmUpRule rule, std::span<const double> means) {
  if (rule == WarmUpRule::none) return {};
  return rule == WarmUpRule::mser_5 ? warm_up_by_mser(means) : warm_up_by_stationarity(means);
}

}  // namespace ergode
