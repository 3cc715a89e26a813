#include <QtTest>
#include <cmath>

#include "chart_check.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// Work {A {A1, A2}, B} beside Pause; a history in Work; `pause` and `back` go between them.
struct Interrupted {
  ModelBuilder m;
  ChartBuilder c{m, "Unit"};
  ElementId work = c.state("Work"), a = c.state("A", work), a1 = c.state("A1", a), a2 = c.state("A2", a),
            b = c.state("B", work), pause = c.state("Pause"), history;
  explicit Interrupted(const char* depth, const char* parent = "Work") {
    history = m.node(c.id(), std::string(parent) == "Work" ? work : a, "history", {{"depth", depth}});
    c.initial(work), c.initial(a, work), c.initial(a1, a);
    c.transition(a1, a2, "next"), c.transition(a, b, "leave");
    c.transition(work, pause, "pause"), c.transition(pause, history, "back");
    m.component("unit", "Unit");
  }
};

/// P {R1 {A1, A2}, R2 {B1, B2}} beside O; starts in O.
struct Regions {
  ModelBuilder m;
  ChartBuilder c{m, "Unit"};
  ElementId o = c.state("O"), p = c.state("P"), r1 = c.region("R1", p), r2 = c.region("R2", p), a1 = c.state("A1", r1),
            a2 = c.state("A2", r1), b1 = c.state("B1", r2), b2 = c.state("B2", r2);
  Regions() {
    c.initial(o), c.initial(a1, r1), c.initial(b1, r2);
    m.component("unit", "Unit");
  }
  ElementId node(const std::string& kind, ElementId parent = {}) { return m.node(c.id(), parent, kind); }
};

/// Codes of the errors alone.
std::string problems_of(const Document& document) {
  Diagnostics errors = CompiledCheck(document).problems;
  std::erase_if(errors, [](const Diagnostic& d) { return d.severity != Severity::error; });
  return codes(errors);
}

}  // namespace

/// What the notation adds to states, regions and transitions. Oracle: W3C SCXML (2015), appendix D, and UML 2.5.1 for
/// connectors, worked out by hand.
class TestChartSemantics : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_shallow_history_enters_the_child_and_completes_it();
  void a_deep_history_enters_the_innermost_states();
  void a_history_that_remembers_nothing_follows_its_transition_or_the_default();
  void a_history_of_regions_remembers_each();
  void a_fork_enters_its_targets_and_completes_other_regions();
  void a_join_waits_for_all_its_sources();
  void a_junction_takes_the_first_way_whose_guards_hold();
  void a_clock_shared_by_the_ways_of_a_junction_goes_off_once();
  void points_on_the_border_carry_their_actions();
  void terminate_ends_the_whole_component();
  void an_internal_transition_stays_in_its_source();
  void an_internal_self_transition_leaves_nothing();
  void descriptors_match_by_tokens();
  void done_of_a_named_state_reaches_who_waits_for_it();
  void events_carry_values_and_their_name();
  void a_cancelled_event_never_comes();
  void becomes_waits_for_the_edge();
  void a_delay_that_resumes_keeps_its_age();
  void clocks_of_one_moment_go_by_priority_over_components();
  void a_saved_replication_goes_on_in_the_same_way();
  void mistakes_are_named();
};

void TestChartSemantics::a_shallow_history_enters_the_child_and_completes_it() {
  Interrupted d("shallow");
  TraceRun run(d.m.document());
  QCOMPARE(run.start().send("next").active(), std::string("Work A A2"));
  QCOMPARE(run.send("pause").send("back").active(), std::string("Work A A1"));
  QCOMPARE(run.send("leave").send("pause").send("back").active(), std::string("Work B"));
}

void TestChartSemantics::a_deep_history_enters_the_innermost_states() {
  Interrupted d("deep");
  TraceRun run(d.m.document());
  QCOMPARE(run.start().send("next").send("pause").active(), std::string("Pause"));
  QCOMPARE(run.send("back").active(), std::string("Work A A2"));
}

