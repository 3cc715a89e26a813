#pragma once
#include <QtTest>
#include <cmath>
#include <random>
#include <string>

#include "solvers/queueing/exact/queueing_network.h"

namespace ergode::test {

/// The result, or an exception with the message of the error.
template <class Result>
Result solved(Solved<Result> answer) {
  if (const auto* error = std::get_if<Diagnostic>(&answer))
    throw std::runtime_error(error->code + " " + error->message);
  return std::get<Result>(std::move(answer));
}

template <class Result>
std::string error_code(const Solved<Result>& answer) {
  const auto* error = std::get_if<Diagnostic>(&answer);
  return error == nullptr ? "" : error->code;
}

inline double difference(double a, double b) { return std::abs(a - b) / std::max({1e-300, std::abs(a), std::abs(b)}); }

/// Relative where numbers are above 1e-3, absolute below.
inline bool close(double a, double b, double tolerance) {
  return std::abs(a - b) <= tolerance * std::max({1e-3, std::abs(a), std::abs(b)});
}

inline bool close(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!close(a[i], b[i], tolerance)) return false;
  return true;
}

inline bool close(const NetworkResult& a, const NetworkResult& b, double tolerance) {
  return close(a.number, b.number, tolerance) && close(a.throughput, b.throughput, tolerance) &&
         close(a.response_s, b.response_s, tolerance) && close(a.utilisation, b.utilisation, tolerance) &&
         close(a.class_throughput, b.class_throughput, tolerance) &&
         close(a.class_response_s, b.class_response_s, tolerance);
}

/// Draws networks that are small enough for their states to be listed.
class RandomNetworks {
 public:
  explicit RandomNetworks(unsigned seed) : random_(seed) {}
  double number(double from, double to) { return from + (to - from) * (static_cast<double>(random_()) * 0x1p-32); }
  int whole(int from, int to) { return from + static_cast<int>(random_() % static_cast<unsigned>(to - from + 1)); }

  /// @param plain  only single servers and delays.
  QueueingNetwork closed(int most_stations, int most_classes, int most_customers, bool plain) {
    QueueingNetwork network;
    const int stations = whole(1, most_stations), classes = whole(1, most_classes);
    for (int k = 0; k < stations; ++k) network.stations.push_back(station(plain));
    for (int r = 0; r < classes; ++r)
      network.classes.push_back({.population = whole(0, most_customers), .think_s = whole(0, 1) * number(0, 5)});
    for (int i = 0; i < stations * classes; ++i) {
      network.service_s.push_back(number(0.05, 2));
      network.visits.push_back(i < classes || whole(0, 4) > 0 ? number(0.1, 3) : 0);
    }
    return network;
  }

 private:
  NetworkStation station(bool plain) {
    NetworkStation station;
    const int kind = whole(0, plain ? 2 : 5);
    if (kind == 0) station.kind = StationKind::delay;
    if (kind == 3 || kind == 4) station.servers = whole(2, 4);
    if (kind == 5) {
      station.kind = StationKind::load_dependent;
      for (int n = whole(1, 4); n > 0; --n) station.rate_multipliers.push_back(number(0.3, 3));
    }
    return station;
  }

  std::mt19937 random_;
};

}  // namespace ergode::test
