#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/results/result_table.h"
#include "solvers/cluster/model/round_model.h"
#include "solvers/cluster/rounds/fairness.h"
#include "solvers/cluster/rounds/shockwave_planner.h"

namespace ergode {

/// What happened at one round scheduler, as its tables tell it: of a trace its schedule, of jobs that are drawn, or of
/// hosts that fail, the first history of a run.
struct RoundHistory {
  static constexpr double not_yet = std::numeric_limits<double>::infinity();

  struct Row {
    std::string name;                                     ///< empty: it is `number`
    std::uint32_t number = 0, stream = RoundModel::none;  ///< place in the trace, or among those of its stream
    RoundJob job;
    std::string trains;  ///< model, or the stream whose jobs train none
    bool counts_steps = true;
    std::size_t epochs = 1;
    double exclusive_s = 0.0;
    std::string batches;  ///< JobProfile::schedule()
    double start_s = not_yet, finish_s = not_yet;
    double rho = std::numeric_limits<double>::quiet_NaN(), rho_contended = rho;
    std::int64_t rounds = 0, preemptions = 0;
    double held_gpu_s = 0.0;  ///< of rounds in which it ran, until the end of the run
    std::int64_t restarts = 0;
    double lost_s = 0.0;
    bool runs = false, rejected = false;  ///< now; for ever
    bool lost_host = false;               ///< and has not run since then
  };
  /// A job in rounds one after the other.
  struct Stretch {
    std::uint32_t row = 0;
    double from_s = 0.0, to_s = 0.0;
  };
  bool exact = true;          ///< nothing of it is drawn
  std::vector<Row> rows;      ///< by arrival
  std::vector<Round> rounds;  ///< jobs by row
  std::vector<Stretch> stretches;
  PlanLog plans;
  Fairness totals;  ///< without what is by job
  std::int64_t all_rounds = 0;
  std::size_t untold = 0;  ///< further jobs, which have no row
  std::size_t untold_rounds = 0;

  std::string name_of(std::uint32_t row) const {
    return rows[row].name.empty() ? std::to_string(rows[row].number) : rows[row].name;
  }
};

/// `schedule`: one row; `jobs`: one a job; `rounds`: one a round; `gantt`: one a stretch of rounds of a job; where
/// there are any, `left_out` of its own trace, and of Shockwave `predictions`, `market` and `market_prices`.
/// @param suffix  of names
/// @returns tables without the name of a solver. O(their rows)
std::vector<ResultTable> round_tables(const RoundModel::Scheduler& scheduler, const RoundHistory& history, double end_s,
                                      const std::string& suffix);

}  // namespace ergode
