// Networks without a limit, cut at some number of customers: what is called exact lies between its ends, whatever comes
// behind the limits that were looked at.
#include <QtTest>
#include <cmath>
#include <functional>
#include <random>
#include <stdexcept>

#include "core/des/lowering.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/solvers/queueing/drawn_network.h"
#include "tests/solvers/queueing/plain_chain.h"

using namespace ergode;
using namespace ergode::test;

namespace {

using S = PlainChain::State;
using Go = PlainChain::Go;

/// Where it declines there are no measures.
ResultSet when_cut(const DrawnNetwork& d, double error, const char* states = "200000") {
  try {
    return solved(d.m.document(), {.solver = "ctmc-network",
                                   .options = {{"error-bound", number_text(error)}, {"state-limit", states}}});
  } catch (const std::runtime_error& declined) {
    if (std::string(declined.what()).find("MKV020") == std::string::npos) throw;
    return {};
  }
}

/// Means of a queue whose rates depend on how many are there, up to `most`, where next to nobody is.
struct BirthDeathQueue {
  double number = 0.0, served = 0.0;
  BirthDeathQueue(const std::function<double(int)>& up, const std::function<double(int)>& down, int most) {
    std::vector<long double> log(static_cast<std::size_t>(most) + 1, 0.0L);
    long double greatest = 0.0L, sum = 0.0L, n_sum = 0.0L, flow = 0.0L;
    for (int n = 1; n <= most; ++n) {
      const auto i = static_cast<std::size_t>(n);
      log[i] = log[i - 1] + std::log(static_cast<long double>(up(n - 1)) / static_cast<long double>(down(n)));
      greatest = std::max(greatest, log[i]);
    }
    for (int n = 0; n <= most; ++n) {
      const long double p = std::exp(log[static_cast<std::size_t>(n)] - greatest);
      sum += p, n_sum += n * p;
      if (n > 0) flow += static_cast<long double>(down(n)) * p;
    }
    number = static_cast<double>(n_sum / sum), served = static_cast<double>(flow / sum);
  }
};

class NetworkDice {
 public:
  explicit NetworkDice(unsigned seed) : random_(seed) {}
  double real(double from, double to) { return std::uniform_real_distribution<>(from, to)(random_); }
  int whole(int from, int to) { return std::uniform_int_distribution<>(from, to)(random_); }

 private:
  std::mt19937 random_;
};

}  // namespace

class TestTruncatedNetworks : public QObject {
  Q_OBJECT
 private:
  int exact_ = 0, estimates_ = 0;

  /// What is called exact lies between its ends; the oracle itself has twelve digits.
  void holds(const ResultSet& r, const std::string& id, double wanted, const std::string& what) {
    const MeasureResult* const m = r.measure(id);
    if (m == nullptr) return;  // no answer claims nothing
    if (!m->exact) {
      ++estimates_;
      QVERIFY2(find_code(r.diagnostics, "MKV023") != nullptr, what.c_str());
      QVERIFY2(std::isnan(m->upper), what.c_str());
      return;
    }
    ++exact_;
    const double hair = 1e-10 * std::max(1.0, std::fabs(wanted));
    QVERIFY2(m->lower - hair <= wanted && wanted <= m->upper + hair,
             qPrintable(QString("%1 %2: %3 in %4 ... %5, wanted %6")
                            .arg(what.c_str(), id.c_str())
                            .arg(m->estimate, 0, 'g', 15)
                            .arg(m->lower, 0, 'g', 15)
                            .arg(m->upper, 0, 'g', 15)
                            .arg(wanted, 0, 'g', 15)));
  }
  void counted(int exact) {
    qInfo("%d exact, %d estimates", exact_, estimates_);
    QVERIFY(exact_ >= exact);
    exact_ = estimates_ = 0;
  }

