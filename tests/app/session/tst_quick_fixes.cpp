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
struct RepairedUnit {
  RepairedUnit() : c(m, "Pump") {
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
  void a_law_alone_becomes_a_wait() {
    RepairedUnit u;
    u.m.component("P", "Pump");
    u.m.measure("down", "probability_by", "in(P.Down)");
    const ElementId worn = u.c.transition(u.up, u.down, " exponential(mean = 9 h) ");
    const auto after = mended(u.m.document(), "SCH006", "Write after(...)");
    QVERIFY(after.has_value());
    QCOMPARE(after->find(worn)->text("trigger"), std::string("after(exponential(mean = 9 h))"));
    QVERIFY2(check_model(*after).empty(), listed(check_model(*after)).c_str());
    RepairedUnit other;
    other.c.transition(other.up, other.down, "soon(9 h)");
    QVERIFY(find_code(check_model(other.m.document()), "SCH006"));
    QVERIFY(!mended(other.m.document(), "SCH006", "Write after(...)"));
  }

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
    RepairedUnit u;
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
    RepairedUnit u;
    u.m.measure("down", "probability_by", "true");
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
    RepairedUnit u;
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
    RepairedUnit u;
    u.m.component("P", "Pump");
    const auto one = mended(u.m.document(), "MEA008", "Ask for the probability of in(P.Down)");
    QVERIFY(one.has_value());
    QVERIFY2(check_model(*one).empty(), listed(check_model(*one)).c_str());
    RepairedUnit many;
    many.m.component("P", "Pump", "3");
    const auto all = mended(many.m.document(), "MEA008", "Ask for the probability of any(P[*].Down)");
    QVERIFY(all && check_model(*all).empty());
  }

