// Files that a person or a program got wrong: each is refused with the place, what is seen and what is wanted, and what
// is not read is named.
#include <sys/stat.h>

#include <QtTest>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

#include "plugins/npu/engine/layer_size.h"
#include "plugins/npu/engine/lowering.h"
#include "plugins/npu/engine/tile_writer.h"
#include "plugins/npu/setup.h"
#include "plugins/support/input_file.h"
#include "tests/plugins/asked_input.h"

namespace {

/// Files of one test.
struct NpuFolder {
  NpuFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "npu_bad_XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~NpuFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  NpuFolder(const NpuFolder&) = delete;
  NpuFolder& operator=(const NpuFolder&) = delete;
  std::string write(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories((path / name).parent_path());
    std::ofstream(path / name, std::ios::binary) << bytes;
    return (path / name).string();
  }
  std::filesystem::path path;
};

npu::NpuSetup npu_asked(const nlohmann::json& changed) {
  return npu::read_npu_setup(ergode::test::AskedInput("npu", changed).input());
}
std::uint64_t npu_cycles(const nlohmann::json& changed) { return npu::run_setup(npu_asked(changed)).run.cycles; }
/// "pointer: message" of what is refused, of reading or of the run; empty: it runs.
std::string npu_refusal(const nlohmann::json& changed) {
  try {
    npu_cycles(changed);
  } catch (const plugin_support::BadInput& bad) {
    return bad.pointer + ": " + bad.what();
  }
  return {};
}
std::string npu_why(const std::function<void()>& does) {
  try {
    does();
  } catch (const std::invalid_argument& bad) {
    return bad.what();
  }
  return {};
}
bool npu_says(const std::string& seen, std::initializer_list<const char*> words) {
  for (const char* word : words)
    if (seen.find(word) == std::string::npos) {
      qWarning("\"%s\" does not say \"%s\"", seen.c_str(), word);
      return false;
    }
  return true;
}
std::string npu_field(int number, const std::string& bytes) {
  return std::string(1, static_cast<char>(number << 3 | 2)) + static_cast<char>(bytes.size()) + bytes;
}
std::string npu_onnx_node(const std::string& op, const std::vector<std::string>& in, const std::string& out) {
  std::string bytes;
  for (const std::string& name : in) bytes += npu_field(1, name);
  return npu_field(1, bytes + npu_field(2, out) + npu_field(3, "n_" + out) + npu_field(4, op));
}
/// A model of one input x, 2 x 2 or as given.
std::string npu_onnx(const std::string& nodes, const std::string& rest = {}) {
  const std::string two = npu_field(1, std::string("\x08\x02", 2));
  const std::string x = npu_field(1, "x") + npu_field(2, npu_field(1, npu_field(2, two + two)));
  return npu_field(7, nodes + npu_field(11, x) + rest);
}

}  // namespace

