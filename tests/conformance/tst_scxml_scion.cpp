// The suite scion_scxml: active atomic states after every event. Oracle: its expected.csv.
#include "tests/conformance/scxml_cases.h"

using namespace ergode;
using namespace ergode::test;

class ScionScxml : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void every_row_in_scope_has_its_configuration();
  void every_chart_without_data_model_is_in_scope();
};

namespace {

// "initial configuration", "configuration after event 2 t2 sent 100 ms after the previous one"
std::optional<TimedEvent> event_of_row(const CaseRow& row) {
  const std::vector<std::string> words = split(row.quantity, ' ');
  if (words.size() < 5) return std::nullopt;
  TimedEvent out{words[4], 0.0, true};
  if (words.size() > 7) out.time_s = *parse_number(words[6]) * (words[7] == "ms" ? 1e-3 : 1.0);
  return out;
}

// The suite lets a transition from a region to itself leave that region alone when it counts entries and exits, but not
// when it settles conflicts. By the Recommendation (sections 3.13 and D, LCCA) such a transition leaves the state
// around all regions in both. The two can be told apart only where that state does something on entry or exit.
std::string against_the_recommendation(const Document& document) {
  for (const Element& edge : document.elements()) {
    if (!edge.is_edge() || edge.source != edge.target || edge.text("type") == "internal") continue;
    const Element* region = document.find(edge.source);
    const Element* around = document.find(region->parent);
    if (region->kind == "region" && (around->has("entry") || around->has("exit")))
      return "counts entries of " + around->name() + " around the region " + region->name() +
             ", which leads to itself; the Recommendation (3.13) leaves " + around->name() + " too, the suite does not";
  }
  return {};
}

}  // namespace

void ScionScxml::every_row_in_scope_has_its_configuration() {
  const std::string folder = case_folder("scion_scxml");
  if (folder.empty()) QSKIP("no cases folder");
  std::map<std::string, std::vector<CaseRow>> files;
  for (CaseRow& row : case_rows(folder)) files[row.file].push_back(std::move(row));
  CaseTally tally;
  for (const auto& [file, rows] : files) {
    const ScxmlImport import = read_scxml(folder + "/" + file);
    std::string reason = why_not_run(import);
    if (reason.empty()) reason = against_the_recommendation(*import.document);
    std::vector<TimedEvent> events;
    for (const CaseRow& row : rows)
      if (auto event = event_of_row(row)) event->name = event_of(import, event->name), events.push_back(*event);
    ChartTrace trace;
    if (reason.empty()) trace = trace_chart(*import.document, events, 10.0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!reason.empty()) tally.left_out(rows[i], reason);
      else if (has_errors(trace.diagnostics)) tally.wrong(rows[i], trace.diagnostics.front().message);
      else if (joined(trace.points.at(i).states) != rows[i].value) tally.wrong(rows[i], joined(trace.points[i].states));
      else tally.right();
    }
  }
  tally.check(case_rows(folder).size());
}

void ScionScxml::every_chart_without_data_model_is_in_scope() {
  const std::string folder = case_folder("scion_scxml");
  if (folder.empty()) QSKIP("no cases folder");
  const auto parsed = parse_csv(bytes_of(folder + "/index.csv"));
  for (const auto& row : std::get<std::vector<std::vector<std::string>>>(parsed)) {
    if (row.size() < 2 || row[1] != "yes") continue;
    const std::string reason = why_not_run(read_scxml(folder + "/" + row[0]));
    QVERIFY2(reason.empty(), (row[0] + ": " + reason).c_str());
  }
}

QTEST_GUILESS_MAIN(ScionScxml)
#include "tst_scxml_scion.moc"
