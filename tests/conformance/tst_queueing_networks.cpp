#include <QtTest>
#include <algorithm>
#include <set>

#include "solvers/queueing/exact/approximate_mva.h"
#include "solvers/queueing/exact/birth_death_stations.h"
#include "solvers/queueing/exact/bounds.h"
#include "solvers/queueing/exact/mean_value_analysis.h"
#include "solvers/queueing/exact/normalising_constant.h"
#include "solvers/queueing/exact/open_networks.h"
#include "solvers/queueing/exact/routing.h"
#include "tests/conformance/cases.h"
#include "tests/conformance/exact_answer.h"
#include "tests/conformance/octave_cases.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// What we answer, by the name of their variable; entries that have no meaning for us are no number.
using Answers = std::map<std::string, Numbers>;
/// Tables of theirs, classes by stations and column by column, are ours, station after station.
using Solve = std::function<Answers(const OctaveCase&)>;

struct Way {
  Solve solve;
  double tolerance = 1e-9;  ///< Against what they observed, relative above 1, absolute below.
};

std::vector<NetworkStation> stations_of(std::size_t count, const Numbers& servers = {}) {
  std::vector<NetworkStation> stations(count);
  for (std::size_t k = 0; k < count && !servers.empty(); ++k) {
    const double m = servers.size() == 1 ? servers[0] : servers[k];
    if (m < 1) stations[k].kind = StationKind::delay;
    else stations[k].servers = static_cast<int>(m);
  }
  return stations;
}

Answers answers(const NetworkResult& result, const std::string& suffix = {}) {
  Numbers response = result.response_s;
  // What a customer would wait where none of the class ever comes is a question of theirs, not of ours.
  for (std::size_t i = 0; i < response.size(); ++i)
    if (result.throughput[i] <= 0) response[i] = std::nan("");
  return {{"U" + suffix, result.utilisation}, {"R" + suffix, response},        {"Q" + suffix, result.number},
          {"X" + suffix, result.throughput},  {"Xc", result.class_throughput}, {"R_c", result.class_response_s},
          {"Xs", result.class_throughput},    {"Rs", result.class_response_s}};
}

using Method = Solved<NetworkResult> (*)(const QueueingNetwork&);

Solved<NetworkResult> schweitzer(const QueueingNetwork& network) { return schweitzer_bard(network); }
Solved<NetworkResult> by_means(const QueueingNetwork& network) { return mean_value_analysis(network); }
Solved<NetworkResult> by_convolution(const QueueingNetwork& network) { return convolution(network); }

/// Closed classes with the populations N (one class: n too), service S, visits V, servers m, think times Z.
QueueingNetwork closed(const OctaveCase& c, const Numbers& population) {
  const std::size_t classes = population.size(), count = c["S"].size() / classes;
  QueueingNetwork network{stations_of(count, c.has("m") ? c["m"] : Numbers{}), {}, c["S"], {}};
  network.visits = c.has("V") ? c["V"] : Numbers(count * classes, 1.0);
  for (std::size_t r = 0; r < classes; ++r)
    network.classes.push_back(
        {.population = static_cast<int>(population[r]), .think_s = c.has("Z") ? c["Z"][c["Z"].size() > 1 ? r : 0] : 0});
  return network;
}

Way closed_by(Method method, const std::string& population = "N", const std::string& suffix = {}) {
  return {[=](const OctaveCase& c) {
    const QueueingNetwork network = closed(c, c[population]);
    return answers(solved(method(network)), suffix);
  }};
}

/// One class whose service times S(station, present) depend on how many are present.
QueueingNetwork load_dependent(const OctaveCase& c, const std::string& table, const std::string& population) {
  const std::size_t count = c.dimensions.at(table)[0], most = c.dimensions.at(table)[1];
  QueueingNetwork network;
  for (std::size_t k = 0; k < count; ++k) {
    network.stations.push_back({.kind = StationKind::load_dependent});
    network.service_s.push_back(c[table][k]);
    for (std::size_t n = 0; n < most; ++n)
      network.stations[k].rate_multipliers.push_back(c[table][k] / c[table][k + count * n]);
  }
  network.visits = c["V"];
  network.classes = {{.population = static_cast<int>(c.value(population)), .think_s = c.has("Z") ? c.value("Z") : 0}};
  return network;
}

