#pragma once
#include <algorithm>
#include <cmath>
#include <list>
#include <string>
#include <vector>

#include "core/base/element_id.h"
#include "core/random/random_stream.h"

namespace ergode::test {

/// A pool whose hosts fail, as plain numbers in seconds: jobs come at random, sizes, limits, times to failure and
/// repair are exponential, hosts of a job are a whole number drawn evenly from 1 to `widest`.
struct PlainPool {
  ElementId stream, pool;
  std::string policy = "fifo";
  int hosts = 4;
  double rate = 1, size = 1, limit = 0;  ///< limit 0: none
  int widest = 2;
  double failure = 0, repair = 1;  ///< means; 0: hosts do not fail
  double period = INFINITY, cost = 0, restart = 0;
  bool front = true;
  const char* widths = ".hosts";  ///< what the stream of their draws is called
  /// Of slurm: weights, the age that has all of its weight, minutes between plans, and slots of a plan.
  double size_weight = 100, age_weight = 7000, age = 604800, slot = 600;
  int interval = 10, slots = 288;
  std::size_t tested = 3000;
};

struct PlainPoolMeans {
  double response = 0, wait = 0, lost_of_job = 0, restarts_of_job = 0;  ///< of jobs that left
  double up = 0, busy = 0;                                              ///< over time
  double left = 0, killed = 0, failures = 0, restarts = 0, lost = 0, useful = 0, used = 0;
};

/// Written from the definitions: everybody is looked at at every moment, and who starts is asked of sorted lists.
class PlainPoolLoop {
 public:
  PlainPoolLoop(const PlainPool& pool, std::uint64_t seed, double end)
      : p_(pool), end_(end), hosts_(static_cast<std::size_t>(pool.hosts)) {
    const auto of = [&](ElementId e, const char* what) { return RandomStream(stream_key(seed, e.text() + what), 0); };
    gaps_ = of(pool.stream, ".gaps"), sizes_ = of(pool.stream, ".sizes"), limits_ = of(pool.stream, ".limits");
    widths_ = of(pool.stream, pool.widths), hosts_draw_ = of(pool.pool, ".host_failures");
  }

  PlainPoolMeans run() {
    if (p_.failure > 0)
      for (Host& host : hosts_) host.changes = p_.failure * hosts_draw_.exponential();
    double next_job = gaps_.exponential() / p_.rate, now = 0;
    for (;;) {
      double at = next_job;
      for (const Job* job : running_) at = std::min(at, job->leaves);
      for (const Host& host : hosts_) at = std::min(at, host.changes);
      for (const Job* job : line_) at = std::min(at, job->due);
      if (p_.policy == "slurm" && !line_.empty()) at = std::min(at, next_tick(now));
      const double until = std::min(at, end_);
      for (const Host& host : hosts_) {
        out_.up += host.up ? until - now : 0;
        out_.busy += host.job != nullptr ? until - now : 0;
      }
      now = until;
      if (at > end_) break;
      if (next_job <= now) {
        comes(now);
        next_job = now + gaps_.exponential() / p_.rate;
      }
      for (std::size_t i = 0; i < running_.size(); ++i)
        if (running_[i]->leaves <= now) leaves(running_[i], now), i = static_cast<std::size_t>(-1);
      for (Host& host : hosts_)
        if (host.changes <= now) changes(host, now);
      dispatch(now);
    }
    out_.response /= out_.left, out_.lost_of_job /= out_.left, out_.restarts_of_job /= out_.left;
    out_.wait /= first_starts_, out_.up /= end_, out_.busy /= end_;
    return out_;
  }

 private:
  struct Job {
    double came, size, limit;
    int width;
    double saved = 0, started = 0, leaves = 0, lost = 0;
    int restarts = 0;
    bool killed = false;
    double due = INFINITY;  ///< conservative: what it was promised
    bool promised = false;  ///< whether it was asked at all
    double priority = 0;    ///< slurm
  };
  struct Host {
    double changes = INFINITY;
    bool up = true;
    Job* job = nullptr;
  };

