#pragma once
#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/solvers/queueing/plain_model.h"

namespace ergode::test {

/// Runs one.
class PlainNetwork {
 public:
  /// Means over what was observed, averages over time, and numbers at the end, as measures of the drawing ask for them.
  std::map<std::string, double> values;

  explicit PlainNetwork(const PlainModel& model) : m_(model), at_(model.nodes.size()), inside_(model.regions.size()) {
    for (PlainRegionState& one : inside_) one.of_class.resize(m_.priority.size());
    pools_.resize(m_.pools.size());
    for (std::size_t n = 0; n < at_.size(); ++n) {
      const PlainNode& node = m_.nodes[n];
      at_[n].server_busy.assign(static_cast<std::size_t>(std::max(1, node.servers)), false);
      for (int s = 0; node.vacation > 0.0 && s < node.servers; ++s) prepare(n, Doing::vacation, node.vacation);
      if (node.discipline == "polling") prepare(n, Doing::switchover, node.switchover);
      if (node.to_failure > 0.0) alarms_.push_back({node.to_failure, Alarm::fails, static_cast<int>(n), -1, 0});
    }
    for (std::size_t n = 0; n < at_.size(); ++n)
      for (int i = 0; i < node(n).tokens; ++i) classes_ = token_class() + 1, arrive(token(), n);
    settle();
    std::size_t born = 0;
    for (;;) {
      double next = m_.end;
      if (born < m_.births.size()) next = std::min(next, m_.births[born].at);
      int ends_at = -1;
      std::size_t ends = 0;
      for (std::size_t n = 0; n < at_.size(); ++n) {
        const std::vector<double> rate = rates(n);
        double first = std::numeric_limits<double>::infinity();
        std::size_t who = 0;
        // A service that nothing disturbs ends at the moment at which it began, and its time. Only of others does
        // rounding leave something.
        const bool disturbed = shares(node(n)) || node(n).faster_above >= 0;
        for (std::size_t s = 0; s < rate.size(); ++s) {
          Served& one = at_[n].served[s];
          if (disturbed || one.rate != rate[s]) one.left = left_of(one), one.since = now_, one.rate = rate[s];
          // Who has got all of his work is done, whoever else comes at that moment; of several who began first.
          const double when = disturbed && one.left <= done ? now_
                              : one.rate > 0.0              ? one.since + one.left / one.rate
                                                            : first;
          if (when < first - (disturbed ? done : 0.0)) first = when, who = s;
        }
        if (first < next) next = first, ends_at = static_cast<int>(n), ends = who;
        if (m_.nodes[n].discipline != "las") continue;
        for (std::size_t i = 0; i < rate.size(); ++i)  // he gets as much as another had before
          for (std::size_t j = 0; j < rate.size(); ++j) {
            const double behind = at_[n].served[j].got - at_[n].served[i].got;
            if (behind > same && rate[i] > rate[j] && now_ + behind / (rate[i] - rate[j]) < next)
              next = now_ + behind / (rate[i] - rate[j]), ends_at = -2;
          }
      }
      for (const Alarmed& a : alarms_)
        if (a.at < next) next = a.at, ends_at = -3;
      pass(next);
      if (next >= m_.end) break;
      if (ends_at >= 0) {
        service_ends(static_cast<std::size_t>(ends_at), ends);
      } else if (ends_at == -1 && born < m_.births.size() && m_.births[born].at <= next) {
        const PlainBirth& birth = m_.births[born++];
        who_.push_back({.of_class = birth.of_class, .birth = &birth, .born = now_});
        who_.back().on_passage = !is_closed(birth.of_class);
        who_.back().due = now_ + m_.due[static_cast<std::size_t>(birth.of_class)];
        moves_.push_back({static_cast<int>(who_.size()) - 1, m_.first[static_cast<std::size_t>(birth.source)]});
      } else if (ends_at == -3) {
        ring();
      }
      settle();
    }
    for (auto& [name, sum] : averages_) values[name] = sum / m_.end;
    for (auto& [name, seen] : means_) values[name] = seen.first / seen.second;
  }

 private:
  static constexpr double same = 1e-9, done = 1e-12;  // [s] of service: what rounding leaves
  enum class Doing { service, setup, vacation, switchover };
  enum class Alarm { gives_up, comes_again, fails, repaired };
  struct Customer {
    int of_class = 0;
    const PlainBirth* birth = nullptr;
    double born = 0.0, due = 0.0, came = 0.0, came_in = 0.0, left = -1.0, whole = 0.0;
    bool begun = false;
    double waited = 0.0, passage_since = 0.0;  // in his passage; since when he is on one that leads to his reference
    bool on_passage = true;
    int region = -1, place = 0, split = -1, rounds = 0, stay = 0, goes_to = -1;
    int at = -1;         // station or delay where he is in line or served
    double began = 0.0;  // of the service he gets, or got last
    std::map<int, int> units, lost_units, seized_at;
    std::map<int, long> got_units;
  };
  struct Served {
    Doing doing = Doing::service;
    std::vector<int> who;          // of a batch several; the first one's time counts
    double left = 0.0, got = 0.0;  // left: at `since`, from when on he is served at `rate`
    int server = 0;
    long order = 0;
    double since = 0.0, rate = 0.0;
  };
  struct Waiting {
    int who = 0;
    long order = 0;
  };
  struct PlainNodeState {
    std::vector<Served> served;
    std::vector<Waiting> line;
    std::vector<bool> server_busy;
    std::deque<std::pair<int, int>> outside;  // who, and the station whose server he keeps; -1: none
    int present = 0, held = 0, count = 0, turn = 0, at = 0, taken = 0, gate = 0;
    bool down = false, goes_down = false;
    std::map<int, double> last_stay, last_service;          // by class
    std::map<int, std::pair<int, std::vector<int>>> gates;  // of a split: come, held; come < 0: open
  };
  struct Alarmed {
    double at = 0.0;
    Alarm what = Alarm::fails;
    int node = 0, who = 0, stay = 0;
  };
  struct Split {
    int whole = -1, of_class = 0, left = 0, come = 0;
    double since = 0.0;
    std::size_t node = 0;
  };
  struct PlainRegionState {
    int inside = 0;
    std::vector<int> of_class;
    std::vector<std::pair<int, int>> line;
  };
  struct PoolState {
    int taken = 0;
    std::vector<std::pair<int, int>> line;
  };

