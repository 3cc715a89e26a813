#include <QtTest>

#include "statecharts/lower/lower.h"
#include "tests/support/model_builder.h"

using namespace ergode;
using namespace ergode::test;

namespace {

struct Lowered {
  Diagnostics problems;
  StateChart chart;
  Lowered(const ModelBuilder& m, ElementId diagram) {
    chart = lower_chart(m.document(), *m.document().find(diagram), problems);
  }
};

/// A sound chart of two states to spoil.
struct Pair {
  ModelBuilder m;
  ChartBuilder c{m, "Unit"};
  ElementId a = c.state("A"), b = c.state("B");
  ElementId initial = c.initial(a);
  ElementId t = c.transition(a, b, "e");
};

}  // namespace

class TestLower : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void states_are_numbered_in_preorder();
  void kinds_follow_from_contents();
  void triggers_guards_and_roles_are_read();
  void transitions_stand_by_priority_then_in_document_order();
  void states_are_found_by_path();
  void each_defect_has_its_code_element_and_property_data();
  void each_defect_has_its_code_element_and_property();
  void a_join_is_made_whichever_way_into_it_comes_first();
  void connectors_nobody_reaches_are_named_in_document_order();
  void unknown_kinds_are_warnings();
};

void TestLower::states_are_numbered_in_preorder() {
  ModelBuilder m;
  ChartBuilder c(m, "Unit");
  const ElementId p = c.state("P"), q = c.state("Q");
  const ElementId r1 = c.region("R1", p), r2 = c.region("R2", p), x = c.state("X", r1), y = c.state("Y", r2);
  c.initial(p), c.initial(x, r1), c.initial(y, r2), c.transition(p, q, "e");
  const Lowered l(m, c.id());
  QVERIFY2(l.problems.empty(), listed(l.problems).c_str());
  std::string names;
  for (const State& s : l.chart.states)
    names += s.name + std::to_string(s.parent) + std::to_string(s.last) + std::to_string(s.depth) + " ";
  // The chart, P, R1, X, R2, Y, Q with parent, greatest descendant and depth.
  QCOMPARE(names, std::string("Unit-160 P051 R1132 X233 R2152 Y453 Q061 "));
  QVERIFY(l.chart.inside(3, 1) && l.chart.inside(1, 1) && !l.chart.inside(6, 1) && l.chart.inside(6, 0));
}

void TestLower::kinds_follow_from_contents() {
  ModelBuilder m;
  ChartBuilder c(m, "Unit");
  const ElementId p = c.state("P"), r1 = c.region("R1", p), x = c.state("X", r1), comp = c.state("Comp"),
                  in = c.state("In", comp), end = c.final_state(comp), choice = c.choice();
  c.initial(p), c.initial(x, r1), c.initial(in, comp);
  c.transition(p, choice, "e"), c.transition(choice, comp, "", "else"), c.transition(in, end, "e");
  const Lowered l(m, c.id());
  QVERIFY2(l.problems.empty(), listed(l.problems).c_str());
  const auto kind = [&](const char* name) {
    return l.chart.states[static_cast<std::size_t>(l.chart.find({name}, 0))].kind;
  };
  QVERIFY(kind("P") == State::Kind::parallel && kind("R1") == State::Kind::composite &&
          kind("X") == State::Kind::atomic);
  QVERIFY(kind("Comp") == State::Kind::composite && kind("In") == State::Kind::atomic);
  int finals = 0, choices = 0;
  for (const State& s : l.chart.states)
    finals += s.kind == State::Kind::final, choices += s.kind == State::Kind::choice;
  QCOMPARE(finals, 1);
  QCOMPARE(choices, 1);
}

