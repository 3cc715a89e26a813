// Transitions of a JMT model, what stands where at time zero, regions and measures.
#include "solvers/queueing/exchange/jsimg_import.h"

#include <algorithm>

#include "core/base/text.h"
#include "solvers/queueing/exchange/jmt_laws.h"
#include "solvers/queueing/exchange/measure_all.h"

namespace ergode {

using pugi::xml_node;

void JsimgImport::transitions(const xml_node& node) {
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
    const auto of_mode = [&](const std::vector<xml_node>& all) { return mode < all.size() ? all[mode] : xml_node(); };
    const auto read = [&](const std::vector<xml_node>& all, const char* what, const NumberRange& range) {
      const xml_node one = of_mode(all);
      return one ? number(title, one, what, range) : std::nullopt;
    };
    const double n = read(servers, "The number of servers of a mode", any_limit).value_or(1.0);
    if (n != 1.0) properties["servers"] = n < 0 ? "infinite" : number_text(n);
    const bool immediate =
        mode < times.size() && last_word(times[mode].attribute("classPath").value()) == "ZeroServiceTimeStrategy";
    if (!immediate && mode < times.size()) {
      const JmtLaw law = jmt_law(times[mode]);
      if (!law.why.empty()) refuse(title, law.why);
      else if (law.has_memory()) refuse(title, "times of a transition with memory");
      else properties["time"] = law.text;
      if (law.mean_s > 0) service_s_ += law.mean_s, ++services_;
    }
    if (immediate) {
      constexpr NumberRange ranks{0.0, largest_integer, true, -1.0};
      if (const double rank = read(priorities, "The firing priority of a mode", ranks).value_or(0.0); rank > 0)
        properties["priority"] = number_text(rank);
      if (const double weight = read(weights, "The firing weight of a mode", any_amount).value_or(1.0); weight != 1.0)
        properties["weight"] = number_text(weight, 17);
    }
    const std::string mode_title = names.size() == 1 ? title : title + " " + of_mode(names).child_value("value");
    const ElementId id = drawing_.node("transition", mode_title, std::move(properties), at);
    fired_.push_back(id);
    const auto arcs = [&](const xml_node& from, const char* name, bool inhibits, bool out) {
      for (const xml_node& vector : vectors(from, name, mode)) {
        std::string where;
        for (const xml_node& part : vector.children("subParameter"))
          if (part.attribute("name").value() == std::string("stationName")) where = part.child_value("value");
        for (const xml_node& part : vector.children("subParameter"))
          for (const auto& [of, entry] : by_class(part)) {
            const double count = number(title, entry, "A number of tokens", any_count).value_or(0.0);
            if (count <= 0) continue;
            if (!into(where)) {
              refuse(title, "an arc from or to \"" + where + "\"");
              continue;
            }
            Value flow = Value::object();
            if (count != 1) flow["count"] = number_text(count);
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

void JsimgImport::preload() {
  std::map<std::string, bool> placed;
  for (const xml_node& one : sim_.child("preload").children("stationPopulations")) {
    const std::string title = one.attribute("stationName").value();
    const ElementId id = into(title);
    const bool is_place = id && drawing_kind(id) == "place";
    for (const xml_node& part : one.children("classPopulation")) {
      const std::string of = part.attribute("refClass").value();
      const double tokens = numbers_
                                .number(part.attribute("population").value(), title,
                                        "The number of \"" + of + "\" at time zero", any_count)
                                .value_or(0.0);
      if (!is_place) {
        remark(title, "customers begin at the reference station of their class, not where the file puts them");
        continue;
      }
      if (!drawing_.document().find(id)->text("tokens").empty()) refuse(title, "tokens of two classes at time zero");
      drawing_.set(id, "tokens", number_text(tokens));
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

void JsimgImport::region(const xml_node& one) {
  const std::string title = one.attribute("name").value();
  Value properties = Value::object();
  std::string stations, limits;
  for (const xml_node& node : one.children("regionNode")) {
    const std::string name = node.attribute("nodeName").value();
    const ElementId id = into(name);
    const std::string kind = id ? drawing_kind(id) : std::string();
    const bool passed = kind == "router" || kind == "class_switch" || kind == "logger";
    if (kind == "station" || kind == "delay") stations += (stations.empty() ? "" : ", ") + drawing_.name_of(id);
    else if (passed) remark(title, "\"" + name + "\" is no station of it: nobody stays there");
    else refuse(title, "\"" + name + "\" in a region");
  }
  properties["stations"] = stations;
  const auto limit = [&](const pugi::xml_attribute& most, const char* what) {
    return most ? numbers_.number(most.value(), title, what, any_limit).value_or(-1.0) : -1.0;
  };
  if (const double most = limit(one.child("globalConstraint").attribute("maxJobs"), "The limit of this region");
      most > 0)
    properties["capacity"] = number_text(most);
  for (const xml_node& part : one.children("classConstraint")) {
    const std::string of = part.attribute("jobClass").value();
    const std::string what = "The limit of this region for \"" + of + "\"";
    if (const double most = limit(part.attribute("maxJobsPerClass"), what.c_str()); most > 0)
      limits += (limits.empty() ? "" : ", ") + drawing_.name_of(of) + " = " + number_text(most);
  }
  if (!limits.empty() && classes_.size() > 1) properties["capacity_of"] = limits;
  else if (!limits.empty()) properties["capacity"] = limits.substr(limits.rfind(' ') + 1);
  std::string drops;
  for (const xml_node& part : one.children("dropRules"))
    if (numbers_.truth(part.attribute("dropThisClass").value(), title, "Whether it loses a class").value_or(false))
      drops += (drops.empty() ? "" : ", ") + drawing_.name_of(part.attribute("jobClass").value());
  if (!drops.empty()) properties["loses"] = drops;
  check_region(one, title);
  drawing_.node("region", title, std::move(properties), {200.0, 620});
}

void JsimgImport::measures() {
  for (const auto& [title, size] : waits_before_) {
    Value properties = {{"stations", drawing_.name_of(into(title))}, {"capacity", number_text(size)}};
    drawing_.node("region", "before " + title, std::move(properties), {200.0, 700});
  }
  // As many customers as make a few per cent of uncertainty.
  constexpr double customers = 2e5;
  const double each = services_ > 0 && service_s_ > 0 ? service_s_ / static_cast<double>(services_) : 1.0;
  const double rate = rate_ > 0 ? rate_ : std::max(1.0, std::min(population_, 20.0)) / each / 4;
  drawing_.run_for(customers / rate, 4);
  measure_all(drawing_);
}

}  // namespace ergode
