#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "tests/support/model_builder.h"

namespace ergode::test {

/// A published chain drawn anew with the workbench's own charts. Conditions and rewards are listed under the words with
/// which the published questions name them. Times are in seconds, because the published ones have no unit.
struct Drawing {
  /// Reward per second in a state, and what each event adds.
  struct Reward {
    std::string rate = {};
    std::vector<std::pair<std::string, double>> events = {};
  };
  ModelBuilder m{"1 s"};
  std::map<std::string, std::string> conditions = {};
  std::map<std::string, Reward> rewards = {};
  bool counts_loops = false;  ///< The published number of transitions counts those from a state to itself.
  Drawing() { m.header("time_unit", "s"); }
  void condition(const std::string& published, const std::string& drawn) { conditions[published] = drawn; }
};

namespace drawn {

inline std::string per_second(double rate) { return "rate(" + number_text(rate, 17) + " /s)"; }
/// A rate that holds while a condition does.
inline std::string rate_if(const std::string& condition, const std::string& rate) {
  return "rate(" + condition + " ? " + rate + " : 0 /s)";
}

/// States named S0, S1, ... of one component C; edges with a rate and an action.
struct Edge {
  int from, to;
  double rate;
  std::string action = "";
};
inline void plain_chain(Drawing& d, int states, const std::vector<Edge>& edges, const std::string& variable) {
  ChartBuilder c(d.m, "Chain");
  std::vector<ElementId> s;
  for (int i = 0; i < states; ++i) s.push_back(c.state("S" + std::to_string(i)));
  c.initial(s[0]);
  for (const Edge& e : edges)
    c.transition(s[static_cast<std::size_t>(e.from)], s[static_cast<std::size_t>(e.to)], per_second(e.rate), "",
                 e.action);
  d.m.component("C", "Chain");
  for (int i = 0; i < states; ++i) d.condition(variable + "=" + std::to_string(i), "in(C.S" + std::to_string(i) + ")");
}

/// Two clusters of n workstations behind switches, a backbone, and one repair unit that inspects before it repairs.
inline void cluster(Drawing& d, int n) {
  const std::string all = std::to_string(n);
  const std::string idle =
      "count(left.Repaired) + count(right.Repaired) + count(to_left.Repaired) + count(to_right.Repaired) + "
      "count(line.Repaired) == 0";
  ChartBuilder c(d.m, "Cluster");
  c.variable("n", "integer", all);
  const ElementId on = c.state("On"), waiting = c.state("Waiting", on), repaired = c.state("Repaired", on);
  c.initial(on), c.initial(waiting, on);
  c.transition(on, on, "rate(n / (500 s))", "", "n := n - 1", {{"type", "internal"}});
  c.transition(waiting, repaired, rate_if(idle + " and n < " + all, "10 /s"));
  c.transition(repaired, waiting, "rate(2 /s)", "", "n := n + 1; record(repair)");
  ChartBuilder l(d.m, "Link");
  l.variable("fails", "real", "1 /s", "/s", true);
  l.variable("repairs", "real", "1 /s", "/s", true);
  const ElementId up = l.state("Up"), down = l.state("Down"), fixed = l.state("Repaired");
  l.initial(up);
  l.transition(up, down, "rate(fails)"), l.transition(down, fixed, rate_if(idle, "10 /s"));
  l.transition(fixed, up, "rate(repairs)", "", "record(repair)");
  d.m.component("left", "Cluster"), d.m.component("right", "Cluster");
  d.m.component("line", "Link", "", "fails = 1 / (5000 s), repairs = 0.125 /s");
  d.m.component("to_left", "Link", "", "fails = 1 / (4000 s), repairs = 0.25 /s");
  d.m.component("to_right", "Link", "", "fails = 1 / (4000 s), repairs = 0.25 /s");
  const auto quality = [&](int k) {
    const std::string least = " >= " + std::to_string(k);
    return "((left.n" + least + " and in(to_left.Up)) or (right.n" + least +
           " and in(to_right.Up)) or (left.n + right.n" + least +
           " and in(to_left.Up) and in(line.Up) and in(to_right.Up)))";
  };
  d.condition("\"minimum\"", quality(3 * n / 4)), d.condition("!\"minimum\"", "not " + quality(3 * n / 4));
  d.condition("\"premium\"", quality(n));
  d.rewards["time_not_min"] = {"not " + quality(3 * n / 4) + " ? 1 : 0"};
  d.rewards["percent_op"] = {"100 * (left.n + right.n) / " + std::to_string(2 * n)};
  d.rewards["num_repairs"] = d.rewards[""] = {"", {{"repair", 1.0}}};
}

/// One server that polls n stations in turn and serves those that are full.
inline void polling(Drawing& d, int n) {
  ChartBuilder server(d.m, "Server");
  std::vector<ElementId> poll, serve;
  for (int i = 1; i <= n; ++i)
    poll.push_back(server.state("Poll" + std::to_string(i))),
        serve.push_back(server.state("Serve" + std::to_string(i)));
  server.initial(poll[0]);
  for (int i = 1; i <= n; ++i) {
    const std::string station = "station[" + std::to_string(i) + "]";
    const auto at = static_cast<std::size_t>(i - 1), next = static_cast<std::size_t>(i % n);
    server.transition(poll[at], serve[at], "rate(200 /s)", "in(" + station + ".Full)");
    server.transition(poll[at], poll[next], "rate(200 /s)", "in(" + station + ".Empty)");
    server.transition(serve[at], poll[next], "rate(1 /s)", "", "send(served, " + station + ")");
    d.condition("s" + std::to_string(i) + "=1", "in(" + station + ".Full)");
  }
  ChartBuilder station(d.m, "Station");
  const ElementId empty = station.state("Empty"), full = station.state("Full");
  station.initial(empty);
  station.transition(empty, full, per_second(1.0 / n)), station.transition(full, empty, "served");
  d.m.component("server", "Server"), d.m.component("station", "Station", std::to_string(n));
  d.condition("\"target\"", "in(server.Poll1)");
  d.condition("s1=1 & !(s=1 & a=1)", "in(station[1].Full) and not in(server.Serve1)");
  d.condition("!(s=2 & a=1)", "not in(server.Serve2)"), d.condition("(s=1 & a=1)", "in(server.Serve1)");
}

/// Sensors, actuators, two input and output processors with transient faults, a main processor with a timer, a bus.
inline void embedded(Drawing& d, int most_skipped) {
  d.counts_loops = true;  // The timer's rounds that change nothing.
  ChartBuilder c(d.m, "Controller");
  c.variable("sensors", "integer", "3"), c.variable("actuators", "integer", "2"), c.variable("skipped", "integer", "0");
  for (const char* flag : {"computed", "request_in"}) c.variable(flag, "boolean", "true");
  c.variable("request_out", "boolean", "false"), c.variable("next", "boolean", "false");
  const ElementId on = c.state("On");
  c.initial(on);
  const std::string year = "1 / (31536000 s)", day = "1 / (86400 s)";
  const auto internal = [&](const std::string& trigger, const std::string& action) {
    c.transition(on, on, trigger, "", action, {{"type", "internal"}});
  };
  internal(rate_if("sensors > 1", "sensors / (2592000 s)"), "sensors := sensors - 1");
  internal(rate_if("actuators > 0", "actuators / (5184000 s)"), "actuators := actuators - 1");
  const auto processor = [&](const std::string& name, const std::string& works, const std::string& reboot) {
    const ElementId region = c.region(name, on);
    const ElementId ok = c.state(name + "Ok", region), fault = c.state(name + "Fault", region),
                    failed = c.state(name + "Failed", region);
    c.initial(ok, region);
    c.transition(ok, failed, rate_if(works, year)), c.transition(fault, failed, rate_if(works, year));
    c.transition(ok, fault, rate_if(works, day)), c.transition(fault, ok, rate_if(works, "1 / (30 s)"), "", reboot);
  };
  const std::string in_ready = "(in(InOk) and sensors >= 2)", out_ready = "(in(OutOk) and actuators >= 1)";
  processor("In", "sensors >= 2",
            "computed := computed or (in(MainOk) and not request_out); request_in := true; "
            "request_out := not " +
                out_ready + " and (request_out or in(MainOk))");
  processor("Out", "actuators >= 1",
            "computed := computed or (request_in and in(MainOk)); "
            "request_in := " +
                in_ready + " or (request_in and not in(MainOk)); request_out := false");
  const ElementId region = c.region("Main", on), ok = c.state("MainOk", region), failed = c.state("MainFailed", region);
  c.initial(ok, region), c.transition(ok, failed, "rate(" + year + ")");
  // All flags change at once: `next` holds the new request while the old one is still read.
  internal("rate(1 / (60 s))", "skipped := computed ? 0 : min(skipped + 1, " + std::to_string(most_skipped + 1) +
                                   "); "
                                   "computed := request_in and not request_out and in(MainOk); "
                                   "next := not " +
                                   out_ready +
                                   " and (request_out or (request_in and in(MainOk))); "
                                   "request_in := " +
                                   in_ready +
                                   " or (request_in and (request_out or not in(MainOk))); "
                                   "request_out := next; next := false");
  d.m.component("C", "Controller");
  const std::string no_sensors = "(in(C.InOk) and C.sensors < 2)", no_actuators = "(in(C.OutOk) and C.actuators < 1)",
                    no_io = "(C.skipped == " + std::to_string(most_skipped + 1) + ")", no_main = "in(C.MainFailed)";
  const std::string down = "(" + no_sensors + " or " + no_io + " or " + no_actuators + " or " + no_main + ")";
  const std::string danger = "(not " + down + " and (in(C.InFault) or in(C.OutFault)))";
  d.condition("\"fail_sensors\"", no_sensors), d.condition("\"fail_actuators\"", no_actuators);
  d.condition("\"fail_io\"", no_io), d.condition("\"fail_main\"", no_main);
  d.condition("\"down\"", down), d.condition("!\"down\"", "not " + down);
  d.rewards["up"] = {"not " + down + " and not " + danger + " ? 1 / 3600 : 0"};
  d.rewards["danger"] = {danger + " ? 1 / 3600 : 0"};
}

/// Four cells of a production line with one card each; parts go on, are done again, or wait.
inline void kanban(Drawing& d) {
  ChartBuilder c(d.m, "Line");
  const ElementId s = c.state("Line");
  c.initial(s);
  for (const char cell : {'1', '2', '3', '4'})
    for (const char place : {'w', 'x', 'y', 'z'}) c.variable(std::string() + place + cell, "integer", "0");
  // Moves one part out of each place of `from` into each of `to`.
  const auto move = [&](double rate, const std::vector<std::string>& from, const std::vector<std::string>& to,
                        const std::string& more = "") {
    std::string condition, action = more;
    for (const std::string& p : from)
      condition += (condition.empty() ? "" : " and ") + p + " == 1",
          action += (action.empty() ? "" : "; ") + p + " := 0";
    for (const std::string& p : to)
      condition += (condition.empty() ? "" : " and ") + p + " == 0",
          action += (action.empty() ? "" : "; ") + p + " := 1";
    c.transition(s, s, rate_if(condition, number_text(rate) + " /s"), "", action, {{"type", "internal"}});
  };
  const double again[] = {0.36, 0.42, 0.39, 0.33}, good[] = {0.84, 0.98, 0.91, 0.77};
  for (std::size_t i = 0; i < 4; ++i) {
    const std::string k = std::to_string(i + 1);
    move(again[i], {"x" + k}, {"y" + k}), move(good[i], {"x" + k}, {"z" + k}), move(0.3, {"y" + k}, {"x" + k});
  }
  move(1.0, {}, {"w1", "x1"}, "record(arrival)");
  move(0.4, {"z1", "w1"}, {"w2", "x2", "w3", "x3"}), move(0.5, {"z2", "w2", "z3", "w3"}, {"w4", "x4"});
  move(0.9, {"z4", "w4"}, {});
  d.m.component("L", "Line");
  d.rewards["throughput"] = {"", {{"arrival", 1.0}}};
}

/// A cascade of ten enzyme reactions (Huang and Ferrell, 1996): a substrate and its enzyme bind at 1 / n for each pair,
/// fall apart or react at 150 for each complex. Amounts are variables, all in one chart.
inline void cascade(Drawing& d, int n) {
  ChartBuilder c(d.m, "Cell");
  const ElementId s = c.state("Cell");
  c.initial(s);
  const std::string all = std::to_string(n);
  for (const char* name : {"kkk", "kk", "k"}) c.variable(name, "integer", all);
  for (const char* name : {"e1", "e2", "kkptase", "kptase"}) c.variable(name, "integer", "1");
  for (const char* name : {"kkkp", "kkp", "kkpp", "kp", "kpp"}) c.variable(name, "integer", "0");
  const auto step = [&](const std::string& rate, const std::string& action) {
    c.transition(s, s, "rate(" + rate + ")", "", action, {{"type", "internal"}});
  };
  struct Reaction {
    std::string substrate, enzyme, product;
  };
  for (const Reaction& r : {Reaction{"kkk", "e1", "kkkp"},
                            {"kkkp", "e2", "kkk"},
                            {"kk", "kkkp", "kkp"},
                            {"kkp", "kkptase", "kk"},
                            {"kkp", "kkkp", "kkpp"},
                            {"kkpp", "kkptase", "kkp"},
                            {"k", "kkpp", "kp"},
                            {"kp", "kptase", "k"},
                            {"kp", "kkpp", "kpp"},
                            {"kpp", "kptase", "kp"}}) {
    const std::string both = r.substrate + "_" + r.enzyme;
    c.variable(both, "integer", "0");
    // The published reward counts what happens between the second and the third kinase.
    const bool counted = r.enzyme == "kkpp";
    step(r.substrate + " * " + r.enzyme + " * 1 /s / " + all, r.substrate + " := " + r.substrate + " - 1; " + r.enzyme +
                                                                  " := " + r.enzyme + " - 1; " + both + " := " + both +
                                                                  " + 1" + (counted ? "; record(binding)" : ""));
    step(both + " * 150 /s", both + " := " + both + " - 1; " + r.enzyme + " := " + r.enzyme + " + 1; " + r.substrate +
                                 " := " + r.substrate + " + 1" + (counted ? "; record(falling)" : ""));
    step(both + " * 150 /s", both + " := " + both + " - 1; " + r.enzyme + " := " + r.enzyme + " + 1; " + r.product +
                                 " := " + r.product + " + 1" + (counted ? "; record(reaction)" : ""));
  }
  d.m.component("C", "Cell");
  d.condition("kpp=" + all, "C.kpp == " + all);
  d.rewards["time"] = {"1"};
  d.rewards["reactions"] = {"", {{"binding", 1.0}, {"falling", 1.0}, {"reaction", 1.0}}};
}

/// A queue with three places.
inline void queue(Drawing& d, const std::string& variable) {
  std::vector<Edge> edges;
  for (int i = 0; i < 3; ++i) edges.push_back({i, i + 1, 1.5}), edges.push_back({i + 1, i, 3.0, "record(served)"});
  plain_chain(d, 4, edges, variable);
  const std::string length = "count(C.S1) + 2 * count(C.S2) + 3 * count(C.S3)";
  d.condition("\"full\"", "in(C.S3)");
  d.rewards["serve"] = {"", {{"served", 1.0}}};
  d.rewards["queue"] = {length}, d.rewards[""] = {length};
}

inline void rewarded(Drawing& d) {
  plain_chain(d, 4, {{0, 1, 5, "record(a)"}, {1, 2, 7, "record(b)"}, {2, 3, 11}, {3, 3, 13, "record(c)"}}, "s");
  d.condition("s>2", "in(C.S3)");
  const std::string state = "2 * count(C.S0) + 5 * count(C.S1) + 11 * count(C.S2)";
  d.rewards["a_state"] = {state};
  d.rewards["a"] = {state, {{"a", 3.0}, {"b", 7.0}}};
  d.rewards["b"] = {state + " + 17 * count(C.S3)", {{"a", 3.0}, {"b", 7.0}, {"c", 13.0}}};
}

inline void rewarded_classes(Drawing& d) {
  plain_chain(d, 5, {{0, 1, 4}, {0, 3, 6}, {1, 2, 10}, {2, 1, 10}, {3, 4, 10, "record(c)"}, {4, 3, 10}}, "s");
  d.condition("s>0", "not in(C.S0)");
  d.condition("s=1|s=2", "in(C.S1) or in(C.S2)"), d.condition("s=3|s=4", "in(C.S3) or in(C.S4)");
  d.rewards["a"] = {"2 * count(C.S0)"}, d.rewards["b"] = {"2 * count(C.S0) + 5 * count(C.S1)"};
  d.rewards["c"] = {"2 * count(C.S0)", {{"c", 5.0}}};
}

}  // namespace drawn

/// The drawing of a published file, or why there is none.
inline std::string draw(const std::string& file, const std::map<std::string, double>& constants, Drawing& d) {
  const auto ends = [&](const std::string& name) {
    return file.size() >= name.size() && file.compare(file.size() - name.size(), name.size(), name) == 0;
  };
  const auto constant = [&](const std::string& name, int otherwise) {
    const auto at = constants.find(name);
    return at == constants.end() ? otherwise : static_cast<int>(at->second);
  };
  if (ends("cluster2.sm")) drawn::cluster(d, 2);
  else if (ends("ctmc_csl.sm")) drawn::cluster(d, 4);
  else if (ends("cluster.prism")) drawn::cluster(d, constant("N", 2));
  else if (ends("polling2.sm")) drawn::polling(d, 2);
  else if (ends("poll5.sm")) drawn::polling(d, 5);
  else if (file.find("polling/polling.") != std::string::npos)
    drawn::polling(d, file[file.find("polling/polling.") + 16] - '0');
  else if (ends("embedded2.sm") || ends("ctmc-until.sm")) drawn::embedded(d, 2);
  else if (ends("embedded.prism")) drawn::embedded(d, constant("MAX_COUNT", 2));
  else if (ends("kanban.prism")) drawn::kanban(d);
  else if (ends("mapk_cascade.prism")) drawn::cascade(d, constant("N", 1));
  else if (ends("lrarewards.sm")) drawn::queue(d, "s");
  else if (ends("KNP07a-SFM07/ctmc.sm")) drawn::queue(d, "x");
  else if (ends("ctmc_rewards.sm")) drawn::rewarded(d);
  else if (ends("ctmc_rewards_bsccs.sm")) drawn::rewarded_classes(d);
  else if (ends("simple1.sm")) {
    drawn::plain_chain(d, 2, {{0, 1, 6}}, "x");
    d.rewards[""] = {"count(C.S0)"};
  } else if (ends("multiple_bsccs_ss.sm")) {
    drawn::plain_chain(
        d, 6,
        {{0, 1, 5}, {0, 3, 5}, {1, 0, 5}, {1, 2, 2.5}, {1, 4, 2.5}, {2, 5, 10}, {3, 3, 10}, {4, 4, 10}, {5, 2, 10}},
        "s");
  } else if (ends("Par02-3.3.3.sm")) {
    drawn::plain_chain(d, 3, {{0, 1, 4}, {0, 2, 7}, {1, 0, 5}, {1, 2, 3}, {2, 1, 4}}, "x");
    d.condition("(x=0) | (x=2)", "in(C.S0) or in(C.S2)");
  } else {
    return "not drawn";
  }
  return {};
}

}  // namespace ergode::test
