#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/byte_archive.h"
#include "core/base/element_id.h"
#include "core/base/presence.h"
#include "core/des/backlog.h"
#include "core/des/known_slots.h"
#include "core/des/world.h"
#include "core/report/report_section.h"
#include "core/results/result_table.h"
#include "core/results/split.h"

namespace ergode {

class Document;

/// Thrown by a part that was asked to stop in the middle of a moment (RunningPart::heed()): no failure of the model.
struct GivenUp {};

/// A part of a history whose notation is not compiled into the loop: what is called per event is virtual. It draws from
/// random streams of its own (stream_key() of the seed and the name of what is drawn), reads slots of the world,
/// changes its own by World::set(), raises events by World::raise(), and counts in World::events what it does.
///
/// One per thread and history, used for one replication after the other; no allocation while one runs.
///
/// Order of calls: start() or restore(), then any of fire(), woken(), heard() and settle() at the moment at which the
/// world stands, until the next start() or restore(). A part that cannot go on throws ModelFailure.
class RunningPart {
 public:
  virtual ~RunningPart() = default;
  /// Id in the world of the first of its timers, which it asked for when it was made (World::add_timers()).
  virtual std::uint32_t first_timer() const = 0;
  /// Time zero of a replication. Slots have their initial values, no timer is armed, and charts have not been entered:
  /// arms its first timers and nothing of the last replication is left.
  /// @param replication  number from 0, which names the random streams together with seed and name.
  virtual void start(std::uint64_t replication) = 0;
  /// Before any part, this one included, begins time zero of a replication: sets slots whose initial values only a
  /// computation knows, by writing them (World::slots()), so that all that begins sees them and nobody takes them for
  /// changes.
  virtual void prepare(std::uint64_t replication) { static_cast<void>(replication); }
  /// A timer went off now (World::now()); numbered from zero within the part. It is still armed for this moment: the
  /// part schedules it anew or cancels it, or it goes off again.
  virtual void fire(std::uint32_t timer) = 0;
  /// A slot that reader number `reader` of SlotTable::wake() reads has changed; for all readers, own or not.
  virtual void woken(std::uint32_t reader) { static_cast<void>(reader); }
  /// This event was raised, by any part, this one included, or given by hand in step mode; number of SlotTable::events.
  /// Who waits for one says so while the model is lowered (EventNames::heard_by()).
  virtual void heard(std::uint32_t event) { static_cast<void>(event); }
  /// From now on it asks `give_up` now and then where it has much to do at one moment, as millions of customers at time
  /// zero, and throws GivenUp where that is so; what it holds is of no use then until the next start().
  /// Kept until the next call; empty: nobody asks it to.
  virtual void heed(const std::function<bool()>& give_up) { static_cast<void>(give_up); }
  /// Does what is left to do at this moment; is asked after start() and after any part's World::unsettle(), again until
  /// it returns false.
  /// @returns false: nothing was, and nothing was changed.
  virtual bool settle() { return false; }
  /// The mission is over, at World::now() or later: the last observations of streams (World::observations), what tables
  /// tell of that moment, and nothing else. Of replications that end as a whole, and of one long run when its measures
  /// are answered; not of paths that split.
  /// @param end_s  of the mission [s]
  virtual void end(double end_s) { static_cast<void>(end_s); }

  /// Everything that moves in it and not in the world, counters of random streams not needed: restore() begins new
  /// ones. At rest only.
  virtual void save(ByteWriter& into) const = 0;
  /// Reads what save() of the same part of the same model wrote; the world was restored before.
  /// @param path  further draws are those of this number, as start() would make them: paths that split from one state
  ///     go on independently of each other.
  virtual void restore(ByteReader& from, std::uint64_t path) = 0;

