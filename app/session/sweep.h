#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/session/journal.h"
#include "app/session/run.h"
#include "core/base/value.h"
#include "core/document/document.h"
#include "core/results/result_table.h"
#include "core/study/solver.h"

namespace ergode {

/// A parameter, or a property of an element (settable.h), and the values that it takes in turn.
struct SweepAxis {
  std::string name;                     ///< of a parameter of the model, or a property's path: "desk.servers"
  std::string unit;                     ///< in which the values are, as after --set; "" dimensionless
  std::vector<double> values;           ///< ascending or descending, at least one; of words their places, from 0
  std::vector<std::string> words = {};  ///< what is set where values are no numbers in a row: fifo, srtf, las
  /// What is set: "0.5 /s".
  std::string text(double value) const;
};

/// Reads "NAME=FROM:TO[:STEPS][:log]": so many values (Sweep::usual_points unless said; each of up to
/// Sweep::most_whole_values whole numbers), FROM and TO among them, equally far apart, or
/// with `log` by equal factors. "lambda = 0.1 /s : 0.9 /s : 9". A unit may follow either end and holds for both;
/// without one the parameter's or the property's own. Or "NAME=A,B,C": a list of values as after --set; of a choice or
/// a condition words that it may be, and "NAME" alone names all of them.
/// @returns RUN040 where it is none: the name (with what there is), a word that it may not be or that comes twice, a
/// whole number's value that is none, an end, the number of values (1 to 10,000; 1 only
///          where the ends are the same), or a logarithmic axis through zero.
std::variant<SweepAxis, Diagnostic> parse_sweep_axis(std::string_view text, const Document& document,
                                                     const RunRequest& request);

/// One combination of values, and what came of it.
struct SweepPoint {
  std::vector<double> values;                ///< by axis
  std::shared_ptr<const ResultSet> results;  ///< null: there is no answer
  std::string problem;                       ///< why, or what is wrong with the answer; empty: nothing is
  Diagnostics said = {};                     ///< by the check of the model and by its run; no errors
};

/// What points warn of, however many of them do.
struct SweepWarning {
  Diagnostic what;                  ///< as the first of them says it
  std::vector<std::size_t> points;  ///< ascending
};
/// Warnings of several points, each once: what two of them say with one code of one place is one, though numbers in it
/// may differ.
class SweepWarnings {
 public:
  /// What is for information alone is left to runs. @returns what nobody has said yet. O(all * said).
  Diagnostics hear(std::size_t point, const Diagnostics& said);
  const std::vector<SweepWarning>& all() const { return all_; }

 private:
  std::vector<SweepWarning> all_;
};

/// Axes with the points of their product, the last axis fastest. A point without results and problem is still to come.
struct Sweep {
  std::vector<SweepAxis> axes;
  std::vector<SweepPoint> points;

  static constexpr std::size_t most_points = 10000;
  static constexpr std::uint64_t usual_points = 11;  ///< from half to half as much again in tenths
  static constexpr int most_whole_values = 40;       ///< up to so many whole numbers between the ends are all taken
  /// @returns RUN040 where there is no axis, one comes twice, or there are more than most_points.
  static std::variant<Sweep, Diagnostic> of(std::vector<SweepAxis> axes);
};

/// What is asked at every point: the request with the values of the point as overrides. All points have one seed, so
/// that simulations share their random numbers and differences are known better than values.
struct SweepOrder {
  Document document;
  RunRequest request;
  const Solver* solver = nullptr;  ///< not null
  Beside beside = Beside::none;    ///< exact solvers that are asked too
};
/// Checks and runs the model at one point as `ergode run` does, on the calling thread. Whatever is wrong is the point's
/// own problem; it never throws.
/// @param stopped  asked often: true ends it with what it has (a simulation) or without answer
/// @param watched  hears as often of the run that goes on: how far it is (Run::first()), what it says (Run::told())
void solve_point(const SweepOrder& order, const Sweep& sweep, SweepPoint& point, const std::function<bool()>& stopped,
                 const std::function<void(const Run&)>& watched = {});

/// RUN010 for each measure that nobody will answer, before anything is run: the model does not have it, and it is no
/// name that a solver gives to what it tells of its own (`queue_length/desk`, `system_number`, `weight`).
Diagnostics unknown_measures(const SweepOrder& order, const std::vector<std::string>& asked);
/// The ids of the measures that some point answers, in the order of the first that does; where `asked` is not empty
/// those of it that there are.
std::vector<std::string> sweep_measures(const Sweep& sweep, const std::vector<std::string>& asked = {});
/// A row for each point: the values, then of each measure value, lower and upper end, the exact value (of the run
/// itself or of a solver beside it) and what the value is a mean of where that is no matter of course
/// (occurrence_note()), the codes of its warnings, and the problem. Cells of what is not known are empty or NaN;
/// columns without an entry in any row are left out, but for the values of the axes and of the first measure. What a
/// measure of the mission only tends to (is_limit()) is no exact value of it: its columns are headed "NAME in the long
/// run".
ResultTable sweep_table(const Sweep& sweep, const std::vector<std::string>& measures);
/// The same as CSV, with all columns and the run, and a head line, its cells as they are named there: `queue_length`,
/// `queue_length.lower`, ...; `average.long_run`, `average.long_run.lower`, ... where the values are limits of a
/// measure of the mission.
std::string sweep_csv(const Sweep& sweep, const std::vector<std::string>& measures);
/// {"vary": [{name, unit, values}], "points": [{values: {name: x}, run, problem, measures: {id: {estimate, lower,
/// upper, exact, unit, long_run, note}}}]}; null for what there is not.
Value sweep_json(const Sweep& sweep, const std::vector<std::string>& measures);
/// A measure over the first axis (of words over their places, from 0), one line for each combination of the other axes
/// (the first eight); kind "sweep". Points without an answer are left out. @param exact  of exact values beside a
/// simulation
std::vector<Series> sweep_series(const Sweep& sweep, const std::string& measure, bool exact);
/// Whether values of a measure of the mission are limits: wherever they are shown that is said.
bool sweep_limits(const Sweep& sweep, const std::string& measure);
/// Their plot in the print theme, in a format of figure_formats(), with what was run: over words, as over values that
/// are listed, points with intervals, else lines. RES012 where there is nothing.
std::optional<std::string> sweep_plot(const Sweep& sweep, const std::string& measure, const std::string& format,
                                      Diagnostics& problems);

}  // namespace ergode
