#include <QtTest>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <set>
#include <string>

#include "core/random/exponentials_ahead.h"
#include "core/random/random_stream.h"
#include "core/random/uniform_blocks.h"

using namespace ergode;

class TestRandomStream : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void philox_matches_the_published_known_answers();
  void stream_reads_the_words_of_the_published_blocks();
  void restart_repeats_the_draws();
  void exponentials_made_ahead_are_those_one_by_one();
  void keys_of_many_names_and_seeds_are_distinct();
  void uniform_is_open_and_has_the_moments_of_the_uniform_law();
  void normal_quantile_matches_boost();
  void neighbouring_replications_are_uncorrelated();
  void blocks_side_by_side_are_the_blocks_one_by_one_data() {
    QTest::addColumn<bool>("wide");
    QTest::newRow("two in a register") << false;
    QTest::newRow("four in a register") << true;
  }
  void blocks_side_by_side_are_the_blocks_one_by_one();
};

// The three lines "philox4x32 10" of tests/kat_vectors in Random123 1.14.
void TestRandomStream::philox_matches_the_published_known_answers() {
  using Counter = std::array<std::uint32_t, 4>;
  QCOMPARE(philox4x32_10({0, 0, 0, 0}, {0, 0}), (Counter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  QCOMPARE(philox4x32_10({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
           (Counter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  QCOMPARE(philox4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
           (Counter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

void TestRandomStream::stream_reads_the_words_of_the_published_blocks() {
  RandomStream zero(0, 0);
  QCOMPARE(zero.bits(), 0xe169c58d6627e8d5ULL);
  QCOMPARE(zero.bits(), 0x9b00dbd8bc57ac4cULL);
  QCOMPARE(zero.draws(), std::uint64_t{2});
  const auto next = philox4x32_10({1, 0, 0, 0}, {0, 0});
  QCOMPARE(zero.bits(), static_cast<std::uint64_t>(next[1]) << 32U | next[0]);

  RandomStream other(0x299f31d0a4093822ULL, 0x0370734413198a2eULL);
  const auto first = philox4x32_10({0, 0, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0});
  QCOMPARE(other.bits(), static_cast<std::uint64_t>(first[1]) << 32U | first[0]);
}

void TestRandomStream::restart_repeats_the_draws() {
  const std::uint64_t key = stream_key(42, "EDG[1].failure");
  RandomStream stream(key, 7);
  const std::uint64_t a = stream.bits(), b = stream.bits(), c = stream.bits();
  stream.restart(key, 8);
  QVERIFY(stream.bits() != a);
  stream.restart(key, 7);
  QCOMPARE(stream.bits(), a);
  QCOMPARE(stream.bits(), b);
  QCOMPARE(stream.bits(), c);
}

// Also where a history is gone on with that was saved anywhere in the middle.
void TestRandomStream::exponentials_made_ahead_are_those_one_by_one() {
  for (std::uint64_t key = 1; key < 40; ++key) {
    RandomStream plain(key, 7), source(key, 7);
    ExponentialsAhead ahead;
    for (std::uint64_t draw = 0; draw < 100; ++draw) {
      QVERIFY(ahead.next(source) == plain.exponential());
      QCOMPARE(source.draws(), plain.draws());
      if (draw % key == 0) ahead.forget();
    }
  }
}

void TestRandomStream::keys_of_many_names_and_seeds_are_distinct() {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 50; ++seed)
    for (int i = 0; i < 1000; ++i) seen.insert(stream_key(seed, "component[" + std::to_string(i) + "].failure"));
  QCOMPARE(seen.size(), std::size_t{50000});
  QVERIFY(stream_key(1, "ab") != stream_key(1, std::string_view("ab\0", 3)));
  QVERIFY(stream_key(1, "") != stream_key(2, ""));
  static_assert(stream_key(1, "a") != stream_key(1, "b"));
}

void TestRandomStream::uniform_is_open_and_has_the_moments_of_the_uniform_law() {
  RandomStream stream(stream_key(1, "moments"), 0);
  constexpr int n = 1000000;
  double sum = 0, square = 0;
  for (int i = 0; i < n; ++i) {
    const double u = stream.uniform();
    QVERIFY(u > 0.0 && u < 1.0);
    sum += u;
    square += u * u;
  }
  // Five standard errors: false alarm 6e-7 each, at this fixed seed never.
  QVERIFY(std::fabs(sum / n - 0.5) < 5 * std::sqrt(1.0 / 12 / n));
  QVERIFY(std::fabs(square / n - 1.0 / 3) < 5 * std::sqrt(4.0 / 45 / n));
}

void TestRandomStream::normal_quantile_matches_boost() {
  const boost::math::normal_distribution<double> normal;
  for (const double p :
       {1e-300, 1e-100, 1e-16, 1e-10, 1e-5, 0.001, 0.0749, 0.0751, 0.2, 0.5, 0.7, 0.9249, 0.9251, 0.999, 0.9999999})
    QVERIFY2(std::fabs(normal_quantile(p) - boost::math::quantile(normal, p)) <=
                 2e-15 * std::max(1.0, std::fabs(boost::math::quantile(normal, p))),
             std::to_string(p).c_str());
  QCOMPARE(normal_quantile(0.0), -std::numeric_limits<double>::infinity());
  QCOMPARE(normal_quantile(1.0), std::numeric_limits<double>::infinity());
  QVERIFY(std::isnan(normal_quantile(-0.1)));
}

void TestRandomStream::neighbouring_replications_are_uncorrelated() {
  const std::uint64_t key = stream_key(1, "correlation");
  constexpr int n = 200000;
  double product = 0;
  for (std::uint64_t r = 0; r < n; ++r) {
    RandomStream a(key, r), b(key, r + 1);
    product += (a.uniform() - 0.5) * (b.uniform() - 0.5);
  }
  QVERIFY(std::fabs(product / n) < 5.0 / 12 / std::sqrt(n));  // sd of one product is 1/12
}

// Oracle: the generator block by block, in plain words; also where the number of the block passes 32 bits.
void TestRandomStream::blocks_side_by_side_are_the_blocks_one_by_one() {
  QFETCH(bool, wide);
  if (wide && !wide_blocks) QSKIP("this processor has no AVX2");
  const bool before = std::exchange(wide_blocks, wide);
  const auto put_back = qScopeGuard([&] { wide_blocks = before; });
  std::uint64_t key = 0x123456789abcdef0ULL;
  for (int round = 0; round < 1000; ++round) {
    key = key * 6364136223846793005ULL + 1442695040888963407ULL;
    const std::uint64_t replication = round % 2 == 0 ? key >> 7U : static_cast<std::uint64_t>(round);
    const std::uint64_t block = round % 3 == 0 ? 0xfffffffdULL + static_cast<std::uint64_t>(round % 6) : key >> 20U;
    std::uint64_t bits[2 * blocks_at_once];
    philox_blocks(key, replication, block, bits);
    const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
    for (std::uint64_t b = 0; b < blocks_at_once; ++b) {
      const auto words =
          philox4x32_10({low(block + b), low((block + b) >> 32U), low(replication), low(replication >> 32U)},
                        {low(key), low(key >> 32U)});
      QCOMPARE(bits[2 * b], std::uint64_t{words[1]} << 32U | words[0]);
      QCOMPARE(bits[2 * b + 1], std::uint64_t{words[3]} << 32U | words[2]);
    }
    // The first draws of several streams, and what a stream goes on with.
    const std::uint64_t keys[streams_at_once] = {key, key >> 3U, ~key, key * 5, key + 1, key ^ 77U, key * 3, 1};
    const std::uint64_t first[streams_at_once] = {};
    std::uint64_t all[2 * streams_at_once];
    stream_blocks(keys, replication, first, all);
    for (std::size_t s = 0; s < streams_at_once; ++s) {
      RandomStream wanted(keys[s], replication), begun(keys[s], 0);
      QCOMPARE(all[2 * s], wanted.bits());
      begun.begun(replication, all[2 * s + 1]);
      QCOMPARE(begun.draws(), wanted.draws());
      for (int k = 0; k < 3; ++k) QCOMPARE(begun.bits(), wanted.bits());
    }
    // And of streams that have come to different places, odd ones among them.
    std::vector<RandomStream> streams, same;
    std::uint64_t blocks[streams_at_once];
    for (std::size_t s = 0; s < streams_at_once; ++s) {
      streams.emplace_back(keys[s], replication);
      if (round % 2 == 0) streams[s].skip(0x1fffffffcULL);
      for (std::size_t k = 0; k < static_cast<std::size_t>(round) % 7 + s; ++k) streams[s].bits();
    }
    same = streams;
    for (int k = 0; k < 5; ++k) {
      for (std::size_t s = 0; s < streams_at_once; ++s) blocks[s] = streams[s].draws() / 2;
      stream_blocks(keys, replication, blocks, all);
      for (std::size_t s = 0; s < streams_at_once; ++s) {
        QCOMPARE(streams[s].bits_of(all + 2 * s), same[s].bits());
        QCOMPARE(streams[s].draws(), same[s].draws());
      }
    }
  }
}

QTEST_APPLESS_MAIN(TestRandomStream)
#include "tst_random_stream.moc"