  const PlainNode& node(std::size_t n) const { return m_.nodes[n]; }
  Customer& customer(int c) { return who_[static_cast<std::size_t>(c)]; }
  int priority(int c) { return m_.priority[static_cast<std::size_t>(customer(c).of_class)]; }
  static bool shares(const PlainNode& n) {
    return n.discipline == "ps" || n.discipline == "dps" || n.discipline == "gps" || n.discipline == "las";
  }
  bool orders(std::size_t n) const { return node(n).priorities != "ignored" && node(n).discipline != "polling"; }
  static bool serves(const PlainNode& n) { return n.kind == "station" || n.kind == "delay" || n.kind == "transport"; }
  void observe(const std::string& name, double value) {
    auto& [sum, count] = means_[name];
    sum += value, count += 1.0;
  }

  // --- passages: from birth to a sink, or from leaving the reference to coming back to it
  bool is_closed(int of_class) const {
    const auto c = static_cast<std::size_t>(of_class);
    return c < m_.closed.size() && m_.closed[c];
  }
  void wait_ends(int c, const std::string& where) {
    observe(where + ".waiting_time", now_ - customer(c).came);
    customer(c).waited += now_ - customer(c).came;
  }
  void passage_ends(int c, double lasted) {
    Customer& who = customer(c);
    const double waited = std::exchange(who.waited, 0.0);
    if (!std::exchange(who.on_passage, true)) return;
    observe("system.response_time", lasted), observe("system.waiting_time", waited);
  }
  void goes_away(int c, std::size_t n) {
    Customer& who = customer(c);
    if (!is_closed(who.of_class) || m_.first[static_cast<std::size_t>(who.of_class)] != static_cast<int>(n)) return;
    passage_ends(c, (node(n).kind == "station" ? now_ : who.came) - std::exchange(who.passage_since, now_));
  }

  // --- the passing of time
  double left_of(const Served& one) const { return one.left - one.rate * (now_ - one.since); }
  double speed(std::size_t n) const {
    return node(n).faster_above >= 0 && at_[n].present > node(n).faster_above ? node(n).faster : 1.0;
  }
  std::vector<double> rates(std::size_t n) {
    std::vector<Served>& served = at_[n].served;
    std::vector<double> out(served.size(), 0.0);
    const double fast = speed(n), servers = node(n).servers;
    if (!shares(node(n))) {
      for (std::size_t s = 0; s < out.size(); ++s) {
        out[s] = fast;
        if (served[s].doing == Doing::service && !node(n).speeds.empty())
          out[s] *= node(n).speeds[static_cast<std::size_t>(served[s].server)];
      }
      return out;
    }
    if (node(n).discipline == "las") {
      std::vector<std::size_t> by(served.size());
      for (std::size_t s = 0; s < by.size(); ++s) by[s] = s;
      std::sort(by.begin(), by.end(), [&](std::size_t a, std::size_t b) { return served[a].got < served[b].got; });
      double left = servers;
      for (std::size_t first = 0, last = 0; first < by.size(); first = last) {
        while (last < by.size() && served[by[last]].got - served[by[first]].got <= same) ++last;
        const double alike = static_cast<double>(last - first), each = std::min(1.0, left / alike);
        for (std::size_t i = first; i < last; ++i) out[by[i]] = each * fast;
        left -= each * alike;
      }
      return out;
    }
    // In proportion to weights; who would get more than a server gets one, and the rest is shared again.
    std::vector<double> weight(served.size(), 1.0);
    for (std::size_t s = 0; s < weight.size() && !node(n).weights.empty(); ++s) {
      const int its = customer(served[s].who[0]).of_class;
      weight[s] = node(n).weights[static_cast<std::size_t>(its)];
      if (node(n).discipline != "gps") continue;
      double alike = 0.0;
      for (const Served& one : served) alike += customer(one.who[0]).of_class == its ? 1.0 : 0.0;
      weight[s] /= alike;
    }
    std::vector<bool> full(served.size());
    for (bool again = true; again;) {
      again = false;
      double left = servers, sum = 0.0;
      for (std::size_t s = 0; s < weight.size(); ++s) full[s] ? left -= 1.0 : sum += weight[s];
      for (std::size_t s = 0; s < weight.size(); ++s) out[s] = full[s] ? 1.0 : left * weight[s] / sum;
      for (std::size_t s = 0; s < weight.size(); ++s)
        if (!full[s] && out[s] > 1.0) full[s] = again = true;
    }
    for (double& one : out) one *= fast;
    return out;
  }
  void pass(double until) {
    const double dt = until - now_;
    for (std::size_t n = 0; n < at_.size(); ++n) {
      const std::vector<double> rate = rates(n);
      PlainNodeState& here = at_[n];
      double busy = 0.0;
      for (std::size_t s = 0; s < rate.size(); ++s) {
        here.served[s].got += rate[s] * dt;
        busy += here.served[s].doing == Doing::service ? 1.0 : 0.0;
      }
      const std::string& name = node(n).name;
      if (serves(node(n))) averages_[name + ".number"] += dt * here.present;
      if (node(n).kind == "station") {
        averages_[name + ".waiting"] += dt * static_cast<double>(here.line.size());
        averages_[name + ".busy"] += dt * (shares(node(n)) ? std::min<double>(busy, node(n).servers) : busy);
        averages_[name + ".blocked"] += dt * blocked(n);
      }
      if (node(n).kind == "place") averages_[name + ".number"] += dt * static_cast<double>(here.line.size());
      if (node(n).kind == "join" || node(n).kind == "scaler" || node(n).kind == "semaphore" || node(n).kind == "seize")
        averages_[name + ".number"] += dt * here.count;
    }
    for (std::size_t r = 0; r < inside_.size(); ++r) {
      const std::string name = "region" + std::to_string(r);
      averages_[name + ".number"] += dt * inside_[r].inside;
      averages_[name + ".waiting"] += dt * static_cast<double>(inside_[r].line.size());
      for (std::size_t c = 0; m_.priority.size() > 1 && c < m_.priority.size(); ++c) {
        averages_[name + ".number" + end_of(c)] += dt * inside_[r].of_class[c];
        double& waiting = averages_[name + ".waiting" + end_of(c)];
        for (const auto& [who, n] : inside_[r].line)
          waiting += who_[static_cast<std::size_t>(who)].of_class == static_cast<int>(c) ? dt : 0.0;
      }
    }
    for (std::size_t p = 0; p < pools_.size(); ++p) {
      averages_["pool" + std::to_string(p) + ".busy"] += dt * pools_[p].taken;
      averages_["pool" + std::to_string(p) + ".waiting"] += dt * static_cast<double>(pools_[p].line.size());
    }
    now_ = until;
  }
  double blocked(std::size_t n) const {
    double out = 0.0;
    for (const PlainNodeState& there : at_)
      for (const auto& [who, holds] : there.outside) out += holds == static_cast<int>(n) ? 1.0 : 0.0;
    return out;
  }

