#include <QtTest>
#include <random>

#include "app/session/check.h"
#include "core/document/command.h"
#include "core/format/model_file.h"
#include "tests/support/model_builder.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// Two generators that fail alone and by a group, with a measure and a scenario: sound until a row spoils one property.
struct CheckedPlant {
  ModelBuilder m;
  ElementId lambda, n, up, down, fails, edg, group, measure, scenario, chart;
  CheckedPlant() {
    lambda = m.parameter("lambda", "1e-3 /h", {{"unit", "/h"}, {"minimum", "0 /h"}});
    n = m.parameter("n", "3", {{"type", "integer"}, {"minimum", "2"}});
    ChartBuilder c(m, "Generator");
    chart = c.id();
    up = c.state("Running"), down = c.state("Failed");
    c.initial(up);
    fails = c.transition(up, down, "rate(lambda)", "", "", {{"role", "failure"}});
    c.transition(up, down, "ccf(run)", "", "", {{"role", "failure"}});
    edg = m.component("EDG", "Generator", "n");
    group = m.group("G", "run",
                    {{"model", "alpha_nonstaggered"},
                     {"total", "lambda*1.13/0.9"},
                     {"alphas", "[0.9, 0.07, 0.03]"},
                     {"independent", "chart"}},
                    {edg});
    measure = m.measure("failed_{k}", "probability_at", "count(EDG[*].Failed) == k",
                        {{"index", "k"}, {"from", "0"}, {"to", "n"}});
    scenario = m.scenario("worse", "lambda = 1e-2 /h");
  }
};

}  // namespace

class TestCheck : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void examples_are_sound_data();
  void examples_are_sound();
  void each_bad_input_has_its_code_element_and_property_data();
  void each_bad_input_has_its_code_element_and_property();
  void messages_show_the_value_seen_and_the_value_wanted();
  void scenarios_are_checked_each_and_named();
  void what_theory_leaves_open_is_tried_out();
  void errors_stand_before_warnings_in_document_order();
  void unknown_parts_are_warnings_and_change_nothing();
  void random_damage_never_crashes_the_check();
  void one_fact_gives_one_problem_data();
  void one_fact_gives_one_problem();
  void a_missing_file_hides_nothing_else_data();
  void a_missing_file_hides_nothing_else();
  void a_parameter_without_value_hides_nothing_else();
  void counts_that_name_each_other_are_refused();
  void an_undefined_name_is_mended_by_creating_the_parameter();
  void a_chart_without_components_is_checked_as_it_is_drawn();
  void a_chart_that_nothing_uses_is_said();
  void a_delay_that_time_cannot_tell_from_none_is_said();
  void an_empty_chart_that_nobody_uses_is_no_problem();
  void messages_about_a_chart_are_sentences();
};

namespace {

std::string codes_of(const Diagnostics& problems) {
  std::string out;
  for (const Diagnostic& d : problems)
    if (d.severity == Severity::error) out += (out.empty() ? "" : " ") + d.code;
  return out;
}

}  // namespace

void TestCheck::one_fact_gives_one_problem_data() {
  QTest::addColumn<QString>("element");
  QTest::addColumn<QString>("property");
  QTest::addColumn<QString>("value");
  QTest::addColumn<QString>("code");
  const auto row = [](const char* name, const char* element, const char* property, const char* value,
                      const char* code) {
    QTest::newRow(name) << QString(element) << QString(property) << QString(value) << QString(code);
  };
  row("a parameter that users divide by is unknown", "lambda", "value", "nonsense", "EXP002");
  row("a parameter without a value", "lambda", "value", "", "PAR002");
  row("a unit that is none", "lambda", "unit", "bananas", "UNI001");
  row("a parameter below its minimum that others are made of", "lambda", "value", "-1 /h", "PAR005");
  row("a component without a chart", "edg", "chart", "", "DOC004");
  row("a component of a chart that is not there", "edg", "chart", "Generatr", "SYS002");
}

