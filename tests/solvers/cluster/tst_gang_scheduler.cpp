// Schedulers of gangs against their definitions written out plainly, and against closed forms of one server.
#include <QtTest>
#include <cmath>

#include "core/base/byte_archive.h"
#include "core/random/random_stream.h"
#include "plain_gang.h"
#include "solvers/cluster/gang/gang_simulation.h"

using namespace ergode;

namespace {

struct GangCase {
  std::vector<GangJob> jobs;
  GangOptions options;
  PlainGang plain{{}, {}};
};

/// A workload with everything in it at random; whole times in every third, so that much happens at one moment.
GangCase random_gang_case(GangPolicy policy, std::uint64_t number) {
  RandomStream draw(stream_key(7, "gangs"), number);
  const auto upto = [&](int least, int most) { return least + static_cast<int>(draw.uniform() * (most - least + 1)); };
  GangCase out;
  PlainGang::Rules rules;
  const bool whole = number % 3 == 0;
  rules.policy = static_cast<PlainGang::Policy>(policy);
  rules.per_host = upto(1, 8), rules.gpus = upto(1, 4) * rules.per_host + upto(0, rules.per_host - 1);
  rules.together = upto(0, 1) == 1;
  rules.restart = upto(0, 2) == 0 ? 0.0 : whole ? upto(1, 9) : 10.0 * draw.uniform();
  if (upto(0, 1) == 1) rules.cpus = upto(2, 30);
  if (upto(0, 1) == 1) rules.memory = upto(4, 60);
  for (int i = upto(0, 3), at = 0; i > 0; --i) rules.thresholds.push_back(at += upto(1, 200));
  if (upto(0, 1) == 1) rules.promote = whole ? upto(1, 4) : 4.0 * draw.uniform() + 0.1;
  for (int i = upto(0, 3); i > 0; --i) rules.weights.push_back(upto(1, 4));
  const int jobs = upto(1, 40);
  const double spread = upto(1, 60) * jobs / 4.0;
  std::vector<double> arrivals;
  for (int i = 0; i < jobs; ++i)
    arrivals.push_back(whole ? std::floor(spread * draw.uniform()) : spread * draw.uniform());
  std::sort(arrivals.begin(), arrivals.end());
  std::vector<PlainGang::Job> plain;
  for (const double arrival : arrivals) {
    const double work = whole ? upto(0, 60) : 60.0 * draw.uniform();
    const int wide = upto(0, 9) == 0 ? upto(1, rules.gpus + 1) : upto(1, std::max(1, rules.per_host));
    plain.push_back(
        {arrival, work, wide, static_cast<double>(upto(0, 6)), static_cast<double>(upto(0, 12)), upto(0, 3)});
    out.jobs.push_back({.arrival_s = arrival,
                        .work_s = work,
                        .gpus = static_cast<std::uint32_t>(wide),
                        .cpus = plain.back().cpus,
                        .memory = plain.back().memory,
                        .user = static_cast<std::uint32_t>(plain.back().user)});
  }
  out.options = {.policy = policy,
                 .gpus = static_cast<std::uint32_t>(rules.gpus),
                 .gpus_per_host = static_cast<std::uint32_t>(rules.per_host),
                 .consolidated = rules.together,
                 .cpus = rules.cpus < 1e299 ? rules.cpus : GangOptions::unlimited,
                 .memory = rules.memory < 1e299 ? rules.memory : GangOptions::unlimited,
                 .restart_s = rules.restart,
                 .thresholds = rules.thresholds,
                 .promote_after = rules.promote < 1e299 ? rules.promote : GangOptions::unlimited,
                 .weights = rules.weights};
  out.plain = PlainGang(plain, rules);
  return out;
}

bool near(double seen, double wanted) { return std::fabs(seen - wanted) <= 1e-7 * (1.0 + std::fabs(wanted)); }

/// Poisson arrivals at one GPU; sizes by a law of which `size` gives the inverse.
template <typename Size>
double mean_response_of_one_server(GangOptions options, double rate, std::size_t jobs, std::uint64_t seed, Size size) {
  RandomStream gaps(stream_key(seed, "gaps"), 0), sizes(stream_key(seed, "sizes"), 0);
  std::vector<GangJob> all(jobs);
  double now_s = 0.0;
  for (GangJob& job : all) job.arrival_s = now_s += gaps.exponential() / rate, job.work_s = size(sizes);
  options.gpus = options.gpus_per_host = 1;
  const GangSchedule made = simulate_gang(all, options);
  double sum = 0.0;
  for (std::size_t i = 0; i < jobs; ++i) sum += made.jobs[i].end_s - all[i].arrival_s;
  return sum / static_cast<double>(jobs);
}

}  // namespace

