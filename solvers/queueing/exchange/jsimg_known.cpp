// What else a JMT model says: whatever is not as it is where nothing is chosen, and nobody reads, is told.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "solvers/queueing/exchange/jmt_laws.h"
#include "solvers/queueing/exchange/jsimg_import.h"

namespace ergode {

using pugi::xml_node;

namespace {

struct KnownParameter {
  const char *section, *name;
  const char* otherwise = nullptr;  ///< Its value where nothing is chosen; null: it is read, or changes nothing.
};
/// The queue of a node at which nobody is served: nobody stays in it.
constexpr const char* passing_queue = "Queue of a node without servers";
// Sections as JMT 1.2 writes them; files of before have fewer.
constexpr KnownParameter known_parameters[] = {
    {"RandomSource", "ServiceStrategy"},
    {"Terminal", "NumberOfJobs"},  // the population, which is with the class too
    {"Queue", "size"},
    {"Queue", "dropStrategies"},
    {"Queue", "retrialDistributions"},
    {"Queue", "QueueGetStrategy"},
    {"Queue", "QueuePutStrategy"},
    {"Queue", "Impatience"},
    {passing_queue, "size", "-1"},
    {passing_queue, "dropStrategies"},
    {passing_queue, "retrialDistributions"},
    {passing_queue, "QueueGetStrategy"},
    {passing_queue, "QueuePutStrategy"},
    {passing_queue, "Impatience", "null"},
    {"Server", "maxJobs"},
    {"Server", "numberOfVisits", "1"},
    {"Server", "ServiceStrategy"},
    {"Server", "ServerStrategy"},  // as some write it of shared servers
    {"Server", "PSStrategy"},
    {"Server", "PSPriorityUsed"},      // as the strategies say too
    {"Server", "PreemptiveStrategy"},  // that of the queue again
    {"Server", "serviceWeights"},
    {"Server", "SwitchoverStrategy"},
    {"Server", "setUpTime"},
    {"Server", "delayOffTime"},
    {"Server", "maxRunning", "-1"},
    {"Server", "classParallelism", "1"},
    {"Server", "serverNames"},
    {"Server", "serversPerServerType"},
    {"Server", "serverCompatibilities"},
    {"Server", "schedulingPolicy"},  // among server types, of which there is one
    {"Delay", "ServiceStrategy"},
    {"Router", "RoutingStrategy"},
    {"Fork", "jobsPerLink"},
    {"Fork", "block", "-1"},
    {"Fork", "isSimplifiedFork"},
    {"Fork", "ForkStrategy"},
    {"Join", "JoinStrategy"},
    {"Semaphore", "SemaphoreStrategy"},
    {"ClassSwitch", "matrix"},
    {"Storage", "totalCapacity", "-1"},
    {"Storage", "capacities", "-1"},
    {"Storage", "dropRules"},
    {"Storage", "getStrategy"},
    {"Storage", "putStrategies"},
    {"Enabling", "enablingConditions"},
    {"Enabling", "inhibitingConditions"},
    {"Timing", "modeNames"},
    {"Timing", "numbersOfServers"},
    {"Timing", "timingStrategies"},
    {"Timing", "firingPriorities"},
    {"Timing", "firingWeights"},
    {"Firing", "firingOutcomes"}};
constexpr const char* without_parameters[] = {"ServiceTunnel", "JobSink", "Linkage", "LogTunnel"};

bool same_value(const std::string& value, const char* otherwise) {
  const std::optional<double> a = parse_number(trim(value)), b = parse_number(otherwise);
  return a && b ? *a == *b : trim(value) == otherwise;
}

/// Its values that differ from what they are otherwise, with their classes: "2 of Class1".
std::string other_values(const xml_node& within, const char* otherwise, const std::string& of = {}) {
  std::string out, its = of;  // of the class that stands before it
  for (const xml_node& one : within.children()) {
    const std::string kind = one.name();
    std::string more;
    if (kind == "refClass") its = one.child_value();
    else if (kind == "subParameter") more = other_values(one, otherwise, its);
    else if (kind == "value" && !same_value(one.child_value(), otherwise))
      more = std::string(trim(one.child_value())) + (of.empty() ? "" : " of " + of);
    if (!more.empty()) out += (out.empty() ? "" : ", ") + more;
  }
  return out;
}

std::string parameter_name(const std::string& section, const xml_node& parameter) {
  const std::string path = parameter.attribute("classPath").value();
  // Of a queue these two are known by what they are; names differ from version to version.
  if (section.starts_with("Queue") && path.find("QueueGetStrategies.") != std::string::npos) return "QueueGetStrategy";
  if (section.starts_with("Queue") && last_word(path) == "QueuePutStrategy") return "QueuePutStrategy";
  return parameter.attribute("name").value();
}

}  // namespace

void JsimgImport::check_numbers(const xml_node& node) {
  const std::string title = node.attribute("name").value();
  constexpr NumberRange whole{-largest_integer, largest_integer, true};
  constexpr NumberRange any{-std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
  struct Numbers : pugi::xml_tree_walker {
    std::function<void(const xml_node&)> look;
    bool for_each(xml_node& one) override { return look(one), true; }
  } walk;
  walk.look = [&](const xml_node& one) {
    const std::string kind = last_word(one.attribute("classPath").value());
    const bool integer = kind == "Integer" || kind == "Long";
    if ((!integer && kind != "Double" && kind != "Float") || !one.child("value") || told_.count(one.hash_value()) > 0)
      return;
    number(title, one, "The number \"" + std::string(one.attribute("name").value()) + "\"", integer ? whole : any);
  };
  xml_node all = node;
  all.traverse(walk);
}

void JsimgImport::check_parameters(const xml_node& node) {
  const std::string title = node.attribute("name").value();
  const xml_node serving = serving_section(node);
  const bool serves = serving && std::string(serving.attribute("className").value()).ends_with("Server");
  for (const xml_node& section : node.children("section")) {
    const std::string theirs = section.attribute("className").value();
    if (theirs == "LogTunnel") remark(title, "it writes no file; its intervals and ages may be measured");
    std::string group = theirs.ends_with("Server") ? "Server" : theirs;
    if (group == "Queue" && !serves) group = passing_queue;
    const bool bare =
        std::find(std::begin(without_parameters), std::end(without_parameters), theirs) != std::end(without_parameters);
    const bool listed = bare || std::any_of(std::begin(known_parameters), std::end(known_parameters),
                                            [&](const KnownParameter& p) { return group == p.section; });
    if (!listed) {
      if (into(title) || source_of_.count(title) != 0) refuse(title, "a section \"" + theirs + "\"");
      continue;
    }
    if (theirs == "LogTunnel") continue;  // all of them are of the file
    for (const xml_node& one : section.children("parameter")) {
      const std::string name = parameter_name(group, one);
      const auto found = std::find_if(std::begin(known_parameters), std::end(known_parameters),
                                      [&](const KnownParameter& p) { return group == p.section && name == p.name; });
      if (found == std::end(known_parameters)) {
        refuse(title, "the parameter \"" + name + "\" of its " + theirs);
      } else if (found->otherwise != nullptr) {
        if (const std::string values = other_values(one, found->otherwise); !values.empty())
          refuse(title, "the parameter \"" + name + "\" of its " + theirs + " (" + values + "; mapped is " +
                            found->otherwise + ")");
      }
    }
  }
  if (serves) check_server_types(title, serving);
}

void JsimgImport::check_server_types(const std::string& title, const xml_node& serving) {
  std::size_t types = 0;
  for (const xml_node& one : parameter(serving, "serverCompatibilities").children("subParameter")) {
    ++types;
    if (!other_values(one, "true").empty()) refuse(title, "a server type that does not serve every class");
  }
  if (types > 1) refuse(title, "servers of " + std::to_string(types) + " types");
  const std::optional<double> servers = parse_number(parameter(serving, "maxJobs").child_value("value"));
  for (const xml_node& one : parameter(serving, "serversPerServerType").children("subParameter"))
    if (const auto own = number(title, one, "The number of servers of a type", any_count);
        own && types == 1 && *own != servers.value_or(1.0))
      remark(title, "it has " + number_text(servers.value_or(1.0)) + " servers; its only server type has " +
                        number_text(*own));
}

void JsimgImport::check_region(const xml_node& one, const std::string& title) {
  constexpr NumberRange memory_limit{0.0, std::numeric_limits<double>::max(), false, -1.0};
  const auto read = [&](const xml_node& part, const char* name, const NumberRange& range, double otherwise) {
    const pugi::xml_attribute given = part.attribute(name);
    if (!given) return otherwise;
    return numbers_.number(given.value(), title, "Its " + std::string(name), range).value_or(otherwise);
  };
  for (const char* memory : {"globalMemoryConstraint", "classMemoryConstraint", "groupMemoryConstraint"})
    for (const xml_node& part : one.children(memory))
      for (const char* most : {"maxMemory", "maxMemoryPerClass", "maxMemoryPerGroup"})
        if (read(part, most, memory_limit, -1.0) >= 0) refuse(title, "a limit of memory");
  for (const xml_node& part : one.children("groupConstraint"))
    if (read(part, "maxJobsPerGroup", any_limit, -1.0) >= 0)
      refuse(title, "a limit for the group of classes \"" + std::string(part.attribute("jobGroup").value()) + "\"");
  for (const xml_node& part : one.children("classWeight"))
    if (const double weight = read(part, "weight", any_amount, 1.0); weight != 1.0)
      refuse(title, "the weight " + number_text(weight) + " of the class \"" +
                        std::string(part.attribute("jobClass").value()) + "\"");
  // A size counts in limits of memory only, and those are refused.
  for (const xml_node& part : one.children("classSize"))
    if (const double size = read(part, "size", any_amount, 1.0); size != 1.0)
      remark(title, "the size " + number_text(size) + " of the class \"" +
                        std::string(part.attribute("jobClass").value()) + "\" is left out: nothing is limited by it");
  constexpr NumberRange due{0.0, std::numeric_limits<double>::max(), false, -1.0};
  for (const xml_node& part : one.children("classSoftDeadline"))
    if (read(part, "softDeadline", due, -1.0) > 0)
      remark(title, "due dates of the region are left out; they decide nothing");
}

}  // namespace ergode