  /// Appends what its armed timers, and all that waits behind them, wait for; in no order. For people, not per event.
  virtual void waiting(std::vector<Waiting>& out) const = 0;
  /// Adds elements to be shown as active (a state, a server at work).
  virtual void active(std::set<ElementId>& out) const { static_cast<void>(out); }
  /// Appends who is at its nodes now, at rest: those of one node in the order in which they are drawn, who is next
  /// first. For people: of very many the first ones in their order and the others by their sort.
  virtual void present(std::vector<Present>& out) const { static_cast<void>(out); }
};

/// What a run found of an expression over slots: its mean over time [SI], with the ends of its interval; NaN: none.
struct MeanOverTime {
  const Program* program = nullptr;
  double value = 0.0, lower = 0.0, upper = 0.0;
};

/// What a notation made of a document and runs; const, shared by all threads, kept by the model as long as any history
/// of it.
/// It is to its RunningPart what a compiled program is to a process: one for the model, one running part for each
/// thread.
class LoweredPart {
 public:
  virtual ~LoweredPart() = default;
  /// A part for one thread's histories; asks the world for its timers (World::add_timers()).
  /// @param world  of the model's slot table, outlives the part.
  /// @param seed   of the run; streams come from it by stream_key().
  virtual std::unique_ptr<RunningPart> run(World& world, std::uint64_t seed) const = 0;
  /// What runs, for solvers that know other notations only and say what prevents them: at least one element.
  struct Thing {
    ElementId element;
    std::string name;  ///< token bucket "tank"
  };
  /// For solvers that refuse a model because of them, and say so with their names.
  virtual std::vector<Thing> things() const = 0;
  /// Told once, when the model is known, before it runs. A part that waits for news of what it reads says here what it
  /// cannot follow, or prepares to.
  /// @param problems  to be appended to
  virtual void know_slots(const KnownSlots& known, Diagnostics& problems) {
    static_cast<void>(known), static_cast<void>(problems);
  }
  /// After know_slots(): where nobody can say without a trial that those who come do not become ever more.
  virtual UnsettledPlaces unsettled() const { return {}; }
  /// Warnings: what to say of such places, which a trial has seen to grow. At least one.
  virtual Diagnostics told_of_growth(std::span<const SeenToGrow> seen) const {
    static_cast<void>(seen);
    return {};
  }
  /// Works out what tables() needs and nobody has worked out yet, as the schedule of a long trace. Asked after the last
  /// history of a run; where several threads ask at once, one works and the others wait.
  /// @param give_up  asked now and then: where it is so, what was begun is dropped
  /// @returns false: it was dropped, and tables() tells without it
  virtual bool work_out_tables(const std::function<bool()>& give_up) const {
    static_cast<void>(give_up);
    return true;
  }
  /// What the run says of it in tables that no measure asked for.
  /// @param means   what measures found over time
  /// @param solver  for the tables
  virtual std::vector<ResultTable> tables(std::span<const MeanOverTime> means, const std::string& solver) const {
    static_cast<void>(means), static_cast<void>(solver);
    return {};
  }
  /// A slot whose mean over a long time theory knows without a run, and which goes with what is measured: how many
  /// servers of a station are busy. What a run saw of it beyond that mean was chance, and tells how far other means
  /// were off by the same chance (GrowingBatches::control()).
  struct KnownMean {
    std::uint32_t slot = 0;  ///< SlotTable::changes_by_set()
    double mean = 0.0;       ///< [SI], exact
    ElementId element;       ///< of which it tells most
    std::string name;        ///< for people: desk.busy
  };
  /// The one that tells most of the whole model first.
  virtual std::vector<KnownMean> known_means() const { return {}; }
  /// Warnings: what in it makes intervals of one long run too narrow.
  virtual Diagnostics long_run_doubts() const { return {}; }
  /// Those of one sort who are observed when they leave, so that nobody sees the times of those who are still there
  /// when a mission ends.
  struct Stay {
    std::vector<std::uint32_t> streams;   ///< that observe them, by number
    std::int32_t of_class = -1;           ///< their class there
    std::uint32_t come = 0, present = 0;  ///< slots: so many have come so far, and are there now
    ElementId element;                    ///< where they come from
    std::string name;                     ///< for people, in the plural: jobs of "large" (work for 5 GPUs)
    std::string left = "are there";       ///< what those do who are there
    std::int64_t refused = -1;            ///< slot: so many could not be taken so far; -1: all can
    std::string why_refused = {};         ///< for people: want more hosts than there are
  };
  virtual std::vector<Stay> stays() const { return {}; }
  /// What it wants measured though nobody drew a measure: a slot, or a stream.
  struct OwnMeasure {
    std::string id, label;
    std::string_view kind;  ///< word of a MeasureKind: of a slot one of conditions or values, of a stream observed_mean
    std::string unit = {};
    ElementId element;
    std::int64_t slot = -1, stream = -1;  ///< one of them
    bool counts = false;                  ///< whole numbers
    bool headline = true;
  };
  virtual std::vector<OwnMeasure> own_measures() const { return {}; }
  /// How it divides what measures see, where it does.
  struct OwnSplit {
    std::shared_ptr<const Split> split;  ///< null: it divides nothing; else with its words, 1 to most_split_parts parts
    /// Of its own (World::set()): the number of the part in force, at every moment; anything else than one of these
    /// numbers counts as the first.
    std::uint32_t slot = 0;
  };
  virtual OwnSplit split() const { return {}; }
  /// What the report says of its elements among the data of the model, for kinds with KindSpec::report_data.
  /// @param document  that it was made of
  virtual std::vector<DataSection> report_data(const Document& document) const {
    static_cast<void>(document);
    return {};
  }
  /// What it wants people to know of a run, when it is over.
  virtual Diagnostics told() const { return {}; }
  /// What its numbers were made of that nobody knew before the run, for Provenance::options: "plugin npu" -> its
  /// version and hash.
  virtual std::map<std::string, std::string> sources() const { return {}; }
  /// Programs that it evaluates while it runs, owned by this: they are made fast before anybody shares it
  /// (make_machine_code()).
  virtual std::vector<Program*> programs() { return {}; }
};

/// All such parts of one history, together one part of Advance. Without any, a comparison per event. Its members are
/// those that Advance and a history ask of any part; calls go to every part in the order of `lowered`, fire() to the
/// one that the timer belongs to. Each timer that goes off is stamped into the fingerprint.
class OtherParts {
 public:
  /// Makes the parts and their timers: before the first start() of the world, after the parts of the loop that come
  /// before it.
  OtherParts(const std::vector<std::shared_ptr<const LoweredPart>>& lowered, World& world, std::uint64_t seed)
      : world_(world), first_(world.timers.timers()) {
    for (const auto& one : lowered) {
      parts_.push_back(one->run(world, seed));
      timers_.push_back(parts_.back()->first_timer());
    }
  }
  std::uint32_t first_timer() const { return first_; }
  void prepare(std::uint64_t replication) {
    for (const auto& part : parts_) part->prepare(replication);
  }
  void start(std::uint64_t replication) {
    for (const auto& part : parts_) part->start(replication);
  }
  void heed(const std::function<bool()>& give_up) {
    for (const auto& part : parts_) part->heed(give_up);
  }
  void fire(std::uint32_t timer) {
    world_.stamp(timer);
    std::size_t owner = parts_.size() - 1;
    while (timers_[owner] > timer + first_) --owner;
    parts_[owner]->fire(timer + first_ - timers_[owner]);
  }
  void woken(std::uint32_t reader) {
    for (const auto& part : parts_) part->woken(reader);
  }
  void heard(std::uint32_t event) {
    for (const auto& part : parts_) part->heard(event);
  }
  bool settle() { return world_.take_unsettled() && settle_all(); }
  void end(double end_s) {
    for (const auto& part : parts_) part->end(end_s);
  }

