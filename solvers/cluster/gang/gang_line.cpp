#include "solvers/cluster/gang/gang_line.h"

#include <algorithm>

namespace ergode {

void GangLine::set(Lane& lane, std::size_t place, double work_s) {
  std::size_t node = lane.width + place;
  lane.least[node] = work_s;
  for (node /= 2; node > 0; node /= 2) lane.least[node] = std::min(lane.least[2 * node], lane.least[2 * node + 1]);
}

// Who has gone gives his place up, and where few have there will be twice as many.
void GangLine::grow(Lane& lane) {
  std::vector<double> leaves;
  std::size_t kept = 0;
  for (std::size_t place = 0; place < lane.jobs.size(); ++place) {
    if (lane.least[lane.width + place] == gone) continue;
    lane.jobs[kept] = lane.jobs[place], lane.came[kept] = lane.came[place];
    leaves.push_back(lane.least[lane.width + place]);
    ++kept;
  }
  lane.jobs.resize(kept), lane.came.resize(kept);
  constexpr std::size_t least_width = 16;
  lane.width = least_width;
  while (lane.width < 2 * kept + 1) lane.width *= 2;
  lane.first = 0;
  lane.least.assign(2 * lane.width, gone);
  std::copy(leaves.begin(), leaves.end(), lane.least.begin() + static_cast<std::ptrdiff_t>(lane.width));
  for (std::size_t node = lane.width - 1; node > 0; --node)
    lane.least[node] = std::min(lane.least[2 * node], lane.least[2 * node + 1]);
}

void GangLine::push(std::uint32_t job, std::uint32_t gpus, double work_s) {
  Lane& lane = lanes_[gpus];
  lane.gpus = gpus;
  if (lane.jobs.size() == lane.width) grow(lane);
  if (lane.waiting++ == 0) lane.first = lane.jobs.size();
  lane.jobs.push_back(job), lane.came.push_back(++came_);
  set(lane, lane.jobs.size() - 1, work_s);
  ++waiting_;
}

void GangLine::push_first(std::uint32_t job, std::uint32_t gpus, double work_s) {
  Lane& lane = lanes_[gpus];
  lane.gpus = gpus;
  // What is gone leaves, and there is room for one more.
  grow(lane);
  std::vector<double> leaves(lane.least.begin() + static_cast<std::ptrdiff_t>(lane.width),
                             lane.least.begin() + static_cast<std::ptrdiff_t>(lane.width + lane.jobs.size()));
  lane.jobs.insert(lane.jobs.begin(), job), lane.came.insert(lane.came.begin(), --before_);
  leaves.insert(leaves.begin(), work_s);
  for (std::size_t place = 0; place < leaves.size(); ++place) set(lane, place, leaves[place]);
  ++lane.waiting, ++waiting_;
}

void GangLine::take(const Found& one) {
  Lane& lane = *one.lane;
  set(lane, one.place, gone);
  --lane.waiting, --waiting_;
  while (lane.waiting > 0 && lane.least[lane.width + lane.first] == gone) ++lane.first;
}

GangLine::Found GangLine::first() {
  Found out;
  std::uint64_t came = ~std::uint64_t{0};
  for (auto& [gpus, lane] : lanes_)
    if (lane.waiting > 0 && lane.came[lane.first] < came) came = lane.came[lane.first], out = {&lane, lane.first};
  return out;
}

void GangLine::search() {
  for (auto& [gpus, lane] : lanes_) lane.known = lane.refused = false;
  const Found head = first();
  at_ = head.lane != nullptr ? head.lane->came[head.place] : 0;
}

void GangLine::ask_again() {
  for (auto& [gpus, lane] : lanes_) lane.refused = false;
}

std::size_t GangLine::fit(const Lane& lane, std::size_t from, double at_most_s) {
  if (from >= lane.jobs.size()) return none;
  // Up from the leaf until a tree to its right holds one, then down to the first.
  std::size_t node = lane.width + from;
  while (!(lane.least[node] <= at_most_s)) {
    while ((node & 1U) != 0) node /= 2;
    if (node == 0) return none;
    ++node;
  }
  while (node < lane.width) {
    node *= 2;
    if (!(lane.least[node] <= at_most_s)) ++node;
  }
  return node - lane.width;
}

GangLine::Found GangLine::next(std::uint32_t widest, std::int64_t spare, double at_most_s) {
  Found out;
  std::uint64_t came = ~std::uint64_t{0};
  for (auto& [gpus, lane] : lanes_) {
    if (gpus > widest) break;
    if (lane.waiting == 0) continue;
    const bool any = gpus <= spare && !lane.refused;
    if (!lane.known || lane.any != any || (lane.next != none && lane.came[lane.next] <= at_)) {
      const auto behind = std::upper_bound(lane.came.begin(), lane.came.end(), at_);
      lane.next = fit(lane, static_cast<std::size_t>(behind - lane.came.begin()),
                      any ? std::numeric_limits<double>::max() : at_most_s);
      lane.known = true, lane.any = any;
    }
    if (lane.next != none && lane.came[lane.next] < came) came = lane.came[lane.next], out = {&lane, lane.next};
  }
  if (out.lane != nullptr) at_ = came;
  return out;
}

}  // namespace ergode
