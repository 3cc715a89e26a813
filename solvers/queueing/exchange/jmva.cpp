// JMT's analytic models: stations with demands.
#include <algorithm>
#include <pugixml.hpp>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "solvers/queueing/exchange/file_numbers.h"
#include "solvers/queueing/exchange/measure_all.h"
#include "solvers/queueing/exchange/network_drawing.h"
#include "solvers/queueing/exchange/network_readers.h"

namespace ergode {
namespace {

using pugi::xml_node;

std::string exponential(double mean_s) {
  return mean_s > 0 ? "exponential(mean = " + number_text(mean_s, 17) + " s)" : "0 s";
}

/// Reads an analytic model into a drawing; one use.
class JmvaImport {
 public:
  JmvaImport(const xml_node& parameters, const std::string& name, Diagnostics problems)
      : parameters_(parameters), drawing_(name), problems_(std::move(problems)) {}

  /// Diagnostics JMT002. Time and memory O(file + what is drawn), which is bounded.
  ReadOutcome read() {
    if (small_enough()) {
      classes();
      for (Class& one : classes_) round(one);
      y_ = 120;
      for (const xml_node& one : parameters_.child("stations").children())
        if (one.type() == pugi::node_element) station(one);
      ways();
      constexpr double customers = 2e5;
      drawing_.run_for(rates_ > 0 ? customers / rates_ : customers * (shortest_s_ < 1e300 ? shortest_s_ : 1.0), 4);
      if (!has_errors(problems_)) measure_all(drawing_);
    }
    const bool whole = !has_errors(problems_);
    ReadOutcome out;
    out.diagnostics = std::move(problems_);
    if (whole) out.document = std::move(drawing_.document());
    return out;
  }

 private:
  struct Class {
    std::string title, name;
    bool closed = false;
    double rate = 0.0;  ///< [1/s] of an open one
    ElementId node, round, start;
    double visits = 0.0;  ///< to all stations
  };
  struct Station {
    ElementId id;
    std::vector<double> visits;
  };
  /// Of each station and class two flows and some eight measures: as many as can still be drawn, read and run.
  static constexpr std::size_t most_pairs = 50'000;

  void refuse(const std::string& at, const std::string& message) {
    problems_.push_back({.code = "JMT002", .message = "\"" + quotable(at) + "\": " + message});
  }

  bool small_enough() {
    const auto elements = [&](const char* name) {
      const xml_node list = parameters_.child(name);
      const auto count = static_cast<std::size_t>(std::count_if(
          list.begin(), list.end(), [](const xml_node& one) { return one.type() == pugi::node_element; }));
      // A file that was cut or put together says so.
      const pugi::xml_attribute said = list.attribute("number");
      if (said && parse_number(said.value()) != static_cast<double>(count))
        numbers_.refuse(said.value(), name, "The number of them", "as many as there are: " + std::to_string(count));
      return count;
    };
    const std::size_t classes = elements("classes"), stations = elements("stations");
    if (classes == 0 || stations <= most_pairs / classes) return true;
    problems_.push_back({.code = "JMT002",
                         .message = "The model has " + std::to_string(stations) + " stations and " +
                                    std::to_string(classes) +
                                    " classes, each of which goes ways of its own; wanted at most " +
                                    std::to_string(most_pairs) + " pairs of a station and a class."});
    return false;
  }

  void classes() {
    for (const xml_node& one : parameters_.child("classes").children()) {
      if (one.type() != pugi::node_element) continue;
      const std::string kind = one.name(), title = one.attribute("name").value();
      const bool closed = kind == "closedclass";
      Class made;
      made.title = title, made.closed = closed;
      if (!closed && kind != "openclass") refuse(title, "A class <" + quotable(kind) + "> does not map.");
      if (!class_of_.emplace(title, classes_.size()).second)
        refuse(title, "Two classes have this name; wanted one of their own each.");
      Value properties = Value::object();
      if (closed)
        properties["population"] = number_text(
            numbers_.number(one.attribute("population").value(), title, "The population", any_count).value_or(0.0));
      else made.rate = numbers_.number(one.attribute("rate").value(), title, "The rate", any_amount).value_or(0.0);
      made.node = drawing_.node("job_class", title, std::move(properties),
                                {120.0 + 130.0 * static_cast<double>(classes_.size()), 30});
      made.name = drawing_.name_of(made.node);
      rates_ += made.rate;
      classes_.push_back(std::move(made));
    }
  }

