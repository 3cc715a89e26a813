// Which transitions a component takes, and what they do: SCXML's microstep.
#include <algorithm>
#include <bit>
#include <utility>

#include "statecharts/execute/chart_replication.h"

namespace ergode {

bool ChartReplication::enabled(std::uint32_t instance, std::uint32_t transition) {
  const Instance& owner = model_.instances[instance];
  const SharedGuard& guard = model_.guards[owner.rows + transition];
  const auto program = [&] {
    return model_.programs[static_cast<std::uint32_t>(guard.program) + owner.member * guard.program_step].holds(slots_);
  };
  switch (guard.kind) {
    case GuardSpec::Kind::always:
      return true;
    case GuardSpec::Kind::never:
      return false;
    case GuardSpec::Kind::program:
      return program();
    case GuardSpec::Kind::fault: {
      // A step of its own: the event may ask this guard again, without end.
      count_microstep(instance, transition);
      const MemberNumber action{guard.action, guard.action_step};
      act(instance, &action, &action + 1);
      return false;
    }
    case GuardSpec::Kind::demand:
      return demand_fails(instance, guard.cause);
    case GuardSpec::Kind::demand_not:
      return !demand_fails(instance, guard.cause);
    case GuardSpec::Kind::becomes: {
      const std::uint32_t timer = guard.timer + owner.member * guard.timer_step;
      const bool holds = rate_of(model_.timers[timer]) != 0.0;
      const bool was = std::exchange(hazards_[timer], holds ? 1.0 : 0.0) != 0.0;
      return holds && !was && (guard.program < 0 || program());
    }
  }
  return true;
}

bool ChartReplication::demand_fails(std::uint32_t instance, std::uint32_t cause) {
  if (demands_ == nullptr) return false;
  demand_parts_[instance] = demands_->demand(instance, cause, now());
  return demand_parts_[instance] != ChartPart::no_failure;
}

// Probabilistic branches of a choice: one uniform decides. Without weights the first branch whose guard holds is taken.
std::int32_t ChartReplication::choose_branch(std::uint32_t instance, const std::uint32_t* begin,
                                             const std::uint32_t* end) {
  const std::uint32_t base = model_.instances[instance].rows, member = model_.instances[instance].member;
  const std::int32_t first_weight = model_.guards[base + *begin].weight;
  const bool weighted = first_weight >= 0 || (end - begin > 1 && model_.guards[base + begin[1]].weight >= 0);
  std::int32_t otherwise = -1;
  if (weighted) {
    branch_probabilities_.clear();
    double sum = 0.0;
    for (const std::uint32_t* t = begin; t != end; ++t) {
      const SharedGuard& guard = model_.guards[base + *t];
      double p = 0.0;
      if (guard.weight < 0) otherwise = static_cast<std::int32_t>(t - begin);
      else p = model_.programs[static_cast<std::uint32_t>(guard.weight) + member * guard.weight_step].evaluate(slots_);
      if (!(p >= 0.0 && p <= 1.0))
        fail(instance, *t, "The probability of a branch is " + std::to_string(p) + "; wanted 0 to 1.");
      branch_probabilities_.push_back(p);
      sum += p;
    }
    // Constants were checked by the compiler, to the same hair.
    if (sum > 1.0 + 1e-9 || (otherwise < 0 && sum < 1.0 - 1e-9)) fail_branches(instance, *begin, sum, otherwise >= 0);
    // Wherever `else` stands, it has what the others lack.
    if (otherwise >= 0) branch_probabilities_[static_cast<std::size_t>(otherwise)] = std::max(0.0, 1.0 - sum);
    if (chance_ != nullptr)
      return static_cast<std::int32_t>(begin[chance_->choose(instance, {begin, end}, branch_probabilities_)]);
    double left = stream(model_.timers.size() + instance).uniform();
    std::int32_t last = otherwise;
    for (const std::uint32_t* t = begin; t != end; ++t) {
      if (t - begin == otherwise) continue;
      const double p = branch_probabilities_[static_cast<std::size_t>(t - begin)];
      if (left < p) return static_cast<std::int32_t>(*t);
      left -= p;
      // Rounding may leave the sum of the weights a hair below one.
      if (otherwise < 0) last = static_cast<std::int32_t>(t - begin);
    }
    return static_cast<std::int32_t>(begin[last]);
  }
  for (const std::uint32_t* t = begin; t != end; ++t) {
    if (model_.guards[base + *t].otherwise && otherwise < 0) otherwise = static_cast<std::int32_t>(*t);
    else if (enabled(instance, *t)) return static_cast<std::int32_t>(*t);
  }
  return otherwise;
}

// One microstep: the transitions enabled by the event (the number past the last event: none), conflicts removed.
[[gnu::always_inline]] inline bool ChartReplication::react_at_once(std::uint32_t instance, std::uint32_t event) {
  const StepMemo::Next known = memo_.react(instance, configuration_.data(), event, slots_);
  if (known == StepMemo::nothing) return false;
  if (known == StepMemo::general) return react_generally(instance, event);
  const StepMemo::Outcome& outcome = memo_.outcome_of(known);
  count_microstep(instance, outcome.transition);
  if (!outcome.plain) {
    follow(instance, outcome, ChartPart::own_failure);
    return true;
  }
  memo_.moved(instance, outcome, configuration_.data());
  slots_[outcome.slot] += outcome.value;
  stamp(outcome.row);
  assert_legal(instance);
  if (outcome.eventless) mark(instance);
  return true;
}

// An event that no chart waits for has a number past those of the tables, which is where eventless transitions stand:
// nobody reacts, but it is the latest event.
[[gnu::always_inline]] inline void ChartReplication::receive_at_once(std::uint32_t instance, std::uint32_t event,
                                                                     std::uint32_t values) {
  const Receiver& receiver = receivers_[instance];
  if (receiver.notes) note_event(instance, event, values);
  if (event < receiver.events) react_at_once(instance, event);
  free_values(values);
}

bool ChartReplication::react(std::uint32_t instance, std::uint32_t event) { return react_at_once(instance, event); }

void ChartReplication::receive(std::uint32_t instance, std::uint32_t event, std::uint32_t values) {
  receive_at_once(instance, event, values);
}

// Most events change a state and a number, which takes fewer steps than the registers that a call would need: what has
// a call in it stands in functions of its own.
void ChartReplication::give(std::uint32_t instance, std::uint32_t event) {
  world_.steps_at_moment = 0;
  ++world_.events;
  const Receiver& receiver = receivers_[instance];
  if (receiver.notes || event >= receiver.events || follower_ != nullptr) [[unlikely]]
    return give_generally(instance, event);
  const StepMemo::Next known = memo_.at_once(instance, configuration_.data(), event, slots_);
  if (known == StepMemo::unknown || known == StepMemo::general) [[unlikely]]
    return give_generally(instance, event);
  if (known != StepMemo::nothing) {
    const StepMemo::Outcome& outcome = memo_.outcome_of(known);
    if (!outcome.plain || outcome.eventless) return follow_to_rest(instance, outcome);
    ++world_.steps_at_moment;
    memo_.moved(instance, outcome, configuration_.data());
    slots_[outcome.slot] += outcome.value;
    world_.stamp(outcome.row);
    assert_legal(instance);
  }
  settle();
}

[[gnu::noinline]] void ChartReplication::give_generally(std::uint32_t instance, std::uint32_t event) {
  receive_at_once(instance, event, no_values);
  settle();
}

[[gnu::noinline]] void ChartReplication::follow_to_rest(std::uint32_t instance, const StepMemo::Outcome& outcome) {
  count_microstep(instance, outcome.transition);
  follow(instance, outcome, ChartPart::own_failure);
  settle();
}

// What is known of a step, done. The configuration is the later one throughout: who is asked on the way about his own
// clocks finds those not running that are about to stop, and sets those anew that are about to start.
[[gnu::noinline]] void ChartReplication::follow(std::uint32_t instance, const StepMemo::Outcome& outcome,
                                                SplitPart clock_part) {
  using Kind = StepMemo::Effect::Kind;
  memo_.moved(instance, outcome, configuration_.data());
  const StepMemo::Effect* const end = memo_.effect(outcome.effects_end);
  for (const StepMemo::Effect* effect = memo_.effect(outcome.effects); effect != end; ++effect) {
    switch (effect->kind) {
      case Kind::stamp:
        stamp(effect->number);
        continue;
      case Kind::add_unseen:
        slots_[effect->number] += effect->value;
        continue;
      case Kind::add:
      case Kind::set: {
        const double before = slots_[effect->number];
        const double after = effect->kind == Kind::add ? before + effect->value : effect->value;
        if (after == before) continue;
        slots_[effect->number] = after;
        slot_changed(effect->number, before);
        continue;
      }
      case Kind::act:
        act(instance, effect->number);
        continue;
      case Kind::keep_age:
        if (clocks_.armed(effect->number)) remaining_[effect->number] = clocks_.time_of(effect->number) - now();
        [[fallthrough]];
      case Kind::cancel:
        clocks_.cancel(effect->number);
        continue;
      case Kind::arm:
        arm(effect->number);
        continue;
      case Kind::role:
        set_part(instance, static_cast<TransitionRole>(effect->number) == TransitionRole::repair ? ChartPart::no_failure
                                                                                                 : clock_part);
        continue;
      case Kind::demanded_role:
        set_part(instance, demand_parts_[instance]);
        continue;
    }
  }
  assert_legal(instance);
  if (outcome.eventless) mark(instance);
}

// The algorithm itself, for whatever is not remembered.
[[gnu::noinline]] bool ChartReplication::react_generally(std::uint32_t instance, std::uint32_t event) {
  const Instance& owner = model_.instances[instance];
  const ChartTables& tables = model_.charts[owner.chart];
  selected_.clear();
  for (std::uint32_t w = 0; w < tables.words; ++w) {
    std::uint64_t leaves = configuration_[owner.configuration + w] & tables.atomic[w];
    while (leaves != 0) {
      const auto leaf = static_cast<std::uint32_t>(std::countr_zero(leaves)) + w * 64;
      leaves &= leaves - 1;
      const std::size_t row = std::size_t{leaf} * (tables.events + 1) + event;
      const std::uint32_t* const begin = tables.candidates.begin(row);
      const std::uint32_t* const end = tables.candidates.end(row);
      if (begin == end) continue;
      if (event == tables.events && tables.is_choice[leaf] != 0) {
        const std::uint32_t* own = begin;
        while (own != end && tables.ways[*own].source == static_cast<std::int32_t>(leaf)) ++own;
        const std::int32_t chosen = own != begin ? choose_branch(instance, begin, own) : -1;
        if (chosen >= 0) selected_.push_back(static_cast<std::uint32_t>(chosen));
        continue;
      }
      for (const std::uint32_t* t = begin; t != end; ++t) {
        if (!enabled(instance, *t)) continue;
        if (std::find(selected_.begin(), selected_.end(), *t) == selected_.end()) selected_.push_back(*t);
        break;
      }
    }
  }
  if (selected_.empty()) return false;
  if (selected_.size() == 1) {
    const std::uint32_t only = selected_[0];
    take(instance, &only, 1, ChartPart::own_failure);
    return true;
  }
  resolve_conflicts(tables, selected_, kept_);
  std::vector<std::uint32_t>& together = selected_;
  together = kept_;
  take(instance, together.data(), together.size(), ChartPart::own_failure);
  return true;
}

void ChartReplication::take(std::uint32_t instance, const std::uint32_t* begin, std::size_t count,
                            SplitPart clock_part) {
  count_microstep(instance, *begin);
  const Instance& owner = model_.instances[instance];
  if (count == 1) {
    if (const Hop& hop = model_.hops[owner.hops + *begin]; hop.known)
      return take_hop(instance, *begin, hop, clock_part);
    const StepMemo::Next known = memo_.take(instance, configuration_.data(), *begin);
    if (known != StepMemo::general) return follow(instance, memo_.outcome_of(known), clock_part);
  }
  const ChartTables& tables = model_.charts[owner.chart];
  for (std::size_t i = count; i-- > 0;) {
    const ChartTables::Way& way = tables.ways[begin[i]];
    if (way.exit_first <= way.exit_last) leave(owner, instance, way.exit_first, way.exit_last);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t row = owner.rows + begin[i];
    const TransitionRole role = model_.roles[row];
    const bool demand = model_.guards[row].kind == GuardSpec::Kind::demand;
    // What is done at a failure or a repair belongs to that failure: it stands meanwhile.
    if (role == TransitionRole::failure) set_part(instance, demand ? demand_parts_[instance] : clock_part);
    if (!model_.transition_actions.empty(row))
      act(instance, model_.transition_actions.begin(row), model_.transition_actions.end(row));
    if (role == TransitionRole::repair) set_part(instance, ChartPart::no_failure);
    stamp(owner.transition_base + begin[i]);
  }
  for (std::size_t i = 0; i < count; ++i) enter_way(owner, instance, tables, begin[i]);
  assert_legal(instance);
  mark(instance);
}

// The same as the general step, for a transition whose effect was worked out when the model was compiled.
void ChartReplication::take_hop(std::uint32_t instance, std::uint32_t transition, const Hop& hop,
                                SplitPart clock_part) {
  const Instance& owner = model_.instances[instance];
  std::uint64_t& word = configuration_[owner.configuration];
  word = (word & ~hop.clear) | hop.set;
  assert_legal(instance);
  const MemberNumber* const timers = model_.hop_timers.data();
  for (std::uint32_t i = hop.cancel; i != hop.arm; ++i) clocks_.cancel(timers[i].of(owner.member));
  if (hop.role != TransitionRole::none)
    set_part(instance, hop.role == TransitionRole::repair ? ChartPart::no_failure
                       : hop.demand                       ? demand_parts_[instance]
                                                          : clock_part);
  stamp(owner.transition_base + transition);
  for (std::uint32_t i = hop.slots; i != hop.slots_end; ++i)
    change_slot(model_.hop_slots[i].slot.of(owner.member), model_.hop_slots[i].delta);
  for (std::uint32_t i = hop.arm; i != hop.end; ++i) arm(timers[i].of(owner.member));
  if ((word & hop.eventless) != 0) mark(instance);
}

}  // namespace ergode
