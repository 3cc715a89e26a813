#include <QtTest>
#include <chrono>
#include <filesystem>
#include <random>

#include "core/document/command.h"
#include "core/format/hash.h"
#include "core/format/model_file.h"
#include "tests/support/model_builder.h"

using namespace ergode;
using namespace ergode::test;

namespace {

std::vector<std::string> example_files() {
  std::vector<std::string> out;
  const std::filesystem::path root(ERGODE_SOURCE_DIR);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "examples"))
    if (entry.path().extension() == ".ergode") out.push_back(std::filesystem::relative(entry.path(), root).string());
  std::sort(out.begin(), out.end());
  return out;
}

const std::string header = R"("format": "ergode-model", "schema": 1, "model": {"id": "000000000000000a", "name": "M"})";
std::string file_with(const std::string& more) { return "{" + header + (more.empty() ? "" : ", " + more) + "}"; }

const Diagnostic* first_error(const Diagnostics& list) {
  for (const Diagnostic& d : list)
    if (d.severity == Severity::error) return &d;
  return nullptr;
}

}  // namespace

class TestModelFile : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void examples_are_canonical_byte_by_byte_data();
  void examples_are_canonical_byte_by_byte();
  void the_first_version_of_the_format_is_read_for_ever();
  void unknown_kinds_properties_and_keys_are_kept();
  void defects_have_their_code_and_pointer_data();
  void defects_have_their_code_and_pointer();
  void every_defect_is_reported_not_only_the_first();
  void every_truncation_of_an_example_is_refused();
  void numbers_survive_and_none_is_not_a_number();
  void moving_is_no_change_of_meaning();
  void a_missing_file_or_folder_is_an_error();
  void saving_over_nothing_writable_leaves_the_old_file();
  void mutated_examples_never_crash_and_what_is_read_is_written_back_alike();
};

void TestModelFile::examples_are_canonical_byte_by_byte_data() {
  QTest::addColumn<QString>("path");
  const auto files = example_files();
  QVERIFY(files.size() >= 3);
  for (const std::string& path : files) QTest::newRow(path.c_str()) << QString::fromStdString(path);
}

void TestModelFile::examples_are_canonical_byte_by_byte() {
  QFETCH(QString, path);
  const std::string text = project_file(path.toStdString());
  const ReadOutcome read = parse_model(text);
  QVERIFY2(read.document.has_value() && read.diagnostics.empty(), listed(read.diagnostics).c_str());
  QCOMPARE(QString::fromStdString(write_model(*read.document)), QString::fromStdString(text));
}

void TestModelFile::the_first_version_of_the_format_is_read_for_ever() {
  const ReadOutcome read = parse_model(project_file("tests/formats/v1.ergode"));
  QVERIFY2(read.document.has_value() && read.diagnostics.empty(), listed(read.diagnostics).c_str());
  const Document& d = *read.document;
  QCOMPARE(d.model().name(), std::string("Every part of schema version 1"));
  QCOMPARE(d.of(Section::parameter).size(), std::size_t{2});
  QCOMPARE(d.of(Section::diagram).size(), std::size_t{2});
  QCOMPARE(d.of(Section::node).size(), std::size_t{6});
  QCOMPARE(d.of(Section::edge).size(), std::size_t{3});
  QCOMPARE(d.of(Section::measure).size(), std::size_t{1});
  QCOMPARE(d.of(Section::scenario).size(), std::size_t{1});
  QCOMPARE(d.of(Section::study).size(), std::size_t{1});
  QCOMPARE(d.of(Section::exclusion).size(), std::size_t{1});
  const Element* inner = d.find(*ElementId::parse("0000000000000023"));
  QCOMPARE(inner->parent, *ElementId::parse("0000000000000022"));
  QVERIFY(*inner->layout.bounds == (Rect{240, 60.5, 100, 50}));
  const Element* edge = d.find(*ElementId::parse("0000000000000031"));
  QVERIFY(edge->layout.way_points == (std::vector<Point>{{150, 20}, {200, 20}}));
  QVERIFY(*edge->layout.label_offset == (Point{4, -12}));
  QCOMPARE(d.unknown().at("bookmarks").dump(), std::string("[1,2]"));
}

