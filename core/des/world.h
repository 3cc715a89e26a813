#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/base/huge_pages.h"
#include "core/des/event_queue.h"
#include "core/des/happened.h"
#include "core/des/observations.h"
#include "core/des/slot_table.h"

namespace ergode {

/// A model that cannot go on: it never comes to rest at one moment (RUN002), or a rate is none. Thrown out of Advance
/// by whatever finds it; whoever runs replications ends the run as failed with this diagnostic. The world is then in
/// the middle of a step and good for nothing but World::start().
class ModelFailure : public std::runtime_error {
 public:
  explicit ModelFailure(Diagnostic d) : std::runtime_error(d.message), diagnostic(std::move(d)) {}
  Diagnostic diagnostic;
};

/// What all running parts of one history share: the clock, the values that expressions read, one future event list, and
/// who wants to know of changed values. Parts (charts, common-cause groups, stations, ...) keep the rest to themselves
/// and meet here only. One per thread, used again and again; no allocation while a history runs.
///
/// A part asks for its timers once, before the first history: ids come in the order of asking, and equal times go off
/// in the order of ids. A part with any number of pending events keeps a heap of its own behind one timer.
///
/// A history, as whoever owns the parts runs it:
///
///     world.start();                       // time zero; then parts start, in their order
///     loop.settle();                       // what happens at time zero
///     while (loop.step(end_s, watch)) {}   // see Advance
///
/// Values are read by index in slots(). A part changes its own values by set(), or, where it knows who reads them,
/// writes them and calls observe() for each number of SlotTable::watched() itself, which spares the news.
class World {
 public:
  /// Steps at one moment before a model counts as never coming to rest: far above what any sensible model needs.
  /// Whoever counts World::steps_at_moment throws ModelFailure beyond `patience`.
  static constexpr std::uint64_t longest_patience = 1000000;
  /// Slot of the present time [s].
  static constexpr std::uint32_t now_slot = 0;

  /// @param table  closed; must outlive the world. Values, timers and lists of changes are allocated here, O(slots),
  ///     and for timers in add_timers().
  explicit World(const SlotTable& table)
      : table_(table),
        slots_(table.initial().begin(), table.initial().end()),
        observers_(static_cast<std::uint32_t>(table.observers().size())),
        watched_changed_(observers_ + table.readers().size()),
        cared_for_(table.size()),
        handed_(table.handovers.size()) {
    for (std::uint32_t slot = 0; slot < table.size(); ++slot)
      if (!table.watched().empty(slot)) cared_for_[slot] = watched;
    changed_.reserve(observers_);
    timers.resize(0);
  }
  // Parts keep pointers to it.
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  const SlotTable& table() const noexcept { return table_; }

  /// Timers for one more part; before the first start(), because all timers are made anew.
  /// @returns the id of its first. What timers() will be, where `count` is 0.
  std::uint32_t add_timers(std::uint32_t count) {
    const std::uint32_t first = timers.timers();
    if (count != 0) timers.resize(first + count);
    return first;
  }

  /// Back to time zero: no timer is armed, every slot has its initial value, nobody was told of anything; counts and
  /// the fingerprint are 0. Observers that were muted stay so. O(slots + timers).
  void start() {
    std::copy(table_.initial().begin(), table_.initial().end(), slots_.begin());
    timers.clear();
    events = fingerprint = steps_at_moment = 0;
    clear_changed(), clear_news();
    for (auto& rows : handed_) rows.clear();
    unsettled_ = true;
    std::fill(areas_.begin(), areas_.end(), Area());
  }

  /// Present time [s], since the beginning of the history.
  double now() const noexcept { return slots_[now_slot]; }
  /// Moves the clock to `time_s` [s], at or after now and not past the next timer; neither is checked. Nobody is told
  /// that the slot of the time has changed.
  void move(double time_s) noexcept {
    if (time_s > slots_[now_slot]) steps_at_moment = 0;
    slots_[now_slot] = time_s;
  }
  /// The values by slot [SI], for Program::evaluate(); the address stays as long as the world. Whoever writes here and
  /// not by set() tells observers and readers itself (observe()).
  double* slots() noexcept { return slots_.data(); }
  const double* slots() const noexcept { return slots_.data(); }
  /// That of the table.
  std::size_t slot_count() const noexcept { return slots_.size(); }

