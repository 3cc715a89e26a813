#include "solvers/cluster/batch/batch_scheduler.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace ergode {
namespace {

constexpr double never_s = std::numeric_limits<double>::infinity();

template <typename Item>
void push_least(std::vector<Item>& heap, Item item) {
  heap.push_back(item);
  std::push_heap(heap.begin(), heap.end(), std::greater<>());
}
template <typename Item>
Item pop_least(std::vector<Item>& heap) {
  std::pop_heap(heap.begin(), heap.end(), std::greater<>());
  const Item out = heap.back();
  heap.pop_back();
  return out;
}

}  // namespace

void BatchScheduler::reset(double now_s) {
  free_ = hosts_, asked_ = before_all_ = first_order, freed_ = anew_ = false;
  known_.clear(), line_.clear(), short_ones_.clear(), due_.clear(), fresh_.clear();
  profile_.reset(now_s, hosts_);
}

void BatchScheduler::submit(std::uint32_t number, const BatchJob& job) {
  if (number >= known_.size()) known_.resize(number + 1);
  known_[number] = {
      .hosts = job.hosts, .limit_s = job.limit_s, .planned_end_s = never_s, .due_s = never_s, .order = asked_++};
  if (policy_ == BatchPolicy::sjf) return push_least(short_ones_, {job.limit_s, known_[number].order, number});
  if (policy_ == BatchPolicy::conservative) fresh_.push_back(number);
  else line_.push(number, job.hosts, job.limit_s);
}

void BatchScheduler::submit_again(std::uint32_t number, const BatchJob& job, bool before_all) {
  if (!before_all) return submit(number, job);
  known_[number] = {
      .hosts = job.hosts, .limit_s = job.limit_s, .planned_end_s = never_s, .due_s = never_s, .order = --before_all_};
  if (policy_ == BatchPolicy::sjf) return push_least(short_ones_, {job.limit_s, known_[number].order, number});
  std::vector<std::uint32_t> others;
  for (std::size_t place = line_.first(); place != JobLine::none; place = line_.after(place))
    others.push_back(line_.job(place));
  line_.clear();
  line_.push(number, job.hosts, job.limit_s);
  for (const std::uint32_t one : others) line_.push(one, known_[one].hosts, known_[one].limit_s);
  anew_ = true;
}

void BatchScheduler::host_comes(int more, double now_s) {
  free_ += more;
  if (!plans()) return;
  profile_.forget_before(now_s);
  profile_.add(now_s, never_s, more);
  anew_ = true;
}

void BatchScheduler::ended(std::uint32_t number, double now_s) {
  const Known& job = known_[number];
  free_ += job.hosts;
  if (!plans() || !(now_s < job.planned_end_s)) return;
  profile_.forget_before(now_s);
  profile_.add(now_s, job.planned_end_s, job.hosts);
  freed_ = true;
}

void BatchScheduler::start(std::uint32_t number, double now_s, std::vector<std::uint32_t>& started) {
  Known& job = known_[number];
  free_ -= job.hosts;
  job.planned_end_s = now_s + job.limit_s;
  if (policy_ == BatchPolicy::easy) profile_.add(now_s, job.planned_end_s, -static_cast<std::int64_t>(job.hosts));
  started.push_back(number);
}

void BatchScheduler::dispatch(double now_s, std::vector<std::uint32_t>& started) {
  if (plans()) profile_.forget_before(now_s);
  switch (policy_) {
    case BatchPolicy::fifo:
      return take_in_order(now_s, started);
    case BatchPolicy::sjf:
      return take_shortest(now_s, started);
    case BatchPolicy::easy:
      take_in_order(now_s, started);
      return backfill(now_s, started);
    case BatchPolicy::conservative:
      return keep_promises(now_s, started);
  }
}

void BatchScheduler::take_in_order(double now_s, std::vector<std::uint32_t>& started) {
  while (line_.waiting() > 0) {
    const std::size_t first = line_.first();
    const std::uint32_t number = line_.job(first);
    if (known_[number].hosts > free_) return;
    line_.erase(first);
    start(number, now_s, started);
  }
}

void BatchScheduler::take_shortest(double now_s, std::vector<std::uint32_t>& started) {
  while (!short_ones_.empty() && known_[short_ones_.front().job].hosts <= free_)
    start(pop_least(short_ones_).job, now_s, started);
}

// The first in line gets the earliest time at which enough hosts are free by the limits of what runs; `spare` are then
// left over. Whoever is done by then, or needs spare hosts only, does not delay him.
void BatchScheduler::backfill(double now_s, std::vector<std::uint32_t>& started) {
  if (free_ == 0 || line_.waiting() < 2) return;
  const std::size_t first = line_.first();
  const std::int64_t wanted = known_[line_.job(first)].hosts;
  const double then_s = profile_.earliest(now_s, 0.0, wanted);
  // Never, as long as hosts are gone: then nobody delays him.
  std::int64_t spare = then_s < never_s ? profile_.free_at(then_s) - wanted : 0;
  // Planned ends are compared, as they are rounded; the search by length is for speed, and errs on the long side.
  const double at_most_s =
      then_s == never_s ? never_s : then_s - now_s + 4.0 * std::numeric_limits<double>::epsilon() * std::fabs(then_s);
  for (std::size_t place = first + 1; free_ > 0; ++place) {
    place = line_.fit(place, free_, spare, at_most_s);
    if (place == JobLine::none) return;
    const std::uint32_t number = line_.job(place);
    const bool in_time = now_s + known_[number].limit_s <= then_s;
    if (!in_time && known_[number].hosts > spare) continue;
    if (!in_time) spare -= known_[number].hosts;
    line_.erase(place);
    start(number, now_s, started);
  }
}

