// Damaged SCXML documents: every one is imported, refused or diagnosed, and what is accepted runs or fails in words.
// Oracle: no crash, no hang, and a diagnostic wherever something was left out. Seed 20150901.
#include <random>

#include "solvers/model/analysis_model.h"
#include "statecharts/exchange/scxml_writer.h"
#include "tests/conformance/scxml_cases.h"

using namespace ergode;
using namespace ergode::test;

class ScxmlMutations : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void damaged_documents_are_refused_or_diagnosed_and_never_crash();
  void monstrous_documents_are_refused_or_diagnosed_and_never_crash();

 private:
  void survive(const std::string& text);
  int refused_ = 0, incomplete_ = 0, invalid_ = 0, ran_ = 0, failed_ = 0;
};

namespace {

class Mutator {
 public:
  explicit Mutator(std::string text) : text_(std::move(text)) {}

  std::string damaged(std::mt19937& random) {
    std::string out = text_;
    const auto at = [&] { return out.empty() ? 0 : random() % out.size(); };
    for (auto times = 1 + random() % 3; times > 0 && !out.empty(); --times) {
      switch (random() % 8) {
        case 0:  // a byte
          out[at()] = static_cast<char>(random() % 256);
          break;
        case 1:  // cut short
          if (random() % 4 == 0) out.resize(at());
          break;
        case 2:  // a piece twice
          out.insert(at(), out.substr(at(), random() % 200));
          break;
        case 3:  // a piece gone
          out.erase(at(), random() % 40);
          break;
        case 4:
          swap_words(out, random, '<');  // tags
          break;
        case 5:
        case 6:
          swap_words(out, random, '"');  // values of attributes: ids, targets, events, expressions
          break;
        default: {  // words of the language in strange places
          static constexpr const char* words[] = {
              "parallel",      "final",         "history", "initial", "state", "target", "event",
              "onentry",       "&amp;",         "0",       "''",      "-1",    "In('",   "delay=\"1ns\"",
              "delay=\"1ms\"", "type=\"deep\"", "*",       "1e999",   "==",    "(((("};
          out.insert(at(), words[random() % std::size(words)]);
        }
      }
    }
    return out;
  }

 private:
  // Exchanges two pieces that begin with a sign and go to the end of their word.
  static void swap_words(std::string& text, std::mt19937& random, char sign) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i + 1 < text.size(); ++i)
      if (text[i] == sign) places.push_back(i + 1);
    if (places.size() < 2) return;
    std::size_t a = places[random() % places.size()], b = places[random() % places.size()];
    if (a > b) std::swap(a, b);
    const auto end = [&](std::size_t from) { return std::min(text.find_first_of("\"> /", from), text.size()); };
    const std::string one = text.substr(a, end(a) - a), two = text.substr(b, end(b) - b);
    if (a + one.size() > b) return;
    text.replace(b, two.size(), one);
    text.replace(a, one.size(), two);
  }

  std::string text_;
};

}  // namespace

void ScxmlMutations::survive(const std::string& text) {
  const ScxmlImport import = parse_scxml(text, "damaged");
  if (!import.document) {
    ++refused_;
    QVERIFY(has_errors(import.diagnostics));
    QVERIFY(!import.diagnostics.front().message.empty());
    return;
  }
  incomplete_ += import.complete ? 0 : 1;
  QVERIFY(import.complete || !import.diagnostics.empty());
  for (const Element* diagram : import.document->of(Section::diagram))
    if (diagram->text("notation") == "statechart") {
      const ExportedText written = write_scxml(*import.document, *diagram);
      QVERIFY(written.text || has_errors(written.diagnostics));
      if (written.text) QVERIFY(parse_scxml(*written.text, "again").document.has_value());
    }
  const ChartTrace trace = trace_chart(*import.document, {{"t", 0.0, true}, {"e", 0.0, true}}, 0.2, 1, 2000);
  QVERIFY(!trace.points.empty() || has_errors(trace.diagnostics));
  if (trace.points.empty()) ++invalid_;
  else if (has_errors(trace.diagnostics)) ++failed_;
  else ++ran_;
}

