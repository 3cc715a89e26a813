// Who passes the first in line.
#include <algorithm>
#include <cmath>
#include <functional>

#include "solvers/cluster/gang/gang_scheduler.h"

namespace ergode {

void GangScheduler::decide_backfill(double now_s, std::vector<GangEvent>& events) {
  while (line_.waiting() > 0) {
    const GangLine::Found first = line_.first();
    const std::uint32_t number = first.job();
    if (!fits(sorts_[known_[number].sort])) break;
    line_.take(first);
    start(number, now_s, events);
    watch(number);
  }
  if (line_.waiting() >= 2 && hosts_.free() > 0) pass_first(now_s, events);
}

// Those who run are let go in the order of their ends, in thought, until the first in line fits. Nobody who passes him
// changes when that is: who is done by then is gone, and the others leave him his place.
void GangScheduler::plan_first(double now_s) {
  const std::uint32_t first = line_.first().job();
  const Known& head = known_[first];
  if (plan_.job == first && plan_.stamp == head.stamp) return;
  plan_.job = first, plan_.stamp = head.stamp;
  plan_.hosts = hosts_, plan_.cpus = free_cpus_, plan_.memory = free_memory_;
  plan_.at_s = now_s;
  const Sort& sort = sorts_[head.sort];
  popped_.clear();
  for (drop_stale(due_, true);
       !due_.empty() && (!fits(sort, plan_.hosts, plan_.cpus, plan_.memory) || due_.front().key <= plan_.at_s);
       drop_stale(due_, true)) {
    const Ranked next = due_.front();
    std::pop_heap(due_.begin(), due_.end(), std::greater<>());
    due_.pop_back();
    popped_.push_back(next);
    plan_.at_s = next.key;
    const Known& one = known_[next.job];
    plan_.hosts.release(one.place);
    plan_.cpus += sorts_[one.sort].cpus, plan_.memory += sorts_[one.sort].memory;
  }
  for (const Ranked& one : popped_) push_first(due_, one);
  // Hosts are away without which he does not fit, and nobody knows until when.
  if (!fits(sort, plan_.hosts, plan_.cpus, plan_.memory)) plan_.at_s = GangOptions::unlimited;
}

void GangScheduler::pass_first(double now_s, std::vector<GangEvent>& events) {
  plan_first(now_s);
  const Sort& head = sorts_[known_[plan_.job].sort];
  const bool known = plan_.at_s < GangOptions::unlimited, placed = options_.consolidated && known;
  if (placed) plan_.hosts.take(head.gpus, promised_);
  std::int64_t spare = std::int64_t{plan_.hosts.free()} - (placed ? 0 : head.gpus);
  double spare_cpus = plan_.cpus - head.cpus, spare_memory = plan_.memory - head.memory;
  // Ends are compared, as they are rounded; the search by length is for speed, and errs on the long side.
  const double at_most_s =
      !known ? std::numeric_limits<double>::max()
             : plan_.at_s - now_s + 4.0 * std::numeric_limits<double>::epsilon() * std::fabs(plan_.at_s);
  line_.search();
  while (hosts_.free() > 0) {
    const GangLine::Found next = line_.next(hosts_.widest(), spare, at_most_s);
    if (next.lane == nullptr) break;
    const std::uint32_t number = next.job();
    const Known& one = known_[number];
    const Sort& sort = sorts_[one.sort];
    if (!fits(sort)) continue;
    const bool in_time = now_s + time_left_s(one) <= plan_.at_s;
    if (!in_time) {
      if (sort.gpus > spare || sort.cpus > spare_cpus || sort.memory > spare_memory) continue;
      if (placed) {
        hosts_.take(sort.gpus, held_);
        hosts_.release(held_);
        if (std::any_of(held_.begin(), held_.end(),
                        [&](const GangPiece& p) { return p.gpus > plan_.hosts.free_of()[p.host]; })) {
          // So is everybody as wide, until somebody starts.
          line_.refuse(next);
          continue;
        }
      }
    }
    line_.take(next);
    start(number, now_s, events);
    watch(number);
    line_.ask_again();
    if (in_time) continue;
    plan_.hosts.take_at(one.place);
    spare -= sort.gpus, spare_cpus -= sort.cpus, spare_memory -= sort.memory;
    plan_.cpus -= sort.cpus, plan_.memory -= sort.memory;
  }
  if (placed) plan_.hosts.release(promised_);
}

}  // namespace ergode