void TestLower::triggers_guards_and_roles_are_read() {
  const std::pair<const char*, Trigger::Kind> triggers[] = {{"", Trigger::Kind::none},
                                                            {"demand", Trigger::Kind::event},
                                                            {"done.state.A", Trigger::Kind::event},
                                                            {"after(8 h)", Trigger::Kind::after},
                                                            {"rate(1e-3 /h)", Trigger::Kind::rate},
                                                            {"at(24 h)", Trigger::Kind::at},
                                                            {"every(1 h)", Trigger::Kind::every},
                                                            {"when(x > 3)", Trigger::Kind::when},
                                                            {"ccf(run)", Trigger::Kind::common_cause}};
  for (const auto& [text, kind] : triggers) {
    ModelBuilder m;
    ChartBuilder c(m, "Unit");
    const ElementId a = c.state("A"), b = c.state("B");
    const bool demand = kind != Trigger::Kind::when;  // one decider per transition
    c.initial(a), c.transition(a, b, text, demand ? "not ccf(start)" : "", "", {{"role", "failure"}});
    const Lowered l(m, c.id());
    QVERIFY2(l.problems.empty(), listed(l.problems).c_str());
    const Transition& t = l.chart.transitions[1];
    QVERIFY2(t.trigger.kind == kind, text);
    QVERIFY(t.role == TransitionRole::failure && t.demand_cause == (demand ? "start" : "") &&
            t.demand_negated == demand);
    QVERIFY(l.chart.states[0].initial == 0);
  }
}

void TestLower::transitions_stand_by_priority_then_in_document_order() {
  ModelBuilder m;
  ChartBuilder c(m, "Unit");
  const ElementId a = c.state("A"), b = c.state("B");
  const ElementId first = c.transition(a, b, "e"), urgent = c.transition(a, b, "f", "", "", {{"priority", "3"}});
  c.initial(a);
  const ElementId late = c.transition(b, a, "g", "", "", {{"priority", "-1"}});
  const Lowered l(m, c.id());
  QCOMPARE(l.chart.transitions.front().element, urgent);
  QCOMPARE(l.chart.transitions[1].element, first);
  QCOMPARE(l.chart.transitions.back().element, late);
  QCOMPARE(l.chart.transitions[static_cast<std::size_t>(l.chart.states[0].initial)].targets.front(),
           l.chart.find({"A"}, 0));
}

void TestLower::states_are_found_by_path() {
  ModelBuilder m;
  ChartBuilder c(m, "Unit");
  const ElementId up = c.state("Up"), r = c.region("R", up), cold = c.state("Cold", r), down = c.state("Down"),
                  deep = c.state("Cold", down);
  c.initial(up), c.initial(cold, r), c.initial(deep, down), c.transition(up, down, "e");
  const Lowered l(m, c.id());
  QVERIFY2(l.problems.empty(), listed(l.problems).c_str());
  const auto name = [&](const std::vector<std::string>& words) {
    const int s = l.chart.find(words, 0);
    return s < 0 ? std::to_string(s) : state_path(l.chart, s);
  };
  QCOMPARE(name({"Up"}), std::string("Up"));
  QCOMPARE(name({"Up", "R", "Cold"}), std::string("Up.R.Cold"));
  QCOMPARE(name({"Up", "Cold"}), std::string("Up.R.Cold"));  // regions may be left out
  QCOMPARE(name({"Down", "Cold"}), std::string("Down.Cold"));
  QCOMPARE(name({"Cold"}), std::string("-2"));
  QCOMPARE(name({"Warm"}), std::string("-1"));
  QCOMPARE(name({"Cold", "Up"}), std::string("-1"));
}

void TestLower::each_defect_has_its_code_element_and_property_data() {
  QTest::addColumn<QString>("code");
  QTest::addColumn<int>("defect");
  const char* const rows[] = {"SCH001 no states",
                              "SCH001 no initial",
                              "SCH001 initial leads nowhere",
                              "SCH001 composite without initial",
                              "SCH002 two initials",
                              "SCH002 two ways from an initial",
                              "SCH002 trigger on an initial",
                              "SCH002 initial leaves its region",
                              "SCH002 initial beside regions",
                              "SCH003 bad name",
                              "SCH003 bad variable",
                              "SCH004 name twice",
                              "SCH004 variable twice",
                              "SCH005 regions and states",
                              "SCH005 region outside",
                              "SCH006 trigger",
                              "SCH006 trigger arguments",
                              "SCH006 ccf of an expression",
                              "SCH007 from a note",
                              "SCH007 to an initial",
                              "SCH007 out of a final",
                              "SCH008 no way out",
                              "SCH008 trigger on a choice",
                              "SCH008 weights on some",
                              "SCH008 no else",
                              "SCH008 weight outside a choice",
                              "SCH008 weight with a guard",
                              "EXP001 guard",
                              "EXP001 entry",
                              "EXP001 action",
                              "DOC002 role",
                              "DOC002 priority",
                              "DOC002 priority too large",
                              "SCH010 unreachable",
                              "UNI001 trigger unit"};
  int i = 0;
  for (const char* row : rows) QTest::newRow(row) << QString(row).section(' ', 0, 0) << i++;
}

