#include <QtTest>

#include "chart_check.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// One unit with a variable, a parameter and two states; spoilt one property at a time.
struct Sound {
  ModelBuilder m;
  ChartBuilder c{m, "Unit"};
  ElementId x, lambda, a, b, t, component;
  Sound() {
    m.parameter("n", "4", {{"type", "integer"}});
    m.parameter("mttr", "8 h", {{"type", "time"}});
    x = c.variable("x", "integer"), lambda = c.variable("lambda", "real", "1e-3 /h", "/h", true);
    a = c.state("Running"), b = c.state("Failed");
    c.initial(a);
    t = c.transition(a, b, "rate(lambda)");
    c.transition(b, a, "after(mttr)");
    component = m.component("EDG", "Unit", "n");
  }
};

}  // namespace

class TestCompiler : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_sound_model_compiles_to_its_tables();
  void each_defect_has_its_code_element_and_property_data();
  void each_defect_has_its_code_element_and_property();
  void an_array_reports_a_mistake_of_its_chart_once();
  void arguments_and_index_are_of_each_member();
  void names_of_states_and_variables_are_found_from_outside();
  void observers_hear_of_their_slots_alone();
  void streams_are_named_by_what_they_drive();
};

void TestCompiler::a_sound_model_compiles_to_its_tables() {
  const Sound s;
  const CompiledCheck check(s.m.document());
  QVERIFY2(check.model != nullptr, listed(check.problems).c_str());
  QCOMPARE(check.model->instances.size(), std::size_t{4});
  QCOMPARE(check.model->name(2), std::string("EDG[3]"));
  QCOMPARE(check.model->timers.size(), std::size_t{8});
  QVERIFY(check.model->timers[0].constant);
  QVERIFY(std::abs(check.model->timers[0].value - 3600e3) < 1e-3);  // mean of the rate
  QCOMPARE(check.model->timers[1].value, 28800.0);
  QCOMPARE(check.model->states.size(), std::size_t{12});
  QVERIFY(check.problems.empty());
}

void TestCompiler::each_defect_has_its_code_element_and_property_data() {
  QTest::addColumn<QString>("code");
  QTest::addColumn<QString>("property");
  const std::pair<const char*, const char*> rows[] = {{"SYS001 name", "name"},
                                                      {"SYS001 twice", "name"},
                                                      {"SYS001 parameter", "name"},
                                                      {"SYS002 chart", "chart"},
                                                      {"SYS003 zero", "count"},
                                                      {"SYS003 negative", "count"},
                                                      {"SYS003 many", "count"},
                                                      {"EXP003 fraction", "count"},
                                                      {"EXP002 count", "count"},
                                                      {"SYS005 unknown", "arguments"},
                                                      {"SYS005 variable", "arguments"},
                                                      {"EXP004 argument", "arguments"},
                                                      {"EXP001 arguments", "arguments"},
                                                      {"EXP002 guard", "guard"},
                                                      {"EXP004 guard", "guard"},
                                                      {"EXP003 guard", "guard"},
                                                      {"SCH009 rate", "trigger"},
                                                      {"SCH009 delay", "trigger"},
                                                      {"SCH009 period", "trigger"},
                                                      {"SCH009 at", "trigger"},
                                                      {"EXP004 rate", "trigger"},
                                                      {"EXP005 distribution", "trigger"},
                                                      {"SCH009 normal", "trigger"},
                                                      {"SCH012 now", "trigger"},
                                                      {"SCH012 guard", "guard"},
                                                      {"SCH009 weight", "trigger"},
                                                      {"SCH008 sum", ""},
                                                      {"SCH008 sum with else", ""},
                                                      {"EXP002 assign", "action"},
                                                      {"SCH011 assign", "action"},
                                                      {"EXP003 assign", "action"},
                                                      {"SCH011 call", "action"},
                                                      {"SCH011 send", "action"},
                                                      {"SCH011 send index", "action"},
                                                      {"SCH011 send range", "action"},
                                                      {"SCH011 send array", "action"},
                                                      {"EXP004 send delay", "action"},
                                                      {"SCH011 raise", "action"},
                                                      {"EXP002 entry", "entry"},
                                                      {"UNI001 variable", "unit"},
                                                      {"SCH009 variable", "type"},
                                                      {"EXP004 initial", "initial"},
                                                      {"SCH004 chart", "name"},
                                                      {"SCH003 chart", "name"},
                                                      {"SCH008 guard of a when", "guard"}};
  for (const auto& [row, property] : rows) QTest::newRow(row) << QString(row).section(' ', 0, 0) << property;
}

