#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "solvers/model/analysis_model.h"
#include "statecharts/execute/chart_replication.h"

namespace ergode {

/// Moments that are known in advance: of clocks whose time is fixed or was drawn (repairs apart), of events on their
/// way, and those at which a headline measure asks for a probability. What happens there may need that something failed
/// just before, or shortly after: a coincidence in time that is rare though no failure is.
///
/// Kinds, in order: one per such clock of the model, one for all events on their way, one per headline measure that is
/// a probability at a time (of all such measures when none is headline).
///
/// Follows one path after the other: start(), then look() after every event and before anything else is asked; what is
/// told holds until the next look(). One per thread.
class ScheduledTimes {
 public:
  /// Keeps what it needs of the model. A copy that is never started tells what depends on the model alone: kinds(),
  /// measure_of(), is_clock(), timer_of(), any(), reach_s().
  explicit ScheduledTimes(const AnalysisModel& model);

  std::size_t kinds() const { return timers_.size() + 1 + asked_.size(); }
  /// The number among weighted_measures() of a kind that is a measure's time; else none().
  std::size_t measure_of(std::size_t kind) const {
    return kind <= timers_.size() ? none() : asked_[kind - timers_.size() - 1].measure;
  }
  /// Of a kind that is a clock: which one, by number of the model (CompiledModel::timers).
  bool is_clock(std::size_t kind) const { return kind < timers_.size(); }
  std::uint32_t timer_of(std::size_t kind) const { return timers_[kind]; }
  static constexpr std::size_t none() { return std::numeric_limits<std::size_t>::max(); }
  /// Whether the model can have any moment that is known in advance.
  bool any() const { return any_; }
  /// Moments nearer than this to one of them [s] are told apart by decades: a tenth of the mission.
  double reach_s() const { return 0.1 * horizon_s_; }

  /// A path begins, at any time of the mission.
  void start() { next_ = behind_ = infinity, kind_ = last_kind_ = none(), fresh_ = true; }
  /// Looks at what waits now. @returns whether the moment that was next has come, or the path has just begun.
  /// O(clocks that are kinds + events on their way). @param charts  at rest, of the model this was made of
  bool look(const ChartReplication& charts);

  /// The next one within the mission [s]; infinity: none.
  double next() const { return next_; }
  /// Of which kind it is; none() without one. Of several at one moment the first kind.
  std::size_t kind() const { return kind_; }
  /// Whether the next one is only a time that is asked for: nothing happens then.
  bool next_is_asked() const { return kind_ != none() && measure_of(kind_) != none(); }
  /// The latest that has come [s]; infinity: none.
  double last() const { return behind_; }
  std::size_t last_kind() const { return last_kind_; }
  /// About how many still come up to the end of the mission, the next one included: clocks of constant period as often
  /// as they fit.
  double ahead() const { return ahead_; }
  /// Where a path must stop for it though nothing happens [s], after `now_s`: times asked for, and where the reach of
  /// the next one begins and that of the last ends. Infinity: nowhere.
  double stop(double now_s) const;

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  struct Asked {
    double at_s;          ///< > 0
    std::size_t measure;  ///< among weighted_measures()
  };
  double horizon_s_;
  std::vector<std::uint32_t> timers_;  ///< clocks that are kinds, ascending
  std::vector<Asked> asked_;
  bool any_ = false;
  double next_ = infinity, behind_ = infinity, ahead_ = 0.0;
  std::size_t kind_ = none(), last_kind_ = none();
  bool fresh_ = true;
};

}  // namespace ergode
