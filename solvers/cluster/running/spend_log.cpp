#include "solvers/cluster/running/spend_log.h"

#include <algorithm>
#include <limits>

namespace ergode {

namespace {

constexpr double spend_hour_s = 3600.0;

}  // namespace

void SpendLog::begin(const void* writer, std::size_t rentals) {
  const std::lock_guard lock(mutex_);
  writer_ = writer;
  rentals_.assign(rentals, {});
}

void SpendLog::note(const void* writer, std::size_t rental, double now_s, const double (&gpus)[3], double idle,
                    double spend_per_s, double power_w) {
  const std::lock_guard lock(mutex_);
  if (writer != writer_) return;
  Rental& one = rentals_[rental];
  Row row = one.any ? one.last.later(now_s) : Row{.at_s = now_s};
  std::copy_n(gpus, 3, row.gpus);
  row.idle = idle, row.spend_per_s = spend_per_s, row.power_w = power_w;
  one.last = row, one.any = true;
  // Of one moment the last counts.
  if (!one.rows.empty() && one.rows.back().at_s == now_s) one.rows.back() = row;
  else if (!one.rows.empty() && one.rows.back().looks_like(row)) return;
  else if (one.rows.empty() || now_s - one.rows.back().at_s >= one.gap_s) one.rows.push_back(row);
  if (one.rows.size() <= most_rows) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < one.rows.size(); i += 2) one.rows[kept++] = one.rows[i];
  one.rows.resize(kept);
  one.gap_s = 2.0 * now_s / static_cast<double>(most_rows);
}

bool SpendLog::Row::looks_like(const Row& other) const {
  return std::equal(gpus, gpus + 3, other.gpus) && spend_per_s == other.spend_per_s && power_w == other.power_w;
}

SpendLog::Row SpendLog::Row::later(double now_s) const {
  Row out = *this;
  const double passed_s = now_s - at_s;
  out.at_s = now_s, out.cost += spend_per_s * passed_s, out.joules += power_w * passed_s;
  for (std::size_t tariff = 0; tariff < 3; ++tariff) out.gpu_s[tariff] += gpus[tariff] * passed_s;
  out.idle_s += idle * passed_s;
  return out;
}

void SpendLog::end(const void* writer, double end_s) {
  const std::lock_guard lock(mutex_);
  if (writer != writer_) return;
  for (Rental& one : rentals_)
    if (one.any && end_s > one.last.at_s) one.last = one.last.later(end_s);
}

// The sum is that of the spending over time, so that a row that were wrong would show.
ResultTable SpendLog::bill_of(const RentalModel::Rental& rental, const Row& end) {
  using Tariff = RentalModel::Tariff;
  ResultTable out{.name = "bill",
                  .title = "The bill of " + rental.name + " in the first history",
                  .columns = {{"item"}, {"gpu_time", "GPU h"}, {"price", "USD/h"}, {"cost", "USD"}},
                  .note = rental.shares()
                              ? "Until the end of the run, of the GPUs of the cluster, in use or not."
                              : "Until the end of the run, of GPUs as they are billed together: reserved ones are used "
                                "first, and paid for in use or not."};
  double all_s = 0.0;
  const auto add = [&](const std::string& item, Tariff tariff, double gpu_s) {
    const double price_per_s = rental.of(tariff).price_per_s;
    all_s += gpu_s;
    out.rows.push_back({item, gpu_s / spend_hour_s, price_per_s * spend_hour_s, gpu_s * price_per_s});
  };
  const double beyond_s = end.gpu_s[static_cast<std::size_t>(rental.beyond())];
  const auto used_or_not = [&](const std::string& item, Tariff tariff, double used_s) {
    add(item + ", in use", tariff, used_s), add(item + ", not in use", tariff, end.idle_s);
  };
  if (rental.reserves())
    used_or_not("reserved", Tariff::reserved, end.gpu_s[static_cast<std::size_t>(Tariff::reserved)]);
  if (rental.shares()) used_or_not("on demand", rental.beyond(), std::max(0.0, beyond_s - end.idle_s));
  else add(rental.spot() ? "spot" : "on demand", rental.beyond(), beyond_s);
  out.rows.push_back({"all", all_s / spend_hour_s, std::numeric_limits<double>::quiet_NaN(), end.cost});
  return out;
}

std::vector<ResultTable> SpendLog::tables(const RentalModel& model, const std::string& solver) const {
  const std::lock_guard lock(mutex_);
  std::vector<ResultTable> out;
  for (std::size_t r = 0; r < rentals_.size(); ++r) {
    const RentalModel::Rental& rental = model.rentals[r];
    const Rental& seen = rentals_[r];
    const double budget = rental.money_per_s > 0.0 ? rental.money_per_s : rental.budget * rental.price_per_s();
    const bool asked =
        rental.money_per_s > 0.0 || rental.contract != RentalModel::Contract::on_demand || rental.shares();
    const bool costs = asked && budget > 0.0;
    if (!seen.any || !(costs || rental.draws())) continue;
    ResultTable table{.name = "spend" + model.tables.suffix(rental.name),
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
                          "From each time on, until the next; the last is the end of the run. Reserved ones are those "
                          "in use. At most 500 moments are kept."};
    if (rental.draws()) table.columns.push_back({"power", "W"}), table.columns.push_back({"energy_so_far", "kWh"});
    const auto add = [&](const Row& row) {
      table.rows.push_back({row.at_s / spend_hour_s, row.gpus[0], row.gpus[1], row.gpus[2],
                            row.spend_per_s * spend_hour_s, row.cost, budget * row.at_s});
      if (!rental.draws()) return;
      constexpr double joules_of_kwh = 3.6e6;
      table.rows.back().emplace_back(row.power_w), table.rows.back().emplace_back(row.joules / joules_of_kwh);
    };
    for (const Row& row : seen.rows) add(row);
    if (seen.rows.empty() || seen.rows.back().at_s != seen.last.at_s) add(seen.last);
    out.push_back(std::move(table));
    if (!costs) continue;
    ResultTable bill = bill_of(rental, seen.last);
    bill.solver = solver;
    bill.name += model.tables.suffix(rental.name);
    out.push_back(std::move(bill));
  }
  return out;
}

}  // namespace ergode
