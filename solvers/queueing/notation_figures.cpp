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
  const std::string busy = name + ".busy", part = "1/" + servers;
  const auto number = parse_number(servers);
  out.measure = {{"name", name + "_utilisation"}, {"label", "Utilisation of " + name}, {"type", "time_average"}};
  if (number && *number == 1) {
    out.measure.emplace_back("expression", busy);
  } else if (number || document.named(Section::parameter, servers) != nullptr) {
    // A factor apart leaves one number of the station, which exact solvers know.
    out.measure.emplace_back("expression", busy), out.measure.emplace_back("scale", part);
  } else {
    // Servers may all be gone for a while, and where they finish what they have begun more may be busy than are left.
    const std::string each = busy + " / max(1, " + servers + ")", share = "min(1, " + each + ")";
    out.measure.emplace_back("expression", share);
    out.answers.push_back({.expression = share}), out.answers.push_back({.expression = each});
  }
  if (number && *number > 0) out.answers.push_back({.expression = busy, .factor = 1 / *number});
  out.answers.push_back({.expression = busy, .scale = part});
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

}  // namespace ergode