Answers join(Answers a, const Answers& b) {
  a.insert(b.begin(), b.end());
  return a;
}

/// Normalising constants with up to K customers.
Answers constants(const QueueingNetwork& network) {
  Numbers g;
  for (const double each : solved(log_normalising_constants(network))) g.push_back(std::exp(each));
  return {{"G", g}};
}

/// P(from, to) column by column is ours the other way round.
Numbers transposed(const Numbers& p) {
  const auto n = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(p.size()))));
  Numbers result(p.size());
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) result[i * n + j] = p[i + n * j];
  return result;
}

ChainVisits chains(const OctaveCase& c, std::vector<std::size_t> reference = {}) {
  const std::size_t classes = c.dimensions.at("P")[0], count = c.dimensions.at("P")[1];
  if (reference.empty()) reference.assign(classes, 0);
  return solved(closed_chain_visits(count, classes, transposed(c["P"]), reference));
}

Numbers chain_numbers(const ChainVisits& v) {
  Numbers result;
  for (const std::size_t each : v.chain) result.push_back(static_cast<double>(each) + 1);
  return result;
}

/// Classes that change, by their routing.
Answers by_chains(const OctaveCase& c, const std::string& suffix = {}) {
  const ChainVisits v = chains(c);
  QueueingNetwork network = closed(c, c["N"]);
  network.visits = v.visits;
  return answers(split_chains(network, v, solved(mean_value_analysis(merge_chains(network, v)))), suffix);
}

ClosedDemands demands(const OctaveCase& c, const Numbers& visits) {
  ClosedDemands d{c["S"], 0, static_cast<int>(c.value("n"))};
  for (std::size_t k = 0; k < d.demand_s.size(); ++k) d.demand_s[k] *= visits[k];
  return d;
}

template <class Bounds>
Answers bounds(const Solved<Bounds>& answer, const std::string& suffix = {}) {
  const Bounds b = solved(answer);
  return {{"Xl" + suffix, {b.throughput_lower}},
          {"Xu" + suffix, {b.throughput_upper}},
          {"Rl" + suffix, {b.response_lower_s}},
          {"Ru" + suffix, {b.response_upper_s}}};
}

/// Bounds of one class beside the exact values.
Way bounded(Solved<ThroughputBounds> (*bound)(const ClosedDemands&)) {
  return {
      [=](const OctaveCase& c) { return join(closed_by(by_means, "n").solve(c), bounds(bound(demands(c, c["V"])))); }};
}

Answers open_classes(const OctaveCase& c, const Numbers& rates, double visits_relative_to) {
  QueueingNetwork network{stations_of(c["S"].size() / rates.size()), {}, c["S"], c["V"]};
  for (const double rate : rates) network.classes.push_back({.open = true, .arrival_rate = rate});
  // Their visits may count arrivals of all classes, ours those of one's own.
  for (std::size_t i = 0; visits_relative_to > 0 && i < network.visits.size(); ++i)
    network.visits[i] *= visits_relative_to / rates[i % rates.size()];
  return answers(solved(open_network(network)));
}

Answers single(const StationMeans& m, const std::string& suffix = {}) {
  const auto key = [&](const char* name) { return name + suffix; };
  return {{key("U"), {m.utilisation}},       {key("R"), {m.response_s}},      {key("Q"), {m.number}},
          {key("X"), {m.throughput}},        {key("p0"), {m.empty}},          {key("P0"), {m.empty}},
          {key("pK"), {m.loss_probability}}, {key("NW"), {m.waiting_number}}, {key("W"), {m.waiting_s}}};
}

/// Their solver for stations of any kind: service times and kinds are in the calls, written out here.
Way stations_with_demands(std::vector<NetworkStation> stations, Numbers service_s) {
  return {[=](const OctaveCase& c) {
    const QueueingNetwork network{stations, {{.population = static_cast<int>(c.value("N"))}}, service_s, c["V"]};
    return answers(solved(mean_value_analysis(network)));
  }};
}

NetworkStation speeds(Numbers multipliers) {
  return {.kind = StationKind::load_dependent, .rate_multipliers = std::move(multipliers)};
}

