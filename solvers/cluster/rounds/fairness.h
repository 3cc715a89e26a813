#pragma once
#include <vector>

#include "solvers/cluster/rounds/round_simulation.h"

namespace ergode {

/// A job as finish-time fairness sees it.
struct TimedJob {
  double arrival_s = 0.0, finish_s = 0.0;  ///< finish: infinity where it was not done
  double exclusive_s = 0.0;                ///< what it takes with all that it wants and nobody else
};
struct FinishTimeFairness {
  /// jct / (exclusive runtime max(1, jobs / GPUs)), where `jobs` are all of them. Of who was not done, or takes no
  /// time, no number.
  std::vector<double> rho;
  /// The same with the mean number of jobs that were there while the job was (Themis).
  std::vector<double> rho_contended;
};
/// @param gpus  or hosts, whatever jobs hold; >= 1
/// @param all   how many they are, where not all are told; 0: these
/// O(jobs log jobs). Mahajan et al., Themis: Fair and efficient GPU cluster scheduling, NSDI 2020.
FinishTimeFairness finish_time_fairness(const std::vector<TimedJob>& jobs, double gpus, std::size_t all = 0);

/// What a schedule comes to for those whose jobs they are.
struct Fairness {
  std::vector<double> jct_s;               ///< job completion time: from arrival to end
  std::vector<double> rho, rho_contended;  ///< FinishTimeFairness
  double mean_jct_s = 0.0, geometric_mean_jct_s = 0.0;
  double worst_rho = 0.0;
  double unfair_fraction = 0.0;  ///< of jobs with rho above `unfair_above`
  double makespan_s = 0.0;       ///< from the first arrival to the last end
  double utilisation = 0.0;      ///< GPU time that jobs ran, without restores, of all until then
};
/// @param run           one that was not stopped
/// @param exclusive_s   of each job: profile_of(); > 0
/// @param unfair_above  1.05 in the paper
/// O(jobs log jobs). Mahajan et al., Themis, NSDI 2020; Zheng et al., Shockwave, NSDI 2023.
Fairness fairness_of(const std::vector<RoundJob>& jobs, const RoundRun& run, const std::vector<double>& exclusive_s,
                     int gpus, double unfair_above = 1.05);

}  // namespace ergode
