// Simulators that ask others: what is answered is what the target says when it is asked directly, and whatever a target
// or a question does is told as theirs.
#include <QTemporaryDir>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "app/session/catalogue.h"
#include "core/base/text.h"
#include "plugins/host/check_plugin.h"
#include "plugins/host/plugin_process.h"
#include "plugins/host/target_service.h"
#include "tests/plugins/asked_input.h"
#include "tests/plugins/plugin_test.h"
#include "tests/solvers/queueing/drawn_network.h"
#include "tests/support/test_processes.h"

using namespace ergode;
using namespace ergode::test;
namespace fs = std::filesystem;

namespace {

/// What a run of the plugin with these parameters and this seed observes, without anybody between.
struct Heard : PluginListener {
  std::map<std::size_t, std::vector<double>> values;
  void observe(std::size_t output, std::span<const double> all) override {
    values[output].insert(values[output].end(), all.begin(), all.end());
  }
};
Heard run_directly(const std::string& name, const std::map<std::string, std::string>& sets, std::uint64_t seed) {
  const FoundPlugin& plugin = plugin_named(name);
  Diagnostics problems;
  const auto table = ParameterTable::resolve(parameters_document(*plugin.manifest), "", sets, problems);
  if (has_errors(problems)) throw std::runtime_error(codes_of(problems));
  PluginProcess process(plugin, PluginProcess::Capability::simulator, plugin_input(*plugin.manifest, table), {});
  Heard out;
  process.run(0, seed, out);
  process.stop();
  return out;
}

double measured_by(const ResultSet& r, const char* id) {
  if (r.status != RunStatus::complete) throw std::runtime_error(r.stop_reason + " " + codes_of(r.diagnostics));
  return r.measure(id)->estimate;
}
const ResultTable& table_of(const ResultSet& r, const std::string& name) {
  for (const ResultTable& one : r.tables)
    if (one.name == name) return one;
  throw std::runtime_error("no table " + name + ": " + r.stop_reason + " " + codes_of(r.diagnostics));
}
double number_in(const ResultTable& table, std::size_t row, const std::string& label) {
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    if (table.columns[c].label == label) return std::get<double>(table.rows.at(row)[c]);
  throw std::runtime_error("no column " + label);
}
std::string word_in(const ResultTable& table, std::size_t row, std::size_t column) {
  return std::get<std::string>(table.rows.at(row)[column]);
}

}  // namespace

class TestPluginTargets : public QObject {
  Q_OBJECT
  const TestProcesses processes_;
  QTemporaryDir folder_;

  std::string file(const std::string& name, const std::string& text) const {
    const std::string path = folder_.filePath(QString::fromStdString(name)).toStdString();
    std::ofstream(path) << text;
    return path;
  }
  ResultSet ask(const std::string& questions, const std::map<std::string, std::string>& more = {},
                const std::string& time_limit = {}, const FoundPlugin& asker = plugin_named("asking")) const {
    std::map<std::string, std::string> sets = more;
    sets["questions"] = file("questions.json", questions);
    RunControl control;
    return run_plugin(asker, {.sets = sets, .replications = 1, .time_limit = time_limit}, control);
  }
  ResultSet learn(const std::string& target, std::map<std::string, std::string> more = {},
                  std::uint64_t replications = 1, unsigned threads = 1) const {
    more["source"] = "plugin", more["target_file"] = file("target.json", target);
    return run_plugin("performance_representatives", {.sets = more, .replications = replications, .threads = threads});
  }
  FoundPlugin plugin_here(const std::string& name) const {
    return read_plugin(folder_.filePath("plugins").toStdString() + "/" + name, "path");
  }
  int left_running(const char* word) const {
    for (int i = 0; i < 100 && processes_.running(word) > 0; ++i) QTest::qSleep(20);
    return processes_.running(word);
  }
  /// A plugin of the tests under another name, with a word of its manifest put in another's place.
  void copy_plugin(const std::string& from, const std::string& name, const std::string& word,
                   const std::string& other) const {
    const fs::path to = folder_.filePath("plugins").toStdString() + "/" + name;
    fs::create_directories(to.parent_path());
    fs::copy(test_plugins + "/" + from, to, fs::copy_options::recursive);
    std::ifstream in(to / "plugin.json");
    std::string text{std::istreambuf_iterator<char>(in), {}};
    in.close();
    for (const auto& [a, b] : {std::pair{"\"name\": \"" + from + "\"", "\"name\": \"" + name + "\""}, {word, other}}) {
      const auto at = text.find(a);
      if (at == std::string::npos) throw std::runtime_error(from + " has no " + a);
      text.replace(at, a.size(), b);
    }
    std::ofstream(to / "plugin.json") << text;
  }

