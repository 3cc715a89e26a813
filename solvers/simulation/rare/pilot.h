#pragma once
#include <memory>
#include <string>

#include "core/study/solver.h"
#include "solvers/model/analysis_model.h"

namespace ergode {

/// Which method `--variance-reduction auto` takes for a model, and why.
struct MethodChoice {
  std::string method = "none";  ///< none, failure-biasing, splitting
  std::string reason;           ///< one sentence for people, with what the pilot runs measured
};

/// Tries plain simulation and the methods for rare events that fit the model in short runs, and takes the one that
/// needs the least work for the precision of the worst measure that counts (measures_that_count(): those that the run
/// waits for, each for what is wanted of it, or else the headline ones): work times squared relative standard error,
/// where work counts events and not seconds, so that every machine makes the same choice. A method counts only while
/// its weights can be trusted (weights_trusted()) and its estimates and those of plain simulation agree within 4.5
/// standard errors. Where the two methods disagree with each other both try again twice, longer as far as their rounds
/// go; if they still do, the one that sees less is dropped. Plain simulation is taken when no method is left, or none
/// at least three times better, since it alone answers every measure. Cancelling ends the choice with "none".
///
/// Takes about as long as 200,000 replications where a method is trusted at once. Failure biasing that is not makes up
/// to 1.4 million paths in all, each round four times the one before it. Where the request limits the time, each pilot
/// run may take a tenth of it, and then the machine decides after all.
///
/// @param model    not null
/// @param request  its seed names the draws of the pilot, which are no run's; threads and options count too
/// @param control  stop ends the choice; it is told of a pilot run that takes long
MethodChoice choose_method(const std::shared_ptr<const AnalysisModel>& model, const RunRequest& request,
                           RunControl& control);

}  // namespace ergode