class TestNpuBadInput : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_mapping_by_hand_counts_for_products_and_convolutions() {
    const NpuFolder files;
    const std::string mm = files.write(
        "mm.map", "[T] N512 C512 M512 P1 Q1 S1 R1 - [O] N8 C8 M8 P1 Q1 S1 R1 - [I] N64 C64 M64 P1 Q1 S1 R1\n");
    const npu::NpuSetup product = npu_asked({{"mapping_file", mm}});
    QVERIFY(product.unread.empty());
    // Tiles of the run: 8 x 8 x 8 of them.
    QCOMPARE(npu::run_setup(product).run.tiles.size(), std::size_t{512});
    QVERIFY(npu_cycles({{"mapping_file", mm}}) > 2 * npu_cycles(nlohmann::json::object()));
    const std::string cv =
        files.write("cv.map", "[T] N1 C64 M64 P56 Q56 S3 R3 - [O] N1 C8 M8 P7 Q7 S1 R1 - [I] N1 C8 M8 P8 Q8 S3 R3\n");
    const npu::NpuSetup conv = npu_asked({{"workload", "conv"}, {"mapping_file", cv}});
    QVERIFY(conv.unread.empty());
    QCOMPARE(npu::run_setup(conv).run.tiles.size(), std::size_t{8 * 8 * 7 * 7});
    // A file without a line of the layer that runs is said to be of no consequence.
    const npu::NpuSetup other = npu_asked({{"mapping_file", cv}});
    QCOMPARE(other.unread.size(), std::size_t{1});
    QCOMPARE(other.unread[0].first, std::string("mapping_file"));
    QVERIFY(npu_says(other.unread[0].second, {"wanted [T] N512 C512 M512 P1 Q1 S1 R1"}));
    // Nor does one without a line of any layer of a graph.
    const std::string resnet = ERGODE_SOURCE_DIR "/examples/37_two_tenants/resnet50.onnx";
    const npu::NpuSetup none = npu_asked({{"workload", "onnx"}, {"model", resnet}, {"mapping_file", mm}});
    QCOMPARE(none.unread.size(), std::size_t{1});
    QVERIFY(npu_says(none.unread[0].second, {"No line", "wanted lines such as [T] N1 C3 M64 P112 Q112 S7 R7"}));
    QVERIFY(npu_asked({{"workload", "onnx"}, {"model", resnet}, {"mapping_file", cv}}).unread.empty());
    // What takes no time is named, and what would count it; in a list once for each model.
    QVERIFY(npu_says(none.uncounted.at(0).second, {"Add (16)", "Relu (49)", "corrected = true counts Add, Relu"}));
    QCOMPARE(none.uncounted.at(0).first, std::string("model"));
    QVERIFY(npu_asked({{"workload", "onnx"}, {"model", resnet}, {"corrected", true}}).uncounted.empty());
    const std::string tenants = ERGODE_SOURCE_DIR "/examples/37_two_tenants/tenants.json";
    const npu::NpuSetup list = npu_asked({{"workload", "list"}, {"model_list", tenants}});
    QCOMPARE(list.uncounted.size(), std::size_t{1});
    QVERIFY(npu_says(list.uncounted[0].second, {"resnet50: ", "Relu (49)"}));
  }
  void files_of_other_workloads_are_named() {
    const auto unread = [](const nlohmann::json& changed) {
      std::string out;
      for (const auto& one : npu_asked(changed).unread) out += one.first + " ";
      return out;
    };
    const nlohmann::json all = {
        {"model", "/a.onnx"}, {"model_list", "/a.json"}, {"language_file", "/b.json"}, {"requests", "/c.csv"}};
    QCOMPARE(unread(all), std::string("model model_list language_file requests "));
    nlohmann::json conv = all;
    conv["workload"] = "conv";
    QCOMPARE(unread(conv), std::string("model model_list language_file requests "));
    QCOMPARE(unread({{"workload", "language"}, {"model", "/a.onnx"}, {"mapping_file", "/d.map"}}),
             std::string("model mapping_file "));
    QCOMPARE(unread({{"workload", "language"}}), std::string());
    QVERIFY(npu_says(npu_asked(all).unread[3].second, {"not read", "wanted workload = language"}));
  }
  void a_tile_larger_than_half_of_a_memory_is_refused() {
    const NpuFolder files;
    const std::string one = files.write(
        "one.map", "[T] N512 C512 M512 P1 Q1 S1 R1 - [O] N1 C1 M1 P1 Q1 S1 R1 - [I] N512 C512 M512 P1 Q1 S1 R1");
    QVERIFY(npu_says(npu_refusal({{"hardware", "m8_simple"}, {"mapping_file", one}}),
                     {"/parameters/mapping_file: layer gemm", "524288 bytes of the scratchpad", "wanted", "32768"}));
    const std::string over = files.write("over.map",
                                         "[T] N512 C512 M512 P1 Q1 S1 R1 - [O] N1 C1 M1 P1 Q1 S1 R1 - [I] N99999999 "
                                         "C99999999 M99999999 P1 Q1 S1 R1");
    QVERIFY(npu_says(npu_refusal({{"mapping_file", over}}), {"/parameters/mapping_file", "wanted", "16777216"}));
    const std::string sums = files.write(
        "sums.map", "[T] N512 C512 M512 P1 Q1 S1 R1 - [O] N1 C8 M1 P1 Q1 S1 R1 - [I] N4096 C64 M512 P1 Q1 S1 R1");
    QVERIFY(npu_says(npu_refusal({{"mapping_file", sums}}), {"8388608 bytes of the accumulator", "wanted", "2097152"}));
    const std::string conv = files.write(
        "conv.map", "[T] N1 C64 M64 P56 Q56 S3 R3 - [O] N1 C1 M1 P1 Q1 S1 R1 - [I] N1 C64 M64 P56 Q56 S3 R3");
    QVERIFY(npu_says(npu_refusal({{"workload", "conv"}, {"hardware", "m8_simple"}, {"mapping_file", conv}}),
                     {"/parameters/mapping_file: layer conv", "wanted", "32768"}));
    QCOMPARE(npu_refusal({{"workload", "conv"}, {"mapping_file", conv}}), std::string());
    // Tiles that begin beyond the end.
    const std::string outer = files.write(
        "outer.map", "[T] N512 C512 M512 P1 Q1 S1 R1 - [O] N99999999 C1 M1 P1 Q1 S1 R1 - [I] N1 C512 M512 P1 Q1 S1 R1");
    QVERIFY(npu_says(npu_refusal({{"mapping_file", outer}}),
                     {"outer.map: line 1: N is 512", "99999999 tiles of 1", "wanted"}));
  }
  /// What is computed would be accepted by hand, whatever the shape.
  void computed_mappings_fit() {
    std::uint64_t seed = 3;
    const auto draw = [&seed](std::uint64_t most) {
      seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
      return 1 + (seed >> 33) % most;
    };
    for (int i = 0; i < 2000; ++i) {
      const npu::Hardware h = npu::find_hardware(i % 2 == 0 ? "m8_simple" : "tpu_simple").value();
      npu::check_mapping(h, "p", npu::map_gemm(h, {draw(3000), draw(3000), draw(3000)}));
      const std::uint64_t kernel = 2 * draw(3) - 1;
      const npu::ConvShape shape(6 + draw(60), draw(300), draw(300), kernel, draw(2), draw(2) - 1);
      npu::check_mapping(h, "c", shape, npu::map_conv(h, shape));
    }
  }
  void a_graph_that_never_ends_is_refused() {
    const auto why = [](const std::string& bytes) { return npu_why([&bytes] { npu::read_onnx(bytes); }); };
    QCOMPARE(why(npu_onnx(npu_onnx_node("Relu", {"x"}, "y"))), std::string());
    QVERIFY(npu_says(why(npu_onnx(npu_onnx_node("Relu", {"x"}, "x"))), {"cycle", "\"n_x\" (Relu)", "wanted"}));
    QVERIFY(npu_says(why(npu_onnx(npu_onnx_node("Relu", {"x"}, "y") + npu_onnx_node("Tanh", {"y"}, "x"))),
                     {"cycle", "\"n_x\" (Tanh)", "\"n_y\" (Relu)"}));
    // Not through first inputs alone, and behind nodes that are sound.
    QVERIFY(npu_says(why(npu_onnx(npu_onnx_node("Relu", {"x"}, "a") + npu_onnx_node("Add", {"a", "c"}, "b") +
                                  npu_onnx_node("Relu", {"b"}, "c") + npu_onnx_node("Relu", {"c"}, "d"))),
                     {"cycle", "\"n_b\" (Add)", "\"n_c\" (Relu)"}));
    QVERIFY(npu_says(why(npu_onnx(npu_onnx_node("Relu", {"x"}, "y") + npu_onnx_node("Tanh", {"x"}, "y"))),
                     {"\"y\" is written by", "(Relu)", "(Tanh)", "wanted one node"}));
    QVERIFY(npu_says(why(npu_onnx(npu_onnx_node("Relu", {"w"}, "x"))), {"\"x\" is an input", "(Relu)"}));
    const NpuFolder files;
    const std::string self = files.write("self.onnx", npu_onnx(npu_onnx_node("Relu", {"x"}, "x")));
    QVERIFY(npu_says(npu_refusal({{"workload", "onnx"}, {"model", self}}), {"/parameters/model: ", "cycle"}));
    // A graph that was not read from a file.
    npu::Graph made = npu::read_onnx(npu_onnx(npu_onnx_node("Relu", {"x"}, "y")));
    made.nodes[0].inputs = {"y"};
    npu::AddressSpace space;
    const npu::Hardware h = npu::find_hardware("m8_simple").value();
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, npu::PlacedGraph(h, space, made));
  }
  /// What is told before is what is made, of random layers with and without mappings' rests.
  void sizes_of_layers_are_told_before_they_are_made() {
    std::uint64_t seed = 5;
    const auto draw = [&seed](std::uint64_t most) {
      seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
      return 1 + (seed >> 33) % most;
    };
    double least = 1e9, largest = 0.0;
    for (int i = 0; i < 600; ++i) {
      npu::Hardware h = npu::find_hardware(i % 2 == 0 ? "m8_simple" : "tpu_simple").value();
      h.corrected = draw(2) == 1, h.precision = static_cast<std::uint32_t>(draw(4));
      if (h.precision == 3) h.precision = 4;
      const npu::LayerAddresses at{1 << 20, 1 << 28, 1 << 29, 1 << 30};
      npu::LayerSize told;
      npu::TileList made;
      if (i % 3 == 0) {
        const bool bias = draw(2) == 1;
        const npu::GemmShape shape{draw(300), draw(300), draw(300)};
        told = npu::layer_size(h, shape, npu::map_gemm(h, shape), bias);
        made = npu::lower_gemm(h, shape, at, bias);
      } else {
        npu::ConvShape shape(4 + draw(30), 4 * draw(20), 4 * draw(20), 2 * draw(2) - 1, draw(2), draw(2) - 1);
        shape.batch = draw(3);
        if (draw(5) == 1) shape.groups = 4;
        else if (draw(4) == 1) shape.pool_high = shape.pool_wide = 2;
        told = npu::layer_size(h, shape, npu::map_conv(h, shape));
        made = npu::lower_conv(h, shape, at);
      }
      double instructions = 0.0, requests = 0.0;
      for (const npu::Tile& tile : made.tiles)
        instructions += static_cast<double>(tile.instructions.size()),
            requests += static_cast<double>(tile.addresses.size());
      QCOMPARE(told.tiles, static_cast<double>(made.tiles.size()));
      QVERIFY2(told.instructions == instructions, ("run " + std::to_string(i)).c_str());
      least = std::min(least, told.requests / requests), largest = std::max(largest, told.requests / requests);
    }
    QVERIFY2(least > 0.5 && largest < 5.0, (std::to_string(least) + " " + std::to_string(largest)).c_str());
  }
  void layers_that_take_the_machine_s_memory_are_refused() {
    const nlohmann::json product = {{"hardware", "m8_ddr4"}, {"rows", 8192}, {"depth", 8192}, {"columns", 8192}};
    QVERIFY(npu_says(npu_refusal(product), {"/parameters/workload: layer gemm: its", "1.084e+09 instructions",
                                            "GB of memory; wanted at most 2.147 GB"}));
    QVERIFY(npu_says(npu_refusal({{"workload", "conv"},
                                  {"image", 1024},
                                  {"in_channels", 8192},
                                  {"out_channels", 8192},
                                  {"must_fit", false}}),
                     {"/parameters/workload: layer conv: its", "wanted at most"}));
    const nlohmann::json copies = {
        {"rows", 4096}, {"depth", 4096}, {"columns", 4096}, {"copies", 64}, {"policy", "spatial_split"}};
    QVERIFY(
        npu_says(npu_refusal(copies), {"/parameters/workload: 64 layers gemm at once", "GB of memory in all; wanted"}));
    // The largest product of the form still fits on the larger arrays.
    const npu::Hardware tpu = npu::find_hardware("tpu_hbm2").value();
    const npu::GemmShape most{8192, 8192, 8192};
    QVERIFY(npu::layer_size(tpu, most, npu::map_gemm(tpu, most), true).bytes() < npu::most_layer_bytes);
    // Layers that have no closed form are refused while they are made.
    QVERIFY(npu_says(npu_why([&tpu] { npu::TileWriter(tpu).span(0, std::uint64_t{1} << 45); }),
                     {"take more than", "wanted a smaller layer"}));
    npu::LanguageModel deep;
    deep.layers = 1 << 24, deep.single_layer = false;
    QVERIFY(npu_says(npu::language_fault(deep), {"16777216 layers", "wanted at most"}));
  }
  void what_is_nested_too_deep_is_refused() {
    const std::string deep = std::string(200000, '[') + std::string(200000, ']');
    const std::string bad = "{\"num_cores\":\n" + deep + "}";
    const auto deeper = {"line 2, column 64: ", "64 deep", "wanted"};
    QVERIFY(npu_says(npu_why([&bad] { npu::read_hardware(bad); }), deeper));
    QVERIFY(npu_says(npu_why([&bad] { npu::read_language_model(bad); }), deeper));
    QVERIFY(npu_says(npu_why([&bad] { npu::read_model_list(bad); }), deeper));
    const NpuFolder files;
    const std::string hardware = files.write("deep.json", bad);
    QVERIFY(npu_says(npu_refusal({{"hardware_file", hardware}}), {"/parameters/hardware_file: ", "deep.json: line 2"}));
    // Brackets in text are none, nor is a quote behind a backslash an end; what is allowed is parsed.
    const std::string text = std::string("[\"") + std::string(1000, '[') + "\\\"" + std::string(1000, '{') + "\"]";
    QCOMPARE(plugin_support::parse_json_file(text)[0].get<std::string>().size(), std::size_t{2001});
    const auto nested = [](std::size_t n) { return std::string(n, '[') + std::string(n, ']'); };
    QVERIFY(plugin_support::parse_json_file(nested(64)).is_array());
    QVERIFY(npu_says(npu_why([&] { plugin_support::parse_json_file(nested(65)); }), {"column 65"}));
    // What is long is shown by its beginning.
    const std::string wide = "{\"num_cores\": [" + std::string(100000, '1') + "e0]}";
    QVERIFY(npu_why([&wide] { npu::read_hardware(wide); }).size() < 200);
    QCOMPARE(npu_why([] { npu::read_language_model("{\n \"a\": }"); }), std::string("line 2, column 7: it is no JSON"));
  }
  void fractions_of_whole_numbers_are_refused() {
    const auto refused = [](const char* key, const nlohmann::json& value, bool of_core) {
      nlohmann::json in = {{"num_cores", 1}, {"core_config", {{"core_0", {{"core_width", 8}, {"core_height", 8}}}}}};
      (of_core ? in["core_config"]["core_0"] : in)[key] = value;
      return npu_why([&in] { npu::read_hardware(in.dump()); });
    };
    for (const char* key : {"num_cores", "core_freq", "icnt_freq", "dram_freq", "dram_channels", "dram_req_size",
                            "dram_latency", "dram_nbl", "icnt_latency", "precision", "icnt_injection_ports_per_core"})
      QVERIFY(npu_says(refused(key, 2.9, false), {key, " is 2.9; wanted a whole number from "}));
    for (const char* key : {"core_width", "spad_size", "accum_spad_size", "vector_process_bit", "add_latency",
                            "exp_latency", "scalar_mul_latency"})
      QVERIFY(npu_says(refused(key, 9.5, true), {key, " is 9.5; wanted a whole number from "}));
    QCOMPARE(refused("precision", 2.0, false), std::string());
    QCOMPARE(refused("dram_size", 0.5, false), std::string());
    QVERIFY(npu_says(refused("partition", "x", false), {"partition is \"x\"; wanted an object"}));
    QVERIFY(npu_says(refused("partition", {{"core_0", 0.5}}, false), {"core_0 is 0.5; wanted a whole number"}));
    const auto listed = [](const std::string& rest) {
      return npu_why([&rest] { npu::read_model_list(R"({"models": [{"name": "a", )" + rest + "}]}"); });
    };
    QVERIFY(npu_says(listed(R"("partition_id": 0.5)"), {"model 1", "partition_id is 0.5; wanted a whole number"}));
    QVERIFY(npu_says(listed(R"("nr_atten": 1.5)"), {"nr_atten is 1.5; wanted a whole number"}));
    QVERIFY(npu_says(listed(R"("file": 5)"), {"file is 5; wanted the name"}));
    QCOMPARE(listed(R"("request_time": 0.5)"), std::string());
  }
  void a_list_reads_regular_files_of_its_folder_alone() {
    const NpuFolder files;
    const std::string good = npu_onnx(npu_onnx_node("Relu", {"x"}, "y"));
    files.write("in/a.onnx", good), files.write("in/models/b/b.onnx", good), files.write("in/sub/c.onnx", good);
    files.write("out.onnx", good), files.write("in/d.onnx", good), files.write("out.mapping", "");
    const std::filesystem::path in = files.path / "in";
    std::filesystem::create_symlink(files.path / "out.onnx", in / "link.onnx");
    std::filesystem::create_symlink("a.onnx", in / "inner.onnx");
    QCOMPARE(::mkfifo((in / "pipe.onnx").c_str(), 0600), 0);
    std::filesystem::create_symlink(files.path / "out.mapping", in / "d.mapping");
    const auto refusal = [&files](const std::string& name, const std::string& file) {
      nlohmann::json one = {{"name", name}};
      if (!file.empty()) one["file"] = file;
      const std::string list = files.write("in/list.json", nlohmann::json{{"models", {one}}}.dump());
      return npu_refusal({{"workload", "list"}, {"model_list", list}});
    };
    QCOMPARE(refusal("a", ""), std::string());
    QCOMPARE(refusal("b", ""), std::string());
    QCOMPARE(refusal("x", "sub/c.onnx"), std::string());
    QCOMPARE(refusal("x", "sub/../a.onnx"), std::string());
    QCOMPARE(refusal("x", "inner.onnx"), std::string());
    const std::vector<std::pair<std::string, std::string>> outside = {{"x", "../out.onnx"},
                                                                      {"x", "/etc/passwd"},
                                                                      {"x", "/dev/zero"},
                                                                      {"x", "link.onnx"},
                                                                      {"../out", ""},
                                                                      {"d", ""},
                                                                      {"x", (in / "a.onnx").string()}};
    for (const auto& [name, file] : outside)
      QVERIFY(
          npu_says(refusal(name, file), {"/parameters/model_list: ", "lies outside", "wanted a file in it or below"}));
    QVERIFY(npu_says(refusal("x", "pipe.onnx"), {"pipe.onnx: it is a pipe; wanted a regular file"}));
    QVERIFY(npu_says(refusal("x", "sub"), {"sub: it is a folder; wanted a regular file"}));
    QVERIFY(npu_says(refusal("x", "no.onnx"), {"no.onnx: there is no such file"}));
    // The parameters' own files too.
    QVERIFY(
        npu_says(npu_refusal({{"hardware_file", "/dev/zero"}}), {"/dev/zero: it is a device; wanted a regular file"}));
    QVERIFY(npu_says(npu_why([&in] { plugin_support::regular_file_content((in / "a.onnx").string(), 5); }),
                     {"bytes or more; wanted at most 5"}));
    QCOMPARE(plugin_support::regular_file_content((in / "a.onnx").string(), good.size()), good);
  }
};

QTEST_APPLESS_MAIN(TestNpuBadInput)
#include "tst_npu_bad_input.moc"
