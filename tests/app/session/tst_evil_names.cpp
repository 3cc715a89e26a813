// One table of names that try to leave the place where they are written, over every writer there is.
#include <QtTest>
#include <memory>
#include <pugixml.hpp>
#include <regex>
#include <set>

#include "app/session/exchange.h"
#include "app/session/figure.h"
#include "app/session/publish.h"
#include "app/session/run.h"
#include "core/base/csv.h"
#include "core/results/result_csv.h"
#include "solvers/registry.h"
#include "statecharts/exchange/boost_statechart_writer.h"
#include "statecharts/exchange/scxml_writer.h"
#include "tests/support/model_builder.h"

using namespace ergode;
using namespace ergode::test;

namespace {

// Each holds EVIL where it would do harm if it got out.
const std::vector<std::pair<const char*, std::string>> evil_names = {
    {"line", "a\nEVIL();"},
    {"carriage return", "a\rEVIL();"},
    {"separators",
     "a\xe2\x80\xa8"
     "EVIL();\xe2\x80\xa9"
     "EVIL();\xc2\x85"
     "EVIL();"},
    {"directive", "a\n#include \"EVIL\""},
    {"continued comment", "a\\"},
    {"continued by a trigraph", "a?\?/"},
    {"end of comment", "*/ EVIL(); /*"},
    {"end of literal", "\"); EVIL(); (\""},
    {"escape at the end", "a\\\" EVIL();"},
    {"raw literal", ")\" EVIL(); R\"("},
    {"element", "<EVIL/>"},
    {"end of element", "</text></title></desc><EVIL/>"},
    {"script", "</script><script>EVIL()</script>"},
    {"attribute", "\" EVIL=\"1"},
    {"attribute of the other quote", "' EVIL='1"},
    {"end of XML comment", "--><EVIL/><!--"},
    {"CDATA", "]]><EVIL/><![CDATA["},
    {"entity", "&EVIL; &#x3c;EVIL/&#x3e;"},
    {"processing", "?><?EVIL ?>"},
    {"not a character",
     "a\xef\xbf\xbe\xef\xbf\xbf"
     "b"},
    {"control characters",
     "a\x01\x08\x0b\x0c\x1b[2J\x7f"
     "b"},
    {"control characters of eight bits",
     "a\xc2\x9b"
     "2Jb"},
    {"right to left",
     "a\xe2\x80\xae"
     "LIVE\xe2\x80\xac"},
    {"formula", "=EVIL(1)"},
    {"formula by sign", "-1+EVIL(1)"},
    {"formula by at", "@EVIL(1)"},
    {"formula after a tab", "\t=EVIL(1)"},
    {"comma and quote", "a,\"EVIL\",b"},
    {"shell", "$(EVIL) `EVIL` ; EVIL"},
    {"parentheses of PDF", ")) Tj EVIL (("},
    {"long", std::string(5000, 'x') + "EVIL"},
};

struct Written {
  std::string name, text;
};

/// Everything that can be written of a model whose every name and text is `evil`.
std::vector<Written> written_with(const std::string& evil) {
  ModelBuilder model;
  model.header("name", evil), model.header("question", evil), model.header("note", evil);
  ChartBuilder chart(model, evil);
  const ElementId up = chart.state("Up"), down = chart.state(evil);
  chart.initial(up);
  chart.transition(up, down, evil, evil, evil);
  chart.transition(up, down, "go", "", "", {{"note", evil}, {"label", evil}});
  model.node(chart.id(), {}, "note", {{"text", evil}});
  // What is run must be valid; its labels may be anything.
  ModelBuilder runs;
  runs.header("name", evil), runs.header("question", evil), runs.header("note", evil);
  ChartBuilder unit(runs, "Unit");
  const ElementId a = unit.state("Up"), b = unit.state("Down");
  unit.initial(a);
  unit.transition(a, b, "rate(lambda)", "", "", {{"note", evil}});
  runs.parameter("lambda", "1e-2 /h", {{"label", evil}, {"source", evil}, {"note", evil}});
  runs.component("unit", "Unit");
  runs.measure("down", "probability_at", "unit.Down", {{"label", evil}, {"note", evil}, {"time", "24 h"}});
  RunRequest request;
  request.replications = 50, request.seed = 1, request.model_path = evil;
  Run run;
  run.start({.question = Question(runs.document(), request), .solver = find_solver("simulation"), .company = {}});
  run.wait();
  const auto found = run.result();
  std::vector<Written> out;
  if (found == nullptr) return out;
  ResultSet result = *found;
  for (MeasureResult& m : result.measures) m.label = evil, m.unit = evil, m.not_available = evil, m.id = evil;
  for (Series& s : result.series) s.label = evil, s.measure = evil, s.x_label = evil, s.y_label = evil, s.y_unit = evil;
  result.stop_reason = evil;
  result.provenance.scenario = evil, result.provenance.command = evil, result.provenance.made.host = evil;
  result.provenance.overrides[evil] = evil, result.provenance.parameters[evil] = evil;
  result.diagnostics.push_back({.code = "X", .pointer = evil, .message = evil, .hint = evil});
  const Element& diagram = *model.document().find(chart.id());
  // Straight from the writers: what refuses invalid models is one fence, what they write is the other.
  for (const auto& [name, text] : {std::pair{"cpp", write_boost_statechart(model.document(), diagram).text},
                                   std::pair{"scxml", write_scxml(model.document(), diagram).text}})
    if (text) out.push_back({name, *text});
  Diagnostics problems;
  for (const char* format : {"svg", "pdf"}) {
    if (auto text = make_diagram(model.document(), chart.id(), format)) out.push_back({format, *text});
    if (auto text = make_plot(result, evil, "", format, problems)) out.push_back({format, *text});
  }
  out.push_back({"html", make_report(&runs.document(), result)});
  out.push_back({"csv", measures_csv(result)});
  out.push_back({"csv", series_csv(result)});
  out.push_back({"csv", series_csv(result.series.front())});
  return out;
}

/// C++ without its comments and literals.
std::string bare(const std::string& program) {
  std::string out;
  for (std::size_t i = 0; i < program.size();) {
    if (program.compare(i, 2, "//") == 0) {
      while (i < program.size() && (program[i] != '\n' || program[i - 1] == '\\')) ++i;
    } else if (program[i] == '"') {
      for (++i; i < program.size() && program[i] != '"' && program[i] != '\n'; ++i) i += program[i] == '\\';
      if (i < program.size() && program[i] == '\n') out += "EVIL: a literal is left open";
      ++i;
    } else {
      out += program[i++];
    }
  }
  return out;
}

/// Names of elements and attributes.
std::set<std::string> tags(const std::string& text) {
  static const std::regex tag("<[/!?]?[A-Za-z][A-Za-z0-9:-]*");
  std::set<std::string> out;
  for (std::sregex_iterator i(text.begin(), text.end(), tag), end; i != end; ++i) out.insert(i->str());
  return out;
}

bool has_controls(const std::string& text, const std::string& allowed) {
  return std::any_of(text.begin(), text.end(), [&](char c) {
    return (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) && allowed.find(c) == std::string::npos;
  });
}

}  // namespace

