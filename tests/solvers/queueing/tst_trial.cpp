// Stations of which theory cannot say before the run whether their queues grow: what a trial says of them.
#include <QtTest>
#include <cmath>

#include "core/des/lowering.h"
#include "solvers/markov/long_run_value.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "solvers/simulation/trial/trial.h"
#include "tests/solvers/queueing/drawn_farm.h"
#include "tests/solvers/queueing/plain_farm.h"

using namespace ergode;
using namespace ergode::test;

namespace {

constexpr const char* seldom = "rate(0.25 /s)";
constexpr const char* count_up = "count(machine[*].Up)";

/// What is said by a trial, a line each; everything else that is said of overloads, or prevents a model, with it.
std::string tried(const DrawnNetwork& d) {
  Diagnostics found;
  TrialBudget budget;
  const auto model = build_model(d.m.document(), {}, "", found);
  std::string out = model == nullptr ? "no model: " : "";
  for (const Diagnostic& one : found)
    if (model == nullptr || one.code == "QN010") out += "by theory: " + one.code + " " + one.message + "\n";
  if (model != nullptr)
    for (const Diagnostic& one : tried_out(*model, budget)) out += one.code + " " + one.message + "\n";
  return out;
}
/// The first figure of a trial; 0: none.
double times_of(const std::string& said) {
  const std::size_t times = said.find(" times ");
  return times == std::string::npos ? 0.0 : std::stod(said.substr(said.rfind(' ', times - 1) + 1));
}
void grows(const DrawnNetwork& d, const std::string& where, double times, double within = 0.03) {
  const std::string said = tried(d);
  QVERIFY2(said.find("QN010 ") == 0 && said.find(", as a trial of ") != std::string::npos &&
               said.find(where) != std::string::npos,
           said.c_str());
  QVERIFY2(std::fabs(times_of(said) - times) <= within * times, said.c_str());
}
void nothing(const DrawnNetwork& d) {
  const std::string said = tried(d);
  QVERIFY2(said.empty(), said.c_str());
}
/// Up and down alike.
Walker half(double mean_s) {
  const Law stay = [mean_s](Random& r) { return std::exponential_distribution<double>(1.0 / mean_s)(r); };
  return {.states = {{stay, {{1.0, 1}}}, {stay, {{1.0, 0}}}}};
}
std::string per_s(double rate) { return number_text(rate, 17) + " /s"; }

}  // namespace

