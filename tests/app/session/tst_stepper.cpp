#include <QtTest>

#include "app/session/stepper.h"
#include "core/des/lowering.h"
#include "core/format/model_file.h"
#include "tests/support/model_builder.h"

using namespace ergode;
using namespace ergode::test;

namespace {

Document example(const std::string& folder) {
  ReadOutcome read = parse_model(project_file("examples/" + folder + "/model.ergode"));
  if (!read.document) throw std::runtime_error(listed(read.diagnostics));
  return std::move(*read.document);
}

std::unique_ptr<Stepper> stepper(const Document& document, std::uint64_t seed = 1) {
  Diagnostics problems;
  auto out = Stepper::begin(document, {.seed = seed}, problems);
  if (!out) throw std::runtime_error(listed(problems));
  return out;
}

/// Two lamps that react to `press`, and go out by themselves.
struct Lamps {
  ModelBuilder m{"10 h"};
  ChartBuilder c{m, "Lamp"};
  ElementId off = c.state("Off"), on = c.state("On"), go, stop;
  Lamps() {
    c.variable("presses", "integer");
    c.variable("since", "time");
    c.initial(off);
    go = c.transition(off, on, "press", "", "presses := presses + 1; since := now");
    stop = c.transition(on, off, "after(2 h)");
    m.component("lamp", "Lamp", "2");
  }
};

/// Bells, a notation of parts that are no charts: each counts the event it hears, NAME.rung, and raises another.
struct Bell {
  ElementId element;
  std::string name;
  std::int64_t hears = -1, raises = -1;
  std::uint32_t rung = 0;  ///< slot
};
class Bells : public LoweredPart {
 public:
  std::vector<Bell> all;
  std::unique_ptr<RunningPart> run(World& world, std::uint64_t seed) const override;
  std::vector<Thing> things() const override { return {{all.front().element, "the bell " + all.front().name}}; }
};
class RunningBells : public RunningPart {
 public:
  RunningBells(const Bells& bells, World& world) : bells_(bells), world_(world), first_(world.add_timers(0)) {}
  std::uint32_t first_timer() const override { return first_; }
  void start(std::uint64_t) override {}
  void fire(std::uint32_t) override {}
  void heard(std::uint32_t event) override {
    for (const Bell& bell : bells_.all) {
      if (bell.hears != event) continue;
      world_.set(bell.rung, world_.slots()[bell.rung] + 1.0);
      world_.tell(bell.name, bell.element, "rings");
      if (bell.raises >= 0) world_.raise(static_cast<std::uint32_t>(bell.raises));
    }
  }
  void save(ByteWriter&) const override {}
  void restore(ByteReader&, std::uint64_t) override {}
  void waiting(std::vector<Waiting>&) const override {}

 private:
  const Bells& bells_;
  World& world_;
  std::uint32_t first_;
};
std::unique_ptr<RunningPart> Bells::run(World& world, std::uint64_t) const {
  return std::make_unique<RunningBells>(*this, world);
}
class BellLowering : public NotationLowering {
 public:
  void declare(Lowering& model) override {
    for (const Element* node : model.nodes("bells", "bell")) {
      Bell bell{node->id, node->name()};
      model.slots.declare(bell.name, {node->id, "bell"});
      bell.rung = model.slots.add({.name = bell.name + ".rung",
                                   .type = ValueType::integer(),
                                   .element = node->id,
                                   .writer = "bells",
                                   .range = {0.0, NamedSlot::everything.upper}},
                                  0.0);
      if (node->has("hears")) bell.hears = model.slots.events.heard_by(node->id, "hears", node->text("hears"));
      if (node->has("raises")) bell.raises = model.slots.events.raised_by(node->id, "raises", node->text("raises"));
      made_->all.push_back(std::move(bell));
    }
  }
  std::shared_ptr<LoweredPart> lower(Lowering&, Scope&) override { return made_->all.empty() ? nullptr : made_; }

 private:
  std::shared_ptr<Bells> made_ = std::make_shared<Bells>();
};

}  // namespace

class TestStepper : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    register_lowering([] { return std::make_unique<BellLowering>(); });
  }
  void steps_are_the_transitions_of_the_history();
  void a_step_back_restores_everything();
  void events_are_given_to_one_or_to_all();
  void events_are_given_to_what_is_no_chart_too();
  void an_event_that_another_part_hears_is_not_in_vain();
  void breakpoints_stop_at_states_and_transitions();
  void a_trace_is_made_again_bit_by_bit();
  void a_trace_of_another_model_is_refused();
  void a_trace_is_of_one_model_with_its_values();
  void what_waits_is_listed_in_order();
  void a_model_with_errors_has_no_history();
};

