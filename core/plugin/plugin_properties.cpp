// From drawn elements to values for their plugins: all that is known of these is in their manifests.
#include "core/plugin/plugin_properties.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/plugin/plugin_registry.h"
#include "core/plugin/plugin_simulator.h"

namespace ergode {
namespace {

using ParameterType = PluginParameter::Type;

/// A parameter of a plugin as a property: shown where that plugin is chosen.
PropertySpec plugin_property(const PluginManifest& manifest, const PluginParameter& p) {
  const PropertyType type = p.type == ParameterType::number    ? PropertyType::quantity
                            : p.type == ParameterType::integer ? PropertyType::integer
                            : p.type == ParameterType::boolean ? PropertyType::boolean
                            : p.type == ParameterType::choice  ? PropertyType::choice
                                                               : PropertyType::text;
  PropertySpec out =
      behaviour_property(plugin_key(manifest.name, p.name), p.label, type,
                         p.help + (p.reference.empty() ? "" : " " + p.reference), p.default_text, p.unit);
  out.choices = p.choices;
  out.when_property = "plugin", out.when_values = {manifest.name};
  return out;
}

/// A plugin reads what it is told to: only what the model may name, and as it is for provenance.
/// @returns its path; empty after a complaint (PLG031)
std::string permitted_path(Lowering& model, const Element& element, const std::string& key, const std::string& name,
                           std::string* bytes) {
  if (name.empty()) return name;
  const auto text = model.files.text(name);
  if (const auto* found = std::get_if<DataFiles::Text>(&text)) {
    if (bytes != nullptr) *bytes = *found->text;
    return found->name;
  }
  if (const auto* refusal = std::get_if<FileRefusal>(&text))
    model.refuse(element, "PLG031", key, refusal->why,
                 refusal->folder.empty() ? "" : "Put it there, or allow its folder: --allow-folder " + refusal->folder);
  else model.refuse(element, "PLG031", key, std::get<Diagnostic>(text).message);
  return {};
}

std::string in_its_unit(double value, const std::string& unit) {
  return number_text(value, 12) + (unit.empty() ? "" : " " + unit);
}

}  // namespace

double scale_of_plugin_unit(const std::string& unit) { return parse_unit(unit).value_or(Unit{}).scale; }

Diagnostics told_at(const ElementId& element, const PluginManifest& manifest, Diagnostics told) {
  constexpr std::string_view of_parameter = "/parameters/";
  for (Diagnostic& one : told) {
    one.element = element;
    one.pointer = one.pointer.starts_with(of_parameter)
                      ? plugin_key(manifest.name, one.pointer.substr(of_parameter.size()))
                      : std::string();
  }
  return told;
}

std::string plugin_key(std::string_view plugin, std::string_view parameter) {
  return std::string(plugin) + "_" + std::string(parameter);
}

std::vector<PropertySpec> plugin_properties(PluginCapability capability, const std::string& help) {
  PropertySpec plugin = behaviour_property("plugin", "Plugin", PropertyType::choice, help);
  plugin.reference = "plugin";
  std::vector<PropertySpec> out;
  const auto add = [&](const PluginManifest& manifest) {
    plugin.choices.push_back({manifest.name, manifest.label});
    for (const PluginParameter& p : manifest.parameters)
      if (capability == PluginCapability::station ? p.for_station : p.for_simulator)
        out.push_back(plugin_property(manifest, p));
  };
  std::vector<const PluginManifest*> known;
  if (capability == PluginCapability::station)
    for (const StationPlugin& one : station_plugins()) known.push_back(&one.manifest);
  else
    for (const SimulatorPlugin& one : simulator_plugins()) known.push_back(&one.manifest);
  // As people look for them: by what they are called in the list.
  std::stable_sort(known.begin(), known.end(), [](const PluginManifest* a, const PluginManifest* b) {
    return before_for_people(a->label, b->label);
  });
  for (const PluginManifest* manifest : known) add(*manifest);
  out.insert(out.begin(), std::move(plugin));
  return out;
}

void refuse_missing_plugin(Lowering& model, const Element& element, const std::vector<std::string>& known,
                           const std::string& with) {
  const std::string name(trim(element.text("plugin"))), near = nearest_word(name, known);
  model.refuse(
      element, "PLG010", "plugin",
      name.empty() ? "No plugin is named."
                   : "There is no plugin \"" + quotable(name) + "\" with " + with +
                         " here; the element is kept as it is, and the model cannot run.",
      name.empty() ? "Choose one of those that `ergode plugins list` shows."
      : !near.empty()
          ? "Did you mean " + near + "?"
          : "`ergode plugins list` shows what there is, where plugins are looked for, and why one is refused.");
}

PluginValues read_plugin_values(Lowering& model, PropertyReader& read, const Element& element,
                                const PluginManifest& manifest, PluginCapability capability, const std::string& code,
                                std::vector<std::string>* files) {
  PluginValues out = {std::vector<double>(manifest.parameters.size(), 0.0),
                      std::vector<std::string>(manifest.parameters.size())};
  if (files != nullptr) files->assign(manifest.parameters.size(), {});
  for (std::size_t i = 0; i < manifest.parameters.size(); ++i) {
    const PluginParameter& p = manifest.parameters[i];
    double& number = out.numbers[i];
    std::string& word = out.words[i];
    const std::string key = plugin_key(manifest.name, p.name);
    const double otherwise = p.type == ParameterType::number || p.type == ParameterType::integer
                                 ? parse_number(p.default_text.substr(0, p.default_text.find(' '))).value_or(0.0)
                             : p.default_text == "true" ? 1.0
                                                        : 0.0;
    number = otherwise, word = p.default_text;
    const bool ours = capability == PluginCapability::station ? p.for_station : p.for_simulator;
    if (!ours || trim(element.text(key)).empty()) continue;
    switch (p.type) {
      case ParameterType::number: {
        const Unit unit = parse_unit(p.unit).value_or(Unit{});
        const double si = read.quantity(element, key.c_str(), unit.dimension, unit.to_si(otherwise));
        // What is beyond doubles in the plugin's unit is refused below.
        number = unit.from_si(si);
        if (std::isfinite(number)) number = parse_number(number_text(number, 15)).value_or(0.0);
        break;
      }
      case ParameterType::integer:
        number = static_cast<double>(read.integer(element, key.c_str(), static_cast<long>(otherwise)));
        break;
      case ParameterType::boolean:
        number = read.boolean(element, key.c_str(), otherwise != 0.0) ? 1.0 : 0.0;
        break;
      case ParameterType::choice:
        word = read.choice(element, key.c_str(), p.default_text, p.choices);
        break;
      case ParameterType::file:
        word = permitted_path(model, element, key, read.file(element, key.c_str()),
                              files != nullptr ? &(*files)[i] : nullptr);
        break;
    }
    const bool refused = std::any_of(model.problems.begin(), model.problems.end(), [&](const Diagnostic& d) {
      return d.severity == Severity::error && d.element == element.id && d.pointer == key;
    });
    if (!refused &&
        ((p.minimum && number < *p.minimum) || (p.maximum && number > *p.maximum) || !std::isfinite(number)))
      model.refuse(element, code, key,
                   p.label + " is " + in_its_unit(number, p.unit) + "; the plugin wants " +
                       (p.minimum ? "at least " + in_its_unit(*p.minimum, p.unit) : "") +
                       (p.minimum && p.maximum ? " and " : "") +
                       (p.maximum ? "at most " + in_its_unit(*p.maximum, p.unit) : "") +
                       (p.minimum || p.maximum ? "." : "a finite number."));
  }
  return out;
}

}  // namespace ergode
