// JMT's simulation models: one node of theirs is one or several of ours.
#include <algorithm>
#include <cmath>
#include <pugixml.hpp>
#include <vector>

#include "core/base/text.h"
#include "solvers/queueing/exchange/jmt.h"
#include "solvers/queueing/exchange/jmt_laws.h"
#include "solvers/queueing/exchange/measure_all.h"
#include "solvers/queueing/exchange/network_drawing.h"

namespace ergode {
namespace {

using pugi::xml_node;

/// Parameters by class stand in a row: <refClass>A</refClass><subParameter .../>...
std::vector<std::pair<std::string, xml_node>> by_class(const xml_node& list) {
  std::vector<std::pair<std::string, xml_node>> out;
  std::string of;
  for (const xml_node& one : list.children()) {
    if (std::string(one.name()) == "refClass") of = one.child_value();
    else if (std::string(one.name()) == "subParameter") out.emplace_back(of, one);
  }
  return out;
}

xml_node parameter(const xml_node& section, const char* name) {
  for (const xml_node& one : section.children("parameter"))
    if (one.attribute("name").value() == std::string(name)) return one;
  return {};
}

xml_node section(const xml_node& node, const char* name) {
  for (const xml_node& one : node.children("section"))
    if (one.attribute("className").value() == std::string(name)) return one;
  return {};
}

long integer(const xml_node& section, const char* name, long otherwise) {
  const xml_node one = parameter(section, name);
  return one ? std::strtol(one.child_value("value"), nullptr, 10) : otherwise;
}

class JsimgImport {
 public:
  JsimgImport(const xml_node& sim, const xml_node& picture, const std::string& name)
      : sim_(sim), picture_(picture), drawing_(name) {}

  ReadOutcome read() {
    classes();
    for (const xml_node& one : sim_.children("node")) nodes(one);
    for (const xml_node& one : sim_.children("node")) ways(one);
    for (const xml_node& one : sim_.children("node")) transitions(one);
    preload();
    for (const xml_node& one : sim_.children("blockingRegion")) region(one);
    measures();
    ReadOutcome out;
    const bool whole = !has_errors(problems_);
    out.diagnostics = std::move(problems_);
    if (whole) out.document = std::move(drawing_.document());
    return out;
  }

 private:
  void refuse(const std::string& at, const std::string& what) {
    problems_.push_back({.code = "JMT002", .message = "\"" + at + "\": " + what + " does not map."});
  }
  void remark(const std::string& at, const std::string& what) {
    problems_.push_back({.severity = Severity::info, .code = "JMT003", .message = "\"" + at + "\": " + what + "."});
  }
  Point place(const std::string& title) {
    for (const xml_node& one : picture_.children("station"))
      if (one.attribute("name").value() == title) {
        const xml_node at = one.child("position");
        constexpr double wider = 2.2;
        return {wider * at.attribute("x").as_double() + 100, wider * at.attribute("y").as_double() + 80};
      }
    return {140.0 + 240.0 * static_cast<double>(placed_++), 500};
  }

  void classes() {
    std::size_t count = 0;
    for (const xml_node& one : sim_.children("userClass")) {
      const std::string title = one.attribute("name").value();
      Value properties = Value::object();
      const bool closed = one.attribute("type").value() == std::string("closed");
      if (closed) properties["population"] = std::string(one.attribute("customers").value());
      if (const long priority = one.attribute("priority").as_int(); priority != 0)
        properties["priority"] = std::to_string(priority);
      if (one.attribute("softDeadline") && one.attribute("softDeadline").as_double() > 0)
        properties["due"] = number_text(one.attribute("softDeadline").as_double(), 17) + " s";
      drawing_.node("job_class", title, std::move(properties), {120.0 + 130.0 * static_cast<double>(count++), 30});
      classes_.push_back(title);
      closed_.push_back(closed);
      population_ += closed ? one.attribute("customers").as_double() : 0.0;
      reference_[title] = one.attribute("referenceSource").value();
    }
  }

