#include <QtTest>
#include <cmath>

#include "chart_check.h"
#include "core/random/random_stream.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// P with two regions, R1 {A1, A2} and R2 {B1, B2}, beside a state O; every state records its entry and exit.
struct Orthogonal {
  ModelBuilder m;
  ChartBuilder c{m, "Unit"};
  ElementId p, r1, r2, a1, a2, b1, b2, o;
  Orthogonal() {
    p = traced(c, "P");
    r1 = c.region("R1", p), r2 = c.region("R2", p);
    a1 = traced(c, "A1", r1), a2 = traced(c, "A2", r1);
    b1 = traced(c, "B1", r2), b2 = traced(c, "B2", r2);
    o = traced(c, "O");
    c.initial(p), c.initial(a1, r1), c.initial(b1, r2);
    m.component("unit", "Unit");
  }
};

/// Frequency within the interval that a binomial of this probability leaves once in a million runs (|z| > 4.9); the
/// seed is fixed, so a failure is a defect and not bad luck.
void compare_frequency(long hits, long runs, double p) {
  const double n = static_cast<double>(runs), z = (static_cast<double>(hits) - n * p) / std::sqrt(n * p * (1 - p));
  QVERIFY2(std::abs(z) < 4.9,
           qPrintable(QString("%1 of %2, probability %3, z = %4").arg(hits).arg(runs).arg(p).arg(z)));
}

class ScriptedDemands : public DemandSource {
 public:
  std::vector<SplitPart> answers;
  int asked = 0;
  SplitPart demand(std::uint32_t instance, std::uint32_t, double) override {
    ++asked;
    return answers.at(instance);
  }
};

}  // namespace

class TestChartReplication : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  // Entering and leaving (W3C SCXML, 2015, appendix D).
  void entry_goes_outside_in_with_default_completion();
  void exit_goes_inside_out_and_actions_stand_between();
  void every_orthogonal_region_reacts();
  void of_conflicting_transitions_the_first_in_document_order_wins();
  void an_inner_transition_wins_over_an_outer_one();
  void a_target_in_one_region_completes_the_other();
  void a_self_transition_leaves_and_enters();
  void priority_comes_before_document_order();
  void done_is_raised_for_composites_and_when_all_regions_are();
  void a_finished_chart_waits_for_nothing();
  // Steps.
  void guards_of_a_choice_are_tried_in_order_with_else_last();
  void eventless_chains_run_to_completion();
  void internal_events_come_before_external_ones();
  void an_event_nobody_awaits_changes_nothing();
  void sent_events_reach_their_components_after_their_delay();
  void ranges_of_an_array_are_told_exactly();
  void variables_are_of_each_component();
  // Time.
  void after_at_and_every_go_off_at_their_times();
  void a_delay_restarts_when_its_state_is_entered_again();
  void timers_whose_guard_fails();
  void a_rate_is_reread_exactly_when_its_variable_changes();
  void competing_rates_win_in_proportion();
  void branches_are_taken_with_their_probability();
  void crews_go_to_waiting_components_in_document_order();
  // Common cause.
  void common_cause_clocks_keep_the_earliest_time_and_stop_on_exit();
  void what_a_repair_records_belongs_to_the_failure_it_ends();
  void demand_guards_ask_the_group();
  // Faults.
  void a_model_that_never_rests_is_named_data();
  void a_model_that_never_rests_is_named();
  void negative_rates_and_delays_end_the_run();
  // Tables.
  void a_negative_delay_of_an_event_names_who_sends_it();
  void charts_of_many_words_behave_as_small_ones();
  void the_short_way_and_the_general_way_give_the_same_run();
  void components_woken_at_their_thresholds_do_the_same_as_those_always_asked();
  void a_replication_depends_on_its_number_alone();
};

void TestChartReplication::entry_goes_outside_in_with_default_completion() {
  ModelBuilder m;
  ChartBuilder c(m, "Unit");
  const ElementId outer = traced(c, "Outer"), middle = traced(c, "Middle", outer), inner = traced(c, "Inner", middle);
  traced(c, "Other", outer);
  c.initial(outer, {}, "record(first)"), c.initial(middle, outer, "record(second)"),
      c.initial(inner, middle, "record(third)");
  m.component("unit", "Unit");
  TraceRun run(m.document());
  QCOMPARE(run.start().trace(), std::string("first in_Outer second in_Middle third in_Inner"));
  QCOMPARE(run.active(), std::string("Outer Middle Inner"));
}

void TestChartReplication::exit_goes_inside_out_and_actions_stand_between() {
  Orthogonal d;
  d.c.transition(d.p, d.o, "e", "", "record(t)");
  TraceRun run(d.m.document());
  QCOMPARE(run.start().trace(), std::string("in_P in_A1 in_B1"));
  run.clear();
  QCOMPARE(run.send("e").trace(), std::string("out_B1 out_A1 out_P t in_O"));
}

