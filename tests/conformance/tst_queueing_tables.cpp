#include <QtTest>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <fstream>
#include <sstream>

#include "solvers/queueing/exact/birth_death_stations.h"
#include "solvers/queueing/exact/general_service_stations.h"
#include "tests/conformance/cases.h"
#include "tests/conformance/exact_answer.h"

using namespace ergode;
using namespace ergode::test;

namespace {

bool same(double ours, double theirs) { return std::abs(ours - theirs) <= 1e-12 * std::abs(theirs); }

/// Probability that nobody is there, term by term in 100 digits.
double empty_in_wide_digits(double offered, int servers, int capacity) {
  boost::multiprecision::cpp_bin_float_100 term = 1, sum = 1;
  for (int n = 1; n <= capacity; ++n) {
    term = term * offered / std::min(n, servers);
    sum += term;
  }
  return static_cast<double>(1 / sum);
}

/// Compares what the table has with the means; names the row.
void compare(const StationMeans& ours, const std::map<std::string, double>& row, int& compared) {
  const std::map<std::string, double> means{
      {"U", ours.utilisation}, {"R", ours.response_s},        {"Q", ours.number},           {"X", ours.throughput},
      {"p0", ours.empty},      {"pm", ours.wait_probability}, {"pK", ours.loss_probability}};
  for (const auto& [name, wanted] : row) {
    const auto found = means.find(name);
    if (found == means.end()) continue;
    ++compared;
    QVERIFY2(same(found->second, wanted), qPrintable(QString("%1 is %2; wanted %3; load %4")
                                                         .arg(QString::fromStdString(name))
                                                         .arg(found->second, 0, 'g', 17)
                                                         .arg(wanted, 0, 'g', 17)
                                                         .arg(row.at("lambda"))));
  }
}

int whole(double value) { return static_cast<int>(value); }

}  // namespace

/// Oracle: tables of Erlang, Engset and single stations computed by another package, 15 digits.
class TestQueueingTables : public QObject {
  Q_OBJECT
  std::string folder_;
 private Q_SLOTS:
  void initTestCase() {
    folder_ = case_folder("analytic_tables");
    if (folder_.empty()) QSKIP("no cases folder");
  }
  void erlang_b_and_c() {
    const auto rows = table(folder_ + "/erlang.csv");
    QCOMPARE(rows.size(), std::size_t(150));
    for (const auto& row : rows) {
      const int servers = whole(row.at("m"));
      const double offered = row.at("A");
      QVERIFY(same(solved(erlang_b(servers, offered)), row.at("erlangB")));
      const auto c = erlang_c(servers, offered);
      if (row.contains("erlangC")) QVERIFY(same(solved(c), row.at("erlangC")));
      else QVERIFY(std::holds_alternative<Diagnostic>(c));
    }
  }
  void engset_call_congestion() {
    const auto rows = table(folder_ + "/engset.csv");
    QCOMPARE(rows.size(), std::size_t(32));
    for (const auto& row : rows)
      QVERIFY(same(solved(engset(whole(row.at("n")), whole(row.at("m")), row.at("A"))), row.at("B")));
  }
  void several_servers() {
    const auto rows = table(folder_ + "/mmm.csv");
    QCOMPARE(rows.size(), std::size_t(31));
    int compared = 0;
    for (const auto& row : rows)
      compare(solved(mmc(row.at("lambda"), row.at("mu"), whole(row.at("m")))), row, compared);
    QCOMPARE(compared, 31 * 6);
  }
  void limited_room() {
    const auto rows = table(folder_ + "/mmmk.csv");
    QCOMPARE(rows.size(), std::size_t(48));
    int compared = 0;
    int cancelled = 0;
    for (auto row : rows) {
      const int servers = whole(row.at("m")), room = whole(row.at("K"));
      const StationMeans ours = solved(mmck(row.at("lambda"), row.at("mu"), servers, room));
      // Above saturation the table's p0 are differences that lost up to ten digits: they are right to 1e-16 only, and
      // ours are compared with a sum in 100 digits instead.
      if (!same(ours.empty, row.at("p0"))) {
        QVERIFY(row.at("lambda") > servers * row.at("mu"));
        QVERIFY(std::abs(ours.empty - row.at("p0")) < 1e-16);
        row["p0"] = empty_in_wide_digits(row.at("lambda") / row.at("mu"), servers, room), ++cancelled;
      }
      compare(ours, row, compared);
    }
    QCOMPARE(cancelled, 4);
    QCOMPARE(compared, 48 * 6);
  }
  void general_service() {
    const auto rows = table(folder_ + "/mg1.csv");
    QCOMPARE(rows.size(), std::size_t(23));
    int compared = 0;
    for (const auto& row : rows)
      compare(solved(mg1({row.at("lambda"), row.at("xavg"), row.at("x2nd")})), row, compared);
    QCOMPARE(compared, 23 * 4);
  }
};

QTEST_APPLESS_MAIN(TestQueueingTables)
#include "tst_queueing_tables.moc"
