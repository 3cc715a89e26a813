#pragma once
#include <algorithm>
#include <cmath>
#include <queue>
#include <set>
#include <string>
#include <vector>

#include "core/base/element_id.h"
#include "core/random/distribution.h"
#include "core/random/random_stream.h"

namespace ergode::test {

/// A rental as plain numbers, in hours: one width for each stream, and everything that can happen to a job.
struct PlainRental {
  bool spot = false, reserves = false;
  double reserved = 0, price = 0, reserved_price = 0, start_up = 0, reserved_start_up = 0;
  double rate = 0;   ///< of interruptions; 0: by the law
  double after = 0;  ///< Weibull of shape 2 with this scale
  bool per_gpu = true;
  double notice = 0, wait = 0;  ///< mean of an exponential
  double failures = 0, period = INFINITY, cost = 0, restart = 0;
  struct Stream {
    ElementId element;
    double rate = 1, size = 1, width = 1, speed = 1, start_up = 0;
  };
  std::vector<Stream> streams;
};

/// What a plain loop over the same draws comes to.
struct PlainSpend {
  double response = 0, cost = 0, lost_of_done = 0;  ///< means of jobs that were done
  double gpus = 0, spend = 0;                       ///< means over time
  double lost = 0, interruptions = 0, failures = 0, done = 0;
};

/// Written from the definitions: each time that a job gets GPUs, or one of them fails, it is followed until it is done,
/// fails or is taken, and nothing is kept but that moment.
class PlainLoop {
 public:
  PlainLoop(const PlainRental& rental, std::uint64_t seed, double end) : rental_(rental), end_(end) {
    for (const auto& stream : rental.streams) {
      const auto of = [&](const char* what) { return RandomStream(stream_key(seed, stream.element.text() + what), 0); };
      draws_.push_back({of(".gaps"), of(".sizes"), of(".failures"), of(".interruptions"), of(".waits")});
    }
  }

  PlainSpend run() {
    for (std::size_t s = 0; s < rental_.streams.size(); ++s) arrive_later(s, 0);
    while (!events_.empty() && events_.top().at <= end_) {
      const Event now = events_.top();
      events_.pop();
      pay_until(now.at);
      if (now.what == What::comes) comes(now);
      else if (now.what == What::asks) gets(now.job, now.at, true);
      else if (now.what == What::fails) fails(now.job, now.at);
      else gives_back(now);
    }
    pay_until(end_);
    out_.response /= out_.done, out_.cost /= out_.done, out_.lost_of_done /= out_.done;
    out_.gpus /= end_, out_.spend /= end_;
    return out_;
  }

 private:
  enum class What { comes, asks, fails, taken, done };
  struct Event {
    double at;
    What what;
    std::size_t job;  ///< or stream
    bool operator<(const Event& other) const { return at > other.at; }
  };
  struct Job {
    std::size_t stream;
    double came, left, saved, threshold = INFINITY;
    double taken = INFINITY, freezes = INFINITY, since = 0, on_reserved = 0;
    double paid = 0, lost = 0;
    double starts_until = 0, restarts_until = 0;
    bool comes_to_work = true;  ///< before its GPUs freeze
  };
  struct Draws {
    RandomStream gaps, sizes, failures, interruptions, waits;
  };

