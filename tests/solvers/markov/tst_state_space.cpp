#include <numeric>
#include <thread>

#include "solvers/markov/least_states.h"
#include "solvers/markov/long_run.h"
#include "solvers/markov/qualify.h"
#include "solvers/reliability/ccf_demand.h"
#include "tests/solvers/markov/chain_check.h"
#include "tests/solvers/markov/markov_models.h"

using namespace ergode;
using namespace ergode::test;

class TestStateSpace : public QObject {
  Q_OBJECT

  static std::vector<double> steady(const StateSpace& space) {
    auto out = solve_long_run(space.generator, space.initial);
    if (auto* why = std::get_if<std::string>(&out)) throw std::runtime_error(*why);
    return std::get<LongRun>(out).distribution;
  }
  static double mean(const std::vector<double>& p, const std::vector<double>& reward) {
    double sum = 0.0;
    for (std::size_t i = 0; i < p.size(); ++i) sum += p[i] * reward[i];
    return sum;
  }
  /// A chart of one component "C" with the states A (initial) and B.
  struct Pair {
    ModelBuilder m{"10 h"};
    ChartBuilder c{m, "Chart"};
    ElementId a = c.state("A"), b = c.state("B");
    Pair() {
      c.initial(a);
      m.measure("in_b", "probability_at", "in(C.B)");
    }
    const Document& done() {
      m.component("C", "Chart");
      return m.document();
    }
    std::string refused() {
      done();
      Diagnostics problems;
      const auto model = build_model(m.document(), {}, "", problems);
      if (model == nullptr) return "broken: " + listed(problems);
      return codes(why_not_markov(*model));
    }
  };