void TestCompiler::each_defect_has_its_code_element_and_property() {
  QFETCH(QString, code);
  QFETCH(QString, property);
  const QString row = QTest::currentDataTag();
  Sound s;
  ModelBuilder& m = s.m;
  ChartBuilder& c = s.c;
  ElementId where = s.component;
  int column = -1;  // -1: not looked at
  const auto transition = [&](const char* trigger, const char* guard = "", const char* action = "") {
    where = c.transition(s.b, s.a, trigger, guard, action);
  };
  if (row == "SYS001 name") m.set(s.component, "name", "E D G");
  if (row == "SYS001 twice") where = m.component("EDG", "Unit");
  if (row == "SYS001 parameter") where = m.component("mttr", "Unit");
  if (row == "SYS002 chart") m.set(s.component, "chart", "Unti");
  if (row == "SYS003 zero") m.set(s.component, "count", "0");
  if (row == "SYS003 negative") m.set(s.component, "count", "n - 9");
  if (row == "SYS003 many") m.set(s.component, "count", "1000001");
  if (row == "EXP003 fraction") m.set(s.component, "count", "1.5");
  if (row == "EXP002 count") m.set(s.component, "count", "nn");
  if (row == "SYS005 unknown") m.set(s.component, "arguments", "lamda = 1 /h");
  if (row == "SYS005 variable") m.set(s.component, "arguments", "x = 1");
  if (row == "EXP004 argument") m.set(s.component, "arguments", "lambda = 1 h");
  if (row == "EXP001 arguments") m.set(s.component, "arguments", "lambda 1"), column = 8;
  if (row == "EXP002 guard") transition("e", "x > 3 and y > 4"), column = 11;
  if (row == "EXP004 guard") transition("e", "x > mttr"), column = 5;
  if (row == "EXP003 guard") transition("e", "x + 1"), column = 1;
  if (row == "SCH009 rate") transition("rate(-1e-3 /h)");
  if (row == "SCH009 delay") transition("after(-1 h)");
  if (row == "SCH009 period") transition("every(0 h)");
  if (row == "SCH009 at") transition("at(-2 h)");
  if (row == "EXP004 rate") transition("rate(mttr)");
  if (row == "EXP005 distribution") transition("after(exponential(mean = -1 h))");
  if (row == "SCH009 normal") transition("after(uniform(low = -1 h, high = 2 h))");
  if (row == "SCH012 now") transition("when(now > 3 h)");
  if (row == "SCH012 guard") transition("", "now > 3 h");
  ElementId choice;
  if (row == "SCH009 weight" || row.startsWith("SCH008 sum")) choice = c.choice(), c.transition(s.b, choice, "f");
  if (row == "SCH009 weight") where = c.transition(choice, s.a, "p(1.5)"), c.transition(choice, s.b, "", "else");
  if (row == "SCH008 sum") where = choice, c.transition(choice, s.a, "p(0.5)"), c.transition(choice, s.b, "p(0.4)");
  if (row == "SCH008 sum with else")
    where = choice, c.transition(choice, s.a, "p(0.9)"), c.transition(choice, s.b, "p(0.4)"),
    c.transition(choice, s.b, "", "else");
  if (row == "EXP002 assign") transition("e", "", "y := 1"), column = 1;
  if (row == "SCH011 assign") transition("e", "", "lambda := 1 /h"), column = 1;
  if (row == "EXP003 assign") transition("e", "", "x := 1; x := mttr"), column = 14;
  if (row == "SCH011 call") transition("e", "", "print(x)"), column = 1;
  if (row == "SCH011 send") transition("e", "", "send(e, pump)"), column = 9;
  if (row == "SCH011 send index") transition("e", "", "send(e, EDG[5])"), column = 9;
  if (row == "SCH011 send range") transition("e", "", "send(e, EDG[3..5])"), column = 9;
  if (row == "SCH011 send array") transition("e", "", "send(e, EDG)"), column = 9;
  if (row == "EXP004 send delay") transition("e", "", "send(e, EDG[1], 3)"), column = 17;
  if (row == "SCH011 raise") transition("e", "", "raise(3)"), column = 1;
  if (row == "EXP002 entry") where = s.a, m.set(s.a, "entry", "y := 2");
  if (row == "UNI001 variable") where = c.variable("z", "real", "0", "bananas");
  if (row == "SCH009 variable") where = c.variable("z", "matrix");
  if (row == "EXP004 initial") where = c.variable("z", "real", "1 h", "/h");
  if (row == "SCH004 chart") where = ChartBuilder(m, "Unit").id(), c.initial(c.state("Z"), {});
  if (row == "SCH003 chart") where = ChartBuilder(m, "My unit").id();
  if (row == "SCH008 guard of a when")
    return transition("when(x > 3)", "ccf(run)"), [&] {
      // Two deciders on one transition: refused rather than one of them forgotten.
      const CompiledCheck check(m.document());
      const Diagnostic* found = find_code(check.problems, "SCH006");
      QVERIFY2(found != nullptr && found->element == where && found->pointer == "guard",
               listed(check.problems).c_str());
    }();
  const CompiledCheck check(m.document());
  QVERIFY(check.model == nullptr);
  const Diagnostic* found = find_code(check.problems, code.toStdString());
  QVERIFY2(found != nullptr, listed(check.problems).c_str());
  QVERIFY2(found->element == where && found->pointer == property.toStdString(), listed(check.problems).c_str());
  if (column >= 0) QCOMPARE(found->column, column);
  if (row == "SYS002 chart") QCOMPARE(found->hint, std::string("Did you mean Unit?"));
  if (row == "SYS005 unknown") QCOMPARE(found->hint, std::string("Did you mean lambda?"));
}