void TestChartReplication::every_orthogonal_region_reacts() {
  Orthogonal d;
  d.c.transition(d.b1, d.b2, "e", "", "record(tb)");
  d.c.transition(d.a1, d.a2, "e", "", "record(ta)");
  TraceRun run(d.m.document());
  run.start(), run.clear();
  // One microstep: all are left, in reverse document order; then all actions; then all are entered.
  QCOMPARE(run.send("e").trace(), std::string("out_B1 out_A1 ta tb in_A2 in_B2"));
}

void TestChartReplication::of_conflicting_transitions_the_first_in_document_order_wins() {
  {
    Orthogonal d;
    d.c.transition(d.a1, d.o, "e"), d.c.transition(d.b1, d.b2, "e");
    TraceRun run(d.m.document());
    QCOMPARE(run.start().send("e").active(), std::string("O"));
  }
  Orthogonal d;
  d.c.transition(d.a1, d.a2, "e"), d.c.transition(d.b1, d.o, "e");
  TraceRun run(d.m.document());
  QCOMPARE(run.start().send("e").active(), std::string("P R1 A2 R2 B1"));
  QCOMPARE(run.send("e").active(), std::string("O"));  // nothing stands in the way now
}

void TestChartReplication::an_inner_transition_wins_over_an_outer_one() {
  for (const bool first_region : {true, false}) {
    Orthogonal d;
    d.c.transition(d.p, d.o, "e");
    if (first_region) d.c.transition(d.a1, d.a2, "e");
    else d.c.transition(d.b1, d.b2, "e");
    TraceRun run(d.m.document());
    QCOMPARE(run.start().send("e").active(), std::string(first_region ? "P R1 A2 R2 B1" : "P R1 A1 R2 B2"));
    QCOMPARE(run.send("e").active(), std::string("O"));
  }
}

void TestChartReplication::a_target_in_one_region_completes_the_other() {
  Orthogonal d;
  d.c.transition(d.p, d.o, "out"), d.c.transition(d.o, d.b2, "in");
  d.c.transition(d.a1, d.a2, "a");
  d.c.transition(d.a2, d.b2, "across");  // leaves P and enters it again
  TraceRun run(d.m.document());
  run.start().send("a").send("out").clear();
  QCOMPARE(run.send("in").trace(), std::string("out_O in_P in_A1 in_B2"));
  run.send("a").clear();
  QCOMPARE(run.send("across").trace(), std::string("out_B2 out_A2 out_P in_P in_A1 in_B2"));
}

void TestChartReplication::a_self_transition_leaves_and_enters() {
  ModelBuilder m;
  ChartBuilder c(m, "Unit");
  const ElementId outer = traced(c, "Outer"), a = traced(c, "A", outer), b = traced(c, "B", outer);
  c.initial(outer), c.initial(a, outer);
  c.transition(a, b, "next"), c.transition(outer, outer, "again", "", "record(t)"), c.transition(b, b, "self");
  m.component("unit", "Unit");
  TraceRun run(m.document());
  run.start().send("next").clear();
  QCOMPARE(run.send("self").trace(), std::string("out_B in_B"));
  run.clear();
  QCOMPARE(run.send("again").trace(), std::string("out_B out_Outer t in_Outer in_A"));
}

void TestChartReplication::priority_comes_before_document_order() {
  ModelBuilder m;
  ChartBuilder c(m, "Unit");
  const ElementId a = c.state("A"), b = c.state("B"), d = c.state("D"), e = c.state("E");
  c.initial(a);
  c.transition(a, b, "go"), c.transition(a, d, "go", "", "", {{"priority", "2"}}),
      c.transition(a, e, "go", "", "", {{"priority", 1}});
  m.component("unit", "Unit");
  QCOMPARE(TraceRun(m.document()).start().send("go").active(), std::string("D"));
}

void TestChartReplication::done_is_raised_for_composites_and_when_all_regions_are() {
  Orthogonal d;
  const ElementId fa = d.c.final_state(d.r1), fb = d.c.final_state(d.r2);
  d.c.transition(d.a1, fa, "a"), d.c.transition(d.b1, fb, "b");
  d.c.transition(d.r1, d.a2, "done", "in(O)");  // a guard that fails: the event must have come all the same
  d.c.transition(d.p, d.o, "done", "", "record(all_done)");
  TraceRun run(d.m.document());
  QCOMPARE(run.start().send("a").active(), std::string("P R1 ? R2 B1"));
  QCOMPARE(run.send("b").active(), std::string("O"));

  ModelBuilder m;
  ChartBuilder c(m, "Unit");
  const ElementId task = c.state("Task"), work = c.state("Work", task), over = c.state("Over"),
                  end = c.final_state(task);
  c.initial(task), c.initial(work, task);
  c.transition(work, end, "finish"), c.transition(task, over, "done");
  m.component("unit", "Unit");
  QCOMPARE(TraceRun(m.document()).start().send("finish").active(), std::string("Over"));
}

void TestChartReplication::a_finished_chart_waits_for_nothing() {
  ModelBuilder m;
  ChartBuilder c(m, "Unit");
  const ElementId a = c.state("A"), end = c.final_state();
  c.initial(a), c.transition(a, end, "after(1 h)");
  m.component("unit", "Unit");
  TraceRun run(m.document());
  run.start().until(2);
  QCOMPARE(run.active(), std::string("?"));
  QVERIFY(std::isinf(run.history().next_time()));
}

