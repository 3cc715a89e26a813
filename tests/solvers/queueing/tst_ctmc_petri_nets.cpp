// Places and transitions, and regions, state by state: against plain chains of tangible markings, written out by hand.
#include <QtTest>

#include "core/des/lowering.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/solvers/queueing/drawn_network.h"
#include "tests/solvers/queueing/plain_chain.h"

using namespace ergode;
using namespace ergode::test;

namespace {

using S = PlainChain::State;
using Go = PlainChain::Go;

struct CtmcPetriNetsNet : DrawnNetwork {
  CtmcPetriNetsNet() : DrawnNetwork("100 s") {}
  ElementId place(const std::string& name, const std::string& tokens = "0", const std::string& of_class = "") {
    Value more = {{"tokens", tokens}};
    if (!of_class.empty()) more["class"] = of_class;
    return node("place", name, std::move(more));
  }
  ElementId timed(const std::string& name, const std::string& mean, const std::string& servers = "1") {
    return node("transition", name, {{"time", "exponential(mean = " + mean + " s)"}, {"servers", servers}});
  }
  ElementId at_once(const std::string& name, const std::string& weight = "1", const std::string& priority = "0") {
    return node("transition", name, {{"weight", weight}, {"priority", priority}});
  }
  ResultSet chain() const {
    return solved(m.document(), {.solver = "ctmc-network", .options = {{"error-bound", "1e-10"}}});
  }
  std::string reasons(const char* solver = "ctmc-network") const {
    std::string out;
    for (const Diagnostic& d : find_solver(solver)->fits(m.document(), {.solver = solver})) out += d.message + "\n";
    return out;
  }
};

}  // namespace

