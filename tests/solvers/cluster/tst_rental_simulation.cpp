// Rentals while they run: insensitivity, closed forms of shared clusters and of jobs that fail, and every policy beside
// a plain loop over the same jobs. Intervals are at 99.9 %: a check by one fails by chance once in a thousand seeds.
#include <QtTest>
#include <cmath>
#include <functional>

#include "core/des/lowering.h"
#include "solvers/cluster/budget/cluster_shares.h"
#include "solvers/cluster/lowering/rental_lowering.h"
#include "tests/solvers/cluster/drawn_rental.h"
#include "tests/solvers/queueing/saved_moment.h"

using namespace ergode;
using namespace ergode::test;

namespace {

const Value amdahl_8 = {{"speedup", "amdahl"}, {"parallel", "0.8"}};
const Value root = {{"speedup", "power"}, {"exponent", "0.5"}};

/// The instance of Figure 1.
DrawnRental drawn_figure_1(const std::string& horizon, const std::string& budget, const std::string& policy,
                           const std::string& size, Value more = Value::object()) {
  more["budget"] = budget, more["policy"] = policy;
  DrawnRental out(horizon, std::move(more));
  out.stream("first", "0.4 /h", size, amdahl_8);
  out.stream("second", "0.4 /h", size, root);
  out.mean_of("time", "cloud.response_time");
  out.mean_of("first_time", "cloud.response_time", "observed_mean", "first");
  out.mean_of("second_time", "cloud.response_time", "observed_mean", "second");
  out.mean("gpus", "cloud.gpus");
  return out;
}

/// One job of the plain loop.
struct PlainJob {
  double comes = 0.0, left = 0.0, done = -1.0;
  int type = 0;
};

/// Jobs of one stream as the simulation draws them: gaps at `rate`, exponential sizes of mean 1 [h].
void draw_jobs(ElementId stream, std::uint64_t seed, int type, double rate, double end_h, std::vector<PlainJob>& out) {
  RandomStream gaps(stream_key(seed, stream.text() + ".gaps"), 0), sizes(stream_key(seed, stream.text() + ".sizes"), 0);
  for (double t = gaps.exponential() / rate; t <= end_h; t += gaps.exponential() / rate)
    out.push_back({t, sizes.exponential(), -1.0, type});
}

/// GPUs of those who are there, by a policy that shares a cluster.
using Divide = std::function<std::vector<double>(const std::vector<const PlainJob*>&)>;

/// Goes from event to event and looks at everybody each time. @returns mean response times by type, of those done.
std::vector<double> plain_times(std::vector<PlainJob> jobs, const Divide& divide,
                                const std::vector<std::function<double(double)>>& speed, double end_h) {
  std::sort(jobs.begin(), jobs.end(), [](const PlainJob& a, const PlainJob& b) { return a.comes < b.comes; });
  std::size_t next = 0;
  for (double now = 0.0;;) {
    std::vector<const PlainJob*> present;
    for (std::size_t j = 0; j < next; ++j)
      if (jobs[j].done < 0.0) present.push_back(&jobs[j]);
    const std::vector<double> gpus = present.empty() ? std::vector<double>() : divide(present);
    double until = next < jobs.size() ? jobs[next].comes : INFINITY;
    const PlainJob* first = nullptr;
    for (std::size_t j = 0; j < present.size(); ++j) {
      const double done = now + present[j]->left / speed[static_cast<std::size_t>(present[j]->type)](gpus[j]);
      if (done < until) until = done, first = present[j];
    }
    if (until > end_h) break;
    for (std::size_t j = 0; j < present.size(); ++j)
      const_cast<PlainJob*>(present[j])->left -=
          speed[static_cast<std::size_t>(present[j]->type)](gpus[j]) * (until - now);
    now = until;
    if (first != nullptr) const_cast<PlainJob*>(first)->done = now;
    else ++next;
  }
  std::vector<double> sum(speed.size(), 0.0), count(speed.size(), 0.0);
  for (const PlainJob& one : jobs)
    if (one.done >= 0.0) {
      sum[static_cast<std::size_t>(one.type)] += one.done - one.comes;
      count[static_cast<std::size_t>(one.type)] += 1.0;
    }
  for (std::size_t t = 0; t < sum.size(); ++t) sum[t] /= count[t];
  return sum;
}

double speed_amdahl_8(double k) { return k < 1 ? k : 1 / (0.2 + 0.8 / k); }
double speed_root(double k) { return k < 1 ? k : std::sqrt(k); }

/// Mean time [h] of a job that works `work` without failures: failures at `rate` while it works, writes checkpoints
/// (`cost`) after each `period`, or restarts. By segments of work: e^(rate restart) (e^(rate length) - 1) / rate each.
/// Daly, A higher order estimate of the optimum checkpoint interval for restart dumps, 2006.
double time_with_failures(double work, double rate, double period, double cost, double restart) {
  const auto segment = [&](double length) { return std::exp(rate * restart) * std::expm1(rate * length) / rate; };
  const double whole = std::max(0.0, std::ceil(work / period - 1e-9) - 1.0);
  return whole * segment(period + cost) + segment(work - whole * period);
}

}  // namespace

