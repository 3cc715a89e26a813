#include "network_check.h"
#include "solvers/queueing/exact/approximate_mva.h"
#include "solvers/queueing/exact/mean_value_analysis.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// Greatest relative error of a class's throughput against the exact one.
double error_of(const NetworkResult& estimate, const NetworkResult& exact) {
  double worst = 0;
  for (std::size_t r = 0; r < exact.class_throughput.size(); ++r)
    if (exact.class_throughput[r] > 0)
      worst = std::max(worst, difference(estimate.class_throughput[r], exact.class_throughput[r]));
  return worst;
}

}  // namespace

class TestApproximateMva : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void one_customer_meets_nobody() {
    RandomNetworks draw(1);
    for (int i = 0; i < 100; ++i) {
      QueueingNetwork network = draw.closed(5, 1, 1, true);
      const NetworkResult exact = solved(mean_value_analysis(network));
      QVERIFY(close(solved(schweitzer_bard(network)), exact, 1e-9));
      QVERIFY(close(solved(linearizer(network)), exact, 1e-9));
    }
  }
  void balanced_networks_of_one_class_are_exact() {
    for (const int n : {2, 30, 4000}) {
      QueueingNetwork network{std::vector<NetworkStation>(5), {{.population = n}}, {}, {}};
      network.service_s.assign(5, 0.2), network.visits.assign(5, 1.0);
      QVERIFY(difference(solved(schweitzer_bard(network)).class_throughput[0], n / (0.2 * (n + 4))) < 1e-8);
      QVERIFY(difference(solved(linearizer(network)).class_throughput[0], n / (0.2 * (n + 4))) < 1e-8);
    }
  }
  void errors_are_as_small_as_published_against_the_exact_recursion() {
    RandomNetworks draw(2);
    double schweitzer_sum = 0, linearizer_sum = 0;
    for (int i = 0; i < 200; ++i) {
      QueueingNetwork network = draw.closed(6, 3, 1, true);
      for (NetworkClass& c : network.classes) c.population = draw.whole(1, 12);
      const NetworkResult exact = solved(mean_value_analysis(network));
      const double schweitzer = error_of(solved(schweitzer_bard(network)), exact);
      const double linear = error_of(solved(linearizer(network)), exact);
      QVERIFY2(schweitzer < 0.25 && linear < 0.03, (std::to_string(schweitzer) + " " + std::to_string(linear)).c_str());
      schweitzer_sum += schweitzer, linearizer_sum += linear;
    }
    QVERIFY(schweitzer_sum / 200 < 0.04 && linearizer_sum / 200 < 0.004);
    QVERIFY(linearizer_sum < schweitzer_sum / 5);
  }
  void customers_are_conserved() {
    RandomNetworks draw(3);
    for (int i = 0; i < 100; ++i) {
      QueueingNetwork network = draw.closed(5, 3, 9, true);
      for (NetworkStation& station : network.stations)
        if (station.kind == StationKind::queue) station.servers = draw.whole(1, 5);
      for (const NetworkResult& result : {solved(schweitzer_bard(network)), solved(linearizer(network))})
        for (std::size_t r = 0; r < network.classes.size(); ++r) {
          const NetworkClass& c = network.classes[r];
          QVERIFY(close(result.class_throughput[r] * (c.think_s + result.class_response_s[r]), c.population, 1e-6));
        }
    }
  }
  void mixed_networks_keep_the_open_flow_and_its_exact_relation_to_the_closed_queue() {
    QueueingNetwork network{{{}, {}}, {{.open = true, .arrival_rate = 0.3}, {.population = 15}}, {1, 1, 2, 1.5}, {}};
    network.visits.assign(4, 1.0);
    const NetworkResult exact = solved(mean_value_analysis(network)), estimate = solved(linearizer(network));
    QCOMPARE(estimate.class_throughput[0], 0.3);
    QVERIFY(error_of(estimate, exact) < 0.01);
    QVERIFY(difference(estimate.number[0], exact.number[0]) < 0.05);
  }
  void a_million_customers_saturate_the_bottleneck() {
    QueueingNetwork network{
        std::vector<NetworkStation>(3), {{.population = 1'000'000, .think_s = 10}}, {0.5, 0.25, 0.1}, {1, 1, 1}};
    QVERIFY(difference(solved(schweitzer_bard(network)).class_throughput[0], 2.0) < 1e-5);
    QVERIFY(difference(solved(linearizer(network)).class_throughput[0], 2.0) < 1e-5);
  }
  void what_is_not_covered_is_an_error() {
    QueueingNetwork network{
        {{.kind = StationKind::load_dependent, .rate_multipliers = {1, 2}}}, {{.population = 3}}, {1}, {1}};
    QCOMPARE(error_code(schweitzer_bard(network)), "QUE105");
    QCOMPARE(error_code(linearizer(network)), "QUE105");
    network.stations = {{}, {}}, network.service_s = {1, 0.7}, network.visits = {1, 1};
    QCOMPARE(error_code(schweitzer_bard(network, {.most_iterations = 2})), "QUE106");
    network.visits = {-1, 1};
    QCOMPARE(error_code(linearizer(network)), "QUE102");
  }
};

QTEST_APPLESS_MAIN(TestApproximateMva)
#include "tst_approximate_mva.moc"
