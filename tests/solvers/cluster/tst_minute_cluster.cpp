// A cluster on a clock of minutes. Oracle: its rules as they are written, every job asked at every slot, on clusters
// that get less, as much and many times as much as they can do.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <random>

#include "solvers/cluster/batch/minute_cluster.h"

using namespace ergode;

namespace {

struct PlainMinutes {
  struct Job {
    std::uint32_t number = 0;
    int hosts = 1;
    double limit_s = 60.0, priority = 0.0;
    long minutes = 1, start = 0;
  };
  MinuteRules rules;
  std::vector<Job> queue, running;
  long now = 0;

  int free() const {
    int out = static_cast<int>(rules.hosts);
    for (const Job& one : running) out -= one.hosts;
    return out;
  }
  /// The first slot from which on a job has room as long as it wants, or as far as the plan sees; -1: none.
  int first_room(const std::vector<int>& slots, const Job& job) const {
    for (std::size_t begin = 0; begin < slots.size(); ++begin) {
      bool room = true;
      for (std::size_t k = begin; k < slots.size(); ++k)
        if (static_cast<double>(k - begin) * rules.slot_s < job.limit_s && slots[k] < job.hosts) room = false;
      if (room) return static_cast<int>(begin);
    }
    return -1;
  }
  std::vector<std::uint32_t> minute() {
    std::stable_sort(queue.begin(), queue.end(), [](const Job& a, const Job& b) { return a.priority > b.priority; });
    std::vector<std::uint32_t> started;
    std::vector<Job> left;
    std::vector<int> slots(rules.slots, static_cast<int>(rules.hosts));
    for (const Job& one : running)
      for (std::size_t k = 0; k < slots.size(); ++k)
        if (static_cast<double>(k) * rules.slot_s < static_cast<double>(60 * (one.start - now)) + one.limit_s)
          slots[k] -= one.hosts;
    const bool planned = now % rules.interval_min == 0;
    bool held_up = false;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      Job& job = queue[i];
      bool starts = false;
      if (!planned) {
        starts = !held_up && job.hosts <= free();
        held_up = held_up || !starts;
      } else if (i < rules.tested) {
        const int begin = first_room(slots, job);
        for (std::size_t k = 0; begin >= 0 && static_cast<std::size_t>(begin) + k < slots.size(); ++k)
          if (static_cast<double>(k) * rules.slot_s < job.limit_s)
            slots[static_cast<std::size_t>(begin) + k] -= job.hosts;
        starts = begin == 0;
      }
      if (!starts) {
        left.push_back(job);
        continue;
      }
      job.start = now;
      running.push_back(job), started.push_back(job.number);
    }
    queue = left;
    ++now;
    for (Job& one : queue) one.priority += rules.age_weight * 60.0 / rules.max_age_s;
    std::erase_if(running, [&](const Job& one) { return one.start + one.minutes <= now; });
    return started;
  }
};

}  // namespace

class TestMinuteCluster : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void starts_are_those_of_the_rules() {
    std::mt19937_64 random(12);
    const auto whole = [&](int least, int most) { return std::uniform_int_distribution<int>(least, most)(random); };
    std::size_t started = 0, longest = 0;
    for (int turn = 0; turn < 150; ++turn) {
      MinuteRules rules;
      rules.hosts = static_cast<std::uint32_t>(whole(1, 12));
      rules.interval_min = static_cast<std::uint32_t>(whole(1, 10));
      rules.slot_s = 60.0 * whole(1, 10);
      rules.slots = static_cast<std::uint32_t>(whole(1, 30));
      if (turn % 3 == 0) rules.tested = static_cast<std::uint32_t>(whole(1, 20));
      MinuteCluster cluster(rules, 0);
      PlainMinutes plain{.rules = rules, .queue = {}, .running = {}};
      const int often = whole(1, 8), length = whole(2, 60);
      std::uint32_t jobs = 0;
      for (int minute = 0; minute < 300; ++minute) {
        for (int come = whole(0, often) - often / 2; come > 0; --come) {
          const int hosts = whole(1, static_cast<int>(rules.hosts));
          const double run_s = whole(1, 60 * length), limit_s = whole(1, 90 * length);
          cluster.submit(jobs, {.submit_s = 60.0 * minute,
                                .run_s = run_s,
                                .limit_s = limit_s,
                                .hosts = static_cast<std::uint32_t>(hosts)});
          plain.queue.push_back({.number = jobs,
                                 .hosts = hosts,
                                 .limit_s = limit_s,
                                 .priority = rules.size_weight * hosts / rules.hosts,
                                 .minutes = std::max(1L, std::lround(std::ceil(std::min(run_s, limit_s) / 60.0)))});
          ++jobs;
        }
        const std::vector<std::uint32_t> wanted = plain.minute();
        QCOMPARE(cluster.minute(), wanted);
        QCOMPARE(cluster.waiting(), plain.queue.size());
        QCOMPARE(static_cast<int>(rules.hosts - cluster.busy_hosts()), plain.free());
        started += wanted.size(), longest = std::max(longest, plain.queue.size());
      }
    }
    QVERIFY(started > 5000 && longest > 300);
  }
};

QTEST_APPLESS_MAIN(TestMinuteCluster)
#include "tst_minute_cluster.moc"
