#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/document/document.h"
#include "core/random/distribution.h"

namespace ergode {

/// What is no law and may stand where a time does: nothing; traces (any time of a station or a delay); MAP and MMPP too
/// (services and stays); and bursts and schedules (between arrivals).
enum class TimesWithMemory : std::uint8_t { none, traces, services, arrivals };
TimesWithMemory times_with_memory(const Element& element, std::string_view property);

/// How they are written, as forms of distributions are: for who chooses one. Whether values fit gaps_seen() says. A
/// `file`, `column` or `unit` is a text in quotes; `as` and `at_end` are words.
inline std::vector<DistributionForm> process_forms(TimesWithMemory taken) {
  std::vector<DistributionForm> out;
  if (taken == TimesWithMemory::none) return out;
  using Dim = ArgumentDimension;
  const DistributionArgument file{"file", Dim::none, false, true, "a CSV file"},
      column{"column", Dim::none, false, false, "its name in the first row, or its number"},
      unit{"unit", Dim::none, false, true, "of its values: s, ms, h"},
      at_end{"at_end", Dim::none, false, false, "stop (default) or repeat"},
      mean{"mean", Dim::same, false, true, "mean, > 0"},
      scv{"scv", Dim::none, false, true, "squared coefficient of variation"};
  constexpr const char* neuts = "Neuts, A versatile Markovian point process, J. Appl. Prob. 16, 1979";
  const DistributionForm list{"trace", {file, column, unit, at_end}, "", "The values of a file, one after the other."};
  if (taken == TimesWithMemory::traces) return {list};
  const bool arrivals = taken == TimesWithMemory::arrivals;
  const std::string event = arrivals ? "arrival" : "end of a service",
                    moments = arrivals ? "these moments of times between arrivals" : "these moments of services",
                    from_one = arrivals ? "from one arrival to the next" : "from one service to the next";
  const DistributionArgument correlation{"correlation", Dim::none, false, true,
                                         "of neighbours: 0 to < (1 - 1 / scv) / 2"};
  out.push_back({"mmpp",
                 {{"rates", Dim::inverse, true, true, "of an " + event + " in each state: [10 /s, 1 /s]"},
                  {"switching", Dim::inverse, true, true, "of leaving two states, or rows of all rates"}},
                 neuts,
                 "At random, at a rate that follows a chain of states."});
  const std::string two = "Two states that have " + moments + "; scv above 1.";
  out.push_back({"mmpp", {mean, scv, correlation}, neuts, two});
  out.push_back({"mmpp",
                 {mean, scv, {"decay", Dim::none, false, true, "of correlations " + from_one + ": 0 to < 1"}},
                 neuts,
                 two});
  out.push_back({"map",
                 {{"d0", Dim::inverse, true, true, "rates without an " + event + ", rows: [[-1 /s, 1 /s], ...]"},
                  {"d1", Dim::inverse, true, true, "rates with an " + event + "; rows of both sum to 0"}},
                 neuts,
                 "With transitions of a chain."});
  out.push_back({"map",
                 {mean,
                  scv,
                  {"correlation", Dim::none, false, true, "of neighbours, of the sign of the decay"},
                  {"decay", Dim::none, false, true, "of correlations " + from_one + ": -1 to 1"}},
                 neuts,
                 "A chain that has " + moments + "; scv at least 0.02."});
  if (!arrivals) {
    out.push_back(list);
    return out;
  }
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
