// What waits for a time: clocks of transitions, rates that change, events on their way, and what each of them does when
// it goes off.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/base/fetch.h"
#include "core/base/text.h"
#include "core/random/uniform_blocks.h"
#include "statecharts/execute/chart_replication.h"

namespace ergode {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// The condition of `rate(condition ? ... : -1 /h)`: who writes a rate that is none there says that it must hold.
/// Empty: it is another rate.
std::string demanded_condition(const Trigger& trigger) {
  const Syntax& rate = trigger.argument;
  if (rate.kind != Syntax::Kind::conditional || rate.children.size() != 3) return {};
  const Syntax& otherwise = rate.children[2];
  const bool refused = otherwise.kind == Syntax::Kind::unary && otherwise.word == "-" &&
                       otherwise.children.front().kind == Syntax::Kind::number;
  const Syntax& condition = rate.children[0];
  const auto begin = static_cast<std::size_t>(condition.begin), end = static_cast<std::size_t>(condition.end);
  if (!refused || begin >= end || end > trigger.text.size()) return {};
  return trigger.text.substr(begin, end - begin);
}

}  // namespace

double ChartReplication::rate_of(const TimerSpec& spec) const {
  return model_.programs[static_cast<std::size_t>(spec.program)].evaluate(slots_);
}

void ChartReplication::arm_other(std::uint32_t timer) {
  const TimerSpec spec = model_.timers[timer];
  const double now = slots_[World::now_slot];
  switch (spec.kind) {
    case Trigger::Kind::rate: {
      const double rate = rate_of(spec);
      rates_[timer] = rate;
      hazards_[timer] = stream(timer).exponential();
      if (!is_rate(rate)) suspect_rate(timer);
      if (spec.hazard) return;
      clocks_.schedule(timer, is_rate(rate) && rate > 0.0 ? now + hazards_[timer] / rate : never);
      return;
    }
    case Trigger::Kind::after: {
      if (spec.resume && !std::isnan(remaining_[timer])) return clocks_.schedule(timer, now + remaining_[timer]);
      const double delay = spec.random
                               ? model_.distributions[static_cast<std::size_t>(spec.distribution)].sample(stream(timer))
                           : spec.constant ? spec.value
                                           : rate_of(spec);
      if (!(delay >= 0.0))
        fail(spec.instance, spec.transition, "The delay is " + std::to_string(delay) + " s; wanted >= 0.");
      clocks_.schedule(timer, now + delay);
      return;
    }
    case Trigger::Kind::at: {
      const double time = spec.constant ? spec.value : rate_of(spec);
      // A moment comes once, also where its own transition enters the state again.
      if (time >= now && hazards_[timer] != time) clocks_.schedule(timer, time);
      return;
    }
    case Trigger::Kind::every: {
      const double period = spec.constant ? spec.value : rate_of(spec);
      if (!(period > 0.0))
        fail(spec.instance, spec.transition, "The period is " + std::to_string(period) + " s; wanted > 0.");
      clocks_.schedule(timer, now + period);
      return;
    }
    case Trigger::Kind::becomes:
      // What the condition was when last looked at. At the first look there is no edge: only then is the whole model
      // entered, and at rest but for this component.
      hazards_[timer] = 1.0;
      return;
    default:
      return;  // a common-cause clock waits for a shock
  }
}

void ChartReplication::arm_first(std::span<const std::uint32_t> timers) {
  const bool many = rate_clocks_.empty();
  const auto mean_s = [&](std::uint32_t timer) {
    return many ? means_s_[model_.timers.places[timer].spec] : rate_clocks_[timer].mean_s;
  };
  const double now = slots_[World::now_slot];
  constexpr std::uint64_t first[streams_at_once] = {};
  for (; timers.size() >= streams_at_once; timers = timers.subspan(streams_at_once)) {
    std::array<double, streams_at_once> means;
    static_assert(streams_at_once == exponentials_at_once);
    std::uint64_t keys[streams_at_once], bits[2 * streams_at_once], draws[streams_at_once];
    double units[streams_at_once];
    bool plain = true;
    for (std::size_t i = 0; i < streams_at_once; ++i) {
      means[i] = mean_s(timers[i]), keys[i] = streams_[timers[i]].key();
      plain = plain && means[i] >= 0.0;
    }
    if (!plain) {
      for (std::size_t i = 0; i < streams_at_once; ++i) arm(timers[i]);
      continue;
    }
    stream_blocks(keys, replication_, first, bits);
    for (std::size_t i = 0; i < streams_at_once; ++i) draws[i] = bits[2 * i];
    unit_exponentials(draws, units);
    for (std::size_t i = 0; i < streams_at_once; ++i) {
      const std::uint32_t timer = timers[i];
      streams_[timer].begun(replication_, bits[2 * i + 1]);
      if (many) begun_[timer] = 1;
      clocks_.schedule(timer, now + units[i] * means[i]);
    }
  }
  for (const std::uint32_t timer : timers) arm(timer);
}

