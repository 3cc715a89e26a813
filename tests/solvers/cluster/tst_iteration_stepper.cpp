// Iterations while GPUs go and come: job by job against a plain program, and what is kept across a saved moment.
#include <QtTest>
#include <random>

#include "core/base/byte_archive.h"
#include "solvers/cluster/iterations/iteration_stepper.h"
#include "tests/solvers/cluster/plain_iterations.h"

using namespace ergode;
using namespace ergode::test;

namespace {

using Who = PlainIterationRules::Who;

struct SteppedCase {
  std::vector<PlainIterationJob> jobs;
  std::vector<PlainGpuChange> changes;
  PlainIterationRules rules;
};

SteppedCase stepped_case(std::mt19937_64& random, Who who) {
  const auto pick = [&](int below) { return static_cast<int>(random() % static_cast<std::uint64_t>(below)); };
  SteppedCase out;
  out.rules = {.who = who,
               .gpus = 1 + pick(4),
               .rotate = pick(2) == 0,
               .before_all = pick(2) == 0,
               .period = pick(3) == 0 ? 0 : 1 + pick(12),
               .cost = pick(3),
               .restart = pick(3)};
  for (int j = 0, comes = 0, n = 1 + pick(6); j < n; ++j) {
    comes += pick(8);
    PlainIterationJob job{.comes = comes, .iterations = 1 + pick(8), .workers = 1 + pick(out.rules.gpus)};
    job.forward = 1 + pick(3), job.backward = job.workers * pick(3);
    for (int w = 1; w <= job.workers; ++w) job.shares.push_back(static_cast<double>(w) / job.workers);
    out.jobs.push_back(std::move(job));
  }
  for (int gpu = 0; gpu < out.rules.gpus; ++gpu)
    for (int at = 1 + pick(40); at < 200; at += 1 + pick(60)) {
      out.changes.push_back({at, gpu, true});
      at += 1 + pick(15);
      out.changes.push_back({at, gpu, false});
    }
  std::stable_sort(out.changes.begin(), out.changes.end(), [](auto& a, auto& b) { return a.at < b.at; });
  return out;
}

IterationOptions options_of(const PlainIterationRules& rules) {
  IterationOptions out;
  out.policy = rules.who == Who::jigsaw   ? IterationPolicy::jigsaw
               : rules.who == Who::slices ? IterationPolicy::time_slicing
               : rules.who == Who::fifo   ? IterationPolicy::fifo_gang
                                          : IterationPolicy::srtf_gang;
  out.gpus = static_cast<std::uint32_t>(rules.gpus), out.rotate = rules.rotate, out.before_all = rules.before_all;
  if (rules.period > 0) out.checkpoint_period_s = rules.period;
  out.checkpoint_cost_s = rules.cost, out.restart_s = rules.restart;
  return out;
}

/// @param save_at  then all is written down and read by another
std::vector<PlainIterationEnd> stepped(const SteppedCase& of, int most, double save_at = -1.0) {
  const IterationOptions options = options_of(of.rules);
  auto stepper = std::make_unique<IterationStepper>(options);
  std::vector<IterationEvent> events;
  std::vector<PlainIterationEnd> out(of.jobs.size());
  std::size_t job = 0, change = 0;
  for (;;) {
    double now = stepper->next_s();
    if (job < of.jobs.size()) now = std::min<double>(now, of.jobs[job].comes);
    if (change < of.changes.size()) now = std::min<double>(now, of.changes[change].at);
    if (!(now <= most)) break;
    if (save_at >= 0.0 && now >= save_at) {
      ByteWriter into;
      into(*stepper);
      const std::string bytes = into.take();
      ByteReader from(bytes);
      stepper = std::make_unique<IterationStepper>(options);
      from(*stepper);
      save_at = -1.0;
    }
    events.clear();
    stepper->pass(now, events);
    for (; change < of.changes.size() && of.changes[change].at <= now; ++change) {
      const auto gpu = static_cast<std::uint32_t>(of.changes[change].gpu);
      if (of.changes[change].goes) stepper->gpus_go(gpu, 1, now, events);
      else stepper->gpus_come(gpu, 1, now);
    }
    for (const IterationEvent& event : events)
      if (event.what == IterationEvent::What::loses_gpus)
        out[event.job].lost += static_cast<int>(event.lost_s), ++out[event.job].losses;
    for (; job < of.jobs.size() && of.jobs[job].comes <= now; ++job) {
      IterationJob one{.arrival_s = now,
                       .iterations = static_cast<std::uint64_t>(of.jobs[job].iterations),
                       .workers = static_cast<std::uint32_t>(of.jobs[job].workers)};
      one.costs = {.forward_s = 1.0 * of.jobs[job].forward, .backward_s = 1.0 * of.jobs[job].backward};
      one.phi = of.jobs[job].shares;
      stepper->submit(static_cast<std::uint32_t>(job), one, static_cast<std::uint32_t>(job), now);
    }
    stepper->decide(now);
  }
  for (std::size_t j = 0; j < job; ++j) {
    const IterationOutcome end = stepper->outcome(static_cast<std::uint32_t>(j), most);
    out[j].gpu_s = end.gpu_s;
    if (end.start_s <= most) out[j].start = static_cast<int>(end.start_s);
    if (end.end_s <= most) out[j].end = static_cast<int>(end.end_s);
  }
  return out;
}

}  // namespace

class TestIterationStepper : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void jobs_lose_what_they_did_not_save_data() {
    QTest::addColumn<int>("who");
    QTest::newRow("jigsaw") << static_cast<int>(Who::jigsaw);
    QTest::newRow("time slicing") << static_cast<int>(Who::slices);
    QTest::newRow("fifo") << static_cast<int>(Who::fifo);
    QTest::newRow("srtf") << static_cast<int>(Who::srtf);
  }
  void jobs_lose_what_they_did_not_save() {
    QFETCH(int, who);
    std::mt19937_64 random(static_cast<std::uint64_t>(who) + 11);
    constexpr int most = 300;
    int losses = 0, unfinished = 0;
    for (int c = 0; c < 3000; ++c) {
      const SteppedCase of = stepped_case(random, static_cast<Who>(who));
      const auto wanted = plain_iterations(of.jobs, of.changes, of.rules, most);
      const auto seen = stepped(of, most), saved = stepped(of, most, 40.0);
      for (std::size_t j = 0; j < of.jobs.size(); ++j) {
        const auto text = [&](const PlainIterationEnd& e) {
          return QString("start %1 end %2 lost %3 in %4, GPU time %5")
              .arg(e.start)
              .arg(e.end)
              .arg(e.lost)
              .arg(e.losses)
              .arg(e.gpu_s);
        };
        const QString what = QString("case %1 job %2: ").arg(c).arg(j) + text(seen[j]) + "; wanted " + text(wanted[j]);
        QVERIFY2(text(seen[j]) == text(wanted[j]), qPrintable(what));
        QVERIFY2(text(saved[j]) == text(seen[j]), qPrintable("saved: " + what));
        losses += wanted[j].losses, unfinished += wanted[j].end < 0 ? 1 : 0;
      }
    }
    // Cases in which nothing goes wrong show nothing.
    QVERIFY(losses > 3000 && unfinished > 10);
  }
};

QTEST_APPLESS_MAIN(TestIterationStepper)
#include "tst_iteration_stepper.moc"
