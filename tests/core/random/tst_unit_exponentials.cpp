#include <QtTest>
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "core/random/random_stream.h"
#include "core/random/uniform_blocks.h"
#include "core/random/unit_exponentials.h"

using namespace ergode;

namespace {

// Of every size: uniforms next to nought, next to one, next to where the argument is split, and between.
std::vector<std::uint64_t> many_bits() {
  constexpr std::uint64_t root_half = 0xb504f333f9de6484ULL;  // sqrt(1/2) of 2^64
  std::vector<std::uint64_t> out = {0, 2047, 2048, 4096, ~std::uint64_t{0}, ~std::uint64_t{2047}};
  for (int power = 11; power < 64; ++power)
    for (const std::uint64_t step : {0U, 1U, 2U, 3U}) {
      out.push_back((std::uint64_t{1} << power) + (step - 2) * 2048);
      out.push_back(~(std::uint64_t{1} << power) + step * 2048);
      out.push_back((root_half >> (63 - power)) + (step - 2) * 2048);
    }
  std::mt19937_64 random(3);
  for (int i = 0; i < 300000; ++i) {
    const std::uint64_t bits = random(), shift = random() % 53;
    out.push_back(i % 3 == 0 ? bits : i % 3 == 1 ? bits >> shift : ~(bits >> shift));
  }
  return out;
}

}  // namespace

class TestUnitExponentials : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void they_are_logarithms_within_a_unit_in_the_last_place();
  void greater_bits_never_give_more();
  void eight_are_one_by_one_data() {
    QTest::addColumn<bool>("wide");
    QTest::newRow("one in a register") << false;
    QTest::newRow("four in a register") << true;
  }
  void eight_are_one_by_one();
  void they_are_the_same_on_every_machine();
};

// Oracle: the library's logarithm of an extended double, where there is one that is more exact.
void TestUnitExponentials::they_are_logarithms_within_a_unit_in_the_last_place() {
  if (std::numeric_limits<long double>::digits < 64) QSKIP("no type with more digits than a double");
  double worst = 0.0;
  for (const std::uint64_t bits : many_bits()) {
    const long double wanted = -std::log(static_cast<long double>(RandomStream::uniform_of(bits)));
    const double near = static_cast<double>(wanted);
    const long double unit = std::nextafter(near, 100.0) - near;
    const long double off = std::fabs(wanted - unit_exponential(bits)) / unit;
    QVERIFY2(off < 1.0L, std::to_string(bits).c_str());
    worst = std::max(worst, static_cast<double>(off));
  }
  QVERIFY(worst > 0.5);  // somewhere it is not the nearest: the oracle sees the difference
}

void TestUnitExponentials::greater_bits_never_give_more() {
  for (const std::uint64_t bits : many_bits())
    if (bits < ~std::uint64_t{4095}) QVERIFY(unit_exponential(bits + 2048) <= unit_exponential(bits));
}

void TestUnitExponentials::eight_are_one_by_one() {
  QFETCH(bool, wide);
  if (wide && !wide_blocks) QSKIP("this processor has no AVX2");
  const bool before = std::exchange(wide_blocks, wide);
  const auto put_back = qScopeGuard([&] { wide_blocks = before; });
  const std::vector<std::uint64_t> all = many_bits();
  for (std::size_t i = 0; i + exponentials_at_once <= all.size(); i += exponentials_at_once) {
    std::uint64_t bits[exponentials_at_once];
    double made[exponentials_at_once];
    std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(i), exponentials_at_once, bits);
    unit_exponentials(bits, made);
    for (std::size_t k = 0; k < exponentials_at_once; ++k)
      QVERIFY(made[k] == unit_exponential(bits[k]));  // QCOMPARE would forgive last digits
  }
}

// Bits once made by another build: a compiler that fuses or reorders operations is found out.
void TestUnitExponentials::they_are_the_same_on_every_machine() {
  QVERIFY(unit_exponential(0) == 0x1.2b708872320e2p+5);
  QVERIFY(unit_exponential(~std::uint64_t{0}) == 0x1p-53);
  QVERIFY(unit_exponential(std::uint64_t{1} << 63U) == 0x1.62e42fefa39efp-1);
  std::uint64_t hash = 0;
  for (const std::uint64_t bits : many_bits())
    hash = (hash ^ std::bit_cast<std::uint64_t>(unit_exponential(bits))) * 0x9e3779b97f4a7c15ULL, hash ^= hash >> 29U;
  QCOMPARE(hash, std::uint64_t{8936495834705865564U});
}

QTEST_APPLESS_MAIN(TestUnitExponentials)
#include "tst_unit_exponentials.moc"