  // --- moves without time
  void settle() {
    while (!room_.empty() || !turned_away_.empty() || !moves_.empty() || fire_at_once()) {
      if (!room_.empty()) {
        const std::size_t n = room_.front();
        room_.pop_front();
        if (n >= at_.size()) give_units(static_cast<int>(n - at_.size()));
        else let_in(n);
        continue;
      }
      auto& from = turned_away_.empty() ? moves_ : turned_away_;
      if (from.empty()) continue;
      const auto [c, n] = from.front();
      from.pop_front();
      arrive(c, static_cast<std::size_t>(n));
    }
  }
  int next_of(int c, std::size_t n) {
    const PlainNode& here = node(n);
    Customer& who = customer(c);
    if (here.kind == "class_switch") who.of_class = here.becomes[static_cast<std::size_t>(who.of_class)];
    if (here.routing.empty()) return here.to[0];
    if (here.routing == "by_class") return here.to[static_cast<std::size_t>(who.of_class)];
    if (here.routing == "round_robin") return here.to[static_cast<std::size_t>(at_[n].turn++) % here.to.size()];
    if (here.routing == "choice") return here.to[who.birth->choice < here.threshold ? 0 : 1];
    if (here.routing == "rounds") return here.to[++who.rounds < here.threshold ? 0 : 1];
    return chosen_way(who.of_class, n);
  }
  int chosen_way(int of_class, std::size_t n) {
    const PlainNode& here = node(n);
    const std::vector<int>& all = m_.chosen[n];
    const auto turn = static_cast<std::size_t>(at_[n].turn++);
    if (turn >= all.size()) throw std::logic_error("nobody chose at " + here.name + " any more");
    const auto way = static_cast<std::size_t>(all[turn]);
    const double his = burden(here.routing, of_class, static_cast<std::size_t>(here.to[way]));
    int better = 0, not_better = 0;  // by more than rounding leaves
    for (const int to : here.to) {
      const double one = burden(here.routing, of_class, static_cast<std::size_t>(to));
      ++(one < his - same ? better : not_better);
    }
    const int seen = here.routing == "power_of_d" ? std::min<int>(here.choices, static_cast<int>(here.to.size())) : 0;
    if (seen > 0 ? not_better < seen : better > 0)
      throw std::logic_error("way " + std::to_string(way) + " at " + here.name + " is not the best at " +
                             std::to_string(now_));
    return here.to[way];
  }
  double burden(const std::string& routing, int of_class, std::size_t n) {
    const PlainNode& there = node(n);
    PlainNodeState& state = at_[n];
    if (routing == "last_response") return state.last_stay[of_class];
    if (routing == "last_service") return state.last_service[of_class];
    if (routing == "least_work") {
      double left = 0.0;
      for (const Waiting& one : state.line) left += customer(one.who).left;
      for (const Served& one : state.served) {
        const double speed = there.speeds.empty() ? 1.0 : there.speeds[static_cast<std::size_t>(one.server)];
        if (one.doing == Doing::service) left += std::max(0.0, left_of(one)) / speed;
      }
      return left;
    }
    if (routing != "fastest") return state.present;
    const double before = std::max(0, state.present - there.servers + 1);
    return (1.0 + before / there.servers) * there.of_class[static_cast<std::size_t>(of_class)];
  }
  void go_on(int c, std::size_t n) { moves_.push_back({c, next_of(c, n)}); }
  void arrive(int c, std::size_t n) {
    const PlainNode& there = node(n);
    Customer& who = customer(c);
    if (there.kind == "router" || there.kind == "class_switch")
      return arrive(c, static_cast<std::size_t>(next_of(c, n)));
    if (there.kind == "sink") {
      observe(there.name + ".time_in_system", now_ - who.born);
      values[there.name + ".arrived"] += 1.0;
      if (now_ > who.due) values[there.name + ".late"] += 1.0;
      passage_ends(c, now_ - who.born);
      return leave_network(c);
    }
    if (who.region != there.region || !serves(there)) leave_region(c);
    if (serves(there)) {
      if (there.region >= 0 && who.region != there.region && !enter_region(c, n)) return;
      return enter(c, n);
    }
    if (there.kind == "logger") {
      values[there.name + ".passed"] += 1.0;
      observe(there.name + ".age", now_ - who.born);
      return go_on(c, n);
    }
    if (there.kind == "place") {
      who.came = now_;
      at_[n].line.push_back({c, ++order_});
      return place_changed();
    }
    if (there.kind == "fork") return split(c, n);
    if (there.kind == "join" || there.kind == "scaler") return join(c, n);
    if (there.kind == "semaphore") {
      if (who.split < 0) return go_on(c, n);
      auto& [come, held] = at_[n].gates[who.split];
      if (come < 0) return go_on(c, n);
      held.push_back(c), ++at_[n].count;
      const auto of_class = static_cast<std::size_t>(splits_[static_cast<std::size_t>(who.split)].of_class);
      if (++come < (there.quorum_of.empty() ? there.quorum : there.quorum_of[of_class])) return;
      come = -1;
      at_[n].count -= static_cast<int>(held.size());
      for (const int one : held) go_on(one, n);
      return held.clear();
    }
    if (there.kind == "seize") {
      who.came = now_;
      ++at_[n].count;
      auto& line = pools_[static_cast<std::size_t>(there.pool)].line;
      auto place = line.end();
      while (place != line.begin() && priority((place - 1)->first) < priority(c)) --place;
      line.insert(place, {c, static_cast<int>(n)});
      return give_units(there.pool);
    }
    if (there.kind == "release") {
      give_back(c, there.pool);
      return go_on(c, n);
    }
    throw std::logic_error("no such element: " + there.kind);
  }
  // --- places and transitions
  int token_class() const { return static_cast<int>(m_.priority.size()); }
  int token() {
    who_.push_back({.of_class = token_class(), .birth = nullptr, .born = now_});
    return static_cast<int>(who_.size()) - 1;
  }
  int tokens_in(const PlainArc& arc) const {
    return static_cast<int>(at_[static_cast<std::size_t>(arc.place)].line.size());
  }
  int enabled(std::size_t n) const {
    for (const PlainArc& arc : node(n).inhibitors)
      if (tokens_in(arc) >= arc.count) return 0;
    int times = std::numeric_limits<int>::max();
    for (const PlainArc& arc : node(n).takes) times = std::min(times, tokens_in(arc) / arc.count);
    return times;
  }
  // So many firings are under way as could be; who began last gives up first.
  void place_changed() {
    for (std::size_t n = 0; n < at_.size(); ++n) {
      if (node(n).kind != "transition" || node(n).firing < 0.0) continue;
      const auto wanted = static_cast<std::size_t>(std::min(enabled(n), node(n).servers));
      std::vector<Served>& served = at_[n].served;
      while (served.size() > wanted) served.pop_back();
      while (served.size() < wanted) prepare(n, Doing::service, node(n).firing);
    }
  }
  bool fire_at_once() {
    std::vector<std::size_t> could;
    for (std::size_t n = 0; n < at_.size(); ++n) {
      if (node(n).kind != "transition" || node(n).firing >= 0.0 || enabled(n) == 0) continue;
      if (!could.empty() && node(n).priority < node(could[0]).priority) continue;
      if (!could.empty() && node(n).priority > node(could[0]).priority) could.clear();
      could.push_back(n);
    }
    if (could.empty()) return false;
    if (fired_ >= m_.fired.size()) throw std::logic_error("nothing fires at " + std::to_string(now_));
    const auto n = static_cast<std::size_t>(m_.fired[fired_++]);
    if (std::find(could.begin(), could.end(), n) == could.end())
      throw std::logic_error(node(n).name + " may not fire at " + std::to_string(now_));
    fire(n);
    return true;
  }
  void fire(std::size_t n) {
    const PlainNode& here = node(n);
    values[here.name + ".fired"] += 1.0;
    std::vector<int> taken;
    for (const PlainArc& arc : here.takes) {
      const auto p = static_cast<std::size_t>(arc.place);
      for (int i = 0; i < arc.count; ++i) {
        std::vector<Waiting>& line = at_[p].line;
        auto first = line.begin();
        for (auto one = line.begin(); one != line.end(); ++one)
          if (customer(one->who).came == customer(first->who).came &&
              customer(one->who).of_class < customer(first->who).of_class)
            first = one;  // of those who came at one moment by class
        taken.push_back(first->who);
        observe(node(p).name + ".response_time", now_ - customer(first->who).came);
        line.erase(first);
      }
    }
    place_changed();
    std::size_t next = 0;
    for (int i = 0; i < here.gives; ++i) moves_.push_back({taken[next++], here.to[0]});
    for (int i = 0; i < here.tokens_back; ++i) moves_.push_back({token(), here.tokens_to});
    for (; next < taken.size(); ++next) leave_network(taken[next]);
  }
  void give_back(int c, int pool) {
    const int units = std::exchange(customer(c).units[pool], 0);
    pools_[static_cast<std::size_t>(pool)].taken -= units;
    if (units > 0) give_units(pool);
  }
  void give_units(int pool) {
    PoolState& here = pools_[static_cast<std::size_t>(pool)];
    while (!here.line.empty()) {
      const auto [c, at] = here.line.front();
      const auto n = static_cast<std::size_t>(at);
      Customer& who = customer(c);
      const bool returns = node(n).kind != "seize";
      const int wants = returns ? who.lost_units[pool] : node(n).units;
      const int missing = here.taken + wants - m_.pools[static_cast<std::size_t>(pool)];
      const bool preempts = node(returns ? static_cast<std::size_t>(who.seized_at[pool]) : n).preempts;
      if (missing > 0 && !(preempts && take_away(c, pool, missing))) return;
      // Those whose units he took stand behind him.
      here.line.erase(here.line.begin());
      here.taken += wants, who.units[pool] += wants, who.got_units[pool] = ++order_;
      if (returns) {
        go_on_there(c, n);
        continue;
      }
      who.seized_at[pool] = at;
      wait_ends(c, node(n).name);
      --at_[n].count;
      go_on(c, n);
    }
  }
  // --- units that are taken away
  bool may_lose(int c) {
    const Customer& who = customer(c);
    if (who.at < 0) return false;
    const PlainNode& there = node(static_cast<std::size_t>(who.at));
    if (shares(there) || there.batch > 1 || there.least_batch > 1) return false;
    const bool waits_for_room =
        there.to.size() == 1 && node(static_cast<std::size_t>(there.to[0])).when_full == "block_before";
    if (there.kind == "station" && waits_for_room) return false;
    if (there.kind != "station" || there.interruption != "finish") return true;
    return place_of(c, at_[static_cast<std::size_t>(who.at)]) < 0;
  }
  static int place_of(int c, const PlainNodeState& there) {
    for (std::size_t s = 0; s < there.served.size(); ++s)
      if (there.served[s].doing == Doing::service && there.served[s].who[0] == c) return static_cast<int>(s);
    return -1;
  }
  /// From the least important, of equal ones from who got his last, until it is enough.
  bool take_away(int c, int pool, int missing) {
    std::vector<int> victims;
    for (int other = 0; other < static_cast<int>(who_.size()); ++other)
      if (customer(other).units[pool] > 0 && priority(other) < priority(c) && may_lose(other)) victims.push_back(other);
    std::sort(victims.begin(), victims.end(), [&](int a, int b) {
      if (priority(a) != priority(b)) return priority(a) < priority(b);
      return customer(a).got_units[pool] > customer(b).got_units[pool];
    });
    int got = 0;
    std::size_t count = 0;
    while (count < victims.size() && got < missing) got += customer(victims[count++]).units[pool];
    if (got < missing) return false;
    victims.resize(count);
    for (std::size_t v = count; v-- > 0;)  // the others suffice: he keeps his
      if (const int his = customer(victims[v]).units[pool]; got - his >= missing)
        got -= his, victims.erase(victims.begin() + static_cast<std::ptrdiff_t>(v));
    for (const int victim : victims) lose_units(victim, pool);
    return true;
  }
  void lose_units(int c, int pool) {
    Customer& who = customer(c);
    const auto n = static_cast<std::size_t>(std::exchange(who.at, -1));
    PlainNodeState& there = at_[n];
    PoolState& from = pools_[static_cast<std::size_t>(pool)];
    from.taken -= who.units[pool], who.lost_units[pool] = std::exchange(who.units[pool], 0);
    ++who.stay;  // the patience he had has lapsed
    if (const int s = place_of(c, there); s >= 0) {
      stop(n, static_cast<std::size_t>(s));
    } else {
      std::erase_if(there.line, [&](const Waiting& one) { return one.who == c; });
    }
    auto place = from.line.end();
    while (place != from.line.begin() && priority((place - 1)->first) <= priority(c)) --place;
    from.line.insert(place, {c, static_cast<int>(n)});
    values["pool" + std::to_string(pool) + ".preempted"] += 1.0;
    if (node(n).kind == "station") after_service(n);
  }
  void go_on_there(int c, std::size_t n) {
    const PlainNode& there = node(n);
    is_at(c, static_cast<int>(n));
    const bool by_rule = there.setup > 0.0 || there.discipline == "polling";
    if (there.kind != "station" || (idle(n) > 0 && at_[n].line.empty() && !by_rule)) return begin({c}, n);
    if (idle(n) <= 0 && makes_way(c, n)) return begin({c}, n);
    line_up(c, n, true);
    look_for_work(n, false);
  }
  void is_at(int c, int n) {
    customer(c).at = n;
    if (n < 0) return;
    // Somebody may wait for what he holds, and could not have it where he was.
    for (std::size_t p = 0; p < pools_.size(); ++p)
      if (!pools_[p].line.empty() && customer(c).units[static_cast<int>(p)] > 0) room_.push_back(at_.size() + p);
  }
  bool has_room(const PlainRegionState& in, const PlainRegion& region, int of_class) const {
    const auto c = static_cast<std::size_t>(of_class);
    return (region.capacity == 0 || in.inside < region.capacity) &&
           (region.of_class.empty() || in.of_class[c] < region.of_class[c]);
  }
  static std::string end_of(std::size_t c) { return ".c" + std::to_string(c); }
  void comes_in(int c, std::size_t r) {
    Customer& who = customer(c);
    ++inside_[r].inside, ++inside_[r].of_class[static_cast<std::size_t>(who.of_class)];
    who.region = static_cast<int>(r), who.place = who.of_class, who.came_in = now_;
  }
  bool enter_region(int c, std::size_t n) {
    const auto r = static_cast<std::size_t>(node(n).region);
    PlainRegionState& in = inside_[r];
    Customer& who = customer(c);
    if (has_room(in, m_.regions[r], who.of_class)) {
      observe("region" + std::to_string(r) + ".waiting_time", 0.0);
      comes_in(c, r);
      return true;
    }
    if (m_.regions[r].loses) {
      const std::string lost = "region" + std::to_string(r) + ".lost";
      values[lost] += 1.0;
      if (m_.priority.size() > 1) values[lost + end_of(static_cast<std::size_t>(who.of_class))] += 1.0;
      leave_network(c);
      return false;
    }
    who.came = now_;
    in.line.push_back({c, static_cast<int>(n)});
    return false;
  }
  void leave_region(int c) {
    const int number = std::exchange(customer(c).region, -1);
    if (number < 0) return;
    const auto r = static_cast<std::size_t>(number);
    PlainRegionState& in = inside_[r];
    --in.inside, --in.of_class[static_cast<std::size_t>(customer(c).place)];
    observe("region" + std::to_string(r) + ".response_time", now_ - customer(c).came_in);
    for (std::size_t i = 0; i < in.line.size();) {
      const auto [next, n] = in.line[i];
      if (!has_room(in, m_.regions[r], customer(next).of_class)) {
        ++i;
        continue;
      }
      in.line.erase(in.line.begin() + static_cast<std::ptrdiff_t>(i));
      wait_ends(next, "region" + std::to_string(r));
      comes_in(next, r);
      moves_.push_back({next, n});
    }
  }
  void leave_network(int c) {
    leave_region(c);
    for (std::size_t p = 0; p < pools_.size(); ++p) give_back(c, static_cast<int>(p));
    const int number = std::exchange(customer(c).split, -1);
    if (number < 0) return;
    Split& split = splits_[static_cast<std::size_t>(number)];
    if (--split.left > 0 || split.whole < 0) return;
    // Nobody else comes: he goes on with those who came; if there is none he is gone too.
    if (split.come > 0) one_again(number);
    else leave_network(std::exchange(split.whole, -1));
  }

