#include "core/study/result_builder.h"

#include <cmath>
#include <optional>

#include "core/base/plural.h"
#include "core/base/special_values.h"
#include "core/base/text.h"
#include "core/stats/interval.h"
#include "core/stats/mean_interval.h"
#include "core/study/unsettled.h"

namespace ergode {
namespace {

// Of a regenerative estimate, in each replication: the cycle that its end cuts off is left out, and long ones are cut
// off more often, which shifts the mean by about one part in their number.
constexpr std::uint64_t fewest_cycles = 500;

// Of times to an event that not every replication has: intervals of exponential ones hold the mean in 92 % or more from
// here on (tst_mean_interval.cpp), of three to five in 88 %.
constexpr std::uint64_t fewest_times = 10;

constexpr std::size_t distribution_points = 400;

double scale_of(const MeasureSpec& spec) { return spec.factor / spec.unit_scale; }

void add_point(Series& series, double x, double y, double lower, double upper) {
  series.x.push_back(x);
  series.y.push_back(y);
  series.lower.push_back(lower);
  series.upper.push_back(upper);
}

/// @param largest  about what one more observation would add to the mean; NaN when all were zero
Interval curve_band(double mean, double of_mean, double largest, std::uint64_t n, const MeasureSpec& spec,
                    double confidence) {
  if (n < 2 || (spec.weighted && mean == 0.0)) return {nan, nan};
  if (of_mean == 0.0) return interval_without_variation(mean, n, spec.support, confidence).ends;
  // Few that are not zero make a skewed mean, of which Student's t would reach below zero.
  if (mean > 0.0 && mean * mean < 100.0 * of_mean && spec.support.least >= 0.0) {
    const Interval i = gamma_interval(mean, of_mean, largest, confidence);
    return {i.lower, std::min(i.upper, spec.support.greatest)};
  }
  const double half = student_factor(static_cast<double>(n) - 1.0, confidence) * std::sqrt(of_mean);
  return {std::max(mean - half, spec.support.least), std::min(mean + half, spec.support.greatest)};
}

Series curve(const MeasureTally& tally, const MeasureSpec& spec, std::uint64_t replications, double confidence,
             const std::string& solver) {
  Series out = series_of(spec, "curve", solver);
  out.x_label = "Time";
  out.x_unit = spec.time_unit;
  const double scale = scale_of(spec);
  const double n = static_cast<double>(replications);
  const std::vector<std::uint64_t> hits = tally.hits();
  for (std::size_t i = 0; i < spec.grid_s.size(); ++i) {
    const double x = spec.grid_s[i] / spec.time_scale;
    if (spec.proportion) {
      const Interval band = wilson(hits[i], replications, confidence);
      add_point(out, x, scale * static_cast<double>(hits[i]) / n, scale * band.lower, scale * band.upper);
      continue;
    }
    const double mean = tally.curve_sums()[i] / n;
    // From sums of squares, as a curve keeps two numbers a point; rounding may leave it just below 0.
    const double spread = std::max(0.0, tally.curve_squares()[i] / n - mean * mean) * n / (n - 1.0);
    const Interval band = curve_band(mean, spread / n, tally.curve_squares()[i] / tally.curve_sums()[i] / n,
                                     replications, spec, confidence);
    add_point(out, x, scale * mean, scale * band.lower, scale * band.upper);
  }
  return out;
}

/// Of what is one value by what it is, that value is all there is to say. Observations that are infinite or no numbers
/// have no place among the others, whose distribution would be told as that of all.
bool has_distribution(const MeasureTally& tally, const MeasureSpec& spec) {
  return spec.samples && !spec.fixed && tally.distribution().n() > 0 && tally.not_finite() == 0;
}

/// A replication makes many observations, or the value lasts: they are not independent, so that neither order
/// statistics nor their number say anything; groups of replications do.
bool many_each(const MeasureSpec& spec) { return spec.kind->estimator != MeasureKind::Estimator::mean || spec.lasting; }
bool grouped(const MeasureTally& tally) {
  return tally.groups().groups() > 1 && tally.groups().n() == tally.distribution().n();
}

Series distribution(const MeasureTally& tally, const MeasureSpec& spec, double confidence, const std::string& solver) {
  Series out = distribution_of(spec, solver);
  const std::uint64_t n = tally.distribution().n();
  const std::vector<std::pair<double, double>> points = tally.distribution().distribution(distribution_points);
  if (many_each(spec)) {
    if (!grouped(tally)) {
      for (const auto& [x, share] : points) out.x.push_back(scale_of(spec) * x), out.y.push_back(share);
      return out;
    }
    const std::vector<Interval> bands = tally.groups().shares(points, confidence);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto [x, share] = points[i];
      add_point(out, scale_of(spec) * x, share, std::clamp(bands[i].lower, 0.0, share),
                std::clamp(bands[i].upper, share, 1.0));
    }
    return out;
  }
  for (const auto& [x, share] : points) {
    const auto count = static_cast<std::uint64_t>(std::llround(share * static_cast<double>(n)));
    const Interval band = wilson(count, n, confidence);
    add_point(out, scale_of(spec) * x, share, band.lower, band.upper);
  }
  return out;
}

/// Moves ends out to hold the value, which rounding may have put beyond them, and what integration may be off by.
void hold_value(Estimate& e, const MeasureSpec& spec) {
  const double scale = scale_of(spec), off = spec.numerical_error * std::fabs(e.value);
  const double below = off > 0.0 ? std::max(e.value - off, scale * spec.support.least) : e.value;
  const double above = off > 0.0 ? std::min(e.value + off, scale * spec.support.greatest) : e.value;
  // Ends that are NaN stay so.
  if (e.lower > std::min(below, e.value)) e.lower = std::min(below, e.value);
  if (e.upper < std::max(above, e.value)) e.upper = std::max(above, e.value);
}

/// The interval is no wider than what integration may be off by.
bool as_integrated(const MeasureResult& m, const MeasureSpec& spec) {
  const double off = 1.000001 * spec.numerical_error * std::fabs(m.estimate);
  return off > 0.0 && m.upper - m.estimate <= off && m.estimate - m.lower <= off;
}

/// A share that is 0 or 1 in every replication does not vary; what a replication that was not seen might have had
/// decides how far it may be off.
bool all_or_none(const MeasureTally& tally, const MeasureSpec& spec) {
  if (spec.kind->meaning != MeasureKind::Meaning::observed_share) return false;
  const double share = tally.ratio().ratio();
  return share == 0.0 || share == 1.0;
}

Estimate sampled(const MeasureTally& tally, const MeasureSpec& spec, double confidence) {
  if (tally.n() == 0) return {nan, nan, nan};
  const double scale = scale_of(spec);
  if (spec.fixed) {
    const double value = spec.proportion ? static_cast<double>(tally.successes()) / static_cast<double>(tally.n())
                                         : tally.values().mean();
    return {scale * value, scale * value, scale * value};
  }
  if (spec.proportion) {
    const Interval i = proportion_interval(tally.successes(), tally.n(), confidence);
    const double p = static_cast<double>(tally.successes()) / static_cast<double>(tally.n());
    return {scale * p, scale * i.lower, scale * i.upper};
  }
  const auto end = [&](double x) { return std::isfinite(x) ? scale * x : nan; };
  const auto within = [&](double value, Interval i) -> Estimate {
    return {scale * value, end(std::max(i.lower, spec.support.least)), end(std::min(i.upper, spec.support.greatest))};
  };
  if (all_or_none(tally, spec)) {
    const double share = tally.ratio().ratio();
    return within(share, interval_without_variation(share, tally.n(), spec.support, confidence).ends);
  }
  if (spec.kind->estimator == MeasureKind::Estimator::ratio || spec.kind->estimator == MeasureKind::Estimator::cycles)
    return within(tally.ratio().ratio(), tally.ratio().interval(confidence));
  if (spec.kind->estimator == MeasureKind::Estimator::long_run) {
    const LongRunEstimate run = tally.long_run().estimate(spec.support, confidence);
    if (std::isnan(run.standard_error)) return {scale * run.mean, nan, nan};
    return within(run.mean, run.ends);
  }
  const Tally& values = tally.values();
  // Weights that were never seen say nothing about how small the probability is.
  if (spec.weighted && values.mean() == 0.0) return {nan, nan, nan};
  Interval i = mean_interval(values, spec.support, confidence).ends;
  // The mean of weighted indicators may pass one by chance, the probability does not.
  if (spec.weighted) i = {std::min(i.lower, 1.0), std::min(i.upper, 1.0)};
  return {scale * (spec.weighted ? std::min(values.mean(), 1.0) : values.mean()), end(i.lower), end(i.upper)};
}

}  // namespace

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