std::map<std::string, Way> closed_cases() {
  const NetworkStation delay{.kind = StationKind::delay};
  std::map<std::string, Way> ways;
  for (const char* name : {"qncmmva_01", "qncmmva_03", "qncmmva_06", "qncmmva_09", "qncmmva_12", "qncmmva_15",
                           "qncmmva_16", "qncsmva_02", "qncsmva_03", "qncsmva_04", "qncsmva_05", "qncsmva_06"})
    ways[name] = closed_by(by_means);
  ways["qncmmva_10"] = {[](const OctaveCase& c) {
    OctaveCase given = c;
    given.variables["m"] = {-1, 1, 1, 1, 1, 1};  // in the call
    return join({{"V", chains(c).visits}}, closed_by(by_means).solve(given));
  }};
  ways["qncmmva_08"] = {[](const OctaveCase& c) {
    OctaveCase first = c;
    for (const char* name : {"S", "V"}) {
      first.variables[name].clear();
      for (std::size_t i = 0; i < c[name].size(); i += 2) first.variables[name].push_back(c[name][i]);
    }
    return join(closed_by(by_means, "N", "1").solve(c),
                answers(solved(mean_value_analysis(closed(first, {c["N"][0]}))), "2"));
  }};
  ways["qncmmva_11"] = {
      [](const OctaveCase& c) { return join(closed_by(by_means, "N", "1").solve(c), by_chains(c, "2")); }};
  ways["qncmmva_13"] = ways["qncmmva_14"] = {[](const OctaveCase& c) { return by_chains(c); }};
  // Their Markov chain of stations with limits, at three customers whom each has room for: nobody is blocked.
  ways["qnmarkov_01"] = ways["qnmarkov_02"] = {[](const OctaveCase& c) {
    OctaveCase given = c;
    given.variables["N"] = {3};
    given.variables["V"] = solved(closed_chain_visits(3, 1, transposed(c["P"]), {0})).visits;
    Answers a = closed_by(by_means).solve(given);
    // Their throughput is that of one server of several, and what they divide by it too long.
    if (c.has("m")) a.erase("X"), a.erase("R");
    return a;
  }};
  ways["qncmmvabs_01"] = ways["qncsmvaap_01"] = closed_by(schweitzer);
  ways["qncmmvabs_01"].tolerance = ways["qncsmvaap_01"].tolerance = 1e-4;  // they stop at changes of 1e-5
  ways["qncsconv_00"] = {
      [](const OctaveCase& c) { return join(closed_by(by_convolution, "K").solve(c), constants(closed(c, c["K"]))); }};
  ways["qncsconv_02"] = {[](const OctaveCase& c) {
    return join(join(closed_by(by_means, "K", "_mva").solve(c), closed_by(by_convolution, "K", "_con").solve(c)),
                constants(closed(c, c["K"])));
  }};
  ways["qncsconvld_01"] = {[](const OctaveCase& c) {
    const QueueingNetwork network = load_dependent(c, "S", "K");
    return join(answers(solved(convolution(network))), constants(network));
  }};
  const auto speeds_and_plain = [](const char* table, bool also_plain) {
    return Way{[=](const OctaveCase& c) {
      const QueueingNetwork network = load_dependent(c, table, "N");
      const auto result = solved(mean_value_analysis(network));
      const Answers both = join(answers(result, "1"), answers(result));
      return also_plain ? join(closed_by(by_means, "N", "2").solve(c), both) : both;
    }};
  };
  ways["qncsmvald_00"] = speeds_and_plain("S", false);
  ways["qncsmvald_01"] = ways["qncsmvald_03"] = speeds_and_plain("Sld", true);
  ways["qncsmvald_02"] = speeds_and_plain("Sld", false);
  ways["qncscmva_00"] = {[](const OctaveCase& c) {
    return join(closed_by(by_means, "N", "1").solve(c), closed_by(by_convolution, "N", "2").solve(c));
  }};
  ways["qncscmva_02"] = {[](const OctaveCase& c) {
    const QueueingNetwork network = load_dependent(c, "S", "N");
    return join(answers(solved(mean_value_analysis(network)), "1"), answers(solved(convolution(network)), "2"));
  }};
  ways["qnsolve_00"] =
      stations_with_demands({speeds({1, 2}), {}, {}, speeds({1, 2, 3})}, {0.5, 1 / 1.667, 1 / 1.25, 1});
  ways["qnsolve_01"] = stations_with_demands({{.servers = 2}, {}, {}, delay}, {0.5, 1 / 1.667, 1 / 1.25, 1});
  ways["qnsolve_02"] = stations_with_demands({{.servers = 2}, {}, {}, delay}, {0.5, 0.6, 0.8, 1});
  ways["qnsolve_03"] = stations_with_demands({speeds({1, 2, 2}), {}, {}, speeds({1, 2, 3})}, {0.5, 0.6, 0.8, 1});
  return ways;
}

