#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/csv.h"
#include "core/results/result_csv.h"
#include "core/results/result_json.h"
#include "tests/core/results/example_results.h"

using namespace ergode;
using Json = nlohmann::ordered_json;

/// As another reader of JSON sees it.
static Json written(const ResultSet& results) { return Json::parse(to_json(results).dump()); }

class TestResultJson : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_document_reads_back_to_the_same_document();
  void text_made_row_by_row_is_that_of_the_document();
  void every_field_survives_the_round_trip();
  void records_without_a_company_still_open();
  void records_without_labels_are_split_by_cause();
  void what_is_not_there_is_not_written();
  void numbers_that_do_not_exist_are_null();
  void equal_runs_differ_in_made_and_run_id_only();
  void defects_are_reported_with_their_place_data();
  void defects_are_reported_with_their_place();
  void mutated_documents_never_crash();
  void csv_reads_back_bit_for_bit();
  void csv_says_what_exact_solvers_answered();
  void samples_are_called_what_they_are();
  void what_an_estimate_is_a_mean_of_is_written();
  void a_list_of_exact_values_under_the_name_of_the_mark_is_read();
  void csv_of_a_table_has_units_in_its_header();
  void csv_of_distributions_has_a_row_for_each_quantity();
  void csv_of_a_series_has_units_in_its_header();
  void export_writes_metadata_beside_each_file();
};

void TestResultJson::a_document_reads_back_to_the_same_document() {
  const Json document = written(example_results(5));
  Diagnostics problems;
  const auto back = parse_results(document.dump(), problems);
  QVERIFY(back && problems.empty());
  QCOMPARE(to_json(*back).dump(2), document.dump(2));
}

void TestResultJson::text_made_row_by_row_is_that_of_the_document() {
  ResultSet r = example_results(5);
  QVERIFY(!r.tables.empty() && !r.company.empty());
  QCOMPARE(results_text(r), to_json(r).dump(-1, Value::BadText::replace));
  auto beside = std::make_shared<ResultSet>(*r.company[0]);
  beside->tables = r.tables, beside->tables[0].rows.clear(), beside->tables.push_back(r.tables[0]);
  beside->tables[1].rows[0][0] = std::string("not UTF-8: \xff, a quote: \" and a line\n");
  r.company[0] = beside;
  QCOMPARE(results_text(r), to_json(r).dump(-1, Value::BadText::replace));
  // In lines it is the same document with a row in each, and what was added stands in it.
  Value more = to_json_without_rows(r);
  QVERIFY(more["tables"][0]["rows"].empty());
  more["added"] = {{"text", "two\nlines"}, {"list", Value::array()}};
  std::ostringstream lines;
  write_lines(lines, more, r);
  Value wanted = to_json(r);
  wanted["added"] = more["added"];
  const Json back = Json::parse(lines.str());
  QCOMPARE(back.dump(), Json::parse(wanted.dump(-1, Value::BadText::replace)).dump());
  const std::string row = wanted["tables"][0]["rows"][0].dump(-1, Value::BadText::replace);
  QVERIFY(lines.str().find("\n        " + row) != std::string::npos);
}

