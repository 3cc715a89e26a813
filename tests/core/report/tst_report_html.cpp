#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryFile>
#include <QtTest>
#include <cmath>
#include <fstream>
#include <limits>

#include "app/session/catalogue.h"
#include "core/document/command.h"
#include "core/report/html_page.h"
#include "core/report/report_figures.h"
#include "core/report/report_html.h"
#include "core/results/result_csv.h"
#include "tests/core/drawing/drawing_check.h"

using namespace ergode;

namespace {

/// A run of one million replications on the default group, with the closed form beside it.
ReportInput sketch_report(Sketch& s) {
  s.entry(Section::parameter, "parameter", "lambda_ind",
          {{"value", "1.1e-3 /h"},
           {"unit", "/h"},
           {"description", "independent failures"},
           {"source", "assumption of the specification"}});
  s.entry(Section::parameter, "parameter", "p_fts", {{"value", "2.22e-3"}, {"source", "INL/EXT-21-65055 <Table 1>"}});
  s.entry(Section::parameter, "parameter", "mttr", {{"value", "8 h"}, {"unit", "h"}});
  const auto headline = s.entry(Section::measure, "measure", "failed_{m}", {{"headline", "true"}});
  s.entry(Section::exclusion, "exclusion", "", {{"code", "SCH012"}, {"comment", "standby is left only on demand"}});
  sketch_system(s);
  sketch_generator(s);

  const double exact[] = {8.97691366e-1, 9.68231819e-2, 4.70151378e-3, 4.71561863e-4, 3.12376286e-4};
  ResultSet run, closed;
  run.provenance.run_id = "0123456789abcdef";
  run.provenance.version = "0.1.0";
  run.provenance.model_name = "Four <diesel> generators & co";
  run.provenance.model_path = "examples/01_edg_common_cause/model.ergode";
  run.provenance.semantic_hash = std::string(64, 'a');
  run.provenance.solver = "simulation";
  run.provenance.seed = 7;
  run.provenance.generator = "Philox4x32-10";
  run.provenance.command = "ergode run model.ergode --seed 7 --set \"lambda_ind=1.1e-3 /h\"";
  run.provenance.parameters = {{"lambda_ind", "0.0011 /h"}, {"mttr", "8 h"}};
  run.provenance.overrides = {{"lambda_ind", "1.1e-3 /h"}};
  run.replications = 1000000;
  run.events = 12345678;
  run.stop_reason = "replications";
  run.split = {"cause",
               "the gravest",
               {{"none", "none"},
                {"independent", "independent"},
                {"non_lethal", "shared by some"},
                {"lethal", "shared by all"}}};
  closed.tables = {{"failed_members", "How many are failed", "ccf-closed-form", true, {{"Members"}}, {{4.0}}}};
  closed.provenance.solver = "ccf-closed-form";
  for (int m = 0; m <= 4; ++m) {
    MeasureResult r;
    r.id = "failed_" + std::to_string(m);
    r.label = "exactly " + std::to_string(m) + " failed at 24 h";
    r.kind = "probability_at";
    r.element = headline;
    r.standard_error = std::sqrt(exact[m] / 1e6);
    r.estimate = exact[m] + (m == 3 ? 3.0 : 0.4) * r.standard_error;
    r.lower = r.estimate - 1.96 * r.standard_error;
    r.upper = r.estimate + 1.96 * r.standard_error;
    r.replications = 1000000;
    r.solver = "simulation";
    r.method = "wilson";
    if (m > 0)
      r.shares = std::map<std::string, double>{{"none", 0.0},
                                               {"independent", r.estimate * (1 - m * 0.22)},
                                               {"non_lethal", r.estimate * m * 0.12},
                                               {"lethal", r.estimate * m * 0.10}};
    run.measures.push_back(r);
    MeasureResult c = r;
    c.exact = true;
    c.solver = "ccf-closed-form";
    c.estimate = c.lower = c.upper = exact[m];
    closed.measures.push_back(c);
    Series curve{r.id, "curve", r.label, "time", "h", "probability", "", {}, {}, {}, {}, false, "simulation"};
    Series line = curve, converge = curve;
    line.exact = true;
    line.solver = "ccf-closed-form";
    for (int i = 0; i <= 48; ++i) {
      const double t = i * 0.5, y = exact[m] * std::pow(i / 48.0, m);
      curve.x.push_back(t);
      curve.y.push_back(y * (1 + 0.01 * std::sin(i)));
      curve.lower.push_back(y * 0.97);
      curve.upper.push_back(y * 1.03);
      line.x.push_back(t);
      line.y.push_back(y);
    }
    converge.kind = "convergence";
    converge.x_label = "replications";
    converge.x_unit = "";
    for (int i = 1; i <= 100; ++i) {
      const double half = std::sqrt(exact[m] / (1e4 * i));
      converge.x.push_back(1e4 * i);
      converge.y.push_back(exact[m] + half * std::sin(i * 0.2));
      converge.lower.push_back(converge.y.back() - 1.96 * half);
      converge.upper.push_back(converge.y.back() + 1.96 * half);
    }
    run.series.insert(run.series.end(), {curve, converge});
    closed.series.push_back(line);
  }
  MeasureResult never;
  never.id = "damage_time";
  never.label = "time to core damage";
  never.kind = "time_to";
  never.unit = "h";
  never.estimate = std::numeric_limits<double>::quiet_NaN();
  never.not_available = "the event never occurred";
  run.measures.push_back(never);
  Diagnostic d;
  d.severity = Severity::warning;
  d.code = "SCH012";
  d.message = "a <guard> that is never true";
  run.diagnostics.push_back(d);
  ReportInput input;
  input.document = &s.document;
  input.catalogue = &catalogue();
  input.results = {run, closed};
  return input;
}

void check_page(const std::string& html) {
  QVERIFY(html.find("http") == std::string::npos);
  QVERIFY(html.find("<script") == std::string::npos);
  QVERIFY(html.find("nan<") == std::string::npos);
  const QString tidy = QStandardPaths::findExecutable("tidy");
  if (tidy.isEmpty()) QSKIP("tidy is not installed");
  QProcess run;
  run.start(tidy, {"-e", "-q", "-utf8"});
  QVERIFY(run.waitForStarted());
  run.write(html.data(), static_cast<qint64>(html.size()));
  run.closeWriteChannel();
  QVERIFY(run.waitForFinished(30000));
  QVERIFY2(run.exitCode() == 0, run.readAllStandardError().constData());
}

bool holds(const std::string& html, const std::string& text) { return html.find(text) != std::string::npos; }

}  // namespace

