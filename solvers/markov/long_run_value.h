#pragma once
#include <optional>

#include "core/des/known_slots.h"
#include "solvers/model/analysis_model.h"

namespace ergode {

/// What an expression over drawn charts is in the long run, where theory says it: by the stationary distribution of the
/// chain of generate_states(), without states to which it never comes back. Delays without phases fit too where only
/// their means count (lone_delays()). Where the whole is too large: a sum by its terms of components that do not hang
/// together, and the number of members that are alike and independent by one of them.
///
/// Nothing where what is read hangs on anything but charts, or is no such process; where it may end, in one state that
/// is never left or in several sets of states of which chance takes one; and where that has more than 20,000 states or
/// would take more than a tenth of a second or so: simple operations are counted, so that the answer is the same on
/// every machine.
/// @param model    without measures and parts of other notations; its charts, groups and mission time count
/// @param program  over the slots of its charts
std::optional<LongRunValue> long_run_value(const AnalysisModel& model, const Program& program);

}  // namespace ergode