  /// What save() of all parts wrote, one after the other (byte_archive.h): for this process only.
  using Saved = std::string;
  void save(Saved& into) const {
    ByteWriter bytes;
    for (const auto& part : parts_) part->save(bytes);
    into = bytes.take();
  }
  void restore(const Saved& from, std::uint64_t path) {
    ByteReader bytes(from);
    for (const auto& part : parts_) part->restore(bytes, path);
    // A part that reads what it did not write would go on from a state that never was.
    if (!bytes.complete()) throw std::logic_error("A part of the model did not read back the state that it wrote.");
  }
  void waiting(std::vector<Waiting>& out) const {
    for (const auto& part : parts_) part->waiting(out);
  }
  void active(std::set<ElementId>& out) const {
    for (const auto& part : parts_) part->active(out);
  }
  void present(std::vector<Present>& out) const {
    for (const auto& part : parts_) part->present(out);
  }

 private:
  // Out of line: most models have none.
  [[gnu::noinline]] bool settle_all() {
    bool did = false;
    for (const auto& part : parts_) did = part->settle() || did;
    if (did) world_.unsettle();
    return did;
  }

  World& world_;
  std::uint32_t first_;
  std::vector<std::unique_ptr<RunningPart>> parts_;
  std::vector<std::uint32_t> timers_;  ///< first of each
};

}  // namespace ergode