void TestChartSemantics::a_history_that_remembers_nothing_follows_its_transition_or_the_default() {
  {
    Interrupted d("shallow");
    const ElementId jump = d.c.state("Start");
    d.c.transition(jump, d.history, "go");
    // A second chart begins elsewhere: nothing was ever left.
    d.m.set(jump, "entry", "record(in)");
    d.c.transition(d.pause, jump, "elsewhere");
    TraceRun run(d.m.document());
    QCOMPARE(run.start().active(), std::string("Work A A1"));
  }
  ModelBuilder m;
  ChartBuilder c(m, "Unit");
  const ElementId start = c.state("Start"), w = c.state("W", {}, "record(w)"), x = c.state("X", w, "record(x)"),
                  y = c.state("Y", w, "record(y)"), h = m.node(c.id(), w, "history");
  c.initial(start), c.initial(x, w, "record(initial)");
  c.transition(start, h, "e"), c.transition(h, y, "", "", "record(content)");
  m.component("unit", "Unit");
  TraceRun run(m.document());
  // SCXML: the content of the history's transition is done after the entry of the state around it; no default entry.
  QCOMPARE(run.start().send("e").trace(), std::string("w content y"));
}

void TestChartSemantics::a_history_of_regions_remembers_each() {
  Regions d;
  const ElementId h = d.m.node(d.c.id(), d.p, "history", {{"depth", "deep"}});
  d.c.transition(d.o, h, "e"), d.c.transition(d.p, d.o, "off");
  d.c.transition(d.a1, d.a2, "a"), d.c.transition(d.b1, d.b2, "b");
  TraceRun run(d.m.document());
  QCOMPARE(run.start().send("e").active(), std::string("P R1 A1 R2 B1"));
  QCOMPARE(run.send("b").send("off").send("e").active(), std::string("P R1 A1 R2 B2"));
}

void TestChartSemantics::a_fork_enters_its_targets_and_completes_other_regions() {
  Regions d;
  const ElementId r3 = d.c.region("R3", d.p), c1 = d.c.state("C1", r3), bar = d.node("bar");
  d.c.initial(c1, r3);
  d.c.transition(d.o, bar, "e", "", "record(t)");
  d.c.transition(bar, d.b2, "", "", "record(second)"), d.c.transition(bar, d.a2, "", "", "record(third)");
  TraceRun run(d.m.document());
  QCOMPARE(run.start().send("e").active(), std::string("P R1 A2 R2 B2 R3 C1"));
  QCOMPARE(run.trace(), std::string("t second third"));
}

void TestChartSemantics::a_join_waits_for_all_its_sources() {
  Regions d;
  const ElementId bar = d.node("bar"), end = d.c.state("End");
  d.c.transition(d.o, d.p, "e"), d.c.transition(d.a1, d.a2, "a"), d.c.transition(d.b1, d.b2, "b");
  d.c.transition(d.a2, bar), d.c.transition(d.b2, bar), d.c.transition(bar, end, "", "", "record(joined)");
  TraceRun run(d.m.document());
  QCOMPARE(run.start().send("e").send("b").active(), std::string("P R1 A1 R2 B2"));
  QCOMPARE(run.send("a").active(), std::string("End"));
  QCOMPARE(run.trace(), std::string("joined"));
}

void TestChartSemantics::a_junction_takes_the_first_way_whose_guards_hold() {
  Regions d;
  d.c.variable("x", "integer", "1");
  const ElementId j = d.node("junction"), k = d.node("junction");
  d.c.transition(d.o, j, "e", "x > 0", "record(in)");
  d.c.transition(j, d.b2, "", "else", "record(other)");
  d.c.transition(j, k, "", "x > 5", "record(large)");
  d.c.transition(k, d.a2, "", "x > 7"), d.c.transition(k, d.a1, "", "x > 6", "x := 0");
  d.c.transition(d.o, d.o, "add", "", "x := x + 3");
  TraceRun run(d.m.document());
  QCOMPARE(run.start().send("e").trace(), std::string("in other"));
  // x = 7: nothing is done on the way until the whole way is known to hold.
  QCOMPARE(run.start().send("add").send("add").send("e").trace(), std::string("in large"));
  QCOMPARE(run.active(), std::string("P R1 A1 R2 B1"));
  QCOMPARE(run.send("e").active(), std::string("P R1 A1 R2 B1"));
}

void TestChartSemantics::a_clock_shared_by_the_ways_of_a_junction_goes_off_once() {
  Regions d;
  d.c.variable("x", "integer", "1");
  const ElementId j = d.node("junction");
  d.c.transition(d.o, j, "after(exponential(mean = 2 h))");
  d.c.transition(j, d.a2, "", "x > 5"), d.c.transition(j, d.b2, "", "else", "record(went)");
  TraceRun run(d.m.document());
  QCOMPARE(run.model().timers.size(), std::size_t{1});
  QCOMPARE(run.start().until(1000).trace(), std::string("went"));
}

