// The heap of those who are served and wait, against a sorted set: every call, at every size.
#include <QtTest>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <fstream>
#include <new>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

#include "core/base/byte_archive.h"
#include "core/base/freed_memory.h"
#include "core/base/huge_pages.h"
#include "core/random/random_stream.h"
#include "solvers/queueing/running/counted_exponentials.h"
#include "solvers/queueing/running/heap.h"
#include "solvers/queueing/running/ring.h"

using namespace ergode;

class TestHeap : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void it_has_the_least_of_a_sorted_set_on_top();
  void four_that_are_compared_lie_in_few_lines();
  void tables_among_many_keep_what_is_theirs();
  void large_tables_lie_in_great_pages_where_others_lay_before();
  void a_ring_is_a_queue_of_both_ends();
  void exponentials_are_those_of_their_stream();
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
      if (step % 100 != 0) continue;
      ByteWriter into;
      into(heap);
      const std::string bytes = into.take();
      ByteReader from(bytes);
      Heap<std::uint64_t> again;
      again.push(0);
      from(again);
      QVERIFY(from.complete() && std::equal(heap.begin(), heap.end(), again.begin(), again.end()));
      heap = std::move(again);
    }
  }
}

// 24 bytes each, as those who are served: four of them from the second on begin in the middle of a line or with one.
// The top stands in the heap itself.
void TestHeap::four_that_are_compared_lie_in_few_lines() {
  struct Three {
    std::uint64_t key = 0, more[2] = {};
    bool operator>(const Three& other) const { return key > other.key; }
  };
  Heap<Three> heap;
  heap.push({.key = 0});
  QCOMPARE(static_cast<const void*>(&heap.front()), static_cast<const void*>(&heap[0]));
  const auto offset = reinterpret_cast<std::uintptr_t>(&heap.front()) - reinterpret_cast<std::uintptr_t>(&heap);
  QVERIFY(offset + sizeof(Three) <= sizeof heap);
  for (std::uint64_t i = 1; i < 100; ++i) heap.push({.key = i});
  const auto line_of = [](const void* where, std::size_t byte) {
    return (reinterpret_cast<std::uintptr_t>(where) + byte) / 64;
  };
  for (std::size_t first = 1; first + 4 <= heap.size(); first += 4)
    QVERIFY(line_of(&heap[first + 3], sizeof(Three) - 1) - line_of(&heap[first], 0) == 1);
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

#ifdef __linux__
namespace {

constexpr std::size_t great_page = std::size_t{2} << 20U;

/// Memory of so many bytes in pages of the usual size, as it is where smaller things were.
void* used(std::size_t bytes) {
  void* const out = ::operator new (bytes, std::align_val_t{great_page});
  std::memset(out, 1, bytes);
  return out;
}
void free_used(void* memory) { ::operator delete (memory, std::align_val_t{great_page}); }

/// In great pages, of the mappings in which any of it lies [bytes].
std::size_t in_great_pages(const void* memory, std::size_t bytes) {
  std::ifstream maps("/proc/self/smaps");
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  bool within = false;
  std::size_t out = 0, kilobytes = 0;
  unsigned long long first = 0, end = 0;
  for (std::string line; std::getline(maps, line);)
    if (std::sscanf(line.c_str(), "%llx-%llx", &first, &end) == 2) within = first < begin + bytes && begin < end;
    else if (within && std::sscanf(line.c_str(), "AnonHugePages: %zu", &kilobytes) == 1) out += 1024 * kilobytes;
  return out;
}

}  // namespace
#endif

// Histories take memory that the reader of the model has freed: that has small pages already.
void TestHeap::large_tables_lie_in_great_pages_where_others_lay_before() {
#ifdef __linux__
  keep_freed_memory();
  constexpr std::size_t bytes = 8 * great_page, ends_within = bytes + 1000;
  void* const one = used(2 * great_page);
  const int collapse = 25;  // MADV_COLLAPSE
  const bool known = madvise(one, 2 * great_page, collapse) == 0;
  free_used(one);
  if (!known) QSKIP("this system does not put memory that has pages into great ones");
  void* const before = used(ends_within);
  free_used(before);
  void* const table = allocate_huge(ends_within, 64);
  const bool again = table == before;
  const std::size_t great = in_great_pages(table, bytes);
  free_huge(table, ends_within, 64);
  if (!again) QSKIP("the allocator gave other memory");
  QVERIFY2(great >= bytes, std::to_string(great).c_str());
#else
  QSKIP("great pages are asked for on Linux only");
#endif
}

// Against a deque, also where it grows while those in front stand round the end, and after it was kept and read.
void TestHeap::a_ring_is_a_queue_of_both_ends() {
  std::mt19937_64 random(11);
  Ring<std::uint32_t> ring;
  std::deque<std::uint32_t> known;
  for (std::uint32_t step = 0; step < 20000; ++step) {
    const std::uint64_t what = random() % (known.size() > 200 ? 8 : 5);
    std::uint32_t taken = 0, wanted = 0;
    if (known.empty() || what < 2) {
      ring.push_back(step), known.push_back(step);
    } else if (what < 3) {
      ring.push_front(step), known.push_front(step);
    } else if (what < 6) {
      taken = ring.pop_front(), wanted = known.front();
      known.pop_front();
    } else {
      taken = ring.pop_back(), wanted = known.back();
      known.pop_back();
    }
    QCOMPARE(taken, wanted);
    ring.prefetch_first(), ring.prefetch_behind();
    if (step % 500 == 0) {
      ByteWriter into;
      into(ring);
      const std::string bytes = into.take();
      ByteReader from(bytes);
      Ring<std::uint32_t> again;
      again.push_back(1);
      from(again);
      QVERIFY(from.complete());
      ring = std::move(again);
    }
    QCOMPARE(static_cast<std::size_t>(ring.size()), known.size());
    for (std::uint32_t i = 0; i < ring.size(); ++i) QCOMPARE(ring[i], known[i]);
  }
}

void TestHeap::exponentials_are_those_of_their_stream() {
  const RandomStream stream(stream_key(5, "anything"), 3);
  CountedExponentials ahead;
  for (int round = 0; round < 2; ++round, ahead.forget()) {
    RandomStream one_by_one = stream;
    for (int i = 0; i < 100; ++i) QCOMPARE(ahead.next(stream), one_by_one.exponential());
  }
}

QTEST_GUILESS_MAIN(TestHeap)
#include "tst_heap.moc"
