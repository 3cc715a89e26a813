#include "plugins/systolic_array/setup.h"

#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "plugins/support/input_file.h"

namespace systolic {
namespace {

using plugin_support::bad_parameter;
using plugin_support::BadInput;
using ShapeKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t,
                            std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
ShapeKey shape_of(const Layer& l) {
  return {l.input_height, l.input_width, l.filter_height, l.filter_width, l.channels,
          l.filters,      l.stride_down, l.stride_across, l.kept,         l.block};
}

std::vector<Layer> layers_of_file(const std::string& path) {
  try {
    return read_layers(plugin_support::regular_file_content(path));
  } catch (const std::invalid_argument& bad) {
    throw bad_parameter("layers", path + ": " + bad.what() + ".");
  }
}

}  // namespace

ArraySetup read_array_setup(const ergode_input& input) {
  using P = ArrayParameter;
  if (input.number_count <= P::as_reference)
    throw BadInput("", std::to_string(input.number_count) + " parameters were given; wanted " +
                           std::to_string(P::as_reference + 1) + ".");
  const auto whole = [&input](P::Index i) { return static_cast<std::uint32_t>(input.numbers[i]); };
  const auto kib = [&whole](P::Index i) { return std::uint64_t{whole(i)} * 1024; };
  ArraySetup out;
  Array& a = out.array;
  a.rows = whole(P::rows), a.columns = whole(P::columns);
  constexpr Dataflow dataflows[] = {Dataflow::weight_stationary, Dataflow::output_stationary,
                                    Dataflow::input_stationary};
  a.dataflow = dataflows[std::min(whole(P::dataflow), 2U)];
  a.input_bytes = kib(P::input_memory), a.filter_bytes = kib(P::filter_memory), a.output_bytes = kib(P::output_memory);
  a.input_bandwidth = a.filter_bandwidth = a.output_bandwidth = whole(P::bandwidth);
  out.clock_mhz = input.numbers[P::clock];
  constexpr Sparsity sparsities[] = {Sparsity::none, Sparsity::layer_wise, Sparsity::row_wise};
  a.sparsity = sparsities[std::min(whole(P::sparsity), 2U)];
  constexpr SparseFormat formats[] = {SparseFormat::csr, SparseFormat::csc, SparseFormat::ellpack_block};
  a.format = formats[std::min(whole(P::sparse_format), 2U)];
  a.sparse_block = whole(P::sparse_block), a.sparse_seed = whole(P::sparse_seed);
  a.as_reference = input.numbers[P::as_reference] != 0.0;
  if (const std::string fault = array_fault(a); !fault.empty()) throw bad_parameter("rows", fault + ".");

  constexpr std::uint32_t product = 0, file = 2;
  const std::uint32_t workload = whole(P::workload);
  out.product = workload == product;
  const nlohmann::json json =
      nlohmann::json::parse(input.json, input.json + input.json_size, nullptr, /*allow_exceptions=*/false);
  const std::string path = json.is_object() ? json.value("layers", std::string()) : std::string();
  out.unread_layers = workload != file && !path.empty();
  if (workload == file) {
    if (path.empty()) throw bad_parameter("layers", "No file of layers is named.");
    out.layers = layers_of_file(path);
    return out;
  }
  Layer layer;
  if (out.product) {
    layer.name = "product";
    layer.input_height = whole(P::m), layer.filters = whole(P::n), layer.input_width = layer.filter_width = whole(P::k);
  } else {
    layer.name = "convolution";
    layer.input_height = whole(P::height), layer.input_width = whole(P::width);
    layer.filter_height = whole(P::filter_height), layer.filter_width = whole(P::filter_width);
    layer.channels = whole(P::channels), layer.filters = whole(P::filters);
    layer.stride_down = layer.stride_across = whole(P::stride);
  }
  layer.kept = whole(P::kept), layer.block = whole(P::block);
  if (layer.kept > layer.block)
    throw bad_parameter("kept",
                        std::to_string(layer.kept) + " of " + std::to_string(layer.block) + " values cannot be kept.");
  if (const std::string fault = layer_fault(layer); !fault.empty()) throw bad_parameter("workload", fault + ".");
  out.layers.push_back(std::move(layer));
  return out;
}

std::vector<LayerRun> run_layers(const ArraySetup& setup, std::optional<std::uint64_t> rows,
                                 const std::function<bool()>& stop) {
  std::map<ShapeKey, std::size_t> known;
  std::vector<LayerRun> out;
  for (Layer layer : setup.layers) {
    if (rows && setup.product) layer.input_height = static_cast<std::uint32_t>(*rows);
    if (const std::string fault = layer_fault(layer); !fault.empty()) throw BadInput("", fault + ".");
    const auto [at, fresh] = known.emplace(shape_of(layer), out.size());
    out.push_back(fresh ? run_layer(setup.array, layer, stop) : out[at->second]);
    if (out.back().cancelled) break;
  }
  return out;
}

double layers_take_s(const ArraySetup& setup, const std::vector<LayerRun>& runs) {
  double cycles = 0.0;
  for (const LayerRun& run : runs) cycles += static_cast<double>(run.with_dram);
  constexpr double hz_of_mhz = 1e6;
  return cycles / (setup.clock_mhz * hz_of_mhz);
}

}  // namespace systolic
