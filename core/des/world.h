#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/des/event_queue.h"

namespace ergode {

/// What all running parts of one history share: the clock, the values that expressions read, one future event list, and
/// who wants to know of changed values. Parts (charts, common-cause groups, stations, ...) keep the rest to themselves
/// and meet here only. One per thread, used again and again; no allocation while a history runs.
///
/// A part asks for its timers once, before the first history: ids come in the order of asking, and equal times go off
/// in the order of ids. A part with any number of pending events keeps a heap of its own behind one timer.
class World {
 public:
  /// Slot of the present time [s].
  static constexpr std::uint32_t now_slot = 0;

  /// @param initial    values of all slots at time zero, SI units; the first is the time.
  /// @param observers  programs whose slots are followed, see observe().
  World(std::vector<double> initial, std::size_t observers)
      : slots_(initial), initial_(std::move(initial)), observer_changed_(observers) {
    changed_.reserve(observers);
    timers.resize(0);
  }
  // Parts keep pointers to it.
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// Timers for one more part. @returns the id of its first.
  std::uint32_t add_timers(std::uint32_t count) {
    const std::uint32_t first = timers.timers();
    timers.resize(first + count);
    return first;
  }

  /// Back to time zero: no timer is armed, every slot has its initial value, nobody was told of anything.
  void start() {
    std::copy(initial_.begin(), initial_.end(), slots_.begin());
    timers.clear();
    events = fingerprint = steps_at_moment = 0;
    clear_changed();
  }

  double now() const noexcept { return slots_[now_slot]; }
  /// Moves the clock to `time_s` [s], at or after now and not past the next timer.
  void move(double time_s) noexcept {
    if (time_s > slots_[now_slot]) steps_at_moment = 0;
    slots_[now_slot] = time_s;
  }
  double* slots() noexcept { return slots_.data(); }
  const double* slots() const noexcept { return slots_.data(); }
  std::size_t slot_count() const noexcept { return slots_.size(); }

  /// An observer's slots have changed. Called by whoever changes them.
  void observe(std::uint32_t observer) {
    if (observer_changed_[observer] != 0) return;
    observer_changed_[observer] = 1;
    changed_.push_back(observer);
  }
  /// Observers whose slots changed since clear_changed(), each once, in no particular order.
  const std::vector<std::uint32_t>& changed() const noexcept { return changed_; }
  void clear_changed() noexcept {
    for (const std::uint32_t o : changed_) observer_changed_[o] = 0;
    changed_.clear();
  }

  EventQueue timers;
  std::uint64_t events = 0;           ///< timers that went off and events that were given
  std::uint64_t fingerprint = 0;      ///< hash over what happened and when; see stamp()
  std::uint64_t steps_at_moment = 0;  ///< since the clock moved: a model that never comes to rest is known by it

  /// Something happened now: whatever changes a history changes its fingerprint. Order matters.
  void stamp(std::uint64_t what) noexcept {
    fingerprint = (fingerprint ^ (what + 0x9e3779b97f4a7c15ULL + std::bit_cast<std::uint64_t>(slots_[now_slot]))) *
                  0xff51afd7ed558ccdULL;
    fingerprint ^= fingerprint >> 32U;
  }

  /// Everything that moves here; parts save their own.
  struct Saved {
    std::vector<double> slots;
    EventQueue timers;
    std::uint64_t events = 0, fingerprint = 0, steps_at_moment = 0;
  };
  void save(Saved& into) const {
    into.slots = slots_, into.timers = timers;
    into.events = events, into.fingerprint = fingerprint, into.steps_at_moment = steps_at_moment;
  }
  /// Afterwards every observer counts as changed.
  void restore(const Saved& from) {
    // Not by assignment: parts point into the slots.
    std::copy(from.slots.begin(), from.slots.end(), slots_.begin());
    timers = from.timers;
    events = from.events, fingerprint = from.fingerprint, steps_at_moment = from.steps_at_moment;
    for (std::uint32_t o = 0; o < observer_changed_.size(); ++o) observe(o);
  }

 private:
  std::vector<double> slots_, initial_;
  std::vector<std::uint32_t> changed_;
  std::vector<std::uint8_t> observer_changed_;
};

}  // namespace ergode