void TestCheck::one_fact_gives_one_problem() {
  QFETCH(QString, element);
  QFETCH(QString, property);
  QFETCH(QString, value);
  CheckedPlant p;
  p.m.parameter("mean", "1/lambda", {{"unit", "h"}, {"minimum", "1 h"}});
  p.m.measure("late", "probability_by", "mean > 2 h");
  p.m.measure("any_down", "time_average", "any(EDG[*].Failed)");
  QCOMPARE(codes_of(check_model(p.m.document())), std::string());
  p.m.set(element == "edg" ? p.edg : p.lambda, property.toStdString(), value.toStdString());
  QTEST(QString::fromStdString(codes_of(check_model(p.m.document()))), "code");
}

void TestCheck::a_missing_file_hides_nothing_else_data() {
  QTest::addColumn<QString>("example");
  QTest::addColumn<QString>("code");
  const auto row = [](const char* example, const char* code) { QTest::newRow(example) << example << code; };
  row("24_a100_month", "BAT004"), row("25_fair_rounds", "RND003"), row("28_uneven_gpus", "DEV014");
  row("29_partial_backpropagation", "ITR003"), row("30_cluster_policies", "GNG004");
}

// A value that its scheduler, pool or fleet does not have is told beside the trace that is not there.
void TestCheck::a_missing_file_hides_nothing_else() {
  QFETCH(QString, example);
  QFETCH(QString, code);
  const std::string folder = std::string(ERGODE_SOURCE_DIR) + "/examples/" + example.toStdString();
  Document document = *read_model(folder + "/model.ergode").document;
  std::string misspelt;
  const std::vector<Element> all(document.elements().begin(), document.elements().end());
  for (const Element& one : all) {
    const bool place = one.kind.ends_with("_scheduler") || one.kind == "host_pool" || one.kind == "gpu_cluster" ||
                       one.kind == "gpu_fleet";
    if (place) misspelt = one.name() + ".dones";
    if (one.text("trace").empty() && one.kind != "job_stream") continue;
    Element changed = one;
    changed.properties["trace"] = "not_there.csv";
    document.replace(document.index_of(one.id), changed);
  }
  const Element* measure = document.of(Section::measure).front();
  Element changed = *measure;
  changed.properties = {{"name", "misspelt"}, {"type", "final_value"}, {"expression", misspelt}};
  document.replace(document.index_of(measure->id), changed);
  RunRequest request;
  request.folder = folder;
  const Diagnostics found = check_model(document, request);
  const std::string codes = codes_of(found);
  QVERIFY2(codes.find(code.toStdString()) != std::string::npos, codes.c_str());
  QVERIFY2(codes.find("EXP002") != std::string::npos, codes.c_str());
}

// What does not depend on it: the ends of clamp are not in order, whatever lambda is. What does is no news.
void TestCheck::a_parameter_without_value_hides_nothing_else() {
  CheckedPlant p;
  p.m.parameter("twice", "2 * lambda", {{"unit", "/h"}});
  p.m.measure("wrong", "final_value", "clamp(1, 3, 2)");
  p.m.measure("depends", "final_value", "clamp(1, 3, 2) * twice * 1 h");
  p.m.set(p.lambda, "value", "");
  const Diagnostics found = check_model(p.m.document());
  QCOMPARE(codes_of(found), std::string("PAR002 EXP005"));
  QCOMPARE(p.m.document().find(found[1].element)->name(), std::string("wrong"));
}

void TestCheck::counts_that_name_each_other_are_refused() {
  CheckedPlant p;
  p.m.set(p.edg, "count", "Other");
  p.m.component("Other", "Generator", "EDG");
  const Diagnostics problems = check_model(p.m.document());
  QCOMPARE(codes_of(problems), std::string("EXP002 EXP002"));
}

void TestCheck::an_undefined_name_is_mended_by_creating_the_parameter() {
  CheckedPlant p;
  p.m.set(p.fails, "trigger", "rate(lambda_new)");
  const Diagnostics problems = check_model(p.m.document());
  QCOMPARE(codes_of(problems), std::string("EXP002"));
  QCOMPARE(problems.front().fixes.size(), std::size_t{1});
  QCOMPARE(problems.front().fixes.front().label, std::string("Create parameter lambda_new"));
  CommandStack stack(p.m.document());
  stack.push(*problems.front().fixes.front().command);
  const Element* made = stack.document().named(Section::parameter, "lambda_new");
  QVERIFY(made != nullptr);
  QCOMPARE(made->text("unit"), std::string("/h"));
  // It has no value yet; that is the one thing left to say.
  QCOMPARE(codes_of(check_model(stack.document())), std::string("PAR002"));
  Edit edit(stack.document(), "value");
  edit.set(made->id, "value", "2e-3 /h");
  QCOMPARE(codes_of(check_model(edit.document())), std::string());
  // A state that is not there is no parameter.
  p.m.set(p.fails, "trigger", "when(in(EDG[1].Faild))");
  for (const Diagnostic& d : check_model(p.m.document())) QVERIFY(d.fixes.empty());
}

