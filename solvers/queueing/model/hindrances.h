#pragma once
#include <cstddef>
#include <vector>

#include "solvers/queueing/model/network_model.h"

namespace ergode {

/// What may keep customers from coming as often as the traffic equations say: whom somebody turns away or who gives up,
/// and whom somebody holds up.
struct Hindrances {
  bool loses = false, holds_up = false;

  /// @param share  by node, of the work that its servers can do [OfferedLoads::share]: who has too much holds up others
  /// @param of     the node that is asked about, which does not keep itself from getting customers; none: the network
  /// Cost O(nodes + regions * classes).
  explicit Hindrances(const NetworkModel& model, const std::vector<double>& share = {},
                      std::size_t of = NetworkModel::none);
  /// "lost or held up on their way"
  const char* to_whom() const;
};

}  // namespace ergode
