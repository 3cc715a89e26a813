#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/expression/program.h"

namespace ergode {

/// An expression that is a constant plus multiples of slots, so that its mean is the same of their means, whatever
/// their joint law: desk.busy / 2, 3 * (a.number - b.number) + 1.
struct LinearForm {
  double constant = 0.0;
  std::vector<std::pair<std::uint32_t, double>> of;  ///< slot and factor, not 0, by slot
};
/// @returns nothing where it is something else: a product of two slots, a condition, a function of one. O(code * slots)
std::optional<LinearForm> linear_form(const Program& program);

/// The mean of a linear expression.
struct LinearMean {
  double value = 0.0;  ///< [SI]
  double magnitude =
      0.0;  ///< sum of the absolute values of its terms: what rounding and errors of them are relative to
};
/// @param mean_of_slot  the mean of a slot [SI], or why it is not known: half a sentence
/// @returns  why it is not known, with the first of such slots.
std::variant<LinearMean, std::string> linear_mean(
    const Program& program, const std::function<std::variant<double, std::string>(std::uint32_t slot)>& mean_of_slot);

}  // namespace ergode
