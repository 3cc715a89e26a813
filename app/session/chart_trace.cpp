#include "app/session/chart_trace.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/base/unit.h"
#include "solvers/model/analysis_model.h"
#include "statecharts/execute/chart_history.h"

namespace ergode {
namespace {

std::string label(const Document& document, const StateChart& chart, int state) {
  const State& s = chart.states[static_cast<std::size_t>(state)];
  const Element* drawn = document.find(s.element);
  const std::string id = drawn == nullptr ? std::string() : drawn->text("scxml_id");
  return !id.empty() ? id : s.name.empty() ? state_path(chart, state) : s.name;
}

class Tracer {
 public:
  Tracer(const Document& document, const CompiledModel& model, std::uint64_t seed, std::uint64_t most_steps)
      : document_(document), model_(model), history_(model, seed), steps_left_(most_steps) {}

  void run(const std::vector<TimedEvent>& events, double horizon_s, ChartTrace& out) {
    history_.start(0);
    note("", out);
    double last = 0.0;
    for (const TimedEvent& event : events) {
      const double time = event.relative ? last + event.time_s : event.time_s;
      if (time < last || time > horizon_s) {
        out.diagnostics.push_back({.code = "RUN011",
                                   .pointer = "events",
                                   .message = "The event " + event.name + " comes at " + number_text(time, 6) +
                                              " s; wanted a time from " + number_text(last, 6) + " s to the horizon, " +
                                              number_text(horizon_s, 6) + " s."});
        return;
      }
      until(time);
      last = time;
      // A chart that has ended keeps its configuration: events find nobody.
      if (final_state() < 0) history_.charts().give(0, number(event.name));
      note(event.name, out);
    }
    until(horizon_s);
    const int final = final_state();
    if (final >= 0) out.final_state = label(document_, chart(), final);
    out.end_s = history_.world().now();
    out.end_states = states();
  }

 private:
  const ChartTables& tables() const { return model_.charts[model_.instances.front().chart]; }
  const StateChart& chart() const { return tables().chart; }

  std::uint32_t number(const std::string& name) const {
    const int known = model_.event_for(name);
    return known >= 0 ? static_cast<std::uint32_t>(known) : std::numeric_limits<std::uint32_t>::max();
  }
  int final_state() const {
    for (const int child : chart().states.front().children)
      if (chart().states[static_cast<std::size_t>(child)].kind == State::Kind::final &&
          history_.charts().active(0, child))
        return child;
    return -1;
  }
  void until(double time) {
    // What waits for nothing is later than any horizon, an infinite one included.
    const double latest = std::min(time, std::numeric_limits<double>::max());
    for (; final_state() < 0; --steps_left_) {
      if (steps_left_ == 0 && history_.next_time() <= latest)
        throw ModelFailure({.code = "RUN012",
                            .element = document_.model().id,
                            .message = "The run was given up at " + number_text(history_.world().now(), 6) +
                                       " s: too many clocks and delayed events before the horizon."});
      if (!history_.step(latest)) break;
    }
    if (final_state() < 0) history_.world().move(time);
  }
  std::vector<std::string> states() const {
    std::vector<std::string> out;
    const ChartTables& flat = tables();
    for (std::size_t s = 1; s < chart().states.size(); ++s)
      if ((flat.atomic[s / 64] >> (s % 64) & 1U) != 0 && history_.charts().active(0, static_cast<int>(s)))
        out.push_back(label(document_, chart(), static_cast<int>(s)));
    return out;
  }
  void note(const std::string& event, ChartTrace& out) {
    out.points.push_back({history_.world().now(), event, states()});
  }

  const Document& document_;
  const CompiledModel& model_;
  ChartHistory history_;
  std::uint64_t steps_left_;
};

}  // namespace

std::variant<std::vector<TimedEvent>, std::string> parse_timed_events(std::string_view text) {
  std::vector<TimedEvent> out;
  if (trim(text).empty()) return out;
  for (const std::string& part : split(text, ',')) {
    const std::string_view word = trim(part);
    const auto at = word.find('@');
    TimedEvent event{std::string(trim(word.substr(0, at))), 0.0, true};
    if (event.name.empty()) return "An event of \"" + std::string(text) + "\" has no name.";
    if (at != std::string_view::npos) {
      std::string_view time = trim(word.substr(at + 1));
      event.relative = !time.empty() && time.front() == '+';
      if (event.relative) time.remove_prefix(1);
      const auto letters = time.find_first_not_of("0123456789.eE-+ ");
      const auto number = parse_number(std::string(trim(time.substr(0, letters))));
      const auto unit =
          letters == std::string_view::npos ? std::nullopt : parse_unit(std::string(time.substr(letters)));
      if (!number || !unit || !(unit->dimension == Dimension::of_time()) || !(*number >= 0.0) ||
          !std::isfinite(unit->to_si(*number)))
        return "The time of " + event.name + " is \"" + std::string(time) +
               "\"; wanted a finite number and a unit, as in " + event.name + "@+100ms.";
      event.time_s = unit->to_si(*number);
    }
    out.push_back(std::move(event));
  }
  return out;
}

std::optional<std::string> unheard_event(const Document& document, const std::string& name, const std::string& called) {
  std::vector<std::string> known;
  for (const Element& element : document.elements()) {
    if (!element.is_edge()) continue;
    for (std::string descriptor : split(element.text("trigger"), ',')) {
      if (descriptor.ends_with(".*")) descriptor.resize(descriptor.size() - 2);
      if (descriptor == "*" || descriptor == name || name.starts_with(descriptor + ".")) return std::nullopt;
      const std::string word = descriptor.substr(0, descriptor.find('.'));
      if (is_identifier(word) && word != "done" && word != "error" && descriptor.find('(') == std::string::npos)
        known.push_back(std::move(descriptor));
    }
  }
  const std::string near = nearest_word(name, known);
  return "No transition waits for the event \"" + quotable(called) + "\"." +
         (near.empty() ? std::string() : " Did you mean " + near + "?");
}

ChartTrace trace_chart(const Document& document, const std::vector<TimedEvent>& events, double horizon_s,
                       std::uint64_t seed, std::uint64_t most_steps) {
  ChartTrace out;
  const auto model = build_model(document, {}, "", out.diagnostics);
  // Nothing is measured here.
  std::erase_if(out.diagnostics, [](const Diagnostic& d) { return d.code == "MEA008"; });
  if (model == nullptr) return out;
  try {
    Tracer(document, model->charts, seed, most_steps).run(events, horizon_s, out);
  } catch (const ModelFailure& failure) {
    out.diagnostics.push_back(failure.diagnostic);
  }
  return out;
}

}  // namespace ergode
