#include "app/session/plugin_page.h"

#include <algorithm>

#include "core/base/text.h"

namespace ergode {
namespace {

using ParameterType = PluginParameter::Type;

std::string measured_in(double value, const std::string& unit) {
  return number_text(value) + (unit.empty() ? "" : " " + unit);
}

/// "a number from 0.001 /h", "fifo or lifo"
std::string accepted(const PluginParameter& p) {
  if (p.type == ParameterType::boolean) return "true or false";
  if (p.type == ParameterType::file) return "a file";
  if (p.type == ParameterType::choice) {
    std::string words;
    for (const Choice& one : p.choices) words += (words.empty() ? "" : ", ") + one.name;
    return words;
  }
  std::string out = p.type == ParameterType::integer ? "a whole number" : "a number";
  if (p.minimum) out += " from " + measured_in(*p.minimum, p.unit);
  if (p.maximum) out += " to " + measured_in(*p.maximum, p.unit);
  if (!p.minimum && !p.maximum && !p.unit.empty()) out += " in units like " + p.unit;
  return out;
}

std::string whom_it_is_for(const PluginManifest& m, const PluginParameter& p) {
  if (!m.simulator || !m.station || (p.for_simulator && p.for_station)) return {};
  return p.for_simulator ? " Of the simulator." : " Of the station.";
}

std::string written_default(const PluginParameter& p) { return p.default_text.empty() ? "none" : p.default_text; }

const char* observed_how(PluginOutput::Kind kind) {
  switch (kind) {
    case PluginOutput::Kind::count:
      return "mean number";
    case PluginOutput::Kind::indicator:
      return "probability";
    case PluginOutput::Kind::observations:
      return "mean and distribution of observations";
    case PluginOutput::Kind::value:
      break;
  }
  return "mean and distribution";
}

/// What is told once is a name for expressions; observations are a stream for measures.
std::string how_expressions_read(const PluginManifest::Simulator& simulator) {
  const auto observed = [](const PluginOutput& one) { return one.kind == PluginOutput::Kind::observations; };
  const auto once = std::find_if_not(simulator.outputs.begin(), simulator.outputs.end(), observed);
  const auto many = std::find_if(simulator.outputs.begin(), simulator.outputs.end(), observed);
  std::string out;
  if (once != simulator.outputs.end()) out += "; expressions then say NAME." + once->name;
  if (many != simulator.outputs.end()) out += "; measures of observations take NAME." + many->name;
  return out;
}

std::string roff_of(std::string_view text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') out += "\\e";
    else if (c == '-') out += "\\-";
    else out += c == '\n' ? ' ' : c;
    line_begins = false;
  }
  return out;
}

std::string markdown_cell(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '*' || c == '_' || c == '[') out += '\\';
    if (c == '<') out += "&lt;";
    else out += c == '\n' ? ' ' : c;
  }
  return out;
}

/// The lists of outputs with what they belong to.
std::vector<std::pair<std::string, const std::vector<PluginOutput>*>> lists_of_outputs(const PluginManifest& m) {
  std::vector<std::pair<std::string, const std::vector<PluginOutput>*>> out;
  if (m.simulator) out.emplace_back("simulator", &m.simulator->outputs);
  if (m.station && !m.station->outputs.empty()) out.emplace_back("station", &m.station->outputs);
  return out;
}

std::vector<std::pair<std::string, const std::vector<PluginTable>*>> lists_of_tables(const PluginManifest& m) {
  std::vector<std::pair<std::string, const std::vector<PluginTable>*>> out;
  if (m.simulator && !m.simulator->tables.empty()) out.emplace_back("simulator", &m.simulator->tables);
  if (m.station && !m.station->tables.empty()) out.emplace_back("station", &m.station->tables);
  return out;
}

std::string example_of_run(const PluginManifest& m) {
  std::string out = "ergode plugins run " + m.name;
  for (const PluginParameter& p : m.parameters)
    if (p.for_simulator && p.type != ParameterType::file)
      return out + " --set \"" + p.name + " = " + written_default(p) + "\"";
  return out;
}

}  // namespace

std::string plugin_text(const PluginManifest& m, const TextTableWriter& table) {
  std::string out =
      m.label + " (" + m.name + " " + m.version + ", " + m.licence + (m.author.empty() ? "" : ", " + m.author) + ")\n";
  out += m.description + "\n";
  if (!m.reference.empty()) out += m.reference + "\n";
  std::vector<std::vector<std::string>> rows = {{"parameter", "default", "accepts", "meaning"}};
  for (const PluginParameter& p : m.parameters)
    rows.push_back({p.name, written_default(p), accepted(p),
                    p.help + whom_it_is_for(m, p) + (p.reference.empty() ? "" : " [" + p.reference + "]")});
  if (rows.size() > 1) out += "\n" + table(rows);
  for (const auto& [whom, outputs] : lists_of_outputs(m)) {
    rows = {{"the " + whom + " measures", "unit", "as", "meaning"}};
    for (const PluginOutput& one : *outputs)
      rows.push_back(
          {one.name, one.unit, observed_how(one.kind), one.label + (one.help.empty() ? "" : ". " + one.help)});
    out += "\n" + table(rows);
  }
  for (const auto& [whom, tables] : lists_of_tables(m)) {
    rows = {{"table of the " + whom, "of", "columns"}};
    for (const PluginTable& one : *tables) {
      std::string columns;
      for (const PluginTable::Column& column : one.columns)
        columns += (columns.empty() ? "" : ", ") + column.label + (column.unit.empty() ? "" : " [" + column.unit + "]");
      rows.push_back({one.name, one.title, columns});
    }
    out += "\n" + table(rows);
  }
  if (m.station && !m.station->attributes.empty()) {
    rows = {{"customers carry", "unit", "otherwise", "meaning"}};
    for (const PluginAttribute& one : m.station->attributes)
      rows.push_back({one.name, one.unit, measured_in(one.otherwise, ""), one.help});
    out += "\n" + table(rows);
  }
  out += "\n";
  if (m.simulator)
    out += "Run it: " + example_of_run(m) + "\nDraw it: a simulator in a diagram of simulators, plugin " + m.name +
           how_expressions_read(*m.simulator) +
           (m.simulator->deterministic ? "\nIt draws nothing: the same parameters give the same." : "") +
           (m.simulator->measures_targets ? "\nIt may measure simulators of other plugins.\n" : "\n");
  if (m.station) out += "Draw it: a plugin station in a queueing network, plugin " + m.name + "\n";
  return out;
}

