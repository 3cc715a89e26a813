// What is wrong with a drawn rental, told at its place; and what its solver takes.
#include <QtTest>
#include <cmath>

#include "core/des/lowering.h"
#include "solvers/cluster/lowering/rental_lowering.h"
#include "solvers/cluster/model/rental_model.h"
#include "tests/solvers/cluster/drawn_rental.h"
#include "tests/solvers/cluster/printed_value.h"

using namespace ergode;
using namespace ergode::test;

namespace {

const Value power_8 = {{"speedup", "power"}, {"exponent", "0.8"}};

DrawnRental with_rental(Value properties) {
  DrawnRental out("100 h", std::move(properties));
  out.stream("jobs", "1 /h", "2 h", power_8);
  out.mean("gpus", "cloud.gpus");
  return out;
}
DrawnRental with_stream(Value properties, const std::string& rate = "1 /h", const std::string& size = "2 h") {
  DrawnRental out("100 h", {{"budget", "8"}});
  out.stream("jobs", rate, size, std::move(properties));
  out.mean("gpus", "cloud.gpus");
  return out;
}

/// The three-type demo.
DrawnRental drawn_three_types(Value rental) {
  DrawnRental out("100 h", std::move(rental));
  out.stream("small", "2 /h", "exponential(mean = 1 h)", {{"speedup", "amdahl"}, {"parallel", "0.9"}});
  out.stream("medium", "1 /h", "exponential(mean = 4 h)", power_8);
  out.stream("large", "0.5 /h", "exponential(mean = 10 h)", {{"speedup", "power"}, {"exponent", "0.5"}});
  return out;
}

Diagnostics reasons(const DrawnRental& drawn) { return find_solver("rental-budget")->fits(drawn.m.document(), {}); }

}  // namespace

