#pragma once
#include <atomic>
#include <cstdint>
#include <vector>

#include "solvers/simulation/model_history.h"
#include "solvers/simulation/rare/biased_chances.h"
#include "solvers/simulation/rare/splitting.h"
#include "solvers/simulation/rare/weighted_recorder.h"

namespace ergode {

/// Paths of one thread: from the start or from a saved state to the next level or the end.
///
/// A level may be reached in the middle of a step, with a branch or a demand still undecided. Where that happens the
/// state before the step is saved together with the decisions made in it so far: whoever goes on repeats them, and
/// decides the others anew.
class SplittingPaths {
 public:
  explicit SplittingPaths(const SplittingSource& source);

  struct State {
    ModelHistory::Saved history;
    std::vector<BiasedChances::Joint> joint;
    PathWeight weight{{}};
    bool started = false;   ///< false: the beginning of the mission, in the middle of its first step
    bool stepping = false;  ///< the next step begins with `decisions`
    std::vector<BiasedChances::Decisions> decisions;
  };

  /// @param first  number of the first path; every path of a run has its own.
  void begin(std::uint64_t first);
  WeightedRecorder& recorder() { return recorder_; }
  double uniform() { return stream_.uniform(); }
  double importance_at_start();

  enum class End { reached, over, given_up };
  /// Goes on from a saved state, or starts when there is none, with draws of its own, until the importance is at least
  /// `level` or a condition holds, else to the end of the mission.
  /// @param share    what the path stands for, times the weight it brings along
  /// @param highest  gets the greatest importance that was seen, infinity when a condition held.
  End travel(const State* from, double share, double level, const std::atomic<bool>& give_up,
             double* highest = nullptr);
  /// Goes on from a state to the end of the mission and records. @returns false: given up.
  bool finish(const State* from, double share, const std::atomic<bool>& give_up);

  /// One stage: `effort` paths from the states in `from` (none: the start), each standing for `share`; the states at
  /// `level` come to `to`. @returns false: given up.
  bool stage(std::uint64_t effort, double share, const std::vector<State>& from, std::size_t from_size, double level,
             std::vector<State>& to, std::size_t& to_size, const std::atomic<bool>& give_up);
  /// Systematic sampling: every state is gone on from equally often in the mean.
  static const State* pick(const std::vector<State>& from, std::size_t size, std::uint64_t j, std::uint64_t effort,
                           double offset);

  /// What was done since begin(); clears it.
  void account(Tallies& into, std::uint64_t replication);

 private:
  void set_out(const State* from, std::uint64_t path, double share);
  bool step(double end);
  void renew_exponential_clocks();
  void save_after(const State* from, State& into);
  double value() { return importance(history_.charts()); }
  double importance(ChartReplication& charts) const;

  struct Watch {
    SplittingPaths& paths;
    void until(double next_s, ChartReplication& charts) { paths.move_on(next_s, charts); }
    void follow(double, double, ContinuousPath&) {}
  };
  void move_on(double next_s, ChartReplication& charts);

  const AnalysisModel& model_;
  std::uint64_t stream_key_;
  ModelHistory history_;
  BiasedChances chances_;
  WeightedRecorder recorder_;
  PathWeight weight_;
  std::vector<std::uint64_t> keys_;
  RandomStream stream_;
  ModelHistory::Saved fresh_;
  Watch watch_{*this};
  std::uint64_t next_path_ = 0, path_ = 0;
  bool renew_ = false;                              ///< exponential clocks are drawn anew after the next step
  std::uint64_t steps_ = 0;                         ///< since setting out; the first step of the mission is none
  double level_ = 0.0;                              ///< looked for in the middle of steps
  double inside_ = 0.0;                             ///< greatest importance seen there
  bool crossed_inside_ = false;                     ///< the level was reached there,
  std::vector<BiasedChances::Decisions> crossing_;  ///< after these decisions
  std::uint64_t events_ = 0, fingerprint_ = 0;
};

}  // namespace ergode
