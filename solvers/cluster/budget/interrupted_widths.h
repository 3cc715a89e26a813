#pragma once
#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "solvers/cluster/budget/interruptions.h"
#include "solvers/cluster/budget/width_plan.h"

namespace ergode {

/// What a number of GPUs comes to for one type of job that is interrupted: a corner of what is worth its money.
struct WidthCorner {
  double gpus = 1.0;
  double cost = 0.0;  ///< GPUs held on average
  double jobs = 0.0;  ///< present on average
};

/// The widths that are worth their GPUs: the lower hull of (cost, jobs), from the cheapest to the fastest. With
/// interruptions more GPUs make a job faster up to some number only, and with them nobody pays for less.
///
/// @param rate   of jobs
/// @param tried  numbers of GPUs, ascending from 1; not empty. Where twenty one after the other are slower than a
///     narrower one the rest is not tried.
/// @param means  time and time with GPUs of a job that has so many
/// @returns at least one corner; its cost is infinite where a job with one GPU is never done.
std::vector<WidthCorner> worthwhile_widths(double rate, std::span<const double> tried,
                                           const std::function<InterruptedMeans(double gpus)>& means);

/// What to try of a speedup: the corners of a table, else widths 4 % apart up to the most that it can use (1e6), whole
/// ones where GPUs are whole.
std::vector<double> widths_to_try(const Speedup& speedup, bool whole);

/// Widths of least mean response time with at most `budget` GPUs held on average, interruptions counted: all types
/// begin at their cheapest corner, and the steepest segments of all hulls are bought first, the last in part, so that
/// at most one type mixes two widths. What brings nothing is not bought.
/// @returns the plan, or a sentence: the budget is below the cheapest corners. O(corners log corners).
std::variant<WidthPlan, std::string> interrupted_widths(const std::vector<std::vector<WidthCorner>>& types,
                                                        double budget);

}  // namespace ergode
