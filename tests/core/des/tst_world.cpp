#include <QtTest>

#include "core/des/advance.h"
#include "core/des/lowering.h"

using namespace ergode;

namespace {

/// Says what it is told.
struct Ear {
  std::uint32_t first_timer() const { return first; }
  void fire(std::uint32_t timer) { said += "f" + std::to_string(timer) + " "; }
  bool settle() { return false; }
  void written(std::uint32_t slot) { said += "w" + std::to_string(slot) + " "; }
  void heard(std::uint32_t event) { said += "h" + std::to_string(event) + " "; }
  void woken(std::uint32_t reader) { said += "r" + std::to_string(reader) + " "; }
  std::uint32_t first = 0;
  std::string said;
};

/// Answers each event by raising it again, for ever.
struct Echo {
  explicit Echo(World& w) : world(w) {}
  std::uint32_t first_timer() const { return 0; }
  void fire(std::uint32_t) {}
  void heard(std::uint32_t event) { world.raise(event); }
  World& world;
};

Program reads(std::uint32_t slot) { return Program::load(slot); }

}  // namespace

class TestWorld : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_changed_slot_is_told_to_its_observers_and_readers_only() {
    SlotTable table;
    const std::uint32_t a = table.add(0.0), b = table.add(5.0), c = table.add(0.0);
    QCOMPARE(table.observe(reads(a)), 0u);
    QCOMPARE(table.observe(reads(b)), 1u);
    QCOMPARE(table.wake(reads(b)), 0u);
    QCOMPARE(table.wake(Program::apply(Program::Op::add, {reads(a), reads(b)})), 1u);
    table.close();
    World world(table);
    world.hear(a), world.hear(b);
    Ear ear;
    NothingFlows still;
    Advance<NothingFlows, Ear> loop(world, still, ear);
    world.start();
    world.set(c, 1.0);  // nobody reads it, nobody asked
    QVERIFY(!world.news());
    world.set(a, 0.0);  // as it was
    QVERIFY(!world.news());
    world.set(a, 1.0);
    loop.settle();
    QCOMPARE(ear.said, std::string("w1 r1 "));
    QCOMPARE(world.changed(), std::vector<std::uint32_t>{0});
    ear.said.clear();
    world.set(b, 6.0), world.set(b, 7.0), world.raise(3);
    loop.settle();
    // Readers are woken once however often it changed.
    QCOMPARE(ear.said, std::string("w2 w2 r0 r1 h3 "));
    QVERIFY(!world.news());
    // A new history has heard of nothing.
    world.set(a, 2.0);
    world.start();
    QVERIFY(!world.news());
    QVERIFY(world.changed().empty());
    QCOMPARE(world.slots()[b], 5.0);
  }

  void timers_go_to_the_part_that_has_them() {
    SlotTable table;
    table.close();
    World world(table);
    Ear one, two, three;
    one.first = world.add_timers(2), two.first = world.add_timers(0), three.first = world.add_timers(1);
    NothingFlows still;
    Advance<NothingFlows, Ear, Ear, Ear> loop(world, still, one, two, three);
    world.start();
    world.timers.schedule(1, 1.0), world.timers.schedule(2, 1.0);
    NobodyWatches nobody;
    QVERIFY(loop.step(2.0, nobody));
    world.timers.cancel(1);
    QVERIFY(loop.step(2.0, nobody));
    QCOMPARE(one.said, std::string("f1 "));
    QCOMPARE(two.said, std::string());
    QCOMPARE(three.said, std::string("f0 "));
  }

  void parts_that_tell_each_other_for_ever_are_stopped() {
    SlotTable table;
    table.close();
    World world(table);
    Echo echo(world);
    NothingFlows still;
    Advance<NothingFlows, Echo> loop(world, still, echo);
    world.start();
    world.raise(0);
    QVERIFY_THROWS_EXCEPTION(ModelFailure, loop.settle());
  }

  void what_goes_round_is_named() {
    SlotTable table;
    QVERIFY(table.declare("tank", {ElementId(7), "token bucket"}) == nullptr);
    const std::uint32_t level = table.add({.name = "tank.level", .element = ElementId(7)}, 0.0), own = table.add(0.0),
                        early = table.add({.name = "early"}, 0.0), reader = table.wake(reads(level));
    QCOMPARE(reader, 0u);
    for (const char* event : {"silence", "demand"}) table.events.number(event);
    table.close();
    World world(table);
    for (const std::uint32_t slot : {level, own, early}) world.hear(slot);
    // One event raises the other by way of two slots.
    struct Circle {
      std::uint32_t first_timer() const { return 0; }
      void fire(std::uint32_t) {}
      void heard(std::uint32_t) { world.set(own, world.slots()[own] + 1.0); }
      void written(std::uint32_t slot) {
        if (slot == own) world.set(level, world.slots()[level] + 1.0);
      }
      void woken(std::uint32_t) { world.raise(1); }
      World& world;
      std::uint32_t own, level;
    } circle{world, own, level};
    NothingFlows still;
    Advance<NothingFlows, Circle> loop(world, still, circle);
    world.start();
    world.set(early, 1.0), world.raise(0);
    try {
      loop.settle();
      QFAIL("it comes to rest");
    } catch (const ModelFailure& failure) {
      QCOMPARE(failure.diagnostic.code, std::string("RUN002"));
      QVERIFY(failure.diagnostic.element == ElementId(7));
      const std::string& message = failure.diagnostic.message;
      QVERIFY2(message.ends_with(R"(, of "tank.level" and event "demand".)") ||
                   message.ends_with(R"(, of event "demand" and "tank.level".)"),
               message.c_str());
    }
  }

  void slots_that_are_kept_together_lie_in_one_line() {
    SlotTable table;
    const auto add = [&](std::size_t count) {
      table.keep_together(count);
      const std::uint32_t first = table.add(1.0);
      for (std::size_t i = 1; i < count; ++i) table.add(1.0);
      return first;
    };
    QCOMPARE(add(3), 1u);  // behind the time
    QCOMPARE(add(4), 4u);  // as many as there is room for
    QCOMPARE(add(6), 8u);
    QCOMPARE(add(3), 16u);
    QCOMPARE(add(9), 24u);  // begins a line
    const std::uint32_t heard = add(1), own = add(1);
    table.close();
    World world(table);
    world.hear(heard);
    QVERIFY(world.cared_for(heard) && !world.cared_for(own));
    QCOMPARE(reinterpret_cast<std::uintptr_t>(world.slots()) % 64, std::uintptr_t{0});
  }

  void names_of_things_lead_to_their_slots() {
    SlotTable table;
    QVERIFY(table.declare("tank", {ElementId(7), "token bucket"}) == nullptr);
    QCOMPARE(table.declare("tank", {ElementId(8), "component"})->what, std::string("token bucket"));
    const std::uint32_t level = table.add({.name = "tank.level", .type = ValueType::integer()}, 0.0);
    const auto message = [&](std::vector<std::string> words, bool indexed = false) {
      const auto found = table.path({.words = std::move(words), .indexed = indexed});
      return std::holds_alternative<std::string>(found) ? std::get<std::string>(found) : std::string();
    };
    QCOMPARE(std::get<Symbol>(table.path({.words = {"tank", "level"}})).slot, level);
    QCOMPARE(message({"tank", "levle"}),
             std::string("The token bucket \"tank\" has no value \"levle\"; did you mean tank.level?"));
    QVERIFY(message({"tank"}).find("wanted one of its values: tank.level") != std::string::npos);
    QVERIFY(message({"tank", "level"}, true).find("wanted no index") != std::string::npos);
    const auto ranges = table.ranges(60.0);
    QCOMPARE(ranges.front().upper, 60.0);
    QVERIFY(std::isinf(ranges[level].upper));
    // What is known of it later.
    table.narrow(level, {-1.0, 3.0});
    QCOMPARE(table.ranges(60.0)[level].upper, 3.0);
  }
};

QTEST_GUILESS_MAIN(TestWorld)
#include "tst_world.moc"
