#include <QtTest>

#include "app/session/check.h"
#include "app/session/rename.h"
#include "core/format/model_file.h"
#include "tests/support/model_builder.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// Every place in which a name can stand, with look-alikes that must stay: `lambda` is a parameter, a part of other
/// words, a variable of another chart and a word in notes.
struct RenamedPlant {
  ModelBuilder m;
  ElementId lambda, law, edg, chart, other_chart, up, first, down, level, go, back, measure, scenario, other_state, arm,
      group;
  RenamedPlant() {
    lambda = m.parameter("lambda", "1e-3 /h", {{"unit", "/h"}, {"description", "lambda of one generator"}});
    m.parameter("lambda2", "2 * lambda+lambda", {{"unit", "/h"}, {"maximum", "lambda * 9"}});
    law = m.parameter("law", "none", {{"type", "choice"}, {"choices", "none, uniform"}});
    ChartBuilder c(m, "Generator");
    chart = c.id();
    level = c.variable("level", "integer", "3");
    arm = c.variable("arm", "real", "lambda", "/h", true);
    up = c.state("Up", {}, "level := level + 1"), first = c.state("First", up), down = c.state("Failed");
    c.initial(up), c.initial(first, up);
    go = c.transition(up, down, "rate( lambda  *  level)", "level>0 and not (count(EDG[*].Failed) > 2)",
                      "level := level - 1; send(go, EDG[1])");
    back = c.transition(down, up, "when(count( EDG[ * ] . Up.First ) < 2 or in(EDG[1].First) and in(Up))");
    ChartBuilder d(m, "Other");
    other_chart = d.id();
    d.variable("lambda", "integer", "7"), d.variable("level", "integer", "7");
    other_state = d.state("Failed");
    const ElementId z = d.state("Z");
    d.initial(other_state),
        d.transition(other_state, z, "rate(lambda2)", "lambda > 3 and level > 2 and EDG[2].level > 1 and in(Failed)");
    edg = m.component("EDG", "Generator", "3", "arm = lambda + lambda2");
    m.component("pump", "Other");
    group = m.group("G", "run", {{"mu", "lambda"}, {"rho", "0.5"}, {"omega", "0 /h"}, {"delay_law", "law"}}, {});
    measure =
        m.measure("lambda", "probability_at", "count(EDG[*].Failed) >= 2 and EDG[1].level > 0 and in(pump.Failed)",
                  {{"label", "lambda and EDG"}});
    scenario = m.scenario("worse", "lambda = 2 * 1e-3 /h, law = uniform");
  }
  Document renamed(ElementId id, const std::string& name) const {
    CommandStack stack(m.document());
    stack.push(rename_element(stack.document(), id, name));
    if (stack.depth() != 1) throw std::runtime_error("one undo step wanted");
    const Document after = stack.document();
    stack.undo();
    if (write_model(stack.document()) != write_model(m.document()))
      throw std::runtime_error("undo does not take it back");
    return after;
  }
};

/// "element.property: text" of every property that differs.
QStringList changes(const Document& before, const Document& after) {
  QStringList out;
  for (const Element& element : before.elements())
    for (const auto& [key, value] : element.properties.items()) {
      const std::string text = after.find(element.id)->text(key);
      if (text != element.text(key)) out << QString::fromStdString(key + ": " + text);
    }
  return out;
}

}  // namespace

class TestRename : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_parameter_is_renamed_in_expressions_arguments_and_scenarios();
  void a_choice_parameter_is_renamed_where_it_decides();
  void a_component_is_renamed_in_paths_and_sends();
  void a_state_is_renamed_in_paths_of_its_own_chart();
  void a_variable_is_renamed_in_its_chart_and_from_outside();
  void a_chart_is_renamed_in_its_components();
  void a_measure_or_scenario_changes_its_own_name_alone();
  void a_renamed_model_means_the_same();
  void events_and_causes_that_are_called_like_a_state_stay();
  void a_final_state_is_renamed_in_paths();
  void measures_of_a_ratio_and_makers_of_a_stream_are_renamed();
  void a_class_is_renamed_among_the_parts_that_a_join_waits_for();
  void nothing_happens_for_the_same_name_or_nobody();
};

void TestRename::a_parameter_is_renamed_in_expressions_arguments_and_scenarios() {
  const RenamedPlant p;
  QCOMPARE(changes(p.m.document(), p.renamed(p.lambda, "failure_rate")),
           (QStringList{"name: failure_rate", "value: 2 * failure_rate+failure_rate", "maximum: failure_rate * 9",
                        "initial: failure_rate", "trigger: rate( failure_rate  *  level)",
                        "arguments: arm = failure_rate + lambda2", "mu: failure_rate",
                        "values: failure_rate = 2 * 1e-3 /h, law = uniform"}));
}

