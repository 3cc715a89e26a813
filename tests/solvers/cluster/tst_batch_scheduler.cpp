// Batch schedulers against their definitions written out plainly: lists of intervals, every moment looked at, nothing
// kept from one to the next but what was promised.
#include <QtTest>
#include <algorithm>
#include <limits>
#include <set>

#include "core/base/text.h"
#include "core/random/random_stream.h"
#include "solvers/cluster/batch/batch_scheduler.h"

using namespace ergode;

namespace {

constexpr double no_time = std::numeric_limits<double>::infinity();

struct PlainInterval {
  double from_s, to_s;
  std::int64_t hosts;
};

/// Hosts in use at a moment, by the definition.
std::int64_t used_at(const std::vector<PlainInterval>& taken, double at_s) {
  std::int64_t out = 0;
  for (const PlainInterval& one : taken)
    if (one.from_s <= at_s && at_s < one.to_s) out += one.hosts;
  return out;
}

/// The earliest moment from which so many hosts are free for so long: tried are now and all ends.
double plain_earliest(const std::vector<PlainInterval>& taken, std::int64_t pool, double now_s, double long_s,
                      std::int64_t hosts) {
  std::set<double> moments = {now_s};
  for (const PlainInterval& one : taken)
    if (one.to_s > now_s && one.to_s < no_time) moments.insert(one.to_s);
  for (const double start_s : moments) {
    bool fits = pool - used_at(taken, start_s) >= hosts;
    for (const PlainInterval& one : taken)
      if (one.from_s > start_s && one.from_s < start_s + long_s)
        fits = fits && pool - used_at(taken, one.from_s) >= hosts;
    if (fits) return start_s;
  }
  return no_time;
}

/// All jobs on one pool, moment by moment.
class PlainBatch {
 public:
  PlainBatch(const std::vector<BatchJob>& jobs, std::int64_t hosts, BatchPolicy policy)
      : jobs_(jobs), hosts_(hosts), policy_(policy), promised_(jobs.size(), no_time) {
    out_.start_s.assign(jobs.size(), no_time), out_.end_s.assign(jobs.size(), no_time);
  }
  BatchSchedule run() {
    for (double now_s = next_after(-no_time); now_s < no_time; now_s = next_after(now_s))
      while (pass(now_s)) continue;  // jobs that take no time end at the moment at which they start
    return out_;
  }

 private:
  bool waits(std::size_t i, double now_s) const {
    return jobs_[i].submit_s <= now_s && out_.start_s[i] == no_time && jobs_[i].hosts <= hosts_;
  }
  // Who takes no time keeps his hosts until everybody who starts at that moment has been found.
  bool runs(std::size_t i, double now_s) const {
    return out_.start_s[i] <= now_s && (now_s < out_.end_s[i] || fresh_.contains(i));
  }
  double next_after(double now_s) const {
    double out = no_time;
    for (std::size_t i = 0; i < jobs_.size(); ++i)
      for (const double t : {jobs_[i].submit_s, out_.end_s[i], out_.start_s[i] == no_time ? promised_[i] : no_time})
        if (t > now_s) out = std::min(out, t);
    return out;
  }
  std::int64_t free(double now_s) const {
    std::int64_t out = hosts_;
    for (std::size_t i = 0; i < jobs_.size(); ++i) out -= runs(i, now_s) ? jobs_[i].hosts : 0;
    return out;
  }
  std::vector<std::size_t> line(double now_s) const {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < jobs_.size(); ++i)
      if (waits(i, now_s)) out.push_back(i);
    if (policy_ == BatchPolicy::sjf)
      std::stable_sort(out.begin(), out.end(),
                       [&](std::size_t a, std::size_t b) { return jobs_[a].limit_s < jobs_[b].limit_s; });
    return out;
  }
  void start(std::size_t i, double now_s) {
    out_.start_s[i] = now_s, out_.end_s[i] = now_s + std::min(jobs_[i].run_s, jobs_[i].limit_s);
    fresh_.insert(i);
  }
  std::vector<PlainInterval> planned(double now_s) const {
    std::vector<PlainInterval> out;
    for (std::size_t i = 0; i < jobs_.size(); ++i)
      if (runs(i, now_s)) out.push_back({out_.start_s[i], out_.start_s[i] + jobs_[i].limit_s, jobs_[i].hosts});
    return out;
  }