void TestCheck::a_chart_without_components_is_checked_as_it_is_drawn() {
  ModelBuilder m;
  ChartBuilder c(m, "Pump");
  const ElementId up = c.state("Up"), down = c.state("Down");
  c.initial(up);
  const ElementId fails = c.transition(up, down, "rate(lambda)");
  bool found = false;
  for (const Diagnostic& d : check_model(m.document()))
    found = found || (d.code == "EXP002" && d.element == fails && d.pointer == "trigger" && !d.fixes.empty());
  QVERIFY(found);
}

void TestCheck::examples_are_sound_data() {
  QTest::addColumn<QString>("folder");
  for (const char* folder :
       {"01_edg_common_cause", "02_station_blackout", "03_repairable_component", "04_repairable_system",
        "05_cold_standby_spare", "06_rare_event", "07_heated_tank", "08_core_heat_up", "09_statechart_tour"})
    QTest::newRow(folder) << folder;
}

void TestCheck::examples_are_sound() {
  QFETCH(QString, folder);
  const ReadOutcome read = parse_model(project_file("examples/" + folder.toStdString() + "/model.ergode"));
  const Diagnostics problems = check_model(*read.document);
  QVERIFY2(problems.empty(), listed(problems).c_str());
}

void TestCheck::each_bad_input_has_its_code_element_and_property_data() {
  QTest::addColumn<QString>("code");
  QTest::addColumn<QString>("element");
  QTest::addColumn<QString>("property");
  QTest::addColumn<QString>("value");
  const auto row = [](const char* name, const char* code, const char* element, const char* property,
                      const char* value) { QTest::newRow(name) << code << element << property << value; };
  row("unknown unit of a parameter", "UNI001", "lambda", "unit", "bananas");
  row("unknown unit in a value", "UNI001", "lambda", "value", "3 bananas");
  row("a value of another dimension", "EXP004", "lambda", "value", "3 h");
  row("a negative rate below its minimum", "PAR005", "lambda", "value", "-1e-3 /h");
  row("a circular parameter", "PAR004", "lambda", "value", "2 * lambda");
  row("a parameter without value", "PAR002", "lambda", "value", "");
  row("a guard that does not parse", "EXP001", "fails", "guard", "count(EDG[*].Failed > 2");
  row("a guard with an unknown name", "EXP002", "fails", "guard", "count(EGD[*].Failed) > 2");
  row("a negative rate in a trigger", "SCH009", "fails", "trigger", "rate(-1e-3 /h)");
  row("a rate whose mean time is infinite", "SCH009", "fails", "trigger", "rate(1e-310 /h)");
  row("a trigger that is none", "SCH006", "fails", "trigger", "sometimes(3)");
  row("an action that does not parse", "EXP001", "fails", "action", "x = 3");
  row("an unknown chart", "SYS002", "edg", "chart", "Generatr");
  row("no chart", "DOC004", "edg", "chart", "");
  row("a count out of range", "SYS003", "edg", "count", "0");
  row("a count that is the component itself", "EXP002", "edg", "count", "EDG");
  row("a count made of the component itself", "EXP002", "edg", "count", "EDG + 1");
  row("a count of the component's own states", "EXP002", "edg", "count", "count(EDG[*].Failed)");
  row("an unknown argument", "SYS005", "edg", "arguments", "mttr = 8 h");
  row("alpha factors that do not sum to one", "CCF005", "group", "alphas", "[0.9, 0.07, 0.04]");
  row("too few alpha factors", "CCF004", "group", "alphas", "[0.9, 0.1]");
  row("a factor outside 0 to 1", "CCF003", "group", "alphas", "[1.1, -0.07, -0.03]");
  row("a negative total", "CCF002", "group", "total", "-1 /h");
  row("a delay law that is none", "DOC002", "group", "delay_law", "gaussian");
  row("a cause no chart knows", "CCF023", "group", "cause", "walk");
  row("a measure without expression", "MEA002", "measure", "expression", "");
  row("a measure of a number", "MEA002", "measure", "expression", "count(EDG[*].Failed)");
  row("a measure of no state", "EXP002", "measure", "expression", "in(EDG[1].Faild)");
  row("a family without its index in the name", "MEA001", "measure", "name", "failed");
  row("a measure past the mission", "MEA004", "measure", "at", "25 h");
  row("a measure of the clock", "MEA013", "measure", "expression", "now > 5 h");
  row("a measure in the wrong unit", "MEA003", "measure", "unit", "h");
  row("a measure of an unknown type", "DOC002", "measure", "type", "maximum");
  row("a scenario of an unknown parameter", "PAR006", "scenario", "values", "lamda = 3 /h");
  row("a scenario that does not parse", "EXP001", "scenario", "values", "lambda = = 3");
  row("a scenario without name", "PAR008", "scenario", "name", "");
  row("a mission of no time", "DOC003", "model", "horizon", "0 h");
  row("a mission whose steps vanish", "DOC003", "model", "horizon", "5e-324 s");
  row("a mission of another dimension", "EXP004", "model", "horizon", "3 W");
  row("a replication number below one", "DOC003", "model", "replications", "0");
  row("a unit of time that is none", "UNI001", "model", "time_unit", "kg");
  row("a state with no name", "SCH003", "up", "name", "");
}

