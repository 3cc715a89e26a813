// The heap of those who are served and wait, against a sorted set: every call, at every size.
#include <QtTest>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "core/base/huge_pages.h"
#include "solvers/queueing/running/heap.h"

using namespace ergode;

class TestHeap : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void it_has_the_least_of_a_sorted_set_on_top();
  void four_that_are_compared_lie_in_few_lines();
  void tables_among_many_keep_what_is_theirs();
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
      heap.prefetch_level(static_cast<int>(step % 5)), heap.prefetch_last(), heap.prefetch_push();
      QCOMPARE(heap.size(), known.size());
      QVERIFY(heap.empty() || heap.front() == *known.begin());
      QVERIFY(std::set<std::uint64_t>(heap.begin(), heap.end()) == known);
    }
  }
}

// 24 bytes each, as those who are served: four of them from the second on begin in the middle of a line or with one.
void TestHeap::four_that_are_compared_lie_in_few_lines() {
  struct Three {
    std::uint64_t key = 0, more[2] = {};
    bool operator>(const Three& other) const { return key > other.key; }
  };
  Heap<Three> heap;
  for (std::uint64_t i = 0; i < 100; ++i) heap.push({.key = i});
  for (std::size_t first = 1; first + 4 <= heap.size(); first += 4) {
    const auto begin = reinterpret_cast<std::uintptr_t>(heap.begin() + first) / 64;
    QVERIFY((reinterpret_cast<std::uintptr_t>(heap.begin() + first + 4) - 1) / 64 - begin == 1);
  }
}

// Some megabytes in tables of all sizes, before, in and beyond the common pages, freed in any order and asked for
// again.
void TestHeap::tables_among_many_keep_what_is_theirs() {
  std::mt19937_64 random(7);
  std::vector<std::pair<std::uint64_t*, std::size_t>> tables;
  const auto whole = [](const auto& table) {
    for (std::size_t i = 0; i < table.second; ++i)
      if (table.first[i] != (reinterpret_cast<std::uintptr_t>(table.first) ^ i)) return false;
    return true;
  };
  for (int step = 0; step < 6000; ++step) {
    if (tables.empty() || random() % 3 != 0) {
      const std::size_t count = random() % 400 == 0 ? 1 + random() % 200000 : 1 + random() % 500;
      void* const memory = allocate_among_many(count * 8);
      QCOMPARE(reinterpret_cast<std::uintptr_t>(memory) % 64, std::uintptr_t{0});
      tables.emplace_back(static_cast<std::uint64_t*>(memory), count);
      for (std::size_t i = 0; i < count; ++i) tables.back().first[i] = reinterpret_cast<std::uintptr_t>(memory) ^ i;
    } else {
      std::swap(tables[random() % tables.size()], tables.back());
      QVERIFY(whole(tables.back()));
      free_among_many(tables.back().first, tables.back().second * 8);
      tables.pop_back();
    }
    if (step == 3000)  // and begins anew
      for (; !tables.empty(); tables.pop_back()) free_among_many(tables.back().first, tables.back().second * 8);
  }
  for (const auto& one : tables) QVERIFY(whole(one));
  for (; !tables.empty(); tables.pop_back()) free_among_many(tables.back().first, tables.back().second * 8);
}

QTEST_GUILESS_MAIN(TestHeap)
#include "tst_heap.moc"
