#include "solvers/cluster/gang/gang_ledger.h"

#include <algorithm>

namespace ergode {

void GangLedger::pass(double now_s) {
  if (!begun_) return;
  const double passed_s = now_s - before_s_;
  made.busy_gpu_s += busy_ * passed_s, made.free_gpu_s += free_ * passed_s, made.stranded_gpu_s += stranded_ * passed_s;
  share_gpu_s_ += share_ * passed_s;
  before_s_ = made.end_s = now_s;
}

void GangLedger::come(double now_s, bool let_in, GangPolicy policy) {
  made.jobs.emplace_back(), place_.emplace_back(), runs_.push_back(0), since_s_.push_back(now_s);
  share_from_.push_back(share_gpu_s_);
  in_.push_back(let_in ? 1 : 0);
  if (!let_in || policy != GangPolicy::equi) return;
  made.jobs.back().start_s = now_s;
  equi_ = true, runs_.back() = 1;
}

void GangLedger::stretch(std::uint32_t row, double to_s, GangSchedule& out) const {
  if (out.stretches.size() >= most_stretches) return;
  // Wide jobs have many whole hosts: a row for each would take most of the memory of a run.
  std::vector<GangPiece> pieces = place_[row];
  std::sort(pieces.begin(), pieces.end(), [](const GangPiece& a, const GangPiece& b) { return a.host < b.host; });
  for (std::size_t i = 0, end = 0; i < pieces.size(); i = end) {
    for (end = i + 1;
         end < pieces.size() && pieces[end].gpus == pieces[i].gpus && pieces[end].host == pieces[end - 1].host + 1;)
      ++end;
    const auto hosts = static_cast<std::uint32_t>(end - i);
    out.stretches.push_back({pieces[i].host, pieces[end - 1].host, row, hosts * pieces[i].gpus, since_s_[row], to_s});
  }
}

void GangLedger::take(const GangEvent& event, std::uint32_t row, double now_s, const GangScheduler& scheduler) {
  GangOutcome& job = made.jobs[row];
  if (event.what == GangEvent::What::starts) {
    job.waited_s += now_s - since_s_[row];
    job.start_s = std::min(job.start_s, now_s);
    place_[row] = scheduler.place(event.job), runs_[row] = 1;
  } else {
    stretch(row, now_s, made);
    runs_[row] = 0;
    job.gpu_time_s = scheduler.gpu_time_s(event.job), job.preemptions = scheduler.preemptions(event.job);
    job.failures = scheduler.failures(event.job), job.lost_s = scheduler.lost_s(event.job);
    if (event.what == GangEvent::What::ends) job.end_s = now_s, place_[row] = {}, in_[row] = 0;
  }
  since_s_[row] = now_s;
}

void GangLedger::see(GangScheduler& scheduler) {
  busy_ = scheduler.busy_gpus(), free_ = scheduler.free_gpus(), stranded_ = scheduler.stranded_gpus();
  share_ = scheduler.present() > 0 ? busy_ / static_cast<double>(scheduler.present()) : 0.0;
}

GangSchedule GangLedger::so_far() const {
  GangSchedule out = made;
  for (std::uint32_t row = 0; row < runs_.size(); ++row) {
    if (in_[row] == 0) continue;
    GangOutcome& job = out.jobs[row];
    const double passed_s = before_s_ - since_s_[row];
    job.runs = runs_[row] != 0;
    if (!job.runs) {
      job.waited_s += passed_s;
    } else if (equi_) {
      job.gpu_time_s = share_gpu_s_ - share_from_[row];
    } else {
      std::uint32_t gpus = 0;
      for (const GangPiece& piece : place_[row]) gpus += piece.gpus;
      job.gpu_time_s += gpus * passed_s;
      stretch(row, before_s_, out);
    }
  }
  return out;
}

}  // namespace ergode
