#include "plugins/systolic_array/engine/layer.h"

#include <charconv>
#include <cmath>
#include <stdexcept>

#include "plugins/support/csv_table.h"

namespace systolic {
namespace {

constexpr double largest_size = 1 << 24;
/// More elements of an operand than this do not fit into memory.
constexpr std::uint64_t largest_operand = 1ULL << 28;

std::uint32_t size_at(const plugin_support::CsvTable& table, std::size_t row, std::size_t column) {
  const double x = table.number(row, column);
  if (!(x >= 1.0 && x <= largest_size) || x != std::floor(x))
    table.refuse(row, column, "a whole number from 1 to 16777216");
  return static_cast<std::uint32_t>(x);
}

/// "2:4"
void read_sparsity(const plugin_support::CsvTable& table, std::size_t row, std::size_t column, Layer& to) {
  const std::string& text = table.text(row, column);
  if (text.empty()) return;
  const char* const end = text.data() + text.size();
  const auto [colon, first] = std::from_chars(text.data(), end, to.kept);
  if (first == std::errc() && colon != end && *colon == ':')
    if (const auto [last, second] = std::from_chars(colon + 1, end, to.block);
        second == std::errc() && last == end && to.kept >= 1 && to.kept <= to.block)
      return;
  table.refuse(row, column, "two whole numbers such as 2:4, the first at most the second");
}

}  // namespace

std::string layer_fault(const Layer& l) {
  const auto said = [&l](const std::string& what) { return l.name.empty() ? what : l.name + ": " + what; };
  if (l.filter_height > l.input_height || l.filter_width > l.input_width)
    return said("the filter of " + std::to_string(l.filter_height) + " x " + std::to_string(l.filter_width) +
                " is larger than the input of " + std::to_string(l.input_height) + " x " +
                std::to_string(l.input_width));
  const auto elements = [](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    return static_cast<long double>(a) * static_cast<long double>(b) * static_cast<long double>(c);
  };
  if (elements(l.input_height, l.input_width, l.channels) > largest_operand ||
      elements(std::uint64_t{l.filter_height} * l.filter_width, l.channels, l.filters) > largest_operand ||
      elements(l.pixels(), 1, l.filters) > largest_operand)
    return said("an operand has more than 2^28 elements");
  return {};
}

std::vector<Layer> read_layers(const std::string& text) {
  using plugin_support::CsvColumn;
  const auto headed = [&text](const char* name) {
    const std::string line = text.substr(0, text.find('\n'));
    return line.find(name) != std::string::npos;
  };
  const CsvColumn names{{"Layer name", "Layer Name", "Layer"}, true};
  std::vector<Layer> out;
  const auto add = [&out](Layer layer) {
    if (const std::string fault = layer_fault(layer); !fault.empty()) throw std::invalid_argument(fault);
    const bool depth_wise = layer.name.find("DP") != std::string::npos;
    const std::uint32_t copies = depth_wise ? layer.channels : 1;
    if (depth_wise) layer.channels = 1;
    const std::string name = layer.name;
    for (std::uint32_t c = 0; c < copies; ++c) {
      if (depth_wise) layer.name = name + " channel " + std::to_string(c);
      out.push_back(layer);
    }
  };
  if (!headed("Filter Height")) {
    enum Column : std::size_t { name, m, n, k };
    const plugin_support::CsvTable table(text, {names, {{"M"}}, {{"N"}}, {{"K"}}});
    for (std::size_t row = 0; row < table.rows(); ++row) {
      Layer layer;
      layer.name = table.text(row, name);
      layer.input_height = size_at(table, row, m), layer.filters = size_at(table, row, n);
      layer.input_width = layer.filter_width = size_at(table, row, k);
      add(std::move(layer));
    }
    return out;
  }
  enum Column : std::size_t { name, height, width, filter_height, filter_width, channels, filters, stride, sparsity };
  const plugin_support::CsvTable table(text, {names,
                                              {{"IFMAP Height"}},
                                              {{"IFMAP Width"}},
                                              {{"Filter Height"}},
                                              {{"Filter Width"}},
                                              {{"Channels"}},
                                              {{"Num Filter"}},
                                              {{"Strides"}},
                                              {{"Sparsity"}, true, false}});
  for (std::size_t row = 0; row < table.rows(); ++row) {
    Layer layer;
    layer.name = table.text(row, name);
    layer.input_height = size_at(table, row, height), layer.input_width = size_at(table, row, width);
    layer.filter_height = size_at(table, row, filter_height), layer.filter_width = size_at(table, row, filter_width);
    layer.channels = size_at(table, row, channels), layer.filters = size_at(table, row, filters);
    layer.stride_down = layer.stride_across = size_at(table, row, stride);
    if (table.has(sparsity)) read_sparsity(table, row, sparsity, layer);
    add(std::move(layer));
  }
  return out;
}

}  // namespace systolic
