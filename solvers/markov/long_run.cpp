#include "solvers/markov/long_run.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/base/text.h"
#include "solvers/markov/classes.h"
#include "solvers/markov/gauss_seidel.h"
#include "solvers/markov/state_reduction.h"

namespace ergode {
namespace {

constexpr std::uint32_t outside = std::numeric_limits<std::uint32_t>::max();

/// Some states of a chain, numbered anew.
struct StatesOfPart {
  std::vector<std::uint32_t> states;  ///< of the whole chain
  std::vector<std::uint32_t> place;   ///< by state of the whole chain: number in the part, or `outside`
  void add(std::uint32_t state) {
    place[state] = static_cast<std::uint32_t>(states.size());
    states.push_back(state);
  }
};

void note(LinearReport& report, LinearMethod used, std::uint64_t sweeps, double rest, double error) {
  if (used == LinearMethod::iterative) report.used = used;
  report.sweeps += sweeps;
  report.residual = std::max(report.residual, rest);
  report.error = std::max(report.error, error);
}

bool direct(const LinearOptions& options, std::size_t states) {
  return options.method == LinearMethod::direct ||
         (options.method == LinearMethod::automatic && states <= options.direct_limit);
}

// Stationary distribution by the direct method where little fills in, as in chains of a narrow band: there Gauss-Seidel
// may need as many sweeps as there are states. Nothing where too much does.
std::optional<std::vector<double>> cheap_reduction(const SparseGenerator& chain, const LinearOptions& options) {
  if (options.method != LinearMethod::automatic) return std::nullopt;
  const double states = static_cast<double>(chain.size()), transitions = static_cast<double>(chain.transitions());
  // Where its lists alone would be a burden, nobody looks how much would fill in.
  if (200.0 * states + 100.0 * transitions > 0.5 * static_cast<double>(options.budget.bytes())) return std::nullopt;
  try {
    return reduce_states(chain, options.budget, options.direct_sweeps * (states + transitions));
  } catch (const OverBudget& cost) {
    // No time left is no reason to try the other method.
    if (cost.diagnostic.code != "MKV022") throw;
    return std::nullopt;
  }
}

std::string not_converged(const SweepReport& report, double wanted) {
  return "Gauss-Seidel did not converge in " + std::to_string(report.sweeps) + " sweeps: the estimated error is " +
         number_text(report.error, 3) + ", wanted " + number_text(wanted, 3) + ".";
}

// Rounding of state reduction: every entry is a sum of products of as many positive terms as states were eliminated.
double reduction_error(std::size_t states) {
  return 4.0 * static_cast<double>(states) * std::numeric_limits<double>::epsilon();
}

/// Stationary distribution of an irreducible chain.
std::variant<std::vector<double>, std::string> stationary(const SparseGenerator& chain, const LinearOptions& options,
                                                          LinearReport& report) {
  if (chain.size() == 1) return std::vector<double>{1.0};
  if (!direct(options, chain.size())) {
    if (auto x = cheap_reduction(chain, options)) {
      note(report, LinearMethod::direct, 0, residual(chain, *x), reduction_error(chain.size()));
      return std::move(*x);
    }
    std::vector<double> x(chain.size(), 1.0 / static_cast<double>(chain.size()));
    const SweepReport sweeps =
        gauss_seidel(chain.incoming(), chain.exit(), {}, x, options.error, options.most_sweeps, options.budget);
    if (sweeps.converged) {
      note(report, LinearMethod::iterative, sweeps.sweeps, residual(chain, x), sweeps.error);
      return x;
    }
    if (options.method == LinearMethod::iterative || options.budget.stop_requested())
      return not_converged(sweeps, options.error);
  }
  auto x = reduce_states(chain, options.budget);
  if (!x) return std::string("The direct method was stopped.");
  note(report, LinearMethod::direct, 0, residual(chain, *x), reduction_error(chain.size()));
  return std::move(*x);
}

SparseGenerator part_of(const SparseGenerator& generator, const StatesOfPart& part) {
  SparseGenerator out;
  std::vector<RateEntry> row;
  const RateRows& rows = generator.rows();
  for (const std::uint32_t s : part.states) {
    row.clear();
    for (std::uint32_t e = rows.start[s]; e < rows.start[s + 1]; ++e)
      if (part.place[rows.other[e]] != outside) row.push_back({part.place[rows.other[e]], rows.rate[e]});
    out.push_row(row);
  }
  return out;
}

/// The part with one state more, which stands for having been absorbed and leads back to the start at rate `again`.
SparseGenerator restarted(const SparseGenerator& generator, const StatesOfPart& part, std::span<const double> start,
                          double again) {
  SparseGenerator out;
  std::vector<RateEntry> row;
  const RateRows& rows = generator.rows();
  const auto renewal = static_cast<std::uint32_t>(part.states.size());
  for (const std::uint32_t s : part.states) {
    row.clear();
    for (std::uint32_t e = rows.start[s]; e < rows.start[s + 1]; ++e) {
      const std::uint32_t to = part.place[rows.other[e]];
      row.push_back({to == outside ? renewal : to, rows.rate[e]});
    }
    out.push_row(row);
  }
  row.clear();
  for (std::uint32_t i = 0; i < renewal; ++i) row.push_back({i, start[i] * again});
  out.push_row(row);
  return out;
}

/// Expected times in the states of a transient part, which `start` enters. Empty text: done.
std::string expected_times(const SparseGenerator& generator, const StatesOfPart& part, const std::vector<double>& start,
                           const LinearOptions& options, LinearReport& report, std::vector<double>& x) {
  const std::size_t m = part.states.size();
  // Balance of the renewed chain: what leaves a state is what enters it from the others and, at rate `again`, anew.
  const double again = std::max(generator.fastest(), 1e-300);
  const auto reduce = [&](const auto& reduced) {
    const SparseGenerator loop = restarted(generator, part, start, again);
    const std::optional<std::vector<double>> pi = reduced(loop);
    if (!pi) return false;
    const double scale = 1.0 / ((*pi)[m] * again);
    x.assign(pi->begin(), pi->end() - 1);
    for (double& v : x) v *= scale;
    note(report, LinearMethod::direct, 0, residual(loop, *pi), reduction_error(m));
    return true;
  };
  if (!direct(options, m)) {
    if (options.method == LinearMethod::automatic &&
        reduce([&](const SparseGenerator& loop) { return cheap_reduction(loop, options); }))
      return {};
    const SparseGenerator inside = part_of(generator, part);
    std::vector<double> exit(m);
    x.assign(m, 0.0);
    for (std::size_t i = 0; i < m; ++i) exit[i] = generator.exit()[part.states[i]], x[i] = 1.0 / exit[i];
    const SweepReport sweeps =
        gauss_seidel(inside.incoming(), exit, start, x, options.error, options.most_sweeps, options.budget);
    if (sweeps.converged) {
      note(report, LinearMethod::iterative, sweeps.sweeps, 0.0, sweeps.error);
      return {};
    }
    if (options.method == LinearMethod::iterative || options.budget.stop_requested())
      return not_converged(sweeps, options.error);
  }
  if (!reduce([&](const SparseGenerator& loop) { return reduce_states(loop, options.budget); }))
    return "The direct method was stopped.";
  return {};
}

SparseGenerator with_absorbing(const SparseGenerator& generator, std::span<const StateRole> roles) {
  SparseGenerator out;
  std::vector<RateEntry> row;
  const RateRows& rows = generator.rows();
  for (std::uint32_t s = 0; s < generator.size(); ++s) {
    row.clear();
    if (roles.empty() || roles[s] == StateRole::ordinary)
      for (std::uint32_t e = rows.start[s]; e < rows.start[s + 1]; ++e) row.push_back({rows.other[e], rows.rate[e]});
    out.push_row(row);
  }
  return out;
}

std::vector<std::uint8_t> reachable(const RateRows& rows, std::span<const double> initial) {
  std::vector<std::uint8_t> seen(rows.size(), 0);
  std::vector<std::uint32_t> waiting;
  for (std::uint32_t s = 0; s < rows.size(); ++s)
    if (initial[s] > 0.0) seen[s] = 1, waiting.push_back(s);
  while (!waiting.empty()) {
    const std::uint32_t s = waiting.back();
    waiting.pop_back();
    for (std::uint32_t e = rows.start[s]; e < rows.start[s + 1]; ++e)
      if (seen[rows.other[e]] == 0) seen[rows.other[e]] = 1, waiting.push_back(rows.other[e]);
  }
  return seen;
}

}  // namespace

std::variant<Absorption, std::string> solve_absorption(const SparseGenerator& generator,
                                                       std::span<const double> initial,
                                                       std::span<const StateRole> roles, const LinearOptions& options) {
  const std::size_t n = generator.size();
  const SparseGenerator chain = with_absorbing(generator, roles);
  const Classes classes = find_classes(chain.rows());
  // Classes that cannot be reached would only make the equations larger.
  const std::vector<std::uint8_t> seen = reachable(chain.rows(), initial);
  StatesOfPart part;
  part.place.assign(n, outside);
  for (std::uint32_t s = 0; s < n; ++s)
    if (seen[s] != 0 && classes.bottom[classes.of[s]] == 0) part.add(s);
  Absorption out;
  out.time_s.assign(n, 0.0), out.entered.assign(n, 0.0);
  out.certain = true;
  std::vector<double> x, start(part.states.size());
  for (std::size_t i = 0; i < start.size(); ++i) start[i] = initial[part.states[i]];
  if (!part.states.empty())
    if (std::string why = expected_times(chain, part, start, options, out.report, x); !why.empty()) return why;
  const RateRows& rows = chain.rows();
  for (std::size_t i = 0; i < part.states.size(); ++i) {
    const std::uint32_t s = part.states[i];
    out.time_s[s] = x[i];
    for (std::uint32_t e = rows.start[s]; e < rows.start[s + 1]; ++e)
      if (part.place[rows.other[e]] == outside) out.entered[rows.other[e]] += x[i] * rows.rate[e];
  }
  for (std::uint32_t s = 0; s < n; ++s) {
    if (seen[s] == 0 || part.place[s] != outside) continue;
    out.entered[s] += initial[s];
    const bool target = !roles.empty() && roles[s] == StateRole::target;
    if (target) out.probability += out.entered[s];
    out.certain = out.certain && target;
  }
  if (out.certain) out.probability = 1.0;
  return out;
}

std::variant<LongRun, std::string> solve_long_run(const SparseGenerator& generator, std::span<const double> initial,
                                                  const LinearOptions& options) {
  const std::size_t n = generator.size();
  auto ends = solve_absorption(generator, initial, {}, options);
  if (auto* why = std::get_if<std::string>(&ends)) return std::move(*why);
  const Absorption& absorption = std::get<Absorption>(ends);
  LongRun out;
  out.report = absorption.report;
  out.distribution.assign(n, 0.0);
  const Classes classes = find_classes(generator.rows());
  std::vector<double> weight(classes.bottom.size(), 0.0);
  for (std::uint32_t s = 0; s < n; ++s) {
    if (absorption.time_s[s] > 0.0) ++out.transient_states;
    if (classes.bottom[classes.of[s]] != 0) weight[classes.of[s]] += absorption.entered[s];
  }
  std::vector<std::vector<std::uint32_t>> members(classes.bottom.size());
  for (std::uint32_t s = 0; s < n; ++s)
    if (weight[classes.of[s]] > 0.0) members[classes.of[s]].push_back(s);
  StatesOfPart part;
  part.place.assign(n, outside);
  for (std::size_t c = 0; c < members.size(); ++c) {
    if (members[c].empty()) continue;
    ++out.bottom_classes;
    part.states.clear();
    for (const std::uint32_t s : members[c]) part.add(s);
    auto solved = stationary(part_of(generator, part), options, out.report);
    if (auto* why = std::get_if<std::string>(&solved)) return std::move(*why);
    const std::vector<double>& pi = std::get<std::vector<double>>(solved);
    for (std::size_t i = 0; i < part.states.size(); ++i) out.distribution[part.states[i]] = weight[c] * pi[i];
    for (const std::uint32_t s : members[c]) part.place[s] = outside;
  }
  return out;
}

}  // namespace ergode