  void nodes(const xml_node& node) {
    const std::string title = node.attribute("name").value();
    if (const xml_node source = section(node, "RandomSource")) return sources(node, title, source);
    if (section(node, "JobSink")) return made(title, drawing_.node("sink", title, Value::object(), place(title)));
    if (section(node, "Enabling")) return;  // by mode, when places are known
    if (section(node, "Storage")) return made(title, drawing_.node("place", title, Value::object(), place(title)));
    if (section(node, "Fork")) return made(title, drawing_.node("fork", title, Value::object(), place(title)));
    if (const xml_node join = section(node, "Join")) return joins("join", title, join, "wait_for");
    if (const xml_node join = section(node, "Semaphore")) return joins("semaphore", title, join, "threshold");
    if (const xml_node join = section(node, "Scaler")) return joins("scaler", title, join, "wait_for");
    if (section(node, "ClassSwitch"))
      return made(title, drawing_.node("class_switch", title, Value::object(), place(title)));
    if (section(node, "LogTunnel")) return made(title, drawing_.node("logger", title, Value::object(), place(title)));
    for (const char* server : {"Server", "PSServer", "PreemptiveServer", "Delay"})
      if (const xml_node serving = section(node, server)) return station(node, title, serving);
    if (section(node, "ServiceTunnel"))
      return made(title, drawing_.node("router", title, Value::object(), place(title)));
    std::string sections;
    for (const xml_node& one : node.children("section"))
      sections += (sections.empty() ? "" : ", ") + std::string(one.attribute("className").value());
    refuse(title, "a node of " + sections);
  }
  void made(const std::string& title, ElementId id) { nodes_[title] = {id}; }

  // One source for each class that it sends.
  void sources(const xml_node& node, const std::string& title, const xml_node& source) {
    static_cast<void>(node);
    Point at = place(title);
    for (const auto& [of, strategy] : by_class(parameter(source, "ServiceStrategy"))) {
      const JmtLaw law = jmt_law(strategy);
      if (!law.why.empty()) refuse(title, law.why);
      if (law.text.empty()) continue;
      const bool one = classes_.size() == 1;
      const ElementId id = drawing_.node("source", one ? title : title + " " + of,
                                         {{"interarrival", law.text}, {"class", drawing_.name_of(of)}}, at);
      at.y += 90;
      source_of_[title][of] = id;
      if (law.mean_s > 0) rate_ += 1 / law.mean_s;
    }
  }

  void joins(const char* kind, const std::string& title, const xml_node& join, const char* how_many) {
    Value properties = Value::object();
    double required = -1;
    for (const auto& [of, strategy] : by_class(join.child("parameter"))) {
      const std::string word = last_word(strategy.attribute("classPath").value());
      if (word != "NormalJoin" && word != "PartialJoin" && word != "NormalSemaphore" && word != "null")
        refuse(title, "the strategy \"" + word + "\"");
      const double n = number_below(strategy, "numRequired");
      const double threshold = std::isnan(n) ? number_below(strategy, "threshold") : n;
      if (!std::isnan(threshold)) required = threshold;
    }
    if (required > 0) properties[how_many] = number_text(required);
    made(title, drawing_.node(kind, title, std::move(properties), place(title)));
  }

  void station(const xml_node& node, const std::string& title, const xml_node& serving) {
    const std::string kind = serving.attribute("className").value();
    const bool delay = kind == "Delay";
    Value properties = Value::object();
    std::string first, others;
    for (const auto& [of, strategy] : by_class(parameter(serving, "ServiceStrategy"))) {
      const JmtLaw law = jmt_law(strategy);
      if (!law.why.empty()) refuse(title, law.why);
      if (law.memory) refuse(title, "services with memory");
      if (law.text.empty() || law.memory) continue;
      if (first.empty()) first = law.text;
      if (law.text != first) others += (others.empty() ? "" : ", ") + drawing_.name_of(of) + " = " + law.text;
      service_s_ += law.mean_s, ++services_;
    }
    if (!first.empty()) properties[delay ? "time" : "service"] = first;
    if (!others.empty()) properties[delay ? "time_of" : "service_of"] = others;
    if (!delay) {
      const long servers = integer(serving, "maxJobs", 1);
      if (servers != 1) properties["servers"] = std::to_string(servers);
      discipline(node, title, serving, properties);
      capacity(node, title, properties);
    }
    made(title, drawing_.node(delay ? "delay" : "station", title, std::move(properties), place(title)));
  }

