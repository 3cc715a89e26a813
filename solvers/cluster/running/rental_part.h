#pragma once
#include "core/des/running_part.h"
#include "solvers/cluster/model/rental_model.h"
#include "solvers/cluster/running/rental_job_log.h"
#include "solvers/cluster/running/spend_log.h"

namespace ergode {

/// All rentals drawn in a model, as it keeps them among its parts (AnalysisModel::others): what is run, and what
/// `rental-budget` solves.
class RentalPart : public LoweredPart {
 public:
  RentalModel model;

  std::unique_ptr<RunningPart> run(World& world, std::uint64_t seed) const override;
  std::vector<Thing> things() const override;
  /// RNT008: a rate at which jobs come must announce its changes.
  void know_slots(const KnownSlots& known, Diagnostics& problems) override;
  /// By stream of jobs, all that is observed of them when they are done.
  std::vector<Stay> stays() const override;
  /// RUN046: more jobs came in the first history than their table has rows.
  Diagnostics told() const override;
  std::vector<Program*> programs() override;
  /// `spend` and `jobs`, of what the first history spent and who came to it, rental by rental.
  std::vector<ResultTable> tables(std::span<const MeanOverTime> means, const std::string& solver) const override;

 private:
  mutable SpendLog log_;
  mutable RentalJobLog jobs_;
};

}  // namespace ergode
