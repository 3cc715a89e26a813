// Disciplines and interruptions against closed forms of M/G/1, and earliest due dates against their limits, the
// conservation law and a plain program.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <set>
#include <tuple>

#include "core/des/lowering.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/solvers/queueing/drawn_network.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// One class at the station: how often it comes, and the law of its services.
struct ServedClass {
  std::string name;
  double rate;
  std::string law;
  double mean, second;  ///< moments of the law
};

/// Classes at one server without a limit, "desk"; their numbers there are measured.
struct OneServer : DrawnNetwork {
  OneServer(const std::vector<ServedClass>& classes, const Value& more, const std::vector<Value>& of_class = {})
      : DrawnNetwork("6000 s") {
    std::string laws;
    for (std::size_t c = 0; c < classes.size(); ++c) {
      node("job_class", classes[c].name, of_class.empty() ? Value::object() : of_class[c]);
      laws += (c == 0 ? "" : ", ") + classes[c].name + " = " + classes[c].law;
    }
    Value all = more;
    all["service_of"] = laws;
    const ElementId desk = node("station", "desk", std::move(all)), out = node("sink", "out");
    for (const ServedClass& one : classes) {
      flow(node("source", "in_" + one.name, {{"rate", number_text(one.rate) + " /s"}, {"class", one.name}}), desk);
      mean("number_" + one.name, "desk.number." + one.name);
    }
    flow(desk, out);
  }
  ResultSet run() const { return solved(m.document(), {.replications = 60, .confidence = 0.999}); }
};

/// Numbers there of classes that go first in this order, without interruption: Cobham, Priority assignment in waiting
/// line problems, Operations Research 2, 1954.
std::vector<double> by_priority(const std::vector<ServedClass>& classes, const std::vector<std::size_t>& order) {
  double residual = 0.0, before = 0.0;
  for (const ServedClass& one : classes) residual += one.rate * one.second / 2.0;
  std::vector<double> out(classes.size());
  for (const std::size_t c : order) {
    const double with = before + classes[c].rate * classes[c].mean;
    out[c] = classes[c].rate * (residual / ((1.0 - before) * (1.0 - with)) + classes[c].mean);
    before = with;
  }
  return out;
}
void compare_numbers(const ResultSet& r, const std::vector<ServedClass>& classes, const std::vector<double>& wanted) {
  for (std::size_t c = 0; c < classes.size(); ++c) compare_inside(r, "number_" + classes[c].name, wanted[c]);
}

/// Simpson's rule.
double simpson(const std::function<double(double)>& f, double from, double to) {
  constexpr int steps = 4000;
  const double h = (to - from) / steps;
  double sum = f(from) + f(to);
  for (int i = 1; i < steps; ++i) sum += f(from + i * h) * (i % 2 == 0 ? 2.0 : 4.0);
  return sum * h / 3.0;
}

struct Moments {
  double first = 0.0, second = 0.0;
};
/// Of a geometric number of independent times, each after a failure, which has the probability 1 - success.
Moments before_success(double success, const Moments& each) {
  const double n = (1.0 - success) / success, variance = each.second - each.first * each.first;
  const double mean = n * each.first;
  return {mean, n * variance + n / success * each.first * each.first + mean * mean};
}

