// Where customers of a JMT model go: routing, forks and switches of class.
#include "solvers/queueing/exchange/jsimg_import.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/base/text.h"
#include "solvers/queueing/exchange/jmt_laws.h"

namespace ergode {

using pugi::xml_node;

const std::vector<std::string>& JsimgImport::targets_of(const std::string& title) const {
  static const std::vector<std::string> none;
  const auto found = targets_.find(title);
  return found == targets_.end() ? none : found->second;
}

ElementId JsimgImport::into(const std::string& title) const {
  const auto found = nodes_.find(title);
  return found == nodes_.end() ? ElementId() : found->second;
}

bool JsimgImport::sinks(const std::string& title) const {
  const auto found = nodes_.find(title);
  return found != nodes_.end() && drawing_kind(found->second) == "sink";
}

std::string JsimgImport::drawing_kind(ElementId id) const {
  return const_cast<NetworkDrawing&>(drawing_).document().find(id)->kind;
}

void JsimgImport::ways(const xml_node& node) {
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

JsimgImport::Choice JsimgImport::choice_of(const std::string& title, const std::string& of, const xml_node& strategy,
                                           std::vector<Way>& out) {
  const std::string word = last_word(strategy.attribute("classPath").value());
  const std::vector<std::string>& targets = targets_of(title);
  const bool closed =
      closed_[static_cast<std::size_t>(std::find(classes_.begin(), classes_.end(), of) - classes_.begin())];
  if (word == "EmpiricalStrategy") {
    bool told = false;
    for (const xml_node& entry : strategy.child("subParameter").children("subParameter")) {
      const std::string to = entry.child("subParameter").child_value("value");
      const std::optional<double> p = number(title, named_below(entry, "probability"),
                                             "The probability of \"" + of + "\" to \"" + to + "\"", any_probability);
      told = told || !p;
      if (p && *p > 0) out.push_back({to, number_text(*p, 17)});
    }
    if (told) return {};
    normalise(title, of, out);
    return {};
  }
  for (const std::string& to : targets)
    if (!(closed && sinks(to))) out.push_back({to, ""});
  if (word == "RandomStrategy" || word == "Random") return {};
  if (word == "RoundRobinStrategy") return {"round_robin", ""};
  if (word == "ShortestQueueLengthRoutingStrategy") return {"shortest_queue", ""};
  if (word == "ShortestResponseTimeRoutingStrategy") return {"last_response", ""};
  if (word == "FastestServiceRoutingStrategy") return {"last_service", ""};
  if (word == "PowerOfKRoutingStrategy" || word == "PowerOfKStrategy") {
    const xml_node k = named_below(strategy, "k");
    for (const xml_node& one : strategy.children("subParameter"))
      if (one.attribute("name").value() == std::string("withMemory") &&
          truth(title, one, "Whether it keeps in memory those asked before").value_or(false))
        refuse(title, "the shortest of several queues with memory of those asked before");
    return {"power_of_d",
            k ? number_text(number(title, k, "The number of queues asked", any_positive_count).value_or(1.0)) : ""};
  }
  if (word == "DisabledRoutingStrategy" || word == "null") {
    out.clear();
    return {};
  }
  refuse(title, "the routing \"" + word + "\"");
  return {};
}

void JsimgImport::normalise(const std::string& title, const std::string& of, std::vector<Way>& ways) {
  if (ways.empty()) return;
  // As much as probabilities of two digits may leave: 0.33 three times.
  constexpr double hair = 0.0101;
  double sum = 0.0;
  for (const Way& way : ways) sum += std::strtod(way.probability.c_str(), nullptr);
  if (std::fabs(sum - 1.0) > hair)
    numbers_.refuse(number_text(sum), title, "The sum of the probabilities of \"" + of + "\"", "1");
  std::max_element(ways.begin(), ways.end(), [](const Way& a, const Way& b) {
    return std::strtod(a.probability.c_str(), nullptr) < std::strtod(b.probability.c_str(), nullptr);
  })->probability.clear();
}

void JsimgImport::route(const std::string& title, ElementId from, const std::string& of, const xml_node& strategy,
                        bool per_class) {
  std::vector<Way> ways;
  auto [word, choices] = choice_of(title, of, strategy, ways);
  if (ways.size() == 1) word.clear();  // nothing to choose
  per_class = per_class && classes_.size() > 1;
  const std::string name = per_class ? drawing_.name_of(of) : "";
  if (!word.empty() && per_class) {
    // Ours choose per node, theirs per class: a router for it.
    const Rect at = drawing_.document().find(from)->layout.bounds.value_or(Rect());
    constexpr double pitch = 56;  // one below the other, each with its name
    const double y = at.bottom() + 20 + pitch * static_cast<double>(own_routers_[from]++);
    const ElementId own = drawing_.node("router", title + " " + of, {{"routing", word}}, {at.right() + 60, y});
    drawing_.flow(from, own, {{"class", name}});
    from = own;
  } else if (!word.empty()) {
    drawing_.set(from, "routing", word);
  }
  if (!word.empty() && !choices.empty()) drawing_.set(from, "choices", choices);
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

void JsimgImport::split(const std::string& title, const xml_node& fork) {
  const double each = number_of(title, fork, "jobsPerLink", any_positive_count, 1);
  bool simple = true;
  for (const xml_node& one : fork.children("parameter"))
    if (one.attribute("name").value() == std::string("isSimplifiedFork"))
      simple = truth(title, one, "Whether it is a simplified fork").value_or(true);
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
    for (const std::string& target : targets_of(title)) way(target, "", each);
    return;
  }
  for (const auto& [of, strategy] : by_class(parameter(fork, "ForkStrategy"))) {
    const std::string word = last_word(strategy.attribute("classPath").value());
    if (word != "ProbabilitiesFork") {
      refuse(title, "the fork strategy \"" + word + "\"");
      continue;
    }
    for (const xml_node& path : strategy.child("subParameter").children("subParameter")) {
      double p = 1.0, count = 1.0, surest = 0.0;
      bool told = false;
      std::string target;
      for (const xml_node& part : path.children("subParameter")) {
        if (part.attribute("name").value() == std::string("outUnitProbability")) {
          target = part.child("subParameter").child_value("value");
          p = number(title, named_below(part, "probability"), "The probability of its way to \"" + target + "\"",
                     any_probability)
                  .value_or(1.0);
          continue;
        }
        for (const xml_node& entry : part.children("subParameter")) {
          const auto parts = number(title, named_below(entry, "numbers"), "The number of parts on a way", any_count);
          const auto own =
              number(title, named_below(entry, "probability"), "The probability of so many parts", any_probability);
          told = told || !parts || !own;
          if (parts && own && *own > surest) count = *parts, surest = *own;
        }
      }
      if (told) continue;
      if (p != 1.0 || surest != 1.0) refuse(title, "a fork whose numbers are drawn");
      else way(target, of, count);
    }
  }
}

void JsimgImport::change_class(const xml_node& node, const std::string& title, const xml_node& change) {
  const xml_node router = section(node, "Router");
  for (const auto& [of, row] : by_class(parameter(change, "matrix")))
    for (const auto& [to, cell] : by_class(row)) {
      const double p =
          number(title, cell, "The probability that \"" + of + "\" becomes \"" + to + "\"", any_probability)
              .value_or(0.0);
      if (!(p > 0)) continue;
      // Where he goes then is said for the class that he has become.
      std::vector<Way> ways;
      for (const auto& [then, strategy] : by_class(parameter(router, "RoutingStrategy")))
        if (then == to && !choice_of(title, to, strategy, ways).routing.empty())
          refuse(title, "a choice of ways behind a class switch");
      // Those without a probability share what the others leave.
      double left = 1.0, sharing = 0.0;
      for (const Way& way : ways)
        if (way.probability.empty()) ++sharing;
        else left -= std::strtod(way.probability.c_str(), nullptr);
      for (const Way& way : ways) {
        const double q = way.probability.empty() ? left / sharing : std::strtod(way.probability.c_str(), nullptr);
        Value properties = {{"class", drawing_.name_of(of)}, {"becomes", drawing_.name_of(to)}};
        properties["probability"] = number_text(p * q, 17);
        if (const ElementId there = into(way.target)) drawing_.flow(into(title), there, std::move(properties));
        else refuse(title, "a way to \"" + way.target + "\"");
      }
    }
}

}  // namespace ergode
