#include "core/random/hyper_erlang_em.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace ergode {
namespace {

/// Ways to share n phases among up to `parts` branches, not more than `most` each: the greatest first.
void shares(int n, int parts, int most, std::vector<double>& now, const std::function<void()>& found) {
  if (n == 0) return found();
  if (parts == 0) return;
  for (int k = std::min(n, most); k >= 1; --k) {
    now.push_back(k);
    shares(n - k, parts - 1, k, now, found);
    now.pop_back();
  }
}

double criterion(const HyperErlangFit& fit) {
  return 2.0 * (3.0 * static_cast<double>(fit.law.p.size()) - 1.0) - 2.0 * fit.log_likelihood;
}

/// Steps of expectation and maximisation from where `fit` is.
void climb(const WeightedValues& data, HyperErlangFit& fit, int steps) {
  const std::size_t branches = fit.law.p.size();
  const double all = std::accumulate(data.weight.begin(), data.weight.end(), 0.0);
  std::vector<double> part(branches), fixed(branches), sum(branches), sum_x(branches);
  std::vector<double> log_x(data.value.size());
  std::transform(data.value.begin(), data.value.end(), log_x.begin(), [](double x) { return std::log(x); });
  const auto expect = [&] {
    for (std::size_t b = 0; b < branches; ++b)
      fixed[b] = std::log(fit.law.p[b]) + fit.law.k[b] * std::log(fit.law.rate[b]) - std::lgamma(fit.law.k[b]);
    std::fill(sum.begin(), sum.end(), 0.0), std::fill(sum_x.begin(), sum_x.end(), 0.0);
    double likelihood = 0.0;
    for (std::size_t i = 0; i < data.value.size(); ++i) {
      double greatest = -std::numeric_limits<double>::infinity();
      for (std::size_t b = 0; b < branches; ++b) {
        part[b] = fixed[b] + (fit.law.k[b] - 1.0) * log_x[i] - fit.law.rate[b] * data.value[i];
        greatest = std::max(greatest, part[b]);
      }
      double total = 0.0;
      for (double& one : part) total += one = std::exp(one - greatest);
      likelihood += data.weight[i] * (greatest + std::log(total));
      for (std::size_t b = 0; b < branches; ++b) {
        const double share = data.weight[i] * part[b] / total;
        sum[b] += share, sum_x[b] += share * data.value[i];
      }
    }
    return likelihood;
  };
  fit.log_likelihood = expect();
  for (int step = 0; step < steps; ++step) {
    for (std::size_t b = 0; b < branches; ++b) {
      fit.law.p[b] = sum[b] / all;
      // A branch that nothing belongs to any more keeps its rate; its probability is 0 from here on.
      if (sum_x[b] > 0.0 && sum[b] > 0.0) fit.law.rate[b] = fit.law.k[b] * sum[b] / sum_x[b];
    }
    const double before = fit.log_likelihood;
    fit.log_likelihood = expect();
    fit.steps.push_back(fit.log_likelihood);
    if (fit.log_likelihood - before < 1e-9 * all) break;
  }
}

}  // namespace

WeightedValues gathered(std::span<const double> values, std::size_t most) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  WeightedValues out;
  if (sorted.size() <= most) {
    out.value = std::move(sorted), out.weight.assign(out.value.size(), 1.0);
    return out;
  }
  const double low = std::log(sorted.front());
  const double width = std::max(std::log(sorted.back()) - low, 1e-300) / static_cast<double>(most);
  std::size_t last = most;  // no interval
  for (const double x : sorted) {
    const auto interval = std::min(most - 1, static_cast<std::size_t>((std::log(x) - low) / width));
    if (interval != last || out.value.empty()) out.value.push_back(0.0), out.weight.push_back(0.0);
    last = interval;
    out.value.back() += x, out.weight.back() += 1.0;
  }
  for (std::size_t i = 0; i < out.value.size(); ++i) out.value[i] /= out.weight[i];
  return out;
}

HyperErlangFit fit_hyper_erlang(const WeightedValues& data, std::vector<double> k, int steps) {
  HyperErlangFit out;
  const std::size_t branches = k.size();
  const double all = std::accumulate(data.weight.begin(), data.weight.end(), 0.0);
  // Equal shares of the values, from the least on, are what each branch begins with.
  std::vector<double> sum(branches, 0.0), sum_x(branches, 0.0);
  double before = 0.0;
  for (std::size_t i = 0; i < data.value.size(); ++i) {
    const auto branch = std::min(
        branches - 1, static_cast<std::size_t>((before + 0.5 * data.weight[i]) / all * static_cast<double>(branches)));
    before += data.weight[i];
    sum[branch] += data.weight[i], sum_x[branch] += data.weight[i] * data.value[i];
  }
  const double mean = std::accumulate(sum_x.begin(), sum_x.end(), 0.0) / all;
  for (std::size_t b = 0; b < branches; ++b) {
    out.law.p.push_back(1.0 / static_cast<double>(branches));
    out.law.rate.push_back(k[b] / (sum[b] > 0.0 ? sum_x[b] / sum[b] : mean));
  }
  out.law.k = std::move(k);
  climb(data, out, steps);
  return out;
}

HyperErlangFit best_hyper_erlang(const WeightedValues& data, int most_branches, int most_phases) {
  constexpr int first_steps = 30, last_steps = 2000;
  constexpr std::size_t promising = 6;
  std::vector<HyperErlangFit> tried;
  std::vector<double> now;
  for (int n = 1; n <= most_phases; ++n)
    shares(n, most_branches, n, now, [&] {
      std::vector<double> k = now;
      tried.push_back(fit_hyper_erlang(data, k, first_steps));
      std::reverse(k.begin(), k.end());  // many phases for the least values, or for the greatest
      if (k != now) tried.push_back(fit_hyper_erlang(data, std::move(k), first_steps));
    });
  std::sort(tried.begin(), tried.end(), [](const auto& a, const auto& b) { return criterion(a) < criterion(b); });
  tried.resize(std::min(tried.size(), promising));
  for (HyperErlangFit& one : tried) climb(data, one, last_steps);
  return *std::min_element(tried.begin(), tried.end(),
                           [](const auto& a, const auto& b) { return criterion(a) < criterion(b); });
}

}  // namespace ergode
