#pragma once
#include "solvers/cluster/gang/gang_simulation.h"

namespace ergode {

/// Writes down what a scheduler does, as a schedule. Jobs have a row each, in the order in which they come; numbers of
/// the scheduler may be used again.
class GangLedger {
 public:
  /// Time counts from now on.
  void begin(double now_s) { before_s_ = made.begin_s = made.end_s = now_s, begun_ = true; }
  bool begun() const { return begun_; }
  /// Counts the time up to this moment; before anything of it. Amortised O(1), as the others.
  void pass(double now_s);
  /// The next job comes and is let in, or is turned away and only has its row.
  void come(double now_s, bool let_in, GangPolicy policy);
  /// What happened to the job of a row now. Stretches are kept up to `most_stretches`.
  void take(const GangEvent& event, std::uint32_t row, double now_s, const GangScheduler& scheduler);
  /// What GPUs do from now on.
  void see(GangScheduler& scheduler);
  /// The schedule until the last moment passed: those who run then have their stretch too, and who is there has waited
  /// and had GPUs for so long.
  GangSchedule so_far() const;

  GangSchedule made;
  std::size_t most_stretches = std::numeric_limits<std::size_t>::max();

 private:
  bool begun_ = false;
  double before_s_ = 0.0, busy_ = 0.0, free_ = 0.0, stranded_ = 0.0;
  double share_ = 0.0, share_gpu_s_ = 0.0;  ///< of equi: GPUs of each job, and what one had who was always there
  std::vector<double> since_s_;             ///< by row: when it began to wait or to run
  std::vector<std::vector<GangPiece>> place_;
  std::vector<double> share_from_;  ///< by row: share_gpu_s_ when it came
  std::vector<char> runs_;          ///< now; of equi from when it comes
  std::vector<char> in_;            ///< it was let in and has not ended
  bool equi_ = false;
  void stretch(std::uint32_t row, double to_s, GangSchedule& out) const;
};

}  // namespace ergode