  void arrive_later(std::size_t s, double now) {
    events_.push({now + draws_[s].gaps.exponential() / rental_.streams[s].rate, What::comes, s});
  }
  void pay_until(double now) {
    const double beyond = rental_.spot || !rental_.reserves ? all_ - used_ : std::max(0.0, all_ - rental_.reserved);
    out_.gpus += all_ * (now - paid_until_);
    out_.spend += (rental_.reserved * rental_.reserved_price + beyond * rental_.price) * (now - paid_until_);
    // With on demand beyond, all who have GPUs pay by their number for what those in use cost together.
    if (rental_.reserves && !rental_.spot)
      for (const std::size_t holder : holders_) {
        const double part = rental_.streams[jobs_[holder].stream].width / all_;
        jobs_[holder].paid +=
            part * ((all_ - beyond) * rental_.reserved_price + beyond * rental_.price) * (now - paid_until_);
      }
    paid_until_ = now;
  }
  void comes(const Event& now) {
    const std::size_t s = now.job;
    Job job{.stream = s, .came = now.at, .left = 0, .saved = 0};
    job.left = job.saved = rental_.streams[s].size * draws_[s].sizes.exponential();
    jobs_.push_back(job);
    if (rental_.failures > 0) jobs_.back().threshold = draws_[s].failures.exponential();
    gets(jobs_.size() - 1, now.at, false);
    arrive_later(s, now.at);
  }
  void gets(std::size_t number, double now, bool again) {
    Job& job = jobs_[number];
    const auto& stream = rental_.streams[job.stream];
    const double in_use = rental_.spot ? used_ : all_;
    job.on_reserved = rental_.reserves ? std::min(stream.width, std::max(0.0, rental_.reserved - in_use)) : 0.0;
    const double beyond = stream.width - job.on_reserved;
    all_ += stream.width, used_ += job.on_reserved, holders_.insert(number);
    job.since = now, job.taken = job.freezes = INFINITY;
    if (rental_.spot && beyond > 0) {
      RandomStream& draw = draws_[job.stream].interruptions;
      const double many = rental_.per_gpu ? beyond : 1.0;
      double call = 0;
      if (rental_.after == 0)
        call = rental_.rate > 0 ? draw.exponential() / (rental_.rate * many) : (draw.exponential(), INFINITY);
      // P(none of n is called by t) = exp(-n (t / scale)^2).
      else call = rental_.after * std::sqrt(-std::log(draw.uniform()) / many);
      job.taken = now + call + rental_.notice;
      if (rental_.notice > 0 && rental_.cost <= rental_.notice) job.freezes = job.taken - rental_.cost;
    }
    const double start =
        std::max(job.on_reserved > 0 ? rental_.reserved_start_up : 0.0, beyond > 0 ? rental_.start_up : 0.0);
    job.starts_until = now + start + (again ? 0.0 : stream.start_up);
    job.restarts_until = job.starts_until + (again ? rental_.restart : 0.0);
    job.comes_to_work = job.starts_until <= job.freezes;
    follow(number, now);
  }
  /// Until what comes first; all times are absolute.
  void follow(std::size_t number, double now) {
    Job& job = jobs_[number];
    const auto& stream = rental_.streams[job.stream];
    const double stop = std::min(job.taken, job.freezes);
    // Nothing fails before it has started up; then the hazard is used up evenly.
    double fails = INFINITY;
    const double at_risk = job.comes_to_work ? std::max(now, job.starts_until) : INFINITY;
    if (rental_.failures > 0) fails = at_risk + job.threshold / (rental_.failures * stream.width);
    double at = job.restarts_until;  // it works from here, in stretches
    while (at < stop && at < fails) {
      const double work = std::min(rental_.period, job.left / stream.speed);
      const bool last = job.left / stream.speed <= rental_.period;
      const double to = at + work;
      if (to > std::min(stop, fails)) {
        job.left -= stream.speed * (std::min(stop, fails) - at);
        break;
      }
      job.left = last ? 0 : job.left - stream.speed * work;
      if (last) return events_.push({to, What::done, number});
      at = to + rental_.cost;
      // A checkpoint that is being written when it freezes is as good as the last one.
      if (at <= std::min(stop, fails)) job.saved = job.left;
    }
    if (fails < job.taken) {
      // What freezes is frozen, yet its GPUs may fail.
      return events_.push({fails, What::fails, number});
    }
    if (rental_.failures > 0 && job.taken > at_risk)
      job.threshold -= rental_.failures * stream.width * (job.taken - at_risk);
    events_.push({job.taken, What::taken, number});
  }
  void fails(std::size_t number, double now) {
    Job& job = jobs_[number];
    ++out_.failures;
    out_.lost += job.saved - job.left, job.lost += job.saved - job.left;
    job.left = job.saved, job.threshold = draws_[job.stream].failures.exponential();
    // One that writes its last checkpoint does not begin again before its GPUs go.
    job.starts_until = now, job.restarts_until = now < job.freezes ? now + rental_.restart : INFINITY;
    follow(number, now);
  }
  void gives_back(const Event& now) {
    Job& job = jobs_[now.job];
    const auto& stream = rental_.streams[job.stream];
    all_ -= stream.width, used_ -= job.on_reserved, holders_.erase(now.job);
    if (rental_.spot || !rental_.reserves)
      job.paid += (now.at - job.since) *
                  (job.on_reserved * rental_.reserved_price + (stream.width - job.on_reserved) * rental_.price);
    if (now.what == What::done) {
      ++out_.done, out_.response += now.at - job.came, out_.cost += job.paid, out_.lost_of_done += job.lost;
      return;
    }
    if (job.freezes <= job.taken) job.saved = job.left;
    ++out_.interruptions;
    out_.lost += job.saved - job.left, job.lost += job.saved - job.left;
    job.left = job.saved;
    const double wait = rental_.wait > 0 ? rental_.wait * draws_[job.stream].waits.exponential() : 0.0;
    events_.push({now.at + wait, What::asks, now.job});
  }

  const PlainRental& rental_;
  double end_, all_ = 0, used_ = 0, paid_until_ = 0;
  std::vector<Draws> draws_;
  std::vector<Job> jobs_;
  std::set<std::size_t> holders_;  ///< of GPUs
  std::priority_queue<Event> events_;
  PlainSpend out_;
};

}  // namespace ergode::test