class TestRentalLowering : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(rental_lowering); }

  void values_out_of_range_are_refused_at_their_property() {
    for (const auto& [property, value] :
         {std::pair{"budget", "0"}, std::pair{"budget", "-2"}, std::pair{"price", "-1 USD/h"},
          std::pair{"failure_rate", "-1 /h"}, std::pair{"checkpoint_period", "0 h"},
          std::pair{"checkpoint_cost", "-1 h"}, std::pair{"restart", "-1 h"}}) {
      const DrawnRental drawn = with_rental({{property, value}});
      Diagnostics found;
      QVERIFY(build_model(drawn.m.document(), {}, "", found) == nullptr);
      const Diagnostic* one = find_code(found, "RNT002");
      QVERIFY2(one != nullptr && one->pointer == property && one->element == drawn.rental, property);
    }
    QCOMPARE(with_rental({{"budget", "8"}}).problems(), std::string());
    QCOMPARE(with_rental({{"policy", "hesrpt"}, {"share_exponent", "1"}}).problems(), std::string("RNT002"));
    QCOMPARE(with_stream(power_8, "0 /h").problems(), std::string("RNT002"));
    QCOMPARE(with_stream(power_8, "1 /h", "-1 h").problems(), std::string("RNT002"));
    QCOMPARE(with_stream(power_8, "1 /h", "pareto(scale = 1 h, shape = 1)").problems(), std::string("RNT002"));
    QCOMPARE(with_stream({{"start_up", "-1 h"}}).problems(), std::string("RNT002"));
    // A text that is no expression is said once.
    QCOMPARE(with_rental({{"budget", "2 *"}}).problems(), std::string("EXP001"));
    QCOMPARE(with_rental({{"budget", "2 h"}}).problems(), std::string("EXP004"));
    QCOMPARE(with_rental({{"policy", "best"}}).problems(), std::string("DOC002"));
  }

  void values_are_told_in_the_unit_that_they_are_written_in() {
    const auto told = [](const DrawnRental& drawn) {
      Diagnostics found;
      build_model(drawn.m.document(), {}, "", found);
      const Diagnostic* one = find_code(found, "RNT002");
      return one != nullptr ? one->message : listed(found);
    };
    QCOMPARE(told(with_rental({{"restart", "-6 min"}})),
             std::string("The time to restart is -6 min; wanted >= 0 min."));
    QCOMPARE(told(with_rental({{"restart", "-(2 * 3 min)"}})),
             std::string("The time to restart is -6 min; wanted >= 0 min."));
    QCOMPARE(told(with_rental({{"price", "-3 USD/s"}})),
             std::string("The price is -3 USD/s; wanted a finite one >= 0 USD/s."));
    QCOMPARE(told(with_rental({{"failure_rate", "-1 /d"}})),
             std::string("The failure rate is -1 /d; wanted a finite rate >= 0 /d."));
    QCOMPARE(told(with_stream({{"start_up", "-2 s"}})),
             std::string("The start-up time is -2 s; wanted a finite one >= 0 s."));
    QCOMPARE(told(with_stream(power_8, "0 /yr")), std::string("The rate is 0 /yr; wanted a finite rate above 0 /yr."));
    QCOMPARE(
        told(with_stream(power_8, "1 /h", "-1 d")),
        std::string("Its mean is -1 d and its least value -1 d; wanted a finite mean above 0 d and nothing below."));
    DrawnRental named = with_rental({{"restart", "-pause"}});
    named.m.parameter("pause", "0.5 h", {{"unit", "min"}});
    QCOMPARE(told(named), std::string("The time to restart is -30 min; wanted >= 0 min."));
  }

  // A cluster has as many whole GPUs as the budget; only what rounding leaves of a whole number is one.
  void a_cluster_is_never_above_its_budget() {
    RentalModel::Rental one;
    for (const double budget : {1.0, 3.5, 16.0, 99999999.95, 99999999.9999, 1e8 - 1e-3, 1e8}) {
      one.budget = budget;
      QCOMPARE(one.cluster(), std::floor(budget));
    }
    for (const double parts : {3.0, 7.0, 10.0, 49.0, 1e7}) {
      one.budget = 0.0;
      for (int i = 0; i < 7; ++i) one.budget += 1.0 / parts;
      one.budget *= parts;
      QCOMPARE(one.cluster(), 7.0);
    }
  }

  // With failures a cluster gets along with less: what is saved takes time, what is lost is done again.
  void a_cluster_that_is_too_small_names_stream_and_load() {
    const auto told = [](DrawnRental drawn) {
      Diagnostics found;
      build_model(drawn.m.document(), {}, "", found);
      const Diagnostic* one = find_code(found, "RNT007");
      return one != nullptr ? one->message : std::string();
    };
    const auto cluster = [&](Value rental, const char* size = "1 h") {
      rental["policy"] = "equi", rental["budget"] = "4";
      DrawnRental out("100 h", std::move(rental));
      out.stream("small", "1 /h", "1 h", power_8), out.stream("large", "1 /h", size, power_8);
      out.mean("gpus", "cloud.gpus");
      return out;
    };
    QCOMPARE(told(cluster({}, "2.9 h")), std::string());
    const std::string plain = told(cluster({}, "3 h"));
    QVERIFY2(plain.find("4 GPUs, most of it \"large\" (3 GPUs), and the cluster has 4") != std::string::npos,
             plain.c_str());
    // 2.9 + 1 GPUs of work, saved every 15 min for 15 s or for 30 s.
    const auto saved = [&](const char* cost) {
      return told(cluster({{"checkpoint_period", "15 min"}, {"checkpoint_cost", cost}}, "2.9 h"));
    };
    QCOMPARE(saved("15 s"), std::string());
    QVERIFY2(saved("30 s").find("4.03 GPUs") != std::string::npos, saved("30 s").c_str());
    // Without checkpoints: (e^0.29 - 1) / 0.1 + (e^0.1 - 1) / 0.1, of an exponential size 2.9 / (1 - 0.29).
    const std::string again = told(cluster({{"failure_rate", "0.1 /h"}}, "2.9 h"));
    QVERIFY2(again.find("4.41598 GPUs") != std::string::npos, again.c_str());
    const std::string random = told(cluster({{"failure_rate", "0.1 /h"}}, "exponential(mean = 2.9 h)"));
    QVERIFY2(random.find("(4.08451 GPUs)") != std::string::npos, random.c_str());
    const std::string never = told(cluster({{"failure_rate", "0.5 /h"}}, "exponential(mean = 2 h)"));
    QVERIFY2(never.find("more GPUs than there can be") != std::string::npos, never.c_str());
  }

  void what_is_no_speedup_is_refused() {
    for (const Value& one :
         {Value{{"speedup", "amdahl"}, {"parallel", "1"}}, Value{{"speedup", "power"}, {"exponent", "1.2"}},
          Value{{"speedup", "logarithmic"}, {"coefficient", "-0.1"}},
          Value{{"speedup", "table"}, {"table", "[[1, 1], [2]]"}},
          Value{{"speedup", "table"}, {"table", "[[1, 1], [2, 0.5]]"}},
          Value{{"speedup", "table"}, {"table", "[[2, 1]]"}}, Value{{"speedup", "power"}, {"most_gpus", "0"}}})
      QCOMPARE(with_stream(one).problems(), std::string("RNT004"));
    QCOMPARE(with_stream({{"speedup", "amdahl"}, {"parallel", "1"}, {"most_gpus", "4"}}).problems(), std::string());
    QCOMPARE(with_stream({{"speedup", "table"}}).problems(), std::string());
    for (const char* count : {"0", "2.5"})
      QCOMPARE(with_stream({{"most_jobs", count}}).problems(), std::string("RNT002"));
    QCOMPARE(with_stream({{"trace", "jobs.csv"}}).problems(), std::string("RNT003"));
  }

  void names_flows_and_budgets() {
    DrawnRental twice = with_rental({{"budget", "8"}});
    twice.stream("jobs", "1 /h", "1 h", power_8);
    QVERIFY(twice.problems().find("RNT001") != std::string::npos);

    DrawnRental lost = with_rental({{"budget", "8"}});
    lost.m.node(lost.diagram, {}, "job_stream", {{"name", "astray"}});
    QCOMPARE(lost.problems(), std::string("RNT003"));
    DrawnRental both = with_rental({{"budget", "8"}});
    const ElementId second = both.m.node(both.diagram, {}, "rental", {{"name", "other"}});
    const ElementId from = both.stream("more", "1 /h", "1 h", power_8);
    both.m.edge(both.diagram, "job_flow", from, second);
    QVERIFY(both.problems().find("RNT003") != std::string::npos);
    DrawnRental back = with_rental({{"budget", "8"}});
    back.m.edge(back.diagram, "job_flow", back.rental, back.rental);
    QCOMPARE(back.problems(), std::string("RNT006"));

    // 2 GPUs of work a time.
    QCOMPARE(with_rental({{"budget", "1.9"}}).problems(), std::string("RNT005"));
    QCOMPARE(with_rental({{"budget", "1.9"}, {"policy", "equal_width"}}).problems(), std::string("RNT005"));
    QCOMPARE(with_rental({{"budget", "1.9"}, {"policy", "one_gpu"}}).problems(), std::string("RNT007"));
    QCOMPARE(with_rental({{"budget", "2.9"}, {"policy", "equi"}}).problems(), std::string("RNT007"));
    QCOMPARE(with_rental({{"budget", "3"}, {"policy", "equi"}}).problems(), std::string());

    DrawnRental idle("100 h", {{"budget", "8"}});
    idle.mean("gpus", "cloud.gpus");
    QCOMPARE(idle.problems(), std::string("RNT009"));
  }

  void widths_need_rates_that_are_known() {
    for (const auto& [policy, code] : {std::pair{"optimal", "RNT008"}, std::pair{"equal_width", "RNT008"},
                                       std::pair{"one_gpu", ""}, std::pair{"equi", ""}, std::pair{"hesrpt", ""}}) {
      DrawnRental drawn("100 h", {{"budget", "8"}, {"policy", policy}});
      drawn.stream("jobs", "if(cloud.jobs > 10, 1 /h, 2 /h)", "2 h", power_8);
      drawn.mean("gpus", "cloud.gpus");
      QCOMPARE(drawn.problems(), std::string(code));
    }
    DrawnRental flows("100 h", {{"budget", "8"}, {"policy", "one_gpu"}});
    flows.stream("jobs", "1 /h * (1 + now / 100 h)", "2 h", power_8);
    flows.mean("gpus", "cloud.gpus");
    QCOMPARE(flows.problems(), std::string("RNT008"));
  }

  void the_solver_answers_the_demo_as_it_is_printed() {
    DrawnRental drawn = drawn_three_types({{"budget", "16"}, {"price", "3 USD/h"}});
    drawn.mean_of("mean_response_time", "cloud.response_time", "steady_state_mean");
    drawn.mean_of("large_time", "cloud.response_time", "steady_state_mean", "large");
    drawn.m.measure("cost", "observed_mean", "", {{"of", "cloud.cost"}, {"unit", "USD"}});
    drawn.m.measure("come", "observed_rate", "", {{"of", "cloud.response_time"}, {"unit", "/h"}});
    drawn.m.measure("gpus", "steady_state_mean", "cloud.gpus");
    drawn.m.measure("never", "time_to", "cloud.jobs > 100");
    drawn.mean("rest", "(cloud.gpus - small.gpus) / 2"), drawn.mean("come_so_far", "small.submitted + cloud.gpus");
    QVERIFY(reasons(drawn).empty());
    const ResultSet r = drawn.run(1, "rental-budget");
    compare_printed(estimate(r, "mean_response_time"), "1.374608", "E[T]");
    compare_printed(estimate(r, "multiplier"), "0.479587", "nu");
    compare_printed(estimate(r, "width/small"), "4.3320", "k1");
    compare_printed(estimate(r, "width/medium"), "8.3405", "k2");
    compare_printed(estimate(r, "width/large"), "2.0851", "k3");
    compare_near(r, "mean_response_time/small", 0.1 + 0.9 / estimate(r, "width/small"), 1e-10);
    compare_near(r, "mean_response_time/medium", 4 / std::pow(estimate(r, "width/medium"), 0.8), 1e-10);
    compare_near(r, "mean_response_time/large", 10 / std::sqrt(estimate(r, "width/large")), 1e-10);
    compare_near(r, "large_time", estimate(r, "mean_response_time/large"), 1e-14);
    compare_near(r, "gpus", 16, 1e-10), compare_near(r, "spend", 48, 1e-10), compare_near(r, "come", 3.5, 1e-12);
    compare_near(r, "cost", 48 / 3.5, 1e-10);
    compare_near(r, "idle_probability", std::exp(-3.5 * estimate(r, "mean_response_time")), 1e-10);
    QVERIFY(r.measure("never") == nullptr && find_code(r.diagnostics, "SOL002") != nullptr);
    compare_near(r, "rest", (16 - estimate(r, "gpus/small")) / 2, 1e-10);
    QVERIFY(r.measure("come_so_far") == nullptr);
    QVERIFY(listed(r.diagnostics).find("come_so_far: the mean of \"small.submitted\"") != std::string::npos);
    QCOMPARE(r.tables.size(), 4U);
    const ResultTable& occupancy = r.tables[3];
    QCOMPARE(occupancy.name, std::string("occupancy"));
    const auto cell = [&](std::size_t row, std::size_t column) {
      return std::get<double>(occupancy.rows[row][column]);
    };
    QVERIFY(std::fabs(cell(0, 3) - estimate(r, "idle_probability")) < 1e-12);
    QVERIFY(std::fabs(cell(0, 1) - cell(0, 3)) < 1e-12 && cell(occupancy.rows.size() - 1, 4) >= 1.0 - 1e-5);
    QCOMPARE(r.tables[0].name, std::string("types"));
    QCOMPARE(r.tables[0].rows.size(), 3U);
    QCOMPARE(r.series.size(), 1U);
    // The curve falls, flattens, and its slope is that of the multiplier.
    const Series& curve = r.series[0];
    for (std::size_t i = 2; i < curve.x.size(); ++i) {
      const double before = (curve.y[i - 1] - curve.y[i - 2]) / (curve.x[i - 1] - curve.x[i - 2]),
                   here = (curve.y[i] - curve.y[i - 1]) / (curve.x[i] - curve.x[i - 1]);
      QVERIFY(here < 0 && here > before);
      const double after = -std::get<double>(r.tables[2].rows[i][2]) / 3.5,
                   ahead = -std::get<double>(r.tables[2].rows[i - 1][2]) / 3.5;
      QVERIFY(ahead < here && here < after);
    }
  }

  // The row of the three-type demo with start-up times, and its simulation.
  void start_up_times_are_paid_by_each_job() {
    DrawnRental drawn = drawn_three_types({{"budget", "16"}});
    drawn.m.header("horizon", "4000 h");
    for (const auto& [name, start_up] :
         {std::pair{"small", "0.05 h"}, std::pair{"medium", "6 min"}, {"large", "0.2 h"}})
      for (const Element* node : drawn.m.document().nodes(drawn.diagram))
        if (node->name() == name) drawn.m.set(node->id, "start_up", start_up);
    drawn.mean_of("time", "cloud.response_time", "steady_state_mean");
    drawn.m.measure("gpus", "steady_state_mean", "cloud.gpus");
    const ResultSet exact = drawn.run(1, "rental-budget"), seen = drawn.run(20);
    compare_printed(estimate(exact, "time"), "1.633688", "E[T]");
    compare_printed(estimate(exact, "width/medium"), "5.3538", "k2");
    compare_printed(estimate(exact, "mean_response_time/large"), "7.500957", "E[T3]");
    compare_printed(estimate(exact, "multiplier"), "0.505353", "nu");
    compare_inside(seen, "time", 1.633688), compare_inside(seen, "gpus", 16.0);
  }

  void the_solver_and_the_simulation_agree() {
    for (const char* policy : {"optimal", "equal_width", "one_gpu"}) {
      DrawnRental drawn = drawn_three_types({{"budget", "16"}, {"policy", policy}});
      drawn.m.header("horizon", "4000 h");
      drawn.mean_of("time", "cloud.response_time", "steady_state_mean");
      drawn.mean_of("small_time", "cloud.response_time", "steady_state_mean", "small");
      drawn.m.measure("gpus", "steady_state_mean", "cloud.gpus");
      drawn.m.measure("jobs", "steady_state_mean", "large.jobs");
      const ResultSet exact = drawn.run(1, "rental-budget"), seen = drawn.run(20);
      for (const char* id : {"time", "small_time", "gpus", "jobs"}) compare_inside(seen, id, estimate(exact, id));
    }
  }

  void several_rentals_have_their_names() {
    DrawnRental drawn = with_rental({{"budget", "8"}});
    const ElementId other = drawn.m.node(drawn.diagram, {}, "rental", {{"name", "reserve"}, {"budget", "3"}});
    const ElementId jobs = drawn.m.node(drawn.diagram, {}, "job_stream",
                                        {{"name", "late"}, {"rate", "1 /h"}, {"size", "2 h"}, {"speedup", "power"}});
    drawn.m.edge(drawn.diagram, "job_flow", jobs, other);
    const ResultSet r = drawn.run(1, "rental-budget");
    // k = b^5 of one type alone: 2 k / k^0.8 = b.
    compare_near(r, "width/jobs", std::pow(4, 5), 1e-9), compare_near(r, "width/late", std::pow(1.5, 5), 1e-9);
    compare_near(r, "mean_response_time/cloud", estimate(r, "mean_response_time/jobs"), 1e-12);
    QVERIFY(r.measure("multiplier/reserve") != nullptr && r.measure("multiplier") == nullptr);
  }

  void the_solver_refuses_what_it_does_not_know_at_its_element() {
    for (const auto& [property, value] : {std::pair{"policy", "equi"}, std::pair{"policy", "hesrpt"},
                                          std::pair{"policy", "greedy"}, std::pair{"failure_rate", "0.1 /h"}}) {
      const DrawnRental drawn = with_rental({{"budget", "8"}, {property, value}});
      const Diagnostics found = reasons(drawn);
      QCOMPARE(codes(found), std::string("SOL001"));
      QCOMPARE(found[0].element, drawn.rental);
      QCOMPARE(found[0].pointer, std::string(property));
    }
    const Value checkpoints = {{"budget", "8"}, {"checkpoint_period", "1 h"}, {"checkpoint_cost", "1 min"}};
    QCOMPARE(codes(reasons(with_rental(checkpoints))), std::string("SOL001"));
    // Checkpoints that cost nothing change nothing.
    QVERIFY(reasons(with_rental({{"budget", "8"}, {"checkpoint_period", "1 h"}})).empty());
    DrawnRental chart = with_rental({{"budget", "8"}});
    ChartBuilder c(chart.m, "Light");
    const ElementId on = c.state("On"), off = c.state("Off");
    c.initial(on), c.transition(on, off, "after(1 h)"), c.transition(off, on, "after(1 h)");
    chart.m.component("light", "Light");
    QCOMPARE(codes(reasons(chart)), std::string("SOL001"));
    DrawnRental changes("100 h", {{"budget", "8"}, {"policy", "one_gpu"}});
    changes.stream("jobs", "if(cloud.jobs > 10, 1 /h, 2 /h)", "2 h", power_8);
    changes.mean("gpus", "cloud.gpus");
    QCOMPARE(reasons(changes)[0].pointer, std::string("rate"));
    DrawnRental ends("100 h", {{"budget", "8"}, {"policy", "one_gpu"}});
    Value few = power_8;
    few["most_jobs"] = "50";
    ends.stream("jobs", "1 /h", "2 h", few);
    ends.mean("gpus", "cloud.gpus");
    QCOMPARE(reasons(ends)[0].pointer, std::string("most_jobs"));
    // Others refuse rentals by name; who finds nothing of what it answers says that alone.
    const DrawnRental drawn = with_rental({{"budget", "8"}});
    const Diagnostics chains = find_solver("ctmc-transient")->fits(drawn.m.document(), {});
    QVERIFY(listed(chains).find("the rental \"cloud\"") != std::string::npos);
    const Diagnostics queues = find_solver("mva")->fits(drawn.m.document(), {});
    QCOMPARE(codes(queues), std::string("SOL001"));
    QCOMPARE(queues[0].message, std::string("The model has no queueing network."));
  }
};

QTEST_GUILESS_MAIN(TestRentalLowering)
#include "tst_rental_lowering.moc"
