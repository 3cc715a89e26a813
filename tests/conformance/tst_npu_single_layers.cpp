// Runs of one operator against the cycles that the reference program counts: every row exactly, those of its detailed
// network within one cycle of 500.
#include <QtTest>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "plugins/npu/engine/single_layer.h"

namespace {

struct NpuRow {
  std::vector<std::string> cells;
  const std::string& at(std::size_t i) const { return cells[i]; }
};
std::string npu_cases() {
  const char* given = std::getenv("ERGODE_CASES");
  return std::string(given != nullptr ? given : ERGODE_SOURCE_DIR "/../shared/cases") + "/onnxim/single_layer_runs.csv";
}
std::vector<NpuRow> npu_rows() {
  std::ifstream in(npu_cases());
  std::vector<NpuRow> out;
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    NpuRow row;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) row.cells.push_back(cell);
    row.cells.resize(12);
    out.push_back(row);
  }
  return out;
}
npu::Hardware npu_hardware(const std::string& config) {
  std::istringstream parts(config);
  std::string size, dram, part;
  std::getline(parts, size, '_'), std::getline(parts, dram, '_');
  const bool booksim = dram == "booksim", one_core = size == "tpu1";
  if (one_core) size = "tpu";
  if (booksim) dram = size == "m8" ? "ddr4" : "hbm2";
  npu::Hardware h = npu::find_hardware(size + "_" + dram).value();
  if (one_core) h.cores.resize(1);
  if (booksim) h.network_latency = 7;
  while (std::getline(parts, part, '_')) {
    if (part == "c4") h.cores.resize(4, h.cores[0]);
    if (part == "p2") h.precision = 2;
    if (part == "P1") h.ports = 1;
  }
  return h;
}
std::uint64_t npu_value(const std::string& shape, const std::string& name) {
  const std::size_t at = (" " + shape).find(" " + name + "=");
  return at == std::string::npos ? 0 : std::stoull(shape.substr(at + name.size() + 1));
}
npu::NpuResult npu_run(const npu::Hardware& h, const std::string& op, const std::string& shape) {
  npu::AddressSpace space;
  if (op == "Conv") {
    const npu::ConvShape c(npu_value(shape, "H=W"), npu_value(shape, "Ci"), npu_value(shape, "Co"),
                           npu_value(shape, "k"), npu_value(shape, "stride"), npu_value(shape, "pad"));
    return npu::simulate(h, space, {npu::one_conv(h, space, c)});
  }
  const npu::GemmShape g{npu_value(shape, "I"), npu_value(shape, "K"), npu_value(shape, "J")};
  return npu::simulate(h, space, {npu::one_gemm(h, space, g, op != "MatMul")});
}
template <class Get>
std::string npu_per_core(const npu::NpuResult& r, Get get) {
  std::string out;
  for (const npu::CoreCounts& core : r.cores) out += (out.empty() ? "" : " ") + std::to_string(get(core));
  return out;
}

}  // namespace

class TestNpuSingleLayers : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_run_takes_the_reference_s_cycles_data() {
    QTest::addColumn<int>("number");
    const auto rows = npu_rows();
    QTest::newRow("none") << -1;
    for (std::size_t i = 0; i < rows.size(); ++i)
      QTest::newRow((rows[i].at(0) + " " + rows[i].at(1) + " " + rows[i].at(2)).c_str()) << static_cast<int>(i);
  }
  void a_run_takes_the_reference_s_cycles() {
    QFETCH(int, number);
    const auto rows = npu_rows();
    if (rows.empty()) QSKIP("no cases folder: ERGODE_CASES names none with onnxim");
    if (number < 0) return;
    const NpuRow& row = rows[static_cast<std::size_t>(number)];
    const npu::Hardware h = npu_hardware(row.at(0));
    const npu::NpuResult r = npu_run(h, row.at(1), row.at(2));
    const auto sum = [&r](auto get) {
      std::uint64_t out = 0;
      for (const npu::CoreCounts& core : r.cores) out += get(core);
      return out;
    };
    const double slack = row.at(0).find("booksim") != std::string::npos ? 0.002 : 0.0;
    const auto close = [slack](std::uint64_t seen, const std::string& wanted) {
      const double to = std::stod(wanted);
      return std::abs(static_cast<double>(seen) - to) <= slack * to;
    };
    QVERIFY2(close(r.layers.at(0).finish, row.at(3)), std::to_string(r.layers.at(0).finish).c_str());
    QVERIFY2(close(r.cycles, row.at(4)), std::to_string(r.cycles).c_str());
    QCOMPARE(sum([](const npu::CoreCounts& c) { return c.products; }), std::stoull(row.at(5)));
    QCOMPARE(sum([](const npu::CoreCounts& c) { return c.preloads; }), std::stoull(row.at(6)));
    if (!row.at(7).empty()) QCOMPARE(npu_per_core(r, [](const npu::CoreCounts& c) { return c.systolic; }), row.at(7));
    QCOMPARE(npu_per_core(r, [](const npu::CoreCounts& c) { return c.pe; }), row.at(8));
    if (row.at(9).empty()) return;
    QCOMPARE(r.rows.hits, std::stoull(row.at(9)));
    QCOMPARE(r.rows.misses, std::stoull(row.at(10)));
    QCOMPARE(r.rows.conflicts, std::stoull(row.at(11)));
  }
};

QTEST_APPLESS_MAIN(TestNpuSingleLayers)
#include "tst_npu_single_layers.moc"
