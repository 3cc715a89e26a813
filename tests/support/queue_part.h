#pragma once
#include <deque>

#include "core/des/world.h"
#include "core/random/random_stream.h"

namespace ergode::test {

/// One desk with exponential gaps and services, first come first served: a part of a world made of public headers
/// alone, which observes two streams. `desk.waiting_time` when a service begins, in classes by turns ("first" the 1st,
/// 3rd, ... customer); `desk.service_time` when a service begins, with the time it will last. M/M/1: long-run waiting
/// time rho / (services - arrivals) with rho = arrivals / services < 1.
class QueuePart {
 public:
  /// In the order of the numbers that the part observes under; the world must have been made with them.
  static std::vector<StreamSpec> streams() {
    return {{.name = "desk.waiting_time", .unit = "s", .classes = {"first", "second"}},
            {.name = "desk.service_time", .unit = "s"}};
  }
  /// @param world               must live as long as this; gets two timers.
  /// @param arrivals, services  rates [1/s], > 0.
  /// @param seed                of the run; all draws come from its stream "desk".
  QueuePart(World& world, double arrivals, double services, std::uint64_t seed)
      : world_(world),
        arrivals_(arrivals),
        services_(services),
        key_(stream_key(seed, "desk")),
        first_(world.add_timers(2)) {}

  std::uint32_t first_timer() const { return first_; }
  /// Empties the desk and begins with a first gap: all draws depend on `seed` and `replication` alone.
  void start(std::uint64_t replication) {
    stream_.restart(key_, replication);
    waiting_.clear(), busy_ = false, customers_ = 0;
    await(arrival, arrivals_);
  }
  /// @param timer  0: a customer comes, 1: a service ends (timer of the world minus first_timer()).
  void fire(std::uint32_t timer) {
    ++world_.events, world_.stamp(timer);
    if (timer == arrival) {
      waiting_.push_back({world_.now(), customers_++ % 2});
      await(arrival, arrivals_);
    } else {
      busy_ = false;
    }
    if (!busy_ && !waiting_.empty()) serve();
    else if (!busy_) world_.timers.cancel(first_ + departure);
  }

 private:
  enum : std::uint32_t { arrival, departure };
  struct Customer {
    double since;
    std::uint32_t of_class;
  };

  double await(std::uint32_t timer, double rate) {
    const double wait = stream_.exponential() / rate;
    world_.timers.schedule(first_ + timer, world_.now() + wait);
    return wait;
  }
  void serve() {
    const Customer next = waiting_.front();
    waiting_.pop_front();
    busy_ = true;
    world_.observations.observe(0, world_.now() - next.since, next.of_class);
    world_.observations.observe(1, await(departure, services_));
  }

  World& world_;
  double arrivals_, services_;
  std::uint64_t key_;
  std::uint32_t first_;
  RandomStream stream_;
  std::deque<Customer> waiting_;
  bool busy_ = false;
  std::uint32_t customers_ = 0;
};

}  // namespace ergode::test
