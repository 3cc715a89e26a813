#pragma once
#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "solvers/simulation/model_history.h"
#include "tests/solvers/queueing/drawn_network.h"
#include "tests/solvers/queueing/plain_network.h"

namespace ergode::test {

/// The same in the notation.
class DrawnPlainModel {
 public:
  DrawnNetwork d;

  static std::string seconds(double value) { return number_text(value, 17) + " s"; }

  static bool is_time(const std::string& name) {
    const std::string what = name.substr(name.find('.') + 1);
    return what == "waiting_time" || what == "response_time" || what == "time_in_system" || what == "age";
  }
  static bool alike(double a, double b) { return std::fabs(a - b) <= 1e-7 * std::max(1.0, std::fabs(b)); }

  DrawnPlainModel(const PlainModel& m, const std::vector<int>& batch, const std::string& folder)
      : d(seconds(m.end)), m_(m) {
    for (std::size_t c = 0; c < m.priority.size(); ++c) {
      std::ofstream file(folder + "/" + name_of(c) + ".csv");
      file << "w0,w1,w2,patience,choice\n";
      std::string times;
      double last = -1.0;
      // Of a class that is empty at the beginning nobody is born; a list of values has one at least.
      if (m.closed[c] && m.population[c] == 0) file << "1,1,1,1,0\n";
      for (const PlainBirth& b : m.births) {
        if (b.of_class != static_cast<int>(c)) continue;
        for (const double w : b.work) file << number_text(w, 17) << ",";
        file << number_text(b.patience, 17) << "," << number_text(b.choice, 17) << "\n";
        if (b.at != last) times += (times.empty() ? "" : ", ") + seconds(b.at);
        last = b.at;
      }
      const auto column = [&](const std::string& what, const char* type) {
        return what + ": " + type + " = trace(file = \"" + name_of(c) + ".csv\", column = \"" + what + "\"" +
               (std::string(type) == "real" ? ")" : ", unit = \"s\")");
      };
      Value of_class = {
          {"priority", std::to_string(m.priority[c])},
          {"due", seconds(m.due[c])},
          {"attributes", column("w0", "real s") + ", " + column("w1", "real s") + ", " + column("w2", "real s") + ", " +
                             column("patience", "real s") + ", " + column("choice", "real") + ", rounds = 0"}};
      if (m.closed[c]) {
        of_class["population"] = std::to_string(m.population[c]);
        of_class["reference"] = m.nodes[static_cast<std::size_t>(m.first[c])].name;
      }
      d.node("job_class", name_of(c), std::move(of_class));
      sources_.emplace_back();
      if (m.closed[c]) continue;
      sources_.back() = d.node("source", "source" + std::to_string(c),
                               {{"interarrival", "schedule(times = [" + times + "])"},
                                {"class", name_of(c)},
                                {"batch", std::to_string(batch[c])}});
    }
    // They never get to where other customers go, which nobody sees in the drawing.
    tokens_ = std::any_of(m.nodes.begin(), m.nodes.end(), [](const PlainNode& n) { return n.tokens > 0; });
    if (tokens_)
      d.node(
          "job_class", "token",
          {{"attributes",
            "w0: real s = 1 s, w1: real s = 1 s, w2: real s = 1 s, patience: real s = 1 s, choice = 0, rounds = 0"}});
    for (std::size_t p = 0; p < m.pools.size(); ++p)
      d.node("pool", "pool" + std::to_string(p), {{"units", std::to_string(m.pools[p])}});
    for (const PlainNode& node : m.nodes) nodes_.push_back(draw(node));
    for (std::size_t r = 0; r < m.regions.size(); ++r) draw_region(r);
    for (std::size_t c = 0; c < sources_.size(); ++c)
      if (sources_[c]) d.flow(sources_[c], nodes_[static_cast<std::size_t>(m.first[c])]);
    for (std::size_t n = 0; n < nodes_.size(); ++n) draw_ways(n);
  }
  static bool chooses(const PlainNode& n) {
    return !n.routing.empty() && n.routing != "round_robin" && n.routing != "choice" && n.routing != "rounds" &&
           n.routing != "by_class";
  }
  static std::string measure_of(std::string name) {
    std::replace(name.begin(), name.end(), '.', '_');
    return name;
  }
  /// Which ways were taken at each node that chooses, and which transitions fired, in the history of that seed.
  void note_choices(PlainModel& into, const std::string& folder, std::uint64_t seed) const {
    Diagnostics found;
    const auto model = build_model(d.m.document(), {}, folder, found);
    const CcfProgram groups(*model);
    ModelHistory history(*model, groups, seed);
    Choices choices(*this);
    history.world().witness = &choices;
    history.start(0);
    NobodyWatches nobody;
    while (history.step(model->horizon_s, nobody)) {
    }
    into.chosen = choices.taken, into.fired = choices.fired;
  }
  /// A measure for each value of the plain program, by its name.
  void ask(const std::map<std::string, double>& values) {
    for (const auto& [name, value] : values) {
      const std::string what = name.substr(name.find('.') + 1);
      const bool end = what == "arrived" || what == "late" || what.starts_with("lost") || what == "gave_up" ||
                       what == "passed" || what == "preempted" || what == "fired";
      if (is_time(name)) d.m.measure(measure_of(name), "observed_mean", "", {{"of", name}});
      else d.m.measure(measure_of(name), end ? "final_value" : "time_average", name);
    }
  }

