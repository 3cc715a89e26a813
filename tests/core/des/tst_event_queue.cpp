#include <QtTest>
#include <limits>
#include <random>
#include <set>
#include <utility>

#include "core/des/event_queue.h"

using namespace ergode;

class TestEventQueue : public QObject {
  Q_OBJECT

  /// A queue that plays eight at once, or never does.
  static EventQueue made(std::uint32_t timers, bool eights) {
    const bool before = std::exchange(EventQueue::eight_at_once, eights);
    EventQueue queue(timers);
    EventQueue::eight_at_once = before;
    return queue;
  }
  static bool lacks(bool eights) { return eights && !EventQueue::eight_at_once; }

 private Q_SLOTS:
  void timers_armed_before_the_first_look_come_out_in_the_same_order_data() {
    QTest::addColumn<bool>("eights");
    QTest::newRow("in pairs") << false;
    QTest::newRow("eight at once") << true;
  }
  void timers_armed_before_the_first_look_come_out_in_the_same_order();
  void random_operations_match_an_ordered_set_data() {
    QTest::addColumn<unsigned>("timers");
    QTest::addColumn<bool>("eights");
    for (const unsigned n : {1U, 2U, 3U, 7U, 8U, 64U, 127U, 128U, 1000U}) QTest::addRow("%u timers", n) << n << false;
    for (const unsigned n : {EventQueue::many, 129U, 512U, 513U, 1000U, 4096U, 5000U, 40000U})
      QTest::addRow("%u timers, eight at once", n) << n << true;
  }
  void random_operations_match_an_ordered_set();
  void ties_come_out_in_the_order_of_ids();
  void infinity_is_never();
  void zero_and_negative_zero_are_the_same_time();
  void clear_and_resize_disarm();
  void who_comes_soon_is_the_first_of_its_part();
};

void TestEventQueue::who_comes_soon_is_the_first_of_its_part() {
  if (lacks(true)) QSKIP("this processor has no AVX2");
  std::mt19937_64 random(7);
  for (const std::uint32_t timers : {128U, 600U, 5000U, 40000U}) {
    EventQueue queue = made(timers, true);
    for (std::uint32_t id = 0; id < timers; ++id) queue.schedule(id, static_cast<double>(random() % 1000000));
    QVERIFY(!queue.empty());
    double now = 0.0;
    std::set<std::uint32_t> heads;
    for (int step = 0; step < 20000; ++step) {
      now = queue.next_time();
      queue.schedule(queue.next(), now + static_cast<double>(random() % 1000000));
      const std::uint32_t soon = queue.soon();
      QVERIFY(soon < timers && queue.armed(soon));
      heads.insert(soon);
      // Nobody among the eight of its leaf comes before it, whatever the part is.
      for (std::uint32_t id = soon / 8 * 8; id < std::min(timers, soon / 8 * 8 + 8); ++id)
        QVERIFY(queue.time_of(id) >= queue.time_of(soon));
    }
    // Most of those who go off were named before.
    QVERIFY(heads.size() > timers / 2 || timers > 20000);
  }
}

