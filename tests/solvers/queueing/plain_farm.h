#pragma once
// A plain program of a station at which somebody always waits, and whose servers follow what goes from state to state
// by itself. Shares nothing with the rest.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <utility>
#include <vector>

namespace ergode::test {

using Random = std::mt19937_64;
using Law = std::function<double(Random&)>;

/// A component that goes from state to state by itself: after so long, to one of these.
struct Walker {
  struct State {
    Law stay;
    std::vector<std::pair<double, int>> next;
  };
  std::vector<State> states;
  int now = 0;
  double until = 0.0;
  void enter(int state, double time, Random& random) {
    now = state, until = time + states[static_cast<std::size_t>(state)].stay(random);
  }
  void go_on(Random& random) {
    double u = std::uniform_real_distribution<double>()(random);
    const auto& next = states[static_cast<std::size_t>(now)].next;
    std::size_t way = 0;
    while (way + 1 < next.size() && u >= next[way].first) u -= next[way].first, ++way;
    enter(next[way].second, until, random);
  }
};

/// Customers served per second times the mean of a service.
inline double work_done(std::vector<Walker> walkers, const std::function<int(const std::vector<Walker>&)>& servers,
                        const Law& service, double service_s, bool finish, double end, std::uint64_t seed) {
  Random random(seed);
  for (Walker& one : walkers) one.enter(0, 0.0, random);
  double now = 0.0;
  std::uint64_t done = 0;
  std::vector<double> ends;    // of services under way
  std::vector<double> parted;  // what is left of those that were interrupted, who go on first
  while (now < end) {
    const auto there = static_cast<std::size_t>(servers(walkers));
    while (!finish && ends.size() > there) parted.push_back(ends.back() - now), ends.pop_back();
    while (ends.size() < there) {
      if (parted.empty()) {
        ends.push_back(now + service(random));
      } else {
        ends.push_back(now + parted.back()), parted.pop_back();
      }
    }
    auto first = std::min_element(ends.begin(), ends.end());
    auto next = std::min_element(walkers.begin(), walkers.end(),
                                 [](const Walker& a, const Walker& b) { return a.until < b.until; });
    if (first != ends.end() && *first < next->until) {
      now = *first, ++done;
      ends.erase(first);
    } else {
      now = next->until;
      next->go_on(random);
    }
  }
  return static_cast<double>(done) / now * service_s;
}

}  // namespace ergode::test
