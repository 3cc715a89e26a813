#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "core/format/model_file.h"
#include "core/report/report_html.h"
#include "solvers/model/analysis_model.h"
#include "solvers/registry.h"
#include "solvers/reliability/ccf_report.h"

// After the engine: Qt's keywords are macros.
#include "reliability_check.h"

using namespace ergode;

namespace {

Document example() {
  const ReadOutcome outcome = read_model(ERGODE_SOURCE_DIR "/examples/01_edg_common_cause/model.ergode");
  return outcome.document.value_or(Document{});
}

bool holds(const ReportSection& section, const std::string& text) {
  for (const ReportTable& t : section.tables)
    for (const auto& row : t.rows)
      for (const std::string& cell : row)
        if (cell.find(text) != std::string::npos) return true;
  return false;
}

}  // namespace

class TestCcfReport : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void group_of_the_example_has_the_published_factors_and_its_fifteen_events() {
    const Document document = example();
    Diagnostics problems;
    const auto model = build_model(document, {}, "", problems);
    QVERIFY(model != nullptr);
    const auto sections = ccf_report_sections(document, *model);
    QCOMPARE(sections.size(), std::size_t{1});
    for (const char* value :
         {"0.986106", "0.0359652", "0.582205", "0.521595", "EDG[1], EDG[2], EDG[3], EDG[4]", "0.0011", "0.00115"})
      QVERIFY2(holds(sections[0], value), value);
    QCOMPARE(sections[0].tables.back().rows.size(), std::size_t{15});
  }
  void varying_independent_failures_leave_the_shocks_alone() {
    CcfGroupFacts facts;
    facts.name = "B";
    facts.model = "bfr";
    facts.bfr = BfrRates{0, 1e-4 / hour, 0.4, 1e-5 / hour};
    facts.rates = order_rates(*facts.bfr, 3);
    facts.independent_known = false;
    const ReportSection section = ccf_report_section(facts);
    QVERIFY(holds(section, "not a constant rate"));
    QCOMPARE(section.paragraphs.size(), std::size_t{2});
  }
  void whole_report_of_the_example_is_written() {
    ReportInput input;
    const Document document = example();
    input.document = &document;
    Diagnostics problems;
    RunRequest request;
    request.replications = 20000;
    input.ccf_groups = ccf_report_sections(document, *build_model(document, request, "", problems));
    for (const char* name : {"simulation", "ccf-closed-form"}) {
      RunControl control;
      input.results.push_back(find_solver(name)->solve(document, request, control));
      QCOMPARE(input.results.back().status, RunStatus::complete);
    }
    const std::string html = report_html(input);
    for (const char* part : {"Group CCF A", "Exact inside interval", "exactly 4 failed", "20,000", "Diagram Generator"})
      QVERIFY2(html.find(part) != std::string::npos, part);
    if (const char* folder = std::getenv("ERGODE_PICTURES"))
      std::ofstream(std::string(folder) + "/example.html") << html;
  }
};

QTEST_GUILESS_MAIN(TestCcfReport)
#include "tst_ccf_report.moc"
