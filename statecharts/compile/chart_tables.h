#pragma once
#include <map>
#include <string>

#include "statecharts/compile/compiled_model.h"

namespace ergode {

/// Numbers chart events over the whole model.
class EventNames {
 public:
  std::uint32_t number(const std::string& name);
  std::vector<std::string> names;

 private:
  std::map<std::string, std::uint32_t> numbers_;
};

/// Name of the event that a finished state raises inside its own component.
std::string done_event_name(const StateChart& chart, int state);
/// The event a transition waits for; "done" means its source state, "done.state.X" the state of that name.
std::string event_name(const StateChart& chart, const Transition& transition);

/// Flattens the structure of a chart. `events` must already hold every event of the model.
/// Exit intervals, entry rows and transition domains follow the W3C SCXML algorithm (2015), appendix D.
ChartTables make_tables(const StateChart& chart, const EventNames& events);

}  // namespace ergode
