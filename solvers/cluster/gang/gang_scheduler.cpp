// Who is there and what happens to him; who starts is decided in gang_decisions.cpp.
#include "solvers/cluster/gang/gang_scheduler.h"

#include <algorithm>
#include <functional>

namespace ergode {

GangScheduler::GangScheduler(GangOptions options)
    : options_(std::move(options)),
      hosts_(options_.gpus, options_.gpus_per_host, options_.consolidated),
      empty_(hosts_),
      shares_(options_.gpus, options_.speedups),
      by_hosts_(options_.preempts() && options_.consolidated),
      plan_{.hosts = hosts_} {
  reset(0.0);
}

void GangScheduler::reset(double now_s) {
  arrivals_ = before_ = first_order, starts_ = 0;
  known_.clear();
  away_.assign(hosts_.hosts(), 0);
  shares_.reset(now_s);
  rebuild();
}

void GangScheduler::rebuild() {
  hosts_.reset(), line_.clear(), due_.clear(), last_.clear(), users_.clear(), released_.clear();
  plan_.job = ~0U;
  if (options_.hosts_fail) on_host_.assign(hosts_.hosts(), {});
  for (std::uint32_t host = 0; host < away_.size(); ++host)
    if (away_[host] != 0) hosts_.take_away(host);
  if (by_hosts_) fronts_.reset(hosts_.hosts(), hosts_.per_host());
  free_cpus_ = options_.cpus, free_memory_ = options_.memory;
  present_ = running_ = 0;
  sorts_.clear(), sort_number_.clear(), lanes_.clear(), lane_number_.clear();
  std::vector<std::uint32_t> there;
  for (std::uint32_t i = 0; i < known_.size(); ++i)
    if (known_[i].present) there.push_back(i);
  std::sort(there.begin(), there.end(),
            [&](std::uint32_t a, std::uint32_t b) { return known_[a].order < known_[b].order; });
  for (const std::uint32_t number : there) {
    Known& one = known_[number];
    one.sort = sort_of(one.job), one.released = false;
    ++present_;
    if (options_.policy == GangPolicy::equi) {
      ++running_;
      continue;
    }
    ++sorts_[one.sort].waiting;
    if (one.runs) {
      go_on(number);
      watch(number);
    } else {
      wait(number);
      if (one.next_s < GangOptions::unlimited) push_first(due_, {one.next_s, one.order, number, one.stamp});
    }
  }
}

bool GangScheduler::can_ever_fit(const GangJob& job) const {
  if (options_.policy == GangPolicy::equi) return true;
  return empty_.fits(job.gpus) && job.cpus <= options_.cpus && job.memory <= options_.memory;
}

void GangScheduler::push_first(Heap& heap, Ranked one) {
  heap.push_back(one);
  std::push_heap(heap.begin(), heap.end(), std::greater<>());
}
void GangScheduler::push_last(Heap& heap, Ranked one) {
  heap.push_back(one);
  std::push_heap(heap.begin(), heap.end());
}

void GangScheduler::drop_stale(Heap& heap, bool first_on_top) {
  const auto stale = [&](const Ranked& one) { return known_[one.job].stamp != one.stamp; };
  if (heap.size() > 4 * present_ + 64) {
    std::erase_if(heap, stale);
    if (first_on_top) std::make_heap(heap.begin(), heap.end(), std::greater<>());
    else std::make_heap(heap.begin(), heap.end());
  }
  while (!heap.empty() && stale(heap.front())) {
    if (first_on_top) std::pop_heap(heap.begin(), heap.end(), std::greater<>());
    else std::pop_heap(heap.begin(), heap.end());
    heap.pop_back();
  }
}

GangScheduler::Ranked GangScheduler::waiting_rank(std::uint32_t number) const {
  const Known& one = known_[number];
  const bool begun = one.begun != not_begun;
  switch (options_.policy) {
    case GangPolicy::sjf:
      return {one.job.work_s, one.order, number, one.stamp};
    case GangPolicy::srtf:
      return {time_left_s(one), one.order, number, one.stamp};
    case GangPolicy::las:
      return {static_cast<double>(one.queue), begun ? one.begun : not_begun + one.order, number, one.stamp};
    default:
      return {0.0, one.order, number, one.stamp};
  }
}

// Of srtf by its end: the order of who runs does not change while time passes.
GangScheduler::Ranked GangScheduler::running_rank(std::uint32_t number) const {
  const Known& one = known_[number];
  if (options_.policy == GangPolicy::srtf) return {one.end_s, one.order, number, one.stamp};
  return {static_cast<double>(one.queue), one.begun, number, one.stamp};
}

std::uint32_t GangScheduler::sort_of(const GangJob& job) {
  // What there is enough of for everybody tells no sorts apart.
  const double cpus = options_.cpus < GangOptions::unlimited ? job.cpus : 0.0,
               memory = options_.memory < GangOptions::unlimited ? job.memory : 0.0;
  const auto [at, fresh] =
      sort_number_.try_emplace(std::tuple(job.gpus, cpus, memory), static_cast<std::uint32_t>(sorts_.size()));
  if (!fresh) return at->second;
  const auto [lane, first] = lane_number_.try_emplace(job.gpus, static_cast<std::uint32_t>(lanes_.size()));
  if (first) lanes_.push_back({.gpus = job.gpus, .heap = {}});
  sorts_.push_back({.gpus = job.gpus, .cpus = cpus, .memory = memory, .heap = {}, .lane = lane->second});
  return at->second;
}

// Sums of parts are rounded: what is short by no more than that is not short.
bool GangScheduler::fits(const Sort& sort, const GangHosts& hosts, double cpus, double memory) const {
  constexpr double rounding = 1e-9;
  return hosts.fits(sort.gpus) && (sort.cpus == 0.0 || sort.cpus <= cpus + rounding * options_.cpus) &&
         (sort.memory == 0.0 || sort.memory <= memory + rounding * options_.memory);
}

void GangScheduler::hold(const Known& one, double sign) {
  const Sort& sort = sorts_[one.sort];
  if (sort.cpus > 0.0) free_cpus_ -= sign * sort.cpus;
  if (sort.memory > 0.0) free_memory_ -= sign * sort.memory;
  if (options_.policy != GangPolicy::drf) return;
  if (one.job.user >= users_.size()) users_.resize(one.job.user + 1);
  User& user = users_[one.job.user];
  user.cpus += sign * one.job.cpus, user.memory += sign * one.job.memory;
  if (sign > 0.0) user.gpus += one.job.gpus;
  else user.gpus -= one.job.gpus;
}

void GangScheduler::wait(std::uint32_t number, bool before_all) {
  const Known& one = known_[number];
  if (options_.policy == GangPolicy::backfill) {
    if (before_all) return line_.push_first(number, one.job.gpus, time_left_s(one));
    return line_.push(number, one.job.gpus, time_left_s(one));
  }
  if (options_.policy != GangPolicy::drf) return push_waiting(one.sort, waiting_rank(number));
  if (one.job.user >= users_.size()) users_.resize(one.job.user + 1);
  User& user = users_[one.job.user];
  const auto from = user.line.begin() + static_cast<std::ptrdiff_t>(user.first);
  user.line.insert(before_all ? from : user.line.end(), number);
}

void GangScheduler::push_waiting(std::uint32_t sort, Ranked one) {
  push_first(sorts_[sort].heap, one);
  list(sort);
}

void GangScheduler::list(std::uint32_t number) {
  Sort& sort = sorts_[number];
  if (sort.aside || sort.heap.empty() || sort.heap.front() == sort.listed) return;
  sort.listed = sort.heap.front();
  std::vector<Front>& heap = lanes_[sort.lane].heap;
  heap.push_back({sort.listed, number});
  std::push_heap(heap.begin(), heap.end(), std::greater<>());
}

void GangScheduler::watch(std::uint32_t number) {
  const Known& one = known_[number];
  push_first(due_, {one.next_s, one.order, number, one.stamp});
  if (options_.preempts()) push_last(last_, running_rank(number));
}

void GangScheduler::plan_next(std::uint32_t number) {
  Known& one = known_[number];
  one.next_s = one.end_s;
  if (options_.policy != GangPolicy::las || one.queue >= options_.thresholds.size()) return;
  const double until_s = options_.thresholds[one.queue] / one.job.gpus - one.attained_s;
  one.next_s = std::min(one.end_s, one.work_from_s + (until_s > 0.0 ? attempt(one).time_of_s(until_s) : 0.0));
}

void GangScheduler::submit(std::uint32_t number, const GangJob& job, double now_s) {
  if (number >= known_.size()) known_.resize(number + 1);
  Known& one = known_[number];
  const std::uint32_t stamp = one.stamp + 1;
  std::vector<GangPiece> place = std::move(one.place);
  place.clear();
  one = {.job = job, .left_s = job.work_s, .since_s = now_s, .next_s = GangOptions::unlimited, .order = arrivals_++};
  one.stamp = stamp, one.present = true, one.place = std::move(place);
  one.sort = sort_of(job);
  ++present_;
  if (options_.policy == GangPolicy::equi) {
    ++running_;
    one.runs = true, one.gpu_time_s = -shares_.gpu_time_s();
    const Speedup& speedup = options_.speedups.empty() ? Speedup() : options_.speedups[job.speedup];
    return shares_.submit(number, job.speedup, job.work_s * speedup.speed(job.gpus));
  }
  ++sorts_[one.sort].waiting;
  wait(number);
}

double GangScheduler::next_s() {
  if (options_.policy == GangPolicy::equi) return shares_.next_s();
  drop_stale(due_, true);
  return due_.empty() ? GangOptions::unlimited : due_.front().key;
}

void GangScheduler::pass(double now_s, std::vector<GangEvent>& events) {
  if (options_.policy == GangPolicy::equi) {
    // Further ones may be due at this moment by a rounding.
    do {
      ended_.clear();
      shares_.pass(now_s, ended_);
      for (const std::uint32_t number : ended_) {
        Known& one = known_[number];
        one.present = one.runs = false, one.gpu_time_s += shares_.gpu_time_s();
        --present_, --running_;
        events.push_back({number, GangEvent::What::ends});
      }
    } while (!ended_.empty() && shares_.next_s() <= now_s);
    return;
  }
  for (drop_stale(due_, true); !due_.empty() && due_.front().key <= now_s; drop_stale(due_, true)) {
    const std::uint32_t number = due_.front().job;
    Known& one = known_[number];
    ++one.stamp;
    if (!one.runs) {
      one.queue = 0, one.attained_s = 0.0, one.next_s = GangOptions::unlimited;
      wait(number);
    } else if (one.next_s < one.end_s) {
      ++one.queue;
      if (by_hosts_) fronts_.falls(number, one.place);
      plan_next(number);
      watch(number);
    } else {
      let_go(number);
      --sorts_[one.sort].waiting, --present_;
      one.present = false, one.gpu_time_s += one.job.gpus * (now_s - one.since_s);
      events.push_back({number, GangEvent::What::ends});
    }
  }
}

void GangScheduler::let_go(std::uint32_t number) {
  Known& one = known_[number];
  hosts_.release(one.place), hold(one, -1.0);
  if (by_hosts_) fronts_.leave(number, one.place);
  if (options_.hosts_fail)
    for (const GangPiece& piece : one.place) std::erase(on_host_[piece.host], number);
  one.runs = false, --running_;
  ++sorts_[one.sort].waiting;
}

void GangScheduler::go_on(std::uint32_t number) {
  hosts_.take_at(known_[number].place);
  settle_in(number);
}

void GangScheduler::settle_in(std::uint32_t number) {
  Known& one = known_[number];
  hold(one, 1.0);
  if (by_hosts_) fronts_.come(number, front_of(running_rank(number)), one.place);
  if (options_.hosts_fail)
    for (const GangPiece& piece : one.place) on_host_[piece.host].push_back(number);
  one.runs = true, ++running_;
  --sorts_[one.sort].waiting;
}

void GangScheduler::start(std::uint32_t number, double now_s, std::vector<GangEvent>& events) {
  Known& one = known_[number];
  ++one.stamp;
  const bool begun = one.begun != not_begun;
  if (!begun) one.begun = starts_++;
  one.since_s = now_s, one.work_from_s = now_s + (begun ? options_.restart_s : 0.0);
  one.end_s = one.work_from_s + attempt(one).time_s();
  hosts_.take(one.job.gpus, one.place);
  settle_in(number);
  plan_next(number);
  events.push_back({number, GangEvent::What::starts});
}

// Whoever calls it has let it go.
void GangScheduler::stop(std::uint32_t number, double now_s, std::vector<GangEvent>& events) {
  Known& one = known_[number];
  ++one.stamp, ++one.preemptions;
  const double after_s = std::max(0.0, now_s - one.work_from_s),
               worked_s = options_.checkpoint_cost_s > 0.0 ? attempt(one).done_s(after_s) : after_s;
  one.left_s = std::max(0.0, one.left_s - worked_s), one.attained_s += worked_s;
  one.gpu_time_s += one.job.gpus * (now_s - one.since_s);
  wait_again(number, now_s, false);
  events.push_back({number, GangEvent::What::stops});
}

void GangScheduler::wait_again(std::uint32_t number, double now_s, bool before_all) {
  Known& one = known_[number];
  one.since_s = now_s, one.next_s = GangOptions::unlimited;
  if (options_.promote_after < GangOptions::unlimited && one.queue > 0) {
    one.next_s = now_s + options_.promote_after * (one.job.work_s - one.left_s);
    push_first(due_, {one.next_s, one.order, number, one.stamp});
  }
  wait(number, before_all);
}

void GangScheduler::fail(std::uint32_t number, double now_s, std::vector<GangEvent>& events) {
  let_go(number);
  Known& one = known_[number];
  ++one.stamp, ++one.failures;
  const double after_s = std::max(0.0, now_s - one.work_from_s);
  const JobAttempt work = attempt(one);
  const double done_s = work.done_s(after_s), saved_s = work.saved_s(after_s);
  // What is lost was had all the same.
  one.left_s -= saved_s, one.lost_s += done_s - saved_s, one.attained_s += done_s;
  one.gpu_time_s += one.job.gpus * (now_s - one.since_s);
  one.order = options_.before_all ? --before_ : arrivals_++;
  wait_again(number, now_s, options_.before_all);
  events.push_back({number, GangEvent::What::fails});
}

// Of those on one host who began first is the first of them to wait again.
void GangScheduler::host_fails(std::uint32_t host, double now_s, std::vector<GangEvent>& events) {
  std::vector<std::uint32_t> here = on_host_[host];
  std::sort(here.begin(), here.end(), [&](std::uint32_t a, std::uint32_t b) {
    return options_.before_all ? known_[a].begun > known_[b].begun : known_[a].begun < known_[b].begun;
  });
  for (const std::uint32_t number : here) fail(number, now_s, events);
  away_[host] = 1;
  hosts_.take_away(host);
  plan_.job = ~0U;
}

void GangScheduler::host_comes(std::uint32_t host) {
  away_[host] = 0;
  hosts_.bring_back(host);
  plan_.job = ~0U;
}

std::uint32_t GangScheduler::busy_gpus() const {
  if (options_.policy == GangPolicy::equi) return present_ > 0 ? options_.gpus : 0;
  return options_.gpus - hosts_.free() - hosts_.away();
}

std::uint32_t GangScheduler::stranded_gpus() {
  if (options_.policy == GangPolicy::equi || waiting() == 0 || hosts_.free() == 0) return 0;
  for (const Sort& sort : sorts_)
    if (sort.waiting > 0 && fits(sort)) return 0;
  return hosts_.free();
}

}  // namespace ergode