 private:
  struct Choices : Witness {
    std::map<ElementId, std::pair<std::size_t, int>> ways;
    std::map<ElementId, int> at_once;
    std::vector<std::vector<int>> taken;
    std::vector<int> fired;
    explicit Choices(const DrawnPlainModel& drawn) : ways(drawn.ways_), taken(drawn.nodes_.size()) {
      for (std::size_t n = 0; n < taken.size(); ++n)
        if (drawn.m_.nodes[n].kind == "transition" && drawn.m_.nodes[n].firing < 0.0)
          at_once[drawn.nodes_[n]] = static_cast<int>(n);
    }
    void happened(Happened what) override {
      if (const auto one = at_once.find(what.element); one != at_once.end()) fired.push_back(one->second);
    }
    void moved(const Moved& m) override {
      if (const auto way = ways.find(m.edge); way != ways.end()) taken[way->second.first].push_back(way->second.second);
    }
  };
  static std::string name_of(std::size_t c) { return "c" + std::to_string(c); }
  static std::string by_class(const std::vector<std::string>& texts) {
    std::string out;
    for (std::size_t c = 0; c < texts.size(); ++c) out += (c == 0 ? "" : ", ") + name_of(c) + " = " + texts[c];
    return out;
  }
  static std::string work(const PlainNode& n) {
    return "w" + std::to_string(n.work) + " * " + number_text(n.factor, 17);
  }

