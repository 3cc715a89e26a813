#include "core/base/fetch.h"
#include "solvers/queueing/running/running_network.h"

namespace ergode {

// An event of a large network waits for memory a dozen times and computes little. Who is likely to be next is known
// some events before, and what such an event will need is asked for step by step, one step at each event: the
// station, what it points at, the customers, and where the one will go.
void RunningNetwork::fetch_ahead() {
  const auto lines = [](const auto& record, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) fetch_line(reinterpret_cast<const char*>(&record) + 64 * i);
  };
  const auto named = [this](std::uint32_t before) { return coming_[(named_ - before) % coming_.size()]; };
  const std::uint32_t classes = static_cast<std::uint32_t>(model_.classes.size());
  ++named_;
  const std::uint32_t soon = world_.timers.soon() - first_;
  coming_[named_ % coming_.size()] = soon < node_count_ ? soon : 0;
  lines(states_[named(0)], 4), lines(of_class_[named(0) * classes], 1);

  const State& station = states_[named(1)];
  station.served.prefetch_level(0), station.line.prefetch();
  lines(world_.slots()[station.brief.number], 1);

  const auto emits = [](const State& state) { return state.brief.when_due == WhenDue::emit_plainly; };
  if (const State& two = states_[named(2)]; two.brief.plain && !two.served.empty()) {
    lines(customers_[two.served.front().customer], 1);
    if (two.served.size() > 1) two.served.prefetch_level(1), two.served.prefetch_last();
    if (two.waiting > 0 && two.brief.in_order) lines(customers_[two.line.first().customer], 1);
    if (const OfClass& its = of_class_[named(2) * classes]; its.count != 0) lines(fixed_ways_[its.way], 1);
  } else if (emits(two)) {
    if (const OfClass& its = of_class_[named(2) * classes + two.brief.emits]; its.count != 0)
      lines(fixed_ways_[its.way], 1);
  }
  if (const State& three = states_[named(3)]; three.served.size() > 1) three.served.prefetch_level(2);
  // Where he goes is drawn already now. Twice: first for the station there, then for what that points at.
  for (const std::uint32_t before : {3U, 4U}) {
    State& from = states_[named(before)];
    const bool born = emits(from);
    if (!born && (!from.brief.plain || from.served.empty())) continue;
    // Of one class nobody has to be asked, who may be far away.
    const std::uint32_t of_class = born           ? from.brief.emits
                                   : classes == 1 ? 0
                                                  : customers_[from.served.front().customer].of_class;
    const OfClass& its = of_class_[named(before) * classes + of_class];
    if (its.count - 1 >= few_ways) continue;  // none among them
    if (its.count > 1 && from.next_way < 0.0) from.next_way = from.ways.uniform();
    const std::uint32_t target = its.count == 1 ? fixed_ways_[its.way].target : fixed_way(its, from.next_way).target;
    const State& to = states_[target];
    if (before == 3) {
      lines(to, 2);
      continue;
    }
    to.line.prefetch(), lines(world_.slots()[to.brief.number], 1);
    if (to.brief.station) continue;
    // In a delay he is served at once.
    lines(to.next_way, 2), lines(of_class_[target * classes], 1);
    to.served.prefetch_push(), world_.timers.prefetch(first_ + target);
  }
}

}  // namespace ergode
