#include <QtTest>
#include <algorithm>
#include <fstream>

#include "app/session/import.h"
#include "core/document/layout_limits.h"
#include "core/format/hash.h"
#include "core/format/model_file.h"

using namespace ergode;

/// Files of other formats as models, whatever the format.
class Import : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void the_saved_model_means_what_the_file_means_data();
  void the_saved_model_means_what_the_file_means();
  void wide_and_deep_trees_are_placed_where_they_can_be_drawn_data();
  void wide_and_deep_trees_are_placed_where_they_can_be_drawn();
  void messages_quote_names_short_and_visible_data();
  void messages_quote_names_short_and_visible();

 private:
  std::string written(const char* name, const QByteArray& text) {
    const std::string path = folder_.filePath(name).toStdString();
    std::ofstream(path, std::ios::binary) << text.toStdString();
    return path;
  }
  QTemporaryDir folder_;
};

// Oracle: identity. What a file means is one hash, read again or saved as a model and opened.
void Import::the_saved_model_means_what_the_file_means_data() {
  QTest::addColumn<QString>("name");
  QTest::addColumn<QByteArray>("text");
  QTest::newRow("tree in JSON") << "tree.json" << QByteArray(R"({"toplevel": "2", "parameters": {}, "nodes": [
    {"data": {"id": "0", "name": "A", "type": "be", "rate": "1e-7", "dorm": "0.25", "repair": 0.1}},
    {"data": {"id": "1", "name": "B", "type": "be", "distribution": "erlang", "rate": "0.3", "phases": 2, "dorm": "1"}},
    {"data": {"id": "2", "name": "Z", "type": "pand", "children": ["0", "1"]}}]})");
  QTest::newRow("tree in the Galileo format")
      << "tree.dft"
      << QByteArray(
             "toplevel \"Z\";\n\"Z\" 2of3 \"A\" \"B\" \"C\";\n\"A\" lambda=1.5e-300 dorm=0.1;\n"
             "\"B\" prob=0.3333333333333333;\n\"C\" shape=2 rate=0.1;\n");
  QTest::newRow("chain") << "chain.prism"
                         << QByteArray(
                                "ctmc\nconst double r = 1/3;\nmodule M\n  s : [0..2] init 0;\n"
                                "  [] s<2 -> r : (s'=s+1);\n  [] s>0 -> 0.1 : (s'=0);\nendmodule\n");
  QTest::newRow("chart") << "chart.scxml"
                         << QByteArray(
                                "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\" "
                                "datamodel=\"ecmascript\"><datamodel><data id=\"x\" expr=\"0.1\"/></datamodel>"
                                "<state id=\"a\"><transition event=\"e\" cond=\"x &lt; 1/3\" target=\"b\"/>"
                                "</state><final id=\"b\"/></scxml>");
}

void Import::the_saved_model_means_what_the_file_means() {
  QFETCH(QString, name);
  QFETCH(QByteArray, text);
  const std::string path = written(qPrintable(name), text);
  const ImportedModel first = import_model(path), again = import_model(path);
  for (const Diagnostic& d : first.diagnostics)
    if (d.severity == Severity::error) QFAIL(d.message.c_str());
  QVERIFY(first.document && again.document);
  QCOMPARE(semantic_hash(*again.document), semantic_hash(*first.document));
  const auto opened = parse_model(write_model(*first.document));
  QVERIFY(opened.document.has_value());
  QCOMPARE(semantic_hash(*opened.document), semantic_hash(*first.document));
  QCOMPARE(file_hash(*opened.document), file_hash(*first.document));
}

void Import::wide_and_deep_trees_are_placed_where_they_can_be_drawn_data() {
  QTest::addColumn<int>("gates");
  QTest::addColumn<bool>("deep");
  QTest::newRow("ten thousand gates, fourteen levels") << 10000 << false;
  QTest::newRow("nine thousand levels") << 9000 << true;
}

// Two inputs a gate. A level of a wide tree is longer than drawings may be, and so is the way down a deep one.
void Import::wide_and_deep_trees_are_placed_where_they_can_be_drawn() {
  QFETCH(int, gates);
  QFETCH(bool, deep);
  QByteArray text = "toplevel \"g0\";\n";
  const auto named = [&](int i) { return QByteArray(i < gates ? "\"g" : "\"b") + QByteArray::number(i) + "\""; };
  for (int i = 0; i < gates; ++i)
    text += named(i) + " or " + named(deep ? i + 1 : 2 * i + 1) + " " + named(deep ? gates + 1 + i : 2 * i + 2) + ";\n";
  for (int i = gates; i <= 2 * gates; ++i) text += named(i) + " lambda=1e-4;\n";
  const ImportedModel model = import_model(written("large.dft", text));
  QVERIFY(model.document.has_value());
  for (const Diagnostic& d : check_layout(*model.document)) QFAIL(d.message.c_str());
}

void Import::messages_quote_names_short_and_visible_data() {
  QTest::addColumn<QString>("name");
  QTest::addColumn<QByteArray>("text");
  const QByteArray evil = "\x1b[2J" + QByteArray(5000, 'n'), cut = QByteArray(5000, 'n');
  const QByteArray scxml = "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\" datamodel=\"ecmascript\">";
  QTest::newRow("an element that is not there") << "a.dft"
                                                << "toplevel \"Z\"; \"Z\" and \"" + evil + "\" \"" + evil + "\";";
  QTest::newRow("a gate that is not known") << "b.dft"
                                            << "toplevel \"Z\"; \"Z\" \"" + evil + "\" \"A\"; \"A\" lambda=1;";
  QTest::newRow("an event without a law") << "c.dft"
                                          << "toplevel \"" + evil + "\"; \"" + evil + "\" dorm=1;";
  QTest::newRow("a value that is no number") << "d.dft"
                                             << "toplevel \"A\"; \"A\" lambda=\"" + evil + "\";";
  QTest::newRow("a state that is not there")
      << "a.scxml" << scxml + "<state id=\"a\"><transition event=\"e\" target=\"" + cut + "\"/></state></scxml>";
  QTest::newRow("an element that means nothing")
      << "b.scxml" << scxml + "<state id=\"a\"><" + cut + "/></state></scxml>";
  QTest::newRow("a condition that cannot be read")
      << "c.scxml" << scxml + "<state id=\"a\"><transition event=\"e\" cond=\"" + cut + " ~ 1\"/></state></scxml>";
  QTest::newRow("a place that is none") << "d.scxml"
                                        << scxml + "<state id=\"a\"><onentry><assign location=\"" + cut +
                                               "\" expr=\"1\"/></onentry></state></scxml>";
}

void Import::messages_quote_names_short_and_visible() {
  QFETCH(QString, name);
  QFETCH(QByteArray, text);
  const ImportedModel model = import_model(written(qPrintable(name), text));
  QVERIFY(!model.diagnostics.empty());
  for (const Diagnostic& d : model.diagnostics)
    for (const std::string& said : {d.message, d.hint}) {
      QVERIFY2(said.size() < 500, said.substr(0, 600).c_str());
      QVERIFY(std::none_of(said.begin(), said.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }));
    }
}

QTEST_GUILESS_MAIN(Import)
#include "tst_import.moc"
