// Who starts, and who is stopped for him.
#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "solvers/cluster/gang/gang_scheduler.h"

namespace ergode {

void GangScheduler::decide(double now_s, std::vector<GangEvent>& events) {
  if (waiting() == 0) return;
  switch (options_.policy) {
    case GangPolicy::fifo:
    case GangPolicy::sjf:
      return decide_in_order(now_s, events);
    case GangPolicy::srtf:
    case GangPolicy::las:
      return decide_preempting(now_s, events);
    case GangPolicy::backfill:
      return decide_backfill(now_s, events);
    case GangPolicy::drf:
      return decide_by_users(now_s, events);
    case GangPolicy::equi:
      return;
  }
}

const GangScheduler::Front* GangScheduler::first_of(Lane& lane) {
  std::vector<Front>& heap = lane.heap;
  while (!heap.empty()) {
    const std::uint32_t number = heap.front().sort;
    Sort& sort = sorts_[number];
    const bool current = heap.front().rank == sort.listed;
    if (current) {
      drop_stale(sort.heap, true);
      const bool first = !sort.heap.empty() && sort.heap.front() == sort.listed;
      if (first && !is_passed(sort)) return &heap.front();
      sort.listed.job = nobody;
      if (first) sort.aside = true, aside_.push_back(number);
    }
    std::pop_heap(heap.begin(), heap.end(), std::greater<>());
    heap.pop_back();
    if (current) list(number);
  }
  return nullptr;
}

GangScheduler::Sort* GangScheduler::first_sort() {
  const Front* out = nullptr;
  for (Lane& lane : lanes_) {
    if (lane.gpus >= refused_gpus_) continue;
    const Front* const one = first_of(lane);
    if (one != nullptr && (out == nullptr || *out > *one)) out = one;
  }
  return out == nullptr ? nullptr : &sorts_[out->sort];
}

void GangScheduler::decide_in_order(double now_s, std::vector<GangEvent>& events) {
  for (Sort* sort = first_sort(); sort != nullptr && fits(*sort); sort = first_sort()) {
    const std::uint32_t number = sort->heap.front().job;
    start(number, now_s, events);
    watch(number);
  }
}

// Nobody behind him who wants as much of everything can be had room for either; where there are not enough GPUs, nobody
// who wants as many.
void GangScheduler::pass_over(const Sort& refused) {
  if (short_of_gpus_) {
    refused_gpus_ = std::min(refused_gpus_, refused.gpus);
    return;
  }
  std::erase_if(refusals_, [&](const Refusal& one) {
    return one.gpus >= refused.gpus && one.cpus >= refused.cpus && one.memory >= refused.memory;
  });
  refusals_.push_back({refused.gpus, refused.cpus, refused.memory});
}

bool GangScheduler::is_passed(const Sort& sort) const {
  return sort.gpus >= refused_gpus_ ||
         std::any_of(refusals_.begin(), refusals_.end(), [&](const Refusal& one) { return one.covers(sort); });
}

void GangScheduler::end_decision() {
  refused_gpus_ = nobody, refusals_.clear();
  for (const std::uint32_t number : aside_) {
    sorts_[number].aside = false;
    list(number);
  }
  aside_.clear();
}

// Once one of a sort cannot be had room for, nobody of that sort behind him can. Who starts or goes on is in front of
// all who are still to come, so he joins those who may be released at the end only.
void GangScheduler::decide_preempting(double now_s, std::vector<GangEvent>& events) {
  released_.clear(), kept_.clear();
  for (Sort* sort = first_sort(); sort != nullptr; sort = first_sort()) {
    const Ranked rank = sort->heap.front();
    Known& one = known_[rank.job];
    const bool released = one.released;
    const bool undisturbed = released && hosts_.is_free(one.place) && fits(*sort);
    if (!undisturbed && !fits(*sort) && !make_room(*sort, rank, now_s)) {
      pass_over(*sort);
      continue;
    }
    std::pop_heap(sort->heap.begin(), sort->heap.end(), std::greater<>());
    sort->heap.pop_back();
    one.released = false;
    kept_.push_back(rank.job);
    if (undisturbed) {
      go_on(rank.job);
      continue;
    }
    if (released) stop(rank.job, now_s, events);
    start(rank.job, now_s, events);
    push_first(due_, {one.next_s, one.order, rank.job, one.stamp});
  }
  for (const std::uint32_t number : released_)
    if (std::exchange(known_[number].released, false)) stop(number, now_s, events);
  for (const std::uint32_t number : kept_) push_last(last_, running_rank(number));
  end_decision();
}

// Of equal ones who runs goes on; ends are sums, so equal means within their rounding.
bool GangScheduler::is_behind(const Ranked& rank, const HostFronts::Rank& runs, double now_s) const {
  if (options_.policy != GangPolicy::srtf) return front_of(rank) < runs;
  return rank.key < runs.key - now_s - 4.0 * std::numeric_limits<double>::epsilon() * std::fabs(runs.key);
}

// Hosts of which nobody in front of him has a part; those who go on by this decision are in front of him. Only hosts
// that are had whole are counted: what is left over of a job finds room nearly always, and soon.
bool GangScheduler::may_have_hosts(const Sort& sort, const Ranked& rank, double now_s) {
  if (!by_hosts_) return true;
  const std::uint32_t per_host = hosts_.per_host();
  std::uint32_t wanted = sort.gpus / per_host;
  const auto rank_of = [&](std::uint32_t number) { return front_of(running_rank(number)); };
  for (std::uint32_t host = 0; wanted > 0 && host < hosts_.hosts(); ++host) {
    if (empty_.free_of()[host] < per_host || hosts_.is_away(host)) continue;
    const bool whole = hosts_.free_of()[host] == per_host;
    if (whole || is_behind(rank, fronts_.first(host, rank_of), now_s)) --wanted;
  }
  return wanted == 0;
}

bool GangScheduler::make_room(const Sort& sort, const Ranked& rank, double now_s) {
  short_of_gpus_ = true;
  if (!may_have_hosts(sort, rank, now_s)) return false;
  freed_.clear();
  while (!fits(sort)) {
    drop_stale(last_, false);
    if (last_.empty() || !is_behind(rank, front_of(last_.front()), now_s)) break;
    std::pop_heap(last_.begin(), last_.end());
    const std::uint32_t number = last_.back().job;
    last_.pop_back();
    let_go(number);
    freed_.push_back(number);
  }
  if (fits(sort)) {
    for (const std::uint32_t number : freed_) {
      Ranked of = running_rank(number);
      if (options_.policy == GangPolicy::srtf) of.key -= now_s;
      push_waiting(known_[number].sort, of);
      known_[number].released = true;
      released_.push_back(number);
    }
    return true;
  }
  short_of_gpus_ = !hosts_.fits(sort.gpus);
  for (auto at = freed_.rbegin(); at != freed_.rend(); ++at) {
    go_on(*at);
    push_last(last_, running_rank(*at));
  }
  return false;
}

void GangScheduler::decide_by_users(double now_s, std::vector<GangEvent>& events) {
  for (User& user : users_) user.asked = false;
  for (;;) {
    User* next = nullptr;
    double least = 0.0;
    for (std::size_t i = 0; i < users_.size(); ++i) {
      User& user = users_[i];
      if (user.asked || user.first == user.line.size()) continue;
      const double weight = i < options_.weights.size() ? options_.weights[i] : 1.0;
      const double share = std::max({static_cast<double>(user.gpus) / options_.gpus, user.cpus / options_.cpus,
                                     user.memory / options_.memory}) /
                           weight;
      if (next == nullptr || share < least) next = &user, least = share;
    }
    if (next == nullptr) return;
    const std::uint32_t number = next->line[next->first];
    if (!fits(sorts_[known_[number].sort])) {
      next->asked = true;
      continue;
    }
    if (++next->first > next->line.size() / 2) {
      next->line.erase(next->line.begin(), next->line.begin() + static_cast<std::ptrdiff_t>(next->first));
      next->first = 0;
    }
    start(number, now_s, events);
    watch(number);
  }
}

}  // namespace ergode