  /// Where customers of a class choose who serves them next, or to have ended.
  void round(Class& one) {
    one.round = drawing_.node("router", "round " + one.title, Value::object(), {320, y_});
    if (one.closed) {
      // Their visits are per passage of a reference that takes no time.
      one.start = drawing_.node("delay", "start " + one.title, {{"time", "0 s"}}, {140, y_});
      drawing_.only(one.start, one.name);
      drawing_.flow(one.start, one.round);
      drawing_.set(one.node, "reference", drawing_.name_of(one.start));
    } else {
      drawing_.flow(drawing_.node("source", "in " + one.title,
                                  {{"rate", number_text(one.rate, 17) + " /s"}, {"class", one.name}}, {140, y_}),
                    one.round);
    }
    y_ += 110;
  }

  /// Of a station's `servicetimes` or `visits`, the text of each class; null: none.
  std::vector<xml_node> by_class(const xml_node& list, const std::string& at) {
    std::vector<xml_node> out(classes_.size());
    for (const xml_node& one : list.children()) {
      if (one.type() != pugi::node_element) continue;
      const std::string of = one.attribute("customerclass").value(), kind = list.name();
      const auto found = class_of_.find(of);
      if (found == class_of_.end())
        refuse(at, "The class in its " + kind + " is \"" + quotable(of) +
                       "\", which the file does not declare; wanted a class of <classes>.");
      else if (out[found->second]) refuse(at, "There are two " + kind + " of \"" + quotable(of) + "\"; wanted one.");
      else out[found->second] = one;
    }
    return out;
  }

  double number(const xml_node& one, const std::string& title, const char* what, const Class& of, double otherwise) {
    if (!one) return otherwise;
    return numbers_.number(one.child_value(), title, what + (" of \"" + of.title + "\""), any_amount)
        .value_or(otherwise);
  }

  /// "1.0;1.5;1.9": times with 1, 2, 3 customers, as the speed that the servers have then; empty where it is always the
  /// same.
  std::string speed_of(std::string_view times, double& first, const std::string& title) {
    std::vector<double> all;
    while (!trim(times).empty()) {
      const std::size_t end = std::min(times.find(';'), times.size());
      all.push_back(
          numbers_.number(std::string(times.substr(0, end)), title, "A service time", any_amount).value_or(1));
      times.remove_prefix(std::min(end + 1, times.size()));
    }
    first = all.empty() ? 0.0 : all.front();
    if (std::all_of(all.begin(), all.end(), [&](double time) { return time == first; })) return "";
    if (std::find(all.begin(), all.end(), 0.0) != all.end()) {
      numbers_.refuse("0", title, "A service time", "more than 0 where others are");
      return "";
    }
    std::string out = "table(max(1, min(@.number, " + std::to_string(all.size()) + "))";
    for (std::size_t n = 0; n < all.size(); ++n)
      out += ", " + std::to_string(n + 1) + ": " + number_text(first / all[n], 17);
    return out + ")";
  }

