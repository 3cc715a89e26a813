#pragma once
#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <vector>

#include "core/base/byte_archive.h"
#include "solvers/cluster/rounds/plan_market.h"
#include "solvers/cluster/rounds/round_plan.h"
#include "solvers/cluster/rounds/round_simulation.h"

namespace ergode {

/// What a planner did, for who runs it.
struct PlanLog {
  std::int64_t plans = 0;
  std::int64_t relaxed = 0;     ///< in which finish-time fairness could not be kept and became a priority
  std::int64_t heuristic = 0;   ///< found by rules: the programme was not to be used, or found no proof in time
  std::int64_t incomplete = 0;  ///< in which some job found no place for all its rounds
  /// Of each job, by plan: what the predictor said was left [s], and when (the round's number).
  struct Prediction {
    std::uint32_t job = 0;
    std::int64_t round = 0;
    double remaining_s = 0.0;
  };
  std::vector<Prediction> predictions;
  std::vector<PlanMarket> markets;  ///< by plan, of windows of at most most_market_rounds
  std::int64_t no_market = 0;       ///< plans of such windows of which no equilibrium was found
};

/// Shockwave: which jobs run is planned for a window of rounds, anew whenever a job came or ended or eight rounds have
/// passed. It maximises Nash social welfare over the window less a price of the makespan, as long as every job can
/// still end as soon as with a fair share (fair_rounds), else with priorities for those that will be late. GPUs that
/// the plan leaves go to whoever has most left to run and fits.
///
/// Durations of epochs are whole seconds, at least one; where what was measured is more than 40 % off the profile, all
/// are scaled to it. What a fair share would give is estimated whenever jobs came or ended and averaged, 0.9 of the
/// mean over time and 0.1 of the last. Plans know a job's epochs but not when its batch size will change
/// (remaining_runtime). Zheng, Pan, Khandelwal, Akella and Venkataraman, Shockwave: Fair and efficient cluster
/// scheduling for dynamic adaptation in machine learning, NSDI 2023.
class ShockwavePlanner : public RoundPlanner {
 public:
  /// By what plans tell the time until which a job would end with a fair share, and since when they measure it.
  /// Published ones take the moment at which it came, and rounds that have begun for the time that has passed since;
  /// where GPUs stand idle between jobs the two drift apart, and rounds are the better clock for both. They hold what
  /// was measured of a job against its profile over all rounds, also those before it came: one that comes late, and
  /// whose profile becomes faster, is taken for slow, and left for late. By rounds it is measured since its first.
  enum class Clock { published, rounds };
  static constexpr std::size_t all_plans = std::numeric_limits<std::size_t>::max();

  /// @param options        within their ranges; copied
  /// @param replan_rounds  >= 1
  /// @param logged         so many predictions are kept in the log, and the markets of their plans
  explicit ShockwavePlanner(const PlanOptions& options, int replan_rounds = 8, Clock clock = Clock::published,
                            std::size_t logged = all_plans);
  ~ShockwavePlanner() override;

  void arrived(std::uint32_t job, const RoundJob& what, const Throughputs& speeds, double now_s) override;
  void ran(std::uint32_t job, const Ran& what) override;
  void left(std::uint32_t job) override;
  void round_ended() override;
  void set_gpus(int gpus) override;
  std::vector<std::uint32_t> next_round() override;

  const PlanLog& log() const { return log_; }
  /// Asked while programmes are solved (PlanOptions).
  void heed(const std::function<bool()>& give_up) { options_.give_up = give_up; }
  /// Nobody is there and nothing has been planned, as when it was made with this log.
  void clear(std::size_t logged);
  /// @name All but options and the log; restore() keeps no log.
  /// @{
  void save(ByteWriter& into) const;
  void restore(ByteReader& from);
  /// @}

 private:
  struct Tracked;
  void estimate_fair_ends();
  void plan();
  void conserve(std::vector<std::uint32_t>& round) const;
  void hold_against_market(const std::vector<Tracked*>& fitting, const std::vector<double>& priorities);
  void predict();
  bool logs() const { return log_.predictions.size() < logged_; }
  template <typename Archive>
  void archive(Archive& a);
  double remaining_of(const Tracked& job) const;

  PlanOptions options_;
  int all_gpus_;  ///< that there are when none has failed
  int replan_rounds_;
  Clock clock_;
  std::size_t logged_;
  PlanLog log_;
  std::map<std::uint32_t, std::unique_ptr<Tracked>> all_;  ///< who is there, by number
  std::vector<Tracked*> present_;                          ///< the same, by arrival
  std::vector<std::vector<std::uint32_t>> plan_;
  std::int64_t round_ = 0, planned_at_ = 0;
  int since_plan_ = 0;
  bool resolve_ = true, estimate_ = true, ended_ = false;
};

}  // namespace ergode