std::map<std::string, Way> bound_cases() {
  std::map<std::string, Way> ways;
  ways["qncsaba_02"] = bounded(asymptotic_bounds);
  ways["qncsbsb_01"] = bounded(balanced_job_bounds);
  ways["qncspb_02"] = bounded(proportional_bounds);
  ways["qncsmva_08"] = {[](const OctaveCase& c) {
    const ClosedDemands d = demands(c, c["V"]);
    return join(closed_by(by_means, "n").solve(c),
                join(bounds(balanced_job_bounds(d), "bsb"), bounds(asymptotic_bounds(d), "ab")));
  }};
  ways["qncsgb_02"] = {[](const OctaveCase& c) {
    const Numbers visits = solved(closed_visits(routing_of(transposed(c["P"])), 0));
    const GeometricBounds b = solved(geometric_bounds(demands(c, visits)));
    return join(closed_by(by_means, "n").solve(c), {{"V", visits},
                                                    {"X_gb_lower", {b.throughput_lower}},
                                                    {"X_gb_upper", {b.throughput_upper}},
                                                    {"Q_gb_lower", b.number_lower},
                                                    {"Q_gb_upper", b.number_upper}});
  }};
  ways["qncmaba_01"] = {[](const OctaveCase&) {
    const QueueingNetwork network{std::vector<NetworkStation>(3), {{}, {}}, {1, 1, 2, 2, 3, 3}, Numbers(6, 1.0)};
    Answers zeros;
    for (const ThroughputBounds& b : solved(multiclass_asymptotic_bounds(network)))
      for (int i = 0; i < 3; ++i)  // they have a column for each station
        zeros["Xl"].push_back(b.throughput_lower), zeros["Xu"].push_back(b.throughput_upper),
            zeros["Rl"].push_back(b.response_lower_s), zeros["Ru"].push_back(b.response_upper_s);
    return zeros;
  }};
  // For 1, 2, .. 20 customers of the first class and 10 of the second; a column for each class.
  ways["qncmcb_00"] = {[](const OctaveCase& c) {
    Answers a;
    for (const char* name : {"Xl", "Xu", "Rl", "Ru", "Xmva", "Rmva"}) a[name].assign(40, 0.0);
    for (std::size_t n = 1; n <= 20; ++n) {
      const QueueingNetwork network{std::vector<NetworkStation>(4),
                                    {{.population = static_cast<int>(n)}, {.population = 10}},
                                    c["S"],
                                    Numbers(8, 1.0)};
      const auto b = solved(multiclass_composite_bounds(network));
      const NetworkResult exact = solved(mean_value_analysis(network));
      for (std::size_t r = 0; r < 2; ++r) {
        const std::size_t i = n - 1 + 20 * r;
        a["Xl"][i] = b[r].throughput_lower, a["Xu"][i] = b[r].throughput_upper;
        a["Rl"][i] = b[r].response_lower_s, a["Ru"][i] = b[r].response_upper_s;
        a["Xmva"][i] = exact.class_throughput[r], a["Rmva"][i] = exact.class_response_s[r];
      }
    }
    return a;
  }};
  // Balanced bounds of several classes: ours have their lower throughput, and a tighter upper one.
  ways["qncmbsb_02"] = {[composite = ways["qncmcb_00"]](const OctaveCase& c) {
    Answers a = composite.solve(c);
    a.erase("Xu"), a.erase("Rl");
    return a;
  }};
  ways["qnosaba_01"] = {[](const OctaveCase&) {
    Answers a = bounds(open_asymptotic_bounds(1, {1, 1}));
    a["Ru"] = {std::nan("")};  // infinite; the file has null
    return a;
  }};
  // Their lower bound of the response time is above their upper one (15 s and 8.6 s): not compared.
  ways["qnosbsb_01"] = {[](const OctaveCase&) {
    Answers a = bounds(open_balanced_bounds(0.1, {1, 2, 3}));
    a.erase("Rl");
    return a;
  }};
  return ways;
}

