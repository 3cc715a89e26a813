#include "solvers/queueing/model/changing_servers.h"

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include "solvers/markov/long_run.h"

namespace ergode {

std::optional<double> working_in_the_mean(const ValueChain& servers, double service_s) {
  constexpr double most_states = 20'000.0, most_operations = 5e7;
  const auto [least, most] = std::minmax_element(servers.value.begin(), servers.value.end());
  const double apart = *most - *least + 1.0;
  if (apart * static_cast<double>(servers.value.size()) > most_states) return std::nullopt;
  // How many work: from as many as there are to the greatest number there ever was.
  const auto width = static_cast<std::uint32_t>(apart);
  const auto place = [&](std::uint32_t state, double work) {
    return state * width + static_cast<std::uint32_t>(work - *least);
  };
  std::vector<std::vector<const ValueChain::Jump*>> from(servers.value.size());
  for (const ValueChain::Jump& jump : servers.jumps) from[jump.from].push_back(&jump);
  SparseGenerator generator;
  std::vector<double> works;
  std::vector<RateEntry> row;
  for (std::uint32_t state = 0; state < servers.value.size(); ++state)
    for (double work = *least; work <= *most; ++work) {
      row.clear();
      const double there = servers.value[state], now = std::max(work, there);
      for (const ValueChain::Jump* jump : from[state])
        row.push_back({place(jump->to, std::max(now, servers.value[jump->to])), jump->rate});
      if (now > there) row.push_back({place(state, now - 1.0), now / service_s});
      generator.push_row(row);
      works.push_back(now);
    }
  generator.shrink();
  std::vector<double> initial(works.size(), 0.0);
  initial[place(0, servers.value[0])] = 1.0;
  try {
    const auto solved = solve_long_run(generator, initial, {.budget = Budget({}, {.operations = most_operations})});
    const auto* const limit = std::get_if<LongRun>(&solved);
    if (limit == nullptr || limit->bottom_classes != 1) return std::nullopt;
    double out = 0.0;
    for (std::size_t i = 0; i < works.size(); ++i) out += limit->distribution[i] * works[i];
    return out;
  } catch (const OverBudget&) {
    return std::nullopt;
  }
}

}  // namespace ergode
