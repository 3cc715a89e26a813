#pragma once
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

#include "core/base/diagnostic.h"
#include "statecharts/execute/chart_replication.h"

namespace ergode {

/// What a replication could not go on with, with its place in the model; of several the first replication's.
/// Thread-safe.
class FirstFailure {
 public:
  void note(std::uint64_t replication, Diagnostic failure) {
    const std::lock_guard lock(mutex_);
    if (failure_ && replication_ <= replication) return;
    failure_ = std::move(failure);
    replication_ = replication;
  }
  /// What `run` returns; a model that cannot go on is noted on its way out.
  template <class Run>
  auto noting(std::uint64_t replication, Run run) {
    try {
      return run();
    } catch (const ModelFailure& failure) {
      note(replication, failure.diagnostic);
      throw;
    }
  }
  std::optional<Diagnostic> get() const {
    const std::lock_guard lock(mutex_);
    return failure_;
  }

 private:
  mutable std::mutex mutex_;
  std::optional<Diagnostic> failure_;
  std::uint64_t replication_ = 0;
};

}  // namespace ergode