  void discipline(const xml_node& node, const std::string& title, const xml_node& serving, Value& properties) {
    struct Known {
      const char *theirs, *ours;
    };
    static constexpr Known known[] = {{"TailStrategy", "fcfs"},      {"FCFSstrategy", "fcfs"}, {"HeadStrategy", "lcfs"},
                                      {"LCFSstrategy", "lcfs"},      {"RandStrategy", "siro"}, {"SJFStrategy", "sjf"},
                                      {"LJFStrategy", "ljf"},        {"SEPTStrategy", "sept"}, {"LEPTStrategy", "lept"},
                                      {"LCFSPRStrategy", "lcfs_pr"}, {"SRPTStrategy", "srpt"}, {"EDDStrategy", "edd"},
                                      {"EPSStrategy", "ps"},         {"DPSStrategy", "dps"},   {"GPSStrategy", "gps"}};
    const bool shared = serving.attribute("className").value() == std::string("PSServer");
    const xml_node queue = section(node, "Queue");
    xml_node list = shared ? parameter(serving, "PSStrategy") : xml_node();
    if (!shared)
      for (const xml_node& one : queue.children("parameter"))
        if (last_word(one.attribute("classPath").value()) == "QueuePutStrategy") list = one;
    std::string word, weights;
    bool priorities = false;
    for (const auto& [of, strategy] : by_class(list)) {
      std::string theirs = last_word(strategy.attribute("classPath").value());
      if (const std::size_t at = theirs.find("Priority"); at != std::string::npos)
        priorities = true, theirs.erase(at, 8);
      const auto found =
          std::find_if(std::begin(known), std::end(known), [&](const Known& one) { return theirs == one.theirs; });
      if (found == std::end(known)) refuse(title, "the discipline \"" + theirs + "\"");
      else if (!word.empty() && word != found->ours) refuse(title, "a discipline that differs between classes");
      else word = found->ours;
    }
    if (shared && word.empty()) word = "ps";  // files of before there was a choice
    if (!word.empty() && word != "fcfs") properties["discipline"] = word;
    if (!priorities) properties["priorities"] = "ignored";
    else if (serving.attribute("className").value() == std::string("PreemptiveServer"))
      properties["priorities"] = "preemptive";
    if (word == "dps" || word == "gps") {
      for (const auto& [of, weight] : by_class(parameter(serving, "serviceWeights")))
        weights += (weights.empty() ? "" : ", ") + drawing_.name_of(of) + " = " + weight.child_value("value");
      if (!weights.empty()) properties["weights"] = weights;
    }
  }

  void capacity(const xml_node& node, const std::string& title, Value& properties) {
    const xml_node queue = section(node, "Queue");
    for (const auto& [of, strategy] : by_class(parameter(queue, "Impatience")))
      if (const std::string word = last_word(strategy.attribute("classPath").value());
          word != "Impatience" && word != "null" && !word.empty())
        refuse(title, "impatience \"" + word + "\"");
    const long size = integer(queue, "size", -1);
    if (size < 0) return;
    properties["capacity"] = std::to_string(size);
    std::string rule;
    for (const auto& [of, strategy] : by_class(parameter(queue, "dropStrategies"))) {
      const std::string theirs = strategy.child_value("value");
      if (!rule.empty() && theirs != rule) refuse(title, "a drop rule that differs between classes");
      rule = theirs;
    }
    if (rule == "BAS blocking") properties["when_full"] = "block";
    else if (rule == "waiting queue") {
      // Theirs wait without keeping anybody's server, as before a region of this one station.
      properties.erase("capacity");
      waits_before_[title] = size;
    } else if (!rule.empty() && rule != "drop") {
      refuse(title, "the drop rule \"" + rule + "\"");
    }
  }

