#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "core/base/text.h"
#include "core/document/command.h"
#include "core/format/model_file.h"
#include "core/report/report_html.h"
#include "solvers/model/analysis_model.h"
#include "solvers/registry.h"
#include "solvers/reliability/ccf_report.h"
#include "solvers/reliability/notation.h"

// After the engine: Qt's keywords are macros.
#include "reliability_check.h"
#include "tests/solvers/solver_check.h"

using namespace ergode;
using namespace ergode::test;

namespace {

Document edg_example() {
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
    const Document document = edg_example();
    Diagnostics problems;
    const auto model = build_model(document, {}, "", problems);
    QVERIFY(model != nullptr);
    const auto sections = ccf_report_sections(document, model->groups);
    QCOMPARE(sections.size(), std::size_t{1});
    for (const char* value :
         {"0.986106", "0.0359652", "0.582205", "0.521595", "EDG[1], EDG[2], EDG[3], EDG[4]", "0.0011", "0.00115"})
      QVERIFY2(holds(sections[0].section, value), value);
    QCOMPARE(sections[0].section.tables.back().rows.size(), std::size_t{15});
  }
  void varying_independent_failures_leave_the_shocks_alone() {
    ModelBuilder m;
    ChartBuilder c(m, "Unit");
    const ElementId up = c.state("Up"), down = c.state("Down");
    c.initial(up);
    c.transition(up, down, "after(weibull(shape = 2, scale = 900 h))", "", "", {{"role", "failure"}});
    c.transition(up, down, "ccf(run)", "", "", {{"role", "failure"}});
    m.group("B", "run", {{"mu", "1e-4 /h"}, {"rho", "0.4"}, {"omega", "1e-5 /h"}}, {m.component("unit", "Unit", "3")});
    Diagnostics problems;
    const auto model = build_model(m.document(), {}, "", problems);
    QVERIFY2(model != nullptr, listed(problems).c_str());
    const ReportSection section = ccf_report_sections(m.document(), model->groups).at(0).section;
    QVERIFY(holds(section, "not constant"));
    QVERIFY(holds(section, number_text(1e-4 * 0.4 + 1e-5, 6)));  // Qt of the shocks alone
    QCOMPARE(section.paragraphs.size(), std::size_t{3});
  }
  void groups_of_different_hours_have_the_published_total_rates_of_their_hour() {
    // The example's shock rates are derived from the published totals: 3.31e-3 /h in the first hour, 1.18e-3 /h later
    // (INL/EXT-21-65055, 2022). Whatever fails a member in that hour must come to just these.
    const Document document = test::example("02_station_blackout");
    Diagnostics problems;
    const auto model = build_model(document, {}, "", problems);
    QVERIFY2(model != nullptr, listed(problems).c_str());
    const std::map<std::string, std::pair<double, std::string>> wanted = {
        {"CCF first hour", {3.31e-3, "Running.FirstHour"}}, {"CCF later", {1.18e-3, "Running.Later"}}};
    int seen = 0;
    for (const CcfGroup& group : model->groups) {
      if (!wanted.contains(group.name)) continue;
      ++seen;
      const CcfGroupFacts facts = ccf_group_facts(document, group);
      QCOMPARE(facts.cases.size(), std::size_t{1});
      QCOMPARE(QString::fromStdString(facts.cases[0].states), QString::fromStdString(wanted.at(group.name).second));
      compare_relative(total_component_rate(facts.cases[0].rates) * hour, wanted.at(group.name).first, 1e-12);
    }
    QCOMPARE(seen, 2);
  }
  void a_preview_while_the_model_is_unfinished_is_that_of_the_run() {
    const Document document = test::example("02_station_blackout");
    Diagnostics problems;
    const auto model = build_model(document, {}, "", problems);
    Edit edit(document, "spoil");
    edit.set(document.named(Section::measure, "core_damage")->id, "expression", "in(core.");
    for (const CcfGroup& group : model->groups) {
      const auto preview = lower_group(edit.document(), group.element, {}, problems);
      QVERIFY(preview.has_value());
      const CcfGroupFacts a = ccf_group_facts(document, *preview), b = ccf_group_facts(document, group);
      QCOMPARE(a.cases.size(), b.cases.size());
      for (std::size_t i = 0; i < a.cases.size(); ++i) {
        QVERIFY(a.cases[i].rates.specific == b.cases[i].rates.specific);
        QCOMPARE(a.cases[i].states, b.cases[i].states);
      }
    }
    QVERIFY2(problems.empty(), listed(problems).c_str());
  }
  void rates_of_states_that_exclude_each_other_never_add_and_those_of_regions_do() {
    // One group over both states of region R; region S fails by a rate of its own beside it in one of its states.
    ModelBuilder m;
    ChartBuilder c(m, "Unit");
    const ElementId up = c.state("Up"), down = c.state("Down");
    const ElementId r = c.region("R", up), s = c.region("S", up);
    const ElementId cold = c.state("Cold", r), hot = c.state("Hot", r), wet = c.state("Wet", s),
                    dry = c.state("Dry", s);
    c.initial(up), c.initial(cold, r), c.initial(wet, s);
    const Value failure{{"role", "failure"}};
    c.transition(cold, hot, "after(1 h)"), c.transition(wet, dry, "after(2 h)");
    c.transition(cold, down, "rate(0.001 /h)", "", "", failure);
    c.transition(hot, down, "rate(0.004 /h)", "", "", failure);
    c.transition(wet, down, "rate(0.0002 /h)", "", "", failure);
    c.transition(wet, down, "rate(7 /h)", "in(Dry)", "", failure);  // never: the two exclude each other
    c.transition(up, down, "ccf(run)", "", "", failure);
    const ElementId group = m.group("G", "run", {{"mu", "0.01 /h"}, {"rho", "0.5"}, {"omega", "0.002 /h"}},
                                    {m.component("unit", "Unit", "3")});
    const auto totals = [&] {
      Diagnostics problems;
      std::map<std::string, double> out;
      const auto lowered = lower_group(m.document(), group, {}, problems);
      for (const CcfCase& one : ccf_group_facts(m.document(), *lowered).cases)
        out[one.states] = total_component_rate(one.rates) * hour;
      return out;
    };
    const double shocks = 0.01 * 0.5 + 0.002;
    const auto check = [&](const std::map<std::string, double>& wanted) {
      const auto seen = totals();
      QCOMPARE(seen.size(), wanted.size());
      for (const auto& [states, own] : wanted) {
        QVERIFY2(seen.contains(states), states.c_str());
        compare_relative(seen.at(states), own + shocks, 1e-12);
      }
    };
    check({{"Up.R.Cold + Up.S.Wet", 0.0012},
           {"Up.R.Cold + Up.S.Dry", 0.001},
           {"Up.R.Hot + Up.S.Wet", 0.0042},
           {"Up.R.Hot + Up.S.Dry", 0.004}});
    m.set(group, "exposed", "in(Hot) and in(Dry)");
    check({{"Up.R.Hot + Up.S.Dry", 0.004}});
  }
  void the_expansion_says_which_failures_are_delayed() {
    for (const char* acts_on : {"shared", "all"}) {
      ModelBuilder m;
      ChartBuilder c(m, "Unit");
      const ElementId up = c.state("Up"), down = c.state("Down");
      c.initial(up), c.transition(up, down, "ccf(run)", "", "", {{"role", "failure"}});
      const ElementId group = m.group("G", "run",
                                      {{"model", "beta"},
                                       {"beta", "0.1"},
                                       {"total", "0.01 /h"},
                                       {"delay_law", "exponential"},
                                       {"delay_mean", "2 h"},
                                       {"delay_acts_on", acts_on}},
                                      {m.component("unit", "Unit", "3")});
      Diagnostics problems;
      const auto facts = ccf_group_facts(m.document(), group, {}, problems);
      QVERIFY2(facts && problems.empty(), listed(problems).c_str());
      const std::string wanted = std::string("failures of one member alone are ") +
                                 (acts_on == std::string("all") ? "delayed too" : "not delayed");
      QVERIFY2(delay_text(*facts).find(wanted) != std::string::npos, delay_text(*facts).c_str());
      QVERIFY(holds(ccf_report_section(*facts), wanted));
    }
  }
  void a_preview_has_the_values_of_the_scenario_as_the_report_has() {
    ModelBuilder m;
    ChartBuilder c(m, "Unit");
    const ElementId up = c.state("Up"), down = c.state("Down");
    c.initial(up), c.transition(up, down, "ccf(run)", "", "", {{"role", "failure"}});
    m.parameter("share", "0.1"), m.parameter("rate", "0.01 /h", {{"unit", "/h"}});
    m.scenario("bad_year", "share = 0.3");
    const ElementId group = m.group("G", "run", {{"model", "beta"}, {"beta", "share"}, {"total", "rate"}},
                                    {m.component("unit", "Unit", "3")});
    RunRequest request;
    request.scenario = "bad_year", request.overrides = {{"rate", "0.02 /h"}};
    Diagnostics problems;
    const auto model = build_model(m.document(), request, "", problems);
    QVERIFY2(model != nullptr, listed(problems).c_str());
    const ReportSection report = ccf_report_sections(m.document(), model->groups).at(0).section;
    const auto preview = ccf_group_facts(m.document(), group, request, problems);
    QVERIFY(preview.has_value());
    const ReportSection shown = ccf_report_section(*preview);
    QCOMPARE(shown.tables.size(), report.tables.size());
    for (std::size_t t = 0; t < shown.tables.size(); ++t) QVERIFY(shown.tables[t].rows == report.tables[t].rows);
    QVERIFY(holds(shown, number_text(0.3 * 0.02, 6)));
  }
  void assumptions_have_the_values_of_the_run() {
    const Document document = test::example("02_station_blackout");
    ReportInput input;
    input.document = &document;
    ResultSet run;
    RunRequest request;
    request.scenario = "two_required", request.overrides = {{"grace_time", "8 h"}};
    Diagnostics problems;
    const auto model = build_model(document, request, "", problems);
    for (const Parameter& p : model->parameters.all()) run.provenance.parameters[p.name] = p.value_text();
    input.results.push_back(run);
    const std::string html = report_html(input);
    for (const char* part : {"required = 2 in this run (1 in the model)",
                             "grace_time = 8 h in this run (4 h in the model)", "repair_crews = 1: Assumption"})
      QVERIFY2(html.find(part) != std::string::npos, part);
  }
  void whole_report_of_the_example_is_written() {
    ReportInput input;
    const Document document = edg_example();
    input.document = &document;
    Diagnostics problems;
    RunRequest request;
    request.replications = 20000;
    Catalogue known;
    known.add(reliability_notation());
    input.catalogue = &known;
    input.data = report_data(*build_model(document, request, "", problems), document);
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