 private Q_SLOTS:
  // M/M/1 with a load of 0.5: P(n) = 2^-(n + 1). What is asked for is nothing in all states of a first limit.
  void what_lies_beyond_the_first_limits_is_found() {
    DrawnNetwork d;
    const ElementId in = d.node("source", "in", {{"rate", "0.5 /s"}}),
                    desk = d.node("station", "desk", {{"service", "exponential(rate = 1 /s)"}}),
                    out = d.node("sink", "out");
    d.flow(in, desk), d.flow(desk, out);
    d.mean("at_sixty", "if(desk.number = 60, 2^61, 0)");
    d.mean("beyond", "if(desk.number > 100, 1e30, 0)");
    const ResultSet r = when_cut(d, 1e-9);
    for (const auto& [id, wanted] : {std::pair("at_sixty", 1.0), {"beyond", 1e30 * std::exp2(-101)}}) {
      const MeasureResult* const m = r.measure(id);
      QVERIFY(m != nullptr && m->exact);
      QVERIFY2(std::fabs(m->estimate - wanted) < 1e-6, qPrintable(QString("%1").arg(m->estimate, 0, 'g', 17)));
      QVERIFY(m->lower <= wanted && wanted <= m->upper && m->upper - m->lower < 0.1);
    }
  }

  // 1.11^n is beyond all numbers before 0.9^n is none: that measure has no answer, others have.
  void a_value_beyond_all_numbers_is_left_out_alone() {
    DrawnNetwork d;
    const ElementId in = d.node("source", "in", {{"rate", "0.9 /s"}}),
                    desk = d.node("station", "desk", {{"service", "exponential(rate = 1 /s)"}}),
                    out = d.node("sink", "out");
    d.flow(in, desk), d.flow(desk, out);
    d.mean("x", "1.11^desk.number"), d.mean("n", "desk.number");
    const ResultSet r = when_cut(d, 1e-9);
    QVERIFY(r.measure("n") != nullptr && std::fabs(r.measure("n")->estimate - 9.0) < 1e-6);
    const MeasureResult* const x = r.measure("x");
    QVERIFY(x == nullptr || !x->answered() || (!x->exact && std::fabs(x->estimate - 100.0) < 1.0));
  }

  void initTestCase() { register_lowering(network_lowering); }

