#pragma once
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

#include "core/base/diagnostic.h"
#include "statecharts/execute/chart_replication.h"

namespace ergode {

/// What a replication could not go on with, with its place in the model; of several the first replication's, whichever
/// thread came first. A run ends at the first exception, so of replications that would fail too and were not begun
/// nothing is known. Thread-safe: a lock for each failure, none otherwise.
class FirstFailure {
 public:
  /// Keeps the failure unless one of the same or an earlier replication is known.
  void note(std::uint64_t replication, Diagnostic failure) {
    const std::lock_guard lock(mutex_);
    if (failure_ && replication_ <= replication) return;
    failure_ = std::move(failure);
    replication_ = replication;
  }
  /// What `run` returns; a model that cannot go on is noted on its way out.
  /// @throws ModelFailure  as `run` threw it, after it was noted. Other exceptions pass unnoted.
  template <class Run>
  auto noting(std::uint64_t replication, Run run) {
    try {
      return run();
    } catch (const ModelFailure& failure) {
      note(replication, failure.diagnostic);
      throw;
    }
  }
  /// A copy; nothing when no model failure was noted.
  std::optional<Diagnostic> get() const {
    const std::lock_guard lock(mutex_);
    return failure_;
  }

 private:
  /// Over what follows.
  mutable std::mutex mutex_;
  std::optional<Diagnostic> failure_;
  /// Of `failure_`.
  std::uint64_t replication_ = 0;
};

}  // namespace ergode
