#include "solvers/cluster/batch/minute_cluster.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ergode {

MinuteCluster::MinuteCluster(const MinuteRules& rules, std::int64_t begin_s)
    : rules_(rules), now_s_(begin_s), up_(rules.hosts), free_(rules.hosts) {}

std::int64_t MinuteCluster::minute_of(double time_s) { return 60 * static_cast<std::int64_t>(std::floor(time_s / 60)); }

void MinuteCluster::submit(std::uint32_t number, const BatchJob& job) {
  const auto minutes = static_cast<std::int64_t>(std::ceil(time_on_hosts(job) / 60));
  queue_.push_back({.number = number,
                    .hosts = job.hosts,
                    .submit_s = minute_of(job.submit_s),
                    .long_s = 60 * std::max<std::int64_t>(1, minutes),
                    .limit_s = job.limit_s,
                    .priority = rules_.size_weight * job.hosts / rules_.hosts});
  unsorted_ = true;
}

void MinuteCluster::enter(std::uint32_t number, const BatchJob& job, bool before_all) {
  constexpr double above_all = 1e300;
  queue_.insert(before_all ? queue_.begin() : queue_.end(),
                {.number = number,
                 .hosts = job.hosts,
                 .submit_s = now_s_,
                 .long_s = until_he_leaves,
                 .limit_s = job.limit_s,
                 .priority = before_all ? above_all : rules_.size_weight * job.hosts / rules_.hosts});
  unsorted_ = true;
}

void MinuteCluster::leave(std::uint32_t number) {
  const auto at =
      std::find_if(running_.begin(), running_.end(), [&](const Running& one) { return one.number == number; });
  free_ += at->hosts;
  *at = running_.back();
  running_.pop_back();
}

void MinuteCluster::host_comes(int more) {
  up_ += static_cast<std::uint32_t>(more), free_ += static_cast<std::uint32_t>(more);
}

const std::vector<std::uint32_t>& MinuteCluster::minute() {
  if (unsorted_)
    std::stable_sort(queue_.begin(), queue_.end(),
                     [](const Waiting& a, const Waiting& b) { return a.priority > b.priority; });
  unsorted_ = false;
  started_.clear();
  if (minutes_ % rules_.interval_min == 0) plan();
  else dispatch();
  ++minutes_, now_s_ += 60;
  const double age = rules_.age_weight * 60.0 / rules_.max_age_s;
  for (Waiting& one : queue_) one.priority += age;
  ended_.clear();
  std::size_t kept = 0;
  for (const Running& one : running_) {
    if (one.end_s > now_s_) {
      running_[kept++] = one;
      continue;
    }
    free_ += one.hosts;
    done_waits_.push_back(one.start_s - one.submit_s);
    ended_.push_back(one);
  }
  running_.resize(kept);
  return started_;
}

std::int64_t MinuteCluster::next_end_minute_s() const {
  std::int64_t out = std::numeric_limits<std::int64_t>::max();
  for (const Running& one : running_) out = std::min(out, one.end_s - 60);
  return out;
}

void MinuteCluster::pass_to(std::int64_t time_s) {
  minutes_ += static_cast<std::uint64_t>((time_s - now_s_) / 60);
  now_s_ = time_s;
}

void MinuteCluster::start(const Waiting& job) {
  free_ -= job.hosts;
  running_.push_back({job.number, job.hosts, job.submit_s, now_s_, now_s_ + job.long_s, job.limit_s});
  if (job.long_s != until_he_leaves) waits_.push_back(now_s_ - job.submit_s);
  started_.push_back(job.number);
}

void MinuteCluster::dispatch() {
  std::size_t gone = 0;
  while (gone < queue_.size() && queue_[gone].hosts <= free_) start(queue_[gone++]);
  queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(gone));
}

void MinuteCluster::plan() {
  if (queue_.empty()) return;
  const std::size_t slots = rules_.slots;
  slots_.assign(slots, up_);
  for (const Running& one : running_) {
    const double left_s = static_cast<double>(one.start_s - now_s_) + one.limit_s;
    for (std::size_t k = 0; k < slots && static_cast<double>(k) * rules_.slot_s < left_s; ++k) slots_[k] -= one.hosts;
  }
  // Where a long line stands for ever nearly nobody has room anywhere, and need not be asked slot by slot.
  std::int64_t most_free = slots > 0 ? *std::max_element(slots_.begin(), slots_.end()) : 0;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    const Waiting job = queue_[i];
    bool now = false;
    if (i < rules_.tested && job.hosts <= most_free) {
      // How many slots, as many as the plan has at most: the rest of a longer job is not seen.
      const auto wanted =
          static_cast<std::size_t>(std::min(std::ceil(job.limit_s / rules_.slot_s), static_cast<double>(slots)));
      std::size_t begin = 0, at = 0;
      for (; at < slots && at - begin < wanted; ++at)
        if (slots_[at] < job.hosts) begin = at + 1;
      if (begin < slots) {
        for (std::size_t k = begin; k < at; ++k) slots_[k] -= job.hosts;
        now = begin == 0;
      } else {
        most_free = *std::max_element(slots_.begin(), slots_.end());
      }
    }
    if (now) start(job);
    else queue_[kept++] = job;
  }
  queue_.resize(kept);
}

double MinuteCluster::recent_wait_s() const {
  constexpr std::size_t recent = 100;
  const std::size_t count = std::min(recent, waits_.size());
  if (count == 0) return 0.0;
  double sum = 0.0;
  for (std::size_t i = waits_.size() - count; i < waits_.size(); ++i) sum += static_cast<double>(waits_[i]);
  return sum / static_cast<double>(count);
}

double MinuteCluster::done_wait_quantile_s(double level) const {
  if (done_waits_.empty()) return 0.0;
  std::vector<std::int64_t> sorted = done_waits_;
  const double at = level * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::ptrdiff_t>(std::floor(at));
  std::nth_element(sorted.begin(), sorted.begin() + below, sorted.end());
  const auto low = static_cast<double>(sorted[static_cast<std::size_t>(below)]);
  if (static_cast<std::size_t>(below) + 1 == sorted.size()) return low;
  const auto high = static_cast<double>(*std::min_element(sorted.begin() + below + 1, sorted.end()));
  return low + (at - std::floor(at)) * (high - low);
}

}  // namespace ergode