void TestChartReplication::guards_of_a_choice_are_tried_in_order_with_else_last() {
  for (const auto& [x, wanted] : {std::pair{"5", "High"}, {"1", "Low"}, {"-1", "None"}}) {
    ModelBuilder m;
    ChartBuilder c(m, "Unit");
    c.variable("x", "real", x);
    const ElementId choice = c.choice(), none = c.state("None"), high = c.state("High"), low = c.state("Low");
    c.initial(choice);
    c.transition(choice, none, "", "else"), c.transition(choice, high, "", "x > 3"),
        c.transition(choice, low, "", "x > 0");
    m.component("unit", "Unit");
    QCOMPARE(TraceRun(m.document()).start().active(), std::string(wanted));
  }
}

void TestChartReplication::eventless_chains_run_to_completion() {
  ModelBuilder m;
  ChartBuilder c(m, "Unit");
  c.variable("x", "integer");
  const ElementId idle = traced(c, "Idle"), loop = c.state("Loop"), a = traced(c, "A"), b = traced(c, "B");
  c.initial(idle);
  c.transition(idle, loop, "go"), c.transition(loop, loop, "", "x < 5", "x := x + 1; record(turn)"),
      c.transition(loop, a, "", "x >= 5"), c.transition(a, b);
  m.component("unit", "Unit");
  TraceRun run(m.document());
  run.start(), run.clear();
  QCOMPARE(run.send("go").trace(), std::string("out_Idle turn turn turn turn turn in_A out_A in_B"));
}

void TestChartReplication::internal_events_come_before_external_ones() {
  ModelBuilder m;
  ChartBuilder c(m, "Unit");
  const ElementId a = c.state("A"), b = c.state("B");
  c.initial(a);
  c.transition(a, b, "go", "", "send(external, unit); raise(internal); record(t)");
  c.transition(b, b, "internal", "", "record(internal_seen); raise(second)");
  c.transition(b, b, "second", "", "record(second_seen)");
  c.transition(b, b, "external", "", "record(external_seen)");
  m.component("unit", "Unit");
  QCOMPARE(TraceRun(m.document()).start().send("go").trace(),
           std::string("external internal t internal_seen second second_seen external_seen"));
}

void TestChartReplication::an_event_nobody_awaits_changes_nothing() {
  ModelBuilder m;
  ChartBuilder c(m, "Unit");
  const ElementId a = c.state("A"), b = c.state("B"), late = c.state("Late");
  c.initial(a);
  c.transition(a, b, "every(1 h)", "", "raise(unheard); send(unheard_too)");
  c.variable("n", "integer");
  c.transition(b, a, "after(30 min)", "", "n := n + 1");
  c.transition(a, late, "", "n > 13");
  m.component("unit", "Unit"), m.component("second", "Unit");
  TraceRun run(m.document());
  run.start().until(3.2);  // every(1 h) and back after half an hour: in A from 3 h to 4 h
  QCOMPARE(run.active(), std::string("A"));
  QVERIFY(run.trace().find("unheard unheard_too") == 0);
  run.until(24);
  QCOMPARE(run.active(), std::string("Late"));
}

void TestChartReplication::sent_events_reach_their_components_after_their_delay() {
  ModelBuilder m;
  ChartBuilder sender(m, "Sender");
  const ElementId a = sender.state("A"), b = sender.state("B");
  sender.initial(a);
  sender.transition(a, b, "at(1 h)", "",
                    "send(slow, pump[2], 3 h); send(now_one, pump[1]); send(all, pump[*], 1 h); send(everyone)");
  ChartBuilder receiver(m, "Receiver");
  const ElementId r = receiver.state("R");
  receiver.initial(r);
  for (const char* event : {"slow", "now_one", "all", "everyone"})
    receiver.transition(r, r, event, "", std::string("record(got_") + event + ")");
  m.component("sender", "Sender"), m.component("pump", "Receiver", "3"), m.component("other", "Receiver");
  TraceRun run(m.document());
  run.start().until(0.99);
  QCOMPARE(run.trace(), std::string());
  run.until(1);
  QCOMPARE(run.trace(),
           std::string("slow now_one all everyone got_now_one got_everyone got_everyone got_everyone got_everyone"));
  run.clear();
  QCOMPARE(run.until(2).trace(), std::string("got_all got_all got_all"));
  QCOMPARE(run.until(10).trace(), std::string("got_all got_all got_all got_slow"));
  QCOMPARE(run.times_h().back(), 4.0);
}

void TestChartReplication::ranges_of_an_array_are_told_exactly() {
  ModelBuilder m;
  ChartBuilder sender(m, "Sender"), receiver(m, "Receiver");
  const ElementId a = sender.state("A"), b = sender.state("B");
  sender.initial(a), sender.transition(a, b, "at(1 h)", "", "send(e, pump[2..3])");
  const ElementId off = receiver.state("Off"), on = receiver.state("On");
  receiver.initial(off), receiver.transition(off, on, "e");
  m.component("sender", "Sender"), m.component("pump", "Receiver", "4");
  TraceRun run(m.document());
  run.start().until(2);
  QCOMPARE(run.active(1) + run.active(2) + run.active(3) + run.active(4), std::string("OffOnOnOff"));
}

