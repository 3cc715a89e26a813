// Whole networks read from ONNX files, and models that share cores, against the cycles that the reference counts,
// exactly.
#include <QtTest>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "plugins/npu/engine/graph.h"
#include "plugins/npu/engine/single_layer.h"

namespace {

std::string npu_network_case(const std::string& file) {
  const char* given = std::getenv("ERGODE_CASES");
  return std::string(given != nullptr ? given : ERGODE_SOURCE_DIR "/../shared/cases") + "/onnxim/" + file;
}
std::string npu_bytes(const std::string& file) {
  std::ifstream in(npu_network_case(file), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
/// "sequence,layer,finish,cycles" of a run, one a line.
std::string npu_expected(const std::string& file, const std::string& run) {
  std::ifstream in(npu_network_case(file));
  std::string out;
  for (std::string line; std::getline(in, line);)
    if (line.rfind(run + ",", 0) == 0) out += line.substr(run.size() + 1) + "\n";
  return out;
}
std::string npu_seen(const npu::NpuResult& r, bool with_model, bool with_end) {
  std::string out;
  for (std::size_t i = 0; i < r.layers.size(); ++i) {
    const npu::LayerRecord& l = r.layers[i];
    out += std::to_string(i) + "," + (with_model ? l.model + (l.layer.empty() ? "" : " ") : "") +
           (l.layer.empty() && !with_model ? "qkv_projection" : l.layer) + "," + std::to_string(l.finish) + "," +
           std::to_string(l.finish - l.start) + "\n";
  }
  return with_end ? out + "end,SIMULATION_END," + std::to_string(r.cycles) + ",\n" : out;
}
npu::Hardware npu_shared(const std::string& config) {
  npu::Hardware h = npu::find_hardware(config.substr(0, config.find("_c4"))).value_or(npu::Hardware());
  const auto ends = [&config](const std::string& end) {
    return config.size() > end.size() && config.substr(config.size() - end.size()) == end;
  };
  for (const std::string end : {"_tm", "_part", "_split"})
    if (ends(end)) h = npu::find_hardware(config.substr(0, config.find('_', config.find('_') + 1))).value();
  if (config.find("_c4_p2") != std::string::npos) h.cores.resize(4, h.cores[0]), h.precision = 2;
  if (ends("_tm")) h.policy = npu::SharingPolicy::time_multiplex;
  if (ends("_split")) h.policy = npu::SharingPolicy::spatial_split;
  if (ends("_part"))
    h.policy = npu::SharingPolicy::partition_cpu,
    h.partition = config[0] == 'm' ? std::vector<std::uint32_t>{0, 0, 1, 1} : std::vector<std::uint32_t>{0, 1, 1, 1};
  return h;
}

}  // namespace

class TestNpuNetworks : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_network_takes_the_reference_s_cycles_data() {
    QTest::addColumn<QString>("config");
    QTest::addColumn<QString>("model");
    for (const auto& [config, model] : {std::pair{"m8_simple", "resnet18_tiny"},
                                        {"m8_ddr4", "resnet18_tiny"},
                                        {"tpu_hbm2", "resnet18"},
                                        {"tpu_simple", "resnet50"},
                                        {"m8_simple", "bert_tiny"},
                                        {"tpu_simple", "bert_base_s128"}})
      QTest::newRow((std::string(config) + " " + model).c_str()) << config << model;
  }
  void a_network_takes_the_reference_s_cycles() {
    QFETCH(QString, config);
    QFETCH(QString, model);
    const std::string bytes = npu_bytes("models/" + model.toStdString() + ".onnx");
    if (bytes.empty()) QSKIP("no cases folder: ERGODE_CASES names none with onnxim");
    const npu::Hardware h = npu::find_hardware(config.toStdString()).value();
    npu::AddressSpace space;
    const npu::NpuResult r = npu::simulate(h, space, {npu::one_graph(h, space, npu::read_onnx(bytes))});
    const std::string wanted = npu_expected("network_layers.csv", (config + "," + model).toStdString());
    const std::string seen = npu_seen(r, false, wanted.find("SIMULATION_END") != std::string::npos);
    QVERIFY2(seen == wanted, (seen + "wanted\n" + wanted).c_str());
  }
  /// performance_representatives, validation: a network as the sum of its layers, each run alone.
  void a_network_is_nearly_the_sum_of_its_layers() {
    const std::string bytes = npu_bytes("models/resnet18_tiny.onnx");
    if (bytes.empty()) QSKIP("no cases folder: ERGODE_CASES names none with onnxim");
    const npu::Hardware h = npu::find_hardware("m8_simple").value();
    const npu::Graph graph = npu::read_onnx(bytes);
    std::uint64_t sum = 0, whole = 0, convolutions = 0, products = 0;
    for (const plugin_support::ShapedLayer& layer : plugin_support::shaped_layers(graph)) {
      npu::AddressSpace space;
      const npu::ModelInstance one =
          layer.conv ? npu::one_conv(h, space, *layer.conv) : npu::one_gemm(h, space, *layer.product, true);
      ++(layer.conv ? convolutions : products);
      sum += npu::simulate(h, space, {one}).layers.at(0).finish;
    }
    npu::AddressSpace space;
    for (const npu::LayerRecord& layer : npu::simulate(h, space, {npu::one_graph(h, space, graph)}).layers) {
      whole = std::max(whole, layer.finish);
      if (layer.finish - layer.start <= 2) sum += layer.finish - layer.start;  // those that cost nothing
    }
    QCOMPARE(convolutions, 20U);
    QCOMPARE(products, 1U);
    QCOMPARE(whole, 42113U);
    QCOMPARE(sum, 41948U);
  }
  /// The generator of the examples writes the same networks as those that the reference ran.
  void the_examples_networks_take_the_reference_s_cycles() {
    const npu::Hardware h = npu::find_hardware("tpu_simple").value();
    for (const auto& [file, model] :
         {std::pair{"resnet50", "resnet50"}, std::pair{"transformer_block", "bert_base_s128"}}) {
      const std::string wanted = npu_expected("network_layers.csv", std::string("tpu_simple,") + model);
      if (wanted.empty()) QSKIP("no cases folder: ERGODE_CASES names none with onnxim");
      std::ifstream in(std::string(ERGODE_SOURCE_DIR "/examples/37_two_tenants/") + file + ".onnx", std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(in), {}};
      npu::AddressSpace space;
      const npu::NpuResult r = npu::simulate(h, space, {npu::one_graph(h, space, npu::read_onnx(bytes))});
      // Layers have their own names in the transformer block: finish and cycles count.
      std::istringstream lines(wanted);
      std::string line;
      for (const npu::LayerRecord& layer : r.layers) {
        QVERIFY(std::getline(lines, line));
        const std::string end = "," + std::to_string(layer.finish) + "," + std::to_string(layer.finish - layer.start);
        QVERIFY2(line.size() > end.size() && line.compare(line.size() - end.size(), end.size(), end) == 0,
                 (layer.layer + end + "\nwanted " + line).c_str());
      }
      QVERIFY(std::getline(lines, line));
      QCOMPARE(line, "end,SIMULATION_END," + std::to_string(r.cycles) + ",");
    }
  }
  void models_that_share_cores_take_the_reference_s_cycles_data() {
    QTest::addColumn<QString>("config");
    QTest::addColumn<QString>("list");
    for (const char* config :
         {"tpu_simple", "tpu_simple_tm", "tpu_simple_part", "tpu_simple_split", "tpu_hbm2", "tpu_hbm2_part"})
      QTest::newRow((std::string(config) + " two").c_str()) << config << "two";
    QTest::newRow("tpu_simple three_timed") << "tpu_simple"
                                            << "three_timed";
    for (const char* config :
         {"m8_simple_c4_p2", "m8_simple_c4_p2_tm", "m8_simple_c4_p2_part", "m8_simple_c4_p2_split"})
      QTest::newRow((std::string(config) + " two_tiny").c_str()) << config << "two_tiny";
  }
  void models_that_share_cores_take_the_reference_s_cycles() {
    QFETCH(QString, config);
    QFETCH(QString, list);
    const std::string wanted = npu_expected("multi_tenant.csv", (config + "," + list).toStdString());
    if (wanted.empty()) QSKIP("no cases folder: ERGODE_CASES names none with onnxim");
    const npu::Hardware h = npu_shared(config.toStdString());
    npu::AddressSpace space;
    std::vector<npu::ModelInstance> models;
    const auto product = [&](std::uint64_t i, std::uint64_t k, std::uint64_t j, double ms) {
      models.push_back(npu::one_gemm(h, space, {i, k, j}, false));
      models.back().name = "matmul_" + std::to_string(i) + "_" + std::to_string(k) + "_" + std::to_string(j);
      models.back().request_ps = static_cast<std::uint64_t>(ms * 1e9);
      models.back().partition = static_cast<std::uint32_t>(models.size() - 1);
    };
    if (list == "two_tiny") {
      for (const char* name : {"resnet18_tiny64", "bert_tiny"}) {
        models.push_back(npu::one_graph(h, space, npu::read_onnx(npu_bytes(std::string("models/") + name + ".onnx"))));
        models.back().name = name, models.back().partition = static_cast<std::uint32_t>(models.size() - 1);
      }
    } else {
      product(512, 512, 512, 0.0), product(512, 768, 3072, list == "two" ? 0.0 : 0.01);
      if (list == "three_timed") product(128, 128, 128, 0.005);
    }
    npu::NpuResult r = npu::simulate(h, space, std::move(models));
    for (npu::LayerRecord& l : r.layers)
      if (l.layer == "gemm") l.layer = "mm";
    const std::string seen = npu_seen(r, h.policy != npu::SharingPolicy::simple, true);
    QVERIFY2(seen == wanted, (seen + "wanted\n" + wanted).c_str());
  }
  void a_broken_file_is_refused() {
    const std::string whole = npu_bytes("models/bert_tiny.onnx");
    if (whole.empty()) QSKIP("no cases folder: ERGODE_CASES names none with onnxim");
    const npu::Hardware h = npu::find_hardware("m8_simple").value();
    int refused = 0;
    for (std::size_t length = 0; length < whole.size(); length += 7) try {
        npu::AddressSpace space;
        npu::one_graph(h, space, npu::read_onnx(std::string_view(whole).substr(0, length))).build(space);
      } catch (const std::invalid_argument&) {
        ++refused;
      }
    QCOMPARE(refused, static_cast<int>((whole.size() + 6) / 7));
  }
};

QTEST_APPLESS_MAIN(TestNpuNetworks)
#include "tst_npu_networks.moc"
