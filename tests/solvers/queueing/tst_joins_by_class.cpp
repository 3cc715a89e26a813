// Joins and scalers that wait for so many parts of each class: against the expected time until those have come, worked
// out part by part from the definition.
#include <QtTest>
#include <functional>

#include "core/des/lowering.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/solvers/queueing/drawn_network.h"
#include "tests/solvers/queueing/saved_moment.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// How many parts of each class are under way, and how many per second of each come.
struct Parts {
  int users = 0, batches = 0;
  double user_rate = 1.0, batch_rate = 1.0;
};
using Met = std::function<bool(int users, int batches)>;

/// Expected time until those who have come are enough, or nobody is under way any more [s]: whoever comes next does so
/// after 1 / (sum of rates), and is of either class in proportion to its rate.
double expected_s(const Parts& left, const Met& met, int users = 0, int batches = 0) {
  if (met(users, batches) || left.users + left.batches == 0) return 0.0;
  const double user = left.users * left.user_rate, batch = left.batches * left.batch_rate;
  double out = 1.0;
  Parts then = left;
  if (--then.users, user > 0) out += user * expected_s(then, met, users + 1, batches);
  then = left;
  if (--then.batches, batch > 0) out += batch * expected_s(then, met, users, batches + 1);
  return out / (user + batch);
}

constexpr Parts three_and_three{3, 3, 0.5, 2.0};

/// Customers of classes gold and bulk, each split into three users and three batches who find their ways by themselves.
struct JoinsByClassDrawing : DrawnNetwork {
  ElementId fork, user_way, batch_way;
  JoinsByClassDrawing(const std::string& kind, Value join) {
    for (const char* one : {"gold", "bulk", "user", "batch"}) node("job_class", one);
    fork = node("fork", "split");
    const ElementId turn = node("class_switch", "turn"), meet = node(kind, "meet", std::move(join)),
                    out = node("sink", "out");
    for (const char* one : {"gold", "bulk"})
      flow(node("source", std::string("of_") + one, {{"interarrival", exponential(2)}, {"class", one}}), fork);
    user_way = node("delay", "user_way", {{"time", exponential(1 / three_and_three.user_rate)}});
    batch_way = node("delay", "batch_way", {{"time", exponential(1 / three_and_three.batch_rate)}});
    flow(fork, user_way, {{"becomes", "user"}, {"count", "3"}});
    flow(fork, batch_way, {{"count", "3"}});
    // Some become what they are on the way: what they are when they come counts.
    flow(user_way, meet), flow(batch_way, turn), flow(turn, meet, {{"becomes", "batch"}});
    flow(meet, out);
    for (const char* one : {"gold", "bulk"})
      m.measure(one, "steady_state_mean", "", {{"of", "meet.response_time"}, {"class", one}});
    mean("standing", "meet.number");
  }
  ResultSet run() const { return solved(m.document(), {.replications = 40, .confidence = 0.999}); }
};

std::string problems_said(const DrawnNetwork& d) {
  Diagnostics found;
  build_model(d.m.document(), {}, "", found);
  std::string out;
  for (const Diagnostic& one : found) out += one.code + " " + one.pointer + ": " + one.message + "\n";
  return out;
}

}  // namespace

