#include "solvers/queueing/exact/approximate_mva.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace ergode {
namespace {

/// The closed classes with customers at single servers; everything else is delay.
struct Estimator {
  const QueueingNetwork& network;
  const ApproximationOptions& options;
  std::vector<std::size_t> classes, servers;
  std::vector<double> population;
  std::vector<double> delay;   ///< [class]
  std::vector<double> demand;  ///< [server][class], slowed by open classes
  double customers = 0;

  Estimator(const QueueingNetwork& all, const ApproximationOptions& how) : network(all), options(how) {
    for (std::size_t r = 0; r < network.classes.size(); ++r)
      if (const NetworkClass& c = network.classes[r]; !c.open && c.population > 0)
        classes.push_back(r), population.push_back(c.population), delay.push_back(c.think_s), customers += c.population;
    for (std::size_t k = 0; k < network.stations.size(); ++k) {
      if (network.stations[k].kind == StationKind::queue) servers.push_back(k);
      for (std::size_t s = 0; s < classes.size(); ++s) delay[s] += delay_part(k, classes[s]);
    }
    for (const std::size_t k : servers)
      for (const std::size_t r : classes) demand.push_back(queue_part(k, r) / (1 - load(k)));
  }
  /// Utilisation by open classes.
  double load(std::size_t k) const { return network.open_load(k) / network.stations[k].servers; }
  double queue_part(std::size_t k, std::size_t r) const {
    return network.stations[k].kind == StationKind::delay ? 0 : network.demand_s(k, r) / network.stations[k].servers;
  }
  double delay_part(std::size_t k, std::size_t r) const { return network.demand_s(k, r) - queue_part(k, r); }

  std::size_t at(std::size_t k, std::size_t s) const { return k * classes.size() + s; }

  /// Iterates the mean numbers with population `n`; `shift(k, s, t)` is the change of class s's share at server k when
  /// a customer of class t leaves. Returns whether they settled.
  template <class Shift>
  bool settle(const std::vector<double>& n, std::vector<double>& number, std::vector<double>& throughput,
              const Shift& shift) const {
    std::vector<double> response(demand.size());
    for (int i = 0; i < options.most_iterations; ++i) {
      double change = 0;
      for (std::size_t t = 0; t < classes.size(); ++t) {
        throughput[t] = 0;
        if (n[t] <= 0) continue;
        double total = delay[t];
        for (std::size_t k = 0; k < servers.size(); ++k) {
          double found = 0;
          for (std::size_t s = 0; s < classes.size(); ++s)
            if (n[s] > 0) found += (n[s] - (s == t ? 1 : 0)) * std::max(0.0, number[at(k, s)] / n[s] + shift(k, s, t));
          response[at(k, t)] = demand[at(k, t)] * (1 + found);
          total += response[at(k, t)];
        }
        throughput[t] = n[t] / total;
      }
      for (std::size_t k = 0; k < servers.size(); ++k)
        for (std::size_t s = 0; s < classes.size(); ++s) {
          const double next = throughput[s] * response[at(k, s)];
          change = std::max(change, std::abs(next - number[at(k, s)]));
          number[at(k, s)] = next;
        }
      if (change <= options.tolerance * customers) return true;
    }
    return false;
  }
  std::vector<double> spread(const std::vector<double>& n) const {
    std::vector<double> number(demand.size());
    for (std::size_t k = 0; k < servers.size(); ++k)
      for (std::size_t s = 0; s < classes.size(); ++s) number[at(k, s)] = n[s] / static_cast<double>(servers.size());
    return number;
  }

