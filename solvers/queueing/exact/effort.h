#pragma once
#include <string>

#include "core/base/text.h"
#include "core/study/budget.h"

namespace ergode {

/// What an algorithm of this folder does against what it may: counted in portions that are worth asking for.
///
///     Effort effort(budget);
///     effort.foresee(states * stations, "The recursion over 1e8 populations");   // before anything is begun
///     for (...) effort.spend(stations);
class Effort {
 public:
  /// @param budget  outlives this
  explicit Effort(const Budget& budget) : budget_(budget) {}
  /// @throws OverBudget (QUE104) when so many operations are more than are left; `what` begins the message.
  void foresee(double operations, const std::string& what) const {
    if (!(operations > budget_.operations())) return;
    throw OverBudget{{.code = "QUE104",
                      .message = what + " would take " + number_text(operations, 3) +
                                 " operations; allowed: " + budget_.operations_text() + ".",
                      .hint = "Ask for it alone, or for all solvers; approximations take any population."}};
  }
  /// @throws OverBudget (QUE104) when so many bytes are more than may be taken at once.
  void foresee_bytes(double bytes, const std::string& what) const { budget_.allow_bytes(bytes, "QUE104", what); }
  /// Counts operations that are being done. Some nanoseconds.
  /// @throws OverBudget (RUN003) when the work or the time is over, or when somebody has asked to stop.
  void spend(double operations) {
    pending_ += operations;
    if (pending_ >= portion) settle();
  }

 private:
  static constexpr double portion = 1e6;  // a few milliseconds
  void settle() {
    budget_.spend(pending_);
    pending_ = 0.0;
    if (budget_.stop_requested()) throw OverBudget{{.code = "RUN003", .message = "It was stopped."}};
  }
  const Budget& budget_;
  double pending_ = 0.0;
};

}  // namespace ergode