  void what_cannot_be_drawn_is_placed_anew() {
    RepairedUnit u;
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
    RepairedUnit u;
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

  void a_parameter_of_a_source_has_the_unit_of_the_model_data() {
    QTest::addColumn<QString>("time_unit");
    for (const char* unit : {"s", "min", "h"}) QTest::newRow(unit) << unit;
  }
  void a_parameter_of_a_source_has_the_unit_of_the_model() {
    QFETCH(QString, time_unit);
    for (const auto& [property, text, before] : {std::tuple("rate", "lambda", "/"), std::tuple("rate", "1/lambda", ""),
                                                 std::tuple("interarrival", "lambda", "")}) {
      ModelBuilder m;
      m.header("time_unit", time_unit.toStdString());
      const ElementId net = m.diagram("Net", "queueing");
      const ElementId in = m.node(net, {}, "source", {{"name", "in"}, {property, text}});
      m.edge(net, "flow", in, m.node(net, {}, "sink", {{"name", "out"}}));
      const auto after = mended(m.document(), "EXP002", "Create parameter lambda");
      QVERIFY2(after.has_value(), listed(check_model(m.document())).c_str());
      QCOMPARE(after->named(Section::parameter, "lambda")->text("unit"), before + time_unit.toStdString());
    }
  }

  void an_undefined_name_is_undefined_wherever_it_stands_data() {
    QTest::addColumn<QString>("property");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("unit");
    const auto row = [](const char* property, const char* text, const char* unit) {
      QTest::newRow(text) << property << text << unit;
    };
    row("trigger", "rate(tau)", "/h");
    row("trigger", "rate(1/tau)", "h");
    row("trigger", "rate(1 / tau)", "h");
    row("trigger", "rate(1 /tau)", "h");
    row("trigger", "rate(2/tau)", "");
    row("trigger", "rate(1/(tau))", "");
    row("trigger", "after(tau)", "h");
    row("trigger", "after(1/tau)", "/h");
    row("trigger", "rate(3 /h * tau)", "");
    row("trigger", "rate(3 /h / tau)", "");
    row("trigger", "after(exponential(mean = 1/tau))", "");
    row("guard", "now > 1/tau", "");
    row("guard", "not (1/tau > 3 h)", "");
    row("action", "x := 1/tau", "");
    row("horizon", "1/tau", "/h");
    row("value", "1/tau", "");
  }
  void an_undefined_name_is_undefined_wherever_it_stands() {
    QFETCH(QString, property);
    QFETCH(QString, text);
    RepairedUnit u;
    u.m.component("P", "Pump"), u.m.measure("down", "probability_by", "in(P.Down)");
    if (property == "action") u.c.variable("x", "real", "0");
    if (property == "horizon") u.m.header("horizon", text.toStdString());
    else if (property == "value") u.m.parameter("rho", text.toStdString());
    else u.m.set(u.fails, property.toStdString(), text.toStdString());
    const Diagnostics problems = check_model(u.m.document());
    const Diagnostic* problem = find_code(problems, "EXP002");
    QVERIFY2(problem != nullptr, listed(problems).c_str());
    QVERIFY2(codes(problems) == "EXP002" && problem->message.find("\"tau\"") != std::string::npos,
             listed(problems).c_str());
    const auto after = mended(u.m.document(), "EXP002", "Create parameter tau");
    QVERIFY2(after.has_value(), listed(problems).c_str());
    QTEST(QString::fromStdString(after->named(Section::parameter, "tau")->text("unit")), "unit");
    QCOMPARE(codes(check_model(*after)), std::string("PAR002"));  // it asks for its value
  }

  void a_parameter_for_a_whole_number_is_one() {
    for (const char* count : {"n", "2 * n"}) {
      RepairedUnit u;
      u.m.component("P", "Pump", count), u.m.measure("down", "probability_by", "any(P[*].Down)");
      const auto after = mended(u.m.document(), "EXP002", "Create parameter n");
      QVERIFY(after.has_value());
      const bool alone = std::string(count) == "n";
      QCOMPARE(after->named(Section::parameter, "n")->text("type"), std::string(alone ? "integer" : ""));
    }
  }

  void a_unit_that_may_be_a_name_is_remarked_upon_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("after");
    const auto row = [](const char* text, const char* code, const char* after) {
      QTest::newRow(text) << text << code << after;
    };
    // Written as a name is divided by.
    row("rate(1/d)", "EXP009", "rate(1/(d))");
    row("rate(2 * 1/d)", "EXP009", "rate(2 * 1/(d))");
    // Once a square hectare is no rate.
    row("rate(1/a^2)", "EXP004", "rate(1/(a)^2)");
    row("rate(2.5/a^2)", "EXP004", "rate(2.5/(a)^2)");
    // Numbers with a unit.
    for (const char* literal : {"rate(1 /d)", "rate(3 /h)", "rate(3/d)", "rate(1.1e-3/h)", "rate(0.5 /yr)"})
      row(literal, "", "");
  }
  void a_unit_that_may_be_a_name_is_remarked_upon() {
    QFETCH(QString, text);
    QFETCH(QString, code);
    QFETCH(QString, after);
    RepairedUnit u;
    u.m.component("P", "Pump"), u.m.measure("down", "probability_by", "in(P.Down)");
    u.m.set(u.fails, "trigger", text.toStdString());
    const Diagnostics problems = check_model(u.m.document());
    QVERIFY2(codes(problems) == code.toStdString(), listed(problems).c_str());
    if (code.isEmpty()) return;
    const std::string word = text.contains("a^2") ? "a" : "d";
    QCOMPARE(problems.front().severity, code == "EXP009" ? Severity::info : Severity::error);
    const std::string said = problems.front().message + problems.front().hint;
    QVERIFY2(said.find("nothing is called " + word) != std::string::npos, said.c_str());
    const auto with = mended(u.m.document(), code.toStdString(), "Create parameter " + word + " and divide by it");
    QVERIFY(with.has_value());
    QCOMPARE(QString::fromStdString(with->find(u.fails)->text("trigger")), after);
    QVERIFY(find_code(check_model(*with), "PAR002") != nullptr);
    QVERIFY(find_code(check_model(*with), "EXP007") == nullptr);
    // Where the word is a unit elsewhere beyond doubt, a parameter of that name would make both ambiguous.
    u.m.parameter("slow", ("3 /" + word).c_str());
    QVERIFY(!mended(u.m.document(), code.toStdString(), "Create parameter " + word + " and divide by it"));
  }