void TestRename::a_choice_parameter_is_renamed_where_it_decides() {
  const RenamedPlant p;
  QCOMPARE(changes(p.m.document(), p.renamed(p.law, "delay")),
           (QStringList{"name: delay", "delay_law: delay", "values: lambda = 2 * 1e-3 /h, delay = uniform"}));
}

void TestRename::a_component_is_renamed_in_paths_and_sends() {
  const RenamedPlant p;
  QCOMPARE(
      changes(p.m.document(), p.renamed(p.edg, "DG")),
      (QStringList{"guard: level>0 and not (count(DG[*].Failed) > 2)", "action: level := level - 1; send(go, DG[1])",
                   "trigger: when(count( DG[ * ] . Up.First ) < 2 or in(DG[1].First) and in(Up))",
                   "guard: lambda > 3 and level > 2 and DG[2].level > 1 and in(Failed)", "name: DG",
                   "expression: count(DG[*].Failed) >= 2 and DG[1].level > 0 and in(pump.Failed)"}));
}

void TestRename::a_state_is_renamed_in_paths_of_its_own_chart() {
  const RenamedPlant p;
  QCOMPARE(changes(p.m.document(), p.renamed(p.down, "Down")),
           (QStringList{"name: Down", "guard: level>0 and not (count(EDG[*].Down) > 2)",
                        "expression: count(EDG[*].Down) >= 2 and EDG[1].level > 0 and in(pump.Failed)"}));
  QCOMPARE(changes(p.m.document(), p.renamed(p.up, "Ready")),
           (QStringList{"name: Ready",
                        "trigger: when(count( EDG[ * ] . Ready.First ) < 2 or in(EDG[1].First) and in(Ready))"}));
  QCOMPARE(
      changes(p.m.document(), p.renamed(p.first, "Early")),
      (QStringList{"name: Early", "trigger: when(count( EDG[ * ] . Up.Early ) < 2 or in(EDG[1].Early) and in(Up))"}));
  QCOMPARE(changes(p.m.document(), p.renamed(p.other_state, "Off")),
           (QStringList{"name: Off", "guard: lambda > 3 and level > 2 and EDG[2].level > 1 and in(Off)",
                        "expression: count(EDG[*].Failed) >= 2 and EDG[1].level > 0 and in(pump.Off)"}));
}

void TestRename::a_variable_is_renamed_in_its_chart_and_from_outside() {
  const RenamedPlant p;
  QCOMPARE(
      changes(p.m.document(), p.renamed(p.level, "stock")),
      (QStringList{"name: stock", "entry: stock := stock + 1", "trigger: rate( lambda  *  stock)",
                   "guard: stock>0 and not (count(EDG[*].Failed) > 2)", "action: stock := stock - 1; send(go, EDG[1])",
                   "guard: lambda > 3 and level > 2 and EDG[2].stock > 1 and in(Failed)",
                   "expression: count(EDG[*].Failed) >= 2 and EDG[1].stock > 0 and in(pump.Failed)"}));
  QCOMPARE(changes(p.m.document(), p.renamed(p.arm, "own_rate")),
           (QStringList{"name: own_rate", "arguments: own_rate = lambda + lambda2"}));
}

void TestRename::a_chart_is_renamed_in_its_components() {
  const RenamedPlant p;
  QCOMPARE(changes(p.m.document(), p.renamed(p.chart, "Diesel")), (QStringList{"name: Diesel", "chart: Diesel"}));
}

void TestRename::a_measure_or_scenario_changes_its_own_name_alone() {
  const RenamedPlant p;
  QCOMPARE(changes(p.m.document(), p.renamed(p.measure, "two_failed")), (QStringList{"name: two_failed"}));
  QCOMPARE(changes(p.m.document(), p.renamed(p.scenario, "bad")), (QStringList{"name: bad"}));
}

void TestRename::a_renamed_model_means_the_same() {
  // Every named element of the examples gets a new name; the checks find nothing that is now unknown.
  for (const char* folder : {"01_edg_common_cause", "02_station_blackout", "03_repairable_component",
                             "04_repairable_system", "31_stage_in"}) {
    const Document document = *parse_model(project_file(std::string("examples/") + folder + "/model.ergode")).document;
    for (const Element& element : document.elements()) {
      const std::string name = element.name();
      if (name.empty() || name.find_first_of("{ ") != std::string::npos || element.section == Section::model) continue;
      Document after = document;
      CommandStack stack(std::move(after));
      stack.push(rename_element(stack.document(), element.id, name + "_renamed"));
      const Diagnostics problems = check_model(stack.document());
      QVERIFY2(problems.empty(), (name + "\n" + listed(problems)).c_str());
    }
  }
}