// The rate of a waiting clock changed: what is left of its unit-exponential hazard runs on at the new rate, which is
// exact.
void ChartReplication::reread(std::uint32_t timer) {
  const TimerSpec spec = model_.timers[timer];
  // Waiting means that its state is active; a clock at rate zero waits too, though it is armed for no time.
  if (!active(spec.instance, model_.charts[model_.instances[spec.instance].chart].ways[spec.transition].source)) return;
  const double rate = rate_of(spec);
  if (rate == rates_[timer]) return;
  const double now = slots_[World::now_slot];
  const bool ran = is_rate(rates_[timer]) && rates_[timer] > 0.0;
  if (ran && clocks_.armed(timer)) hazards_[timer] = (clocks_.time_of(timer) - now) * rates_[timer];
  rates_[timer] = rate;
  if (!is_rate(rate)) suspect_rate(timer);
  clocks_.schedule(timer, is_rate(rate) && rate > 0.0 ? now + hazards_[timer] / rate : never);
}

// In the middle of a step a count may be what it is at no time: only what still holds at rest is an error.
void ChartReplication::refuse_bad_rates() {
  const std::vector<std::uint32_t> found = std::exchange(bad_rates_, {});
  for (const std::uint32_t timer : found) {
    const TimerSpec spec = model_.timers[timer];
    const Instance& owner = model_.instances[spec.instance];
    const Transition& way = model_.charts[owner.chart].chart.transitions[spec.transition];
    if (!active(spec.instance, way.source)) continue;
    const double rate = rate_of(spec);
    if (is_rate(rate)) continue;
    if (const std::string wanted = demanded_condition(way.trigger); rate < 0.0 && !wanted.empty())
      fail(spec.instance, spec.transition,
           model_.name(spec.instance) + ": \"" + wanted + "\" does not hold any more at time " +
               number_text(now() / 3600.0) + " h; wanted: that it always holds.");
    fail(spec.instance, spec.transition,
         "The rate of " + model_.name(spec.instance) + ", " + way.trigger.text + ", is " + number_text(rate * 3600.0) +
             " /h at time " + number_text(now() / 3600.0) + " h; wanted a finite rate >= 0." +
             // What decays towards zero gets beyond it by the error of its integration.
             (rate < 0.0 && !model_.continuous_slots.empty() ? " Where a variable decays to zero, write max(0, ...)."
                                                             : ""));
  }
}

void ChartReplication::go_off_generally(std::uint32_t timer) {
  const TimerSpec spec = model_.timers[timer];
  const Instance& owner = model_.instances[spec.instance];
  ++world_.events;
  count_microstep(spec.instance, spec.transition);
  clocks_.cancel(timer);
  if (spec.resume) remaining_[timer] = std::numeric_limits<double>::quiet_NaN();
  if (spec.kind == Trigger::Kind::at) hazards_[timer] = now();
  const SplitPart part = spec.kind == Trigger::Kind::common_cause ? clock_parts_[timer] : ChartPart::own_failure;
  const Hop& hop = model_.hops[owner.hops + spec.transition];
  if (hop.known && model_.guards[owner.rows + spec.transition].kind == GuardSpec::Kind::always)
    return take_hop(spec.instance, spec.transition, hop, part);
  for (std::uint32_t t = spec.transition; t != spec.transition + spec.alternatives; ++t)
    if (enabled(spec.instance, t)) {
      take(spec.instance, &t, 1, part);
      // A transition without target leaves its source active: what repeats goes on.
      const ChartTables::Way& way = model_.charts[owner.chart].ways[t];
      const bool stays = way.exit_first > way.exit_last || way.source < static_cast<int>(way.exit_first);
      const bool repeats = spec.kind == Trigger::Kind::every || spec.kind == Trigger::Kind::rate;
      if (stays && repeats && active(spec.instance, way.source)) arm(timer);
      return;
    }
  if (spec.kind == Trigger::Kind::every || spec.kind == Trigger::Kind::rate) arm(timer);
}

// `hop` is a ClockHop or a SharedClockHop, and `of` makes a number of one of its numbers: of what members share nothing
// is put together before it is needed.
template <class Hop, class Of, class Arm>
[[gnu::always_inline]] inline void ChartReplication::step_of_clock(std::uint32_t timer, const Hop& hop,
                                                                   std::uint32_t member, const Of& of,
                                                                   const Arm& arm_clock) {
  static_assert(ClockHop::most_slots == 2);
  ++world_.events;
  if (++world_.steps_at_moment > world_.patience) [[unlikely]]
    never_at_rest(of(hop.instance), model_.timers.shared(timer).transition);
  clocks_.cancel(timer);
  std::uint64_t& word = configuration_[of(hop.word)];
  word = (word & ~hop.clear) | hop.set;
  assert_legal(of(hop.instance));
  for (std::uint32_t i = hop.cancel; i != hop.cancel_end; ++i) clocks_.cancel(model_.hop_timers[i].of(member));
  if (hop.role != TransitionRole::none)
    set_part(of(hop.instance), hop.role == TransitionRole::repair ? ChartPart::no_failure : ChartPart::own_failure);
  stamp(of(hop.row));
  if (hop.slots > 0) change_slot(of(hop.slot[0].slot), hop.slot[0].delta);
  if (hop.slots > 1) change_slot(of(hop.slot[1].slot), hop.slot[1].delta);
  if (const std::uint32_t next = of(hop.arm); next != ClockHop::no_clock) arm_clock(next);
  if (hop.eventless) mark(of(hop.instance));
}

