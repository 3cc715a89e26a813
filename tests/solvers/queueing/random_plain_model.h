#pragma once
#include <algorithm>
#include <initializer_list>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/solvers/queueing/plain_network.h"

namespace ergode::test {

/// Draws networks of blocks, one behind the other and some in others, with one way in and one way out each.
class RandomPlainModel {
 public:
  PlainModel model;
  std::map<std::string, int> seen;  ///< what is in it

  /// @param wide  also closed classes, ways that are chosen by what is found there, and units that are taken away
  RandomPlainModel(unsigned seed, int blocks, bool wide = false) : random_(seed), wide_(wide) {
    model.end = 60.0;
    classes_ = whole(1, 3);
    for (int c = 0; c < classes_; ++c) {
      model.priority.push_back(whole(0, 2)), model.due.push_back(real(1.0, 6.0));
      model.population.push_back(wide && chance(0.6) ? whole(1, 6) : 0);
      model.closed.push_back(model.population.back() > 0);
      for (int i = 0; i < model.population.back(); ++i) model.births.push_back(birth(0.0, c));
      if (closed(c)) batch.push_back(1), closed_ = true, ++seen["closed"];
      if (closed(c)) continue;
      const int at_once = chance(0.1) ? 2 : 1;
      double at = 0.0;
      while ((at += real(0.1, 2.2)) < 40.0)
        for (int i = 0; i < at_once; ++i) model.births.push_back(birth(at, c));
      batch.push_back(at_once);
    }
    std::stable_sort(model.births.begin(), model.births.end(),
                     [](const PlainBirth& a, const PlainBirth& b) { return a.at < b.at; });
    std::vector<int> open;
    const int first = add("router");
    model.first.assign(static_cast<std::size_t>(classes_), first);
    open = {first};
    if (closed_) away_ = add("router");
    for (int b = 0; b < blocks; ++b) open = block(open, 2);
    // Drawn apart, so that all else is what it was: every other semaphore opens by class; two parts come at least.
    for (PlainNode& node : model.nodes) {
      if (node.kind != "semaphore" || seed % 2 != 0) continue;
      for (unsigned c = 0; c < static_cast<unsigned>(classes_); ++c)
        node.quorum_of.push_back(1 + static_cast<int>((seed / 2 + c) % 2));
      ++seen["semaphore by class"];
    }
    const int end = add("sink");
    if (!closed_) {
      lead(open, end);
      return;
    }
    // Each closed class thinks where it began; the others leave.
    lead(open, away_);
    std::vector<int> ends;
    for (int c = 0; c < classes_; ++c) {
      ends.push_back(end);
      if (!closed(c)) continue;
      ends.back() = model.first[static_cast<std::size_t>(c)] = delay();
      lead({ends.back()}, first);
    }
    turn_by_class(away_, ends);
    if (seed % 3 == 0) empty_one();
  }
  std::vector<int> batch;  ///< by source

 private:
  int whole(int from, int to) { return std::uniform_int_distribution<int>(from, to)(random_); }
  double real(double from, double to) { return std::uniform_real_distribution<double>(from, to)(random_); }
  bool chance(double p) { return real(0.0, 1.0) < p; }
  bool closed(int c) const { return model.closed[static_cast<std::size_t>(c)]; }
  PlainBirth birth(double when, int of_class) {
    return {when, of_class, of_class, {real(0.1, 1.5), real(0.1, 1.5), real(0.1, 1.5)}, real(0.2, 2.0), real(0, 1)};
  }
  /// Of several closed classes the first is empty at the beginning: others may become it.
  void empty_one() {
    const auto first = std::find(model.closed.begin(), model.closed.end(), true);
    if (std::count(first, model.closed.end(), true) < 2 || seen["class_switch"] == 0) return;
    const auto c = static_cast<int>(first - model.closed.begin());
    model.population[static_cast<std::size_t>(c)] = 0;
    std::erase_if(model.births, [c](const PlainBirth& one) { return one.of_class == c; });
    ++seen["closed and empty"];
  }
  void turn_by_class(int router, const std::vector<int>& to) {
    at(router).to = to;
    if (classes_ > 1) at(router).routing = "by_class";
  }
  /// Where those go who are refused or give up: of closed classes nobody may be lost.
  int elsewhere(const char* what) {
    ++seen[what];
    return closed_ ? away_ : add("sink");
  }
  int add(PlainNode node) {
    ++seen[node.kind];
    node.name = node.kind + std::to_string(model.nodes.size());
    model.nodes.push_back(std::move(node));
    return static_cast<int>(model.nodes.size()) - 1;
  }
  int add(const char* kind) { return add(PlainNode{.kind = kind}); }
  PlainNode& at(int n) { return model.nodes[static_cast<std::size_t>(n)]; }
  void lead(const std::vector<int>& open, int to) {
    for (const int n : open) at(n).to.push_back(to);
  }
  void takes(PlainNode& node, double scale) { node.work = whole(0, 2), node.factor = real(0.4, 1.0) * scale; }
  void takes_by_class(PlainNode& node, double scale) {
    node.work = -1;
    for (int c = 0; c < classes_; ++c) node.of_class.push_back(real(0.1, 1.0) * scale);
  }
  int delay() {
    PlainNode node{.kind = "delay"};
    takes(node, 1.0);
    return add(std::move(node));
  }

