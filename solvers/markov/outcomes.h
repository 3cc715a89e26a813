#pragma once
#include <span>
#include <vector>

#include "solvers/model/analysis_model.h"
#include "statecharts/execute/chart_replication.h"

namespace ergode {

/// Goes through all outcomes of something that makes random choices, one after the other, by running it again and
/// again:
///
///     outcomes.first();
///     do { run(); use(outcomes.probability()); } while (outcomes.next());
///
/// Each run follows the script of choices made so far and takes the first possible branch afterwards. What runs must
/// depend on the choices alone: the same script must ask the same questions. Branches of probability zero are left out.
class Outcomes : public ChanceSource {
 public:
  /// Begins with the script in which nothing is chosen yet.
  void first() { path_.clear(), at_ = 0; }
  /// Goes to the next script, depth first; false when all were gone through. The probabilities of all runs sum to one,
  /// up to rounding.
  bool next();
  /// Of the run just made: the product over its choices.
  double probability() const;
  std::size_t choose(std::uint32_t, std::span<const std::uint32_t>, std::span<const double> probabilities) override {
    return choose(probabilities);
  }
  /// @param probabilities  at least one of them > 0; kept for the run. @returns the branch of the script.
  /// @throws OverBudget (MKV022) beyond 1,000 choices in one run.
  std::size_t choose(std::span<const double> probabilities);

 private:
  struct Fork {
    std::size_t taken = 0;
    std::vector<double> probabilities;
  };
  std::vector<Fork> path_;
  std::size_t at_ = 0;
};

/// Joint demands on common-cause groups, member by member as they are asked for: the probability that one more fails,
/// given who of the group failed and who did not at this moment. Uses positive terms only. A failure is
/// Cause::independent whatever struck, since chains do not split by cause.
class DemandOutcomes : public DemandSource {
 public:
  /// @param outcomes  decides each question that is not answered by who was asked before. Both must outlive it.
  DemandOutcomes(const AnalysisModel& model, Outcomes& outcomes);
  /// Begins a moment: nobody was asked. To be called before each run of a script.
  void forget();
  /// O(members of the group); the time is not looked at, see forget().
  SplitPart demand(std::uint32_t instance, std::uint32_t cause, double now_s) override;

 private:
  struct Group {
    const CcfGroup* group = nullptr;
    std::vector<double> exactly;     ///< [m]: probability that one specific set of m members is the failed set
    std::vector<std::int8_t> known;  ///< by member: -1 not asked, 0 works, 1 failed
  };
  /// Probability that, of `asked` specific members, a specific set of `failed` fails and the others do not.
  static double pattern(const Group& group, int asked, int failed);

  Outcomes& outcomes_;
  std::vector<Group> groups_;
};

}  // namespace ergode
