#include "solvers/cluster/running/rental_part.h"
#include "solvers/cluster/running/flowing_rates.h"

#include <algorithm>

#include "core/base/text.h"
#include "solvers/cluster/running/rows_left_out.h"
#include "solvers/cluster/running/running_rentals.h"

namespace ergode {

std::unique_ptr<RunningPart> RentalPart::run(World& world, std::uint64_t seed) const {
  return std::make_unique<RunningRentals>(model, world, seed, log_, jobs_);
}

std::vector<ResultTable> RentalPart::tables(std::span<const MeanOverTime>, const std::string& solver) const {
  std::vector<ResultTable> out = log_.tables(model, solver);
  for (ResultTable& table : jobs_.tables(model, solver)) out.push_back(std::move(table));
  return out;
}

std::vector<LoweredPart::Thing> RentalPart::things() const {
  std::vector<Thing> out;
  for (const RentalModel::Rental& one : model.rentals) out.push_back({one.element, "the rental \"" + one.name + "\""});
  return out;
}

void RentalPart::know_slots(const KnownSlots& known, Diagnostics& problems) {
  for (const RentalModel::Rental& one : model.rentals)
    know_rate(one.interruptions.rate, "RNT008", one.element, "interruption_rate",
              "The rate of interruptions at \"" + one.name + "\"", known.flowing, problems);
  know_rates(model.streams, "RNT008", known.flowing, problems);
}

std::vector<LoweredPart::Stay> RentalPart::stays() const {
  std::vector<Stay> out;
  for (const RentalModel::Stream& one : model.streams) {
    if (one.rental == RentalModel::none) continue;
    const RentalModel::Rental& rental = model.rentals[one.rental];
    Stay stay{.streams = {rental.response_time, rental.gpu_time, rental.cost, rental.lost_work,
                          rental.job_interruptions, rental.slowdown},
              .of_class = static_cast<std::int32_t>(one.of_class),
              .come = one.submitted,
              .present = one.jobs,
              .element = one.element,
              .name = "jobs of \"" + one.name + "\""};
    if (const auto rate = one.mean_rate())
      stay.name += " (work for " + number_text(*rate * one.size.mean(), 6) + " GPUs at the speed of one)";
    out.push_back(std::move(stay));
  }
  return out;
}

Diagnostics RentalPart::told() const { return rows_left_out(model.rentals, jobs_, RentalJobLog::most_jobs); }

std::vector<Program*> RentalPart::programs() {
  std::vector<Program*> out;
  for (RentalModel::Stream& one : model.streams) out.push_back(&one.rate);
  for (RentalModel::Rental& one : model.rentals) out.push_back(&one.interruptions.rate);
  return out;
}

}  // namespace ergode