void TestChartReplication::variables_are_of_each_component() {
  ModelBuilder m;
  ChartBuilder c(m, "Unit");
  c.variable("level", "integer", "10");
  c.variable("step", "integer", "1", "", true);
  c.variable("start", "time", "1 h", "", true);
  const ElementId a = c.state("A"), low = c.state("Low");
  c.initial(a);
  c.transition(a, a, "every(start)", "", "level := level - step * index");
  c.transition(a, low, "", "level < 5", "record(low)");
  m.component("tank", "Unit", "2", "step = 2 * index, start = index * 1 h");
  TraceRun run(m.document());
  run.start().until(24);
  // tank[1]: 10, 8, 6, 4 at 3 h; tank[2]: 10, then 10 - 4 * 2 = 2 at 2 h.
  QCOMPARE(run.trace(), std::string("low low"));
  QCOMPARE(run.times_h(), (std::vector<double>{2, 3}));
}

void TestChartReplication::after_at_and_every_go_off_at_their_times() {
  ModelBuilder m;
  ChartBuilder c(m, "Unit");
  c.variable("n", "integer");
  const ElementId p = c.state("P"), r1 = c.region("R1", p), r2 = c.region("R2", p), a = c.state("A", r1),
                  b = c.state("B", r1), d = c.state("D", r1), t = c.state("T", r2);
  c.initial(p), c.initial(a, r1), c.initial(t, r2);
  c.transition(a, b, "after(90 min)", "", "record(after)");
  c.transition(b, d, "at(5 h)", "", "record(at)");
  c.transition(b, d, "at(1 h)", "", "record(past)");  // has gone by when B is entered: never
  c.transition(t, t, "every(2 h)", "", "n := n + 1; record(every)");
  m.component("unit", "Unit");
  TraceRun run(m.document());
  run.start().until(7);
  QCOMPARE(run.trace(), std::string("after every every at every"));
  QCOMPARE(run.times_h(), (std::vector<double>{1.5, 2, 4, 5, 6}));
  // A moment comes once: its own transition may lead back to where it began, in each replication.
  ModelBuilder again;
  ChartBuilder loop(again, "Unit");
  const ElementId w = loop.state("W"), v = loop.state("V");
  loop.initial(w);
  loop.transition(w, w, "at(2 h)", "", "record(once)");
  loop.transition(w, v, "after(2 h)");
  loop.transition(v, w, "after(1 h)");
  again.component("unit", "Unit");
  TraceRun looping(again.document());
  for (const std::uint64_t replication : {0U, 1U}) {
    looping.start(replication).until(7);
    QCOMPARE(looping.trace(), std::string("once"));
  }
}

void TestChartReplication::a_delay_restarts_when_its_state_is_entered_again() {
  ModelBuilder m;
  ChartBuilder c(m, "Unit");
  const ElementId a = c.state("A"), b = c.state("B"), end = c.state("End");
  c.initial(a);
  c.transition(a, end, "after(3 h)", "", "record(end)"), c.transition(a, b, "at(2 h)"),
      c.transition(b, a, "after(1 h)");
  m.component("unit", "Unit");
  TraceRun run(m.document());
  run.start().until(24);
  QCOMPARE(run.times_h(), (std::vector<double>{6}));  // 2 + 1 + 3
}

void TestChartReplication::timers_whose_guard_fails() {
  ModelBuilder m;
  ChartBuilder c(m, "Unit");
  const ElementId p = c.state("P"), r1 = c.region("R1", p), r2 = c.region("R2", p), r3 = c.region("R3", p);
  const ElementId a = c.state("A", r1), b = c.state("B", r2), d = c.state("D", r3);
  c.initial(p), c.initial(a, r1), c.initial(b, r2), c.initial(d, r3);
  c.transition(a, a, "every(1 h)", "now > 150 min", "record(every)");  // waits for the next period
  c.transition(b, b, "after(1 h)", "now > 150 min", "record(after)");  // its moment has gone by
  c.transition(d, d, "rate(2 /h)", "now > 100 h", "record(rate)");     // a clock that thins
  m.component("unit", "Unit");
  TraceRun run(m.document());
  run.start().until(4);
  QCOMPARE(run.trace(), std::string("every every"));
  QCOMPARE(run.times_h(), (std::vector<double>{3, 4}));
  run.until(140);
  QVERIFY(run.trace().find("rate") != std::string::npos);
}

