// Whatever may be drawn, one model each: every solver of networks says that it does not take it, at its element, or its
// answer is what the simulation comes to.
#include <QtTest>

#include "core/des/lowering.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "solvers/queueing/solve/network_solver.h"
#include "tests/solvers/queueing/drawn_network.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// A model with something in it; @returns the element of that.
using Draw = ElementId (*)(DrawnNetwork&);

const char *arrivals = "exponential(mean = 2 s)", *services = "exponential(mean = 1 s)";

template <class... Properties>
Value with_more(Properties... all) {
  Value out = Value::object();
  const auto add = [&](const auto& one) { out[one.first] = std::string(one.second); };
  (add(all), ...);
  return out;
}
using P = std::pair<const char*, const char*>;

ElementId station(DrawnNetwork& d, Value more) {
  const ElementId out = d.queue(arrivals, services, std::move(more));
  d.m.measure("average", "time_average", "desk.number");
  return out;
}
/// Two classes at a station.
ElementId classes(DrawnNetwork& d, Value more) {
  d.node("job_class", "x", with_more(P{"priority", "1"})), d.node("job_class", "y");
  const ElementId in_x = d.node("source", "in_x",
                                with_more(P{"interarrival", "exponential(mean = 4 s)"}, P{"class", "x"})),
                  in_y = d.node("source", "in_y",
                                with_more(P{"interarrival", "exponential(mean = 3 s)"}, P{"class", "y"}));
  more["service"] = std::string("exponential(mean = 0.8 s)");
  const ElementId desk = d.node("station", "desk", std::move(more)), out = d.node("sink", "out");
  d.flow(in_x, desk), d.flow(in_y, desk), d.flow(desk, out);
  d.mean("number", "desk.number"), d.mean("x", "desk.number.x");
  d.m.measure("average", "time_average", "desk.number");
  return desk;
}
/// A source, a node of some kind, a station, a sink.
ElementId before(DrawnNetwork& d, const char* kind, Value more) {
  const ElementId in = d.node("source", "in", with_more(P{"interarrival", arrivals})),
                  node = d.node(kind, "node", std::move(more)),
                  desk = d.node("station", "desk", with_more(P{"service", services})), out = d.node("sink", "out");
  d.flow(in, node), d.flow(node, desk), d.flow(desk, out);
  d.mean("number", "desk.number"), d.m.measure("average", "time_average", "desk.number");
  return node;
}
/// Two stations one after the other, the second with room for two.
ElementId region(DrawnNetwork& d, const char* when_full) {
  const ElementId in = d.node("source", "in", with_more(P{"interarrival", arrivals})),
                  desk = d.node("station", "desk", with_more(P{"service", services})),
                  next = d.node("station", "next",
                                with_more(P{"service", services}, P{"capacity", "2"}, P{"when_full", when_full})),
                  out = d.node("sink", "out");
  d.flow(in, desk), d.flow(desk, next), d.flow(next, out);
  d.mean("number", "desk.number"), d.mean("next", "next.number");
  return next;
}
/// A router that sends customers to two stations.
ElementId choice(DrawnNetwork& d, const char* routing) {
  const ElementId in = d.node("source", "in", with_more(P{"interarrival", arrivals})),
                  node = d.node("router", "node", with_more(P{"routing", routing})),
                  desk = d.node("station", "desk", with_more(P{"service", services})),
                  next = d.node("station", "next", with_more(P{"service", "exponential(mean = 1.5 s)"})),
                  out = d.node("sink", "out");
  d.flow(in, node), d.flow(node, desk), d.flow(node, next), d.flow(desk, out), d.flow(next, out);
  d.mean("number", "desk.number"), d.mean("next", "next.number");
  return node;
}

