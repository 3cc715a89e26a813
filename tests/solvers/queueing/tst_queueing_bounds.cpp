#include "network_check.h"
#include "solvers/queueing/exact/bounds.h"
#include "solvers/queueing/exact/mean_value_analysis.h"

using namespace ergode;
using namespace ergode::test;

namespace {

NetworkResult exact(const ClosedDemands& d) {
  QueueingNetwork network{std::vector<NetworkStation>(d.demand_s.size()),
                          {{.population = d.population, .think_s = d.think_s}},
                          d.demand_s,
                          std::vector<double>(d.demand_s.size(), 1.0)};
  return solved(mean_value_analysis(network));
}

bool holds(const ThroughputBounds& b, const NetworkResult& x) {
  const double slack = 1 + 1e-9, throughput = x.class_throughput[0], response = x.class_response_s[0];
  return b.throughput_lower <= throughput * slack && throughput <= b.throughput_upper * slack &&
         b.response_lower_s <= response * slack && response <= b.response_upper_s * slack;
}

}  // namespace

class TestQueueingBounds : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void exact_values_lie_within_all_bounds() {
    RandomNetworks draw(1);
    int tighter = 0;
    for (int i = 0; i < 3000; ++i) {
      ClosedDemands d;
      const int servers = draw.whole(1, 6);
      for (int k = 0; k < servers; ++k) d.demand_s.push_back(draw.whole(0, 3) == 0 ? 1.0 : draw.number(0, 1));
      d.demand_s[0] = draw.number(0.2, 1);
      d.think_s = draw.whole(0, 1) * draw.number(0, 20), d.population = draw.whole(1, 40);
      const NetworkResult x = exact(d);
      const std::string row = std::to_string(i);
      QVERIFY2(holds(solved(asymptotic_bounds(d)), x), row.c_str());
      QVERIFY2(holds(solved(balanced_job_bounds(d)), x), row.c_str());
      QVERIFY2(holds(solved(proportional_bounds(d)), x), row.c_str());
      const GeometricBounds g = solved(geometric_bounds(d));
      QVERIFY2(holds(g, x), row.c_str());
      for (std::size_t k = 0; k < d.demand_s.size(); ++k)
        QVERIFY2(g.number_lower[k] <= x.number[k] + 1e-9 && x.number[k] <= g.number_upper[k] + 1e-9, row.c_str());
      const ThroughputBounds b = solved(balanced_job_bounds(d));
      if (g.throughput_upper - g.throughput_lower < b.throughput_upper - b.throughput_lower) ++tighter;
    }
    QVERIFY(tighter > 1500);  // what they are for
  }
  void one_customer_and_balanced_networks_leave_nothing_between_balanced_bounds() {
    for (const int n : {1, 9}) {
      const ClosedDemands d{n == 1 ? std::vector<double>{1, 2, 3} : std::vector<double>{2, 2, 2}, n == 1 ? 5.0 : 0.0,
                            n};
      const NetworkResult x = exact(d);
      for (const ThroughputBounds& b : {solved(balanced_job_bounds(d)), solved(proportional_bounds(d))}) {
        QVERIFY(close(b.throughput_lower, x.class_throughput[0], 1e-12));
        QVERIFY(close(b.throughput_upper, x.class_throughput[0], 1e-12));
      }
    }
  }
  void large_populations_do_not_overflow() {
    const ClosedDemands d{{50, 100, 1e-3}, 10, 1'000'000};
    const NetworkResult x = exact(d);
    QVERIFY(holds(solved(proportional_bounds(d)), x));
    QVERIFY(holds(solved(geometric_bounds(d)), x));
  }
  void classes_lie_within_their_bounds() {
    RandomNetworks draw(2);
    for (int i = 0; i < 300; ++i) {
      const QueueingNetwork network = draw.closed(4, 3, 6, true);
      const NetworkResult x = solved(mean_value_analysis(network));
      const auto wide = solved(multiclass_asymptotic_bounds(network)),
                 tight = solved(multiclass_composite_bounds(network));
      for (std::size_t r = 0; r < wide.size(); ++r) {
        QVERIFY(tight[r].throughput_lower >= wide[r].throughput_lower);
        QVERIFY(tight[r].throughput_upper <= wide[r].throughput_upper);
        for (const ThroughputBounds& b : {wide[r], tight[r]}) {
          QVERIFY(b.throughput_lower <= x.class_throughput[r] * (1 + 1e-9));
          QVERIFY(b.throughput_upper >= x.class_throughput[r] * (1 - 1e-9));
          QVERIFY(b.response_lower_s <= x.class_response_s[r] + 1e-9);
          QVERIFY(b.response_upper_s >= x.class_response_s[r] - 1e-9);
        }
      }
    }
  }
  void open_bounds_hold_for_servers_in_series() {
    const std::vector<double> demand{1, 2, 3};
    double response = 0;
    for (const double d : demand) response += d / (1 - 0.25 * d);
    const ThroughputBounds b = solved(open_balanced_bounds(0.25, demand));
    QVERIFY(b.response_lower_s < response && response < b.response_upper_s);
    QCOMPARE(solved(open_asymptotic_bounds(0.25, demand)).response_lower_s, 6.0);
    QCOMPARE(error_code(open_balanced_bounds(0.4, demand)), "QUE103");
  }
  void values_out_of_range_are_errors() {
    QCOMPARE(error_code(asymptotic_bounds({{}, 0, 1})), "QUE102");
    QCOMPARE(error_code(balanced_job_bounds({{1, -1}, 0, 1})), "QUE102");
    QCOMPARE(error_code(geometric_bounds({{1}, std::nan(""), 1})), "QUE102");
    QCOMPARE(error_code(proportional_bounds({{1}, 0, 0})), "QUE102");
    QCOMPARE(error_code(open_balanced_bounds(-1, {1})), "QUE102");
  }
};

QTEST_APPLESS_MAIN(TestQueueingBounds)
#include "tst_queueing_bounds.moc"