  /// @param chosen_by  the rule of those who choose it, if any
  int station(const std::string& chosen_by = "") {
    PlainNode s{.kind = "station"};
    const auto one_of = [&](std::initializer_list<const char*> all) -> std::string {
      return *(all.begin() + whole(0, static_cast<int>(all.size()) - 1));
    };
    s.servers = chance(0.5) ? 1 : whole(2, 3);
    s.discipline = one_of({"fcfs", "fcfs", "lcfs", "lcfs_pr", "sjf", "ljf", "srpt", "ps", "dps", "gps", "las", "edd",
                           "sept", "lept", "polling"});
    if (chosen_by == "least_work" && (s.discipline == "ps" || s.discipline == "dps" || s.discipline == "gps" ||
                                      s.discipline == "las" || s.discipline == "polling"))
      s.discipline = "fcfs";
    if (chosen_by == "fastest") s.discipline = one_of({"fcfs", "lcfs", "sept", "lept", "edd"});
    const bool shares = s.discipline == "ps" || s.discipline == "dps" || s.discipline == "gps" || s.discipline == "las";
    s.priorities = one_of({"nonpreemptive", "preemptive", "ignored"});
    if (s.discipline == "polling") {
      s.servers = 1, s.switchover = real(0.05, 0.3), s.visit = one_of({"exhaustive", "gated", "limited"});
      s.limit = whole(1, 2), s.priorities = "ignored";
      ++seen[s.visit];
    }
    if (shares || chosen_by == "fastest") s.priorities = "ignored";
    if ((s.discipline == "srpt" || s.discipline == "lcfs_pr") && s.priorities == "nonpreemptive")
      s.priorities = "ignored";
    const double scale = 0.8 * s.servers / classes_;
    // Equal times for all of a class: where they interrupt each other, rounding would say who of equals is next.
    if (s.discipline == "sept" || s.discipline == "lept" || chosen_by == "fastest" ||
        (s.priorities != "preemptive" && chance(0.15)))
      takes_by_class(s, scale);
    else takes(s, scale);
    if (s.discipline == "dps" || s.discipline == "gps")
      for (int c = 0; c < classes_; ++c) s.weights.push_back(whole(1, 4));
    const bool interrupts = s.priorities == "preemptive" || s.discipline == "lcfs_pr" || s.discipline == "srpt";
    s.interruption = interrupts ? one_of({"resume", "repeat"}) : "finish";
    // Parts of a closed customer do not go round without him.
    const bool may_lose = !closed_ || parts_ == 0;
    if (may_lose && chance(0.25)) {
      s.capacity = s.servers + whole(0, 3), s.when_full = one_of({"lose", "retry"}), s.retry = real(0.3, 1.0);
      ++seen[s.when_full];
      if (s.when_full == "lose" && (closed_ || chance(0.5))) s.lost_to = elsewhere("refused");
    }
    if (may_lose && !shares && chance(0.25)) {
      s.patience = real(0.5, 1.5), ++seen["patience"];
      if (closed_ || chance(0.5)) s.gave_up_to = elsewhere("reneged");
    }
    const bool plain = !shares && !interrupts && s.discipline != "polling";
    switch (whole(0, 9)) {
      case 0:
        if (plain) s.setup = real(0.05, 0.5), ++seen["setup"];
        break;
      case 1:
        // Several servers that always rest as long come back at the moment at which others do, or end: rounding
        // decides.
        if (plain && s.servers == 1) s.vacation = real(0.2, 1.0), s.one_vacation = chance(0.5), ++seen["vacation"];
        break;
      case 2:
        if (!plain || chosen_by == "least_work") break;
        s.batch = whole(2, 4), s.least_batch = whole(1, s.batch), ++seen["batch"];
        if (s.capacity > 0) s.capacity = std::max(s.capacity, s.least_batch);
        break;
      case 3:
        if (shares || s.discipline == "polling" || s.servers > 1) break;
        s.to_failure = real(2.0, 6.0), s.to_repair = real(0.2, 1.0), ++seen["failure"];
        s.interruption = one_of({"finish", "resume", "repeat"});
        if (interrupts && s.interruption == "finish") s.interruption = "resume";
        break;
      case 4:
        if (shares || s.discipline == "polling" || s.servers == 1) break;
        for (int i = 0; i < s.servers; ++i) s.speeds.push_back(real(0.6, 2.0));
        ++seen["speeds"];
        break;
      default:
        break;
    }
    if (chance(0.15)) s.faster_above = whole(1, 3), s.faster = real(1.2, 2.0), ++seen["speed"];
    ++seen[s.discipline];
    if (interrupts) ++seen[s.interruption];
    if (s.priorities == "preemptive") ++seen["preemptive"];
    return add(std::move(s));
  }

