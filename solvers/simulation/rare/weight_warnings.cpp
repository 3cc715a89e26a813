#include "solvers/simulation/rare/weight_warnings.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/text.h"
#include "core/study/result_builder.h"

namespace ergode {
namespace {

constexpr double halves_apart = 3.5;  // standard errors; once in 2,000 runs by chance
constexpr double unseen_share = 0.1;  // of the estimate

std::string percent(double share) { return number_text(100.0 * share, 3) + " %"; }

std::string degenerate(const Tally& x, const MeasureSpec& spec) {
  if (x.greatest() <= spec.weighted->greatest_share * x.sum() &&
      effective_samples(x) >= spec.weighted->fewest_effective)
    return {};
  return "its weights degenerate: " + number_text(effective_samples(x), 3) + " effective samples (wanted " +
         number_text(spec.weighted->fewest_effective, 3) + "), the greatest is " + percent(x.greatest() / x.sum()) +
         " of the sum (wanted at most " + percent(spec.weighted->greatest_share) + ")";
}

/// The first half is read from the run's convergence, which is kept at points about 5 % apart.
std::string apart(const Tally& x, const std::vector<ConvergencePoint>& points, const MeasureSpec& spec) {
  const double n = static_cast<double>(x.n());
  const auto half = std::find_if(points.begin(), points.end(),
                                 [&](const ConvergencePoint& p) { return 2 * p.replications >= x.n(); });
  if (half == points.end() || half->replications >= x.n() || std::isnan(half->estimate)) return {};
  const double first = static_cast<double>(half->replications), second = n - first;
  const double mean = half->estimate * spec.unit_scale / spec.factor;
  const double rest = (x.sum() - first * mean) / second;
  const double error = std::sqrt(x.variance() * (1.0 / first + 1.0 / second));
  if (!(std::abs(mean - rest) > halves_apart * error)) return {};
  return "the first half of the run gives " + number_text(mean, 4) + ", the second " + number_text(rest, 4) + ", " +
         number_text(std::abs(mean - rest) / error, 3) + " standard errors apart (wanted at most " +
         number_text(halves_apart, 2) + ")";
}

/// The rows of branches never taken, and their mass in one replication.
struct Unseen {
  double mass = 0.0, greatest = 0.0;
  std::size_t row = 0;
};
Unseen unseen_branches(const Tallies& tallies) {
  Unseen out;
  for (std::size_t row = 0; 2 * row < tallies.sums.size(); ++row) {
    if (tallies.sums[2 * row + 1] > 0.0) continue;
    const double mass = tallies.sums[2 * row] / static_cast<double>(tallies.replications);
    out.mass += mass;
    if (mass > out.greatest) out.greatest = mass, out.row = row;
  }
  return out;
}

std::string unseen(const AnalysisModel& model, const Unseen& branches, const Tally& x) {
  if (!(branches.mass > unseen_share * x.mean())) return {};
  std::string where;
  for (const Instance& owner : model.charts.instances) {
    const StateChart& chart = model.charts.charts[owner.chart].chart;
    if (branches.row < owner.transition_base || branches.row >= owner.transition_base + chart.transitions.size())
      continue;
    where = " of " + owner.name;
  }
  return "branches" + where + " with a probability of " + number_text(branches.mass, 3) +
         " in a replication were never taken (wanted less than a tenth of the estimate, " + number_text(x.mean(), 3) +
         ")";
}

}  // namespace

bool weights_trusted(const AnalysisModel& model, const RunOutcome& outcome, const MeasureSpec& spec,
                     std::size_t place) {
  const Tally& x = outcome.tallies.measures[place].values();
  return x.sum() > 0.0 && degenerate(x, spec).empty() && apart(x, outcome.convergence[place], spec).empty() &&
         unseen(model, unseen_branches(outcome.tallies), x).empty();
}

void warn_of_weights(const AnalysisModel& model, const RunOutcome& outcome, std::span<const MeasureSpec> specs,
                     Diagnostics& out) {
  if (outcome.tallies.replications < 2) return;
  const Unseen branches = unseen_branches(outcome.tallies);
  for (std::size_t m = 0; m < specs.size(); ++m) {
    const Tally& x = outcome.tallies.measures[m].values();
    if (x.sum() == 0.0) continue;  // no estimate, and said so
    for (const std::string& what :
         {degenerate(x, specs[m]), apart(x, outcome.convergence[m], specs[m]), unseen(model, branches, x)})
      if (!what.empty())
        out.push_back({.severity = Severity::warning,
                       .code = "RUN023",
                       .element = specs[m].element,
                       .message = "The interval of \"" + specs[m].id + "\" may be too narrow: " + what + ".",
                       .hint = "Make more replications, or choose another method, bias or importance."});
  }
}

}  // namespace ergode
