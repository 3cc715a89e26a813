#include "statecharts/compile/chart_tables.h"

#include <algorithm>

namespace ergode {
namespace {

class TableMaker {
 public:
  explicit TableMaker(const StateChart& chart) : chart_(chart) {}

  // States entered from `domain` (already active) to `target`, with default completion everywhere below.
  std::vector<std::uint32_t> entry(int domain, int target) {
    entered_.assign(chart_.states.size(), false);
    defaulted_.assign(chart_.states.size(), false);
    along(domain, target);
    complete(target);
    return listed();
  }

  std::vector<std::uint32_t> whole_chart() {
    entered_.assign(chart_.states.size(), false);
    defaulted_.assign(chart_.states.size(), false);
    entered_[0] = true;
    complete(0);
    return listed();
  }

 private:
  // What was marked, in document order, each state followed by the initial actions it is entered with.
  std::vector<std::uint32_t> listed() const {
    std::vector<std::uint32_t> out;
    for (std::size_t s = 0; s < entered_.size(); ++s) {
      if (!entered_[s]) continue;
      out.push_back(static_cast<std::uint32_t>(s));
      if (defaulted_[s])
        out.push_back(ChartTables::initial_flag | static_cast<std::uint32_t>(chart_.states[s].initial));
    }
    return out;
  }
  const State& state(int s) const { return chart_.states[static_cast<std::size_t>(s)]; }
  void mark(int s) { entered_[static_cast<std::size_t>(s)] = true; }

  // Marks the ancestors of `target` below `domain`; a parallel state on the way brings its other regions.
  void along(int domain, int target) {
    for (int s = target; s != domain; s = state(s).parent) {
      mark(s);
      const int parent = state(s).parent;
      if (parent != domain && state(parent).kind == State::Kind::parallel)
        for (const int region : state(parent).children)
          if (region != s) mark(region), complete(region);
    }
  }

  void complete(int s) {
    if (state(s).kind == State::Kind::parallel) {
      for (const int region : state(s).children)
        if (!entered_[static_cast<std::size_t>(region)]) mark(region), complete(region);
    } else if (state(s).kind == State::Kind::composite) {
      for (const int child : state(s).children)
        if (entered_[static_cast<std::size_t>(child)]) return;
      const int target = chart_.transitions[static_cast<std::size_t>(state(s).initial)].target;
      defaulted_[static_cast<std::size_t>(s)] = true;
      along(s, target);
      complete(target);
    }
  }

  const StateChart& chart_;
  std::vector<bool> entered_, defaulted_;
};

// The innermost composite that contains source and target, and is neither: SCXML's LCCA. A transition to the state
// around its source therefore leaves and enters that state.
int domain_of(const StateChart& chart, const Transition& t) {
  for (int s = chart.states[static_cast<std::size_t>(t.source)].parent; s > 0;
       s = chart.states[static_cast<std::size_t>(s)].parent)
    if (chart.states[static_cast<std::size_t>(s)].kind == State::Kind::composite && t.target != s &&
        chart.inside(t.target, s))
      return s;
  return 0;
}

void set(std::vector<std::uint64_t>& mask, std::size_t bit) { mask[bit / 64] |= std::uint64_t{1} << (bit % 64); }

bool eventless(const Transition& t) {
  return t.trigger.kind == Trigger::Kind::none || t.trigger.kind == Trigger::Kind::when ||
         t.trigger.kind == Trigger::Kind::branch;
}

}  // namespace

std::uint32_t EventNames::number(const std::string& name) {
  const auto [found, fresh] = numbers_.emplace(name, static_cast<std::uint32_t>(names.size()));
  if (fresh) names.push_back(name);
  return found->second;
}

std::string done_event_name(const StateChart& chart, int state) {
  return "done.state." + chart.name + "." + std::to_string(state);
}

std::string event_name(const StateChart& chart, const Transition& t) {
  if (t.trigger.event == "done") return done_event_name(chart, t.source);
  if (t.trigger.event.rfind("done.state.", 0) == 0) {
    const int state = chart.find({t.trigger.event.substr(11)}, 0);
    if (state > 0) return done_event_name(chart, state);
  }
  return t.trigger.event;
}

ChartTables make_tables(const StateChart& chart, const EventNames& events) {
  ChartTables out;
  out.chart = chart;
  const std::size_t n = chart.states.size();
  out.words = static_cast<std::uint32_t>((n + 63) / 64);
  out.atomic.assign(out.words, 0), out.eventless.assign(out.words, 0);
  out.events = static_cast<std::uint32_t>(events.names.size());
  TableMaker maker(chart);
  for (const State& state : chart.states) {
    out.is_final.push_back(state.kind == State::Kind::final ? 1 : 0);
    out.is_choice.push_back(state.kind == State::Kind::choice ? 1 : 0);
  }
  for (std::size_t s = 0; s < n; ++s)
    if (chart.states[s].kind != State::Kind::composite && chart.states[s].kind != State::Kind::parallel)
      set(out.atomic, s);
  std::vector<bool> initial(chart.transitions.size());
  for (const State& s : chart.states)
    if (s.initial >= 0) initial[static_cast<std::size_t>(s.initial)] = true;
  std::vector<std::string> waits(chart.transitions.size());
  for (std::size_t t = 0; t < chart.transitions.size(); ++t) {
    const Transition& from = chart.transitions[t];
    ChartTables::Way way;
    way.source = from.source, way.target = from.target;
    way.common_cause = from.trigger.kind == Trigger::Kind::common_cause;
    way.entry = static_cast<std::uint32_t>(out.entries.start.size() - 1);
    if (initial[t] || from.target < 0) {
      out.entries.push({});
    } else {
      const int domain = domain_of(chart, from);
      way.exit_first = static_cast<std::uint32_t>(domain + 1);
      way.exit_last = static_cast<std::uint32_t>(chart.states[static_cast<std::size_t>(domain)].last);
      out.entries.push(maker.entry(domain, from.target));
      if (eventless(from)) set(out.eventless, static_cast<std::size_t>(from.source));
    }
    if (from.trigger.kind == Trigger::Kind::event) waits[t] = event_name(chart, from);
    out.ways.push_back(way);
  }
  out.start_row = static_cast<std::uint32_t>(out.entries.start.size() - 1);
  out.entries.push(maker.whole_chart());
  for (std::size_t s = 0; s < n; ++s) {
    for (std::uint32_t e = 0; e <= out.events; ++e) {
      std::vector<std::uint32_t> row;
      const bool leaf = (out.atomic[s / 64] >> (s % 64) & 1U) != 0;
      for (int source = static_cast<int>(s); leaf && source >= 0;
           source = chart.states[static_cast<std::size_t>(source)].parent)
        for (std::size_t t = 0; t < chart.transitions.size(); ++t) {
          const Transition& from = chart.transitions[t];
          if (from.source != source || initial[t]) continue;
          const bool matches = e < out.events ? from.trigger.kind == Trigger::Kind::event && waits[t] == events.names[e]
                                              : eventless(from);
          if (matches) row.push_back(static_cast<std::uint32_t>(t));
        }
      out.candidates.push(row);
    }
  }
  // A state is done when its only active child is final, or when all its regions are; somebody may wait for it.
  out.done_event.assign(n, -1);
  for (std::size_t s = 1; s < n; ++s) {
    const std::string name = done_event_name(chart, static_cast<int>(s));
    const auto found = std::find(events.names.begin(), events.names.end(), name);
    if (found != events.names.end()) out.done_event[s] = static_cast<std::int32_t>(found - events.names.begin());
  }
  return out;
}

}  // namespace ergode