Series distribution_of(const MeasureSpec& spec, const std::string& solver) {
  Series out = series_of(spec, "distribution", solver);
  out.x_label = spec.label;
  out.x_unit = spec.unit;
  out.y_label = spec.lasting ? "Share of the time" : "Share of observations";
  out.y_unit.clear();
  return out;
}

Estimate estimate(const MeasureTally& tally, const MeasureSpec& spec, double confidence) {
  Estimate out = sampled(tally, spec, confidence);
  hold_value(out, spec);
  return out;
}

MeasureResult summarise_measure(const MeasureTally& tally, const MeasureSpec& spec, double confidence,
                                const std::string& solver) {
  MeasureResult out;
  out.id = spec.id;
  out.label = spec.label;
  out.kind = spec.kind->word;
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
    out.not_available = spec.kind->unseen;
    return out;
  }
  const double scale = scale_of(spec);
  const double n = static_cast<double>(tally.n());
  if (spec.fixed) {
    out.method = "fixed";
    out.standard_error = 0.0;
  } else if (spec.proportion) {
    const double p = static_cast<double>(tally.successes()) / n;
    out.method = to_text(proportion_method(tally.successes(), tally.n()));
    out.standard_error = scale * std::sqrt(p * (1.0 - p) / n);
  } else if (spec.kind->estimator == MeasureKind::Estimator::ratio) {
    out.method = all_or_none(tally, spec) ? "no-variation" : "fieller";
    out.standard_error = scale * tally.ratio().standard_error();
    if (std::isnan(out.estimate)) out.not_available = "what it is divided by was zero in every replication";
  } else if (spec.kind->estimator == MeasureKind::Estimator::cycles) {
    out.method = "regenerative";
    out.standard_error = scale * tally.ratio().standard_error();
    if (std::isnan(out.estimate)) out.not_available = "nothing was observed in any cycle";
  } else if (spec.kind->estimator == MeasureKind::Estimator::long_run) {
    const LongRunEstimate run = tally.long_run().estimate(spec.support, confidence);
    out.method = run.parts_in_run > 1 ? "batch-means" : "replication-deletion";
    out.standard_error = scale * run.standard_error;
    if (std::isfinite(out.estimate)) out.warm_up = run.removed;
    if (std::isnan(out.estimate)) out.not_available = spec.kind->unseen;
  } else {
    out.method = mean_interval(tally.values(), spec.support, confidence).method;
    if (tally.n() > 1) out.standard_error = scale * tally.values().standard_error();
  }
  if (spec.weighted && tally.values().mean() == 0.0) {
    out.not_available = "no replication reached it";
    return out;
  }
  if (spec.weighted) {
    out.effective_samples = effective_samples(tally.values());
  }
  if (spec.split && spec.kind->adds_up) {
    auto& shares = out.shares.emplace();
    for (SplitPart part = 0; part < spec.split->parts.size(); ++part) {
      const double sum = spec.proportion ? static_cast<double>(tally.successes(part)) : tally.sum(part);
      shares[spec.split->parts[part].name] = scale * (sum / n);
    }
  }
  if (has_distribution(tally, spec)) {
    // Of single observations, of which there are many, as far out as ten of them lie beyond.
    const bool many = many_each(spec);
    std::vector<double> p = {0.05, 0.25, 0.5, 0.75, 0.95};
    if (many) p.assign(told_levels.begin(), told_levels.end());
    std::erase_if(p, [&](double level) {
      return level > 0.95 && (1.0 - level) * static_cast<double>(tally.distribution().n()) < 10.0;
    });
    const std::vector<double> x = tally.distribution().quantiles(p);
    const bool known = !many || grouped(tally);
    const std::vector<Interval> ends = !known ? std::vector<Interval>{}
                                       : many ? tally.groups().quantiles(p, tally.distribution(), confidence)
                                              : tally.distribution().intervals(p, confidence);
    const auto end = [&](double x_end) {
      x_end = std::clamp(x_end, spec.support.least, spec.support.greatest);
      return std::isfinite(x_end) ? scale * x_end : nan;
    };
    for (std::size_t i = 0; i < p.size(); ++i) {
      out.quantiles[p[i]] = scale * x[i];
      if (!known) continue;
      Estimate quantile{scale * x[i], end(ends[i].lower), end(ends[i].upper)};
      hold_value(quantile, spec);
      out.quantile_intervals[p[i]] = {quantile.lower, quantile.upper};
    }
    const double squared = scale * scale;
    out.variance = squared * tally.distribution().moments().variance();
    if (grouped(tally)) {
      const Interval of_variance = tally.groups().variance(confidence).ends;
      out.variance_interval = {squared * of_variance.lower, squared * of_variance.upper};
    }
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
  if (outcome.late) out.diagnostics.push_back(*outcome.late);
  UnsettledMeasures not_settled;
  std::vector<const MeasureSpec*> unverified;  // that were the same in all replications
  std::string integrated;                      // measures whose interval is what integration may be off by
  double off = 0.0;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const MeasureSpec& spec = specs[i];
    const MeasureTally& tally = tallies.measures[i];
    off = std::max(off, spec.numerical_error);
    if (spec.split) out.split = *spec.split;
    out.measures.push_back(summarise_measure(tally, spec, confidence, solver));
    // Not that the event never occurred, nor that the replications are too short.
    if (tallies.replications == 0) out.measures.back().not_available = MeasureKind{}.unseen;
    if (tally.not_finite() > 0 && !out.measures.back().answered())
      out.measures.back().not_available = not_finite_reason;
    if (tally.not_finite() > 0)
      out.diagnostics.push_back({.severity = Severity::warning,
                                 .code = "RUN028",
                                 .element = spec.element,
                                 .message = "\"" + spec.id +
                                            "\" was infinite, no number or too great to be added up in " +
                                            counted(tally.not_finite(), "observation") + " of " +
                                            counted(tallies.replications, "replication") + ", first in replication " +
                                            std::to_string(tally.first_not_finite()) + " of seed " +
                                            std::to_string(out.provenance.seed) + "; wanted a finite number in each.",
                                 .hint = "Step through that replication: look for " + std::string(not_finite_causes)});
    else if (spec.kind->meaning == MeasureKind::Meaning::ratio && tally.n() > 0 && !out.measures.back().answered())
      out.diagnostics.push_back({.severity = Severity::warning,
                                 .code = "RUN028",
                                 .element = spec.element,
                                 .message = "\"" + spec.id + "\" has no value: what it is divided by was 0 in all of " +
                                            counted(tallies.replications, "replication") +
                                            "; wanted another value in one of them at least.",
                                 .hint = "Divide by what is not always 0, or make the mission longer."});
    else if (spec.kind->estimator == MeasureKind::Estimator::cycles && tally.n() < fewest_cycles * tallies.replications)
      out.diagnostics.push_back(
          {.severity = Severity::warning,
           .code = "RUN034",
           .element = spec.element,
           .message = "\"" + spec.id + "\": " + std::to_string(tally.n()) + " cycles were completed in " +
                      std::to_string(tallies.replications) + " replications; wanted at least " +
                      std::to_string(fewest_cycles) +
                      " in each, because the last is left out and long ones are cut off more often.",
           .hint =
               "Make the mission time longer, with fewer replications, or let cycles begin at a condition that becomes "
               "true more often."});
    else if (spec.weighted && tally.n() > 0 && tally.values().mean() == 0.0)
      out.diagnostics.push_back({.severity = Severity::info,
                                 .code = "RUN026",
                                 .element = spec.element,
                                 .message = "\"" + spec.id + "\": no replication of " + std::to_string(tally.n()) +
                                            " reached it, which does not say how small it is; it has no interval."});
    else if (!not_settled.look(tally, spec, confidence, out.diagnostics)) {
      if (spec.kind->meaning == MeasureKind::Meaning::first_time && tally.n() > 0 && tally.n() < fewest_times &&
          tally.n() < tallies.replications)
        out.diagnostics.push_back(
            {.severity = Severity::warning,
             .code = "RUN035",
             .element = spec.element,
             .message = "\"" + spec.id + "\" rests on " + std::to_string(tally.n()) + " of " +
                        std::to_string(tallies.replications) +
                        " replications, those in which it happened; wanted at "
                        "least " +
                        std::to_string(fewest_times) +
                        ", because an interval of fewer times misses their mean more often than it says.",
             .hint = "Make more replications, or a longer mission."});
      else if (as_integrated(out.measures.back(), spec))
        integrated += (integrated.empty() ? "\"" : ", \"") + spec.id + "\"";
      else if (out.measures.back().method == std::string("unverified")) unverified.push_back(&spec);
    }
    if (tallies.replications == 0) continue;
    if (!spec.grid_s.empty()) out.series.push_back(curve(tally, spec, tallies.replications, confidence, solver));
    if (has_distribution(tally, spec)) out.series.push_back(distribution(tally, spec, confidence, solver));
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
  if (!unverified.empty()) {
    std::string names;
    for (const MeasureSpec* one : unverified) names += (names.empty() ? "\"" : ", \"") + one->id + "\"";
    const bool alone = unverified.size() == 1;
    out.diagnostics.push_back(
        {.severity = Severity::info,
         .code = "RUN026",
         .element = unverified.front()->element,
         .message = names + (alone ? " was" : " were each") + " the same in all " +
                    std::to_string(tallies.replications) + " replications and nothing bounds what " +
                    (alone ? "it" : "they") + " could be; " +
                    (alone ? "its interval is that value alone." : "their intervals are these values alone.")});
  }
  if (!integrated.empty())
    out.diagnostics.push_back({.severity = Severity::info,
                               .code = "RUN036",
                               .message = "Replications differ less than what integration in time may be off by, " +
                                          number_text(off, 2) + " of a value, which is the interval of " + integrated +
                                          ".",
                               .hint = "--ode-relative-tolerance makes it narrower."});
}

