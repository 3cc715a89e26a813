#pragma once
#include <optional>

#include "core/des/known_slots.h"
#include "solvers/model/analysis_model.h"

namespace ergode {

/// What an expression over drawn charts is in the long run, where theory says it: the chain of generate_states() with
/// its stationary distribution, without states to which it never comes back.
///
/// Delays without phases fit too where each is alone: nothing else leads out of its state, and the component hangs on
/// nobody and nobody on it. Then it is a semi-Markov process, of whose delays only the means count in the long run
/// (Cinlar, Introduction to Stochastic Processes, 1975, section 10.5): what is told is its chain with exponential ones
/// (ValueChain::memoryless is false). Components of that kind are independent of the others in the long run, whose
/// cycles are not all of one length; of a second one of which that is not known there is no answer.
///
/// Nothing where what is read hangs on anything but charts or is no such process; where it may end, in one state that
/// is never left or in several sets of states of which chance takes one; and where that has more than 20,000 states or
/// would take more than a tenth of a second or so: simple operations are counted, so that the answer is the same on
/// every machine.
/// @param model    without measures and parts of other notations; its charts, groups and mission time count
/// @param program  over the slots of its charts
std::optional<ValueChain> value_chain(const AnalysisModel& model, const Program& program);

}  // namespace ergode
