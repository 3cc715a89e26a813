#include <QtTest>

#include "statecharts/exchange/scxml_reader.h"
#include "statecharts/exchange/scxml_writer.h"
#include "tests/statecharts/chart_check.h"
#include "tests/support/model_builder.h"

using namespace ergode;
using namespace ergode::test;

namespace {

ScxmlImport read(const std::string& inside, const std::string& attributes = "") {
  return parse_scxml(
      "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\" " + attributes + ">\n" + inside + "\n</scxml>",
      "chart");
}
const Element* node(const ScxmlImport& import, const std::string& name) {
  for (const Element& e : import.document->elements())
    if (e.is_node() && e.name() == name) return &e;
  return nullptr;
}
std::vector<const Element*> edges_from(const ScxmlImport& import, const Element* source) {
  std::vector<const Element*> out;
  for (const Element& e : import.document->elements())
    if (e.is_edge() && e.source == source->id) out.push_back(&e);
  return out;
}
}  // namespace

class ScxmlReader : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void states_parallels_and_histories_become_the_drawn_kinds();
  void several_targets_go_through_a_bar_and_targetless_ones_are_internal();
  void content_becomes_actions_data();
  void content_becomes_actions();
  void ids_that_are_no_names_are_kept_beside_a_clean_one();
  void names_that_differ_stay_different();
  void what_is_left_out_is_named_with_line_and_column_data();
  void what_is_left_out_is_named_with_line_and_column();
  void an_attribute_that_means_nothing_is_named();
  void the_document_itself_is_held_to_its_rules_data();
  void the_document_itself_is_held_to_its_rules();
  void targets_that_cannot_be_active_together_are_refused_data();
  void targets_that_cannot_be_active_together_are_refused();
  void the_same_text_gives_the_same_document();
  void nothing_overlaps_in_the_layout();
  void what_scxml_cannot_say_is_refused_with_its_element();
  void a_fixed_delay_is_written_as_an_event_sent_and_cancelled();
};

void ScxmlReader::states_parallels_and_histories_become_the_drawn_kinds() {
  const ScxmlImport import = read(R"xml(<state id="a"><history id="h" type="deep"><transition target="a2"/></history>
      <state id="a1"/><state id="a2"/></state>
      <parallel id="p"><state id="r"/><parallel id="q"><state id="q1"/><state id="q2"><final id="f"/></state></parallel>
      </parallel>)xml");
  QVERIFY2(import.complete, listed(import.diagnostics).c_str());
  const std::map<std::string, std::pair<const char*, const char*>> wanted = {
      {"a", {"state", ""}},    {"h", {"history", "a"}}, {"a1", {"state", "a"}},
      {"p", {"state", ""}},    {"r", {"region", "p"}},  {"q", {"region", "p"}},
      {"q1", {"region", "q"}}, {"q2", {"region", "q"}}, {"f", {"final", "q2"}}};
  for (const auto& [name, what] : wanted) {
    QVERIFY2(node(import, name) != nullptr, name.c_str());
    QCOMPARE(node(import, name)->kind, std::string(what.first));
    const Element* parent = import.document->find(node(import, name)->parent);
    QCOMPARE(parent == nullptr ? std::string() : parent->name(), std::string(what.second));
  }
  QCOMPARE(node(import, "h")->text("depth"), std::string("deep"));
  QCOMPARE(edges_from(import, node(import, "h")).at(0)->target, node(import, "a2")->id);
}

void ScxmlReader::several_targets_go_through_a_bar_and_targetless_ones_are_internal() {
  const ScxmlImport import =
      read(R"xml(<state id="a"><transition event="e" target="r2 s2"/><transition event="f"/></state>
      <parallel id="p"><state id="r"><state id="r1"/><state id="r2"/></state><state id="s"><state id="s1"/><state id="s2"/></state></parallel>)xml");
  const auto ways = edges_from(import, node(import, "a"));
  QCOMPARE(ways.size(), 2U);
  const Element* bar = import.document->find(ways[0]->target);
  QCOMPARE(bar->kind, std::string("bar"));
  QCOMPARE(edges_from(import, bar).size(), 2U);
  QCOMPARE(edges_from(import, bar)[1]->target, node(import, "s2")->id);
  QCOMPARE(ways[1]->target, ways[1]->source);
  QCOMPARE(ways[1]->text("type"), std::string("internal"));
}

