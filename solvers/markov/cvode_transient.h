#pragma once
#include <string>
#include <variant>

#include "solvers/markov/uniformisation.h"

namespace ergode {

/// Tolerances of the integration; both > 0.
struct CvodeTolerances {
  double relative = 1e-8;
  double absolute = 1e-14;  ///< of a probability; of an integral, times the last time
};

/// Answers the same question by solving p' = p Q with variable-order backward differentiation formulas, Newton's method
/// and a sparse factorisation (KLU) of the transposed generator: Hindmarsh et al., SUNDIALS, ACM Transactions on
/// Mathematical Software 31(3), 2005. For stiff chains, whose fastest rate times the mission time is too large for
/// uniformisation. Rewards' integrals are integrated along.
///
/// `truncation` and `rounding` of the answer are zero: the error is controlled by the tolerances per step, not bounded,
/// and values may be negative by as much. `error` and `early_end` of the question are not looked at. `steps` of the
/// answer are those of the integration, at most 10 million from one time to the next. Cost: a factorisation whenever
/// the step has changed much, whose operations grow with its fill-in; it cannot be interrupted, so it is estimated
/// beforehand.
/// @param question  its spans must live until the return
/// @throws OverBudget (MKV022) when the factors would take too much memory or work (10^10 operations each, or less
/// where
///         there is less time), RUN003 when the time is over.
/// @returns the answer, or one sentence that says what CVODE could not do.
std::variant<TransientAnswer, std::string> solve_transient_cvode(const SparseGenerator& generator,
                                                                 const TransientQuestion& question,
                                                                 const CvodeTolerances& tolerances = {});

}  // namespace ergode
