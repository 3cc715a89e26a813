#include "statecharts/compile/chart_tables.h"

#include <algorithm>
#include <map>

#include "statecharts/compile/entry_set.h"

namespace ergode {
namespace {

// SCXML's least common compound ancestor of source and targets: the innermost composite that contains them all and is
// none of them. A transition to the state around its source therefore leaves and enters that state. An internal
// transition into its own composite source does not leave it.
int domain_of(const StateChart& chart, const Transition& t) {
  const auto holds = [&](int s) {
    return std::all_of(t.targets.begin(), t.targets.end(),
                       [&](int target) { return target != s && chart.inside(target, s); });
  };
  const auto composite = [&](int s) {
    return chart.states[static_cast<std::size_t>(s)].kind == State::Kind::composite;
  };
  if (t.internal && composite(t.source) && holds(t.source)) return t.source;
  for (int s = chart.states[static_cast<std::size_t>(t.source)].parent; s > 0;
       s = chart.states[static_cast<std::size_t>(s)].parent)
    if (composite(s) && holds(s)) return s;
  return 0;
}

void set(std::vector<std::uint64_t>& mask, std::size_t bit) { mask[bit / 64] |= std::uint64_t{1} << (bit % 64); }

}  // namespace

std::string event_argument(const Syntax& call) {
  if (call.children.empty()) return {};
  const Syntax& s = call.children.front();
  if (s.kind == Syntax::Kind::text) return s.word;
  if (s.kind != Syntax::Kind::path || s.index != Syntax::Index::none) return {};
  std::string name;
  for (const Syntax::Segment& segment : s.segments) name += (name.empty() ? "" : ".") + segment.word;
  return name;
}

const Syntax* event_name_text(const Syntax& comparison) {
  if (comparison.kind != Syntax::Kind::binary || (comparison.word != "==" && comparison.word != "!=")) return nullptr;
  for (const std::size_t side : {0U, 1U}) {
    const Syntax &text = comparison.children[side], &name = comparison.children[1 - side];
    if (text.kind == Syntax::Kind::text && name.kind == Syntax::Kind::path && name.segments.size() == 2 &&
        name.segments[0].word == "event" && name.segments[1].word == "name")
      return &text;
  }
  return nullptr;
}

void add_events(const StateChart& chart, EventNames& events) {
  bool done = false;
  for (const Transition& t : chart.transitions)
    for (const std::string& descriptor : t.trigger.events) {
      events.number(descriptor);
      done = done || event_matches(descriptor, "done.state") || descriptor == "done.state." + chart.name;
    }
  const auto raised = [&](const std::vector<ActionSyntax>& actions) {
    for (const ActionSyntax& action : actions)
      if (!action.target && (action.value.word == "raise" || action.value.word == "send"))
        if (const std::string name = event_argument(action.value); !name.empty()) events.number(name);
  };
  // An event that is only asked for by name must be told from those of the same prefix.
  const auto named = [&events](const Syntax& syntax) {
    walk(syntax, [&events](const Syntax& s) {
      const Syntax* text = event_name_text(s);
      if (text == nullptr) return;
      events.number(text->word);
      events.number(text->word + ".*");  // stands for all longer names that nobody mentions
    });
  };
  const auto actions = [&](const std::vector<ActionSyntax>& list) {
    raised(list);
    for (const ActionSyntax& action : list) named(action.value);
  };
  for (const State& s : chart.states) actions(s.entry), actions(s.exit);
  for (const Transition& t : chart.transitions) {
    actions(t.actions), actions(t.fault);
    named(t.trigger.argument);
    for (const Syntax& guard : t.guard) named(guard);
  }
  // Somebody listens to all of them.
  for (std::size_t s = 1; done && s < chart.states.size(); ++s)
    if (chart.states[s].kind == State::Kind::composite || chart.states[s].kind == State::Kind::parallel)
      events.number(done_event_name(chart, static_cast<int>(s)));
}

namespace {

/// By transition: the events it may react to, ascending; the number past the last event when it needs none. What many
/// transitions wait for is compared with the names once.
std::vector<std::vector<std::uint32_t>> reacts_to(const StateChart& chart, const EventNames& events) {
  const auto count = static_cast<std::uint32_t>(events.names.size());
  std::map<std::vector<std::string>, std::vector<std::uint32_t>> known;
  std::vector<std::vector<std::uint32_t>> out;
  for (const Transition& t : chart.transitions) {
    out.emplace_back();
    if (t.trigger.eventless()) out.back() = {count};
    if (t.trigger.events.empty()) continue;
    const auto [found, fresh] = known.try_emplace(t.trigger.events);
    for (std::uint32_t e = 0; fresh && e < count; ++e)
      if (std::any_of(t.trigger.events.begin(), t.trigger.events.end(),
                      [&](const std::string& d) { return event_matches(d, events.names[e]); }))
        found->second.push_back(e);
    out.back().insert(out.back().begin(), found->second.begin(), found->second.end());
  }
  return out;
}

/// See ChartTables::candidates.
Rows candidates(const StateChart& chart, const EventNames& events, const std::vector<bool>& initial,
                const std::vector<std::uint64_t>& atomic) {
  const std::vector<std::vector<std::uint32_t>> reacts = reacts_to(chart, events);
  std::vector<std::vector<std::uint32_t>> leaving(chart.states.size());
  for (std::uint32_t t = 0; t < chart.transitions.size(); ++t)
    if (!initial[t]) leaving[static_cast<std::size_t>(chart.transitions[t].source)].push_back(t);
  Rows out;
  std::vector<std::vector<std::uint32_t>> rows(events.names.size() + 1);
  for (std::size_t s = 0; s < chart.states.size(); ++s) {
    const bool leaf = (atomic[s / 64] >> (s % 64) & 1U) != 0;
    for (int source = static_cast<int>(s); leaf && source >= 0;
         source = chart.states[static_cast<std::size_t>(source)].parent)
      for (const std::uint32_t t : leaving[static_cast<std::size_t>(source)])
        for (const std::uint32_t e : reacts[t]) rows[e].push_back(t);
    for (std::vector<std::uint32_t>& row : rows) out.push(row), row.clear();
  }
  return out;
}

}  // namespace

ChartTables make_tables(const StateChart& chart, const EventNames& events) {
  ChartTables out;
  out.chart = chart;
  const std::size_t n = chart.states.size();
  out.words = static_cast<std::uint32_t>((n + 63) / 64);
  out.atomic.assign(out.words, 0), out.eventless.assign(out.words, 0);
  out.events = static_cast<std::uint32_t>(events.names.size());
  EntrySet entry(chart);
  for (const State& state : chart.states) {
    out.is_final.push_back(state.kind == State::Kind::final ? 1 : 0);
    out.is_choice.push_back(state.kind == State::Kind::choice ? 1 : 0);
  }
  for (std::size_t s = 0; s < n; ++s) {
    if (chart.states[s].history()) out.histories.push_back(static_cast<std::uint32_t>(s));
    else if (chart.states[s].kind != State::Kind::composite && chart.states[s].kind != State::Kind::parallel)
      set(out.atomic, s);
  }
  std::vector<bool> initial(chart.transitions.size());
  for (const State& s : chart.states)
    if (s.initial >= 0) initial[static_cast<std::size_t>(s.initial)] = true;
  for (std::size_t t = 0; t < chart.transitions.size(); ++t) {
    const Transition& from = chart.transitions[t];
    ChartTables::Way way;
    way.source = from.source;
    way.common_cause = from.trigger.kind == Trigger::Kind::common_cause;
    way.entry = static_cast<std::uint32_t>(out.entries.start.size() - 1);
    std::vector<std::uint32_t> row;
    if (!initial[t] && !from.targets.empty()) {
      const int domain = domain_of(chart, from);
      way.exit_first = static_cast<std::uint32_t>(domain + 1);
      way.exit_last = static_cast<std::uint32_t>(chart.states[static_cast<std::size_t>(domain)].last);
      way.remembers = !entry.complete(domain, from.targets, nullptr);
      row = entry.listed();
    }
    out.entries.push(row);
    if (!initial[t] && from.trigger.eventless()) set(out.eventless, static_cast<std::size_t>(from.source));
    out.ways.push_back(way);
  }
  out.start_row = static_cast<std::uint32_t>(out.entries.start.size() - 1);
  entry.complete_chart();
  out.entries.push(entry.listed());
  out.candidates = candidates(chart, events, initial, out.atomic);
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