double effective_samples(const Tally& x) {
  const double n = static_cast<double>(x.n()), square = x.mean() * x.mean();
  return x.n() == 0 || square == 0.0 ? 0.0 : n * square / (square + x.variance() * (n - 1.0) / n);
}

bool weights_sound(const MeasureTally& tally, const MeasureSpec& spec) {
  if (!spec.weighted) return true;
  const Tally& x = tally.values();
  return effective_samples(x) >= spec.weighted->fewest_effective &&
         x.greatest() <= spec.weighted->greatest_share * x.sum();
}

double relative_half_width(const Estimate& e, const Support& support) {
  const double half = 0.5 * (e.upper - e.lower);
  if (half == 0.0) return unchanged_is_known(e.value, support) ? 0.0 : infinity;
  const double ratio = half / std::fabs(e.value);
  return std::isfinite(ratio) ? ratio : infinity;
}

double worst_relative_half_width(const Tallies& tallies, std::span<const MeasureSpec> specs,
                                 const PrecisionGoals& goals, double confidence) {
  const std::vector<std::uint8_t> counts = measures_that_count(specs, goals);
  double worst = specs.empty() ? infinity : 0.0;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (counts[i] == 0) continue;
    if (!weights_sound(tallies.measures[i], specs[i])) return infinity;
    const Estimate e = estimate(tallies.measures[i], specs[i], confidence);
    worst = std::max(worst, specs[i].fixed ? 0.0 : relative_half_width(e, specs[i].support));
  }
  return worst;
}