void TestCheck::each_bad_input_has_its_code_element_and_property() {
  QFETCH(QString, code);
  QFETCH(QString, element);
  QFETCH(QString, property);
  QFETCH(QString, value);
  CheckedPlant plant;
  QVERIFY2(check_model(plant.m.document()).empty(), listed(check_model(plant.m.document())).c_str());
  const std::map<QString, ElementId> named = {{"lambda", plant.lambda},
                                              {"fails", plant.fails},
                                              {"edg", plant.edg},
                                              {"group", plant.group},
                                              {"measure", plant.measure},
                                              {"scenario", plant.scenario},
                                              {"model", plant.m.document().model().id},
                                              {"up", plant.up}};
  Edit edit(plant.m.document(), "spoil");
  if (value.isEmpty()) edit.set(named.at(element), property.toStdString(), nullptr);
  else edit.set(named.at(element), property.toStdString(), value.toStdString());
  const Diagnostics problems = check_model(edit.document());
  QVERIFY2(has_errors(problems), listed(problems).c_str());
  bool found = false;
  for (const Diagnostic& d : problems)
    found = found || (d.code == code.toStdString() && d.element == named.at(element) &&
                      (d.pointer == property.toStdString() || d.pointer.empty()) && !d.message.empty());
  QVERIFY2(found, listed(problems).c_str());
}

void TestCheck::messages_show_the_value_seen_and_the_value_wanted() {
  const auto message = [](ElementId CheckedPlant::*element, const char* property, const char* value, const char* code) {
    CheckedPlant plant;
    plant.m.set(plant.*element, property, value);
    const Diagnostics problems = check_model(plant.m.document());
    const Diagnostic* found = find_code(problems, code);
    return found == nullptr ? listed(problems) : found->message;
  };
  const auto holds = [](const std::string& text, std::initializer_list<const char*> parts) {
    for (const char* part : parts)
      if (text.find(part) == std::string::npos) QFAIL(qPrintable(QString("\"%1\" without %2").arg(text.c_str(), part)));
  };
  holds(message(&CheckedPlant::lambda, "value", "-1e-3 /h", "PAR005"), {"-0.001 /h", "0 /h"});
  holds(message(&CheckedPlant::group, "alphas", "[0.9, 0.07, 0.04]", "CCF005"), {"1.01", "1"});
  holds(message(&CheckedPlant::edg, "count", "0", "SYS003"), {"0", "1 to"});
  holds(message(&CheckedPlant::measure, "at", "25 h", "MEA004"), {"25 h", "24 h"});
  holds(message(&CheckedPlant::fails, "trigger", "rate(-1e-3 /h)", "SCH009"), {"-0.001 /h", ">= 0"});
  holds(message(&CheckedPlant::lambda, "value", "2 * lambda", "PAR004"), {"lambda → lambda"});
}

