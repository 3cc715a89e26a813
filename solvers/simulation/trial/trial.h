#pragma once
#include "core/base/diagnostic.h"
#include "solvers/model/analysis_model.h"

namespace ergode {

/// Tries a model out before it runs, where theory could not say of some place whether those who come become ever more
/// there (LoweredPart::unsettled()): one history beyond its mission, from a seed of its own, of 50,000 to 800,000 steps
/// as long as that leaves a doubt.
///
/// A place grows where the number there rose in the second half of the time, by sixteen stretches of equal length, by
/// seven standard errors or more. In a place that does not grow the rises of stretches have no mean above zero, so that
/// this is wrong less often than once in 100,000 (Student, 15 degrees of freedom, three looks); places that get all but
/// a few per cent of what they can do, or a few per cent more, are not told apart in that time, and nothing is said.
/// It counts only where the trial has seen what the long run is like: as many came from sources as they send, to 3 %;
/// what follows charts was as its known mean says, to 3 % or what chance explains, or where none is known passed its
/// own mean sixteen times, or the mission had ended before.
///
/// Cost: up to some 0.3 s, after 2 s it ends without a word. The same words on every machine, but for that.
/// @returns  what parts say of it (LoweredPart::told_of_growth())
Diagnostics tried_out(const AnalysisModel& model);

}  // namespace ergode
