#include "solvers/model/unheard_events.h"

#include <algorithm>

#include "core/base/text.h"

namespace ergode {

void warn_of_unheard_events(const Document& document, const EventNames& events, const AnalysisModel& model,
                            Diagnostics& problems) {
  for (const EventNames::Mention& raised : events.raised) {
    const std::string& name = events.names[raised.event];
    std::vector<std::string> waited_for;
    bool heard = std::any_of(model.measures.begin(), model.measures.end(), [&](const Measure& measure) {
      return measure.counts_event && measure.event == static_cast<int>(raised.event);
    });
    for (const EventNames::Mention& one : events.heard) {
      heard = heard || one.event == raised.event;
      waited_for.push_back(events.names[one.event]);
    }
    for (const ChartTables& tables : model.charts.charts)
      for (const Transition& t : tables.chart.transitions)
        for (const std::string& descriptor : t.trigger.events) {
          heard = heard || event_matches(descriptor, name);
          waited_for.push_back(descriptor);
        }
    if (heard) continue;
    const std::string meant = nearest_word(name, waited_for);
    problems.push_back({.severity = Severity::warning,
                        .code = "SYS007",
                        .element = raised.by,
                        .pointer = raised.property,
                        .message = "No chart waits for the event \"" + name + "\" that \"" +
                                   document.find(raised.by)->name() + "\" raises, and no measure counts it.",
                        .hint = meant.empty() ? "Give a transition this event as its trigger, or count it by a measure."
                                              : "Did you mean \"" + meant + "\"?"});
  }
}

}  // namespace ergode
