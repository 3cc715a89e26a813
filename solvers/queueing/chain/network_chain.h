#pragma once
#include <functional>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/random/distribution.h"
#include "core/study/budget.h"
#include "solvers/queueing/chain/network_state.h"
#include "solvers/queueing/model/known_elements.h"
#include "solvers/queueing/model/network_model.h"

namespace ergode {

/// Thrown while states are made: an expression has a value in one of them that it may not have (RUN002).
struct OutOfRange {
  Diagnostic diagnostic;
};

/// A drawn network as a Markov chain: what its states are and where each leads, at which rate.
///
/// Gaps of sources, services and stays are phase-type, gaps also with memory (MAP); patience is exponential. Stations
/// serve in order of arrival, the last first (also preemptively), in random order, by expected time, or share; with
/// priorities of both kinds; lose whom they have no room for. Ways are fixed, in turn, by numbers of customers, or
/// expressions; rates of sources, speeds, shared servers and turning round may be expressions too, over numbers of
/// customers. Places hold tokens; transitions take exponential times, or none: markings in which one without time is
/// enabled are no states. Regions let in so many.
class NetworkChain {
 public:
  /// @param reasons  gets a SOL001 for each thing that no small state tells, at its element; the chain then means
  ///     nothing.
  NetworkChain(const NetworkModel& model, Diagnostics& reasons);

  /// From now on it asks this budget where one state may lead to very many, or one event make very many tokens.
  /// Then initial() and moves() throw OverBudget when its time or its operations are over, or somebody asked to stop.
  void heed(const Budget& budget) { budget_ = budget; }
  /// What such chains tell; of the rest no NetworkChain may be made.
  static const KnownElements& known();
  /// Whether numbers of customers are bounded by populations and capacities.
  bool finite() const { return finite_; }
  /// A number of states that there are at least, known before one is made: in how many ways customers of one class can
  /// stand while nobody else moves. 1 where nothing is known. O(nodes).
  /// @param limit  as of moves()
  double least_states(std::uint64_t limit) const;
  /// At that time after an empty beginning there are in the network at least as many customers of open classes as a
  /// Poisson law of this mean says, without a limit: those who are at the first station of their way, if there were a
  /// server for each. 0 where nothing is known. O(nodes).
  double least_customers(double time_s) const;
  /// Whether an expression asks only for what a state tells: numbers, waiting, busy.
  bool knows(const Program& program) const;

  using Emit = std::function<void(const NetworkState& to, double rate)>;
  /// Who waits, over some states and what happens in them.
  struct Lines {
    std::vector<std::uint32_t> least;           ///< by line: fewest in it, also while somebody is on his way
    std::vector<std::uint32_t> least_of_class;  ///< likewise [node * classes + class]
    std::vector<std::uint8_t> served, gave_up;  ///< [node * classes + class]: somebody is, does
  };
  /// What happens in a state besides moving, per second.
  struct Flows {
    std::vector<double> served, lost, gave_up;  ///< [node * classes + class]
    double cut = 0.0;                           ///< customers for whom the limit leaves no room
    Lines* lines = nullptr;                     ///< where not null: gets what is seen of lines
  };
  /// Where customers are at time zero, with probabilities.
  std::vector<std::pair<NetworkState, double>> initial() const;
  /// All that may happen in a state.
  /// @param limit  customers of open classes in the network: who comes to so many is lost
  /// @param flows  gets rates added, times `weight`; may be null
  void moves(const NetworkState& state, std::uint64_t limit, const Emit& emit, Flows* flows = nullptr,
             double weight = 1.0) const;
  /// Numbers of one state, added times `weight`: [node * classes + class].
  struct Numbers {
    std::vector<double> present, waiting, busy;
  };
  void count(const NetworkState& state, Numbers& numbers, double weight) const;
  /// The slots of a state, for expressions that the chain knows.
  const std::vector<double>& slots(const NetworkState& state, std::vector<double>& into) const;
  /// Of no state yet.
  Lines no_lines() const;
  void see_lines(const NetworkState& state, Lines& lines) const;
  /// Where customers wait for ever while others come and go: places [node * classes + class], of states that are
  /// reached again and again.
  std::vector<std::uint32_t> starving(const Lines& lines) const;
  std::size_t nodes() const { return model_.nodes.size(); }
  std::size_t places() const { return nodes() * model_.classes.size(); }
  /// A state to read keys into.
  NetworkState blank() const;

 private:
  friend class TailDrift;
  using Node = NetworkModel::Node;
  struct Branch {
    NetworkState state;
    double probability;
  };
  using Branches = std::vector<Branch>;
  struct Station {
    std::uint32_t node = 0;
    std::uint32_t servers = 1;
    bool shares = false;           ///< nobody waits: a delay too
    bool ordered = false;          ///< who began first counts among those served
    std::vector<Phases> phases;    ///< by class; empty: nobody of it comes
    std::vector<double> patience;  ///< by class: rate of giving up [1/s]
  };
  struct Way {
    std::uint32_t target, becomes;
    double probability;
  };

