#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "solvers/queueing/solve/network_means.h"
#include "solvers/queueing/solve/passages.h"

namespace ergode {

/// Whether a node holds customers whose times there are observed.
bool holds_customers(const NetworkModel::Node& node);

/// Means of one drawn network, asked for by slot and by stream, as measures ask. NetworkMeans::none where that is not
/// known.
class AskedMeans {
 public:
  AskedMeans(const NetworkModel& model, const NetworkMeans& means) : model_(model), means_(means) {}

  double of_slot(std::uint32_t slot) const;
  /// How fast what a slot holds grows in the long run [1/s].
  double growth_of_slot(std::uint32_t slot) const;
  /// @param of_class  -1: all
  double of_stream(std::uint32_t stream, std::int32_t of_class) const;
  double rate_of_stream(std::uint32_t stream, std::int32_t of_class) const;

 private:
  /// The class, by number, of which this is the slot of so many in a row; none: of no one.
  std::optional<std::size_t> class_of(std::uint32_t slot, std::uint32_t first) const;
  /// Customers there over passages that end, by Little's law. Of one class: where no passage of its chain ends as
  /// another.
  double residence(std::size_t n, std::int32_t of_class) const;
  /// From end to end.
  double of_passages(std::int32_t of_class, double Passage::*time) const;
  /// What `rate` says of the chains that are asked, over their passages; it is called only of those that have some.
  template <class Rate>
  double over_passages(std::int32_t of_class, const Rate& rate) const;
  /// Passages that end, of all classes or as this one [1/s].
  double rate_of_passages(std::int32_t of_class) const;
  /// Whether passages end of customers of this class.
  bool ends(std::size_t c) const;
  /// Customers per second who pass a logger; known where ways are fixed and nobody leaves but who is served.
  double past(std::size_t logger, std::int32_t of_class) const;
  template <class Of>
  double over_classes(std::size_t n, std::int32_t of_class, const Of& of) const;
  double sum(std::size_t n, std::int32_t of_class, double PlaceMeans::*field) const;
  double over_served(std::size_t n, std::int32_t of_class, double PlaceMeans::*field) const;
  /// From source to sink by Little's law; known where customers of these classes have no other way out of their
  /// network.
  double passage(std::size_t sink, std::int32_t of_class) const;
  /// Marks the places [node * classes + class] that customers from sources come to and that flows join with this one,
  /// in whatever direction.
  void join(std::size_t place, std::vector<std::uint8_t>& own) const;
  void find_neighbours() const;

  const NetworkModel& model_;
  const NetworkMeans& means_;
  mutable std::vector<std::vector<std::size_t>> beside_;
  mutable std::optional<Traffic> traffic_;  ///< made when they are asked for, with the passages by its chains
  mutable std::vector<Passage> passages_;
};

}  // namespace ergode