  // Between 61 and 299 customers the server is slower than they come: once there they stay, though the first sixty
  // limits show nothing of it.
  void a_second_hump_behind_the_first_limits_is_seen() {
    DrawnNetwork d;
    d.queue("exponential(mean = 2 s)", "exponential(mean = 1 s)",
            {{"speed", "if(desk.number > 60, if(desk.number < 300, 0.4, 1), 1)"}});
    const BirthDeathQueue queue([](int) { return 0.5; }, [](int n) { return n > 60 && n < 300 ? 0.4 : 1.0; }, 5000);
    QVERIFY(std::fabs(queue.number - 295.999) < 1e-3);
    const ResultSet r = when_cut(d, 1e-6);
    QVERIFY2(r.measure("number") != nullptr && r.measure("number")->exact, listed(r.diagnostics).c_str());
    near(r, "number", queue.number, 1e-6);
    holds(r, "number", queue.number, "hump"), holds(r, "throughput/desk", queue.served, "hump");
    // With fewer states than the hump needs nothing is called exact.
    holds(when_cut(d, 1e-6, "150"), "number", queue.number, "hump, few states");
    QCOMPARE(estimates_, 1);
    counted(1);
  }
  // A load of 0.9999: 9999 customers, where limits of 16 and 24 agree within a half.
  void near_saturation_a_wide_bound_is_a_bound() {
    for (const double load : {0.9999, 0.99, 0.9})
      for (const double error : {0.5, 1e-2, 1e-5}) {
        if (load == 0.9999 && error < 0.1) continue;
        DrawnNetwork d;
        d.queue(exponential(1 / load), "exponential(mean = 1 s)");
        const ResultSet r = when_cut(d, error, "800000");
        const std::string what = number_text(load) + " " + number_text(error);
        holds(r, "number", load / (1 - load), what), holds(r, "wait", load / (1 - load), what);
        holds(r, "response", 1 / (1 - load), what), holds(r, "busy", load, what);
      }
    counted(20);
  }
  // Arrivals and speeds that jump at thresholds, servers, patience, rooms for answers of every precision.
  void queues_with_thresholds_against_their_balance() {
    NetworkDice dice(11);
    for (int trial = 0; trial < 60; ++trial) {
      const int servers = dice.whole(1, 4), first = dice.whole(2, 40), second = first + dice.whole(1, 60);
      const double arrive = dice.real(0.2, 0.9) * servers, slow = dice.real(0.3, 1.2), last = dice.real(1.0, 1.5),
                   bend = dice.real(0.3, 1.0), impatience = trial % 3 == 0 ? dice.real(0.05, 0.5) : 0.0;
      const std::string n = "desk.number";
      DrawnNetwork d;
      const ElementId in = d.node("source", "in",
                                  {{"rate", "if(" + n + " >= " + std::to_string(first) + ", " +
                                                number_text(bend * arrive) + " /s, " + number_text(arrive) + " /s)"}}),
                      out = d.node("sink", "out");
      Value more = {{"service", "exponential(mean = 1 s)"}, {"servers", std::to_string(servers)}};
      more["speed"] = "if(" + n + " < " + std::to_string(first) + ", 1, if(" + n + " < " + std::to_string(second) +
                      ", " + number_text(slow) + ", " + number_text(last) + "))";
      if (impatience > 0.0) more["patience"] = exponential(1 / impatience);
      const ElementId desk = d.node("station", "desk", std::move(more));
      d.flow(in, desk), d.flow(desk, out);
      d.mean("number", n), d.mean("many", "if(" + n + " > 12, 1, 0)");
      d.mean("square", n + " * " + n);
      const double error = std::pow(10.0, -dice.real(0.3, 9.0));
      const auto up = [&](int k) { return k >= first ? bend * arrive : arrive; };
      const auto down = [&](int k) {
        const double speed = k < first ? 1.0 : k < second ? slow : last;
        return std::min(k, servers) * speed + std::max(0, k - servers) * impatience;
      };
      const BirthDeathQueue queue(up, down, 20000);
      const std::string what = "trial " + std::to_string(trial);
      const ResultSet r = when_cut(d, error, "20000");
      holds(r, "number", queue.number, what);
      holds(r, "queue_length/desk", queue.number, what);
      if (impatience == 0.0) holds(r, "throughput/desk", queue.served, what);
    }
    counted(120);
  }
  // Lines one after the other with ways back, delays, loads that differ, and speeds that depend on the other's line.
  void several_queues_against_plain_chains() {
    NetworkDice dice(5);
    for (int trial = 0; trial < 24; ++trial) {
      const double come = dice.real(0.1, 0.3), back = trial % 2 == 0 ? 0.0 : dice.real(0.1, 0.3),
                   mean_a = dice.real(0.5, 1.5), mean_b = dice.real(0.5, 1.5), slow = dice.real(0.7, 1.0);
      const bool delay = trial % 4 == 3, leans = trial % 3 == 0;
      DrawnNetwork d;
      const ElementId in = d.node("source", "in", {{"rate", number_text(come) + " /s"}}), out = d.node("sink", "out");
      Value first = {{"service", exponential(mean_a)}};
      if (leans) first["speed"] = "if(b.number > 3, " + number_text(slow) + ", 1)";
      const ElementId a = d.node("station", "a", std::move(first));
      const ElementId b = delay ? d.node("delay", "b", {{"time", exponential(mean_b)}})
                                : d.node("station", "b", {{"service", exponential(mean_b)}});
      d.flow(in, a), d.flow(a, b);
      if (back > 0.0) d.flow(b, a, {{"probability", number_text(back)}});
      d.flow(b, out);
      d.mean("a", "a.number"), d.mean("b", "b.number"), d.mean("both", "a.number * b.number");
      constexpr int most = 55;
      const PlainChain chain({0, 0}, [&](const S& s, const Go& go) {
        if (s[0] + s[1] < most) go(with(s, 0, 1), come);
        if (s[0] > 0) go(with(with(s, 0, -1), 1, 1), (leans && s[1] > 3 ? slow : 1.0) / mean_a);
        if (s[1] == 0) return;
        const double rate = (delay ? s[1] : 1) / mean_b;
        go(with(s, 1, -1), rate * (1 - back)), go(with(with(s, 1, -1), 0, 1), rate * back);
      });
      const ResultSet r = when_cut(d, std::pow(10.0, -dice.real(0.3, 6.0)), "20000");
      const std::string what = "trial " + std::to_string(trial);
      holds(r, "a", chain.mean([](const S& s) { return at(s, 0); }), what);
      holds(r, "b", chain.mean([](const S& s) { return at(s, 1); }), what);
      holds(r, "both", chain.mean([](const S& s) { return at(s, 0) * at(s, 1); }), what);
    }
    counted(60);
  }
  // Gaps of two phases, and a room for three behind the line, which turns away.
  void phases_and_rooms_against_plain_chains() {
    NetworkDice dice(8);
    for (int trial = 0; trial < 12; ++trial) {
      const double p = dice.real(0.2, 0.8), one = dice.real(0.3, 0.8), two = dice.real(0.1, 0.3),
                   serve = dice.real(0.9, 1.5), pack = dice.real(0.3, 1.5);
      DrawnNetwork d;
      const ElementId in =
          d.node("source", "in",
                 {{"interarrival", "hyperexponential(p = [" + number_text(p) + ", " + number_text(1 - p) +
                                       "], rate = [" + number_text(one) + " /s, " + number_text(two) + " /s])"}});
      const ElementId a = d.node("station", "a", {{"service", exponential(1 / serve)}}), out = d.node("sink", "out"),
                      b = d.node("station", "b", {{"service", exponential(1 / pack)}, {"capacity", "3"}});
      d.flow(in, a), d.flow(a, b), d.flow(b, out);
      d.mean("a", "a.number"), d.mean("b", "b.number");
      const PlainChain chain({0, 0, 0}, [&](const S& s, const Go& go) {
        const double rate = s[2] == 0 ? one : two;
        for (const int next : {0, 1}) {
          S to = s[0] < 150 ? with(s, 0, 1) : s;
          to[2] = next;
          go(to, rate * (next == 0 ? p : 1 - p));
        }
        if (s[0] > 0) go(s[1] < 3 ? with(with(s, 0, -1), 1, 1) : with(s, 0, -1), serve);
        if (s[1] > 0) go(with(s, 1, -1), pack);
      });
      const ResultSet r = when_cut(d, std::pow(10.0, -dice.real(0.3, 7.0)), "20000");
      const std::string what = "trial " + std::to_string(trial);
      holds(r, "a", chain.mean([](const S& s) { return at(s, 0); }), what);
      holds(r, "b", chain.mean([](const S& s) { return at(s, 1); }), what);
      holds(r, "loss_probability/b", chain.mean([&](const S& s) {
        return s[1] == 3 && s[0] > 0 ? serve : 0.0;
      }) / chain.mean([&](const S& s) { return s[0] > 0 ? serve : 0.0; }),
            what);
    }
    counted(30);
  }
  // Two classes, of which one interrupts the other and comes in twos; who finds a small room full goes to a line
  // without an end.
  void classes_and_overflow_against_plain_chains() {
    NetworkDice dice(13);
    for (int trial = 0; trial < 12; ++trial) {
      const double come_a = dice.real(0.05, 0.2), come_b = dice.real(0.05, 0.3), mean_a = dice.real(0.5, 1.2),
                   mean_b = dice.real(0.5, 1.2);
      DrawnNetwork d;
      d.node("job_class", "a", {{"priority", "1"}}), d.node("job_class", "b");
      const ElementId in_a = d.node("source", "in_a",
                                    {{"rate", number_text(come_a) + " /s"}, {"class", "a"}, {"batch", "2"}}),
                      in_b = d.node("source", "in_b", {{"rate", number_text(come_b) + " /s"}, {"class", "b"}}),
                      desk = d.node("station", "desk",
                                    {{"priorities", "preemptive"},
                                     {"service_of", "a = " + exponential(mean_a) + ", b = " + exponential(mean_b)}}),
                      out = d.node("sink", "out");
      d.flow(in_a, desk), d.flow(in_b, desk), d.flow(desk, out);
      d.mean("a", "desk.number.a"), d.mean("b", "desk.number.b");
      const PlainChain chain({0, 0}, [&](const S& s, const Go& go) {
        if (s[0] < 90) go(with(s, 0, 2), come_a);
        if (s[1] < 90) go(with(s, 1, 1), come_b);
        if (s[0] > 0) go(with(s, 0, -1), 1 / mean_a);
        else if (s[1] > 0) go(with(s, 1, -1), 1 / mean_b);
      });
      const std::string what = "trial " + std::to_string(trial);
      const ResultSet r = when_cut(d, std::pow(10.0, -dice.real(0.3, 7.0)), "20000");
      holds(r, "a", chain.mean([](const S& s) { return at(s, 0); }), what);
      holds(r, "b", chain.mean([](const S& s) { return at(s, 1); }), what);
      DrawnNetwork over;
      const double come = dice.real(0.5, 1.2), slow = dice.real(0.8, 1.2);
      const ElementId in = over.node("source", "in", {{"rate", number_text(come) + " /s"}}),
                      small = over.node("station", "small", {{"service", exponential(1)}, {"capacity", "2"}}),
                      large = over.node("station", "large", {{"service", exponential(slow)}, {"servers", "2"}}),
                      end = over.node("sink", "out");
      over.flow(in, small), over.flow(small, end), over.flow(large, end);
      over.flow(small, large, {{"taken_by", "refused"}});
      over.mean("large", "large.number"), over.mean("small", "small.number");
      const PlainChain two({0, 0}, [&](const S& s, const Go& go) {
        if (s[0] < 2) go(with(s, 0, 1), come);
        else if (s[1] < 200) go(with(s, 1, 1), come);
        if (s[0] > 0) go(with(s, 0, -1), 1.0);
        if (s[1] > 0) go(with(s, 1, -1), std::min(s[1], 2) / slow);
      });
      const ResultSet q = when_cut(over, std::pow(10.0, -dice.real(0.3, 7.0)), "20000");
      holds(q, "large", two.mean([](const S& s) { return at(s, 1); }), what + " overflow");
      holds(q, "small", two.mean([](const S& s) { return at(s, 0); }), what + " overflow");
    }
    counted(40);
  }
  // Where nothing shows a bound answers are estimates, and say so: closed classes beside open ones, lines that settle
  // only because customers choose the shorter one, what grows too fast.
  void without_a_bound_nothing_is_exact() {
    DrawnNetwork choose;
    const ElementId in = choose.node("source", "in", {{"rate", "1.2 /s"}, {"routing", "shortest_queue"}}),
                    out = choose.node("sink", "out");
    for (const char* name : {"a", "b"}) {
      const ElementId one = choose.node("station", name, {{"service", "exponential(mean = 1 s)"}});
      choose.flow(in, one), choose.flow(one, out);
    }
    choose.mean("number", "a.number");
    holds(when_cut(choose, 1e-3), "number", 0.0, "shortest queue");
    QCOMPARE(estimates_, 1);
    DrawnNetwork fast;
    fast.queue("exponential(mean = 2 s)", "exponential(mean = 1 s)");
    fast.mean("power", "exp(desk.number * desk.number)");
    const ResultSet r = when_cut(fast, 1e-3);
    if (const MeasureResult* m = r.measure("power")) QVERIFY(!m->exact);
  }
};

QTEST_APPLESS_MAIN(TestTruncatedNetworks)
#include "tst_truncated_networks.moc"