void TestChartReplication::a_rate_is_reread_exactly_when_its_variable_changes() {
  ModelBuilder m;
  ChartBuilder load(m, "Load");
  const ElementId l1 = load.state("One"), l2 = load.state("Off"), l3 = load.state("Two");
  load.initial(l1), load.transition(l1, l2, "at(5 h)"), load.transition(l2, l3, "at(8 h)");
  ChartBuilder c(m, "Unit");
  const ElementId up = c.state("Up"), down = c.state("Down");
  c.initial(up), c.transition(up, down, "rate(0.1 /h * (count(load.One) + 3 * count(load.Two)))", "", "record(fail)");
  m.component("load", "Load"), m.component("unit", "Unit");
  TraceRun run(m.document(), 17);
  // The clock's one draw is its unit-exponential hazard: the time follows in closed form, replication by replication.
  std::string name;
  for (std::size_t i = 0; i < run.model().streams() && name.empty(); ++i)
    if (run.model().stream_name(i).rfind("unit/", 0) == 0) name = run.model().stream_name(i);
  const std::uint64_t key = stream_key(17, name);
  int before = 0, after = 0;
  for (std::uint64_t replication = 0; replication < 2000; ++replication) {
    run.start(replication).until(1000);
    const double hazard = RandomStream(key, replication).exponential();
    const double wanted = hazard <= 0.5 ? hazard / 0.1 : 8 + (hazard - 0.5) / 0.3;
    (hazard <= 0.5 ? before : after) += 1;
    QCOMPARE(run.times_h().size(), std::size_t{1});
    QVERIFY2(std::abs(run.times_h()[0] - wanted) < 1e-9 * wanted,
             qPrintable(QString("%1, wanted %2").arg(run.times_h()[0]).arg(wanted)));
  }
  QVERIFY(before > 500 && after > 500);
}

void TestChartReplication::competing_rates_win_in_proportion() {
  ModelBuilder m;
  ChartBuilder c(m, "Unit");
  const ElementId a = c.state("A"), b = c.state("B"), d = c.state("D");
  c.initial(a), c.transition(a, b, "rate(3 /h)", "", "record(b)"), c.transition(a, d, "rate(1 /h)", "", "record(d)"),
      c.transition(a, d, "rate(0 /h)", "", "record(never)");
  m.component("unit", "Unit");
  TraceRun run(m.document(), 5);
  long first = 0;
  double sum = 0;
  constexpr long runs = 40000;
  for (long i = 0; i < runs; ++i) {
    run.start(static_cast<std::uint64_t>(i)).until(100);
    first += run.trace() == "b";
    sum += run.times_h().at(0);
  }
  compare_frequency(first, runs, 0.75);
  // Mean 1/4 h with standard error 1/4/sqrt(n); 4.9 of them are left once in a million.
  QVERIFY(std::abs(sum / runs - 0.25) < 4.9 * 0.25 / std::sqrt(runs));
}

void TestChartReplication::branches_are_taken_with_their_probability() {
  for (const bool with_else : {false, true}) {
    ModelBuilder m;
    m.parameter("q", "0.2");
    ChartBuilder c(m, "Unit");
    const ElementId choice = c.choice(), a = c.state("A"), b = c.state("B"), d = c.state("D");
    c.initial(choice);
    if (with_else) c.transition(choice, d, "", "else");
    c.transition(choice, a, "p(q)"), c.transition(choice, b, "p(0.5)");
    if (!with_else) c.transition(choice, d, "p(1 - q - 0.5)");
    m.component("unit", "Unit");
    TraceRun run(m.document(), 8);
    std::map<std::string, long> hits;
    constexpr long runs = 40000;
    for (long i = 0; i < runs; ++i) ++hits[run.start(static_cast<std::uint64_t>(i)).active()];
    compare_frequency(hits["A"], runs, 0.2), compare_frequency(hits["B"], runs, 0.5),
        compare_frequency(hits["D"], runs, 0.3);
    QCOMPARE(hits.size(), std::size_t{3});
  }
}

void TestChartReplication::crews_go_to_waiting_components_in_document_order() {
  ModelBuilder m;
  ChartBuilder c(m, "Unit");
  const ElementId up = c.state("Up"), waiting = c.state("Waiting"), repair = c.state("Repair");
  c.initial(up);
  c.transition(up, waiting, "at(1 h)");
  c.transition(waiting, repair, "when(count(a.Repair) + count(b[*].Repair) < 1)");
  c.transition(repair, up, "after(2 h)", "", "record(repaired)");
  m.component("a", "Unit"), m.component("b", "Unit", "2");
  TraceRun run(m.document());
  run.start().until(1);
  QCOMPARE(run.active(0) + " " + run.active(1) + " " + run.active(2), std::string("Repair Waiting Waiting"));
  run.until(3);
  QCOMPARE(run.active(0) + " " + run.active(1) + " " + run.active(2), std::string("Up Repair Waiting"));
  run.until(5);
  QCOMPARE(run.active(0) + " " + run.active(1) + " " + run.active(2), std::string("Up Up Repair"));
  run.until(24);
  QCOMPARE(run.times_h(), (std::vector<double>{3, 5, 7}));
}

