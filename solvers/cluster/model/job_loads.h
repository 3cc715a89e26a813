#pragma once
#include <optional>
#include <string>

#include "core/base/diagnostic.h"
#include "solvers/cluster/model/rental_model.h"

namespace ergode {

/// GPUs that the jobs of one stream keep at work on average, with what they have to do over again.
struct JobLoad {
  double gpus = 0.0;      ///< infinite: a job is never done on average
  bool at_least = false;  ///< it is that or more
};

/// What comes when each job has one GPU (RentalModel::Policy::one_gpu), or of a cluster that is shared when very many
/// jobs share it: each has a small part of a GPU then, works at that part of one GPU's speed, and loses next to nothing
/// by a failure but what it has not saved. So a cluster gets along with what comes if and only if this is less than its
/// GPUs, whatever the policy and the speedups. With c the time of a checkpoint and tau the work between two, work w
/// costs w (1 + c / tau); without checkpoints E[(exp(lambda W) - 1) / lambda], because it begins again at each failure:
/// known of fixed and exponential sizes, of others at least that of their mean (Jensen).
/// @returns nothing where the rate at which they come is not known before, or no more come after some. O(1).
std::optional<JobLoad> load_of(const RentalModel::Rental& rental, const RentalModel::Stream& stream);

/// RNT007 (warning): a shared cluster to which more comes than it can do, so that jobs become ever more and what is
/// observed of those that are done says nothing of the others; or one GPU each that is more than the budget. Names the
/// stream that brings most. The element is the caller's to fill in. Nothing: it gets along, or nobody knows.
/// O(streams).
std::optional<Diagnostic> overload(const RentalModel& model, const RentalModel::Rental& rental);

/// The exponent of heSRPT's shares where nobody gives one. It is made for one speedup k^p: of other speedups p is that
/// of the power function which has the same speed on the whole cluster (of two GPUs at least), of several streams their
/// mean by the work that comes; at most 0.999, as at 1 all GPUs go to the smallest job.
/// @returns nothing where no jobs come. O(streams).
std::optional<double> fitted_exponent(const RentalModel& model, const RentalModel::Rental& rental);

}  // namespace ergode
