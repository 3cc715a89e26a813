#pragma once
#include <atomic>
#include <cstdint>
#include <optional>

#include "core/base/diagnostic.h"
#include "solvers/model/analysis_model.h"

namespace ergode {

/// How far a replication that is under way has come, for whoever waits for the first one: some rates make so many
/// events that none ever ends. Workers tell it where they look whether to stop, never with every event; nothing that is
/// told changes a number. Thread-safe without a lock: telling is one relaxed store; of several workers the last one
/// counts.
class ReplicationPulse {
 public:
  /// @param events  of this replication so far; kept with seven digits, as it is for people
  /// @param share   of the mission that has passed, 0 to 1; NaN: not known
  void tell(std::uint64_t events, double share) { told_.store(packed(events, share), std::memory_order_relaxed); }

  /// Of the mission, as it was told last; NaN: not known, or nothing was told.
  double share() const;

  /// RUN031, a warning: nothing has ended although somebody waited so long [s], with what was told last, if anything
  /// was, and, where the share is known, how many events and how long the whole mission would take. Nothing while it
  /// is to end within `soon_s` at the pace so far.
  /// @param model  whose mission and unit of time the text names
  std::optional<Diagnostic> late(const AnalysisModel& model, double waited_s) const;

  static constexpr double soon_s = 20.0;

 private:
  /// Both in one word, so that they belong together.
  static std::uint64_t packed(std::uint64_t events, double share);
  std::atomic<std::uint64_t> told_{0};
};

/// After how many events of the model a worker looks whether to stop: about every 10 ms at most, also where one event
/// sets all components going: 65,536 over the number of components, at least 1 and at most 1,024.
std::uint32_t events_between_polls(const CompiledModel& model);

}  // namespace ergode
