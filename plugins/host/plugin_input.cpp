#include "plugins/host/plugin_input.h"

#include <cmath>

#include "core/base/text.h"

namespace ergode {
namespace {

using Type = PluginParameter::Type;

const char* type_of_model_parameter(Type type) {
  switch (type) {
    case Type::number:
      return "real";
    case Type::integer:
      return "integer";
    case Type::boolean:
      return "boolean";
    case Type::choice:
      return "choice";
    case Type::file:
      return "file";
  }
  return "real";
}

std::string with_unit(double value, const std::string& unit) {
  return number_text(value) + (unit.empty() ? "" : " " + unit);
}

}  // namespace

Document parameters_document(const PluginManifest& manifest) {
  Document out;
  std::uint64_t next = 1;
  Element header = out.model();
  header.id = ElementId(next++);
  header.properties = {{"name", manifest.label}};
  out.replace(0, std::move(header));
  for (const PluginParameter& p : manifest.parameters) {
    if (!p.for_simulator) continue;
    Element e{.id = ElementId(next++), .section = Section::parameter, .kind = "parameter"};
    // A file that is not given has no value to be written.
    const std::string value = p.type == Type::file && p.default_text.empty() ? "none" : p.default_text;
    e.properties = {{"name", p.name}, {"type", type_of_model_parameter(p.type)}, {"value", value}};
    if (!p.unit.empty()) e.properties["unit"] = p.unit;
    if (p.minimum) e.properties["minimum"] = with_unit(*p.minimum, p.unit);
    if (p.maximum) e.properties["maximum"] = with_unit(*p.maximum, p.unit);
    if (p.type == Type::choice) {
      std::string words;
      for (const Choice& one : p.choices) words += (words.empty() ? "" : ", ") + one.name;
      e.properties["choices"] = words;
    }
    if (!p.reference.empty()) e.properties["source"] = p.reference;
    e.properties["description"] = p.help;
    out.append(std::move(e));
  }
  return out;
}

PluginInput plugin_input(const PluginManifest& manifest, std::vector<double> numbers,
                         const std::vector<std::string>& words) {
  PluginInput out;
  out.numbers = std::move(numbers);
  for (std::size_t i = 0; i < manifest.parameters.size(); ++i) {
    const PluginParameter& p = manifest.parameters[i];
    double& number = out.numbers[i];
    switch (p.type) {
      case Type::number:
        out.json[p.name] = number;
        break;
      case Type::integer:
        out.json[p.name] = static_cast<std::int64_t>(number);
        break;
      case Type::boolean:
        out.json[p.name] = number != 0.0;
        break;
      case Type::choice:
        number = 0.0;
        for (std::size_t c = 0; c < p.choices.size(); ++c)
          if (p.choices[c].name == words[i]) number = static_cast<double>(c);
        out.json[p.name] = words[i];
        break;
      case Type::file:
        number = 0.0;
        out.json[p.name] = words[i] == "none" ? "" : words[i];
        break;
    }
  }
  return out;
}

Diagnostics beyond_units(const PluginManifest& manifest, const ParameterTable& table) {
  Diagnostics out;
  for (const PluginParameter& wanted : manifest.parameters)
    if (const Parameter* const p = table.find(wanted.name);
        p != nullptr && wanted.type == Type::number && !std::isfinite(p->unit.from_si(p->value)))
      out.push_back({.code = "PAR005",
                     .element = p->element,
                     .pointer = "value",
                     .message = p->name + " is " + number_text(p->value) + " in SI units, and no finite number of " +
                                (wanted.unit.empty() ? "its own" : wanted.unit) + "; wanted one below 1.8e308 " +
                                wanted.unit + "."});
  return out;
}

PluginInput plugin_input(const PluginManifest& manifest, const ParameterTable& table) {
  std::vector<double> numbers(manifest.parameters.size(), 0.0);
  std::vector<std::string> words(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (const Parameter* const p = table.find(manifest.parameters[i].name)) {
      // There and back through SI a whole number of milliseconds is one no longer: what is nearest in 15 digits is
      // meant.
      numbers[i] = parse_number(number_text(p->unit.from_si(p->value), 15)).value_or(0.0);
      words[i] = p->choice;
    } else {
      // Of the station alone: nobody gave it.
      words[i] = manifest.parameters[i].default_text;
    }
  return plugin_input(manifest, std::move(numbers), words);
}

}  // namespace ergode
