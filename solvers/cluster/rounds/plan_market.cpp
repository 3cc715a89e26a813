#include "solvers/cluster/rounds/plan_market.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "solvers/cluster/rounds/market_equilibrium.h"

namespace ergode {

std::vector<double> epochs_ahead(std::span<const double> epoch_s, std::int64_t progress, double round_s, int rounds) {
  std::vector<double> out(static_cast<std::size_t>(rounds), 0.0);
  auto epoch = static_cast<std::size_t>(progress);
  double left_of_epoch_s = epoch < epoch_s.size() ? epoch_s[epoch] : 0.0;
  for (double& epochs : out) {
    double left_s = round_s;
    while (left_s > 0.0 && epoch < epoch_s.size()) {
      const double ran_s = std::min(left_s, left_of_epoch_s);
      epochs += ran_s / epoch_s[epoch];
      left_s -= ran_s, left_of_epoch_s -= ran_s;
      if (left_of_epoch_s <= 0.0 && ++epoch < epoch_s.size()) left_of_epoch_s = epoch_s[epoch];
    }
  }
  return out;
}

std::optional<PlanMarket> plan_market(std::span<const MarketJob> jobs, int gpus, std::int64_t round) {
  RoundMarket market;
  PlanMarket out{.round = round};
  std::vector<double> usable;
  for (const MarketJob& job : jobs) {
    if (std::none_of(job.epochs.begin(), job.epochs.end(), [](double epochs) { return epochs > 0.0; })) continue;
    usable.resize(job.epochs.size(), 0.0);
    std::vector<double> worth;
    for (std::size_t t = 0; t < job.epochs.size(); ++t) {
      worth.push_back(job.epochs[t] / job.gpus);
      if (job.epochs[t] > 0.0) usable[t] += job.gpus;
    }
    market.budgets.push_back(1.0), market.utility.push_back(std::move(worth));
    out.jobs.push_back({.number = job.number, .weight = job.weight, .planned = job.planned});
  }
  // What nobody can use is on sale for nothing.
  for (const double wanted : usable) market.capacities.push_back(wanted > 0.0 ? std::min<double>(gpus, wanted) : 1.0);
  auto made = market_equilibrium(market);
  if (!made) return std::nullopt;
  for (std::size_t i = 0; i < out.jobs.size(); ++i) {
    out.jobs[i].bought = made->utility[i];
    for (std::size_t t = 0; t < market.capacities.size(); ++t)
      out.jobs[i].equal += market.utility[i][t] * market.capacities[t] / static_cast<double>(out.jobs.size());
  }
  out.price = std::move(made->price);
  return out;
}

}  // namespace ergode