void TestEventQueue::random_operations_match_an_ordered_set() {
  QFETCH(unsigned, timers);
  QFETCH(bool, eights);
  if (lacks(eights)) QSKIP("this processor has no AVX2");
  std::mt19937_64 random(timers);
  EventQueue queue = made(timers, eights), copy;
  std::set<std::pair<double, std::uint32_t>> model;
  std::vector<double> time(timers, std::numeric_limits<double>::infinity());
  for (int step = 0; step < 20000; ++step) {
    // What is saved goes on as what it was saved from.
    if (step % 1000 == 500) copy = queue, queue.clear(), queue = copy;
    const auto id = static_cast<std::uint32_t>(random() % timers);
    switch (random() % 8) {
      case 0:
      case 1:
        model.erase({time[id], id});
        time[id] = std::numeric_limits<double>::infinity();
        queue.cancel(id);
        break;
      case 2:
        if (model.empty()) break;
        QCOMPARE(queue.pop(), model.begin()->second);
        time[model.begin()->second] = std::numeric_limits<double>::infinity();
        model.erase(model.begin());
        break;
      default:
        model.erase({time[id], id});
        // Few values: many ties; the greatest and the least too.
        time[id] = static_cast<double>(random() % 16) / 4;
        if (random() % 64 == 0) time[id] = std::numeric_limits<double>::max();
        if (random() % 64 == 0) time[id] = std::numeric_limits<double>::denorm_min();
        model.insert({time[id], id});
        queue.schedule(id, time[id]);
    }
    QCOMPARE(queue.empty(), model.empty());
    QCOMPARE(queue.armed(id), time[id] < std::numeric_limits<double>::infinity());
    QCOMPARE(queue.time_of(id), time[id]);
    if (model.empty()) continue;
    QCOMPARE(queue.next(), model.begin()->second);
    QCOMPARE(queue.next_time(), model.begin()->first);
  }
}

void TestEventQueue::ties_come_out_in_the_order_of_ids() {
  EventQueue queue(100);
  for (std::uint32_t i = 0; i < 100; ++i) queue.schedule((i * 37) % 100, 5.0);
  for (std::uint32_t i = 0; i < 100; ++i) QCOMPARE(queue.pop(), i);
  QVERIFY(queue.empty());
}

void TestEventQueue::infinity_is_never() {
  EventQueue queue(3);
  QCOMPARE(queue.next_time(), std::numeric_limits<double>::infinity());
  queue.schedule(1, std::numeric_limits<double>::infinity());
  QVERIFY(queue.empty() && !queue.armed(1));
  queue.schedule(2, std::numeric_limits<double>::max());
  QCOMPARE(queue.next(), 2U);
}

void TestEventQueue::zero_and_negative_zero_are_the_same_time() {
  EventQueue queue(2);
  queue.schedule(0, 0.0);
  queue.schedule(1, -0.0);
  QCOMPARE(queue.pop(), 0U);
  QCOMPARE(queue.pop(), 1U);
}

void TestEventQueue::clear_and_resize_disarm() {
  EventQueue queue(5);
  for (std::uint32_t i = 0; i < 5; ++i) queue.schedule(i, 1.0 + i);
  queue.clear();
  QVERIFY(queue.empty() && !queue.armed(3));
  queue.schedule(4, 2.0);
  queue.resize(6);
  QVERIFY(queue.empty() && !queue.armed(4));
  QVERIFY(EventQueue().empty());
}

void TestEventQueue::timers_armed_before_the_first_look_come_out_in_the_same_order() {
  QFETCH(bool, eights);
  if (lacks(eights)) QSKIP("this processor has no AVX2");
  std::mt19937 random(5);
  for (const std::uint32_t timers : {1U, 2U, 5U, 64U, 128U, 511U, 1000U, 4097U}) {
    EventQueue queue = made(timers, eights);
    std::vector<std::pair<double, std::uint32_t>> wanted;
    queue.schedule(0, 3.0);
    QCOMPARE(queue.next(), 0U);
    queue.clear();
    std::vector<double> times(timers, -1.0);
    for (std::uint32_t i = 0; i < 2 * timers; ++i) {
      const auto id = static_cast<std::uint32_t>(random() % timers);
      times[id] = random() % 4 == 0 ? -1.0 : static_cast<double>(random() % 50);
      if (times[id] < 0.0) queue.cancel(id);
      else queue.schedule(id, times[id]);
    }
    for (std::uint32_t id = 0; id < timers; ++id)
      if (times[id] >= 0.0) wanted.emplace_back(times[id], id);
    std::sort(wanted.begin(), wanted.end());
    for (const auto& [time, id] : wanted) {
      QCOMPARE(queue.next_time(), time);
      QCOMPARE(queue.pop(), id);
    }
    QVERIFY(queue.empty());
  }
}

QTEST_APPLESS_MAIN(TestEventQueue)
#include "tst_event_queue.moc"