void TestModelFile::unknown_kinds_properties_and_keys_are_kept() {
  const std::string text = file_with(
      R"("parameters": [{"id": "000000000000000b", "name": "x", "value": "1", "colour": {"deep": [1, null, "µ"]}}],
    "diagrams": [{"id": "000000000000000c", "name": "Q", "notation": "queueing", "zoom": 2,
      "nodes": [{"id": "000000000000000d", "kind": "station", "servers": 3, "extra": true}], "edges": []}],
    "plugins": {"x": [1, 2]}, "comment": "kept", "layout": {"000000000000000d": [1, 2, 3, 4]})");
  const ReadOutcome read = parse_model(text);
  QVERIFY2(read.document.has_value(), listed(read.diagnostics).c_str());
  const Value again = Value::parse(write_model(*read.document)), before = Value::parse(text);
  QCOMPARE(again["plugins"].dump(), before["plugins"].dump());
  QCOMPARE(again["comment"].dump(), before["comment"].dump());
  QCOMPARE(again["parameters"].dump(), before["parameters"].dump());
  QCOMPARE(again["diagrams"].dump(), before["diagrams"].dump());
  QCOMPARE(again["layout"].dump(), before["layout"].dump());
}

void TestModelFile::defects_have_their_code_and_pointer_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("code");
  QTest::addColumn<QString>("pointer");
  const auto row = [](const char* name, const std::string& text, const char* code, const char* pointer) {
    QTest::newRow(name) << QString::fromStdString(text) << code << pointer;
  };
  const std::string two =
      R"("diagrams": [{"id": "000000000000000b", "nodes": [{"id": "000000000000000c", "kind": "state"}, {"id": "000000000000000d", "kind": "state")";
  row("empty", "", "FMT002", "");
  row("no JSON", "hello", "FMT002", "");
  row("a list", "[]", "FMT001", "/format");
  row("null", "null", "FMT001", "/format");
  row("another format", R"({"format": "svg"})", "FMT001", "/format");
  row("format is a number", R"({"format": 3})", "FMT001", "/format");
  row("no schema", R"({"format": "ergode-model"})", "FMT005", "/schema");
  row("newer schema", R"({"format": "ergode-model", "schema": 2, "model": {}})", "FMT005", "/schema");
  row("schema zero", R"({"format": "ergode-model", "schema": 0})", "FMT005", "/schema");
  row("schema is text", R"({"format": "ergode-model", "schema": "1"})", "FMT005", "/schema");
  row("schema is huge", R"({"format": "ergode-model", "schema": 18446744073709551615})", "FMT005", "/schema");
  row("no model", R"({"format": "ergode-model", "schema": 1})", "FMT006", "/model");
  row("model is a list", R"({"format": "ergode-model", "schema": 1, "model": []})", "FMT006", "/model");
  row("duplicate key", file_with(R"("x": 1, "x": 2)"), "FMT004", "");
  row("duplicate key deep", file_with(R"("parameters": [{"id": "000000000000000b", "name": "a", "name": "b"}])"),
      "FMT004", "");
  row("parameters is text", file_with(R"("parameters": "none")"), "FMT006", "/parameters");
  row("an element is a number", file_with(R"("parameters": [7])"), "FMT006", "/parameters/0");
  row("no id", file_with(R"("parameters": [{"name": "x"}])"), "FMT007", "/parameters/0/id");
  row("id too short", file_with(R"("parameters": [{"id": "abc"}])"), "FMT007", "/parameters/0/id");
  row("id is a number", file_with(R"("parameters": [{"id": 12}])"), "FMT007", "/parameters/0/id");
  row("null id", file_with(R"("parameters": [{"id": "0000000000000000"}])"), "FMT007", "/parameters/0/id");
  row("duplicate id", file_with(R"("parameters": [{"id": "000000000000000b"}, {"id": "000000000000000b"}])"), "FMT008",
      "/parameters/1/id");
  row("id of the model again", file_with(R"("parameters": [{"id": "000000000000000a"}])"), "FMT008",
      "/parameters/0/id");
  row("node without kind",
      file_with(R"("diagrams": [{"id": "000000000000000b", "nodes": [{"id": "000000000000000c"}]}])"), "FMT006",
      "/diagrams/0/nodes/0/kind");
  row("nodes is an object", file_with(R"("diagrams": [{"id": "000000000000000b", "nodes": {}}])"), "FMT006",
      "/diagrams/0/nodes");
  row("dangling target",
      file_with(
          two +
          R"(}], "edges": [{"id": "000000000000000e", "kind": "transition", "source": "000000000000000c", "target": "00000000000000ff"}]}])"),
      "FMT011", "/diagrams/0/edges/0/target");
  row("edge to a parameter",
      file_with(
          R"("parameters": [{"id": "00000000000000ff"}], )" + two +
          R"(}], "edges": [{"id": "000000000000000e", "kind": "transition", "source": "000000000000000c", "target": "00000000000000ff"}]}])"),
      "FMT011", "/diagrams/0/edges/0/target");
  row("edge without source",
      file_with(two +
                R"(}], "edges": [{"id": "000000000000000e", "kind": "transition", "target": "000000000000000c"}]}])"),
      "FMT007", "/diagrams/0/edges/0/source");
  row("dangling parent", file_with(two + R"(, "parent": "00000000000000ff"}]}])"), "FMT011",
      "/diagrams/0/nodes/1/parent");
  row("its own parent", file_with(two + R"(, "parent": "000000000000000d"}]}])"), "FMT012",
      "/diagrams/0/nodes/1/parent");
  row("a circle of parents",
      file_with(
          R"("diagrams": [{"id": "000000000000000b", "nodes": [{"id": "000000000000000c", "kind": "state", "parent": "000000000000000d"}, {"id": "000000000000000d", "kind": "state", "parent": "000000000000000c"}]}])"),
      "FMT012", "/diagrams/0/nodes/0/parent");
  row("layout is a list", file_with(R"("layout": [])"), "FMT006", "/layout");
  row("layout of three numbers", file_with(two + R"(}]}], "layout": {"000000000000000d": [1, 2, 3]})"), "FMT006",
      "/layout/000000000000000d");
  row("layout of text", file_with(two + R"(}]}], "layout": {"000000000000000d": "here"})"), "FMT006",
      "/layout/000000000000000d");
  row("layout points wrong", file_with(two + R"(}]}], "layout": {"000000000000000d": {"points": [[1]]}})"), "FMT006",
      "/layout/000000000000000d/points/0");
  row("layout points no list", file_with(two + R"(}]}], "layout": {"000000000000000d": {"points": 3}})"), "FMT006",
      "/layout/000000000000000d/points");
  row("NaN", file_with(R"("x": NaN)"), "FMT002", "");
  row("infinite number", file_with(R"("x": 1e999)"), "FMT002", "");
  row("comment", "{// no\n" + header + "}", "FMT002", "");
  row("trailing text", file_with("") + "{}", "FMT002", "");
  row("not UTF-8", file_with("\"x\": \"\xc3\x28\""), "FMT002", "");
  row("deep", file_with("\"x\": " + std::string(100000, '[') + std::string(100000, ']')), "FMT003", "");
}