struct KnownElementsDrawing {
  const char* what;
  Draw draw;
};
const KnownElementsDrawing drawings[] = {
    {"nothing", [](DrawnNetwork& d) { return station(d, {}); }},
    {"logger", [](DrawnNetwork& d) { return before(d, "logger", {}); }},
    {"fork", [](DrawnNetwork& d) { return before(d, "fork", {}); }},
    {"join", [](DrawnNetwork& d) { return before(d, "join", {}); }},
    {"semaphore", [](DrawnNetwork& d) { return before(d, "semaphore", {}); }},
    {"scaler", [](DrawnNetwork& d) { return before(d, "scaler", {}); }},
    {"transport",
     [](DrawnNetwork& d) {
       return before(d, "transport", with_more(P{"distance", "3 m"}));
     }},
    {"seize",
     [](DrawnNetwork& d) {
       d.node("pool", "tools", with_more(P{"units", "50"}));
       return before(d, "seize", with_more(P{"pool", "tools"}));
     }},
    {"seize that takes units away",
     [](DrawnNetwork& d) {
       d.node("pool", "tools", with_more(P{"units", "50"}));
       return before(d, "seize", with_more(P{"pool", "tools"}, P{"preempts", "true"}));
     }},
    {"release",
     [](DrawnNetwork& d) {
       d.node("pool", "tools");
       return before(d, "release", with_more(P{"pool", "tools"}));
     }},
    {"a flow with a count",
     [](DrawnNetwork& d) {
       const ElementId in = d.node("source", "in", with_more(P{"interarrival", arrivals})), split = d.node("fork", "split"),
                       desk = d.node("station", "desk", with_more(P{"service", "exponential(mean = 0.4 s)"})),
                       out = d.node("sink", "out");
       d.flow(in, split), d.flow(split, desk, with_more(P{"count", "3"})), d.flow(desk, out);
       d.mean("number", "desk.number");
       return split;
     }},
    {"region, waiting",
     [](DrawnNetwork& d) {
       station(d, {});
       return d.node("region", "yard", with_more(P{"stations", "desk"}, P{"capacity", "1"}));
     }},
    {"region, losing",
     [](DrawnNetwork& d) {
       station(d, {});
       return d.node("region", "yard", with_more(P{"stations", "desk"}, P{"capacity", "1"}, P{"when_full", "lose"}));
     }},
    {"place and transition",
     [](DrawnNetwork& d) {
       station(d, {});
       const ElementId on = d.node("place", "on", with_more(P{"tokens", "1"})), off = d.node("place", "off"),
                       fail = d.node("transition", "fail", with_more(P{"time", arrivals})),
                       mend = d.node("transition", "mend", with_more(P{"time", services}));
       d.flow(on, fail), d.flow(fail, off), d.flow(off, mend), d.flow(mend, on), d.mean("on", "on.number");
       return fail;
     }},
    {"inhibitor",
     [](DrawnNetwork& d) {
       const ElementId in = d.node("transition", "in", with_more(P{"time", arrivals})), line = d.node("place", "line"),
                       serve = d.node("transition", "serve", with_more(P{"time", services})),
                       desk = d.node("delay", "desk", with_more(P{"time", services})), out = d.node("sink", "out");
       d.flow(in, line), d.flow(line, serve), d.flow(serve, desk), d.flow(desk, out);
       d.flow(line, in, with_more(P{"inhibits", "true"}, P{"count", "3"}));
       d.mean("number", "desk.number"), d.mean("line", "line.number");
       return line;
     }},
    {"batches that come",
     [](DrawnNetwork& d) {
       const ElementId in = d.node("source", "in", with_more(P{"interarrival", "exponential(mean = 4 s)"}, P{"batch", "2"})),
                       desk = d.node("station", "desk", with_more(P{"service", services})), out = d.node("sink", "out");
       d.flow(in, desk), d.flow(desk, out), d.mean("number", "desk.number");
       return in;
     }},
    {"class changes",
     [](DrawnNetwork& d) {
       d.node("job_class", "x"), d.node("job_class", "y");
       const ElementId in = d.node("source", "in", with_more(P{"interarrival", arrivals}, P{"class", "x"})),
                       desk = d.node("station", "desk",
                                     with_more(P{"service", "exponential(mean = 0.7 s)"}, P{"discipline", "ps"})),
                       out = d.node("sink", "out");
       d.flow(in, desk), d.flow(desk, out, with_more(P{"class", "y"}));
       d.flow(desk, desk, with_more(P{"class", "x"}, P{"becomes", "y"}));
       d.mean("number", "desk.number"), d.mean("x", "desk.number.x"), d.mean("y", "desk.number.y");
       return desk;
     }},
    {"those turned away go elsewhere",
     [](DrawnNetwork& d) {
       const ElementId desk = station(d, with_more(P{"capacity", "2"})),
                       other = d.node("station", "other", with_more(P{"service", services})), gone = d.node("sink", "gone");
       d.flow(desk, other, with_more(P{"taken_by", "refused"})), d.flow(other, gone), d.mean("other", "other.number");
       return desk;
     }},
    {"those who give up go elsewhere",
     [](DrawnNetwork& d) {
       const ElementId desk = station(d, with_more(P{"patience", services})),
                       other = d.node("station", "other", with_more(P{"service", services})), gone = d.node("sink", "gone");
       d.flow(desk, other, with_more(P{"taken_by", "reneged"})), d.flow(other, gone), d.mean("other", "other.number");
       return desk;
     }},
    {"capacity",
     [](DrawnNetwork& d) {
       return station(d, with_more(P{"capacity", "3"}));
     }},
    {"blocking", [](DrawnNetwork& d) { return region(d, "block"); }},
    {"blocking before service", [](DrawnNetwork& d) { return region(d, "block_before"); }},
    {"coming again", [](DrawnNetwork& d) { return region(d, "retry"); }},
    {"round robin", [](DrawnNetwork& d) { return choice(d, "round_robin"); }},
    {"shortest queue", [](DrawnNetwork& d) { return choice(d, "shortest_queue"); }},
    {"least work", [](DrawnNetwork& d) { return choice(d, "least_work"); }},
    {"last response", [](DrawnNetwork& d) { return choice(d, "last_response"); }},
    {"last service", [](DrawnNetwork& d) { return choice(d, "last_service"); }},
    {"power of d", [](DrawnNetwork& d) { return choice(d, "power_of_d"); }},
    {"fastest", [](DrawnNetwork& d) { return choice(d, "fastest"); }},
    {"at random", [](DrawnNetwork& d) { return choice(d, "random"); }},
    {"patience",
     [](DrawnNetwork& d) {
       return station(d, with_more(P{"patience", "exponential(mean = 2 s)"}));
     }},
    {"balking",
     [](DrawnNetwork& d) {
       return station(d, with_more(P{"balking", "min(1, desk.number / 4)"}));
     }},
    {"set-up",
     [](DrawnNetwork& d) {
       return station(d, with_more(P{"setup", "1 s"}));
     }},
    {"vacations",
     [](DrawnNetwork& d) {
       return station(d, with_more(P{"vacation", services}));
     }},
    {"breakdowns",
     [](DrawnNetwork& d) {
       return station(d, with_more(P{"time_to_failure", "exponential(mean = 9 s)"}, P{"time_to_repair", services}));
     }},
    {"times of each customer",
     [](DrawnNetwork& d) {
       const ElementId desk = station(d, {});
       for (const Element* one : d.m.document().nodes(d.diagram))
         if (one->kind == "source") d.m.set(one->id, "attributes", "x = exponential(mean = 1)");
       d.m.set(desk, "service", "x * 1 s");
       return desk;
     }},
    {"attributes that nobody reads",
     [](DrawnNetwork& d) {
       const ElementId desk = station(d, {});
       for (const Element* one : d.m.document().nodes(d.diagram))
         if (one->kind == "source") d.m.set(one->id, "attributes", "x = exponential(mean = 1)");
       return desk;
     }},
    {"laws of each customer",
     [](DrawnNetwork& d) {
       const ElementId desk = station(d, {});
       for (const Element* one : d.m.document().nodes(d.diagram))
         if (one->kind == "source") d.m.set(one->id, "attributes", "x = exponential(mean = 1)");
       d.m.set(desk, "service", "exponential(mean = x * 1 s)");
       return desk;
     }},
    {"ways of each customer",
     [](DrawnNetwork& d) {
       const ElementId in = d.node("source", "in", with_more(P{"interarrival", arrivals}, P{"attributes", "x = 1"})),
                       desk = d.node("station", "desk", with_more(P{"service", services})), out = d.node("sink", "out");
       d.flow(in, desk, with_more(P{"probability", "if(x > 1, 0.3, 1)"})), d.flow(in, out), d.flow(desk, out);
       d.mean("number", "desk.number");
       return in;
     }},
    {"patience of each customer",
     [](DrawnNetwork& d) {
       const ElementId desk = station(d, with_more(P{"patience", "exponential(mean = x * 1 s)"}));
       for (const Element* one : d.m.document().nodes(d.diagram))
         if (one->kind == "source") d.m.set(one->id, "attributes", "x = 1");
       return desk;
     }},
    {"balking of each customer",
     [](DrawnNetwork& d) {
       const ElementId desk = station(d, with_more(P{"balking", "x / 4"}));
       for (const Element* one : d.m.document().nodes(d.diagram))
         if (one->kind == "source") d.m.set(one->id, "attributes", "x = 1");
       return desk;
     }},
    {"priorities of each customer",
     [](DrawnNetwork& d) {
       const ElementId desk = classes(d, with_more(P{"priorities", "nonpreemptive"}));
       for (const Element* one : d.m.document().nodes(d.diagram))
         if (one->kind == "job_class" && one->name() == "x")
           d.m.set(one->id, "attributes", "u = 3"), d.m.set(one->id, "priority", "u");
       return desk;
     }},
    {"a router that sets",
     [](DrawnNetwork& d) {
       const ElementId router = before(d, "router", with_more(P{"sets", "x = x + 1"}));
       for (const Element* one : d.m.document().nodes(d.diagram))
         if (one->kind == "source") d.m.set(one->id, "attributes", "x = 1");
       return router;
     }},
    {"a speed",
     [](DrawnNetwork& d) {
       return station(d, with_more(P{"speed", "1.5"}));
     }},
    {"a speed by the load",
     [](DrawnNetwork& d) {
       return station(d, with_more(P{"speed", "1 + 0.5 * min(desk.number, 3)"}));
     }},
    {"a speed by those who wait",
     [](DrawnNetwork& d) {
       return station(d, with_more(P{"speed", "if(desk.waiting > 1, 2, 1)"}));
     }},
    {"servers of their own",
     [](DrawnNetwork& d) {
       return station(d, with_more(P{"server_speeds", "[1, 0.4]"}));
     }},
    {"batches served",
     [](DrawnNetwork& d) {
       return station(d, with_more(P{"batch", "2"}, P{"least_batch", "1"}));
     }},
    {"servers by the load",
     [](DrawnNetwork& d) {
       return station(d, with_more(P{"servers", "if(desk.number > 2, 2, 1)"}));
     }},
    {"services by the load",
     [](DrawnNetwork& d) {
       const ElementId desk = station(d, {});
       d.m.set(desk, "service", "1 s / max(1, desk.number)");
       return desk;
     }},
    {"services with memory",
     [](DrawnNetwork& d) {
       const ElementId desk = station(d, {});
       d.m.set(desk, "service", "mmpp(rates = [2 /s, 0.5 /s], switching = [0.5 /s, 0.25 /s])");
       return desk;
     }},
    {"services of a class with memory",
     [](DrawnNetwork& d) {
       return classes(d, with_more(P{"service_of", "x = map(d0 = [[-1 /s]], d1 = [[1 /s]])"}));
     }},
    {"stays with memory",
     [](DrawnNetwork& d) {
       return before(d, "delay", with_more(P{"time", "mmpp(rates = [2 /s, 0.5 /s], switching = [0.5 /s, 0.25 /s])"}));
     }},
    {"a rate by the load",
     [](DrawnNetwork& d) {
       const ElementId in = d.node("source", "in", with_more(P{"rate", "0.5 /s / (1 + desk.number)"})),
                       desk = d.node("station", "desk", with_more(P{"service", services})), out = d.node("sink", "out");
       d.flow(in, desk), d.flow(desk, out), d.mean("number", "desk.number");
       return in;
     }},
    {"ways by the load",
     [](DrawnNetwork& d) {
       const ElementId in = d.node("source", "in", with_more(P{"interarrival", arrivals})),
                       desk = d.node("station", "desk", with_more(P{"service", services})), out = d.node("sink", "out");
       d.flow(in, desk, with_more(P{"probability", "if(desk.number > 1, 0.3, 1)"})), d.flow(in, out), d.flow(desk, out);
       d.mean("number", "desk.number");
       return in;
     }},
    {"priorities",
     [](DrawnNetwork& d) {
       return classes(d, with_more(P{"priorities", "nonpreemptive"}));
     }},
    {"preemption",
     [](DrawnNetwork& d) {
       return classes(d, with_more(P{"priorities", "preemptive"}, P{"interruption", "resume"}));
     }},
    {"preemption, repeated",
     [](DrawnNetwork& d) {
       return classes(d, with_more(P{"priorities", "preemptive"}, P{"interruption", "repeat"}));
     }},
    {"polling",
     [](DrawnNetwork& d) {
       return classes(d, with_more(P{"discipline", "polling"}, P{"switchover", "0.1 s"}));
     }},
    {"due dates",
     [](DrawnNetwork& d) {
       const ElementId desk = classes(d, with_more(P{"discipline", "edd"}, P{"priorities", "ignored"}));
       for (const Element* one : d.m.document().nodes(d.diagram))
         if (one->kind == "job_class") d.m.set(one->id, "due", one->name() == "x" ? "1 s" : "9 s");
       return desk;
     }},
    {"dps",
     [](DrawnNetwork& d) {
       return classes(d, with_more(P{"discipline", "dps"}, P{"weights", "x = 3"}));
     }},
    {"gps",
     [](DrawnNetwork& d) {
       return classes(d, with_more(P{"discipline", "gps"}, P{"weights", "x = 3"}));
     }},
    {"ps",
     [](DrawnNetwork& d) {
       return classes(d, with_more(P{"discipline", "ps"}));
     }},
    {"las",
     [](DrawnNetwork& d) {
       return station(d, with_more(P{"discipline", "las"}));
     }},
    {"sjf",
     [](DrawnNetwork& d) {
       return station(d, with_more(P{"discipline", "sjf"}));
     }},
    {"ljf",
     [](DrawnNetwork& d) {
       return station(d, with_more(P{"discipline", "ljf"}));
     }},
    {"srpt",
     [](DrawnNetwork& d) {
       return station(d, with_more(P{"discipline", "srpt"}));
     }},
    {"sept",
     [](DrawnNetwork& d) {
       const ElementId desk = classes(d, with_more(P{"discipline", "sept"}, P{"priorities", "ignored"}));
       d.m.set(desk, "service_of", "x = exponential(mean = 1.1 s)");
       return desk;
     }},
    {"lcfs",
     [](DrawnNetwork& d) {
       return station(d, with_more(P{"discipline", "lcfs"}));
     }},
    {"siro",
     [](DrawnNetwork& d) {
       return station(d, with_more(P{"discipline", "siro"}));
     }},
    {"lcfs_pr",
     [](DrawnNetwork& d) { return station(d, with_more(P{"discipline", "lcfs_pr"}, P{"interruption", "resume"})); }},
    {"lcfs_pr, repeated", [](DrawnNetwork& d) {
       return station(d, with_more(P{"discipline", "lcfs_pr"}, P{"interruption", "repeat"}));
     }}};

}  // namespace

