#pragma once
#include <map>
#include <mutex>
#include <vector>

#include "solvers/cluster/running/round_tables.h"

namespace ergode {

/// What happens at one round scheduler in the first history of a run: jobs up to `most_jobs`, rounds and stretches.
struct RoundRecord {
  static constexpr std::size_t most_jobs = 100'000, most_rounds = 100'000, most_stretches = 200'000,
                               most_names = 5'000'000, most_predictions = 200'000;
  RoundHistory history{.exact = false};
  double first_s = 0.0, busy_gpu_s = 0.0, ran_until_s = 0.0;

  /// @param number  of the job: they come by number
  void job_comes(std::uint32_t number, RoundHistory::Row row);
  RoundHistory::Row* row_of(std::uint32_t number) {
    return number < history.rows.size() ? &history.rows[number] : nullptr;
  }
  void round_begins(const Round& round);
  void round_ends(const Round& round);
  /// The run does, within a round or not.
  void run_ends(double end_s);
  /// A job has run in the round until then.
  void job_ran(std::uint32_t number, double until_s);
  void job_leaves(std::uint32_t number) { last_.erase(number); }
  /// Ratios and means of those who were done.
  /// @param scheduler  whose jobs these are
  RoundHistory told(const RoundModel::Scheduler& scheduler) const;

 private:
  struct Last {
    std::size_t stretch = 0;
    std::int64_t round = 0;
  };
  std::map<std::uint32_t, Last> last_;  ///< of those who are there
  std::size_t names_ = 0;               ///< of jobs in `rounds`
  bool open_ = false;                   ///< the last of `rounds` is the one that runs
};

/// Records of the schedulers of a model: written by the thread that runs the first history, read when the run is over.
/// Only who began last writes.
class RoundLog {
 public:
  void begin(const void* writer, std::size_t schedulers) {
    const std::lock_guard lock(mutex_);
    writer_ = writer;
    records_.clear(), records_.resize(schedulers);
  }
  template <typename Change>
  void write(const void* writer, std::uint32_t scheduler, const Change& change) {
    const std::lock_guard lock(mutex_);
    if (writer == writer_) change(records_[scheduler]);
  }
  std::vector<RoundRecord> records() const {
    const std::lock_guard lock(mutex_);
    return records_;
  }
  /// Jobs of a scheduler that have no row; 0 where nothing was written.
  std::size_t left_out(std::size_t scheduler) const {
    const std::lock_guard lock(mutex_);
    return scheduler < records_.size() ? records_[scheduler].history.untold : 0;
  }

 private:
  mutable std::mutex mutex_;
  const void* writer_ = nullptr;
  std::vector<RoundRecord> records_;
};

}  // namespace ergode
