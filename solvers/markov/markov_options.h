#pragma once
#include <cstdint>
#include <string>

#include "core/study/run_option.h"

namespace ergode {

/// What can be asked of the Markov solvers.
struct MarkovOptions {
  std::string method = {};              ///< One of SolverSpec::methods; empty: the solver's own choice.
  double error_bound = 1e-12;           ///< Numerical error that may be made, per unit of reward.
  std::uint64_t state_limit = 2000000;  ///< States at which they give up.
  bool lumping = true;                  ///< Interchangeable components are counted instead of named.
};

const OptionTable<MarkovOptions>& markov_options();

}  // namespace ergode
