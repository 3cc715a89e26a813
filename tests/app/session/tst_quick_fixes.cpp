#include <QtTest>
#include <fstream>

#include "app/session/check.h"
#include "app/session/folder_wanted.h"
#include "core/document/command.h"
#include "core/document/layout_limits.h"
#include "tests/support/model_builder.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// The model after the fix with this label; none: there is no such fix.
std::optional<Document> mended(const Document& document, const std::string& code, const std::string& label) {
  const Diagnostics problems = check_model(document);
  const Diagnostic* problem = find_code(problems, code);
  if (problem == nullptr) return std::nullopt;
  for (const QuickFix& fix : problem->fixes) {
    if (fix.label != label) continue;
    CommandStack stack(document);
    stack.push(*fix.command);
    return stack.document();
  }
  return std::nullopt;
}

/// A unit that fails and is repaired, with a component and a question.
struct Unit {
  Unit() : c(m, "Pump") {
    up = c.state("Up"), down = c.state("Down");
    initial = c.initial(up);
    fails = c.transition(up, down, "rate(1e-3 /h)", "", "", {{"role", "failure"}});
    c.transition(down, up, "after(8 h)");
  }
  ModelBuilder m;
  ChartBuilder c;
  ElementId up, down, initial, fails;
};

}  // namespace