/// Exact values are asked to lie in 99.9 % intervals at a fixed seed: 14 of them.
class TestJoinsByClass : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(network_lowering); }

  void so_many_of_each_class_are_waited_for_data() {
    QTest::addColumn<QString>("count");
    QTest::addColumn<QString>("parts");
    QTest::addColumn<QString>("of");
    QTest::addColumn<int>("users");  // of gold
    QTest::addColumn<int>("batches");
    QTest::addColumn<int>("any");
    QTest::newRow("of both") << ""
                             << "user = 1, batch = 2"
                             << "" << 1 << 2 << 0;
    QTest::newRow("of one") << ""
                            << "batch = 3"
                            << "" << 0 << 3 << 0;
    QTest::newRow("and so many in all") << "5"
                                        << "user = 1"
                                        << "" << 1 << 0 << 5;
    QTest::newRow("of one class of customers") << "1"
                                               << ""
                                               << "gold = parts(user = 2, batch = 1)" << 2 << 1 << 0;
    QTest::newRow("a number of one class") << "1"
                                           << ""
                                           << "gold = 4" << 0 << 0 << 4;
    QTest::newRow("all of one class") << "1"
                                      << ""
                                      << "gold = all" << 3 << 3 << 0;
  }
  void so_many_of_each_class_are_waited_for() {
    QFETCH(QString, count);
    QFETCH(QString, parts);
    QFETCH(QString, of);
    QFETCH(int, users);
    QFETCH(int, batches);
    QFETCH(int, any);
    Value join = Value::object();
    if (!count.isEmpty()) join["wait_for"] = count.toStdString();
    if (!parts.isEmpty()) join["wait_for_parts"] = parts.toStdString();
    if (!of.isEmpty()) join["wait_for_of"] = of.toStdString();
    const JoinsByClassDrawing d("join", join);
    QCOMPARE(problems_said(d), std::string());
    const ResultSet r = d.run();
    const Met gold = [&](int u, int b) { return u >= users && b >= batches && u + b >= any; };
    compare_inside(r, "gold", expected_s(three_and_three, gold));
    // The others wait for the first, where nothing is said of their class.
    const Met first = [](int u, int b) { return u + b >= 1; };
    compare_inside(r, "bulk", expected_s(three_and_three, of.isEmpty() ? gold : first));
    compare_saved_moment(d.m.document());
  }
  // Parts who come to two joins are of one customer: the last who makes them enough decides where he goes on.
  void parts_at_several_joins_count_together() {
    JoinsByClassDrawing d("join", {{"wait_for_parts", "user = 2, batch = 2"}});
    const ElementId other = d.node("join", "other", {{"wait_for_parts", "user = 2, batch = 2"}});
    const ElementId aside = d.node("delay", "aside", {{"time", exponential(1 / three_and_three.batch_rate)}});
    d.flow(d.fork, aside, {{"becomes", "batch"}}), d.flow(aside, other), d.flow(other, d.node("sink", "elsewhere"));
    for (const char* one : {"meet", "other"})
      d.m.measure(std::string(one) + "_rate", "observed_rate", "", {{"of", std::string(one) + ".response_time"}});
    d.m.measure("meet_s", "observed_mean", "", {{"of", "meet.response_time"}});
    d.m.measure("other_s", "observed_mean", "", {{"of", "other.response_time"}});
    const ResultSet r = d.run();
    const double rate = estimate(r, "meet_rate") + estimate(r, "other_rate");
    const double mean_s =
        (estimate(r, "meet_rate") * estimate(r, "meet_s") + estimate(r, "other_rate") * estimate(r, "other_s")) / rate;
    Parts four = three_and_three;
    four.batches = 4;
    const double wanted = expected_s(four, [](int u, int b) { return u >= 2 && b >= 2; });
    // 160,000 customers: 1 % is more than five deviations.
    near(rate, 1.0, "rate", 0.01), near(mean_s, wanted, "mean", 0.01);
  }
  void a_scaler_waits_likewise() {
    JoinsByClassDrawing d("scaler", {{"wait_for_parts", "user = 1, batch = 1"}});
    const ResultSet r = d.run();
    compare_inside(r, "gold", expected_s(three_and_three, [](int u, int b) { return u >= 1 && b >= 1; }));
  }
  void what_can_never_come_is_warned_of() {
    QCOMPARE(problems_said(JoinsByClassDrawing("join", {{"wait_for_parts", "user = 3, batch = 3"}})), std::string());
    const std::string more = problems_said(JoinsByClassDrawing("join", {{"wait_for_parts", "user = 4, batch = 3"}}));
    QVERIFY2(
        more.starts_with("QN019 wait_for_parts: \"meet\" waits for 4 of one customer that are of class \"user\", of "
                         "whom there are never more than 3: it waits for all."),
        more.c_str());
    const std::string none = problems_said(JoinsByClassDrawing("join", {{"wait_for_of", "bulk = parts(gold = 1)"}}));
    QVERIFY2(none.starts_with("QN019 wait_for_of: \"meet\" waits for 1 of one customer that are of class \"gold\", of "
                              "whom none ever comes: it waits for all."),
             none.c_str());
    const std::string count = problems_said(JoinsByClassDrawing("join", {{"wait_for_of", "bulk = 7"}}));
    QVERIFY2(count.starts_with("QN019 wait_for_of: \"meet\" waits for 7 of one customer, of whom there are never more "
                               "than 6"),
             count.c_str());
    // And it does wait for all.
    const ResultSet r = JoinsByClassDrawing("join", {{"wait_for_parts", "user = 4"}}).run();
    compare_inside(r, "gold", expected_s(three_and_three, [](int, int) { return false; }));
  }
  void what_is_wrong_is_refused_where_it_stands_data() {
    QTest::addColumn<QString>("property");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("wanted");
    QTest::newRow("class") << "wait_for_parts"
                           << "usr = 2"
                           << "QN005 wait_for_parts: There is no class \"usr\".";
    QTest::newRow("of the whole") << "wait_for_of"
                                  << "silver = 2"
                                  << "QN005 wait_for_of: There is no class \"silver\".";
    QTest::newRow("in parts") << "wait_for_of"
                              << "gold = parts(usr = 2)"
                              << "QN005 wait_for_of: There is no class \"usr\".";
    QTest::newRow("twice") << "wait_for_of"
                           << "gold = parts(user = 2, user = 1)"
                           << "";
    QTest::newRow("without a class") << "wait_for_of"
                                     << "gold = parts(2)"
                                     << "QN004 wait_for_of: A number of parts stands without a class";
    QTest::newRow("nobody") << "wait_for_parts"
                            << "user = 0"
                            << "QN004 wait_for_parts: It waits for nobody";
    QTest::newRow("none of them") << "wait_for_of"
                                  << "gold = parts(user = 0)"
                                  << "QN004 wait_for_of: It waits for nobody";
    QTest::newRow("below none") << "wait_for_parts"
                                << "user = -1"
                                << "QN004 wait_for_parts: The number is -1; wanted 0 to 1000000000.";
    QTest::newRow("no number") << "wait_for_of"
                               << "gold = 0"
                               << "QN004 wait_for_of: The number is 0; wanted 1 to ";
    QTest::newRow("changes") << "wait_for_parts"
                             << "user = 1 + user_way.number"
                             << "QN004 wait_for_parts: The number changes while the model runs";
    QTest::newRow("another word") << "wait_for_of"
                                  << "gold = some"
                                  << "EXP";
  }
  void what_is_wrong_is_refused_where_it_stands() {
    QFETCH(QString, property);
    QFETCH(QString, text);
    QFETCH(QString, wanted);
    const std::string seen = problems_said(JoinsByClassDrawing("join", {{property.toStdString(), text.toStdString()}}));
    QVERIFY2(!seen.empty() && seen.starts_with(wanted.toStdString()), seen.c_str());
  }
};

QTEST_APPLESS_MAIN(TestJoinsByClass)
#include "tst_joins_by_class.moc"