void ScxmlReader::content_becomes_actions_data() {
  QTest::addColumn<QString>("content");
  QTest::addColumn<QString>("actions");
  const auto row = [](const char* content, const char* actions) { QTest::newRow(content) << content << actions; };
  row(R"xml(<assign location="x" expr="x + 1"/>)xml", "x := x + 1");
  row(R"xml(<raise event="a.b"/>)xml", "raise(a.b)");
  row(R"xml(<send event="e" delay="10ms" id="one"/>)xml", "send(e, delay = 10 ms, id = one)");
  row(R"xml(<send event="e" delayexpr="x + 's'"/>)xml", "send(e, delay = (x) * 1 s)");
  row(R"xml(<send event="e" target="#_internal"/><cancel sendid="one"/>)xml", "raise(e); cancel(one)");
  row(R"xml(<send event="e" namelist="x"><param name="y" expr="2"/></send>)xml", "send(e, x = x, y = 2)");
  row(R"xml(<if cond="x == 1"><assign location="x" expr="2"/><elseif cond="x == 3"/><assign location="x" expr="4"/><else/><assign location="x" expr="5"/></if>)xml",
      "x := (x == 1) ? (2) : (x == 3) ? (4) : 5");
  row(R"xml(<if cond="x == 1"><raise event="e"/></if>)xml", "raise(e, if = x == 1)");
  row(R"xml(<if cond="x == 1"><raise event="e"/><else/><raise event="f"/></if>)xml",
      "_if_1 := (x == 1) ? 1 : 2; raise(e, if = _if_1 == 1); raise(f, if = _if_1 == 2)");
  row(R"xml(<foreach array="[4,5]" item="x"><raise event="e"/></foreach>)xml", "x := 4; raise(e); x := 5; raise(e)");
  row("<script>x = 3; x *= 2</script>", "x := 3; x := x * 2");
  row(R"xml(<script>x = 'a\'; x = 4'; x = 3</script>)xml", "x := 1000001; x := 3");
  row(R"xml(<assign location="nowhere" expr="1"/><raise event="skipped"/>)xml", "raise(error.execution)");
  row(R"xml(<send event="e" target="#_scxml_other"/>)xml", "raise(error.communication)");
}

void ScxmlReader::content_becomes_actions() {
  QFETCH(const QString, content);
  QFETCH(const QString, actions);
  const ScxmlImport import = read("<datamodel><data id=\"x\" expr=\"0\"/></datamodel><state id=\"a\"><onentry>" +
                                  content.toStdString() + "</onentry></state>");
  QVERIFY2(import.complete, listed(import.diagnostics).c_str());
  QCOMPARE(QString::fromStdString(node(import, "a")->text("entry")), actions);
}

void ScxmlReader::ids_that_are_no_names_are_kept_beside_a_clean_one() {
  const ScxmlImport import =
      read(R"xml(<state id="b1.1"><transition event="In-s1" target="event"/></state><state id="event"/>)xml");
  QVERIFY(import.complete);
  QCOMPARE(node(import, "b1_1")->text("scxml_id"), std::string("b1.1"));
  QCOMPARE(node(import, "event_")->text("scxml_id"), std::string("event"));
  QCOMPARE(import.events.at("In-s1"), std::string("In_s1"));
  QVERIFY(find_code(import.diagnostics, "SCX013") != nullptr);
}

// Oracle: SCXML compares names as they are written (section 3.12.1); a descriptor also matches what goes on behind a
// dot.
void ScxmlReader::names_that_differ_stay_different() {
  const auto all = [](const ScxmlImport& import, const char* property) {
    std::vector<std::string> out;
    for (const Element& e : import.document->elements())
      if (e.is_edge() && !e.text(property).empty()) out.push_back(e.text(property));
    return out;
  };
  const ScxmlImport import = read(R"xml(<state id="s">
      <transition event="a-b" target="t"/><transition event="a_b" target="t"/><transition event="a-b.c" target="t"/>
      <transition event="a.b" target="t"/><transition event="a_b.\xc3\xa4" target="t"/>
      <transition event="a_b.\xc3\xb6" target="t"/><transition event="done.state.x-y" target="t"/>
      <transition event="done.state.x_y" target="t"/></state><state id="t"/><state id="x-y"/>)xml");
  QVERIFY2(import.complete, listed(import.diagnostics).c_str());
  const std::vector<std::string> triggers = all(import, "trigger");
  QCOMPARE(triggers.size(), std::size_t{8});
  QCOMPARE(std::set<std::string>(triggers.begin(), triggers.end()).size(), triggers.size());
  QCOMPARE(triggers[1], std::string("a_b"));  // what is a name already stays, though it comes later
  QCOMPARE(triggers[2], triggers[0] + ".c");
  QCOMPARE(triggers[3], std::string("a.b"));
  QCOMPARE(import.events.at("a-b"), triggers[0]);
  const Diagnostic* changed = find_code(import.diagnostics, "SCX013");
  QVERIFY(changed != nullptr && changed->message.find("event a-b -> " + triggers[0]) != std::string::npos);

  const ScxmlImport sent =
      read(R"xml(<datamodel><data id="v"/></datamodel><state id="s"><transition event="e" target="s">
      <send event="f" delay="1s" id="i-1"><param name="p-q" expr="1"/><param name="p_q" expr="2"/></send>
      <send event="f" delay="2s" id="i_1"/><cancel sendid="i-1"/></transition>
      <transition event="f" target="s"><assign location="v" expr="_event.data['p-q']"/></transition></state>)xml");
  std::string actions;
  for (const std::string& action : all(sent, "action")) actions += action + "; ";
  QVERIFY2(actions.find("id = i_1_2, p_q_2 = 1, p_q = 2") != std::string::npos, actions.c_str());
  QVERIFY2(actions.find("id = i_1)") != std::string::npos, actions.c_str());
  QVERIFY2(actions.find("cancel(i_1_2)") != std::string::npos, actions.c_str());
}

void ScxmlReader::what_is_left_out_is_named_with_line_and_column_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("code");
  QTest::addColumn<QString>("place");
  const auto row = [](const char* text, const char* code, const char* place) {
    QTest::newRow(text) << text << code << place;
  };
  row("<state id='a'>\n <invoke type='scxml'/></state>", "SCX005", "3:3");
  row("<state id='a'><onentry>\n<script>while(true){}</script></onentry></state>", "SCX011", "3:2");
  row("<state id='a'>\n<transition cond='f(1)' target='a'/></state>", "SCX008", "3:2");
  row("<state id='a'>\n<transition target='nowhere'/></state>", "SCX006", "3:2");
  row("<state id='a'/>\n<state id='a'/>", "SCX007", "3:2");
  row("<state id='a'><onentry>\n<send event='e' delay='soon'/></onentry></state>", "SCX015", "3:2");
  row("<state id='a'><onentry>\n<foreach array='f()' item='i'/></onentry></state>", "SCX011", "3:2");
  row("<parallel id='p'>\n<final id='f'/></parallel>", "SCX005", "3:2");
  row("<state id='a'>\n<wonder/></state>", "SCX005", "3:2");
  row("<state id='s'><final id='f'><donedata><param name='p' expr='1'/></donedata></final>\n<transition event='*' "
      "cond='_event.data.p == 1' target='s'/></state>",
      "SCX008", "3:2");
  row("<datamodel><data id='z'/></datamodel><state id='a'><transition event='e'>\n<assign location='z' "
      "expr='_event'/></transition></state>",
      "SCX008", "3:2");
  // What the Recommendation forbids.
  const auto forbidden = [&](const char* content) {
    const QString text = QString("<state id='a'><onentry>\n%1</onentry></state>").arg(content);
    QTest::newRow(content) << text << QString("SCX017") << QString("3:2");
  };
  forbidden("<send event='e' eventexpr='x'/>"), forbidden("<send event='e' target='t' targetexpr='x'/>");
  forbidden("<send event='e' type='scxml' typeexpr='x'/>"), forbidden("<send event='e' id='i' idlocation='x'/>");
  forbidden("<send event='e' delay='1s' delayexpr='x'/>"),
      forbidden("<send event='e' target='#_internal' delay='1s'/>");
  forbidden("<send event='e' namelist='x'><content expr='1'/></send>");
  forbidden("<send event='e'><param name='p' expr='1'/><content expr='1'/></send>");
  forbidden("<cancel sendid='i' sendidexpr='x'/>"), forbidden("<cancel/>"), forbidden("<raise/>");
  forbidden("<foreach array='[1]'/>"), forbidden("<foreach item='x'/>"), forbidden("<if><raise event='e'/></if>");
  forbidden("<assign expr='1'/>"), forbidden("<assign location='x' expr='1'>2</assign>");
  forbidden("<else/>"), forbidden("<script src='f.js'>x = 1</script>");
  row("<state id='a'><onentry><if cond='x'>\n<elseif/></if></onentry></state>", "SCX017", "3:2");
  row("<state id='a'><onentry><if cond='x'><else/>\n<elseif cond='x'/></if></onentry></state>", "SCX017", "3:2");
  row("<state id='a'><onentry><send event='e'>\n<param name='p'/></send></onentry></state>", "SCX017", "3:2");
  row("<state id='a'><onentry><send event='e'>\n<param expr='1'/></send></onentry></state>", "SCX017", "3:2");
  row("<state id='a'><onentry><send event='e'>\n<param name='p' expr='1' location='x'/></send></onentry></state>",
      "SCX017", "3:2");
  row("<state id='a'><onentry><send event='e'>\n<content expr='1'>2</content></send></onentry></state>", "SCX017",
      "3:2");
  row("<state id='s'><final id='f'>\n<donedata><content expr='1'/><param name='p' "
      "expr='1'/></donedata></final></state>",
      "SCX017", "3:2");
  row("<datamodel>\n<data id='z' expr='1'>2</data></datamodel><state id='a'/>", "SCX017", "3:2");
  row("<datamodel>\n<data id='z' src='f' expr='2'/></datamodel><state id='a'/>", "SCX017", "3:2");
  row("<datamodel>\n<data expr='2'/></datamodel><state id='a'/>", "SCX017", "3:2");
  row("<datamodel><data id='z'/>\n<data id='z'/></datamodel><state id='a'/>", "SCX017", "3:2");
  row("<datamodel>\n<data id='_event'/></datamodel><state id='a'/>", "SCX017", "3:2");
  row("<datamodel>\n<data id='while'/></datamodel><state id='a'/>", "SCX017", "3:2");
  row("<state id='a'>\n<transition/></state>", "SCX017", "3:2");
  row("<state id='s'><final id='f'>\n<state id='a'/></final></state>", "SCX017", "3:2");
  row("<state id='s'><history id='h'><transition target='t'/>\n<onentry/></history><state id='t'/></state>", "SCX017",
      "3:2");
  row("<state id='s'><final id='f'><donedata>\n<raise event='e'/></donedata></final></state>", "SCX017", "3:2");
  row("<state id='a'>\n<transition event='e' type='inside'/></state>", "SCX017", "3:2");
  row("\n<state id='a' initial='b'><initial><transition target='b'/></initial><state id='b'/></state>", "SCX017",
      "3:2");
  row("<state id='a'>\n<initial/><state id='b'/></state>", "SCX017", "3:2");
  row("<state id='a'><initial>\n<transition event='e' target='b'/></initial><state id='b'/></state>", "SCX017", "3:2");
  row("<state id='a'><initial>\n<transition/></initial><state id='b'/></state>", "SCX017", "3:2");
  row("<state id='a'>\n<history id='h' type='flat'><transition target='b'/></history><state id='b'/></state>", "SCX017",
      "3:2");
  row("<state id='a'><history id='h'>\n<transition cond='x' target='b'/></history><state id='b'/></state>", "SCX017",
      "3:2");
  row("<state id='a'>\n<history id='h'><transition target='b'/><transition target='c'/></history><state id='b'/><state "
      "id='c'/></state>",
      "SCX017", "3:2");
  row("<state id='s'>\n<initial><transition target='a'/></initial><state id='t'/></state><state id='a'/>", "SCX006",
      "2:2");
}

void ScxmlReader::what_is_left_out_is_named_with_line_and_column() {
  QFETCH(const QString, text);
  QFETCH(const QString, code);
  QFETCH(const QString, place);
  const ScxmlImport import = read(text.toStdString());
  QVERIFY(import.document.has_value());
  QVERIFY(!import.complete);
  const Diagnostic* found = find_code(import.diagnostics, code.toStdString());
  QVERIFY2(found != nullptr, listed(import.diagnostics).c_str());
  QCOMPARE(QString::fromStdString(found->pointer), place);
}

void ScxmlReader::an_attribute_that_means_nothing_is_named() {
  const ScxmlImport import = read(R"xml(<state id="a">
<transition event="e" cnd="x" my:cond="y" target="a"/></state><parallel id="p" initial="q"><state id="q"/></parallel>)xml");
  QVERIFY(import.complete);
  QCOMPARE(codes(import.diagnostics), std::string("SCX018 SCX018"));
  QCOMPARE(import.diagnostics.front().pointer, std::string("3:2"));
  QVERIFY(import.diagnostics.front().message.find("\"cnd\"") != std::string::npos);
}

void ScxmlReader::the_document_itself_is_held_to_its_rules_data() {
  QTest::addColumn<QString>("attributes");
  QTest::addColumn<QString>("code");
  QTest::newRow("version") << "version='2.0'"
                           << "SCX017";
  QTest::newRow("data model") << "version='1.0' datamodel='xpath'"
                              << "SCX017";
  QTest::newRow("binding") << "version='1.0' binding='soon'"
                           << "SCX017";
  QTest::newRow("late binding") << "version='1.0' binding='late'"
                                << "SCX016";
  QTest::newRow("initial") << "version='1.0' initial='nowhere'"
                           << "SCX006";
}

// Oracle: section 3.2 of the Recommendation.
void ScxmlReader::the_document_itself_is_held_to_its_rules() {
  QFETCH(const QString, attributes);
  QFETCH(const QString, code);
  const ScxmlImport import = parse_scxml(
      "<scxml xmlns='http://www.w3.org/2005/07/scxml' " + attributes.toStdString() + "><state id='a'/></scxml>",
      "chart");
  QVERIFY(!import.complete);
  QVERIFY2(find_code(import.diagnostics, code.toStdString()) != nullptr, listed(import.diagnostics).c_str());
}

void ScxmlReader::targets_that_cannot_be_active_together_are_refused_data() {
  QTest::addColumn<QString>("body");
  const QString states =
      "<state id='a'/><state id='b'><state id='b1'/><state id='b2'/></state><parallel id='p'><state id='r'><state "
      "id='r1'/><state id='r2'/></state><state id='q'/></parallel>";
  QTest::newRow("two children of a composite")
      << "<state id='s'><transition event='e' target='b1 b2'/></state>" + states;
  QTest::newRow("two states of one region") << "<state id='s'><transition event='e' target='r1 r2'/></state>" + states;
  QTest::newRow("two states of the document") << "<state id='s'><transition event='e' target='a b'/></state>" + states;
  QTest::newRow("initial") << "<state id='s' initial='t1 t2'><state id='t1'/><state id='t2'/></state>";
}

// Oracle: section 3.11, legal state specifications.
void ScxmlReader::targets_that_cannot_be_active_together_are_refused() {
  QFETCH(const QString, body);
  const ScxmlImport import = read(body.toStdString());
  const CompiledCheck check(*import.document);
  QVERIFY(has_errors(check.problems) || !import.complete);
}

void ScxmlReader::the_same_text_gives_the_same_document() {
  const std::string text = R"xml(<state id="a"><transition event="e" target="b"/></state><state id="b"/>)xml";
  QVERIFY(*read(text).document == *read(text).document);
}

void ScxmlReader::nothing_overlaps_in_the_layout() {
  const ScxmlImport import = read(R"xml(<datamodel><data id="x" expr="0"/><data id="y" expr="1"/></datamodel>
      <state id="a" initial="a2"><history id="h"><transition target="a2"/></history><state id="a1"><state id="a11"/><state id="a12"/></state><state id="a2"/></state>
      <parallel id="p"><state id="r"><state id="r1"><transition event="e" target="r2 s1"/></state><state id="r2"/></state><state id="s"><state id="s1"/></state></parallel>
      <state id="c"/><state id="d"/><state id="f"><transition event="e" target="c"/></state><final id="end"/>)xml");
  const auto nodes = import.document->nodes(chart_of(*import.document).id);
  for (const Element* one : nodes) {
    QVERIFY(one->layout.bounds.has_value());
    const Rect& a = *one->layout.bounds;
    if (const Element* parent = import.document->find(one->parent)) {
      const Rect& around = *parent->layout.bounds;
      QVERIFY2(a.x >= around.x && a.y >= around.y + 20 && a.right() <= around.right() && a.bottom() <= around.bottom(),
               one->name().c_str());
    }
    for (const Element* other : nodes) {
      if (other == one || other->parent != one->parent) continue;
      const Rect& b = *other->layout.bounds;
      const bool apart = a.right() <= b.x || b.right() <= a.x || a.bottom() <= b.y || b.bottom() <= a.y;
      QVERIFY2(apart, (one->name() + " and " + other->name()).c_str());
    }
  }
}

void ScxmlReader::what_scxml_cannot_say_is_refused_with_its_element() {
  for (const char* trigger :
       {"rate(1 /h)", "after(exponential(mean = 1 h))", "every(1 h)", "at(1 h)", "becomes(x > 2)", "ccf(run)"}) {
    ModelBuilder model;
    ChartBuilder chart(model, "C");
    chart.variable("x");
    const ElementId a = chart.state("A"), b = chart.state("B");
    chart.initial(a);
    const ElementId edge = chart.transition(a, b, trigger);
    const ExportedText written = write_scxml(model.document(), *model.document().find(chart.id()));
    QVERIFY2(!written.text, trigger);
    const Diagnostic* refused = find_code(written.diagnostics, "SCX101");
    QVERIFY2(refused != nullptr, listed(written.diagnostics).c_str());
    QCOMPARE(refused->element, edge);
  }
  // Section 6.2.2: no more than one of content and named values.
  ModelBuilder model;
  ChartBuilder chart(model, "C");
  const ElementId a = chart.state("A"), b = chart.state("B");
  chart.initial(a);
  const ElementId edge = chart.transition(a, b, "e", "", "raise(f, content = 1, x = 2)");
  const ExportedText written = write_scxml(model.document(), *model.document().find(chart.id()));
  const Diagnostic* refused = find_code(written.diagnostics, "SCX101");
  QVERIFY2(refused != nullptr, listed(written.diagnostics).c_str());
  QCOMPARE(refused->element, edge);
}

void ScxmlReader::a_fixed_delay_is_written_as_an_event_sent_and_cancelled() {
  ModelBuilder model;
  model.parameter("pause", "2 min", {{"type", "time"}});
  ChartBuilder chart(model, "C");
  const ElementId a = chart.state("A"), b = chart.state("B");
  chart.initial(a);
  chart.transition(a, b, "after(pause)");
  const ExportedText written = write_scxml(model.document(), *model.document().find(chart.id()));
  QVERIFY2(written.text.has_value(), listed(written.diagnostics).c_str());
  for (const char* part : {"delay=\"120s\"", "<cancel sendid=", "<transition event=\"after."})
    QVERIFY2(written.text->find(part) != std::string::npos, written.text->c_str());
  QVERIFY(parse_scxml(*written.text, "again").complete);
}

QTEST_GUILESS_MAIN(ScxmlReader)
#include "tst_scxml_reader.moc"
