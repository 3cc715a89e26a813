// Provisioners that learn: what they see, the trees against what trees must do, and that learning repeats and pays.
#include <QtTest>
#include <cmath>

#include "core/base/text.h"
#include "core/random/random_stream.h"
#include "solvers/cluster/batch/learned_provisioner.h"
#include "solvers/cluster/batch/submission_policy.h"

using namespace ergode;

namespace {

/// A cluster that is crowded in waves: every two days so many wide jobs come that a queue of some hours stands.
Background waves() {
  std::vector<BatchJob> jobs;
  std::vector<std::string> names;
  RandomStream draw(stream_key(5, "waves"), 0);
  for (double at_s = 0.0; at_s < 40 * 86400.0; at_s += draw.exponential() * 1500.0) {
    const bool wave = std::fmod(at_s, 2 * 86400.0) < 43200.0;
    jobs.push_back({.submit_s = at_s,
                    .run_s = draw.exponential() * (wave ? 20000.0 : 5000.0),
                    .limit_s = 86400.0,
                    .hosts = static_cast<std::uint32_t>(1 + draw.uniform() * 3.0)});
    names.push_back(std::to_string(100000 + jobs.size()));
  }
  return Background::of(std::move(jobs), names);
}

ChainRules on_waves() {
  ChainRules out;
  out.cluster.hosts = 16, out.hosts = 4;
  return out;
}

struct Sums {
  double interruption_h = 0.0, overlap_h = 0.0;
  std::vector<std::int64_t> all;
};

Sums sums_on_waves(const Background& background, const ChainRules& rules, const Provisioner& by) {
  Sums out;
  for (int start = 0; start < 36; ++start) {
    const auto x_s = simulate_chain(background, 20 * 86400 + start * 14400, rules, by).front().interruption_s();
    out.all.push_back(x_s);
    (x_s > 0 ? out.interruption_h : out.overlap_h) += std::fabs(static_cast<double>(x_s)) / 3600.0;
  }
  return out;
}

TrainingRows rows_of_steps(std::size_t count) {
  TrainingRows out{.width = 3, .features = {}, .targets = {}};
  RandomStream draw(stream_key(6, "rows"), 0);
  for (std::size_t i = 0; i < count; ++i) {
    const double a = draw.uniform(), b = draw.uniform(), c = draw.uniform();
    out.features.insert(out.features.end(), {a, b, c});
    out.targets.push_back((a > 0.5 ? 3.0 : 1.0) + (b > 0.25 ? 10.0 : 0.0));
  }
  return out;
}

double squared_error(const TrainingRows& rows, const TreeEnsemble& trees) {
  double out = 0.0;
  for (std::size_t i = 0; i < rows.rows(); ++i) out += std::pow(trees(rows.row(i)) - rows.targets[i], 2.0);
  return out / static_cast<double>(rows.rows());
}

}  // namespace