 private Q_SLOTS:
  void initTestCase() {
    copy_plugin("misbehaving", "hasty", "\"time_limit_s\": 20", "\"time_limit_s\": 1");
    const std::string usual = file("usual.json", json_of("[{'plugin': 'single_server', 'output': 'wait', 'seed': 8}]"));
    copy_plugin("asking", "asking_always", "\"type\": \"file\", \"default\": \"\"",
                "\"type\": \"file\", \"default\": \"" + usual + "\"");
    copy_plugin("asking", "asking_unasked", "\"measures_targets\": true,", "");
    qputenv("ERGODE_PLUGIN_PATH", (folder_.filePath("plugins") + ":" + QString::fromStdString(test_plugins)).toUtf8());
    catalogue();
  }

  // Rows of the specification of performance representatives: sweeps of the npu's m8_simple, the other sizes at 16.
  void stairs_of_the_npu_are_found_by_running_it() {
    const ResultSet r =
        learn(json_of("{'plugin': 'npu', 'output': 'time', 'parameters': {'hardware': 'm8_simple'}, 'types': [ "
                      "{'type': 'gemm', 'swept': {'I': {'low': 1, 'high': 33, 'base': 16, 'sets': 'rows'}, 'J': "
                      "{'low': 1, 'high': 33, 'base': 16, 'sets': ['columns']}, 'K': {'low': 16, 'high': 16, 'sets': "
                      "'depth'}}}, {'type': 'conv', 'parameters': {'workload': 'conv', 'image': 8, 'in_channels': 16}, "
                      "'swept': {'Co': {'low': 1, 'high': 33, 'sets': 'out_channels'}}}]}"),
              {{"samples", "25"}, {"tests", "30"}});
    constexpr double per_us = 1000.0;  // cycles
    const ResultTable& sweeps = table_of(r, "sweeps");
    std::map<std::string, std::vector<double>> times;
    for (std::size_t row = 0; row < sweeps.rows.size(); ++row)
      times[word_in(sweeps, row, 0) + " " + word_in(sweeps, row, 1)].push_back(
          std::round(per_us * number_in(sweeps, row, "Time")));
    std::vector<double> rows, columns = {99, 99, 101, 101, 101, 101, 103, 103},
                              convolution = {1256, 1254, 1254, 1254, 1254, 1256, 1256, 1256, 2407, 2407, 2409, 2409,
                                             2407, 2407, 2407, 2409, 3562, 3562, 3562, 3560, 3560, 3560, 3560, 3562};
    for (const double start : {97.0, 131.0, 163.0, 195.0}) {
      rows.insert(rows.end(), 4, start);
      for (int i = 0; i < 4; ++i) rows.push_back((start == 97.0 ? 100.0 : start + 1.0) + i);
    }
    rows.push_back(227);
    for (const double level : {135.0, 167.0, 199.0}) columns.insert(columns.end(), 8, level);
    columns.push_back(231);
    convolution.insert(convolution.end(), 8, 4716), convolution.push_back(5865);
    QCOMPARE(times.size(), std::size_t{3});
    QCOMPARE(times["gemm I"], rows);
    QCOMPARE(times["gemm J"], columns);
    QCOMPARE(times["conv Co"], convolution);
    const ResultTable& widths = table_of(r, "widths");
    for (std::size_t row = 0; row < widths.rows.size(); ++row)
      if (times.contains(word_in(widths, row, 0) + " " + word_in(widths, row, 1)))
        QCOMPARE(number_in(widths, row, "Width"), 8.0);
    // 25 of 25 and 5 of 5 representatives were measured: each estimate is what the npu says of the end of the stair.
    QCOMPARE(measured_by(r, "samples"), 30.0);
    QCOMPARE(measured_by(r, "known"), 1.0);
    const ResultTable& points = table_of(r, "representatives");
    for (std::size_t row = 0; row < points.rows.size(); row += 7) {
      const bool conv = word_in(points, row, 0) == "conv";
      const auto size = [&](const char* label) { return number_text(number_in(points, row, label)); };
      std::map<std::string, std::string> sets = {{"hardware", "m8_simple"}};
      if (conv)
        sets.insert({{"workload", "conv"}, {"image", "8"}, {"in_channels", "16"}, {"out_channels", size("Co")}});
      else sets.insert({{"rows", size("I")}, {"columns", size("J")}, {"depth", size("K")}});
      const double direct = run_directly("npu", sets, 1).values.at(1).front();
      QCOMPARE(number_in(points, row, "Measured"), direct);
      QCOMPARE(number_in(points, row, "Estimate"), direct);
    }
    // Whoever makes these numbers again needs the same target.
    QVERIFY(r.provenance.options.at("plugin npu").starts_with(plugin_named("npu").manifest->version + ", sha256 "));
    QCOMPARE(left_running("libnpu"), 0);
  }

