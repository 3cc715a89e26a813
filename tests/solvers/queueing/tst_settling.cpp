// Whether a network settles, and whether all of its customers do: against customers told apart by name, followed state
// by state, birth-death chains, and networks whose rest is no single one.
#include <QtTest>
#include <cmath>
#include <map>
#include <set>

#include "core/des/lowering.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/solvers/queueing/drawn_network.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// One station and a delay; customers of class a (numbers 0 ...) and b (the rest), who come back to the station at once
/// with the probability of their class.
struct Loop {
  std::string discipline;
  bool ranks = false, preempts = false;  ///< a goes before b
  int servers = 1, a = 0, b = 0;
  double a_back = 1.0, b_back = 1.0;
};

/// Named customers of a Loop: who is served, in the order of beginning; who waits, by priority, in order; the others
/// stay at the delay.
struct Named {
  std::vector<int> served;
  std::vector<std::vector<int>> lines;
  bool operator<(const Named& o) const { return std::tie(served, lines) < std::tie(o.served, o.lines); }
};

class Followed {
 public:
  explicit Followed(const Loop& loop) : loop_(loop) {
    Named start;
    start.lines.resize(loop.ranks ? 2 : 1);
    for (int who = 0; who < loop.a + loop.b; ++who) start = come(start, who);
    std::vector<Named> states = {start};
    std::map<Named, std::size_t> number = {{start, 0}};
    std::vector<std::vector<std::size_t>> next;
    for (std::size_t s = 0; s < states.size(); ++s) {
      next.emplace_back();
      for (const Named& to : after(states[s])) {
        const auto [at, fresh] = number.emplace(to, states.size());
        if (fresh) states.push_back(to);
        next[s].push_back(at->second);
      }
    }
    const auto reached = [&](std::size_t from) {
      std::vector<bool> seen(states.size());
      std::vector<std::size_t> todo = {from};
      for (seen[from] = true; !todo.empty();) {
        const std::size_t s = todo.back();
        todo.pop_back();
        for (const std::size_t t : next[s])
          if (!seen[t]) seen[t] = true, todo.push_back(t);
      }
      return seen;
    };
    std::vector<std::vector<bool>> all;
    for (std::size_t s = 0; s < states.size(); ++s) all.push_back(reached(s));
    for (std::size_t s = 0; s < states.size(); ++s) {
      bool again = true;  // and again: whatever it leads to leads back
      for (std::size_t t = 0; t < states.size(); ++t) again = again && (!all[s][t] || all[t][s]);
      if (!again) continue;
      for (int who = 0; who < loop.a + loop.b; ++who) {
        bool always = true;
        for (std::size_t t = 0; t < states.size(); ++t) always = always && (!all[s][t] || waits(states[t], who));
        somebody_starves = somebody_starves || always;
      }
    }
  }
  bool somebody_starves = false;

 private:
  std::size_t rank(int who) const { return loop_.ranks && who >= loop_.a ? 1 : 0; }
  static bool waits(const Named& state, int who) {
    for (const auto& line : state.lines)
      if (std::find(line.begin(), line.end(), who) != line.end()) return true;
    return false;
  }
  Named come(Named now, int who) const {
    if (static_cast<int>(now.served.size()) < loop_.servers) return now.served.push_back(who), now;
    std::size_t out = now.served.size();
    if (loop_.discipline == "lcfs_pr" && !loop_.preempts) out = 0;
    if (loop_.preempts)  // the latest of those who are less
      for (std::size_t i = 0; i < now.served.size(); ++i)
        if (rank(now.served[i]) > rank(who)) out = i;
    auto& line = now.lines[rank(who)];
    if (out == now.served.size()) return line.push_back(who), now;
    const int interrupted = now.served[out];
    now.served.erase(now.served.begin() + static_cast<std::ptrdiff_t>(out));
    now.served.push_back(who);
    auto& back = now.lines[rank(interrupted)];
    if (loop_.discipline == "fcfs") back.insert(back.begin(), interrupted);
    else back.push_back(interrupted);
    return now;
  }
  std::vector<Named> after(const Named& now) const {
    std::vector<Named> out;
    for (std::size_t i = 0; i < now.served.size(); ++i) {
      const int who = now.served[i];
      Named left = now;
      left.served.erase(left.served.begin() + static_cast<std::ptrdiff_t>(i));
      for (auto& line : left.lines) {
        if (line.empty() || static_cast<int>(left.served.size()) == loop_.servers) continue;
        const auto first = loop_.discipline == "fcfs" ? line.begin() : line.end() - 1;
        left.served.push_back(*first);
        line.erase(first);
      }
      const double back = who < loop_.a ? loop_.a_back : loop_.b_back;
      if (back > 0.0) out.push_back(come(left, who));
      if (back < 1.0) out.push_back(left);
    }
    for (int who = 0; who < loop_.a + loop_.b; ++who)
      if (!waits(now, who) && std::find(now.served.begin(), now.served.end(), who) == now.served.end())
        out.push_back(come(now, who));
    return out;
  }
  const Loop loop_;
};

