// Stations that stand for themselves, drawn and answered by formulas; the oracles are balance equations of plain chains
// and textbooks' integrals.
#include <QtTest>
#include <cmath>
#include <random>

#include "core/des/lowering.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/solvers/queueing/drawn_network.h"
#include "tests/solvers/queueing/plain_chain.h"

using namespace ergode;
using namespace ergode::test;

namespace {

using S = PlainChain::State;
using Go = PlainChain::Go;

void answers_near(const ResultSet& r, const std::string& id, double exact, double digits = 1e-9) {
  near(r, id, exact, digits);
}

struct ClosedFormSolverDrawing : DrawnNetwork {
  ResultSet run() const { return solved(m.document(), {.solver = "queueing-closed-form"}); }
  std::string reasons() const {
    std::string out;
    for (const Diagnostic& d : find_solver("queueing-closed-form")->fits(m.document(), {}))
      out += d.code + " " + d.message + "\n";
    return out;
  }
  /// Classes "a" (priority 1) and "b" at the station "desk".
  void two(double rate_a, double rate_b, const std::string& service_a, const std::string& service_b,
           Value more = Value::object()) {
    node("job_class", "a", {{"priority", "1"}}), node("job_class", "b");
    const ElementId in_a = node("source", "in_a", {{"rate", number_text(rate_a) + " /s"}, {"class", "a"}}),
                    in_b = node("source", "in_b", {{"rate", number_text(rate_b) + " /s"}, {"class", "b"}}),
                    out = node("sink", "out");
    more["service_of"] = "a = " + service_a + ", b = " + service_b;
    const ElementId desk = node("station", "desk", std::move(more));
    flow(in_a, desk), flow(in_b, desk), flow(desk, out);
  }
};

}  // namespace

