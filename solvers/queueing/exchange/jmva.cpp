// JMT's analytic models: stations with demands.
#include <algorithm>
#include <cmath>
#include <pugixml.hpp>
#include <vector>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "solvers/queueing/exchange/jmt.h"
#include "solvers/queueing/exchange/jmt_laws.h"
#include "solvers/queueing/exchange/measure_all.h"
#include "solvers/queueing/exchange/network_drawing.h"

namespace ergode {
namespace {

using pugi::xml_node;

/// Texts of the file as numbers: what is none is told where it stands, and 1 then.
class Numbers {
 public:
  explicit Numbers(Diagnostics& problems) : problems_(problems) {}
  double number(const std::string& text, const std::string& at, const std::string& what) {
    const double value = jmt_number(text.c_str());
    if (std::isfinite(value)) return value;
    problems_.push_back(
        {.code = "JMT002", .message = "\"" + at + "\": " + what + " that is \"" + quotable(text) + "\" does not map."});
    return 1.0;
  }
  double of_class(const xml_node& list, const std::string& title, double otherwise, const std::string& at) {
    for (const xml_node& one : list.children())
      if (one.attribute("customerclass").value() == title)
        return number(one.child_value(), at, "a number in its " + std::string(list.name()) + " of \"" + title + "\"");
    return otherwise;
  }

