#include "plugins/performance_representatives/setup.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "plugins/performance_representatives/engine/onnx_layers.h"
#include "plugins/support/csv_table.h"

namespace performance_representatives {
namespace {

using plugin_support::CsvColumn;
using plugin_support::CsvTable;
using plugin_support::file_content;

constexpr std::size_t most_parameters = 8;
constexpr double greatest_value = 1e9;
const std::vector<std::string_view> time_names = {"time", "cycles", "time_ms", "ms", "time_s"};

/// Whole numbers of a cell, 0 or more.
std::int64_t whole_of(const CsvTable& table, std::size_t row, std::size_t column, double least = 0.0) {
  const double x = table.number(row, column);
  if (!(x >= least && x <= greatest_value && x == std::floor(x)))
    table.refuse(row, column, "a whole number from " + std::to_string(static_cast<int>(least)) + " to 1e9");
  return static_cast<std::int64_t>(x);
}

/// The names in a header that are none of the known ones: parameters.
std::vector<std::string> parameter_names(const std::string& text, const std::vector<std::string_view>& known) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  std::string header = text.substr(0, text.find('\n'));
  if (header.starts_with(byte_order_mark)) header.erase(0, byte_order_mark.size());
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= header.size();) {
    const std::size_t end = std::min(header.find(',', at), header.size());
    std::string name = header.substr(at, end - at);
    std::erase_if(name, [](char c) { return c == '\r' || c == ' ' || c == '"'; });
    if (!name.empty() && std::find(known.begin(), known.end(), name) == known.end()) out.push_back(name);
    at = end + 1;
  }
  return out;
}

void read_measurements(const std::string& path, StudySetup& to) {
  const std::string text = file_content(path);
  // The last four are of our own table `representatives`, which comes back with the times.
  std::vector<std::string_view> known = {"type", "set", "repeat", "Type", "Point", "Measured", "Estimate"};
  known.insert(known.end(), time_names.begin(), time_names.end());
  to.names = parameter_names(text, known);
  if (to.names.empty()) throw std::invalid_argument("there is no column of a parameter beside the time");
  if (to.names.size() > most_parameters)
    throw std::invalid_argument("there are " + std::to_string(to.names.size()) + " parameters; wanted 8 at most");
  enum Column : std::uint8_t { type, set, time, first };
  std::vector<CsvColumn> columns = {{{"type", "Type"}, true, false}, {{"set"}, true, false}, {time_names}};
  for (const std::string& name : to.names) columns.push_back({{name}});
  const CsvTable table(text, columns);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::string name = table.has(type) ? table.text(row, type) : "";
    auto at =
        std::find_if(to.types.begin(), to.types.end(), [&name](const LayerType& one) { return one.name == name; });
    if (at == to.types.end()) at = to.types.insert(at, LayerType{.name = name});
    Timed one;
    one.time = table.number(row, time);
    if (!(one.time > 0.0)) table.refuse(row, time, "a time above 0");
    for (std::size_t c = 0; c < to.names.size(); ++c) one.point.push_back(whole_of(table, row, first + c));
    const std::string word = table.has(set) ? table.text(row, set) : "";
    if (word.empty()) at->any.push_back(one);
    else if (word == "sweep") at->sweeps.push_back(one);
    else if (word == "representative") at->representatives.push_back(one);
    else if (word == "random") at->random.push_back(one);
    else if (word == "test") at->tests.push_back(one);
    else table.refuse(row, set, "sweep, representative, random, test or nothing");
  }
}

/// What a row of the table says counts, else what was known before.
void override_range(SizeRange& known, const SizeRange& row) {
  for (const auto& [to, from] : {std::pair{&known.low, &row.low},
                                 {&known.high, &row.high},
                                 {&known.base, &row.base},
                                 {&known.width, &row.width},
                                 {&known.offset, &row.offset}})
    if (*from) *to = *from;
  if (!row.hints.empty()) known.hints = row.hints;
}

void read_target(const std::string& path, StudySetup& to) {
  AskedTarget target = parse_target(file_content(path), path);
  to.names = std::move(target.names);
  for (AskedType& type : target.types) {
    to.types.push_back({.name = type.name});
    to.ranges.push_back(type.ranges);
    to.asked.push_back(std::move(type));
  }
}