  std::vector<std::string> targets_of(const std::string& title) const {
    std::vector<std::string> out;
    for (const xml_node& one : sim_.children("connection"))
      if (one.attribute("source").value() == title) out.emplace_back(one.attribute("target").value());
    return out;
  }
  /// Where customers of all classes go in, null where there is nothing.
  ElementId into(const std::string& title) const {
    const auto found = nodes_.find(title);
    return found == nodes_.end() ? ElementId() : found->second;
  }
  bool sinks(const std::string& title) const {
    const auto found = nodes_.find(title);
    return found != nodes_.end() && drawing_kind(found->second) == "sink";
  }
  std::string drawing_kind(ElementId id) const {
    return const_cast<NetworkDrawing&>(drawing_).document().find(id)->kind;
  }

  void ways(const xml_node& node) {
    const std::string title = node.attribute("name").value();
    if (const xml_node fork = section(node, "Fork")) return split(title, fork);
    if (const xml_node change = section(node, "ClassSwitch")) return change_class(node, title, change);
    const xml_node router = section(node, "Router");
    if (!router) {
      if (section(node, "Storage") || section(node, "Enabling") || section(node, "JobSink")) return;
      if (section(node, "Linkage")) return;
    }
    const auto sources = source_of_.find(title);
    for (const auto& [of, strategy] : by_class(parameter(router, "RoutingStrategy"))) {
      ElementId from = into(title);
      if (sources != source_of_.end()) {
        const auto own = sources->second.find(of);
        if (own == sources->second.end()) continue;
        from = own->second;
      }
      if (from) route(title, from, of, strategy, sources == source_of_.end());
    }
  }

  struct Way {
    std::string target;
    std::string probability;
  };
  /// @returns the word of a routing that is not by probabilities; "" where it is.
  std::string choice_of(const std::string& title, const std::string& of, const xml_node& strategy,
                        std::vector<Way>& out) {
    const std::string word = last_word(strategy.attribute("classPath").value());
    const std::vector<std::string> targets = targets_of(title);
    const bool closed =
        closed_[static_cast<std::size_t>(std::find(classes_.begin(), classes_.end(), of) - classes_.begin())];
    if (word == "EmpiricalStrategy") {
      for (const xml_node& entry : strategy.child("subParameter").children("subParameter")) {
        const std::string to = entry.child("subParameter").child_value("value");
        const double p = number_below(entry, "probability");
        if (p > 0) out.push_back({to, number_text(p, 17)});
      }
      normalise(out);
      return "";
    }
    for (const std::string& to : targets)
      if (!(closed && sinks(to))) out.push_back({to, ""});
    if (word == "RandomStrategy" || word == "Random") return "";
    if (word == "RoundRobinStrategy") return "round_robin";
    if (word == "ShortestQueueLengthRoutingStrategy") return "shortest_queue";
    if (word == "FastestServiceRoutingStrategy") {
      remark(title,
             "the station of the least mean service time is chosen as where the delay is expected to be "
             "shortest");
      return "fastest";
    }
    if (word == "PowerOfKRoutingStrategy" || word == "PowerOfKStrategy") return "power_of_d";
    if (word == "DisabledRoutingStrategy" || word == "null") {
      out.clear();
      return "";
    }
    refuse(title, "the routing \"" + word + "\"");
    return "";
  }
  // Digits of a file may leave the sum a hair beside one: the greatest takes what is left.
  static void normalise(std::vector<Way>& ways) {
    if (ways.empty()) return;
    std::max_element(ways.begin(), ways.end(), [](const Way& a, const Way& b) {
      return std::strtod(a.probability.c_str(), nullptr) < std::strtod(b.probability.c_str(), nullptr);
    })->probability.clear();
  }

  void route(const std::string& title, ElementId from, const std::string& of, const xml_node& strategy, bool by_class) {
    std::vector<Way> ways;
    const std::string word = choice_of(title, of, strategy, ways);
    by_class = by_class && classes_.size() > 1;
    const std::string name = by_class ? drawing_.name_of(of) : "";
    if (!word.empty() && by_class) {
      // Ours choose per node, theirs per class: a router for it.
      const Rect at = drawing_.document().find(from)->layout.bounds.value_or(Rect());
      const ElementId own =
          drawing_.node("router", title + " " + of, {{"routing", word}}, {at.right() + 60, at.bottom() + 20});
      drawing_.flow(from, own, {{"class", name}});
      from = own;
    } else if (!word.empty()) {
      drawing_.set(from, "routing", word);
    }
    for (const Way& way : ways) {
      const ElementId to = into(way.target);
      if (!to) {
        refuse(title, "a way to \"" + way.target + "\"");
        continue;
      }
      Value properties = Value::object();
      if (!name.empty() && word.empty()) properties["class"] = name;
      if (!way.probability.empty()) properties["probability"] = way.probability;
      drawing_.flow(from, to, std::move(properties));
    }
  }

