#include "core/catalogue/measure_kinds.h"

#include <stdexcept>

namespace ergode {

const std::vector<MeasureKind>& measure_kinds() {
  using Meaning = MeasureKind::Meaning;
  using Source = MeasureKind::Source;
  using Estimator = MeasureKind::Estimator;
  constexpr std::string_view unobserved = "nothing was observed";
  constexpr std::string_view of_stream = "it is about single observations, which a run makes";
  static const std::vector<MeasureKind> kinds = {
      {.word = "probability_at",
       .label = "Probability at a time",
       .help = "Probability that the condition holds at a time",
       .meaning = Meaning::at_time,
       .source = Source::condition,
       .at = true,
       .curve = true,
       .proportion = true,
       .axis = "Probability",
       .curve_axis = "Probability at time t"},
      {.word = "probability_by",
       .label = "Probability by a time",
       .help = "probability that it has held by a time",
       .meaning = Meaning::by_time,
       .source = Source::condition,
       .at = true,
       .curve = true,
       .proportion = true,
       .axis = "Probability",
       .curve_axis = "Probability by time t"},
      {.word = "time_average",
       .label = "Time average",
       .help = "time average of an expression",
       .meaning = Meaning::average,
       .source = Source::value,
       .curve = true,
       .axis = "Time average",
       .curve_axis = "Mean at time t"},
      {.word = "count",
       .label = "Number of events",
       .help = "number of events",
       .meaning = Meaning::events,
       .source = Source::events,
       .axis = "Mean number of events"},
      {.word = "time_to",
       .label = "Time to an event",
       .help = "time until the condition first holds",
       .meaning = Meaning::first_time,
       .source = Source::condition,
       .each = false,
       .samples = true,
       .is_time = true,
       .adds_up = false,
       .unseen = "the event never occurred",
       .axis = "Mean time to the event",
       .distribution_axis = "Time to the event"},
      {.word = "final_value",
       .label = "Final value",
       .help = "value at the end",
       .meaning = Meaning::at_end,
       .source = Source::value,
       .samples = true,
       .axis = "Mean final value"},
      {.word = "ratio",
       .label = "Ratio of means",
       .help = "mean of one measure over the mean of another",
       .meaning = Meaning::ratio,
       .source = Source::measures,
       .estimator = Estimator::ratio,
       .each = false,
       .adds_up = false,
       .simulated_only = "it is a ratio of two measures, which each have their own answer",
       .axis = "Ratio"},
      {.word = "steady_state_mean",
       .label = "Mean in the long run",
       .help = "what the average of an expression or a stream of observations settles at, from long replications "
               "without their warm-up",
       .meaning = Meaning::long_run,
       .source = Source::value_or_stream,
       .estimator = Estimator::long_run,
       .each = false,
       .adds_up = false,
       .unseen = "the replications are too short",
       .axis = "Mean in the long run"},
      {.word = "regenerative_mean",
       .label = "Mean by cycles",
       .help =
           "what the average of an expression or a stream of observations settles at, from cycles that begin whenever "
           "a condition becomes true",
       .meaning = Meaning::regenerative,
       .source = Source::value_or_stream,
       .estimator = Estimator::cycles,
       .renewal = true,
       .each = false,
       .adds_up = false,
       .unseen = "no cycle was completed",
       .axis = "Mean in the long run"},
      {.word = "observed_mean",
       .label = "Mean of observations",
       .help = "mean of a stream of observations, with their distribution",
       .meaning = Meaning::observed_mean,
       .source = Source::stream,
       .estimator = Estimator::ratio,
       .each = false,
       .samples = true,
       .adds_up = false,
       .unseen = unobserved,
       .simulated_only = of_stream,
       .axis = "Mean of observations",
       .distribution_axis = "Observation"},
      {.word = "observed_quantile",
       .label = "Quantile of observations, mean over missions",
       .help = "mean over the missions of the quantile of each one's own observations, which for short missions is not "
               "the quantile of all observations together",
       .meaning = Meaning::observed_quantile,
       .source = Source::stream,
       .level = true,
       .each = false,
       .adds_up = false,
       .unseen = unobserved,
       .simulated_only = of_stream,
       .axis = "Quantile of observations, mean over missions"},
      {.word = "observed_maximum",
       .label = "Greatest observation",
       .help = "mean of the greatest observation of a replication",
       .meaning = Meaning::observed_maximum,
       .source = Source::stream,
       .each = false,
       .adds_up = false,
       .unseen = unobserved,
       .simulated_only = of_stream,
       .axis = "Greatest observation"},
      {.word = "observed_count",
       .label = "Number of observations",
       .help = "number of a stream's observations",
       .meaning = Meaning::observed_count,
       .source = Source::stream,
       .adds_up = false,
       .simulated_only = of_stream,
       .axis = "Mean number of observations"},
      {.word = "observed_rate",
       .label = "Rate of observations",
       .help = "their number over the mission time",
       .meaning = Meaning::observed_rate,
       .source = Source::stream,
       .adds_up = false,
       .simulated_only = of_stream,
       .axis = "Rate of observations"},
  };
  return kinds;
}

const MeasureKind* find_measure_kind(std::string_view word) {
  for (const MeasureKind& kind : measure_kinds())
    if (kind.word == word) return &kind;
  return nullptr;
}

const MeasureKind& measure_kind(std::string_view word) {
  if (const MeasureKind* kind = find_measure_kind(word)) return *kind;
  throw std::invalid_argument("There is no kind of measure \"" + std::string(word) + "\".");
}

}  // namespace ergode
