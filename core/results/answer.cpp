#include "core/results/answer.h"

#include <cmath>
#include <limits>

#include "core/catalogue/measure_kinds.h"

namespace ergode {

Answer answer_of(const MeasureResult& m, bool long_run) {
  if (long_run) return Answer::long_run;
  if (!m.exact) return Answer::estimate;
  return m.upper - m.lower > 1e-4 * std::fabs(m.estimate) ? Answer::bounds : Answer::exact;
}

bool is_one_long_run(const ResultSet& run) {
  const auto analysis = run.provenance.options.find("output_analysis");
  return analysis != run.provenance.options.end() && analysis->second != "replications";
}

bool comparable(const MeasureResult& m, bool long_run, const ResultSet& run) {
  if (!m.exact || !m.answered()) return false;
  if (is_one_long_run(run)) {
    const MeasureResult* estimate = run.measure(m.id);
    return long_run && estimate != nullptr && estimate->answered();
  }
  const MeasureKind* kind = find_measure_kind(m.kind);
  return long_run == (kind != nullptr && kind->without_end());
}

bool has_interval(const MeasureResult& estimate) { return !std::isnan(estimate.lower) && !std::isnan(estimate.upper); }

bool interval_holds(const MeasureResult& estimate, double exact) {
  const double roundings = 16.0 * std::numeric_limits<double>::epsilon() * std::abs(exact);
  return exact >= estimate.lower - roundings && exact <= estimate.upper + roundings;
}

const MeasureResult* exact_beside(const ResultSet& run, const std::string& measure) {
  for (const auto& set : run.company)
    if (const MeasureResult* m = set->measure(measure); m != nullptr && comparable(*m, set->long_run, run)) return m;
  return nullptr;
}

const char* to_text(Answer answer) {
  switch (answer) {
    case Answer::estimate:
      return "estimate";
    case Answer::exact:
      return "exact";
    case Answer::bounds:
      return "between bounds";
    case Answer::long_run:
      return "long run";
  }
  return "estimate";
}

std::string answer_label(Answer answer, const std::string& solver) {
  return solver.empty() ? to_text(answer) : std::string(to_text(answer)) + " (" + solver + ")";
}

AxisWords axis_words(const MeasureResult& m, const std::string& series_kind, const std::string& time_unit) {
  AxisWords out;
  const MeasureKind* kind = find_measure_kind(m.kind);  // null: results of a newer version
  if (series_kind == "distribution") {
    out.x = kind != nullptr ? kind->distribution_axis : "Value";
    out.x_unit = m.unit;
    out.y = kind != nullptr && kind->lasting ? "Share of the time at most this" : "Probability of at most this";
    return out;
  }
  const bool curve = series_kind == "curve";
  out.x = curve ? "Model time t" : time_unit.empty() ? "Replications" : "Length of the run";
  out.x_unit = time_unit;
  out.y_unit = m.unit;
  out.y = kind == nullptr ? "Value" : curve ? kind->curve_axis : kind->axis;
  // Scaled by the frequency of an initiating event, a probability becomes one.
  constexpr std::string_view chance = "Probability";
  if (!m.unit.empty() && m.unit != "1" && out.y.rfind(chance, 0) == 0) out.y.replace(0, chance.size(), "Frequency");
  return out;
}

std::string axis_title(const std::string& words, const std::string& unit) {
  return unit.empty() || unit == "1" ? words : words + " [" + unit + "]";
}

}  // namespace ergode
