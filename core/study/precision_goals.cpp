#include "core/study/precision_goals.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/study/run_option.h"

namespace ergode {
namespace {

constexpr const char* table_name = "precision";

std::string percent(double share) { return number_text(100.0 * share, 3) + " %"; }

/// "0.01" or "1 %": a fraction between 0 and 1.
std::optional<double> fraction(std::string_view text) {
  text = trim(text);
  const bool hundredths = !text.empty() && text.back() == '%';
  const auto value = parse_number(hundredths ? trim(text.substr(0, text.size() - 1)) : text);
  if (!value) return std::nullopt;
  const double share = hundredths ? *value / 100.0 : *value;
  return between_0_and_1(share) ? std::optional(share) : std::nullopt;
}

/// How much of what is allowed is left: above 1 it is not enough.
double used(const AwaitedPrecision& one) {
  return one.sound ? one.reached / one.wanted : std::numeric_limits<double>::infinity();
}

std::string state_of(const AwaitedPrecision& one, bool decided) {
  if (one.enough()) return decided ? "reached, decided" : "reached";
  if (!one.from_zero) return "not reached: it cannot be told from 0";
  return one.sound || one.reached > one.wanted ? "not reached" : "not reached: its interval cannot be trusted yet";
}

std::string sentence(const std::vector<AwaitedPrecision>& awaited, const AwaitedPrecision& decided) {
  if (all_precise(awaited))
    return (awaited.size() == 1 ? "Reached" : "All are reached") + std::string("; \"") + decided.measure +
           "\" decided.";
  std::string out;
  for (const AwaitedPrecision& one : awaited) {
    if (one.enough()) continue;
    out += (out.empty() ? "Not reached: \"" : ", \"") + one.measure + "\" (";
    out += (std::isfinite(one.reached) ? percent(one.reached) : "unknown") + ", wanted " + percent(one.wanted) + ")";
  }
  return out + ".";
}

std::string not_waited_for(const std::vector<std::string>& left_out) {
  constexpr std::size_t most = 6;
  std::string out;
  for (std::size_t i = 0; i < std::min(most, left_out.size()); ++i) out += (i == 0 ? "" : ", ") + left_out[i];
  if (left_out.size() > most) out += " and " + std::to_string(left_out.size() - most) + " others";
  return out.empty() ? out
                     : " Not waited for, being no headline measures: " + out +
                           " (--precision-measures all waits for them too).";
}

}  // namespace

const char* to_text(PrecisionFor which) { return which == PrecisionFor::all ? "all" : "headline"; }

bool PrecisionGoals::any() const {
  return std::any_of(relative.begin(), relative.end(), [](double goal) { return goal > 0.0; });
}

PrecisionGoals precision_goals(std::span<const MeasureSpec> specs, const RunRequest& request) {
  const bool headline = std::any_of(specs.begin(), specs.end(), [](const MeasureSpec& s) { return s.headline; });
  const bool all = request.precision_for == PrecisionFor::all || !headline;
  PrecisionGoals out;
  for (const MeasureSpec& spec : specs) {
    const auto named = request.precision_of.find(spec.id);
    out.relative.push_back(named != request.precision_of.end() ? named->second
                           : spec.precision > 0.0              ? spec.precision
                           : spec.headline || all              ? request.precision.value_or(0.0)
                                                               : 0.0);
    if (request.precision && out.relative.back() == 0.0) out.left_out.push_back(spec.id);
  }
  return out;
}

std::vector<std::uint8_t> measures_that_count(std::span<const MeasureSpec> specs, const PrecisionGoals& goals) {
  const bool waits = goals.any();
  const bool headline = std::any_of(specs.begin(), specs.end(), [](const MeasureSpec& s) { return s.headline; });
  std::vector<std::uint8_t> out;
  for (std::size_t m = 0; m < specs.size(); ++m)
    out.push_back((waits ? goals.of(m) > 0.0 : specs[m].headline || !headline) ? 1 : 0);
  return out;
}

bool unchanged_is_known(double value, const Support& support) {
  if (support.least == support.greatest) return true;
  return value != 0.0 && value > support.least && value < support.greatest;
}

bool known_from_zero(double value, const Interval& ends, const Support& support) {
  if (ends.lower > 0.0 || ends.upper < 0.0) return true;
  return value > 0.0 ? support.least >= 0.0 : value < 0.0 && support.greatest <= 0.0;
}

Diagnostics unknown_precisions(const std::vector<std::string>& measures, const RunRequest& request) {
  Diagnostics out;
  for (const auto& [name, goal] : request.precision_of) {
    if (std::find(measures.begin(), measures.end(), name) != measures.end()) continue;
    const std::string near = nearest_word(name, measures);
    constexpr std::size_t most_listed = 12;
    std::string known;
    for (std::size_t m = 0; m < std::min(most_listed, measures.size()); ++m)
      known += (m == 0 ? "" : ", ") + measures[m];
    if (measures.size() > most_listed) known += ", ...";
    out.push_back({.code = "RUN010",
                   .pointer = "precision",
                   .message = "--precision names \"" + quotable(name) + "\", which is no measure of the model.",
                   .hint = near.empty() ? "There are: " + known + "." : "Did you mean " + near + "?"});
  }
  return out;
}

bool read_precisions(std::string_view text, RunRequest& request) {
  std::optional<double> of_run;
  std::map<std::string, double> of_measure;
  for (const std::string& part : split(text, ',')) {
    const auto equals = part.find('=');
    const auto share = fraction(equals == std::string::npos ? part : part.substr(equals + 1));
    if (!share) return false;
    if (equals == std::string::npos) {
      if (of_run) return false;
      of_run = share;
      continue;
    }
    const std::string name(trim(std::string_view(part).substr(0, equals)));
    if (name.empty() || !of_measure.emplace(name, *share).second) return false;
  }
  if (!of_run && of_measure.empty()) return false;
  request.precision = of_run, request.precision_of = std::move(of_measure);
  return true;
}

std::string precisions_text(const RunRequest& request) {
  std::string out = request.precision ? number_text(*request.precision) : std::string();
  for (const auto& [name, goal] : request.precision_of)
    out += (out.empty() ? "" : ", ") + name + "=" + number_text(goal);
  return out;
}

bool all_precise(const std::vector<AwaitedPrecision>& awaited) {
  return std::all_of(awaited.begin(), awaited.end(), [](const AwaitedPrecision& one) { return one.enough(); });
}

Diagnostics waits_for_zero(const std::vector<AwaitedPrecision>& awaited) {
  Diagnostics out;
  for (const AwaitedPrecision& one : awaited) {
    if (one.enough()) continue;
    if (one.from_zero) return {};
    out.push_back(
        {.severity = Severity::warning,
         .code = "RUN042",
         .element = one.element,
         .message = "\"" + one.measure +
                    "\" cannot be told from 0 so far, and no interval is narrow relative to 0: a run that waits for " +
                    percent(one.wanted) + " of it may never end by itself.",
         .hint = "Limit the run by a number of replications or a time, or wait for other measures: those "
                 "that are headline, or have a precision of their own."});
  }
  return out;
}

ResultTable precision_table(const std::vector<AwaitedPrecision>& awaited, const std::vector<std::string>& left_out,
                            const std::string& width, const std::string& solver) {
  ResultTable out;
  out.name = table_name, out.title = "Precision that the run waits for", out.solver = solver;
  out.columns = {{"Measure"}, {"Wanted"}, {width}, {"State"}};
  if (awaited.empty()) return out;
  const auto decided =
      std::max_element(awaited.begin(), awaited.end(), [](const auto& a, const auto& b) { return used(a) < used(b); });
  for (const AwaitedPrecision& one : awaited)
    out.rows.push_back({one.measure, one.wanted,
                        std::isfinite(one.reached) ? one.reached : std::numeric_limits<double>::quiet_NaN(),
                        state_of(one, &one == &*decided)});
  out.note = sentence(awaited, *decided) + not_waited_for(left_out);
  return out;
}

std::optional<std::string> precision_not_reached(const ResultSet& results) {
  if (results.stop_reason == "precision") return std::nullopt;
  for (const ResultTable& table : results.tables)
    if (table.name == table_name) return table.note;
  return std::nullopt;
}

}  // namespace ergode
