#pragma once
#include <vector>

#include "core/study/exact_answers.h"
#include "solvers/cluster/budget/width_plan.h"
#include "solvers/cluster/model/rental_model.h"
#include "solvers/model/analysis_model.h"

namespace ergode {

/// What one rental with fixed widths comes to in the long run.
struct SolvedRental {
  const RentalModel::Rental* rental = nullptr;
  std::vector<JobType> types;  ///< of its streams, in their order
  PlanMeans means;
  bool poisson = false;  ///< all its jobs come at random
};

/// Answers the model's measures by the means of its rentals, then adds the measures and tables of `rental-budget`.
/// @param solved  one for each rental of the model to which jobs come; all policies fix widths
void answer_rentals(const AnalysisModel& model, const RentalModel& rentals, const std::vector<SolvedRental>& solved,
                    ExactAnswers& answers, ResultSet& out);

}  // namespace ergode