void BatchScheduler::promise(std::uint32_t number, double now_s) {
  Known& job = known_[number];
  job.due_s = profile_.earliest(now_s, job.limit_s, job.hosts);
  if (job.due_s == never_s) return;  // more hosts than there are now
  profile_.add(job.due_s, job.due_s + job.limit_s, -static_cast<std::int64_t>(job.hosts));
  push_least(due_, {job.due_s, job.order, number});
}

void BatchScheduler::withdraw(const Known& job) {
  if (job.due_s < never_s) profile_.add(job.due_s, job.due_s + job.limit_s, job.hosts);
}

void BatchScheduler::promise_anew(double now_s) {
  for (std::size_t place = line_.first(); place != JobLine::none; place = line_.after(place))
    withdraw(known_[line_.job(place)]);
  for (std::size_t place = line_.first(); place != JobLine::none; place = line_.after(place))
    promise(line_.job(place), now_s);
}

void BatchScheduler::come_earlier(double now_s) {
  for (std::size_t place = line_.first(); place != JobLine::none; place = line_.after(place)) {
    const std::uint32_t number = line_.job(place);
    const Known& job = known_[number];
    // His own hosts are taken from his time on only, so without more free before it there is nothing for him.
    if (profile_.most_free(now_s, job.due_s) < job.hosts) continue;
    const double before_s = job.due_s;
    withdraw(job);
    const double due_s = profile_.earliest(now_s, job.limit_s, job.hosts);
    if (due_s == never_s) continue;
    profile_.add(due_s, due_s + job.limit_s, -static_cast<std::int64_t>(job.hosts));
    if (due_s == before_s) continue;
    known_[number].due_s = due_s;
    push_least(due_, {due_s, job.order, number});
  }
}

void BatchScheduler::keep_promises(double now_s, std::vector<std::uint32_t>& started) {
  if (anew_) promise_anew(now_s);
  else if (freed_) come_earlier(now_s);
  freed_ = anew_ = false;
  for (const std::uint32_t number : fresh_) {
    line_.push(number, known_[number].hosts, known_[number].limit_s);
    promise(number, now_s);
  }
  fresh_.clear();
  const std::size_t before = started.size();
  for (drop_stale_dues(); !due_.empty() && due_.front().key <= now_s; drop_stale_dues())
    start(pop_least(due_).job, now_s, started);
  if (started.size() == before) return;
  for (std::size_t place = line_.first(), left = started.size() - before; left > 0 && place != JobLine::none;) {
    const std::size_t next = line_.after(place);
    if (known_[line_.job(place)].planned_end_s < never_s) line_.erase(place), --left;
    place = next;
  }
}

// Stale: bettered by a later promise, which stands in the heap too, or started.
void BatchScheduler::drop_stale_dues() {
  while (!due_.empty()) {
    const Ranked& top = due_.front();
    const Known& job = known_[top.job];
    if (job.order == top.order && job.due_s == top.key && job.planned_end_s == never_s) return;
    pop_least(due_);
  }
}

double BatchScheduler::next_due_s() {
  if (policy_ != BatchPolicy::conservative) return never_s;
  drop_stale_dues();
  return due_.empty() ? never_s : due_.front().key;
}

BatchSchedule simulate_batch(const std::vector<BatchJob>& jobs, std::uint32_t hosts, BatchPolicy policy,
                             const std::function<void()>& look) {
  constexpr std::uint64_t moments_between_looks = 256;
  std::uint64_t moments = 0;
  struct End {
    double at_s;
    std::uint32_t job;
    bool operator>(const End& other) const { return at_s != other.at_s ? at_s > other.at_s : job > other.job; }
  };
  BatchSchedule out;
  out.start_s.assign(jobs.size(), never_s), out.end_s.assign(jobs.size(), never_s);
  BatchScheduler scheduler(policy, hosts);
  if (!jobs.empty()) scheduler.reset(jobs.front().submit_s);
  std::vector<End> ends;
  std::vector<std::uint32_t> started;
  for (std::uint32_t next = 0;;) {
    if (look && ++moments % moments_between_looks == 0) look();
    const double submit_s = next < jobs.size() ? jobs[next].submit_s : never_s;
    const double end_s = ends.empty() ? never_s : ends.front().at_s;
    const double now_s = std::min({submit_s, end_s, scheduler.next_due_s()});
    if (now_s == never_s) return out;
    for (; !ends.empty() && ends.front().at_s <= now_s; ++out.events) scheduler.ended(pop_least(ends).job, now_s);
    for (; next < jobs.size() && jobs[next].submit_s <= now_s; ++next, ++out.events)
      if (jobs[next].hosts <= hosts) scheduler.submit(next, jobs[next]);
    started.clear();
    scheduler.dispatch(now_s, started);
    for (const std::uint32_t job : started) {
      out.start_s[job] = now_s, out.end_s[job] = now_s + time_on_hosts(jobs[job]);
      push_least(ends, {out.end_s[job], job});
    }
  }
}

}  // namespace ergode