void TestChartReplication::common_cause_clocks_keep_the_earliest_time_and_stop_on_exit() {
  ModelBuilder m;
  ChartBuilder c(m, "Unit");
  const ElementId up = c.state("Up"), down = c.state("Down");
  c.initial(up);
  c.transition(up, down, "ccf(run)", "", "record(ccf)", {{"role", "failure"}}),
      c.transition(up, down, "independent", "", "", {{"role", "failure"}});
  c.transition(down, up, "repair", "", "", {{"role", "repair"}});
  m.component("unit", "Unit");
  TraceRun run(m.document());
  run.start();
  const auto cause = static_cast<std::uint32_t>(run.model().cause("run"));
  QVERIFY(run.charts().set_common_cause_clock(0, cause, 5 * 3600.0, SplitPart{2}));
  QVERIFY(run.charts().set_common_cause_clock(0, cause, 3 * 3600.0, SplitPart{3}));  // sooner: counts
  QVERIFY(run.charts().set_common_cause_clock(0, cause, 4 * 3600.0, SplitPart{2}));  // later: does not
  QCOMPARE(run.history().next_time(), 3 * 3600.0);
  run.until(10);
  QCOMPARE(run.times_h(), (std::vector<double>{3}));
  QVERIFY(run.charts().split_part() == SplitPart{3});
  QVERIFY(!run.charts().set_common_cause_clock(0, cause, 11 * 3600.0, SplitPart{3}));  // it is down already
  run.send("repair");
  QVERIFY(run.charts().split_part() == ChartPart::no_failure);
  run.charts().set_common_cause_clock(0, cause, 20 * 3600.0, SplitPart{3});
  run.send("independent");
  QVERIFY(run.charts().split_part() == ChartPart::own_failure);
  run.send("repair");
  QVERIFY(std::isinf(run.history().next_time()));  // the failure and its repair have cleared the clock
}

// Both at a failure and at a repair, step by step and as tables remember it.
void TestChartReplication::what_a_repair_records_belongs_to_the_failure_it_ends() {
  for (const bool tables : {true, false}) {
    ModelBuilder m;
    ChartBuilder c(m, "Unit");
    const ElementId up = c.state("Up"), down = c.state("Down");
    c.initial(up);
    c.transition(up, down, "after(1 h)", "", "record(fails)", {{"role", "failure"}});
    c.transition(down, up, "after(2 h)", "", "record(mended)", {{"role", "repair"}});
    m.set(up, "entry", "record(is_up)");
    m.component("unit", "Unit");
    TraceRun run(m.document());
    struct Parts : EventListener {
      const ChartReplication* charts = nullptr;
      std::string seen;
      void event(std::uint32_t event, double) override {
        seen += charts->model().event_names[event] + " " + std::to_string(charts->split_part()) + ", ";
      }
    } parts;
    parts.charts = &run.charts();
    run.charts().set_event_listener(&parts);
    if (!tables) run.charts().forget_steps();
    run.start().until(6.5);
    const std::string once = "fails 1, mended 1, is_up 0, ";
    QCOMPARE(parts.seen, "is_up 0, " + once + once);
  }
}

void TestChartReplication::demand_guards_ask_the_group() {
  ModelBuilder m;
  ChartBuilder c(m, "Unit");
  const ElementId standby = c.state("Standby"), choice = c.choice(), up = c.state("Up"), down = c.state("Down");
  c.initial(standby), c.transition(standby, choice, "at(1 h)");
  c.transition(choice, down, "", "ccf(start)", "", {{"role", "failure"}}), c.transition(choice, up, "", "else");
  m.component("unit", "Unit", "3");
  TraceRun run(m.document());
  ScriptedDemands demands;
  demands.answers = {ChartPart::no_failure, SplitPart{3}, ChartPart::own_failure};
  run.charts().set_demand_source(&demands);
  run.start().until(2);
  QCOMPARE(run.active(0) + " " + run.active(1) + " " + run.active(2), std::string("Up Down Down"));
  QVERIFY(run.charts().split_part() == SplitPart{3});
  QCOMPARE(demands.asked, 3);
}

void TestChartReplication::a_model_that_never_rests_is_named_data() {
  QTest::addColumn<QString>("there");
  QTest::addColumn<QString>("back");
  QTest::addColumn<QString>("action");
  QTest::newRow("without trigger") << ""
                                   << ""
                                   << "";
  QTest::newRow("delay of zero") << "after(0 h)"
                                 << "after(0 h)"
                                 << "";
  QTest::newRow("events sent to itself") << "go"
                                         << "go"
                                         << "send(go, unit)";
  QTest::newRow("events sent with a delay of zero") << "go"
                                                    << "go"
                                                    << "send(go, unit, 0 h)";
  QTest::newRow("events raised") << "go"
                                 << "go"
                                 << "raise(go)";
}

