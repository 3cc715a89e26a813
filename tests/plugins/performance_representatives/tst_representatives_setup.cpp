// From files and parameters to studies: what is refused and how; tables with and without the column `set`.
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "plugins/performance_representatives/engine/draws.h"
#include "plugins/performance_representatives/setup.h"
#include "plugins/support/csv_table.h"
#include "tests/plugins/asked_input.h"

namespace performance_representatives {
namespace {

using ergode::test::json_of;

nlohmann::json representatives_manifest() { return ergode::test::manifest_of("performance_representatives"); }
StudySetup setup_with(const nlohmann::json& changed) {
  return read_setup(ergode::test::AskedInput("performance_representatives", changed).input());
}
std::string refused_setup(const nlohmann::json& changed) {
  try {
    setup_with(changed);
  } catch (const plugin_support::BadInput& bad) {
    return bad.pointer + ": " + bad.what();
  }
  return "";
}

}  // namespace

class TestRepresentativesSetup : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::string file(const char* name, const std::string& content) const {
    const std::string path = folder_.filePath(name).toStdString();
    std::ofstream(path) << content;
    return path;
  }

 private Q_SLOTS:
  void every_parameter_goes_where_its_name_says() {
    QCOMPARE(representatives_manifest()["parameters"].size(), static_cast<std::size_t>(StudyParameter::all));
    const StudySetup s = setup_with({{"samples", 77},
                                     {"tests", 88},
                                     {"trees", 9},
                                     {"target", "time"},
                                     {"derived", false},
                                     {"measured", false},
                                     {"repeats", 3},
                                     {"noise", 0.25},
                                     {"rows", 5},
                                     {"columns", 6},
                                     {"block", 7},
                                     {"largest", 50},
                                     {"base", 12},
                                     {"jump_noises", 4},
                                     {"jump_share", 0.125},
                                     {"start_time", 2.5}});
    QVERIFY(s.source == TimesFrom::array);
    QCOMPARE(s.study.samples, std::size_t{77});
    QCOMPARE(s.study.tests, std::size_t{88});
    QCOMPARE(s.study.estimator.trees, 9U);
    QVERIFY(!s.study.estimator.logarithm && !s.study.estimator.derived && !s.study.estimator.measured);
    QCOMPARE(s.study.repeats, 3U);
    QCOMPARE(s.noise, 0.25);
    QCOMPARE(s.array.rows, 5);
    QCOMPARE(s.array.columns, 6);
    QCOMPARE(s.array.block, 7);
    QCOMPARE(s.ranges[0][2].high.value(), 50);
    QCOMPARE(s.ranges[0][0].base.value(), 12);
    QCOMPARE(s.study.steps.noises, 4.0);
    QCOMPARE(s.study.steps.share_of_median, 0.125);
    QCOMPARE(s.start_time, 2.5);
    QCOMPARE(s.study.estimator.seed, std::uint64_t{1});
  }

  void the_array_is_swept_sampled_and_learnt() {
    const StudySetup s = setup_with({{"rows", 4}, {"columns", 16}, {"block", 1}, {"samples", 200}});
    const Studied one = study(s.types[0], s.ranges[0], s.study, [&s](const Point& at) { return s.array.cycles(at); });
    QCOMPARE(one.axes[0].axis.width, 1);  // rows that enter one by one
    QCOMPARE(one.axes[1].axis.width, 4);
    QCOMPARE(one.axes[2].axis.width, 16);
    QCOMPARE(one.grid->size(), 64.0 * 16.0 * 4.0);
    QCOMPARE(one.training.size(), std::size_t{200});
    QCOMPARE(one.errors.points, std::size_t{400});
    QCOMPARE(one.curve.size(), std::size_t{3});
    for (const Compared& n : one.curve) QVERIFY(n.representatives.mape < n.random->mape);
    QVERIFY(one.errors.mape <= one.curve.back().representatives.mape);
    QVERIFY(one.known > 0.01 && one.known < 0.15);
  }

