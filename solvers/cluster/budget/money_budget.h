#pragma once
#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "solvers/cluster/budget/width_plan.h"

namespace ergode {

/// What GPUs cost, per GPU and time: a number of them is reserved and paid whether used or not, and used first; what
/// goes beyond is paid by use.
struct GpuPrices {
  double reserved = 0.0;        ///< GPUs, >= 0
  double reserved_price = 0.0;  ///< >= 0
  double price = 0.0;           ///< of those beyond, >= 0
};

/// Jobs of one width that are there on average.
struct HeldGpus {
  double gpus = 1.0, jobs = 0.0;
};

/// E[(K - reserved)+]: GPUs in use beyond those that are reserved, on average, where arrivals are Poisson and nobody
/// waits (M/G/infinity, a compound Poisson number). Exact (Panjer, 1981) where widths and `reserved` are whole; else
/// widths are spread over the two next multiples of reserved / 4000 with their mean. Beyond 600 jobs by the normal law.
/// O(widths * steps).
double mean_excess(std::span<const HeldGpus> held, double reserved);

/// Money per time on average.
double mean_spend(std::span<const HeldGpus> held, const GpuPrices& prices);

/// How long a job of this type holds its GPUs when it has so many, on average, what is lost and done again included;
/// infinite where it is never done.
using HeldTime = std::function<double(std::size_t type, double gpus)>;

/// What one GPU for each job costs per time, the least that any plan does. Infinite: a job is never done.
double least_spend(std::span<const JobType> types, const GpuPrices& prices, const HeldTime& held);

/// How many GPUs on average so much money buys: the greatest budget whose plan spends no more, at most 1e8.
///
/// @param money  per time; finite, at least least_spend()
/// @param least  budget of the cheapest plan
/// @param plan   the widths that a budget of GPUs buys, or why not; GPUs held rise with the budget
/// 60 to 90 plans.
double budget_of_money(double money, double least, std::span<const JobType> types, const GpuPrices& prices,
                       const std::function<std::variant<WidthPlan, std::string>(double budget)>& plan,
                       const HeldTime& held);

}  // namespace ergode