/// Each step leaves a model of which the same check has nothing more to say.
class TestQuickFixes : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_chart_gets_the_initial_state_it_lacks() {
    ModelBuilder m;
    ChartBuilder c(m, "Pump");
    const ElementId up = c.state("Up"), down = c.state("Down");
    c.transition(up, down, "rate(1e-3 /h)");
    m.component("P", "Pump");
    m.measure("down", "probability_by", "in(P.Down)");
    const auto after = mended(m.document(), "SCH001", "Begin in Up");
    QVERIFY(after.has_value());
    QVERIFY2(check_model(*after).empty(), listed(check_model(*after)).c_str());
    const Element* initial = after->nodes(c.id()).back();
    QCOMPARE(initial->kind, std::string("initial"));
    QVERIFY(initial->layout.bounds && drawable(*initial->layout.bounds));
  }

  void a_composite_gets_it_inside_and_one_that_leads_nowhere_is_led_on() {
    Unit u;
    const ElementId inner = u.c.state("Slow", u.up);
    u.m.component("P", "Pump"), u.m.measure("down", "probability_by", "in(P.Down)");
    const auto inside = mended(u.m.document(), "SCH001", "Begin in Slow");
    QVERIFY(inside.has_value());
    QCOMPARE(inside->children(u.c.id(), u.up).back()->kind, std::string("initial"));
    QVERIFY2(!find_code(check_model(*inside), "SCH001"), listed(check_model(*inside)).c_str());
    u.m.node(u.c.id(), u.up, "initial");
    const auto led = mended(u.m.document(), "SCH001", "Lead it to Slow");
    QVERIFY(led.has_value());
    QVERIFY(!find_code(check_model(*led), "SCH001"));
    QCOMPARE(led->edges(u.c.id()).back()->target, inner);
  }

  void a_model_without_components_gets_one_of_each_chart_to_choose_from() {
    Unit u;
    u.m.measure("down", "probability_by", "now > 1 h");
    const auto after = mended(u.m.document(), "SYS004", "Add a component of Pump");
    QVERIFY(after.has_value());
    QVERIFY2(check_model(*after).empty(), listed(check_model(*after)).c_str());
    // Where there is a system diagram it stands there.
    Edit edit(u.m.document(), "System");
    Element system;
    system.section = Section::diagram, system.kind = "diagram";
    system.properties = {{"name", "Plant"}, {"notation", "system"}};
    const ElementId place = edit.insert(system);
    const auto there = mended(edit.document(), "SYS004", "Add a component of Pump");
    QVERIFY(there && there->nodes(place).size() == 1);
  }

  void a_group_takes_a_cause_that_its_members_wait_for() {
    Unit u;
    u.c.transition(u.up, u.down, "ccf(shock)");
    ChartBuilder other(u.m, "Valve");
    const ElementId a = other.state("A"), b = other.state("B");
    other.initial(a), other.transition(a, b, "ccf(other)");
    const ElementId pumps = u.m.component("P", "Pump", "2"), valve = u.m.component("V", "Valve");
    u.m.group("O", "other", {{"model", "beta"}, {"total", "1e-4 /h"}, {"beta", "0.1"}}, {valve});
    u.m.group("G", "", {{"mu", "1e-4 /h"}, {"rho", "0.5"}}, {pumps});
    u.m.measure("down", "probability_by", "any(P[*].Down)");
    const Diagnostics problems = check_model(u.m.document());
    const Diagnostic* problem = find_code(problems, "CCF021");
    QVERIFY2(problem != nullptr, listed(problems).c_str());
    QCOMPARE(problem->fixes.size(), std::size_t{1});
    const auto after = mended(u.m.document(), "CCF021", "Take the cause shock");
    QVERIFY(after && !find_code(check_model(*after), "CCF021"));
  }

  void a_model_that_asks_nothing_is_asked_for_its_failure() {
    Unit u;
    u.m.component("P", "Pump");
    const auto one = mended(u.m.document(), "MEA008", "Ask for the probability of in(P.Down)");
    QVERIFY(one.has_value());
    QVERIFY2(check_model(*one).empty(), listed(check_model(*one)).c_str());
    Unit many;
    many.m.component("P", "Pump", "3");
    const auto all = mended(many.m.document(), "MEA008", "Ask for the probability of any(P[*].Down)");
    QVERIFY(all && check_model(*all).empty());
  }

  void what_cannot_be_drawn_is_placed_anew() {
    Unit u;
    u.m.component("P", "Pump"), u.m.measure("down", "probability_by", "in(P.Down)");
    Edit edit(u.m.document(), "Far away");
    edit.set_layout(u.up, {.bounds = Rect{1e7, 60, 140, 60}});
    QCOMPARE(codes(check_model(edit.document())), std::string("DOC007"));
    const auto after = mended(edit.document(), "DOC007", "Place it anew");
    QVERIFY(after && check_model(*after).empty());
  }

  void a_parameter_gets_the_unit_that_the_field_of_the_group_wants_data() {
    QTest::addColumn<QString>("applies_to");
    QTest::addColumn<QString>("time_unit");
    QTest::addColumn<QString>("property");
    QTest::addColumn<QString>("unit");
    for (const char* property : {"mu", "omega"}) {
      QTest::addRow("%s in operation", property) << "rate"
                                                 << "h" << property << "/h";
      QTest::addRow("%s by year", property) << "rate"
                                            << "yr" << property << "/yr";
      QTest::addRow("%s on demand", property) << "demand"
                                              << "h" << property << "";
    }
    QTest::newRow("a share") << "rate"
                             << "h"
                             << "rho"
                             << "";
    QTest::newRow("a delay") << "rate"
                             << "d"
                             << "delay_mean"
                             << "d";
  }
  void a_parameter_gets_the_unit_that_the_field_of_the_group_wants() {
    QFETCH(QString, applies_to);
    QFETCH(QString, time_unit);
    QFETCH(QString, property);
    Unit u;
    u.m.header("time_unit", time_unit.toStdString());
    const bool demand = applies_to == "demand";
    u.c.transition(u.up, u.down, demand ? "start" : "ccf(shock)", demand ? "ccf(shock)" : "");
    const ElementId pumps = u.m.component("P", "Pump", "2");
    Value properties = {{"applies_to", applies_to.toStdString()}, {"rho", "0.5"}};
    if (property == "delay_mean") properties["delay_law"] = "exponential";
    properties[property.toStdString()] = "wanted_here";
    u.m.group("G", "shock", properties, {pumps});
    u.m.measure("down", "probability_by", "any(P[*].Down)");
    const auto after = mended(u.m.document(), "EXP002", "Create parameter wanted_here");
    QVERIFY2(after.has_value(), listed(check_model(u.m.document())).c_str());
    QTEST(QString::fromStdString(after->named(Section::parameter, "wanted_here")->text("unit")), "unit");
  }

  void a_file_outside_the_folder_is_refused_until_its_folder_is_allowed() {
    QTemporaryDir root;
    QDir(root.path()).mkpath("model"), QDir(root.path()).mkpath("data");
    const std::string top = QFileInfo(root.path()).canonicalFilePath().toStdString();
    std::ofstream(top + "/data/delays.csv") << "hours\n1\n2\n";
    std::ofstream(top + "/data/secret.csv") << "root:x:0:0:root:/root:/bin/bash\n";
    Unit u;
    u.m.component("P", "Pump"), u.m.measure("down", "probability_by", "in(P.Down)");
    RunRequest request;
    request.folder = top + "/model";
    for (const std::string& name : {std::string("../data/delays.csv"), top + "/data/delays.csv"}) {
      u.m.set(u.fails, "trigger", "after(empirical(\"" + name + "\", column = \"hours\", unit = \"h\"))");
      request.allowed_folders.clear();
      const Diagnostics refused = check_model(u.m.document(), request);
      QCOMPARE(codes(refused), std::string("EXP008"));
      const auto folder = folder_wanted(u.m.document(), refused.front(), {request.folder});
      QVERIFY(folder.has_value());
      QCOMPARE(*folder, top + "/data");
      request.allowed_folders = {*folder};
      QCOMPARE(codes(check_model(u.m.document(), request)), std::string());
    }
    u.m.set(u.fails, "trigger", "after(empirical(\"../data/secret.csv\", unit = \"h\"))");
    const Diagnostics quoted = check_model(u.m.document(), request);
    QCOMPARE(codes(quoted), std::string("EXP005"));
    QVERIFY2(quoted.front().message.find("/bin/bash") == std::string::npos, quoted.front().message.c_str());
  }
};

QTEST_GUILESS_MAIN(TestQuickFixes)
#include "tst_quick_fixes.moc"