  void parameters_of_one_value_are_not_swept() {
    const auto whole_sweeps = [](const Studied& one) {
      return std::all_of(one.axes.begin(), one.axes.end(),
                         [](const AxisFound& axis) { return axis.sweeps.size() == axis.steps.sweeps.size(); });
    };
    const std::string all = file("one.csv", "parameter,low,high\nI,5,5\nK,5,5\nJ,5,5\n"),
                      some = file("some.csv", "parameter,low,high\nK,5,5\n");
    for (const nlohmann::json& changed :
         {nlohmann::json{{"largest", 1}}, nlohmann::json{{"ranges", all}}, nlohmann::json{{"ranges", some}}}) {
      const StudySetup s = setup_with(changed);
      const Studied one = study(s.types[0], s.ranges[0], s.study, [&s](const Point& at) { return s.array.cycles(at); });
      QVERIFY(whole_sweeps(one));
      QCOMPARE(one.axes[1].steps.because, std::string("one value"));
      QCOMPARE(one.axes[1].sweeps.size(), std::size_t{0});
      QCOMPARE(one.errors.points, std::size_t{400});
      if (one.grid->size() == 1.0) QCOMPARE(one.errors.greatest, 0.0);
    }
    // A sweep was measured, and the range says that it is of no use.
    std::string text = "set,a,b,time\n";
    for (int a = 1; a <= 8; ++a) text += "sweep," + std::to_string(a) + ",1," + std::to_string(5 + a / 4) + "\n";
    const StudySetup s = setup_with({{"source", "measurements"},
                                     {"measurements", file("swept.csv", text)},
                                     {"ranges", file("narrow.csv", "parameter,low,high\na,4,4\n")}});
    QVERIFY(whole_sweeps(study(s.types[0], s.ranges[0], s.study)));
  }

  /// The network of an ONNX file: its convolutions and products by the names that tables have for their sizes.
  void a_network_may_be_an_onnx_file() {
    const std::string resnet = ERGODE_SOURCE_DIR "/examples/37_two_tenants/resnet50.onnx";
    std::string table = "type,Ci,Co,H,kernel,stride,I,K,J,time\n";
    const auto add = [&table](const std::string& row) { table += row + "\n"; };
    for (int c = 1; c <= 4; ++c) {
      add("conv," + std::to_string(64 * c) + ",64,56,3,1,0,0,0," + std::to_string(c));
      add("gemm,0,0,0,0,0,1," + std::to_string(512 * c) + ",1000," + std::to_string(c));
    }
    const StudySetup s =
        setup_with({{"source", "measurements"}, {"measurements", file("types.csv", table)}, {"network", resnet}});
    QCOMPARE(s.network.size(), std::size_t{54});
    QVERIFY(s.left_out.empty());
    QCOMPARE(s.network.front().point, (Point{3, 64, 224, 7, 2, 0, 0, 0}));
    QCOMPARE(s.network.back().point, (Point{0, 0, 0, 0, 0, 1, 2048, 1000}));
    QCOMPARE(QString::fromStdString(s.network.back().type), QString("gemm"));
    // Without types: those that have all the parameters.
    const StudySetup products = setup_with({{"source", "measurements"},
                                            {"measurements", file("ikj.csv", "I,K,J,time\n1,8,8,1\n2,8,8,2\n")},
                                            {"network", resnet}});
    QCOMPARE(products.network.size(), std::size_t{1});
    QCOMPARE(products.left_out.size(), std::size_t{53});
    const auto refused = [&](const std::string& measured) {
      return QString::fromStdString(refused_setup(
          {{"source", "measurements"}, {"measurements", file("bad.csv", measured)}, {"network", resnet}}));
    };
    QVERIFY(refused("type,Ci,voltage,time\nconv,3,1,1\nconv,3,2,1\n").contains("has no size voltage"));
    QVERIFY(refused("type,a,time\npool,3,1\n").contains("none of its layers"));
    QVERIFY(QString::fromStdString(refused_setup({{"source", "measurements"},
                                                  {"measurements", file("ikj.csv", "I,K,J,time\n1,8,8,1\n")},
                                                  {"network", file("no.onnx", "layer,I\n")}}))
                .startsWith("/parameters/network"));
  }