void TestChartReplication::a_model_that_never_rests_is_named() {
  QFETCH(QString, there);
  QFETCH(QString, back);
  QFETCH(QString, action);
  ModelBuilder m;
  ChartBuilder c(m, "Unit");
  const ElementId quiet = c.state("Quiet"), a = c.state("A"), b = c.state("B");
  c.initial(quiet), c.transition(quiet, a, "at(3 h)", "", action.toStdString());
  const ElementId t1 = c.transition(a, b, there.toStdString(), "", action.toStdString());
  const ElementId t2 = c.transition(b, a, back.toStdString(), "", action.toStdString());
  m.component("unit", "Unit");
  TraceRun run(m.document());
  run.start();
  try {
    run.until(24);
    QFAIL("came to rest");
  } catch (const ModelFailure& failure) {
    QCOMPARE(failure.diagnostic.code, std::string("RUN002"));
    QVERIFY(failure.diagnostic.element == t1 || failure.diagnostic.element == t2);
    QVERIFY2(failure.diagnostic.message.find(" 3") != std::string::npos, failure.diagnostic.message.c_str());
  }
}

void TestChartReplication::negative_rates_and_delays_end_the_run() {
  for (const char* trigger : {"rate((x - 2) * 1 /h)", "after((x - 2) * 1 h)", "every((x - 2) * 1 h)"}) {
    ModelBuilder m;
    ChartBuilder c(m, "Unit");
    c.variable("x", "real", "3");
    const ElementId a = c.state("A"), b = c.state("B");
    c.initial(a), c.transition(a, b, "at(0.001 h)", "", "x := 1");
    const ElementId bad = c.transition(b, a, trigger);
    m.component("unit", "Unit");
    TraceRun run(m.document());
    run.start();
    bool failed = false;
    try {
      run.until(24);
    } catch (const ModelFailure& failure) {
      failed = true;
      QCOMPARE(failure.diagnostic.element, bad);
    }
    QVERIFY2(failed, trigger);
  }
}

// A transition that has nothing to do with it comes first in the chart.
void TestChartReplication::a_negative_delay_of_an_event_names_who_sends_it() {
  for (const int where : {0, 1, 2}) {
    ModelBuilder m;
    ChartBuilder c(m, "Unit");
    c.variable("x", "real", "-1");
    const std::string send = "send(e, delay = x * 1 h)";
    const ElementId a = c.state("A", {}, "", where == 1 ? send : ""), b = c.state("B", {}, where == 2 ? send : "");
    c.initial(a), c.transition(b, a, "after(1 h)"), c.transition(b, a, "e");
    const ElementId sends = c.transition(a, b, "at(1 h)", "", where == 0 ? send : "");
    m.component("unit", "Unit");
    TraceRun run(m.document());
    run.start();
    try {
      run.until(24);
      QFAIL("went on");
    } catch (const ModelFailure& failure) {
      QCOMPARE(failure.diagnostic.code, std::string("RUN002"));
      QCOMPARE(failure.diagnostic.element, where == 0 ? sends : where == 1 ? a : b);
      QVERIFY2(failure.diagnostic.message.find("unit sends is -3600 s") != std::string::npos,
               failure.diagnostic.message.c_str());
    }
  }
}

void TestChartReplication::charts_of_many_words_behave_as_small_ones() {
  // Two regions of rings with 70 states each: 145 states, three words. Each event moves both rings; one leaves the
  // state.
  ModelBuilder m;
  ChartBuilder c(m, "Unit");
  const ElementId p = traced(c, "P"), r1 = c.region("R1", p), r2 = c.region("R2", p);
  std::vector<ElementId> left, right;
  for (int i = 0; i < 70; ++i) left.push_back(traced(c, "L" + std::to_string(i), r1));
  for (int i = 0; i < 70; ++i) right.push_back(traced(c, "R" + std::to_string(i), r2));
  const ElementId out = traced(c, "Out");
  c.initial(p), c.initial(left[0], r1), c.initial(right[0], r2);
  for (std::size_t i = 0; i < 70; ++i)
    c.transition(left[i], left[(i + 1) % 70], "go"), c.transition(right[i], right[(i + 3) % 70], "go");
  c.transition(p, out, "leave"), c.transition(out, right[69], "back");
  m.component("first", "Unit"), m.component("second", "Unit");
  TraceRun run(m.document());
  run.start();
  for (int i = 1; i <= 200; ++i) {
    run.send("go", 1);
    QCOMPARE(run.active(1), "P R1 L" + std::to_string(i % 70) + " R2 R" + std::to_string(3 * i % 70));
  }
  run.clear();
  QCOMPARE(run.send("leave", 1).trace(), std::string("out_R40 out_L60 out_P in_Out"));
  QCOMPARE(run.send("back", 1).active(1), std::string("P R1 L0 R2 R69"));
  QCOMPARE(run.active(0), std::string("P R1 L0 R2 R0"));
}

