#pragma once

#include "solvers/cluster/budget/speedup.h"

namespace ergode {

/// Jobs of one type, as much as rental budgets need to know of them: long-run averages, and no law of arrivals or
/// sizes. Times in one unit throughout, whichever; rates in its inverse.
struct JobType {
  double rate = 0.0;       ///< jobs per time; finite, > 0
  double mean_size = 0.0;  ///< work of a job: its time on one GPU; finite, > 0
  Speedup speedup;
  double start_up = 0.0;  ///< of each job, on all its GPUs, before it works: time; finite, >= 0

  /// GPUs that these jobs keep busy with one GPU each, without start-up.
  double load() const { return rate * mean_size; }
  /// GPUs rented on average where each job gets `gpus` >= 1.
  double cost(double gpus) const { return gpus * jobs(gpus); }
  /// Jobs present on average then (Little's law); a mean response time is jobs(gpus) / rate.
  double jobs(double gpus) const { return load() / speedup.speed(gpus) + rate * start_up; }
};

/// How many GPUs jobs of a type get: `gpus`, but a share of them, drawn at random, `other` GPUs.
struct Width {
  double gpus = 1.0, other = 1.0;  ///< >= 1
  double share = 0.0;              ///< of jobs with `other` GPUs: 0 to 1
  bool mixed() const { return share > 0.0; }
  double mean() const { return mixed() ? gpus + share * (other - gpus) : gpus; }
};

}  // namespace ergode
