#include "solvers/cluster/budget/money_budget.h"

#include <algorithm>
#include <cmath>

namespace ergode {
namespace {

double normal_excess(double mean, double variance, double reserved) {
  constexpr double root_two_pi = 2.5066282746310002;
  const double sd = std::sqrt(variance), d = (mean - reserved) / sd;
  return sd * std::exp(-0.5 * d * d) / root_two_pi + (mean - reserved) * 0.5 * std::erfc(-d / std::sqrt(2.0));
}

std::vector<HeldGpus> held_by(std::span<const JobType> types, const WidthPlan& plan, const HeldTime& held) {
  std::vector<HeldGpus> out;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const Width& width = plan.widths[i];
    const auto add = [&](double gpus, double share) {
      if (share > 0.0) out.push_back({gpus, share * types[i].rate * held(i, gpus)});
    };
    add(width.gpus, 1.0 - width.share), add(width.other, width.share);
  }
  return out;
}

}  // namespace

double mean_excess(std::span<const HeldGpus> held, double reserved) {
  constexpr double most_steps = 4000.0, most_jobs = 600.0;
  double jobs = 0.0, mean = 0.0, variance = 0.0;
  bool whole = reserved == std::floor(reserved) && reserved <= most_steps;
  for (const HeldGpus& one : held) {
    jobs += one.jobs, mean += one.gpus * one.jobs, variance += one.gpus * one.gpus * one.jobs;
    whole = whole && one.gpus == std::floor(one.gpus);
  }
  if (reserved <= 0.0 || !std::isfinite(mean) || mean == 0.0) return mean;
  if (jobs > most_jobs) return normal_excess(mean, variance, reserved);
  const double step = whole ? 1.0 : reserved / most_steps;
  const auto last = static_cast<std::size_t>(std::llround(reserved / step));
  std::vector<std::pair<std::size_t, double>> sizes;
  double nothing = 0.0;  // jobs whose part of a step is none
  for (const HeldGpus& one : held) {
    const double at = one.gpus / step, below = std::floor(at);
    if (below > static_cast<double>(last)) continue;  // they matter by their number alone
    const auto place = static_cast<std::size_t>(below);
    if (place == 0) nothing += one.jobs * (1.0 - at);
    else sizes.emplace_back(place, one.jobs * (1.0 - (at - below)));
    if (at > below) sizes.emplace_back(place + 1, one.jobs * (at - below));
  }
  std::vector<double> p(last + 1, 0.0);
  p[0] = std::exp(nothing - jobs);
  double below_reserved = reserved * p[0];  // E[(reserved - K)+]
  for (std::size_t n = 1; n < last; ++n) {
    for (const auto& [size, number] : sizes)
      if (size <= n) p[n] += static_cast<double>(size) * number * p[n - size];
    p[n] /= static_cast<double>(n);
    below_reserved += (reserved - static_cast<double>(n) * step) * p[n];
  }
  return std::max(0.0, mean - reserved + below_reserved);
}

double mean_spend(std::span<const HeldGpus> held, const GpuPrices& prices) {
  return prices.reserved * prices.reserved_price + prices.price * mean_excess(held, prices.reserved);
}

double least_spend(std::span<const JobType> types, const GpuPrices& prices, const HeldTime& held) {
  return mean_spend(held_by(types, single_gpus(types), held), prices);
}

double budget_of_money(double money, double least, std::span<const JobType> types, const GpuPrices& prices,
                       const std::function<std::variant<WidthPlan, std::string>(double budget)>& plan,
                       const HeldTime& held) {
  constexpr double last_digits = 1e-12;
  double low = least, high = 0.0;
  const auto affords = [&](double budget) {
    const auto made = plan(budget);
    const auto* of = std::get_if<WidthPlan>(&made);
    return of != nullptr && mean_spend(held_by(types, *of, held), prices) <= money * (1.0 + last_digits);
  };
  constexpr double most = 1e8;
  for (high = 2.0 * low; high < most && affords(high); high *= 2.0) low = high;
  if (high >= most) return std::min(low, most);
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (affords(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace ergode
