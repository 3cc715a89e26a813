#pragma once
#include <cstdint>
#include <vector>

#include "solvers/cluster/gang/gang_job.h"

namespace ergode {

/// Jobs that share a cluster evenly (EQUI), each at the speed that its speedup has on its part. Work is told as its
/// time on one GPU. Jobs of one speedup have one clock of work done, so that an event costs O(speedups + log jobs).
class ElasticShares {
 public:
  ElasticShares(double gpus, std::vector<Speedup> speedups);
  void reset(double now_s);
  /// Precondition: pass() has been called for this moment.
  void submit(std::uint32_t number, std::uint32_t speedup, double size_s);
  /// When the next job ends; infinity: none does.
  double next_s() const;
  /// Goes on to `now_s`, at most next_s(); appends who ends there, of one moment in the order of arrival.
  void pass(double now_s, std::vector<std::uint32_t>& ended);

  std::size_t jobs() const { return jobs_; }
  /// GPU time that a job had which was there all the time, since reset(): the difference of two moments is a job's.
  double gpu_time_s() const { return gpu_time_s_; }

  template <typename Archive>
  void archive(Archive& a) {
    a(now_s_, gpu_time_s_, order_, jobs_, done_s_, heaps_);
  }

 private:
  struct Waits {
    double at_s = 0.0;  ///< on the clock of its speedup
    std::uint64_t order = 0;
    std::uint32_t job = 0;
    template <typename Archive>
    void archive(Archive& a) {
      a(at_s, order, job);
    }
    friend bool operator>(const Waits& a, const Waits& b) {
      return a.at_s != b.at_s ? a.at_s > b.at_s : a.order > b.order;
    }
  };
  double speed_of(std::size_t type) const;
  double end_of(std::size_t type) const;

  double gpus_;
  std::vector<Speedup> speedups_;
  double now_s_ = 0.0, gpu_time_s_ = 0.0;
  std::uint64_t order_ = 0, jobs_ = 0;
  std::vector<double> done_s_;             ///< by speedup: its clock
  std::vector<std::vector<Waits>> heaps_;  ///< by speedup
};

}  // namespace ergode