void TestCheck::scenarios_are_checked_each_and_named() {
  CheckedPlant plant;
  plant.m.scenario("negative", "lambda = -1 /h");
  const Diagnostics problems = check_model(plant.m.document());
  QCOMPARE(codes(problems), std::string("PAR005"));
  QVERIFY2(problems[0].message.rfind("In scenario negative: ", 0) == 0, problems[0].message.c_str());
  QCOMPARE(codes(check_model(plant.m.document(), {.scenario = "absent"})).substr(0, 6), std::string("PAR005"));
  QVERIFY(find_code(check_model(plant.m.document(), {.scenario = "absent"}), "PAR008") != nullptr);
  QVERIFY(find_code(check_model(plant.m.document(), {.overrides = {{"n", "1"}}}), "PAR005") != nullptr);
}

// Two at once in the mean, as many as a chart says: at 0.9, and in a scenario at 1.35.
void TestCheck::what_theory_leaves_open_is_tried_out() {
  ModelBuilder m("100 h");
  m.parameter("lambda", "0.9 /min", {{"unit", "/min"}});
  m.scenario("rush", "lambda = 1.35 /min");
  ChartBuilder chart(m, "Chart");
  const ElementId up = chart.state("Up"), down = chart.state("Down");
  chart.initial(up), chart.transition(up, down, "rate(1 /min)"), chart.transition(down, up, "rate(1 /min)");
  m.component("machine", "Chart");
  const ElementId net = m.diagram("Net", "queueing");
  const auto node = [&](const char* kind, const char* name, Value more) {
    more["name"] = name;
    return m.node(net, {}, kind, std::move(more));
  };
  const ElementId in = node("source", "in", {{"rate", "lambda"}, {"batch", "in(machine.Up) ? 3 : 1"}}),
                  desk = node("station", "desk", {{"service", "exponential(mean = 0.5 min)"}}),
                  out = node("sink", "out", Value::object());
  m.edge(net, "flow", in, desk), m.edge(net, "flow", desk, out);
  m.measure("busy", "time_average", "desk.busy");
  const auto found = [&](const RunRequest& request) {
    std::string all;
    for (const Diagnostic& d : check_model(m.document(), request))
      if (d.code == "QN010") all += d.message + " [" + d.scenario + "]\n";
    return QString::fromStdString(all);
  };
  const QString told = found({});
  QVERIFY2(told.startsWith("In scenario rush: \"desk\" gets about 1.3") && told.endsWith("[rush]\n"), qPrintable(told));
  const QString itself = found({.scenario = "rush"});
  QVERIFY2(itself.contains(" times the work that it gets done, as a trial of ") && itself.contains("queue grows"),
           qPrintable(itself));
  QCOMPARE(found({.scenario = "rush"}), itself);
}

void TestCheck::errors_stand_before_warnings_in_document_order() {
  CheckedPlant plant;
  plant.m.node(plant.chart, {}, "state", {{"name", "Unreachable"}});
  plant.m.set(plant.measure, "expression", "in(nothing)");
  plant.m.set(plant.fails, "guard", "1 +");
  const Diagnostics problems = check_model(plant.m.document());
  bool warned = false;
  for (const Diagnostic& d : problems) {
    QVERIFY2(!(warned && d.severity == Severity::error), listed(problems).c_str());
    warned = warned || d.severity == Severity::warning;
  }
  QVERIFY(problems.size() >= 1 && problems[0].severity == Severity::error);
}

void TestCheck::unknown_parts_are_warnings_and_change_nothing() {
  CheckedPlant plant;
  plant.m.node(plant.chart, {}, "fantasy");
  const ElementId other = plant.m.diagram("Later", "of_a_later_version");
  plant.m.node(other, {}, "widget");
  const Diagnostics problems = check_model(plant.m.document());
  QVERIFY2(!has_errors(problems), listed(problems).c_str());
  for (const Diagnostic& d : problems) QCOMPARE(d.code, std::string("DOC001"));
  QVERIFY(problems.size() >= 3);
}

