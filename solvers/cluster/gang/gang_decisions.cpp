// Who starts, and who is stopped for him.
#include <algorithm>
#include <cmath>
#include <functional>

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

GangScheduler::Sort* GangScheduler::first_sort() {
  Sort* out = nullptr;
  for (Sort& sort : sorts_) {
    if (sort.waiting == 0 || sort.asked) continue;
    drop_stale(sort.heap, true);
    if (sort.heap.empty()) continue;
    if (out == nullptr || sort.heap.front() < out->heap.front()) out = &sort;
  }
  return out;
}

void GangScheduler::decide_in_order(double now_s, std::vector<GangEvent>& events) {
  for (Sort* sort = first_sort(); sort != nullptr && fits(*sort); sort = first_sort()) {
    const std::uint32_t number = sort->heap.front().job;
    start(number, now_s, events);
    watch(number);
  }
}

// Once one of a sort cannot be had room for, nobody of that sort behind him can. Who starts or goes on is in front of
// all who are still to come, so he joins those who may be released at the end only.
void GangScheduler::decide_preempting(double now_s, std::vector<GangEvent>& events) {
  for (Sort& sort : sorts_) sort.asked = false;
  released_.clear(), kept_.clear();
  for (Sort* sort = first_sort(); sort != nullptr; sort = first_sort()) {
    const Ranked rank = sort->heap.front();
    Known& one = known_[rank.job];
    const auto mine = std::find(released_.begin(), released_.end(), rank.job);
    const bool released = mine != released_.end();
    const bool undisturbed = released && hosts_.is_free(one.place) && fits(*sort);
    if (!undisturbed && !fits(*sort) && !make_room(*sort, rank, now_s)) {
      sort->asked = true;
      continue;
    }
    std::pop_heap(sort->heap.begin(), sort->heap.end(), std::greater<>());
    sort->heap.pop_back();
    if (released) released_.erase(std::find(released_.begin(), released_.end(), rank.job));
    kept_.push_back(rank.job);
    if (undisturbed) {
      hosts_.take_at(one.place), hold(one, 1.0);
      one.runs = true, ++running_, --sort->waiting;
      continue;
    }
    if (released) stop(rank.job, now_s, events);
    start(rank.job, now_s, events);
    push_first(due_, {one.next_s, one.order, rank.job, one.stamp});
  }
  for (const std::uint32_t number : released_) stop(number, now_s, events);
  for (const std::uint32_t number : kept_) push_last(last_, running_rank(number));
}

// Of equal ones who runs goes on; ends are sums, so equal means within their rounding.
bool GangScheduler::make_room(const Sort& sort, const Ranked& rank, double now_s) {
  const bool by_end = options_.policy == GangPolicy::srtf;
  freed_.clear();
  while (!fits(sort)) {
    drop_stale(last_, false);
    const bool behind = [&] {
      if (last_.empty()) return false;
      const Ranked& last = last_.front();
      if (!by_end) return rank < last;
      return rank.key < last.key - now_s - 4.0 * std::numeric_limits<double>::epsilon() * std::fabs(last.key);
    }();
    if (!behind) break;
    std::pop_heap(last_.begin(), last_.end());
    const std::uint32_t number = last_.back().job;
    last_.pop_back();
    let_go(number);
    freed_.push_back(number);
  }
  if (fits(sort)) {
    for (const std::uint32_t number : freed_) {
      Ranked of = running_rank(number);
      if (by_end) of.key -= now_s;
      push_first(sorts_[known_[number].sort].heap, of);
      released_.push_back(number);
    }
    return true;
  }
  for (auto at = freed_.rbegin(); at != freed_.rend(); ++at) {
    Known& one = known_[*at];
    hosts_.take_at(one.place), hold(one, 1.0);
    one.runs = true, ++running_, --sorts_[one.sort].waiting;
    push_last(last_, running_rank(*at));
  }
  return false;
}

void GangScheduler::decide_backfill(double now_s, std::vector<GangEvent>& events) {
  while (line_.waiting() > 0) {
    const std::size_t first = line_.first();
    const std::uint32_t number = line_.job(first);
    if (!fits(sorts_[known_[number].sort])) break;
    line_.erase(first);
    start(number, now_s, events);
    watch(number);
  }
  if (line_.waiting() >= 2 && hosts_.free() > 0) pass_first(now_s, events);
}

// Those who run are let go in the order of their ends, in thought, until the first in line fits.
void GangScheduler::pass_first(double now_s, std::vector<GangEvent>& events) {
  const std::size_t first = line_.first();
  const Sort& head = sorts_[known_[line_.job(first)].sort];
  double then_s = now_s;
  freed_.clear(), popped_.clear();
  for (drop_stale(due_, true); !due_.empty() && (!fits(head) || due_.front().key <= then_s); drop_stale(due_, true)) {
    const Ranked next = due_.front();
    std::pop_heap(due_.begin(), due_.end(), std::greater<>());
    due_.pop_back();
    then_s = next.key;
    popped_.push_back(next), freed_.push_back(next.job);
    let_go(next.job);
  }
  hosts_.take(head.gpus, held_);
  spare_of_ = hosts_.free_of();
  std::int64_t spare = hosts_.free();
  double spare_cpus = free_cpus_ - head.cpus, spare_memory = free_memory_ - head.memory;
  hosts_.release(held_);
  for (const std::uint32_t number : freed_) {
    Known& one = known_[number];
    hosts_.take_at(one.place), hold(one, 1.0);
    one.runs = true, ++running_, --sorts_[one.sort].waiting;
  }
  for (const Ranked& one : popped_) push_first(due_, one);
  // Ends are compared, as they are rounded; the search by length is for speed, and errs on the long side.
  const double at_most_s = then_s - now_s + 4.0 * std::numeric_limits<double>::epsilon() * std::fabs(then_s);
  for (std::size_t place = first + 1; hosts_.free() > 0; ++place) {
    place = line_.fit(place, hosts_.free(), spare, at_most_s);
    if (place == JobLine::none) return;
    const std::uint32_t number = line_.job(place);
    const Known& one = known_[number];
    const Sort& sort = sorts_[one.sort];
    if (!fits(sort)) continue;
    const bool in_time = now_s + one.left_s <= then_s;
    if (!in_time && (sort.gpus > spare || sort.cpus > spare_cpus || sort.memory > spare_memory)) continue;
    if (!in_time && options_.consolidated) {
      hosts_.take(sort.gpus, held_);
      hosts_.release(held_);
      if (std::any_of(held_.begin(), held_.end(), [&](const GangPiece& p) { return p.gpus > spare_of_[p.host]; }))
        continue;
      for (const GangPiece& piece : held_) spare_of_[piece.host] -= piece.gpus;
    }
    if (!in_time) spare -= sort.gpus, spare_cpus -= sort.cpus, spare_memory -= sort.memory;
    line_.erase(place);
    start(number, now_s, events);
    watch(number);
  }
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