void ScxmlMutations::damaged_documents_are_refused_or_diagnosed_and_never_crash() {
  std::vector<Mutator> sources;
  for (const char* set : {"scion_scxml", "w3c_scxml_irp", "w3c_scxml_examples"}) {
    const std::string folder = case_folder(set);
    if (folder.empty()) QSKIP("no cases folder");
    for (const CaseRow& row : case_rows(folder)) {
      const std::string text = bytes_of(folder + "/" + row.file);
      if (text.size() < 20000) sources.emplace_back(text);
    }
  }
  std::mt19937 random(20150901);
  for (int i = 0; i < 4800; ++i) {
    survive(sources[random() % sources.size()].damaged(random));
    if (QTest::currentTestFailed()) return;
  }
  qInfo("%d refused, %d incomplete; of the accepted %d ran, %d failed in words, %d were no valid model", refused_,
        incomplete_, ran_, failed_, invalid_);
  QVERIFY(refused_ > 0 && ran_ > 0);
}

void ScxmlMutations::monstrous_documents_are_refused_or_diagnosed_and_never_crash() {
  const std::string open = "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\">", close = "</scxml>";
  const auto repeated = [](const std::string& piece, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += piece;
    return out;
  };
  survive(open + repeated("<state>", 20000) + repeated("</state>", 20000) + close);
  survive(open + repeated("<parallel>", 300) + repeated("</parallel>", 300) + close);
  survive(open + "<state id=\"a\"><onentry>" + repeated("<if cond=\"true\">", 5000) + repeated("</if>", 5000) +
          "</onentry></state>" + close);
  survive(open + "<state id=\"a\"><transition cond=\"" + repeated("(", 100000) + "\"/></state>" + close);
  survive(open + "<state id=\"a\"><transition cond=\"" + repeated("!", 100000) + "x\"/></state>" + close);
  survive(open + "<state id=\"a\"><transition cond=\"" + repeated("1+", 100000) + "1\"/></state>" + close);
  survive(open + "<state id=\"a\"><transition event=\"" + repeated("e ", 20000) + "\" target=\"a\"/></state>" + close);
  survive(open + "<state id=\"" + std::string(1000000, 'x') + "\"/>" + close);
  survive(open + "<state id=\"a\"><transition target=\"" + repeated("a ", 3000) + "\"/></state>" + close);
  survive(open + repeated("<state/>", 2000) + close);
  // Circles: eventless, of events, of sends without and with next to no delay, of targets and initial states.
  survive(open +
          "<state id=\"a\"><transition target=\"b\"/></state><state id=\"b\"><transition target=\"a\"/></state>" +
          close);
  survive(open + "<state id=\"a\"><transition event=\"t e\" target=\"a\"><raise event=\"e\"/></transition></state>" +
          close);
  survive(
      open +
      "<state id=\"a\"><transition event=\"t e\" target=\"a\"><send event=\"e\" delay=\"0s\"/></transition></state>" +
      close);
  survive(open +
          "<state id=\"a\"><transition event=\"t e\" target=\"a\"><send event=\"e\" "
          "delay=\"0.000000001ms\"/></transition></state>" +
          close);
  survive(open + "<state id=\"a\" initial=\"a\"><state id=\"b\" initial=\"a\"/></state>" + close);
  survive(open +
          "<state id=\"a\"><history id=\"h\"><transition target=\"h\"/></history><state id=\"b\"><transition "
          "target=\"h\"/></state></state>" +
          close);
  survive("");
  survive("<");
  survive(std::string("\xFF\xFE<\0s", 5));
  survive(std::string(100000, '\0'));
}

QTEST_GUILESS_MAIN(ScxmlMutations)
#include "tst_scxml_mutations.moc"