  void station(const xml_node& one) {
    const std::string kind = one.name(), title = one.attribute("name").value();
    const bool delay = kind == "delaystation", dependent = kind == "ldstation";
    if (!delay && !dependent && kind != "listation")
      return refuse(title, "A station <" + quotable(kind) + "> does not map.");
    const std::vector<xml_node> times = by_class(one.child("servicetimes"), title),
                                visits = by_class(one.child("visits"), title);
    Station made;
    std::string first, others, speed;
    bool any_speed = false;
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      double time = 0.0;
      if (!dependent) {
        time = number(times[c], title, "The service time", classes_[c], 0.0);
      } else if (times[c]) {
        const std::string own = speed_of(times[c].child_value(), time, title);
        if (any_speed && own != speed)
          refuse(title, "Service times that depend on the load differently by class do not map.");
        speed = own, any_speed = true;
      }
      // Visits are 1 where nothing is said of any class; times must be said.
      const auto wanted = [&](const char* what) {
        refuse(title, "There are no " + std::string(what) + " of \"" + classes_[c].title + "\"; wanted one.");
      };
      if (!times[c]) wanted("servicetimes");
      if (!visits[c] && one.child("visits").first_child()) wanted("visits");
      made.visits.push_back(number(visits[c], title, "The number of visits", classes_[c], 1.0));
      classes_[c].visits += made.visits.back();
      if (time > 0) shortest_s_ = std::min(shortest_s_, time);
      const std::string law = exponential(time);
      if (c == 0) first = law;
      else if (law != first) others += (others.empty() ? "" : ", ") + classes_[c].name + " = " + law;
    }
    Value properties = Value::object();
    properties[delay ? "time" : "service"] = first;
    if (!others.empty()) properties[delay ? "time_of" : "service_of"] = others;
    if (!delay) {
      properties["discipline"] = "ps";
      if (const pugi::xml_attribute given = one.attribute("servers"))
        if (const double servers =
                numbers_.number(given.value(), title, "The number of servers", any_positive_count).value_or(1.0);
            servers != 1.0)
          properties["servers"] = number_text(servers);
    }
    made.id = drawing_.node(delay ? "delay" : "station", title, std::move(properties), {560, y_});
    if (!speed.empty()) drawing_.set(made.id, "speed", speed.replace(speed.find('@'), 1, drawing_.name_of(made.id)));
    stations_.push_back(std::move(made));
    y_ += 130;
  }

  void ways() {
    const bool any_open = std::any_of(classes_.begin(), classes_.end(), [](const Class& one) { return !one.closed; });
    const ElementId gone = any_open ? drawing_.node("sink", "out", Value::object(), {320, y_}) : ElementId();
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      const Class& one = classes_[c];
      for (const Station& station : stations_) {
        if (!(station.visits[c] > 0)) continue;
        drawing_.flow(one.round, station.id, {{"probability", number_text(station.visits[c] / (1 + one.visits), 17)}});
        Value back = Value::object();
        if (classes_.size() > 1) back["class"] = one.name;
        drawing_.flow(station.id, one.round, std::move(back));
      }
      // What is left: the passage is over.
      drawing_.flow(one.round, one.closed ? one.start : gone);
    }
  }

  xml_node parameters_;
  NetworkDrawing drawing_;
  Diagnostics problems_;
  FileNumbers numbers_{problems_, "JMT002"};
  std::vector<Class> classes_;
  std::unordered_map<std::string, std::size_t> class_of_;
  std::vector<Station> stations_;
  double y_ = 120, shortest_s_ = 1e300, rates_ = 0;
};

}  // namespace

ReadOutcome read_jmva(const xml_node& file, const std::string& name) {
  const xml_node model = file.child("model"), parameters = model.child("parameters");
  if (!parameters)
    return {std::nullopt,
            {{.code = "JMT001", .message = "There is no analytic model in the file; wanted <parameters> in <model>."}}};
  Diagnostics problems;
  if (const xml_node series = model.child("whatIf"))
    problems.push_back({.severity = Severity::info,
                        .code = "JMT003",
                        .message = "A what-if series (\"" + quotable(series.attribute("type").value()) +
                                   "\") is left out: the model is as the file begins; vary it here."});
  return JmvaImport(parameters, name, std::move(problems)).read();
}

}  // namespace ergode
