#include "solvers/cluster/batch/submission_policy.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/random/random_stream.h"

namespace ergode {
namespace {

/// Kingma and Ba, Adam: a method for stochastic optimization, 2015.
template <class Weights>
class Adam {
 public:
  void step(Weights& weights, const Weights& gradient) {
    constexpr double rate = 0.02, keep_first = 0.9, keep_second = 0.999, least = 1e-8;
    ++steps_;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      first_[i] = keep_first * first_[i] + (1.0 - keep_first) * gradient[i];
      second_[i] = keep_second * second_[i] + (1.0 - keep_second) * gradient[i] * gradient[i];
      const double first = first_[i] / (1.0 - std::pow(keep_first, steps_)),
                   second = second_[i] / (1.0 - std::pow(keep_second, steps_));
      weights[i] += rate * first / (std::sqrt(second) + least);
    }
  }

 private:
  Weights first_{}, second_{};
  int steps_ = 0;
};

/// By moment, then that of never.
std::vector<double> rewards_of(const SubmissionTrials& trials, const ChainWeights& weights) {
  std::vector<double> out;
  for (const SubmissionTrials::Moment& one : trials.moments) out.push_back(weights.reward(one.interruption_s));
  out.push_back(weights.reward(trials.reactive_interruption_s));
  return out;
}

std::vector<SubmissionTrials> with_moments(std::vector<SubmissionTrials> trials) {
  std::erase_if(trials, [](const SubmissionTrials& one) { return one.moments.empty(); });
  return trials;
}

}  // namespace

SubmissionPolicy::Inputs SubmissionPolicy::scaled(const ChainFeatures& seen) const {
  constexpr double most_spreads = 5.0;  // what was never seen so far off says no more than that
  Inputs out;
  for (std::size_t f = 0; f < chain_features; ++f)
    out[f] = std::clamp((seen[f] - mean_[f]) * scale_[f], -most_spreads, most_spreads);
  out.back() = 1.0;
  return out;
}

SubmissionPolicy::Evaluated SubmissionPolicy::evaluated(const Inputs& in) const {
  Evaluated out;
  const double* weight = weights_.data();
  for (double& unit : out.unit) {
    unit = std::tanh(std::inner_product(in.begin(), in.end(), weight, 0.0));
    weight += inputs;
  }
  out.logit = std::inner_product(out.unit.begin(), out.unit.end(), weight, 0.0);
  out.logit = std::inner_product(in.begin(), in.end(), weight + units, out.logit);
  return out;
}

void SubmissionPolicy::add_gradient(const Inputs& in, const Evaluated& at, double slope, Weights& gradient) const {
  double* into = gradient.data();
  const double* const to_logit = weights_.data() + units * inputs;
  for (std::size_t u = 0; u < units; ++u, into += inputs) {
    const double of_sum = slope * to_logit[u] * (1.0 - at.unit[u] * at.unit[u]);
    for (std::size_t i = 0; i < inputs; ++i) into[i] += of_sum * in[i];
  }
  for (std::size_t u = 0; u < units; ++u) into[u] += slope * at.unit[u];
  for (std::size_t i = 0; i < inputs; ++i) into[units + i] += slope * in[i];
}

void SubmissionPolicy::add_gradient_of_start(const std::vector<Inputs>& moments, const std::vector<double>& rewards,
                                             Weights& gradient) const {
  const std::size_t count = moments.size();
  std::vector<Evaluated> at(count);
  std::vector<double> likely(count), worth(count + 1), reached(count);
  double still = 1.0;
  for (std::size_t k = 0; k < count; ++k) {
    at[k] = evaluated(moments[k]);
    likely[k] = 1.0 / (1.0 + std::exp(-at[k].logit));
    reached[k] = still;
    still *= 1.0 - likely[k];
  }
  worth[count] = rewards[count];
  for (std::size_t k = count; k-- > 0;) worth[k] = likely[k] * rewards[k] + (1.0 - likely[k]) * worth[k + 1];
  constexpr double nothing = 1e-12;  // most moments behind a likely one are hardly ever reached
  for (std::size_t k = 0; k < count; ++k) {
    const double slope = reached[k] * likely[k] * (1.0 - likely[k]) * (rewards[k] - worth[k + 1]);
    if (std::fabs(slope) > nothing) add_gradient(moments[k], at[k], slope, gradient);
  }
}

