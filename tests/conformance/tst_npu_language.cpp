// Transformers by their numbers with a trace of requests, against the cycles that the reference counts: every row
// exactly.
#include <QtTest>
#include <fstream>
#include <iterator>

#include "plugins/npu/engine/language.h"
#include "tests/conformance/cases.h"

namespace {

std::string language_bytes(const std::string& file) {
  std::ifstream in(ergode::test::case_folder("onnxim") + "/" + file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
/// "sequence,layer,finish,cycles" of a run, one a line.
std::vector<std::string> language_expected(const std::string& run) {
  std::istringstream in(language_bytes("language_layers.csv"));
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);)
    if (line.rfind(run + ",", 0) == 0) out.push_back(line.substr(run.size() + 1));
  return out;
}
npu::Hardware language_hardware(const std::string& config) {
  npu::Hardware h = npu::find_hardware(config.substr(0, config.find("_c4"))).value();
  if (config.find("_c4_p2") != std::string::npos) h.cores.resize(4, h.cores[0]), h.precision = 2;
  return h;
}
std::vector<std::string> language_seen(const npu::LanguageResult& r) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < r.run.layers.size(); ++i) {
    const npu::LayerRecord& l = r.run.layers[i];
    out.push_back(std::to_string(i) + "," + l.layer + "," + std::to_string(l.finish) + "," +
                  std::to_string(l.finish - l.start));
  }
  out.push_back("end,SIMULATION_END," + std::to_string(r.run.cycles) + ",");
  for (std::size_t i = 0; i < r.requests.size(); ++i)
    out.push_back("request,REQUEST_" + std::to_string(i) + "_LATENCY,," +
                  std::to_string(r.requests[i].finish - r.requests[i].start));
  return out;
}

}  // namespace

class TestNpuLanguage : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_transformer_takes_the_reference_s_cycles_data() {
    QTest::addColumn<QString>("config");
    QTest::addColumn<QString>("model");
    QTest::addColumn<bool>("continuous");
    QTest::addColumn<QString>("trace");
    const auto row = [](const char* config, const char* model, bool continuous, const char* trace) {
      QTest::newRow((std::string(config) + " " + model + (continuous ? " iter " : " simple ") + trace).c_str())
          << QString(config) << QString(model) << continuous << QString(trace);
    };
    row("m8_simple", "tinylm", true, "t1.csv");
    row("m8_simple", "tinylm", false, "t1.csv");
    row("m8_simple", "tinylm_gelu1", true, "t2.csv");
    row("m8_simple", "tinylm_long", true, "t5.csv");
    row("m8_simple", "tinylm_tp2", false, "t1.csv");
    row("m8_simple_c4_p2", "tinylm_gqa", false, "t1.csv");
    row("tpu_hbm2", "opt-125m", false, "t3.csv");
    row("tpu_simple", "opt-125m", true, "t4.csv");
  }
  void a_transformer_takes_the_reference_s_cycles() {
    QFETCH(QString, config);
    QFETCH(QString, model);
    QFETCH(bool, continuous);
    QFETCH(QString, trace);
    if (ergode::test::case_folder("onnxim").empty()) QSKIP("no cases folder: ERGODE_CASES names none with onnxim");
    const std::string run = (config + "," + model + "," + (continuous ? "iter," : "simple,") + trace).toStdString();
    const std::vector<std::string> wanted = language_expected(run);
    QVERIFY(wanted.size() > 20);
    npu::LanguageBatching batching;
    batching.continuous = continuous, batching.max_batch = 4;
    const auto numbers = npu::read_language_model(language_bytes("models/language/" + model.toStdString() + ".json"));
    const npu::LanguageResult r =
        npu::simulate_language(language_hardware(config.toStdString()), numbers,
                               npu::read_requests(language_bytes("traces/" + trace.toStdString())), batching);
    const std::vector<std::string> seen = language_seen(r);
    // The longest run is kept up to the end of its first request.
    std::size_t layers = 0;
    bool whole = false;
    for (const std::string& line : wanted) {
      const bool layer = std::isdigit(static_cast<unsigned char>(line[0])) != 0;
      whole = whole || line.rfind("end", 0) == 0;
      const auto first = seen.begin() + static_cast<std::ptrdiff_t>(layers), last = layer ? first + 1 : seen.end();
      QVERIFY2(std::find(first, last, line) != last, ("wanted " + line + "\nseen " + *first).c_str());
      layers += layer ? 1 : 0;
    }
    if (whole) QCOMPARE(layers, r.run.layers.size());
  }
};

QTEST_APPLESS_MAIN(TestNpuLanguage)
#include "tst_npu_language.moc"
