// Reports of SCALE-Sim: every row of its golden files, of its sparse example and of ResNet-18, exactly. With bandwidths
// given its waits count twice, so the array counts as it does (Array::as_reference).
#include <QtTest>
#include <functional>
#include <map>

#include "plugins/support/csv_table.h"
#include "plugins/systolic_array/engine/array.h"
#include "tests/conformance/cases.h"

namespace {

using systolic::Accesses;
using systolic::LayerRun;

std::string systolic_case(const std::string& file) {
  const std::string folder = ergode::test::case_folder("scalesim");
  return folder.empty() ? folder : plugin_support::file_content(folder + "/" + file);
}

struct SystolicSetting {
  systolic::Array array;
  std::string layers;  ///< file
};
SystolicSetting systolic_setting(const std::string& name) {
  SystolicSetting out;
  systolic::Array& a = out.array;
  a.as_reference = true;
  const auto words_a_cycle = [&a](std::uint32_t words) {
    a.input_bandwidth = a.filter_bandwidth = a.output_bandwidth = words;
  };
  out.layers = "topologies/Resnet18.csv";
  if (name == "golden_calc") out.layers = "topologies/alexnet_part.csv";
  if (name == "golden_user_is" || name == "golden_user_os") {
    out.layers = "topologies/test_mnk_input.csv";
    a.dataflow =
        name == "golden_user_is" ? systolic::Dataflow::input_stationary : systolic::Dataflow::output_stationary;
    words_a_cycle(10);
  }
  if (name == "sparsity") {
    out.layers = "topologies/sparsity/alexnet_part.csv";
    a.rows = a.columns = 128, a.input_bytes = a.filter_bytes = a.output_bytes = 256 * 1024;
    a.sparsity = systolic::Sparsity::row_wise;
    words_a_cycle(50);
  }
  return out;
}

/// Quantities by the columns of the reference's reports.
std::optional<double> systolic_quantity(const LayerRun& r, const systolic::Layer& layer, const std::string& name) {
  constexpr double percent = 100.0;
  const auto cycles = static_cast<double>(r.cycles);
  const std::map<std::string, double> of_all = {
      {"Total Cycles (incl. prefetch)", static_cast<double>(r.with_dram)},
      {"Total Cycles", cycles},
      {"Stall Cycles", static_cast<double>(r.stalls)},
      {"Overall Util %", percent * r.utilisation},
      {"Mapping Efficiency %", percent * r.mapping_efficiency},
      {"Compute Util %", percent * r.compute_utilisation},
      {"Avg FILTER Metadata SRAM BW", r.metadata_words / cycles},
      {"Filter Metadata Storage", r.metadata_words},
      {"New Storage (Filter+Metadata)", r.stored_filter_words},
      {"Original Filter Storage", static_cast<double>(layer.window() * layer.filters)},
  };
  if (const auto at = of_all.find(name); at != of_all.end()) return at->second;
  const std::pair<std::string, const Accesses*> sram[] = {
      {"IFMAP", &r.input_sram}, {"Filter", &r.filter_sram}, {"OFMAP", &r.output_sram}};
  const std::pair<std::string, const Accesses*> dram[] = {
      {"IFMAP", &r.input_dram}, {"Filter", &r.filter_dram}, {"OFMAP", &r.output_dram}};
  for (const bool of_dram : {false, true})
    for (const auto& [what, accesses] : of_dram ? dram : sram) {
      const std::string memory = of_dram ? "DRAM" : "SRAM", upper = what == "Filter" ? "FILTER" : what;
      if (name == "Avg " + upper + " " + memory + " BW")
        return of_dram ? accesses->a_cycle() : accesses->words / cycles;
      if (name == memory + " " + what + " Start Cycle") return accesses->first;
      if (name == memory + " " + what + " Stop Cycle") return accesses->last;
      if (name == memory + " " + what + (what == "OFMAP" ? " Writes" : " Reads")) return accesses->words;
    }
  return {};
}

}  // namespace

class TestSystolicArrayCases : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void every_row_of_the_reports() {
    const std::string expected = systolic_case("expected.csv");
    if (expected.empty()) QSKIP("no cases folder: ERGODE_CASES names none with scalesim");
    enum Column : std::size_t { name, quantity, value, tolerance };
    const plugin_support::CsvTable rows(
        expected, {{{"case"}, true}, {{"quantity"}, true}, {{"value"}, true}, {{"tolerance"}, true}});
    std::map<std::string, std::vector<systolic::Layer>> layers;
    std::map<std::pair<std::string, std::size_t>, LayerRun> runs;
    std::size_t compared = 0;
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      const std::string& which = rows.text(row, name);
      const std::string key = which.starts_with("resnet18") ? "resnet18" : which;
      const SystolicSetting setting = systolic_setting(key);
      auto& known = layers[key];
      if (known.empty()) known = systolic::read_layers(systolic_case(setting.layers));
      const std::string& what = rows.text(row, quantity);
      QVERIFY2(what.starts_with("layer "), what.c_str());
      const std::size_t space = what.find(' ', 6);
      const auto layer = static_cast<std::size_t>(std::stoul(what.substr(6, space - 6)));
      QVERIFY2(layer < known.size(), what.c_str());
      const auto at = runs.find({key, layer});
      const LayerRun& run =
          at != runs.end()
              ? at->second
              : runs.emplace(std::pair(key, layer), systolic::run_layer(setting.array, known[layer])).first->second;
      const std::string column = what.substr(space + 1);
      if (column == "Sparsity Representation") {
        QCOMPARE(rows.text(row, value), std::string("ellpack_block"));
        ++compared;
        continue;
      }
      const std::optional<double> seen = systolic_quantity(run, known[layer], column);
      QVERIFY2(seen.has_value(), what.c_str());
      const double wanted = std::stod(rows.text(row, value));
      // A quotient of the same whole numbers may round differently in its last digit.
      const double allowed =
          rows.text(row, tolerance) == "exact" ? 0.0 : std::stod(rows.text(row, tolerance).substr(4));
      QVERIFY2(
          std::abs(*seen - wanted) <= allowed * std::abs(wanted) ||
              (allowed == 0.0 && column.find('%') != std::string::npos && std::abs(*seen - wanted) <= 1e-12 * wanted),
          (which + ", " + what + ": " + std::to_string(*seen) + " for " + rows.text(row, value)).c_str());
      ++compared;
    }
    QVERIFY2(compared >= 260, std::to_string(compared).c_str());
  }
  void all_layers_of_all_topologies_are_read() {
    const std::string folder = ergode::test::case_folder("scalesim");
    if (folder.empty()) QSKIP("no cases folder: ERGODE_CASES names none with scalesim");
    for (const auto& entry : std::filesystem::directory_iterator(folder + "/topologies")) {
      if (entry.path().extension() != ".csv") continue;
      const std::string text = plugin_support::file_content(entry.path().string());
      // One layer there has more elements than memory.
      if (entry.path().filename() == "unet2d.csv") {
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, systolic::read_layers(text));
        continue;
      }
      QVERIFY2(!systolic::read_layers(text).empty(), entry.path().c_str());
    }
  }
};

QTEST_APPLESS_MAIN(TestSystolicArrayCases)
#include "tst_systolic_array_cases.moc"