class TestClosedFormSolver : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(network_lowering); }

  // What is asked for, and not the queue, has no value: no solver tells it as an answer.
  void what_is_infinite_is_no_answer() {
    for (const char* const solver : {"queueing-closed-form", "mva", "qbd", "ctmc-network"}) {
      ClosedFormSolverDrawing d;
      d.queue("exponential(rate = 0.5 /s)", "exponential(rate = 1 /s)");
      d.mean("less", "log(0)");
      const ResultSet r = solved(d.m.document(), {.solver = solver});
      answers_near(r, "number", 1.0, 1e-6);
      const MeasureResult* const m = r.measure("less");
      QVERIFY2(m != nullptr && !m->answered() && std::isnan(m->estimate) && std::isnan(m->lower), solver);
      QCOMPARE(m->not_available, std::string("it is infinite or no number"));
      QVERIFY2(listed(r.diagnostics).find("\"less\" is minus infinity; wanted a finite number.") != std::string::npos,
               listed(r.diagnostics).c_str());
    }
  }

  // lambda / (mu - lambda) of the decimal numbers as they are written.
  void near_saturation_answers_have_the_error_of_rounding() {
    const auto drawn = [](const char* service) {
      ClosedFormSolverDrawing d;
      d.queue("exponential(rate = 0.5 /s)", std::string("exponential(rate = ") + service + " /s)");
      return d;
    };
    for (const char* const solver : {"queueing-closed-form", "mva"}) {
      for (const auto& [service, exact] : {std::pair{"0.500000000001", 5e11}, {"0.5000000001", 5e9}}) {
        const ResultSet r = solved(drawn(service).m.document(), {.solver = solver});
        const MeasureResult& m = *r.measure("number");
        QVERIFY2(m.lower <= exact && exact <= m.upper && m.upper - m.lower < 0.1 * exact && m.upper > m.lower,
                 qPrintable(QString("%1: %2 to %3").arg(solver).arg(m.lower).arg(m.upper)));
      }
      const ResultSet plain = solved(drawn("0.6").m.document(), {.solver = solver});
      QCOMPARE(plain.measure("number")->lower, plain.measure("number")->upper);
      const ResultSet none = solved(drawn("0.5000000000000002").m.document(), {.solver = solver});
      QVERIFY2(none.measure("number") == nullptr && find_code(none.diagnostics, "SOL002") != nullptr,
               listed(none.diagnostics).c_str());
    }
    // Less than all is not too much, though nobody can see its end.
    const auto said = [&](const char* service) {
      Diagnostics found;
      build_model(drawn(service).m.document(), {}, "", found);
      return listed(found);
    };
    const std::string near = said("0.500000000001"), all = said("0.5");
    QVERIFY2(near.find("\"desk\" gets all but 2e-12 of the work that its servers can do") != std::string::npos &&
                 near.find("without end") == std::string::npos,
             near.c_str());
    QVERIFY2(all.find("its queue grows without end") != std::string::npos, all.c_str());
  }

  // Servers, room, patience at random; two classes that are alike but for their rates.
  void birth_death_stations_against_balance_equations() {
    std::mt19937 random(7);
    const auto any = [&](double from, double to) { return std::uniform_real_distribution<>(from, to)(random); };
    for (int trial = 0; trial < 120; ++trial) {
      const int servers = 1 + static_cast<int>(random() % 4);
      const bool limited = random() % 2 == 0, impatient = random() % 2 == 0;
      const int room = limited ? servers + static_cast<int>(random() % 6) : 400;
      const double service = any(0.2, 3.0), patience = any(0.3, 5.0),
                   load = any(0.1, limited || impatient ? 2.5 : 0.85) * servers / service, share = any(0.1, 0.9);
      Value more = {{"servers", std::to_string(servers)}, {"priorities", "ignored"}};
      if (limited) more["capacity"] = std::to_string(room);
      if (impatient) more["patience"] = exponential(patience);
      if (!impatient && random() % 2 == 0) more["discipline"] = random() % 2 == 0 ? "lcfs" : "siro";
      ClosedFormSolverDrawing d;
      d.two(load * share, load * (1 - share), exponential(service), exponential(service), more);
      d.mean("waiting", "desk.waiting"), d.mean("number_a", "desk.number.a");
      const ResultSet r = d.run();
      const auto leaves = [&](double n) { return impatient ? std::max(n - servers, 0.0) / patience : 0.0; };
      const PlainChain chain({0}, [&](const S& s, const Go& go) {
        if (s[0] < room) go(with(s, 0, 1), load);
        if (s[0] > 0) go(with(s, 0, -1), std::min(s[0], servers) / service + leaves(at(s, 0)));
      });
      const double number = chain.mean([](const S&s) { return at(s, 0); }),
                   busy = chain.mean([&](const S&s) { return std::min(s[0], servers); }),
                   full = chain.mean([&](const S&s) { return s[0] == room ? 1.0 : 0.0; }),
                   gave_up = chain.mean([&](const S&s) { return leaves(at(s, 0)); });
      answers_near(r, "queue_length/desk/a", number * share),
          answers_near(r, "queue_length/desk/b", number * (1 - share));
      answers_near(r, "number_a", number * share), answers_near(r, "waiting", number - busy);
      answers_near(r, "utilisation/desk/b", busy * (1 - share) / servers),
          answers_near(r, "throughput/desk/a", busy / service * share);
      if (limited) answers_near(r, "loss_probability/desk/a", full);
      if (impatient && room > servers) answers_near(r, "abandonment_probability/desk/b", gave_up / load);
      if (!impatient) answers_near(r, "response_time/desk/a", number / (load * (1 - full)));
    }
  }

  // Somebody who will be served is followed from where he joins: a chain of his place in the line, killed by his own
  // patience, solved backwards.
  void the_wait_of_those_who_do_not_give_up() {
    constexpr double load = 2.2, service = 1.0, patience = 1.5;
    constexpr int servers = 2, room = 200;
    ClosedFormSolverDrawing d;
    d.queue(exponential(1 / load), exponential(service), {{"servers", "2"}, {"patience", exponential(patience)}});
    std::vector<double> served{1.0}, waited{0.0};  // by how many departures he waits for
    for (int before = 1; before < room; ++before) {
      const double others = servers / service + (before - 1) / patience, all = others + 1 / patience;
      served.push_back(others / all * served.back());
      waited.push_back(others / all * waited.back() + served.back() / all);
    }
    const PlainChain chain({0}, [&](const S& s, const Go& go) {
      if (s[0] < room) go(with(s, 0, 1), load);
      if (s[0] > 0) go(with(s, 0, -1), std::min(s[0], servers) / service + std::max(s[0] - servers, 0) / patience);
    });
    const auto place = [](const S& s) { return static_cast<std::size_t>(std::clamp(s[0] - servers + 1, 0, room - 1)); };
    const double all_served = chain.mean([&](const S&s) { return served[place(s)]; }),
                 all_waited = chain.mean([&](const S&s) { return waited[place(s)]; });
    const ResultSet r = d.run();
    answers_near(r, "wait", all_waited / all_served), answers_near(r, "response", all_waited / all_served + service);
    answers_near(r, "waiting_time/desk", all_waited / all_served);
  }

  // Times of different classes differ; who is served is part of the state.
  void priorities_of_a_single_server() {
    std::mt19937 random(11);
    const auto any = [&](double from, double to) { return std::uniform_real_distribution<>(from, to)(random); };
    constexpr int room = 90;
    for (int trial = 0; trial < 12; ++trial) {
      const double mean_a = any(0.3, 2.0), mean_b = any(0.3, 2.0), rate_a = any(0.05, 0.3) / mean_a,
                   rate_b = any(0.05, 0.3) / mean_b;
      const bool preempts = trial % 2 == 0, by_mean = trial % 3 == 0 && !preempts;
      Value more = Value::object();
      if (preempts) more["priorities"] = "preemptive", more["interruption"] = trial % 4 == 0 ? "resume" : "resample";
      if (by_mean) more["discipline"] = "sept", more["priorities"] = "ignored";
      ClosedFormSolverDrawing d;
      d.two(rate_a, rate_b, exponential(mean_a), exponential(mean_b), more);
      const bool a_first = !by_mean || mean_a < mean_b;
      const PlainChain chain({0, 0, 0}, [&](const S& s, const Go& go) {  // a, b, who is served
        const auto next = [&](int a, int b) {
          return a_first ? (a > 0 ? 1 : b > 0 ? 2 : 0) : (b > 0 ? 2 : a > 0 ? 1 : 0);
        };
        if (s[0] + s[1] < room)
          for (const std::size_t c : {0U, 1U}) {
            S to = with(s, c, 1);
            if (s[2] == 0 || preempts) to[2] = s[2] == 0 || c == 0 ? next(to[0], to[1]) : s[2];
            go(to, c == 0 ? rate_a : rate_b);
          }
        if (s[2] == 0) return;
        S to = with(s, static_cast<std::size_t>(s[2]) - 1, -1);
        to[2] = next(to[0], to[1]);
        go(to, s[2] == 1 ? 1 / mean_a : 1 / mean_b);
      });
      const ResultSet r = d.run();
      answers_near(r, "queue_length/desk/a", chain.mean([](const S& s) { return at(s, 0); }));
      answers_near(r, "queue_length/desk/b", chain.mean([](const S& s) { return at(s, 1); }));
    }
  }
  void priorities_of_several_servers() {
    for (const bool preempts : {false, true}) {
      constexpr double a = 0.9, b = 1.1, service = 1.2;
      constexpr int servers = 3, room = 110;
      ClosedFormSolverDrawing d;
      d.two(a, b, exponential(service), exponential(service),
            {{"servers", "3"}, {"priorities", preempts ? "preemptive" : "nonpreemptive"}});
      const PlainChain chain({0, 0, 0, 0}, [&](const S& s, const Go& go) {  // waiting a, b; served a, b
        const auto settled = [&](S to) {
          for (const std::size_t c : {0U, 1U})
            while (to[2] + to[3] < servers && to[c] > 0) --to[c], ++to[c + 2];
          if (preempts)
            while (to[0] > 0 && to[3] > 0) --to[0], ++to[2], --to[3], ++to[1];
          return to;
        };
        if (s[0] + s[1] + s[2] + s[3] < room) go(settled(with(s, 0, 1)), a), go(settled(with(s, 1, 1)), b);
        if (s[2] > 0) go(settled(with(s, 2, -1)), s[2] / service);
        if (s[3] > 0) go(settled(with(s, 3, -1)), s[3] / service);
      });
      const ResultSet r = d.run();
      answers_near(r, "queue_length/desk/a", chain.mean([](const S& s) { return at(s, 0) + at(s, 2); }), 1e-8);
      answers_near(r, "queue_length/desk/b", chain.mean([](const S& s) { return at(s, 1) + at(s, 3); }), 1e-8);
    }
  }

  // Two phases of class a as parts of the state: numbers depend on means alone.
  void shared_servers_and_losses_with_general_times() {
    constexpr double a = 0.7, b = 0.5, fast = 3.0, slow = 0.4, p = 0.75, mean_b = 1.3;
    for (const bool shares : {true, false}) {
      const int servers = shares ? 2 : 4, room = shares ? 6 : 4;
      ClosedFormSolverDrawing d;
      Value more = {{"servers", std::to_string(servers)}, {"capacity", std::to_string(room)}};
      if (shares) more["discipline"] = "ps";
      d.two(a, b, "hyperexponential(p = [0.75, 0.25], rate = [3 /s, 0.4 /s])", exponential(mean_b), more);
      const PlainChain chain({0, 0, 0}, [&](const S& s, const Go& go) {
        const int n = s[0] + s[1] + s[2];
        if (n < room) go(with(s, 0, 1), a * p), go(with(s, 1, 1), a * (1 - p)), go(with(s, 2, 1), b);
        const double each = n == 0 ? 0 : std::min(1.0, static_cast<double>(servers) / n);
        if (s[0] > 0) go(with(s, 0, -1), s[0] * each * fast);
        if (s[1] > 0) go(with(s, 1, -1), s[1] * each * slow);
        if (s[2] > 0) go(with(s, 2, -1), s[2] * each / mean_b);
      });
      const ResultSet r = d.run();
      answers_near(r, "queue_length/desk/a", chain.mean([](const S& s) { return at(s, 0) + at(s, 1); }));
      answers_near(r, "queue_length/desk/b", chain.mean([](const S& s) { return at(s, 2); }));
      answers_near(r, "loss_probability/desk/a",
                   chain.mean([&](const S& s) { return s[0] + s[1] + s[2] == room ? 1.0 : 0.0; }));
    }
  }

  // By the size of jobs: integrals as textbooks have them, by Simpson's rule, of two classes with laws of their own.
  void jobs_are_chosen_by_their_size_data() {
    QTest::addColumn<QString>("discipline");
    for (const char* one : {"srpt", "sjf", "ljf", "las"}) QTest::addRow("%s", one) << one;
  }
  void jobs_are_chosen_by_their_size() {
    QFETCH(QString, discipline);
    constexpr double a = 0.4, b = 0.25, rate = 1.25, low = 0.5, high = 2.5;  // exponential, uniform
    const auto f_a = [&](double x) { return rate * std::exp(-rate * x); };
    // A jump in the middle of a step is half of it.
    const auto f_b = [&](double x) {
      return x > low && x < high ? 1 / (high - low) : x == low || x == high ? 0.25 : 0.0;
    };
    constexpr double end = 30.0;
    constexpr int steps = 120000;
    const double h = end / steps;
    std::vector<double> x, below(1, 0.0), moment(1, 0.0), tail(steps + 1, 0.0), walk(1, 0.0);
    const auto all = [&](double t) { return a * f_a(t) + b * f_b(t); };
    for (int i = 0; i <= steps; ++i) x.push_back(i * h);
    for (std::size_t i = 1; i < x.size(); ++i) {
      const auto mid = [&](const std::function<double(double)>& f) {  // trapezia, ends of the jumps on nodes
        const double e = 1e-9;
        return h * (f(x[i - 1] + e) + 4 * f((x[i - 1] + x[i]) / 2) + f(x[i] - e)) / 6;
      };
      below.push_back(below.back() + mid([&](double t) { return t * all(t); }));
      moment.push_back(moment.back() + mid([&](double t) { return t * t * all(t); }));
    }
    for (std::size_t i = 0; i < x.size(); ++i)
      tail[i] = a * std::exp(-rate * x[i]) + b * (x[i] <= low ? 1 : x[i] >= high ? 0 : (high - x[i]) / (high - low));
    const double second = moment.back(), whole = below.back();
    std::vector<double> response;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (i > 0) walk.push_back(walk.back() + h / 2 * (1 / (1 - below[i - 1]) + 1 / (1 - below[i])));
      const double cut = moment[i] + tail[i] * x[i] * x[i], cut_load = below[i] + tail[i] * x[i];
      if (discipline == "sjf") response.push_back(second / 2 / std::pow(1 - below[i], 2) + x[i]);
      if (discipline == "ljf") response.push_back(second / 2 / std::pow(1 - whole + below[i], 2) + x[i]);
      if (discipline == "srpt") response.push_back(cut / 2 / std::pow(1 - below[i], 2) + walk[i]);
      if (discipline == "las") response.push_back(cut / 2 / std::pow(1 - cut_load, 2) + x[i] / (1 - cut_load));
    }
    const auto of = [&](const std::function<double(double)>& f) {
      double sum = 0;
      for (std::size_t i = 1; i < x.size(); ++i) {
        const double e = 1e-9;
        sum += h / 2 * (f(x[i - 1] + e) * response[i - 1] + f(x[i] - e) * response[i]);
      }
      return sum;
    };
    ClosedFormSolverDrawing d;
    d.two(a, b, exponential(1 / rate), "uniform(low = 0.5 s, high = 2.5 s)",
          {{"discipline", discipline.toStdString()}, {"priorities", "ignored"}});
    const ResultSet r = d.run();
    answers_near(r, "response_time/desk/a", of(f_a), 1e-6);
    answers_near(r, "response_time/desk/b", of(f_b), 1e-6);
  }

  void stations_beside_each_other_and_delays() {
    ClosedFormSolverDrawing d;
    const ElementId in = d.node("source", "in", {{"rate", "1 /s"}}), fork = d.node("router", "fork"),
                    left = d.node("station", "left", {{"service", "1 s"}}),
                    right = d.node("delay", "right", {{"time", "lognormal(mu = 0, sigma = 1, scale = 1 s)"}}),
                    out = d.node("sink", "out");
    d.flow(in, fork), d.flow(fork, left, {{"probability", "0.6"}}), d.flow(fork, right);
    d.flow(left, out), d.flow(right, out);
    d.m.measure("whole", "observed_mean", "", {{"of", "out.time_in_system"}, {"unit", "s"}});
    const ResultSet r = d.run();
    const double wait = 0.6 * 1.0 / 2 / (1 - 0.6), stay = std::exp(0.5);
    answers_near(r, "response_time/left", wait + 1), answers_near(r, "queue_length/right", 0.4 * stay);
    answers_near(r, "whole", 0.6 * (wait + 1) + 0.4 * stay);
    QVERIFY(r.measure("utilisation/right") == nullptr);
  }

  void what_fits_no_formula_is_refused_with_its_element() {
    const auto why = [](const std::string& gap, const std::string& service, Value more) {
      ClosedFormSolverDrawing d;
      const ElementId desk = d.queue(gap, service, std::move(more));
      const auto found = find_solver("queueing-closed-form")->fits(d.m.document(), {});
      std::string out;
      for (const Diagnostic& one : found) {
        if (!one.element) throw std::runtime_error("no element: " + one.message);
        out += one.message;
      }
      static_cast<void>(desk);
      return out;
    };
    const std::string poisson = exponential(2), markov = exponential(1);
    const auto has = [](const std::string& all, const char* part) { return all.find(part) != std::string::npos; };
    QCOMPARE(why(poisson, "1 s", {}), std::string());
    QVERIFY(has(why("2 s", markov, {}), "do not come at random"));
    QVERIFY(has(why(poisson, "1 s", {{"servers", "2"}}), "not exponential; with several servers"));
    QVERIFY(has(why(poisson, "3 s", {}), "times the work"));
    QVERIFY(has(why(poisson, "1 s", {{"capacity", "3"}}), "with a limited capacity"));
    QVERIFY(has(why(poisson, markov, {{"setup", "1 s"}}), "set up"));
    QVERIFY(has(why(poisson, markov, {{"patience", "1 s"}}), "Patience"));
    QVERIFY(has(why(poisson, "1 s", {{"discipline", "srpt"}}), "no density"));
    QVERIFY(has(why(poisson, markov, {{"discipline", "srpt"}, {"servers", "2"}}), "several servers"));
    ClosedFormSolverDrawing tandem;
    const ElementId in = tandem.node("source", "in", {{"rate", "1 /s"}}),
                    one = tandem.node("station", "one", {{"service", "0.5 s"}}),
                    two = tandem.node("station", "two", {{"service", "0.5 s"}}), out = tandem.node("sink", "out");
    tandem.flow(in, one), tandem.flow(one, two), tandem.flow(two, out);
    QVERIFY(has(tandem.reasons(), "go on from \"one\" to \"two\""));
  }
};

QTEST_APPLESS_MAIN(TestClosedFormSolver)
#include "tst_closed_form_solver.moc"
