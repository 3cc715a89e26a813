#pragma once
#include <cstdint>
#include <string>

#include "core/study/run_option.h"

namespace ergode {

/// What can be asked of the Markov solvers.
struct MarkovOptions {
  std::string method = {};              ///< One of SolverSpec::methods; empty: the solver's own choice.
  double error_bound = 1e-12;           ///< Numerical error that may be made, per unit of reward; in (0, 1).
  std::uint64_t state_limit = 2000000;  ///< States at which they give up, 1 to 10^9; of each module where it is apart.
  bool lumping = true;                  ///< Interchangeable components are counted, what does not matter is left out.
};

/// Flags, forms, help and checks of these options; made once, for all threads.
const OptionTable<MarkovOptions>& markov_options();

}  // namespace ergode
