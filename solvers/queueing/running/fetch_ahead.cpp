#include "core/base/fetch.h"
#include "solvers/queueing/running/running_network.h"

namespace ergode {

namespace {

constexpr std::size_t line = 64;

/// Those of a record from one on, and before another.
template <typename Record>
void lines(const Record& record, std::size_t first, std::size_t end) {
  for (; first < end; ++first) fetch_line(reinterpret_cast<const char*>(&record) + line * first);
}

/// Of a plain node: who comes is served, and does not wait.
template <typename State>
bool serves_at_once(const State& there) {
  return there.brief.plain && (!there.brief.station || there.served.size() < there.servers);
}

}  // namespace

// An event of a large network waits for memory a dozen times and computes little. Who is likely to be next is known
// some events before, and what such an event will need is asked for step by step, one step at each event: the
// station with who goes, what these point at, and where he will go.
void RunningNetwork::fetch_ahead() {
  const auto named = [this](std::uint32_t before) { return (named_ - before) % coming_.size(); };
  ++named_;
  const std::uint32_t soon = world_.timers.soon() - first_;
  const std::uint32_t first = coming_[named(0)] = soon < node_count_ ? soon : 0;
  lines(states_[first], 0, 2), world_.timers.prefetch(first_ + first);

  fetch_who_goes(coming_[named(1)]);

  const std::uint32_t classes = static_cast<std::uint32_t>(model_.classes.size());
  State& two = states_[coming_[named(2)]];
  if ((!two.brief.plain || two.brief.station) && two.units.reads_next()) lines(two, 4, 5);
  if (two.served.size() > 1) two.served.prefetch_level(1), two.served.prefetch_last();
  if (one_class_) {
    if (two.brief.plain && two.ways.count - 2 < few_ways - 1) {
      if (two.next_way < 0.0) two.next_way = two.ways_stream.uniform();
      if (two.next_way >= two.first_way.upto) fetch_line(&fixed_ways_[two.ways.first + 1]);
    }
  } else {
    if (two.brief.in_order && two.line.in_a_row()) fetch_line(&customers_[two.line.first().customer]);
    if (const WaysOf its = of_class_[coming_[named(2)] * classes].ways; its.count != 0)
      fetch_line(&fixed_ways_[its.first]);
  }

  const std::uint32_t leaves = coming_[named(3)];
  if (const State& three = states_[leaves]; three.served.size() > 5) three.served.prefetch_level(2);
  const std::uint32_t to = going_[named(3)] = coming_target(leaves);
  if (to != none) lines(states_[to], 0, 2);

  if (const std::uint32_t where = going_[named(4)]; where != none) {
    fetch_where(where);
    // Who goes where more is asked than that he has come: out of the network, most often.
    const State& four = states_[coming_[named(4)]];
    if (!states_[where].brief.plain && !four.served.empty()) fetch_line(&customers_[four.served.front().customer()]);
  }
  if (const std::uint32_t where = going_[named(5)]; where != none)
    if (const State& five = states_[where]; serves_at_once(five) && five.units.reads_next()) lines(five, 4, 5);
}

// The first two lines of the node are there.
void RunningNetwork::fetch_who_goes(std::uint32_t node) {
  const State& state = states_[node];
  const Brief& its = state.brief;
  fetch_line(&world_.slots()[its.number]);
  if (!one_class_) fetch_line(&of_class_[node * model_.classes.size()]);
  if (!its.plain || its.station) lines(state, 2, 3);
  if (state.only_target == none) lines(state, 3, 4);
  if (state.served.empty()) return;
  if (its.plain && (its.noted || !one_class_)) fetch_line(&customers_[state.served.front().customer()]);
  state.served.prefetch_level(0);
  if (!its.station) return;
  if (state.waiting > 0) state.line.prefetch_first();
}

std::uint32_t RunningNetwork::coming_target(std::uint32_t node) {
  State& from = states_[node];
  const bool born = from.brief.when_due == WhenDue::emit_plainly;
  if (!born && (!from.brief.plain || from.served.empty())) return none;
  const std::uint32_t of_class = born         ? from.brief.emits
                                 : one_class_ ? 0
                                              : customers_[from.served.front().customer()].of_class;
  if (of_class == 0 && from.only_target != none) return from.only_target;
  const WaysOf its = of_class == 0 ? from.ways : of_class_[node * model_.classes.size() + of_class].ways;
  if (its.count - 1 >= few_ways) return none;  // none among them
  const FixedWay& way = of_class == 0 ? from.first_way : fixed_ways_[its.first];
  if (its.count == 1) return way.target;
  // He draws it already now.
  if (from.next_way < 0.0) from.next_way = from.ways_stream.uniform();
  return from.next_way < way.upto ? way.target : later_way(its, from.next_way).target;
}

// Somebody will come to a node whose first two lines are there.
void RunningNetwork::fetch_where(std::uint32_t node) {
  const State& to = states_[node];
  const Brief& its = to.brief;
  fetch_line(&world_.slots()[its.number]);
  if (!its.plain) return;
  if (!serves_at_once(to)) return to.line.prefetch_behind();
  lines(to, 2, 3);
  if (!one_class_) fetch_line(&of_class_[node * model_.classes.size()]);
  to.served.prefetch_push(), world_.timers.prefetch(first_ + node);
}

}  // namespace ergode
