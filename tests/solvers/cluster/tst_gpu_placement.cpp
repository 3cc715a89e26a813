// Placements of jobs on GPUs that differ, and schedules of them: PAL against a plain one that tries all pairs, the
// others against their rules.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <set>

#include "solvers/cluster/devices/fleet_schedule.h"

using namespace ergode;

namespace {

void placement_close(double seen, double wanted, double within, const char* what) {
  QVERIFY2(std::fabs(seen - wanted) <= within,
           qPrintable(QString("%1: %2, wanted %3").arg(what).arg(seen, 0, 'g', 12).arg(wanted, 0, 'g', 12)));
}

/// 0 ... below - 1.
std::uint32_t placement_pick(std::mt19937_64& random, std::uint32_t below) {
  return static_cast<std::uint32_t>(random() % below);
}

ByClass<std::vector<double>> for_all_classes(const std::vector<double>& scores) {
  return {scores, scores, scores, scores};
}

/// PAL as its authors describe it: all pairs in the order of their product, the first that can be met.
std::vector<std::uint32_t> plain_pal(const std::vector<double>& score, const std::vector<bool>& free,
                                     std::uint32_t per_node, std::uint32_t k, double penalty) {
  struct Pair {
    double score, locality;
  };
  std::vector<Pair> pairs;
  for (const double one : score) pairs.push_back({one, 1.0}), pairs.push_back({one, penalty});
  std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
    const double x = a.score * a.locality, y = b.score * b.locality;
    return x != y ? x < y : a.locality < b.locality;
  });
  const auto nodes = static_cast<std::uint32_t>(score.size()) / per_node;
  // With a penalty of 1 both localities are one, and one node comes first.
  std::vector<Pair> order = pairs;
  for (const Pair& pair : order) {
    for (int turn = 0; turn < (penalty == 1.0 ? 2 : 1); ++turn) {
      const bool one_node = penalty == 1.0 ? turn == 0 : pair.locality == 1.0;
      if (one_node) {
        std::vector<std::uint32_t> best;
        std::uint32_t best_free = ~0U;
        for (std::uint32_t n = 0; n < nodes; ++n) {
          std::vector<std::uint32_t> all, good;
          for (std::uint32_t g = n * per_node; g < (n + 1) * per_node; ++g) {
            if (free[g]) all.push_back(g);
            if (free[g] && score[g] <= pair.score) good.push_back(g);
          }
          if (good.size() < k || all.size() >= best_free) continue;
          best_free = static_cast<std::uint32_t>(all.size());
          std::stable_sort(good.begin(), good.end(), [&](auto a, auto b) { return score[a] < score[b]; });
          best.assign(good.begin(), good.begin() + k);
        }
        if (!best.empty()) return best;
        continue;
      }
      std::vector<std::uint32_t> good;
      for (std::uint32_t g = 0; g < score.size(); ++g)
        if (free[g] && score[g] <= pair.score) good.push_back(g);
      if (good.size() < k) continue;
      std::stable_sort(good.begin(), good.end(), [&](auto a, auto b) { return score[a] < score[b]; });
      return {good.begin(), good.begin() + k};
    }
  }
  return {};
}

std::vector<double> sorted_scores(const std::vector<std::uint32_t>& gpus, const std::vector<double>& score) {
  std::vector<double> out;
  for (const std::uint32_t gpu : gpus) out.push_back(score[gpu]);
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

class TestGpuPlacement : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void row_placement_example();
  void pal_takes_the_first_pair_that_can_be_met();
  void placements_keep_to_their_rules();
  void schedules_keep_to_the_definition();
};

void TestGpuPlacement::row_placement_example() {
  const std::vector<double> score{0.95, 1.00, 1.00, 1.05, 1.00, 1.05, 1.10, 1.00};
  RandomStream stream(1, 0);
  std::vector<std::uint32_t> out;
  const auto slow = [&](GpuPlacer& placer) { return job_slowdown(out, score, placer.nodes_of(out), 1.16); };
  GpuPlacer pal(PlacementPolicy::pal, 2, 4, for_all_classes(score));
  QVERIFY(pal.place(3, 0, 1.16, stream, out));
  QVERIFY(pal.last_entry().score == 1.0 && pal.last_entry().locality == 1.0);
  QCOMPARE(out, (std::vector<std::uint32_t>{0, 1, 2}));
  QCOMPARE(slow(pal), 1.0);
  pal.release_all();
  QVERIFY(pal.place(4, 0, 1.16, stream, out));
  QVERIFY(pal.last_entry().score == 1.05 && pal.last_entry().locality == 1.0);
  QCOMPARE(out, (std::vector<std::uint32_t>{0, 1, 2, 3}));
  QCOMPARE(slow(pal), 1.05);
  pal.release_all();
  QVERIFY(pal.place(6, 0, 1.16, stream, out));
  QVERIFY(pal.last_entry().score == 1.05 && pal.last_entry().locality == 1.16);
  QCOMPARE(out, (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 7}));
  placement_close(slow(pal), 1.218, 1e-12, "6 GPUs");
  GpuPlacer first(PlacementPolicy::pm_first, 2, 4, for_all_classes(score));
  QVERIFY(first.place(4, 0, 1.16, stream, out));
  QCOMPARE(sorted_scores(out, score), (std::vector<double>{0.95, 1.0, 1.0, 1.0}));
  QCOMPARE(first.nodes_of(out), 2U);
  placement_close(slow(first), 1.16, 1e-12, "PM-First");
}

