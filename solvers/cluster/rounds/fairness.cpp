#include "solvers/cluster/rounds/fairness.h"

#include <algorithm>
#include <cmath>

namespace ergode {
namespace {

/// Integral of the number of jobs present, from the first arrival to any time.
class PresentJobs {
 public:
  PresentJobs(const std::vector<RoundJob>& jobs, const RoundRun& run) {
    std::vector<std::pair<double, int>> steps;
    for (std::size_t i = 0; i < jobs.size(); ++i)
      steps.push_back({jobs[i].arrival_s, 1}), steps.push_back({run.jobs[i].finish_s, -1});
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

Fairness fairness_of(const std::vector<RoundJob>& jobs, const RoundRun& run, const std::vector<double>& exclusive_s,
                     int gpus, double unfair_above) {
  Fairness out;
  const auto count = static_cast<double>(jobs.size());
  if (jobs.empty()) return out;
  const PresentJobs present(jobs, run);
  double sum = 0.0, logs = 0.0, unfair = 0.0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const double end = run.jobs[i].finish_s, begin = jobs[i].arrival_s, jct = end - begin;
    const double contenders = jct > 0.0 ? (present.until(end) - present.until(begin)) / jct : 1.0;
    out.jct_s.push_back(jct);
    out.rho.push_back(jct / (exclusive_s[i] * std::max(1.0, count / gpus)));
    out.rho_contended.push_back(jct / (exclusive_s[i] * std::max(1.0, contenders / gpus)));
    sum += jct, logs += std::log(jct), unfair += out.rho.back() > unfair_above ? 1.0 : 0.0;
    out.worst_rho = std::max(out.worst_rho, out.rho.back());
  }
  out.mean_jct_s = sum / count, out.geometric_mean_jct_s = std::exp(logs / count);
  out.unfair_fraction = unfair / count;
  out.makespan_s = run.end_s - run.begin_s;
  out.utilisation = out.makespan_s > 0.0 ? run.busy_gpu_s / (gpus * out.makespan_s) : 0.0;
  return out;
}

}  // namespace ergode