void TestChartReplication::the_short_way_and_the_general_way_give_the_same_run() {
  // The same chart twice; in the second an entry action that changes nothing keeps the compiler from its short cut.
  const auto build = [](bool general) {
    auto m = std::make_unique<ModelBuilder>();
    ChartBuilder c(*m, "Unit");
    c.variable("idle", "integer");
    const std::string action = general ? "idle := 0" : "";
    const ElementId up = c.state("Up", {}, action), low = c.state("Low", up, action),
                    high = c.state("High", up, action);
    const ElementId down = c.state("Down", {}, action), waiting = c.state("Waiting", down, action),
                    repair = c.state("Repair", down, action);
    c.initial(up), c.initial(low, up), c.initial(waiting, down);
    c.transition(low, high, "rate(0.5 /h * (1 + count(unit[*].Down)))"),
        c.transition(high, low, "after(exponential(mean = 3 h))");
    c.transition(high, down, "rate(0.2 /h)", "", "", {{"role", "failure"}}),
        c.transition(low, down, "after(weibull(shape = 2, scale = 9 h))", "", "", {{"role", "failure"}});
    c.transition(waiting, repair, "when(count(unit[*].Repair) < 2)"),
        c.transition(repair, high, "after(uniform(low = 1 h, high = 4 h))", "", "", {{"role", "repair"}});
    m->component("unit", "Unit", "5");
    return m;
  };
  TraceRun short_way(build(false)->document(), 4), general(build(true)->document(), 4);
  std::size_t hops = 0;
  for (const Hop& hop : short_way.model().hops) hops += hop.known;
  QVERIFY2(hops >= 25, qPrintable(QString::number(hops)));  // else both went the general way
  for (const Hop& hop : general.model().hops) QVERIFY(!hop.known);
  for (std::uint64_t replication = 0; replication < 200; ++replication) {
    short_way.start(replication), general.start(replication);
    while (short_way.history().next_time() <= 200 * 3600.0) {
      QCOMPARE(short_way.history().next_time(), general.history().next_time());
      short_way.history().step(), general.history().step();
      for (std::uint32_t i = 0; i < 5; ++i) QCOMPARE(short_way.active(i), general.active(i));
    }
    QCOMPARE(short_way.world().fingerprint, general.world().fingerprint);
    QCOMPARE(short_way.world().events, general.world().events);
  }
}

void TestChartReplication::components_woken_at_their_thresholds_do_the_same_as_those_always_asked() {
  // The same model twice; in the second the conditions add a variable that is zero, so that they are no comparisons.
  const auto build = [](bool asked) {
    auto m = std::make_unique<ModelBuilder>();
    ChartBuilder unit(*m, "Unit");
    const ElementId up = unit.state("Up"), down = unit.state("Down");
    unit.initial(up);
    unit.transition(up, down, "rate(0.2 /h)"), unit.transition(down, up, "rate(0.3 /h)");
    m->component("unit", "Unit", "8");
    const std::string number = asked ? "(count(unit[*].Down) + nothing)" : "count(unit[*].Down)";
    int watchers = 0;
    for (const char* way : {"N >= 3", "N > 2", "5 <= N", "N == 4", "2 == N", "N < 3", "N <= 1", "N != 4"}) {
      std::string text = way;
      text.replace(text.find('N'), 1, number);
      const std::string name = "Watch" + std::to_string(++watchers);
      ChartBuilder c(*m, name);
      c.variable("nothing", "integer");
      const ElementId waits = c.state("Waits"), seen = c.state("Seen");
      c.initial(waits);
      c.transition(waits, seen, "when(" + text + ")"), c.transition(seen, waits, "rate(1 /h)");
      m->component("watch" + std::to_string(watchers), name, "2");
    }
    return m;
  };
  TraceRun woken(build(false)->document(), 4), asked(build(true)->document(), 4);
  QCOMPARE(woken.model().thresholds.size(), std::size_t{14});  // all but those that ask for another value
  QCOMPARE(asked.model().thresholds.size(), std::size_t{0});
  for (std::uint64_t replication = 0; replication < 100; ++replication) {
    woken.start(replication), asked.start(replication);
    while (asked.history().next_time() <= 100 * 3600.0) {
      QCOMPARE(woken.history().next_time(), asked.history().next_time());
      woken.history().step(), asked.history().step();
      for (std::uint32_t i = 0; i < 24; ++i) QCOMPARE(woken.active(i), asked.active(i));
    }
    QCOMPARE(woken.world().fingerprint, asked.world().fingerprint);
  }
}

void TestChartReplication::a_replication_depends_on_its_number_alone() {
  ModelBuilder m;
  ChartBuilder c(m, "Unit");
  c.variable("x", "integer");
  const ElementId a = c.state("A"), choice = c.choice(), b = c.state("B");
  c.initial(a), c.transition(a, choice, "rate(1 /h * (1 + x))", "", "x := x + 1");
  c.transition(choice, a, "p(0.8)"), c.transition(choice, b, "p(0.2)"),
      c.transition(b, a, "after(gamma(shape = 2, scale = 1 h))", "", "send(e, unit[*], 1 h)"), c.transition(a, b, "e");
  m.component("unit", "Unit", "3");
  TraceRun fresh(m.document(), 3), used(m.document(), 3);
  for (const std::uint64_t replication : {7U, 0U, 7U, 12345U, 1U}) {
    used.start(replication).until(50);
    TraceRun once(m.document(), 3);
    once.start(replication).until(50);
    QCOMPARE(used.world().fingerprint, once.world().fingerprint);
  }
  QVERIFY(fresh.start(1).until(50).world().fingerprint != fresh.start(2).until(50).world().fingerprint);
}

QTEST_APPLESS_MAIN(TestChartReplication)
#include "tst_chart_replication.moc"