  ElementId draw(const PlainNode& n) {
    Value more = Value::object();
    const auto times = [&](const char* one, const char* of_class) {
      if (n.work >= 0) {
        more[one] = work(n);
        return;
      }
      std::vector<std::string> texts;
      for (const double x : n.of_class) texts.push_back(seconds(x));
      more[of_class] = by_class(texts);
    };
    if (n.kind == "delay") times("time", "time_of");
    if (n.kind == "transport") more["distance"] = number_text(n.factor, 17) + " m", more["speed"] = "1 m/s";
    if (n.kind == "seize") more["pool"] = "pool" + std::to_string(n.pool), more["units"] = std::to_string(n.units);
    if (n.preempts) more["preempts"] = "true";
    if (n.tokens > 0) more["tokens"] = std::to_string(n.tokens), more["class"] = "token";
    if (n.kind == "transition" && n.firing >= 0.0)
      more["time"] = seconds(n.firing), more["servers"] = std::to_string(n.servers);
    else if (n.kind == "transition")
      more["priority"] = std::to_string(n.priority), more["weight"] = std::to_string(n.weight);
    if (n.kind == "release") more["pool"] = "pool" + std::to_string(n.pool);
    if (n.kind == "semaphore") more["threshold"] = std::to_string(n.quorum);
    std::vector<std::string> thresholds;
    for (const int one : n.quorum_of) thresholds.push_back(std::to_string(one));
    if (!thresholds.empty()) more["threshold_of"] = by_class(thresholds);
    if ((n.kind == "join" || n.kind == "scaler") && n.quorum > 0) more["wait_for"] = std::to_string(n.quorum);
    if (n.routing == "round_robin" || chooses(n)) more["routing"] = n.routing;
    if (n.routing == "power_of_d") more["choices"] = std::to_string(n.choices);
    if (n.routing == "rounds") more["sets"] = "rounds = rounds + 1";
    if (n.kind != "station") return d.node(n.kind, n.name, std::move(more));
    times("service", "service_of");
    more["servers"] = std::to_string(n.servers);
    more["discipline"] = n.discipline, more["priorities"] = n.priorities, more["interruption"] = n.interruption;
    if (n.capacity > 0) more["capacity"] = std::to_string(n.capacity), more["when_full"] = n.when_full;
    if (n.when_full == "retry") more["retry_after"] = seconds(n.retry);
    if (n.patience > 0.0) more["patience"] = "patience * " + number_text(n.patience, 17);
    if (n.setup > 0.0) more["setup"] = seconds(n.setup);
    if (n.vacation > 0.0)
      more["vacation"] = seconds(n.vacation), more["vacations"] = n.one_vacation ? "single" : "multiple";
    if (n.batch > 1) more["batch"] = std::to_string(n.batch), more["least_batch"] = std::to_string(n.least_batch);
    if (n.to_failure > 0.0)
      more["time_to_failure"] = seconds(n.to_failure), more["time_to_repair"] = seconds(n.to_repair);
    if (n.discipline == "polling") {
      more["visit"] = n.visit, more["switchover"] = seconds(n.switchover);
      if (n.visit == "limited") more["limit"] = std::to_string(n.limit);
    }
    std::vector<std::string> weights;
    for (const double w : n.weights) weights.push_back(number_text(w));
    if (!weights.empty()) more["weights"] = by_class(weights);
    std::string speeds;
    for (const double s : n.speeds) speeds += (speeds.empty() ? "[" : ", ") + number_text(s, 17);
    if (!speeds.empty()) more["server_speeds"] = speeds + "]";
    if (n.faster_above >= 0)
      more["speed"] =
          "if(" + n.name + ".number > " + std::to_string(n.faster_above) + ", " + number_text(n.faster, 17) + ", 1)";
    return d.node("station", n.name, std::move(more));
  }
  void draw_region(std::size_t r) {
    const PlainRegion& region = m_.regions[r];
    std::string stations;
    for (const PlainNode& n : m_.nodes)
      if (n.region == static_cast<int>(r)) stations += (stations.empty() ? "" : ", ") + n.name;
    std::vector<std::string> most;
    for (const int one : region.of_class) most.push_back(std::to_string(one));
    Value more = {{"stations", stations}, {"when_full", region.loses ? "lose" : "wait"}};
    if (region.capacity > 0) more["capacity"] = std::to_string(region.capacity);
    if (!most.empty()) more["capacity_of"] = by_class(most);
    d.node("region", "region" + std::to_string(r), std::move(more));
  }
  void draw_ways(std::size_t n) {
    const PlainNode& node = m_.nodes[n];
    const auto to = [&](int target) { return nodes_[static_cast<std::size_t>(target)]; };
    for (const PlainArc& arc : node.takes) d.flow(to(arc.place), nodes_[n], {{"count", std::to_string(arc.count)}});
    for (const PlainArc& arc : node.inhibitors)
      d.flow(to(arc.place), nodes_[n], {{"inhibits", "true"}, {"count", std::to_string(arc.count)}});
    if (node.kind == "transition") {
      d.flow(nodes_[n], to(node.to[0]), {{"count", std::to_string(node.gives)}});
      if (node.tokens_to >= 0)
        d.flow(nodes_[n], to(node.tokens_to), {{"count", std::to_string(node.tokens_back)}, {"class", "token"}});
      return;
    }
    if (node.kind == "class_switch") {
      for (std::size_t c = 0; c < node.becomes.size(); ++c)
        d.flow(nodes_[n], to(node.to[0]),
               {{"class", name_of(c)}, {"becomes", name_of(static_cast<std::size_t>(node.becomes[c]))}});
      if (tokens_) d.flow(nodes_[n], to(node.to[0]), {{"class", "token"}});
    } else if (node.routing == "by_class") {
      for (std::size_t c = 0; c < node.to.size(); ++c) d.flow(nodes_[n], to(node.to[c]), {{"class", name_of(c)}});
      if (tokens_) d.flow(nodes_[n], to(node.to.back()), {{"class", "token"}});
    } else if (node.routing == "choice" || node.routing == "rounds") {
      const std::string what = node.routing == "choice" ? "choice" : "rounds";
      d.flow(nodes_[n], to(node.to[0]),
             {{"probability", "if(" + what + " < " + number_text(node.threshold, 17) + ", 1, 0)"}});
      d.flow(nodes_[n], to(node.to[1]));
    } else {
      for (std::size_t w = 0; w < node.to.size(); ++w) {
        const ElementId flow = d.flow(nodes_[n], to(node.to[w]));
        if (chooses(node)) ways_[flow] = {n, static_cast<int>(w)};
      }
    }
    if (node.lost_to >= 0) d.flow(nodes_[n], to(node.lost_to), {{"taken_by", "refused"}});
    if (node.gave_up_to >= 0) d.flow(nodes_[n], to(node.gave_up_to), {{"taken_by", "reneged"}});
  }

  const PlainModel& m_;
  bool tokens_ = false;
  std::vector<ElementId> sources_, nodes_;
  std::map<ElementId, std::pair<std::size_t, int>> ways_;  ///< of nodes that choose: node, number of the way
};

}  // namespace ergode::test