void TestLower::each_defect_has_its_code_element_and_property() {
  QFETCH(QString, code);
  const QString row = QString(QTest::currentDataTag()).section(' ', 1);
  Pair s;
  ModelBuilder& m = s.m;
  ChartBuilder& c = s.c;
  ElementId where;
  std::string property;
  int column = 0;
  if (row == "no states") {
    ModelBuilder empty;
    ChartBuilder none(empty, "Unit");
    const Lowered l(empty, none.id());
    QCOMPARE(codes(l.problems), std::string("SCH001"));
    QCOMPARE(l.problems[0].element, none.id());
    return;
  }
  if (row == "no initial") {
    ModelBuilder other;
    ChartBuilder chart(other, "Unit");
    const ElementId a = chart.state("A"), b = chart.state("B");
    chart.transition(a, b, "e"), chart.transition(b, a, "e");
    const Lowered l(other, chart.id());
    QVERIFY2(find_code(l.problems, "SCH001") != nullptr, listed(l.problems).c_str());
    QCOMPARE(find_code(l.problems, "SCH001")->element, chart.id());
    return;
  }
  if (row == "initial leads nowhere") {
    where = m.node(c.id(), c.state("X"), "initial");
    const ElementId x = m.document().nodes(c.id())[3]->id;
    c.transition(s.b, x, "f");
  }
  if (row == "composite without initial") where = c.state("X"), c.state("In", where), c.transition(s.b, where, "f");
  if (row == "two initials") where = c.initial(s.b);
  if (row == "two ways from an initial") where = c.transition(s.initial, s.b);
  if (row == "trigger on an initial") {
    const ElementId x = c.state("X"), in = c.state("In", x), vertex = m.node(c.id(), x, "initial");
    where = c.transition(vertex, in, "after(1 h)"), property = "trigger";
    c.transition(s.b, x, "f");
  }
  if (row == "initial leaves its region") {
    const ElementId x = c.state("X"), vertex = m.node(c.id(), x, "initial");
    c.state("In", x), c.transition(s.b, x, "f");
    where = c.transition(vertex, s.b), property = "target";
  }
  if (row == "initial beside regions") {
    const ElementId x = c.state("X"), r = c.region("R", x), in = c.state("In", r);
    c.initial(in, r), c.transition(s.b, x, "f");
    where = m.node(c.id(), x, "initial");
  }
  if (row == "bad name") where = c.state("2 A"), property = "name";
  if (row == "bad variable") where = c.variable("x y"), property = "name";
  if (row == "name twice") where = c.state("A"), property = "name";
  if (row == "variable twice") c.variable("x"), where = c.variable("x"), property = "name";
  if (row == "regions and states") {
    where = c.state("X");
    const ElementId r = c.region("R", where), in = c.state("In", r);
    c.initial(in, r), c.state("Beside", where), c.transition(s.b, where, "f");
  }
  if (row == "region outside") where = c.region("R", {}), c.initial(c.state("In", where), where);
  if (row == "trigger") where = c.transition(s.b, s.a, "3 + 4"), property = "trigger";
  if (row == "trigger arguments") where = c.transition(s.b, s.a, "after(1 h, 2 h)"), property = "trigger";
  if (row == "ccf of an expression") where = c.transition(s.b, s.a, "ccf(1 + 2)"), property = "trigger";
  if (row == "from a note") where = c.transition(m.node(c.id(), {}, "note"), s.a), property = "source";
  if (row == "to an initial") where = c.transition(s.b, s.initial), property = "target";
  if (row == "out of a final") {
    const ElementId end = c.final_state();
    c.transition(s.b, end, "f");
    where = c.transition(end, s.a), property = "source";
  }
  ElementId choice;
  if (code == "SCH008" && row != "weight outside a choice") where = choice = c.choice(), c.transition(s.b, choice, "f");
  if (row == "trigger on a choice") c.transition(choice, s.a, "after(1 h)"), c.transition(choice, s.b, "", "else");
  if (row == "weights on some")
    c.transition(choice, s.a, "p(0.5)"), c.transition(choice, s.b, "", "1 < 2"), c.transition(choice, s.b, "", "else");
  if (row == "no else") c.transition(choice, s.a, "", "1 < 2");
  if (row == "weight outside a choice") where = c.transition(s.b, s.a, "p(0.5)"), property = "trigger";
  if (row == "weight with a guard") c.transition(choice, s.a, "p(0.5)", "1 < 2"), c.transition(choice, s.b, "", "else");
  if (row == "guard") where = c.transition(s.b, s.a, "f", "x > > 3"), property = "guard", column = 5;
  if (row == "entry") where = c.state("X", {}, "x := "), property = "entry", column = 6;
  if (row == "action") where = c.transition(s.b, s.a, "f", "", "x = 1"), property = "action", column = 5;
  if (row == "role") where = c.transition(s.b, s.a, "f", "", "", {{"role", "hero"}}), property = "role";
  if (row == "priority") where = c.transition(s.b, s.a, "f", "", "", {{"priority", "high"}}), property = "priority";
  if (row == "priority too large")
    where = c.transition(s.b, s.a, "f", "", "", {{"priority", "1e300"}}), property = "priority";
  if (row == "unreachable") where = c.state("Lonely");
  if (row == "trigger unit") where = c.transition(s.b, s.a, "after(8 bananas)"), property = "trigger", column = 9;
  const Lowered l(m, c.id());
  const Diagnostic* found = find_code(l.problems, code.toStdString());
  QVERIFY2(found != nullptr, listed(l.problems).c_str());
  QVERIFY2(found->element == where && found->pointer == property && found->column == column,
           listed(l.problems).c_str());
  QVERIFY(!found->message.empty());
  QCOMPARE(found->severity == Severity::warning, code == "SCH010");
}

