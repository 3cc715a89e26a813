#pragma once
#include <mutex>
#include <string>
#include <vector>

#include "core/results/result_table.h"

namespace ergode {

/// What hosts or GPUs of one place cost and draw over time: at most 500 moments, as evenly as they come; costs and
/// energy count all.
struct CostRecord {
  static constexpr std::size_t most_moments = 500;
  struct Moment {
    double at_s = 0.0, busy = 0.0, spend_per_s = 0.0, power_w = 0.0, cost = 0.0, joules = 0.0;
  };
  std::vector<Moment> moments;
  Moment last;
  double gap_s = 0.0;
  bool begun = false;

  /// From now on. Amortised O(1).
  void note(double now_s, double busy, double spend_per_s, double power_w);
  /// What was last so was so until then. Once, at the end of the run.
  void end(double end_s);

 private:
  Moment later(double now_s) const;
};

/// The table `spend` of a place, whose last row is the end of the run: costs are of what was held until then.
/// @param unit          of what is busy: GPUs
/// @param budget_per_s  [USD/s]; 0: none
/// Precondition: something was noted.
ResultTable table_of_costs(const CostRecord& record, const std::string& place, const char* unit,
                           double budget_per_s = 0.0);

/// Records of the places of a model in the first history of a run: written by the thread that runs it, read when the
/// run is over. Only who began last writes.
class CostLog {
 public:
  void begin(const void* writer, std::size_t places);
  void note(const void* writer, std::size_t place, double now_s, double busy, double spend_per_s, double power_w);
  /// The history is over [s].
  void end(const void* writer, double end_s);
  std::vector<CostRecord> records() const;

 private:
  mutable std::mutex mutex_;
  const void* writer_ = nullptr;
  std::vector<CostRecord> records_;
};

}  // namespace ergode
