#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/diagnostic.h"
#include "solvers/model/analysis_model.h"

namespace ergode {

/// Counts those whose stay the end of a mission cuts off (LoweredPart::stays()). What is observed of stays, a mean
/// response time, is of those who have left; where ever more are left over it says nothing of the others, and nothing
/// in the observations shows it. Const; what is counted are sums of the run (Tallies::sums).
class UnfinishedStays {
 public:
  /// Of stays that some measure of the model asks for, and of those of whom some may be refused.
  explicit UnfinishedStays(const AnalysisModel& model);
  /// How many sums there are: of each stay who came, who was there at the end, and who was refused.
  std::size_t sums() const { return 3 * counted_.size(); }
  /// A mission has ended. @param slots  of its world  @param sums  as many as sums()
  void count(const double* slots, std::span<double> sums) const;
  /// RUN043 (warning) for each sort of which more than one in twenty was there at the end, with the measures that miss
  /// them. Whoever is in a system that has settled is among so many only where missions are short, less than twenty
  /// stays long, and then the longest are missing too. RUN044 (warning) where somebody was refused.
  void warn(std::span<const double> sums, std::uint64_t replications, Diagnostics& out) const;

 private:
  struct Counted {
    LoweredPart::Stay stay;
    std::string measures;  ///< "a", "b"
  };
  std::vector<Counted> counted_;
};

}  // namespace ergode
