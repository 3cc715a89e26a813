#include "solvers/cluster/batch/learned_provisioner.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>

#include "core/random/random_stream.h"

namespace ergode {
namespace {

using Features = std::array<double, chain_features>;

constexpr double minute_s = 60.0, hour_s = 3600.0;

/// Least, quartiles and greatest, between order statistics.
void append_summary(std::vector<double>& values, double*& into) {
  constexpr int points = 5;
  std::sort(values.begin(), values.end());
  for (int p = 0; p < points; ++p, ++into) {
    *into = 0.0;
    if (values.empty()) continue;
    const double at = static_cast<double>(p) / (points - 1) * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const double above = values[std::min(below + 1, values.size() - 1)];
    *into = values[below] + (at - static_cast<double>(below)) * (above - values[below]);
  }
}

template <class List, class Limit, class Wait, class Elapsed>
void append_jobs(const List& jobs, double*& into, Limit limit, Wait wait, Elapsed elapsed) {
  double hosts = 0.0;
  std::vector<double> limits, waits, runs;
  for (const auto& one : jobs) {
    hosts += one.hosts;
    limits.push_back(limit(one)), waits.push_back(wait(one)), runs.push_back(elapsed(one));
  }
  *into++ = static_cast<double>(jobs.size()), *into++ = hosts;
  append_summary(limits, into), append_summary(waits, into), append_summary(runs, into);
}

/// The policy: how likely it is to submit, by a weighted sum of the features in units of their spread.
class WeighedPolicy {
 public:
  explicit WeighedPolicy(const TrainingRows& rows) {
    for (std::size_t f = 0; f < chain_features; ++f) {
      double sum = 0.0, squares = 0.0;
      for (std::size_t r = 0; r < rows.rows(); ++r) sum += rows.row(r)[f];
      mean_[f] = sum / static_cast<double>(rows.rows());
      for (std::size_t r = 0; r < rows.rows(); ++r) squares += std::pow(rows.row(r)[f] - mean_[f], 2.0);
      const double spread = std::sqrt(squares / static_cast<double>(rows.rows()));
      scale_[f] = spread > 0.0 ? 1.0 / spread : 0.0;
    }
    weights_.back() = -3.0;  // it begins by waiting for most of the time
  }
  static constexpr std::size_t size = chain_features + 1;
  using Weights = std::array<double, size>;

  Weights inputs(const Features& features) const {
    constexpr double most_spreads = 5.0;
    Weights out;
    for (std::size_t f = 0; f < chain_features; ++f)
      out[f] = std::clamp((features[f] - mean_[f]) * scale_[f], -most_spreads, most_spreads);
    out.back() = 1.0;
    return out;
  }
  double likely(const Weights& inputs) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < size; ++i) sum += weights_[i] * inputs[i];
    return 1.0 / (1.0 + std::exp(-sum));
  }
  /// A step of Adam up the gradient. Kingma and Ba, Adam: a method for stochastic optimization, 2015.
  void step(const Weights& gradient) {
    constexpr double rate = 0.05, keep_first = 0.9, keep_second = 0.999, least = 1e-8;
    ++steps_;
    for (std::size_t i = 0; i < size; ++i) {
      first_[i] = keep_first * first_[i] + (1.0 - keep_first) * gradient[i];
      second_[i] = keep_second * second_[i] + (1.0 - keep_second) * gradient[i] * gradient[i];
      const double first = first_[i] / (1.0 - std::pow(keep_first, steps_)),
                   second = second_[i] / (1.0 - std::pow(keep_second, steps_));
      weights_[i] += rate * first / (std::sqrt(second) + least);
    }
  }

 private:
  Features mean_{}, scale_{};
  Weights weights_{}, first_{}, second_{};
  int steps_ = 0;
};

/// One chain of two under a policy that tries: its decisions, and what they cost.
struct TriedChain {
  struct Decision {
    WeighedPolicy::Weights inputs;
    double likely = 0.0;
    bool submitted = false;
  };
  std::vector<Decision> decisions;
  double reward = 0.0;
};

TriedChain try_chain(const WeighedPolicy& policy, const Background& background, const ChainRules& rules,
                     const ChainLessons& lessons, std::uint64_t number) {
  TriedChain out;
  RandomStream draw(stream_key(lessons.seed, "policy gradient"), number);
  ChainRules pair = rules;
  pair.jobs = 2, pair.decision_s = hour_s;
  const Provisioner trying{.kind = Provisioner::Kind::asked, .now = [&](const ChainMoment& moment) {
                             TriedChain::Decision one{policy.inputs(features_of(moment, rules))};
                             one.likely = policy.likely(one.inputs);
                             one.submitted = draw.uniform() < one.likely;
                             out.decisions.push_back(one);
                             return one.submitted;
                           }};
  const std::int64_t begin_s = lessons.first_s + static_cast<std::int64_t>(number % lessons.starts) * lessons.period_s;
  const ChainLink link = simulate_chain(background, begin_s, pair, trying).front();
  out.reward = lessons.reward(link.interruption_s());
  return out;
}

