// What can be said without a simulation: peaks, tiles of mappings, rows that are always or never hit, latencies.
#include <QtTest>

#include "plugins/npu/engine/dram_channel.h"
#include "plugins/npu/engine/single_layer.h"

namespace {

/// Reads one after the other, each when the one before is back. @returns cycles of the last
std::uint64_t npu_read_singly(npu::DramChannel& channel, const std::vector<std::uint64_t>& addresses) {
  std::uint64_t cycles = 0;
  for (const std::uint64_t address : addresses) {
    npu::MemoryRequest request;
    request.address = address;
    channel.push(request);
    bool back = false;
    for (cycles = 0; !back; ++cycles) channel.step([&back](const npu::MemoryRequest&) { back = true; });
  }
  return cycles;
}

}  // namespace

class TestNpuClosedForms : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void peaks_of_the_server() {
    const npu::Hardware h = npu::find_hardware("tpu_hbm2").value();
    QCOMPARE(h.peak_gflops(), 131072.0);
    QCOMPARE(h.peak_gb_per_s(), 614.4);
  }
  void mappings_have_the_printed_tiles() {
    const npu::Hardware m8 = npu::find_hardware("m8_simple").value(), tpu = npu::find_hardware("tpu_simple").value();
    const auto outer = [](const npu::Hardware& h, npu::GemmShape shape) {
      const npu::GemmShape o = npu::map_gemm(h, shape).outer;
      return std::vector<std::uint64_t>{o.rows, o.depth, o.columns};
    };
    using Three = std::vector<std::uint64_t>;
    QCOMPARE(outer(m8, {64, 512, 64}), (Three{2, 2, 2}));
    QCOMPARE(outer(m8, {100, 60, 30}), (Three{4, 1, 1}));
    QCOMPARE(outer(tpu, {1024, 1024, 1024}), (Three{2, 1, 2}));
    QCOMPARE(outer(tpu, {512, 1024, 4096})[2], std::uint64_t{11});
    const npu::ConvMapping map = npu::map_conv(m8, npu::ConvShape(28, 64, 64, 3, 1, 1));
    QVERIFY(map.inner.c == 56 && map.inner.m == 8 && map.inner.p == 15 && map.inner.q == 17);
    QVERIFY(map.outer.c == 2 && map.outer.m == 8 && map.outer.p == 2 && map.outer.q == 2);
  }
  void rows_are_hit_but_for_the_first_read_of_each() {
    npu::DramChannel channel(npu::hbm2_timing(), 5, 5);
    // A row has 16 columns in one pseudo-channel of one bank; a walk opens each row of all 32 once.
    std::vector<std::uint64_t> addresses;
    constexpr std::uint64_t reads = 4096, columns = 16;
    for (std::uint64_t i = 0; i < reads; ++i) addresses.push_back(i * 32);
    const std::uint64_t banks = 32;
    npu_read_singly(channel, addresses);
    const npu::RowCounts rows = channel.rows();
    QCOMPARE(rows.hits, reads - reads / columns);
    // The first round finds banks closed, the others another row.
    QCOMPARE(rows.misses, banks);
    QCOMPARE(rows.conflicts, reads / columns - banks);
  }
  void two_rows_of_a_bank_in_turn_are_never_hit() {
    npu::DramChannel channel(npu::hbm2_timing(), 5, 5);
    std::vector<std::uint64_t> addresses;
    constexpr std::uint64_t next_row = std::uint64_t{1} << (5 + 4 + 1 + 4), reads = 1000;
    for (std::uint64_t i = 0; i < reads; ++i) addresses.push_back(i % 2 * next_row);
    npu_read_singly(channel, addresses);
    const npu::RowCounts rows = channel.rows();
    QCOMPARE(rows.hits, std::uint64_t{0});
    QCOMPARE(rows.misses, std::uint64_t{1});
    QCOMPARE(rows.conflicts, reads - 1);
  }
  /// Issued in its first cycle, an activation, a read and its burst: 20 and 24 cycles after it.
  void an_unloaded_read_takes_its_latency() {
    npu::DramChannel hbm2(npu::hbm2_timing(), 5, 5), ddr4(npu::ddr4_timing(), 5, 5);
    QCOMPARE(npu_read_singly(hbm2, {0}), std::uint64_t{21});
    QCOMPARE(npu_read_singly(ddr4, {0}), std::uint64_t{25});
  }
  void a_slower_memory_is_never_faster() {
    double before = 0.0;
    for (const std::uint32_t latency : {1U, 10U, 50U, 200U, 1000U}) {
      npu::Hardware h = npu::find_hardware("m8_simple").value();
      h.dram_latency = latency;
      npu::AddressSpace space;
      const npu::NpuResult r = npu::simulate(h, space, {npu::one_gemm(h, space, {96, 80, 64}, true)});
      constexpr double slack = 0.99;
      QVERIFY(static_cast<double>(r.cycles) >= slack * before);
      before = static_cast<double>(r.cycles);
    }
  }
  /// Half of the channels, or requests half as often: never faster by more than a hundredth.
  void a_narrower_memory_is_never_faster() {
    const auto cycles = [](const npu::Hardware& h) {
      npu::AddressSpace space;
      return static_cast<double>(npu::simulate(h, space, {npu::one_gemm(h, space, {96, 80, 64}, true)}).cycles);
    };
    constexpr double slack = 0.99;
    for (const char* name : {"m8_simple", "m8_ddr4", "half_hbm2"}) {
      npu::Hardware h = npu::find_hardware(name).value();
      double before = 0.0;
      for (const std::uint32_t channels : {16U, 8U, 4U, 2U, 1U}) {
        h.channels = channels;
        const double now = cycles(h);
        QVERIFY2(now >= slack * before, qPrintable(QString("%1, %2 channels: %3").arg(name).arg(channels).arg(now)));
        before = now;
      }
      double first = before = 0.0;
      for (const std::uint32_t mhz : {2000U, 800U, 400U, 100U}) {
        h.dram_mhz = mhz;
        const double now = cycles(h);
        QVERIFY2(now >= slack * before, qPrintable(QString("%1, %2 MHz: %3").arg(name).arg(mhz).arg(now)));
        before = now, first = first > 0.0 ? first : now;
      }
      QVERIFY2(before > 1.5 * first, name);  // it was asked
    }
  }
};

QTEST_APPLESS_MAIN(TestNpuClosedForms)
#include "tst_npu_closed_forms.moc"
