// What transitions do, as a flat list in the order of the general algorithm (ChartReplication::take).
#include <algorithm>
#include <bit>

#include "statecharts/execute/step_memo.h"

namespace ergode {
namespace {

/// `slot := slot + constant`, the constant; else nothing.
bool adds_constant(const Program& program, std::uint32_t slot, double& constant) {
  using Op = Program::Op;
  const auto code = program.code();
  if (code.size() != 3 || code[0].op != Op::load || code[0].slot != slot || code[1].op != Op::constant) return false;
  if (code[2].op != Op::add && code[2].op != Op::subtract) return false;
  // x - c and x + (-c) are the same double.
  constant = code[2].op == Op::add ? code[1].value : -code[1].value;
  return true;
}

}  // namespace

StepMemo::Next StepMemo::outcome_of_selected() {
  resolve_conflicts(*tables_, selected_, kept_);
  if (kept_.empty()) return nothing;
  Outcome made;
  made.configuration = before_, made.word = owner_->configuration, made.transition = kept_.front();
  made.effects = static_cast<std::uint32_t>(effects_.size());
  if (!add_effects(made.configuration)) return general;
  made.effects_end = static_cast<std::uint32_t>(effects_.size());
  set_plain(made);
  made.eventless = (made.configuration & tables_->eventless[0]) != 0;
  made.node = node(instance_, made.configuration);
  if (made.node == none) return general;
  made.steps = nodes_[made.node].steps;
  outcomes_.push_back(made);
  return outcome | static_cast<Next>(outcomes_.size() - 1);
}

// Most transitions of charts without clocks count something up or down at most.
void StepMemo::set_plain(Outcome& of) const {
  const Effect* const begin = effect(of.effects);
  const auto count = of.effects_end - of.effects;
  const bool adds = count == 2 && begin->kind == Effect::Kind::add_unseen;
  if ((count != 1 && !adds) || begin[count - 1].kind != Effect::Kind::stamp) return;
  of.plain = true, of.row = begin[count - 1].number;
  // Adding nothing to the time leaves it what it is.
  if (adds) of.slot = begin->number, of.value = begin->value;
  else of.slot = World::now_slot, of.value = 0.0;
}

// False when something depends on more than the configuration.
bool StepMemo::add_effects(std::uint64_t& configuration) {
  if (kept_.size() == 1 && add_hop(configuration, kept_.front())) return true;
  for (std::size_t i = kept_.size(); i-- > 0;) {
    const ChartTables::Way& way = tables_->ways[kept_[i]];
    if (way.remembers) return false;
    if (way.exit_first <= way.exit_last) add_leaving(configuration, way);
  }
  for (const std::uint32_t t : kept_) {
    // In the order of ChartReplication::take().
    const bool repairs = model_.roles[owner_->rows + t] == TransitionRole::repair;
    if (!repairs) add_role(t);
    add_actions(t);
    if (repairs) add_role(t);
    add(Effect::Kind::stamp, owner_->transition_base + t);
  }
  return std::all_of(kept_.begin(), kept_.end(),
                     [&](std::uint32_t t) { return add_entering(configuration, tables_->ways[t]); });
}

// A Hop cancels first and arms last.
bool StepMemo::add_hop(std::uint64_t& configuration, std::uint32_t transition) {
  const Hop& hop = model_.hops[owner_->hops + transition];
  if (!hop.known) return false;
  configuration = (configuration & ~hop.clear) | hop.set;
  for (std::uint32_t i = hop.cancel; i != hop.arm; ++i)
    add(Effect::Kind::cancel, model_.hop_timers[i].of(owner_->member));
  add_role(transition);
  add(Effect::Kind::stamp, owner_->transition_base + transition);
  for (std::uint32_t i = hop.slots; i != hop.slots_end; ++i)
    add_change(model_.hop_slots[i].slot.of(owner_->member), static_cast<double>(model_.hop_slots[i].delta));
  for (std::uint32_t i = hop.arm; i != hop.end; ++i) add(Effect::Kind::arm, model_.hop_timers[i].of(owner_->member));
  return true;
}

void StepMemo::add_leaving(std::uint64_t& configuration, const ChartTables::Way& way) {
  std::uint64_t left = configuration & (~std::uint64_t{0} << way.exit_first);
  if (way.exit_last < 63) left &= (std::uint64_t{2} << way.exit_last) - 1;
  // Innermost states come last in preorder and are left first.
  for (; left != 0;) {
    const auto state = static_cast<std::uint32_t>(63 - std::countl_zero(left));
    left &= ~(std::uint64_t{1} << state);
    configuration &= ~(std::uint64_t{1} << state);
    const StateInfo& info = model_.states[owner_->state_base + state];
    const auto value = [&](std::uint32_t i) { return model_.state_values[i].of(owner_->member); };
    for (std::uint32_t i = info.exit; i != info.exit_end; ++i) add_action(value(i));
    for (std::uint32_t i = info.timers; i != info.timers_end; ++i)
      add(model_.timers.shared(value(i)).resume ? Effect::Kind::keep_age : Effect::Kind::cancel, value(i));
    for (std::uint32_t i = info.slots; i != info.slots_end; ++i) add_change(value(i), -1.0);
  }
}

bool StepMemo::add_entering(std::uint64_t& configuration, const ChartTables::Way& way) {
  const Rows& entries = tables_->entries;
  for (const std::uint32_t* at = entries.begin(way.entry); at != entries.end(way.entry); ++at) {
    if ((*at & ChartTables::initial_flag) != 0) {
      add_actions(*at & ~ChartTables::initial_flag);
      continue;
    }
    // Whether the states around it are done then depends on their other regions.
    if (tables_->is_final[*at] != 0) return false;
    configuration |= std::uint64_t{1} << *at;
    const StateInfo& info = model_.states[owner_->state_base + *at];
    const auto value = [&](std::uint32_t i) { return model_.state_values[i].of(owner_->member); };
    for (std::uint32_t i = info.slots; i != info.slots_end; ++i) add_change(value(i), 1.0);
    for (std::uint32_t i = info.entry; i != info.entry_end; ++i) add_action(value(i));
    for (std::uint32_t i = info.timers; i != info.timers_end; ++i) add(Effect::Kind::arm, value(i));
  }
  return true;
}

void StepMemo::add_change(std::uint32_t slot, double by) {
  const SlotInfo& info = model_.slots[slot];
  add(info.unseen() ? Effect::Kind::add_unseen : Effect::Kind::add, slot, by);
}

void StepMemo::add_action(std::uint32_t number) {
  const ActionSpec& action = model_.actions[number];
  if (action.kind != ActionSpec::Kind::assign || action.condition >= 0) return add(Effect::Kind::act, number);
  const Program& program = model_.programs[static_cast<std::size_t>(action.program)];
  double constant = 0.0;
  if (program.is_constant()) add(Effect::Kind::set, action.slot, program.value());
  else if (adds_constant(program, action.slot, constant)) add_change(action.slot, constant);
  else add(Effect::Kind::act, number);
}

void StepMemo::add_actions(std::uint32_t transition) {
  const std::size_t row = owner_->rows + transition;
  const MemberRows& actions = model_.transition_actions;
  for (const MemberNumber* action = actions.begin(row); action != actions.end(row); ++action)
    add_action(action->of(owner_->member));
}

void StepMemo::add_role(std::uint32_t transition) {
  const std::size_t row = owner_->rows + transition;
  const TransitionRole role = model_.roles[row];
  if (role == TransitionRole::none) return;
  const bool demand = model_.guards[row].kind == GuardSpec::Kind::demand;
  add(demand && role != TransitionRole::repair ? Effect::Kind::demanded_role : Effect::Kind::role,
      static_cast<std::uint32_t>(role));
}

}  // namespace ergode