void TestResultJson::every_field_survives_the_round_trip() {
  const ResultSet r = example_results(5);
  Diagnostics problems;
  const ResultSet back = parse_results(to_json(r).dump(), problems).value();
  QCOMPARE(back.provenance.seed, r.provenance.seed);
  QCOMPARE(back.provenance.model_name, r.provenance.model_name);
  QCOMPARE(back.provenance.parameters, r.provenance.parameters);
  QCOMPARE(back.provenance.made.elapsed_s, 7.25);
  QCOMPARE(back.provenance.made.threads, 2U);
  QCOMPARE(back.status, RunStatus::partial);
  QCOMPARE(back.events, r.events);
  QCOMPARE(back.measures[0].estimate, r.measures[0].estimate);
  QCOMPARE(back.measures[0].standard_error, 1e-300);
  QCOMPARE(back.measures[0].element, r.measures[0].element);
  QCOMPARE(*back.measures[0].shares, *r.measures[0].shares);
  QVERIFY(std::isnan(back.measures[1].estimate));
  QCOMPARE(back.measures[1].quantiles, r.measures[1].quantiles);
  QCOMPARE(back.measures[1].quantile_intervals.at(0.5).lower, 2.0);
  QVERIFY(std::isnan(back.measures[1].quantile_intervals.at(0.5).upper));
  QCOMPARE(back.measures[1].variance, 0.5);
  QCOMPARE(back.measures[1].variance_interval.upper, 0.75);
  QVERIFY(std::isnan(back.measures[0].variance));
  QVERIFY(!back.measures[1].shares);
  QCOMPARE(back.series[0].y, r.series[0].y);
  QVERIFY(back.series[1].lower.empty() && back.series[1].exact);
  QCOMPARE(back.tables.size(), std::size_t{1});
  QCOMPARE(back.tables[0].columns[1].unit, std::string("h"));
  QCOMPARE(std::get<std::string>(back.tables[0].rows[0][0]), std::string("pumps, both"));
  QCOMPARE(std::get<double>(back.tables[0].rows[0][1]), 1.0 / 3);
  QVERIFY(std::isnan(std::get<double>(back.tables[0].rows[1][1])) && back.tables[0].exact);
  QCOMPARE(back.tables[0].note, std::string("A note."));
  QCOMPARE(back.split.by, std::string("cause"));
  QCOMPARE(back.split.shown(), (std::vector<SplitPart>{1, 2}));
  QCOMPARE(back.split.parts[2].label, std::string("non-lethal"));
  QCOMPARE(back.diagnostics[0].severity, Severity::warning);
  QCOMPARE(back.diagnostics[0].column, 3);
  QCOMPARE(back.company.size(), std::size_t{1});
  QVERIFY(back.company[0]->long_run && !back.long_run);
  QCOMPARE(back.company[0]->provenance.solver, std::string("ctmc-steady-state"));
  QCOMPARE(back.company[0]->measures[0].estimate, r.measures[0].estimate);
  QCOMPARE(back.declined[0].solver, std::string("ccf-closed-form"));
  QCOMPARE(back.declined[0].reasons[0].code, std::string("MEA003"));
}

void TestResultJson::records_without_labels_are_split_by_cause() {
  Json old = written(example_results(5));
  old.erase("split"), old.erase("tables");
  Diagnostics problems;
  const ResultSet back = parse_results(old.dump(), problems).value();
  QVERIFY(problems.empty() && back.tables.empty());
  QCOMPARE(back.split.parts.size(), std::size_t{4});
  QCOMPARE(back.split.parts[3].name, std::string("lethal"));
  for (Json& m : old["measures"]) m.erase("causes");
  QVERIFY(parse_results(old.dump(), problems).value().split.empty());
}

void TestResultJson::what_is_not_there_is_not_written() {
  ResultSet plain = example_results(5);
  plain.tables.clear(), plain.split = {};
  const Json document = written(plain);
  QVERIFY(!document.contains("tables") && !document.contains("split"));
}

void TestResultJson::records_without_a_company_still_open() {
  Json old = written(example_results(5));
  for (const char* key : {"company", "declined"}) old.erase(key);
  Diagnostics problems;
  const ResultSet back = parse_results(old.dump(), problems).value();
  QVERIFY(back.company.empty() && back.declined.empty() && problems.empty());
  QCOMPARE(back.measures.size(), std::size_t{2});
}

void TestResultJson::numbers_that_do_not_exist_are_null() {
  ResultSet r = example_results(5);
  r.measures[0].upper = std::numeric_limits<double>::infinity();
  const Json document = written(r);
  QVERIFY(document["measures"][0]["upper"].is_null());
  QVERIFY(document["measures"][1]["estimate"].is_null());
  QCOMPARE(document["measures"][1]["not_available"].get<std::string>(), std::string("the event never occurred"));
  QVERIFY(document["series"][0]["lower"][2].is_null());
  QVERIFY(!document["series"][1].contains("lower"));
  // The keys that every reader of results may rely on.
  for (const char* key : {"id", "label", "unit", "estimate", "lower", "upper", "confidence", "replications", "solver"})
    QVERIFY2(document["measures"][0].contains(key), key);
}

