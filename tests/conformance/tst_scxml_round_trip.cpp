// Import, export, import: the same tables. Oracle: the identity, over every chart of the suites that can be run.
#include "tests/conformance/same_tables.h"
#include "tests/conformance/scxml_cases.h"

#include "solvers/model/analysis_model.h"
#include "statecharts/exchange/scxml_writer.h"

using namespace ergode;
using namespace ergode::test;

class ScxmlRoundTrip : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void what_was_exported_compiles_to_the_tables_it_came_from();
};

namespace {

const Element& chart_of(const Document& document) {
  for (const Element* diagram : document.of(Section::diagram))
    if (diagram->text("notation") == "statechart") return *diagram;
  throw std::logic_error("no chart");
}

std::string first_error(const Diagnostics& list) {
  for (const Diagnostic& d : list)
    if (d.severity == Severity::error) return d.code + " " + d.message;
  return "no error";
}

}  // namespace

void ScxmlRoundTrip::what_was_exported_compiles_to_the_tables_it_came_from() {
  int same = 0, refused = 0, different = 0;
  for (const char* set : {"scion_scxml", "w3c_scxml_irp", "w3c_scxml_examples"}) {
    const std::string folder = case_folder(set);
    if (folder.empty()) QSKIP("no cases folder");
    std::set<std::string> files;
    for (const CaseRow& row : case_rows(folder))
      if (row.file.size() > 6 && row.file.substr(row.file.size() - 6) == ".scxml") files.insert(row.file);
    for (const std::string& file : files) {
      const ScxmlImport first = read_scxml(folder + "/" + file);
      if (!why_not_run(first).empty()) continue;
      Diagnostics problems;
      const auto before = build_model(*first.document, {}, "", problems);
      if (before == nullptr) continue;
      const ExportedText written = write_scxml(*first.document, chart_of(*first.document));
      if (!written.text) {
        ++refused;
        qInfo("not exported: %s: %s", file.c_str(), first_error(written.diagnostics).c_str());
        continue;
      }
      const ScxmlImport second = parse_scxml(*written.text, "again");
      std::string why = why_not_run(second);
      if (why.empty()) {
        Diagnostics more;
        const auto after = build_model(*second.document, {}, "", more);
        why = after == nullptr ? first_error(more) : TableComparison(before->charts, after->charts).difference();
      }
      if (why.empty()) {
        ++same;
        continue;
      }
      ++different;
      qWarning("WRONG %s: %s\n%s", file.c_str(), why.c_str(), written.text->c_str());
    }
  }
  qInfo("%d charts the same, %d different, %d not exported", same, different, refused);
  QCOMPARE(different, 0);
}

QTEST_GUILESS_MAIN(ScxmlRoundTrip)
#include "tst_scxml_round_trip.moc"
