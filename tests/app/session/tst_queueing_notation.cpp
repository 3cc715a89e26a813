// Queueing networks on the canvas: what joins what, labels, renaming, what a new diagram holds.
#include <QtTest>

#include "app/session/catalogue.h"
#include "app/session/check.h"
#include "app/session/figure.h"
#include "app/session/label.h"
#include "app/session/rename.h"
#include "core/document/command.h"
#include "tests/support/model_builder.h"

using namespace ergode;
using namespace ergode::test;

namespace {

struct Desk {
  ModelBuilder m;
  ElementId diagram = m.diagram("Net", "queueing");
  ElementId gold, in, desk, out, first, second, machine;
  Desk() {
    gold = m.node(diagram, {}, "job_class", {{"name", "gold"}});
    in = m.node(diagram, {}, "source", {{"name", "in"}, {"class", "gold"}});
    desk = m.node(diagram, {}, "station",
                  {{"name", "desk"}, {"servers", "count(machine[*].Up)"}, {"service", "exponential(mean = mean)"}});
    out = m.node(diagram, {}, "sink", {{"name", "out"}});
    first = m.edge(diagram, "flow", in, desk, {{"class", "gold"}});
    second = m.edge(diagram, "flow", desk, out);
    m.parameter("mean", "0.2 s", {{"unit", "s"}});
    ChartBuilder c(m, "Machine");
    const ElementId up = c.state("Up"), down = c.state("Down");
    c.initial(up), c.transition(up, down, "when(desk.number > 100)"), c.transition(down, up, "rate(1 /h)");
    machine = m.component("machine", "Machine", "2");
    m.measure("load", "time_average", "desk.busy / 2");
    m.measure("wait", "steady_state_mean", "", {{"of", "desk.waiting_time"}, {"unit", "s"}});
  }
  Document renamed(ElementId id, const std::string& name) const {
    std::string why;
    auto command = relabel(m.document(), id, name, why);
    if (!command) throw std::runtime_error(why);
    CommandStack stack(m.document());
    stack.push(std::move(*command));
    return stack.document();
  }
};

std::string text_of(const Document& document, const std::string& measure, const std::string& property) {
  return document.named(Section::measure, measure)->text(property);
}

}  // namespace

class TestQueueingNotation : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_sound_drawing_has_no_problems() {
    const Desk d;
    const Diagnostics problems = check_model(d.m.document());
    QVERIFY2(problems.empty(), listed(problems).c_str());
  }

  void renaming_follows_into_charts_measures_and_streams() {
    const Desk d;
    const Document after = d.renamed(d.desk, "counter");
    QCOMPARE(text_of(after, "load", "expression"), std::string("counter.busy / 2"));
    QCOMPARE(text_of(after, "wait", "of"), std::string("counter.waiting_time"));
    const Diagnostics problems = check_model(after);
    QVERIFY2(problems.empty(), listed(problems).c_str());
    // A component that is read, a parameter, a class.
    const Document machine = d.renamed(d.machine, "server");
    QCOMPARE(machine.find(d.desk)->text("servers"), std::string("count(server[*].Up)"));
    const Document gold = d.renamed(d.gold, "vip");
    QCOMPARE(gold.find(d.in)->text("class"), std::string("vip"));
    QCOMPARE(gold.find(d.first)->text("class"), std::string("vip"));
    QVERIFY2(check_model(gold).empty(), listed(check_model(gold)).c_str());
  }

  void flows_join_what_customers_can_pass() {
    const Desk d;
    const NotationSpec& notation = *catalogue().notation("queueing");
    const auto joined = [&](ElementId from, ElementId to) {
      std::string why;
      const std::string kind =
          notation.edge_kind(d.m.document(), *d.m.document().find(from), *d.m.document().find(to), why);
      return kind.empty() ? why : kind;
    };
    QCOMPARE(joined(d.in, d.desk), std::string("flow"));
    QCOMPARE(joined(d.desk, d.desk), std::string("flow"));
    QCOMPARE(joined(d.out, d.desk), std::string("Nobody comes out of a sink."));
    QCOMPARE(joined(d.desk, d.in), std::string("Nobody enters a source."));
    QVERIFY(joined(d.gold, d.desk).starts_with("A class"));
  }

  void it_is_exported_with_its_words() {
    const Desk d;
    const auto svg = make_diagram(d.m.document(), d.diagram, "svg", false);
    QVERIFY(svg.has_value());
    for (const char* word : {">desk<", ">in<", ">out<", ">gold<", ">gold:<", "exponential(mean"})
      QVERIFY2(svg->find(word) != std::string::npos, word);
  }

  void a_new_diagram_is_a_queue_that_runs() {
    ModelBuilder m;
    const ElementId diagram = m.diagram("Net", "queueing");
    CommandStack stack(m.document());
    Edit edit(stack.document(), "New");
    catalogue().diagram_kind("queueing").second->fill(edit, diagram);
    stack.push(edit.finish());
    Diagnostics problems = check_model(stack.document());
    QVERIFY2(codes(problems) == "MEA008", listed(problems).c_str());  // it only asks nothing yet
  }

  void probabilities_are_read_with_their_column() {
    const Desk d;
    std::string why;
    QVERIFY(!relabel(d.m.document(), d.second, "0.5 +", why));
    QVERIFY2(why.starts_with("Column 6"), why.c_str());
    QCOMPARE(d.renamed(d.second, "1 - 0.5").find(d.second)->text("probability"), std::string("1 - 0.5"));
  }
};

QTEST_APPLESS_MAIN(TestQueueingNotation)
#include "tst_queueing_notation.moc"
    // It may be left out.
    QVERIFY(!label_problem(d.m.document(), d.second, ""));
    QVERIFY(!d.renamed(d.second, " ").find(d.second)->has("probability"));
