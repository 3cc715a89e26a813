#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace ergode {

/// A kind of question that a measure asks. Everything that lowering, recording, estimating, exact solvers, plots, forms
/// and manual need to know of it stands in its row of measure_kinds(); nobody compares words.
///
/// To add a kind is to add a row to measure_kinds(): a `meaning` for exact solvers, a `source` and an `estimator` for
/// the simulation, words for people.
struct MeasureKind {
  /// What an estimate tends to, in terms of the process X of the model over its mission [0, T], or of its limit.
  /// Exact solvers go by it: each says which it can answer.
  enum class Meaning {
    at_time,            ///< P(the condition holds at a time <= T)
    by_time,            ///< P(the condition has held at some moment up to a time <= T)
    average,            ///< E of the integral of f(X) over the mission, over T
    events,             ///< E of the number of events in the mission
    first_time,         ///< E of the time when the condition first holds, given that it does within the mission
    at_end,             ///< E f(X at T), with the distribution of f(X at T)
    observed_mean,      ///< E of the sum of a stream's observations over E of their number, with their distribution
    observed_share,     ///< E of the number of them that are at most a value, over E of their number
    observed_quantile,  ///< E of a quantile of one mission's observations
    observed_maximum,   ///< E of their maximum in a mission that has any
    observed_count,     ///< E of their number in the mission
    observed_rate,      ///< the same over T; of an expression E of f(X at T) - f(X at 0), over T
    long_run,           ///< limit of the average of f(X), or of a stream's observations, when T grows
    regenerative,       ///< the same limit, where a run is cut into cycles at moments from which it begins anew
    ratio               ///< E of what one measure observes over E of what another does
  };
  /// What an observation is made of.
  enum class Source {
    condition,        ///< property `expression`: true or false
    value,            ///< property `expression`: a number, or a condition counted as 0 or 1
    events,           ///< property `event`, or where it is empty how often the condition `expression` becomes true
    stream,           ///< property `of`: a stream of observations, or of one `class` of them
    value_or_stream,  ///< property `of`, or where it is empty `expression`
    measures          ///< properties `of` and `per`: two measures above
  };
  /// How an estimate and its interval are made of observations.
  enum class Estimator {
    mean,     ///< of one observation per replication, or a proportion of them
    ratio,    ///< of the means of two: core/stats/ratio.h
    cycles,   ///< of the means of two over regenerative cycles, of which a replication makes many
    long_run  ///< batch means within each replication, after its warm-up: core/stats/long_run.h
  };

  std::string_view word;   ///< In files and results.
  std::string_view label;  ///< In forms.
  std::string_view help;   ///< Half a sentence for the form and the manual: "value at the end".
  Meaning meaning = Meaning::at_time;
  Source source = Source::condition;
  Estimator estimator = Estimator::mean;
  bool at = false;          ///< Takes the property `at`, a time within the mission; else it is about all of it.
  bool curve = false;       ///< Has a curve over the mission, with as many points as the property `curve` says.
  bool proportion = false;  ///< An observation is 0 or 1.
  bool level = false;       ///< Takes the property `level`, of a quantile.
  bool threshold = false;   ///< Takes the property `at_most`, the greatest observation that counts.
  bool renewal = false;     ///< Takes the property `renewal`, the condition at which cycles begin.
  bool each = true;         ///< Every replication makes an observation, which a ratio may be made of.
  bool samples = false;     ///< Keeps the distribution of its observations where these are numbers.
  bool may_sample = false;  ///< The same where the property `distribution` asks for it.
  bool lasting = false;     ///< With `samples`: kept is not what is observed, but for how long X had which value.
  bool is_time = false;     ///< Observations are times, whatever the expression is.
  bool adds_up = true;      ///< The shares of the parts of a split add up to the estimate.
  std::string_view unseen = "no replication was made";  ///< Why there is no estimate when nothing was observed.
  /// Why no exact solver answers; empty: some may.
  std::string_view simulated_only = {};
  /// Words for axes: of a value, of its curve over time, and of the distribution of its observations. A leading
  /// "Probability" becomes "Frequency" where the estimate carries a unit.
  std::string_view axis, curve_axis = axis, distribution_axis = "Final value";

  /// Whether the question is when, or whether, a condition first holds: what happens afterwards plays no part.
  bool first_passage() const { return meaning == Meaning::by_time || meaning == Meaning::first_time; }
  /// Whether it asks what an average tends to, not what it is in the mission.
  bool without_end() const { return meaning == Meaning::long_run || meaning == Meaning::regenerative; }
  /// Which properties its form shows.
  bool wants_condition() const { return source == Source::condition || source == Source::events; }
  bool takes_expression() const { return source != Source::stream && source != Source::measures; }
  bool takes_stream() const { return source == Source::stream || source == Source::value_or_stream; }
};

/// All kinds, in the order in which forms offer them. Static; rows keep their addresses.
const std::vector<MeasureKind>& measure_kinds();
/// The row of a word; null: there is none (results of a newer version). O(kinds).
const MeasureKind* find_measure_kind(std::string_view word);
/// The row of a word that is known to be there.
/// @throws std::invalid_argument  it is not.
const MeasureKind& measure_kind(std::string_view word);
/// The words of the kinds for which a fact holds: for properties that only those have.
template <class Fact>
std::vector<std::string> measure_kinds_where(Fact fact) {
  std::vector<std::string> out;
  for (const MeasureKind& kind : measure_kinds())
    if (fact(kind)) out.emplace_back(kind.word);
  return out;
}

}  // namespace ergode
