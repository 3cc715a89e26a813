#include "core/study/result_builder.h"

#include <cmath>
#include <limits>

#include "core/stats/interval.h"

namespace ergode {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t distribution_points = 400;

double scale_of(const MeasureSpec& spec) { return spec.factor / spec.unit_scale; }

Series series_of(const MeasureSpec& spec, const char* kind, const std::string& solver) {
  Series out;
  out.measure = spec.id;
  out.kind = kind;
  out.label = spec.label;
  out.y_label = spec.label;
  out.y_unit = spec.unit;
  out.solver = solver;
  return out;
}

void add_point(Series& series, double x, double y, double lower, double upper) {
  series.x.push_back(x);
  series.y.push_back(y);
  series.lower.push_back(lower);
  series.upper.push_back(upper);
}

Series curve(const MeasureTally& tally, const MeasureSpec& spec, std::uint64_t replications, double confidence,
             const std::string& solver) {
  Series out = series_of(spec, "curve", solver);
  out.x_label = "Time";
  out.x_unit = spec.time_unit;
  const double scale = scale_of(spec);
  const double n = static_cast<double>(replications);
  const std::vector<std::uint64_t> hits = tally.hits();
  const double factor = !spec.proportion && replications > 1 ? student_factor(n - 1.0, confidence) : nan;
  for (std::size_t i = 0; i < spec.grid_s.size(); ++i) {
    const double x = spec.grid_s[i] / spec.time_scale;
    if (spec.proportion) {
      const Interval band = wilson(hits[i], replications, confidence);
      add_point(out, x, scale * static_cast<double>(hits[i]) / n, scale * band.lower, scale * band.upper);
      continue;
    }
    const double mean = tally.curve_sums()[i] / n;
    const double spread = std::max(0.0, tally.curve_squares()[i] / n - mean * mean) * n / (n - 1.0);
    const double half = spec.weighted && mean == 0.0 ? nan : factor * std::sqrt(spread / n);
    add_point(out, x, scale * mean, scale * (mean - half), scale * (mean + half));
  }
  return out;
}

Series distribution(const MeasureTally& tally, const MeasureSpec& spec, double confidence, const std::string& solver) {
  Series out = series_of(spec, "distribution", solver);
  out.x_label = spec.label;
  out.x_unit = spec.unit;
  out.y_label = "Share of observations";
  out.y_unit.clear();
  const std::uint64_t n = tally.distribution().n();
  for (const auto& [x, share] : tally.distribution().distribution(distribution_points)) {
    const auto count = static_cast<std::uint64_t>(std::llround(share * static_cast<double>(n)));
    const Interval band = wilson(count, n, confidence);
    add_point(out, scale_of(spec) * x, share, band.lower, band.upper);
  }
  return out;
}

}  // namespace

Estimate estimate(const MeasureTally& tally, const MeasureSpec& spec, double confidence) {
  if (tally.n() == 0) return {nan, nan, nan};
  const double scale = scale_of(spec);
  if (spec.proportion) {
    const Interval i = proportion_interval(tally.successes(), tally.n(), confidence);
    const double p = static_cast<double>(tally.successes()) / static_cast<double>(tally.n());
    return {scale * p, scale * i.lower, scale * i.upper};
  }
  const Tally& values = tally.values();
  // Weights that were never seen say nothing about how small the probability is.
  if (spec.weighted && values.mean() == 0.0) return {nan, nan, nan};
  if (values.n() < 2) return {scale * values.mean(), nan, nan};
  Interval i = student_t(values.mean(), values.variance(), values.n(), confidence);
  if (spec.weighted) i = {std::max(0.0, i.lower), std::min(1.0, i.upper)};
  return {scale * values.mean(), scale * i.lower, scale * i.upper};
}

