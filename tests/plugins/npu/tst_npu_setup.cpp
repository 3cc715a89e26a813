// The code goes by the numbers of parameters that plugin.json lists by name: they are the same. Bad input is told.
#include <QtTest>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "plugins/npu/engine/roofline.h"
#include "plugins/npu/setup.h"
#include "tests/plugins/asked_input.h"

namespace {

nlohmann::json npu_manifest() { return ergode::test::manifest_of("npu"); }
npu::NpuSetup npu_setup(const nlohmann::json& changed = nlohmann::json::object()) {
  return npu::read_npu_setup(ergode::test::AskedInput("npu", changed).input());
}
std::string npu_refused(const std::string& hardware) {
  try {
    npu::read_hardware(hardware);
  } catch (const std::invalid_argument& bad) {
    return bad.what();
  }
  return "";
}

}  // namespace

class TestNpuSetup : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void every_parameter_goes_where_its_name_says() {
    QCOMPARE(npu_manifest()["parameters"].size(), static_cast<std::size_t>(npu::NpuParameter::count));
    const npu::NpuSetup plain = npu_setup();
    QVERIFY(plain.hardware.dram == npu::DramKind::hbm2 && plain.workload == npu::NpuSetup::Workload::gemm);
    const npu::NpuSetup s = npu_setup({{"hardware", "m8_ddr4"},
                                       {"workload", "conv"},
                                       {"axis_size", 2},
                                       {"rows", 3},
                                       {"depth", 4},
                                       {"columns", 5},
                                       {"bias", true},
                                       {"image", 16},
                                       {"in_channels", 7},
                                       {"out_channels", 8},
                                       {"kernel", 9},
                                       {"stride", 10},
                                       {"padding", 11},
                                       {"copies", 12},
                                       {"policy", "spatial_split"}});
    QVERIFY(s.hardware.dram == npu::DramKind::ddr4 && s.hardware.policy == npu::SharingPolicy::spatial_split);
    QVERIFY(s.workload == npu::NpuSetup::Workload::conv && s.bias);
    QVERIFY(s.axis_size == 2 && s.gemm.rows == 3 && s.gemm.depth == 4 && s.gemm.columns == 5 && s.conv.wide.size == 16);
    QVERIFY(s.conv.in_channels == 7 && s.conv.out_channels == 8 && s.conv.high.kernel == 9 && s.conv.high.stride == 10);
    QVERIFY(s.conv.square() && s.conv.high.pad == 11 && s.copies == 12);
  }
  void a_transformer_goes_where_its_names_say() {
    const npu::NpuSetup s = npu_setup({{"workload", "language"},
                                       {"language", "llama3_8b"},
                                       {"request_count", 3},
                                       {"prompt", 7},
                                       {"generated", 5},
                                       {"cached", 2},
                                       {"interval", 100},
                                       {"batching", "simple"},
                                       {"max_batch", 2},
                                       {"must_fit", false},
                                       {"corrected", true},
                                       {"attention_layers", 6}});
    QVERIFY(s.workload == npu::NpuSetup::Workload::language && s.language.gated && s.language.kv_heads == 8);
    QVERIFY(s.requests.size() == 3 && s.requests[2].cycle == 200 && s.requests[1].prompt == 7);
    QVERIFY(s.requests[0].tokens == 5 && s.requests[0].cached == 2 && s.attention_layers == 6);
    QVERIFY(!s.batching.continuous && s.batching.max_batch == 2 && !s.batching.must_fit && s.hardware.corrected);
    QVERIFY(npu_setup({{"workload", "language"}}).batching.continuous);
  }
  void lists_and_traces_are_read() {
    const auto list = npu::read_model_list(R"({"models": [{"name": "a", "request_time": 0.5, "partition_id": 2,
      "nr_atten": 3, "output_seq_len": 40, "seq_len": 8, "target_core": 1}, {"name": "a", "file": "b.onnx"}]})");
    QVERIFY(list.size() == 2 && list[0].request_ms == 0.5 && list[0].partition == 2 && list[0].tokens == 40);
    QVERIFY(list[0].attention_layers == 3 && list[0].axes.size() == 1 && list[0].axes.at("seq_len") == 8);
    QCOMPARE(list[1].file, std::string("b.onnx"));
    for (const char* bad :
         {"", "[]", R"({"models": []})", R"({"models": [{}]})", R"({"models": [{"name": ""}]})",
          R"({"models": [{"name": "a", "request_time": -1}]})", R"({"models": [{"name": "a", "seq_len": "x"}]})"})
      QVERIFY_THROWS_EXCEPTION(std::invalid_argument, npu::read_model_list(bad));
    const auto requests = npu::read_requests("time,prompt_length,target_length\n5,1,2\n7,3,4\n");
    QVERIFY(requests.size() == 2 && requests[1].cycle == 12 && requests[1].prompt == 3 && requests[1].tokens == 4);
    QVERIFY(requests[0].cached == 0);
    for (const char* bad : {"", "time,prompt_length\n1,2\n", "time,prompt_length,target_length\n0,0,1\n",
                            "time,prompt_length,target_length\n0,1.5,1\n"})
      QVERIFY_THROWS_EXCEPTION(std::invalid_argument, npu::read_requests(bad));
    for (const char* bad : {"[]", R"({"hidden_size": 0})", R"({"hidden_size": 100, "num_attention_heads": 12})",
                            R"({"activation_function": "tanh"})", R"({"num_kv_heads": 5})",
                            R"({"tensor_parallel_size": 5})", R"({"run_single_layer": 1})"})
      QVERIFY_THROWS_EXCEPTION(std::invalid_argument, npu::read_language_model(bad));
    // A partition without cores would never run.
    npu::NpuSetup s;
    s.hardware = npu::find_hardware("tpu_simple").value();
    s.hardware.policy = npu::SharingPolicy::partition_cpu;
    npu::AddressSpace space;
    std::vector<npu::ModelInstance> models = {npu::one_gemm(s.hardware, space, {8, 8, 8}, false)};
    models[0].partition = 1;
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, npu::simulate(s.hardware, space, models));
    // A request that does not fit into its cache.
    s.workload = npu::NpuSetup::Workload::language;
    s.requests = {{0, 4000, 1, 0}};
    QVERIFY_THROWS_EXCEPTION(plugin_support::BadInput, npu::run_setup(s));
  }
  void bad_input_is_told() {
    QVERIFY_THROWS_EXCEPTION(plugin_support::BadInput, npu_setup({{"workload", "list"}}));
    QVERIFY_THROWS_EXCEPTION(plugin_support::BadInput,
                             npu_setup({{"workload", "list"}, {"model_list", "/nowhere.json"}}));
    QVERIFY_THROWS_EXCEPTION(plugin_support::BadInput, npu_setup({{"mapping_file", "/nowhere.mapping"}}));
    QVERIFY_THROWS_EXCEPTION(plugin_support::BadInput,
                             npu_setup({{"workload", "language"}, {"requests", "/nowhere.csv"}}));
    QVERIFY_THROWS_EXCEPTION(plugin_support::BadInput, npu_setup({{"workload", "onnx"}}));
    QVERIFY_THROWS_EXCEPTION(plugin_support::BadInput, npu_setup({{"workload", "onnx"}, {"model", "/nowhere.onnx"}}));
    QVERIFY_THROWS_EXCEPTION(plugin_support::BadInput,
                             npu_setup({{"workload", "conv"}, {"image", 1}, {"kernel", 9}, {"padding", 0}}));
    QCOMPARE(npu_refused("no"), std::string("line 1, column 2: it is no JSON"));
    QCOMPARE(npu_refused(R"({"num_cores": 1})"), std::string("core_config has no object core_0"));
    const std::string core = R"({"num_cores": 1, "core_config": {"core_0": {"core_width": 8, "core_height": 8}}, )";
    QCOMPARE(npu_refused(core + R"("dram_type": "fast"})"),
             std::string("dram_type is \"fast\"; wanted ramulator2, simple"));
    QCOMPARE(npu_refused(core + R"("dram_channels": 20})"), std::string("channels are 1 to 16, 32 or 64"));
    QCOMPARE(npu_refused(core + R"("precision": 1})"), std::string());
  }
  /// One product of 8 on an array of 8 is idle again after 39 cycles; two of them after 47.
  void the_closed_form_of_an_array() {
    const npu::Hardware h = npu::find_hardware("m8_simple").value();
    for (std::uint32_t products : {1U, 2U}) {
      npu::Core core(h.cores[0], 0);
      auto job = std::make_unique<npu::TileJob>();
      npu::Instruction product;
      product.op = npu::Op::preload, product.dst = npu::in_accumulator, product.n = 8;
      job->tile.instructions.assign(products, product);
      job->accumulator_blocks = 1;
      core.admit(std::move(job));
      unsigned cycles = 0;
      for (; core.busy(); ++cycles) core.step();
      QCOMPARE(cycles, products == 1 ? 39U : 47U);
    }
  }
  /// Shapes of all kinds end, and no layer is faster than its array or its memory could be.
  void random_shapes_end_and_keep_their_bounds() {
    std::uint64_t seed = 1;
    const auto draw = [&seed](std::uint64_t most) {
      seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
      return 1 + (seed >> 33) % most;
    };
    for (int i = 0; i < 200; ++i) {
      npu::NpuSetup s;
      s.hardware = npu::find_hardware(i % 2 == 0 ? "m8_simple" : "m8_ddr4").value();
      s.hardware.cores.resize(draw(4), s.hardware.cores[0]);
      s.hardware.precision = static_cast<std::uint32_t>(draw(2)),
      s.hardware.policy = static_cast<npu::SharingPolicy>(draw(4) - 1);
      s.copies = static_cast<std::uint32_t>(draw(2)), s.bias = draw(2) == 1;
      s.gemm = {draw(70), draw(70), draw(70)};
      const std::uint64_t size = draw(12), inputs = draw(20), outputs = draw(20), stride = draw(2);
      s.conv = npu::ConvShape(size, inputs, outputs, std::min<std::uint64_t>(draw(3), size), stride, draw(2) - 1);
      s.workload = i % 3 == 0 ? npu::NpuSetup::Workload::conv : npu::NpuSetup::Workload::gemm;
      const npu::NpuResult r = npu::run_setup(s, {}, [](std::uint64_t cycle) { return cycle > 2000000; }).run;
      QVERIFY2(!r.cancelled, ("run " + std::to_string(i)).c_str());
      QCOMPARE(r.layers.size(), std::size_t{s.copies});
      if (s.workload == npu::NpuSetup::Workload::conv) continue;
      const double flops = 2.0 * static_cast<double>(s.gemm.rows * s.gemm.depth * s.gemm.columns) * s.copies;
      QVERIFY(static_cast<double>(r.cycles) >= flops / s.hardware.peak_gflops());  // at 1 GHz
      const double bytes = static_cast<double>(r.requests) * s.hardware.request_bytes;
      QVERIFY(static_cast<double>(r.cycles) >= bytes / s.hardware.peak_gb_per_s());
      // The reference ends a layer when its writes were sent; where they are waited for, each keeps its own bounds.
      s.hardware.corrected = true, s.copies = 1;
      const npu::NpuResult waited = npu::run_setup(s, {}, {}).run;
      const npu::LayerRecord& layer = waited.layers.at(0);
      const auto cycles = static_cast<double>(layer.finish - layer.start);
      const double at_least =
          npu::roofline(s.hardware, layer.work).seconds * 1e6 * static_cast<double>(s.hardware.core_mhz);
      QVERIFY2(cycles >= at_least, qPrintable(QString("%1: %2 of %3").arg(i).arg(cycles).arg(at_least)));
      QVERIFY(cycles >= static_cast<double>(layer.requests) * s.hardware.request_bytes / s.hardware.peak_gb_per_s());
    }
  }

  /// Few terms and much to write, and the layers of a network: below their bounds in the reference, at them here.
  void layers_that_wait_for_their_writes_keep_their_bounds() {
    for (const char* preset : {"tpu_hbm2", "tpu_simple"}) {
      double least[2] = {};
      for (const bool corrected : {false, true}) {
        npu::NpuSetup s;
        s.hardware = npu::find_hardware(preset).value();
        s.hardware.corrected = corrected;
        s.workload = npu::NpuSetup::Workload::gemm, s.gemm = {1024, 16, 1024};
        const npu::NpuResult r = npu::run_setup(s, {}, {}).run;
        const npu::LayerRecord& layer = r.layers.at(0);
        least[corrected] = static_cast<double>(layer.finish - layer.start) / static_cast<double>(s.hardware.core_mhz) /
                           1e6 / npu::roofline(s.hardware, layer.work).seconds;
      }
      QVERIFY2(least[0] < 1.0 && least[1] >= 1.0, qPrintable(QString("%1, %2").arg(least[0]).arg(least[1])));
    }
  }
};

QTEST_APPLESS_MAIN(TestNpuSetup)
#include "tst_npu_setup.moc"
