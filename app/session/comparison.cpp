#include "app/session/comparison.h"

#include <cmath>
#include <set>

#include "app/session/run_name.h"
#include "core/base/text.h"
#include "core/results/value_text.h"
#include "core/stats/interval.h"

namespace ergode {
namespace {

std::string title_of(const ResultSet& run) {
  const Provenance& made = run.provenance;
  return run_name(made.scenario, made.overrides) + ", " + made.solver + ", seed " + std::to_string(made.seed);
}

std::string with_interval(const MeasureResult& m) {
  if (!m.answered()) return m.not_available;
  const std::string interval = m.exact ? "" : interval_text(m);
  return value_text(m) + (interval.empty() ? "" : " " + interval);
}

/// With the level of the intervals, where all have one.
std::string interval_title(const ResultSet& a, const ResultSet& b) {
  std::set<double> levels;
  for (const ResultSet* run : {&a, &b})
    for (const MeasureResult& m : run->measures)
      if (!m.exact) levels.insert(m.confidence);
  return levels.size() == 1 ? number_text(100 * *levels.begin(), 12) + " % interval of it" : "Interval of it";
}

}  // namespace

ResultTable compare_runs(const ResultSet& a, const ResultSet& b) {
  ResultTable out{.name = "comparison", .title = "Two runs side by side", .solver = {}};
  out.columns = {{"Measure"}, {"Unit"}, {title_of(a)}, {title_of(b)}, {"Difference"}, {interval_title(a, b)}};
  for (const MeasureResult& first : a.measures) {
    const MeasureResult* second = b.measure(first.id);
    if (second == nullptr || second->unit != first.unit) continue;
    std::vector<ResultTable::Cell>& row = out.rows.emplace_back();
    row = {first.label.empty() ? first.id : first.label,
           first.unit,
           with_interval(first),
           with_interval(*second),
           std::string(),
           std::string()};
    if (!first.answered() || !second->answered()) continue;
    const double difference = second->estimate - first.estimate;
    const double error = std::hypot(first.standard_error, second->standard_error);
    const double level = first.exact ? second->confidence : first.confidence;
    const double half = error > 0 ? normal_factor(level) * error : 0.0;
    const ValueTexts texts = value_texts(difference, difference - half, difference + half);
    row[4] = texts.value;
    if (std::isfinite(half)) row[5] = "[" + texts.lower + ", " + texts.upper + "]";
  }
  const bool simulated = a.provenance.solver == "simulation" && b.provenance.solver == "simulation";
  if (simulated && a.provenance.seed == b.provenance.seed)
    out.note =
        "Both runs have one seed: they share random numbers, and the intervals, which are those of independent "
        "runs, may be too wide.";
  return out;
}

}  // namespace ergode
