#pragma once
#include <map>
#include <mutex>

#include "solvers/cluster/gang/gang_ledger.h"
#include "solvers/cluster/model/gang_model.h"
#include "solvers/cluster/running/cost_log.h"

namespace ergode {

/// What happens at one cluster of GPUs in the first history of a run: all jobs up to `most_jobs` and their stretches,
/// and what the GPUs draw and cost over time.
struct GangRecord {
  static constexpr std::size_t most_jobs = 100'000, most_stretches = 200'000;
  bool whole = true;  ///< jobs too, not what is drawn and spent alone: traces tell theirs without a history
  GangLedger ledger;
  std::vector<GangJob> jobs;                                ///< by row
  std::vector<std::pair<std::uint32_t, std::size_t>> from;  ///< by row: stream of the model, place among its jobs
  std::map<std::uint32_t, std::uint32_t> row_of;            ///< of who is there, by number of the scheduler
  std::size_t untold = 0;                                   ///< further jobs
  CostRecord costs;
};

/// Records of the clusters of a model: written by the thread that runs the first history, read when the run is over.
/// Only who began last writes.
class GangLog {
 public:
  void begin(const void* writer, const GangModel& model);
  void job_comes(const void* writer, std::uint32_t cluster, const GangJob& job, std::uint32_t stream, std::size_t place,
                 std::uint32_t number, bool let_in, GangPolicy policy, double now_s);
  /// All events of a cluster at one moment, in the order in which they happen, and what then is.
  void events(const void* writer, std::uint32_t cluster, const std::vector<GangEvent>& events,
              const GangScheduler& scheduler, double now_s);
  void see(const void* writer, std::uint32_t number, const GangModel::Cluster& cluster, GangScheduler& scheduler,
           double now_s);
  /// The history is over [s].
  void end(const void* writer, double end_s);
  std::vector<GangRecord> records() const;
  /// Jobs of a cluster that have no row; 0 where nothing was written.
  std::size_t left_out(std::size_t cluster) const;

 private:
  mutable std::mutex mutex_;
  const void* writer_ = nullptr;
  std::vector<GangRecord> records_;
};

}  // namespace ergode