  // Row "three-dimensional range": the npu has the times of its 782 points, so that what is learnt of them is of it.
  void points_of_the_specification_are_the_npus() {
    const char* given = std::getenv("ERGODE_CASES");
    const fs::path root = given != nullptr ? fs::path(given) : fs::path(ERGODE_SOURCE_DIR) / "../shared/cases";
    std::ifstream in(root / "performance_representatives/npu_m8_gemm_points.csv");
    if (!in) QSKIP("no cases folder: ERGODE_CASES names none with performance_representatives");
    TargetService npu("the test", {});
    std::string line;
    std::getline(in, line);
    QVERIFY2(line.starts_with("set,I,K,J,cycles"), line.c_str());
    std::size_t points = 0;
    for (; std::getline(in, line); ++points) {
      const std::vector<std::string> cells = split(line, ',');
      TargetQuestion question{.plugin = "npu", .output = "time", .pointer = {}};
      question.parameters = {{"hardware", "m8_simple"},
                             {"rows", *parse_number(cells[1])},
                             {"depth", *parse_number(cells[2])},
                             {"columns", *parse_number(cells[3])}};
      constexpr double per_us = 1000.0;
      QCOMPARE(std::round(per_us * npu.measure(question)), *parse_number(cells[4]));
    }
    QCOMPARE(points, std::size_t{782});
  }

  // A layer of each type, estimated and run alone.
  void a_network_of_several_types_is_estimated() {
    const std::string network =
        file("network.csv", "layer,type,I,K,J,Co\nfirst,conv,0,0,0,20\nsecond,gemm,3,16,30,0\n");
    const ResultSet r =
        learn(json_of("{'plugin': 'npu', 'output': 'cycles', 'parameters': {'hardware': 'm8_simple'}, 'types': [ "
                      "{'type': 'gemm', 'swept': {'I': {'low': 1, 'high': 33, 'width': 8, 'sets': 'rows'}, 'J': "
                      "{'low': 1, 'high': 33, 'width': 8, 'sets': 'columns'}, 'K': {'low': 16, 'high': 16, 'sets': "
                      "'depth'}}}, {'type': 'conv', 'parameters': {'workload': 'conv', 'image': 8, 'in_channels': 16}, "
                      "'swept': {'Co': {'low': 1, 'high': 33, 'width': 8, 'sets': 'out_channels'}}}]}"),
              {{"samples", "25"}, {"tests", "1"}, {"network", network}});
    const double conv = measured_by(run_plugin("npu", {.sets = {{"hardware", "m8_simple"},
                                                                {"workload", "conv"},
                                                                {"image", "8"},
                                                                {"in_channels", "16"},
                                                                {"out_channels", "24"}},
                                                       .replications = 1}),
                                    "cycles"),
                 gemm = measured_by(
                     run_plugin("npu",
                                {.sets = {{"hardware", "m8_simple"}, {"rows", "8"}, {"depth", "16"}, {"columns", "32"}},
                                 .replications = 1}),
                     "cycles");
    QCOMPARE(measured_by(r, "network_time"), conv + gemm);
  }