  void a_number_gets_the_unit_that_its_field_wants_data() {
    QTest::addColumn<QString>("property");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("first");
    QTest::addColumn<QString>("after");
    const auto row = [](const char* property, const char* text, const char* first, const char* after) {
      QTest::addRow("%s of %s", text, property) << property << text << first << after;
    };
    row("trigger", "after(8)", "Write 8 d", "after(8 d)");
    row("trigger", "rate(1e-3)", "Write 1e-3 /d", "rate(1e-3 /d)");
    row("trigger", "after(2 * 4)", "Write (2 * 4) d", "after((2 * 4) d)");
    row("trigger", "after(exponential(mean = 8))", "Write 8 d", "after(exponential(mean = 8 d))");
    row("trigger", "after(uniform(low = 1 h, high = 8))", "Write 8 d", "after(uniform(low = 1 h, high = 8 d))");
    row("guard", "now > 3", "Write 3 d", "now > 3 d");
    row("guard", "min(now, 3) > 1 h", "Write 3 d", "min(now, 3 d) > 1 h");
    row("horizon", "24", "Write 24 d", "24 d");
    row("total", "1e-4", "Write 1e-4 /d", "1e-4 /d");
    row("delay_mean", "2", "Write 2 d", "2 d");
  }
  void a_number_gets_the_unit_that_its_field_wants() {
    QFETCH(QString, property);
    QFETCH(QString, text);
    QFETCH(QString, first);
    RepairedUnit u;
    u.m.header("time_unit", "d");
    u.c.transition(u.up, u.down, "ccf(shock)");
    const ElementId pumps = u.m.component("P", "Pump", "2");
    const ElementId group =
        u.m.group("G", "shock", {{"model", "beta"}, {"total", "1e-4 /h"}, {"beta", "0.1"}}, {pumps});
    u.m.measure("down", "probability_by", "any(P[*].Down)");
    ElementId place = u.fails;
    if (property == "horizon") place = u.m.document().model().id;
    if (property == "total" || property == "delay_mean") place = group;
    if (property == "delay_mean") u.m.set(group, "delay_law", "exponential");
    u.m.set(place, property.toStdString(), text.toStdString());
    const Diagnostics problems = check_model(u.m.document());
    const Diagnostic* problem = find_code(problems, "EXP004");
    QVERIFY2(problem != nullptr && !problem->fixes.empty(), listed(problems).c_str());
    QCOMPARE(QString::fromStdString(problem->fixes.front().label), first);
    QVERIFY(problem->fixes.size() > 1);  // the model's unit may not be the one that is meant
    for (const QuickFix& fix : problem->fixes) {
      const auto with = mended(u.m.document(), "EXP004", fix.label);
      QVERIFY2(with && !find_code(check_model(*with), "EXP004"), fix.label.c_str());
    }
    const auto with = mended(u.m.document(), "EXP004", first.toStdString());
    QTEST(QString::fromStdString(with->find(place)->text(property.toStdString())), "after");
  }

  void a_name_of_another_dimension_gets_no_unit() {
    RepairedUnit u;
    u.m.component("P", "Pump"), u.m.measure("down", "probability_by", "in(P.Down)");
    u.m.parameter("n", "3");
    for (const char* text : {"after(n)", "after(3 /h)", "after(2 * n)"}) {
      u.m.set(u.fails, "trigger", text);
      const Diagnostics problems = check_model(u.m.document());
      const Diagnostic* problem = find_code(problems, "EXP004");
      QVERIFY2(problem != nullptr && problem->fixes.empty(), listed(problems).c_str());
    }
  }

  void a_word_that_is_no_choice_is_replaced_by_one_data() {
    QTest::addColumn<QString>("property");
    QTest::addColumn<QString>("word");
    QTest::addColumn<QString>("first");
    QTest::newRow("role") << "role"
                          << "failur"
                          << "Choose Failure";
    QTest::newRow("memory, of which nothing was said") << "memory"
                                                       << "resum"
                                                       << "Choose Resume";
    QTest::newRow("type") << "type"
                          << "intern"
                          << "Choose ";
  }
  void a_word_that_is_no_choice_is_replaced_by_one() {
    QFETCH(QString, property);
    QFETCH(QString, word);
    QFETCH(QString, first);
    RepairedUnit u;
    u.m.component("P", "Pump"), u.m.measure("down", "probability_by", "in(P.Down)");
    u.m.set(u.fails, property.toStdString(), word.toStdString());
    const Diagnostics problems = check_model(u.m.document());
    QVERIFY2(codes(problems) == "DOC002" && problems.front().fixes.size() >= 2, listed(problems).c_str());
    QVERIFY2(problems.front().fixes.front().label.starts_with(first.toStdString()),
             problems.front().fixes.front().label.c_str());
    for (const QuickFix& fix : problems.front().fixes) {
      const auto with = mended(u.m.document(), "DOC002", fix.label);
      QVERIFY2(with && !find_code(check_model(*with), "DOC002"), fix.label.c_str());
    }
  }

