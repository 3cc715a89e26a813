#include "core/results/answer.h"

#include <cmath>

namespace ergode {

Answer answer_of(const MeasureResult& m, bool long_run) {
  if (long_run) return Answer::long_run;
  if (!m.exact) return Answer::estimate;
  return m.upper - m.lower > 1e-4 * std::fabs(m.estimate) ? Answer::bounds : Answer::exact;
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
  if (series_kind == "distribution") {
    out.x = m.kind == "time_to" ? "Time to the event" : "Final value";
    out.x_unit = m.unit;
    out.y = "Probability of at most this";
    return out;
  }
  const bool curve = series_kind == "curve";
  out.x = curve ? "Model time t" : "Replications";
  if (curve) out.x_unit = time_unit;
  out.y_unit = m.unit;
  // Scaled by the frequency of an initiating event, a probability becomes one.
  const std::string chance = m.unit.empty() || m.unit == "1" ? "Probability" : "Frequency";
  if (m.kind == "probability_at") out.y = curve ? chance + " at time t" : chance;
  else if (m.kind == "probability_by") out.y = curve ? chance + " by time t" : chance;
  else if (m.kind == "time_average") out.y = curve ? "Mean at time t" : "Time average";
  else if (m.kind == "count") out.y = "Mean number of events";
  else if (m.kind == "time_to") out.y = "Mean time to the event";
  else out.y = "Mean final value";
  return out;
}

std::string axis_title(const std::string& words, const std::string& unit) {
  return unit.empty() || unit == "1" ? words : words + " [" + unit + "]";
}

}  // namespace ergode