  // Names of a type that it does not sweep are 0 there; a layer of a network has the sizes that its type has.
  void a_plugin_is_measured_as_its_file_says() {
    const std::string target = file(
        "target.json",
        json_of("{'plugin': 'npu', 'output': 'time', 'parameters': {'hardware': "
                "'m8_simple', 'copies': 2}, 'types': [{'type': 'conv', 'parameters': {'workload': 'conv'}, 'files': "
                "{'hardware_file': 'target.json'}, 'swept': {'Ci': {'low': 1, 'high': 2048, 'base': 64, 'width': 8, "
                "'sets': "
                "'in_channels'}, 'H': {'low': 7, 'high': 7, 'sets': ['image', 'other']}}}, {'type': 'gemm', 'output': "
                "'cycles', "
                "'swept': {'K': {'low': 1, 'high': 64, 'hints': [8, 16], 'sets': 'depth'}, 'rows': {'low': 3, 'high': "
                "9}}}]}"));
    const StudySetup s = setup_with({{"source", "plugin"},
                                     {"target_file", target},
                                     {"ranges", file("narrower.csv", "parameter,high,base\nK,32,5\n")},
                                     {"network", ERGODE_SOURCE_DIR "/examples/37_two_tenants/resnet50.onnx"}});
    QVERIFY(s.source == TimesFrom::plugin);
    QCOMPARE(s.names, (std::vector<std::string>{"Ci", "H", "K", "rows"}));
    QCOMPARE(s.asked.size(), std::size_t{2});
    QCOMPARE(s.asked[0].output, std::string("time"));
    QCOMPARE(s.asked[1].output, std::string("cycles"));
    using Json = nlohmann::json;
    QVERIFY(
        Json::parse(s.asked[0].parameters_at({64, 7, 0, 0})) ==
        Json::parse(json_of("{'hardware': 'm8_simple', 'copies': 2, 'workload': 'conv', 'in_channels': 64, 'image': 7, "
                            "'other': 7}")));
    QVERIFY(Json::parse(s.asked[1].parameters_at({0, 0, 17, 4})) ==
            Json::parse(json_of("{'hardware': 'm8_simple', 'copies': 2, 'depth': 17, 'rows': 4}")));
    QCOMPARE(s.asked[0].files["hardware_file"].get<std::string>(), std::filesystem::canonical(target).string());
    QVERIFY(s.asked[1].files.empty());
    const auto& [conv, gemm] = std::pair(s.ranges[0], s.ranges[1]);
    QCOMPARE(conv[0].base.value(), 64);
    QCOMPARE(conv[0].width.value(), 8);
    QCOMPARE(conv[2].high.value(), 0);  // of the other type: the table of ranges is not for it
    QCOMPARE(gemm[2].high.value(), 32);
    QCOMPARE(gemm[2].base.value(), 5);
    QCOMPARE(gemm[2].hints, (std::vector<std::int64_t>{8, 16}));
    QCOMPARE(gemm[0].low.value(), 0);
    // A convolution, and the product at the end: what a type does not sweep is its only value.
    QCOMPARE(s.network.size(), std::size_t{54});
    QCOMPARE(s.network.front().point, (Point{3, 224, 0, 0}));
    QCOMPARE(s.network.back().point[2], 2048);
  }

  void what_is_wrong_with_a_target_is_said() {
    const auto said = [this](const std::string& text) {
      const std::string path = file("bad_target.json", json_of(text));
      const std::string out = refused_setup({{"source", "plugin"}, {"target_file", path}});
      return out.substr(std::min(out.size(), out.find(path) + path.size() + 2));
    };
    const std::string whole = "'plugin': 'npu', 'output': 'time'", swept = ", 'swept': {'rows': {'low': 1, 'high': 4}}";
    QCOMPARE(refused_setup({{"source", "plugin"}}),
             std::string("/parameters/target_file: Times come from a plugin, and no target is given."));
    QCOMPARE(said("{" + whole + swept + "}"), std::string());
    QCOMPARE(said("[1]"), std::string("The target is [1]; wanted an object."));
    QCOMPARE(said("{'output': 'time'" + swept + "}"),
             std::string("The target has no \"plugin\"; wanted the name of one with a simulator."));
    QCOMPARE(said("{'plugin': 'npu'" + swept + "}"),
             std::string("The target has no \"output\"; wanted one that its simulator measures."));
    QCOMPARE(said("{" + whole + "}"), std::string("The target has no \"swept\"."));
    QCOMPARE(said("{" + whole + ", 'swept': {}}"), std::string("swept is empty; wanted a parameter with a range."));
    QVERIFY(said("{" + whole + swept + ", 'param': {}}").starts_with("The target has a key \"param\"; wanted one of "));
    QCOMPARE(said("{" + whole + ", 'swept': {'rows': {'low': 1}}}"),
             std::string("swept.rows has no \"high\"; wanted a range."));
    QCOMPARE(said("{" + whole + ", 'swept': {'rows': {'low': 5, 'high': 4}}}"),
             std::string("swept.rows.high is 4; wanted no less than low, 5."));
    QCOMPARE(said("{" + whole + ", 'swept': {'rows': {'low': 1.5, 'high': 4}}}"),
             std::string("swept.rows.low is 1.5; wanted a whole number from 0 to 1e9."));
    QCOMPARE(said("{" + whole + ", 'swept': {'rows': {'low': 1, 'high': 4, 'width': 2, 'offset': 2}}}"),
             std::string("swept.rows.offset is 2; wanted less than the width."));
    QCOMPARE(said("{" + whole + ", 'parameters': {'rows': 3}" + swept + "}"),
             std::string("swept.rows sets rows, which is also among the parameters; wanted one of the two."));
    QCOMPARE(said("{" + whole + ", 'parameters': {'rows': [3]}" + swept + "}"),
             std::string("parameters.rows is [3]; wanted a number, a word, true or false."));
    QCOMPARE(said("{" + whole + ", 'swept': {'a': {'low': 1, 'high': 4, 'sets': 'b'}, 'b': {'low': 1, 'high': 2}}}"),
             std::string("swept.b sets b, which another size sets."));
    QVERIFY(
        said("{" + whole + ", 'files': {'model': '../../etc/passwd'}" + swept + "}").find("lies outside the folder") !=
        std::string::npos);
    QCOMPARE(said("{" + whole + ", 'types': []}"),
             std::string("types is []; wanted a list of 1 to 64 types of layers."));
    QCOMPARE(said("{" + whole + ", 'types': [{" + swept.substr(2) + "}]}"),
             std::string("types[0] has no \"type\"; wanted the word that layers of a network have."));
    const std::string one = "{'type': 'conv'" + swept + "}";
    QCOMPARE(said("{" + whole + ", 'types': [" + one + ", " + one + "]}"),
             std::string("types[1].type is \"conv\" again; wanted each once."));
    std::string nine;
    for (const char letter : std::string("abcdefghi"))
      nine += (nine.empty() ? "'" : ", '") + std::string(1, letter) + "': {'low': 1, 'high': 2}";
    QCOMPARE(said("{" + whole + ", 'swept': {" + nine + "}}"),
             std::string("swept.i is the ninth size; wanted 8 at most."));
  }

