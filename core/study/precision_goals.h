#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/results/result_set.h"
#include "core/stats/interval.h"
#include "core/study/measure_spec.h"
#include "core/study/run_request.h"

namespace ergode {

/// How precise measures must be before a run ends by its precision, and which of them are waited for.
struct PrecisionGoals {
  /// By measure, as in the list of specs: the greatest relative half-width, in (0, 1); 0, and of those beyond the list:
  /// nobody waits for it.
  std::vector<double> relative;
  /// MeasureSpec::id of those for which a run would wait besides if its precision were asked of all measures.
  std::vector<std::string> left_out;

  bool any() const;
  double of(std::size_t measure) const { return measure < relative.size() ? relative[measure] : 0.0; }
};

/// A measure that has a precision of its own is waited for: what the request says of its name, else what the model
/// says. Of the others the headline ones must reach the precision of the request, or all of them where none is
/// headline or the request says so (RunRequest::precision_for). Without any of these nobody waits. O(measures log
/// names).
PrecisionGoals precision_goals(std::span<const MeasureSpec> specs, const RunRequest& request);

/// Whether a run is about the measure: it waits for it; where it waits for none, the measure is headline, or none is.
/// What is said of a run as a whole is said of these. By number as in the list of specs. O(measures).
std::vector<std::uint8_t> measures_that_count(std::span<const MeasureSpec> specs, const PrecisionGoals& goals);

/// The one rule on what never changed while it was looked at, in replications and in one long run alike: it is known to
/// be its value, with any precision, unless that is 0 or an end of what is possible. Such a value may be that of
/// something rare that is yet to be seen (a share of time of 1 before the first failure), so it is known only where
/// nothing else is possible; else it is infinitely unsure and keeps the run going; of a 0 RUN042 says so.
/// @param value    of the estimate [SI]
/// @param support  MeasureSpec::support
bool unchanged_is_known(double value, const Support& support);

/// Whether a mean is known not to be 0: its interval says so, or something else than 0 was seen of what lies on one
/// side of it, whose interval becomes narrow sooner or later.
/// @param value  of the estimate @param ends  of its interval; NaN: unbounded @param support  of observations; any unit
/// of the same sign
bool known_from_zero(double value, const Interval& ends, const Support& support);

/// RUN010 for each name of RunRequest::precision_of that is no measure, with the nearest.
Diagnostics unknown_precisions(const std::vector<std::string>& measures, const RunRequest& request);

/// "0.03, response=0.01, lost=5 %": a number for the run, numbers for measures by name, in any order; as fractions
/// between 0 and 1, or in %.
/// @returns false where it is none, or says something twice; the request is then as it was.
bool read_precisions(std::string_view text, RunRequest& request);
/// As read_precisions() takes it: the run's first, then by name. Empty: none.
std::string precisions_text(const RunRequest& request);

/// How far a measure is that a run waits for.
struct AwaitedPrecision {
  std::string measure;    ///< MeasureSpec::id
  ElementId element;      ///< of the document
  double wanted = 0.0;    ///< relative, in (0, 1)
  double reached = 0.0;   ///< relative; infinity without an estimate, or at one of 0
  bool sound = true;      ///< The interval may be trusted; else it does not count.
  bool from_zero = true;  ///< known_from_zero(), or unchanged_is_known()
  bool enough() const { return sound && reached <= wanted; }
};

/// Whether all are precise enough.
bool all_precise(const std::vector<AwaitedPrecision>& awaited);
/// Those that alone keep a run going although nothing may ever be enough: all others are precise, and these cannot be
/// told from 0, so that no interval is narrow relative to them. Each as RUN042 (warning). Empty: there are none, or
/// others keep it going too.
Diagnostics waits_for_zero(const std::vector<AwaitedPrecision>& awaited);

/// The table `precision` of a run's results: for each measure that was waited for what was wanted, what was reached,
/// and which decided, the one that came nearest to its limit or did not reach it. Its note says so in a sentence, and
/// for which measures nobody waited.
/// Numbers are fractions. @param width  what is compared, as the head of a column: "Relative half-width"
/// @param left_out  PrecisionGoals::left_out
ResultTable precision_table(const std::vector<AwaitedPrecision>& awaited, const std::vector<std::string>& left_out,
                            const std::string& width, const std::string& solver);
/// Of results whose run waited for a precision: the sentence of that table, "Not reached: ...", where it ended before;
/// nothing where it did not, or nobody waited.
std::optional<std::string> precision_not_reached(const ResultSet& results);

}  // namespace ergode
