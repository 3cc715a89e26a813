#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/element_id.h"
#include "core/expression/program.h"
#include "core/random/distribution.h"
#include "solvers/cluster/budget/width_plan.h"
#include "solvers/cluster/model/handed_jobs.h"
#include "solvers/cluster/model/job_count.h"
#include "solvers/cluster/model/table_names.h"

namespace ergode {

/// All rentals drawn in a model and the streams of jobs that come to them: resolved, const, shared by threads and
/// solvers. Times in s, rates in 1/s, money in USD, work as its time on one GPU.
struct RentalModel {
  static constexpr std::uint32_t none = ~0U;

  /// Who gets how many GPUs. The first three rent for each job as many as its type has, and nobody waits or shares; the
  /// others divide a cluster of as many whole GPUs as the budget is, rented for ever.
  enum class Policy { optimal, equal_width, one_gpu, equi, hesrpt, greedy };

  /// What GPUs are rented by. A number of reserved ones is paid whether used or not, and used first; what goes beyond
  /// is on demand or spot. With fixed widths only, but `on_demand`.
  enum class Contract { on_demand, spot, reserved, reserved_spot };
  /// How something is rented.
  enum class Tariff : std::uint8_t { on_demand, spot, reserved };
  struct Terms {
    double price_per_s = 0.0;  ///< of a GPU [USD/s]
    double start_up_s = 0.0;   ///< from asking for GPUs until a job may use them; paid
  };
  /// How spot GPUs are taken away.
  struct Interruptions {
    bool has_rate = true;  ///< at random with `rate`, which may change while the model runs; else by the law `after`
    Program rate;          ///< [1/s]
    std::uint32_t reader = none;
    Distribution after;     ///< from getting them until a warning [s]
    bool per_gpu = true;    ///< of each spot GPU that a job has, the first counts; else of a job
    double notice_s = 0.0;  ///< between warning and taking
    Distribution wait = Distribution::deterministic(0.0);  ///< of a job until it asks anew [s]
  };

  /// Jobs of one type that come from outside.
  struct Stream {
    ElementId element;
    std::string name;
    std::uint32_t rental = none;
    std::uint32_t of_class = 0;  ///< place among the streams of its rental, and class of what is observed there
    bool has_rate = false;       ///< then they come at random with `rate`, else with `gap` between two
    Program rate;                ///< [1/s]
    std::uint32_t reader = none;
    Distribution gap;   ///< [s]
    Distribution size;  ///< work, as its time on one GPU [s]
    Speedup speedup;
    std::uint64_t most_jobs = jobs_without_end;  ///< so many come
    double start_up_s = 0.0;
    HandedOn handed_on;                               ///< of response_time, gpu_time
    std::uint32_t submitted = 0, jobs = 0, gpus = 0;  ///< slots

    /// Arrivals in the long run [1/s]; nothing where that depends on what changes while the model runs.
    std::optional<double> mean_rate() const;
    /// Whether they come at random (Poisson).
    bool poisson() const { return has_rate || gap.family() == Distribution::Family::exponential; }
  };

  struct Rental {
    ElementId element;
    std::string name;
    double budget = 1.0;  ///< GPUs on average, > 0
    Policy policy = Policy::optimal;
    bool whole = false;  ///< widths are whole numbers
    Contract contract = Contract::on_demand;
    Terms terms[3];            ///< by Tariff
    double reserved = 0.0;     ///< GPUs; 0 where the contract has none
    double money_per_s = 0.0;  ///< budget in money [USD/s]; 0: it is in GPUs
    Interruptions interruptions;
    double failure_rate = 0.0;  ///< of a GPU while it works, writes a checkpoint or restarts [1/s]
    double checkpoint_period_s = Speedup::unlimited;  ///< of work between two; infinite: there are none
    double checkpoint_cost_s = 0.0, restart_s = 0.0;
    double last_checkpoint_s = 0.0;      ///< time of a checkpoint before spot GPUs are taken
    double share_exponent = 0.5;         ///< p of hesrpt, in [0, 1)
    double busy_w = 0.0, idle_w = 0.0;   ///< of a GPU that a job has, and of one that is paid for nobody [W]
    std::vector<std::uint32_t> streams;  ///< in document order
    WidthPlan plan;                      ///< by place in `streams`; empty where a cluster is shared
    std::uint32_t jobs = 0, gpus = 0, spend = 0, failures = 0;                            ///< slots
    std::uint32_t by_tariff[3] = {0, 0, 0}, waiting = 0, interrupted_jobs = 0, lost = 0;  ///< slots
    std::uint32_t response_time = none, gpu_time = none, cost = none;  ///< streams of observations, by type
    std::uint32_t lost_work = none, job_interruptions = none, slowdown = none;
    std::uint32_t power = 0;  ///< slot

    bool draws() const { return busy_w > 0.0 || idle_w > 0.0; }
    bool shares() const { return policy >= Policy::equi; }
    bool interrupted() const { return failure_rate > 0.0 || checkpoint_cost_s > 0.0; }
    /// That of what is rented where nothing is reserved, or beyond it.
    Tariff beyond() const {
      return contract == Contract::spot || contract == Contract::reserved_spot ? Tariff::spot : Tariff::on_demand;
    }
    const Terms& of(Tariff one) const { return terms[static_cast<std::size_t>(one)]; }
    double price_per_s() const { return of(beyond()).price_per_s; }
    bool reserves() const { return contract >= Contract::reserved; }
    /// Which jobs have the reserved GPUs is a matter of the bill, and what is paid is divided evenly among GPUs in use.
    bool blends() const { return contract == Contract::reserved; }
    bool spot() const { return beyond() == Tariff::spot; }
    /// Warned jobs save what they have.
    bool saves_in_time() const { return interruptions.notice_s > 0.0 && last_checkpoint_s <= interruptions.notice_s; }
    /// GPUs of the cluster that is shared.
    double cluster() const;
  };

  std::vector<Stream> streams;  ///< in document order
  std::vector<Rental> rentals;
  TableNames tables;

  /// The types of a rental for the algorithms, with the start-up of what is rented beyond reserved GPUs. Precondition:
  /// the rates of its streams are known.
  std::vector<JobType> types_of(const Rental& rental) const;
};

}  // namespace ergode