  void comes(double now) {
    Job job{.came = now, .size = 0, .limit = INFINITY, .width = 1};
    job.size = p_.size * sizes_.exponential();
    if (p_.limit > 0) job.limit = p_.limit * limits_.exponential();
    job.width = static_cast<int>(std::max(1.0, std::ceil(p_.widest * widths_.uniform())));
    if (job.width > p_.hosts) return;
    job.priority = p_.size_weight * job.width / p_.hosts, unsorted_ = true;
    jobs_.push_back(job);
    line_.push_back(&jobs_.back());
  }
  void free(Job* job) {
    for (Host& host : hosts_)
      if (host.job == job) host.job = nullptr;
    running_.erase(std::find(running_.begin(), running_.end(), job));
  }
  void leaves(Job* job, double now) {
    out_.used += job->width * (now - job->started);
    freed_ = freed_ || now < job->started + job->limit;
    free(job);
    ++out_.left, out_.response += now - job->came;
    out_.lost_of_job += job->lost, out_.restarts_of_job += job->restarts;
    if (job->killed) ++out_.killed;
    else out_.useful += job->width * job->size;
  }
  void changes(Host& host, double now) {
    host.up = !host.up, anew_ = true;
    host.changes = now + (host.up ? p_.failure : p_.repair) * hosts_draw_.exponential();
    if (host.up) return;
    ++out_.failures;
    if (host.job == nullptr) return;
    Job* const job = host.job;
    // Step by step through what it has done since it started.
    double t = job->started + (job->restarts > 0 ? p_.restart : 0), done = job->saved, saved = job->saved;
    while (t < now) {
      const double whole = std::min(p_.period, job->size - done), stretch = std::min(whole, now - t);
      done += stretch, t += stretch;
      if (stretch < whole || done >= job->size) break;
      t += p_.cost;
      if (t <= now) saved = done;
    }
    ++job->restarts, ++out_.restarts, out_.used += job->width * (now - job->started);
    job->lost += done - saved, out_.lost += job->width * (done - saved);
    job->saved = saved, job->due = INFINITY, job->promised = false;
    free(job);
    job->priority = p_.front ? INFINITY : p_.size_weight * job->width / p_.hosts, unsorted_ = true;
    if (p_.front) line_.push_front(job);
    else line_.push_back(job);
  }
  int idle() const {
    int out = 0;
    for (const Host& host : hosts_) out += host.up && host.job == nullptr ? 1 : 0;
    return out;
  }
  void start(std::list<Job*>::iterator at, double now) {
    Job* const job = *at;
    line_.erase(at);
    job->due = INFINITY;
    int left = job->width;
    for (Host& host : hosts_)
      if (left > 0 && host.up && host.job == nullptr) host.job = job, --left;
    if (job->restarts == 0) out_.wait += now - job->came, ++first_starts_;
    double time = (job->restarts > 0 ? p_.restart : 0);
    for (double work = job->size - job->saved; work > 0;) {
      const double stretch = std::min(work, p_.period);
      work -= stretch, time += stretch + (work > 0 ? p_.cost : 0);
    }
    job->killed = time > job->limit, job->started = now, job->leaves = now + std::min(time, job->limit);
    if (p_.policy == "slurm") job->leaves = now + 60 * std::max(1.0, std::ceil((job->leaves - now) / 60));
    running_.push_back(job);
  }
  /// Free at a time, by the limits of who runs and by what is promised; hosts that are down never come back.
  int free_at(double t) const {
    int out = 0;
    for (const Host& host : hosts_) out += host.up ? 1 : 0;
    for (const Job* job : running_) out -= job->started + job->limit > t ? job->width : 0;
    for (const Job* job : line_) out -= job->due <= t && t < job->due + job->limit ? job->width : 0;
    return out;
  }
  double earliest(const Job& wants, double now) const {
    std::vector<double> begins = {now}, steps = {now};
    for (const Job* job : running_) begins.push_back(job->started + job->limit);
    for (const Job* job : line_)
      if (job->due < INFINITY) begins.push_back(job->due + job->limit), steps.push_back(job->due);
    steps.insert(steps.end(), begins.begin(), begins.end());
    std::sort(begins.begin(), begins.end());
    for (const double begin : begins) {
      if (begin < now) continue;
      bool fits = free_at(begin) >= wants.width;
      for (const double step : steps)
        fits = fits && (step <= begin || step >= begin + wants.limit || free_at(step) >= wants.width);
      if (fits) return begin;
    }
    return INFINITY;
  }
  void keep_promises(double now) {
    if (anew_)
      for (Job* job : line_) job->due = INFINITY;
    for (Job* job : line_) {
      if (!anew_ && !freed_ && job->promised) continue;
      job->due = INFINITY;
      job->due = earliest(*job, now), job->promised = true;
    }
    anew_ = freed_ = false;
    for (auto at = line_.begin(); at != line_.end();) {
      const auto here = at++;
      if ((*here)->due <= now) start(here, now);
    }
  }
  double next_tick(double now) const { return std::max(last_tick_ + 60, 60 * std::ceil(now / 60)); }
  /// Every whole minute: a plan in slots in which each in turn gets the earliest that he can have, or the line up to
  /// the first who does not fit.
  void minute(double now) {
    if (now < next_tick(now)) return;
    last_tick_ = now;
    if (unsorted_) line_.sort([](const Job* a, const Job* b) { return a->priority > b->priority; });
    unsorted_ = false;
    std::vector<int> free(static_cast<std::size_t>(p_.slots));
    for (std::size_t k = 0; k < free.size(); ++k) {
      for (const Host& host : hosts_) free[k] += host.up ? 1 : 0;
      for (const Job* job : running_)
        free[k] -= now + static_cast<double>(k) * p_.slot < job->started + job->limit ? job->width : 0;
    }
    const bool planned = std::fmod(now / 60, p_.interval) == 0;
    std::size_t looked = 0;
    for (auto at = line_.begin(); at != line_.end();) {
      const auto here = at++;
      if (!planned) {
        if ((*here)->width > idle()) break;
        start(here, now);
        continue;
      }
      if (looked++ == p_.tested) break;
      const auto wide = static_cast<std::size_t>(std::ceil((*here)->limit / p_.slot));
      for (std::size_t begin = 0; begin < free.size(); ++begin) {
        const std::size_t end = std::min(free.size(), begin + wide);
        if (*std::min_element(&free[begin], &free[0] + end) < (*here)->width) continue;
        for (std::size_t k = begin; k < end; ++k) free[k] -= (*here)->width;
        if (begin == 0) start(here, now);
        break;
      }
    }
    for (Job* job : line_) job->priority += p_.age_weight * 60 / p_.age;
  }
  void dispatch(double now) {
    if (p_.policy == "slurm") return line_.empty() ? void() : minute(now);
    if (p_.policy == "conservative") return keep_promises(now);
    if (p_.policy == "sjf") {
      // Of equal limits nobody speaks: they are drawn.
      for (;;) {
        auto best = std::min_element(line_.begin(), line_.end(), [](Job* a, Job* b) { return a->limit < b->limit; });
        if (best == line_.end() || (*best)->width > idle()) return;
        start(best, now);
      }
    }
    while (!line_.empty() && line_.front()->width <= idle()) start(line_.begin(), now);
    if (p_.policy != "easy" || line_.empty()) return;
    // When would the first in line start, by the limits of who runs, and how many hosts would be left over?
    std::vector<std::pair<double, int>> ends;
    for (const Job* job : running_) ends.emplace_back(job->started + job->limit, job->width);
    std::sort(ends.begin(), ends.end());
    double then = INFINITY;
    int free_then = idle();
    for (std::size_t i = 0; i < ends.size() && then == INFINITY; ++i) {
      free_then += ends[i].second;
      if (free_then < line_.front()->width) continue;
      then = ends[i].first;
      for (std::size_t j = i + 1; j < ends.size() && ends[j].first <= then; ++j) free_then += ends[j].second;
    }
    int spare = then < INFINITY ? free_then - line_.front()->width : 0;
    for (auto at = std::next(line_.begin()); at != line_.end();) {
      const auto here = at++;
      const bool in_time = now + (*here)->limit <= then;
      if ((*here)->width > idle() || (!in_time && (*here)->width > spare)) continue;
      if (!in_time) spare -= (*here)->width;
      start(here, now);
    }
  }

  const PlainPool& p_;
  double end_, first_starts_ = 0;
  bool anew_ = false, freed_ = false, unsorted_ = false;
  double last_tick_ = -60;
  RandomStream gaps_, sizes_, limits_, widths_, hosts_draw_;
  std::vector<Host> hosts_;
  std::list<Job> jobs_;
  std::list<Job*> line_;
  std::vector<Job*> running_;
  PlainPoolMeans out_;
};

}  // namespace ergode::test
