// How customers of a JMT model wait: disciplines, room, patience, and what servers do before they serve.
#include <algorithm>
#include <limits>
#include <optional>

#include "core/base/text.h"
#include "solvers/queueing/exchange/jmt_laws.h"
#include "solvers/queueing/exchange/jsimg_import.h"

namespace ergode {

using pugi::xml_node;

namespace {

constexpr const char* zero_time = "0 s";

/// Who is next is a parameter that has either name, or neither; its class tells.
xml_node of_class_path(const xml_node& queue, const char* what) {
  for (const xml_node& one : queue.children("parameter"))
    if (std::string(one.attribute("classPath").value()).find(what) != std::string::npos) return one;
  return {};
}

}  // namespace

std::string JsimgImport::one_law(const std::string& title, const xml_node& list, const char* what) {
  std::string all;
  for (const auto& [of, strategy] : by_class(list)) {
    const JmtLaw law = jmt_law(strategy);
    if (!law.why.empty() || law.has_memory()) {
      refuse(title, law.has_memory() ? std::string(what) + " with memory" : law.why);
    } else if (!law.text.empty()) {
      if (!all.empty() && law.text != all) refuse(title, std::string(what) + " that differ between classes");
      all = law.text;
    }
  }
  return all;
}

void JsimgImport::discipline(const xml_node& node, const std::string& title, const xml_node& serving,
                             Value& properties) {
  struct Known {
    const char *theirs, *ours;
  };
  // Nobody interrupts anybody in the order of arrival, but by priority.
  static constexpr Known known[] = {
      {"TailStrategy", "fcfs"}, {"FCFSstrategy", "fcfs"},      {"HeadStrategy", "lcfs"}, {"LCFSstrategy", "lcfs"},
      {"RandStrategy", "siro"}, {"SJFStrategy", "sjf"},        {"LJFStrategy", "ljf"},   {"SEPTStrategy", "sept"},
      {"LEPTStrategy", "lept"}, {"LCFSPRStrategy", "lcfs_pr"}, {"SRPTStrategy", "srpt"}, {"EDDStrategy", "edd"},
      {"EPSStrategy", "ps"},    {"DPSStrategy", "dps"},        {"GPSStrategy", "gps"},   {"FCFSPRStrategy", "fcfs"}};
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
    if (const std::size_t at = theirs.find("Priority"); at != std::string::npos) priorities = true, theirs.erase(at, 8);
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
  if (shared && priorities &&
      std::any_of(priorities_.begin(), priorities_.end(), [&](double one) { return one != priorities_.front(); }))
    refuse(title, "servers that are shared by priority");
  if (word == "dps" || word == "gps") {
    for (const auto& [of, weight] : by_class(parameter(serving, "serviceWeights")))
      weights += (weights.empty() ? "" : ", ") + drawing_.name_of(of) + " = " +
                 number_text(number(title, weight, "A weight of its service", any_amount).value_or(1.0), 17);
    if (!weights.empty()) properties["weights"] = weights;
  }
  due_dates(node, title, word == "edd");
  polling(of_class_path(queue, "QueueGetStrategies."), title, serving, properties);
}

void JsimgImport::polling(const xml_node& get, const std::string& title, const xml_node& serving, Value& properties) {
  const std::string word = last_word(get.attribute("classPath").value());
  struct Known {
    const char *theirs, *ours;
  };
  static constexpr Known visits[] = {{"ExhaustivePollingGetStrategy", "exhaustive"},
                                     {"GatedPollingGetStrategy", "gated"},
                                     {"LimitedPollingGetStrategy", "limited"}};
  const auto* const visit =
      std::find_if(std::begin(visits), std::end(visits), [&](const Known& one) { return word == one.theirs; });
  if (visit == std::end(visits)) {
    if (!word.empty() && word != "FCFSstrategy") refuse(title, "the order \"" + word + "\" of who leaves the line");
    return;
  }
  properties["discipline"] = "polling", properties["priorities"] = "ignored";
  properties["visit"] = visit->ours;
  if (const xml_node most = named_below(get, "pollingKValue"))
    properties["limit"] =
        number_text(number(title, most, "The most served in a visit", any_positive_count).value_or(1.0));
  const std::string over = one_law(title, parameter(serving, "SwitchoverStrategy"), "switch-over times");
  if (over.empty() || over == zero_time) return;
  properties["switchover"] = over;
  remark(title, "its server goes round the classes while nobody is there; theirs stops at the next class");
}

// Theirs may be given anew at each station, where they begin with his arrival; ours are of the customer.
void JsimgImport::due_dates(const xml_node& node, const std::string& title, bool decide) {
  std::size_t of = 0;
  bool other = false, given = false;
  for (const xml_node& one : node.child("classSoftDeadlines").children("softDeadline")) {
    constexpr NumberRange due{0.0, std::numeric_limits<double>::max(), false, -1.0};
    const double due_s = numbers_.number(one.child_value(), title, "A due date", due).value_or(-1.0);
    const double classes_s = of < due_s_.size() ? std::max(0.0, due_s_[of]) : 0.0;
    ++of;
    given = given || due_s > 0;
    other = other || due_s != classes_s;
  }
  if (decide && other) refuse(title, "an order by due dates of this station that are not those of the classes");
  else if (given && other) remark(title, "due dates of this station are left out; they decide nothing here");
}

void JsimgImport::capacity(const xml_node& node, const std::string& title, Value& properties) {
  const xml_node queue = section(node, "Queue");
  constexpr NumberRange room{0.0, largest_integer, true, -1.0};
  const double size = number_of(title, queue, "size", room, -1);
  if (size < 0) return;
  properties["capacity"] = number_text(size);
  std::string rule;
  for (const auto& [of, strategy] : by_class(parameter(queue, "dropStrategies"))) {
    const std::string theirs = strategy.child_value("value");
    if (!rule.empty() && theirs != rule) refuse(title, "a drop rule that differs between classes");
    rule = theirs;
  }
  if (rule == "BAS blocking") {
    properties["when_full"] = "block";
  } else if (rule == "waiting queue") {
    // Theirs wait without keeping anybody's server, as before a region of this one station.
    properties.erase("capacity");
    waits_before_[title] = size;
  } else if (rule == "retrial") {
    properties["when_full"] = "retry";
    const std::string after = one_law(title, parameter(queue, "retrialDistributions"), "times to come again");
    if (after.empty()) refuse(title, "coming again without a law of when");
    else properties["retry_after"] = after;
  } else if (!rule.empty() && rule != "drop") {
    refuse(title, "the drop rule \"" + rule + "\"");
  }
}

void JsimgImport::patience(const xml_node& node, const std::string& title, Value& properties) {
  // Where servers are shared nobody waits, so nobody gives up.
  const std::string discipline = properties.contains("discipline") ? properties["discipline"].get<std::string>() : "";
  const bool nobody_waits = discipline == "ps" || discipline == "dps" || discipline == "gps";
  std::string of_class;
  for (const auto& [of, strategy] : by_class(parameter(section(node, "Queue"), "Impatience"))) {
    const std::string word = last_word(strategy.attribute("classPath").value());
    if (word != "Reneging") {
      if (word != "Balking" && word != "Impatience" && word != "null" && !word.empty())
        refuse(title, "impatience \"" + word + "\"");
      continue;
    }
    const JmtLaw law = jmt_distribution(strategy);
    if (!law.why.empty() || law.has_memory()) refuse(title, law.has_memory() ? "patience with memory" : law.why);
    else if (law.text.empty()) refuse(title, "giving up without a law of when");
    else if (nobody_waits) continue;
    else if (classes_.size() == 1) properties["patience"] = law.text;
    else of_class += (of_class.empty() ? "" : ", ") + drawing_.name_of(of) + " = " + law.text;
  }
  if (!of_class.empty()) properties["patience_of"] = of_class;
}

// Who would have to wait turns round by a probability that steps with the number of those who wait already.
void JsimgImport::balking(const xml_node& node, const std::string& title, ElementId id) {
  std::map<std::string, std::string> by;
  for (const auto& [of, strategy] : by_class(parameter(section(node, "Queue"), "Impatience"))) {
    if (last_word(strategy.attribute("classPath").value()) != "Balking") continue;
    for (const xml_node& one : strategy.children("subParameter"))
      if (one.attribute("name").value() == std::string("priorityActivated") &&
          truth(title, one, "Whether its customers turn round by priority").value_or(false) &&
          std::any_of(priorities_.begin(), priorities_.end(), [&](double p) { return p != priorities_.front(); }))
        refuse(title, "turning round by the number of those of greater priority");
    std::string steps = "0";
    const xml_node ranges = strategy.child("subParameter").child("subParameter");
    for (const xml_node& range : ranges.children("subParameter")) {
      xml_node probability;
      for (const xml_node& part : range.children("subParameter"))
        if (part.attribute("name").value() == std::string("function")) probability = part;
      const auto from =
          number(title, named_below(range, "from"), "The number from which customers turn round", any_count);
      const auto p = number(title, probability, "The probability of turning round", any_probability);
      if (!from || !p) continue;
      const std::string condition =
          drawing_.name_of(id) + ".waiting >= " + number_text(std::max(1.0, *from));  // of nobody there is no line
      steps = "if(" + condition + ", " + number_text(*p, 17) + ", " + steps + ")";
    }
    by[of] = steps;
  }
  if (by.empty()) return;
  const auto other = [&](const std::string& of) { return by.count(of) == 0 || by[of] != by.begin()->second; };
  if (std::any_of(classes_.begin(), classes_.end(), other))
    return refuse(title, "turning round that differs between classes");
  drawing_.set(id, "balking", by.begin()->second);
}

void JsimgImport::set_up(const std::string& title, const xml_node& serving, Value& properties) {
  // Of each class a list of classes: from the one to the other, or twice the same.
  const auto laws = [&](const char* name) {
    std::vector<std::string> out;
    for (const auto& [from, list] : by_class(parameter(serving, name)))
      for (const auto& [to, strategy] : by_class(list)) {
        const JmtLaw law = jmt_law(strategy);
        if (!law.why.empty()) refuse(title, law.why);
        if (!law.text.empty()) out.push_back(law.text);
      }
    return out;
  };
  const auto some = [](const std::vector<std::string>& all) {
    return std::any_of(all.begin(), all.end(), [](const std::string& one) { return one != zero_time; });
  };
  if (!properties.contains("visit") && some(laws("SwitchoverStrategy")))
    refuse(title, "times to change from a class to another");
  const std::vector<std::string> on = laws("setUpTime"), off = laws("delayOffTime");
  if (parameter(serving, "setUpTime") && on.empty()) refuse(title, "set-up times without a law");
  if (!some(on)) return;
  if (some(off)) return refuse(title, "a server that is switched off some time after it has become idle");
  if (properties.contains("servers")) return refuse(title, "set-up times of several servers");
  if (std::any_of(on.begin(), on.end(), [&](const std::string& one) { return one != on.front(); }))
    return refuse(title, "set-up times that differ between classes");
  properties["setup"] = on.front();
  remark(title, "its server is not busy while it is set up; theirs is");
}

}  // namespace ergode
