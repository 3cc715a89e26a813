// The example gives the numbers that its README states: printed in the specification, by closed forms, or within the
// interval of its simulation.
#include <QtTest>
#include <cmath>

#include "core/des/lowering.h"
#include "solvers/cluster/lowering/rental_lowering.h"
#include "tests/solvers/cluster/drawn_rental.h"
#include "tests/solvers/cluster/printed_value.h"

using namespace ergode;
using namespace ergode::test;

namespace {

ResultSet run_rent(const std::string& solver, Overrides overrides = {}, const std::string& scenario = "") {
  RunRequest request;
  request.solver = solver, request.overrides = std::move(overrides), request.scenario = scenario;
  request.confidence = 0.999;
  return solved(example("23_rent_gpus"), request);
}

}  // namespace

class TestRentalExamples : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(rental_lowering); }

  void widths_and_times_are_those_of_the_specification() {
    struct Row {
      const char *b, *small, *medium, *large, *t, *nu;
    };
    for (const Row& row : {Row{"12", "2.2943", "2.3395", "1", "2.288902", "1.709800"},
                           Row{"16", "4.3320", "8.3405", "2.0851", "1.374608", "0.479587"},
                           Row{"40", "15.0714", "100.9547", "25.2387", "0.404116", "0.039622"}}) {
      const ResultSet r = run_rent("rental-budget", {{"b", row.b}});
      compare_printed(estimate(r, "width/small"), row.small, "small");
      compare_printed(estimate(r, "width/medium"), row.medium, "medium");
      compare_printed(estimate(r, "width/large"), row.large, "large");
      compare_printed(estimate(r, "mean_response_time"), row.t, "E[T]");
      compare_printed(estimate(r, "multiplier"), row.nu, "nu");
      compare_near(r, "gpus", std::stod(row.b), 1e-9);
      compare_near(r, "spend", 2.5 * std::stod(row.b), 1e-9);
    }
  }

  void whole_gpus_cost_a_little() {
    const ResultSet real = run_rent("rental-budget"), whole = run_rent("rental-budget", {{"whole", "true"}});
    const double more = estimate(whole, "mean_response_time") / estimate(real, "mean_response_time");
    QVERIFY(more >= 1 && more < 1.01);
    compare_near(whole, "gpus", 16, 1e-9);
    int fractions = 0;
    for (const char* type : {"small", "medium", "large"}) {
      const double width = estimate(whole, std::string("width/") + type);
      fractions += std::fabs(width - std::round(width)) > 1e-9 ? 1 : 0;
    }
    QVERIFY(fractions <= 1);
  }

  void the_simulation_agrees_with_the_solver() {
    for (const char* policy : {"optimal", "equal_width", "one_gpu"}) {
      const ResultSet exact = run_rent("rental-budget", {{"policy", policy}}),
                      seen = run_rent("simulation", {{"policy", policy}});
      for (const char* id : {"mean_response_time", "response_small", "response_medium", "response_large", "gpus"})
        compare_inside(seen, id, estimate(exact, id));
    }
  }

  // Fixed widths are the best of all that are tried, on the same jobs.
  void nobody_beats_the_optimal_widths() {
    const double best = estimate(run_rent("simulation"), "mean_response_time");
    for (const char* policy : {"equal_width", "one_gpu", "equi", "hesrpt", "greedy"})
      QVERIFY2(estimate(run_rent("simulation", {{"policy", policy}}), "mean_response_time") > best, policy);
  }

  // By type: segments of work between checkpoints, exponential work integrated over its law (Daly, 2006).
  void failures_cost_what_the_closed_form_says() {
    const ResultSet plan = run_rent("rental-budget"), seen = run_rent("simulation", {}, "failures");
    const auto mean = [&](const char* type, double speed, double size) {
      const double width = estimate(plan, std::string("width/") + type), rate = 0.02 * width;
      const auto segment = [&](double length) { return std::exp(rate * 0.1) * std::expm1(rate * length) / rate; };
      double out = 0;
      constexpr double step = 1e-3;
      const double work = size / speed;
      for (double w = step / 2; w < 40 * work; w += step) {
        const double whole = std::max(0.0, std::ceil(w / 0.5) - 1);
        out += step * std::exp(-w / work) / work * (whole * segment(0.52) + segment(w - 0.5 * whole));
      }
      return out;
    };
    const auto width = [&](const char* type) { return estimate(plan, std::string("width/") + type); };
    const double small = mean("small", 1 / (0.1 + 0.9 / width("small")), 1),
                 medium = mean("medium", std::pow(width("medium"), 0.8), 4),
                 large = mean("large", std::sqrt(width("large")), 10);
    compare_inside(seen, "response_small", small), compare_inside(seen, "response_medium", medium);
    compare_inside(seen, "response_large", large);
    compare_inside(seen, "mean_response_time", (2 * small + medium + 0.5 * large) / 3.5);
    compare_inside(seen, "gpus", 2 * width("small") * small + width("medium") * medium + 0.5 * width("large") * large);
    const auto refused = find_solver("rental-budget")->fits(example("23_rent_gpus"), {.scenario = "failures"});
    QCOMPARE(codes(refused), std::string("SOL001"));
  }
};

QTEST_GUILESS_MAIN(TestRentalExamples)
#include "tst_rental_examples.moc"
