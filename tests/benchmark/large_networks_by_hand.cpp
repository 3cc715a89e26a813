// The networks of large_networks.cpp as somebody programs them for themselves: one binary heap of all that will happen,
// a list of customers at each station, records in arrays, xoshiro256++ and std::log. How much the cost of an event
// grows with such a program is what growth of any program is to be compared with.
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <queue>
#include <random>
#include <vector>

#include "tests/benchmark/large_networks_by_hand.h"
#include "tests/benchmark/xoshiro.h"

namespace ergode::bench {
namespace {

constexpr std::uint32_t nobody = ~0U, in_delay = 1U << 31U;
constexpr std::size_t smallest = 10, largest = 10000, customers_each = 100, delayed_each = 98, events_at_once = 200000;
constexpr double rate_in = 0.35, delay_s = 140.0;

class ByHand {
 public:
  ByHand(bool open, std::size_t stations) : open_(open), desks_(stations), to_(stations) {
    std::vector<std::uint32_t> order(stations);
    std::iota(order.begin(), order.end(), 0U);
    std::shuffle(order.begin(), order.end(), std::mt19937(1));
    constexpr std::array<std::size_t, 4> steps = {1, 2, 3, 5};
    for (std::size_t k = 0; k < stations; ++k)
      for (std::size_t s = 0; s < steps.size(); ++s) to_[order[k]][s] = order[(k + steps[s]) % stations];
    for (std::uint32_t i = 0; i < stations; ++i) {
      for (std::size_t c = 0; !open_ && c < customers_each; ++c)
        enter(someone(), static_cast<std::uint32_t>(random_.uniform() * static_cast<double>(stations)));
      if (!open_) continue;
      events_.push({random_.exponential() / rate_in, i, nobody});
      for (std::size_t c = 0; c < delayed_each; ++c)
        events_.push({random_.exponential() * delay_s, i | in_delay, someone()});
    }
    for (std::size_t i = 0; i < 30 * stations; ++i) step();
  }
  double events() {
    for (std::size_t i = 0; i < events_at_once; ++i) step();
    return events_at_once;
  }

 private:
  struct Event {
    double time;
    std::uint32_t place, customer;  // nobody: one comes from outside
    bool operator>(const Event& other) const { return time > other.time; }
  };
  struct alignas(64) Desk {
    std::uint32_t first = nobody, last = nobody;
    double number = 0.0, since = 0.0, area = 0.0, busy_area = 0.0, responses = 0.0;
    std::uint64_t done = 0;
    void account(double now) {
      area += number * (now - since), busy_area += number > 0.0 ? now - since : 0.0;
      since = now;
    }
  };
  struct Customer {
    double came, born;
    std::uint32_t next;
  };
  std::uint32_t someone() {
    std::uint32_t out = 0;
    if (free_.empty()) out = static_cast<std::uint32_t>(customers_.size()), customers_.emplace_back();
    else out = free_.back(), free_.pop_back();
    customers_[out] = {now_, now_, nobody};
    return out;
  }
  void enter(std::uint32_t customer, std::uint32_t at) {
    Desk& desk = desks_[at];
    customers_[customer].came = now_, customers_[customer].next = nobody;
    desk.account(now_);
    desk.number += 1.0;
    if (desk.first == nobody) {
      desk.first = customer;
      events_.push({now_ + random_.exponential(), at, customer});
    } else {
      customers_[desk.last].next = customer;
    }
    desk.last = customer;
  }
  void step() {
    const Event event = events_.top();
    events_.pop();
    now_ = event.time;
    if (event.customer == nobody) {
      events_.push({now_ + random_.exponential() / rate_in, event.place, nobody});
      return enter(someone(), event.place);
    }
    Customer& who = customers_[event.customer];
    if ((event.place & in_delay) != 0) {
      // Half of them leave, the others go to any of three.
      const double u = random_.uniform();
      if (u >= 0.5) return enter(event.customer, to_[event.place & ~in_delay][static_cast<std::size_t>(6.0 * u - 3.0)]);
      times_ += now_ - who.born;
      return free_.push_back(event.customer);
    }
    Desk& desk = desks_[event.place];
    desk.account(now_);
    desk.number -= 1.0, ++desk.done, desk.responses += now_ - who.came;
    desk.first = who.next;
    if (desk.first != nobody) events_.push({now_ + random_.exponential(), event.place, desk.first});
    if (open_) events_.push({now_ + random_.exponential() * delay_s, event.place | in_delay, event.customer});
    else enter(event.customer, to_[event.place][static_cast<std::size_t>(random_.uniform() * 4.0)]);
  }

  bool open_;
  double now_ = 0.0, times_ = 0.0;
  Xoshiro random_{1};
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<Desk> desks_;
  std::vector<std::array<std::uint32_t, 4>> to_;
  std::vector<Customer> customers_;
  std::vector<std::uint32_t> free_;
};

Named row(const char* name, bool open) {
  return {name, [=](double seconds) {
            const auto large = std::make_unique<ByHand>(open, largest),
                       small = std::make_unique<ByHand>(open, smallest);
            return compare(
                name, "events/s", "the same program with ten stations", seconds, [&] { return large->events(); },
                [&] { return small->events(); });
          }};
}

}  // namespace

std::vector<Named> large_networks_by_hand() {
  return {row("by_hand_closed_network_of_10000", false), row("by_hand_open_network_of_10000", true)};
}

}  // namespace ergode::bench