void TestResultJson::equal_runs_differ_in_made_and_run_id_only() {
  ResultSet other = example_results(6);
  other.provenance.made = {"2025-01-01T00:00:00Z", "2025-01-01T00:00:01Z", "elsewhere", "clang", 1.0, 8};
  Json a = written(example_results(5)), b = written(other);
  QVERIFY(a != b);
  for (Json* document : {&a, &b}) (*document)["run"].erase("made"), (*document)["run"].erase("run_id");
  QVERIFY(a == b);
}

void TestResultJson::defects_are_reported_with_their_place_data() {
  QTest::addColumn<QString>("pointer");
  QTest::addColumn<QString>("replacement");
  QTest::addColumn<QString>("place");
  QTest::addColumn<QString>("message");
  QTest::newRow("text for number") << "/measures/0/estimate"
                                   << "\"x\""
                                   << "/measures/0/estimate"
                                   << "/measures/0/estimate is \"x\", wanted a number or null.";
  QTest::newRow("negative count") << "/run/replications"
                                  << "-1"
                                  << "/run/replications"
                                  << "/run/replications is -1, wanted a whole number >= 0.";
  QTest::newRow("status") << "/run/status"
                          << "\"done\""
                          << "/run/status"
                          << "/run/status is \"done\", wanted one of complete, partial, failed.";
  QTest::newRow("lengths") << "/series/1/y"
                           << "[1]"
                           << "/series/1"
                           << "/series/1 has 3 x, 1 y, 0 lower and 0 upper, wanted as many of each.";
  QTest::newRow("element") << "/measures/0/element"
                           << "\"zz\""
                           << "/measures/0/element"
                           << "/measures/0/element is \"zz\", wanted 16 hexadecimal digits.";
  QTest::newRow("measure") << "/measures/1"
                           << "7"
                           << "/measures/1"
                           << "/measures/1 is 7, wanted an object.";
  QTest::newRow("id") << "/measures/1/id"
                      << "\"\""
                      << "/measures/1/id"
                      << "/measures/1/id is missing, wanted the name of the measure.";
  QTest::newRow("schema") << "/schema"
                          << "2"
                          << "/schema"
                          << "/schema is 2, wanted at most 1: these results come from a newer version.";
  QTest::newRow("row") << "/tables/0/rows/1"
                       << "[1]"
                       << "/tables/0/rows/1"
                       << "/tables/0/rows/1 is [1], wanted a list of 2 cells.";
  QTest::newRow("table's name") << "/tables/0/name"
                                << "\"../x\""
                                << "/tables/0/name"
                                << "/tables/0/name is \"../x\", wanted letters, digits and _.";
  QTest::newRow("run") << "/run"
                       << "[]"
                       << "/run"
                       << "/run is missing, wanted an object.";
  QTest::newRow("point") << "/series/0/x/1"
                         << "true"
                         << "/series/0/x/1"
                         << "/series/0/x/1 is true, wanted a number or null.";
}

void TestResultJson::defects_are_reported_with_their_place() {
  QFETCH(QString, pointer);
  QFETCH(QString, replacement);
  QFETCH(QString, place);
  QFETCH(QString, message);
  Json document = written(example_results(5));
  document[Json::json_pointer(pointer.toStdString())] = Json::parse(replacement.toStdString());
  Diagnostics problems;
  QVERIFY(!parse_results(document.dump(), problems));
  QCOMPARE(problems.size(), std::size_t{1});
  QCOMPARE(QString::fromStdString(problems[0].pointer), place);
  QCOMPARE(QString::fromStdString(problems[0].message), message);
  QCOMPARE(problems[0].code, std::string("RES002"));
}

void TestResultJson::mutated_documents_never_crash() {
  const std::string text = to_json(example_results(5)).dump();
  int read = 0;
  for (std::size_t i = 0; i < text.size(); ++i)
    for (const char c : {'"', '{', ']', '0', 'n', ',', '\xff'}) {
      std::string broken = text;
      broken[i] = c;
      Diagnostics problems;
      const auto result = parse_results(broken, problems);
      QCOMPARE(result.has_value(), problems.empty());
      read += result.has_value();
    }
  QVERIFY(read > 0);
  for (const char* whole : {"", "null", "[]", "{}", "{\"run\":{}}"}) {
    Diagnostics problems;
    QVERIFY(!parse_results(whole, problems) && !problems.empty());
  }
}

