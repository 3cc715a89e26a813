#include "plugins/npu/setup.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <type_traits>

#include "plugins/npu/engine/layer_size.h"
#include "plugins/support/input_file.h"

namespace npu {
namespace {

/// A key of a JSON object, within bounds.
template <class T>
void hardware_key(const nlohmann::json& in, const char* key, T& to, double least, double most) {
  const auto at = in.find(key);
  if (at == in.end()) return;
  constexpr bool whole = std::is_integral_v<T>;
  const double x = at->is_number() ? at->get<double>() : least - 1.0;
  if (!(x >= least && x <= most) || (whole && x != std::floor(x)))
    throw std::invalid_argument(std::string(key) + " is " + plugin_support::seen_json(*at) + "; wanted a " +
                                (whole ? "whole " : "") + "number from " +
                                std::to_string(static_cast<long long>(least)) + " to " +
                                std::to_string(static_cast<long long>(most)));
  to = static_cast<T>(x);
}
template <class T>
T hardware_word(const nlohmann::json& in, const char* key, const std::map<std::string, T>& words, T otherwise) {
  const auto at = in.find(key);
  if (at == in.end()) return otherwise;
  if (at->is_string())
    if (const auto found = words.find(at->get<std::string>()); found != words.end()) return found->second;
  std::string wanted;
  for (const auto& word : words) wanted += (wanted.empty() ? "" : ", ") + word.first;
  throw std::invalid_argument(std::string(key) + " is " + plugin_support::seen_json(*at) + "; wanted " + wanted);
}

CoreHardware read_core(const nlohmann::json& in) {
  CoreHardware c;
  hardware_word<int>(in, "core_type", {{"systolic_ws", 0}}, 0);
  constexpr double side = 4096, kb = 1 << 24, bits = 1e9, cycles = 1e6;
  hardware_key(in, "core_width", c.width, 1, side), hardware_key(in, "core_height", c.height, 1, side);
  hardware_key(in, "spad_size", c.scratchpad_kb, 1, kb), hardware_key(in, "accum_spad_size", c.accumulator_kb, 1, kb);
  hardware_key(in, "vector_process_bit", c.vector_bits, 8, bits);
  hardware_key(in, "add_latency", c.add, 0, cycles), hardware_key(in, "mul_latency", c.mul, 0, cycles);
  hardware_key(in, "mac_latency", c.mac, 0, cycles), hardware_key(in, "div_latency", c.div, 0, cycles);
  hardware_key(in, "exp_latency", c.exp, 0, cycles), hardware_key(in, "gelu_latency", c.gelu, 0, cycles);
  hardware_key(in, "add_tree_latency", c.add_tree, 0, cycles);
  hardware_key(in, "scalar_sqrt_latency", c.scalar_sqrt, 0, cycles);
  hardware_key(in, "scalar_add_latency", c.scalar_add, 0, cycles);
  hardware_key(in, "scalar_mul_latency", c.scalar_mul, 0, cycles);
  return c;
}

/// The file of a model from the folder of its list: what the list says, or where it stands beside it.
std::string listed_file(const std::string& list, const ListedModel& model) {
  if (!model.file.empty()) return model.file;
  std::error_code ignored;
  if (std::filesystem::exists(plugin_support::path_beside(list, model.name + ".onnx"), ignored))
    return model.name + ".onnx";
  return "models/" + model.name + "/" + model.name + ".onnx";
}
void read_listed(const std::string& list, NpuSetup& out) {
  std::map<std::string, bool> known;
  for (const ListedModel& one : out.list) {
    if (known[one.name]) continue;
    known[one.name] = true;
    std::string path = list;
    try {
      const std::string name = listed_file(list, one);
      path = plugin_support::path_beside(list, name);
      out.listed_graphs.push_back(read_onnx(plugin_support::regular_file_content(path)));
      const std::string mapping =
          plugin_support::path_beside(list, std::filesystem::path(name).replace_extension(".mapping").string());
      std::error_code ignored;
      out.listed_mappings.push_back(std::filesystem::exists(mapping, ignored)
                                        ? MappingFile(plugin_support::regular_file_content(mapping))
                                        : out.mapping);
    } catch (const std::invalid_argument& bad) {
      throw plugin_support::bad_parameter("model_list", path + ": " + bad.what() + ".");
    }
  }
}
std::vector<ModelInstance> listed_models(const NpuSetup& setup, AddressSpace& space) {
  std::map<std::string, std::size_t> places;
  std::vector<PlacedGraph> graphs;
  for (const ListedModel& one : setup.list)
    if (places.emplace(one.name, graphs.size()).second)
      graphs.emplace_back(setup.hardware, space, setup.listed_graphs[graphs.size()]);
  std::vector<ModelInstance> out;
  std::map<std::string, int> named;
  for (const ListedModel& one : setup.list) {
    const std::size_t place = places[one.name];
    GraphOptions options;
    options.axes = one.axes, options.attention_layers = one.attention_layers, options.tokens = one.tokens;
    options.mapping = setup.listed_mappings[place];
    out.push_back(graphs[place].instance(options));
    const int again = ++named[one.name];
    out.back().name = one.name + (again > 1 ? " " + std::to_string(again) : "");
    constexpr double ps_per_ms = 1e9;
    out.back().request_ps = static_cast<std::uint64_t>(one.request_ms * ps_per_ms);
    out.back().partition = one.partition;
  }
  return out;
}
/// Its named axes, all of that size.
std::map<std::string, std::int64_t> axes_of(const Graph& graph, std::int64_t size) {
  std::map<std::string, std::int64_t> out;
  for (const GraphTensor& in : graph.inputs)
    for (const std::string& axis : in.axes)
      if (!axis.empty()) out[axis] = size;
  return out;
}
std::vector<ModelInstance> copied_models(const NpuSetup& setup, std::optional<std::uint64_t> rows,
                                         AddressSpace& space) {
  const Hardware& h = setup.hardware;
  GemmShape gemm = setup.gemm;
  gemm.rows = rows.value_or(gemm.rows);
  GraphOptions options;
  options.attention_layers = setup.attention_layers, options.mapping = setup.mapping;
  options.axes = axes_of(setup.graph, rows ? static_cast<std::int64_t>(*rows) : setup.axis_size);
  // Where cores are split all copies have a layer under way, where they are parted one in each part.
  std::uint64_t at_once = 1;
  const std::set<std::uint32_t> partitions(h.partition.begin(), h.partition.end());
  if (h.policy == SharingPolicy::spatial_split) at_once = setup.copies;
  if (h.policy == SharingPolicy::partition_cpu)
    at_once = std::min<std::uint64_t>(setup.copies, std::max<std::size_t>(1, partitions.size()));
  if (at_once > 1 && setup.workload == NpuSetup::Workload::gemm) {
    const auto map = setup.mapping.of(h, "gemm", gemm);
    check_layer_size("gemm", layer_size(h, gemm, map ? *map : map_gemm(h, gemm), setup.bias), at_once);
  }
  if (at_once > 1 && setup.workload == NpuSetup::Workload::conv) {
    const auto map = setup.mapping.of(h, "conv", setup.conv);
    check_layer_size("conv", layer_size(h, setup.conv, map ? *map : map_conv(h, setup.conv)), at_once);
  }
  std::vector<ModelInstance> out;
  for (std::uint32_t i = 0; i < setup.copies; ++i) {
    out.push_back(setup.workload == NpuSetup::Workload::gemm   ? one_gemm(h, space, gemm, setup.bias, setup.mapping)
                  : setup.workload == NpuSetup::Workload::conv ? one_conv(h, space, setup.conv, setup.mapping)
                                                               : PlacedGraph(h, space, setup.graph).instance(options));
    out.back().name = "model " + std::to_string(i + 1);
    // Copies go to the partitions in turn.
    if (!h.partition.empty()) out.back().partition = h.partition[i % h.partition.size()];
  }
  return out;
}

/// Says which operators of a graph take no time, and what would count some of them.
void tell_uncounted(const std::string& parameter, const std::string& file, const Graph& graph,
                    const std::map<std::string, std::int64_t>& axes, NpuSetup& setup) {
  try {
    const bool corrected = setup.hardware.corrected;
    const auto all = uncounted_operators(graph, axes, corrected);
    if (all.empty()) return;
    std::string names, some;
    for (const auto& [op, nodes] : all) names += (names.empty() ? "" : ", ") + op + " (" + std::to_string(nodes) + ")";
    const auto left = corrected ? all : uncounted_operators(graph, axes, true);
    for (const auto& [op, nodes] : all)
      if (left.count(op) == 0) some += (some.empty() ? "" : ", ") + op;
    setup.uncounted.emplace_back(parameter, file + ": these operators take no time here: " + names + "." +
                                                (some.empty() ? "" : " Of them corrected = true counts " + some + "."));
  } catch (const std::invalid_argument&) {
    // The run says what is wrong with the graph.
  }
}

/// Says of a mapping file that none of its lines is of a layer of the graph.
void check_mapping_is_used(NpuSetup& setup) {
  if (setup.mapping.empty()) return;
  const std::map<std::string, std::int64_t> axes = axes_of(setup.graph, setup.axis_size);
  std::string first;
  try {
    for (const plugin_support::ShapedLayer& layer : plugin_support::shaped_layers(setup.graph, axes)) {
      const ConvLoops all = layer.conv ? all_loops(*layer.conv) : all_loops(*layer.product);
      if (setup.mapping.find(all) != nullptr) return;
      if (first.empty()) first = "[T]" + loops_text(all) + " of " + layer.name;
    }
  } catch (const std::invalid_argument&) {
    return;  // the run says what is wrong with the graph
  }
  setup.unread.emplace_back("mapping_file",
                            "No line of this file is of a layer of the model, so all mappings are computed" +
                                (first.empty() ? "." : "; wanted lines such as " + first + "."));
}

}  // namespace

Hardware read_hardware(const std::string& text) {
  const nlohmann::json in = plugin_support::parse_json_file(text);
  if (!in.is_object()) throw std::invalid_argument("it is no JSON object");
  Hardware h;
  std::uint32_t cores = 0;
  constexpr double most = 64, mhz = 1e6, cycles = 1e6;
  hardware_key(in, "num_cores", cores, 1, most);
  for (std::uint32_t c = 0; c < cores; ++c) {
    const std::string key = "core_" + std::to_string(c);
    const auto list = in.find("core_config");
    if (list == in.end() || !list->is_object() || !list->contains(key) || !(*list)[key].is_object())
      throw std::invalid_argument("core_config has no object " + key);
    h.cores.push_back(read_core((*list)[key]));
  }
  hardware_key(in, "core_freq", h.core_mhz, 1, mhz), hardware_key(in, "icnt_freq", h.network_mhz, 1, mhz);
  hardware_key(in, "dram_freq", h.dram_mhz, 1, mhz), hardware_key(in, "dram_channels", h.channels, 1, most);
  hardware_key(in, "dram_req_size", h.request_bytes, 1, 4096),
      hardware_key(in, "dram_latency", h.dram_latency, 0, cycles);
  hardware_key(in, "dram_size", h.dram_gb, 0, cycles), hardware_key(in, "dram_nbl", h.burst_cycles, 1, most);
  hardware_key(in, "icnt_latency", h.network_latency, 0, cycles), hardware_key(in, "precision", h.precision, 1, 8);
  hardware_key(in, "icnt_injection_ports_per_core", h.ports, 1, most);
  if (hardware_word<bool>(in, "dram_type", {{"simple", false}, {"ramulator2", true}}, false))
    h.dram = hardware_word<DramKind>(in, "dram_config_path", {{"HBM2", DramKind::hbm2}, {"DDR4", DramKind::ddr4}},
                                     DramKind::hbm2);
  // The detailed network is one whose requests take seven cycles and whose cores have one port.
  if (hardware_word<bool>(in, "icnt_type", {{"simple", false}, {"booksim2", true}}, false))
    h.network_latency = 7, h.ports = 1;
  h.policy = hardware_word<SharingPolicy>(in, "scheduler",
                                          {{"simple", SharingPolicy::simple},
                                           {"time_multiplex", SharingPolicy::time_multiplex},
                                           {"partition_cpu", SharingPolicy::partition_cpu},
                                           {"spatial_split", SharingPolicy::spatial_split}},
                                          SharingPolicy::simple);
  if (const auto at = in.find("partition"); at != in.end()) {
    if (!at->is_object())
      throw std::invalid_argument("partition is " + plugin_support::seen_json(*at) +
                                  "; wanted an object with the partition of each core, {\"core_0\": 0, ...}");
    for (std::uint32_t c = 0; c < cores; ++c) {
      h.partition.push_back(0);
      hardware_key(*at, ("core_" + std::to_string(c)).c_str(), h.partition.back(), 0, most);
    }
  }
  if (const std::string fault = hardware_fault(h); !fault.empty()) throw std::invalid_argument(fault);
  return h;
}

NpuSetup read_npu_setup(const ergode_input& input) {
  if (input.number_count < NpuParameter::count)
    throw plugin_support::BadInput("", std::to_string(input.number_count) + " parameters were given; wanted " +
                                           std::to_string(static_cast<int>(NpuParameter::count)) + ".");
  const auto whole = [&input](NpuParameter::Index i) { return static_cast<std::uint64_t>(input.numbers[i]); };
  const nlohmann::json json =
      nlohmann::json::parse(input.json, input.json + input.json_size, nullptr, /*allow_exceptions=*/false);
  const auto file = [&json](const char* name) {
    return json.is_object() && json.contains(name) && json[name].is_string() ? json[name].get<std::string>()
                                                                             : std::string();
  };
  const auto reading = [](const char* parameter, const std::string& path, auto read) {
    try {
      return read(plugin_support::regular_file_content(path));
    } catch (const std::invalid_argument& bad) {
      throw plugin_support::bad_parameter(parameter, path + ": " + bad.what() + ".");
    }
  };
  NpuSetup out;
  constexpr std::uint64_t presets = 6;
  static constexpr const char* names[presets] = {"m8_simple", "m8_ddr4",     "tpu_simple",
                                                 "tpu_hbm2",  "half_simple", "half_hbm2"};
  const std::string hardware = file("hardware_file");
  out.hardware = hardware.empty() ? find_hardware(names[std::min(whole(NpuParameter::hardware), presets - 1)]).value()
                                  : reading("hardware_file", hardware, read_hardware);
  constexpr std::uint64_t of_hardware = 0;
  if (const std::uint64_t policy = whole(NpuParameter::policy); policy != of_hardware)
    out.hardware.policy = static_cast<SharingPolicy>(policy - 1);
  out.workload = static_cast<NpuSetup::Workload>(whole(NpuParameter::workload));
  out.gemm = {whole(NpuParameter::rows), whole(NpuParameter::depth), whole(NpuParameter::columns)};
  out.bias = input.numbers[NpuParameter::bias] != 0.0;
  out.conv = ConvShape(whole(NpuParameter::image), whole(NpuParameter::in_channels), whole(NpuParameter::out_channels),
                       whole(NpuParameter::kernel), whole(NpuParameter::stride), whole(NpuParameter::padding));
  out.axis_size = static_cast<std::int64_t>(whole(NpuParameter::axis_size));
  out.copies = static_cast<std::uint32_t>(whole(NpuParameter::copies));
  if (const WindowAxis& w = out.conv.high; out.workload == NpuSetup::Workload::conv && w.kernel > w.size + 2 * w.pad)
    throw plugin_support::bad_parameter("kernel", "The kernel is " + std::to_string(w.kernel) +
                                                      " wide; wanted at most the padded image, " +
                                                      std::to_string(w.size + 2 * w.pad) + ".");
  out.attention_layers = whole(NpuParameter::attention_layers);
  out.hardware.corrected = input.numbers[NpuParameter::corrected] != 0.0;
  out.batching.must_fit = input.numbers[NpuParameter::must_fit] != 0.0;
  if (!out.batching.must_fit && out.workload != NpuSetup::Workload::language) out.hardware.dram_gb = 0.0;
  using Workload = NpuSetup::Workload;
  for (const auto& [name, of] :
       {std::pair{"model", Workload::onnx}, std::pair{"model_list", Workload::list},
        std::pair{"language_file", Workload::language}, std::pair{"requests", Workload::language}})
    if (out.workload != of && !file(name).empty())
      out.unread.emplace_back(name,
                              "This file is named and not read, because the workload is another; wanted workload = " +
                                  std::string(of == Workload::onnx   ? "onnx"
                                              : of == Workload::list ? "list"
                                                                     : "language") +
                                  ".");
  const std::string mapping = file("mapping_file");
  if (!mapping.empty() && out.workload == Workload::language)
    out.unread.emplace_back("mapping_file",
                            "This file is named and not read, because the workload is language, whose mappings are "
                            "computed; wanted workload = gemm, conv, onnx or list.");
  else if (!mapping.empty())
    out.mapping = reading("mapping_file", mapping, [](const std::string& text) { return MappingFile(text); });
  const bool is_gemm = out.workload == Workload::gemm;
  if (!mapping.empty() && (is_gemm || out.workload == Workload::conv)) {
    const ConvLoops all = is_gemm ? all_loops(out.gemm) : all_loops(out.conv);
    if (out.mapping.find(all) == nullptr)
      out.unread.emplace_back("mapping_file",
                              "No line of this file is of the layer that runs, so its mapping is computed; wanted [T]" +
                                  loops_text(all) + ".");
  }
  switch (out.workload) {
    case NpuSetup::Workload::onnx: {
      const std::string model = file("model");
      if (model.empty()) throw plugin_support::bad_parameter("model", "No file is named; wanted an ONNX model.");
      out.graph = reading("model", model, [](const std::string& bytes) { return read_onnx(bytes); });
      check_mapping_is_used(out);
      tell_uncounted("model", model, out.graph, axes_of(out.graph, out.axis_size), out);
      break;
    }
    case NpuSetup::Workload::list:
      if (file("model_list").empty())
        throw plugin_support::bad_parameter("model_list", "No file is named; wanted a list of ONNX models.");
      out.list = reading("model_list", file("model_list"), read_model_list);
      read_listed(file("model_list"), out);
      for (std::size_t i = 0, next = 0; i < out.list.size(); ++i) {
        const auto first = std::find_if(out.list.begin(), out.list.end(),
                                        [&](const ListedModel& one) { return one.name == out.list[i].name; });
        if (first == out.list.begin() + static_cast<std::ptrdiff_t>(i))
          tell_uncounted("model_list", out.list[i].name, out.listed_graphs.at(next++), out.list[i].axes, out);
      }
      break;
    case NpuSetup::Workload::language: {
      constexpr std::uint64_t models = 3;
      static constexpr const char* languages[models] = {"opt_125m", "opt_66b", "llama3_8b"};
      out.language = file("language_file").empty()
                         ? find_language_model(languages[std::min(whole(NpuParameter::language), models - 1)])
                         : reading("language_file", file("language_file"), read_language_model);
      out.batching.continuous = whole(NpuParameter::batching) != 0;
      out.batching.max_batch = static_cast<std::uint32_t>(whole(NpuParameter::max_batch));
      if (const std::string trace = file("requests"); !trace.empty()) {
        out.requests = reading("requests", trace, read_requests);
        break;
      }
      LanguageRequest one;
      one.prompt = whole(NpuParameter::prompt), one.tokens = whole(NpuParameter::generated);
      one.cached = whole(NpuParameter::cached);
      for (std::uint64_t i = 0; i < whole(NpuParameter::request_count); ++i) {
        out.requests.push_back(one);
        one.cycle += whole(NpuParameter::interval);
      }
      break;
    }
    default:
      break;
  }
  return out;
}

LanguageResult run_setup(const NpuSetup& setup, std::optional<std::uint64_t> rows,
                         const std::function<bool(std::uint64_t)>& stop) {
  const Hardware& h = setup.hardware;
  const auto at = [&setup] {
    constexpr const char* pointers[] = {"/parameters/workload", "/parameters/workload", "/parameters/model",
                                        "/parameters/model_list", "/parameters/language"};
    return pointers[static_cast<std::size_t>(setup.workload)];
  };
  try {
    if (setup.workload == NpuSetup::Workload::language) {
      std::vector<LanguageRequest> requests = setup.requests;
      if (rows)
        for (LanguageRequest& one : requests) one.prompt = *rows;
      return simulate_language(h, setup.language, requests, setup.batching, stop);
    }
    AddressSpace space;
    std::vector<ModelInstance> models =
        setup.workload == NpuSetup::Workload::list ? listed_models(setup, space) : copied_models(setup, rows, space);
    LanguageResult out;
    out.run = simulate(h, space, std::move(models), stop);
    return out;
  } catch (const BadMapping& bad) {
    throw plugin_support::bad_parameter(setup.mapping.empty() ? "model_list" : "mapping_file",
                                        std::string(bad.what()) + ".");
  } catch (const std::invalid_argument& bad) {
    throw plugin_support::BadInput(at(), std::string(bad.what()) + ".");
  }
}

}  // namespace npu