  void what_is_answered_is_what_the_target_says() {
    const ResultSet r =
        ask(json_of("[{'plugin': 'single_server', 'output': 'wait', 'parameters': {'customers': 50}, 'seed': 4711}, "
                    "{'plugin': 'single_server', 'output': 'last_response', 'parameters': {'arrival_rate': '40 /h', "
                    "'customers': 9}, 'seed': 3}, {'plugin': 'single_server', 'output': 'last_response', 'parameters': "
                    "{'arrival_rate': 40, 'customers': 9}, 'seed': 3}, {'plugin': 'token_server', 'output': 'latency', "
                    "'parameters': {'requests': 20}, 'seed': 12345}]"));
    const ResultTable& answers = table_of(r, "answers");
    const auto index = [](const char* plugin, const char* output) {
      const auto& all = plugin_named(plugin).manifest->simulator->outputs;
      for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].name == output) return i;
      throw std::runtime_error(output);
    };
    const auto mean = [](const std::vector<double>& all) {
      double sum = 0.0;
      for (const double x : all) sum += x;
      return sum / static_cast<double>(all.size());
    };
    const auto waits = run_directly("single_server", {{"customers", "50"}}, 4711).values;
    QCOMPARE(number_in(answers, 0, "Answer"), mean(waits.at(index("single_server", "wait"))));
    const auto last = run_directly("single_server", {{"arrival_rate", "40 /h"}, {"customers", "9"}}, 3).values;
    QCOMPARE(number_in(answers, 1, "Answer"), last.at(index("single_server", "last_response")).front());
    QCOMPARE(number_in(answers, 2, "Answer"), number_in(answers, 1, "Answer"));
    const auto responses = run_directly("token_server", {{"requests", "20"}}, 12345).values;
    QCOMPARE(number_in(answers, 3, "Answer"), mean(responses.at(index("token_server", "latency"))));
    QVERIFY(r.provenance.options.contains("plugin single_server") &&
            r.provenance.options.contains("plugin token_server"));
  }

  void a_target_that_draws_gives_the_same_bits_at_any_number_of_threads() {
    const std::string target = json_of(
        "{'plugin': 'single_server', 'output': 'last_response', 'parameters': {'arrival_rate': '1 /h'}, 'swept': "
        "{'customers': {'low': 1, 'high': 12}}}");
    const std::map<std::string, std::string> few = {{"samples", "12"}, {"tests", "10"}, {"trees", "5"}};
    const ResultSet one = learn(target, few, 4, 1), many = learn(target, few, 4, 3);
    QVERIFY2(one.status == RunStatus::complete, codes_of(one.diagnostics).c_str());
    QCOMPARE(one.fingerprint, many.fingerprint);
    QCOMPARE(one.measure("mape")->estimate, many.measure("mape")->estimate);
    QVERIFY(one.measure("mape")->estimate > 0.0);
  }

  void what_a_target_does_is_its_own_fault_data() {
    QTest::addColumn<QString>("target");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* target, const char* how, const char* code, const char* words) {
      QTest::newRow(how) << target << code << words;
    };
    row("misbehaving", "crash", "PLG020", "signal 11");
    row("misbehaving", "abort", "PLG020", "an assertion failed");
    row("misbehaving", "throw_text", "PLG023", "no more bolts");
    row("misbehaving", "nothing", "PLG022", "draw 0 times");
    row("misbehaving", "beyond", "PLG022", "from 0 to 1");
    row("misbehaving", "fails", "PLG023", "the pump is dry");
    row("hasty", "hang", "PLG021", "within 1 s");
    row("bad_messages", "no_json", "PLG022", "hello, world");
    row("bad_messages", "leaves", "PLG020", "exit code 3");
    row("bad_messages", "no_start", "PLG020", "cannot find my libraries");
  }
  void what_a_target_does_is_its_own_fault() {
    QFETCH(QString, target);
    QFETCH(QString, code);
    QFETCH(QString, words);
    const std::string name = target.toStdString(), how = QTest::currentDataTag();
    for (const bool library : {true, false}) {
      const ResultSet r =
          library ? learn("{\"plugin\": \"" + name + "\", \"output\": \"draw\", \"parameters\": {\"how\": \"" + how +
                          "\"}, \"swept\": {\"at\": {\"low\": 0, \"high\": 9}}}")
                  : ask("[{\"plugin\": \"" + name + "\", \"output\": \"draw\", \"parameters\": {\"how\": \"" + how +
                        "\", \"at\": 0}, \"seed\": 5, \"pointer\": \"/parameters/questions\"}]");
      const std::string asker = library ? "performance_representatives" : "asking";
      QCOMPARE(r.status, RunStatus::failed);
      const Diagnostic& d = r.diagnostics.back();
      QCOMPARE(QString::fromStdString(d.code), code);
      QVERIFY2(
          d.message.starts_with("The plugin " + name + " ") && d.message.find(words.toStdString()) != std::string::npos,
          d.message.c_str());
      QVERIFY2(d.message.find("It was asked by " + asker + ", with ") != std::string::npos &&
                   d.message.find("how=" + how) != std::string::npos && d.message.find("at=0") != std::string::npos &&
                   d.message.find("in replication 0 (seed ") != std::string::npos,
               d.message.c_str());
      QCOMPARE(d.pointer, std::string(library ? "/parameters/target_file" : "/parameters/questions"));
    }
    QCOMPARE(left_running("libmisbehaving"), 0);
    QCOMPARE(left_running("bad_messages"), 0);
    QCOMPARE(left_running("asking.py"), 0);
  }

  void questions_that_are_none_are_refused_data() {
    QTest::addColumn<QString>("question");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* name, const std::string& question, const char* code, const char* words) {
      QTest::newRow(name) << QString::fromStdString(question) << code << words;
    };
    row("plugin", json_of("{'plugin': 'nqu', 'output': 'cycles'}"), "PLG010", "There is no plugin \"nqu\"");
    row("output", json_of("{'plugin': 'npu', 'output': 'cycle'}"), "PLG033",
        "npu measures no \"cycle\"; wanted one of: cycles, time");
    row("parameter", json_of("{'plugin': 'npu', 'output': 'cycles', 'parameters': {'row': 3}}"), "PLG033",
        "npu has no parameter \"row\"");
    row("beyond its range", json_of("{'plugin': 'npu', 'output': 'cycles', 'parameters': {'rows': 8193}}"), "PLG033",
        "rows is 8193");
    row("of another type", json_of("{'plugin': 'npu', 'output': 'cycles', 'parameters': {'hardware': 'm9'}}"), "PLG033",
        "m9");
    row("no whole number", json_of("{'plugin': 'npu', 'output': 'cycles', 'parameters': {'rows': 1.5}}"), "PLG033",
        "1.5");
    row("a list", json_of("{'plugin': 'npu', 'output': 'cycles', 'parameters': {'rows': [1]}}"), "PLG033",
        "wanted a number");
    row("file among others", json_of("{'plugin': 'npu', 'output': 'cycles', 'parameters': {'model': '/etc/passwd'}}"),
        "PLG033", "is a file");
    row("no file", json_of("{'plugin': 'npu', 'output': 'cycles', 'files': {'rows': 'a'}}"), "PLG033", "is no file");
    row("missing file", json_of("{'plugin': 'npu', 'output': 'cycles', 'files': {'model': '/none/a.onnx'}}"), "FMT000",
        "/none/a.onnx");
    row("nothing observed", json_of("{'plugin': 'npu', 'output': 'token_time'}"), "PLG033", "observed no token_time");
  }
  void questions_that_are_none_are_refused() {
    QFETCH(QString, question);
    QFETCH(QString, code);
    QFETCH(QString, words);
    const ResultSet r = ask("[" + question.toStdString() + "]");
    QCOMPARE(r.status, RunStatus::failed);
    const Diagnostic& d = r.diagnostics.back();
    QVERIFY2(QString::fromStdString(d.code) == code && d.message.find(words.toStdString()) != std::string::npos &&
                 d.message.find("It was asked by asking") != std::string::npos,
             codes_of(r.diagnostics).c_str());
  }

  void messages_that_ask_nothing_are_refused() {
    for (const auto& [raw, words] :
         {std::pair{json_of("{'message': 'measure', 'plugin': 7, 'output': 'cycles', 'seed': 1}"),
                    "without a text \"plugin\""},
          {json_of("{'message': 'measure', 'plugin': 'npu', 'seed': 1}"), "without a text \"output\""},
          {json_of("{'message': 'measure', 'plugin': 'npu', 'output': 'cycles', 'seed': -1}"), "without a seed"},
          {json_of("{'message': 'measure', 'plugin': 'npu', 'output': 'cycles', 'seed': 1, 'parameters': 3}"),
           "wanted an object"}}) {
      const ResultSet r = ask("[{\"raw\": " + raw + "}]");
      QCOMPARE(r.status, RunStatus::failed);
      QVERIFY2(r.diagnostics.back().code == "PLG022" && r.diagnostics.back().message.find(words) != std::string::npos &&
                   r.diagnostics.back().message.starts_with("The plugin asking "),
               codes_of(r.diagnostics).c_str());
    }
  }

  void a_target_has_no_targets() {
    const std::string inner = file("inner.json", json_of("[{'plugin': 'single_server', 'output': 'wait'}]"));
    // A program that asks all the same, and a library that is told that nobody will.
    const ResultSet program =
        ask(json_of("[{'plugin': 'asking', 'output': 'slept', 'files': {'questions': '") + inner + "\"}}]");
    QCOMPARE(program.status, RunStatus::failed);
    QVERIFY2(program.diagnostics.back().code == "PLG022" &&
                 program.diagnostics.back().message.starts_with("The plugin asking asked another plugin") &&
                 program.diagnostics.back().message.find("not of one that is measured itself") != std::string::npos,
             codes_of(program.diagnostics).c_str());
    const std::string target =
        file("inner_target.json",
             json_of("{'plugin': 'single_server', 'output': 'wait', 'swept': {'customers': {'low': 2, 'high': 4}}}"));
    const ResultSet library = ask(json_of("[{'plugin': 'performance_representatives', 'output': 'samples', "
                                          "'parameters': {'source': 'plugin'}, 'files': {'target_file': '") +
                                  target + "\"}}]");
    QCOMPARE(library.status, RunStatus::failed);
    QVERIFY2(library.diagnostics.back().code == "PLG023" &&
                 library.diagnostics.back().message.find("none is measured for whoever is measured itself") !=
                     std::string::npos,
             codes_of(library.diagnostics).c_str());
    // One that could, and does not, is as good as any other.
    QCOMPARE(measured_by(ask(json_of("[{'plugin': 'performance_representatives', 'output': 'samples', 'parameters': "
                                     "{'largest': 8, 'samples': 4, 'tests': 1}}]")),
                         "answers"),
             8.0);  // corners
  }

  void who_does_not_say_that_it_asks_may_not() {
    const ResultSet r =
        ask(json_of("[{'plugin': 'single_server', 'output': 'wait'}]"), {}, {}, plugin_here("asking_unasked"));
    QCOMPARE(r.status, RunStatus::failed);
    QVERIFY2(r.diagnostics.back().code == "PLG022" &&
                 r.diagnostics.back().message.find("\"measures_targets\"") != std::string::npos,
             codes_of(r.diagnostics).c_str());
  }

  void a_trial_answers_too() {
    const PluginTrial trial = try_plugin(plugin_here("asking_always"), 0.0);
    QVERIFY2(!has_errors(trial.problems) && trial.steps.size() == 3, codes_of(trial.problems).c_str());
  }

  void who_goes_on_is_asked_again_and_nothing_is_hidden() {
    const ResultSet r =
        ask(json_of("[{'plugin': 'misbehaving', 'output': 'draw', 'parameters': {'how': 'crash', 'at': 0}}, {'plugin': "
                    "'misbehaving', 'output': 'draw', 'parameters': {'how': 'well'}, 'seed': 250}]"),
            {{"goes_on", "true"}});
    QVERIFY2(r.status == RunStatus::complete, codes_of(r.diagnostics).c_str());
    const ResultTable& answers = table_of(r, "answers");
    QVERIFY(word_in(answers, 0, 1).find("signal 11") != std::string::npos);
    QCOMPARE(number_in(answers, 1, "Answer"), 250.0 / 1000003.0);
    QCOMPARE(r.diagnostics.size(), std::size_t{1});
    QVERIFY(r.diagnostics[0].code == "PLG020" && r.diagnostics[0].severity == Severity::warning);
  }

  void warnings_of_targets_are_told_once() {
    const ResultSet r =
        ask(json_of("[{'plugin': 'asking', 'output': 'slept', 'parameters': {'delay': 0.01}}, {'plugin': 'asking', "
                    "'output': 'slept', 'parameters': {'delay': '20 ms'}}]"));
    QCOMPARE(measured_by(r, "answers"), 0.015);
    QCOMPARE(r.diagnostics.size(), std::size_t{1});
    QCOMPARE(r.diagnostics[0].message, std::string("asking: I slept."));
  }

  void the_time_of_a_target_is_not_the_askers() {
    const ResultSet r =
        ask(json_of("[{'plugin': 'asking', 'output': 'slept', 'parameters': {'delay': 2.5}}]"), {}, "2");
    QCOMPARE(measured_by(r, "answers"), 2.5);
    const ResultSet own = ask("[]", {{"delay", "2.5 s"}}, "2");
    QCOMPARE(own.status, RunStatus::failed);
    QVERIFY2(own.diagnostics.back().code == "PLG021", codes_of(own.diagnostics).c_str());
  }

  void files_of_a_target_are_part_of_what_was_asked() {
    const ResultSet r = ask(json_of("[{'plugin': 'asking', 'output': 'slept', 'files': {'questions': '") +
                            file("empty.json", "[]") + "\"}}]");
    QCOMPARE(measured_by(r, "answers"), 0.0);
    // Of "[]".
    QCOMPARE(r.provenance.options.at("file of asking empty.json"),
             std::string("4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"));
    // A target file names files beside it alone.
    const ResultSet refused =
        learn(json_of("{'plugin': 'npu', 'output': 'cycles', 'files': {'hardware_file': '/etc/passwd'}, 'swept': "
                      "{'rows': {'low': 1, 'high': 2}}}"));
    QCOMPARE(refused.status, RunStatus::failed);
    QVERIFY2(refused.diagnostics.back().message.find("lies outside the folder") != std::string::npos,
             codes_of(refused.diagnostics).c_str());
  }

  void a_stop_reaches_the_target() {
    for (const bool library : {true, false}) {
      RunControl control;
      std::jthread stopper([&control] {
        std::this_thread::sleep_for(std::chrono::milliseconds(600));
        control.stop.request_stop();
      });
      std::map<std::string, std::string> sets;
      if (library)
        sets = {
            {"source", "plugin"},
            {"target_file", file("hang.json", json_of("{'plugin': 'misbehaving', 'output': 'draw', 'parameters': "
                                                      "{'how': 'hang'}, 'swept': {'at': {'low': 0, 'high': 9}}}"))}};
      else
        sets = {{"questions",
                 file("hang.json",
                      json_of("[{'plugin': 'misbehaving', 'output': 'draw', 'parameters': {'how': 'hang'}}]"))}};
      const auto begin = std::chrono::steady_clock::now();
      const ResultSet r = run_plugin(plugin_named(library ? "performance_representatives" : "asking"),
                                     {.sets = sets, .replications = 1}, control);
      const double took_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      QCOMPARE(r.status, RunStatus::partial);
      QVERIFY2(took_s < 6.0, std::to_string(took_s).c_str());
      for (const char* word : {"libmisbehaving", "asking.py", "libperformance"}) QCOMPARE(left_running(word), 0);
    }
  }

  // Drawn, with the target in the model's provenance and its failure at the box.
  void a_drawn_simulator_asks_too() {
    DrawnNetwork net("100 s");
    const ElementId diagram = net.m.diagram("Sims", "simulators");
    const std::string target = file(
        "drawn.json",
        json_of(
            "{'plugin': 'single_server', 'output': 'last_response', 'swept': {'customers': {'low': 1, 'high': 3}}}"));
    Value more = {{"name", "learnt"},
                  {"plugin", "performance_representatives"},
                  {"performance_representatives_source", "plugin"},
                  {"performance_representatives_target_file", target},
                  {"performance_representatives_samples", "3"},
                  {"performance_representatives_tests", "2"}};
    net.m.node(diagram, {}, "simulator", more);
    RunControl control;
    RunRequest request;
    request.replications = 2, request.folder = folder_.path().toStdString();
    const ResultSet r = find_solver("simulation")->solve(net.m.document(), request, control);
    QVERIFY2(r.status == RunStatus::complete, codes_of(r.diagnostics).c_str());
    QVERIFY(r.provenance.options.contains("plugin single_server"));
    QVERIFY(r.measure("learnt.mape")->estimate >= 0.0);
  }
};

QTEST_APPLESS_MAIN(TestPluginTargets)
#include "tst_plugin_targets.moc"
