#pragma once
#include <span>
#include <vector>

namespace ergode {

/// A job that is there when shares are computed.
struct SharedJob {
  double elapsed_s = 0.0;    ///< since it came
  double steps_per_s = 1.0;  ///< on all its GPUs, > 0
  double steps_left = 0.0;   ///< below 0 only where a change of the batch size counted too many (RoundOptions)
  int gpus = 1;
  /// What it would have taken so far had it had an equal part of the GPUs at all times (isolated_rate()).
  double isolated_s = 0.0;
  double share_before = 0.0;  ///< of the last time that shares were computed; 0: it was not there
};

/// Each of these divides `gpus` GPUs of one kind among jobs that run on all of theirs or not at all: x in [0, 1] is the
/// part of the rounds in which a job runs, sum of (GPUs of the job) x <= gpus but where it is said. As the programs
/// that define them have many optima, each is the one that the closed form here gives. O(jobs log jobs) but where it is
/// said. Jobs in the order of their arrivals; none: no shares.

/// Max-min fairness of GPU-time (Gavel): x_i = min(gpus/m, least w) / w_i, then all that are below 1 rise alike.
/// Narayanan, Santhanam, Kazhamiaka, Phanishayee and Zaharia, Heterogeneity-aware cluster scheduling policies for deep
/// learning workloads, OSDI 2020.
std::vector<double> max_min_shares(std::span<const SharedJob> jobs, int gpus);

/// An equal part of the rounds for all: x_i = min(1, gpus/m), whatever their width, so that the sum may be above gpus.
/// Chaudhary, Ramjee, Sivathanu, Kwatra and Viswanatha, Balancing efficiency and fairness in heterogeneous GPU clusters
/// for deep learning (Gandiva-Fair), EuroSys 2020.
std::vector<double> equal_shares(std::span<const SharedJob> jobs, int gpus);

/// Maximum sum of throughputs (MST): the most steps per second and GPU first. The others get what an interior point
/// leaves them, 1e-9 / (marginal rate w - rate), which orders them and no more.
std::vector<double> max_sum_shares(std::span<const SharedJob> jobs, int gpus);

/// OSSP: all jobs done by the same time, the soonest that bisection finds to five per cent: x_i = left_i / (T rate_i),
/// then all that are below 1 rise alike. At most some 60 steps of O(jobs).
std::vector<double> min_total_shares(std::span<const SharedJob> jobs, int gpus);

/// Finish-time fairness (Themis): the greatest ratio of (elapsed + left / (rate x)) to what an equal part of the GPUs
/// would come to is as small as can be; then all that are below 1 rise alike. At most 200 steps of O(jobs).
/// Mahajan, Balasubramanian, Singhvi, Venkataraman, Akella, Phanishayee and Chawla, Themis: Fair and efficient GPU
/// cluster scheduling, NSDI 2020.
std::vector<double> finish_time_shares(std::span<const SharedJob> jobs, int gpus);

/// AlloX: jobs are placed on (GPU, position from the end) so that the sum of completion times is least, which on GPUs
/// of one kind puts the shortest first; those that came first only are looked at, `considered` of all that are not
/// placed but at least as many as GPUs are free. A job once placed stays. Jobs of several GPUs are taken for jobs of
/// one that run in 1/w of the rounds. Le, Sun, Chowdhury and Liu, AlloX: Compute allocation in hybrid clusters, EuroSys
/// 2020.
std::vector<double> allox_shares(std::span<const SharedJob> jobs, int gpus, double considered = 0.2);

/// Steps per second of a job that has an equal part of the GPUs among `jobs`: rate min(1, gpus / (jobs w)).
double isolated_rate(const SharedJob& job, std::size_t jobs, int gpus);

/// Raises all x below 1 by the same amount until sum w x = gpus or all are 1.
void even_fill(std::span<const SharedJob> jobs, double gpus, std::vector<double>& shares);

}  // namespace ergode