/// Customers of the lower of two classes, whose services begin again after each interruption: M/G/1 in which each takes
/// his completion time, and the first of a busy period finds the others at work with some probability. Gaver, A waiting
/// line with interrupted service, including priorities, Journal of the Royal Statistical Society B 24, 1962; Jaiswal,
/// Priority Queues, 1968; Welch, On a generalized M/G/1 queuing process in which the first customer of each busy period
/// receives exceptional service, Operations Research 12, 1964.
/// @param high  its services are exponential
/// @param low   its rate; services are uniform between the two ends
double number_of_low(const ServedClass& high, double low_rate, double from, double to, bool as_before) {
  const double a = high.rate, mu = 1.0 / high.mean, b = low_rate;
  // What an interruption lasts: a busy period of the others.
  const Moments busy = {high.mean / (1.0 - a * high.mean), high.second / std::pow(1.0 - a * high.mean, 3)};
  const auto mean_of = [&](const std::function<double(double)>& f) { return simpson(f, from, to) / (to - from); };
  Moments takes;
  if (as_before) {
    // Of a service of s each attempt is interrupted with 1 - exp(-a s), after an exponential time that is less than s.
    const auto moments = [&](double s) {
      const double success = std::exp(-a * s), fails = 1.0 - success;
      const Moments lost = {(1.0 - success * (1.0 + a * s)) / (a * fails),
                            (2.0 - success * (2.0 + 2.0 * a * s + a * a * s * s)) / (a * a * fails)};
      const Moments each = {lost.first + busy.first, lost.second + 2.0 * lost.first * busy.first + busy.second};
      const Moments before = before_success(success, each);
      return Moments{before.first + s, before.second + 2.0 * before.first * s + s * s};
    };
    takes = {mean_of([&](double s) { return moments(s).first; }), mean_of([&](double s) { return moments(s).second; })};
  } else {
    // Each attempt has a service of its own.
    const auto left = [&](double x) { return x < from ? 1.0 : (to - x) / (to - from); };
    const double success = mean_of([&](double s) { return std::exp(-a * s); }), fails = 1.0 - success;
    const auto lost_moment = [&](int k) {
      const auto f = [&](double x) { return std::pow(x, k) * a * std::exp(-a * x) * left(x); };
      return (simpson(f, 0.0, from) + simpson(f, from, to)) / fails;
    };
    const Moments lost = {lost_moment(1), lost_moment(2)};
    const Moments each = {lost.first + busy.first, lost.second + 2.0 * lost.first * busy.first + busy.second};
    const Moments before = before_success(success, each);
    const Moments last = {mean_of([&](double s) { return s * std::exp(-a * s); }) / success,
                          mean_of([&](double s) { return s * s * std::exp(-a * s); }) / success};
    takes = {before.first + last.first, before.second + 2.0 * before.first * last.first + last.second};
  }
  // Who finds nobody of his class: the others are at work with some probability, and for how long still.
  const double q = a / (a + b), root = a + mu + b;
  const double beta = (root - std::sqrt(root * root - 4.0 * a * mu)) / (2.0 * a);
  const double once = busy.first - (1.0 - beta) / b;
  const Moments wait = {q / (1.0 - q * beta) * once, q / (1.0 - q * beta) * (busy.second - 2.0 / b * once)};
  const Moments first = {wait.first + takes.first, wait.second + 2.0 * wait.first * takes.first + takes.second};
  const double alone = (1.0 - b * takes.first) / (1.0 - b * (takes.first - first.first));
  const double in_line = b * takes.second / (2.0 * (1.0 - b * takes.first)) +
                         b * (first.second - takes.second) / (2.0 * (1.0 - b * (takes.first - first.first)));
  return b * (in_line + takes.first + alone * wait.first);
}

/// Earliest due date first at one server, from its definition: mean numbers of two classes, whose services are
/// exponential, over so many customers.
std::pair<double, double> due_dates(const std::vector<ServedClass>& classes, const std::vector<double>& due, int many) {
  std::mt19937_64 random(20);
  const auto exponential_of = [&](double mean) { return std::exponential_distribution<>(1.0 / mean)(random); };
  std::set<std::tuple<double, int, double, std::size_t>> line;  // due, number, arrival, class
  std::vector<double> next, stays(classes.size(), 0.0);
  for (const ServedClass& one : classes) next.push_back(exponential_of(1.0 / one.rate));
  double free_at = 0.0, last = 0.0;
  for (int number = 0; number < many || !line.empty();) {
    const auto c = static_cast<std::size_t>(std::min_element(next.begin(), next.end()) - next.begin());
    if (number < many && (line.empty() || next[c] <= free_at)) {
      if (line.empty()) free_at = std::max(free_at, next[c]);
      line.insert({next[c] + due[c], number++, next[c], c});
      last = next[c];
      next[c] += exponential_of(1.0 / classes[c].rate);
      continue;
    }
    const auto [date, n, came, of] = *line.begin();
    line.erase(line.begin());
    free_at += exponential_of(classes[of].mean);
    stays[of] += free_at - came;
  }
  return {stays[0] / last, stays[1] / last};
}

}  // namespace

