#include "solvers/queueing/exact/heavy_traffic.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace ergode {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t most_stations = 100;

/// A stream from outside: where it goes, by station.
struct Stream {
  double rate = 0.0, variability = 1.0;
  VectorXd to;
};

/// The network without some of its stations, which only lead on.
struct Reduced {
  std::vector<Index> kept;
  MatrixXd routing;  ///< among those kept
  std::vector<Stream> streams;

  Reduced(const MatrixXd& all, const std::vector<Stream>& outside, const std::vector<bool>& keep) {
    std::vector<Index> dropped;
    for (Index i = 0; i < all.rows(); ++i) (keep[static_cast<std::size_t>(i)] ? kept : dropped).push_back(i);
    const MatrixXd back = MatrixXd::Identity(static_cast<Index>(dropped.size()), static_cast<Index>(dropped.size())) -
                          all(dropped, dropped);
    // From one that is dropped to where its customers are next.
    const MatrixXd on = dropped.empty() ? MatrixXd(0, static_cast<Index>(kept.size()))
                                        : MatrixXd(back.partialPivLu().solve(MatrixXd(all(dropped, kept))));
    routing = all(kept, kept) + all(kept, dropped) * on;
    for (const Stream& one : outside)
      streams.push_back(
          {one.rate, one.variability, VectorXd(one.to(kept)) + on.transpose() * VectorXd(one.to(dropped))});
  }
};

/// Covariance per second of numbers that come less those that could be served.
MatrixXd covariance(const Reduced& network, const VectorXd& rate, const VectorXd& service_variability) {
  const Index n = network.routing.rows();
  MatrixXd out = MatrixXd::Zero(n, n);
  for (const Stream& one : network.streams) {
    out += one.rate * MatrixXd(one.to.asDiagonal());
    out += one.rate * (one.variability - 1) * one.to * one.to.transpose();
  }
  for (Index j = 0; j < n; ++j) {
    const VectorXd to = network.routing.row(j).transpose();
    VectorXd moved = to;
    moved[j] -= 1;
    out += rate[j] *
           (MatrixXd(to.asDiagonal()) - to * to.transpose() + service_variability[j] * moved * moved.transpose());
  }
  return out;
}

}  // namespace

double halfin_whitt(double beta) {
  const double density = std::exp(-beta * beta / 2) / std::sqrt(2 * std::numbers::pi);
  const double below = std::erfc(-beta / std::numbers::sqrt2) / 2;
  return density > 0.0 ? 1 / (1 + beta * below / density) : 0.0;
}

Solved<HeavyTraffic> heavy_traffic(const std::vector<OpenStation>& stations,
                                   const std::vector<OutsideArrivals>& outside, const std::vector<InsideFlow>& inside) {
  // The same checks and rates.
  const auto checked = decompose(stations, outside, inside);
  if (const auto* bad = std::get_if<Diagnostic>(&checked)) return *bad;
  const auto& arrivals = std::get<std::vector<StationArrivals>>(checked);
  const std::size_t n = stations.size();
  if (n > most_stations)
    return queueing_error("QUE104", "There are " + std::to_string(n) + " stations; wanted at most 100.");
  const auto at = [](std::size_t i) { return static_cast<Index>(i); };
  MatrixXd routing = MatrixXd::Zero(at(n), at(n));
  for (const InsideFlow& f : inside) routing(at(f.from), at(f.to)) += f.rate / arrivals[f.from].rate;
  std::map<std::size_t, Stream> by_stream;
  for (const OutsideArrivals& a : outside) {
    Stream& one = by_stream[a.stream];
    if (one.to.size() == 0) one.to = VectorXd::Zero(at(n));
    one.rate = a.rate / a.share, one.variability = a.variability, one.to[at(a.station)] += a.share;
  }
  std::vector<Stream> streams;
  for (auto& [number, one] : by_stream) streams.push_back(std::move(one));
  std::vector<double> load(n, 0.0);
  for (std::size_t j = 0; j < n; ++j)
    if (stations[j].servers > 0) load[j] = arrivals[j].rate * stations[j].mean_s / stations[j].servers;

  HeavyTraffic out{std::vector<double>(n, 0.0), std::vector<double>(n, 0.0), 0.0};
  const auto look = [&](const std::vector<bool>& keep) {
    const Reduced network(routing, streams, keep);
    VectorXd rate(at(network.kept.size())), variability(at(network.kept.size()));
    for (std::size_t i = 0; i < network.kept.size(); ++i) {
      const auto station = static_cast<std::size_t>(network.kept[i]);
      rate[at(i)] = arrivals[station].rate, variability[at(i)] = stations[station].service_variability;
    }
    return std::pair(network, covariance(network, rate, variability));
  };
  std::vector<bool> servers(n);
  for (std::size_t j = 0; j < n; ++j) servers[j] = load[j] > 0.0;
  for (std::size_t j = 0; j < n; ++j) {
    if (load[j] == 0.0) continue;
    std::vector<bool> keep(n);
    constexpr double hair = 1e-9;
    for (std::size_t i = 0; i < n; ++i) keep[i] = servers[i] && load[i] >= load[j] - hair;
    const auto [network, all] = look(keep);
    const auto here = std::find(network.kept.begin(), network.kept.end(), at(j)) - network.kept.begin();
    const double again = network.routing(here, here);
    const OpenStation& station = stations[j];
    const double both = all(here, here) / (arrivals[j].rate * (1 - again));
    out.variability[j] = both;
    double waits = load[j];
    if (station.servers > 1) {
      const double arriving = std::max(0.0, both - station.service_variability);
      const double peakedness = std::max(1e-3, 1 + (arriving - 1) / 2);
      waits = halfin_whitt((1 - load[j]) * std::sqrt(station.servers / peakedness));
    }
    out.waiting_s[j] = waits * station.mean_s / (station.servers * (1 - load[j])) * both / 2;
  }
  const auto [network, all] = look(servers);
  for (Index i = 0; i < all.rows(); ++i)
    for (Index k = 0; k < i; ++k) {
      // 2 C = R D^-1 V + V D^-1 R', R = 1 - P', D and V the diagonals of R and C.
      const double wanted = -(network.routing(k, i) / (1 - network.routing(k, k)) * all(k, k) +
                              network.routing(i, k) / (1 - network.routing(i, i)) * all(i, i)) /
                            2;
      const double scale = std::sqrt(all(i, i) * all(k, k));
      if (scale > 0) out.product_form_gap = std::max(out.product_form_gap, std::fabs(all(i, k) - wanted) / scale);
    }
  return out;
}

}  // namespace ergode
