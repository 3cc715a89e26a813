#pragma once
#include <optional>

#include "core/des/known_slots.h"

namespace ergode {

/// Servers that work in the mean at a station where somebody always waits, and whose number changes by a chain: when it
/// falls those too many finish what they began. Services are exponential, so who has begun when is forgotten: a Markov
/// chain of the state of `servers` and how many work, solved by solve_long_run().
/// @param servers    values are whole numbers >= 0
/// @param service_s  mean, > 0 [s]
/// @returns nothing where there would be more than 20,000 states, or some tenths of a second to work
std::optional<double> working_in_the_mean(const ValueChain& servers, double service_s);

}  // namespace ergode
