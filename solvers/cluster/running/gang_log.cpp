#include "solvers/cluster/running/gang_log.h"

namespace ergode {

void GangLog::begin(const void* writer, const GangModel& model) {
  const std::lock_guard lock(mutex_);
  writer_ = writer;
  records_.clear(), records_.resize(model.clusters.size());
  for (std::size_t c = 0; c < records_.size(); ++c) records_[c].whole = !model.traced(model.clusters[c]);
  for (GangRecord& one : records_) one.ledger.most_stretches = GangRecord::most_stretches;
}

void GangLog::job_comes(const void* writer, std::uint32_t cluster, const GangJob& job, std::uint32_t stream,
                        std::size_t place, std::uint32_t number, bool let_in, GangPolicy policy, double now_s) {
  const std::lock_guard lock(mutex_);
  if (writer != writer_) return;
  GangRecord& one = records_[cluster];
  if (!one.whole) return;
  if (one.jobs.size() == GangRecord::most_jobs) {
    ++one.untold;
    return;
  }
  if (let_in) one.row_of[number] = static_cast<std::uint32_t>(one.jobs.size());
  one.jobs.push_back(job), one.from.emplace_back(stream, place);
  if (let_in && !one.ledger.begun()) one.ledger.begin(now_s);
  else if (let_in) one.ledger.pass(now_s);
  one.ledger.come(now_s, let_in, policy);
}

void GangLog::events(const void* writer, std::uint32_t cluster, const std::vector<GangEvent>& events,
                     const GangScheduler& scheduler, double now_s) {
  const std::lock_guard lock(mutex_);
  if (writer != writer_) return;
  GangRecord& one = records_[cluster];
  one.ledger.pass(now_s);
  for (const GangEvent& event : events) {
    const auto row = one.row_of.find(event.job);
    if (row == one.row_of.end()) continue;
    one.ledger.take(event, row->second, now_s, scheduler);
    if (event.what == GangEvent::What::ends) one.row_of.erase(row);
  }
}

void GangLog::see(const void* writer, std::uint32_t number, const GangModel::Cluster& cluster, GangScheduler& scheduler,
                  double now_s) {
  const std::lock_guard lock(mutex_);
  if (writer != writer_) return;
  GangRecord& one = records_[number];
  one.ledger.pass(now_s), one.ledger.see(scheduler);
  const double busy = scheduler.busy_gpus(), away = scheduler.away_gpus();
  one.costs.note(now_s, busy, busy * cluster.price_per_s, cluster.power_w(busy, away));
}

void GangLog::end(const void* writer, double end_s) {
  const std::lock_guard lock(mutex_);
  if (writer != writer_) return;
  for (GangRecord& one : records_) {
    // Where nobody is left the schedule ended with its last event.
    if (!one.row_of.empty()) one.ledger.pass(end_s);
    one.costs.end(end_s);
  }
}

std::size_t GangLog::left_out(std::size_t cluster) const {
  const std::lock_guard lock(mutex_);
  return cluster < records_.size() ? records_[cluster].untold : 0;
}

std::vector<GangRecord> GangLog::records() const {
  const std::lock_guard lock(mutex_);
  return records_;
}

}  // namespace ergode