 private Q_SLOTS:
  // Oracle: what is generated.
  void the_least_number_of_states_is_that_of_components_that_move_on_their_own() {
    const auto least = [](const Document& document) {
      Diagnostics problems;
      const auto model = build_model(document, {}, "", problems);
      std::vector<std::uint32_t> all(model->charts.instances.size());
      std::iota(all.begin(), all.end(), 0U);
      return least_states(*model, all);
    };
    // Three pumps of one array, two valves of rates of their own, one sensor that looks at a pump.
    ModelBuilder m("10 h");
    const auto draw = [&m](const std::string& name, const std::string& fails, const std::string& count) {
      ChartBuilder c(m, name);
      const ElementId up = c.state("Up"), down = c.state("Down");
      c.initial(up), c.transition(up, down, fails), c.transition(down, up, "rate(0.5 /h)");
      m.component(name + "s", name, count);
      m.measure(name + "_down", "probability_at", "any(" + name + "s[*].Down)");
    };
    draw("Pump", "rate(0.1 /h)", "3"), draw("Valve", "rate(0.2 /h)", "2"), draw("Damper", "rate(0.3 /h)", "2");
    QCOMPARE(least(m.document()), 4.0 * 3.0 * 3.0);
    QCOMPARE(chain_of(m.document()).generator.size(), std::size_t{36});
    // Whoever waits for somebody says nothing.
    draw("Sensor", "rate(count(Pumps[*].Down) * 0.1 /h)", "2");
    QCOMPARE(least(m.document()), 36.0);
    QCOMPARE(chain_of(m.document()).generator.size(), std::size_t{108});
  }
  void examples_have_no_fewer_states_than_is_said() {
    for (const char* name :
         {"03_repairable_component", "04_repairable_system", "05_cold_standby_spare", "06_rare_event"}) {
      Diagnostics problems;
      const auto model = build_model(example(name), {}, "", problems);
      std::vector<std::uint32_t> all(model->charts.instances.size());
      std::iota(all.begin(), all.end(), 0U);
      const auto made = generate_states(*model, {});
      if (const auto* space = std::get_if<StateSpace>(&made))
        QVERIFY2(least_states(*model, all) <= static_cast<double>(space->generator.size()), name);
    }
  }
  void what_is_surely_too_large_is_refused_before_a_state_is_made() {
    ModelBuilder m("10 h");
    for (int i = 1; i <= 60; ++i) {
      const std::string number = std::to_string(i);
      ChartBuilder c(m, "Chart" + number);
      const ElementId up = c.state("Up"), down = c.state("Down");
      c.initial(up), c.transition(up, down, "rate(" + number + " /h)"), c.transition(down, up, "rate(1 /h)");
      m.component("C" + number, "Chart" + number);
      m.measure("m" + number, "count", "in(C" + number + ".Down)");
    }
    Diagnostics problems;
    const auto model = build_model(m.document(), {}, "", problems);
    QVERIFY2(model != nullptr, listed(problems).c_str());
    // Without a limit of memory or time: who would generate them would never come back.
    const auto made = generate_states(*model, {.state_limit = 1000000000000, .pruning = true});
    const auto* problem = std::get_if<Diagnostic>(&made);
    QVERIFY(problem != nullptr && problem->code == "MKV010");
    QVERIFY2(problem->message.find("at least 1.15e+18 states") != std::string::npos, problem->message.c_str());
  }
  // Oracle: by hand. From a1 the rate leads to a2 alone; from a2 it leads back to a2.
  void an_internal_transition_into_its_composite_leaves_one_child_active() {
    Pair p;
    const ElementId b1 = p.c.state("B1", p.b), b2 = p.c.state("B2", p.b);
    p.c.initial(b1, p.b);
    p.c.transition(p.a, p.b, "rate(1 /h)");
    p.c.transition(p.b, b2, "rate(2 /h)", "", "", {{"type", "internal"}});
    p.m.measure("both", "probability_at", "in(C.B.B1) and in(C.B.B2)");
    p.m.measure("second", "probability_at", "in(C.B.B2)");
    const StateSpace space = chain_of(p.done(), false);
    QCOMPARE(space.generator.size(), std::size_t{3});
    QCOMPARE(mean(steady(space), space.values[1]), 0.0);
    QCOMPARE(mean(steady(space), space.values[2]), 1.0);
    for (const double both : space.values[1]) QCOMPARE(both, 0.0);
  }
  void machines_that_may_be_exchanged_are_counted() {
    Machines machines(5);
    machines.ask();
    const StateSpace lumped = chain_of(machines.m.document()), each = chain_of(machines.m.document(), false);
    QCOMPARE(lumped.generator.size(), std::size_t{6});
    QCOMPARE(lumped.generator.transitions(), std::size_t{10});
    QCOMPARE(lumped.lumped, std::vector<std::string>{"M"});
    // All up, or one in repair of those down: 1 + sum of C(5, k) k.
    QCOMPARE(each.generator.size(), std::size_t{1 + 5 * 16});
    QCOMPARE(lumped.unlumped_states, 81.0);
    compare_lumped(machines.m.document());
    compare_lumped(machines.m.document(), "ctmc-steady-state");
  }
  void machines_with_one_crew_have_the_closed_form() {
    Machines machines(4);
    machines.m.measure("down", "final_value", "count(M[*].Down)");
    const StateSpace space = chain_of(machines.m.document());
    double sum = 0.0, down = 0.0;
    for (int i = 0; i <= 4; ++i) {
      const double p = std::tgamma(5.0) / std::tgamma(5.0 - i) * std::pow(0.2, i);
      sum += p, down += p * i;
    }
    compare_within(mean(steady(space), space.values[0]), down / sum, 1e-12);
  }
  void members_named_by_index_are_told_apart() {
    Machines machines(3);
    machines.m.measure("second", "probability_at", "in(M[2].Down)");
    QVERIFY(chain_of(machines.m.document()).lumped.empty());
    Machines some(3);
    some.m.measure("two", "probability_at", "count(M[1..2].Down) == 2");
    QVERIFY(chain_of(some.m.document()).lumped.empty());
    ModelBuilder m("1 h");
    ChartBuilder c(m, "Unit");
    c.variable("speed", "real", "1 /h", "/h", true);
    const ElementId up = c.state("Up"), down = c.state("Down");
    c.initial(up), c.transition(up, down, "rate(speed * index)");
    m.component("U", "Unit", "3");
    m.measure("down", "probability_at", "count(U[*].Down) > 0");
    const StateSpace space = chain_of(m.document());
    QVERIFY(space.lumped.empty());
    QCOMPARE(space.generator.size(), std::size_t{8});
  }
  void members_that_wait_in_different_states_are_told_apart() {
    // Two ways to wait for one crew: who comes first in the drawing gets it, so counts are not enough.
    ModelBuilder m("30 h");
    ChartBuilder c(m, "Unit");
    const ElementId up = c.state("Up"), a = c.state("WaitA"), b = c.state("WaitB"), ra = c.state("RepairA"),
                    rb = c.state("RepairB");
    c.initial(up);
    c.transition(up, a, "rate(0.3 /h)"), c.transition(up, b, "rate(0.2 /h)");
    c.transition(a, ra, "when(count(U[*].RepairA) + count(U[*].RepairB) == 0)");
    c.transition(b, rb, "when(count(U[*].RepairA) + count(U[*].RepairB) == 0)");
    c.transition(ra, up, "rate(1 /h)"), c.transition(rb, up, "rate(0.1 /h)");
    m.component("U", "Unit", "3");
    m.measure("waiting_a", "time_average", "count(U[*].WaitA)");
    m.measure("waiting_b", "probability_at", "count(U[*].WaitB) == 2");
    m.header("replications", "40000");
    QVERIFY(chain_of(m.document()).lumped.empty());
    compare_lumped(m.document());
    const ResultSet exact = solved(m.document(), {.solver = "ctmc-transient"});
    const ResultSet sampled = solved(m.document(), {.confidence = 0.999});
    for (const MeasureResult& r : exact.measures) compare_inside(sampled, r.id, r.estimate);
  }
  void members_told_to_stop_in_different_states_are_told_apart() {
    // The first that stops takes the only dock; who that is hangs on the drawing.
    ModelBuilder m("10 h");
    ChartBuilder c(m, "Ship");
    const ElementId slow = c.state("Slow"), fast = c.state("Fast"), dock = c.state("Dock"), sea = c.state("Sea");
    const ElementId free = c.choice();
    c.initial(slow), c.transition(slow, fast, "rate(0.5 /h)");
    c.transition(slow, free, "storm"), c.transition(fast, free, "storm");
    c.transition(free, dock, "", "count(S[*].Dock) == 0"), c.transition(free, sea, "", "else");
    c.transition(dock, slow, "rate(1 /h)"), c.transition(sea, fast, "rate(0.2 /h)");
    ChartBuilder w(m, "Weather");
    const ElementId calm = w.state("Calm"), rough = w.state("Rough");
    w.initial(calm), w.transition(calm, rough, "rate(0.4 /h)", "", "send(storm, S[*])");
    w.transition(rough, calm, "rate(2 /h)");
    m.component("S", "Ship", "3"), m.component("W", "Weather");
    m.measure("at_sea", "time_average", "count(S[*].Sea)");
    m.measure("fast", "probability_at", "count(S[*].Fast) == 2");
    QVERIFY(chain_of(m.document()).lumped.empty());
    compare_lumped(m.document());
    m.header("replications", "40000");
    const ResultSet exact = solved(m.document(), {.solver = "ctmc-transient"});
    const ResultSet sampled = solved(m.document(), {.confidence = 0.999});
    for (const MeasureResult& r : exact.measures) compare_inside(sampled, r.id, r.estimate);
  }
  void a_thousand_members_are_counted_in_no_time() {
    ModelBuilder m("1 h");
    ChartBuilder c(m, "Unit");
    const ElementId up = c.state("Up"), down = c.state("Down");
    c.initial(up), c.transition(up, down, "rate(1 /h)"), c.transition(down, up, "rate(1 /h)");
    m.component("U", "Unit", "1000");
    m.measure("down", "final_value", "count(U[*].Down)");
    const StateSpace space = chain_of(m.document());
    QCOMPARE(space.generator.size(), std::size_t{1001});
  }
  void erlang_repair_is_expanded_into_phases() {
    Machines machines(1, 1, "after(erlang(k = 3, mean = 2 h))");
    machines.m.measure("up", "final_value", "count(M[*].Up)");
    const StateSpace space = chain_of(machines.m.document());
    QCOMPARE(space.generator.size(), std::size_t{4});
    compare_within(mean(steady(space), space.values[0]), 10.0 / 12.0, 1e-12);
    Machines three(3, 2, "after(erlang(k = 2, mean = 2 h))");
    three.ask();
    QVERIFY(!chain_of(three.m.document()).lumped.empty());
    compare_lumped(three.m.document());
  }
  void phase_type_delays_start_in_every_phase() {
    for (const std::string delay :
         {"hyperexponential(p = [0.3, 0.7], rate = [0.2 /h, 3 /h])", "coxian(rate = [2 /h, 0.5 /h], p = [0.4])",
          "hypoexponential(rate = [2 /h, 0.5 /h, 1 /h])",
          "phase_type(initial = [0.6, 0.4], generator = [-2 /h, 1 /h, 0.5 /h, -1 /h])"}) {
      Pair p;
      p.c.transition(p.a, p.b, "after(" + delay + ")");
      p.m.measure("by", "probability_by", "in(C.B)", {{"at", "2.5 h"}});
      Diagnostics problems;
      const auto model = build_model(p.done(), {}, "", problems);
      QVERIFY2(model != nullptr, listed(problems).c_str());
      const double wanted = model->charts.distributions.front().cdf(2.5 * 3600);
      compare_within(estimate(solved(p.m.document(), {.solver = "ctmc-transient"}), "by"), wanted, 1e-9);
    }
  }
  void choices_are_gone_through_with_their_probabilities() {
    ModelBuilder m("10 h");
    ChartBuilder c(m, "Chart");
    const ElementId first = c.choice(), good = c.state("Good"), bad = c.state("Bad"), second = c.choice();
    c.initial(first);
    c.transition(first, good, "p(0.9)"), c.transition(first, second, "", "else");
    c.transition(second, good, "p(0.25)"), c.transition(second, bad, "p(0.75)");
    m.component("C", "Chart");
    m.component("D", "Chart");
    m.measure("bad", "final_value", "count(C.Bad) + 10 * count(D.Bad)");
    const StateSpace space = chain_of(m.document());
    QCOMPARE(space.generator.size(), std::size_t{4});
    compare_within(mean(space.initial, space.values[0]), 11 * 0.075, 1e-14);
  }
  void variables_count_customers() {
    // M/M/1/5 by a counter.
    ModelBuilder m("1000 h");
    ChartBuilder c(m, "Queue");
    c.variable("n", "integer", "0");
    const ElementId s = c.state("S");
    c.initial(s);
    c.transition(s, s, "rate(n < 5 ? 0.7 /h : 0 /h)", "", "n := n + 1; record(arrival)", {{"type", "internal"}});
    c.transition(s, s, "rate(n > 0 ? 1 /h : 0 /h)", "", "n := n - 1", {{"type", "internal"}});
    m.component("Q", "Queue");
    m.measure("full", "probability_at", "Q.n == 5");
    m.measure("arrivals", "count", "", {{"event", "arrival"}});
    const StateSpace space = chain_of(m.document());
    QCOMPARE(space.generator.size(), std::size_t{6});
    const double full = 0.3 * std::pow(0.7, 5) / (1 - std::pow(0.7, 6));
    compare_within(mean(steady(space), space.values[0]), full, 1e-12);
    const ResultSet limit = solved(m.document(), {.solver = "ctmc-steady-state"});
    compare_within(estimate(limit, "arrivals"), 0.7 * (1 - full), 1e-12);
    QCOMPARE(limit.measure("arrivals")->unit, std::string("/h"));
  }
  void a_model_without_bound_reaches_the_limit() {
    ModelBuilder m("10 h");
    ChartBuilder c(m, "Queue");
    c.variable("n", "integer", "0");
    const ElementId s = c.state("S");
    c.initial(s);
    c.transition(s, s, "rate(1 /h)", "", "n := n + 1");
    m.component("Q", "Queue");
    m.measure("many", "probability_at", "Q.n > 5");
    const Solver* solver = find_solver("ctmc-transient");
    RunControl control;
    RunRequest request{.solver = "ctmc-transient"};
    request.options["state-limit"] = "1000";
    QVERIFY(solver->fits(m.document(), request).empty());
    const ResultSet out = solver->solve(m.document(), request, control);
    QVERIFY(out.status == RunStatus::failed);
    QCOMPARE(codes(out.diagnostics), std::string("MKV010"));
  }
  void a_stop_ends_generation_and_solution_within_a_second() {
    Machines machines(30);
    machines.ask();
    RunControl control;
    RunRequest request{.solver = "ctmc-transient"};
    request.options["lumping"] = "off";
    request.options["state-limit"] = "100000000";
    std::jthread stopper([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      control.stop.request_stop();
    });
    const ResultSet out = find_solver("ctmc-transient")->solve(machines.m.document(), request, control);
    QVERIFY(out.status == RunStatus::failed);
    QCOMPARE(out.stop_reason, std::string("cancelled"));
  }
  void shocks_agree_with_the_closed_form() {
    for (const Value& group :
         {Value{{"model", "bfr"}, {"mu", "0.01 /h"}, {"rho", "0.3"}, {"omega", "0.002 /h"}},
          Value{{"model", "beta"}, {"total", "0.02 /h"}, {"beta", "0.1"}},
          Value{{"model", "alpha_nonstaggered"}, {"total", "0.02 /h"}, {"alphas", "[0.9, 0.05, 0.03, 0.02]"}}}) {
      ModelBuilder m("24 h");
      ChartBuilder c(m, "Unit");
      const ElementId up = c.state("Up"), down = c.state("Down");
      c.initial(up);
      c.transition(up, down, "ccf(x)", "", "", {{"role", "failure"}});
      if (group["model"] == "bfr") c.transition(up, down, "rate(0.01 /h)", "", "", {{"role", "failure"}});
      m.group("G", "x", group, {m.component("unit", "Unit", "4")});
      m.measure("failed_{m}", "probability_at", "count(unit[*].Down) == m",
                {{"index", "m"}, {"from", 0}, {"to", 4}, {"curve", 0}});
      m.measure("mean", "time_average", "count(unit[*].Down)");
      const ResultSet wanted = solved(m.document(), {.solver = "ccf-closed-form"});
      const ResultSet got = solved(m.document(), {.solver = "ctmc-transient"});
      for (const MeasureResult& r : wanted.measures) compare_within(estimate(got, r.id), r.estimate, 1e-9);
      QCOMPARE(chain_of(m.document()).generator.size(), std::size_t{5});
      compare_lumped(m.document());
    }
  }
  void demands_fail_jointly() {
    ModelBuilder m("24 h");
    ChartBuilder c(m, "Unit");
    const ElementId start = c.choice(), up = c.state("Up"), down = c.state("Down");
    c.initial(start);
    c.transition(start, down, "", "ccf(x)", "", {{"role", "failure"}}), c.transition(start, up, "", "else");
    m.group(
        "G", "x",
        {{"applies_to", "demand"}, {"model", "alpha_nonstaggered"}, {"total", "0.02"}, {"alphas", "[0.9, 0.06, 0.04]"}},
        {m.component("unit", "Unit", "3")});
    m.measure("failed_{m}", "probability_at", "count(unit[*].Down) == m",
              {{"index", "m"}, {"from", 0}, {"to", 3}, {"curve", 0}});
    const CcfDemand exact(from_alpha({0.9, 0.06, 0.04}, 0.02, Testing::non_staggered));
    const ResultSet got = solved(m.document(), {.solver = "ctmc-transient"});
    for (std::size_t k = 0; k <= 3; ++k)
      compare_within(estimate(got, "failed_" + std::to_string(k)), exact.failed_count()[k], 1e-11);
    compare_lumped(m.document());
  }
  void every_element_that_is_not_markovian_is_named() {
    const auto with = [](const std::string& trigger, const std::string& guard = "", const std::string& action = "",
                         Value more = Value::object()) {
      Pair p;
      p.c.transition(p.a, p.b, trigger, guard, action, more);
      return p.refused();
    };
    QCOMPARE(with("after(1 h)"), std::string("MKV001"));
    QCOMPARE(with("at(1 h)"), std::string("MKV002"));
    QCOMPARE(with("every(1 h)"), std::string("MKV003"));
    QCOMPARE(with("rate(1 /h)", "", "send(e, 2 h)"), std::string("MKV004"));
    QCOMPARE(with("after(weibull(shape = 2, scale = 1 h))"), std::string("MKV005"));
    QCOMPARE(with("after(erlang(k = 2000, mean = 1 h))"), std::string("MKV005"));
    QCOMPARE(with("after(phase_type(initial = [0.5], generator = [-1 /h]))"), std::string("MKV005"));
    QCOMPARE(with("rate(now > 1 h ? 1 /h : 2 /h)"), std::string("MKV006"));
    QCOMPARE(with("rate(1 /h)", "now > 1 h"), std::string("MKV006"));
    QCOMPARE(with("after(erlang(k = 2, mean = 1 h))", "", "", {{"memory", "resume"}}), std::string("MKV008"));
    QCOMPARE(with("rate(1 /h)"), std::string());
    QCOMPARE(with("after(exponential(mean = 1 h))", "", "", {{"memory", "resume"}}), std::string());
    QCOMPARE(with("after(1 h)", "1 > 2"), std::string());  // never taken
    Pair variable;
    variable.c.variable("x", "real", "0 h", "h");
    variable.c.transition(variable.a, variable.b, "rate(1 /h)", "", "x := now");
    QCOMPARE(variable.refused(), std::string("MKV006"));
    Pair flow;
    flow.c.variable("x", "real", "0 h", "h");
    flow.m.set(flow.a, "flow", "x := 1");
    flow.c.transition(flow.a, flow.b, "rate(1 /h)");
    QCOMPARE(flow.refused(), std::string("MKV007"));
  }
  void delayed_shocks_are_refused_with_their_group() {
    ModelBuilder m("24 h");
    ChartBuilder c(m, "Unit");
    const ElementId up = c.state("Up"), down = c.state("Down");
    c.initial(up), c.transition(up, down, "ccf(x)");
    const ElementId group = m.group(
        "G", "x",
        {{"model", "beta"}, {"total", "0.02 /h"}, {"beta", "0.1"}, {"delay_law", "exponential"}, {"delay_mean", "1 h"}},
        {m.component("unit", "Unit", "2")});
    m.measure("down", "probability_at", "count(unit[*].Down) == 2");
    const Diagnostics why = find_solver("ctmc-transient")->fits(m.document(), {});
    QCOMPARE(codes(why), std::string("MKV009"));
    QCOMPARE(why.front().element.text(), group.text());
  }
  void a_spent_delay_is_a_state_of_its_own() {
    // The delay goes off while the guard does not hold: it is spent until A is entered again.
    ModelBuilder m("12 h");
    ChartBuilder c(m, "Chart");
    const ElementId a = c.state("A"), b = c.state("B"), x = c.state("X");
    c.initial(a);
    c.transition(a, b, "after(exponential(mean = 2 h))", "in(gate.Open)");
    c.transition(a, x, "rate(0.1 /h)"), c.transition(x, a, "rate(1 /h)"), c.transition(b, a, "rate(0.5 /h)");
    ChartBuilder g(m, "Gate");
    const ElementId shut = g.state("Shut"), open = g.state("Open");
    g.initial(shut);
    g.transition(shut, open, "rate(0.5 /h)"), g.transition(open, shut, "rate(0.3 /h)");
    m.component("C", "Chart"), m.component("gate", "Gate");
    m.measure("in_b", "probability_at", "in(C.B)");
    m.measure("by_b", "probability_by", "in(C.B)", {{"at", "4 h"}});
    m.measure("mean_b", "time_average", "in(C.B)");
    m.measure("visits", "count", "in(C.B)");
    m.measure("time", "time_to", "in(C.B)");
    m.header("replications", "40000");
    QCOMPARE(chain_of(m.document()).generator.size(), std::size_t{8});
    const ResultSet exact = solved(m.document(), {.solver = "ctmc-transient"});
    const ResultSet sampled = solved(m.document(), {.confidence = 0.999});
    for (const MeasureResult& r : exact.measures) compare_inside(sampled, r.id, r.estimate);
  }
  void histories_and_events_are_part_of_the_state() {
    ModelBuilder m("6 h");
    ChartBuilder c(m, "Chart");
    const ElementId on = c.state("On"), one = c.state("One", on), two = c.state("Two", on), off = c.state("Off");
    c.initial(on), c.initial(one, on);
    const ElementId back = m.node(c.id(), on, "history", {{"depth", "shallow"}});
    c.transition(one, two, "rate(1 /h)"), c.transition(two, one, "rate(2 /h)");
    c.transition(on, off, "stop"), c.transition(off, back, "go");
    ChartBuilder d(m, "Driver");
    const ElementId p = d.state("P"), q = d.state("Q");
    d.initial(p);
    d.transition(p, q, "rate(0.5 /h)", "", "send(stop)"), d.transition(q, p, "rate(1 /h)", "", "send(go)");
    m.component("C", "Chart"), m.component("D", "Driver");
    m.measure("two", "probability_at", "in(C.Two)");
    m.measure("off", "time_average", "in(C.Off)");
    // While off it remembers which of the two it was in.
    QCOMPARE(chain_of(m.document()).generator.size(), std::size_t{4});
    m.header("replications", "40000");
    const ResultSet exact = solved(m.document(), {.solver = "ctmc-transient"});
    const ResultSet sampled = solved(m.document(), {.confidence = 0.999});
    for (const MeasureResult& r : exact.measures) compare_inside(sampled, r.id, r.estimate);
  }
};

QTEST_APPLESS_MAIN(TestStateSpace)
#include "tst_state_space.moc"