  // --- those of one customer
  void split(int c, std::size_t n) {
    splits_.push_back(
        {.whole = c, .of_class = customer(c).of_class, .left = static_cast<int>(node(n).to.size()), .since = now_});
    for (const int to : node(n).to) {
      Customer part = customer(c);
      part.split = static_cast<int>(splits_.size()) - 1;
      part.units.clear();
      part.waited = 0.0, part.on_passage = true;
      who_.push_back(part);
      moves_.push_back({static_cast<int>(who_.size()) - 1, to});
    }
  }
  void join(int c, std::size_t n) {
    const int number = std::exchange(customer(c).split, -1);
    if (number < 0) {
      if (node(n).kind == "scaler") return split(c, n);
      return go_on(c, n);
    }
    leave_network(c);
    Split& split = splits_[static_cast<std::size_t>(number)];
    --split.left, ++split.come;
    if (split.whole < 0) return;
    customer(split.whole).waited += customer(c).waited;
    ++at_[n].count;
    split.node = n;
    if (split.left == 0 || (node(n).quorum > 0 && split.come >= node(n).quorum)) one_again(number);
  }
  void one_again(int number) {
    Split& split = splits_[static_cast<std::size_t>(number)];
    const int c = std::exchange(split.whole, -1);
    const std::size_t n = split.node;
    at_[n].count -= split.come;
    observe(node(n).name + ".response_time", now_ - split.since);
    if (node(n).kind == "scaler") return this->split(c, n);
    go_on(c, n);
  }

