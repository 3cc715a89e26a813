#pragma once
#include <optional>
#include <span>

#include "core/base/diagnostic.h"
#include "core/random/distribution.h"
#include "solvers/model/analysis_model.h"

namespace ergode {

/// Most phases of one delay; with more it has none (MKV005).
inline constexpr std::size_t most_phases = 1000;
/// Most members of a common-cause group that can be exposed to one shock in states that are told apart; more are
/// MKV011. Of 16 single ones 2^16 sets are gone through in each state.
inline constexpr std::size_t most_struck = 16;

/// Why a model is no continuous-time Markov chain with countably many states: one error per element that prevents it.
/// Clocks whose transition can never be taken (a rate of zero, a guard that never holds) prevent nothing. Empty: it is
/// one, though perhaps too large.
///
/// MKV001 fixed delay, MKV002 at, MKV003 every, MKV004 delayed event, MKV005 delay that has no phases, MKV006 something
/// depends on `now`, MKV007 continuous variable, MKV008 phases kept while their state is left, MKV009 shock that acts
/// after a delay; SOL004 something of another notation runs. (MKV010 too many states, MKV011 too many outcomes of a
/// shock: found only while generating.) Of members of an array that are alike the first is named. O(tables of the
/// model).
/// @param among  only what these components do is asked, ascending; none: all do
Diagnostics why_not_markov(const AnalysisModel& model, std::span<const std::uint32_t> among = {});

/// The phases of a clock that waits for a delay (rates in [1/s]); nothing when it is no such clock, or its distribution
/// is not made of at most most_phases phases.
std::optional<Phases> phases_of(const CompiledModel& charts, const TimerSpec& timer);

}  // namespace ergode