void TestChartSemantics::points_on_the_border_carry_their_actions() {
  Regions d;
  const ElementId w = d.c.state("W"), x = d.c.state("X", w, "record(x)"), y = d.c.state("Y", w),
                  in = d.node("entry_point", w), out = d.node("exit_point", w);
  d.c.initial(y, w);
  d.c.transition(d.o, in, "e", "", "record(one)"), d.c.transition(in, x, "", "", "record(two)");
  d.c.transition(x, out, "f", "", "record(three)"), d.c.transition(out, d.o, "", "", "record(four)");
  TraceRun run(d.m.document());
  QCOMPARE(run.start().send("e").active(), std::string("W X"));
  QCOMPARE(run.send("f").active(), std::string("O"));
  QCOMPARE(run.trace(), std::string("one two x three four"));
}

void TestChartSemantics::terminate_ends_the_whole_component() {
  Regions d;
  const ElementId end = d.node("terminate", d.r1);
  d.c.transition(d.o, d.p, "e"), d.c.transition(d.a1, end, "x", "", "record(end)");
  d.c.transition(d.b1, d.b2, "after(1 h)", "", "record(late)");
  TraceRun run(d.m.document());
  run.start().send("e");
  QVERIFY(!run.charts().halted(0));
  run.send("x");
  QVERIFY(run.charts().halted(0));
  QCOMPARE(run.until(10).trace(), std::string("end"));
}

void TestChartSemantics::an_internal_transition_stays_in_its_source() {
  ModelBuilder m;
  ChartBuilder c(m, "Unit");
  const ElementId w = traced(c, "W"), x = traced(c, "X", w), y = traced(c, "Y", w);
  c.initial(w), c.initial(x, w);
  c.transition(w, y, "in", "", "", {{"type", "internal"}}), c.transition(w, x, "out");
  m.component("unit", "Unit");
  TraceRun run(m.document());
  run.start(), run.clear();
  QCOMPARE(run.send("in").trace(), std::string("out_X in_Y"));
  run.clear();
  QCOMPARE(run.send("out").trace(), std::string("out_Y out_W in_W in_X"));
}

void TestChartSemantics::an_internal_self_transition_leaves_nothing() {
  ModelBuilder m;
  ChartBuilder c(m, "Unit");
  c.variable("n", "integer");
  const ElementId w = traced(c, "W"), x = traced(c, "X", w), y = traced(c, "Y", w);
  c.initial(w), c.initial(x, w);
  c.transition(w, w, "tick", "", "n := n + 1; record(tick)", {{"type", "internal"}});
  c.transition(w, w, "rate(1 /h)", "", "record(rate)", {{"type", "internal"}});
  c.transition(x, y, "", "n >= 2");
  m.component("unit", "Unit");
  TraceRun run(m.document());
  run.start(), run.clear();
  QCOMPARE(run.send("tick").trace(), std::string("tick"));
  QCOMPARE(run.send("tick").trace(), std::string("tick tick out_X in_Y"));
  run.clear();
  run.until(1000.0);
  // A Poisson process of rate 1 /h over 1000 h: within five standard deviations (one failure in a million seeds).
  QVERIFY2(std::abs(static_cast<double>(run.times_h().size()) - 1000.0) < 5 * std::sqrt(1000.0),
           qPrintable(QString::number(run.times_h().size())));
}

void TestChartSemantics::descriptors_match_by_tokens() {
  ModelBuilder m;
  ChartBuilder c(m, "Unit");
  const ElementId s = c.state("S");
  c.initial(s);
  const Value internal = {{"type", "internal"}};
  c.transition(s, s, "pump.start, valve.*", "", "record(named)", internal);
  c.transition(s, s, "pump", "", "record(pump)", internal);
  c.transition(s, s, "*", "", "record(any)", internal);
  m.component("unit", "Unit");
  TraceRun run(m.document());
  run.start();
  const auto give = [&](const std::string& event) {
    run.clear();
    run.charts().send(0, static_cast<std::uint32_t>(run.model().event_for(event)));
    run.charts().settle();
    return run.trace();
  };
  QCOMPARE(give("pump.start"), std::string("named"));
  QCOMPARE(give("pump.start.now"), std::string("named"));
  QCOMPARE(give("pump.started"), std::string("pump"));
  QCOMPARE(give("pump"), std::string("pump"));
  QCOMPARE(give("pumps"), std::string("any"));
  QCOMPARE(give("valve"), std::string("named"));
  QCOMPARE(give("else.where"), std::string("any"));
}

