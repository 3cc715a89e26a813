// What "Measure every station" asks for. Oracle: the units that are written in the drawing.
#include <QtTest>

#include <map>

#include "app/session/element_numbers.h"
#include "app/session/rename.h"
#include "core/document/command.h"
#include "tests/support/model_builder.h"

using namespace ergode;
using namespace ergode::test;

namespace {

Document measured(const Document& document) {
  CommandStack stack(document);
  stack.push(*measure_everything(document)->command);
  return stack.document();
}

}  // namespace

class TestElementNumbers : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  // Numbers of other values than those drawn say so.
  void the_caption_says_what_was_set() {
    ModelBuilder m;
    const ElementId diagram = m.diagram("Net", "queueing");
    m.node(diagram, {}, "station", {{"name", "desk"}});
    m.measure("a", "time_average", "desk.busy");
    ResultSet run;
    MeasureResult a;
    a.id = "a", a.estimate = 0.5;
    run.measures = {a};
    run.provenance.solver = "simulation", run.provenance.seed = 7;
    const auto caption = [&] { return diagram_numbers(m.document(), diagram, &run, false).caption; };
    QVERIFY2(caption().find("Run of simulation, seed 7") != std::string::npos, caption().c_str());
    run.provenance.scenario = "Peak", run.provenance.overrides = {{"lambda", "2 /s"}};
    QVERIFY2(caption().find("Run of simulation, Peak, lambda = 2 /s, seed 7") != std::string::npos, caption().c_str());
    // Numbers of another solver name it; one that gives none is not named.
    m.measure("b", "time_average", "desk.number");
    for (const char* solver : {"mva", "bounds"}) {
      ResultSet beside;
      a.id = "b", beside.measures = {a}, beside.provenance.solver = solver;
      run.company.push_back(std::make_shared<const ResultSet>(beside));
    }
    QVERIFY2(caption().find("Run of simulation and mva, Peak") != std::string::npos, caption().c_str());
  }

  void times_are_asked_in_the_unit_in_which_they_are_drawn() {
    ModelBuilder m;
    const ElementId diagram = m.diagram("Net", "queueing");
    m.parameter("service", "90 s");
    m.parameter("mu", "3 /min");
    m.parameter("shown", "0.001 h", {{"unit", "ms"}});
    m.parameter("chained", "2 * service");
    const auto station = [&](const char* name, Value properties) {
      properties["name"] = name;
      m.node(diagram, {}, "station", properties);
    };
    station("plain", {{"service", "exponential(mean = 20 ms)"}});
    station("named", {{"service", "exponential(mean = service)"}});
    station("rated", {{"service", "exponential(rate = mu)"}});
    station("written", {{"service", "exponential(rate = 2 /d)"}});
    station("shown", {{"service", "shown"}});
    station("chained", {{"service", "erlang(k = 2, mean = chained)"}});
    station("classes", {{"service_of", "gold = exponential(mean = 2 min), bulk = 5 s"}});
    station("usual", Value::object());
    station("from_file", {{"service", "empirical(\"times.csv\", column = \"t\", unit = \"us\")"}});
    station("by_number", {{"service", "unknown"}});
    m.node(diagram, {}, "delay", {{"name", "away"}, {"time", "uniform(low = 1 d, high = 2 d)"}});
    const Document asked = measured(m.document());
    const std::map<std::string, std::string> wanted = {
        {"plain", "ms"},    {"named", "s"}, {"rated", "min"},    {"written", "d"},   {"shown", "ms"}, {"chained", "s"},
        {"classes", "min"}, {"usual", "s"}, {"from_file", "us"}, {"by_number", "h"}, {"away", "d"}};
    for (const auto& [name, unit] : wanted) {
      const Element* response = asked.named(Section::measure, name + "_response_time");
      const Element* throughput = asked.named(Section::measure, name + "_throughput");
      QVERIFY2(response != nullptr && throughput != nullptr, name.c_str());
      QVERIFY2(response->text("unit") == unit, (name + " " + response->text("unit")).c_str());
      QCOMPARE(throughput->text("unit"), "/" + unit);
    }
  }

  // In the step of the renaming; what a user wrote stays, and a run made before is still read.
  void a_renaming_makes_names_and_labels_of_measures_anew() {
    ModelBuilder m;
    const ElementId diagram = m.diagram("Net", "queueing");
    const ElementId desk = m.node(diagram, {}, "station", {{"name", "desk"}, {"servers", "2"}});
    m.measure("mine", "time_average", "desk.busy", {{"label", "Clerks at desk"}});
    m.measure("alike", "time_average", "mission", {{"label", "Mean number at desk"}});
    m.measure("counter_throughput", "time_average", "mission");
    m.measure("share", "ratio", "", {{"of", "desk_number"}, {"per", "mine"}});
    const Document before = measured(m.document());
    ResultSet run;
    run.measures.emplace_back();
    run.measures[0].id = "desk_number", run.measures[0].estimate = 3.5;
    run.measures[0].element = before.named(Section::measure, "desk_number")->id;
    CommandStack stack(before);
    stack.push(rename_element(stack.document(), desk, "counter"));
    QCOMPARE(stack.depth(), std::size_t{1});
    const auto label = [&](const char* name) {
      const Element* measure = stack.document().named(Section::measure, name);
      return measure == nullptr ? std::string("none of this name") : measure->text("label");
    };
    QCOMPARE(label("counter_number"), std::string("Mean number at counter"));
    QCOMPARE(label("counter_response_time"), std::string("Mean response time at counter"));
    QCOMPARE(label("counter_throughput_2"), std::string("Throughput of counter"));  // the name was another's
    QCOMPARE(label("mine"), std::string("Clerks at desk"));
    QCOMPARE(label("alike"), std::string("Mean number at desk"));
    QCOMPARE(stack.document().named(Section::measure, "share")->text("of"), std::string("counter_number"));
    const DiagramNumbers numbers = diagram_numbers(stack.document(), diagram, &run, true);
    QVERIFY(numbers.of.contains(desk));
    // Back again the number is not needed.
    stack.push(rename_element(stack.document(), desk, "till"));
    QCOMPARE(label("till_throughput"), std::string("Throughput of till"));
    stack.undo();
    stack.undo();
    QCOMPARE(label("desk_number"), std::string("Mean number at desk"));
  }
};

QTEST_APPLESS_MAIN(TestElementNumbers)
#include "tst_element_numbers.moc"
