// The heap of those who are served and wait, against a sorted set: every call, at every size.
#include <QtTest>
#include <random>
#include <set>

#include "solvers/queueing/running/heap.h"

using namespace ergode;

class TestHeap : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void it_has_the_least_of_a_sorted_set_on_top();
};

void TestHeap::it_has_the_least_of_a_sorted_set_on_top() {
  std::mt19937_64 random(3);
  for (const std::size_t most : std::initializer_list<std::size_t>{1, 2, 4, 5, 6, 20, 21, 22, 85, 300}) {
    Heap<std::uint64_t> heap;
    std::set<std::uint64_t> known;
    const auto fresh = [&] { return *known.insert(random()).first; };
    for (int step = 0; step < 4000; ++step) {
      const std::uint64_t what = random() % 100;
      if (heap.empty() || (heap.size() < most && what < 45)) {
        heap.push(fresh());
      } else if (what < 65) {
        known.erase(known.begin());
        heap.pop();
      } else if (what < 85) {
        known.erase(known.begin());
        heap.replace_front(fresh());
      } else if (what < 99) {
        const std::size_t place = random() % heap.size();
        known.erase(heap[place]);
        heap.take_out(place);
      } else {
        heap.keep([](std::uint64_t one) { return one % 3 != 0; });
        std::erase_if(known, [](std::uint64_t one) { return one % 3 == 0; });
      }
      // Hints change nothing, wherever it stands.
      heap.prefetch_level(static_cast<int>(step % 5)), heap.prefetch_end();
      QCOMPARE(heap.size(), known.size());
      QVERIFY(heap.empty() || heap.front() == *known.begin());
      QVERIFY(std::set<std::uint64_t>(heap.begin(), heap.end()) == known);
    }
  }
}

QTEST_GUILESS_MAIN(TestHeap)
#include "tst_heap.moc"