  void measurements_sort_themselves() {
    // Twice, of two types, with repeats: sweeps, all representatives, random points. No word says which is which.
    const GemmArray array{8, 4, 16};
    Draws draw(1);
    std::string text = "type,J,K,I,cycles\n";
    const auto add = [&](const char* type, std::int64_t j, std::int64_t k, std::int64_t i, double factor) {
      for (int r = 0; r < 3; ++r)
        text += std::string(type) + ',' + std::to_string(j) + ',' + std::to_string(k) + ',' + std::to_string(i) + ',' +
                std::to_string(factor * array.cycles({i, k, j}) + r) + '\n';
    };
    for (const auto& [type, factor] : {std::pair{"dense", 1.0}, std::pair{"other", 10.0}}) {
      for (std::int64_t c = 1; c <= 64; ++c)
        add(type, c, 16, 16, factor), add(type, 16, c, 16, factor), add(type, 16, 16, c, factor);
      for (std::int64_t j = 4; j <= 64; j += 4)
        for (std::int64_t k = 8; k <= 64; k += 8)
          for (std::int64_t i = 16; i <= 64; i += 16) add(type, j, k, i, factor);
      for (int n = 0; n < 300; ++n) add(type, 1 + draw.below(64), 1 + draw.below(64), 1 + draw.below(64), factor);
    }
    const std::string network = file(
        "network.csv", "layer,type,J,K,I,block,count\na,dense,3,9,17,x,2\nrelu,other,1,1,1,x,1\nb,other,64,64,64,,1\n");
    const StudySetup s = setup_with(
        {{"source", "measurements"}, {"measurements", file("m.csv", text)}, {"samples", 1000}, {"network", network}});
    QCOMPARE(s.names, (std::vector<std::string>{"J", "K", "I"}));
    QCOMPARE(s.types.size(), std::size_t{2});
    QCOMPARE(s.network.size(), std::size_t{3});
    QCOMPARE(s.network[0].count, 2.0);
    for (const LayerType& type : s.types) {
      const Studied one = study(type, s.ranges[0], s.study);
      QCOMPARE(one.axes[0].axis.width, 4);
      QCOMPARE(one.axes[1].axis.width, 8);
      QCOMPARE(one.axes[2].axis.width, 16);
      QCOMPARE(one.training.size(), std::size_t{512});
      QCOMPARE(one.known > 1.0 - 1e-9, true);
      QVERIFY(one.errors.points > 150);
      QVERIFY2(one.errors.greatest < 1e-9, qPrintable(QString::number(one.errors.greatest)));
      QVERIFY(one.curve.front().random.has_value());
      const double factor = type.name == "dense" ? 1.0 : 10.0;
      QCOMPARE((*one.estimator)({3, 9, 17}), factor * array.cycles({17, 9, 3}) + 1.0);
    }
  }