  void split(const std::string& title, const xml_node& fork) {
    const long each = integer(fork, "jobsPerLink", 1);
    bool simple = true;
    for (const xml_node& one : fork.children("parameter"))
      if (one.attribute("name").value() == std::string("isSimplifiedFork"))
        simple = std::string(one.child_value("value")) != "false";
    const ElementId from = into(title);
    const auto way = [&](const std::string& target, const std::string& of, double count) {
      const ElementId to = into(target);
      if (!to) return refuse(title, "a way to \"" + target + "\"");
      Value properties = Value::object();
      if (count != 1) properties["count"] = number_text(count);
      if (!of.empty() && classes_.size() > 1) properties["class"] = drawing_.name_of(of);
      drawing_.flow(from, to, std::move(properties));
    };
    if (simple) {
      for (const std::string& target : targets_of(title)) way(target, "", static_cast<double>(each));
      return;
    }
    for (const auto& [of, strategy] : by_class(parameter(fork, "ForkStrategy"))) {
      const std::string word = last_word(strategy.attribute("classPath").value());
      if (word != "ProbabilitiesFork") {
        refuse(title, "the fork strategy \"" + word + "\"");
        continue;
      }
      for (const xml_node& path : strategy.child("subParameter").children("subParameter")) {
        const double p = number_below(path, "probability");
        std::string target;
        double count = 1.0;
        std::size_t numbers = 0;
        for (const xml_node& part : path.children("subParameter")) {
          if (part.attribute("name").value() == std::string("outUnitProbability"))
            target = part.child("subParameter").child_value("value");
          else
            for (const xml_node& entry : part.children("subParameter")) {
              count = number_below(entry, "numbers");
              if (number_below(entry, "probability") > 0) ++numbers;
            }
        }
        if (p != 1.0 || numbers > 1) refuse(title, "a fork whose numbers are drawn");
        else way(target, of, count);
      }
    }
  }

  void change_class(const xml_node& node, const std::string& title, const xml_node& change) {
    const std::vector<std::string> targets = targets_of(title);
    const xml_node router = section(node, "Router");
    for (const auto& [of, row] : by_class(parameter(change, "matrix")))
      for (const auto& [to, cell] : by_class(row)) {
        const double p = std::strtod(cell.child_value("value"), nullptr);
        if (!(p > 0)) continue;
        // Where he goes then is said for the class that he has become.
        std::vector<Way> ways;
        for (const auto& [then, strategy] : by_class(parameter(router, "RoutingStrategy")))
          if (then == to && !choice_of(title, to, strategy, ways).empty())
            refuse(title, "a choice of ways behind a class switch");
        for (const Way& way : ways) {
          const double q = way.probability.empty() ? 1.0 / static_cast<double>(ways.size())
                                                   : std::strtod(way.probability.c_str(), nullptr);
          Value properties = {{"class", drawing_.name_of(of)}, {"becomes", drawing_.name_of(to)}};
          properties["probability"] = number_text(p * q, 17);
          if (const ElementId there = into(way.target)) drawing_.flow(into(title), there, std::move(properties));
        }
      }
  }

