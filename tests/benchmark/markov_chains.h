#pragma once
#include "tests/benchmark/benchmark.h"

namespace ergode::bench {

/// Markov chains: transient solution of a million states, generation of states.
std::vector<Named> markov_benchmarks();

}  // namespace ergode::bench
