#include "statecharts/model/state_chart.h"

namespace ergode {

int StateChart::find(const std::vector<std::string>& words, std::size_t first) const {
  int found = -1;
  for (std::size_t s = 1; s < states.size(); ++s) {
    int at = static_cast<int>(s);
    std::size_t word = words.size();
    while (word > first) {
      // Regions may be left out of a path: EDG.Running is clear without naming the region around it.
      while (at > 0 && states[static_cast<std::size_t>(at)].name != words[word - 1] && word != words.size())
        at = states[static_cast<std::size_t>(at)].parent;
      if (at <= 0 || states[static_cast<std::size_t>(at)].name != words[word - 1]) break;
      at = states[static_cast<std::size_t>(at)].parent;
      --word;
    }
    if (word != first) continue;
    if (found >= 0) return -2;
    found = static_cast<int>(s);
  }
  return found;
}

std::string state_path(const StateChart& chart, int state) {
  std::string out;
  for (int s = state; s > 0; s = chart.states[static_cast<std::size_t>(s)].parent) {
    const std::string& name = chart.states[static_cast<std::size_t>(s)].name;
    out = (name.empty() ? "?" : name) + (out.empty() ? "" : "." + out);
  }
  return out;
}

std::string done_event_name(const StateChart& chart, int state) {
  return "done.state." + chart.name + "." + std::to_string(state);
}

bool event_matches(std::string_view descriptor, std::string_view event) {
  if (descriptor == "*") return true;
  return event.substr(0, descriptor.size()) == descriptor &&
         (event.size() == descriptor.size() || event[descriptor.size()] == '.');
}

}  // namespace ergode