std::map<std::string, Way> open_and_routing_cases() {
  std::map<std::string, Way> ways;
  for (const char* name : {"qnos_01", "qnos_02", "qnopen_00", "qnom_01", "qnom_02", "qnsolve_05"})
    ways[name] = {[](const OctaveCase& c) {
      OctaveCase given = c;
      if (!c.has("S")) given.variables["S"] = {1, 2, 3, 4};  // in the calls of qnsolve_05
      return open_classes(given, c["lambda"], 0);
    }};
  const auto open_routing = [](const OctaveCase& c) {
    return solved(open_visits(routing_of(transposed(c["P"])), c["lambda"]));
  };
  ways["qnom_03"] = {[=](const OctaveCase& c) {
    const Numbers visits = open_routing(c);
    Numbers rates(c.dimensions.at("lambda")[0], 0.0);
    double all = 0;
    for (std::size_t i = 0; i < c["lambda"].size(); ++i)
      rates[i % rates.size()] += c["lambda"][i], all += c["lambda"][i];
    OctaveCase given = c;
    given.variables["V"] = visits;
    return join({{"V", visits}}, open_classes(given, rates, all));
  }};
  ways["qnomvisits_02"] = ways["qnosvisits_01"] = {[=](const OctaveCase& c) {
    return Answers{{"V", open_routing(c)}};
  }};
  ways["qncsvisits_01"] = {[](const OctaveCase& c) {
    return Answers{{"V", solved(closed_visits(routing_of(transposed(c["P"])), 0))}};
  }};
  ways["qncmvisits_00"] = ways["qncmvisits_02"] = {[](const OctaveCase& c) {
    return Answers{{"V", chains(c).visits}};
  }};
  ways["qncmvisits_03"] = {[](const OctaveCase& c) {
    return Answers{{"nc", chains(c).visits}, {"r", chain_numbers(chains(c))}};
  }};
  ways["qncmvisits_06"] = {[](const OctaveCase& c) { return Answers{{"V", chains(c, {0, 1}).visits}}; }};
  ways["qncmvisits_07"] = {[](const OctaveCase& c) {
    return Answers{{"V", chains(c).visits}, {"ch", chain_numbers(chains(c))}};
  }};
  ways["qnmix_02"] = {[](const OctaveCase& c) {
    QueueingNetwork network{stations_of(2), {}, c["S"], c["V"]};
    for (std::size_t r = 0; r < 4; ++r)
      network.classes.push_back(
          {.open = c["lambda"][r] > 0, .arrival_rate = c["lambda"][r], .population = static_cast<int>(c["N"][r])});
    Answers a = answers(solved(mean_value_analysis(network)));
    // Their utilisations of closed classes count visits twice (0.0151 where flow times service time is 0.0301).
    a["U"][6] = a["U"][7] = std::nan("");
    return a;
  }};
  return ways;
}

std::map<std::string, Way> station_cases() {
  std::map<std::string, Way> ways;
  ways["qsammm_00"] = {[](const OctaveCase&) { return single(solved(mmc_unequal(73, {10, 15, 20, 20, 25}))); }};
  ways["qsmm1_01"] = {[](const OctaveCase&) { return single(solved(mm1(0, 1))); }};
  ways["qsmmm_00"] = ways["qsmmm_01"] = {[](const OctaveCase& c) {
    return single(solved(mmc(c.value("lambda"), c.value("mu"), static_cast<int>(c.value("m")))));
  }};
  const auto one_server = [](const OctaveCase& c, const std::string& suffix) {
    const int room = static_cast<int>(c.value("K"));
    Answers a = single(solved(mm1k(c.value("lambda"), c.value("mu"), room)), suffix);
    a["prob"] = a["q"] = solved(mmck_distribution(c.value("lambda"), c.value("mu"), 1, room));
    return a;
  };
  ways["qsmm1k_00"] = ways["qsmm1k_01"] = {[=](const OctaveCase& c) { return one_server(c, ""); }};
  ways["qsmm1k_02"] = {[=](const OctaveCase& c) { return one_server(c, "1"); }};
  ways["qsmmmk_00"] = ways["qsmmmk_04"] = {[](const OctaveCase& c) {
    return single(
        solved(mmck(c.value("lambda"), c.value("mu"), static_cast<int>(c.value("m")), static_cast<int>(c.value("k")))));
  }};
  ways["qsmmmk_01"] = {[](const OctaveCase& c) {
    Answers a;
    for (std::size_t i = 0; i < c["lambda"].size(); ++i)
      for (const auto& [name, value] : single(solved(mm1k(c["lambda"][i], c["mu"][i], static_cast<int>(c.value("k"))))))
        for (const char* suffix : {"1", "2"}) a[name + suffix].push_back(value[0]);
    return a;
  }};
  return ways;
}

}  // namespace