class TestReportHtml : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void report_passes_tidy_and_holds_every_section() {
    Sketch s;
    const std::string html = report_html(sketch_report(s));
    if (const char* folder = std::getenv("ERGODE_PICTURES"))
      std::ofstream(std::string(folder) + "/report.html") << html;
    for (const char* part : {"Summary",
                             "Scope and assumptions",
                             "Model",
                             "Data and common-cause parameters",
                             "Transitions of Generator, in the order in which they are tried",
                             "<th>Guard</th>",
                             "Quantification",
                             "Convergence",
                             "Results",
                             "Verification",
                             "Diagnostics",
                             "Provenance",
                             "1,000,000",
                             "ergode run model.ergode --seed 7",
                             "0.0011 /h",
                             "Difference %",
                             "Exact inside interval",
                             "Headline measures by cause: the gravest",
                             "Shared by some",
                             "Further results",
                             "How many are failed (exact, ccf-closed-form)",
                             "Probability"})
      QVERIFY2(holds(html, part), part);
    check_page(html);
  }
  void what_states_do_and_variables_hold_is_listed() {
    Sketch s;
    ReportInput input = sketch_report(s);
    const Element* chart = nullptr;
    for (const Element* d : s.document.of(Section::diagram))
      if (d->text("notation") == "statechart") chart = d;
    QVERIFY(chart != nullptr);
    const ElementId diagram = chart->id;
    const auto add = [&](const char* kind, ElementId parent, Value properties) {
      Edit edit(s.document, "add");
      Element e;
      e.section = Section::node, e.kind = kind, e.diagram = diagram, e.parent = parent;
      e.properties = std::move(properties);
      const ElementId id = edit.insert(e);
      s.document = edit.document();
      return id;
    };
    const ElementId outer = add("state", {}, {{"name", "Tank"}});
    add("state", outer, {{"name", "Filling"}, {"flow", "level := inflow / area"}, {"entry", "x := 1"}});
    add("variable", {}, {{"name", "level"}, {"unit", "m"}, {"initial", "7 m"}});
    input.document = &s.document;
    const std::string html = report_html(input);
    for (const char* part : {"What states of Generator do", "Tank.Filling", "level := inflow / area", "Flow (d/dt)",
                             "On entry", "Variables and parameters of Generator", "7 m", "Real number"})
      QVERIFY2(holds(html, part), part);
    QVERIFY(!holds(html, "On exit"));  // nobody has one
    check_page(html);
  }
  void text_of_users_is_escaped() {
    Sketch s;
    const std::string html = report_html(sketch_report(s));
    QVERIFY(holds(html, "Four &lt;diesel&gt; generators &amp; co"));
    QVERIFY(holds(html, "a &lt;guard&gt; that is never true"));
    QVERIFY(holds(html, "INL/EXT-21-65055 &lt;Table 1&gt;"));
    QVERIFY(!holds(html, "<diesel>"));
  }
  // Right-to-left override: what stands behind it on the page would be read backwards.
  void marks_of_direction_are_shown_and_turn_nothing() {
    HtmlPage page("Plant \u202egpj");
    page.section("Heading \u202e");
    page.paragraph("A word\u2066 and a line\nthat goes on.");
    page.table({.caption = "Caption \u202e", .columns = {"\u202eName"}, .rows = {{"desk\u202e"}}, .note = "\u200f"});
    Picture picture;
    picture.words({}, {10, 10}, "label\u202e", Font{}, Role::text);
    page.figure(picture, "Figure \u202e");
    page.code("line 1\nline\u202e 2");
    const std::string html = page.text({"Head \u202e"}, "Foot \u202e");
    for (const char* turning : {"\u202e", "\u2066", "\u200f"}) QVERIFY(!holds(html, turning));
    for (const char* shown : {"Plant \\u202egpj</h1>", "\\u202eName</th>", "desk\\u202e</td>", "label\\u202e</text>",
                              "A word\\u2066 and a line\nthat", "<pre>line 1\nline\\u202e 2</pre>", "Foot \\u202e"})
      QVERIFY2(holds(html, shown), shown);
  }
  void a_wide_table_is_scrolled_on_the_page() {
    HtmlPage page("Plant");
    page.table({.caption = "narrow", .columns = {"a", "b"}, .rows = {{"1", "2"}}});
    QVERIFY(!holds(page.text({}, ""), "<div class=\"scroll\""));
    page.table({.caption = "wide", .columns = std::vector<std::string>(12, "column"), .rows = {}});
    QVERIFY(holds(page.text({}, ""), "<div class=\"scroll\" tabindex=\"0\">\n<table class=\"wide\">"));
  }
  void missing_values_are_said_to_be_missing() {
    Sketch s;
    const std::string html = report_html(sketch_report(s));
    QVERIFY(holds(html, "none: the event never occurred"));
    QVERIFY(holds(html, "not stated"));
    QVERIFY(holds(html, "No assumptions are recorded in the model."));
    QVERIFY(holds(html, "The expansion of the groups into their events is not available for this run."));
    ReportInput nothing;
    const std::string empty = report_html(nothing);
    QVERIFY(holds(empty, "No results: the model has not been run."));
    QVERIFY(holds(empty, "The model is not available"));
    check_page(empty);
    ReportInput only_results;
    only_results.results = sketch_report(s).results;
    check_page(report_html(only_results));
    ReportInput only_model;
    only_model.document = &s.document;
    check_page(report_html(only_model));
  }
  void measures_say_what_they_ask_and_what_was_left_out() {
    Sketch s;
    ReportInput input = sketch_report(s);
    const auto of_stream = s.entry(Section::measure, "measure", "wait",
                                   {{"type", "steady_state_mean"}, {"of", "desk.waiting_time"}, {"class", "gold"}});
    const auto frequency =
        s.entry(Section::measure, "measure", "often", {{"expression", "in(m.Down)"}, {"scale", "1e-3 /yr"}});
    MeasureResult wait = input.results.front().measures.front(), often = wait;
    wait.id = "wait", wait.kind = "steady_state_mean", wait.element = of_stream, wait.warm_up = 0.25;
    often.id = "often", often.element = frequency;
    input.results.front().measures.push_back(wait), input.results.front().measures.push_back(often);
    const std::string page = report_html(input);
    for (const char* said : {"desk.waiting_time", "gold", "in(m.Down)", "1e-3 /yr", "25 % of each replication"})
      QVERIFY2(page.find(said) != std::string::npos, said);
    QVERIFY(page.find("Chart events") == std::string::npos);
  }
  void quantiles_without_an_interval_say_why() {
    Sketch s;
    ReportInput input = sketch_report(s);
    for (MeasureResult& m : input.results.front().measures) m.quantiles.clear();
    MeasureResult& pooled = input.results.front().measures.front();
    pooled.quantiles = {{0.5, 1.0}};
    QVERIFY(holds(report_html(input), "which depend on each other: more replications give them intervals"));
    pooled.quantile_intervals = {{0.5, {0.5, 2.0}}};
    QVERIFY(!holds(report_html(input), "depend on each other"));
    pooled.variance = 4.0, pooled.variance_interval = {1.0, 9.0};
    QVERIFY(holds(report_html(input), "standard deviation"));
  }
  void what_is_one_value_has_no_interval() {
    Sketch s;
    ReportInput input = sketch_report(s);
    const auto rows_of = [&input](const std::string& name) {
      const QString page = QString::fromStdString(report_html(input));
      const QString row = page.mid(page.indexOf("All measures of the run"));
      const auto at = row.indexOf(QString::fromStdString("<td>" + name + "</td>"));
      return at < 0 ? QStringLiteral("missing") : row.mid(at, row.indexOf("</tr>", at) - at);
    };
    MeasureResult& m = input.results.front().measures[2];
    QVERIFY(rows_of("failed_2").contains("1,000,000"));
    m.method = "fixed", m.lower = m.upper = m.estimate, m.standard_error = 0.0;
    const QString row = rows_of("failed_2");
    QCOMPARE(row.count(QStringLiteral(">\u2013</td>")), 5);  // unit, ends, error, samples
    QVERIFY2(row.contains("0.0047"), qPrintable(row));
    QVERIFY(rows_of("failed_3").contains("1,000,000"));
    // What came out the same each time has been sampled nevertheless.
    m.method = "fieller";
    QCOMPARE(rows_of("failed_2").count(QStringLiteral(">\u2013</td>")), 4);
    QVERIFY(rows_of("failed_2").contains("1,000,000"));
    check_page(report_html(input));
  }
  void exact_value_three_errors_away_is_outside_its_interval() {
    Sketch s;
    const ReportInput input = sketch_report(s);
    const MeasureResult* exact = exact_counterpart(input.results, "failed_3");
    QVERIFY(exact != nullptr && exact->estimate == 4.71561863e-4);
    const std::string html = report_html(input);
    QVERIFY(holds(html, "4 of 5 exact values lie inside the interval of their estimate"));
  }
  void what_solvers_share_with_the_run_is_told_once() {
    Sketch s;
    const ReportInput input = sketch_report(s);
    const QString html = QString::fromStdString(report_html(input));
    QCOMPARE(html.count("Naming of streams"), 2);  // how the numbers were made, and of the run
    QVERIFY(html.contains("Everything else is as of the run above."));
  }
  void a_run_that_was_looked_at_once_has_no_course() {
    Sketch s;
    ReportInput input = sketch_report(s);
    Series once;
    for (Series& series : input.results.front().series)
      if (series.kind == "convergence") once = series;
    QVERIFY(series_figure(input.results, once.measure, "convergence"));
    for (Series& series : input.results.front().series)
      if (series.kind == "convergence")
        for (auto* list : {&series.x, &series.y, &series.lower, &series.upper})
          list->resize(std::min(list->size(), std::size_t{1}));
    QVERIFY(!series_figure(input.results, once.measure, "convergence"));
  }
  void limits_of_the_long_run_stand_apart_from_exact_values() {
    Sketch s;
    ReportInput input = sketch_report(s);
    ResultSet limit = input.results[1];
    limit.long_run = true;
    limit.provenance.solver = "ctmc-steady-state";
    for (MeasureResult& m : limit.measures) m.estimate = m.lower = m.upper = 0.987, m.solver = "ctmc-steady-state";
    const auto before = series_figure(input.results, "failed_3", "curve");
    input.results.insert(input.results.begin() + 1, limit);
    QVERIFY(exact_counterpart(input.results, "failed_3")->estimate == 4.71561863e-4);
    QVERIFY(long_run_counterpart(input.results, "failed_3")->estimate == 0.987);
    QVERIFY(holds(report_html(input), "In the long run"));
    const auto figure = series_figure(input.results, "failed_3", "curve");
    const auto legend = [](const Picture& p, const std::string& word) -> const Primitive* {
      for (std::size_t i = 1; i < p.primitives.size(); ++i)
        if (p.primitives[i].text.find(word) != std::string::npos) return &p.primitives[i - 1];
      return nullptr;
    };
    const Primitive* exact = legend(*figure, "exact (");
    const Primitive* long_run = legend(*figure, "long run (ctmc-steady-state)");
    QVERIFY(exact != nullptr && long_run != nullptr);
    QVERIFY(exact->stroke != long_run->stroke && exact->dash != long_run->dash);
    // The ticks of the axes are the same with and without it.
    const auto ticks = [](const Picture& p) {
      std::string out;
      for (const Primitive& one : p.primitives)
        if (!one.text.empty() && std::isdigit(static_cast<unsigned char>(one.text[0])) != 0) out += one.text + " ";
      return out;
    };
    QCOMPARE(ticks(*figure), ticks(*before));
    check_page(report_html(input));
  }
  void partial_and_failed_runs_say_so() {
    Sketch s;
    ReportInput input = sketch_report(s);
    input.results[0].status = RunStatus::partial;
    input.results[0].stop_reason = "cancelled";
    QVERIFY(holds(report_html(input), "Partial results, of a run that had not come to its end (cancelled)"));
    input.results[0].status = RunStatus::failed;
    input.results[0].measures.clear();
    QVERIFY(holds(report_html(input), "The run failed: cancelled."));
    check_page(report_html(input));
  }
  void given_sections_of_groups_are_shown() {
    Sketch s;
    ReportInput input = sketch_report(s);
    ElementId group;
    for (const Element* e : input.document->of(Section::node))
      if (e->kind == "ccf_group") group = e->id;
    input.data = {
        {group, {"Group A", {"Members: 4."}, {{"Expansion", {"k", "Rate"}, {{"1", "1e-3"}, {"2", ""}}, "a note"}}}}};
    const std::string html = report_html(input);
    QVERIFY(holds(html, "Group A") && holds(html, "Expansion") && holds(html, "a note"));
    QVERIFY(!holds(html, "Common-cause groups as given") && !holds(html, "is not available for this run"));
    check_page(html);
  }
  void groups_are_listed_as_given_where_nobody_expands_them() {
    Sketch s;
    const ReportInput input = sketch_report(s);
    const std::string html = report_html(input);
    QVERIFY(holds(html, "Common-cause groups as given"));
    for (const char* cell : {"<td>delay_mean</td>", "<td>2 h</td>", "<td>B</td>", "<td>2.22e-3</td>"})
      QVERIFY2(holds(html, cell), cell);
    QVERIFY(!holds(html, "The model has no common-cause groups."));
  }
  void data_of_any_kind_stand_under_the_headings_of_their_notations() {
    const auto tank = [](const char* word, const char* data, const char* none) {
      KindSpec kind{.kind = word, .label = word, .properties = {name_property("")}};
      kind.report_data = DataInReport{.data = data,
                                      .heading = std::string("Heading of ") + word,
                                      .given_caption = std::string("Given: ") + word,
                                      .given_note = std::string("Nobody looked into the ") + word + ".",
                                      .none = none,
                                      .expected_in = {"plumbing"}};
      return kind;
    };
    KindSpec tap{.kind = "tap", .label = "Tap", .report_caption = "Taps of *"};
    tap.properties = {name_property(""), behaviour_property("flow", "Flow", PropertyType::quantity, "", "", "/h")};
    Catalogue known;
    known.add({.name = "plumbing",
               .label = "Plumbing",
               .help = "",
               .kinds = {tank("tank", "volumes", "No tank is drawn."), tank("sump", "depths", "No sump is drawn."),
                         tank("well", "levels", ""), tap}});
    Sketch s;
    const ElementId diagram = s.diagram("House", "plumbing");
    const ElementId first = s.node(diagram, "tank", "T1", {0, 0, 50, 50}, {}, {{"volume", "3 m3"}});
    s.node(diagram, "well", "W1", {100, 0, 50, 50}, {}, {{"depth", "9 m"}});
    s.node(diagram, "tap", "P1", {200, 0, 50, 50}, {}, {{"flow", "2 /h"}});
    ReportInput input{.document = &s.document, .data = {{first, {.heading = "Tank T1 is a cylinder"}}}};
    input.catalogue = &known;
    const std::string html = report_html(input);
    check_page(html);
    for (const char* said : {"Data, volumes and levels</h2>", "Heading of tank", "Tank T1 is a cylinder",
                             "No sump is drawn.", "Heading of well", "Given: well", ">9 m</td>",
                             "Nobody looked into the well.", "Taps of House", "Flow = 2 /h"})
      QVERIFY2(holds(html, said), said);
    // What the run says stands for what is given, and no notation speaks for another.
    for (const char* not_said : {"Given: tank", "Nobody looked into the tank.", "Heading of sump", "ommon-cause"})
      QVERIFY2(!holds(html, not_said), not_said);
    input.data.clear();
    QVERIFY(holds(report_html(input), "Given: tank") && holds(report_html(input), ">3 m3</td>"));
  }
  void models_without_charts_and_groups_have_data_alone() {
    Edit edit(Document(), "add");
    Element diagram;
    diagram.section = Section::diagram;
    diagram.properties["name"] = "Desk", diagram.properties["notation"] = "queueing";
    edit.insert(diagram);
    const Document queue = edit.document();
    const std::string html = report_html({.document = &queue, .catalogue = &catalogue()});
    QVERIFY(holds(html, ">Data</h2>") || holds(html, "Data</h2>"));
    QVERIFY(!holds(html, "ommon-cause"));
    check_page(html);
  }
  void a_chart_without_groups_has_data_alone_and_a_word_of_it() {
    Edit edit(Document(), "add");
    Element diagram;
    diagram.section = Section::diagram;
    diagram.properties["name"] = "Lamp", diagram.properties["notation"] = "statechart";
    edit.insert(diagram);
    const Document lamp = edit.document();
    const std::string html = report_html({.document = &lamp, .catalogue = &catalogue()});
    QVERIFY(holds(html, "Data</h2>"));
    QVERIFY(!holds(html, "ommon-cause parameters") && !holds(html, "Common-cause groups"));
    QVERIFY(holds(html, "The model has no common-cause groups."));
    check_page(html);
  }
  void choices_compared_in_pairs_are_drawn_and_listed_once() {
    Sketch s;
    ReportInput input = sketch_report(s);
    ResultTable table{.name = "comparison", .title = "Compared with policy = fifo", .solver = "simulation"};
    table.columns = {{"measure"}, {"unit"}, {"policy"}, {"mean"}, {"difference"}, {"lower 95 %"}, {"upper 95 %"}};
    table.rows = {{"wait", "h", "fifo", 4.0, "", "", ""}, {"wait", "h", "srtf", 3.0, -1.0, -1.5, -0.5}};
    table.note = "10 runs of each";
    input.results[0].tables.insert(input.results[0].tables.begin(), table);
    const std::string html = report_html(input);
    for (const char* part :
         {"<h3>Comparison</h3>", "Compared with policy = fifo (simulation)", "wait [h]", "srtf", "10 runs of each"})
      QVERIFY2(holds(html, part), part);
    QVERIFY(html.find("<h3>Comparison</h3>") < html.find("Over the mission"));
    QCOMPARE(html.find("10 runs of each"), html.rfind("10 runs of each"));
    check_page(html);
  }
  void what_two_solvers_tell_alike_is_one_table_in_the_unit_of_the_measures() {
    Sketch s;
    ReportInput input = sketch_report(s);
    ResultTable table{.name = "stations",
                      .title = "What every station settles at",
                      .solver = "mva",
                      .exact = true,
                      .columns = {{"Station"}, {"Response time", "s"}, {"Throughput", "/s"}, {"Tiny", "s"}},
                      .rows = {{"desk", 120.0, 0.5, 1e-4}}};
    input.results[0].measures[0].unit = "min";
    for (const char* solver : {"mva", "ctmc-network"}) {
      input.results.emplace_back(), input.results.back().provenance.solver = solver;
      table.solver = solver;
      input.results.back().tables = {table};
    }
    const auto times = [](const std::string& html, const char* what) {
      std::size_t n = 0;
      for (std::size_t at = html.find(what); at != std::string::npos; at = html.find(what, at + 1)) ++n;
      return n;
    };
    std::string html = report_html(input);
    QCOMPARE(times(html, "What every station settles at"), std::size_t{1});
    QVERIFY(holds(html, "What every station settles at (exact, mva and ctmc-network)"));
    // What cannot be read in that unit stays in its own.
    for (const char* part : {"Response time [min]", "Throughput [/min]", "Tiny [s]", ">2<", ">30<"})
      QVERIFY2(holds(html, part), part);
    // Where measures have two units of time nothing is turned; tables that differ are two.
    input.results[0].measures[1].unit = "h";
    input.results.back().tables[0].rows[0][1] = 121.0;
    html = report_html(input);
    QCOMPARE(times(html, "What every station settles at"), std::size_t{2});
    QVERIFY(holds(html, "Response time [s]") && !holds(html, "Response time [min]"));
    check_page(html);
  }
  void of_a_long_table_the_first_rows_are_printed_and_where_all_are_is_said() {
    Sketch s;
    ReportInput input = sketch_report(s);
    ResultTable table{.name = "jobs", .title = "Jobs", .solver = "simulation", .columns = {{"job"}}, .note = "As run."};
    const auto with_rows = [&](int rows) {
      table.rows.clear();
      for (int i = 1; i <= rows; ++i) table.rows.push_back({"job " + std::to_string(i) + "."});
      input.results[0].tables = {table};
      return report_html(input);
    };
    const std::string whole = with_rows(200);
    QVERIFY(holds(whole, "job 200.") && holds(whole, ">As run.</p>"));
    const std::string cut = with_rows(12345);
    QVERIFY(holds(cut, "job 1.") && holds(cut, "job 200.") && !holds(cut, "job 201."));
    QVERIFY(holds(cut,
                  "The first 200 of 12,345 rows. All of them: the run with --table jobs, or exported as CSV or "
                  "JSON. As run."));
    check_page(cut);
    // What is exported is whole.
    const std::string csv = table_csv(table);
    QCOMPARE(std::count(csv.begin(), csv.end(), '\n'), 12346);
  }
  void same_input_gives_the_same_bytes() {
    Sketch s;
    const ReportInput input = sketch_report(s);
    QCOMPARE(report_html(input), report_html(input));
  }
  void counts_are_grouped_by_thousands() {
    QCOMPARE(count_text(0), std::string("0"));
    QCOMPARE(count_text(999), std::string("999"));
    QCOMPARE(count_text(1000), std::string("1,000"));
    QCOMPARE(count_text(1234567), std::string("1,234,567"));
  }
};

QTEST_GUILESS_MAIN(TestReportHtml)
#include "tst_report_html.moc"
