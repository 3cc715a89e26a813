#include "solvers/queueing/model/changing_servers.h"

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include "solvers/markov/long_run.h"

namespace ergode {
namespace {

constexpr std::size_t most_states = 20'000;

/// @param width  how many who work beside those there are may be told apart, and nobody
/// @returns nothing where more than so many count, or it takes too long
std::optional<double> working(const ValueChain& servers, double service_s, std::size_t width, bool all,
                              const Budget& budget) {
  const auto place = [&](std::uint32_t state, double beside) {
    const double told = std::min(std::max(0.0, beside), static_cast<double>(width - 1));
    return static_cast<std::uint32_t>(state * width + static_cast<std::size_t>(told));
  };
  std::vector<std::vector<const ValueChain::Jump*>> from(servers.value.size());
  for (const ValueChain::Jump& jump : servers.jumps) from[jump.from].push_back(&jump);
  SparseGenerator generator;
  std::vector<RateEntry> row;
  for (std::uint32_t state = 0; state < servers.value.size(); ++state)
    for (std::size_t beside = 0; beside < width; ++beside) {
      row.clear();
      const double working = servers.value[state] + static_cast<double>(beside);
      for (const ValueChain::Jump* jump : from[state])
        row.push_back({place(jump->to, working - servers.value[jump->to]), jump->rate});
      if (beside > 0) row.push_back({place(state, static_cast<double>(beside) - 1.0), working / service_s});
      generator.push_row(row);
    }
  generator.shrink();
  std::vector<double> initial(generator.size(), 0.0);
  initial[place(0, 0.0)] = 1.0;
  const auto solved = solve_long_run(generator, initial, {.budget = budget});
  const auto* const limit = std::get_if<LongRun>(&solved);
  if (limit == nullptr || limit->bottom_classes != 1) return std::nullopt;
  double out = 0.0, cut = 0.0;
  for (std::uint32_t state = 0; state < servers.value.size(); ++state)
    for (std::size_t beside = 0; beside < width; ++beside) {
      const double share = limit->distribution[state * width + beside];
      out += share * (servers.value[state] + static_cast<double>(beside));
      if (!all && beside + 1 == width) cut += share;
    }
  // Each of those could be as many more as there are states of them; loads are told with four digits.
  constexpr double negligible = 1e-6;
  const auto [least, most] = std::minmax_element(servers.value.begin(), servers.value.end());
  return cut * (*most - *least) <= negligible * out ? std::optional(out) : std::nullopt;
}

}  // namespace

std::optional<double> working_in_the_mean(const ValueChain& servers, double service_s) {
  constexpr double most_operations = 5e7;
  constexpr std::size_t first_width = 8;
  const auto [least, most] = std::minmax_element(servers.value.begin(), servers.value.end());
  const std::size_t apart = static_cast<std::size_t>(*most - *least) + 1;
  const Budget budget({}, {.operations = most_operations});
  try {
    // Of many servers few work beside those there are: those who are done first make up for who is taken away.
    for (std::size_t width = std::min(apart, first_width);; width = std::min(apart, width + width / 2)) {
      if (width * servers.value.size() > most_states) return std::nullopt;
      if (const auto found = working(servers, service_s, width, width == apart, budget)) return found;
      if (width == apart) return std::nullopt;
    }
  } catch (const OverBudget&) {
    return std::nullopt;
  }
}

}  // namespace ergode