void TestGpuPlacement::pal_takes_the_first_pair_that_can_be_met() {
  std::mt19937_64 random(8);
  for (std::uint32_t turn = 0; turn < 4000; ++turn) {
    const std::uint32_t nodes = 1 + placement_pick(random, 5), per_node = 1 + placement_pick(random, 4),
                        all = nodes * per_node;
    std::vector<double> score;
    for (std::uint32_t g = 0; g < all; ++g) score.push_back(0.95 + 0.05 * static_cast<double>(random() % 5));
    GpuPlacer placer(PlacementPolicy::pal, nodes, per_node, for_all_classes(score));
    // Some are taken: by a job placed at random.
    RandomStream stream(stream_key(turn, "taken"), 0);
    GpuPlacer other(PlacementPolicy::random, nodes, per_node, for_all_classes(score));
    std::vector<std::uint32_t> taken, out;
    const std::uint32_t busy = placement_pick(random, all);
    if (busy > 0) other.place(busy, 0, 1.0, stream, taken);
    std::vector<bool> free(all, true);
    for (const std::uint32_t g : taken) free[g] = false;
    // The placer under test gets to the same state by taking all and giving back the others.
    placer.place(all, 0, 1.0, stream, out);
    std::vector<std::uint32_t> back;
    for (std::uint32_t g = 0; g < all; ++g)
      if (free[g]) back.push_back(g);
    placer.release(back);
    const std::uint32_t k = 1 + placement_pick(random, all);
    const double penalty = turn % 4 == 0 ? 1.0 : 1.0 + 0.02 * static_cast<double>(random() % 12);
    const bool placed = placer.place(k, 0, penalty, stream, out);
    QCOMPARE(placed, k <= all - busy);
    if (!placed) continue;
    auto wanted = plain_pal(score, free, per_node, k, penalty);
    QCOMPARE(sorted_scores(out, score), sorted_scores(wanted, score));
    std::sort(wanted.begin(), wanted.end());
    // Of equal scores fewer nodes are taken, never more.
    QVERIFY(placer.nodes_of(out) <= placer.nodes_of(wanted));
    for (const std::uint32_t g : out) QVERIFY(free[g]);
  }
}

void TestGpuPlacement::placements_keep_to_their_rules() {
  std::mt19937_64 random(9);
  for (std::uint32_t turn = 0; turn < 2000; ++turn) {
    const auto policy = static_cast<PlacementPolicy>(turn % 4);
    const std::uint32_t nodes = 1 + placement_pick(random, 6), per_node = 1 + placement_pick(random, 4),
                        all = nodes * per_node;
    std::vector<double> score;
    for (std::uint32_t g = 0; g < all; ++g) score.push_back(1.0 + 0.01 * static_cast<double>(random() % 6));
    GpuPlacer placer(policy, nodes, per_node, for_all_classes(score));
    RandomStream stream(stream_key(turn, "placements"), 0);
    std::vector<std::vector<std::uint32_t>> jobs;
    std::vector<std::uint32_t> out;
    for (int step = 0; step < 20; ++step) {
      if (!jobs.empty() && random() % 3 == 0) {
        const std::size_t which = random() % jobs.size();
        placer.release(jobs[which]);
        jobs.erase(jobs.begin() + static_cast<std::ptrdiff_t>(which));
        continue;
      }
      std::vector<bool> was_free(all);
      std::vector<std::uint32_t> of_node(nodes, 0);
      for (std::uint32_t g = 0; g < all; ++g) {
        was_free[g] = placer.is_free(g);
        of_node[placer.node_of(g)] += was_free[g] ? 1 : 0;
      }
      const std::uint32_t free = placer.free_gpus(), k = 1 + placement_pick(random, all);
      QCOMPARE(placer.place(k, turn % 4, 1.1, stream, out), k <= free);
      if (k > free) continue;
      QCOMPARE(out.size(), std::size_t{k});
      for (const std::uint32_t g : out) QVERIFY(was_free[g] && !placer.is_free(g));
      QVERIFY(std::adjacent_find(out.begin(), out.end(), std::greater_equal<>()) == out.end());
      QCOMPARE(placer.free_gpus(), free - k);
      if (policy == PlacementPolicy::packed) {
        // As few nodes as can be: those with most free first.
        std::sort(of_node.rbegin(), of_node.rend());
        std::uint32_t wanted = 0, sum = 0;
        while (sum < k) sum += of_node[wanted++];
        QCOMPARE(placer.nodes_of(out), wanted);
      }
      if (policy == PlacementPolicy::pm_first) {
        double worst = 0.0;
        for (const std::uint32_t g : out) worst = std::max(worst, score[g]);
        for (std::uint32_t g = 0; g < all; ++g)
          if (placer.is_free(g)) QVERIFY(score[g] >= worst);
      }
      jobs.push_back(out);
    }
  }
}

