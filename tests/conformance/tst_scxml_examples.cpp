// The documents of w3c_scxml_examples: accepted, refused, or either with a diagnostic. Oracle: expected.csv.
#include "tests/conformance/scxml_cases.h"

using namespace ergode;
using namespace ergode::test;

class ScxmlExamples : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void each_document_is_accepted_refused_or_diagnosed_as_wanted();
};

void ScxmlExamples::each_document_is_accepted_refused_or_diagnosed_as_wanted() {
  const std::string folder = case_folder("w3c_scxml_examples");
  if (folder.empty()) QSKIP("no cases folder");
  CaseTally tally;
  for (const CaseRow& row : case_rows(folder)) {
    if (row.quantity != "import") {
      tally.left_out(row, "not a quantity of the importer");
      continue;
    }
    const ScxmlImport import = read_scxml(folder + "/" + row.file);
    const bool accepted = import.document.has_value(), diagnosed = !import.diagnostics.empty();
    bool good = row.value == "accept" ? accepted : row.value == "refuse" ? !accepted && diagnosed : diagnosed;
    // "... line 9, column 39" is where another parser stopped; ours must name the same line.
    if (const auto at = row.source.find("line "); row.value == "refuse" && at != std::string::npos) {
      const std::string line = row.source.substr(at, row.source.find(',', at) - at + 1);
      good = good && import.diagnostics.front().message.find(line) != std::string::npos;
    }
    const std::string said = diagnosed ? import.diagnostics.front().message : std::string("no diagnostic");
    if (good) tally.right();
    else tally.wrong(row, (accepted ? "accepted, " : "refused, ") + said);
  }
  tally.check(case_rows(folder).size());
}

QTEST_GUILESS_MAIN(ScxmlExamples)
#include "tst_scxml_examples.moc"
