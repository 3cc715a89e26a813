#include "solvers/queueing/exact/mean_value_analysis.h"

#include "network_check.h"
#include "solvers/queueing/exact/normalising_constant.h"
#include "state_enumeration.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// Compares with the list of all states; a class without customers has zeros.
bool agrees(const QueueingNetwork& network, const NetworkResult& result, double tolerance) {
  const StateEnumeration states(network);
  for (std::size_t k = 0; k < network.stations.size(); ++k) {
    double used = 0;
    for (std::size_t r = 0; r < network.classes.size(); ++r) {
      const std::size_t i = network.at(k, r);
      if (!close(result.number[i], states.number(k, r), tolerance)) return false;
      if (network.visits[i] > 0 && !close(result.throughput[i], states.throughput(k, r), tolerance)) return false;
      used += result.utilisation[i];
      const bool unknown = network.stations[k].kind == StationKind::load_dependent;
      // However few they are, all digits: nothing is subtracted.
      if (!unknown && !(difference(result.waiting[i], states.waiting(k, r)) <= tolerance)) return false;
    }
    const NetworkStation& station = network.stations[k];
    const bool one = station.kind == StationKind::queue && station.servers == 1;
    if ((one || station.kind == StationKind::load_dependent) && !close(used, states.busy(k), tolerance)) return false;
  }
  for (std::size_t r = 0; r < network.classes.size(); ++r)
    if (const NetworkClass& c = network.classes[r];
        !close(result.class_throughput[r] * c.think_s, states.thinking(r), tolerance) ||
        !close(result.class_throughput[r] * (c.think_s + result.class_response_s[r]), c.population, tolerance))
      return false;
  return true;
}

QueueingNetwork one_class(std::vector<NetworkStation> stations, std::vector<double> demand_s, int population,
                          double think_s = 0) {
  QueueingNetwork network{std::move(stations), {{.population = population, .think_s = think_s}}, demand_s, {}};
  network.visits.assign(demand_s.size(), 1.0);
  return network;
}

/// Mixed networks with one open class: states of a station summed up over its open customers, up to so many that the
/// rest is below 1e-12.
struct MixedByStates {
  double closed_throughput = 0;
  std::vector<double> closed_number, open_number, closed_waiting, open_waiting;

  explicit MixedByStates(const QueueingNetwork& network) {
    const int population = network.classes[1].population;
    const std::size_t stations = network.stations.size();
    std::vector<std::vector<double>> weight(stations), open(stations), wait_open(stations), wait_closed(stations);
    for (std::size_t k = 0; k < stations; ++k)
      for (int n = 0; n <= population; ++n) {
        double sum = 0, mean = 0, waits_open = 0, waits_closed = 0;
        const double load = network.classes[0].arrival_rate * network.demand_s(k, 0);
        for (int m = 0; m <= 400; ++m) {
          double log = 0;  // (n + m)! / (n! m!) load^m demand^n / product of speeds
          for (int i = 1; i <= n + m; ++i) log -= std::log(rate_multiplier(network.stations[k], i));
          log += std::lgamma(n + m + 1) - std::lgamma(n + 1) - std::lgamma(m + 1);
          log += m * std::log(load) + n * std::log(network.demand_s(k, 1));
          sum += std::exp(log), mean += m * std::exp(log);
          const NetworkStation& station = network.stations[k];
          if (station.kind != StationKind::queue || n + m <= station.servers) continue;
          const double share = std::exp(log) * (n + m - station.servers) / (n + m);
          waits_open += m * share, waits_closed += n * share;
        }
        weight[k].push_back(sum), open[k].push_back(mean);
        wait_open[k].push_back(waits_open), wait_closed[k].push_back(waits_closed);
      }
    closed_number.assign(stations, 0.0), open_number = closed_waiting = open_waiting = closed_number;
    double total = 0, fewer = 0;
    std::vector<int> n(stations, 0);
    const auto visit = [&](auto&& self, std::size_t k, int left, int all) -> void {
      if (k + 1 < stations) {
        for (n[k] = 0; n[k] <= left; ++n[k]) self(self, k + 1, left - n[k], all);
        return;
      }
      n[k] = left;
      double w = 1;
      for (std::size_t i = 0; i < stations; ++i) w *= weight[i][static_cast<std::size_t>(n[i])];
      (all == population ? total : fewer) += w;
      for (std::size_t i = 0; all == population && i < stations; ++i) {
        const auto here = static_cast<std::size_t>(n[i]);
        closed_number[i] += w * n[i], open_number[i] += w / weight[i][here] * open[i][here];
        closed_waiting[i] += w / weight[i][here] * wait_closed[i][here];
        open_waiting[i] += w / weight[i][here] * wait_open[i][here];
      }
    };
    visit(visit, 0, population, population);
    visit(visit, 0, population - 1, population - 1);
    closed_throughput = fewer / total;
    for (std::size_t k = 0; k < stations; ++k) {
      closed_number[k] /= total, open_number[k] /= total;
      closed_waiting[k] /= total, open_waiting[k] /= total;
    }
  }
};

}  // namespace