void TestModelFile::defects_have_their_code_and_pointer() {
  QFETCH(QString, text);
  QFETCH(QString, code);
  QFETCH(QString, pointer);
  std::string bytes = text.toStdString();
  if (QTest::currentDataTag() == QString("not UTF-8")) bytes = file_with("\"x\": \"\xc3\x28\"");
  const ReadOutcome read = parse_model(bytes);
  QVERIFY(!read.document);
  const Diagnostic* error = first_error(read.diagnostics);
  QVERIFY(error != nullptr);
  QVERIFY2(QString::fromStdString(error->code) == code && QString::fromStdString(error->pointer) == pointer,
           listed(read.diagnostics).c_str());
  QVERIFY(!error->message.empty());
}

void TestModelFile::every_defect_is_reported_not_only_the_first() {
  const ReadOutcome read =
      parse_model(file_with(R"("parameters": [{"id": "x"}, 7, {"id": "000000000000000a"}], "layout": 3)"));
  QCOMPARE(codes(read.diagnostics), std::string("FMT006 FMT006 FMT007 FMT008"));
  const ReadOutcome syntax = parse_model("{\n  \"format\": \"ergode-model\",\n  \"schema\" 1\n}");
  QVERIFY2(syntax.diagnostics[0].message.find("line 3, column 12") != std::string::npos,
           syntax.diagnostics[0].message.c_str());
}

void TestModelFile::every_truncation_of_an_example_is_refused() {
  const std::string text = project_file("examples/03_repairable_component/model.ergode");
  const std::size_t whole = text.find_last_of('}');
  for (std::size_t size = 0; size <= whole; size += 7) {
    const ReadOutcome read = parse_model(std::string_view(text).substr(0, size));
    QVERIFY(!read.document && has_errors(read.diagnostics));
  }
}

void TestModelFile::numbers_survive_and_none_is_not_a_number() {
  Document document;
  Element node{.id = ElementId(77),
               .section = Section::diagram,
               .kind = "diagram",
               .properties = {{"name", "D"}, {"x", 0.1}, {"n", 3}, {"big", 1e300}}};
  node.layout.bounds = Rect{0.1, 1e15, 1.0 / 3.0, -2};
  document.append(node);
  const ReadOutcome read = parse_model(write_model(document));
  QVERIFY2(read.document.has_value(), listed(read.diagnostics).c_str());
  QVERIFY(*read.document == document);
  // What is no number must not reach the file: the reader would refuse it, and the work would be lost.
  node.layout.bounds = Rect{std::nan(""), 1e300, std::numeric_limits<double>::infinity(), 2};
  node.properties["x"] = std::nan("");
  document.replace(1, node);
  const ReadOutcome again = parse_model(write_model(document));
  QVERIFY2(again.document.has_value(), listed(again.diagnostics).c_str());
}