class TestGangScheduler : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void every_start_is_that_of_the_definition_data();
  void every_start_is_that_of_the_definition();
  void even_shares_are_those_of_the_definition();
  void shortest_remaining_time_first_has_the_closed_form_of_one_server();
  void blind_policies_have_the_mean_of_exponential_sizes();
  void even_shares_on_one_gpu_are_processor_sharing();
  void dominant_resource_fairness_divides_the_published_example();
  void a_schedule_goes_on_from_saved_state();
  void stretches_hold_no_more_than_a_host_has();
};

void TestGangScheduler::every_start_is_that_of_the_definition_data() {
  QTest::addColumn<int>("policy");
  QTest::newRow("fifo") << 0;
  QTest::newRow("backfill") << 1;
  QTest::newRow("sjf") << 2;
  QTest::newRow("srtf") << 3;
  QTest::newRow("las") << 4;
  QTest::newRow("drf") << 6;
}

void TestGangScheduler::every_start_is_that_of_the_definition() {
  QFETCH(int, policy);
  std::size_t stops = 0, later = 0;
  for (std::uint64_t number = 0; number < 600; ++number) {
    GangCase one = random_gang_case(static_cast<GangPolicy>(policy), number);
    const GangSchedule made = simulate_gang(one.jobs, one.options);
    const auto wanted = one.plain.run();
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const GangOutcome& seen = made.jobs[i];
      const std::string where = "case " + std::to_string(number) + ", job " + std::to_string(i);
      if (wanted[i].end < 0.0) {
        QVERIFY2(!std::isfinite(seen.end_s) && !std::isfinite(seen.start_s), where.c_str());
        continue;
      }
      QVERIFY2(near(seen.start_s, wanted[i].start), where.c_str());
      QVERIFY2(near(seen.end_s, wanted[i].end), where.c_str());
      QVERIFY2(near(seen.gpu_time_s, wanted[i].gpu_time), where.c_str());
      QCOMPARE(static_cast<int>(seen.preemptions), wanted[i].stops);
      QVERIFY2(near(seen.waited_s + seen.gpu_time_s / one.jobs[i].gpus, seen.end_s - one.jobs[i].arrival_s),
               where.c_str());
      stops += seen.preemptions, later += seen.start_s > one.jobs[i].arrival_s ? 1 : 0;
    }
  }
  QVERIFY(later > 1000);
  QCOMPARE(stops > 500, policy == 3 || policy == 4);
}

void TestGangScheduler::even_shares_are_those_of_the_definition() {
  for (std::uint64_t number = 0; number < 300; ++number) {
    GangCase one = random_gang_case(GangPolicy::equi, number);
    const double power = 0.1 + 0.08 * static_cast<double>(number % 10);
    one.options.speedups = {std::get<Speedup>(Speedup::of(Speedup::Family::power, power))};
    const GangSchedule made = simulate_gang(one.jobs, one.options);
    const auto wanted = one.plain.run_evenly(power);
    double had = 0.0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      QVERIFY2(near(made.jobs[i].end_s, wanted[i]), std::to_string(number).c_str());
      had += made.jobs[i].gpu_time_s;
    }
    QVERIFY(near(had, made.busy_gpu_s));
  }
}

