#include "core/study/exact_answers.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/special_values.h"
#include "core/study/result_builder.h"

namespace ergode {
namespace {

// Sums of many terms end a few last digits beyond what is possible; more than that is an error, and stays to be seen.
constexpr double rounding = 1e-12;

double possible(const MeasureSpec& spec, double value) {
  const double least = spec.proportion ? 0.0 : spec.support.least;
  const double greatest = spec.proportion ? 1.0 : spec.support.greatest;
  const double slack = rounding * std::max(1.0, std::fabs(value));
  if (value < least && value >= least - slack) return least;
  if (value > greatest && value <= greatest + slack) return greatest;
  return value;
}

}  // namespace

MeasureResult ExactAnswers::about(const MeasureSpec& spec, const char* method) const {
  MeasureResult result;
  result.id = spec.id, result.label = spec.label, result.kind = spec.kind->word, result.unit = spec.unit;
  result.element = spec.element;
  result.exact = true, result.confidence = 1.0, result.solver = solver_, result.method = method;
  return result;
}

MeasureResult& ExactAnswers::no_answer(const MeasureSpec& spec, std::string why, const char* method) {
  MeasureResult result = about(spec, method);
  result.estimate = result.lower = result.upper = nan;
  result.not_available = std::move(why);
  return out_.measures.emplace_back(std::move(result));
}

MeasureResult& ExactAnswers::answer(const MeasureSpec& spec, double value, double error, const char* method) {
  MeasureResult result = about(spec, method);
  const double scale = spec.factor / spec.unit_scale;
  if (!std::isfinite(value * scale)) {
    const std::string what = std::isnan(value) ? "no number" : value < 0.0 ? "minus infinity" : "infinite";
    out_.diagnostics.push_back({.severity = Severity::warning,
                                .code = "RUN028",
                                .element = spec.element,
                                .message = "\"" + spec.id + "\" is " + what + "; wanted a finite number.",
                                .hint = "Look for " + std::string(not_finite_causes)});
    return no_answer(spec, "it is infinite or no number", method);
  }
  value = possible(spec, value);
  result.estimate = value * scale;
  // The bound knows nothing of what is possible; the range of the measure does.
  const auto [least, greatest] =
      spec.proportion ? std::pair(0.0, std::max(1.0, value)) : std::pair(spec.support.least, spec.support.greatest);
  result.lower = std::min(value, std::max(value - error, least)) * scale;
  result.upper = std::max(value, std::min(value + error, greatest)) * scale;
  if (std::isnan(error)) result.lower = result.upper = error;
  return out_.measures.emplace_back(std::move(result));
}

void ExactAnswers::leave_out(const MeasureSpec& spec, const std::string& why, const char* code) {
  out_.diagnostics.push_back({.severity = Severity::warning,
                              .code = code,
                              .element = spec.element,
                              .message = called_ + " does not answer " + spec.id + ": " + why + "."});
}

void ExactAnswers::curve(const MeasureSpec& spec, const char* kind, const std::vector<double>& times_s,
                         std::vector<double> values) {
  Series series;
  series.measure = spec.id, series.kind = kind, series.label = spec.label, series.exact = true;
  series.solver = solver_;
  series.x_label = "time", series.x_unit = spec.time_unit, series.y_label = spec.label;
  const bool own = series.kind == "curve";
  if (own) series.y_unit = spec.unit;
  for (const double t : times_s) series.x.push_back(t / spec.time_scale);
  for (double& y : values)
    if (own) y = possible(spec, y) * (spec.factor / spec.unit_scale);
  series.y = std::move(values);
  out_.series.push_back(std::move(series));
}

void ExactAnswers::table(ResultTable table) {
  table.solver = solver_, table.exact = true;
  out_.tables.push_back(std::move(table));
}

}  // namespace ergode
