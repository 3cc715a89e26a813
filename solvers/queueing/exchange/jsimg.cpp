// JMT's simulation models: one node of theirs is one or several of ours.
#include "solvers/queueing/exchange/jsimg_import.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "solvers/queueing/exchange/jmt_laws.h"
#include "solvers/queueing/exchange/network_readers.h"

namespace ergode {

using pugi::xml_node;

std::vector<std::pair<std::string, xml_node>> JsimgImport::by_class(const xml_node& list) {
  std::vector<std::pair<std::string, xml_node>> out;
  std::string of;
  for (const xml_node& one : list.children()) {
    if (std::string(one.name()) == "refClass") of = one.child_value();
    else if (std::string(one.name()) != "subParameter") continue;
    else if (!of.empty()) out.emplace_back(of, one);
    else if (told_.insert(one.hash_value()).second) {
      xml_node node = list;
      while (node && std::string(node.name()) != "node") node = node.parent();
      refuse(node.attribute("name").value(),
             "a value of \"" + quotable(list.attribute("name").value()) + "\" without a class before it");
    }
  }
  return out;
}

xml_node JsimgImport::parameter(const xml_node& section, const char* name) {
  for (const xml_node& one : section.children("parameter"))
    if (one.attribute("name").value() == std::string(name)) return one;
  return {};
}

xml_node JsimgImport::serving_section(const xml_node& node) {
  for (const char* kind : {"Server", "PSServer", "PreemptiveServer", "LimitedPollingServer", "GatedPollingServer",
                           "ExhaustivePollingServer", "Delay"})
    if (const xml_node found = section(node, kind)) return found;
  return {};
}

xml_node JsimgImport::section(const xml_node& node, const char* name) {
  for (const xml_node& one : node.children("section"))
    if (one.attribute("className").value() == std::string(name)) return one;
  return {};
}

std::optional<double> JsimgImport::number(const std::string& title, const xml_node& holder, const std::string& what,
                                          const NumberRange& range) {
  if (told_.count(holder.hash_value()) > 0) return std::nullopt;
  const std::optional<double> value = numbers_.number(holder.child_value("value"), title, what, range);
  if (!value) told_.insert(holder.hash_value());
  return value;
}

std::optional<bool> JsimgImport::truth(const std::string& title, const xml_node& holder, const std::string& what) {
  return numbers_.truth(holder.child_value("value"), title, what);
}

double JsimgImport::number_of(const std::string& title, const xml_node& section, const char* name,
                              const NumberRange& range, double otherwise) {
  const xml_node one = parameter(section, name);
  if (!one) return otherwise;
  return number(title, one, "The number \"" + std::string(name) + "\"", range).value_or(otherwise);
}

ReadOutcome JsimgImport::read() {
  if (!check_names()) return {std::nullopt, std::move(problems_)};
  classes();
  for (const xml_node& one : sim_.children("node")) nodes(one), check_parameters(one);
  for (const xml_node& one : sim_.children("node")) ways(one);
  for (const xml_node& one : sim_.children("node")) transitions(one);
  preload();
  for (const xml_node& one : sim_.children("blockingRegion")) region(one);
  for (const xml_node& one : sim_.children("node")) check_numbers(one);
  measures();
  ReadOutcome out;
  const bool whole = !has_errors(problems_);
  out.diagnostics = std::move(problems_);
  if (whole) out.document = std::move(drawing_.document());
  return out;
}

Point JsimgImport::place(const std::string& title) {
  for (const xml_node& one : picture_.children("station"))
    if (one.attribute("name").value() == title) {
      const xml_node at = one.child("position");
      constexpr double wider = 2.2;
      // So that what is made of it lies where there can be something (layout_limit).
      constexpr NumberRange drawn{-1e5, 1e5};
      const auto read = [&](const char* name) {
        const pugi::xml_attribute given = at.attribute(name);
        return given ? numbers_.number(given.value(), title, "The " + std::string(name) + " of its position", drawn)
                           .value_or(0.0)
                     : 0.0;
      };
      return {wider * read("x") + 100, wider * read("y") + 80};
    }
  return {140.0 + 240.0 * static_cast<double>(placed_++), 500};
}

void JsimgImport::classes() {
  constexpr NumberRange priorities{-largest_integer, largest_integer, true};
  constexpr NumberRange due{0.0, std::numeric_limits<double>::max(), false, -1.0};
  std::size_t count = 0;
  for (const xml_node& one : sim_.children("userClass")) {
    const std::string title = one.attribute("name").value(), type = one.attribute("type").value();
    Value properties = Value::object();
    const auto read = [&](const char* name, const std::string& what, const NumberRange& range, double otherwise) {
      const pugi::xml_attribute given = one.attribute(name);
      return given || otherwise != otherwise ? numbers_.number(given.value(), title, what, range).value_or(0.0)
                                             : otherwise;
    };
    const bool closed = type == "closed";
    if (!closed && type != "open") numbers_.refuse(type, title, "The type of this class", "open or closed");
    if (closed) {
      const double customers = read("customers", "The number of its customers", any_count, std::nan(""));
      properties["population"] = number_text(customers);
      population_ += customers;
    }
    priorities_.push_back(read("priority", "The priority of this class", priorities, 0.0));
    if (priorities_.back() != 0.0) properties["priority"] = number_text(priorities_.back());
    due_s_.push_back(read("softDeadline", "The due date of this class", due, -1.0));
    if (due_s_.back() > 0) properties["due"] = number_text(due_s_.back(), 17) + " s";
    drawing_.node("job_class", title, std::move(properties), {120.0 + 130.0 * static_cast<double>(count++), 30});
    classes_.push_back(title);
    closed_.push_back(closed);
    reference_[title] = one.attribute("referenceSource").value();
  }
}

void JsimgImport::nodes(const xml_node& node) {
  const std::string title = node.attribute("name").value();
  if (const xml_node source = section(node, "RandomSource")) return sources(node, title, source);
  if (section(node, "JobSink")) return made(title, drawing_.node("sink", title, Value::object(), place(title)));
  if (section(node, "Enabling")) return;  // by mode, when places are known
  if (section(node, "Storage")) return made(title, drawing_.node("place", title, Value::object(), place(title)));
  // Who is put together and split anew stands there as a join that is a fork too.
  if (const xml_node join = section(node, "Join"))
    return joins(section(node, "Fork") ? "scaler" : "join", title, join, "wait_for");
  if (section(node, "Fork")) return made(title, drawing_.node("fork", title, Value::object(), place(title)));
  if (const xml_node join = section(node, "Semaphore")) return joins("semaphore", title, join, "threshold");
  // Where customers of a closed class begin, and pass without time.
  if (section(node, "Terminal")) return made(title, drawing_.node("delay", title, {{"time", "0 s"}}, place(title)));
  if (section(node, "ClassSwitch"))
    return made(title, drawing_.node("class_switch", title, Value::object(), place(title)));
  if (section(node, "LogTunnel")) return made(title, drawing_.node("logger", title, Value::object(), place(title)));
  if (const xml_node serving = serving_section(node)) return station(node, title, serving);
  if (section(node, "ServiceTunnel")) return made(title, drawing_.node("router", title, Value::object(), place(title)));
  std::string sections;
  for (const xml_node& one : node.children("section"))
    sections += (sections.empty() ? "" : ", ") + std::string(one.attribute("className").value());
  refuse(title, "a node of " + sections);
}

void JsimgImport::sources(const xml_node& node, const std::string& title, const xml_node& source) {
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

// A strategy is of the class of who was split, at semaphores too; what a guard asks for is by classes of his parts.
void JsimgImport::joins(const char* kind, const std::string& title, const xml_node& join, const char* how_many) {
  const bool meets = how_many == std::string("wait_for");
  std::vector<std::pair<std::string, std::string>> wanted;  // by class: all, 2, parts(A = 2, B = 1)
  for (const auto& [of, strategy] : by_class(join.child("parameter"))) {
    const std::string word = last_word(strategy.attribute("classPath").value());
    if (word == "GuardJoin" && meets) {
      wanted.emplace_back(of, guard(title, strategy));
      continue;
    }
    if (word != "NormalJoin" && word != "PartialJoin" && word != "NormalSemaphore" && word != "null")
      refuse(title, "the strategy \"" + word + "\"");
    xml_node asked;
    for (const char* name : {"numRequired", "SemThres", "threshold"})
      if (!asked) asked = named_below(strategy, name);
    constexpr NumberRange of_all{1.0, largest_integer, true, -1.0};  // of a join of all it is -1
    const double n =
        asked ? number(title, asked, "The number of parts that are wanted", meets ? of_all : any_positive_count)
                    .value_or(-1.0)
              : -1.0;
    wanted.emplace_back(of, n > 0 ? number_text(n) : meets ? "all" : "1");
  }
  const bool alike =
      std::all_of(wanted.begin(), wanted.end(), [&](const auto& one) { return one.second == wanted.front().second; });
  std::string each;
  for (const auto& [of, text] : wanted) each += (each.empty() ? "" : ", ") + drawing_.name_of(of) + " = " + text;
  Value properties = Value::object();
  if (!alike || (!wanted.empty() && wanted.front().second.starts_with("parts")))
    properties[std::string(how_many) + "_of"] = each;
  else if (!wanted.empty() && wanted.front().second != "all") properties[how_many] = wanted.front().second;
  made(title, drawing_.node(kind, title, std::move(properties), place(title)));
}

std::string JsimgImport::guard(const std::string& title, const xml_node& strategy) {
  std::vector<std::string> classes;
  std::vector<double> numbers;
  for (const xml_node& list : strategy.children("subParameter"))
    for (const xml_node& one : list.children("subParameter"))
      if (list.attribute("name").value() == std::string("Classes")) classes.emplace_back(one.child_value("value"));
      else numbers.push_back(number(title, one, "A number of its guard", any_count).value_or(1.0));
  for (const std::string& one : classes)
    if (std::find(classes_.begin(), classes_.end(), one) == classes_.end())
      undeclared(title, "A class of its guard", one, "class (<userClass>)");
  std::string out;
  for (std::size_t i = 0; i < std::min(classes.size(), numbers.size()); ++i)
    if (numbers[i] > 0)
      out += (out.empty() ? "" : ", ") + drawing_.name_of(classes[i]) + " = " + number_text(numbers[i]);
  if (classes.size() != numbers.size())
    refuse(title, "a guard of " + std::to_string(classes.size()) + " classes and " + std::to_string(numbers.size()) +
                      " numbers");
  else if (out.empty()) refuse(title, "a guard that asks for nobody");
  return "parts(" + out + ")";
}

void JsimgImport::station(const xml_node& node, const std::string& title, const xml_node& serving) {
  const std::string kind = serving.attribute("className").value();
  const bool delay = kind == "Delay";
  Value properties = Value::object();
  std::string first, others;
  const xml_node plain = parameter(serving, "ServiceStrategy");
  const xml_node times = plain ? plain : parameter(serving, "ServerStrategy");
  if (times.child("subParameter") && !times.child("refClass"))
    return refuse(title, "service times that differ between server types");
  for (const auto& [of, strategy] : by_class(times)) {
    const JmtLaw law = jmt_law(strategy);
    if (!law.why.empty()) refuse(title, law.why);
    const bool mapped = law.memory != JmtLaw::Memory::burst;
    if (!mapped) refuse(title, "services in bursts");
    if (law.text.empty() || !mapped) continue;
    // A process is of one class there; one text for all would be one process.
    const bool own = law.has_memory() && !first.empty();
    if (first.empty()) first = law.text;
    if (own || law.text != first) others += (others.empty() ? "" : ", ") + drawing_.name_of(of) + " = " + law.text;
    service_s_ += law.mean_s, ++services_;
  }
  if (!first.empty()) properties[delay ? "time" : "service"] = first;
  if (!others.empty()) properties[delay ? "time_of" : "service_of"] = others;
  if (!delay) {
    const double servers = number_of(title, serving, "maxJobs", any_positive_count, 1);
    if (servers != 1) properties["servers"] = number_text(servers);
    discipline(node, title, serving, properties);
    capacity(node, title, properties);
    patience(node, title, properties);
    set_up(title, serving, properties);
  }
  const ElementId id = drawing_.node(delay ? "delay" : "station", title, std::move(properties), place(title));
  made(title, id);
  if (!delay) balking(node, title, id);
}

ReadOutcome read_jsimg(const xml_node& file, const std::string& name) {
  const xml_node archive = file.child("archive"), sim = archive ? archive.child("sim") : file.child("sim");
  if (!sim) {
    const xml_node element = file.find_child([](const xml_node& one) { return one.type() == pugi::node_element; });
    const std::string root = quotable(element.name());
    return {std::nullopt,
            {{.code = "JMT001",
              .message = "There is no simulation model in the file, whose root is <" + root + ">; wanted <sim>."}}};
  }
  return JsimgImport(sim, archive.child("jmodel"), name).read();
}

}  // namespace ergode
