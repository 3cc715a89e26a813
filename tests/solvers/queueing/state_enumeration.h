#pragma once
#include <vector>

#include "solvers/queueing/exact/queueing_network.h"

namespace ergode::test {

/// Means of a closed product-form network by going through all of its states, each with its weight as the theorem of
/// Baskett, Chandy, Muntz and Palacios states it: no recursion, no normalising constant of a smaller network.
class StateEnumeration {
 public:
  explicit StateEnumeration(const QueueingNetwork& network)
      : network_(network), stations_(network.stations.size()), classes_(network.classes.size()) {
    present_.assign((stations_ + 1) * classes_, 0);  // the last one: thinking
    number_.assign(stations_ * classes_, 0.0), served_ = number_, waiting_ = number_, busy_.assign(stations_, 0.0);
    thinking_.assign(classes_, 0.0);
    place(0, 0, network.classes[0].population);
    for (std::vector<double>* sums : {&number_, &served_, &waiting_, &busy_, &thinking_})
      for (double& each : *sums) each /= total_;
  }
  double number(std::size_t k, std::size_t r) const { return number_[network_.at(k, r)]; }
  /// Visits completed per second: what the servers work off, state by state.
  double throughput(std::size_t k, std::size_t r) const { return served_[network_.at(k, r)]; }
  /// Of those at a queue, who are told apart by nobody, beyond the servers; elsewhere 0.
  double waiting(std::size_t k, std::size_t r) const { return waiting_[network_.at(k, r)]; }
  double busy(std::size_t k) const { return busy_[k]; }
  double thinking(std::size_t r) const { return thinking_[r]; }

 private:
  void place(std::size_t r, std::size_t k, int left) {
    int& here = present_[k * classes_ + r];
    if (k == stations_) {
      here = left;
      if (r + 1 == classes_) return count();
      return place(r + 1, 0, network_.classes[r + 1].population);
    }
    for (here = 0; here <= left; ++here) place(r, k + 1, left - here);
    here = 0;
  }
  void count() {
    double weight = 1;
    for (std::size_t k = 0; k <= stations_; ++k) {
      int all = 0;
      for (std::size_t r = 0; r < classes_; ++r) {
        const double demand = k < stations_ ? network_.demand_s(k, r) : network_.classes[r].think_s;
        for (int n = 1; n <= present_[k * classes_ + r]; ++n) {
          ++all;
          weight *= demand / n;
          if (k < stations_ && network_.stations[k].kind != StationKind::delay) weight *= all / speed(k, all);
        }
      }
    }
    total_ += weight;
    for (std::size_t k = 0; k < stations_; ++k) {
      int all = 0;
      for (std::size_t r = 0; r < classes_; ++r) all += present_[k * classes_ + r];
      if (all == 0) continue;
      busy_[k] += weight;
      for (std::size_t r = 0; r < classes_; ++r) {
        const int n = present_[k * classes_ + r];
        number_[network_.at(k, r)] += weight * n;
        if (network_.stations[k].kind == StationKind::queue && all > network_.stations[k].servers)
          waiting_[network_.at(k, r)] += weight * n / all * (all - network_.stations[k].servers);
        if (n > 0)
          served_[network_.at(k, r)] += weight * speed(k, all) * n / all / network_.service_s[network_.at(k, r)];
      }
    }
    for (std::size_t r = 0; r < classes_; ++r) thinking_[r] += weight * present_[stations_ * classes_ + r];
  }
  double speed(std::size_t k, int n) const {
    const NetworkStation& station = network_.stations[k];
    if (station.kind == StationKind::delay) return n;
    if (station.kind == StationKind::queue) return n < station.servers ? n : station.servers;
    const int given = static_cast<int>(station.rate_multipliers.size());
    return station.rate_multipliers[static_cast<std::size_t>(n < given ? n : given) - 1];
  }

  const QueueingNetwork& network_;
  std::size_t stations_, classes_;
  std::vector<int> present_;
  std::vector<double> number_, served_, waiting_, busy_, thinking_;
  double total_ = 0;
};

}  // namespace ergode::test