  /// @returns whether somebody has started and ended at once
  bool pass(double now_s) {
    fresh_.clear();
    const std::size_t before = started(now_s);
    switch (policy_) {
      case BatchPolicy::fifo:
      case BatchPolicy::sjf:
        in_order(now_s);
        break;
      case BatchPolicy::easy:
        in_order(now_s);
        easy(now_s);
        break;
      case BatchPolicy::conservative:
        conservative(now_s);
    }
    return started(now_s) > before;
  }
  std::size_t started(double now_s) const {
    return static_cast<std::size_t>(std::count(out_.start_s.begin(), out_.start_s.end(), now_s));
  }
  void in_order(double now_s) {
    for (const std::size_t i : line(now_s)) {
      if (jobs_[i].hosts > free(now_s)) return;
      start(i, now_s);
    }
  }
  // Who starts must leave the first in line the time that he would have without him.
  void easy(double now_s) {
    const auto waiting = line(now_s);
    if (waiting.empty()) return;
    const BatchJob& head = jobs_[waiting[0]];
    const double shadow_s = plain_earliest(planned(now_s), hosts_, now_s, no_time, head.hosts);
    for (std::size_t k = 1; k < waiting.size(); ++k) {
      const BatchJob& job = jobs_[waiting[k]];
      if (job.hosts > free(now_s)) continue;
      auto with = planned(now_s);
      with.push_back({now_s, now_s + job.limit_s, job.hosts});
      if (plain_earliest(with, hosts_, now_s, no_time, head.hosts) <= shadow_s) start(waiting[k], now_s);
    }
  }
  std::vector<PlainInterval> all_but(std::size_t who, double now_s) const {
    auto out = planned(now_s);
    for (std::size_t i = 0; i < jobs_.size(); ++i)
      if (i != who && waits(i, now_s) && promised_[i] < no_time)
        out.push_back({promised_[i], promised_[i] + jobs_[i].limit_s, jobs_[i].hosts});
    return out;
  }
  // Each in turn is asked whether he can come earlier; only ends before a limit make that possible.
  void conservative(double now_s) {
    for (std::size_t i = 0; i < jobs_.size(); ++i)
      if (out_.end_s[i] == now_s && now_s < out_.start_s[i] + jobs_[i].limit_s && !counted_.contains(i))
        freed_ = true, counted_.insert(i);
    for (const std::size_t i : line(now_s)) {
      if (promised_[i] < no_time && !freed_) continue;
      promised_[i] = plain_earliest(all_but(i, now_s), hosts_, now_s, jobs_[i].limit_s, jobs_[i].hosts);
    }
    freed_ = false;
    for (const std::size_t i : line(now_s))
      if (promised_[i] <= now_s) start(i, now_s);
  }

  const std::vector<BatchJob>& jobs_;
  std::int64_t hosts_;
  BatchPolicy policy_;
  std::vector<double> promised_;
  bool freed_ = false;
  std::set<std::size_t> counted_, fresh_;
  BatchSchedule out_;
};

/// Whole seconds, so that many things happen at once.
std::vector<BatchJob> random_batch(std::uint64_t number, std::uint32_t hosts) {
  RandomStream draw(stream_key(7, "batch"), number);
  const auto below = [&](double most) { return std::floor(draw.uniform() * most); };
  std::vector<BatchJob> out(static_cast<std::size_t>(5 + below(36)));
  const double spread = 1 + below(60);
  for (BatchJob& job : out) {
    job.submit_s = below(spread);
    job.limit_s = 1 + below(20);
    job.run_s = below(3) == 0.0 ? job.limit_s : below(24);
    job.hosts = static_cast<std::uint32_t>(1 + below(draw.uniform() < 0.7 ? hosts / 2.0 : hosts + 1.0));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const BatchJob& a, const BatchJob& b) { return a.submit_s < b.submit_s; });
  return out;
}

std::string batch_text(const std::vector<BatchJob>& jobs, const BatchSchedule& one, const BatchSchedule& other) {
  std::string out;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    out += "\n  comes " + number_text(jobs[i].submit_s) + ", runs " + number_text(jobs[i].run_s) + " of " +
           number_text(jobs[i].limit_s) + " on " + std::to_string(jobs[i].hosts) + ": starts " +
           number_text(one.start_s[i]) + (one.start_s[i] == other.start_s[i] ? "" : ", by the definition ") +
           (one.start_s[i] == other.start_s[i] ? "" : number_text(other.start_s[i]));
  return out;
}

constexpr BatchPolicy all_policies[] = {BatchPolicy::fifo, BatchPolicy::sjf, BatchPolicy::easy,
                                        BatchPolicy::conservative};
constexpr const char* policy_name[] = {"fifo", "sjf", "easy", "conservative"};

}  // namespace

