#include <QtTest>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "app/session/check.h"
#include "app/session/key_check.h"
#include "core/document/command.h"
#include "core/format/model_file.h"
#include "tests/support/model_builder.h"

using namespace ergode;
using namespace ergode::test;
using Json = nlohmann::ordered_json;

/// Keys of model files: none that is misspelled passes in silence.
class TestKeyCheck : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void examples_and_templates_have_known_keys_only_data() { files(); }
  void examples_and_templates_have_known_keys_only();
  void every_misspelled_key_is_reported_data() { files(); }
  void every_misspelled_key_is_reported();
  void unknown_keys_are_kept_and_warned_of();
  void null_is_no_text();
  void a_fix_renames_the_key();
  void a_measure_reads_what_its_type_reads();

 private:
  static void files() {
    QTest::addColumn<QString>("path");
    for (const char* folder : {"examples", "app/session/templates"})
      for (const auto& entry :
           std::filesystem::recursive_directory_iterator(std::string(ERGODE_SOURCE_DIR "/") + folder))
        if (entry.path().extension() == ".ergode")
          QTest::newRow(entry.path().string().c_str()) << QString::fromStdString(entry.path().string());
  }
  static Diagnostics problems_of(const Json& file) {
    const ReadOutcome read = parse_model(file.dump());
    Diagnostics out = read.diagnostics;
    if (read.document) check_keys(*read.document, out);
    return out;
  }
  /// The same word with a letter lost, doubled, and two swapped.
  static std::vector<std::string> misspellings(const std::string& word) {
    std::vector<std::string> out;
    const std::size_t at = word.size() / 2;
    out.push_back(word.substr(0, at) + word.substr(at + 1));
    out.push_back(word.substr(0, at) + word[at] + word.substr(at));
    std::string swapped = word;
    std::swap(swapped[at], swapped[at == 0 ? 1 : at - 1]);
    if (swapped != word) out.push_back(swapped);
    return out;
  }
  static void objects(const Json& value, const Json::json_pointer& at, std::vector<Json::json_pointer>& out) {
    if (value.is_object()) out.push_back(at);
    if (value.is_object())
      for (const auto& [key, child] : value.items()) objects(child, at / key, out);
    if (value.is_array())
      for (std::size_t i = 0; i < value.size(); ++i) objects(value[i], at / i, out);
  }
};

void TestKeyCheck::examples_and_templates_have_known_keys_only() {
  QFETCH(QString, path);
  const ReadOutcome read = read_model(path.toStdString());
  QVERIFY(read.document);
  Diagnostics problems;
  check_keys(*read.document, problems);
  QVERIFY2(problems.empty(), listed(problems).c_str());
}

void TestKeyCheck::every_misspelled_key_is_reported() {
  QFETCH(QString, path);
  Json file = Json::parse(project_file(std::filesystem::relative(path.toStdString(), ERGODE_SOURCE_DIR).string()));
  int tried = 0;
  std::string passed;
  std::set<std::pair<std::string, std::string>> seen;  // of one kind of element each key once
  std::vector<Json::json_pointer> all;
  objects(file, Json::json_pointer(), all);
  for (const Json::json_pointer& place : all) {
    const Json before = file[place];
    if (place == Json::json_pointer("/layout")) continue;  // ids
    const std::string kind = before.contains("kind") ? before["kind"].dump() : place.parent_pointer().to_string();
    for (const auto& [key, value] : before.items()) {
      if (key.size() < 2 || !seen.emplace(kind + before.value("notation", ""), key).second) continue;
      for (const std::string& wrong : misspellings(key)) {
        Json changed = Json::object();
        for (const auto& [k, v] : before.items()) changed[k == key ? wrong : k] = v;
        file[place] = changed;
        ++tried;
        if (problems_of(file).empty()) passed += " " + key + "->" + wrong;
      }
      file[place] = before;
    }
  }
  QVERIFY2(passed.empty(), passed.c_str());
  QVERIFY(tried > 50);
}

void TestKeyCheck::unknown_keys_are_kept_and_warned_of() {
  Json file = Json::parse(project_file("examples/04_repairable_system/model.ergode"));
  file["x_lab"] = 7;
  file["model"]["colour_of_the_pump"] = "red";
  const ReadOutcome read = parse_model(file.dump());
  QVERIFY(read.document);
  QCOMPARE(*parse_model(write_model(*read.document)).document, *read.document);
  const Diagnostics problems = problems_of(file);
  QCOMPARE(codes(problems), std::string("DOC006 DOC006"));
  QVERIFY(!has_errors(problems));
  // Beside the key that was meant it is an error too: one of them is not what its author thinks.
  file["model"]["horizn"] = "1 h";
  QVERIFY(has_errors(problems_of(file)));
  const ReadOutcome wrong = parse_model(file.dump());
  QVERIFY(wrong.document);
  QVERIFY(find_code(check_model(*wrong.document, {}), "DOC006") != nullptr);
}

void TestKeyCheck::null_is_no_text() {
  Json file = Json::parse(project_file("examples/04_repairable_system/model.ergode"));
  file["model"]["horizon"] = nullptr;
  QCOMPARE(codes(problems_of(file)), std::string("DOC002"));
}

void TestKeyCheck::a_fix_renames_the_key() {
  Json file = Json::parse(project_file("examples/04_repairable_system/model.ergode"));
  const Json horizon = file["model"]["horizon"];
  file["model"].erase("horizon");
  file["model"]["horizn"] = horizon;
  const Document document = *parse_model(file.dump()).document;
  const Diagnostics problems = problems_of(file);
  QCOMPARE(problems.size(), std::size_t{1});
  QCOMPARE(problems.front().hint, std::string("Did you mean horizon?"));
  CommandStack stack(document);
  stack.push(*problems_of(file).front().fixes.front().command);
  QCOMPARE(stack.document().model().text("horizon"), horizon.get<std::string>());
  QVERIFY(!stack.document().model().has("horizn"));
}

// A quantile that says "at" its level would be another quantile without a word.
void TestKeyCheck::a_measure_reads_what_its_type_reads() {
  Json file = Json::parse(project_file("examples/13_mg1_heavy_tail/model.ergode"));
  QVERIFY(problems_of(file).empty());
  for (Json& measure : file["measures"]) {
    if (measure["type"] != "observed_quantile") continue;
    measure["at"] = measure["level"];
    measure.erase("level");
    const Diagnostics problems = problems_of(file);
    QCOMPARE(codes(problems), std::string("DOC006"));
    QVERIFY2(problems.front().message.find("\"at\" means nothing to a measure of the type \"observed_quantile\"") !=
                 std::string::npos,
             problems.front().message.c_str());
    QVERIFY2(problems.front().hint.find("level") != std::string::npos, problems.front().hint.c_str());
    measure["at"] = "";  // nothing is said
    QVERIFY(problems_of(file).empty());
    measure["type"] = "no_type";  // is reported where it is read
    measure["at"] = "1 s";
    QVERIFY(problems_of(file).empty());
    measure["type"] = "observed_quantile";
    measure.erase("at");
  }
}

QTEST_APPLESS_MAIN(TestKeyCheck)
#include "tst_key_check.moc"