// In a large model nothing of the next component is in a near cache: what its step will read is fetched while the
// measures look.
void ChartReplication::one_of_many_goes_off(std::uint32_t timer) {
  const TimerTable::Place at = model_.timers.places[timer];
  const SharedClockHop& shared = model_.clock_hops[at.spec];
  if (!shared.known) [[unlikely]]
    return go_off_generally(timer);
  step_of_clock(
      timer, shared, at.member, [&](MemberNumber number) { return number.of(at.member); },
      [this](std::uint32_t next) { arm_one_of_many(next); });
  clocks_.next_time();  // so that nothing cancelled stands there; where nothing is armed it is any
  const std::uint32_t soon = clocks_.winner();
  const bool clock = soon < model_.timers.size();
  if (clock) {
    fetch_line(&model_.timers.places[soon]);
    fetch_line(&streams_[soon]);
    clocks_.prefetch(soon);
  }
  // A clock that went off does so again, most likely.
  if (means_s_[at.spec] >= 0.0 && next_units_[timer] < 0.0) {
    thirsty_[thirsty_count_++] = timer;
    if (thirsty_count_ == thirsty_.size()) draw_ahead();
  }
  if (!clock) return;
  const TimerTable::Place then = model_.timers.places[soon];
  const SharedClockHop& next = model_.clock_hops[then.spec];
  if (!next.known) return;
  fetch_line(&configuration_[next.word.of(then.member)]);
  fetch_line(&parts_[next.instance.of(then.member)]);
  if (const std::uint32_t arm = next.arm.of(then.member); arm != ClockHop::no_clock) fetch_line(&next_units_[arm]);
}

void ChartReplication::draw_ahead() {
  thirsty_count_ = 0;
  std::uint64_t keys[streams_at_once], blocks[streams_at_once], bits[2 * streams_at_once], draws[streams_at_once] = {};
  double units[streams_at_once];
  for (std::size_t i = 0; i < streams_at_once; ++i)
    keys[i] = streams_[thirsty_[i]].key(), blocks[i] = streams_[thirsty_[i]].draws() / 2;
  stream_blocks(keys, replication_, blocks, bits);
  // One that stands here twice, or has drawn since, has its number already.
  for (std::size_t i = 0; i < streams_at_once; ++i) {
    const std::uint32_t timer = thirsty_[i];
    if (next_units_[timer] != none) continue;
    next_units_[timer] = awaited;
    draws[i] = streams_[timer].bits_of(bits + 2 * i);
  }
  unit_exponentials(draws, units);
  for (std::size_t i = 0; i < streams_at_once; ++i)
    if (next_units_[thirsty_[i]] == awaited) next_units_[thirsty_[i]] = units[i];
}

void ChartReplication::take_clock_hop(std::uint32_t timer, const ClockHop& hop) {
  step_of_clock(
      timer, hop, hop.member, [](std::uint32_t number) { return number; }, [this](std::uint32_t next) { arm(next); });
}

// The first of the events on their way goes to its receivers.
void ChartReplication::arrive() {
  const DelayedEvents::Event sent =
      delayed_.pop([this](const DelayedEvents::Event& other) { free_values(other.values); });
  await_delayed();
  send_out(sent.first, sent.last, sent.event, sent.values);
}

void ChartReplication::await_delayed() {
  if (delayed_.empty()) clocks_.cancel(delayed_timer_);
  else clocks_.schedule(delayed_timer_, delayed_.next_time());
}

bool ChartReplication::set_common_cause_clock(std::uint32_t instance, std::uint32_t cause, double time_s,
                                              SplitPart part) {
  const Instance& owner = model_.instances[instance];
  const StateChart& chart = model_.charts[owner.chart].chart;
  const std::string& name = model_.cause_names[cause];
  bool any = false;
  for (std::size_t s = 0; s < chart.states.size(); ++s) {
    if (!active(instance, static_cast<int>(s))) continue;
    const StateInfo& info = model_.states[owner.state_base + s];
    for (std::uint32_t i = info.timers; i != info.timers_end; ++i) {
      const std::uint32_t t = model_.state_values[i].of(owner.member);
      const TimerSpec& spec = model_.timers.shared(t);
      if (spec.kind != Trigger::Kind::common_cause || chart.transitions[spec.transition].trigger.cause != name)
        continue;
      any = true;
      if (clocks_.time_of(t) <= time_s) continue;
      clocks_.schedule(t, time_s);
      clock_parts_[t] = part;
    }
  }
  return any;
}

}  // namespace ergode