void TestLower::a_join_is_made_whichever_way_into_it_comes_first() {
  for (const bool stray_first : {true, false}) {
    ModelBuilder m;
    ChartBuilder c(m, "Unit");
    const ElementId p = c.state("P"), q = c.state("Q"), r1 = c.region("R1", p), r2 = c.region("R2", p),
                    x = c.state("X", r1), y = c.state("Y", r2), bar = m.node(c.id(), {}, "bar"),
                    stray = m.node(c.id(), {}, "junction");
    c.initial(p), c.initial(x, r1), c.initial(y, r2);
    ElementId wrong;
    if (stray_first) wrong = c.transition(stray, bar);
    c.transition(x, bar), c.transition(y, bar);
    if (!stray_first) wrong = c.transition(stray, bar);
    c.transition(bar, q);
    const Lowered l(m, c.id());
    const Diagnostic* d = find_code(l.problems, "SCH014");
    QVERIFY2(d != nullptr && d->element == wrong, listed(l.problems).c_str());
  }
}

void TestLower::connectors_nobody_reaches_are_named_in_document_order() {
  Pair s;
  std::vector<ElementId> strays, named;
  for (int i = 0; i < 40; ++i) {
    strays.push_back(s.m.node(s.c.id(), {}, "junction"));
    s.c.transition(strays.back(), s.b);
  }
  for (const Diagnostic& d : Lowered(s.m, s.c.id()).problems)
    if (d.code == "SCH010") named.push_back(d.element);
  QCOMPARE(named, strays);
}

void TestLower::unknown_kinds_are_warnings() {
  Pair s;
  const ElementId node = s.m.node(s.c.id(), {}, "fantasy"), edge = s.m.edge(s.c.id(), "dataflow", s.a, s.b);
  const Lowered l(s.m, s.c.id());
  QCOMPARE(codes(l.problems), std::string("DOC001 DOC001"));
  QVERIFY(!has_errors(l.problems));
  QCOMPARE(l.problems[0].element, node);
  QCOMPARE(l.problems[1].element, edge);
}

QTEST_APPLESS_MAIN(TestLower)
#include "tst_lower.moc"