void TestChartSemantics::done_of_a_named_state_reaches_who_waits_for_it() {
  for (const char* trigger : {"done.state.W", "done.state", "done.*", "*"}) {
    ModelBuilder m;
    ChartBuilder c(m, "Unit");
    const ElementId outer = c.state("Outer"), w = c.state("W", outer), x = c.state("X", w), f = c.final_state(w),
                    end = c.state("End");
    c.initial(outer), c.initial(w, outer), c.initial(x, w);
    c.transition(x, f, "after(1 h)"), c.transition(outer, end, trigger);
    m.component("unit", "Unit");
    TraceRun run(m.document());
    QCOMPARE(run.start().until(2).active(), std::string("End"));
  }
}

void TestChartSemantics::events_carry_values_and_their_name() {
  ModelBuilder m;
  ChartBuilder c(m, "Sender"), r(m, "Receiver");
  const ElementId s = c.state("S"), t = c.state("T");
  c.initial(s);
  c.transition(s, t, "after(1 h)", "", "send(load.heavy, to = b, amount = 3, wait = 2 h); send(load, b, delay = 1 h)");
  const ElementId x = r.state("X"), y = r.state("Y");
  r.variable("sum", "real"), r.variable("pause", "time");
  r.initial(x);
  const Value internal = {{"type", "internal"}};
  r.transition(x, x, "load", "event.amount > 2", "sum := sum + event.amount; pause := event.wait; record(heavy)",
               internal);
  r.transition(x, y, "load", "event.name == \"load\"", "record(plain)");
  m.component("a", "Sender"), m.component("b", "Receiver");
  TraceRun run(m.document(), 1, {"b.sum == 3", "b.pause == 2 h"});
  run.start(), run.clear();
  run.until(1.5);
  QCOMPARE(run.trace(), std::string("load.heavy load heavy"));
  for (const Program& observed : run.model().table->observers()) QVERIFY(observed.holds(run.charts().slots()));
  run.clear();
  QCOMPARE(run.until(3).trace(), std::string("plain"));
  QCOMPARE(run.active(1), std::string("Y"));
}

void TestChartSemantics::a_cancelled_event_never_comes() {
  ModelBuilder m;
  ChartBuilder c(m, "Unit");
  const ElementId s = c.state("S", {}, "send(late, delay = 2 h, id = watch); send(other, delay = 2 h, id = spare)"),
                  t = c.state("T"), u = c.state("U");
  c.initial(s);
  c.transition(s, t, "stop", "", "cancel(watch)"), c.transition(t, u, "late"), c.transition(t, u, "other");
  c.transition(s, u, "late");
  m.component("unit", "Unit", "2");
  TraceRun run(m.document());
  run.start().until(1).send("stop", 0);
  run.charts().settle();
  QCOMPARE(run.charts().pending_events(), std::size_t{3});
  run.until(3);
  QCOMPARE(run.active(0), std::string("U"));
  QCOMPARE(run.active(1), std::string("U"));
}

void TestChartSemantics::becomes_waits_for_the_edge() {
  for (const bool edge : {false, true}) {
    ModelBuilder m;
    ChartBuilder c(m, "Unit"), d(m, "Switch");
    const ElementId s = c.state("S"), t = c.state("T"), on = d.state("On"), off = d.state("Off");
    c.initial(s), d.initial(on);
    c.transition(s, t, edge ? "becomes(in(switch.On))" : "when(in(switch.On))", "", "record(seen)");
    d.transition(on, off, "after(1 h)"), d.transition(off, on, "after(1 h)");
    m.component("unit", "Unit"), m.component("switch", "Switch");
    TraceRun run(m.document());
    QCOMPARE(run.start().until(1.5).trace(), std::string(edge ? "" : "seen"));
    QCOMPARE(run.until(2.5).trace(), std::string("seen"));
    QCOMPARE(run.times_h().front(), edge ? 2.0 : 0.0);
  }
}