void TestResultJson::csv_reads_back_bit_for_bit() {
  const ResultSet r = example_results(5);
  const auto rows = std::get<0>(parse_csv(measures_csv(r)));
  QCOMPARE(rows.size(), std::size_t{3});
  QCOMPARE(rows[0][4], std::string("estimate"));
  QCOMPARE(rows[1].size(), rows[0].size());
  QCOMPARE(rows[1][1], std::string("All four, failed"));
  QCOMPARE(std::stod(rows[1][4]), r.measures[0].estimate);
  QCOMPARE(std::stod(rows[1][6]), r.measures[0].upper);
  QCOMPARE(rows[1][13], std::string("0.1"));
  QCOMPARE(rows[2][4], std::string());
  QCOMPARE(rows[2][rows[2].size() - 6], std::string("the event never occurred"));
  const auto points = std::get<0>(parse_csv(series_csv(r)));
  QCOMPARE(points.size(), std::size_t{7});
  QCOMPARE(points[3][7], std::string());
  QCOMPARE(points[2],
           (std::vector<std::string>{"failed_4", "curve", "simulation", "12", "h", "0.1", "", "0.05", "0.2"}));
}

// By hand: 0.1 in [0.05, 0.2] or beyond, and a limit beside a measure of the mission, which is none of its business.
void TestResultJson::csv_says_what_exact_solvers_answered() {
  ResultSet r = example_results(5);
  r.company.clear();
  MeasureResult& own = r.measures[0];
  own.kind = "probability_at", own.exact = false, own.lower = 0.05, own.upper = 0.2;
  const auto beside = [&](double value, bool long_run) {
    ResultSet set;
    set.long_run = long_run;
    MeasureResult answer = own;
    answer.exact = true, answer.solver = long_run ? "limits" : "chain", answer.estimate = value;
    set.measures = {answer};
    r.company = {std::make_shared<const ResultSet>(set)};
    const std::vector<std::string> row = std::get<0>(parse_csv(measures_csv(r)))[1];
    return std::vector<std::string>(row.end() - 5, row.end() - 2);
  };
  using Cells = std::vector<std::string>;
  const std::vector<std::string> head = std::get<0>(parse_csv(measures_csv(r)))[0];
  QCOMPARE(Cells(head.end() - 5, head.end() - 2), (Cells{"exact_value", "exact_solver", "exact_inside_interval"}));
  QCOMPARE(beside(0.1, false), (Cells{"0.1", "chain", "yes"}));
  QCOMPARE(beside(0.3, false), (Cells{"0.3", "chain", "no"}));
  QCOMPARE(beside(0.1, true), (Cells{"", "", ""}));
  own.kind = "steady_state_mean";
  QCOMPARE(beside(0.3, true), (Cells{"0.3", "limits", "no"}));
  QCOMPARE(beside(0.3, false), (Cells{"", "", ""}));
}

void TestResultJson::samples_are_called_what_they_are() {
  ResultSet r = example_results(5);
  MeasureResult &batches = r.measures[0], &cycles = r.measures[1];
  batches.method = "batch-means", batches.replications = 64;
  cycles.method = "regenerative", cycles.replications = 800;
  const auto check = [&](const char* of_first, bool samples) {
    const Json document = written(r);
    QCOMPARE(document["measures"][0][of_first], Json(64));
    QCOMPARE(document["measures"][0].contains("replications"), !samples);
    QCOMPARE(document["measures"][1]["cycles"], Json(800));
    QVERIFY(!document["measures"][1].contains("replications"));
    Diagnostics problems;
    const auto back = parse_results(document.dump(), problems);
    QVERIFY(back && problems.empty());
    QCOMPARE(back->measures[0].replications, std::uint64_t{64});
    QCOMPARE(back->measures[1].replications, std::uint64_t{800});
    const auto rows = std::get<0>(parse_csv(measures_csv(r)));
    QCOMPARE(rows[0][rows[0].size() - 2], std::string("samples"));
    QCOMPARE(rows[1][rows[1].size() - 2], std::string(of_first));
    QCOMPARE(rows[2][rows[2].size() - 2], std::string("cycles"));
  };
  check("replications", false);  // of which each is cut into batches
  r.provenance.options["output_analysis"] = "batch-means";
  check("batches", true);
  // Of what is exact there are none.
  batches.exact = true;
  QCOMPARE(std::get<0>(parse_csv(measures_csv(r)))[1].end()[-2], std::string());
}