/// Exact answers are asked to lie in 99.9 % intervals at a fixed seed: some 200 of them.
class TestKnownElements : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(network_lowering); }

  void every_solver_refuses_it_or_is_right_data() {
    QTest::addColumn<int>("number");
    for (int i = 0; i < static_cast<int>(std::size(drawings)); ++i) QTest::newRow(drawings[i].what) << i;
  }
  void every_solver_refuses_it_or_is_right() {
    QFETCH(int, number);
    const KnownElementsDrawing& one = drawings[number];
    DrawnNetwork d("4000 s");
    const ElementId element = one.draw(d);
    RunControl run;
    const ResultSet simulated =
        find_solver("simulation")->solve(d.m.document(), {.replications = 60, .confidence = 0.999}, run);
    QVERIFY2(simulated.status != RunStatus::failed, listed(simulated.diagnostics).c_str());
    for (const auto& solver : solvers()) {
      if (dynamic_cast<const NetworkSolver*>(solver.get()) == nullptr) continue;
      const std::string name = solver->spec().name;
      ++asked_;
      const Diagnostics why = solver->fits(d.m.document(), {.solver = name});
      if (has_errors(why)) {
        const bool named =
            std::any_of(why.begin(), why.end(), [&](const Diagnostic& x) { return x.element == element; });
        QVERIFY2(named, (name + ": " + listed(why)).c_str());
        continue;
      }
      RunRequest request;
      request.solver = name;
      RunControl control;
      const ResultSet r = solver->solve(d.m.document(), request, control);
      QVERIFY2(r.status != RunStatus::failed, (name + ": " + r.stop_reason).c_str());
      if (!solver->spec().exact) continue;
      for (const MeasureResult& m : simulated.measures) {
        const MeasureResult* answer = r.measure(m.id);
        if (answer == nullptr) continue;
        ++compared_;
        QVERIFY2(m.lower <= answer->estimate && answer->estimate <= m.upper,
                 (name + ": " + m.id + " is " + std::to_string(answer->estimate) + ", simulated " +
                  std::to_string(m.lower) + " to " + std::to_string(m.upper))
                     .c_str());
      }
    }
  }
  void much_was_asked() {
    qInfo("%d asked, %d values compared", asked_, compared_);
    QVERIFY(asked_ >= 6 * 50 && compared_ >= 100);
  }

 private:
  int asked_ = 0, compared_ = 0;
};

QTEST_APPLESS_MAIN(TestKnownElements)
#include "tst_known_elements.moc"
