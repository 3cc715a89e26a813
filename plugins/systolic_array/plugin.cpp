// The plugin: one call of the simulator is one run without chance; the station serves one customer at a time.
#include <algorithm>
#include <cstdint>
#include <exception>
#include <iterator>
#include <optional>
#include <stdexcept>

#include "plugins/abi/ergode_plugin.h"
#include "plugins/support/bad_input.h"
#include "plugins/support/shape_station.h"
#include "plugins/support/station_calls.h"
#include "plugins/systolic_array/setup.h"

namespace systolic {
namespace {

constexpr double us_of_s = 1e6;

ergode_cell number(double x) { return {nullptr, x}; }
ergode_cell count(std::uint64_t x) { return {nullptr, static_cast<double>(x)}; }
ergode_cell word(const std::string& x) { return {x.c_str(), 0.0}; }

struct NamedAccesses {
  const char* name;
  Accesses LayerRun::*of;
};
constexpr NamedAccesses memories[] = {
    {"inputs read", &LayerRun::input_sram},        {"filters read", &LayerRun::filter_sram},
    {"outputs written", &LayerRun::output_sram},   {"inputs from DRAM", &LayerRun::input_dram},
    {"filters from DRAM", &LayerRun::filter_dram}, {"outputs to DRAM", &LayerRun::output_dram}};

void fill_tables(const ergode_host& host, const ArraySetup& setup, const std::vector<LayerRun>& runs) {
  enum Table : std::uint32_t { layers, bandwidths, accesses, storage };
  const auto row = [&host](Table table, const auto& cells) { host.row(host.context, table, cells, std::size(cells)); };
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const LayerRun& r = runs[i];
    const ergode_cell name = word(setup.layers[i].name);
    const ergode_cell taken[] = {name,
                                 count(r.with_dram),
                                 count(r.cycles),
                                 count(r.stalls),
                                 number(r.utilisation),
                                 number(r.mapping_efficiency),
                                 number(r.compute_utilisation)};
    row(layers, taken);
    const auto a_cycle = [&r](double words) {
      return number(words / static_cast<double>(std::max<std::uint64_t>(r.cycles, 1)));
    };
    const ergode_cell words[] = {name,
                                 a_cycle(r.input_sram.words),
                                 a_cycle(r.filter_sram.words),
                                 a_cycle(r.metadata_words),
                                 a_cycle(r.output_sram.words),
                                 number(r.input_dram.a_cycle()),
                                 number(r.filter_dram.a_cycle()),
                                 number(r.output_dram.a_cycle())};
    row(bandwidths, words);
    for (const NamedAccesses& memory : memories) {
      const Accesses& a = r.*memory.of;
      const ergode_cell cells[] = {name, {memory.name, 0.0}, number(a.first), number(a.last), number(a.words)};
      row(accesses, cells);
    }
    if (setup.array.sparsity == Sparsity::none) continue;
    const ergode_cell stored[] = {name, count(setup.layers[i].window() * setup.layers[i].filters),
                                  number(r.stored_filter_words), number(r.metadata_words)};
    row(storage, stored);
  }
}

int32_t run(const ergode_input* input, const ergode_host* host) {
  try {
    const ArraySetup setup = read_array_setup(*input);
    const std::vector<LayerRun> runs = run_layers(setup, {}, [host] { return host->cancelled(host->context) != 0; });
    if (runs.back().cancelled) return ERGODE_CANCELLED;
    double cycles = 0.0, with_dram = 0.0, stalls = 0.0, operations = 0.0, dram = 0.0, sram = 0.0;
    for (const LayerRun& r : runs) {
      cycles += static_cast<double>(r.cycles), with_dram += static_cast<double>(r.with_dram);
      stalls += static_cast<double>(r.stalls), operations += static_cast<double>(r.operations);
      sram += r.input_sram.words + r.filter_sram.words + r.output_sram.words;
      dram += r.input_dram.words + r.filter_dram.words + r.output_dram.words;
    }
    auto observe = [host, output = std::uint32_t{0}](double value) mutable {
      host->observe(host->context, output++, &value, 1);
    };
    observe(cycles), observe(with_dram), observe(stalls), observe(us_of_s * layers_take_s(setup, runs));
    observe(operations / (std::max(cycles, 1.0) * setup.array.rows * setup.array.columns));
    observe(dram), observe(sram);
    if (input->replication != 0) return ERGODE_OK;
    if (setup.unread_layers)
      host->tell(host->context, ERGODE_WARNING, "/parameters/layers",
                 "A file of layers is named and not read, because the workload is another; wanted workload = file.");
    fill_tables(*host, setup, runs);
    return ERGODE_OK;
  } catch (const std::exception& what) {
    return plugin_support::told(*host, what);
  }
}

/// What a customer of the station takes.
class ArraySimulation {
 public:
  static constexpr double most_rows = 1 << 24;
  explicit ArraySimulation(const ergode_input& input) : setup_(read_array_setup(input)) {}
  double seconds(std::optional<std::uint64_t> rows, const ergode_host& host) const {
    const auto runs = run_layers(setup_, rows, [&host] { return host.cancelled(host.context) != 0; });
    if (runs.back().cancelled) throw std::runtime_error("The simulation of a shape was cancelled.");
    return layers_take_s(setup_, runs);
  }

 private:
  const ArraySetup setup_;
};

constexpr ergode_simulator the_simulator = {sizeof(ergode_simulator), 0, run};
constexpr ergode_station the_station =
    plugin_support::StationCalls<plugin_support::ShapeStation<ArraySimulation>, plugin_support::told>::table;
constexpr ergode_plugin the_plugin = {
    sizeof(ergode_plugin), ERGODE_PLUGIN_ABI_MAJOR, ERGODE_PLUGIN_ABI_MINOR, 0, &the_simulator, &the_station};

}  // namespace
}  // namespace systolic

const ergode_plugin* ergode_plugin_entry(uint32_t host_abi_major) {
  return host_abi_major == ERGODE_PLUGIN_ABI_MAJOR ? &systolic::the_plugin : nullptr;
}