  void transitions(const xml_node& node) {
    const xml_node enabling = section(node, "Enabling"), timing = section(node, "Timing"),
                   firing = section(node, "Firing");
    if (!enabling) return;
    const std::string title = node.attribute("name").value();
    std::vector<xml_node> names, servers, times, priorities, weights;
    const auto list = [&](const char* name) {
      std::vector<xml_node> out;
      for (const xml_node& one : parameter(timing, name).children("subParameter")) out.push_back(one);
      return out;
    };
    names = list("modeNames"), servers = list("numbersOfServers"), times = list("timingStrategies");
    priorities = list("firingPriorities"), weights = list("firingWeights");
    const auto vectors = [](const xml_node& section, const char* name, std::size_t mode) {
      std::vector<xml_node> out;
      std::size_t m = 0;
      for (const xml_node& one : parameter(section, name).children("subParameter"))
        if (m++ == mode)
          for (const xml_node& vector : one.child("subParameter").children("subParameter")) out.push_back(vector);
      return out;
    };
    Point at = place(title);
    for (std::size_t mode = 0; mode < names.size(); ++mode, at.y += 90) {
      Value properties = Value::object();
      const auto text = [&](const std::vector<xml_node>& all) {
        return mode < all.size() ? std::string(all[mode].child_value("value")) : std::string();
      };
      if (const std::string n = text(servers); n == "-1") properties["servers"] = "infinite";
      else if (!n.empty() && n != "1") properties["servers"] = n;
      const bool immediate =
          mode < times.size() && last_word(times[mode].attribute("classPath").value()) == "ZeroServiceTimeStrategy";
      if (!immediate && mode < times.size()) {
        const JmtLaw law = jmt_law(times[mode]);
        if (!law.why.empty()) refuse(title, law.why);
        else if (law.memory) refuse(title, "times of a transition with memory");
        else properties["time"] = law.text;
        if (law.mean_s > 0) service_s_ += law.mean_s, ++services_;
      }
      if (immediate) {
        if (const std::string n = text(priorities); !n.empty() && n != "0" && n != "-1") properties["priority"] = n;
        if (const std::string w = text(weights); !w.empty() && w != "1.0") properties["weight"] = w;
      }
      const std::string mode_title = names.size() == 1 ? title : title + " " + text(names);
      const ElementId id = drawing_.node("transition", mode_title, std::move(properties), at);
      fired_.push_back(id);
      const auto arcs = [&](const xml_node& from, const char* name, bool inhibits, bool out) {
        for (const xml_node& vector : vectors(from, name, mode)) {
          std::string where;
          for (const xml_node& part : vector.children("subParameter"))
            if (part.attribute("name").value() == std::string("stationName")) where = part.child_value("value");
          for (const xml_node& part : vector.children("subParameter"))
            for (const auto& [of, entry] : by_class(part)) {
              const long count = std::strtol(entry.child_value("value"), nullptr, 10);
              if (count <= 0 || !into(where)) continue;
              Value flow = Value::object();
              if (count != 1) flow["count"] = std::to_string(count);
              if (classes_.size() > 1) flow["class"] = drawing_.name_of(of);
              if (inhibits) flow["inhibits"] = "true";
              if (out) drawing_.flow(id, into(where), std::move(flow));
              else drawing_.flow(into(where), id, std::move(flow));
            }
        }
      };
      arcs(enabling, "enablingConditions", false, false);
      arcs(enabling, "inhibitingConditions", true, false);
      arcs(firing, "firingOutcomes", false, true);
    }
  }

  void preload() {
    std::map<std::string, bool> placed;
    for (const xml_node& one : sim_.child("preload").children("stationPopulations")) {
      const std::string title = one.attribute("stationName").value();
      const ElementId id = into(title);
      if (!id) continue;
      const bool is_place = drawing_kind(id) == "place";
      for (const xml_node& part : one.children("classPopulation")) {
        const std::string of = part.attribute("refClass").value();
        if (!is_place) {
          remark(title, "customers begin at the reference station of their class, not where the file puts them");
          continue;
        }
        if (!drawing_.document().find(id)->text("tokens").empty()) refuse(title, "tokens of two classes at time zero");
        drawing_.set(id, "tokens", std::string(part.attribute("population").value()));
        if (classes_.size() > 1) drawing_.set(id, "class", drawing_.name_of(of));
        placed[of] = true;
      }
    }
    // Tokens are their customers: a population besides would be others.
    for (const std::string& of : classes_) {
      const ElementId at = into(reference_[of]);
      const bool in_place = at && drawing_kind(at) == "place";
      if (!placed[of] && !in_place) {
        if (at) drawing_.set(drawing_.find(of), "reference", drawing_.name_of(at));
        continue;
      }
      const std::string population = drawing_.document().find(drawing_.find(of))->text("population");
      drawing_.set(drawing_.find(of), "population", "0");
      if (placed[of] || !in_place || population.empty() || population == "0") continue;
      drawing_.set(at, "tokens", population);
      if (classes_.size() > 1) drawing_.set(at, "class", drawing_.name_of(of));
    }
  }

