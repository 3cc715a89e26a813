// What moves in the charts of a history, in and out.
#include "statecharts/execute/chart_replication.h"

namespace ergode {

void ChartReplication::save(Saved& into) const {
  into.streams = streams_;
  for (std::size_t i = 0; i < begun_.size(); ++i)
    if (begun_[i] == 0) into.streams[i].restart(replication_);
  for (std::size_t t = 0; t < next_units_.size(); ++t)
    if (next_units_[t] >= 0.0) into.streams[t].back(1);
  into.configuration = configuration_, into.histories = histories_;
  into.delayed = delayed_;
  into.rates = rates_, into.hazards = hazards_, into.remaining = remaining_;
  into.clock_parts = clock_parts_, into.parts = parts_, into.demand_parts = demand_parts_;
  into.standing = standing_;
  into.values = values_, into.free_values = free_values_;
}

void ChartReplication::restore(const Saved& from) {
  streams_ = from.streams;
  // The saved history may have been another one.
  if (!streams_.empty()) replication_ = streams_.front().replication();
  std::fill(begun_.begin(), begun_.end(), std::uint8_t{1});
  for (RateClock& clock : rate_clocks_) clock.units.forget();
  std::fill(next_units_.begin(), next_units_.end(), none);
  thirsty_count_ = 0;
  configuration_ = from.configuration, histories_ = from.histories;
  delayed_ = from.delayed;
  rates_ = from.rates, hazards_ = from.hazards, remaining_ = from.remaining;
  clock_parts_ = from.clock_parts, parts_ = from.parts, demand_parts_ = from.demand_parts;
  standing_ = from.standing;
  values_ = from.values, free_values_ = from.free_values;
  internal_.clear(), external_.clear(), dirty_.clear(), bad_rates_.clear();
  unsettled_ = false;
  internal_at_ = external_at_ = 0;
  std::fill(is_dirty_.begin(), is_dirty_.end(), std::uint8_t{0});
}

std::vector<ChartReplication::Pending> ChartReplication::pending() const {
  std::vector<Pending> out;
  delayed_.for_each([&](const DelayedEvents::Event& sent) {
    out.push_back({sent.time_s, sent.event, sent.first, sent.last});
  });
  return out;
}

void ChartReplication::waiting(std::vector<Waiting>& out) const {
  for (std::uint32_t t = 0; t < model_.timers.size(); ++t) {
    const TimerSpec& timer = model_.timers[t];
    const bool open = timer.hazard && hazard_runs(t);
    if (!open && !clocks_.armed(t)) continue;
    const Instance& owner = model_.instances[timer.instance];
    const Transition& transition = model_.charts[owner.chart].chart.transitions[timer.transition];
    out.push_back({open ? std::numeric_limits<double>::infinity() : time_of(t), model_.name(timer.instance),
                   transition.trigger.text, transition.element});
  }
  for (const Pending& sent : pending())
    out.push_back({sent.time_s,
                   sent.first == sent.last ? model_.name(sent.first) : "several",
                   "event " + model_.event_names[sent.event],
                   {}});
}

}  // namespace ergode