  NetworkResult result(const std::vector<double>& number, const std::vector<double>& closed_throughput) const {
    std::vector<double> throughput(network.classes.size(), 0.0), all(network.service_s.size(), 0.0);
    for (std::size_t r = 0; r < network.classes.size(); ++r)
      if (network.classes[r].open) throughput[r] = network.classes[r].arrival_rate;
    for (std::size_t s = 0; s < classes.size(); ++s) throughput[classes[s]] = closed_throughput[s];
    for (std::size_t k = 0; k < network.stations.size(); ++k)
      for (std::size_t r = 0; r < network.classes.size(); ++r) all[network.at(k, r)] = throughput[r] * delay_part(k, r);
    for (std::size_t i = 0; i < servers.size(); ++i) {
      const std::size_t k = servers[i];
      double closed = 0;
      for (std::size_t s = 0; s < classes.size(); ++s)
        all[network.at(k, classes[s])] += number[at(i, s)], closed += number[at(i, s)];
      for (std::size_t r = 0; r < network.classes.size(); ++r)
        if (network.classes[r].open)
          all[network.at(k, r)] += throughput[r] * queue_part(k, r) * (1 + closed) / (1 - load(k));
    }
    return complete_result(network, std::move(throughput), std::move(all));
  }
};

std::optional<Diagnostic> refused(const QueueingNetwork& network) {
  if (Diagnostics bad = check_network(network); !bad.empty()) return bad.front();
  for (std::size_t k = 0; k < network.stations.size(); ++k)
    if (network.stations[k].kind == StationKind::load_dependent)
      return queueing_error("QUE105", station_label(network, k) + " is load-dependent; wanted queues and delays.",
                            "Exact analysis takes any speeds.");
  return {};
}

constexpr int most_passes = 1000;

Diagnostic unsettled(const ApproximationOptions& options) {
  return queueing_error("QUE106",
                        "Mean numbers still change after " + std::to_string(options.most_iterations) + " iterations.");
}

}  // namespace

Solved<NetworkResult> schweitzer_bard(const QueueingNetwork& network, const ApproximationOptions& options) {
  if (auto bad = refused(network)) return *bad;
  const Estimator estimator(network, options);
  std::vector<double> number = estimator.spread(estimator.population), throughput(estimator.classes.size());
  if (!estimator.settle(estimator.population, number, throughput, [](auto...) { return 0.0; }))
    return unsettled(options);
  return estimator.result(number, throughput);
}

Solved<NetworkResult> linearizer(const QueueingNetwork& network, const ApproximationOptions& options) {
  if (auto bad = refused(network)) return *bad;
  const Estimator estimator(network, options);
  const std::size_t classes = estimator.classes.size(), cells = estimator.demand.size();
  const std::vector<double>& full = estimator.population;
  std::vector<double> number = estimator.spread(full), throughput(classes), unused(classes),
                      shifts(cells * classes, 0.0);
  std::vector<std::vector<double>> less, number_less;
  for (std::size_t t = 0; t < classes; ++t) {
    less.push_back(full), less[t][t] -= 1;
    number_less.push_back(estimator.spread(less[t]));
  }
  const auto shift = [&](std::size_t k, std::size_t s, std::size_t t) {
    return shifts[estimator.at(k, s) * classes + t];
  };
  for (int pass = 0; pass < most_passes; ++pass) {
    if (!estimator.settle(full, number, throughput, shift)) return unsettled(options);
    double change = 0;
    for (std::size_t t = 0; t < classes; ++t) {
      if (!estimator.settle(less[t], number_less[t], unused, shift)) return unsettled(options);
    }
    for (std::size_t i = 0; i < cells; ++i)
      for (std::size_t t = 0; t < classes; ++t) {
        const std::size_t s = i % classes;
        // The last one of a class leaves no share behind that could have changed.
        const double now = less[t][s] > 0 ? number_less[t][i] / less[t][s] - number[i] / full[s] : 0.0;
        change = std::max(change, std::abs(now - shifts[i * classes + t]) * full[s]);
        shifts[i * classes + t] = now;
      }
    if (change > 10 * options.tolerance * estimator.customers) continue;
    if (!estimator.settle(full, number, throughput, shift)) return unsettled(options);
    return estimator.result(number, throughput);
  }
  return queueing_error("QUE106", "Shares still change after " + std::to_string(most_passes) + " passes.");
}

}  // namespace ergode