SubmissionPolicy SubmissionPolicy::learned(const std::vector<SubmissionTrials>& all, const ChainWeights& weights,
                                           std::uint64_t seed) {
  constexpr std::size_t starts_of_a_step = 48;
  constexpr int steps = 400, steps_between_looks = 25;
  constexpr double shrinking = 0.001;           // of the weights but the constant one, so that few starts say little
  constexpr double late = 6.0, seldom = -10.0;  // even odds shortly before the end
  SubmissionPolicy out;
  out.weights_.back() = seldom;
  const std::vector<SubmissionTrials> trials = with_moments(all);
  const double heavier = std::max(weights.per_interruption, weights.per_overlap);
  if (trials.empty() || !(heavier > 0.0)) return out;

  double rows = 0.0;
  for (const SubmissionTrials& start : trials)
    for (const SubmissionTrials::Moment& one : start.moments) {
      ++rows;
      for (std::size_t f = 0; f < chain_features; ++f) out.mean_[f] += one.seen[f];
    }
  for (double& mean : out.mean_) mean /= rows;
  for (const SubmissionTrials& start : trials)
    for (const SubmissionTrials::Moment& one : start.moments)
      for (std::size_t f = 0; f < chain_features; ++f) out.scale_[f] += std::pow(one.seen[f] - out.mean_[f], 2.0);
  for (std::size_t f = 0; f < chain_features; ++f) {
    const double spread = std::sqrt(out.scale_[f] / rows);
    out.scale_[f] = spread > 1e-9 * std::fabs(out.mean_[f]) ? 1.0 / spread : 0.0;
  }

  std::vector<std::vector<Inputs>> moments;
  std::vector<std::vector<double>> rewards;
  for (const SubmissionTrials& start : trials) {
    moments.emplace_back();
    for (const SubmissionTrials::Moment& one : start.moments) moments.back().push_back(out.scaled(one.seen));
    // In units of a 48th of a job: steps and shrinking mean the same whatever an hour costs and a job may last.
    const double unit_h = (start.moments.front().left_s + start.moments.front().seen[elapsed_feature]) / 3600.0 / 48.0;
    rewards.push_back(rewards_of(start, weights));
    for (double& reward : rewards.back()) reward /= heavier * unit_h;
  }
  RandomStream draw(stream_key(seed, "policy gradient"), 0);
  for (std::size_t i = 0; i < units * inputs; ++i) out.weights_[i] = 0.3 * (draw.uniform() - 0.5);
  out.weights_[units * inputs + units + elapsed_feature] = late;

  std::vector<std::size_t> order(trials.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[std::min(i - 1, static_cast<std::size_t>(draw.uniform() * static_cast<double>(i)))]);
  const std::size_t batch = std::min(starts_of_a_step, order.size());
  // What is kept is what decides best on its own lessons, so that it is no worse there than never to submit early.
  SubmissionPolicy best;
  best.mean_ = out.mean_, best.scale_ = out.scale_, best.weights_.back() = seldom;
  double most = best.mean_reward(trials, weights);
  Adam<Weights> adam;
  for (int step = 1; step <= steps; ++step) {
    Weights gradient{};
    for (std::size_t i = 0; i < batch; ++i) {
      const std::size_t start = order[(static_cast<std::size_t>(step) * batch + i) % order.size()];
      out.add_gradient_of_start(moments[start], rewards[start], gradient);
    }
    for (std::size_t i = 0; i < size; ++i) {
      gradient[i] /= static_cast<double>(batch);
      if (i + 1 < size) gradient[i] -= shrinking * out.weights_[i];
    }
    adam.step(out.weights_, gradient);
    if (step % steps_between_looks != 0) continue;
    const double reward = out.mean_reward(trials, weights);
    if (reward > most) most = reward, best = out;
  }
  return best;
}

double SubmissionPolicy::likelihood(const ChainFeatures& seen) const {
  return 1.0 / (1.0 + std::exp(-evaluated(scaled(seen)).logit));
}

double SubmissionPolicy::mean_reward(const std::vector<SubmissionTrials>& trials, const ChainWeights& weights) const {
  double out = 0.0;
  for (const SubmissionTrials& start : trials) {
    const auto when =
        std::find_if(start.moments.begin(), start.moments.end(),
                     [this](const SubmissionTrials::Moment& one) { return evaluated(scaled(one.seen)).logit >= 0.0; });
    out += weights.reward(when == start.moments.end() ? start.reactive_interruption_s : when->interruption_s);
  }
  return trials.empty() ? 0.0 : out / static_cast<double>(trials.size());
}

}  // namespace ergode