class TestTrial : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(network_lowering), register_long_run_values(); }

  // Two machines, up half of the time; who loses his server finishes.
  void services_that_finish_data() {
    QTest::addColumn<QString>("service");
    QTest::addColumn<double>("rate");  // that the plain program serves
    const auto two = [](const std::vector<Walker>& all) { return 2 - all[0].now - all[1].now; };
    const auto possible = [&](const Law& service) {
      return work_done({half(4.0), half(4.0)}, two, service, 1.0, true, 200'000.0, 1);
    };
    QTest::newRow("gamma") << "gamma(shape = 0.5, scale = 2 s)"
                           << possible([](Random& r) { return std::gamma_distribution<double>(0.5, 2.0)(r); });
    QTest::newRow("two_classes") << "b = exponential(mean = 5 s)" << possible([](Random& r) {
      const double mean = std::bernoulli_distribution(0.5)(r) ? 0.2 : 5.0;
      return std::exponential_distribution<double>(1.0 / mean)(r);
    });
    // Each of a batch of two alike.
    QTest::newRow("batches") << "batch"
                             << 2.0 * possible([](Random& r) { return std::exponential_distribution<double>(1.0)(r); });
  }
  void services_that_finish() {
    QFETCH(QString, service);
    QFETCH(double, rate);
    const auto farm = [&](double share) {
      Farm out(per_s(0.5 * share * rate));
      const ElementId more = out.node("source", "more", {{"rate", per_s(0.5 * share * rate)}});
      out.flow(more, out.desk);
      if (service.startsWith("b =")) {
        out.node("job_class", "a"), out.node("job_class", "b");
        out.m.set(out.in, "class", "a"), out.m.set(more, "class", "b");
        out.station("service", exponential(0.2)).station("service_of", service.toStdString());
      } else if (service == "batch") {
        out.station("batch", "2");
      } else {
        out.station("service", service.toStdString());
      }
      out.station("servers", count_up).machines("machine", "2", seldom, seldom);
      return out;
    };
    grows(farm(1.3), "\"desk\" gets about ", 1.3);
    grows(farm(1.08), "\"desk\" gets about ", 1.08);
    nothing(farm(0.92));
  }
  // Servers of two speeds that fail, and whoever is served finishes: each is up for 4 s and what is left, down for 4 s.
  void own_failures_of_unlike_servers() {
    const double possible = 1.0 * (4.0 + 1.0) / (8.0 + 1.0) + 2.0 * (4.0 + 0.5) / (8.0 + 0.5);
    const auto farm = [&](double share) {
      Farm out(per_s(share * possible));
      out.station("server_speeds", "[1, 2]").station("servers", "2");
      return out.station("time_to_failure", exponential(4.0)).station("time_to_repair", exponential(4.0));
    };
    grows(farm(1.25), "\"desk\"", 1.25);
    nothing(farm(0.9));
  }
  // Two at once in the mean.
  void batches_by_a_chart() {
    const auto farm = [](double rate) {
      Farm out(per_s(rate));
      out.machines("machine", "", seldom, seldom);
      out.m.set(out.in, "batch", "in(machine.Up) ? 3 : 1");
      return out;
    };
    grows(farm(0.6), "\"desk\"", 1.2);
    nothing(farm(0.45));
  }
  // Who holds a unit keeps it when there are fewer: as much as servers who finish.
  void units_by_a_chart() {
    const double possible = work_done(
        {half(4.0), half(4.0)}, [](const auto& all) { return 2 - all[0].now - all[1].now; },
        [](Random& r) { return std::exponential_distribution<double>(1.0)(r); }, 1.0, true, 200'000.0, 1);
    const auto held = [&](double share) {
      DrawnNetwork out;
      ChartBuilder chart(out.m, "Machine");
      const ElementId up = chart.state("Up"), down = chart.state("Down");
      chart.initial(up), chart.transition(up, down, seldom), chart.transition(down, up, seldom);
      out.m.component("machine", "Machine", "2");
      out.node("pool", "tools", {{"units", count_up}});
      const ElementId in = out.node("source", "in", {{"rate", per_s(share * possible)}}),
                      take = out.node("seize", "take", {{"pool", "tools"}}),
                      work = out.node("delay", "work", {{"time", exponential(1.0)}}),
                      give = out.node("release", "give", {{"pool", "tools"}});
      out.flow(in, take), out.flow(take, work), out.flow(work, give), out.flow(give, out.node("sink", "out"));
      return out;
    };
    grows(held(1.3), "To \"take\" come about ", 1.3);
    nothing(held(0.9));
  }
  // Behind a station: where the first is up they go there, else to the desk, which has customers of its own.
  void ways_behind_a_station() {
    const auto failover = [](double rate) {
      Farm farm(per_s(rate));
      farm.machines("first", "", seldom, seldom);
      const ElementId in = farm.node("source", "others", {{"rate", per_s(rate)}}), which = farm.node("router", "which"),
                      first = farm.node("station", "first_desk", {{"service", exponential(0.1)}, {"servers", "9"}}),
                      before = farm.node("station", "before", {{"service", exponential(0.1)}, {"servers", "9"}});
      farm.flow(in, before), farm.flow(before, which), farm.flow(first, farm.node("sink", "out_of_first"));
      farm.flow(which, first, {{"probability", "in(first.Up) ? 1 : 0"}}), farm.flow(which, farm.desk);
      return farm;
    };
    grows(failover(0.8), "\"desk\"", 1.2);
    nothing(failover(0.6));
  }
  // Both up for 2 s and down for 1 s at the same times: (2 x 2 + 1) / 3 servers.
  void fixed_delays_in_phase() {
    const auto farm = [](double rate) {
      Farm out(per_s(rate));
      out.station("servers", "max(count(machine[*].Up), 1)").station("interruption", "resume");
      return out.machines("machine", "2", "after(2 s)", "after(1 s)");
    };
    grows(farm(1.9), "\"desk\"", 1.14);
    nothing(farm(1.5));
  }
  // Each once a second to once in four, hours apart from each other in their states; 200 up in the mean.
  void very_many_unlike_machines() {
    const auto farm = [](double rate) {
      Farm out(per_s(rate));
      std::string servers = "0";
      for (int k = 0; k < 400; ++k) {
        const std::string name = "m" + std::to_string(k), often = "rate(" + std::to_string(100 + k) + " /min)";
        out.machines(name, "", often, often);
        servers += " + (in(" + name + ".Up) ? 1 : 0)";
      }
      return out.station("servers", servers).station("interruption", "resume");
    };
    grows(farm(240.0), "\"desk\"", 1.2);
    nothing(farm(180.0));
  }
  // One customer of a class on each visit, and a second to move on: of the two classes one is served for 0.5 a second
  // at most. Theory says no more than that both and moving take all of the time.
  void polling_that_is_limited() {
    const auto polling = [](double rate) {
      DrawnNetwork d;
      d.node("job_class", "many"), d.node("job_class", "few");
      const ElementId many = d.node("source", "in_many", {{"rate", per_s(rate)}, {"class", "many"}}),
                      few = d.node("source", "in_few", {{"rate", "0.01 /s"}, {"class", "few"}}),
                      desk = d.node("station", "desk",
                                    {{"discipline", "polling"},
                                     {"visit", "limited"},
                                     {"limit", "1"},
                                     {"switchover", "0.5 s"},
                                     {"service", exponential(0.1)}});
      d.flow(many, desk), d.flow(few, desk), d.flow(desk, d.node("sink", "out"));
      return d;
    };
    const std::string said = tried(polling(1.3));
    QVERIFY2(said.find("QN010 ") == 0 || said.find("by theory") == 0, said.c_str());
    nothing(polling(0.7));
  }
  // What was said by theory is not said again, nor of what stands beside it.
  void theory_comes_first() {
    const std::string said =
        tried(Farm("1.5 /s").station("servers", count_up).machines("machine", "2", seldom, seldom));
    QVERIFY2(said.find("by theory") == 0 && said.find("trial") == std::string::npos, said.c_str());
  }
  // Of a failure once in a year a trial of some days has seen nothing: four weeks of repair make 0.92 of a server.
  void charts_that_are_too_slow_for_a_trial() {
    const auto slow = [](const std::string& first, const std::string& second) {
      Farm farm("1 /s");
      ChartBuilder chart(farm.m, "Slow");
      const ElementId a = chart.state("Down"), b = chart.state("Up");
      chart.initial(a), chart.transition(a, b, first), chart.transition(b, a, second);
      farm.m.component("machine", "Slow", "2");
      farm.station("servers", "1 + count(machine[*].Up)").station("service", "gamma(shape = 0.5, scale = 3 s)");
      return farm;
    };
    // Both begin down, and 1 of 1.5 is too few; in the long run there are nearly three.
    nothing(slow("after(erlang(k = 4, mean = 672 h))", "after(erlang(k = 4, mean = 8760 h))"));
  }
  // What comes after the mission is none of it, whatever reads the time.
  void what_changes_after_the_mission() {
    const auto farm = [](const std::string& service) {
      Farm out("0.6 /s");
      out.m.header("horizon", "100 s");
      ChartBuilder chart(out.m, "Phase");
      const ElementId early = chart.state("Early"), late = chart.state("Late");
      chart.initial(early), chart.transition(early, late, "at(1000 s)");
      out.m.component("phase", "Phase");
      out.m.set(out.in, "batch", "in(phase.Early) ? 1 : 1");  // nobody knows that it is one
      return out.station("service", service);
    };
    nothing(farm("if(now > 1000 s, 10 s, 0.1 s)"));
    nothing(farm("in(phase.Late) ? 10 s : 0.1 s"));
    nothing(farm("0.1 s").station("time_to_failure", "1000 s").station("time_to_repair", "now > 1000 s ? 1 h : 1 s"));
    Farm rate = farm("0.1 s");
    rate.m.set(rate.in, "rate", "in(phase.Late) ? 60 /s : 0.6 /s");
    nothing(rate);
    // Within it counts: the second state is there from the first tenth on.
    Farm within = farm("in(phase.Late) ? 10 s : 0.1 s");
    within.m.header("horizon", "10000 s");
    grows(within, "\"desk\"", 6.0, 0.1);
  }
  // Random farms of two classes, services, machines of unlike laws, at random loads: what is told against the plain
  // program. Loads beyond 1.1 are told, with their figure to 5 %; below 0.95 nothing is.
  void random_farms() {
    int told = 0, silent = 0, unsaid = 0;
    for (std::uint64_t round = 0; round < 150; ++round) {
      Random random(round + 1000);
      const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
      const auto between = [&](double low, double high) {
        return low + (high - low) * std::uniform_real_distribution<double>()(random);
      };
      const auto law = [&](double mean_s) -> std::pair<std::string, Law> {
        const std::string s = number_text(mean_s, 17) + " s";
        switch (pick(4)) {
          case 0:
            return {"exponential(mean = " + s + ")",
                    [=](Random& r) { return std::exponential_distribution<double>(1.0 / mean_s)(r); }};
          case 1:
            return {"uniform(low = 0 s, high = " + number_text(2.0 * mean_s, 17) + " s)",
                    [=](Random& r) { return std::uniform_real_distribution<double>(0.0, 2.0 * mean_s)(r); }};
          case 2:
            return {"gamma(shape = 0.5, scale = " + number_text(2.0 * mean_s, 17) + " s)",
                    [=](Random& r) { return std::gamma_distribution<double>(0.5, 2.0 * mean_s)(r); }};
          default:
            return {s, [=](Random&) { return mean_s; }};
        }
      };
      std::vector<Walker> walkers;
      std::string servers = "1";
      Farm farm;
      for (int k = 0, kinds = 1 + pick(3); k < kinds; ++k) {
        const auto fails = law(between(1.0, 6.0)), repair = law(between(1.0, 6.0));
        const std::string name = "unit" + std::to_string(k);
        farm.machines(name, "2", "after(" + fails.first + ")", "after(" + repair.first + ")");
        servers += " + count(" + name + "[*].Up)";
        for (int i = 0; i < 2; ++i)
          walkers.push_back({.states = {{fails.second, {{1.0, 1}}}, {repair.second, {{1.0, 0}}}}});
      }
      const auto brief = law(between(0.2, 1.0)), lasting = law(between(1.0, 4.0));
      const double share_a = between(0.2, 0.8);
      const bool finish = pick(3) != 0;
      const double possible = work_done(
          walkers,
          [](const auto& all) {
            int out = 1;
            for (const Walker& one : all) out += 1 - one.now;
            return out;
          },
          [=](Random& r) { return std::bernoulli_distribution(share_a)(r) ? brief.second(r) : lasting.second(r); }, 1.0,
          finish, 60'000.0, round);
      const double load = pick(2) == 0 ? between(0.6, 0.95) : between(1.1, 2.0);
      farm.node("job_class", "a"), farm.node("job_class", "b");
      farm.m.set(farm.in, "class", "a"), farm.m.set(farm.in, "rate", per_s(share_a * load * possible));
      const ElementId more =
          farm.node("source", "more", {{"rate", per_s((1.0 - share_a) * load * possible)}, {"class", "b"}});
      farm.flow(more, farm.desk);
      farm.station("servers", servers)
          .station("service", brief.first)
          .station("interruption", finish ? "finish" : "resume");
      farm.station("service_of", "b = " + lasting.first);
      const std::string said = tried(farm);
      const std::string what = "round " + std::to_string(round) + ", load " + number_text(load, 4) + ": " + said;
      if (load < 1.0) {
        QVERIFY2(said.empty(), what.c_str());
        ++silent;
      } else if (said.find("by theory") == 0) {
        ++unsaid;  // tst_changing_servers looks at that
      } else {
        QVERIFY2(!said.empty() && std::fabs(times_of(said) - load) < 0.05 * load, what.c_str());
        ++told;
      }
    }
    QVERIFY2(told > 15 && silent > 50,
             qPrintable(QString("%1 told, %2 silent, %3 by theory").arg(told).arg(silent).arg(unsaid)));
  }
  // Customers who choose among unlike stations, at 0.95 of what these can do: nothing of 100 models, of which each has
  // three places and three looks. One in a thousand runs of this would fail if all is well.
  void what_is_stable_is_not_told() {
    for (int round = 0; round < 100; ++round) {
      Random random(static_cast<std::uint64_t>(round));
      const auto between = [&](double low, double high) {
        return low + (high - low) * std::uniform_real_distribution<double>()(random);
      };
      DrawnNetwork d;
      double possible = 0.0;
      const ElementId which = d.node("router", "which", {{"routing", "shortest_queue"}}), out = d.node("sink", "out");
      for (const char* name : {"a", "b", "c"}) {
        const double mean = between(0.2, 2.0);
        possible += 1.0 / mean;
        const ElementId station =
            d.node("station", name, {{"service", "gamma(shape = 0.5, scale = " + number_text(2.0 * mean) + " s)"}});
        d.flow(which, station), d.flow(station, out);
      }
      d.flow(d.node("source", "in", {{"rate", per_s(0.95 * possible)}}), which);
      nothing(d);
      if (QTest::currentTestFailed()) return;
    }
  }
};

QTEST_GUILESS_MAIN(TestTrial)
#include "tst_trial.moc"
