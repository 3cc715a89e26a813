#pragma once
#include <cstdint>

#include "core/base/diagnostic.h"
#include "solvers/model/analysis_model.h"

namespace ergode {

/// What trials may cost that are made one after the other, as of the scenarios of a model.
struct TrialBudget {
  std::uint64_t steps = 1'600'000;
  double cpu_s = 2.0;  ///< of this thread; the last resort, where a step costs more than a thousand usual ones
};

/// Tries a model out before it runs, where theory could not say of some place whether those who come become ever more
/// there (LoweredPart::unsettled()): one history, beyond its mission, from a seed of its own, of 50,000 to 800,000
/// steps as long as that leaves a doubt. The same words on every machine, but where the time of the budget is over.
///
/// A place grows where the number there rose in the second half of the time, by sixteen stretches of equal length, by
/// seven standard errors or more. In a place that does not grow the rises of stretches have no mean above zero, so that
/// this is wrong less often than once in 100,000 (Student, 15 degrees of freedom, three looks); places that get all but
/// a few per cent of what they can do, or a few per cent more, are not told apart in that time, and nothing is said.
/// It counts only where the trial has seen what the long run is like: as many came from sources as they send, to 3 % or
/// what chance explains; what follows others was likewise as its known mean says, or where none is known passed its own
/// mean sixteen times, or has stayed the same from half of the mission on to beyond its end.
///
/// Not made, and nothing said: of models with continuous variables, with more than 5,000 components of charts or 2,000
/// unsettled places, or that work with programs from outside; where more than two million customers are there,
/// charts take more than 20,000 steps at one moment, or anything fails, which the run will say.
/// Cost: some 10 ms where all is well, up to some 0.3 s.
/// @returns  what parts say of it (LoweredPart::told_of_growth())
Diagnostics tried_out(const AnalysisModel& model, TrialBudget& budget);

}  // namespace ergode
