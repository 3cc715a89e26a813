#include "solvers/cluster/gang/elastic_shares.h"

#include <algorithm>
#include <functional>

#include "solvers/cluster/budget/cluster_shares.h"

namespace ergode {

ElasticShares::ElasticShares(double gpus, std::vector<Speedup> speedups) : gpus_(gpus), speedups_(std::move(speedups)) {
  if (speedups_.empty()) speedups_.emplace_back();
  reset(0.0);
}

void ElasticShares::reset(double now_s) {
  now_s_ = now_s, gpu_time_s_ = 0.0, order_ = jobs_ = 0;
  done_s_.assign(speedups_.size(), 0.0);
  heaps_.resize(speedups_.size());
  for (auto& heap : heaps_) heap.clear();
}

double ElasticShares::speed_of(std::size_t type) const { return speedups_[type].speed(equal_share(gpus_, jobs_)); }

double ElasticShares::end_of(std::size_t type) const {
  if (heaps_[type].empty()) return GangOptions::unlimited;
  return now_s_ + std::max(0.0, heaps_[type].front().at_s - done_s_[type]) / speed_of(type);
}

double ElasticShares::next_s() const {
  double out = GangOptions::unlimited;
  for (std::size_t type = 0; type < heaps_.size(); ++type) out = std::min(out, end_of(type));
  return out;
}

void ElasticShares::submit(std::uint32_t number, std::uint32_t speedup, double size_s) {
  auto& heap = heaps_[speedup];
  heap.push_back({done_s_[speedup] + size_s, order_++, number});
  std::push_heap(heap.begin(), heap.end(), std::greater<>());
  ++jobs_;
}

void ElasticShares::pass(double now_s, std::vector<std::uint32_t>& ended) {
  if (jobs_ == 0) {
    now_s_ = now_s;
    return;
  }
  const double passed_s = now_s - now_s_;
  std::vector<Waits> out;
  std::vector<bool> due(heaps_.size());
  for (std::size_t type = 0; type < heaps_.size(); ++type) due[type] = end_of(type) <= now_s;
  for (std::size_t type = 0; type < heaps_.size(); ++type) {
    if (heaps_[type].empty()) continue;
    done_s_[type] += passed_s * speed_of(type);
    // Who is due now is done now, whatever rounding says of the clock.
    if (due[type]) done_s_[type] = std::max(done_s_[type], heaps_[type].front().at_s);
  }
  gpu_time_s_ += passed_s * equal_share(gpus_, jobs_);
  now_s_ = now_s;
  for (std::size_t type = 0; type < heaps_.size(); ++type) {
    auto& heap = heaps_[type];
    while (due[type] && !heap.empty() && heap.front().at_s <= done_s_[type]) {
      std::pop_heap(heap.begin(), heap.end(), std::greater<>());
      out.push_back(heap.back());
      heap.pop_back();
    }
  }
  std::sort(out.begin(), out.end(), [](const Waits& a, const Waits& b) { return a.order < b.order; });
  jobs_ -= out.size();
  for (const Waits& one : out) ended.push_back(one.job);
}

}  // namespace ergode
