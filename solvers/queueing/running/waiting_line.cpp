#include "solvers/queueing/running/waiting_line.h"

#include <algorithm>
#include <utility>

namespace ergode {

WaitingLine::Place WaitingLine::take_any(double uniform) {
  const std::uint32_t place = std::min(static_cast<std::uint32_t>(uniform * ring_.size()), ring_.size() - 1);
  std::swap(ring_[place], ring_[ring_.size() - 1]);
  return ring_.pop_back();
}

void WaitingLine::push(Place place, double key, std::uint64_t order) { keyed().push({key, order, place}); }

WaitingLine::Place WaitingLine::take_least() {
  const Place out = keyed_->front().place;
  keyed_->pop();
  return out;
}

std::vector<WaitingLine::Place> WaitingLine::in_order(bool last_first) const {
  std::vector<Place> out;
  for (std::uint32_t i = 0; i < ring_.size(); ++i) out.push_back(ring_[i]);
  if (last_first) std::reverse(out.begin(), out.end());
  std::vector<Keyed> keyed;
  if (keyed_) keyed.assign(keyed_->begin(), keyed_->end());
  std::sort(keyed.begin(), keyed.end(), [](const Keyed& a, const Keyed& b) { return b > a; });
  for (const Keyed& one : keyed) out.push_back(one.place);
  return out;
}

}  // namespace ergode