  void region(const xml_node& one) {
    const std::string title = one.attribute("name").value();
    Value properties = Value::object();
    std::string stations, limits;
    for (const xml_node& node : one.children("regionNode")) {
      const std::string name = node.attribute("nodeName").value();
      const ElementId id = into(name);
      if (!id) continue;
      const std::string kind = drawing_kind(id);
      if (kind == "station" || kind == "delay") stations += (stations.empty() ? "" : ", ") + drawing_.name_of(id);
    }
    properties["stations"] = stations;
    if (const long most = one.child("globalConstraint").attribute("maxJobs").as_int(-1); most > 0)
      properties["capacity"] = std::to_string(most);
    for (const xml_node& part : one.children("classConstraint"))
      if (const long most = part.attribute("maxJobsPerClass").as_int(-1); most > 0)
        limits += (limits.empty() ? "" : ", ") + drawing_.name_of(part.attribute("jobClass").value()) + " = " +
                  std::to_string(most);
    if (!limits.empty() && classes_.size() > 1) properties["capacity_of"] = limits;
    else if (!limits.empty()) properties["capacity"] = limits.substr(limits.rfind(' ') + 1);
    std::string drops;
    for (const xml_node& part : one.children("dropRules"))
      if (part.attribute("dropThisClass").as_bool())
        drops += (drops.empty() ? "" : ", ") + drawing_.name_of(part.attribute("jobClass").value());
    if (!drops.empty()) properties["loses"] = drops;
    for (const char* memory : {"globalMemoryConstraint"})
      if (one.child(memory).attribute("maxMemory").as_int(-1) > 0) refuse(title, "a limit of memory");
    drawing_.node("region", title, std::move(properties), {200.0, 620});
  }

  void measures() {
    for (const auto& [title, size] : waits_before_) {
      Value properties = {{"stations", drawing_.name_of(into(title))}, {"capacity", std::to_string(size)}};
      drawing_.node("region", "before " + title, std::move(properties), {200.0, 700});
    }
    // As many customers as make a few per cent of uncertainty.
    constexpr double customers = 2e5;
    const double each = services_ > 0 && service_s_ > 0 ? service_s_ / static_cast<double>(services_) : 1.0;
    const double rate = rate_ > 0 ? rate_ : std::max(1.0, std::min(population_, 20.0)) / each / 4;
    measure_all(drawing_, drawing_.run_for(customers / rate, 4));
  }

  xml_node sim_, picture_;
  NetworkDrawing drawing_;
  Diagnostics problems_;
  std::vector<std::string> classes_;
  std::vector<bool> closed_;
  std::map<std::string, std::string> reference_;
  std::map<std::string, ElementId> nodes_;
  std::map<std::string, std::map<std::string, ElementId>> source_of_;
  std::map<std::string, long> waits_before_;
  std::vector<ElementId> fired_;
  double rate_ = 0.0, service_s_ = 0.0, population_ = 0.0;
  std::size_t services_ = 0, placed_ = 0;
};

}  // namespace

ReadOutcome import_jsimg(std::string_view text, const std::string& name) {
  pugi::xml_document xml;
  const pugi::xml_parse_result parsed = xml.load_buffer(text.data(), text.size());
  ReadOutcome out;
  const xml_node archive = xml.child("archive"), sim = archive ? archive.child("sim") : xml.child("sim");
  if (!parsed || !sim) {
    out.diagnostics.push_back({.code = "JMT001",
                               .message = parsed ? "There is no simulation model in the file; wanted <sim>."
                                                 : "The file is no XML: " + std::string(parsed.description()) + "."});
    return out;
  }
  return JsimgImport(sim, archive.child("jmodel"), name).read();
}

}  // namespace ergode
