// JMT's simulation models: one node of theirs is one or several of ours.
#include "solvers/queueing/exchange/jsimg_import.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "solvers/queueing/exchange/jmt_laws.h"

namespace ergode {

using pugi::xml_node;

std::vector<std::pair<std::string, xml_node>> JsimgImport::by_class(const xml_node& list) {
  std::vector<std::pair<std::string, xml_node>> out;
  std::string of;
  for (const xml_node& one : list.children()) {
    if (std::string(one.name()) == "refClass") of = one.child_value();
    else if (std::string(one.name()) == "subParameter") out.emplace_back(of, one);
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

long JsimgImport::integer(const xml_node& section, const char* name, long otherwise) {
  const xml_node one = parameter(section, name);
  return one ? std::strtol(one.child_value("value"), nullptr, 10) : otherwise;
}

ReadOutcome JsimgImport::read() {
  classes();
  for (const xml_node& one : sim_.children("node")) nodes(one), check_parameters(one), check_numbers(one);
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

Point JsimgImport::place(const std::string& title) {
  for (const xml_node& one : picture_.children("station"))
    if (one.attribute("name").value() == title) {
      const xml_node at = one.child("position");
      constexpr double wider = 2.2;
      return {wider * at.attribute("x").as_double() + 100, wider * at.attribute("y").as_double() + 80};
    }
  return {140.0 + 240.0 * static_cast<double>(placed_++), 500};
}

void JsimgImport::classes() {
  std::size_t count = 0;
  for (const xml_node& one : sim_.children("userClass")) {
    const std::string title = one.attribute("name").value();
    Value properties = Value::object();
    const bool closed = one.attribute("type").value() == std::string("closed");
    for (const char* name : {"customers", "priority", "softDeadline"})
      if (const pugi::xml_attribute number = one.attribute(name);
          number && *number.value() != '\0' && !std::isfinite(jmt_number(number.value())))
        refuse(title, "its " + std::string(name) + " that is \"" + quotable(number.value()) + "\"");
    if (closed) properties["population"] = std::string(one.attribute("customers").value());
    if (const long priority = one.attribute("priority").as_int(); priority != 0)
      properties["priority"] = std::to_string(priority);
    if (one.attribute("softDeadline") && one.attribute("softDeadline").as_double() > 0)
      properties["due"] = number_text(one.attribute("softDeadline").as_double(), 17) + " s";
    drawing_.node("job_class", title, std::move(properties), {120.0 + 130.0 * static_cast<double>(count++), 30});
    classes_.push_back(title);
    closed_.push_back(closed);
    priorities_.push_back(one.attribute("priority").as_int());
    due_s_.push_back(one.attribute("softDeadline").as_double());
    population_ += closed ? one.attribute("customers").as_double() : 0.0;
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
    double n = std::nan("");
    for (const char* name : {"numRequired", "SemThres", "threshold"})
      if (std::isnan(n)) n = number_below(strategy, name);
    wanted.emplace_back(of, n > 0 ? number_text(n) : meets ? "all" : "1");  // of a join of all it is -1
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
      else numbers.push_back(one.child("value").text().as_double());
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
  for (const auto& [of, strategy] : by_class(plain ? plain : parameter(serving, "ServerStrategy"))) {
    const JmtLaw law = jmt_law(strategy);
    if (!law.why.empty()) refuse(title, law.why);
    const bool mapped = law.memory != JmtLaw::Memory::burst;
    if (!mapped) refuse(title, "services in bursts");
    if (of.empty()) refuse(title, "service times that differ between server types");
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
    const long servers = integer(serving, "maxJobs", 1);
    if (servers != 1) properties["servers"] = std::to_string(servers);
    discipline(node, title, serving, properties);
    capacity(node, title, properties);
    patience(node, title, properties);
    set_up(title, serving, properties);
  }
  const ElementId id = drawing_.node(delay ? "delay" : "station", title, std::move(properties), place(title));
  made(title, id);
  if (!delay) balking(node, title, id);
}

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