std::string plugin_man_page(const PluginManifest& m) {
  std::string out = ".TH \"ERGODE\\-PLUGIN\\-" + roff_of(m.name) + "\" 7 \"\" \"" + roff_of(m.name + " " + m.version) +
                    "\" \"Plugins of ergode\"\n";
  out += ".SH NAME\n" + roff_of(m.name) + " \\- " + roff_of(m.label) + "\n";
  if (m.simulator)
    out +=
        ".SH SYNOPSIS\n\\fBergode plugins run " + roff_of(m.name) + "\\fR [\\fB\\-\\-set\\fR \\fINAME=VALUE\\fR ...]\n";
  out += ".SH DESCRIPTION\n" + roff_of(m.description) + "\n";
  if (!m.parameters.empty()) out += ".SH PARAMETERS\n";
  for (const PluginParameter& p : m.parameters)
    out += ".TP\n\\fB" + roff_of(p.name) + "\\fR\n" +
           roff_of(p.help + whom_it_is_for(m, p) + " Wanted: " + accepted(p) + ". Default: " + written_default(p) +
                   "." + (p.reference.empty() ? "" : " " + p.reference + ".")) +
           "\n";
  for (const auto& [whom, outputs] : lists_of_outputs(m)) {
    out += ".SH \"MEASURES OF THE " + std::string(whom == "station" ? "STATION" : "SIMULATOR") + "\"\n";
    for (const PluginOutput& one : *outputs)
      out += ".TP\n\\fB" + roff_of(one.name) + "\\fR" + (one.unit.empty() ? "" : " [" + roff_of(one.unit) + "]") +
             "\n" +
             roff_of(one.label + ": " + observed_how(one.kind) + "." + (one.help.empty() ? "" : " " + one.help)) + "\n";
  }
  if (!m.reference.empty()) out += ".SH REFERENCE\n" + roff_of(m.reference) + "\n";
  return out + ".SH LICENCE\n" + roff_of(m.licence) + "\n";
}

std::string plugin_markdown(const PluginManifest& m) {
  std::string out = "# " + m.label + "\n\n" + markdown_cell(m.description) + "\n\n";
  out += "Plugin `" + m.name + "` " + markdown_cell(m.version) + ", " + markdown_cell(m.licence) + ".";
  if (!m.reference.empty()) out += " After " + markdown_cell(m.reference) + ".";
  if (m.simulator)
    out += "\n\nRun it: `" + example_of_run(m) + "`. Draw it as a simulator in a diagram of simulators" +
           how_expressions_read(*m.simulator) + "." +
           (m.simulator->deterministic ? " It draws nothing: the same parameters give the same." : "") +
           (m.simulator->measures_targets ? " It may measure simulators of other plugins." : "");
  if (m.station) out += "\n\nDraw it as a plugin station in a queueing network.";
  if (!m.parameters.empty()) out += "\n\n| Parameter | What it means | You write |\n|---|---|---|\n";
  for (const PluginParameter& p : m.parameters)
    out += "| **" + markdown_cell(p.label) + "** (`" + p.name + "`) | " + markdown_cell(p.help + whom_it_is_for(m, p)) +
           " | " + markdown_cell(accepted(p)) + "; default: " + markdown_cell(written_default(p)) + " |\n";
  for (const auto& [whom, outputs] : lists_of_outputs(m)) {
    out += "\n| The " + whom + " measures | What it is | Unit |\n|---|---|---|\n";
    for (const PluginOutput& one : *outputs)
      out += "| **" + markdown_cell(one.label) + "** (`" + one.name + "`) | " + observed_how(one.kind) + ". " +
             markdown_cell(one.help) + " | " + markdown_cell(one.unit) + " |\n";
  }
  return out;
}

Value manifest_json(const PluginManifest& m) {
  Value out = {{"reference", m.reference},
               {"author", m.author},
               {"time_limit_s", m.time_limit_s},
               {"parameters", Value::array()}};
  for (const PluginParameter& p : m.parameters) {
    Value one = {{"name", p.name}, {"label", p.label},          {"type", to_text(p.type)},
                 {"unit", p.unit}, {"default", p.default_text}, {"help", p.help}};
    if (p.minimum) one["minimum"] = *p.minimum;
    if (p.maximum) one["maximum"] = *p.maximum;
    if (!p.reference.empty()) one["reference"] = p.reference;
    if (!p.choices.empty()) {
      one["choices"] = Value::array();
      for (const Choice& choice : p.choices) one["choices"].push_back({{"name", choice.name}, {"label", choice.label}});
    }
    out["parameters"].push_back(std::move(one));
  }
  for (const auto& [whom, outputs] : lists_of_outputs(m)) {
    Value& list = out[whom]["outputs"];
    list = Value::array();
    for (const PluginOutput& one : *outputs)
      list.push_back({{"name", one.name},
                      {"label", one.label},
                      {"unit", one.unit},
                      {"kind", to_text(one.kind)},
                      {"help", one.help}});
  }
  return out;
}

}  // namespace ergode