void TestCheck::random_damage_never_crashes_the_check() {
  // Properties swapped, dropped and replaced by odd values, elements removed: always an answer, never a crash.
  std::vector<Document> seeds;
  for (const char* folder :
       {"01_edg_common_cause", "02_station_blackout", "03_repairable_component", "04_repairable_system"})
    seeds.push_back(*parse_model(project_file(std::string("examples/") + folder + "/model.ergode")).document);
  const std::vector<Value> odd = {"",
                                  "x",
                                  "1e300",
                                  "-1",
                                  "0",
                                  "1/0",
                                  "[1, 2]",
                                  "((((",
                                  "EDG[*]",
                                  "in(EDG[1].Failed)",
                                  "after(-1 h)",
                                  "8 bananas",
                                  true,
                                  1e300,
                                  Value::array({1}),
                                  Value::object()};
  std::mt19937 random(4);
  const auto below = [&random](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  int refused = 0;
  for (int i = 0; i < 300; ++i) {
    Edit edit(seeds[below(seeds.size())], "damage");
    for (std::size_t edits = 1 + below(3); edits > 0; --edits) {
      const auto all = edit.document().elements();
      const Element element = all[below(all.size())];
      if (below(5) == 0) {
        edit.remove(element.id);
      } else if (!element.properties.empty()) {
        auto property = element.properties.begin();
        std::advance(property, static_cast<long>(below(element.properties.size())));
        edit.set(element.id, property.key(), below(3) == 0 ? Value() : odd[below(odd.size())]);
      }
    }
    refused += has_errors(check_model(edit.document()));
  }
  QVERIFY2(refused > 100, qPrintable(QString::number(refused)));
}

void TestCheck::a_chart_that_nothing_uses_is_said() {
  CheckedPlant p;
  ChartBuilder spare(p.m, "Spare");
  spare.initial(spare.state("On"));
  const Diagnostics problems = check_model(p.m.document());
  const Diagnostic* d = find_code(problems, "SYS006");
  QVERIFY2(d != nullptr && d->element == spare.id() && d->severity == Severity::info, listed(problems).c_str());
  QCOMPARE(d->fixes.size(), std::size_t{1});
  CommandStack stack(p.m.document());
  stack.push(*d->fixes.front().command);
  QVERIFY(find_code(check_model(stack.document()), "SYS006") == nullptr);
}

// Oracle: the spacing of doubles at 24 h is 2^(16 - 52) s.
void TestCheck::a_delay_that_time_cannot_tell_from_none_is_said() {
  for (const auto& [trigger, said] : {std::pair("rate(1e12 /s)", true), std::pair("after(7.4e-9 s)", true),
                                      std::pair("after(7.5e-9 s)", false), std::pair("rate(0 /h)", false)}) {
    CheckedPlant p;
    p.m.set(p.fails, "trigger", trigger);
    const Diagnostics problems = check_model(p.m.document());
    const Diagnostic* d = find_code(problems, "RUN037");
    QVERIFY2((d != nullptr && d->element == p.fails && d->severity == Severity::warning) == said, trigger);
  }
}

// A new model has a chart; who draws something else leaves it empty.
void TestCheck::an_empty_chart_that_nobody_uses_is_no_problem() {
  ModelBuilder m;
  ChartBuilder empty(m, "Chart");
  const ElementId network = m.diagram("Net", "queueing");
  m.node(network, {}, "source", {{"name", "arrivals"}});
  m.node(network, {}, "station", {{"name", "desk"}});
  m.measure("waiting", "time_average", "desk.number");
  QVERIFY2(!find_code(check_model(m.document()), "SCH001"), listed(check_model(m.document())).c_str());
  // Once it is used, it is asked for states.
  m.component("unit", "Chart");
  QVERIFY(find_code(check_model(m.document()), "SCH001"));
}

void TestCheck::messages_about_a_chart_are_sentences() {
  ModelBuilder m;
  ChartBuilder c(m, "Pump");
  c.state("Up");
  m.node(c.id(), {}, "initial");
  m.component("pump", "Pump");
  const Diagnostics problems = check_model(m.document());
  const Diagnostic* d = find_code(problems, "SCH001");
  QVERIFY(d != nullptr);
  QVERIFY2(d->message.starts_with("The initial state of the chart \"Pump\" leads nowhere"), d->message.c_str());
}

QTEST_APPLESS_MAIN(TestCheck)
#include "tst_check.moc"
