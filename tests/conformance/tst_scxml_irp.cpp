// The W3C's SCXML tests (w3c_scxml_irp): the final state that is reached. Oracle: expected.csv.
#include "tests/conformance/conf_instance.h"
#include "tests/conformance/scxml_cases.h"

using namespace ergode;
using namespace ergode::test;

class ScxmlIrp : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void every_row_in_scope_reaches_its_final_state();
};

void ScxmlIrp::every_row_in_scope_reaches_its_final_state() {
  const std::string folder = case_folder("w3c_scxml_irp");
  if (folder.empty()) QSKIP("no cases folder");
  CaseTally tally;
  for (const CaseRow& row : case_rows(folder)) {
    if (row.quantity != "final state" || row.tolerance != "exact") {
      tally.left_out(row, "to be judged by a person: " + row.value);
      continue;
    }
    const std::string path = folder + "/" + row.file;
    const bool neutral = std::filesystem::path(path).extension() == ".txml";
    const ScxmlImport import = neutral ? parse_scxml(ConfInstance::of(bytes_of(path)), row.name,
                                                     std::filesystem::path(path).parent_path().string())
                                       : read_scxml(path);
    if (const std::string reason = why_not_run(import); !reason.empty()) {
      tally.left_out(row, reason);
      continue;
    }
    const ChartTrace trace = trace_chart(*import.document, {}, 10.0);
    if (has_errors(trace.diagnostics)) tally.wrong(row, trace.diagnostics.front().message);
    // test436 has its two ends as targets only: the chart it stands for has no final state of that name.
    else if (trace.final_state == row.value) tally.right();
    else tally.wrong(row, trace.final_state.empty() ? "in " + joined(trace.end_states) : trace.final_state);
  }
  tally.check(case_rows(folder).size());
}

QTEST_GUILESS_MAIN(ScxmlIrp)
#include "tst_scxml_irp.moc"
