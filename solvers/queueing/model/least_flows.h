#pragma once
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "solvers/queueing/model/begun_again.h"
#include "solvers/queueing/model/blocking_lines.h"
#include "solvers/queueing/model/network_model.h"
#include "solvers/queueing/model/station_limits.h"

namespace ergode {

/// How often customers come where at least, per second, by place: node * classes + class. Two answers: what comes for
/// sure, and what would come if nothing became ever more, so that all who come anywhere go on.
class LeastFlows {
 public:
  /// Stations among which customers choose at a node, by whatever rule.
  struct Group {
    std::uint32_t at = NetworkModel::none;
    std::vector<std::uint32_t> of;
    std::vector<std::size_t> from, becomes;  ///< places that choose, and the class in which they come
  };

  /// @param model, known  must outlive this
  LeastFlows(const NetworkModel& model, const KnownSlots& known);
  /// Finds what comes for sure. @returns whether it came to an end
  bool settle();
  /// Finds what comes if everything keeps up; settle() has been asked before. @returns whether it came to an end
  bool assume();
  /// Some would go on of whom settle() does not know.
  bool assumes_more() const;

  std::size_t place(std::size_t node, std::size_t of_class) const { return node * classes_ + of_class; }
  double comes(std::size_t place) const { return comes_[place]; }
  /// Seconds of service, at least: those that come to nothing counted.
  double work(std::uint32_t node, std::uint32_t of_class) const { return work_[place(node, of_class)].mean_s; }
  /// Of what the servers of a station can do, by what comes as was found last.
  double share(std::uint32_t node) const;
  /// Of those who choose, and who come by other ways, to all of a group: of one class its customers over the most that
  /// all can serve, of several their least work over all that servers can do.
  double share_of(const Group& group) const;
  /// Nobody comes but those who are known, as often as was found, and each asks for what is known.
  bool exactly(std::uint32_t node) const;
  /// Somebody may come to this station from a source whose rate hangs on the time, and counts with its mean over the
  /// mission.
  bool over_mission(std::uint32_t node) const;
  /// Some of its services begin anew, and take longer for it.
  bool takes_longer(std::uint32_t node) const;
  /// The line that begins at a station; null: none does.
  const BlockingLine* line_from(std::uint32_t node) const;
  const std::vector<Group>& groups() const { return groups_; }
  const StationLimits& limits() const { return stations_; }

 private:
  struct Way {
    std::size_t to;
    double weight;
    std::uint32_t needs = NetworkModel::none;  ///< number among passages_: there only as long as that is open
  };
  /// What customers go through between a fork and its join, or when they choose, and stations that must keep up for it.
  struct Passage {
    std::set<std::uint32_t> stations;
    std::size_t group = none;
    std::uint32_t from = NetworkModel::none, of_class = NetworkModel::none;  ///< where it begins
    std::uint32_t join = NetworkModel::none;                                 ///< of a fork
    bool open = true;
  };
  static constexpr auto none = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t most_ways = 100'000'000;  // a second or two, after which nothing is judged

  const NetworkModel::Node& node_at(std::size_t place) const { return model_.nodes[place / classes_]; }
  const NetworkModel::Ways* ways_at(std::uint32_t node, std::uint32_t of_class) const;
  std::size_t to(const NetworkModel::Ways& ways, std::size_t w) const { return place(ways.target[w], ways.becomes[w]); }
  /// Where ways lead. Tokens of any class that keep theirs may come as each.
  template <class Use>
  void each_place(const NetworkModel::Ways& ways, const Use& use) const {
    for (std::size_t w = 0; w < ways.target.size(); ++w)
      if (ways.becomes[w] < classes_) use(to(ways, w));
      else
        for (std::size_t c = 0; c < classes_; ++c) use(place(ways.target[w], c));
  }
  bool passes(std::uint32_t node) const;  ///< StationLimits::passes(), and not over_mission()
  bool timed(const NetworkModel::Node& node) const;
  /// Customers per second who come to a place from sources on ways that take no time, as an expression. Nothing where
  /// others may come, or the state of the network says where they go.
  /// @param keeps_time  becomes true where some come at moments that charts of fixed delays may keep time with
  std::optional<Program> straight_flow(std::size_t place, bool& keeps_time, int depth) const;
  /// By way: with what probability it is chosen in the long run, where that follows charts and all come straight, so
  /// that they see charts as these are over time, by how many come then. Empty: that is not known.
  std::vector<double> chances_over_time(std::uint32_t node, std::uint32_t of_class,
                                        const NetworkModel::Ways& ways) const;
  /// Whether ways from there are chosen by probabilities that stay the same.
  bool drawn(std::size_t node, const NetworkModel::Ways& ways) const;
  bool only_class(std::uint32_t node, std::uint32_t of_class) const;
  // Ways, and where nobody knows who comes.
  void mark(std::size_t from, std::vector<std::uint8_t>& marks) const;
  void doubt_ways(std::uint32_t node, std::uint32_t of_class);
  void look_at(std::uint32_t node, std::uint32_t of_class);
  void source(std::uint32_t node, std::uint32_t of_class);
  void split(std::uint32_t node, std::uint32_t of_class, const NetworkModel::Ways& ways);
  void doubt_joins(std::uint32_t node, std::uint32_t of_class);
  void doubt_who_was_not_split();
  void spread_doubt();
  std::size_t joined(std::uint32_t fork, std::uint32_t of_class, Passage& passage, int depth) const;
  void choose(std::uint32_t node, std::uint32_t of_class, const NetworkModel::Ways& ways);
  // Services that begin anew.
  void work_out();
  /// By place: interruptions that come without memory, and whether nobody else comes there.
  struct Arrivals {
    std::vector<double> rate;
    std::vector<std::uint8_t> others;
  };
  Arrivals without_memory() const;
  void mark_through_routers(std::size_t from, std::vector<std::uint8_t>& marks) const;
  MeanTime time_in_all(std::uint32_t node, std::uint32_t of_class, const Arrivals& arrivals) const;
  // What comes.
  double work_of(const Group& group, std::size_t i, std::uint32_t node) const;
  bool evens_out(const Group& group) const;
  bool certain(std::uint32_t node) const;
  int classes_that_come(std::uint32_t node) const;
  double goes(std::size_t from) const;
  bool keeps_up(const Passage& passage) const;
  bool rise(bool all_go_on);

  const NetworkModel& model_;
  StationLimits stations_;
  std::size_t classes_;
  std::vector<BlockingLine> lines_;
  std::vector<std::uint32_t> line_of_;              ///< by node: number among lines_, of all of its stations
  std::vector<std::vector<Way>> ways_;              ///< by place
  std::vector<std::vector<Way>> assumed_;           ///< by place: besides, if everything keeps up
  std::vector<double> sent_, comes_;                ///< by place: from outside, and in all, per second at least
  std::vector<MeanTime> work_;                      ///< by place
  std::vector<std::uint8_t> doubtful_;              ///< by place: more may come than was found
  std::vector<std::uint8_t> closed_;                ///< by place: closed customers may come
  std::vector<std::uint8_t> timed_;                 ///< by place: over_mission()
  std::vector<std::uint8_t> stops_;                 ///< by node: which of several classes it lets pass nobody knows
  std::vector<std::vector<std::size_t>> leads_to_;  ///< by node: places from which somebody may come there
  std::map<std::size_t, std::uint32_t> join_of_;    ///< of a fork, by place
  std::vector<Group> groups_;
  std::vector<Passage> passages_;
  mutable std::size_t looked_at_ = 0;  ///< places and ways so far
};

}  // namespace ergode