class TestMeanValueAnalysis : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void single_servers_and_delays_agree_with_all_states_listed() {
    RandomNetworks draw(1);
    for (int i = 0; i < 400; ++i) {
      const QueueingNetwork network = draw.closed(4, 3, 3, true);
      QVERIFY2(agrees(network, solved(mean_value_analysis(network)), 1e-9), std::to_string(i).c_str());
      QVERIFY2(agrees(network, solved(convolution(network)), 1e-9), std::to_string(i).c_str());
    }
  }
  void several_servers_and_speeds_agree_with_all_states_listed() {
    RandomNetworks draw(2);
    for (int i = 0; i < 400; ++i) {
      const QueueingNetwork network = draw.closed(4, 3, 3, false);
      QVERIFY2(agrees(network, solved(convolution(network)), 1e-9), std::to_string(i).c_str());
      QVERIFY2(agrees(network, solved(mean_value_analysis(network)), 1e-9), std::to_string(i).c_str());
    }
  }
  void one_class_of_twenty_agrees_with_all_states_listed() {
    RandomNetworks draw(3);
    for (int i = 0; i < 100; ++i) {
      const QueueingNetwork network = draw.closed(4, 1, 20, false);
      QVERIFY2(agrees(network, solved(mean_value_analysis(network)), 1e-9), std::to_string(i).c_str());
    }
  }
  void recursion_and_convolution_agree_where_states_are_many() {
    RandomNetworks draw(4);
    for (int i = 0; i < 30; ++i) {
      QueueingNetwork network = draw.closed(8, 3, 1, true);
      for (NetworkClass& c : network.classes) c.population = draw.whole(20, 50);  // both kinds of numbers
      QVERIFY2(close(solved(mean_value_analysis(network)), solved(convolution(network)), 1e-9),
               std::to_string(i).c_str());
    }
  }
  void mixed_networks_agree_with_sums_over_open_customers() {
    RandomNetworks draw(5);
    for (int i = 0; i < 60; ++i) {
      QueueingNetwork network = draw.closed(3, 1, 6, i < 30);
      const std::size_t stations = network.stations.size();
      network.classes = {{.open = true, .arrival_rate = 0.2}, {.population = draw.whole(1, 6)}};
      network.service_s.resize(2 * stations), network.visits.assign(2 * stations, 1.0);
      for (std::size_t k = 0; k < stations; ++k) {
        const double top = rate_multiplier(network.stations[k], 100);
        network.service_s[2 * k] = draw.number(0.1, 4) * std::min(top, 2.0) / 1.0 * (top < 100 ? 1.0 : 0.5);
        network.service_s[2 * k + 1] = draw.number(0.1, 2);
      }
      const MixedByStates states(network);
      for (const NetworkResult& result : {solved(mean_value_analysis(network)), solved(convolution(network))}) {
        QVERIFY(close(result.class_throughput[1], states.closed_throughput, 1e-9));
        QVERIFY(close(result.class_throughput[0], 0.2, 1e-15));
        for (std::size_t k = 0; k < stations; ++k) {
          QVERIFY2(close(result.number[2 * k], states.open_number[k], 1e-9), std::to_string(i).c_str());
          QVERIFY2(close(result.number[2 * k + 1], states.closed_number[k], 1e-9), std::to_string(i).c_str());
          if (network.stations[k].kind == StationKind::load_dependent) continue;
          QVERIFY2(difference(result.waiting[2 * k], states.open_waiting[k]) < 1e-8, std::to_string(i).c_str());
          QVERIFY2(difference(result.waiting[2 * k + 1], states.closed_waiting[k]) < 1e-8, std::to_string(i).c_str());
        }
      }
    }
  }
  void balanced_network_has_the_closed_form_throughput() {
    for (const int n : {1, 7, 1000, 20000}) {
      const auto network = one_class(std::vector<NetworkStation>(6), std::vector<double>(6, 0.25), n);
      for (const NetworkResult& result : {solved(mean_value_analysis(network)), solved(convolution(network))})
        QVERIFY(close(result.class_throughput[0], n / (0.25 * (n + 5)), 1e-11));
    }
  }
  void a_machine_shop_is_the_erlang_loss_system_seen_from_its_clients() {
    // One server and N thinking clients: the number thinking is that in an M/M/N/N fed by the server, so its throughput
    // is 1/D times 1 minus Erlang's loss with load Z/D. The recursion of B is a sum of positive terms.
    for (const auto& [n, think] : {std::pair{50, 20.0}, {5000, 4900.0}, {5000, 8000.0}}) {
      double inverse = 1;
      for (int i = 1; i <= n; ++i) inverse = 1 + inverse * i / think;
      const auto network = one_class({{}}, {1.0}, n, think);
      for (const NetworkResult& result : {solved(mean_value_analysis(network)), solved(convolution(network))})
        QVERIFY(close(result.class_throughput[0], 1 - 1 / inverse, 1e-9));
    }
  }
  void many_servers_near_saturation_keep_their_digits() {
    // Two stations are a birth-death chain: its weights in 80 bits and logarithms.
    for (const int servers : {4, 64, 500}) {
      const int n = 2000;
      const double first = 1.0, second = 0.99 / servers;
      std::vector<long double> log(static_cast<std::size_t>(n) + 1, 0.0L);
      long double largest = 0, total = 0, mean = 0;
      for (int i = 1; i <= n; ++i) {
        log[static_cast<std::size_t>(i)] = log[static_cast<std::size_t>(i) - 1] +
                                           std::log(static_cast<long double>(first / second)) -
                                           std::log(static_cast<long double>(std::min(i, servers)));
        largest = std::max(largest, log[static_cast<std::size_t>(i)]);
      }
      for (int i = 0; i <= n; ++i) {
        const long double weight = std::exp(log[static_cast<std::size_t>(i)] - largest);
        total += weight, mean += weight * i;
      }
      const auto network = one_class({{.servers = servers}, {}}, {first, second}, n);
      const NetworkResult result = solved(mean_value_analysis(network));
      QVERIFY(close(result.number[0], static_cast<double>(mean / total), 1e-9));
      QVERIFY(close(result.number[0] + result.number[1], n, 1e-9));
    }
  }
  void constants_of_two_stations_are_a_geometric_sum() {
    const auto network = one_class({{}, {}}, {2.0, 3.0}, 5);
    const auto logs = solved(log_normalising_constants(network));
    const double wanted[] = {1, 5, 19, 65, 211, 665};  // (3^(n+1) - 2^(n+1)) / (3 - 2)
    QCOMPARE(logs.size(), std::size_t(6));
    for (std::size_t n = 0; n < 6; ++n) QVERIFY(close(std::exp(logs[n]), wanted[n], 1e-13));
  }
  void marginal_probabilities_have_the_means_of_the_listed_states() {
    RandomNetworks draw(6);
    for (int i = 0; i < 200; ++i) {
      const QueueingNetwork network = draw.closed(4, 1, 8, false);
      const StateEnumeration states(network);
      for (std::size_t k = 0; k < network.stations.size(); ++k) {
        const auto p = solved(marginal_probabilities(network, k));
        QCOMPARE(p.size(), static_cast<std::size_t>(network.classes[0].population) + 1);
        double all = 0, mean = 0;
        for (std::size_t n = 0; n < p.size(); ++n) all += p[n], mean += static_cast<double>(n) * p[n];
        QVERIFY(close(all, 1, 1e-12));
        QVERIFY(close(mean, states.number(k, 0), 1e-9));
        QVERIFY(close(1 - p[0], states.busy(k), 1e-9));
      }
    }
    // A station nobody visits, and one where everybody is.
    QueueingNetwork network = one_class({{}, {}}, {1.0, 0.0}, 3);
    QCOMPARE(solved(marginal_probabilities(network, 1)), (std::vector<double>{1, 0, 0, 0}));
    QCOMPARE(solved(marginal_probabilities(network, 0)), (std::vector<double>{0, 0, 0, 1}));
    QCOMPARE(error_code(marginal_probabilities(network, 2)), "QUE101");
  }
  void many_clients_of_one_server_see_a_geometric_queue() {
    // With clients beyond number thinking for long the server is M/M/1: geometric.
    const auto p = solved(marginal_probabilities(one_class({{}}, {1.0}, 100'000, 200'000.0), 0));
    for (std::size_t n = 0; n < 10; ++n) QVERIFY(difference(p[n], std::pow(0.5, static_cast<double>(n) + 1)) < 1e-2);
  }
  void work_is_foreseen_counted_and_stopped() {
    const auto allowed = [](const QueueingNetwork& network, const Budget& budget) -> std::string {
      try {
        return error_code(mean_value_analysis(network, budget));
      } catch (const OverBudget& cost) {
        return cost.diagnostic.code;
      }
    };
    const auto plain = one_class({{}, {}}, {1.0, 2.0}, 100'000),
               several = one_class({{.servers = 50}}, {1.0}, 20'000, 1);
    QueueingNetwork open{{{.servers = 1'000'000'000}}, {{.open = true, .arrival_rate = 9e8}}, {1}, {1}};
    for (const QueueingNetwork& network : {plain, several}) {
      QCOMPARE(allowed(network, Budget({}, {.operations = 1e12})), "");
      QCOMPARE(allowed(network, Budget({}, {.operations = 1e5})), "QUE104");
    }
    QCOMPARE(allowed(open, Budget({}, {.operations = 1e7})), "RUN003");
    QCOMPARE(allowed(several, Budget({}, {.bytes = 1000, .operations = 1e12})), "QUE104");
    std::stop_source stopped;
    stopped.request_stop();
    for (const QueueingNetwork& network : {one_class({{}, {}}, {1.0, 2.0}, 1'000'000), several, open})
      QCOMPARE(allowed(network, Budget(stopped.get_token())), "RUN003");
  }
  void a_lattice_beyond_the_limit_is_refused_with_its_size() {
    QueueingNetwork network{{{}}, std::vector<NetworkClass>(5, {.population = 999}), {}, {}};
    network.service_s.assign(5, 1.0), network.visits.assign(5, 1.0);
    const auto answer = mean_value_analysis(network);
    QCOMPARE(error_code(answer), "QUE104");
    QVERIFY(std::get<Diagnostic>(answer).message.find("1e+15") != std::string::npos ||
            std::get<Diagnostic>(answer).message.find("1000000000000000") != std::string::npos);
    QCOMPARE(error_code(convolution(network)), "QUE104");
  }
  void invalid_networks_are_errors() {
    const auto good = one_class({{.name = "cpu"}, {}}, {1.0, 2.0}, 3);
    QCOMPARE(error_code(mean_value_analysis(good)), "");
    const auto code = [&](auto&& spoil) {
      QueueingNetwork bad = good;
      spoil(bad);
      const std::string one = error_code(mean_value_analysis(bad)), other = error_code(convolution(bad));
      return one == other ? one : one + "/" + other;
    };
    QCOMPARE(code([](auto& n) { n.service_s.pop_back(); }), "QUE101");
    QCOMPARE(code([](auto& n) { n.stations.clear(), n.service_s.clear(), n.visits.clear(); }), "QUE101");
    QCOMPARE(code([](auto& n) { n.service_s[0] = -1; }), "QUE102");
    QCOMPARE(code([](auto& n) { n.service_s[1] = std::nan(""); }), "QUE102");
    QCOMPARE(code([](auto& n) { n.visits[1] = HUGE_VAL; }), "QUE102");
    QCOMPARE(code([](auto& n) { n.service_s = {0, 0}; }), "QUE102");
    QCOMPARE(code([](auto& n) { n.stations[0].servers = 0; }), "QUE102");
    QCOMPARE(code([](auto& n) { n.stations[0].kind = StationKind::load_dependent; }), "QUE102");
    QCOMPARE(code([](auto& n) { n.classes[0].population = -1; }), "QUE102");
    QCOMPARE(code([](auto& n) { n.classes[0].think_s = -1; }), "QUE102");
    QueueingNetwork full = good;
    full.classes[0] = {.open = true, .arrival_rate = 1.25};
    full.stations[1].name = "disk", full.stations[0].servers = 2;
    const auto answer = mean_value_analysis(full);
    QCOMPARE(error_code(answer), "QUE103");
    QCOMPARE(std::get<Diagnostic>(answer).message, "disk has the open load 2.5; wanted below 1.");
  }
};

QTEST_APPLESS_MAIN(TestMeanValueAnalysis)
#include "tst_mean_value_analysis.moc"