MeasureResult summarise_measure(const MeasureTally& tally, const MeasureSpec& spec, double confidence,
                                const std::string& solver) {
  MeasureResult out;
  out.id = spec.id;
  out.label = spec.label;
  out.kind = spec.kind;
  out.unit = spec.unit;
  out.element = spec.element;
  out.confidence = confidence;
  out.replications = tally.n();
  out.solver = solver;
  const Estimate e = estimate(tally, spec, confidence);
  out.estimate = e.value;
  out.lower = e.lower;
  out.upper = e.upper;
  out.standard_error = nan;
  if (tally.n() == 0) {
    const bool waits = spec.kind == measure_kind::time_to;
    out.not_available = waits ? "the event never occurred" : "no replication was made";
    return out;
  }
  const double scale = scale_of(spec);
  const double n = static_cast<double>(tally.n());
  if (spec.proportion) {
    const double p = static_cast<double>(tally.successes()) / n;
    out.method = to_text(proportion_method(tally.successes(), tally.n()));
    out.standard_error = scale * std::sqrt(p * (1.0 - p) / n);
  } else {
    out.method = "student-t";
    if (tally.n() > 1) out.standard_error = scale * tally.values().standard_error();
  }
  if (spec.weighted && tally.values().mean() == 0.0) {
    out.not_available = "no replication reached it";
    return out;
  }
  if (spec.weighted) {
    const Tally& x = tally.values();
    const double square = x.mean() * x.mean();
    out.effective_samples = n * square / (square + x.variance() * (n - 1.0) / n);
  }
  if (spec.kind != measure_kind::time_to) {
    auto& causes = out.causes.emplace();
    for (int c = 0; c < cause_count; ++c) {
      const auto cause = static_cast<Cause>(c);
      const double sum = spec.proportion ? static_cast<double>(tally.successes(cause)) : tally.sum(cause);
      causes[to_text(cause)] = scale * (sum / n);
    }
  }
  if (spec.samples) {
    constexpr std::array<double, 5> p = {0.05, 0.25, 0.5, 0.75, 0.95};
    const std::vector<double> x = tally.distribution().quantiles(p);
    for (std::size_t i = 0; i < p.size(); ++i) out.quantiles[p[i]] = scale * x[i];
  }
  return out;
}

void summarise(const RunOutcome& outcome, std::span<const MeasureSpec> specs, double confidence,
               const std::string& solver, ResultSet& out) {
  const Tallies& tallies = outcome.tallies;
  out.status = outcome.status;
  out.stop_reason = outcome.stop_reason;
  out.replications = tallies.replications;
  out.events = tallies.events;
  out.fingerprint.clear();
  for (int shift = 60; shift >= 0; shift -= 4)
    out.fingerprint += "0123456789abcdef"[tallies.fingerprint >> shift & 15U];
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const MeasureSpec& spec = specs[i];
    const MeasureTally& tally = tallies.measures[i];
    out.measures.push_back(summarise_measure(tally, spec, confidence, solver));
    if (tallies.replications == 0) continue;
    if (!spec.grid_s.empty()) out.series.push_back(curve(tally, spec, tallies.replications, confidence, solver));
    if (spec.samples && tally.distribution().n() > 0)
      out.series.push_back(distribution(tally, spec, confidence, solver));
    if (i >= outcome.convergence.size()) continue;
    Series convergence = series_of(spec, "convergence", solver);
    convergence.x_label = "Replications";
    for (const ConvergencePoint& point : outcome.convergence[i])
      if (!std::isnan(point.estimate))
        add_point(convergence, static_cast<double>(point.replications), point.estimate, point.lower, point.upper);
    const double present = static_cast<double>(tallies.replications);
    if (convergence.x.empty() || convergence.x.back() < present) {
      const Estimate e = estimate(tally, spec, confidence);
      if (!std::isnan(e.value)) add_point(convergence, present, e.value, e.lower, e.upper);
    }
    out.series.push_back(std::move(convergence));
  }
}

double relative_half_width(const Estimate& e) {
  const double half = 0.5 * (e.upper - e.lower);
  if (half == 0.0) return 0.0;
  const double ratio = half / std::fabs(e.value);
  return std::isfinite(ratio) ? ratio : infinity;
}

double worst_relative_half_width(const Tallies& tallies, std::span<const MeasureSpec> specs, double confidence) {
  bool any_headline = false;
  for (const MeasureSpec& spec : specs) any_headline = any_headline || spec.headline;
  double worst = specs.empty() ? infinity : 0.0;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (any_headline && !specs[i].headline) continue;
    worst = std::max(worst, relative_half_width(estimate(tallies.measures[i], specs[i], confidence)));
  }
  return worst;
}

}  // namespace ergode