  void points_of_the_npu() {
    const char* given = std::getenv("ERGODE_CASES");
    const std::filesystem::path root =
        given != nullptr ? std::filesystem::path(given) : std::filesystem::path(ERGODE_SOURCE_DIR) / "../shared/cases";
    const std::filesystem::path path = root / "performance_representatives/npu_m8_gemm_points.csv";
    if (!std::filesystem::exists(path))
      QSKIP("no cases folder: ERGODE_CASES names none with performance_representatives");
    const StudySetup s = setup_with({{"source", "measurements"}, {"measurements", path.string()}});
    const Studied one = study(s.types[0], s.ranges[0], s.study);
    for (const AxisFound& axis : one.axes) QCOMPARE(axis.axis.width, 8);  // of the grid's own sweeps
    QCOMPARE(one.training.size(), std::size_t{512});
    QCOMPARE(one.errors.points, std::size_t{270});
    QVERIFY(std::fabs(one.errors.mape - 1.98558) < 5e-6);
    QVERIFY(std::fabs(one.errors.rmspe - 3.78968) < 5e-6);
  }

  void ranges_and_hints() {
    const std::string measurements =
        file("r.csv", "set,a,b,time\nsweep,1,1,5\nsweep,2,1,5\nrepresentative,4,8,6\nrepresentative,3,8,6\n");
    const StudySetup s = setup_with(
        {{"source", "measurements"},
         {"measurements", measurements},
         {"ranges", file("g.csv", "parameter,low,high,width,offset,hints\nb,1,16,8,0,\na,1,12,4,0,16 32\n")}});
    QCOMPARE(s.ranges[0][0].hints, (std::vector<std::int64_t>{16, 32}));
    const Studied one = study(s.types[0], s.ranges[0], s.study);
    QCOMPARE(one.grid->size(), 6.0);
    QCOMPARE(one.wanted.size(), std::size_t{6});
    QCOMPARE(one.off_grid, std::size_t{1});
    QCOMPARE(one.training.size(), std::size_t{1});
    QCOMPARE(one.errors.points, std::size_t{0});
  }

  void what_is_wrong_is_said() {
    const auto measured = [this](const std::string& text) {
      const std::string path = file("bad.csv", text);
      const std::string out = refused_setup({{"source", "measurements"}, {"measurements", path}});
      return out.substr(
          std::min(out.size(), out.find(path) == std::string::npos ? 0 : out.find(path) + path.size() + 2));
    };
    QCOMPARE(refused_setup({{"source", "measurements"}}),
             std::string("/parameters/measurements: Times come from measurements, and none are given."));
    QCOMPARE(measured("time\n1\n"), std::string("there is no column of a parameter beside the time."));
    QCOMPARE(measured("a,b\n1,2\n"), std::string("line 1: there is no column of time, cycles, time_ms, ms, time_s."));
    QCOMPARE(measured("a,time\n1,0\n"), std::string("line 2: time is 0; wanted a time above 0."));
    QCOMPARE(measured("a,time\n1.5,2\n"), std::string("line 2: a is 1.5; wanted a whole number from 0 to 1e9."));
    QCOMPARE(measured("a,time,set\n1,2,train\n"),
             std::string("line 2: set is \"train\"; wanted sweep, representative, random, test or nothing."));
    QCOMPARE(measured("a,b,c,d,e,f,g,h,i,time\n1,1,1,1,1,1,1,1,1,1\n"),
             std::string("there are 9 parameters; wanted 8 at most."));
    const auto ranged = [this](const std::string& text) {
      const std::string path = file("bad_ranges.csv", text);
      const std::string out = refused_setup({{"ranges", path}});
      return out.substr(std::min(out.size(), out.find(path) + path.size() + 2));
    };
    QCOMPARE(ranged("parameter,low\nL,1\n"), std::string("line 2: parameter is \"L\"; wanted one of I, K, J."));
    QCOMPARE(ranged("parameter,low,high\nI,9,3\n"), std::string("line 2: high is 3; wanted no less than low."));
    QCOMPARE(ranged("parameter,width,offset\nI,8,8\n"),
             std::string("line 2: offset is 8; wanted less than the width."));
    QCOMPARE(ranged("parameter,hints\nI,8x\n"),
             std::string("line 2: hints is \"8x\"; wanted widths with spaces between them."));
  }
};

}  // namespace performance_representatives

using performance_representatives::TestRepresentativesSetup;
QTEST_APPLESS_MAIN(TestRepresentativesSetup)
#include "tst_representatives_setup.moc"