class TestEvilNames : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void stay_where_they_are_written_data();
  void stay_where_they_are_written();
  void charts_that_are_invalid_become_no_program();
};

void TestEvilNames::stay_where_they_are_written_data() {
  QTest::addColumn<QByteArray>("evil");
  for (const auto& [what, name] : evil_names) QTest::newRow(what) << QByteArray::fromStdString(name);
}

void TestEvilNames::stay_where_they_are_written() {
  QFETCH(QByteArray, evil);
  const std::string name = evil.toStdString();
  const std::vector<Written> plain = written_with("plain"), all = written_with(name);
  QVERIFY(plain.size() >= 8 && all.size() >= 6);
  std::map<std::string, std::set<std::string>> usual;
  for (const Written& w : plain) usual[w.name].merge(tags(w.text));
  for (const Written& w : all) {
    const QByteArray shown = QByteArray::fromStdString(w.name + ":\n" + w.text.substr(0, 3000));
    if (w.name == "cpp") {
      QVERIFY2(bare(w.text).find("EVIL") == std::string::npos, shown);
      QVERIFY2(!has_controls(w.text, "\n"), shown);
    } else if (w.name == "scxml" || w.name == "svg") {
      pugi::xml_document xml;
      const auto parsed = xml.load_buffer(w.text.data(), w.text.size(), pugi::parse_full, pugi::encoding_utf8);
      QVERIFY2(parsed, parsed.description());
      QVERIFY2(xml.select_nodes("//EVIL | //@EVIL").empty(), shown);
      QVERIFY2(!has_controls(w.text, "\n\t"), shown);
      for (const char* no_character : {"\xef\xbf\xbe", "\xef\xbf\xbf"})
        QVERIFY2(w.text.find(no_character) == std::string::npos, shown);
    } else if (w.name == "html") {
      for (const std::string& tag : tags(w.text)) QVERIFY2(usual["html"].contains(tag), tag.c_str());
      QVERIFY2(!has_controls(w.text, "\n\t"), shown);
    } else if (w.name == "csv") {
      const auto parsed = parse_csv(w.text);
      QVERIFY2(std::holds_alternative<std::vector<std::vector<std::string>>>(parsed), shown);
      for (const auto& row : std::get<0>(parsed)) {
        QCOMPARE(row.size(), std::get<0>(parsed).front().size());
        for (const std::string& cell : row)
          QVERIFY2(cell.find("EVIL(1)") == std::string::npos ||
                       std::string("=+-@\t\r").find(cell.front()) == std::string::npos,
                   cell.c_str());
      }
      QVERIFY2(!has_controls(w.text, "\n\r\t"), shown);
    }
  }
}

void TestEvilNames::charts_that_are_invalid_become_no_program() {
  for (const auto& [what, name] : evil_names) {
    ModelBuilder model;
    ChartBuilder chart(model, name);
    const ElementId a = chart.state("A");
    chart.initial(a);
    chart.transition(a, a, "go", "1 +");
    for (const std::string& format : chart_formats()) {
      const ExportedText out = export_chart(model.document(), name, format);
      QVERIFY2(!out.text && has_errors(out.diagnostics), what);
    }
  }
}

QTEST_GUILESS_MAIN(TestEvilNames)
#include "tst_evil_names.moc"