class TestBatchScheduler : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void random_workloads_are_scheduled_as_defined() {
    for (std::uint64_t number = 0; number < 400; ++number)
      for (const BatchPolicy policy : all_policies) {
        const auto hosts = static_cast<std::uint32_t>(1 + number % 12);
        const auto jobs = random_batch(number, hosts);
        const BatchSchedule ours = simulate_batch(jobs, hosts, policy), plain = PlainBatch(jobs, hosts, policy).run();
        QVERIFY2(ours.start_s == plain.start_s && ours.end_s == plain.end_s,
                 (std::string(policy_name[static_cast<int>(policy)]) + ", " + std::to_string(hosts) + " hosts" +
                  batch_text(jobs, ours, plain))
                     .c_str());
      }
  }

  // Larger, so that lines are renumbered and blocks of the profile divided; what any schedule must keep.
  void schedules_of_long_lines_are_valid() {
    constexpr std::uint32_t hosts = 64;
    std::vector<BatchJob> jobs(3000);
    RandomStream draw(stream_key(8, "batch"), 0);
    double at_s = 0.0;
    for (BatchJob& job : jobs) {
      job.submit_s = at_s += draw.exponential() * 30.0;
      job.limit_s = 60.0 + draw.exponential() * 600.0, job.run_s = job.limit_s * draw.uniform() * 1.05;
      job.hosts = static_cast<std::uint32_t>(1 + draw.uniform() * draw.uniform() * hosts);
    }
    for (const BatchPolicy policy : all_policies) {
      const BatchSchedule out = simulate_batch(jobs, hosts, policy);
      std::vector<std::pair<double, std::int64_t>> changes;
      for (std::size_t i = 0; i < jobs.size(); ++i) {
        QVERIFY(out.start_s[i] >= jobs[i].submit_s);
        QCOMPARE(out.end_s[i], out.start_s[i] + std::min(jobs[i].run_s, jobs[i].limit_s));
        changes.emplace_back(out.start_s[i], jobs[i].hosts), changes.emplace_back(out.end_s[i], -1LL * jobs[i].hosts);
      }
      std::sort(changes.begin(), changes.end());  // of one moment ends first
      std::int64_t used = 0;
      for (const auto& [at, hosts_more] : changes) QVERIFY((used += hosts_more) <= hosts);
      if (policy == BatchPolicy::fifo) QVERIFY(std::is_sorted(out.start_s.begin(), out.start_s.end()));
    }
  }

  // With exact limits nothing is ever given back, and nobody waits longer than first come first served lets him.
  void with_exact_limits_backfilling_delays_nobody() {
    for (std::uint64_t number = 0; number < 200; ++number) {
      auto jobs = random_batch(number, 8);
      for (BatchJob& job : jobs) job.run_s = job.limit_s, job.hosts = std::min(job.hosts, 8U);
      const BatchSchedule fifo = simulate_batch(jobs, 8, BatchPolicy::fifo),
                          conservative = simulate_batch(jobs, 8, BatchPolicy::conservative);
      for (std::size_t i = 0; i < jobs.size(); ++i) QVERIFY(conservative.start_s[i] <= fifo.start_s[i]);
    }
  }

  void who_wants_too_many_hosts_never_starts() {
    const std::vector<BatchJob> jobs = {{.submit_s = 0, .run_s = 5, .limit_s = 9, .hosts = 5},
                                        {.submit_s = 1, .run_s = 5, .limit_s = 9, .hosts = 4}};
    for (const BatchPolicy policy : all_policies) {
      const BatchSchedule out = simulate_batch(jobs, 4, policy);
      QCOMPARE(out.start_s, (std::vector<double>{no_time, 1}));
      QCOMPARE(out.end_s, (std::vector<double>{no_time, 6}));
    }
  }

  // Lifka's picture: two run, one wide waits, a short one fits before it, a long one does not unless it is narrow.
  void the_textbook_case_of_backfilling() {
    const std::vector<BatchJob> jobs = {{0, 10, 10, 6}, {0, 4, 4, 3},   {1, 10, 10, 8},
                                        {2, 9, 9, 1},   {2, 20, 20, 1}, {3, 20, 20, 2}};
    const BatchSchedule fifo = simulate_batch(jobs, 10, BatchPolicy::fifo),
                        easy = simulate_batch(jobs, 10, BatchPolicy::easy);
    QCOMPARE(fifo.start_s, (std::vector<double>{0, 0, 10, 10, 10, 20}));
    QCOMPARE(easy.start_s, (std::vector<double>{0, 0, 10, 2, 4, 20}));
  }

  void a_moved_promise_that_nobody_else_marks_is_kept() {
    // A profile that is cut and joined again comes back to what it was.
    FreeProfile profile;
    profile.reset(0.0, 10);
    for (int i = 0; i < 300; ++i) profile.add(i, i + 5, -1);
    QCOMPARE(profile.most_free(0, 1), std::int64_t{9});
    QCOMPARE(profile.earliest(0, 4, 6), 0.0);
    QCOMPARE(profile.earliest(0, 5, 6), 300.0);
    QCOMPARE(profile.earliest(0, 5, 11), no_time);
    for (int i = 0; i < 300; ++i) profile.add(i, i + 5, 1);
    QCOMPARE(profile.earliest(0, no_time, 10), 0.0);
    QCOMPARE(profile.free_at(150), std::int64_t{10});
  }
};

QTEST_APPLESS_MAIN(TestBatchScheduler)
#include "tst_batch_scheduler.moc"
