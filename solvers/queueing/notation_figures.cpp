#include "solvers/queueing/notation_figures.h"

#include <cctype>

#include "core/base/text.h"
#include "core/expression/written_unit.h"
#include "solvers/queueing/lowering/network_lowering.h"

namespace ergode {
namespace {

/// Whether an expression may stand behind a "/" as it is.
bool one_word(const std::string& text) {
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '.') return false;
  return !text.empty();
}

ElementFigure utilisation(const Document& document, const std::string& name, const std::string& servers) {
  ElementFigure out{.key = "utilisation", .label = "Utilisation", .symbol = "\u03c1", .share = true};
  // Of the servers that the station has when it runs, whatever is written there by then.
  const std::string busy = name + ".busy", now = name + ".servers";
  const auto number = parse_number(servers);
  const bool constant = number || document.named(Section::parameter, servers) != nullptr;
  // Servers may all be gone for a while, and where they finish what they have begun more may be busy than are left.
  const std::string share = busy + " / " + now, of_some = "min(1, " + busy + " / max(1, " + now + "))";
  out.measure = {{"name", name + "_utilisation"},
                 {"label", "Utilisation of " + name},
                 {"type", "time_average"},
                 {"expression", constant ? share : of_some}};
  out.answers = {{.expression = share}, {.expression = of_some}};
  // As people write it.
  const std::string each = busy + " / max(1, " + servers + ")";
  if (!constant)
    out.answers.push_back({.expression = "min(1, " + each + ")"}), out.answers.push_back({.expression = each});
  if (number && *number == 1) out.answers.push_back({.expression = busy});
  if (number && *number > 0) out.answers.push_back({.expression = busy, .factor = 1 / *number});
  out.answers.push_back({.expression = busy, .scale = "1/" + servers});
  out.answers.push_back({.expression = busy + " / (" + servers + ")"});
  if (one_word(servers)) out.answers.push_back({.expression = busy + " / " + servers});
  out.answers.push_back({.results = "utilisation/" + name});
  return out;
}

/// The unit in which the times of a node are drawn; that of the model where they are in none.
std::string drawn_time_unit(const Document& document, const Element& node, const char* property, const char* by_class) {
  for (const char* one : {by_class, property})
    if (const std::string text = node.text(one); !trim(text).empty())
      if (const auto unit = written_time_unit(text, document)) return *unit;
  const bool drawn = !trim(node.text(property)).empty() || !trim(node.text(by_class)).empty();
  const auto usual = drawn ? std::nullopt : written_time_unit(default_time, document);
  return usual.value_or(document.model().text("time_unit", "h"));
}

/// The unit in which the first station of a diagram, or else the first delay, is drawn.
std::string usual_time_unit(const Document& document, const Element& node) {
  for (const char* kind : {"station", "delay"})
    for (const Element* one : document.nodes(node.diagram))
      if (one->kind == kind)
        return *kind == 's' ? drawn_time_unit(document, *one, "service", "service_of")
                            : drawn_time_unit(document, *one, "time", "time_of");
  return document.model().text("time_unit", "h");
}

/// @param of_class  empty: all
std::vector<ElementFigure> passage_figures(const std::string& name, const std::string& stream,
                                           const std::string& of_class, const std::string& time_unit,
                                           const std::string& results) {
  ElementFigure rate{.key = "throughput",
                     .label = "Throughput",
                     .symbol = "X",
                     .measure = {{"name", name + "_throughput"},
                                 {"label", "Throughput of " + name},
                                 {"type", "observed_rate"},
                                 {"of", stream},
                                 {"unit", "/" + time_unit}},
                     .answers = {{.stream = stream, .rate = true}}},
      time{.key = "response_time",
           .label = "Mean time in the system",
           .symbol = "W",
           .measure = {{"name", name + "_system_time"},
                       {"label", "Mean time in the system, " + name},
                       {"type", "observed_mean"},
                       {"of", stream},
                       {"unit", time_unit}},
           .answers = {{.stream = stream}}};
  for (ElementFigure* one : {&rate, &time}) {
    if (of_class.empty()) continue;
    one->measure.emplace_back("class", of_class);
    one->answers.front().of_class = of_class;
    one->answers.push_back({.results = (one == &rate ? "system_throughput/" : "system_response_time/") + results});
  }
  return {rate, time};
}

/// What stations and delays share.
std::vector<ElementFigure> flow_figures(const std::string& name, const std::string& time_unit) {
  const std::string number = name + ".number", response = name + ".response_time";
  return {{.key = "number",
           .label = "Mean number",
           .symbol = "L",
           .measure = {{"name", name + "_number"},
                       {"label", "Mean number at " + name},
                       {"type", "time_average"},
                       {"expression", number}},
           .answers = {{.expression = number}, {.results = "queue_length/" + name}}},
          {.key = "throughput",
           .label = "Throughput",
           .symbol = "X",
           .measure = {{"name", name + "_throughput"},
                       {"label", "Throughput of " + name},
                       {"type", "observed_rate"},
                       {"of", response},
                       {"unit", "/" + time_unit}},
           .answers = {{.stream = response, .rate = true}, {.results = "throughput/" + name}}},
          {.key = "response_time",
           .label = "Mean response time",
           .symbol = "W",
           .measure = {{"name", name + "_response_time"},
                       {"label", "Mean response time at " + name},
                       {"type", "observed_mean"},
                       {"of", response},
                       {"unit", time_unit}},
           .answers = {{.stream = response}}}};
}

}  // namespace

std::vector<ElementFigure> station_figures(const Document& document, const Element& station) {
  std::vector<ElementFigure> out =
      flow_figures(station.name(), drawn_time_unit(document, station, "service", "service_of"));
  const std::string servers(trim(station.text("servers", "1")));
  if (servers != "0") out.insert(out.begin(), utilisation(document, station.name(), servers.empty() ? "1" : servers));
  return out;
}

std::vector<ElementFigure> delay_figures(const Document& document, const Element& delay) {
  return flow_figures(delay.name(), drawn_time_unit(document, delay, "time", "time_of"));
}

std::vector<ElementFigure> sink_figures(const Document& document, const Element& sink) {
  return passage_figures(sink.name(), sink.name() + ".time_in_system", "", usual_time_unit(document, sink), "");
}

std::vector<ElementFigure> class_figures(const Document& document, const Element& job_class) {
  // A node of that name hides what there is of the system.
  if (document.named(Section::node, "system") != nullptr) return {};
  return passage_figures(job_class.name(), "system.response_time", job_class.name(),
                         usual_time_unit(document, job_class), job_class.name());
}

}  // namespace ergode
