#include "solvers/queueing/running/shared_servers.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace ergode {

SharedServers::SharedServers(Rule rule, std::vector<double> weights)
    : rule_(rule), weights_(std::move(weights)), groups_(weights_.size()) {}

void SharedServers::clear() {
  for (Group& group : groups_) group.got_s = group.rate = 0.0, group.all.clear();
  size_ = 0;
}

void SharedServers::pass(double elapsed_s) {
  for (Group& group : groups_)
    if (!group.all.empty()) group.got_s += elapsed_s * group.rate;
}

// Water into vessels: level `u` is what one unit of weight gets, and a group is full at one server for each of its
// customers. Groups that are full at the present level are set aside, until none is more.
void SharedServers::allot(double servers, double speed) {
  const auto customers = static_cast<double>(size_);
  if (customers <= servers || rule_ == Rule::even) {
    const double each = customers <= servers ? speed : servers / customers * speed;
    for (Group& group : groups_) group.rate = each;
    return;
  }
  const auto weight = [&](std::size_t g) {
    return rule_ == Rule::by_customer ? weights_[g] * static_cast<double>(groups_[g].all.size()) : weights_[g];
  };
  constexpr double open = -1.0;
  double sum = 0.0, left = servers;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    groups_[g].rate = open;
    if (!groups_[g].all.empty()) sum += weight(g);
  }
  for (bool again = true; again;) {
    again = false;
    const double level = left / sum;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const auto n = static_cast<double>(groups_[g].all.size());
      if (groups_[g].rate != open || n == 0.0 || level * weight(g) < n) continue;
      groups_[g].rate = speed;
      left -= n, sum -= weight(g);
      again = true;
    }
  }
  for (std::size_t g = 0; g < groups_.size(); ++g)
    if (groups_[g].rate == open)
      groups_[g].rate =
          groups_[g].all.empty() ? 0.0 : left / sum * weight(g) / static_cast<double>(groups_[g].all.size()) * speed;
}

void SharedServers::add(std::uint32_t customer, double work_s, std::uint32_t group, std::uint64_t order) {
  Group& own = groups_[group];
  own.all.push({own.got_s + work_s, order, customer});
  ++size_;
}

double SharedServers::time_left(const Group& group) const {
  constexpr double never = std::numeric_limits<double>::infinity();
  if (group.all.empty() || !(group.rate > 0.0)) return never;
  return std::max(0.0, group.all.front().until_s - group.got_s) / group.rate;
}

std::size_t SharedServers::first_done() const {
  std::size_t best = groups_.size();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (groups_[g].all.empty()) continue;
    if (best == groups_.size()) {
      best = g;
      continue;
    }
    const double here = time_left(groups_[g]), there = time_left(groups_[best]);
    if (here < there || (here == there && groups_[g].all.front().order < groups_[best].all.front().order)) best = g;
  }
  return best;
}

double SharedServers::next() const {
  return size_ == 0 ? std::numeric_limits<double>::infinity() : time_left(groups_[first_done()]);
}

std::uint32_t SharedServers::take() {
  Group& group = groups_[first_done()];
  group.got_s = group.all.front().until_s;
  const std::uint32_t out = group.all.front().customer;
  group.all.pop();
  --size_;
  return out;
}

}  // namespace ergode