class TestRentalSimulation : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(rental_lowering); }

  // 8 replications of some 4e5 jobs: standard errors are 0.0002 of E[T] and 0.0017 of B, so that the limits of the
  // specification are three of them or more; a false alarm once in 300 seeds.
  void v5_the_law_of_sizes_does_not_matter() {
    for (const char* size : {"exponential(mean = 1 h)", "pareto(scale = 0.6 h, shape = 2.5)"}) {
      const ResultSet r = drawn_figure_1("500000 h", "2", "optimal", size).run(8);
      QVERIFY2(std::fabs(estimate(r, "time") - 1.0 / 3) <= 0.001, size);
      QVERIFY2(std::fabs(estimate(r, "gpus") - 2.0) <= 0.005, size);
      compare_inside(r, "first_time", 1.0 / 3), compare_inside(r, "second_time", 1.0 / 3);
    }
  }

  // Every job comes, is as large, and gets what the plain loop gives it: to rounding.
  void every_policy_does_what_a_plain_loop_does() {
    const double end = 3000;
    const Speedup amdahl = std::get<Speedup>(Speedup::of(Speedup::Family::amdahl, 0.8)),
                  power = std::get<Speedup>(Speedup::of(Speedup::Family::power, 0.5));
    const auto type_share = [&](const std::vector<const PlainJob*>& present, double gpus) {
      std::vector<AlikeJobs> types = {{&amdahl}, {&power}};
      for (const PlainJob* one : present) ++types[static_cast<std::size_t>(one->type)].jobs;
      greedy_shares(gpus, types);
      std::vector<double> out;
      for (const PlainJob* one : present) out.push_back(types[static_cast<std::size_t>(one->type)].gpus);
      return out;
    };
    const auto by_size = [](const std::vector<const PlainJob*>& present, double gpus) {
      std::vector<double> out;
      for (const PlainJob* one : present) {
        double rank = 1;  // by remaining size, the largest first
        for (const PlainJob* other : present) rank += other->left > one->left ? 1 : 0;
        const double all = static_cast<double>(present.size()), c = 1 / (1 - 0.6);
        out.push_back(gpus * (std::pow(rank / all, c) - std::pow((rank - 1) / all, c)));
      }
      return out;
    };
    const std::map<std::string, std::pair<std::string, Divide>> policies = {
        {"optimal",
         {"2",
          [](const auto& p) {
            std::vector<double> out;
            for (const PlainJob* one : p) out.push_back(one->type == 0 ? 6 : 9);
            return out;
          }}},
        {"equal_width", {"3.2", [](const auto& p) { return std::vector<double>(p.size(), 16.0); }}},
        {"one_gpu", {"2", [](const auto& p) { return std::vector<double>(p.size(), 1.0); }}},
        {"equi",
         {"2.7", [](const auto& p) { return std::vector<double>(p.size(), 2.0 / static_cast<double>(p.size())); }}},
        {"greedy", {"3", [&](const auto& p) { return type_share(p, 3); }}},
        {"hesrpt", {"4", [&](const auto& p) { return by_size(p, 4); }}}};
    for (const auto& [policy, how] : policies) {
      const DrawnRental drawn = drawn_figure_1("3000 h", how.first, policy, "exponential(mean = 1 h)",
                                               policy == "hesrpt" ? Value{{"share_exponent", "0.6"}} : Value::object());
      const ResultSet r = drawn.run(1);
      std::vector<PlainJob> jobs;
      int type = 0;
      for (const Element* node : drawn.m.document().nodes(drawn.diagram))
        if (node->kind == "job_stream") draw_jobs(node->id, 1, type++, 0.4, end, jobs);
      const auto times = plain_times(jobs, how.second, {speed_amdahl_8, speed_root}, end);
      compare_near(r, "first_time", times[0], 1e-8), compare_near(r, "second_time", times[1], 1e-8);
      if (policy == "equi" || policy == "greedy" || policy == "hesrpt")
        compare_near(r, "gpus", std::floor(std::stod(how.first)), 1e-12);
    }
  }

  // One type, shared evenly: processor sharing whose speed depends on the number alone, insensitive to sizes.
  // pi(n) ~ rho^n / prod phi(j), phi(j) = j s(m / j). Kelly, Reversibility and stochastic networks, 1979.
  void an_evenly_shared_cluster_has_its_closed_form() {
    for (const char* size : {"exponential(mean = 1 h)", "lognormal(mean = 1 h, sd = 2 h)"}) {
      DrawnRental drawn("4000 h", {{"budget", "4"}, {"policy", "equi"}});
      drawn.stream("jobs", "2.6 /h", size, root);
      drawn.mean_of("time", "cloud.response_time", "steady_state_mean");
      drawn.m.measure("number", "steady_state_mean", "cloud.jobs");
      double weight = 1, sum = 1, number = 0;
      for (int n = 1; n < 2000; ++n) {
        weight *= 2.6 / (n * speed_root(4.0 / n));
        sum += weight, number += n * weight;
      }
      const ResultSet r = drawn.run(20);
      compare_inside(r, "number", number / sum), compare_inside(r, "time", number / sum / 2.6);
    }
  }

  // Fixed work, so that the closed form is one term; and exponential work, integrated over its law.
  void jobs_that_fail_go_on_from_their_checkpoints() {
    // Four GPUs at s = 2: half of the work, in hours; failures at 4 x 0.05 /h.
    const Value rules = {{"budget", "8"},      {"policy", "equal_width"},      {"failure_rate", "0.05 /h"},
                         {"restart", "0.1 h"}, {"checkpoint_period", "0.7 h"}, {"checkpoint_cost", "0.05 h"}};
    const double rate = 0.2;
    DrawnRental fixed("20000 h", rules);
    // 8 GPUs on average: rate x work x k / s(k) = 0.5 x 8 x 2.
    fixed.stream("jobs", "0.5 /h", "8 h", root);
    fixed.mean_of("time", "cloud.response_time"), fixed.mean_of("gpu_time", "cloud.gpu_time");
    fixed.m.measure("failures", "count", "", {{"event", ""}, {"expression", "mod(cloud.failures, 2) == 1"}});
    const double wanted = time_with_failures(4, rate, 0.7, 0.05, 0.1);
    QVERIFY(wanted > 4.5);
    const ResultSet r = fixed.run(10);
    compare_inside(r, "time", wanted), compare_inside(r, "gpu_time", 4 * wanted);
    // Every second failure makes the condition true.
    compare_near(r, "failures", 0.5 * rate * 0.5 * 20000 * wanted, 0.02);

    DrawnRental drawn("20000 h", rules);
    drawn.stream("jobs", "0.5 /h", "exponential(mean = 8 h)", root);
    drawn.mean_of("time", "cloud.response_time", "steady_state_mean");
    double mean = 0;
    constexpr double step = 1e-3;
    for (double w = step / 2; w < 200; w += step)
      mean += step * std::exp(-w / 4) / 4 * time_with_failures(w, rate, 0.7, 0.05, 0.1);
    compare_inside(drawn.run(20), "time", mean);
  }

  void without_checkpoints_a_job_begins_again() {
    DrawnRental drawn("20000 h", {{"budget", "8"}, {"policy", "equal_width"}, {"failure_rate", "0.05 /h"}});
    drawn.stream("jobs", "0.5 /h", "8 h", root);
    drawn.mean_of("time", "cloud.response_time");
    compare_inside(drawn.run(10), "time", std::expm1(0.2 * 4) / 0.2);
  }

  // A job alone in its cluster, which others come too rarely to share, is a job with all GPUs.
  void failures_in_a_shared_cluster_are_those_of_its_shares() {
    for (const char* policy : {"equi", "hesrpt", "greedy"}) {
      DrawnRental drawn("2000000 h", {{"budget", "4"},
                                      {"policy", policy},
                                      {"failure_rate", "0.05 /h"},
                                      {"restart", "0.1 h"},
                                      {"checkpoint_period", "0.7 h"},
                                      {"checkpoint_cost", "0.05 h"}});
      Value stream = root;
      stream["interarrival"] = "400 h", stream["start_up"] = "0.25 h";
      drawn.stream("jobs", "", "8 h", stream);
      drawn.mean_of("time", "cloud.response_time");
      drawn.mean_of("gpu_time", "cloud.gpu_time");
      const double wanted = 0.25 + time_with_failures(4, 0.2, 0.7, 0.05, 0.1);
      const ResultSet r = drawn.run(8);
      compare_inside(r, "time", wanted), compare_inside(r, "gpu_time", 4 * wanted);
    }
  }

  // Checkpoints that never need to be read cost their time.
  void checkpoints_cost_what_they_take() {
    DrawnRental drawn("1000 h", {{"budget", "8"},
                                 {"policy", "equal_width"},
                                 {"checkpoint_period", "0.7 h"},
                                 {"checkpoint_cost", "0.05 h"},
                                 {"price", "3 USD/h"}});
    drawn.stream("jobs", "0.5 /h", "8 h", root);
    drawn.mean_of("time", "cloud.response_time");
    drawn.m.measure("cost", "observed_mean", "", {{"of", "cloud.cost"}, {"unit", "USD"}});
    const ResultSet r = drawn.run(1);
    compare_near(r, "time", 4 + 5 * 0.05, 1e-9);
    compare_near(r, "cost", 3 * 4 * 4.25, 1e-9);
  }

  // Twice what a cluster can do: each sort is named with how many of it are left over, in the measures that miss them.
  void who_is_not_done_at_the_end_is_told() {
    const auto drawn = [](const char* budget) {
      DrawnRental out("400 h", {{"budget", budget}, {"policy", "equi"}});
      out.stream("small", "2 /h", "1 h", root), out.stream("large", "0.5 /h", "4 h", root);
      out.mean_of("all", "cloud.response_time");
      out.mean_of("of_small", "cloud.response_time", "steady_state_mean", "small");
      out.m.measure("come", "observed_rate", "", {{"of", "cloud.response_time"}, {"unit", "/h"}});
      out.m.measure("small_left", "final_value", "small.jobs"),
          out.m.measure("large_left", "final_value", "large.jobs");
      return out;
    };
    RunRequest long_run{.seed = 1};
    long_run.options["output-analysis"] = "batch-means";
    long_run.options["longest"] = "1";
    for (const bool one_run : {false, true}) {
      const DrawnRental d = drawn("2");
      const ResultSet r = one_run ? solved(d.m.document(), long_run) : d.run(10);
      std::vector<const Diagnostic*> told;
      for (const Diagnostic& one : r.diagnostics)
        if (one.code == "RUN043") told.push_back(&one);
      QCOMPARE(told.size(), 2U);
      const std::string& small = told[0]->message;
      QVERIFY2(small.find("jobs of \"small\" (work for 2 GPUs") != std::string::npos, small.c_str());
      QVERIFY2(small.find("\"all\", \"of_small\" count only") != std::string::npos, small.c_str());
      QVERIFY2(told[1]->message.find(": \"all\" count only") != std::string::npos, told[1]->message.c_str());
      if (!one_run)
        QVERIFY2(small.find(" " + number_text(estimate(r, "small_left"), 3) + " are there") != std::string::npos,
                 small.c_str());
    }
    QVERIFY(find_code(drawn("8").run(10).diagnostics, "RUN043") == nullptr);
  }

  // The load that a cluster cannot do, with all that is done over again: just above it jobs become ever more, in
  // proportion to time and at least those that are too many, and just below they do not, though the work is the same.
  void failures_make_a_cluster_too_small() {
    const auto left_after = [](int hours, double per_hour, bool too_small) {
      DrawnRental drawn(std::to_string(hours) + " h",
                        {{"budget", "4"}, {"policy", "equi"}, {"failure_rate", number_text(per_hour) + " /h"}});
      drawn.stream("jobs", "1 /h", "3.4 h", root);
      drawn.mean_of("time", "cloud.response_time"), drawn.m.measure("left", "final_value", "cloud.jobs");
      QTest::qCompare(drawn.problems(), std::string(too_small ? "RNT007" : ""), "problems", "wanted", __FILE__,
                      __LINE__);
      const ResultSet r = drawn.run(20);
      QTest::qVerify((find_code(r.diagnostics, "RUN043") != nullptr) == too_small, "RUN043", "", __FILE__, __LINE__);
      return estimate(r, "left");
    };
    const double load = std::expm1(0.15 * 3.4) / 0.15;
    const double half = left_after(1000, 0.15, true), whole = left_after(2000, 0.15, true);
    QVERIFY2(whole > 0.9 * 2000 * (1 - 4 / load) && std::fabs(whole - 2 * half) < 0.2 * whole,
             qPrintable(QString("%1, %2").arg(half).arg(whole)));
    QVERIFY(std::expm1(0.05 * 3.4) / 0.05 < 4 && left_after(2000, 0.05, false) < 60);
  }

  void slots_tell_what_is_there() {
    DrawnRental drawn = drawn_figure_1("5000 h", "2", "optimal", "exponential(mean = 1 h)", {{"price", "3 USD/h"}});
    drawn.m.measure("spend", "time_average", "cloud.spend", {{"unit", "USD/h"}});
    drawn.mean("jobs", "cloud.jobs"), drawn.mean("first_jobs", "first.jobs"), drawn.mean("second_gpus", "second.gpus");
    drawn.m.measure("all", "final_value", "first.submitted + second.submitted");
    drawn.mean("sum", "cloud.gpus - first.gpus - second.gpus");
    drawn.mean("sixes", "first.gpus - 6 * first.jobs");
    const ResultSet r = drawn.run(10);
    compare_near(r, "spend", 3 * estimate(r, "gpus"), 1e-12);
    compare_inside(r, "gpus", 2.0), compare_inside(r, "jobs", 0.8 / 3), compare_inside(r, "first_jobs", 0.4 / 3);
    compare_inside(r, "second_gpus", 9 * 0.4 / 3), compare_inside(r, "all", 0.8 * 5000);
    QVERIFY(std::fabs(estimate(r, "sum")) < 1e-9 && std::fabs(estimate(r, "sixes")) < 1e-9);
  }

  // A share of the jobs draws the greater width: half of what comes costs 9, half 10.
  void whole_gpus_are_mixed_by_lot() {
    DrawnRental drawn = drawn_figure_1("100000 h", "3", "optimal", "exponential(mean = 1 h)", {{"whole_gpus", "true"}});
    const ResultSet r = drawn.run(8);
    compare_inside(r, "time", 0.24638679), compare_inside(r, "gpus", 3.0);
    compare_inside(r, "first_time", 0.47916 * (0.2 + 0.8 / 9) + 0.52084 * 0.28);
  }

  void a_saved_moment_goes_on_as_it_would_have() {
    for (const char* policy : {"optimal", "equi", "hesrpt", "greedy"}) {
      DrawnRental drawn("1 h", {{"budget", "8"},
                                {"policy", policy},
                                {"failure_rate", "20 /h"},
                                {"restart", "1 s"},
                                {"checkpoint_period", "2 s"},
                                {"checkpoint_cost", "0.5 s"}});
      drawn.stream("first", "0.4 /s", "exponential(mean = 3 s)", amdahl_8);
      drawn.stream("second", "0.4 /s", "exponential(mean = 4 s)", root);
      drawn.mean("gpus", "cloud.gpus");
      compare_saved_moment(drawn.m.document());
    }
  }

  void the_number_of_threads_changes_nothing() {
    const DrawnRental drawn = drawn_figure_1("300 h", "4", "hesrpt", "exponential(mean = 1 h)");
    RunRequest request;
    request.replications = 40, request.seed = 3, request.threads = 1;
    const ResultSet one = solved(drawn.m.document(), request);
    request.threads = 3;
    const ResultSet three = solved(drawn.m.document(), request);
    QCOMPARE(one.fingerprint, three.fingerprint);
    QCOMPARE(estimate(one, "time"), estimate(three, "time"));
  }

  // Jobs come while a chart is in one of its states; half of the time.
  void a_rate_may_follow_a_chart() {
    DrawnRental drawn("4000 h", {{"budget", "4"}, {"policy", "one_gpu"}});
    drawn.stream("jobs", "if(in(day.Open), 3 /h, 0 /h)", "0.5 h", root);
    ChartBuilder chart(drawn.m, "Day");
    const ElementId open = chart.state("Open"), closed = chart.state("Closed");
    chart.initial(open), chart.transition(open, closed, "after(2 h)"), chart.transition(closed, open, "after(2 h)");
    drawn.m.component("day", "Day");
    drawn.m.measure("come", "final_value", "jobs.submitted");
    drawn.mean_of("time", "cloud.response_time");
    QCOMPARE(drawn.problems(), std::string());
    const ResultSet r = drawn.run(20);
    compare_inside(r, "come", 3.0 * 2000);
    compare_near(r, "time", 0.5, 1e-9);
  }

  void too_many_jobs_are_an_error() {
    DrawnRental drawn("1000000 h", {{"budget", "1"}, {"policy", "one_gpu"}});
    drawn.stream("jobs", "1e5 /h", "1000000 h", root);
    drawn.mean("gpus", "cloud.gpus");
    RunControl control;
    RunRequest request;
    request.replications = 1;
    const ResultSet r = find_solver("simulation")->solve(drawn.m.document(), request, control);
    QVERIFY(r.status == RunStatus::failed && find_code(r.diagnostics, "RUN002") != nullptr);
  }
};

QTEST_GUILESS_MAIN(TestRentalSimulation)
#include "tst_rental_simulation.moc"
