#include "solvers/cluster/solve/rental_budget_solver.h"

#include <algorithm>

#include "solvers/cluster/running/rental_part.h"
#include "solvers/cluster/solve/rental_answers.h"
#include "solvers/model/exact_frame.h"

namespace ergode {
namespace {

void refuse_rental(Diagnostics& reasons, ElementId element, const char* property, std::string message) {
  reasons.push_back({.code = "SOL001", .element = element, .pointer = property, .message = std::move(message)});
}

/// The rentals of a model that holds nothing else; null, or with reasons, where it does.
const RentalModel* rentals_of(const AnalysisModel& model, Diagnostics& reasons) {
  const RentalModel* found = nullptr;
  for (const auto& part : model.others)
    if (const auto* rentals = dynamic_cast<const RentalPart*>(part.get())) found = &rentals->model;
  // What there is instead would be the same reason again.
  if (found == nullptr) return refuse_rental(reasons, {}, "", "The model has no rental of GPUs."), nullptr;
  const std::string only = "; rental-budget answers rentals of GPUs only.";
  for (const auto& part : model.others) {
    if (dynamic_cast<const RentalPart*>(part.get()) != nullptr) continue;
    for (const LoweredPart::Thing& thing : part->things())
      refuse_rental(reasons, thing.element, "", "There is " + thing.name + only);
  }
  if (!model.charts.instances.empty())
    refuse_rental(reasons, model.charts.charts[model.charts.instances[0].chart].chart.element, "",
                  "The model has charts that run" + only);
  return found;
}

void look_at(const RentalModel& model, Diagnostics& reasons) {
  for (const RentalModel::Rental& one : model.rentals) {
    const std::string name = "\"" + one.name + "\"";
    if (one.shares())
      refuse_rental(reasons, one.element, "policy",
                    name + " shares a cluster among its jobs, of which no closed form is known.");
    if (one.contract != RentalModel::Contract::on_demand)
      refuse_rental(reasons, one.element, "contract",
                    name + " has spot or reserved GPUs; means are known of GPUs on demand.");
    if (one.interrupted())
      refuse_rental(reasons, one.element, one.failure_rate > 0.0 ? "failure_rate" : "checkpoint_cost",
                    "Jobs at " + name + " are interrupted: widths are known of jobs that run to their end.");
    for (const std::uint32_t s : one.streams) {
      const RentalModel::Stream& stream = model.streams[s];
      if (!stream.mean_rate())
        refuse_rental(reasons, stream.element, "rate",
                      "The rate of \"" + stream.name + "\" changes while the model runs.");
      if (stream.most_jobs != jobs_without_end)
        refuse_rental(reasons, stream.element, "most_jobs",
                      "After " + std::to_string(stream.most_jobs) + " jobs of \"" + stream.name +
                          "\" no more come; means are known in the long run.");
    }
  }
  const bool any = std::any_of(model.rentals.begin(), model.rentals.end(),
                               [](const RentalModel::Rental& one) { return !one.streams.empty(); });
  if (!any) refuse_rental(reasons, {}, "", "No jobs come to a rental.");
}

/// The rentals of a model, with the reasons why they are not answered.
const RentalModel* fitting_rentals(const AnalysisModel& model, Diagnostics& reasons) {
  const RentalModel* rentals = rentals_of(model, reasons);
  if (rentals != nullptr) look_at(*rentals, reasons);
  return rentals;
}

}  // namespace

const SolverSpec& RentalBudgetSolver::spec() const {
  static const SolverSpec spec{
      .name = "rental-budget",
      .label = "Rental budgets",
      .description = "Exact means of jobs on GPUs rented on a budget, and the widths that make them least.",
      .reference = "Li, Berg, Mukhopadhyay and Harchol-Balter, How to Rent GPUs on a Budget, 2024",
      .exact = true,
      .long_run = true,
      .takes_long = false};
  return spec;
}

Diagnostics RentalBudgetSolver::fits(const Question& question) const {
  return fits_exactly(question,
                      [](const AnalysisModel& model, Diagnostics& reasons) { fitting_rentals(model, reasons); });
}

ResultSet RentalBudgetSolver::solve(const Question& question, RunControl&) const {
  const RentalModel* rentals = nullptr;
  const auto look = [&](const AnalysisModel& model, Diagnostics& reasons) {
    rentals = fitting_rentals(model, reasons);
  };
  return solve_exactly(*this, question, spec().name, look, [&](const AnalysisModel& model, ResultSet& out) {
    std::vector<SolvedRental> solved;
    for (const RentalModel::Rental& one : rentals->rentals) {
      if (one.streams.empty()) continue;
      SolvedRental& here = solved.emplace_back(SolvedRental{&one, rentals->types_of(one), {}, true});
      here.means = means_of(here.types, one.plan);
      for (const std::uint32_t s : one.streams) here.poisson = here.poisson && rentals->streams[s].poisson();
    }
    ExactAnswers answers(out, spec().name, spec().name);
    answer_rentals(model, *rentals, solved, answers, out);
    return std::string();
  });
}

}  // namespace ergode