  /// A slot that an observer or a reader reads has changed. Called by whoever changes it, with the numbers that
  /// SlotTable::watched() gives. O(1); only the first time since it was told counts.
  void observe(std::uint32_t watcher) {
    if (watched_changed_[watcher] == 0) note(watcher);
  }
  /// This observer is never told again, though its slots change and whatever start() does: whoever would look gets to
  /// know in another way. Before its slots change for the first time: one that stands in changed() is heard again after
  /// clear_changed().
  void mute(std::uint32_t observer) { watched_changed_[observer] = 1; }
  /// Observers whose slots changed since clear_changed(), each once, in no particular order.
  const std::vector<std::uint32_t>& changed() const noexcept { return changed_; }
  /// O(changed). By whoever looks at observers, each time that it has.
  void clear_changed() noexcept {
    for (const std::uint32_t o : changed_) watched_changed_[o] = 0;
    changed_.clear();
  }

  /// Changes a slot; whoever reads it hears of it, and, where one asked for it, every part by its written(). Nothing
  /// happens where it has that value already. O(programs that read it).
  /// @param value  [SI]; not NaN, which would be news each time.
  void set(std::uint32_t slot, double value) {
    const double before = slots_[slot];
    if (before == value) return;
    slots_[slot] = value;
    const std::uint8_t cares = cared_for_[slot];
    if (cares == 0) return;
    if ((cares & added_up) != 0) areas_[slot].add(before, now());
    if (cares != added_up) tell_of(slot);
  }
  /// From the next start() on the integral of a slot over time is kept where the slot changes, and the observer, which
  /// reads this slot alone, is muted. What changes and changes back within a moment counts for nothing, up to rounding.
  /// @param slot  SlotTable::changes_by_set()
  void add_up(std::uint32_t slot, std::uint32_t observer);
  /// Likewise, and who reads the slot hears of it as before.
  void add_up(std::uint32_t slot);
  /// Integral of such a slot from zero to `end_s`, now or later [SI times s].
  double integral(std::uint32_t slot, double end_s) const noexcept {
    return areas_[slot].sum + slots_[slot] * (end_s - areas_[slot].since_s);
  }
  /// Integrals of a value and of its square over a time.
  struct Held {
    double sum = 0.0, squares = 0.0;
  };
  /// Those of such a slot since this was last asked for, or from zero, to `end_s`, now or later; integral() counts from
  /// there.
  Held take_held(std::uint32_t slot, double end_s) noexcept {
    Area& area = areas_[slot];
    area.add(slots_[slot], end_s);
    return {std::exchange(area.sum, 0.0), std::exchange(area.squares, 0.0)};
  }
  /// From now on parts are told when set() changes this slot (their written()). By parts that know who of theirs reads
  /// it, when they are made; of a slot that nobody asked for nobody is told.
  void hear(std::uint32_t slot) { cared_for_[slot] |= heard; }
  /// Whether anybody hears of changes of this slot, or adds it up, in this history: where nobody does, its owner may
  /// write it in slots() and look for nobody. From start() on. O(1).
  bool cared_for(std::uint32_t slot) const noexcept { return cared_for_[slot] != 0; }
  /// Raises an event for every part that waits for it: each is told, the one that raises it too, before the model comes
  /// to rest.
  /// @param event  from SlotTable::events
  void raise(std::uint32_t event) {
    raised_.push_back(event);
    news_ = true;
  }
  /// Whether anything was set, raised or woken since all_told(); for Advance.
  bool news() const noexcept { return news_; }
  /// The oldest slot set, event raised, and reader whose slots changed; each is told once, until none is left.
  /// @returns false: there is none, and the argument is as it was.
  bool next_written(std::uint32_t& slot) { return written_.take(slot); }
  bool next_raised(std::uint32_t& event) { return raised_.take(event); }
  /// A reader that was named may be woken again from here on.
  bool next_woken(std::uint32_t& reader) {
    if (!woken_.take(reader)) return false;
    watched_changed_[reader] = 0;
    reader -= observers_;
    return true;
  }
  /// After the three above have returned false: news() is false until there is more.
  void all_told() noexcept { news_ = !written_.empty() || !raised_.empty() || !woken_.empty(); }
  /// Parts behind RunningPart are asked to settle() before time moves on. By a part that has something left to do at
  /// this moment; without it nobody asks them, which start() does once by itself.
  void unsettle() noexcept { unsettled_ = true; }
  /// Whether they are to be asked; then not again before the next unsettle().
  bool take_unsettled() noexcept { return std::exchange(unsettled_, false); }
  /// Somebody goes from one part to another now: whoever takes him does so when it next settles, before time moves on.
  /// @param handover  place in SlotTable::handovers
  /// @param born_s    since when he has been in the model
  /// @param values    as many as Handover::wanted, in that order [SI]
  void hand_over(std::uint32_t handover, double born_s, const double* values) {
    std::vector<double>& rows = handed_[handover];
    rows.push_back(born_s);
    rows.insert(rows.end(), values, values + table_.handovers[handover].wanted.size());
    unsettle();
  }
  /// Those who were handed over since this was last called, one after the other: born, values. Into `rows`, whose
  /// contents are lost.
  void take_handed(std::uint32_t handover, std::vector<double>& rows) {
    rows.clear();
    std::swap(rows, handed_[handover]);
  }
  /// Told of what parts do that say so; null: nobody watches this history. Must outlive it; set between histories.
  Witness* witness = nullptr;
  /// Says what a part did now, where somebody watches. Make costly texts only where `witness` is not null.
  void tell(const std::string& who, ElementId element, const char* what) {
    if (witness != nullptr) witness->happened({now(), who, element, what});
  }
  /// Somebody moved now, where somebody watches.
  void tell(Moved what) {
    if (witness == nullptr) return;
    what.time_s = now();
    witness->moved(what);
  }

