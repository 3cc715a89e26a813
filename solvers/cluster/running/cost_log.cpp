#include "solvers/cluster/running/cost_log.h"

namespace ergode {

void CostRecord::note(double now_s, double busy, double spend_per_s, double power_w) {
  Moment now = begun ? later(now_s) : Moment{.at_s = now_s};
  now.busy = busy, now.spend_per_s = spend_per_s, now.power_w = power_w;
  begun = true, last = now;
  // Of one moment the last counts.
  if (!moments.empty() && moments.back().at_s == now_s) moments.back() = now;
  else if (moments.empty() || now_s - moments.back().at_s >= gap_s) moments.push_back(now);
  if (moments.size() <= most_moments) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < moments.size(); i += 2) moments[kept++] = moments[i];
  moments.resize(kept);
  gap_s = 2.0 * now_s / static_cast<double>(most_moments);
}

CostRecord::Moment CostRecord::later(double now_s) const {
  Moment out = last;
  const double passed_s = now_s - last.at_s;
  out.at_s = now_s, out.cost += last.spend_per_s * passed_s, out.joules += last.power_w * passed_s;
  return out;
}

void CostRecord::end(double end_s) {
  if (begun && end_s > last.at_s) last = later(end_s);
}

ResultTable table_of_costs(const CostRecord& record, const std::string& place, const char* unit, double budget_per_s) {
  constexpr double cost_hour_s = 3600.0, joules_of_kwh = 3.6e6;
  ResultTable out{
      .name = "spend",
      .title = "What " + place + " costs and draws in the first history",
      .columns = {{"time", "h"},
                  {"busy", unit},
                  {"spend", "USD/h"},
                  {"cost_so_far", "USD"},
                  {"power", "W"},
                  {"energy_so_far", "kWh"}},
      .note = "From each time on, until the next; the last is the end of the run. At most 500 moments are kept."};
  if (budget_per_s > 0.0) out.columns.push_back({"budget_so_far", "USD"});
  const auto add = [&](const CostRecord::Moment& row) {
    out.rows.push_back({row.at_s / cost_hour_s, row.busy, row.spend_per_s * cost_hour_s, row.cost, row.power_w,
                        row.joules / joules_of_kwh});
    if (budget_per_s > 0.0) out.rows.back().emplace_back(budget_per_s * row.at_s);
  };
  for (const CostRecord::Moment& row : record.moments) add(row);
  if (record.moments.back().at_s != record.last.at_s) add(record.last);
  return out;
}

void CostLog::begin(const void* writer, std::size_t places) {
  const std::lock_guard lock(mutex_);
  writer_ = writer;
  records_.assign(places, {});
}

void CostLog::note(const void* writer, std::size_t place, double now_s, double busy, double spend_per_s,
                   double power_w) {
  const std::lock_guard lock(mutex_);
  if (writer == writer_) records_[place].note(now_s, busy, spend_per_s, power_w);
}

void CostLog::end(const void* writer, double end_s) {
  const std::lock_guard lock(mutex_);
  if (writer != writer_) return;
  for (CostRecord& one : records_) one.end(end_s);
}

std::vector<CostRecord> CostLog::records() const {
  const std::lock_guard lock(mutex_);
  return records_;
}

}  // namespace ergode