void TestGangScheduler::shortest_remaining_time_first_has_the_closed_form_of_one_server() {
  // Schrage and Miller, The queue M/G/1 with the shortest remaining processing time discipline, 1966, by trapezoids:
  // E[T(x)] = int_0^x dt / (1 - rho(t)) + rate (int_0^x t^2 dF + x^2 (1 - F(x))) / (2 (1 - rho(x))^2)
  const double rate = 0.8;
  double rho = 0.0, second = 0.0, stay = 0.0, mean = 0.0;
  const double step = 1e-4;
  for (double x = step / 2; x < 40.0; x += step) {
    const double density = std::exp(-x);
    rho += rate * x * density * step / 2, second += x * x * density * step / 2;
    stay += step / (1.0 - rho) / 2;
    mean += density * step * (stay + rate * (second + x * x * std::exp(-x)) / (2.0 * (1.0 - rho) * (1.0 - rho)));
    rho += rate * x * density * step / 2, second += x * x * density * step / 2, stay += step / (1.0 - rho) / 2;
  }
  const double seen = mean_response_of_one_server({.policy = GangPolicy::srtf}, rate, 1'000'000, 3,
                                                  [](RandomStream& draw) { return draw.exponential(); });
  QVERIFY2(std::fabs(seen / mean - 1.0) < 0.02, std::to_string(seen / mean).c_str());
  QVERIFY(mean < 0.8 / (1.0 - rate));  // and far from what blind policies have
}

void TestGangScheduler::blind_policies_have_the_mean_of_exponential_sizes() {
  // Who does not look at sizes and never idles has 1 / (mu - lambda), because what is left of each is as at the begin.
  const double rate = 0.7, wanted = 1.0 / (1.0 - rate);
  for (GangOptions options :
       {GangOptions{.policy = GangPolicy::fifo},
        GangOptions{.policy = GangPolicy::las, .thresholds = {0.25, 0.5, 1.0, 2.0, 4.0}},
        GangOptions{.policy = GangPolicy::las, .thresholds = {0.5}, .promote_after = 3.0},
        GangOptions{.policy = GangPolicy::equi, .speedups = {Speedup()}}, GangOptions{.policy = GangPolicy::drf}}) {
    const double seen =
        mean_response_of_one_server(options, rate, 1'000'000, 5, [](RandomStream& draw) { return draw.exponential(); });
    QVERIFY2(std::fabs(seen / wanted - 1.0) < 0.03, std::to_string(seen / wanted).c_str());
  }
}

void TestGangScheduler::even_shares_on_one_gpu_are_processor_sharing() {
  // M/G/1 processor sharing: E[T] = E[S] / (1 - rho), whatever the law; here sizes 1/3 and 7/3 with mean 1.
  const double seen = mean_response_of_one_server(
      {.policy = GangPolicy::equi, .speedups = {Speedup()}}, 0.6, 1'000'000, 9,
      [](RandomStream& draw) { return draw.uniform() < 2.0 / 3.0 ? 1.0 / 3.0 : 7.0 / 3.0; });
  QVERIFY2(std::fabs(seen * 0.4 - 1.0) < 0.02, std::to_string(seen * 0.4).c_str());
}

void TestGangScheduler::dominant_resource_fairness_divides_the_published_example() {
  // Ghodsi et al., 2011, section 4.1: 9 CPUs and 18 GB; A's tasks want 1 and 4, B's 3 and 1: three tasks of A, two of
  // B.
  std::vector<GangJob> jobs;
  for (int i = 0; i < 20; ++i)
    jobs.push_back(i % 2 == 0 ? GangJob{.work_s = 100.0, .gpus = 1, .cpus = 1.0, .memory = 4.0, .user = 0}
                              : GangJob{.work_s = 100.0, .gpus = 3, .cpus = 3.0, .memory = 1.0, .user = 1});
  const auto at_once = [&](std::vector<double> weights, std::uint32_t user) {
    const GangSchedule made = simulate_gang(
        jobs,
        {.policy = GangPolicy::drf, .gpus = 9, .gpus_per_host = 9, .cpus = 9.0, .memory = 18.0, .weights = weights});
    return std::count_if(jobs.begin(), jobs.end(), [&](const GangJob& job) {
      return job.user == user && made.jobs[static_cast<std::size_t>(&job - jobs.data())].start_s == 0.0;
    });
  };
  QCOMPARE(at_once({}, 0), 3);
  QCOMPARE(at_once({}, 1), 2);
  QVERIFY(at_once({8.0, 1.0}, 0) > 3);
}