  /// @returns whose ways lead on
  std::vector<int> block(const std::vector<int>& from, int depth) {
    const int kind = whole(0, depth == 0 ? 4 : wide_ ? 19 : 14);
    const auto then = [&](int n) {
      lead(from, n);
      return n;
    };
    if (kind <= 3) return {then(station())};
    if (kind == 4) return {then(delay())};
    if (kind == 5) {
      PlainNode node{.kind = "transport", .work = 9};
      node.factor = real(0.2, 2.0);
      return {then(add(std::move(node)))};
    }
    if (kind >= 18 || (kind == 6 && wide_)) {  // a way that he chooses, at a router or where he was served
      static constexpr const char* rules[] = {"shortest_queue", "least_work",    "power_of_d",
                                              "fastest",        "last_response", "last_service"};
      const std::string rule = rules[whole(0, 5)];
      const int chooser = then(chance(0.6) ? add("router") : station());
      at(chooser).routing = rule, at(chooser).choices = 2;
      ++seen[rule];
      std::vector<int> out;
      for (int w = whole(2, 4); w > 0; --w) {
        const int way = station(rule);
        lead({chooser}, way);
        for (const int n : depth > 1 && chance(0.2) ? block({way}, depth - 1) : std::vector<int>{way}) out.push_back(n);
      }
      return out;
    }
    if (kind == 6) {  // one of several ways
      PlainNode node{.kind = "router", .routing = chance(0.5) ? "round_robin" : "choice", .threshold = real(0.2, 0.8)};
      ++seen[node.routing];
      const int ways = node.routing == "choice" ? 2 : whole(2, 3), router = then(add(std::move(node)));
      std::vector<int> out;
      for (int w = 0; w < ways; ++w) {
        const int way = chance(0.5) ? delay() : station();
        lead({router}, way);
        for (const int n : depth > 1 && chance(0.3) ? block({way}, depth - 1) : std::vector<int>{way}) out.push_back(n);
      }
      return out;
    }
    if (kind == 7 || kind == 8) {  // side by side; a semaphore on each way, or one, or none
      const int fork = then(add("fork"));
      const int parts = whole(2, 3), gates = whole(0, 2);
      ++parts_;
      PlainNode end{.kind = chance(0.25) ? "scaler" : "join"};
      if (chance(0.3)) end.quorum = whole(1, parts);
      const bool again = end.kind == "scaler";
      const int join = add(std::move(end));
      int gate = -1;
      if (gates == 2) gate = add(PlainNode{.kind = "semaphore", .quorum = whole(1, parts)});
      for (int p = 0; p < parts; ++p) {
        std::vector<int> way = {delay()};
        lead({fork}, way[0]);
        way = block(way, depth - 1);
        if (gates == 2) {
          lead(way, gate);
          if (p > 0) continue;
          way = {delay()};
          lead({gate}, way[0]);
        }
        lead(way, join);
      }
      --parts_;
      if (!again) return {join};
      const int last = add("join");
      for (int p = 0; p < 2; ++p) {
        const int way = delay();
        lead({join}, way), lead({way}, last);
      }
      return {last};
    }
    if (kind == 9) {  // with units of a pool
      const int pool = static_cast<int>(model.pools.size()), most = whole(1, 4);
      model.pools.push_back(most);
      std::vector<int> seizes;
      if (wide_) {
        const int by = then(add("router"));
        std::vector<int> ways;
        for (int c = 0; c < classes_; ++c) {
          PlainNode seize{.kind = "seize", .pool = pool, .units = whole(1, std::min(most, 2))};
          seize.preempts = chance(0.7);
          if (seize.preempts) ++seen["preempts"];
          seizes.push_back(add(std::move(seize)));
        }
        turn_by_class(by, seizes);
      } else {
        seizes = {then(add(PlainNode{.kind = "seize", .pool = pool, .units = whole(1, std::min(most, 2))}))};
      }
      const std::vector<int> work = block(seizes, depth - 1);
      const int release = add(PlainNode{.kind = "release", .pool = pool});
      lead(work, release);
      return {release};
    }
    if (kind == 10) {  // in a region
      const int region = static_cast<int>(model.regions.size());
      PlainRegion limits{.capacity = whole(1, 4), .loses = chance(0.3) && !closed_};
      if (chance(0.4))
        for (int c = 0; c < classes_; ++c) limits.of_class.push_back(whole(1, 3));
      model.regions.push_back(limits);
      ++seen[limits.loses ? "losing region" : "waiting region"];
      const int first = then(chance(0.5) ? station() : delay()), second = chance(0.5) ? station() : delay();
      at(first).region = at(second).region = region;
      lead({first}, second);
      return {second};
    }
    if (kind == 11) {  // some rounds
      const int in = then(add("router"));
      const std::vector<int> work = block({in}, depth - 1);
      PlainNode node{.kind = "router", .routing = "rounds"};
      node.threshold = whole(2, 3);
      const int again = add(std::move(node));
      ++seen["rounds"];
      lead(work, again), lead({again}, in);
      return {again};
    }
    if (kind == 12) {  // a line that blocks
      int last = then(station_of_line(0));
      const char* full = chance(0.5) ? "block" : "block_before";
      for (int more = whole(1, 2); more > 0; --more) {
        const int next = station_of_line(whole(1, 3));
        at(next).when_full = full, ++seen[full];
        lead({last}, next);
        last = next;
      }
      return {last};
    }
    if (kind == 13 && classes_ > 1) {
      PlainNode node{.kind = "class_switch"};
      for (int c = 0; c < classes_; ++c) {
        node.becomes.push_back(whole(0, classes_ - 1));
        if (closed(node.becomes.back()) != closed(c)) node.becomes.back() = c;
      }
      const int turn = then(add(std::move(node))), on = add("router");
      lead({turn}, on);
      return {on};
    }
    if (kind >= 15) return chance(0.5) ? tokens(then(add("place")), depth) : alternatives(then(add("place")), depth);
    return {then(add("logger"))};
  }
  int transition(std::vector<PlainArc> takes, bool may_take_time = true) {
    PlainNode t{.kind = "transition", .servers = whole(1, 2), .takes = std::move(takes)};
    if (may_take_time && chance(0.5)) t.firing = real(0.05, 0.6), ++seen["timed"];
    else t.priority = whole(0, 1), t.weight = whole(1, 3);
    t.gives = t.takes[0].count;
    return add(std::move(t));
  }
  /// So many may be inside as there are tokens, which come back.
  std::vector<int> tokens(int in, int depth) {
    const int held = add("place"), done = add("place"), most = whole(1, 3), alike = chance(0.3) ? 2 : 1,
              takes = whole(1, std::min(most, 2));
    at(held).tokens = most, ++seen["tokens"];
    const int start = transition({{in, alike}, {held, takes}});
    if (chance(0.4)) at(start).inhibitors = {{done, whole(1, 3)}}, ++seen["inhibitor"];
    lead(block({start}, depth - 1), done);
    const int end = transition({{done, alike}});
    at(end).tokens_to = held, at(end).tokens_back = takes;
    return {end};
  }
  /// Transitions that compete; before the first one there is room for so many.
  std::vector<int> alternatives(int in, int depth) {
    const int room = add("place"), leaves = transition({{room, 1}}), first = transition({{in, 1}}, false);
    at(first).inhibitors = {{room, whole(1, 2)}}, ++seen["inhibitor"];
    lead({first}, room);
    std::vector<int> out = {leaves};
    for (int w = whole(1, 2); w > 0; --w) {
      const int way = transition({{in, chance(0.2) ? 2 : 1}});
      const std::vector<int> on = chance(0.6) ? block({way}, depth - 1) : std::vector<int>{way};
      out.insert(out.end(), on.begin(), on.end());
    }
    return out;
  }
  int station_of_line(int room) {
    PlainNode s{.kind = "station"};
    s.servers = whole(1, 2);
    takes(s, 0.7 * s.servers / classes_);
    if (room > 0) s.capacity = s.servers + room - 1;
    return add(std::move(s));
  }

  std::mt19937_64 random_;
  int classes_ = 1, away_ = -1, parts_ = 0;
  bool wide_ = false, closed_ = false;
};

}  // namespace ergode::test