void TestGpuPlacement::schedules_keep_to_the_definition() {
  std::mt19937_64 random(10);
  for (std::uint32_t turn = 0; turn < 400; ++turn) {
    const auto policy = static_cast<PlacementPolicy>(turn % 4);
    const std::uint32_t nodes = 1 + placement_pick(random, 4), per_node = 1 + placement_pick(random, 4),
                        all = nodes * per_node;
    std::vector<double> slow;
    for (std::uint32_t g = 0; g < all; ++g) slow.push_back(1.0 + 0.1 * static_cast<double>(random() % 4));
    std::vector<FleetJob> jobs;
    double at = 0.0;
    for (int j = 0; j < 40; ++j) {
      at += std::floor(std::exponential_distribution<double>(0.5)(random));
      jobs.push_back({at, 1.0 + static_cast<double>(random() % 9), 1 + static_cast<std::uint32_t>(random() % all),
                      static_cast<std::uint32_t>(random() % 4), 1.0 + 0.1 * static_cast<double>(random() % 3)});
    }
    RandomStream stream(stream_key(turn, "placements"), 0);
    const bool fifo = turn % 3 != 0;
    const FleetRun run =
        run_fleet(jobs,
                  FleetScheduler(fifo ? FleetOrder::fifo : FleetOrder::first_fit,
                                 GpuPlacer(policy, nodes, per_node, for_all_classes(slow)), for_all_classes(slow)),
                  stream);
    double last = 0.0;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const FleetOutcome& one = run.jobs[i];
      double most = 0.0;
      std::set<std::uint32_t> used;
      for (const std::uint32_t g : one.gpus) most = std::max(most, slow[g]), used.insert(g / per_node);
      QCOMPARE(one.slowdown, used.size() > 1 ? most * jobs[i].penalty : most);
      QCOMPARE(one.end_s, one.start_s + jobs[i].run_s * one.slowdown);
      QCOMPARE(one.gpus.size(), std::size_t{jobs[i].gpus});
      last = std::max(last, one.end_s);
      for (std::size_t j = 0; j < i; ++j)
        if (run.jobs[j].start_s < one.end_s && one.start_s < run.jobs[j].end_s)
          for (const std::uint32_t g : one.gpus)
            QVERIFY(std::find(run.jobs[j].gpus.begin(), run.jobs[j].gpus.end(), g) == run.jobs[j].gpus.end());
      // Begun at the first moment at which so many were free: counted of the others, at every moment at which any
      // changed.
      std::vector<double> moments{jobs[i].submit_s};
      for (const FleetOutcome& other : run.jobs) moments.push_back(other.end_s);
      for (const double moment : moments) {
        if (moment < jobs[i].submit_s || moment >= one.start_s) continue;
        std::uint32_t busy = 0;
        bool behind = false;
        for (std::size_t j = 0; j < jobs.size(); ++j) {
          if (run.jobs[j].start_s <= moment && moment < run.jobs[j].end_s) busy += jobs[j].gpus;
          behind = behind || (fifo && j < i && run.jobs[j].start_s > moment);
        }
        QVERIFY(behind || busy + jobs[i].gpus > all);
      }
      if (fifo && i > 0) QVERIFY(one.start_s >= run.jobs[i - 1].start_s);
    }
    QCOMPARE(run.makespan_s, last - jobs[0].submit_s);
    QVERIFY(run.utilisation > 0.0 && run.utilisation <= 1.0 + 1e-12);
  }
}

QTEST_APPLESS_MAIN(TestGpuPlacement)
#include "tst_gpu_placement.moc"