  // Of many words those come first that somebody may have meant.
  void the_nearest_of_many_choices_come_first() {
    const auto offered = [](const char* word) {
      RepairedUnit u;
      u.m.component("P", "Pump");
      u.m.measure("down", word, "in(P.Down)");
      const Diagnostics problems = check_model(u.m.document());
      const Diagnostic* problem = find_code(problems, "DOC002");
      std::vector<std::string> out;
      for (const QuickFix& fix : problem->fixes)
        out.push_back(mended(u.m.document(), "DOC002", fix.label)->of(Section::measure).front()->text("type"));
      return out;
    };
    QCOMPARE(offered("quantile").front(), std::string("observed_quantile"));
    QCOMPARE(offered("probability").size(), std::size_t{8});
    for (std::size_t i = 0; i < 2; ++i) QVERIFY(offered("probability")[i].starts_with("probability_"));
    QCOMPARE(offered("cuont").front(), std::string("count"));
  }

  void a_value_that_is_no_choice_of_its_parameter_is_replaced_by_one() {
    RepairedUnit u;
    u.m.component("P", "Pump"), u.m.measure("down", "probability_by", "in(P.Down)");
    u.m.parameter("law", "exponentail", {{"type", "choice"}, {"choices", "exponential, weibull"}});
    const auto after = mended(u.m.document(), "PAR007", "Choose exponential");
    QVERIFY2(after && check_model(*after).empty(), listed(check_model(u.m.document())).c_str());
  }

  void a_measure_gets_the_unit_of_what_it_measures() {
    const auto tank = [](const char* type, const char* unit) {
      ModelBuilder m;
      ChartBuilder c(m, "Tank");
      c.variable("pressure", "real", "3 kPa", "kPa");
      c.initial(c.state("Wet"));
      m.component("tank", "Tank");
      m.measure("last", type, "tank.pressure", {{"unit", unit}});
      return m;
    };
    for (const char* unit : {"", "m"}) {
      const Document bare = tank("final_value", unit).document();
      const auto after = mended(bare, "MEA003", "Set the unit kPa");
      QVERIFY2(after && check_model(*after).empty(), listed(check_model(bare)).c_str());
      QCOMPARE(after->of(Section::measure).front()->text("unit"), std::string("kPa"));
    }
    // One step where the type does not fit either, and not one after the other.
    const Document asked = tank("probability_by", "").document();
    const auto after = mended(asked, "MEA002", "Choose Final value in kPa");
    QVERIFY2(after && check_model(*after).empty(), listed(check_model(asked)).c_str());
    QVERIFY(mended(asked, "MEA002", "Choose Time average in kPa").has_value());
    RepairedUnit u;
    u.m.component("P", "Pump"), u.m.measure("downs", "count", "in(P.Down)", {{"unit", "h"}});
    const auto plain = mended(u.m.document(), "MEA003", "Clear the unit");
    QVERIFY2(plain && check_model(*plain).empty(), listed(check_model(u.m.document())).c_str());
  }

  void a_file_outside_the_folder_is_refused_until_its_folder_is_allowed() {
    QTemporaryDir root;
    QDir(root.path()).mkpath("model"), QDir(root.path()).mkpath("data");
    const std::string top = QFileInfo(root.path()).canonicalFilePath().toStdString();
    std::ofstream(top + "/data/delays.csv") << "hours\n1\n2\n";
    std::ofstream(top + "/data/secret.csv") << "root:x:0:0:root:/root:/bin/bash\n";
    RepairedUnit u;
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