void TestChartSemantics::a_delay_that_resumes_keeps_its_age() {
  for (const bool resume : {false, true}) {
    ModelBuilder m;
    ChartBuilder c(m, "Unit");
    const ElementId run_state = c.state("Run"), rest = c.state("Rest"), end = c.state("End");
    c.initial(run_state);
    c.transition(run_state, end, "after(5 h)", "", "record(end)",
                 resume ? Value{{"memory", "resume"}} : Value::object());
    c.transition(run_state, rest, "after(3 h)"), c.transition(rest, run_state, "after(1 h)");
    m.component("unit", "Unit");
    TraceRun run(m.document());
    run.start().until(20);
    // 3 h of running, 1 h of rest, and the other 2 h of running.
    QCOMPARE(run.trace(), std::string(resume ? "end" : ""));
    if (resume) QCOMPARE(run.times_h().front(), 6.0);
  }
}

void TestChartSemantics::clocks_of_one_moment_go_by_priority_over_components() {
  ModelBuilder m;
  ChartBuilder c(m, "First"), d(m, "Second");
  const auto make = [&](ChartBuilder& chart, const char* name, const char* priority) {
    const ElementId s = chart.state("S"), t = chart.state("T");
    chart.initial(s);
    chart.transition(s, t, "at(1 h)", "", std::string("record(") + name + ")", {{"priority", priority}});
  };
  make(c, "first", "0"), make(d, "second", "5");
  m.component("a", "First"), m.component("b", "Second");
  TraceRun run(m.document());
  QCOMPARE(run.start().until(2).trace(), std::string("second first"));
}

void TestChartSemantics::a_saved_replication_goes_on_in_the_same_way() {
  Interrupted d("deep");
  d.c.transition(d.a1, d.a2, "rate(2 /h)"),
      d.c.transition(d.a2, d.a1, "rate(3 /h)", "", "send(x, delay = 1 h, v = now)");
  d.c.transition(d.a, d.b, "rate(1 /h)"), d.c.transition(d.b, d.a, "rate(1 /h)");
  d.c.transition(d.work, d.pause, "rate(0.5 /h)"),
      d.c.transition(d.pause, d.history, "after(uniform(low = 0 h, high = 1 h))");
  d.c.variable("last", "time");
  d.c.transition(d.work, d.work, "x", "event.v >= 0 h", "last := event.v", {{"type", "internal"}});
  TraceRun run(d.m.document(), 7);
  run.start().until(50);
  ChartHistory::Saved saved;
  run.history().save(saved);
  run.until(100);
  const std::uint64_t fingerprint = run.world().fingerprint;
  run.until(130);
  run.history().restore(saved);
  QVERIFY(run.world().fingerprint != fingerprint);
  run.until(100);
  QCOMPARE(run.world().fingerprint, fingerprint);
}

void TestChartSemantics::mistakes_are_named() {
  const auto with = [](const std::function<void(Regions&)>& change) {
    Regions d;
    change(d);
    return problems_of(d.m.document());
  };
  const auto bar_in = [](Regions& d, ElementId a, ElementId b) {
    const ElementId bar = d.node("bar");
    d.c.transition(d.o, bar, "e"), d.c.transition(bar, a), d.c.transition(bar, b);
  };
  QCOMPARE(with([&](Regions& d) { bar_in(d, d.a1, d.a2); }), std::string("SCH014"));
  QCOMPARE(with([&](Regions& d) {
             const ElementId j = d.node("junction"), k = d.node("junction");
             d.c.transition(d.o, j, "e"), d.c.transition(j, k), d.c.transition(k, j);
           }),
           std::string("SCH014"));
  QCOMPARE(with([&](Regions& d) {
             const ElementId j = d.node("junction");
             d.c.transition(d.o, j, "e"), d.c.transition(j, d.p, "f");
           }),
           std::string("SCH014"));
  QCOMPARE(with([&](Regions& d) { d.c.transition(d.o, d.p, "e", "event.nothing > 1"); }), std::string("EXP002"));
  QCOMPARE(with([&](Regions& d) { d.c.transition(d.o, d.p, "e", "", "cancel(1)"); }), std::string("SCH011"));
  QCOMPARE(with([&](Regions& d) {
             d.c.transition(d.o, d.p, "e", "", "", {{"type", "sideways"}, {"memory", "bad"}});
           }),
           std::string("DOC002 DOC002"));
}

QTEST_APPLESS_MAIN(TestChartSemantics)
#include "tst_chart_semantics.moc"