void TestRename::events_and_causes_that_are_called_like_a_state_stay() {
  ModelBuilder m;
  ChartBuilder c(m, "Chart");
  const ElementId start = c.state("start"), end = c.state("end");
  c.initial(start);
  c.transition(start, end, "start", "ccf(start) and in(start)", "raise(start); send(start, to = unit, id = start)");
  c.transition(start, end, "ccf(start)", "", "cancel(start); record(start)");
  m.component("unit", "Chart");
  CommandStack stack(m.document());
  stack.push(rename_element(stack.document(), start, "begin"));
  QCOMPARE(changes(m.document(), stack.document()), (QStringList{"name: begin", "guard: ccf(start) and in(begin)"}));
}

void TestRename::a_final_state_is_renamed_in_paths() {
  ModelBuilder m;
  ChartBuilder c(m, "Chart");
  const ElementId up = c.state("Up"), over = c.final_state();
  m.set(over, "name", "Over");
  c.initial(up), c.transition(up, over, "after(1 h)");
  m.component("unit", "Chart");
  m.measure("over", "probability_at", "in(unit.Over)");
  CommandStack stack(m.document());
  stack.push(rename_element(stack.document(), over, "Gone"));
  QCOMPARE(changes(m.document(), stack.document()), (QStringList{"name: Gone", "expression: in(unit.Gone)"}));
}

void TestRename::measures_of_a_ratio_and_makers_of_a_stream_are_renamed() {
  ModelBuilder m;
  ChartBuilder c(m, "Chart");
  c.initial(c.state("Up"));
  const ElementId unit = m.component("unit", "Chart");
  const ElementId cost = m.measure("cost", "final_value", "3 * count(unit.Up)");
  m.measure("time", "time_average", "in(unit.Up)");
  m.measure("dear", "ratio", "", {{"of", " cost"}, {"per", "time"}, {"label", "cost"}});
  // `cost` as a stream is no measure.
  m.measure("slow", "observed_quantile", "", {{"of", "unit.response"}});
  m.measure("other", "observed_quantile", "", {{"of", "cost"}});
  const auto renamed = [&](ElementId id, const char* name) {
    CommandStack stack(m.document());
    stack.push(rename_element(stack.document(), id, name));
    return changes(m.document(), stack.document());
  };
  QCOMPARE(renamed(cost, "price"), (QStringList{"name: price", "of:  price"}));
  QVERIFY2(renamed(unit, "web").contains("of: web.response"), qPrintable(renamed(unit, "web").join("; ")));
}

// On the left, and in parts(...); not where a law has a parameter of that name.
void TestRename::a_class_is_renamed_among_the_parts_that_a_join_waits_for() {
  ModelBuilder m;
  const ElementId diagram = m.diagram("Net", "queueing");
  const ElementId mean = m.node(diagram, {}, "job_class", {{"name", "mean"}});
  m.node(diagram, {}, "job_class", {{"name", "user"}});
  m.node(diagram, {}, "join",
         {{"name", "meet"},
          {"wait_for_parts", "mean = 2, user = 1"},
          {"wait_for_of", "user = parts(user = 2, mean = (1)), mean = parts(mean=3)"}});
  m.node(diagram, {}, "station", {{"name", "desk"}, {"service_of", "mean = exponential(mean = 2 s)"}});
  CommandStack stack(m.document());
  stack.push(rename_element(stack.document(), mean, "mail"));
  QCOMPARE(changes(m.document(), stack.document()),
           (QStringList{"name: mail", "wait_for_parts: mail = 2, user = 1",
                        "wait_for_of: user = parts(user = 2, mail = (1)), mail = parts(mail=3)",
                        "service_of: mail = exponential(mean = 2 s)"}));
}

void TestRename::nothing_happens_for_the_same_name_or_nobody() {
  const RenamedPlant p;
  QVERIFY(rename_element(p.m.document(), p.lambda, "lambda").empty());
  QVERIFY(rename_element(p.m.document(), ElementId(99999), "x").empty());
}

QTEST_APPLESS_MAIN(TestRename)
#include "tst_rename.moc"