DrawnNetwork drawn(const Loop& loop) {
  DrawnNetwork d;
  Value more = {{"service", "exponential(mean = 1 s)"},
                {"servers", std::to_string(loop.servers)},
                {"discipline", loop.discipline},
                {"priorities", !loop.ranks     ? "ignored"
                               : loop.preempts ? "preemptive"
                                               : "nonpreemptive"}};
  const ElementId desk = d.node("station", "desk", std::move(more));
  const bool delay = (loop.a > 0 && loop.a_back < 1.0) || (loop.b > 0 && loop.b_back < 1.0);
  const ElementId away = delay ? d.node("delay", "away", {{"time", "exponential(mean = 2 s)"}}) : ElementId();
  for (const bool first : {true, false}) {
    const int many = first ? loop.a : loop.b;
    const double back = first ? loop.a_back : loop.b_back;
    if (many == 0) continue;
    const std::string name = first ? "a" : "b";
    d.node("job_class", name,
           {{"population", std::to_string(many)}, {"reference", "desk"}, {"priority", first ? "1" : "0"}});
    if (back > 0.0) d.flow(desk, desk, {{"class", name}, {"probability", number_text(back)}});
    if (back < 1.0)
      d.flow(desk, away, {{"class", name}, {"probability", number_text(1 - back)}}),
          d.flow(away, desk, {{"class", name}});
  }
  return d;
}

bool answers(const DrawnNetwork& d, const char* solver, std::string* why = nullptr) {
  RunControl control;
  const ResultSet r = find_solver(solver)->solve(d.m.document(), {.solver = solver}, control);
  if (why != nullptr) *why = r.stop_reason;
  return r.status != RunStatus::failed;
}

/// Codes with words of all that a model is warned of.
std::string warned(const DrawnNetwork& d) {
  Diagnostics found;
  const auto model = build_model(d.m.document(), {}, "", found);
  if (model != nullptr)
    for (const auto& part : model->others)
      for (const Diagnostic& unsure : part->unsettled().otherwise) found.push_back(unsure);
  std::string out;
  for (const Diagnostic& one : found) out += one.code + " " + one.message + "\n";
  return out;
}
bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

/// 3/s to "first" (1 s each, more of it given), then to "second" of 0.5 s.
DrawnNetwork tandem(Value first, const std::string& second = "exponential(mean = 0.5 s)") {
  DrawnNetwork d;
  first["service"] = "exponential(mean = 1 s)";
  const ElementId in = d.node("source", "in", {{"rate", "3 /s"}}), a = d.node("station", "first", std::move(first)),
                  b = d.node("station", "second", {{"service", second}}), out = d.node("sink", "out");
  d.flow(in, a), d.flow(a, b), d.flow(b, out);
  return d;
}

/// Customers who go round stations of these means [s], from the first or from a delay before them.
ResultSet round_trip(int customers, const std::vector<double>& means, bool from_delay, const char* solver) {
  DrawnNetwork d;
  d.node("job_class", "c", {{"population", std::to_string(customers)}, {"reference", from_delay ? "rest" : "s0"}});
  std::vector<ElementId> stations;
  for (const double mean : means)
    stations.push_back(d.node("station", "s" + std::to_string(stations.size()), {{"service", exponential(mean)}}));
  if (from_delay) {
    const ElementId rest = d.node("delay", "rest", {{"time", "exponential(mean = 1 s)"}});
    for (const ElementId each : stations)
      d.flow(rest, each, {{"probability", "1 / " + std::to_string(stations.size())}}), d.flow(each, rest);
  } else {
    for (std::size_t i = 0; i < stations.size(); ++i) d.flow(stations[i], stations[(i + 1) % stations.size()]);
  }
  return solved(d.m.document(), {.solver = solver});
}

}  // namespace

