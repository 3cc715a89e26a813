#include "app/session/exchange.h"

#include <cmath>
#include <filesystem>
#include <iostream>

#include "app/cli/commands.h"
#include "app/session/chart_trace.h"
#include "core/base/text.h"
#include "core/base/unit.h"
#include "core/format/model_file.h"
#include "statecharts/exchange/scxml_reader.h"

namespace ergode::cli {
namespace {

std::string list_text(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

Value trace_json(const ChartTrace& trace) {
  Value out = {{"configurations", Value::array()}, {"steps", Value::array()}};
  for (const ChartTrace::Point& point : trace.points) {
    out["configurations"].push_back(point.states);
    Value step = {{"time_s", point.time_s}};
    if (!point.event.empty()) step["event"] = point.event;
    step["states"] = point.states;
    out["steps"].push_back(std::move(step));
  }
  out["end"] = {{"time_s", trace.end_s}, {"states", trace.end_states}};
  if (!trace.final_state.empty()) out["final"] = trace.final_state;
  return out;
}

void print_trace(const ChartTrace& trace) {
  std::vector<std::vector<std::string>> rows = {{"time [s]", "event", "active states"}};
  for (const ChartTrace::Point& point : trace.points)
    rows.push_back(
        {number_text(point.time_s, 6), point.event.empty() ? "start" : point.event, list_text(point.states)});
  rows.push_back({number_text(trace.end_s, 6), "end", list_text(trace.end_states)});
  std::cout << text_table(rows, {true, false, false});
  if (!trace.final_state.empty())
    std::cout << "\nThe chart reached its final state " << visible(trace.final_state) << ".\n";
}

/// An event's name in the model: names that begin like one of the document are heard by the same transitions.
std::string event_here(const ScxmlImport& read, const std::string& name) {
  for (auto end = name.size(); end != std::string::npos && end > 0; end = name.rfind('.', end - 1))
    if (const auto known = read.events.find(name.substr(0, end)); known != read.events.end())
      return known->second + name.substr(end);
  return name;
}

}  // namespace

int run_chart(const ChartRunFlags& flags) {
  const auto usage_error = [](const std::string& message) {
    complain("RUN010", message);
    return usage;
  };
  const auto events = parse_timed_events(flags.events);
  if (const auto* wrong = std::get_if<std::string>(&events)) return usage_error(*wrong);
  const std::string_view horizon = trim(flags.horizon);
  const auto letters = horizon.find_first_not_of("0123456789.eE-+ ");
  const auto number = parse_number(std::string(trim(horizon.substr(0, letters))));
  const auto unit = letters == std::string_view::npos ? std::nullopt : parse_unit(std::string(horizon.substr(letters)));
  if (!number || !unit || !(unit->dimension == Dimension::of_time()) || !(*number > 0.0) ||
      !std::isfinite(unit->to_si(*number)))
    return usage_error("--horizon is \"" + flags.horizon + "\"; wanted a finite number and a unit of time, as in 10s.");

  const ScxmlImport read = read_scxml(flags.model);
  print_diagnostics(read.diagnostics, nullptr);
  if (!read.document) return model_invalid;
  if (!read.complete) {
    print_diagnostics({chart_left_incomplete(flags.model)}, nullptr);
    return model_invalid;
  }
  std::vector<TimedEvent> given = std::get<std::vector<TimedEvent>>(events);
  std::vector<std::string> called;
  for (TimedEvent& event : given) {
    called.push_back(event.name);
    event.name = event_here(read, event.name);
    if (const auto wrong = unheard_event(*read.document, event.name, called.back())) return usage_error(*wrong);
  }
  ChartTrace trace = trace_chart(*read.document, given, unit->to_si(*number), flags.seed);
  for (std::size_t i = 1; i < trace.points.size(); ++i) trace.points[i].event = called[i - 1];
  print_diagnostics(trace.diagnostics, &*read.document);
  if (trace.points.empty()) return model_invalid;
  if (flags.json) std::cout << json_text(trace_json(trace)) << "\n";
  else print_trace(trace);
  return has_errors(trace.diagnostics) ? run_error : ok;
}

int export_as(const std::string& model, const std::string& chart, const std::string& format, const std::string& out,
              bool force) {
  const Opened opened = open_model(model);
  if (!opened.document) return model_invalid;
  const ExportedText written = export_chart(*opened.document, chart, format);
  print_diagnostics(written.diagnostics, &*opened.document);
  if (!written.text) return model_invalid;
  return write_output({out.empty() ? "-" : out, {.force = force, .inputs = {model}}}, *written.text);
}

}  // namespace ergode::cli
