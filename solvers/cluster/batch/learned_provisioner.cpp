#include "solvers/cluster/batch/learned_provisioner.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include "solvers/cluster/batch/submission_policy.h"

namespace ergode {
namespace {

constexpr double hour_s = 3600.0;

/// Of each start what becomes of a submission, by the half-hour or as seldom as decisions are made.
SubmissionPolicy policy_of(const Background& background, const ChainRules& rules, const ChainLessons& lessons) {
  constexpr double every_s = 1800.0;
  constexpr std::uint32_t most = SubmissionPolicy::most_starts;
  const std::uint32_t step = (lessons.starts + most - 1) / most;
  std::vector<SubmissionTrials> trials;
  for (std::uint32_t start = 0; start < lessons.starts; start += step) {
    double tried_s = rules.limit_s + every_s;
    trials.push_back(try_submissions(background, lessons.begin_s(start), rules, [&](double left_s) {
      if (left_s > tried_s - every_s) return false;
      tried_s = left_s;
      return true;
    }));
  }
  return SubmissionPolicy::learned(trials, lessons.weights, lessons.seed);
}

using Decide = std::function<ChainAnswer(const ChainFeatures&)>;

/// What has been learned, once somebody has asked.
struct Lazily {
  std::once_flag once;
  Decide decide;
};

Decide learn(Learner learner, const Background& background, const ChainRules& rules, const ChainLessons& lessons) {
  if (learner == Learner::policy_gradient)
    return [policy = policy_of(background, rules, lessons)](const ChainFeatures& seen) {
      const double likely = policy.likelihood(seen);
      return ChainAnswer{likely >= 0.5, likely};
    };
  const TrainingRows rows = chain_lessons(background, rules, lessons);
  const auto trees = std::make_shared<const TreeEnsemble>(learner == Learner::random_forest
                                                              ? TreeEnsemble::forest(rows, {}, lessons.seed)
                                                              : TreeEnsemble::boosted(rows, boosting_rules()));
  constexpr double least_h = -0.5, most_h = 500.0;
  return [trees](const ChainFeatures& seen) {
    const double predicted_h = (*trees)(seen.data());
    return ChainAnswer{predicted_h >= least_h && predicted_h <= most_h, predicted_h};
  };
}

}  // namespace

TrainingRows chain_lessons(const Background& background, const ChainRules& rules, const ChainLessons& lessons) {
  constexpr int probes = 7;
  TrainingRows out{.width = chain_features, .features = {}, .targets = {}};
  // Equally spaced, the last one decision before the end; each is the first decision at which no more is left.
  std::vector<double> left_s;
  for (int probe = 0; probe < probes; ++probe)
    left_s.push_back(std::max(rules.decision_s, rules.limit_s * (probes - 1 - probe) / (probes - 1)));
  for (std::uint32_t start = 0; start < lessons.starts; ++start) {
    std::size_t next = 0;
    const SubmissionTrials trials = try_submissions(background, lessons.begin_s(start), rules, [&](double now_left_s) {
      const std::size_t before = next;
      while (next < left_s.size() && now_left_s <= left_s[next]) ++next;
      return next > before;
    });
    for (const double probe_s : left_s) {
      const auto at = std::find_if(trials.moments.begin(), trials.moments.end(),
                                   [&](const SubmissionTrials::Moment& one) { return one.left_s <= probe_s; });
      if (at == trials.moments.end()) continue;  // nobody is asked within a job as short as that
      out.features.insert(out.features.end(), at->seen.begin(), at->seen.end());
      out.targets.push_back(static_cast<double>(at->interruption_s) / hour_s);
    }
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