class TestLearnedProvisioner : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Mirage V3: r <= 0 with equality iff x = 0; with weights of 1 r is -60 |x_h|, in minutes.
  void rewards_are_never_above_nought_and_nought_at_nought_alone() {
    RandomStream draw(stream_key(11, "rewards"), 0);
    for (int i = 0; i < 100'000; ++i) {
      ChainWeights weights;
      weights.per_interruption = std::pow(10.0, 6.0 * draw.uniform() - 3.0);
      weights.per_overlap = std::pow(10.0, 6.0 * draw.uniform() - 3.0);
      // From a second on, up to four days on either side.
      const auto size_s = static_cast<std::int64_t>(std::pow(345600.0, draw.uniform()));
      const std::int64_t x_s = draw.uniform() < 0.5 ? size_s : -size_s;
      QVERIFY(x_s != 0 && weights.reward(x_s) < 0.0);
      QVERIFY(weights.reward(0) == 0.0);
      // Further off is worse, on each side by its own weight alone.
      QVERIFY(weights.reward(2 * x_s) < weights.reward(x_s));
      const double minutes = std::fabs(static_cast<double>(x_s)) / 60.0;
      const double weight = x_s > 0 ? weights.per_interruption : weights.per_overlap;
      QVERIFY(std::fabs(60.0 * weights.reward(x_s) + weight * minutes) <= 1e-12 * weight * minutes);
      const ChainWeights plain;
      QVERIFY(std::fabs(60.0 * plain.reward(x_s) + minutes) <= 1e-12 * minutes);
    }
  }
  void trees_find_steps() {
    const TrainingRows seen = rows_of_steps(400), fresh = rows_of_steps(800);
    const TreeEnsemble boosted = TreeEnsemble::boosted(seen, boosting_rules()),
                       forest = TreeEnsemble::forest(seen, {.tried = 1.0}, 1);
    QVERIFY(squared_error(seen, boosted) < 1e-6);
    QVERIFY2(squared_error(fresh, boosted) < 0.2, number_text(squared_error(fresh, boosted)).c_str());
    QVERIFY2(squared_error(fresh, forest) < 0.3, number_text(squared_error(fresh, forest)).c_str());
    // The variance of what is to be found is 1 + 18.75.
    for (std::size_t i = 0; i < fresh.rows(); ++i) {
      const double guess = forest(fresh.row(i));
      QVERIFY(guess >= 1.0 - 1e-9 && guess <= 13.0 + 1e-9);
    }
  }

  // One tree of depth one on four rows, by hand: cut between 2 and 3, leaves 0.5 and 5.5, shrunk by one row each.
  void a_stump_is_the_one_by_hand() {
    const TrainingRows rows{.width = 1, .features = {1, 2, 3, 4}, .targets = {0, 1, 5, 6}};
    const TreeEnsemble stump =
        TreeEnsemble::boosted(rows, {.trees = 1, .depth = 1, .least_leaf = 1, .tried = 1.0, .rate = 1.0});
    const double at_2 = 2.0, at_2_6 = 2.6;
    QCOMPARE(stump(&at_2), 3.0 - 5.0 / 3.0);
    QCOMPARE(stump(&at_2_6), 3.0 + 5.0 / 3.0);
  }

  void a_moment_has_the_features_of_the_specification() {
    MinuteRules rules;
    rules.hosts = 10;
    MinuteCluster cluster(rules, 0);
    cluster.submit(0, {.submit_s = 0, .run_s = 6000, .limit_s = 6000, .hosts = 6});
    cluster.minute();
    cluster.submit(1, {.submit_s = 60, .run_s = 600, .limit_s = 1200, .hosts = 8});
    cluster.submit(2, {.submit_s = 60, .run_s = 600, .limit_s = 3600, .hosts = 5});
    cluster.minute(), cluster.minute();
    ChainRules chain;
    chain.hosts = 3;
    const auto seen = features_of({cluster, 100000.0, 420.0}, chain);
    const std::vector<double> wanted = {2, 13,  20,  30,  40,  50,  60,   120, 120, 120,   120,  120, 0, 0,
                                        0, 0,   0,   1,   6,   100, 100,  100, 100, 100,   0,    0,   0, 0,
                                        0, 180, 180, 180, 180, 180, 2880, 3,   420, 72800, 2880, 3,   0, 0};
    QCOMPARE(wanted.size(), chain_features);
    QVERIFY(std::equal(wanted.begin(), wanted.end(), seen.begin()));
    const MinuteCluster nobody(rules, 0);
    const auto empty = features_of({nobody, 172800.0, 0.0}, chain);
    for (std::size_t i = 0; i < 34; ++i) QCOMPARE(empty[i], 0.0);
  }

  void v3_invariants() {
    const ChainRules rules = on_waves();
    const Background background = waves(), nobody = Background::of({}, {});
    for (const auto kind : {Provisioner::Kind::reactive, Provisioner::Kind::average}) {
      const Sums seen = sums_on_waves(background, rules, {.kind = kind});
      QVERIFY(*std::min_element(seen.all.begin(), seen.all.end()) >= -172800);
      QVERIFY(seen.interruption_h > 0.0 && (seen.overlap_h == 0.0) == (kind == Provisioner::Kind::reactive));
      const ChainLink alone = simulate_chain(nobody, 20 * 86400, rules, {.kind = kind}).front();
      QCOMPARE(alone.interruption_s(), std::int64_t{0});
      QCOMPARE(alone.mean_wait_min, std::int64_t{0});
    }
    QCOMPARE(144 * chain_features, std::size_t{6048});
    // Who waits for seven days behind one who has all.
    MinuteCluster cluster(MinuteRules{}, 0);
    cluster.submit(0, {.submit_s = 0, .run_s = 8 * 86400.0, .limit_s = 8 * 86400.0, .hosts = 88});
    cluster.minute();
    cluster.submit(1, {.submit_s = 60, .run_s = 60, .limit_s = 60, .hosts = 11});
    for (int minute = 0; minute < 7 * 1440; ++minute) cluster.minute();
    QCOMPARE(cluster.queue().size(), std::size_t{1});
    QVERIFY(std::fabs(cluster.queue().front().priority - (100.0 * 11 / 88 + 7000.0)) < 1e-6);
  }

  void lessons_are_what_chains_come_to() {
    const Background background = waves();
    const ChainRules rules = on_waves();
    const TrainingRows rows = chain_lessons(background, rules, {.starts = 2});
    QCOMPARE(rows.rows(), std::size_t{14});
    QCOMPARE(rows.features.size(), 14 * chain_features);
    for (std::size_t r = 0; r < rows.rows(); ++r) {
      QVERIFY(rows.targets[r] >= -48.0);
      QVERIFY(rows.row(r)[37] <= 172800.0);
      // The first decision is ten minutes behind the start; who is submitted then is there in time, if he does not wait
      // two days.
      if (r % 7 == 0) QVERIFY(rows.row(r)[37] == 600.0 && rows.targets[r] < 0.0);
    }
  }

  void learning_repeats_and_pays() {
    const Background background = waves();
    const ChainRules rules = on_waves();
    const Sums reactive = sums_on_waves(background, rules, {});
    QVERIFY2(reactive.interruption_h > 36.0, number_text(reactive.interruption_h).c_str());
    for (const Learner learner : {Learner::random_forest, Learner::gradient_boosting, Learner::policy_gradient}) {
      const ChainLessons lessons{.starts = 48};
      const Sums one = sums_on_waves(background, rules, learned_provisioner(learner, background, rules, lessons)),
                 other = sums_on_waves(background, rules, learned_provisioner(learner, background, rules, lessons));
      QVERIFY(one.all == other.all);
      qInfo("learner %d: %.1f h interrupted, %.1f h side by side; reactive %.1f h", static_cast<int>(learner),
            one.interruption_h, one.overlap_h, reactive.interruption_h);
      QVERIFY(one.interruption_h < reactive.interruption_h);
      // By the reward that it learned from, on starts that it has not seen.
      if (learner == Learner::policy_gradient)
        QVERIFY(one.interruption_h + one.overlap_h < 0.75 * reactive.interruption_h);
    }
  }

  /// Against chains that are run whole, each with a provisioner that submits at that moment.
  void trials_are_what_whole_chains_come_to() {
    const Background background = waves();
    const ChainRules rules = on_waves();
    std::size_t apart = 0;
    for (int start = 0; start < 6; ++start) {
      const std::int64_t begin_s = (3 + 2 * start) * 86400;
      const SubmissionTrials trials = try_submissions(background, begin_s, rules, [](double) { return true; });
      QCOMPARE(trials.moments.size(), std::size_t{287});
      QCOMPARE(trials.reactive_interruption_s, simulate_chain(background, begin_s, rules, {}).front().interruption_s());
      for (std::size_t k = 0; k < trials.moments.size(); k += 13) {
        const SubmissionTrials::Moment& one = trials.moments[k];
        ChainFeatures seen{};
        const Provisioner then{.kind = Provisioner::Kind::asked, .now = [&](const ChainMoment& moment) {
                                 if (moment.left_s == one.left_s) seen = features_of(moment, rules);
                                 return ChainAnswer{moment.left_s == one.left_s};
                               }};
        const ChainLink link = simulate_chain(background, begin_s, rules, then).front();
        QCOMPARE(one.interruption_s, link.interruption_s());
        QVERIFY(one.seen == seen);
        apart += one.interruption_s > -static_cast<std::int64_t>(one.left_s);
      }
    }
    QVERIFY(apart > 10);  // somebody waited
  }

  /// Whoever sees q in the queue waits q hours: best is to submit q hours before the end.
  void a_policy_finds_the_rule_that_is_best() {
    RandomStream draw(stream_key(3, "queues"), 0);
    const auto starts = [&](std::size_t count) {
      std::vector<SubmissionTrials> out(count);
      for (SubmissionTrials& start : out) {
        const double queue = std::floor(12.0 * draw.uniform());
        start.reactive_interruption_s = static_cast<std::int64_t>(3600.0 * queue);
        for (double left_s = 171000.0; left_s > 0.0; left_s -= 1800.0) {
          SubmissionTrials::Moment one{.left_s = left_s};
          one.seen[0] = queue, one.seen[1] = draw.uniform(), one.seen[elapsed_feature] = 172800.0 - left_s;
          one.interruption_s = static_cast<std::int64_t>(3600.0 * queue - left_s);
          start.moments.push_back(one);
        }
      }
      return out;
    };
    const auto seen = starts(60), fresh = starts(200);
    double reactive = 0.0;
    for (const SubmissionTrials& one : fresh)
      reactive -= static_cast<double>(one.reactive_interruption_s) / 3600.0 / 200.0;
    QVERIFY(reactive < -5.0);
    const ChainWeights alike, dear_interruption{10.0, 1.0}, dear_overlap{1.0, 10.0};
    const double learned = SubmissionPolicy::learned(seen, alike, 1).mean_reward(fresh, alike);
    QVERIFY2(learned > -0.75, number_text(learned).c_str());
    // Each errs to the side that costs less: parts of the mean that the other weighs.
    const auto interrupted = [&](const ChainWeights& weights) {
      return -SubmissionPolicy::learned(seen, weights, 1).mean_reward(fresh, {1.0, 0.0});
    };
    QVERIFY2(interrupted(dear_interruption) < interrupted(dear_overlap),
             (number_text(interrupted(dear_interruption)) + " " + number_text(interrupted(dear_overlap))).c_str());
    // Where overlaps cost nothing there is nothing to lose.
    QVERIFY(SubmissionPolicy::learned(seen, {1.0, 0.0}, 1).mean_reward(fresh, {1.0, 0.0}) > -0.25);
  }

  /// No worse on its lessons than to wait for the end, whatever the weights and however few lessons.
  void a_policy_never_loses_on_its_lessons() {
    const Background background = waves();
    const ChainRules rules = on_waves();
    std::vector<SubmissionTrials> trials;
    for (int start = 0; start < 4; ++start)
      trials.push_back(try_submissions(background, start * 43200, rules,
                                       [](double left_s) { return std::fmod(left_s, 7200.0) == 0.0; }));
    for (const ChainWeights& weights :
         {ChainWeights{}, {100.0, 1.0}, {1e-3, 1.0}, {0.0, 1.0}, {1.0, 0.0}, {0.0, 0.0}}) {
      double reactive = 0.0;
      for (const SubmissionTrials& one : trials) reactive += weights.reward(one.reactive_interruption_s) / 4.0;
      for (const std::uint64_t seed : {std::uint64_t{1}, std::uint64_t{2}})
        QVERIFY(SubmissionPolicy::learned(trials, weights, seed).mean_reward(trials, weights) >= reactive - 1e-12);
    }
    QVERIFY(SubmissionPolicy::learned({}, {}, 1).likelihood({}) < 0.5);
  }
};

QTEST_APPLESS_MAIN(TestLearnedProvisioner)
#include "tst_learned_provisioner.moc"