  /// The part that owns a timer arms it here; a timer that goes off stays armed until its part moves or cancels it.
  EventQueue timers;
  Observations observations;          ///< what parts tell whoever measures
  std::uint64_t events = 0;           ///< timers that went off and events that were given
  std::uint64_t fingerprint = 0;      ///< hash over what happened and when; see stamp()
  std::uint64_t steps_at_moment = 0;  ///< since the clock moved: a model that never comes to rest is known by it
  std::uint64_t patience = longest_patience;  ///< less for whoever has less time than a run; set between histories

  /// Something happened now: whatever changes a history changes its fingerprint. Order matters.
  /// Each call mixes `what` and the time into the hash so that neither order nor a missing call goes unseen
  /// (multiplication and shift of the finaliser of MurmurHash3). Two histories with one fingerprint went the same way,
  /// up to chance 2^-64.
  void stamp(std::uint64_t what) noexcept {
    fingerprint = (fingerprint ^ (what + 0x9e3779b97f4a7c15ULL + std::bit_cast<std::uint64_t>(slots_[now_slot]))) *
                  0xff51afd7ed558ccdULL;
    fingerprint ^= fingerprint >> 32U;
  }

  /// What a slot came to, over time, until it last changed.
  struct Area {
    double since_s = 0.0, sum = 0.0, squares = 0.0;
    void add(double value, double now_s) noexcept {
      const double area = value * (now_s - since_s);
      sum += area, squares += value * area;
      since_s = now_s;
    }
  };
  /// Everything that moves here; parts save their own. Reused as a target of save(), it allocates once.
  struct Saved {
    std::vector<double> slots;
    std::vector<Area> areas;
    EventQueue timers;
    std::uint64_t events = 0, fingerprint = 0, steps_at_moment = 0;
  };
  /// At rest only: news that nobody was told of is not saved. O(slots + timers).
  void save(Saved& into) const {
    into.slots.assign(slots_.begin(), slots_.end()), into.areas = areas_, into.timers = timers;
    into.events = events, into.fingerprint = fingerprint, into.steps_at_moment = steps_at_moment;
  }
  /// The world as save() found it, in a world of the same table and timers; at rest only. Afterwards every observer
  /// counts as changed. O(slots + timers + observers).
  void restore(const Saved& from) {
    // Not by assignment: parts point into the slots.
    std::copy(from.slots.begin(), from.slots.end(), slots_.begin());
    areas_ = from.areas, timers = from.timers;
    events = from.events, fingerprint = from.fingerprint, steps_at_moment = from.steps_at_moment;
    for (std::uint32_t o = 0; o < observers_; ++o) observe(o);
  }

