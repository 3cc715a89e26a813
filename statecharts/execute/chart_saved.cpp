// The complete moving state of a replication, in and out.
#include "statecharts/execute/chart_replication.h"

namespace ergode {

void ChartReplication::save(Saved& into) const {
  into.streams = streams_;
  into.slots = slots_;
  into.configuration = configuration_, into.histories = histories_;
  into.clocks = clocks_;
  into.delayed = delayed_, into.delayed_order = delayed_order_;
  into.rates = rates_, into.hazards = hazards_, into.remaining = remaining_;
  into.clock_causes = clock_causes_, into.causes = causes_, into.demand_causes = demand_causes_;
  into.standing = standing_;
  into.values = values_, into.free_values = free_values_;
  into.events = events_, into.fingerprint = fingerprint_, into.microsteps = microsteps_;
}

void ChartReplication::restore(const Saved& from) {
  streams_ = from.streams;
  slots_ = from.slots;
  configuration_ = from.configuration, histories_ = from.histories;
  clocks_ = from.clocks;
  delayed_ = from.delayed, delayed_order_ = from.delayed_order;
  rates_ = from.rates, hazards_ = from.hazards, remaining_ = from.remaining;
  clock_causes_ = from.clock_causes, causes_ = from.causes, demand_causes_ = from.demand_causes;
  standing_ = from.standing;
  values_ = from.values, free_values_ = from.free_values;
  events_ = from.events, fingerprint_ = from.fingerprint, microsteps_ = from.microsteps;
  internal_.clear(), external_.clear(), dirty_.clear(), bad_rates_.clear();
  internal_at_ = external_at_ = 0;
  std::fill(is_dirty_.begin(), is_dirty_.end(), std::uint8_t{0});
  for (std::uint32_t o = 0; o < observer_changed_.size(); ++o)
    if (observer_changed_[o] == 0) observer_changed_[o] = 1, changed_.push_back(o);
}

std::uint32_t ChartReplication::next_timer() const {
  const double clock = clocks_.next_time();
  const bool none = clock == std::numeric_limits<double>::infinity();
  return none || (!delayed_.empty() && delayed_.front().time < clock) ? clocks_.timers() : clocks_.next();
}

std::vector<ChartReplication::Pending> ChartReplication::pending() const {
  std::vector<Pending> out;
  for (const Delayed& sent : delayed_) out.push_back({sent.time, sent.event, sent.first, sent.last});
  return out;
}

}  // namespace ergode
