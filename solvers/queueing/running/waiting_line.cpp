#include "solvers/queueing/running/waiting_line.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace ergode {

WaitingLine::Place WaitingLine::take_any(double uniform) {
  const std::uint32_t place = std::min(static_cast<std::uint32_t>(uniform * ring_.size()), ring_.size() - 1);
  std::swap(ring_[place], ring_[ring_.size() - 1]);
  return ring_.pop_back();
}

void WaitingLine::push(Place place, double key, std::uint64_t order) {
  keyed_.push_back({key, order, place});
  std::push_heap(keyed_.begin(), keyed_.end(), std::greater<>());
}

WaitingLine::Place WaitingLine::take_least() {
  const Place out = keyed_.front().place;
  std::pop_heap(keyed_.begin(), keyed_.end(), std::greater<>());
  keyed_.pop_back();
  return out;
}

void WaitingLine::restore_heap() { std::make_heap(keyed_.begin(), keyed_.end(), std::greater<>()); }

}  // namespace ergode