 private:
  /// First in, first out; what was taken stays in memory until all is. O(1) each: thousands may read one slot.
  class Queue {
   public:
    bool empty() const noexcept { return entries_.empty(); }
    void push_back(std::uint32_t entry) { entries_.push_back(entry); }
    bool take(std::uint32_t& first) {
      if (entries_.empty()) return false;
      first = entries_[next_++];
      if (next_ == entries_.size()) clear();
      return true;
    }
    void clear() noexcept { entries_.clear(), next_ = 0; }
    auto begin() const { return entries_.begin() + static_cast<std::ptrdiff_t>(next_); }
    auto end() const { return entries_.end(); }

   private:
    std::vector<std::uint32_t> entries_;  ///< empty where all are taken
    std::size_t next_ = 0;
  };
  /// A slot that somebody cares for has changed. Out of line, so that set() costs its callers no more than two looks.
  [[gnu::noinline]] void tell_of(std::uint32_t slot) {
    if ((cared_for_[slot] & heard) != 0) {
      written_.push_back(slot);
      news_ = true;
    }
    const Rows& all = table_.watched();
    for (const std::uint32_t* w = all.begin(slot); w != all.end(slot); ++w) observe(*w);
  }
  /// The first time since the watcher was told. Out of line, so that observe() costs its callers no more than a look.
  [[gnu::noinline]] void note(std::uint32_t watcher) {
    watched_changed_[watcher] = 1;
    if (watcher < observers_) return changed_.push_back(watcher);
    woken_.push_back(watcher);
    news_ = true;
  }
  void clear_news() noexcept {
    for (const std::uint32_t w : woken_) watched_changed_[w] = 0;
    written_.clear(), raised_.clear(), woken_.clear();
    news_ = false;
  }

  static constexpr std::uint8_t watched = 1, heard = 2, added_up = 4;

  const SlotTable& table_;
  std::vector<double, AmongMany<double>> slots_;  ///< begins with a line of the caches: SlotTable::keep_together()
  std::uint32_t observers_;
  std::vector<std::uint32_t> changed_;
  std::vector<std::uint8_t> watched_changed_;  ///< by observer, then by reader
  std::vector<std::uint8_t> cared_for_;        ///< by slot: bits `watched`, `heard`, `added_up`
  std::vector<Area> areas_;                    ///< by slot; empty: none is added up
  std::vector<std::vector<double>> handed_;    ///< by handover; empty at rest
  Queue written_, raised_, woken_;
  bool news_ = false, unsettled_ = false;
};

inline void World::add_up(std::uint32_t slot) {
  if (areas_.empty()) areas_.resize(slots_.size());
  cared_for_[slot] |= added_up;
}

inline void World::add_up(std::uint32_t slot, std::uint32_t observer) {
  add_up(slot);
  mute(observer);
  const Rows& all = table_.watched();
  const bool heard_by_some = std::any_of(
      all.begin(slot), all.end(slot), [this](std::uint32_t w) { return w >= observers_ || watched_changed_[w] == 0; });
  if (!heard_by_some) cared_for_[slot] &= static_cast<std::uint8_t>(~watched);
}

}  // namespace ergode