  void refuse(ElementId element, std::string why);
  void look_at_station(std::uint32_t node);
  void look_at_source(std::uint32_t node);
  void look_at_ways(std::uint32_t node);
  void look_at_transition(std::uint32_t node);
  void look_for_circles();
  void look_for_bounds();
  bool phases_of(const NetworkModel::Duration& time, ElementId element, const std::string& what, Phases& out);
  std::uint32_t level_of(const Node& node, std::uint32_t of_class) const;
  std::uint32_t present(const NetworkState& state, std::uint32_t node) const;
  std::uint64_t open_customers(const NetworkState& state) const;
  double speed(const Station& station, const NetworkState& state) const;
  /// What part of a server somebody of each class has.
  std::vector<double> shares(const Station& station, const NetworkState& state) const;
  std::vector<Way> ways(const NetworkState& state, std::uint32_t node, std::uint32_t of_class,
                        NetworkModel::Leaving leaving, std::uint32_t& turn) const;
  std::vector<Way> chosen(const NetworkState& state, const Node& node, const NetworkModel::Ways& ways,
                          std::uint32_t& turn) const;
  std::size_t line_of(std::size_t station, std::size_t level) const { return station * model_.levels + level; }
  double burden(const NetworkState& state, const Node& node, std::uint32_t target, std::uint32_t of_class) const;

  // Each takes a state apart into what may become of it. `seen`: what he who leaves saw when he chose; null: as it is.
  void leave(Branch from, std::uint32_t node, std::uint32_t of_class, NetworkModel::Leaving leaving, Branches& out,
             Flows* flows, double rate, const NetworkState* seen = nullptr) const;
  void arrive(Branch from, std::uint32_t node, std::uint32_t of_class, Branches& out, Flows* flows, double rate,
              bool let_in = false) const;
  void take_in(Branch from, std::uint32_t node, std::uint32_t of_class, Branches& out) const;
  void begin(Branch from, std::size_t station, AlikeCustomers one, Branches& out) const;
  void fill_servers(Branch from, std::size_t station, Branches& out) const;
  void line_up(NetworkState& state, std::size_t station, AlikeCustomers one, bool first) const;
  bool interrupt_for(NetworkState& state, std::size_t station, std::uint32_t of_class) const;
  /// Whether those who began when somebody left are served still when he has come where he went.
  bool stays_begun(const NetworkState& left, const NetworkState& then, std::size_t station) const;
  void services(const NetworkState& state, std::size_t station, const Emit& emit, Flows* flows, double weight) const;
  void abandonments(const NetworkState& state, std::size_t station, const Emit& emit, Flows* flows,
                    double weight) const;
  void timed_moves(const NetworkState& state, std::uint64_t limit, const Emit& emit, Flows* flows, double weight) const;
  void arrivals(const NetworkState& state, std::size_t source, std::uint64_t limit, const Emit& emit, Flows* flows,
                double weight) const;

  /// How many times a transition could fire at once.
  std::uint32_t enabled(const NetworkState& state, const NetworkModel::Transition& transition) const;
  std::uint32_t tokens_in(const NetworkState& state, std::uint32_t place, std::uint32_t of_class) const;
  void fire(Branch from, std::uint32_t node, Branches& out, Flows* flows, double rate) const;
  /// Who come to the same state are one.
  static void join_alike(Branches& branches);
  /// Before so many customers or tokens are moved. Few cost nothing: they are gathered in `gathered` first.
  /// @throws OverBudget
  void go_on(std::size_t customers, double& gathered) const;
  /// @throws OutOfRange  where there are more tokens of one class than customers may be at one time
  void add_tokens(NetworkState& state, std::uint32_t place, std::uint32_t of_class, std::uint32_t count) const;
  void firings(const NetworkState& state, std::uint32_t node, std::uint64_t limit, const Emit& emit, Flows* flows,
               double weight) const;
  /// Whether somebody of a class may come into a region.
  bool has_room(const NetworkState& state, std::uint32_t region, std::uint32_t of_class) const;
  /// The first who waits before a region and may come in does. @returns whether there was one; then `from` is used up
  bool let_in(Branch& from, Branches& out, Flows* flows, double rate) const;
  void look_at_region(std::uint32_t region);
  /// Whether some of a class become others where they leave a node that is no source.
  static bool changes(const NetworkModel::Node& node, std::uint32_t of_class);
  bool classes_change() const;
  /// Fires what takes no time, and lets customers into regions, until nothing of it is enabled. @throws OutOfRange
  /// where that never ends.
  void settle(Branch from, Branches& out, Flows* flows, double rate) const;

  const NetworkModel& model_;
  Diagnostics* reasons_ = nullptr;  ///< while it is made
  Budget budget_;
  bool finite_ = true;
  std::vector<Station> stations_;
  std::vector<std::uint32_t> station_of_;  ///< by node
  std::vector<std::uint32_t> sources_;     ///< nodes
  std::vector<Phases> gaps_;               ///< by source; without rates: an expression, or a process
  /// By source: the process, where its gaps have memory; else null.
  std::vector<const MarkovianArrivalProcess*> processes_;
  std::vector<std::uint32_t> turn_of_, turns_;    ///< by node: place among turns; by turn: how many there are
  std::vector<std::uint32_t> place_of_, places_;  ///< by node: number among places; nodes
  std::vector<std::uint32_t> timed_, immediate_;  ///< transitions: nodes
  std::vector<std::uint8_t> known_slot_;
  bool needs_slots_ = false;
};

}  // namespace ergode