/// Oracle: the published tests of another package, most of them from textbooks; what was asserted within the tolerance
/// stated there, and all that was observed within 1e-9.
class TestQueueingNetworks : public QObject {
  Q_OBJECT
  std::map<std::string, OctaveCase> cases_;
  std::map<std::string, Way> ways_;

 private Q_SLOTS:
  void initTestCase() {
    const std::string folder = case_folder("octave_queueing");
    if (folder.empty()) QSKIP("no cases folder");
    cases_ = octave_cases(folder + "/cases.json");
    for (const auto& family : {closed_cases(), bound_cases(), open_and_routing_cases(), station_cases()})
      ways_.insert(family.begin(), family.end());
  }
  void published_cases_data() {
    QTest::addColumn<std::string>("name");
    for (const auto& [name, way] : ways_) QTest::newRow(name.c_str()) << name;
  }
  void published_cases() {
    QFETCH(std::string, name);
    QVERIFY2(cases_.contains(name), "no such case");
    const OctaveCase& wanted = cases_.at(name);
    const Way& way = ways_.at(name);
    const Answers ours = way.solve(wanted);
    int compared = 0;
    for (const auto& [variable, theirs] : wanted.variables) {
      const auto found = ours.find(variable);
      if (found == ours.end()) continue;
      const std::string bad = first_difference(found->second, theirs, way.tolerance, way.tolerance);
      QVERIFY2(bad.empty(), (variable + ", " + bad).c_str());
      ++compared;
    }
    QVERIFY(compared > 0);
    for (const OctaveCase::Assert& each : wanted.asserts) {
      // Of a variable that took several values the last one alone is in the file.
      const auto found = ours.find(each.of);
      if (found == ours.end() || each.observed != wanted[each.of]) continue;
      const double absolute = each.tolerance >= 0 ? std::max(each.tolerance, 1e-12) : 0;
      const std::string bad =
          first_difference(found->second, each.expected, absolute, each.tolerance < 0 ? -each.tolerance : 0);
      QVERIFY2(bad.empty(), (each.of + " asserted, " + bad).c_str());
    }
  }
  void no_case_is_left_out_unnamed() {
    // Chains are compared in tst_octave_chains.
    const std::map<std::string, const char*> left_out{
        {"qncmnpop_00", "how many lists of populations there are, a step of an algorithm"},
        {"qncmpopmix_02", "lists of populations, a step of an algorithm"},
        {"qncsmvablo_01", "an approximation of blocking that is not here"},
        {"qncsmvablo_04", "an approximation of blocking that is not here"}};
    int unnamed = 0, solved_here = 0;
    for (const auto& [name, each] : cases_) {
      const bool chain = name.rfind("ctmc", 0) == 0 || name.rfind("dtmc", 0) == 0;
      solved_here += ways_.contains(name) ? 1 : 0;
      if (left_out.contains(name)) qInfo("left out: %s: %s", name.c_str(), left_out.at(name));
      if (chain || ways_.contains(name) || left_out.contains(name)) continue;
      qWarning("neither solved nor named: %s", name.c_str());
      ++unnamed;
    }
    QCOMPARE(unnamed, 0);
    // Each way has a case: all of them are run above.
    QCOMPARE(solved_here, static_cast<int>(ways_.size()));
    QCOMPARE(solved_here, 70);
  }
};

QTEST_APPLESS_MAIN(TestQueueingNetworks)
#include "tst_queueing_networks.moc"
