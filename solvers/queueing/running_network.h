#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "core/des/running_part.h"
#include "core/random/exponentials_ahead.h"
#include "core/random/random_stream.h"
#include "solvers/queueing/network_model.h"

namespace ergode {

/// Queueing networks as part of a history. A timer of the world for every node: of a source for the next customer, of
/// a station or a delay for the first of those served to be done, the others waiting in a heap behind it. So one event
/// costs O(log customers served there), whatever waits and however many nodes there are.
///
/// Random streams: of each node one for gaps or times, one for ways (which a node with one way never asks), one for
/// whom it chooses in random order; a station that is added leaves the others' draws as they were.
///
/// When a service ends, the customer leaves the station, the next one there begins, and then the customer arrives
/// where he goes, all in one moment. Processor sharing: each customer gets min(1, servers / customers) of a server
/// (Kleinrock, Queueing Systems, vol. 2, 1976, section 4.4); he is done when what all have got since time zero has
/// grown by his service time, so nobody's time is touched when others come and go.
class RunningNetwork : public RunningPart {
 public:
  RunningNetwork(const NetworkModel& model, World& world, std::uint64_t seed);
  std::uint32_t first_timer() const override { return first_; }
  void start(std::uint64_t replication) override;
  void fire(std::uint32_t node) override;
  void woken(std::uint32_t reader) override;
  void save(ByteWriter& into) const override;
  void restore(ByteReader& from, std::uint64_t path) override;
  void waiting(std::vector<Waiting>& out) const override;
  void active(std::set<ElementId>& out) const override;

 private:
  static constexpr std::uint32_t none = NetworkModel::none;
  struct Customer {
    double born_s = 0.0, came_s = 0.0;  ///< into the network, to where he is
    std::uint32_t of_class = 0;
    std::uint32_t next_free = none;
    template <typename Archive>
    void archive(Archive& a) {
      a(born_s, came_s, of_class, next_free);
    }
  };
  /// Somebody who is served: until when, or, where servers are shared, until all have got so much.
  struct Served {
    double until_s = 0.0;
    std::uint64_t order = 0;  ///< of two with one end who began first
    std::uint32_t customer = 0;
    bool operator>(const Served& other) const {
      return until_s != other.until_s ? until_s > other.until_s : order > other.order;
    }
    template <typename Archive>
    void archive(Archive& a) {
      a(until_s, order, customer);
    }
  };
  /// Those who wait, in the order in which they came: a ring that grows.
  class Line {
   public:
    std::uint32_t size() const { return count_; }
    void clear() { head_ = count_ = 0; }
    void push(std::uint32_t customer);
    std::uint32_t take_first();
    std::uint32_t take_last();
    /// Any of them; the last one takes his place.
    std::uint32_t take(std::uint32_t place);
    template <typename Archive>
    void archive(Archive& a) {
      a(places_, head_, count_);
    }

   private:
    std::uint32_t& at(std::uint32_t i) { return places_[(head_ + i) & (places_.size() - 1)]; }
    std::vector<std::uint32_t> places_;  ///< as many as a power of two
    std::uint32_t head_ = 0, count_ = 0;
  };
  struct State {
    std::vector<Served> served;  ///< a heap, the first to be done on top
    Line line;
    std::uint32_t servers = 0;
    double got_s = 0.0, since_s = 0.0;  ///< processor sharing: what each has got since time zero, up to when
    RandomStream times, ways, choices;
    ExponentialsAhead units;  ///< of `times`, where nothing else is drawn from it
    bool exponential = false;
  };

  /// @name What happens to a customer
  /// @{
  void emit(std::uint32_t node);
  void arrive(std::uint32_t customer, std::uint32_t node);
  void begin(std::uint32_t customer, std::uint32_t node);
  void serve_waiting(std::uint32_t node);
  void done(std::uint32_t node);
  void leave_network(std::uint32_t customer);
  /// @}
  std::uint32_t next_of_line(const NetworkModel::Node& node, State& state);
  std::uint32_t way_of(const NetworkModel::Node& node, State& state, std::uint32_t of_class);
  std::uint32_t changing_way(const NetworkModel::Node& node, State& state, const NetworkModel::Ways& ways);
  double duration(const NetworkModel::Node& node, State& state, std::uint32_t of_class);
  void await_customer(std::uint32_t node);
  /// The timer of a station stands at the first to be done.
  void await_done(std::uint32_t node);
  /// Processor sharing: brings what all have got up to now. @returns what each gets per second from here on.
  double share(State& state);
  std::uint32_t servers_of(const NetworkModel::Node& node) const;
  void tell_counts(const NetworkModel::Node& node, const State& state);
  std::uint32_t new_customer(std::uint32_t of_class);
  /// A customer moves on from a node; without end within one moment it is an error that names the circle.
  void count_step(std::uint32_t node);
  void note_circle(std::uint32_t node);
  [[noreturn]] void fail(const NetworkModel::Node& node, std::string message) const;
  void restart_streams(std::uint64_t replication);

  const NetworkModel& model_;
  World& world_;
  std::uint32_t first_;
  std::vector<std::uint64_t> keys_;                               ///< three for each node
  std::vector<std::pair<std::uint32_t, std::uint32_t>> readers_;  ///< reader and node, sorted
  std::vector<State> states_;
  std::vector<Customer> customers_;
  std::uint32_t free_ = none;
  std::uint64_t order_ = 0;
  double moment_s_ = -1.0;  ///< at which `moves_` were counted
  std::uint64_t moves_ = 0;
  std::vector<std::uint32_t> circle_;  ///< nodes gone through when there were too many of them
};

}  // namespace ergode
