#pragma once
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "core/random/distribution.h"

namespace ergode {

/// make_distribution() of a form that was found before, with the arguments that it wants: for laws whose arguments
/// change with every draw. Values are checked as there. No allocation but of the sentence and the tables of laws that
/// have some; a dozen comparisons of short words.
/// @param args  those of one form, as find_distribution_form() wants them, each with as many values as it takes.
std::variant<Distribution, std::string> remake_distribution(std::string_view family,
                                                            std::span<const NamedArgument> args);

}  // namespace ergode
