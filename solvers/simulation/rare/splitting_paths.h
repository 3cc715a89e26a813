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
///
/// In the order begin(), then stage() from level to level and finish(), or travel() by hand, then account(). The same
/// number of path and the same state give the same path, bit for bit, on any thread; that is how a state in the middle
/// of a step is come by again. Model failures leave as ModelFailure.
class SplittingPaths {
 public:
  /// @param source  must outlive it; its levels and options are not read
  explicit SplittingPaths(const SplittingSource& source);

  /// A moment from which paths go on. Its weight is that of its chances, with a factor for how it was picked; what it
  /// stands for beside that is the stage's.
  struct State {
    ModelHistory::Saved history;              ///< only where `started`
    std::vector<BiasedChances::Joint> joint;  ///< by group
    PathWeight weight{{}};
    bool started = false;   ///< false: the beginning of the mission, in the middle of its first step
    bool stepping = false;  ///< the next step begins with `decisions`
    std::vector<BiasedChances::Decisions> decisions;
  };

  /// States at one level, and how often each is gone on from: half equally, so that a state that is unlike the others
  /// is not lost, and half in proportion to its weight, so that a heavy one does not stand on a single path.
  struct Pool {
    std::vector<State> states;  ///< the first `size` are in use
    std::size_t size = 0;
    std::vector<double> cumulative;  ///< of the shares of the picks
    std::vector<double> correction;  ///< equal share over the state's own
    /// Works out shares and corrections from the weights of the states; before pick(). O(size).
    void weigh();
  };

  /// A repetition begins: what was recorded, counted and visited is forgotten.
  /// @param first  number of the first path; every path of a run has its own.
  void begin(std::uint64_t first);
  WeightedRecorder& recorder() { return recorder_; }
  /// From the stream of the latest path, or of the repetition before its first.
  double uniform() { return stream_.uniform(); }
  /// Enters the model as a path of its own and looks at its importance at rest at time zero. Uses up a number.
  double importance_at_start();

  enum class End {
    reached,  ///< the level, or a condition of some measure holds
    over,     ///< the mission ended before
    given_up
  };
  /// Goes on from a saved state, or starts when there is none, with draws of its own, until the importance is at least
  /// `level` or a condition holds, else to the end of the mission. Looks at `give_up` every 1,024 steps.
  /// @param from     null, or a state of this model, which is left as it is
  /// @param share    what the path stands for, times the weight it brings along
  /// @param level    infinity: only conditions end it, and nothing is looked at in the middle of steps
  /// @param highest  gets the greatest importance that was seen, infinity when a condition held.
  End travel(const State* from, double share, double level, const std::atomic<bool>& give_up,
             double* highest = nullptr);
  /// The last stage: `effort` paths to the end of the mission, recorded, each until nothing more can be learnt from it.
  /// @param share  weight of all of them over their number. @returns false: given up.
  bool finish(std::uint64_t effort, double share, const Pool& from, const std::atomic<bool>& give_up);

  /// One stage: `effort` paths from the states in `from` (none: the start), each standing for `share`; the states at
  /// `level` come to `to`. @returns false: given up.
  bool stage(std::uint64_t effort, double share, const Pool& from, double level, Pool& to,
             const std::atomic<bool>& give_up);
  /// Systematic sampling by the pool's shares: of `effort` picks with one `offset` in [0, 1), drawn once for all,
  /// number `j`. A null state: the pool is empty, the path begins at time zero. O(log size).
  struct Picked {
    const State* state = nullptr;  ///< of the pool, valid as long as it is left alone
    double correction = 1.0;       ///< factor on the weight that makes up for the unequal shares
  };
  static Picked pick(const Pool& from, std::uint64_t j, std::uint64_t effort, double offset);

  /// Adds what was done since begin(): events, fingerprint of the paths of the last stage, visits, which are cleared.
  void account(Tallies& into, std::uint64_t replication);

 private:
  bool to_the_end(const State* from, double share, const std::atomic<bool>& give_up);
  void set_out(const State* from, std::uint64_t path, double share);
  bool step(double end);
  void renew_exponential_clocks();
  void save_after(const State* from, State& into, const std::atomic<bool>& give_up);
  /// Makes so many steps of the path again, or fewer when it is given up.
  void step_again(std::uint64_t steps, const std::atomic<bool>& give_up);
  void tell_pulse();
  double value() { return importance(history_.charts()); }
  double importance(const ChartReplication& charts) const;

  /// Of Advance: what its stretches of time tell goes to the recorder and the visits.
  struct Watch {
    SplittingPaths& paths;
    void until(double next_s) { paths.move_on(next_s); }
    void follow(double from_s, double to_s, ContinuousPath& path) { paths.flow(from_s, to_s, path); }
  };
  void move_on(double next_s);
  void flow(double from_s, double to_s, ContinuousPath& path);

  const SplittingSource& source_;
  const AnalysisModel& model_;
  std::uint64_t stream_key_;
  ModelHistory history_;
  PathVisits visits_;
  ScheduledTimes times_;
  std::vector<std::pair<std::size_t, double>> near_;  ///< scratch: clocks of failures, place and rate
  BiasedChances chances_;
  WeightedRecorder recorder_;
  PathWeight weight_;
  std::vector<std::uint64_t> keys_;  ///< of the streams of the charts
  RandomStream stream_;
  ModelHistory::Saved fresh_;  ///< scratch: a saved history with streams of its own
  Watch watch_{*this};
  std::uint64_t next_path_ = 0, path_ = 0;          ///< numbers of the next path and of the present one
  bool renew_ = false;                              ///< exponential clocks are drawn anew after the next step
  std::uint64_t steps_ = 0;                         ///< since setting out; the first step of the mission is none
  double level_ = 0.0;                              ///< looked for in the middle of steps
  double inside_ = 0.0;                             ///< greatest importance seen there
  bool crossed_inside_ = false;                     ///< the level was reached there,
  std::vector<BiasedChances::Decisions> crossing_;  ///< after these decisions
  double crossed_flowing_s_ = -1.0;                 ///< when the level was reached while values flow; < 0: it was not
  /// Of all paths, those of common ancestors once; what the present path had seen when it set out.
  std::uint64_t events_ = 0, events_before_ = 0, fingerprint_ = 0;
};

}  // namespace ergode