class TestSettling : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(network_lowering); }

  // Every small loop: who waits for ever when customers have names is refused, and state by state nobody else is.
  void customers_who_wait_for_ever_are_refused() {
    int starving = 0, served = 0;
    for (const char* discipline : {"fcfs", "lcfs", "lcfs_pr"})
      for (int kind = 0; kind < 3; ++kind)
        for (int servers = 1; servers <= 2; ++servers)
          for (int a = 1; a <= 3; ++a)
            for (int b = 0; b <= 2; ++b)
              for (const double a_back : {0.0, 0.5, 1.0})
                for (const double b_back : {0.5, 1.0}) {
                  if ((b == 0 && (b_back < 1.0 || kind > 0)) || (kind > 0 && std::string(discipline) == "lcfs_pr"))
                    continue;
                  const Loop loop{discipline, kind > 0, kind == 2, servers, a, b, a_back, b_back};
                  const bool starves = Followed(loop).somebody_starves;
                  const DrawnNetwork d = drawn(loop);
                  const std::string what = std::string(discipline) + " kind " + std::to_string(kind) + " servers " +
                                           std::to_string(servers) + " a " + std::to_string(a) + " b " +
                                           std::to_string(b) + " back " + number_text(a_back) + " " +
                                           number_text(b_back);
                  std::string why;
                  const bool answered = answers(d, "ctmc-network", &why);
                  QVERIFY2(answered != starves, (what + ": " + why).c_str());
                  if (starves) QVERIFY2(has(why, "desk") && has(why, "for ever"), why.c_str());
                  (starves ? starving : served) += 1;
                  if (kind > 0 || (std::string(discipline) == "lcfs_pr" && servers > 1)) continue;
                  // By populations alone it is not known whom the beginning puts below whom.
                  const bool known = b == 0 || (a_back < 1.0 && b_back < 1.0);
                  if (starves || known) QVERIFY2(answers(d, "mva", &why) != starves, (what + ": mva: " + why).c_str());
                }
    QVERIFY2(starving > 50 && served > 50, qPrintable(QString("%1 %2").arg(starving).arg(served)));
  }
  // What is left of the last one first: exact solvers agree.
  void who_is_served_at_last_has_one_mean() {
    const DrawnNetwork d = drawn({"lcfs", false, false, 1, 3, 2, 0.5, 0.5});
    const ResultSet chain = solved(d.m.document(), {.solver = "ctmc-network"}),
                    product = solved(d.m.document(), {.solver = "mva"});
    for (const char* id : {"response_time/desk/a", "throughput/desk/b"}) {
      const double x = estimate(chain, id), y = estimate(product, id);
      QVERIFY2(std::fabs(x - y) < 1e-9 * y, id);
    }
  }

  // M/M/1/1 lets 3/4 per second pass; M/M/1+M what its birth-death chain says: neither is too much for the second.
  void who_is_lost_before_is_no_load() {
    const DrawnNetwork lost = tandem({{"capacity", "1"}});
    QVERIFY2(!has(warned(lost), "QN010"), warned(lost).c_str());
    QVERIFY(std::fabs(estimate(solved(lost.m.document(), {.solver = "ctmc-network"}), "utilisation/second") - 0.375) <
            1e-6);
    const DrawnNetwork impatient = tandem({{"patience", "exponential(mean = 1 s)"}});
    QVERIFY2(!has(warned(impatient), "QN010"), warned(impatient).c_str());
    double p = 1.0, sum = 1.0;  // n customers: one is served, the others give up at 1/s each
    for (int n = 1; n < 60; ++n) p *= 3.0 / n, sum += p;
    const double seen = estimate(solved(impatient.m.document(), {.solver = "ctmc-network"}), "utilisation/second");
    QVERIFY2(std::fabs(seen - 0.5 * (1 - 1 / sum)) < 1e-6, qPrintable(QString::number(seen, 'g', 12)));
  }
  void behind_an_overload_come_as_many_as_it_serves() {
    const std::string one = warned(tandem(Value::object()));
    QVERIFY2(has(one, "QN010 \"first\" gets 3 times the work") && !has(one, "second"), one.c_str());
    // 1/s of 2 s each: twice, and that is sure. 1/s of 1 s: just as much.
    const std::string two = warned(tandem(Value::object(), "exponential(mean = 2 s)"));
    QVERIFY2(has(two, "\"second\" gets 2 times the work that its servers can do: its queue grows"), two.c_str());
    const std::string even = warned(tandem(Value::object(), "exponential(mean = 1 s)"));
    QVERIFY2(has(even, "\"second\" gets as much work as its servers can do"), even.c_str());
  }
  void what_may_be_less_is_said_so_and_not_refused() {
    // At most 1/s of 1.5 s each comes; really 0.75/s.
    const DrawnNetwork lost = tandem({{"capacity", "1"}}, "exponential(mean = 1.2 s)");
    const std::string said = warned(lost);
    QVERIFY2(has(said, "\"second\" gets at most 1.2 times the work") &&
                 has(said, ", and less where customers are lost on their way: its queue may grow"),
             said.c_str());
    const double busy = estimate(solved(lost.m.document(), {.solver = "ctmc-network"}), "utilisation/second");
    QVERIFY2(std::fabs(busy - 0.9) < 1e-6, qPrintable(QString::number(busy, 'g', 12)));
    // Nothing is lost: it is sure, and refused.
    QVERIFY(has_errors(find_solver("ctmc-network")->fits(tandem(Value::object()).m.document(), {})));
  }

  // Only what can happen in the model is said of it.
  void whether_it_is_less_by_losses_or_by_waiting_is_said() {
    for (const auto& [when_full, patience, what] :
         {std::tuple{"lose", "", "lost on their way:"},
          std::tuple{"wait", "", ": those who wait before \"room\", or on the way there, become ever more"},
          std::tuple{"wait", "9 s", "lost or held up on their way:"}}) {
      DrawnNetwork d;
      const ElementId in = d.node("source", "in", {{"rate", "1 /s"}}), out = d.node("sink", "out"),
                      first = d.node("station", "first", {{"service", exponential(0.1)}, {"patience", patience}}),
                      desk = d.node("station", "desk", {{"service", exponential(1.2)}});
      d.flow(in, first), d.flow(first, desk), d.flow(desk, out);
      d.node("region", "room", {{"stations", "desk"}, {"capacity", "5"}, {"when_full", when_full}});
      const std::string said = warned(d);
      if (std::string(when_full) == "lose") {
        QVERIFY2(!has(said, "QN010"), said.c_str());  // five are there at most
        continue;
      }
      if (*patience == 0) {  // all who come go on, so it is too much for sure
        QVERIFY2(has(said, "\"desk\" gets at least 1.2 times") && has(said, what), said.c_str());
        continue;
      }
      QVERIFY2(
          has(said, "\"desk\" gets at most 1.2 times") && has(said, (std::string(" customers are ") + what).c_str()),
          said.c_str());
    }
  }

  // 0.8/s who stay 1.5 s in it: 1.2 are there in the mean, by Little's law, and there is room for one.
  void a_region_without_room_is_warned_of() {
    for (const char* room : {"1", "2"}) {
      DrawnNetwork d;
      const ElementId in = d.node("source", "in", {{"rate", "0.8 /s"}}), a = d.node("delay", "a", {{"time", "1 s"}}),
                      b = d.node("station", "b", {{"service", "exponential(mean = 0.5 s)"}, {"servers", "3"}}),
                      out = d.node("sink", "out");
      d.node("region", "inside", {{"stations", "a, b"}, {"capacity", room}});
      d.flow(in, a), d.flow(a, b), d.flow(b, out);
      const std::string said = warned(d);
      QCOMPARE(has(said, "QN010 \"inside\" gets at least 1.2 times"), std::string(room) == "1");
      QCOMPARE(has(said, "QN010"), std::string(room) == "1");
    }
  }

  // As amounts two stations of equal means may hold any split; by chance each holds half.
  void a_rest_that_depends_on_the_beginning_is_said() {
    const ResultSet exact = round_trip(100, {1.0, 1.0}, false, "mva");
    QVERIFY(std::fabs(estimate(exact, "queue_length/s0/c") - 50.0) < 1e-6);
    const auto said = [](const ResultSet& r) { return find_code(r.diagnostics, "SOL006") != nullptr; };
    QVERIFY(said(round_trip(100, {1.0, 1.0}, false, "fluid")));
    QVERIFY(said(round_trip(100, {1.0, 0.2, 1.0}, false, "fluid")));
    QVERIFY(said(round_trip(100, {1.0, 1.0}, true, "fluid")));  // half each, by this beginning alone
    // One slowest station: all rest there.
    for (const bool from_delay : {false, true}) {
      const ResultSet one = round_trip(100, {0.5, 1.0, 0.9}, from_delay, "fluid");
      QVERIFY(!said(one));
      QVERIFY(estimate(one, "queue_length/s1/c") > 90.0);
    }
    QVERIFY(!said(round_trip(1, {1.0, 1.0}, true, "fluid")));
  }
};

QTEST_GUILESS_MAIN(TestSettling)
#include "tst_settling.moc"
