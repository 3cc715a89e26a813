#pragma once
#include "core/des/running_part.h"
#include "solvers/queueing/model/network_model.h"

namespace ergode {

/// All queueing networks drawn in a model, as it keeps them among its parts (AnalysisModel::others): what is run, and
/// what solvers of networks solve.
class QueueingPart : public LoweredPart {
 public:
  NetworkModel model;

  std::unique_ptr<RunningPart> run(World& world, std::uint64_t seed) const override;
  /// The diagrams, not their nodes: there may be very many.
  std::vector<Thing> things() const override;
  /// QN012: what stations and sources wait for news of must announce itself; a source's rate need not where it has a
  /// bound. QN010 (warning): stations to which more work comes than they can do.
  void know_slots(const KnownSlots& known, Diagnostics& problems) override;
  /// unsettled_places().
  UnsettledPlaces unsettled() const override { return unsettled_; }
  Diagnostics told_of_growth(std::span<const SeenToGrow> seen) const override;  ///< QN010
  /// utilisation_table(), with the utilisations that were measured.
  std::vector<ResultTable> tables(std::span<const MeanOverTime> means, const std::string& solver) const override;
  std::vector<Program*> programs() override;
  /// Busy servers of stations (offered_loads()), the busiest first. None of more than 2,000 nodes, where the traffic
  /// equations cost more than they bring.
  std::vector<KnownMean> known_means() const override;
  Diagnostics long_run_doubts() const override;  ///< heavy_tails()
  Diagnostics told() const override;             ///< by plugin stations, in the first replication

 private:
  /// Of numbers of servers, as it was told before the run.
  KnownSlots servers_known() const;
  UnsettledPlaces unsettled_;
  std::vector<Range> ranges_;  ///< by slot; empty where no number of servers changes
  std::map<const Program*, LongRunValue> long_run_;
};

}  // namespace ergode
