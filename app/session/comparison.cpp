#include "app/session/comparison.h"

#include <cmath>
#include <set>

#include "app/session/run_name.h"
#include "core/base/text.h"
#include "core/results/value_text.h"
#include "core/stats/interval.h"

namespace ergode {
namespace {

/// @param edited  the model was another one: when it ran tells which
std::string title_of(const ResultSet& run, bool edited) {
  const Provenance& made = run.provenance;
  std::string out =
      run_name(made.scenario, made.overrides) + ", " + made.solver + ", seed " + std::to_string(made.seed);
  if (const std::string& at = made.made.started_utc; edited && at.size() >= 19) out += ", " + at.substr(11, 8);
  return out;
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
  const bool edited = a.provenance.semantic_hash != b.provenance.semantic_hash;
  out.columns = {{"Measure"},           {"Unit"},       {title_of(a, edited)},
                 {title_of(b, edited)}, {"Difference"}, {interval_title(a, b)}};
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
  if (edited) out.note += std::string(out.note.empty() ? "" : " ") + "The model was edited between them.";
  return out;
}

}  // namespace ergode
