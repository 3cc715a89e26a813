#include <QtTest>

#include "statecharts/compile/chart_tables.h"
#include "statecharts/lower/lower.h"
#include "tests/support/model_builder.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// P {R1 {A1, A2 {X, Y}}, R2 {B1}}, O: every kind of way between states.
struct Tables {
  ModelBuilder m;
  ChartBuilder c{m, "Unit"};
  ElementId p = c.state("P"), r1 = c.region("R1", p), a1 = c.state("A1", r1), a2 = c.state("A2", r1),
            x = c.state("X", a2), y = c.state("Y", a2), r2 = c.region("R2", p), b1 = c.state("B1", r2),
            o = c.state("O");
  ChartTables tables;
  EventNames events;

  void make() {
    c.initial(p), c.initial(a1, r1), c.initial(x, a2), c.initial(b1, r2);
    Diagnostics problems;
    const StateChart chart = lower_chart(m.document(), *m.document().find(c.id()), problems);
    if (has_errors(problems)) throw std::runtime_error(listed(problems));
    add_events(chart, events);
    tables = make_tables(chart, events);
  }
  std::string name(std::uint32_t s) const { return tables.chart.states[s].name; }
  std::size_t number(ElementId transition) const {
    for (std::size_t t = 0; t < tables.chart.transitions.size(); ++t)
      if (tables.chart.transitions[t].element == transition) return t;
    throw std::logic_error("no transition");
  }
  /// "A1..B1 / R1 A2": what is left and what is entered.
  std::string way(ElementId transition) const {
    const ChartTables::Way& w = tables.ways[number(transition)];
    std::string out = w.exit_first > w.exit_last ? "none" : name(w.exit_first) + ".." + name(w.exit_last);
    out += " /";
    for (const std::uint32_t* s = tables.entries.begin(w.entry); s != tables.entries.end(w.entry); ++s)
      if ((*s & ChartTables::initial_flag) == 0) out += " " + name(*s);
    return out;
  }
  std::string candidates(const char* state, const std::string& event) const {
    const auto s = static_cast<std::size_t>(tables.chart.find({state}, 0));
    std::size_t e = events.names.size();
    for (std::size_t i = 0; i < events.names.size(); ++i)
      if (events.names[i] == event) e = i;
    const std::size_t row = s * (tables.events + 1) + e;
    std::string out;
    for (const std::uint32_t* t = tables.candidates.begin(row); t != tables.candidates.end(row); ++t) {
      const Transition& transition = tables.chart.transitions[*t];
      out += (out.empty() ? "" : " ") + name(static_cast<std::uint32_t>(transition.source)) + ">" +
             name(static_cast<std::uint32_t>(transition.targets.front()));
    }
    return out;
  }
};

}  // namespace

class TestChartTables : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void ways_leave_up_to_the_common_composite_and_complete_what_they_enter();
  void candidates_stand_innermost_first();
  void masks_hold_the_states_without_active_children();
  void the_start_enters_the_whole_chart();
};

void TestChartTables::ways_leave_up_to_the_common_composite_and_complete_what_they_enter() {
  Tables d;
  const ElementId sibling = d.c.transition(d.a1, d.a2, "e"), deep = d.c.transition(d.o, d.y, "e"),
                  out = d.c.transition(d.y, d.o, "f"), within = d.c.transition(d.x, d.y, "e"),
                  self = d.c.transition(d.a2, d.a2, "g"), parent = d.c.transition(d.y, d.a2, "h"),
                  child = d.c.transition(d.a2, d.y, "i"), across = d.c.transition(d.a1, d.b1, "j"),
                  whole = d.c.transition(d.p, d.p, "k");
  d.make();
  QCOMPARE(d.way(sibling), std::string("A1..Y / A2 X"));
  QCOMPARE(d.way(deep), std::string("P..O / P R1 A2 Y R2 B1"));
  QCOMPARE(d.way(out), std::string("P..O / O"));
  QCOMPARE(d.way(within), std::string("X..Y / Y"));
  QCOMPARE(d.way(self), std::string("A1..Y / A2 X"));
  // External transitions (SCXML's default): a source is left even when its target stands inside it.
  QCOMPARE(d.way(child), std::string("A1..Y / A2 Y"));
  QCOMPARE(d.way(parent), std::string("A1..Y / A2 X"));
  QCOMPARE(d.way(across), std::string("P..O / P R1 A1 R2 B1"));
  QCOMPARE(d.way(whole), std::string("P..O / P R1 A1 R2 B1"));
}

void TestChartTables::candidates_stand_innermost_first() {
  Tables d;
  d.c.transition(d.p, d.o, "e"), d.c.transition(d.a2, d.a1, "e"), d.c.transition(d.x, d.y, "e"),
      d.c.transition(d.x, d.o, "e"), d.c.transition(d.a2, d.o, "", "1 < 2");
  d.make();
  QCOMPARE(d.candidates("X", "e"), std::string("X>Y X>O A2>A1 P>O"));
  QCOMPARE(d.candidates("Y", "e"), std::string("A2>A1 P>O"));
  QCOMPARE(d.candidates("B1", "e"), std::string("P>O"));
  QCOMPARE(d.candidates("Y", ""), std::string("A2>O"));
  QCOMPARE(d.candidates("A2", "e"), std::string());  // a composite reacts through its active state inside
  QCOMPARE(d.candidates("O", "e"), std::string());
}

void TestChartTables::masks_hold_the_states_without_active_children() {
  Tables d;
  d.c.transition(d.x, d.y), d.c.transition(d.y, d.o, "when(1 < 2)"), d.c.transition(d.a1, d.a2, "e");
  d.make();
  const auto has = [](const std::vector<std::uint64_t>& mask, int s) {
    return (mask[static_cast<std::size_t>(s) / 64] >> (s % 64) & 1U) != 0;
  };
  for (const char* name : {"A1", "X", "Y", "B1", "O"})
    QVERIFY2(has(d.tables.atomic, d.tables.chart.find({name}, 0)), name);
  for (const char* name : {"P", "R1", "A2", "R2"})
    QVERIFY2(!has(d.tables.atomic, d.tables.chart.find({name}, 0)), name);
  for (const char* name : {"X", "Y"}) QVERIFY2(has(d.tables.eventless, d.tables.chart.find({name}, 0)), name);
  for (const char* name : {"A1", "A2", "O"}) QVERIFY2(!has(d.tables.eventless, d.tables.chart.find({name}, 0)), name);
}

void TestChartTables::the_start_enters_the_whole_chart() {
  Tables d;
  d.make();
  std::string names;
  for (const std::uint32_t* s = d.tables.entries.begin(d.tables.start_row);
       s != d.tables.entries.end(d.tables.start_row); ++s)
    names += ((*s & ChartTables::initial_flag) != 0 ? "*" : d.name(*s)) + " ";
  QCOMPARE(names, std::string("Unit * P R1 * A1 R2 * B1 "));  // * an initial transition's actions
}

QTEST_APPLESS_MAIN(TestChartTables)
#include "tst_chart_tables.moc"