void read_ranges(const std::string& path, StudySetup& to) {
  enum Column : std::uint8_t { parameter, low, high, base, width, offset, hints };
  const CsvTable table(file_content(path), {{{"parameter"}, true},
                                            {{"low"}, false, false},
                                            {{"high"}, false, false},
                                            {{"base"}, false, false},
                                            {{"width"}, false, false},
                                            {{"offset"}, false, false},
                                            {{"hints"}, true, false}});
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto at = std::find(to.names.begin(), to.names.end(), table.text(row, parameter));
    if (at == to.names.end()) {
      std::string all;
      for (const std::string& name : to.names) all += (all.empty() ? "" : ", ") + name;
      table.refuse(row, parameter, "one of " + all);
    }
    const auto number = static_cast<std::size_t>(at - to.names.begin());
    SizeRange range;
    for (const auto& [column, value] : {std::pair{low, &range.low},
                                        {high, &range.high},
                                        {base, &range.base},
                                        {width, &range.width},
                                        {offset, &range.offset}})
      if (table.has(column)) *value = whole_of(table, row, column);
    if (range.low && range.high && *range.low > *range.high) table.refuse(row, high, "no less than low");
    if (range.offset && *range.offset >= std::max<std::int64_t>(1, range.width.value_or(0)))
      table.refuse(row, offset, "less than the width");
    const std::string text = table.has(hints) ? table.text(row, hints) : "";
    for (const char *at_char = text.data(), *end = at_char + text.size(); at_char != end;) {
      if (*at_char == ' ') {
        ++at_char;
        continue;
      }
      std::int64_t hint = 0;
      const auto [next, error] = std::from_chars(at_char, end, hint);
      if (error != std::errc() || hint < 1 || hint > static_cast<std::int64_t>(greatest_value) ||
          (next != end && *next != ' '))
        table.refuse(row, hints, "widths with spaces between them");
      range.hints.push_back(hint), at_char = next;
    }
    for (std::size_t type = 0; type < to.types.size(); ++type)
      if (to.asked.empty() || !to.asked[type].sets[number].empty()) override_range(to.ranges[type][number], range);
  }
}

/// Of a parameter that is the same in all measurements of a type, as of those that other types alone have.
std::optional<std::int64_t> constant_of(const StudySetup& to, const LayerType& type, std::size_t parameter) {
  std::optional<std::int64_t> out;
  if (!to.asked.empty()) {
    const SizeRange& range = to.ranges[static_cast<std::size_t>(&type - to.types.data())][parameter];
    return range.low == range.high ? range.low : out;
  }
  for (const std::vector<Timed>* of : {&type.sweeps, &type.representatives, &type.random, &type.tests, &type.any})
    for (const Timed& one : *of) {
      if (out && *out != one.point[parameter]) return std::nullopt;
      out = one.point[parameter];
    }
  return out;
}

/// Layers of types that were not measured are left out. A type without a name is for layers that have all parameters.
void read_onnx_network(const std::string& path, StudySetup& to) {
  for (const OnnxLayer& layer : onnx_layers(file_content(path))) {
    const auto has_all = [&] {
      return std::all_of(to.names.begin(), to.names.end(),
                         [&layer](const std::string& name) { return size_called(layer, name).has_value(); });
    };
    const auto type = std::find_if(to.types.begin(), to.types.end(), [&](const LayerType& one) {
      return one.name.empty() ? has_all() : is_of_type(layer, one.name);
    });
    if (type == to.types.end()) {
      to.left_out.push_back(layer.name);
      continue;
    }
    Point point;
    for (std::size_t i = 0; i < to.names.size(); ++i) {
      std::optional<std::int64_t> size = size_called(layer, to.names[i]);
      if (!size) size = constant_of(to, *type, i);
      if (!size)
        throw std::invalid_argument("layer " + layer.name + " has no size " + to.names[i] +
                                    ", by which measurements of its type differ");
      point.push_back(*size);
    }
    NetworkLayer one;
    one.layer.name = layer.name, one.type = type->name, one.point = point;
    to.network.push_back(std::move(one));
  }
  if (to.network.empty()) throw std::invalid_argument("none of its layers is of a type that was measured");
}