void TestModelFile::moving_is_no_change_of_meaning() {
  const Document before = *parse_model(project_file("examples/02_station_blackout/model.ergode")).document;
  Edit move(before, "Move");
  std::vector<ElementId> nodes;
  for (const Element* node : before.of(Section::node)) nodes.push_back(node->id);
  move.move(nodes, 13, 29);
  QVERIFY(semantic_hash(before) == semantic_hash(move.document()));
  QVERIFY(file_hash(before) != file_hash(move.document()));

  Edit note(before, "Describe");
  note.set(before.of(Section::parameter)[0]->id, "description", "other words");
  note.insert({.section = Section::node,
               .kind = "note",
               .diagram = before.of(Section::diagram)[0]->id,
               .properties = {{"text", "hello"}}});
  QVERIFY(semantic_hash(before) == semantic_hash(note.document()));

  Edit value(before, "Change");
  value.set(before.of(Section::parameter)[0]->id, "value", "7");
  QVERIFY(semantic_hash(before) != semantic_hash(value.document()));
  QCOMPARE(semantic_hash(before).size(), std::size_t{64});
}

void TestModelFile::a_missing_file_or_folder_is_an_error() {
  QCOMPARE(codes(read_model("/no/such/file.ergode").diagnostics), std::string("FMT000"));
  QCOMPARE(codes(read_model(ERGODE_SOURCE_DIR).diagnostics), std::string("FMT014"));  // a folder
}

void TestModelFile::saving_over_nothing_writable_leaves_the_old_file() {
  QTemporaryDir folder;
  const std::string path = folder.filePath("model.ergode").toStdString();
  ModelBuilder m;
  QVERIFY(!save_model(m.document(), path));
  QCOMPARE(write_model(*read_model(path).document), write_model(m.document()));
  const auto problem = save_model(m.document(), "/proc/nothing/model.ergode");
  QVERIFY(problem && problem->code == "FMT009" && !problem->message.empty());
}

void TestModelFile::mutated_examples_never_crash_and_what_is_read_is_written_back_alike() {
  std::vector<std::string> seeds;
  for (const std::string& path : example_files()) seeds.push_back(project_file(path));
  seeds.push_back(project_file("tests/formats/v1.ergode"));
  const std::vector<std::string> words = {"{",
                                          "}",
                                          "[",
                                          "]",
                                          ",",
                                          ":",
                                          "\"",
                                          "null",
                                          "1e999",
                                          "-1",
                                          "\"id\": ",
                                          "\\u0000",
                                          "\"parent\": ",
                                          "000000000000000a",
                                          "\xff",
                                          "true"};
  std::mt19937 random(99);
  const auto below = [&random](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  int readable = 0;
  for (int i = 0; i < 10000; ++i) {
    // A window of the file is enough to reach every part, and keeps ten thousand files within seconds.
    std::string text = seeds[i % 10 == 0 ? below(seeds.size()) : seeds.size() - 1];
    for (std::size_t edits = 1 + below(3); edits > 0; --edits) {
      const std::size_t at = below(text.size());
      switch (below(5)) {
        case 0:
          text.erase(at, 1 + below(20));
          break;
        case 1:
          text.insert(at, words[below(words.size())]);
          break;
        case 2:
          text[at] = static_cast<char>(below(256));
          break;
        case 3:
          text.insert(at, text.substr(below(text.size()), below(80)));
          break;
        default: {  // one id for another
          const std::size_t quote = text.find("\"0000000000", at),
                            other = text.find("\"0000000000", below(text.size()));
          if (quote != std::string::npos && other != std::string::npos) text.replace(quote, 18, text.substr(other, 18));
        }
      }
      if (text.empty()) text = " ";
    }
    const ReadOutcome read = parse_model(text);
    if (!read.document) {
      if (!has_errors(read.diagnostics)) QFAIL(text.c_str());
      continue;
    }
    ++readable;
    const std::string written = write_model(*read.document);
    const ReadOutcome again = parse_model(written);
    if (!again.document || write_model(*again.document) != written) QFAIL(text.c_str());
  }
  QVERIFY2(readable > 200, qPrintable(QString::number(readable)));
}

QTEST_APPLESS_MAIN(TestModelFile)
#include "tst_model_file.moc"