void TestResultJson::what_an_estimate_is_a_mean_of_is_written() {
  ResultSet r = example_results(5);
  QVERIFY(!written(r)["measures"][0].contains("note"));
  r.measures[0].kind = "observed_quantile";
  QCOMPARE(written(r)["measures"][0]["note"], Json("the mean of each mission's own quantile"));
  const auto rows = std::get<0>(parse_csv(measures_csv(r)));
  QCOMPARE(rows[0].back(), std::string("note"));
  QCOMPARE(rows[1].back(), std::string("the mean of each mission's own quantile"));
  QCOMPARE(rows[2].back(), std::string());
}

// Written once by `--solver all --json`: the name stood for two things.
void TestResultJson::a_list_of_exact_values_under_the_name_of_the_mark_is_read() {
  Json old = Json::parse(to_json(example_results(5)).dump());
  old["measures"][0]["exact"] = Json::parse(R"([{"solver": "chain", "value": 0.1}])");
  Diagnostics problems;
  const auto read = parse_results(old.dump(), problems);
  QVERIFY(read.has_value() && problems.empty());
  QVERIFY(!read->measures[0].exact);
}

void TestResultJson::csv_of_a_table_has_units_in_its_header() {
  QCOMPARE(table_csv(example_results(5).tables[0]),
           std::string("Module,Time [h]\n\"pumps, both\",0.3333333333333333\nvalve,\n"));
}

void TestResultJson::csv_of_distributions_has_a_row_for_each_quantity() {
  const ResultSet r = example_results(5);
  const MeasureResult& m = r.measures[1];
  const std::string unit = m.unit;
  QCOMPARE(distributions_csv(r), "measure,solver,quantity,level,value,lower,upper,unit\n" + m.id + "," + m.solver +
                                     ",quantile,0.05,1.5,,," + unit + "\n" + m.id + "," + m.solver +
                                     ",quantile,0.5,2.25,2,," + unit + "\n" + m.id + "," + m.solver +
                                     ",variance,,0.5,0.25,0.75," + unit + "^2\n");
}

void TestResultJson::csv_of_a_series_has_units_in_its_header() {
  QVERIFY(
      series_csv(example_results(5).series[0]).starts_with("Time [h],Probability [1],lower [1],upper [1]\n0,0,0,0\n"));
}

void TestResultJson::export_writes_metadata_beside_each_file() {
  QTemporaryDir folder;
  QVERIFY(!export_csv(example_results(5), folder.filePath("out.csv").toStdString()));
  const QStringList wanted{
      "out.csv",         "out.csv.meta.json",         "out.distributions.csv", "out.distributions.csv.meta.json",
      "out.modules.csv", "out.modules.csv.meta.json", "out.series.csv",        "out.series.csv.meta.json"};
  QCOMPARE(QDir(folder.path()).entryList(QDir::Files, QDir::Name), wanted);
  std::ifstream in(folder.filePath("out.csv.meta.json").toStdString());
  const Json meta = Json::parse(in);
  QCOMPARE(meta["run"]["seed"].get<std::uint64_t>(), 18446744073709551615ULL);
  QCOMPARE(meta["columns"].size(), std::size_t{22});
  const auto problem = export_csv(example_results(5), folder.filePath("none/out.csv").toStdString());
  QVERIFY(problem && problem->code == "RES001");
}

QTEST_APPLESS_MAIN(TestResultJson)
#include "tst_result_json.moc"
