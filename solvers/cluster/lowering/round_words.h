#pragma once
#include "solvers/cluster/lowering/rental_words.h"
#include "solvers/cluster/rounds/round_simulation.h"

namespace ergode {

inline constexpr RentalWord<RoundPolicy> round_policy_words[] = {
    {"max_min", "max-min fairness (Gavel)", RoundPolicy::max_min},
    {"mst", "most steps a second (maximum sum of throughputs)", RoundPolicy::max_sum},
    {"gandiva_fair", "equal parts of the rounds (Gandiva-Fair)", RoundPolicy::gandiva_fair},
    {"allox", "least mean completion time (AlloX)", RoundPolicy::allox},
    {"ossp", "all done as soon as can be (OSSP)", RoundPolicy::ossp},
    {"themis", "finish-time fairness (Themis)", RoundPolicy::themis},
    {"shockwave", "plans of future rounds (Shockwave)", RoundPolicy::shockwave}};

/// As tables call them.
inline constexpr RentalWord<BatchMode> batch_mode_words[] = {
    {"static", "never", BatchMode::fixed},
    {"accordion", "outside of critical epochs (Accordion)", BatchMode::accordion},
    {"gns", "as the gradient noise grows (GNS)", BatchMode::gns}};

inline constexpr RentalWord<bool> planning_words[] = {{"programme", "an integer programme", false},
                                                      {"heuristic", "marginal gains: faster, less good", true}};

}  // namespace ergode
