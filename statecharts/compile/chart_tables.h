#pragma once
#include <string>

#include "core/des/event_names.h"
#include "statecharts/compile/compiled_model.h"

namespace ergode {

/// The event that raise(...), send(...) or record(...) names: a path, or a text for names that are none; empty:
/// neither.
std::string event_argument(const Syntax& call);
/// The text of `event.name == "text"`, or of its negation, part of the syntax given; null: it is no such comparison.
const Syntax* event_name_text(const Syntax& comparison);
/// Numbers what the chart waits for, what it raises and sends, and what it asks for by name; done events only where
/// somebody may hear them. What is only recorded gets its number when the action is compiled. O(size of the chart).
void add_events(const StateChart& chart, EventNames& events);

/// Flattens the structure of a chart, of which it keeps a copy. `events` must already hold every event of the model:
/// tables have a row for each, and numbers given later are events that the chart does not wait for. O(states * events +
/// transitions * events) at worst; names of events are compared once for each different list of descriptors.
/// @param chart  without errors
/// Exit intervals, entry rows and transition domains follow the W3C SCXML algorithm (2015), appendix D.
ChartTables make_tables(const StateChart& chart, const EventNames& events);

}  // namespace ergode
