#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/document/document.h"

namespace ergode {

/// An event given to a chart from outside.
struct TimedEvent {
  std::string name;     ///< as transitions name it: "t1", "door.open"
  double time_s = 0.0;  ///< since time zero, or since the event before it
  bool relative = true;
};

/// Reads `t1, t2@+100ms, t3@2s`: an event, `@` a time since the start, `@+` one since the event before it; without one
/// it comes as soon as the chart is at rest. Times are >= 0, finite and have a unit. Whether times ascend is looked at
/// by trace_chart(). An empty text is no event.
/// @returns the events, or a sentence what is wrong.
std::variant<std::vector<TimedEvent>, std::string> parse_timed_events(std::string_view text);

/// What is wrong with an event that no transition of the document names, neither by itself nor by a prefix or `*`: a
/// sentence with the nearest name. Nothing when some transition can hear it. @param called  how the user called it
std::optional<std::string> unheard_event(const Document& document, const std::string& name, const std::string& called);

/// What one component of a model went through, whenever it had come to rest: at the start and after each event.
struct ChartTrace {
  struct Point {
    double time_s = 0.0;
    std::string event;                ///< empty: the start
    std::vector<std::string> states;  ///< active states without active states inside, in document order
  };
  std::vector<Point> points;
  std::string final_state;  ///< the final state of the chart itself that was reached; empty: none
  double end_s = 0.0;       ///< when it was reached, else the horizon
  std::vector<std::string> end_states;
  Diagnostics diagnostics;  ///< with errors the trace ends where they occurred
};

/// Runs the model's first component in simulated time (waiting costs none) and gives it events, until its chart reaches
/// a final state of its own or the horizon. States are called by their `scxml_id` where they have one. Never throws.
/// @param horizon_s  end of the run [s]; an event later than that is an error.
/// @param seed        of clocks and choices, for charts that have any.
/// @param most_steps  clocks and delayed events that may go off before the run is given up (RUN012).
/// O(transitions taken). Diagnostics: those of the model, RUN011 an event before the one before it or after the
/// horizon, RUN012, and what stops the chart (ModelFailure).
ChartTrace trace_chart(const Document& document, const std::vector<TimedEvent>& events, double horizon_s,
                       std::uint64_t seed = 1, std::uint64_t most_steps = 100000000);

}  // namespace ergode
