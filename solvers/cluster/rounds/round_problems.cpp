#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "solvers/cluster/rounds/round_simulation.h"

namespace ergode {
namespace {

constexpr double most_epochs_of_job = 1e6, most_rounds_of_trace = 1e7;

/// Steps in a round that begins with a restore.
double steps_after_restore(double steps_per_s, const RoundOptions& options) {
  const double steps = std::floor(steps_per_s * options.round_s);
  return std::floor(steps * (options.round_s - options.restore_s) / options.round_s);
}

}  // namespace

std::vector<std::string> problems_of(const RoundJob& job, const std::string& name, const Throughputs& speeds,
                                     const RoundOptions& options) {
  std::vector<std::string> out;
  if (job.gpus > options.gpus)
    out.push_back(name + " needs " + std::to_string(job.gpus) + " GPUs; wanted at most the " +
                  std::to_string(options.gpus) + " that there are.");
  const auto speed = first_speed(job, speeds);
  const TrainingModel& model = training_model(job.model);
  if (!speed) {
    out.push_back(name + " is " + job.model + " with batch size " + std::to_string(job.batch_size) + " on " +
                  std::to_string(job.gpus) + " GPUs, which has no throughput; wanted a row of the table for it.");
    return out;
  }
  const double steps = static_cast<double>(job.total_steps);
  if (model.known() && steps > most_epochs_of_job * static_cast<double>(steps_of_epoch(model, job.batch_size)))
    out.push_back(name + " has " + std::to_string(job.total_steps) + " steps; wanted at most a million epochs.");
  // Any batch size that it may come to.
  double slowest = *speed;
  for (int batch = model.known() && job.mode != BatchMode::fixed ? job.batch_size : 0;
       batch > 0 && batch <= model.most_batch; batch *= 2)
    slowest = std::min(slowest, speeds.of(job.model, batch, job.gpus).value_or(slowest));
  if (steps_after_restore(slowest, options) < 1.0)
    out.push_back(name + " runs at " + number_text(slowest, 6) + " steps/s, no step in a round of " +
                  number_text(options.round_s) + " s of which a restore takes " + number_text(options.restore_s) +
                  " s; wanted at least one.");
  return out;
}

std::vector<std::string> problems_of(const std::vector<RoundJob>& jobs, const Throughputs& speeds,
                                     const RoundOptions& options) {
  std::vector<std::string> out;
  double rounds = 0.0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    for (std::string& problem : problems_of(jobs[i], "Job " + std::to_string(i), speeds, options))
      out.push_back(std::move(problem));
    if (const auto speed = first_speed(jobs[i], speeds))
      rounds += static_cast<double>(jobs[i].total_steps) / *speed / options.round_s;
  }
  if (rounds > most_rounds_of_trace)
    out.push_back("All jobs together are " + number_text(rounds, 3) + " rounds long; wanted at most 1e7.");
  return out;
}

std::optional<double> ratio_to_listed(const std::vector<RoundJob>& jobs, const Throughputs& speeds) {
  std::vector<double> ratios;
  for (const RoundJob& job : jobs) {
    const auto speed = speeds.of(job.model, job.batch_size, job.gpus);
    if (!speed || !std::isfinite(job.listed_duration_s) || !(job.listed_duration_s > 0.0)) continue;
    ratios.push_back(static_cast<double>(job.total_steps) / *speed / job.listed_duration_s);
  }
  if (ratios.empty()) return std::nullopt;
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  return *middle;
}

}  // namespace ergode
