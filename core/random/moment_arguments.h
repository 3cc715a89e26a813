#pragma once
#include <optional>
#include <vector>

#include "core/random/distribution.h"

namespace ergode {

/// Arguments with which a form has this mean and squared coefficient of variation: of forms of one or two arguments
/// that follow from them in closed form (a shape of weibull by bisection), and of hyperexponential with balanced means.
/// @param mean  > 0; as wrong_moments() has it
/// @param scv   variance over squared mean, >= 0; likewise
/// @returns nothing: the form has no such law, or other arguments would not be decided by the two.
std::optional<std::vector<NamedArgument>> arguments_of_moments(const DistributionForm& form, double mean, double scv);

/// The shape, from 0.05 to 1000, whose Weibull law has this squared coefficient of variation; nothing where there is
/// none. By bisection: some 200 steps.
std::optional<double> weibull_shape(double scv);

}  // namespace ergode