void read_network(const std::string& path, StudySetup& to) {
  if (path.ends_with(".onnx")) {
    read_onnx_network(path, to);
    return;
  }
  enum Column : std::uint8_t { layer, type, block, count, first };
  std::vector<CsvColumn> columns = {
      {{"layer"}, true}, {{"type"}, true, false}, {{"block"}, true, false}, {{"count"}, false, false}};
  for (const std::string& name : to.names) columns.push_back({{name}});
  const CsvTable table(file_content(path), columns);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    NetworkLayer one;
    one.layer.name = table.text(row, layer);
    if (table.has(block)) one.layer.block = table.text(row, block);
    if (table.has(type)) one.type = table.text(row, type);
    if (table.has(count)) one.count = static_cast<double>(whole_of(table, row, count, 1.0));
    for (std::size_t c = 0; c < to.names.size(); ++c) one.point.push_back(whole_of(table, row, first + c));
    const auto same = [&one](const LayerType& other) { return other.name == one.type; };
    if (std::none_of(to.types.begin(), to.types.end(), same)) {
      if (table.has(type)) table.refuse(row, type, "a type of the measurements");
      throw std::invalid_argument("there is no column type, and the measurements have one");
    }
    to.network.push_back(std::move(one));
  }
}

}  // namespace

StudySetup read_setup(const ergode_input& input) {
  if (input.number_count < StudyParameter::all)
    throw plugin_support::BadInput("", std::to_string(input.number_count) + " parameters were given; wanted " +
                                           std::to_string(StudyParameter::all) + ".");
  const auto json =
      nlohmann::json::parse(input.json, input.json + input.json_size, nullptr, /*allow_exceptions=*/false);
  const auto number = [&input](StudyParameter::Index i) { return input.numbers[i]; };
  const auto whole = [&number](StudyParameter::Index i) { return static_cast<std::int64_t>(number(i)); };
  const auto file = [&json](const char* name) {
    return json.is_object() && json.contains(name) && json[name].is_string() ? json[name].get<std::string>()
                                                                             : std::string();
  };
  StudySetup out;
  const auto read = [&](const char* name, void (*reader)(const std::string&, StudySetup&)) {
    const std::string path = file(name);
    if (path.empty()) return;
    try {
      reader(path, out);
    } catch (const std::invalid_argument& bad) {
      const std::string what = bad.what();
      throw plugin_support::bad_parameter(name, (what.find(path) != std::string::npos ? "" : path + ": ") + what + ".");
    }
  };
  out.source = static_cast<TimesFrom>(number(StudyParameter::source));
  std::vector<SizeRange> ranges;
  switch (out.source) {
    case TimesFrom::array:
      for (const char* name : {"I", "K", "J"}) {
        out.names.emplace_back(name);
        ranges.push_back(
            {.name = name, .low = 1, .high = whole(StudyParameter::largest), .base = whole(StudyParameter::base)});
      }
      out.types = {LayerType{}}, out.ranges = {ranges};
      break;
    case TimesFrom::measurements:
      if (file("measurements").empty())
        throw plugin_support::bad_parameter("measurements", "Times come from measurements, and none are given.");
      read("measurements", read_measurements);
      for (const std::string& name : out.names) ranges.push_back({.name = name});
      out.ranges.assign(out.types.size(), ranges);
      break;
    case TimesFrom::plugin:
      if (file("target_file").empty())
        throw plugin_support::bad_parameter("target_file", "Times come from a plugin, and no target is given.");
      read("target_file", read_target);
      break;
  }
  read("ranges", read_ranges);
  read("network", read_network);
  out.array = {whole(StudyParameter::rows), whole(StudyParameter::columns), whole(StudyParameter::block)};
  out.study = {
      .samples = static_cast<std::size_t>(number(StudyParameter::samples)),
      .tests = static_cast<std::size_t>(number(StudyParameter::tests)),
      .repeats = static_cast<std::uint32_t>(number(StudyParameter::repeats)),
      .estimator = {.trees = static_cast<std::uint32_t>(number(StudyParameter::trees)),
                    .seed = input.seed,
                    .logarithm = number(StudyParameter::target) == 0.0,
                    .derived = number(StudyParameter::derived) != 0.0,
                    .measured = number(StudyParameter::measured) != 0.0},
      .steps = {.noises = number(StudyParameter::jump_noises), .share_of_median = number(StudyParameter::jump_share)}};
  out.noise = number(StudyParameter::noise), out.start_time = number(StudyParameter::start_time);
  return out;
}

}  // namespace performance_representatives