void TestGangScheduler::a_schedule_goes_on_from_saved_state() {
  for (int policy = 0; policy <= 6; ++policy)
    for (std::uint64_t number = 0; number < 40; ++number) {
      const GangCase one = random_gang_case(static_cast<GangPolicy>(policy), number);
      GangScheduler whole(one.options), other(one.options);
      GangScheduler* now = &whole;
      std::vector<GangEvent> events;
      std::vector<double> ends(one.jobs.size(), GangOptions::unlimited);
      std::size_t steps = 0;
      for (std::uint32_t next = 0;; ++steps) {
        const double arrival_s = next < one.jobs.size() ? one.jobs[next].arrival_s : GangOptions::unlimited;
        const double now_s = std::min(arrival_s, now->next_s());
        if (now_s == GangOptions::unlimited) break;
        events.clear();
        now->pass(now_s, events);
        for (; next < one.jobs.size() && one.jobs[next].arrival_s <= now_s; ++next)
          if (now->can_ever_fit(one.jobs[next])) now->submit(next, one.jobs[next], now_s);
        now->decide(now_s, events);
        for (const GangEvent& event : events)
          if (event.what == GangEvent::What::ends) ends[event.job] = now_s;
        if (steps % 3 != 1) continue;
        ByteWriter bytes;
        bytes(*now);
        GangScheduler* const into = now == &whole ? &other : &whole;
        const std::string saved = bytes.take();
        ByteReader reader(saved);
        reader(*into);
        QVERIFY(reader.complete());
        into->rebuild();
        now = into;
      }
      const GangSchedule wanted = simulate_gang(one.jobs, one.options);
      for (std::size_t i = 0; i < ends.size(); ++i)
        QVERIFY2(ends[i] == wanted.jobs[i].end_s || near(ends[i], wanted.jobs[i].end_s),
                 (std::to_string(policy) + " " + std::to_string(number)).c_str());
    }
}

void TestGangScheduler::stretches_hold_no_more_than_a_host_has() {
  for (int policy : {0, 1, 2, 3, 4, 6})
    for (std::uint64_t number = 0; number < 100; ++number) {
      const GangCase one = random_gang_case(static_cast<GangPolicy>(policy), number);
      const GangSchedule made = simulate_gang(one.jobs, one.options);
      double busy = 0.0;
      for (const GangStretch& a : made.stretches) {
        busy += a.gpus * (a.to_s - a.from_s);
        QVERIFY(a.host <= a.last_host && a.gpus % (a.last_host - a.host + 1) == 0);
        std::uint32_t of_job = 0;
        for (const GangStretch& b : made.stretches)
          if (b.from_s <= a.from_s && a.from_s < b.to_s && b.job == a.job) of_job += b.gpus;
        if (a.to_s > a.from_s) QCOMPARE(of_job, one.jobs[a.job].gpus);
        for (std::uint32_t host = a.host; host <= a.last_host; ++host) {
          std::uint32_t here = 0;
          for (const GangStretch& b : made.stretches)
            if (b.from_s <= a.from_s && a.from_s < b.to_s && b.host <= host && host <= b.last_host)
              here += b.gpus / (b.last_host - b.host + 1);
          const std::uint32_t before = host * one.options.gpus_per_host;
          QVERIFY(here <= std::min(one.options.gpus_per_host, one.options.gpus - before));
        }
      }
      QVERIFY(near(busy, made.busy_gpu_s));
    }
}

QTEST_APPLESS_MAIN(TestGangScheduler)
#include "tst_gang_scheduler.moc"
