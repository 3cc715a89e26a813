#include "plugins/performance_representatives/engine/steps.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numeric>
#include <stdexcept>

namespace performance_representatives {
namespace {

double median_of(std::vector<double> all) {
  if (all.empty()) return 0.0;
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  if (all.size() % 2 == 1) return *middle;
  return 0.5 * (*middle + *std::max_element(all.begin(), middle));
}

std::vector<double> rises_of(const SizeSweep& sweep) {
  std::vector<double> out;
  for (std::size_t i = 0; i + 1 < sweep.times.size(); ++i) out.push_back(sweep.times[i + 1] - sweep.times[i]);
  return out;
}

/// Autocorrelation of the rises at a lag, biased: no more than 1 - lag / n.
double correlation_at(const std::vector<double>& rises, std::size_t lag) {
  const double mean = std::accumulate(rises.begin(), rises.end(), 0.0) / static_cast<double>(rises.size());
  double all = 0.0, shifted = 0.0;
  for (std::size_t i = 0; i < rises.size(); ++i) {
    all += (rises[i] - mean) * (rises[i] - mean);
    if (i + lag < rises.size()) shifted += (rises[i] - mean) * (rises[i + lag] - mean);
  }
  return all > 0.0 ? shifted / all : 0.0;
}

/// Jumps after which the time stays up: a single late measurement is no stair.
std::vector<std::size_t> lasting(const SizeSweep& sweep, const std::vector<std::size_t>& jumps) {
  std::vector<std::size_t> out;
  for (std::size_t j = 0; j < jumps.size(); ++j) {
    const std::size_t at = jumps[j], from = j == 0 ? 0 : jumps[j - 1] + 1;
    const std::size_t to = j + 1 < jumps.size() ? jumps[j + 1] : sweep.times.size() - 1;
    const auto part = [&sweep](std::size_t first, std::size_t last) {
      const auto begin = sweep.times.begin();
      return std::vector<double>(begin + static_cast<std::ptrdiff_t>(first),
                                 begin + static_cast<std::ptrdiff_t>(last + 1));
    };
    const double rise = sweep.times[at + 1] - sweep.times[at];
    if (median_of(part(at + 1, to)) - median_of(part(from, at)) > 0.5 * rise) out.push_back(at);
  }
  return out;
}

/// How many jumps lie at offset + j * width for the offset that most of them have, and that offset.
struct Explained {
  std::size_t count = 0;
  std::int64_t offset = 0;
};
Explained explained_by(const std::vector<std::int64_t>& jumps, std::int64_t width) {
  std::map<std::int64_t, std::size_t> counts;
  for (const std::int64_t jump : jumps) ++counts[(jump % width + width) % width];
  Explained out;
  for (const auto& [offset, count] : counts)
    if (count > out.count) out = {count, offset};
  return out;
}

/// The nearest width that divides a hint or is a multiple of one, and explains no fewer jumps than `least`.
std::int64_t nearest_known(const std::vector<std::int64_t>& jumps, std::int64_t near, std::size_t least,
                           const std::vector<std::int64_t>& hints, std::int64_t most) {
  std::int64_t out = 0;
  for (std::int64_t w = 2; w <= most; ++w) {
    const auto fits = [w](std::int64_t hint) { return hint % w == 0 || w % hint == 0; };
    if (std::none_of(hints.begin(), hints.end(), fits) || explained_by(jumps, w).count < least) continue;
    if (out == 0 || std::abs(w - near) <= std::abs(out - near)) out = w;
  }
  return out;
}

void check_sweep(const SizeSweep& sweep) {
  if (sweep.values.size() != sweep.times.size() || sweep.values.empty())
    throw std::invalid_argument("a sweep has " + std::to_string(sweep.values.size()) + " values and " +
                                std::to_string(sweep.times.size()) + " times");
  for (std::size_t i = 0; i < sweep.values.size(); ++i) {
    if (!(sweep.times[i] > 0.0)) throw std::invalid_argument("a time of a sweep is not above 0");
    if (i > 0 && (sweep.values[i] - sweep.values[i - 1] != sweep.step() || sweep.step() < 1))
      throw std::invalid_argument("the values of a sweep do not ascend by one step");
  }
}

}  // namespace

SweepJumps find_jumps(const SizeSweep& sweep, const StepRules& rules) {
  check_sweep(sweep);
  const std::vector<double> rises = rises_of(sweep);
  SweepJumps out;
  if (rises.empty()) return out;
  const double middle = median_of(rises);
  std::vector<double> distances;
  for (const double rise : rises) distances.push_back(std::fabs(rise - middle));
  constexpr double of_normal = 1.4826;
  out.noise = of_normal * median_of(distances);
  const double greatest = *std::max_element(rises.begin(), rises.end());
  out.threshold = std::max(
      {rules.noises * out.noise, rules.share_of_median * median_of(sweep.times), rules.share_of_greatest * greatest});
  std::vector<std::size_t> jumps;
  for (std::size_t i = 0; i < rises.size(); ++i)
    if (rises[i] > out.threshold) jumps.push_back(i);
  for (const std::size_t at : lasting(sweep, jumps)) out.jumps.push_back(sweep.values[at]);
  return out;
}

Steps find_steps(const std::vector<SizeSweep>& sweeps, const StepRules& rules) {
  Steps out;
  std::vector<std::int64_t> jumps;
  std::map<std::int64_t, std::size_t> gaps;
  bool noise = false;
  std::int64_t most = 0;
  for (const SizeSweep& sweep : sweeps) {
    out.sweeps.push_back(find_jumps(sweep, rules));
    const SweepJumps& here = out.sweeps.back();
    noise = noise || here.noise > 0.0;
    jumps.insert(jumps.end(), here.jumps.begin(), here.jumps.end());
    for (std::size_t j = 1; j < here.jumps.size(); ++j) ++gaps[here.jumps[j] - here.jumps[j - 1]];
    if (!here.jumps.empty()) most = std::max(most, sweep.values.back() - sweep.values.front() + 1);
  }
  for (const auto& [gap, count] : gaps) {
    if (out.most_frequent_gap == 0 || count > gaps[out.most_frequent_gap]) out.most_frequent_gap = gap;
    out.common_divisor = std::gcd(out.common_divisor, gap);
  }
  if (jumps.empty()) {
    out.because = "no jumps";
    return out;
  }
  const auto least =
      static_cast<std::size_t>(std::ceil((noise ? rules.explained : 1.0) * static_cast<double>(jumps.size())));
  if (gaps.empty()) {
    // One jump says where a stair ends and not how wide it is; known widths do.
    const std::int64_t known = nearest_known(jumps, jumps.front(), jumps.size(), rules.hints, jumps.front());
    out.because =
        known > 0 ? "one jump, and a known width that it fits" : "one jump: the sweep is too short to see a width";
    if (known > 0) out.width = known, out.offset = explained_by(jumps, known).offset;
    return out;
  }
  for (std::int64_t w = gaps.rbegin()->first; w > 1 && out.width == 1; --w)
    if (explained_by(jumps, w).count >= least) out.width = w;
  out.because = out.width > 1 ? "all jumps lie so" : "jumps have no width in common";
  const auto is_known = [&out](std::int64_t hint) { return hint % out.width == 0 || out.width % hint == 0; };
  if (!rules.hints.empty() && (out.width == 1 || std::none_of(rules.hints.begin(), rules.hints.end(), is_known))) {
    constexpr double most_of = 0.6;
    const auto enough = static_cast<std::size_t>(std::ceil(most_of * static_cast<double>(jumps.size())));
    const std::int64_t near = out.width > 1 ? out.width : out.most_frequent_gap;
    if (const std::int64_t known = near > 1 ? nearest_known(jumps, near, enough, rules.hints, most) : 0; known > 0)
      out.width = known, out.because = "the nearest known width";
  }
  if (out.width > 1) {
    for (const SizeSweep& sweep : sweeps) {
      const std::vector<double> rises = rises_of(sweep);
      for (std::int64_t lag = out.width; lag / sweep.step() < static_cast<std::int64_t>(rises.size()); lag += out.width)
        if (lag % sweep.step() == 0)
          out.correlation =
              std::max(out.correlation, correlation_at(rises, static_cast<std::size_t>(lag / sweep.step())));
    }
    // Sweeps by more than 1 cannot tell stairs of their step from a slope: whoever made them has said so.
    const auto by_width = [&out](const SizeSweep& sweep) { return sweep.step() == out.width; };
    if (out.correlation < rules.correlation && std::none_of(sweeps.begin(), sweeps.end(), by_width))
      out.width = 1, out.because = "rises do not recur: no stairs";
  }
  out.offset = explained_by(jumps, out.width).offset;
  return out;
}

}  // namespace performance_representatives