void TestCompiler::an_array_reports_a_mistake_of_its_chart_once() {
  Sound s;
  s.c.transition(s.b, s.a, "e", "y > 3");
  QCOMPARE(codes(CompiledCheck(s.m.document()).problems), std::string("EXP002"));
}

void TestCompiler::arguments_and_index_are_of_each_member() {
  Sound s;
  s.m.set(s.component, "arguments", "lambda = index * 1e-3 /h");
  const CompiledCheck check(s.m.document());
  QVERIFY2(check.model != nullptr, listed(check.problems).c_str());
  for (std::size_t i = 0; i < 4; ++i)
    QVERIFY(std::abs(check.model->timers[2 * i].value * (static_cast<double>(i) + 1) / 3600e3 - 1) < 1e-12);
}

void TestCompiler::names_of_states_and_variables_are_found_from_outside() {
  Sound s;
  s.m.component("spare", "Unit");
  Diagnostics problems;
  const ParameterTable parameters = ParameterTable::resolve(s.m.document(), "", {}, problems);
  ModelCompiler compiler(s.m.document(), parameters, {}, problems);
  QVERIFY2(problems.empty(), listed(problems).c_str());
  const auto error = [&](const char* text) {
    const auto compiled = compile(text, compiler.scope());
    const auto* e = std::get_if<ExpressionError>(&compiled);
    return e == nullptr ? std::string() : e->message;
  };
  for (const char* good : {"in(spare.Failed)", "count(EDG[*].Failed) >= n", "EDG[2].x > 3", "spare.x + EDG[1].x",
                           "EDG[n].Running", "spare.lambda * 1 h"})
    QVERIFY2(error(good).empty(), error(good).c_str());
  QVERIFY(error("EDG.Failed").find("array of 4") != std::string::npos);
  QVERIFY(error("spare[1].Failed").find("single") != std::string::npos);
  QVERIFY(error("EDG[5].Failed").find("members 1 to 4") != std::string::npos);
  QVERIFY(error("EDG[0].Failed").find("members 1 to 4") != std::string::npos);
  QVERIFY(error("in(EDG[2].Faild)").find("Failed") != std::string::npos);
  QVERIFY(error("in(spare)").find("states") != std::string::npos);
}

void TestCompiler::observers_hear_of_their_slots_alone() {
  ModelBuilder m;
  ChartBuilder c(m, "Unit");
  const ElementId a = c.state("A"), b = c.state("B");
  c.initial(a), c.transition(a, b, "e");
  m.component("left", "Unit"), m.component("right", "Unit");
  TraceRun run(m.document(), 1, {"in(left.B)", "in(right.B)"});
  run.start();
  run.world().clear_changed();
  run.send("e", 1);
  QCOMPARE(run.world().changed(), (std::vector<std::uint32_t>{1}));
  run.world().clear_changed();
  run.send("e", 1);  // it is in B already
  QVERIFY(run.world().changed().empty());
  run.send("e", 0);
  QCOMPARE(run.world().changed(), (std::vector<std::uint32_t>{0}));
}

void TestCompiler::streams_are_named_by_what_they_drive() {
  Sound s;
  const CompiledCheck four(s.m.document());
  s.m.component("another", "Unit");
  const CompiledCheck more(s.m.document());
  // Adding a component leaves the streams of the others as they were.
  const auto names = [](const CompiledModel& model) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < model.streams(); ++i) out.push_back(model.stream_name(i));
    std::sort(out.begin(), out.end());
    return out;
  };
  const std::vector<std::string> sorted = names(*more.model);
  for (const std::string& name : names(*four.model))
    QVERIFY2(std::binary_search(sorted.begin(), sorted.end(), name), name.c_str());
  for (const auto* model : {four.model.get(), more.model.get()}) {
    const std::vector<std::uint64_t> keys = model->stream_keys(5);
    for (std::size_t i = 0; i < model->streams(); ++i) QCOMPARE(keys[i], stream_key(5, model->stream_name(i)));
  }
  QVERIFY(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end());
}

QTEST_APPLESS_MAIN(TestCompiler)
#include "tst_compiler.moc"
