#include "statecharts/execute/chart_replication.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <utility>

#include "core/base/text.h"
#include "statecharts/execute/configuration_defect.h"

namespace ergode {

ChartReplication::ChartReplication(const CompiledModel& model, World& world, std::uint64_t seed)
    : model_(model), world_(world), slots_(world.slots()), clocks_(world.timers), memo_(model) {
  const auto clocks = static_cast<std::uint32_t>(model.timers.size());
  const bool delays = std::any_of(model.actions.begin(), model.actions.end(), [](const ActionSpec& action) {
    return action.kind == ActionSpec::Kind::send && action.program >= 0;
  });
  if (delays) delayed_timer_ = clocks;
  std::uint32_t ids = 0;
  for (const ActionSpec& action : model.actions) ids = std::max(ids, action.id);
  delayed_ = DelayedEvents(ids + std::size_t{1});
  [[maybe_unused]] const std::uint32_t first = world.add_timers(clocks + (delays ? 1 : 0));
  assert(first == 0);
  streams_.reserve(model.streams());
  for (const std::uint64_t key : model.stream_keys(seed)) streams_.emplace_back(key, 0);
  for (const TimerTable::Shared& spec : model.timers.specs)
    means_s_.push_back(spec.kind == Trigger::Kind::rate && spec.constant ? spec.value : -1.0);
  if (clocks < many_clocks) rate_clocks_.resize(clocks);
  else next_units_.resize(clocks, none), begun_.resize(streams_.size());
  for (std::uint32_t t = 0; t < rate_clocks_.size(); ++t)
    clock_hops_.push_back(model.clock_hops[model.timers.places[t].spec].of(model.timers.places[t].member));
  for (std::uint32_t t = 0; t < rate_clocks_.size(); ++t)
    rate_clocks_[t].mean_s = means_s_[model.timers.places[t].spec];
  configuration_.resize(model.words);
  integrals_.resize(model.integrals);
  const auto& specs = model.timers.specs;
  if (std::any_of(specs.begin(), specs.end(), [](const TimerSpec& spec) {
        return (spec.kind == Trigger::Kind::rate && !spec.constant) || spec.kind == Trigger::Kind::at ||
               spec.kind == Trigger::Kind::becomes;
      }))
    rates_.resize(model.timers.size()), hazards_.resize(model.timers.size());
  for (std::uint32_t slot = 0; slot < model.slots.size(); ++slot)
    if (model.slots[slot].instances != model.slots[slot].end) world.hear(slot);
  clock_parts_.resize(model.timers.size());
  parts_.resize(model.instances.size()), demand_parts_.resize(model.instances.size());
  is_dirty_.resize(model.instances.size());
  for (std::uint32_t i = 0; i < model.instances.size(); ++i)
    receivers_.push_back(
        {model.charts[model.instances[i].chart].events, model.event_name_slots[i] != 0 || !model.event_slots.empty(i)});
  dirty_.reserve(model.instances.size());
  internal_.reserve(64), external_.reserve(64 + model.instances.size());
  histories_.resize(model.history_words);
  if (model.resumes) remaining_.resize(model.timers.size());
  for (std::uint32_t t = 0; t < clocks; ++t)
    if (model.timers.shared(t).kind == Trigger::Kind::at) moments_.push_back(t);
  for (const ChartTables& tables : model.charts) {
    entry_set_of_.push_back(tables.histories.empty() ? -1 : static_cast<std::int32_t>(entry_sets_.size()));
    if (!tables.histories.empty()) entry_sets_.emplace_back(tables.chart);
  }
  image_ = start_image(model);
}

void ChartReplication::start(std::uint64_t replication) {
  replication_ = replication;
  if (begun_.empty())
    for (RandomStream& stream : streams_) stream.restart(replication);
  std::fill(begun_.begin(), begun_.end(), std::uint8_t{0});
  for (RateClock& clock : rate_clocks_) clock.units.forget();
  std::fill(next_units_.begin(), next_units_.end(), none);
  thirsty_count_ = 0;
  std::fill(integrals_.begin(), integrals_.end(), Integral{});
  delayed_.clear(), internal_.clear(), external_.clear(), dirty_.clear(), bad_rates_.clear();
  unsettled_ = false;
  std::fill(histories_.begin(), histories_.end(), std::uint64_t{0});
  std::fill(remaining_.begin(), remaining_.end(), std::numeric_limits<double>::quiet_NaN());
  values_.clear(), free_values_.clear();
  internal_at_ = external_at_ = 0;
  std::fill(parts_.begin(), parts_.end(), ChartPart::no_failure);
  std::fill(is_dirty_.begin(), is_dirty_.end(), std::uint8_t{0});
  // Also of clocks that do not run: what the history before left there must not decide how long a step of flows is.
  std::fill(hazards_.begin(), hazards_.end(), 0.0);
  for (const std::uint32_t timer : moments_) hazards_[timer] = -1.0;
  standing_ = {};
  // Everything is entered before anything reacts: a condition at time zero sees the whole model.
  if (image_ && watcher_ == nullptr) enter_image();
  else enter_all();
  settle();
}

void ChartReplication::enter_all() {
  std::fill(configuration_.begin(), configuration_.end(), std::uint64_t{0});
  for (std::uint32_t i = 0; i < model_.instances.size(); ++i) {
    const Instance& owner = model_.instances[i];
    const ChartTables& tables = model_.charts[owner.chart];
    enter(owner, i, tables.entries.begin(tables.start_row), tables.entries.end(tables.start_row));
    assert_legal(i);
    mark(i);
  }
}

void ChartReplication::enter_image() {
  std::copy(image_->configuration.begin(), image_->configuration.end(), configuration_.begin());
  for (const StartImage::Count& count : image_->counts) {
    const double before = slots_[count.slot];
    slots_[count.slot] = before + count.entered;
    slot_changed(count.slot, before);
  }
  arm_first(image_->clocks);
  for (const std::uint32_t instance : image_->asked) mark(instance);
}

void ChartReplication::come_to_rest() {
  for (;;) {
    if (!dirty_.empty()) {
      if (watcher_ != nullptr && dirty_.size() > 1) watcher_->reacting(dirty_);
      std::pop_heap(dirty_.begin(), dirty_.end(), std::greater<>());
      const std::uint32_t instance = dirty_.back();
      dirty_.pop_back();
      is_dirty_[instance] = 0;
      react(instance, model_.charts[model_.instances[instance].chart].events);
    } else if (internal_at_ < internal_.size()) {
      const Sent sent = internal_[internal_at_++];
      receive(sent.instance, sent.event, sent.values);
    } else if (external_at_ < external_.size()) {
      ++world_.events;
      if (watcher_ != nullptr && external_at_ + 1 < external_.size()) show_offers();
      const Sent sent = external_[external_at_++];
      receive(sent.instance, sent.event, sent.values);
    } else {
      break;
    }
  }
  internal_.clear(), external_.clear();
  internal_at_ = external_at_ = 0;
  unsettled_ = false;
  if (!bad_rates_.empty()) refuse_bad_rates();
}

void ChartReplication::mark_anew(std::uint32_t instance) {
  const Instance& owner = model_.instances[instance];
  const ChartTables& tables = model_.charts[owner.chart];
  std::uint64_t waiting = 0;
  for (std::uint32_t w = 0; w < tables.words; ++w)
    waiting |= configuration_[owner.configuration + w] & tables.eventless[w];
  if (waiting == 0) return;
  is_dirty_[instance] = 1;
  unsettled_ = true;
  dirty_.push_back(instance);
  std::push_heap(dirty_.begin(), dirty_.end(), std::greater<>());
}

void ChartReplication::never_at_rest(std::uint32_t instance, std::uint32_t transition) {
  const StateChart& chart = model_.charts[model_.instances[instance].chart].chart;
  const Transition& last = chart.transitions[transition];
  fail(instance, transition,
       "The model does not come to rest: " + std::to_string(world_.patience) + " steps at time " +
           number_text(now() / 3600.0, 6) + " h, the last of them that of " + model_.name(instance) + " from \"" +
           chart.states[static_cast<std::size_t>(last.source)].name +
           "\"; look for transitions that lead in a circle and take no time: without a trigger, after 0 s, or when "
           "something is so already.");
}

void ChartReplication::fail(std::uint32_t instance, std::uint32_t transition, std::string message) {
  throw ModelFailure(
      {.code = "RUN002", .element = model_.element_of(instance, transition), .message = std::move(message)});
}

void ChartReplication::fail_branches(std::uint32_t instance, std::uint32_t transition, double sum, bool otherwise) {
  fail(instance, transition,
       "The probabilities of the branches of " + model_.name(instance) + " sum to " + number_text(sum, 12) +
           "; wanted 1" + (otherwise ? " at most." : "."));
}

// The action stands on a transition, or on the way into or out of a state; who did it is asked for failures alone.
ElementId ChartReplication::element_of_action(std::uint32_t instance, std::uint32_t number) const {
  const Instance& owner = model_.instances[instance];
  const StateChart& chart = model_.charts[owner.chart].chart;
  const auto among = [&](const MemberNumber* begin, const MemberNumber* end) {
    return std::any_of(begin, end, [&](const MemberNumber& one) { return one.of(owner.member) == number; });
  };
  for (std::uint32_t t = 0; t < chart.transitions.size(); ++t)
    if (among(model_.transition_actions.begin(owner.rows + t), model_.transition_actions.end(owner.rows + t)))
      return chart.transitions[t].element;
  const MemberNumber* const values = model_.state_values.data();
  for (std::size_t s = 0; s < chart.states.size(); ++s) {
    const StateInfo& info = model_.states[owner.state_base + s];
    if (among(values + info.entry, values + info.entry_end) || among(values + info.exit, values + info.exit_end))
      return chart.states[s].element;
  }
  return {};
}

void ChartReplication::fail_send(std::uint32_t instance, std::uint32_t action, double delay) {
  throw ModelFailure({.code = "RUN002",
                      .element = element_of_action(instance, action),
                      .message = "The delay of an event that " + model_.name(instance) + " sends is " +
                                 number_text(delay, 12) + " s; wanted >= 0."});
}

void ChartReplication::stop_if_illegal(std::uint32_t instance) const {
  const Instance& owner = model_.instances[instance];
  const auto defect = configuration_defect(model_.charts[owner.chart], &configuration_[owner.configuration]);
  if (!defect) return;
  std::fprintf(stderr, "%s at %.17g s: %s\n", model_.name(instance).c_str(), now(), defect->c_str());
  std::abort();
}

// Of the components that compare the slot those of which a condition turned true. Whoever watches the order sees all.
void ChartReplication::pass_thresholds(const SlotInfo& info, double before, double after) {
  if (watcher_ != nullptr || std::isnan(before) || std::isnan(after)) {
    for (std::uint32_t i = info.comparing; i != info.timers; ++i) mark(model_.dependents[i]);
    return;
  }
  const Threshold* const all = model_.thresholds.data();
  // The first above the value; few are gone through sooner than halved.
  const auto first_above = [](const Threshold* from, const Threshold* to, double value) {
    if (to - from > 8) return std::upper_bound(from, to, value, [](double v, const Threshold& t) { return v < t.at; });
    while (from != to && !(value < from->at)) ++from;
    return from;
  };
  // Conditions that hold from a threshold on turn true between the values on the way up, those below it on the way
  // down.
  const bool up = after > before;
  const Threshold* const begin = all + (up ? info.rising : info.falling);
  const Threshold* const end = all + (up ? info.equal : info.thresholds_end);
  const Threshold* passed = first_above(begin, end, up ? before : after);
  for (; passed != end && passed->at <= (up ? after : before); ++passed) mark(passed->instance);
  const Threshold* same = first_above(all + info.equal, all + info.falling, after);
  for (; same != all + info.equal && same[-1].at == after; --same) mark(same[-1].instance);
}

void ChartReplication::written(std::uint32_t slot) {
  const SlotInfo& info = model_.slots[slot];
  for (std::uint32_t i = info.instances; i != info.timers; ++i) mark(model_.dependents[i]);
  for (std::uint32_t i = info.timers; i != info.end; ++i) reread(model_.dependents[i]);
}

void ChartReplication::leave(const Instance& owner, std::uint32_t instance, std::uint32_t first, std::uint32_t last) {
  std::uint64_t* const words = &configuration_[owner.configuration];
  if (const ChartTables& tables = model_.charts[owner.chart]; !tables.histories.empty())
    remember(owner, tables, first, last);
  for (std::uint32_t w = last / 64;; --w) {
    const std::uint32_t base = w * 64;
    std::uint64_t mask = words[w];
    if (base < first) mask &= ~std::uint64_t{0} << (first - base);
    if (last - base < 63) mask &= (std::uint64_t{2} << (last - base)) - 1;
    while (mask != 0) {
      // Innermost states come last in preorder and are left first.
      const auto bit = static_cast<std::uint32_t>(63 - std::countl_zero(mask));
      mask &= ~(std::uint64_t{1} << bit);
      const StateInfo& info = model_.states[owner.state_base + base + bit];
      const MemberNumber* const values = model_.state_values.data();
      if (info.exit != info.exit_end) act(instance, values + info.exit, values + info.exit_end);
      words[w] &= ~(std::uint64_t{1} << bit);
      for (std::uint32_t i = info.timers; i != info.timers_end; ++i) {
        const std::uint32_t timer = values[i].of(owner.member);
        if (model_.resumes && model_.timers.shared(timer).resume && clocks_.armed(timer))
          remaining_[timer] = clocks_.time_of(timer) - now();
        clocks_.cancel(timer);
      }
      for (std::uint32_t i = info.slots; i != info.slots_end; ++i) {
        const std::uint32_t slot = values[i].of(owner.member);
        const double before = slots_[slot];
        slots_[slot] = before - 1.0;
        slot_changed(slot, before);
      }
    }
    if (w <= first / 64) break;
  }
}

void ChartReplication::enter(const Instance& owner, std::uint32_t instance, const std::uint32_t* begin,
                             const std::uint32_t* end) {
  const ChartTables& tables = model_.charts[owner.chart];
  for (const std::uint32_t* at = begin; at != end; ++at) {
    if ((*at & ChartTables::initial_flag) != 0) {
      const std::size_t row = owner.rows + (*at & ~ChartTables::initial_flag);
      act(instance, model_.transition_actions.begin(row), model_.transition_actions.end(row));
      continue;
    }
    configuration_[owner.configuration + *at / 64] |= std::uint64_t{1} << (*at % 64);
    const StateInfo& info = model_.states[owner.state_base + *at];
    const MemberNumber* const values = model_.state_values.data();
    for (std::uint32_t i = info.slots; i != info.slots_end; ++i) {
      const std::uint32_t slot = values[i].of(owner.member);
      const double before = slots_[slot];
      slots_[slot] = before + 1.0;
      slot_changed(slot, before);
    }
    if (info.entry != info.entry_end) act(instance, values + info.entry, values + info.entry_end);
    for (std::uint32_t i = info.timers; i != info.timers_end; ++i) arm(values[i].of(owner.member));
    if (tables.is_final[*at] != 0) done(instance, tables, tables.chart.states[*at].parent);
  }
}

// SCXML's isInFinalState.
bool ChartReplication::is_done(std::uint32_t instance, const ChartTables& tables, int state) const {
  const State& drawn = tables.chart.states[static_cast<std::size_t>(state)];
  if (drawn.kind == State::Kind::parallel)
    return std::all_of(drawn.children.begin(), drawn.children.end(), [&](int region) {
      return tables.chart.states[static_cast<std::size_t>(region)].history() || is_done(instance, tables, region);
    });
  return drawn.kind == State::Kind::composite &&
         std::any_of(drawn.children.begin(), drawn.children.end(), [&](int child) {
           return tables.is_final[static_cast<std::size_t>(child)] != 0 && active(instance, child);
         });
}

void ChartReplication::done(std::uint32_t instance, const ChartTables& tables, int state) {
  if (state <= 0) return;  // the whole chart is finished: it has no clocks left and waits for nothing
  const auto raise = [&](int s) {
    const std::int32_t event = tables.done_event[static_cast<std::size_t>(s)];
    if (event >= 0) queue_internal(instance, static_cast<std::uint32_t>(event), no_values);
  };
  raise(state);
  const int parent = tables.chart.states[static_cast<std::size_t>(state)].parent;
  if (parent > 0 && tables.chart.states[static_cast<std::size_t>(parent)].kind == State::Kind::parallel &&
      is_done(instance, tables, parent))
    raise(parent);
}

void ChartReplication::act(std::uint32_t instance, const MemberNumber* begin, const MemberNumber* end) {
  const std::uint32_t member = model_.instances[instance].member;
  for (const MemberNumber* at = begin; at != end; ++at) act(instance, at->of(member));
}

void ChartReplication::act(std::uint32_t instance, std::uint32_t number) {
  const ActionSpec& action = model_.actions[number];
  if (action.condition >= 0 && !model_.programs[static_cast<std::size_t>(action.condition)].holds(slots_)) return;
  switch (action.kind) {
    case ActionSpec::Kind::assign: {
      const double value = model_.programs[static_cast<std::size_t>(action.program)].evaluate(slots_);
      const double before = slots_[action.slot];
      // Nobody need be told of a value that stays; NaN counts as new each time.
      if (value == before) return;
      slots_[action.slot] = value;
      slot_changed(action.slot, before);
      return;
    }
    case ActionSpec::Kind::cancel:
      delayed_.cancel(action.id, [this](const DelayedEvents::Event& sent) { free_values(sent.values); });
      if (delayed_timer_ < clocks_.timers()) await_delayed();
      return;
    case ActionSpec::Kind::raise:
      queue_internal(instance, action.event, keep_values(action, number));
      break;
    case ActionSpec::Kind::send: {
      if (action.program < 0) {
        send_out(action.first, action.last, action.event, keep_values(action, number));
        break;
      }
      const double delay = model_.programs[static_cast<std::size_t>(action.program)].evaluate(slots_);
      if (!(delay >= 0.0)) fail_send(instance, number, delay);
      delayed_.push({now() + delay, action.first, action.last, action.event, action.id, keep_values(action, number)});
      await_delayed();
      break;
    }
    case ActionSpec::Kind::record:
      break;
  }
  if (listener_ != nullptr) listener_->event(action.event, now());
}

}  // namespace ergode
