#pragma once
#include <memory>

#include "core/des/known_slots.h"
#include "solvers/model/analysis_model.h"

namespace ergode {

/// What expressions over drawn charts are in the long run, where theory says it: by the stationary distribution of the
/// chain of generate_states(), without states to which it never comes back. Delays without phases fit too where only
/// their means count (lone_delays()). Where the whole is too large: a sum by its terms of components that do not hang
/// together, and the number of members that are alike and independent by one of them.
///
/// Asked while a model is built, so that all of it may take some tenths of a second: simple operations are counted, of
/// each expression and of all, and what they would be is weighed before; the answers are the same on every machine. One
/// thread.
class LongRunValues {
 public:
  /// @param model  of which its charts, groups and mission time count; copied
  explicit LongRunValues(const AnalysisModel& model);
  ~LongRunValues();
  /// Null where what is read hangs on anything but charts, or is no such process; where it may end, in one state that
  /// is never left or in several sets of states of which chance takes one; and where that has more than 20,000 states,
  /// or costs too much. Worked out once for each text; valid as long as this.
  /// @param program  over the slots of the model; not constant
  const LongRunValue* of(const Program& program);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// All models that are built from now on are told of their charts by this (know_long_run_by()).
void register_long_run_values();

}  // namespace ergode
