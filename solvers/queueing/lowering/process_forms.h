#pragma once
#include <vector>

#include "core/random/distribution.h"

namespace ergode {

/// How times that are no law are written, as forms of distributions are: for who chooses one. Whether values fit
/// gaps_seen() says. A `file`, `column` or `unit` is a text in quotes; `as` and `at_end` are words.
/// @param arrivals  else traces alone, which services may be too
inline std::vector<DistributionForm> process_forms(bool arrivals) {
  using Dim = ArgumentDimension;
  const DistributionArgument file{"file", Dim::none, false, true, "a CSV file"},
      column{"column", Dim::none, false, false, "its name in the first row, or its number"},
      unit{"unit", Dim::none, false, true, "of its values: s, ms, h"},
      at_end{"at_end", Dim::none, false, false, "stop (default) or repeat"},
      mean{"mean", Dim::same, false, true, "mean, > 0"},
      scv{"scv", Dim::none, false, true, "squared coefficient of variation"};
  constexpr const char* neuts = "Neuts, A versatile Markovian point process, J. Appl. Prob. 16, 1979";
  std::vector<DistributionForm> out;
  if (!arrivals) {
    out.push_back({"trace", {file, column, unit, at_end}, "", "The values of a file, one after the other."});
    return out;
  }
  constexpr const char* modulated = "At random, at a rate that follows a chain of states.";
  out.push_back({"mmpp",
                 {{"rates", Dim::inverse, true, true, "of arrivals in each state: [10 /s, 1 /s]"},
                  {"switching", Dim::inverse, true, true, "of leaving two states, or rows of all rates"}},
                 neuts,
                 modulated});
  out.push_back({"mmpp",
                 {mean, scv, {"correlation", Dim::none, false, true, "of neighbours: 0 to < (1 - 1 / scv) / 2"}},
                 neuts,
                 "Two states that have these moments of times between arrivals; scv above 1."});
  out.push_back(
      {"mmpp",
       {mean, scv, {"decay", Dim::none, false, true, "of correlations from one arrival to the next: 0 to < 1"}},
       neuts,
       "Two states that have these moments of times between arrivals; scv above 1."});
  out.push_back({"map",
                 {{"d0", Dim::inverse, true, true, "rates without an arrival, rows: [[-1 /s, 1 /s], ...]"},
                  {"d1", Dim::inverse, true, true, "rates with an arrival; rows of both sum to 0"}},
                 neuts,
                 "With transitions of a chain."});
  out.push_back({"map",
                 {mean,
                  scv,
                  {"correlation", Dim::none, false, true, "of neighbours, of the sign of the decay"},
                  {"decay", Dim::none, false, true, "of correlations from one arrival to the next: -1 to 1"}},
                 neuts,
                 "A chain that has these moments of times between arrivals; scv at least 0.02."});
  out.push_back({"burst",
                 {{"gaps", Dim::same, true, true, "two laws: [1 s, exponential(mean = 9 s)]"},
                  {"lengths", Dim::same, true, true, "laws of the lengths of both kinds of intervals"},
                  {"probability", Dim::none, false, false, "that the next is of the first kind; absent: by turns"}},
                 "",
                 "By one of two laws, in intervals of two laws of lengths."});
  out.push_back({"trace",
                 {file, column, unit, {"as", Dim::none, false, false, "gaps (default) or times"}, at_end},
                 "",
                 "As a file says."});
  out.push_back(
      {"schedule", {{"times", Dim::same, true, true, "moments: [0 s, 5 s, 9 s]"}, at_end}, "", "At these times."});
  return out;
}

}  // namespace ergode
