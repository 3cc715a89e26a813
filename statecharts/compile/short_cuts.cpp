// What is known before the run and spares looking: clocks with few consequences, conditions that compare.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "statecharts/compile/comparison.h"
#include "statecharts/compile/compiler.h"

namespace ergode {

SharedClockHop ModelCompiler::clock_hop(const TimerTable::Shared& spec, std::uint32_t timer) const {
  SharedClockHop out;
  const std::uint32_t member = model_.timers.places[timer].member;
  const Instance& owner = model_.instances[spec.instance + member];
  const bool plain =
      spec.kind == Trigger::Kind::rate || spec.kind == Trigger::Kind::after || spec.kind == Trigger::Kind::every;
  const Hop& hop = model_.hops[owner.hops + spec.transition];
  if (!plain || spec.resume || spec.alternatives != 1 || !hop.known ||
      model_.guards[owner.rows + spec.transition].kind != GuardSpec::Kind::always || hop.end - hop.arm > 1 ||
      hop.slots_end - hop.slots > ClockHop::most_slots)
    return out;
  out.known = true;
  out.role = hop.role;
  out.eventless = hop.eventless != 0;
  out.instance = {spec.instance, 1};
  out.row = {spec.row, spec.row_step};
  // One word each, as of every hop.
  const std::uint32_t words = spec.row_step != 0 ? 1 : 0;
  out.word = {owner.configuration - member * words, words};
  out.clear = hop.clear, out.set = hop.set;
  if (hop.end != hop.arm) out.arm = model_.hop_timers[hop.arm];
  // It cancels itself by going off.
  if (hop.arm - hop.cancel != 1 || model_.hop_timers[hop.cancel].of(owner.member) != timer)
    out.cancel = hop.cancel, out.cancel_end = hop.arm;
  out.slots = static_cast<std::uint8_t>(hop.slots_end - hop.slots);
  std::copy_n(model_.hop_slots.begin() + hop.slots, out.slots, out.slot.begin());
  return out;
}

// A component at rest has no condition that holds, so one that compares with a constant matters when it turns true.
// That asking costs nothing but time must be sure: no draw, no edge to remember, no event raised by asking, no clock
// read.
void ModelCompiler::eventless_readers(std::uint32_t instance, EventlessReaders& into) const {
  const Instance& owner = model_.instances[instance];
  const StateChart& chart = lowered_[owner.chart];
  if (model_.charts[owner.chart].no_eventless()) return;
  std::vector<std::int32_t> programs;
  bool pure = true;
  for (std::size_t t = 0; t < chart.transitions.size(); ++t) {
    if (!chart.transitions[t].trigger.eventless()) continue;
    const GuardSpec guard = model_.guard(instance, static_cast<std::uint32_t>(t));
    const auto reads = [&](std::int32_t program) {
      if (program >= 0) programs.push_back(program);
    };
    if (guard.kind == GuardSpec::Kind::program || guard.kind == GuardSpec::Kind::becomes) reads(guard.program);
    if (guard.kind == GuardSpec::Kind::becomes) reads(model_.timers[guard.timer].program);
    if (guard.kind == GuardSpec::Kind::fault) reads(model_.actions[guard.action].condition);
    pure = pure && (guard.kind == GuardSpec::Kind::program || guard.kind == GuardSpec::Kind::always ||
                    guard.kind == GuardSpec::Kind::never);
  }
  std::vector<Comparison> comparisons;
  std::vector<std::uint32_t> always, read;
  for (const std::int32_t number : programs) {
    const Program& program = model_.programs[static_cast<std::size_t>(number)];
    const auto compares = Comparison::of(program);
    if (compares && compares->slot != World::now_slot) comparisons.push_back(*compares);
    for (const std::uint32_t slot : program.slots()) {
      pure = pure && slot != World::now_slot;
      if (slot == World::now_slot) continue;
      read.push_back(slot);
      if (!compares) always.push_back(slot);
    }
  }
  for (auto* slots : {&always, &read}) {
    std::sort(slots->begin(), slots->end());
    slots->erase(std::unique(slots->begin(), slots->end()), slots->end());
  }
  for (const std::uint32_t slot : read) {
    const bool compared = pure && !std::binary_search(always.begin(), always.end(), slot);
    (compared ? into.comparing : into.asked).emplace_back(slot, instance);
    if (!compared) continue;
    for (const Comparison& c : comparisons)
      if (c.slot == slot)
        into.thresholds[static_cast<std::size_t>(c.kind)].emplace_back(slot, Threshold{c.at, instance});
  }
}

// Those who watch a slot, but for conditions that compare a count with a constant: they are kept with their thresholds.
// Counts only, because a slot that may hold NaN has no side of a threshold.
std::vector<std::uint32_t> ModelCompiler::keep_observed(std::uint32_t slot, bool count, SlotInfo& info) {
  const Rows& watched = table_->watched();
  std::vector<std::uint32_t> always;
  std::vector<CompiledModel::Observed> found;
  for (const std::uint32_t* watcher = watched.begin(slot); watcher != watched.end(slot); ++watcher) {
    const bool observer = count && *watcher < table_->observers().size();
    // Most averages are those of a count: whoever changes it keeps the integral, and nobody need be told.
    if (observer && table_->observers()[*watcher].code().size() == 1 && info.integral == 0)
      // From one: zero says that nobody wants it.
      info.integral = ++model_.integrals;
    const auto compares = observer ? Comparison::of(table_->observers()[*watcher]) : std::nullopt;
    if (!compares) {
      always.push_back(*watcher);
      continue;
    }
    found.push_back({compares->at, *watcher});
    // It holds at one value alone: passing that value and leaving it both change it.
    if (compares->kind == Comparison::Kind::equal)
      found.push_back({std::nextafter(compares->at, std::numeric_limits<double>::infinity()), *watcher});
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
  info.observed = static_cast<std::uint32_t>(model_.observed.size());
  model_.observed.insert(model_.observed.end(), found.begin(), found.end());
  info.observed_end = static_cast<std::uint32_t>(model_.observed.size());
  return always;
}

void ModelCompiler::keep_thresholds(const EventlessReaders& readers, std::uint32_t slot, SlotInfo& info,
                                    std::array<std::size_t, 3>& next) {
  std::uint32_t* const starts[] = {&info.rising, &info.equal, &info.falling};
  for (std::size_t kind = 0; kind < readers.thresholds.size(); ++kind) {
    *starts[kind] = static_cast<std::uint32_t>(model_.thresholds.size());
    const auto& all = readers.thresholds[kind];
    for (; next[kind] < all.size() && all[next[kind]].first == slot; ++next[kind])
      model_.thresholds.push_back(all[next[kind]].second);
    std::sort(model_.thresholds.begin() + *starts[kind], model_.thresholds.end(),
              [](const Threshold& a, const Threshold& b) { return a.at < b.at; });
  }
  info.thresholds_end = static_cast<std::uint32_t>(model_.thresholds.size());
}

}  // namespace ergode
