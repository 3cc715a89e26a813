#include "solvers/cluster/running/iteration_log.h"

namespace ergode {

void IterationLog::begin(const void* writer, std::size_t schedulers) {
  const std::lock_guard lock(mutex_);
  writer_ = writer;
  records_.assign(schedulers, {});
}

std::uint32_t IterationLog::add(const void* writer, std::uint32_t scheduler, const IterationJob& job,
                                IterationRecord::From from) {
  const std::lock_guard lock(mutex_);
  if (writer != writer_) return no_row;
  IterationRecord& one = records_[scheduler];
  if (one.jobs.size() == IterationRecord::most_jobs) {
    ++one.untold;
    return no_row;
  }
  one.jobs.push_back(job), one.from.push_back(from);
  one.run.jobs.emplace_back(), one.baseline.jobs.emplace_back();
  return static_cast<std::uint32_t>(one.jobs.size() - 1);
}

std::vector<IterationRecord> IterationLog::records() const {
  const std::lock_guard lock(mutex_);
  return records_;
}

std::size_t IterationLog::left_out(std::size_t scheduler) const {
  const std::lock_guard lock(mutex_);
  return scheduler < records_.size() ? records_[scheduler].untold : 0;
}

}  // namespace ergode
