#include "solvers/cluster/running/spend_log.h"

namespace ergode {

void SpendLog::begin(const void* writer, std::size_t rentals) {
  const std::lock_guard lock(mutex_);
  writer_ = writer;
  rentals_.assign(rentals, {});
}

void SpendLog::note(const void* writer, std::size_t rental, double now_s, const double (&gpus)[3], double spend_per_s) {
  const std::lock_guard lock(mutex_);
  if (writer != writer_) return;
  Rental& one = rentals_[rental];
  Row row{.at_s = now_s, .gpus = {gpus[0], gpus[1], gpus[2]}, .spend_per_s = spend_per_s};
  if (one.any) row.cost = one.last.cost + one.last.spend_per_s * (now_s - one.last.at_s);
  one.last = row, one.any = true;
  // Of one moment the last counts.
  if (!one.rows.empty() && one.rows.back().at_s == now_s) one.rows.back() = row;
  else if (one.rows.empty() || now_s - one.rows.back().at_s >= one.gap_s) one.rows.push_back(row);
  if (one.rows.size() <= most_rows) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < one.rows.size(); i += 2) one.rows[kept++] = one.rows[i];
  one.rows.resize(kept);
  one.gap_s = 2.0 * now_s / static_cast<double>(most_rows);
}

std::vector<ResultTable> SpendLog::tables(const RentalModel& model, const std::string& solver) const {
  const std::lock_guard lock(mutex_);
  constexpr double spend_hour_s = 3600.0;
  std::vector<ResultTable> out;
  for (std::size_t r = 0; r < rentals_.size(); ++r) {
    const RentalModel::Rental& rental = model.rentals[r];
    const Rental& seen = rentals_[r];
    const double budget = rental.money_per_s > 0.0 ? rental.money_per_s : rental.budget * rental.price_per_s();
    const bool asked = rental.money_per_s > 0.0 || rental.contract != RentalModel::Contract::on_demand;
    if (!asked || !seen.any || !(budget > 0.0)) continue;
    ResultTable table{.name = "spend" + (rentals_.size() > 1 ? "_" + rental.name : std::string()),
                      .title = "What " + rental.name + " spends in the first history",
                      .solver = solver,
                      .columns = {{"time", "h"},
                                  {"on_demand", "GPUs"},
                                  {"spot", "GPUs"},
                                  {"reserved", "GPUs"},
                                  {"spend", "USD/h"},
                                  {"cost_so_far", "USD"},
                                  {"budget_so_far", "USD"}},
                      .note =
                          "From each time on, until the next; reserved ones are those in use. At most 500 moments "
                          "are kept."};
    const auto add = [&](const Row& row) {
      table.rows.push_back({row.at_s / spend_hour_s, row.gpus[0], row.gpus[1], row.gpus[2],
                            row.spend_per_s * spend_hour_s, row.cost, budget * row.at_s});
    };
    for (const Row& row : seen.rows) add(row);
    if (seen.rows.empty() || seen.rows.back().at_s != seen.last.at_s) add(seen.last);
    out.push_back(std::move(table));
  }
  return out;
}

}  // namespace ergode