std::vector<AwaitedPrecision> awaited_precisions(const Tallies& tallies, std::span<const MeasureSpec> specs,
                                                 const PrecisionGoals& goals, double confidence) {
  std::vector<AwaitedPrecision> out;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (goals.of(i) == 0.0) continue;
    const Estimate e = estimate(tallies.measures[i], specs[i], confidence);
    AwaitedPrecision one{.measure = specs[i].id, .element = specs[i].element, .wanted = goals.of(i)};
    one.reached = specs[i].fixed ? 0.0 : relative_half_width(e, specs[i].support);
    one.sound = weights_sound(tallies.measures[i], specs[i]);
    const Support support = specs[i].proportion ? Support{0.0, 1.0} : specs[i].support;
    one.from_zero = one.reached == 0.0 || known_from_zero(e.value, {e.lower, e.upper}, support);
    out.push_back(std::move(one));
  }
  return out;
}

void summarise_precision(const RunOutcome& outcome, std::span<const MeasureSpec> specs, const StoppingRule& rule,
                         bool trusted, const std::string& solver, ResultSet& out) {
  if (!rule.precision.any()) return;
  std::vector<AwaitedPrecision> awaited = awaited_precisions(outcome.tallies, specs, rule.precision, rule.confidence);
  if (!trusted)
    for (AwaitedPrecision& one : awaited) one.sound = false;
  for (Diagnostic& d : waits_for_zero(awaited)) out.diagnostics.push_back(std::move(d));
  out.tables.push_back(precision_table(awaited, rule.precision.left_out, "Relative half-width", solver));
}

}  // namespace ergode
