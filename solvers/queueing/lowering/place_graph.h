#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "solvers/queueing/model/network_model.h"

namespace ergode {

/// Where customers can get to from where: a graph of places (node * classes + class). A way that may be gone is one,
/// whoever decides. Who is split goes on wherever parts meet, as the class that he had; tokens go on by the transitions
/// that take them.
///
/// Places between which somebody can go to and fro are one component (Tarjan, "Depth-first search and linear graph
/// algorithms", SIAM J. Comput. 1, 1972). All explored starts together cost O(places + ways).
class PlaceGraph {
 public:
  /// A component. Their numbers grow against the ways: who goes on to another comes to a smaller one.
  struct Component {
    std::uint32_t places = 0;         ///< those of customers, transitions left out
    bool circle = false;              ///< who is there can come to where he is again
    bool last = true;                 ///< no way leads out of it
    std::vector<std::uint32_t> next;  ///< components behind ways out of it, some more than once
  };

  explicit PlaceGraph(const NetworkModel& model);
  /// Looks at all that is reached from a place.
  void explore(std::uint32_t start);
  std::uint32_t place(std::size_t node, std::size_t of_class) const {
    return static_cast<std::uint32_t>(node * classes_ + of_class);
  }
  /// Whether customers may be there: it is no place between others.
  bool holds(std::uint32_t place) const;
  /// Somebody leaves the network there, or has nowhere to go, which others have told.
  bool ends(std::uint32_t place) const { return ends_[place] != 0; }
  const std::vector<Component>& components() const { return components_; }
  /// Of an explored place.
  std::uint32_t component_of(std::uint32_t place) const { return component_[place]; }
  /// All that is reached from an explored place, the nearest first; itself only if a way leads back. O(what is reached)
  std::vector<std::uint32_t> reached_from(std::uint32_t start);
  /// By component: whether a place of it, or one that is reached from it, is so.
  template <class Is>
  std::vector<std::uint8_t> somewhere(Is is) const {
    std::vector<std::uint8_t> out(components_.size(), 0);
    for (const std::uint32_t one : explored_)
      if (holds(one) && is(one)) out[component_[one]] = 1;
    for (std::size_t c = 0; c < out.size(); ++c)
      for (const std::uint32_t next : components_[c].next) out[c] = out[c] != 0 || out[next] != 0 ? 1 : 0;
    return out;
  }

 private:
  /// Appends where one can go next.
  void look_ahead(std::uint32_t place);
  void add(const NetworkModel::Ways& ways, std::uint32_t of_class);
  void close(std::uint32_t first);

  static constexpr std::uint32_t none = NetworkModel::none;
  const NetworkModel& model_;
  std::uint32_t classes_;
  /// By node, of a place of tokens: transitions that take, and of which class.
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> taken_by_;
  std::vector<std::uint32_t> meetings_;                             ///< joins and scalers
  std::vector<std::uint32_t> next_;                                 ///< of all places, one after the other
  std::vector<std::pair<std::uint32_t, std::uint32_t>> span_;       ///< by place: its own in `next_`
  std::vector<std::uint32_t> number_, lowest_, component_, stamp_;  ///< by place
  std::vector<std::uint8_t> ends_;                                  ///< by place
  std::vector<std::uint32_t> open_, explored_;                      ///< places not yet of a component; all, in order
  std::vector<Component> components_;
  std::uint32_t searches_ = 0;
};

}  // namespace ergode