 private:
  Diagnostics& problems_;
};

std::string exponential(double mean_s) {
  return mean_s > 0 ? "exponential(mean = " + number_text(mean_s, 17) + " s)" : "0 s";
}

/// "1.0;1.5;1.9": times with 1, 2, 3 customers, as the speed that the servers have then; empty where it is always the
/// same.
std::string speed_of(const std::string& times, const std::string& station, double& first, Numbers& read,
                     const std::string& title) {
  std::vector<double> all;
  for (std::size_t at = 0; at < times.size();) {
    const std::size_t end = std::min(times.find(';', at), times.size());
    all.push_back(read.number(times.substr(at, end - at), title, "a service time"));
    at = end + 1;
  }
  first = all.empty() ? 0.0 : all.front();
  if (std::all_of(all.begin(), all.end(), [&](double time) { return time == first; })) return "";
  std::string out = "table(max(1, min(" + station + ".number, " + std::to_string(all.size()) + "))";
  for (std::size_t n = 0; n < all.size(); ++n)
    out += ", " + std::to_string(n + 1) + ": " + number_text(first / all[n], 17);
  return out + ")";
}

}  // namespace

ReadOutcome import_jmva(std::string_view text, const std::string& name) {
  pugi::xml_document xml;
  const pugi::xml_parse_result parsed = xml.load_buffer(text.data(), text.size());
  ReadOutcome out;
  const xml_node parameters = xml.child("model").child("parameters");
  if (!parsed || !parameters) {
    out.diagnostics.push_back({.code = "JMT001",
                               .message = parsed ? "There is no analytic model in the file; wanted <model>."
                                                 : "The file is no XML: " + std::string(parsed.description()) + "."});
    return out;
  }
  if (const xml_node series = xml.child("model").child("whatIf"))
    out.diagnostics.push_back({.severity = Severity::info,
                               .code = "JMT003",
                               .message = "A what-if series (\"" + quotable(series.attribute("type").value()) +
                                          "\") is left out: the model is as the file begins; vary it here."});
  NetworkDrawing drawing(name);
  Numbers read(out.diagnostics);
  struct Class {
    std::string title, name;
    bool closed;
    ElementId round;
  };
  std::vector<Class> classes;
  double y = 120, shortest_s = 1e300, rates = 0;
  for (const xml_node& one : parameters.child("classes").children()) {
    const bool closed = one.name() == std::string("closedclass");
    const std::string title = one.attribute("name").value();
    Value properties = Value::object();
    if (closed) read.number(one.attribute("population").value(), title, "a population");
    if (closed) properties["population"] = std::string(one.attribute("population").value());
    drawing.node("job_class", title, std::move(properties), {120.0 + 130.0 * static_cast<double>(classes.size()), 30});
    classes.push_back({title, drawing.name_of(title), closed, {}});
  }
  for (Class& one : classes) {
    one.round = drawing.node("router", "round " + one.title, Value::object(), {320, y});
    if (one.closed) {
      // Their visits are per passage of a reference that takes no time.
      const ElementId start = drawing.node("delay", "start " + one.title, {{"time", "0 s"}}, {140, y});
      drawing.flow(start, one.round);
      drawing.set(drawing.find(one.title), "reference", drawing.name_of(start));
    } else {
      double rate = 0;
      for (const xml_node& part : parameters.child("classes").children("openclass"))
        if (part.attribute("name").value() == one.title)
          rate = read.number(part.attribute("rate").value(), one.title, "a rate");
      rates += rate;
      drawing.flow(drawing.node("source", "in " + one.title,
                                {{"rate", number_text(rate, 17) + " /s"}, {"class", one.name}}, {140, y}),
                   one.round);
    }
    y += 110;
  }
  std::vector<double> visits_of(classes.size(), 0.0);
  struct Station {
    ElementId id;
    std::vector<double> visits;
  };
  std::vector<Station> stations;
  y = 120;
  for (const xml_node& one : parameters.child("stations").children()) {
    const std::string kind = one.name(), title = one.attribute("name").value();
    const bool delay = kind == "delaystation", dependent = kind == "ldstation";
    bool any_speed = false;
    Value properties = Value::object();
    std::string first, others, speed;
    Station made;
    const xml_node times = one.child("servicetimes");
    for (std::size_t c = 0; c < classes.size(); ++c) {
      double time = dependent ? 0.0 : read.of_class(times, classes[c].title, 0.0, title);
      if (dependent)
        for (const xml_node& list : times.children())
          if (list.attribute("customerclass").value() == classes[c].title) {
            const std::string own = speed_of(list.child_value(), "@", time, read, title);
            if (any_speed && own != speed)
              out.diagnostics.push_back(
                  {.code = "JMT002",
                   .message = "\"" + title +
                              "\": service times that depend on the load differently by class do not "
                              "map."});
            speed = own, any_speed = true;
          }
      const double visits = read.of_class(one.child("visits"), classes[c].title, 1.0, title);
      made.visits.push_back(visits);
      visits_of[c] += visits;
      const std::string law = exponential(time);
      if (time > 0) shortest_s = std::min(shortest_s, time);
      if (c == 0) first = law;
      else if (law != first) others += (others.empty() ? "" : ", ") + classes[c].name + " = " + law;
    }
    properties[delay ? "time" : "service"] = first;
    if (!others.empty()) properties[delay ? "time_of" : "service_of"] = others;
    if (!delay) {
      properties["discipline"] = "ps";
      if (const std::string servers = one.attribute("servers").value(); !servers.empty() && servers != "1")
        properties["servers"] = servers;
    }
    made.id = drawing.node(delay ? "delay" : "station", title, std::move(properties), {560, y});
    if (!speed.empty()) {
      const std::string own = drawing.name_of(made.id);
      drawing.set(made.id, "speed", speed.replace(speed.find('@'), 1, own));
    }
    stations.push_back(std::move(made));
    y += 130;
  }
  const bool any_open = std::any_of(classes.begin(), classes.end(), [](const Class& one) { return !one.closed; });
  const ElementId gone = any_open ? drawing.node("sink", "out", Value::object(), {320, y}) : ElementId();
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const Class& one = classes[c];
    for (const Station& station : stations) {
      if (!(station.visits[c] > 0)) continue;
      drawing.flow(one.round, station.id, {{"probability", number_text(station.visits[c] / (1 + visits_of[c]), 17)}});
      Value back = Value::object();
      if (classes.size() > 1) back["class"] = one.name;
      drawing.flow(station.id, one.round, std::move(back));
    }
    // What is left: the passage is over.
    drawing.flow(one.round, one.closed ? drawing.find("start " + one.title) : gone);
  }
  constexpr double customers = 2e5;
  drawing.run_for(rates > 0 ? customers / rates : customers * (shortest_s < 1e300 ? shortest_s : 1.0), 4);
  measure_all(drawing);
  if (!has_errors(out.diagnostics)) out.document = std::move(drawing.document());
  return out;
}

}  // namespace ergode
