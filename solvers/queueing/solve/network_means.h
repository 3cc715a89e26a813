#pragma once
#include <cstdint>
#include <limits>
#include <vector>

#include "solvers/queueing/model/network_model.h"

namespace ergode {

/// What customers of one class settle at at one node; NaN: not known; of those who wait also NetworkMeans::lost_digits.
/// Rates in 1/s, times in s.
struct PlaceMeans {
  double number = 0.0;      ///< present
  double waiting = 0.0;     ///< of these, in line
  double busy = 0.0;        ///< servers at work for them
  double served = 0.0;      ///< who leave after their service; of a sink: who come
  double response_s = 0.0;  ///< from coming in to leaving, of those who are served
  double waiting_s = 0.0;   ///< until their service begins for the first time, of those who are served
  double lost = 0.0;        ///< who are turned away, or turn round
  double gave_up = 0.0;     ///< who leave the line
};

/// What a drawn network settles at: what every solver of networks comes to, whatever its way.
struct NetworkMeans {
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();
  /// Of those who wait: so few that only rounding is left of them. Infinite, as nothing else here is.
  static constexpr double lost_digits = std::numeric_limits<double>::infinity();
  std::size_t classes = 1;
  std::vector<PlaceMeans> places;  ///< [node * classes + class]

  explicit NetworkMeans(const NetworkModel& model)
      : classes(model.classes.size()), places(model.nodes.size() * model.classes.size()) {}
  PlaceMeans& at(std::size_t node, std::size_t of_class) { return places[node * classes + of_class]; }
  const PlaceMeans& at(std::size_t node, std::size_t of_class) const { return places[node * classes + of_class]; }
};

/// Customers who leave a node, as far as the next stations, delays and sinks: through routers, whose probabilities must
/// be fixed. Classes may change on the way.
/// @param rate  of those who leave `from` in `of_class` [1/s]
/// @param onto  [node * classes + class]: what comes there is added
/// @param past  likewise, what passes loggers on the way; null: nobody asks
/// @returns the node at which it is not known where they go, or none
std::uint32_t spread(const NetworkModel& model, std::uint32_t from, std::uint32_t of_class, double rate,
                     std::vector<double>& onto, std::vector<double>* past = nullptr);

}  // namespace ergode