  // --- stations and delays
  int idle(std::size_t n) const {
    if (node(n).kind != "station") return std::numeric_limits<int>::max();
    return node(n).servers - static_cast<int>(at_[n].served.size()) - at_[n].held - (at_[n].down ? 1 : 0);
  }
  bool full(std::size_t n) const { return node(n).capacity > 0 && at_[n].present >= node(n).capacity; }
  double work_of(int c, std::size_t n) {
    const PlainNode& here = node(n);
    const Customer& who = customer(c);
    if (here.work < 0) return here.of_class[static_cast<std::size_t>(who.of_class)];
    return here.work == 9 ? here.factor : who.birth->work[static_cast<std::size_t>(here.work)] * here.factor;
  }
  void enter(int c, std::size_t n) {
    if (!full(n)) return take_in(c, n);
    const PlainNode& there = node(n);
    if (there.when_full == "lose") return turn_away(c, n, "lost", there.lost_to);
    if (there.when_full == "retry")
      return alarms_.push_back({now_ + there.retry, Alarm::comes_again, static_cast<int>(n), c, customer(c).stay});
    at_[n].outside.push_back({c, -1});
  }
  void turn_away(int c, std::size_t n, const char* how, int to) {
    values[node(n).name + "." + how] += 1.0;
    if (to < 0) return leave_network(c);
    turned_away_.push_back({c, to});  // before those who are still to come: he is not where he was refused
  }
  void take_in(int c, std::size_t n) {
    const PlainNode& there = node(n);
    PlainNodeState& here = at_[n];
    Customer& who = customer(c);
    who.came = now_, who.left = work_of(c, n), who.whole = who.left, who.begun = false, who.goes_to = -1;
    ++who.stay, ++here.present;
    is_at(c, static_cast<int>(n));
    const bool by_rule = there.setup > 0.0 || there.discipline == "polling" || there.batch > 1 || there.least_batch > 1;
    if (shares(there) || there.kind != "station" || (idle(n) > 0 && here.line.empty() && !by_rule))
      return begin({c}, n);
    if (idle(n) <= 0 && makes_way(c, n)) return begin({c}, n);
    line_up(c, n, false);
    look_for_work(n, false);
  }
  void line_up(int c, std::size_t n, bool first) {
    at_[n].line.push_back({c, first ? -++order_ : ++order_});
    if (node(n).patience > 0.0 && !customer(c).begun)
      alarms_.push_back({now_ + customer(c).birth->patience * node(n).patience, Alarm::gives_up, static_cast<int>(n), c,
                         customer(c).stay});
  }
  /// Smaller is sooner.
  double key(const Waiting& one, std::size_t n) {
    const std::string& by = node(n).discipline;
    if (by == "sjf" || by == "srpt") return customer(one.who).left;
    if (by == "ljf") return -customer(one.who).left;
    if (by == "sept" || by == "lept") return (by == "sept" ? 1.0 : -1.0) * work_of(one.who, n);
    if (by == "edd") return customer(one.who).due;
    // Last come: whose service was interrupted is the last.
    if (by == "lcfs" || by == "lcfs_pr") return -std::fabs(static_cast<double>(one.order));
    return 0.0;
  }
  int take_next(std::size_t n, int of_class = -1) {
    std::vector<Waiting>& line = at_[n].line;
    std::size_t best = line.size();
    const bool keyed = node(n).discipline != "fcfs" && node(n).discipline != "polling";
    const auto before = [&](const Waiting& a, const Waiting& b) {
      if (orders(n) && priority(a.who) != priority(b.who)) return priority(a.who) > priority(b.who);
      const double x = key(a, n), y = key(b, n);
      if (x != y) return x < y;
      return keyed ? std::labs(a.order) < std::labs(b.order) : a.order < b.order;
    };
    for (std::size_t i = 0; i < line.size(); ++i)
      if (of_class < 0 || customer(line[i].who).of_class == of_class)
        if (best == line.size() || before(line[i], line[best])) best = i;
    const int out = line[best].who;
    line.erase(line.begin() + static_cast<std::ptrdiff_t>(best));
    return out;
  }
  void begin(std::vector<int> all, std::size_t n) {
    PlainNodeState& here = at_[n];
    if (node(n).kind == "station" && node(n).to.size() == 1 && customer(all[0]).goes_to < 0) {
      // Before service: there must be room where he goes.
      const auto to = static_cast<std::size_t>(node(n).to[0]);
      if (node(to).kind == "station" && node(to).when_full == "block_before") {
        customer(all[0]).goes_to = node(n).to[0];
        if (full(to)) {
          ++here.held;
          return at_[to].outside.push_back({-1 - all[0], static_cast<int>(n)});
        }
      }
    }
    int server = 0;
    if (!node(n).speeds.empty()) {
      server = -1;
      for (int s = 0; s < node(n).servers; ++s)
        if (!here.server_busy[static_cast<std::size_t>(s)] &&
            (server < 0 ||
             node(n).speeds[static_cast<std::size_t>(s)] > node(n).speeds[static_cast<std::size_t>(server)]))
          server = s;
      here.server_busy[static_cast<std::size_t>(server)] = true;
    }
    for (const int c : all) {
      if (!customer(c).begun) customer(c).began = now_;
      if (node(n).kind == "station" && !customer(c).begun) wait_ends(c, node(n).name);
      customer(c).begun = true;
    }
    const double left = customer(all[0]).left;
    here.served.push_back({Doing::service, std::move(all), left, 0.0, server, ++order_, now_});
  }
  void prepare(std::size_t n, Doing what, double takes) {
    at_[n].served.push_back({what, {}, takes, 0.0, 0, ++order_, now_});
  }
  int doing(std::size_t n, Doing what) const {
    int out = 0;
    for (const Served& one : at_[n].served) out += one.doing == what ? 1 : 0;
    return out;
  }
  void look_for_work(std::size_t n, bool warm) {
    const PlainNode& here = node(n);
    if (shares(here)) return;
    while (idle(n) > 0) {
      std::vector<Waiting>& line = at_[n].line;
      if (here.discipline == "polling") {
        if (!poll(n)) return;
        continue;
      }
      if (line.empty() || static_cast<int>(line.size()) < here.least_batch) return;
      if (here.setup > 0.0 && !warm) {
        if (doing(n, Doing::setup) >= static_cast<int>(line.size())) return;
        prepare(n, Doing::setup, here.setup);
        continue;
      }
      warm = false;
      std::vector<int> all;
      while (static_cast<int>(all.size()) < here.batch && !line.empty()) all.push_back(take_next(n));
      begin(std::move(all), n);
    }
  }
  int waiting_of(std::size_t n, int of_class) {
    int out = 0;
    for (const Waiting& one : at_[n].line) out += customer(one.who).of_class == of_class ? 1 : 0;
    return out;
  }
  bool poll(std::size_t n) {
    PlainNodeState& here = at_[n];
    const PlainNode& by = node(n);
    const bool stays = by.visit == "exhaustive" || (by.visit == "gated" && here.gate > 0) ||
                       (by.visit == "limited" && here.taken < by.limit);
    if (waiting_of(n, here.at) > 0 && stays) {
      ++here.taken, --here.gate;
      begin({take_next(n, here.at)}, n);
      return true;
    }
    prepare(n, Doing::switchover, by.switchover);
    return true;
  }
  bool makes_way(int c, std::size_t n) {
    const PlainNode& here = node(n);
    const bool by_class = here.priorities == "preemptive" && orders(n), last = here.discipline == "lcfs_pr",
               shortest = here.discipline == "srpt";
    if (!by_class && !last && !shortest) return false;
    std::vector<Served>& served = at_[n].served;
    std::size_t worst = served.size();
    const auto worse = [&](const Served& a, const Served& b) {
      if (orders(n) && priority(a.who[0]) != priority(b.who[0])) return priority(a.who[0]) < priority(b.who[0]);
      if (shortest && left_of(a) != left_of(b)) return left_of(a) > left_of(b);
      return last ? a.order < b.order : a.order > b.order;
    };
    for (std::size_t s = 0; s < served.size(); ++s)
      if (served[s].doing == Doing::service && (worst == served.size() || worse(served[s], served[worst]))) worst = s;
    if (worst == served.size()) return false;
    const int mine = orders(n) ? priority(c) : 0, its = orders(n) ? priority(served[worst].who[0]) : 0;
    if (mine < its || (mine == its && !last && !(shortest && customer(c).left < left_of(served[worst])))) return false;
    interrupt(n, worst);
    return true;
  }
  void interrupt(std::size_t n, std::size_t s) { line_up(stop(n, s), n, true); }
  int stop(std::size_t n, std::size_t s) {
    const Served was = at_[n].served[s];
    at_[n].served.erase(at_[n].served.begin() + static_cast<std::ptrdiff_t>(s));
    at_[n].server_busy[static_cast<std::size_t>(was.server)] = false;
    Customer& who = customer(was.who[0]);
    who.left = node(n).interruption == "repeat" ? who.whole : left_of(was);
    return was.who[0];
  }
  void service_ends(std::size_t n, std::size_t s) {
    const Served was = at_[n].served[s];
    PlainNodeState& here = at_[n];
    here.served.erase(here.served.begin() + static_cast<std::ptrdiff_t>(s));
    if (node(n).kind == "transition") return fire(n);
    if (was.doing == Doing::service) {
      here.server_busy[static_cast<std::size_t>(was.server)] = false;
      if (here.goes_down) here.goes_down = false, fail(n);
      for (const int c : was.who) finish(c, n);
      return;
    }
    if (was.doing == Doing::switchover) {
      here.at = (here.at + 1) % classes_;
      here.taken = 0, here.gate = waiting_of(n, here.at);
    }
    if (was.doing == Doing::vacation && here.line.empty() && !node(n).one_vacation)
      prepare(n, Doing::vacation, node(n).vacation);
    look_for_work(n, true);
  }
  void after_service(std::size_t n) {
    look_for_work(n, true);
    if (node(n).vacation > 0.0 && idle(n) > 0 && at_[n].line.empty()) prepare(n, Doing::vacation, node(n).vacation);
  }
  void finish(int c, std::size_t n) {
    is_at(c, -1);
    at_[n].last_service[customer(c).of_class] = now_ - customer(c).began;
    int to = customer(c).goes_to;
    if (to < 0) to = next_of(c, n);
    const auto t = static_cast<std::size_t>(to);
    if (node(t).kind == "station" && (node(t).when_full == "block" || node(t).when_full == "block_before") && full(t)) {
      if (node(n).kind == "station") ++at_[n].held;
      return at_[t].outside.push_back({c, static_cast<int>(n)});
    }
    leave(c, n);
    arrive(c, t);
    if (node(t).when_full == "block_before") after_service(n);
  }
  void leave(int c, std::size_t n) {
    observe(node(n).name + ".response_time", now_ - customer(c).came);
    goes_away(c, n);
    at_[n].last_stay[customer(c).of_class] = now_ - customer(c).came;
    --at_[n].present, ++customer(c).stay;
    const bool waits = node(static_cast<std::size_t>(node(n).to[0])).when_full == "block_before";
    if (node(n).kind == "station" && !waits) after_service(n);
    if (!at_[n].outside.empty()) room_.push_back(n);
  }
  void let_in(std::size_t n) {
    while (!at_[n].outside.empty() && !full(n)) {
      const auto [who, holds] = at_[n].outside.front();
      at_[n].outside.pop_front();
      if (holds < 0) {
        take_in(who, n);
        continue;
      }
      const auto from = static_cast<std::size_t>(holds);
      if (who < 0) {
        --at_[from].held;
        return begin({-1 - who}, from);
      }
      if (node(from).kind == "station") --at_[from].held;
      leave(who, from);
      take_in(who, n);
      if (node(n).when_full == "block_before") after_service(from);
    }
  }
  void fail(std::size_t n) {
    at_[n].down = true;
    alarms_.push_back({now_ + node(n).to_repair, Alarm::repaired, static_cast<int>(n), -1, 0});
  }
  void ring() {
    const auto first = std::min_element(alarms_.begin(), alarms_.end(),
                                        [](const Alarmed& a, const Alarmed& b) { return a.at < b.at; });
    const Alarmed one = *first;
    alarms_.erase(first);
    const auto n = static_cast<std::size_t>(one.node);
    PlainNodeState& here = at_[n];
    switch (one.what) {
      case Alarm::gives_up: {
        const auto place =
            std::find_if(here.line.begin(), here.line.end(), [&](const Waiting& w) { return w.who == one.who; });
        if (place == here.line.end() || customer(one.who).stay != one.stay || customer(one.who).begun) return;
        here.line.erase(place);
        is_at(one.who, -1);
        customer(one.who).waited += now_ - customer(one.who).came;
        goes_away(one.who, n);
        --here.present, ++customer(one.who).stay;
        if (!here.outside.empty()) room_.push_back(n);
        return turn_away(one.who, n, "gave_up", node(n).gave_up_to);
      }
      case Alarm::comes_again:
        return enter(one.who, n);
      case Alarm::fails:
        if (doing(n, Doing::service) == 0) return fail(n);
        if (node(n).interruption == "finish") {
          here.goes_down = true;
          return;
        }
        interrupt(n, 0);
        return fail(n);
      case Alarm::repaired:
        here.down = false;
        alarms_.push_back({now_ + node(n).to_failure, Alarm::fails, one.node, -1, 0});
        return look_for_work(n, true);
    }
  }

  const PlainModel& m_;
  std::vector<PlainNodeState> at_;
  std::vector<PlainRegionState> inside_;
  std::vector<PoolState> pools_;
  std::vector<Split> splits_;
  std::deque<Customer> who_;
  std::vector<Alarmed> alarms_;
  std::deque<std::pair<int, int>> moves_, turned_away_;
  std::deque<std::size_t> room_;
  std::map<std::string, double> averages_;
  std::map<std::string, std::pair<double, double>> means_;
  double now_ = 0.0;
  int classes_ = token_class();  // with that of tokens, where there are any
  std::size_t fired_ = 0;
  long order_ = 0;
};

}  // namespace ergode::test
