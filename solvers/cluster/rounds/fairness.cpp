#include "solvers/cluster/rounds/fairness.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ergode {
namespace {

/// Integral of the number of jobs present, from the first arrival to any time.
class PresentJobs {
 public:
  explicit PresentJobs(const std::vector<TimedJob>& jobs) {
    std::vector<std::pair<double, int>> steps;
    for (const TimedJob& one : jobs) {
      steps.push_back({one.arrival_s, 1});
      if (std::isfinite(one.finish_s)) steps.push_back({one.finish_s, -1});
    }
    std::sort(steps.begin(), steps.end());
    double present = 0.0, sum = 0.0, before = 0.0;
    for (const auto& [when, change] : steps) {
      sum += present * (when - before);
      present += change, before = when;
      at_.push_back({when, sum, present});
    }
  }
  double until(double when) const {
    const auto after =
        std::upper_bound(at_.begin(), at_.end(), when, [](double t, const Step& step) { return t < step.when; });
    if (after == at_.begin()) return 0.0;
    const Step& last = *std::prev(after);
    return last.sum + last.present * (when - last.when);
  }

 private:
  struct Step {
    double when, sum, present;
  };
  std::vector<Step> at_;
};

}  // namespace

FinishTimeFairness finish_time_fairness(const std::vector<TimedJob>& jobs, double gpus, std::size_t all) {
  constexpr double no_number = std::numeric_limits<double>::quiet_NaN();
  FinishTimeFairness out;
  const PresentJobs present(jobs);
  for (const TimedJob& one : jobs) {
    const double jct = one.finish_s - one.arrival_s;
    const bool known = std::isfinite(jct) && one.exclusive_s > 0.0;
    const double contenders =
        known && jct > 0.0 ? (present.until(one.finish_s) - present.until(one.arrival_s)) / jct : 1.0;
    const auto over = [&](double sharing) {
      return known ? jct / (one.exclusive_s * std::max(1.0, sharing / gpus)) : no_number;
    };
    out.rho.push_back(over(static_cast<double>(all > 0 ? all : jobs.size())));
    out.rho_contended.push_back(over(contenders));
  }
  return out;
}

Fairness fairness_of(const std::vector<RoundJob>& jobs, const RoundRun& run, const std::vector<double>& exclusive_s,
                     int gpus, double unfair_above) {
  Fairness out;
  const auto count = static_cast<double>(jobs.size());
  if (jobs.empty()) return out;
  std::vector<TimedJob> timed;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    timed.push_back({jobs[i].arrival_s, run.jobs[i].finish_s, exclusive_s[i]});
  FinishTimeFairness ratios = finish_time_fairness(timed, gpus);
  out.rho = std::move(ratios.rho), out.rho_contended = std::move(ratios.rho_contended);
  double sum = 0.0, logs = 0.0, unfair = 0.0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const double jct = run.jobs[i].finish_s - jobs[i].arrival_s;
    out.jct_s.push_back(jct);
    sum += jct, logs += std::log(jct), unfair += out.rho[i] > unfair_above ? 1.0 : 0.0;
    out.worst_rho = std::max(out.worst_rho, out.rho[i]);
  }
  out.mean_jct_s = sum / count, out.geometric_mean_jct_s = std::exp(logs / count);
  out.unfair_fraction = unfair / count;
  out.makespan_s = run.end_s - run.begin_s;
  out.utilisation = out.makespan_s > 0.0 ? run.busy_gpu_s / (gpus * out.makespan_s) : 0.0;
  return out;
}

}  // namespace ergode
