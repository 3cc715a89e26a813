#include "solvers/queueing/running/least_attained.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

namespace ergode {

void LeastAttained::clear() { levels_.clear(), done_.clear(), size_ = 0; }

void LeastAttained::pass(double elapsed_s) {
  for (std::size_t l = levels_.size(); l-- > 0 && levels_[l].rate > 0.0;)
    levels_[l].got_s += elapsed_s * levels_[l].rate;
}

void LeastAttained::allot(double servers, double speed) {
  for (std::size_t l = levels_.size(); l-- > 0;) {
    const auto customers = static_cast<double>(levels_[l].all.size());
    const double given = std::min(customers, servers);
    levels_[l].rate = given / customers * speed;
    servers -= given;
    if (levels_[l].rate > 0.0) continue;
    for (std::size_t rest = l; rest-- > 0;) {
      if (levels_[rest].rate == 0.0) break;  // nor was anybody beyond it served
      levels_[rest].rate = 0.0;
    }
    break;
  }
}

void LeastAttained::add(std::uint32_t customer, double work_s, std::uint64_t order) {
  if (levels_.empty() || levels_.back().got_s > 0.0) levels_.emplace_back();
  levels_.back().all.push({work_s, order, customer});
  ++size_;
}

LeastAttained::First LeastAttained::first() const {
  if (!done_.empty()) return {0.0, 0, true};
  First out{std::numeric_limits<double>::infinity(), 0, false};
  for (std::size_t l = levels_.size(); l-- > 0;) {
    const Level& level = levels_[l];
    if (!(level.rate > 0.0)) break;
    const double done = std::max(0.0, level.all.front().work_s - level.got_s) / level.rate;
    if (done <= out.in_s) out = {done, l, true};
    if (l == 0) break;
    const Level& next = levels_[l - 1];
    if (!(next.rate < level.rate)) continue;
    const double caught = std::max(0.0, next.got_s - level.got_s) / (level.rate - next.rate);
    if (caught < out.in_s) out = {caught, l, false};
  }
  return out;
}

double LeastAttained::next() const { return first().in_s; }

void LeastAttained::join(std::size_t level) {
  Level &from = levels_[level], &into = levels_[level - 1];
  if (from.all.size() > into.all.size()) std::swap(from.all, into.all);
  for (const One& one : from.all) into.all.push(one);
  levels_.erase(levels_.begin() + static_cast<std::ptrdiff_t>(level));
}

bool LeastAttained::due() {
  const First what = first();
  if (what.done) return true;
  join(what.level);
  return false;
}

std::uint32_t LeastAttained::take() {
  --size_;
  if (!done_.empty()) {
    const std::uint32_t out = done_.front().customer;
    done_.erase(done_.begin());
    return out;
  }
  const std::size_t l = first().level;
  Heap<One>& all = levels_[l].all;
  const One out = all.front();
  all.pop();
  constexpr double hair = 1e-12;  // what rounding leaves of works that are equal
  const double got = std::max(levels_[l].got_s, out.work_s) * (1.0 + hair);
  for (; !all.empty() && all.front().work_s <= got; all.pop()) done_.push_back(all.front());
  if (all.empty()) levels_.erase(levels_.begin() + static_cast<std::ptrdiff_t>(l));
  return out.customer;
}

}  // namespace ergode
