#pragma once
#include <cstdint>
#include <limits>
#include <vector>

namespace ergode {

/// A rigid job as a batch scheduler sees it: so many hosts for so long. Times in s on one clock.
struct BatchJob {
  double submit_s = 0.0;                                     ///< finite
  double run_s = 0.0;                                        ///< how long it would run if nobody ended it, >= 0
  double limit_s = std::numeric_limits<double>::infinity();  ///< at which it is killed, > 0; what schedulers plan with
  std::uint32_t hosts = 1;                                   ///< >= 1
};

/// How long a job keeps its hosts: until it is done or killed at its limit.
inline double time_on_hosts(const BatchJob& job) { return job.run_s < job.limit_s ? job.run_s : job.limit_s; }
/// Whether it is killed; a job that is done at its very limit is done.
inline bool killed(const BatchJob& job) { return job.run_s > job.limit_s; }

/// Who starts when hosts are free.
///
///     fifo          in the order of submission; nobody passes one who does not fit
///     sjf           the shortest limit first, of equal ones who came first; nobody passes one who does not fit
///     easy          as fifo, but who would not delay the first in line passes it. Lifka, The ANL/IBM SP scheduling
///                   system, 1995
///     conservative  everybody gets a time when he comes, and who passes delays nobody. Mu'alem and Feitelson,
///                   Utilization, predictability, workloads, and user runtime estimates in scheduling the IBM SP2 with
///                   backfilling, IEEE TPDS 12(6), 2001
enum class BatchPolicy : std::uint8_t { fifo, sjf, easy, conservative };

/// When each job started and left its hosts, by place in the list of jobs; infinity: never, it wants more hosts than
/// there are.
struct BatchSchedule {
  std::vector<double> start_s, end_s;
  std::uint64_t events = 0;  ///< submissions and ends
};

}  // namespace ergode