class TestCtmcPetriNets : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(network_lowering); }

  // A choice by weights, one that goes before by priority, an inhibitor, one server and any number.
  void markings_in_which_something_takes_no_time_vanish() {
    CtmcPetriNetsNet d;
    const ElementId ready = d.place("ready", "4"), chosen = d.place("chosen"), left = d.place("left"),
                    right = d.place("right"), start = d.timed("start", "1"), go_left = d.at_once("go_left"),
                    go_right = d.at_once("go_right", "3"), first = d.at_once("first", "1", "2"),
                    from_left = d.timed("from_left", "0.5", "infinite"), from_right = d.timed("from_right", "2");
    d.flow(ready, start), d.flow(start, chosen), d.flow(chosen, go_left), d.flow(chosen, go_right);
    d.flow(go_left, left), d.flow(go_right, right), d.flow(left, from_left), d.flow(right, from_right);
    d.flow(from_left, ready), d.flow(from_right, ready);
    d.flow(right, start, {{"inhibits", "true"}, {"count", "3"}});
    // Where nobody is on the left, he goes there.
    d.flow(chosen, first), d.flow(first, left), d.flow(left, first, {{"inhibits", "true"}});
    for (const char* one : {"ready", "left", "right", "chosen"}) d.mean(one, std::string(one) + ".number");
    d.mean("both", "left.number * right.number"), d.mean_of("stay", "right.response_time");
    const PlainChain chain({4, 0, 0}, [](const S& s, const Go& go) {
      if (s[0] > 0 && s[2] < 3) {
        if (s[1] == 0) go({s[0] - 1, s[1] + 1, s[2]}, 1.0);
        else go({s[0] - 1, s[1] + 1, s[2]}, 0.25), go({s[0] - 1, s[1], s[2] + 1}, 0.75);
      }
      if (s[1] > 0) go({s[0] + 1, s[1] - 1, s[2]}, 2.0 * s[1]);
      if (s[2] > 0) go({s[0] + 1, s[1], s[2] - 1}, 0.5);
    });
    const ResultSet r = d.chain();
    near(r, "ready", chain.mean([](const S& s) { return at(s, 0); }));
    near(r, "left", chain.mean([](const S& s) { return at(s, 1); }));
    near(r, "right", chain.mean([](const S& s) { return at(s, 2); }));
    near(r, "both", chain.mean([](const S& s) { return at(s, 1) * at(s, 2); }));
    const double fires = chain.mean([](const S& s) { return s[2] > 0 ? 0.5 : 0.0; });
    near(r, "throughput/from_right", fires), near(r, "throughput/go_right", fires);
    near(r, "throughput/right", fires), near(r, "stay", estimate(r, "right") / fires);
    near(r, "chosen", 0.0);
  }
  // Two become one and one becomes two, through a station with three phases.
  void tokens_are_customers_of_stations() {
    CtmcPetriNetsNet d;
    const ElementId many = d.place("many", "5"), few = d.place("few"), pair = d.timed("pair", "1", "2"),
                    part = d.at_once("part"),
                    desk = d.node("station", "desk", {{"service", "erlang(k = 2, mean = 0.7 s)"}});
    d.flow(many, pair, {{"count", "2"}}), d.flow(pair, desk), d.flow(desk, few);
    d.flow(few, part), d.flow(part, many, {{"count", "2"}});
    d.mean("many", "many.number"), d.mean("desk", "desk.number");
    d.m.measure("at_end", "final_value", "desk.number");
    const PlainChain chain({5, 0, 0}, [](const S& s, const Go& go) {  // many, at the desk, his phase
      if (s[0] > 1) go({s[0] - 2, s[1] + 1, s[2]}, std::min(2, s[0] / 2));
      if (s[1] == 0) return;
      if (s[2] == 0) go({s[0], s[1], 1}, 2 / 0.7);
      else go({s[0] + 2, s[1] - 1, 0}, 2 / 0.7);
    });
    const ResultSet r = d.chain();
    near(r, "many", chain.mean([](const S& s) { return at(s, 0); }));
    near(r, "desk", chain.mean([](const S& s) { return at(s, 1); }));
    // After 100 s nothing of the beginning is left.
    const ResultSet end = solved(d.m.document(), {.solver = "ctmc-network-transient"});
    near(end, "at_end", chain.mean([](const S& s) { return at(s, 1); }));
  }
  // Colours: what takes one of each class, and makes a third.
  void arcs_ask_for_classes() {
    CtmcPetriNetsNet d;
    d.node("job_class", "bolt"), d.node("job_class", "nut"), d.node("job_class", "kit");
    const ElementId shelf = d.place("shelf"), make_bolt = d.timed("make_bolt", "1"),
                    make_nut = d.timed("make_nut", "0.5"), join = d.timed("join", "0.8", "infinite"),
                    packed = d.place("packed"), ship = d.timed("ship", "2"), out = d.node("sink", "out");
    d.flow(make_bolt, shelf, {{"class", "bolt"}}), d.flow(make_nut, shelf, {{"class", "nut"}});
    d.flow(shelf, make_bolt, {{"inhibits", "true"}, {"count", "2"}, {"class", "bolt"}});
    d.flow(shelf, make_nut, {{"inhibits", "true"}, {"count", "3"}, {"class", "nut"}});
    d.flow(shelf, join, {{"class", "bolt"}}), d.flow(shelf, join, {{"class", "nut"}});
    d.flow(join, packed, {{"class", "kit"}});
    d.flow(packed, ship, {{"class", "kit"}}), d.flow(ship, out);
    d.flow(packed, join, {{"inhibits", "true"}, {"count", "2"}});
    d.mean("bolts", "shelf.number.bolt"), d.mean("kits", "packed.number.kit");
    d.m.measure("rate", "observed_rate", "", {{"of", "out.time_in_system"}, {"unit", "/s"}});
    const PlainChain chain({0, 0, 0}, [](const S& s, const Go& go) {
      if (s[0] < 2) go({s[0] + 1, s[1], s[2]}, 1.0);
      if (s[1] < 3) go({s[0], s[1] + 1, s[2]}, 2.0);
      if (s[0] > 0 && s[1] > 0 && s[2] < 2) go({s[0] - 1, s[1] - 1, s[2] + 1}, std::min(s[0], s[1]) / 0.8);
      if (s[2] > 0) go({s[0], s[1], s[2] - 1}, 0.5);
    });
    QCOMPARE(d.reasons(), std::string());
    const ResultSet r = d.chain();
    near(r, "bolts", chain.mean([](const S& s) { return at(s, 0); }));
    near(r, "kits", chain.mean([](const S& s) { return at(s, 2); }));
    near(r, "rate", chain.mean([](const S& s) { return s[2] > 0 ? 0.5 : 0.0; }));
  }
  // M/M/1 of tokens, without number.
  void tokens_may_be_without_number() {
    CtmcPetriNetsNet d;
    const ElementId in = d.timed("in", "2"), line = d.place("line"), serve = d.timed("serve", "1"),
                    out = d.node("sink", "out");
    d.flow(in, line), d.flow(line, serve), d.flow(serve, out), d.mean("line", "line.number");
    near(d.chain(), "line", 1.0, 1e-6);
  }
  // Those who wait before a region, at its two stations; then one that loses, by class.
  void regions_let_in_so_many() {
    CtmcPetriNetsNet d;
    d.node("job_class", "users", {{"population", "6"}});
    const auto station = [](CtmcPetriNetsNet& net, const char* name, const char* mean) {
      return net.node("station", name, {{"service", std::string("exponential(mean = ") + mean + " s)"}});
    };
    const ElementId think = d.node("delay", "think", {{"time", "exponential(mean = 1 s)"}}), a = station(d, "a", "0.4"),
                    b = station(d, "b", "0.5");
    d.node("region", "yard", {{"stations", "a, b"}, {"capacity", "3"}});
    d.flow(think, a), d.flow(a, b, {{"probability", "0.8"}}), d.flow(a, a), d.flow(b, think);
    for (const char* one : {"a", "b", "yard"}) d.mean(one, std::string(one) + ".number");
    d.mean("before", "yard.waiting");
    const PlainChain chain({0, 0, 0}, [](const S& s, const Go& go) {  // waiting, at a, at b
      const int inside = s[1] + s[2];
      go(inside < 3 ? S{s[0], s[1] + 1, s[2]} : S{s[0] + 1, s[1], s[2]}, 6 - s[0] - inside);
      if (s[1] > 0) go({s[0], s[1] - 1, s[2] + 1}, 0.8 * 2.5);
      if (s[2] > 0) go(s[0] > 0 ? S{s[0] - 1, s[1] + 1, s[2] - 1} : S{s[0], s[1], s[2] - 1}, 2.0);
    });
    const ResultSet r = d.chain();
    near(r, "a", chain.mean([](const S& s) { return at(s, 1); }));
    near(r, "b", chain.mean([](const S& s) { return at(s, 2); }));
    near(r, "yard", chain.mean([](const S& s) { return at(s, 1) + at(s, 2); }));
    near(r, "before", chain.mean([](const S& s) { return at(s, 0); }));
    QVERIFY(r.measure("system_response_time/users") == nullptr);

    CtmcPetriNetsNet losing;
    losing.node("job_class", "x"), losing.node("job_class", "y");
    const ElementId in_x = losing.node("source", "in_x", {{"rate", "2 /s"}, {"class", "x"}}),
                    in_y = losing.node("source", "in_y", {{"rate", "1 /s"}, {"class", "y"}}),
                    stay = losing.node("delay", "stay", {{"time", "exponential(mean = 1 s)"}}),
                    out = losing.node("sink", "out");
    losing.node("region", "yard",
                {{"stations", "stay"}, {"capacity", "3"}, {"capacity_of", "x = 2"}, {"when_full", "lose"}});
    losing.flow(in_x, stay), losing.flow(in_y, stay), losing.flow(stay, out);
    losing.mean("x", "stay.number.x"), losing.mean("y", "stay.number.y");
    const PlainChain other({0, 0}, [](const S& s, const Go& go) {
      if (s[0] + s[1] < 3 && s[0] < 2) go({s[0] + 1, s[1]}, 2.0);
      if (s[0] + s[1] < 3) go({s[0], s[1] + 1}, 1.0);
      if (s[0] > 0) go({s[0] - 1, s[1]}, s[0]);
      if (s[1] > 0) go({s[0], s[1] - 1}, s[1]);
    });
    const ResultSet lost = losing.chain();
    near(lost, "x", other.mean([](const S& s) { return at(s, 0); }));
    near(lost, "y", other.mean([](const S& s) { return at(s, 1); }));
    near(lost, "loss_probability/stay/x",
         other.mean([](const S& s) { return s[0] + s[1] == 3 || s[0] == 2 ? 1.0 : 0.0; }));
  }
  void what_states_do_not_tell_is_refused() {
    CtmcPetriNetsNet fixed;
    const ElementId a = fixed.place("a", "1"), go = fixed.node("transition", "go", {{"time", "1 s"}});
    fixed.flow(a, go), fixed.flow(go, a);
    QVERIFY2(fixed.reasons().find("\"go\" is not exponential") != std::string::npos, fixed.reasons().c_str());
    QVERIFY2(fixed.reasons("mva").find("\"go\" is a transition") != std::string::npos, fixed.reasons("mva").c_str());
    CtmcPetriNetsNet classes;
    classes.node("job_class", "x"), classes.node("job_class", "y");
    const ElementId b = classes.place("b", "1", "x"), any = classes.timed("any", "1");
    classes.flow(b, any), classes.flow(any, b);
    QVERIFY2(classes.reasons().find("whatever class") != std::string::npos, classes.reasons().c_str());
    CtmcPetriNetsNet round;
    const ElementId c = round.place("c", "1"), e = round.place("e"), to = round.at_once("to"),
                    fro = round.at_once("fro");
    round.flow(c, to), round.flow(to, e), round.flow(e, fro), round.flow(fro, c);
    RunControl control;
    const ResultSet r = find_solver("ctmc-network")->solve(round.m.document(), {.solver = "ctmc-network"}, control);
    QVERIFY2(r.status == RunStatus::failed && r.stop_reason.find("without end") != std::string::npos,
             r.stop_reason.c_str());
  }
};

QTEST_APPLESS_MAIN(TestCtmcPetriNets)
#include "tst_ctmc_petri_nets.moc"
