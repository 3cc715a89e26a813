#include "network_check.h"
#include "solvers/queueing/exact/mean_value_analysis.h"
#include "solvers/queueing/exact/normalising_constant.h"
#include "solvers/queueing/exact/open_networks.h"
#include "solvers/queueing/exact/routing.h"

using namespace ergode;
using namespace ergode::test;

class TestOpenNetworks : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void visits_satisfy_the_traffic_equations() {
    RandomNetworks draw(1);
    for (int i = 0; i < 200; ++i) {
      const auto n = static_cast<std::size_t>(draw.whole(1, 7));
      std::vector<double> routing(n * n, 0.0), arrivals(n, 0.0);
      for (std::size_t from = 0; from < n; ++from) {
        double sum = draw.number(0.01, 1);  // leaves
        for (std::size_t to = 0; to < n; ++to) sum += routing[from * n + to] = draw.whole(0, 1) * draw.number(0, 1);
        for (std::size_t to = 0; to < n; ++to) routing[from * n + to] /= sum;
        arrivals[from] = draw.number(0, 2);
      }
      const auto visits = solved(open_visits(routing_of(routing), arrivals));
      double all = 0;
      for (const double each : arrivals) all += each;
      for (std::size_t to = 0; to < n; ++to) {
        double flow = arrivals[to] / all;
        for (std::size_t from = 0; from < n; ++from) flow += visits[from] * routing[from * n + to];
        QVERIFY(close(flow, visits[to], 1e-12));
      }
    }
  }
  // Long and thin ones, and meshes: what comes to a place is what comes from outside and from the others.
  void large_networks_balance() {
    std::mt19937 random(7);
    for (const std::uint32_t ways : {1U, 2U, 3U})
      for (int round = 0; round < 20; ++round) {
        constexpr std::uint32_t places = 150;
        Routing routing{places, {}};
        for (std::uint32_t i = 0; i < places; ++i) {
          if (i + 1 < places) routing.ways.push_back({i, i + 1, 0.5});
          for (std::uint32_t w = 0; w < ways; ++w)
            routing.ways.push_back({i, static_cast<std::uint32_t>(random() % places), 0.45 / ways});
        }
        std::vector<double> arrivals(places, 0.0);
        arrivals[0] = 3, arrivals[70] = 1;
        const auto visits = solved(open_visits(routing, arrivals));
        std::vector<double> come(places, 0.0);
        for (std::uint32_t i = 0; i < places; ++i) come[i] = arrivals[i] / 4;
        for (const Routing::Way& way : routing.ways) come[way.to] += visits[way.from] * way.probability;
        QVERIFY(close(visits, come, 1e-12));
        // Closed: the last leads back, and what would leave goes to the first.
        routing.ways.push_back({places - 1, 0, 0.5});
        for (std::uint32_t i = 0; i < places; ++i) routing.ways.push_back({i, 0, 0.05});
        const auto round_trip = solved(closed_visits(routing, 40));
        come.assign(places, 0.0);
        for (const Routing::Way& way : routing.ways) come[way.to] += round_trip[way.from] * way.probability;
        QVERIFY(close(round_trip, come, 1e-12) && round_trip[40] == 1.0);
        QVERIFY(always_reaches(routing, {3}, 40));
      }
  }
  // Oracle: the traffic equations, and how often who comes to `there` goes to and fro before he gets out again. Taking
  // out one place after the other fills ten thousand with ways, which took half a minute.
  void ten_thousand_places_with_ways_anywhere_balance() {
    constexpr std::uint32_t places = 10'000, here = 4321, there = places;
    std::mt19937 random(3);
    for (const double out : {0.0, 1e-13}) {  // with 0.0 nobody goes there
      Routing routing{places + 2, {}};
      for (std::uint32_t i = 0; i < places; ++i)
        for (int w = 0; w < 4; ++w)
          routing.ways.push_back({i, static_cast<std::uint32_t>(random() % places), i % 5 == 0 ? 0.1 : 0.24});
      if (out > 0.0) {
        // So few that it takes all their digits to see them come, and so many that all steps are not enough to see them
        // go.
        routing.ways.resize(8000);
        routing.ways.push_back({here % 2000, there, 1e-3});
        routing.ways.push_back({there, there + 1, 1.0});
        routing.ways.push_back({there + 1, there, 1.0 - out}), routing.ways.push_back({there + 1, 0, out});
      }
      std::vector<double> arrivals(routing.places, 0.0);
      arrivals[7] = 3, arrivals[70] = 1;
      QElapsedTimer clock;
      clock.start();
      const auto visits = solved(open_visits(routing, arrivals));
      QVERIFY2(clock.elapsed() < 8000, qPrintable(QString("%1 ms").arg(clock.elapsed())));
      std::vector<double> come(routing.places, 0.0);
      for (std::uint32_t i = 0; i < routing.places; ++i) come[i] = arrivals[i] / 4;
      for (const Routing::Way& way : routing.ways) come[way.to] += visits[way.from] * way.probability;
      for (std::uint32_t i = 0; i < routing.places; ++i)
        QVERIFY2(difference(visits[i], come[i]) < 1e-13, qPrintable(QString::number(visits[i] / come[i] - 1.0)));
      if (out == 0.0) continue;
      const double back = 1.0 - (1.0 - out);  // as it is stored
      QVERIFY(difference(visits[there], visits[here % 2000] * 1e-3 / back) < 1e-9);
    }
  }
  void places_visited_are_those_of_which_visits_are_not_0() {
    RandomNetworks draw(5);
    int errors = 0;
    for (int i = 0; i < 300; ++i) {
      const auto n = static_cast<std::size_t>(draw.whole(2, 7));
      std::vector<double> routing(n * n, 0.0);
      for (std::size_t from = 0; from < n; ++from) {
        routing[from * n + static_cast<std::size_t>(draw.whole(0, static_cast<int>(n) - 1))] += 0.5;
        routing[from * n + static_cast<std::size_t>(draw.whole(0, static_cast<int>(n) - 1))] += 0.5;
      }
      const auto visits = closed_visits(routing_of(routing), 0), places = closed_places(routing_of(routing), 0);
      QCOMPARE(error_code(places), error_code(visits));
      errors += error_code(places).empty() ? 0 : 1;
      if (!error_code(places).empty()) continue;
      for (std::size_t k = 0; k < n; ++k) QCOMPARE(solved(places)[k], solved(visits)[k] > 0.0 ? 1.0 : 0.0);
    }
    QVERIFY(errors > 50 && errors < 250);
  }
  void closed_visits_balance_and_are_one_at_the_reference() {
    const std::vector<double> routing{0, 0.3, 0.7, 0, 1,   0,   0, 0,
                                      1, 0,   0,   0, 0.5, 0.5, 0, 0};  // nobody goes to the last
    QVERIFY(close(solved(closed_visits(routing_of(routing), 0)), {1, 0.3, 0.7, 0}, 1e-14));
    QVERIFY(close(solved(closed_visits(routing_of(routing), 2)), {1 / 0.7, 0.3 / 0.7, 1, 0}, 1e-14));
  }
  void rare_returns_keep_their_digits() {
    const double rare = 1e-14;
    const auto visits = solved(closed_visits(routing_of({0, 1, rare, 1 - rare}), 0));
    QVERIFY(difference(visits[1], 1 / rare) < 1e-12);
  }
  void leaks_and_tables_that_do_not_fit_are_errors() {
    QCOMPARE(error_code(closed_visits(routing_of({0, 1, 0, 1}), 0)), "QUE102");    // never comes back
    QCOMPARE(error_code(closed_visits(routing_of({0, 1, 0.5, 0}), 0)), "QUE102");  // leaves a closed network
    QCOMPARE(error_code(open_visits(routing_of({1}), {1})), "QUE102");             // never leaves
    QCOMPARE(error_code(open_visits(routing_of({0.6, 0.6, 0, 0}), {1, 0})), "QUE102");
    QCOMPARE(error_code(open_visits(routing_of({0.5}), {0})), "QUE102");
    QCOMPARE(error_code(open_visits(routing_of({0.5, 0}), {1, 1})), "QUE101");
    QCOMPARE(error_code(closed_visits(routing_of({1}), 3)), "QUE101");
  }
  void two_stations_with_feedback_have_jacksons_means() {
    const auto visits = solved(open_visits(routing_of({0, 0.5, 0.25, 0}), {0.6, 0.2}));
    QueueingNetwork network{{{}, {}}, {{.open = true, .arrival_rate = 0.8}}, {0.7, 0.9}, visits};
    const NetworkResult result = solved(open_network(network));
    // Flows 0.65 / 0.875 and 0.5 / 0.875 by hand.
    const double load[] = {0.65 / 0.875 * 0.7, 0.5 / 0.875 * 0.9};
    for (std::size_t k = 0; k < 2; ++k) {
      QVERIFY(close(result.utilisation[k], load[k], 1e-13));
      QVERIFY(close(result.number[k], load[k] / (1 - load[k]), 1e-12));
    }
  }
  void stations_one_by_one_agree_with_generating_functions() {
    RandomNetworks draw(2);
    for (int i = 0; i < 300; ++i) {
      QueueingNetwork network = draw.closed(4, 3, 1, false);
      if (i % 10 == 0) network.stations[0] = {.servers = 1500};  // another way of summing up
      for (NetworkClass& c : network.classes) c = {.open = true, .arrival_rate = draw.number(0, 1)};
      double most = 0;
      for (std::size_t k = 0; k < network.stations.size(); ++k)
        most = std::max(most, network.open_load(k) / rate_multiplier(network.stations[k], 2000));
      for (NetworkClass& c : network.classes) c.arrival_rate *= draw.number(0.1, 0.95) / std::max(most, 1e-9) * 0.9;
      const auto answer = open_network(network);
      QVERIFY2(close(solved(answer), solved(convolution(network)), 1e-9), std::to_string(i).c_str());
      QVERIFY2(close(solved(answer), solved(mean_value_analysis(network)), 1e-9), std::to_string(i).c_str());
    }
  }
  void more_servers_than_customers_are_a_delay() {
    QueueingNetwork many{{{.servers = 1'000'000'000}, {}}, {{.open = true, .arrival_rate = 0.5}}, {6, 1}, {1, 1}};
    QueueingNetwork delay = many;
    delay.stations[0] = {.kind = StationKind::delay};
    QVERIFY(close(solved(mean_value_analysis(many)).number, {3, 1}, 1e-12));
    QVERIFY(close(solved(open_network(many)).number, {3, 1}, 1e-12));
    many.classes.push_back({.population = 4}), many.service_s = {6, 3, 1, 1}, many.visits.assign(4, 1.0);
    delay.classes = many.classes, delay.service_s = many.service_s, delay.visits = many.visits;
    QVERIFY(close(solved(mean_value_analysis(many)).number, solved(mean_value_analysis(delay)).number, 1e-12));
  }
  void changing_classes_are_the_same_as_one_class_with_their_visits() {
    // Odd and even passages of one kind of customer: the same as not telling them apart.
    const std::size_t stations = 3, classes = 2, places = stations * classes;
    const double one[3][3] = {{0, 0.6, 0.4}, {1, 0, 0}, {0.5, 0.5, 0}};
    std::vector<double> routing(places * places, 0.0), single;
    for (std::size_t from = 0; from < stations; ++from)
      for (std::size_t to = 0; to < stations; ++to) {
        single.push_back(one[from][to]);
        for (std::size_t r = 0; r < classes; ++r)
          routing[(from * classes + r) * places + to * classes + 1 - r] = one[from][to];
      }
    const ChainVisits chains = solved(closed_chain_visits(stations, classes, routing, {0, 0}));
    QCOMPARE(chains.chains, std::size_t(1));
    QueueingNetwork network{
        {{}, {.servers = 2}, {.kind = StationKind::delay}}, {{.population = 4}, {.population = 3}}, {}, chains.visits};
    for (const double s : {0.5, 0.8, 2.0}) network.service_s.push_back(s), network.service_s.push_back(s);
    const NetworkResult split =
        split_chains(network, chains, solved(mean_value_analysis(merge_chains(network, chains))));
    QueueingNetwork plain{
        network.stations, {{.population = 7}}, {0.5, 0.8, 2.0}, solved(closed_visits(routing_of(single), 0))};
    const NetworkResult whole = solved(mean_value_analysis(plain));
    for (std::size_t k = 0; k < stations; ++k) {
      QVERIFY(close(split.number[2 * k] + split.number[2 * k + 1], whole.number[k], 1e-12));
      QVERIFY(close(split.throughput[2 * k] + split.throughput[2 * k + 1], whole.throughput[k], 1e-12));
      QVERIFY(close(split.response_s[2 * k], whole.response_s[k], 1e-12));
    }
  }
  void a_closed_class_is_refused() {
    QueueingNetwork network{{{}}, {{.population = 1}}, {1}, {1}};
    QCOMPARE(error_code(open_network(network)), "QUE105");
  }
};

QTEST_APPLESS_MAIN(TestOpenNetworks)
#include "tst_open_networks.moc"