WeighedPolicy learned_policy(const Background& background, const ChainRules& rules, const ChainLessons& lessons) {
  constexpr std::uint64_t updates = 20, episodes = 32;
  constexpr double discount = 0.99, entropy = 0.1;
  WeighedPolicy out(chain_lessons(background, rules, lessons));
  double baseline = 0.0, seen = 0.0;
  for (std::uint64_t update = 0; update < updates; ++update) {
    WeighedPolicy::Weights gradient{};
    for (std::uint64_t episode = 0; episode < episodes; ++episode) {
      const TriedChain tried = try_chain(out, background, rules, lessons, update * episodes + episode);
      baseline += (tried.reward - baseline) / ++seen;
      double worth = tried.reward;
      for (std::size_t d = tried.decisions.size(); d-- > 0; worth *= discount) {
        const TriedChain::Decision& one = tried.decisions[d];
        // Of log p(what was done), and of the entropy of p.
        const double slope = (one.submitted ? 1.0 : 0.0) - one.likely;
        const double spread =
            one.likely * (1.0 - one.likely) * std::log(1.0 / std::max(one.likely, 1e-12) - 1.0 + 1e-12);
        for (std::size_t i = 0; i < WeighedPolicy::size; ++i)
          gradient[i] += ((worth - baseline) * slope + entropy * spread) * one.inputs[i] / episodes;
      }
    }
    out.step(gradient);
  }
  return out;
}

/// What has been learned, once somebody has asked.
struct Lazily {
  std::once_flag once;
  std::function<bool(const Features&)> decide;
};

std::function<bool(const Features&)> learn(Learner learner, const Background& background, const ChainRules& rules,
                                           const ChainLessons& lessons) {
  if (learner == Learner::policy_gradient) {
    const auto policy = std::make_shared<const WeighedPolicy>(learned_policy(background, rules, lessons));
    return [policy](const Features& f) { return policy->likely(policy->inputs(f)) >= 0.5; };
  }
  const TrainingRows rows = chain_lessons(background, rules, lessons);
  const auto trees = std::make_shared<const TreeEnsemble>(learner == Learner::random_forest
                                                              ? TreeEnsemble::forest(rows, {}, lessons.seed)
                                                              : TreeEnsemble::boosted(rows, boosting_rules()));
  constexpr double least_h = -0.5, most_h = 500.0;
  return [trees](const Features& f) {
    const double predicted_h = (*trees)(f.data());
    return predicted_h >= least_h && predicted_h <= most_h;
  };
}

}  // namespace

std::array<double, chain_features> features_of(const ChainMoment& moment, const ChainRules& rules) {
  Features out{};
  double* into = out.data();
  const auto now_s = static_cast<double>(moment.cluster.now_s());
  const auto limit = [](const auto& one) { return one.limit_s / minute_s; };
  append_jobs(
      moment.cluster.queue(), into, limit,
      [&](const MinuteCluster::Waiting& one) { return now_s - static_cast<double>(one.submit_s); },
      [](const MinuteCluster::Waiting&) { return 0.0; });
  append_jobs(
      moment.cluster.running(), into, limit,
      [](const MinuteCluster::Running& one) { return static_cast<double>(one.start_s - one.submit_s); },
      [&](const MinuteCluster::Running& one) { return now_s - static_cast<double>(one.start_s); });
  *into++ = rules.limit_s / minute_s, *into++ = rules.hosts;
  *into++ = moment.predecessor_wait_s, *into++ = rules.limit_s - moment.left_s;
  *into++ = rules.limit_s / minute_s, *into++ = rules.hosts;
  return out;
}

TrainingRows chain_lessons(const Background& background, const ChainRules& rules, const ChainLessons& lessons) {
  constexpr int probes = 7;
  TrainingRows out{.width = chain_features, .features = {}, .targets = {}};
  ChainRules pair = rules;
  pair.jobs = 2;
  for (std::uint32_t start = 0; start < lessons.starts; ++start)
    for (int probe = 0; probe < probes; ++probe) {
      // Equally spaced, the last one decision before the end.
      const double left_s = std::max(rules.decision_s, rules.limit_s * (probes - 1 - probe) / (probes - 1));
      Features seen{};
      const Provisioner at{.kind = Provisioner::Kind::asked, .now = [&](const ChainMoment& moment) {
                             if (moment.left_s > left_s) return false;
                             seen = features_of(moment, rules);
                             return true;
                           }};
      const std::int64_t begin_s = lessons.first_s + static_cast<std::int64_t>(start) * lessons.period_s;
      const ChainLink link = simulate_chain(background, begin_s, pair, at).front();
      out.features.insert(out.features.end(), seen.begin(), seen.end());
      out.targets.push_back(static_cast<double>(link.interruption_s()) / hour_s);
    }
  return out;
}

Provisioner learned_provisioner(Learner learner, const Background& background, const ChainRules& rules,
                                const ChainLessons& lessons) {
  const auto lazily = std::make_shared<Lazily>();
  const Background* const jobs = &background;
  const ChainRules* const of = &rules;
  return {.kind = Provisioner::Kind::asked, .now = [=](const ChainMoment& moment) {
            std::call_once(lazily->once, [&] { lazily->decide = learn(learner, *jobs, *of, lessons); });
            return lazily->decide(features_of(moment, *of));
          }};
}

}  // namespace ergode