/// Exact values are asked to lie in 99.9 % intervals at a fixed seed: 26 of them, a fresh seed fails once in 39.
class TestDisciplineFormulas : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(network_lowering); }

  // Three laws, drawn in another order than that of their means.
  void by_expected_time_is_a_priority_of_classes() {
    const std::vector<ServedClass> classes = {{"a", 0.15, exponential(1.0), 1.0, 2.0},
                                              {"b", 0.4, "0.4 s", 0.4, 0.16},
                                              {"c", 0.12, "uniform(low = 1 s, high = 3 s)", 2.0, 4.0 + 1.0 / 3.0}};
    const OneServer sept(classes, {{"discipline", "sept"}, {"priorities", "ignored"}});
    compare_numbers(sept.run(), classes, by_priority(classes, {1, 0, 2}));
    const OneServer lept(classes, {{"discipline", "lept"}, {"priorities", "ignored"}});
    compare_numbers(lept.run(), classes, by_priority(classes, {2, 0, 1}));
    // Priorities of classes go before it.
    const OneServer levels(classes, {{"discipline", "sept"}, {"priorities", "nonpreemptive"}},
                           {Value::object(), Value::object(), {{"priority", "1"}}});
    compare_numbers(levels.run(), classes, by_priority(classes, {2, 1, 0}));
  }
  void services_begin_again_data() {
    QTest::addColumn<QString>("interruption");
    for (const char* one : {"repeat", "resample"}) QTest::addRow("%s", one) << one;
  }
  void services_begin_again() {
    QFETCH(QString, interruption);
    // By hand, services of 1 s and nobody else but a few who take no time: they are waited for as long as exp(a) says.
    const ServedClass few = {"a", 0.5, "", 1e-9, 2e-18};
    const double takes = (std::exp(0.5) - 1.0) / 0.5;
    QVERIFY(std::fabs(number_of_low(few, 1e-7, 1.0 - 1e-6, 1.0 + 1e-6, interruption == "repeat") / 1e-7 - takes) <
            1e-4);
    for (const auto& [from, to] : {std::pair(0.2, 1.8), std::pair(0.6, 1.0)}) {
      const std::vector<ServedClass> classes = {
          {"a", 0.3, exponential(0.7), 0.7, 2 * 0.49},
          {"b", 0.3, "uniform(low = " + number_text(from) + " s, high = " + number_text(to) + " s)", 0.0, 0.0}};
      const OneServer d(classes, {{"priorities", "preemptive"}, {"interruption", interruption.toStdString()}},
                        {{{"priority", "1"}}, Value::object()});
      const double load = 0.3 * 0.7;
      compare_numbers(d.run(), classes,
                      {load / (1 - load), number_of_low(classes[0], 0.3, from, to, interruption == "repeat")});
    }
  }
  // Due after the same time for all: in order of arrival. Far apart: by class, either way.
  void earliest_due_dates_have_limits() {
    const std::vector<ServedClass> classes = {{"a", 0.4, exponential(0.5), 0.5, 0.5}, {"b", 0.3, "1.2 s", 1.2, 1.44}};
    const auto numbers = [&](const char* due_a, const char* due_b) {
      return OneServer(classes, {{"discipline", "edd"}, {"priorities", "ignored"}},
                       {{{"due", due_a}}, {{"due", due_b}}})
          .run();
    };
    const double waits = (0.4 * 0.5 + 0.3 * 1.44) / 2.0 / (1.0 - 0.4 * 0.5 - 0.3 * 1.2);
    compare_numbers(numbers("3 s", "3 s"), classes, {0.4 * (waits + 0.5), 0.3 * (waits + 1.2)});
    compare_numbers(numbers("0 s", "100000 s"), classes, by_priority(classes, {0, 1}));
    compare_numbers(numbers("100000 s", "0 s"), classes, by_priority(classes, {1, 0}));
  }
  // In between: the work that is there is that of any order (Kleinrock, A conservation law for a wide class of queueing
  // disciplines, Naval Research Logistics Quarterly 12, 1965), and whose it is a plain program says, whose own error is
  // a fifth of the interval's.
  void earliest_due_dates_in_between() {
    const std::vector<ServedClass> classes = {{"a", 0.5, exponential(0.8), 0.8, 2 * 0.64},
                                              {"b", 0.3, exponential(1.2), 1.2, 2 * 1.44}};
    OneServer d(classes, {{"discipline", "edd"}, {"priorities", "ignored"}}, {{{"due", "1 s"}}, {{"due", "5 s"}}});
    d.mean("work", "0.8 * desk.number.a + 1.2 * desk.number.b");
    const ResultSet r = d.run();
    const double load = 0.5 * 0.8 + 0.3 * 1.2;
    compare_inside(r, "work", (0.5 * 0.64 + 0.3 * 1.44) / (1.0 - load));
    const auto [a, b] = due_dates(classes, {1.0, 5.0}, 8'000'000);
    QVERIFY(std::fabs((0.8 * a + 1.2 * b) * (1.0 - load) / (0.5 * 0.64 + 0.3 * 1.44) - 1.0) < 0.01);
    compare_numbers(r, classes, {a, b});
    // Neither in order of arrival nor by class.
    const std::vector<double> first = by_priority(classes, {0, 1});
    const double waits = (0.5 * 0.64 + 0.3 * 1.44) / (1.0 - load);
    QVERIFY(a > 1.05 * first[0] && a < 0.95 * 0.5 * (waits + 0.8));
  }
};

QTEST_APPLESS_MAIN(TestDisciplineFormulas)
#include "tst_discipline_formulas.moc"