void TestStepper::steps_are_the_transitions_of_the_history() {
  for (const char* folder : {"03_repairable_component", "07_heated_tank"}) {
    const Document document = example(folder);
    const auto run = stepper(document);
    double before = 0.0;
    for (int i = 0; i < 200 && run->step() != Stepper::Stop::end; ++i) {
      QVERIFY(run->now_s() >= before);
      before = run->now_s();
      QVERIFY(!run->active().empty());
    }
    QVERIFY(run->trace().size() >= 2);
  }
}

void TestStepper::a_step_back_restores_everything() {
  for (const char* folder : {"02_station_blackout", "07_heated_tank"}) {
    const Document document = example(folder);
    const auto run = stepper(document, 3);
    run->step(), run->step();
    const auto saved = run->trace_json();
    const auto active = run->active();
    const double now = run->now_s();
    const std::size_t steps = run->steps();
    QVERIFY(run->step() == Stepper::Stop::step);
    for (int i = 0; i < 4; ++i) run->step();
    while (run->steps() > steps) QVERIFY(run->step_back());
    QCOMPARE(run->now_s(), now);
    QVERIFY(run->active() == active);
    QVERIFY(run->trace_json() == saved);
    while (run->step_back()) {
    }
    QCOMPARE(run->steps(), std::size_t{0});
    QCOMPARE(run->now_s(), 0.0);
  }
}

void TestStepper::events_are_given_to_one_or_to_all() {
  Lamps d;
  const auto run = stepper(d.m.document());
  QCOMPARE(run->events(), std::vector<std::string>{"press"});
  run->give("press", 1);
  QVERIFY(run->active(0) == std::set<ElementId>{d.off});
  QVERIFY(run->active(1) == std::set<ElementId>{d.on});
  QCOMPARE(run->trace().size(), std::size_t{1});
  QCOMPARE(run->trace()[0].who, std::string("lamp[2]"));
  QCOMPARE(run->trace()[0].element, d.go);
  run->step();
  QCOMPARE(run->now_s(), 7200.0);
  run->give("press");
  QVERIFY(run->active() == std::set<ElementId>{d.on});
  const auto variables = run->variables();
  QCOMPARE(variables.size(), std::size_t{4});
  QCOMPARE(variables[2].name, std::string("lamp[2].presses"));
  QCOMPARE(variables[2].value, std::string("2"));
  QCOMPARE(variables[3].value + " " + variables[3].unit, std::string("2 h"));
  run->give("nobody.knows.this");
  QCOMPARE(run->trace().size(), std::size_t{4});
}

void TestStepper::events_are_given_to_what_is_no_chart_too() {
  Lamps d;
  const ElementId tower = d.m.diagram("Tower", "bells");
  d.m.node(tower, {}, "bell", {{"name", "great"}, {"hears", "press"}, {"raises", "gong"}});
  d.m.node(tower, {}, "bell", {{"name", "small"}, {"hears", "gong"}});
  const auto run = stepper(d.m.document());
  const auto rung = [&] {
    std::string out;
    for (const Stepper::Watched& one : run->variables())
      if (one.name.ends_with(".rung")) out += one.name + " " + one.value + " ";
    return out;
  };
  run->give("press");
  QCOMPARE(rung(), std::string("great.rung 1 small.rung 1 "));
  QVERIFY(run->active(0) == std::set<ElementId>{d.on} && run->active(1) == std::set<ElementId>{d.on});
  // As when a part raises it: whoever is no chart hears at once, charts take their transitions when all have heard.
  std::string order;
  for (const Happened& one : run->trace()) order += one.who + " ";
  QCOMPARE(order, std::string("great small lamp[1] lamp[2] "));
  // What is given to one component is for nobody else.
  run->give("press", 0);
  QCOMPARE(rung(), std::string("great.rung 1 small.rung 1 "));
  run->give("gong");
  QCOMPARE(rung(), std::string("great.rung 1 small.rung 2 "));
  QVERIFY(run->step_back());
  QCOMPARE(rung(), std::string("great.rung 1 small.rung 1 "));
  QVERIFY(run->step_back() && run->step_back());
  QCOMPARE(rung(), std::string("great.rung 0 small.rung 0 "));
  run->give("gong"), run->give("press"), run->step();
  const Value saved = run->trace_json();
  run->restart();
  QVERIFY(run->replay(saved).empty());
  QCOMPARE(rung(), std::string("great.rung 1 small.rung 2 "));
}

void TestStepper::an_event_that_another_part_hears_is_not_in_vain() {
  for (const bool heard : {false, true}) {
    ModelBuilder m("1 h");
    const ElementId tower = m.diagram("Tower", "bells"),
                    great = m.node(tower, {}, "bell", {{"name", "great"}, {"raises", "gong"}});
    m.node(tower, {}, "bell", {{"name", "small"}, {"hears", heard ? "gong" : "gng"}});
    m.measure("rung", "final_value", "small.rung");
    Diagnostics problems;
    QVERIFY2(Stepper::begin(m.document(), {}, problems) != nullptr, listed(problems).c_str());
    const Diagnostic* told = find_code(problems, "SYS007");
    QCOMPARE(told == nullptr, heard);
    if (heard) continue;
    QCOMPARE(told->element, great);
    QVERIFY(told->hint.find("gng") != std::string::npos);
  }
}

