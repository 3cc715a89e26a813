#include <QtTest>
#include <map>
#include <random>
#include <vector>

#include "statecharts/execute/delayed_events.h"
#include "tests/support/test_program.h"

using namespace ergode;

class TestDelayedEvents : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void events_come_in_the_order_of_their_times_and_cancelled_ones_never();
  void a_watchdog_set_again_and_again_keeps_few();
};

// Oracle: a sorted map of what was sent, from which cancelling erases.
void TestDelayedEvents::events_come_in_the_order_of_their_times_and_cancelled_ones_never() {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    const unsigned ids = 1 + static_cast<unsigned>(random()) % 5;
    DelayedEvents events(ids);
    std::multimap<double, DelayedEvents::Event> plain;
    std::vector<int> held(400, 0);  // by value: sent 1, dropped or come 2
    std::uint32_t next = 0;
    double now = 0.0;
    const auto drop = [&](const DelayedEvents::Event& event) { ++held[event.values]; };
    for (int k = 0; k < 400; ++k) {
      const unsigned what = static_cast<unsigned>(random()) % 8;
      if (what < 4) {
        const DelayedEvents::Event made{now + static_cast<double>(random() % 6),    0,     0, 1,
                                        static_cast<std::uint32_t>(random()) % ids, next++};
        held[made.values] = 1;
        events.push(made), plain.emplace(made.time_s, made);
      } else if (what < 6 && !plain.empty()) {
        const DelayedEvents::Event come = events.pop(drop);
        QCOMPARE(come.values, plain.begin()->second.values);
        now = come.time_s, ++held[come.values];
        plain.erase(plain.begin());
      } else if (ids > 1) {
        const std::uint32_t id = 1 + static_cast<std::uint32_t>(random()) % (ids - 1);
        events.cancel(id, drop);
        std::erase_if(plain, [&](const auto& sent) { return sent.second.id == id; });
      }
      QCOMPARE(events.size(), plain.size());
      QCOMPARE(events.empty(), plain.empty());
      if (!plain.empty()) QCOMPARE(events.next_time(), plain.begin()->first);
      std::size_t seen = 0;
      events.for_each([&](const DelayedEvents::Event&) { ++seen; });
      QCOMPARE(seen, plain.size());
    }
    while (!events.empty()) ++held[events.pop(drop).values];
    // What was carried is given back exactly once.
    for (std::uint32_t value = 0; value < next; ++value) QCOMPARE(held[value], 2);
  }
}

// Oracle: one event waits at a time; the others are given back soon, though their time is far away.
void TestDelayedEvents::a_watchdog_set_again_and_again_keeps_few() {
  DelayedEvents events(2);
  std::size_t sent = 0, dropped = 0, most = 0;
  for (double now = 0.0; now < 100000.0; ++now) {
    events.cancel(1, [&](const DelayedEvents::Event&) { ++dropped; });
    events.push({now + 1e9, 0, 0, 0, 1, 0}), ++sent;
    most = std::max(most, sent - dropped);
  }
  QCOMPARE(events.size(), std::size_t{1});
  QVERIFY2(most <= 4, std::to_string(most).c_str());
}

QTEST_GUILESS_MAIN(TestDelayedEvents)
#include "tst_delayed_events.moc"
