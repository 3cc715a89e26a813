#include "solvers/cluster/model/job_loads.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/text.h"

namespace ergode {
namespace {

constexpr auto endless = std::numeric_limits<double>::infinity();

/// GPU-time of a job that begins again at each failure, on a small part of a GPU.
JobLoad over_again(const Distribution& size, double failure_rate) {
  const double mean = size.mean(), x = failure_rate * mean;
  if (size.family() == Distribution::Family::exponential) return {x < 1.0 ? mean / (1.0 - x) : endless};
  return {std::expm1(x) / failure_rate, size.family() != Distribution::Family::deterministic};
}

std::string gpus_text(const JobLoad& load) {
  if (std::isinf(load.gpus)) return "more GPUs than there can be";
  return (load.at_least ? "at least " : "") + number_text(load.gpus, 6) + " GPUs";
}

}  // namespace

std::optional<JobLoad> load_of(const RentalModel::Rental& rental, const RentalModel::Stream& stream) {
  const auto rate = stream.mean_rate();
  if (!rate || stream.most_jobs != jobs_without_end) return std::nullopt;
  JobLoad out{stream.size.mean()};
  // Who starts up in a cluster keeps nobody from working.
  if (!rental.shares()) out.gpus += stream.start_up_s + rental.of(rental.beyond()).start_up_s;
  else if (!std::isinf(rental.checkpoint_period_s))
    out.gpus *= 1.0 + rental.checkpoint_cost_s / rental.checkpoint_period_s;
  else if (rental.failure_rate > 0.0) out = over_again(stream.size, rental.failure_rate);
  out.gpus *= *rate;
  return out;
}

std::optional<Diagnostic> overload(const RentalModel& model, const RentalModel::Rental& rental) {
  JobLoad all, most;
  const RentalModel::Stream* heaviest = nullptr;
  for (const std::uint32_t s : rental.streams) {
    const auto one = load_of(rental, model.streams[s]);
    if (!one) return std::nullopt;
    all.gpus += one->gpus, all.at_least = all.at_least || one->at_least;
    if (heaviest == nullptr || one->gpus > most.gpus) most = *one, heaviest = &model.streams[s];
  }
  Diagnostic out{.severity = Severity::warning, .code = "RNT007", .pointer = "budget"};
  if (!rental.shares()) {
    if (!(all.gpus > rental.budget)) return std::nullopt;
    out.message = "One GPU for each job takes " + gpus_text(all) + " on average, and the budget is " +
                  number_text(rental.budget, 6) + ".";
    return out;
  }
  if (heaviest == nullptr || all.gpus < rental.cluster()) return std::nullopt;
  const bool again = rental.interrupted();
  out.message = "Jobs bring work for " + gpus_text(all) + (again ? " with what they do over again and save" : "") +
                (rental.streams.size() > 1 ? ", most of it \"" + heaviest->name + "\" (" + gpus_text(most) + ")"
                                           : ", all of it \"" + heaviest->name + "\"") +
                ", and the cluster has " + number_text(rental.cluster(), 6) +
                ": ever more are there, and response times are of those alone that were done before the end.";
  out.hint = again ? "Give it a greater budget, or save in other steps." : "Give it a greater budget.";
  return out;
}

std::optional<double> fitted_exponent(const RentalModel& model, const RentalModel::Rental& rental) {
  constexpr double greatest = 0.999;
  const double gpus = std::max(2.0, rental.cluster());
  double weighted = 0.0, all = 0.0;
  for (const std::uint32_t s : rental.streams) {
    const RentalModel::Stream& one = model.streams[s];
    const double load = one.mean_rate().value_or(1.0) * one.size.mean();
    const bool power = one.speedup.family() == Speedup::Family::power && one.speedup.most() >= gpus;
    const double p = power ? one.speedup.parameter() : std::log(one.speedup.speed(gpus)) / std::log(gpus);
    weighted += load * p, all += load;
  }
  if (!(all > 0.0)) return std::nullopt;
  return std::clamp(weighted / all, 0.0, greatest);
}

}  // namespace ergode