void TestStepper::breakpoints_stop_at_states_and_transitions() {
  Lamps d;
  const auto run = stepper(d.m.document());
  run->set_breakpoints({d.on});
  QVERIFY(run->give("press", 0) == Stepper::Stop::breakpoint);
  QVERIFY(run->step() == Stepper::Stop::step);
  run->set_breakpoints({d.stop});
  QVERIFY(run->give("press", 0) == Stepper::Stop::step);
  QVERIFY(run->step() == Stepper::Stop::breakpoint);
  QVERIFY(run->step() == Stepper::Stop::end);
  QCOMPARE(run->now_s(), 36000.0);
}

void TestStepper::a_trace_is_made_again_bit_by_bit() {
  const Document document = example("02_station_blackout");
  const auto run = stepper(document, 11);
  for (int i = 0; i < 8; ++i) run->step();
  const auto saved = Value::parse(run->trace_json().dump());
  const auto again = stepper(document, 11);
  const Diagnostics problems = again->replay(saved);
  QVERIFY2(problems.empty(), listed(problems).c_str());
  QVERIFY(again->trace_json() == run->trace_json());
}

void TestStepper::a_trace_of_another_model_is_refused() {
  Lamps d, other;
  const auto run = stepper(d.m.document());
  run->give("press"), run->step();
  const auto saved = run->trace_json();
  other.m.set(other.stop, "trigger", "after(3 h)");
  QVERIFY(find_code(stepper(other.m.document())->replay(saved), "STP001") != nullptr);
  QVERIFY(find_code(stepper(d.m.document(), 2)->replay(saved), "STP001") != nullptr);
  QVERIFY(find_code(stepper(d.m.document())->replay(Value::parse("[1]")), "STP001") != nullptr);
  QVERIFY(find_code(stepper(d.m.document())->replay({{"format", "ergode-trace"}}), "STP001") != nullptr);
  QVERIFY(stepper(d.m.document())->replay(saved).empty());
}

void TestStepper::a_trace_is_of_one_model_with_its_values() {
  Lamps d;
  const ElementId hours = d.m.parameter("hours", "2 h");
  d.m.parameter("unread", "1");
  d.m.set(d.stop, "trigger", "after(hours)");
  d.m.scenario("slow", "hours = 3 h");
  const auto of = [&](const std::string& scenario, std::map<std::string, std::string> values) {
    RunRequest request;
    request.seed = 1, request.scenario = scenario, request.overrides = std::move(values);
    Diagnostics problems;
    return Stepper::begin(d.m.document(), request, problems);
  };
  const auto run = of("slow", {{"unread", "2"}});
  run->give("press"), run->step();
  const auto saved = Value::parse(run->trace_json().dump());
  RunRequest asked;
  QVERIFY(Stepper::ask_as_saved(saved, asked).empty());
  QCOMPARE(asked.scenario, std::string("slow"));
  QVERIFY(asked.overrides == (std::map<std::string, std::string>{{"unread", "2"}}));
  QVERIFY(of(asked.scenario, asked.overrides)->replay(saved).empty());
  QVERIFY(find_code(of("", {{"unread", "2"}})->replay(saved), "STP001") != nullptr);
  // The same transitions, but the parameter might have mattered.
  const Diagnostics other = of("slow", {})->replay(saved);
  QVERIFY(find_code(other, "STP002") != nullptr && other[0].severity == Severity::warning);
  d.m.set(hours, "value", "4 h");
  QVERIFY(find_code(of("slow", {{"unread", "2"}})->replay(saved), "STP002") != nullptr);
}

void TestStepper::what_waits_is_listed_in_order() {
  const Document document = example("02_station_blackout");
  const auto run = stepper(document, 3);
  const auto waiting = run->scheduled();
  QVERIFY(waiting.size() >= 5);
  for (std::size_t i = 1; i < waiting.size(); ++i) QVERIFY(waiting[i - 1].time_s <= waiting[i].time_s);
  const std::size_t before = run->trace().size();
  run->step();
  QVERIFY(run->trace().size() > before);
}

void TestStepper::a_model_with_errors_has_no_history() {
  Lamps d;
  d.m.set(d.stop, "trigger", "after(");
  Diagnostics problems;
  QVERIFY(Stepper::begin(d.m.document(), {}, problems) == nullptr);
  QVERIFY(has_errors(problems));
}

QTEST_APPLESS_MAIN(TestStepper)
#include "tst_stepper.moc"
