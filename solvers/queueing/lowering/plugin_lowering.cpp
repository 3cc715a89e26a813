// From drawn plugin stations to values for their plugins: all that is known of these is in their manifests.
#include <algorithm>
#include <cmath>

#include "core/base/text_place.h"
#include "solvers/queueing/lowering/lowering_steps.h"
#include "solvers/queueing/lowering/words.h"

namespace ergode {
namespace {

using ParameterType = PluginParameter::Type;

double scale_of_unit(const std::string& unit) { return parse_unit(unit).value_or(Unit{}).scale; }

/// A plugin reads what it is told to: only what the model may name, and as it is for provenance.
/// @returns its path; empty after a complaint (PLG031)
std::string permitted_path(Lowering& model, const Element& element, const std::string& key, const std::string& name) {
  if (name.empty()) return name;
  const auto text = model.files.text(name);
  if (const auto* found = std::get_if<DataFiles::Text>(&text)) return found->name;
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

std::string plugin_key(std::string_view plugin, std::string_view parameter) {
  return std::string(plugin) + "_" + std::string(parameter);
}

void NetworkLowering::declare_plugin(Lowering& model, const Element& element, Node& node) {
  node.plugin = static_cast<std::uint32_t>(net().plugins.size());
  NetworkModel::Plugin made{.what = find_station_plugin(trim(element.text("plugin")))};
  if (made.what != nullptr) {
    std::vector<std::string> classes;
    for (const NetworkModel::JobClass& one : net().classes)
      if (!one.name.empty()) classes.push_back(one.name);
    for (const PluginOutput& output : made.what->manifest.station->outputs) {
      StreamSpec spec{node.name + "." + output.name, output.unit, element.id};
      made.output_scale.push_back(scale_of_unit(output.unit));
      if (output.minimum) spec.range.lower = *output.minimum * made.output_scale.back();
      if (output.maximum) spec.range.upper = *output.maximum * made.output_scale.back();
      made.stream.push_back(model.slots.add(std::move(spec)));
    }
  }
  net().plugins.push_back(std::move(made));
}

void NetworkLowering::lower_plugin(Lowering& model, Scope& scope, PropertyReader& read, const Element& element,
                                   Node& node) {
  NetworkModel::Plugin& plugin = net().plugins[node.plugin];
  if (is_written(element, "up")) {
    plugin.up = model.program(element, "up", ValueType::boolean(), scope);
    if (!plugin.up.is_constant()) node.reader = model.slots.wake(plugin.up);
  }
  plugin.loses = meaning_of(read, element, "when_down", when_down_words);
  if (plugin.what == nullptr) {
    const std::string name(trim(element.text("plugin")));
    std::vector<std::string> names;
    for (const StationPlugin& one : station_plugins()) names.push_back(one.manifest.name);
    const std::string near = nearest_word(name, names);
    model.refuse(
        element, "PLG010", "plugin",
        name.empty() ? "No plugin is named."
                     : "There is no plugin \"" + quotable(name) +
                           "\" with a station here; the element is kept as it is, and the model cannot run.",
        name.empty() ? "Choose one of those that `ergode plugins list` shows."
        : !near.empty()
            ? "Did you mean " + near + "?"
            : "`ergode plugins list` shows what there is, where plugins are looked for, and why one is refused.");
    return;
  }
  const PluginManifest& manifest = plugin.what->manifest;
  plugin.values = {std::vector<double>(manifest.parameters.size(), 0.0),
                   std::vector<std::string>(manifest.parameters.size())};
  for (std::size_t i = 0; i < manifest.parameters.size(); ++i) {
    const PluginParameter& p = manifest.parameters[i];
    double& number = plugin.values.numbers[i];
    std::string& word = plugin.values.words[i];
    const std::string key = plugin_key(manifest.name, p.name);
    const double otherwise = p.type == ParameterType::number || p.type == ParameterType::integer
                                 ? parse_number(p.default_text.substr(0, p.default_text.find(' '))).value_or(0.0)
                             : p.default_text == "true" ? 1.0
                                                        : 0.0;
    number = otherwise, word = p.default_text;
    if (!p.for_station || !is_written(element, key.c_str())) continue;
    switch (p.type) {
      case ParameterType::number: {
        const Unit unit = parse_unit(p.unit).value_or(Unit{});
        const double si = read.quantity(element, key.c_str(), unit.dimension, unit.to_si(otherwise));
        number = parse_number(number_text(unit.from_si(si), 15)).value_or(0.0);
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
        word = permitted_path(model, element, key, read.file(element, key.c_str()));
        break;
    }
    if ((p.minimum && number < *p.minimum) || (p.maximum && number > *p.maximum) || !std::isfinite(number))
      refuse_value(model, element, key,
                   p.label + " is " + in_its_unit(number, p.unit) + "; the plugin wants " +
                       (p.minimum ? "at least " + in_its_unit(*p.minimum, p.unit) : "") +
                       (p.minimum && p.maximum ? " and " : "") +
                       (p.maximum ? "at most " + in_its_unit(*p.maximum, p.unit) : "") +
                       (p.minimum || p.maximum ? "." : "a finite number."));
  }
  for (const PluginAttribute& one : manifest.station->attributes) {
    const Unit unit = parse_unit(one.unit).value_or(Unit{});
    std::uint32_t found = NetworkModel::none;
    double scale = unit.scale;
    if (const auto number = attribute_named(one.name)) {
      // A plain number is meant in the unit of the plugin: tokens: integer = 200.
      const Dimension& own = net().attributes[*number].type.dimension;
      found = *number;
      if (own.none()) scale = 1.0;
      else if (!(own == unit.dimension))
        model.refuse(element, "PLG030", "plugin",
                     "Customers have \"" + one.name + "\" in \"" + net().attributes[*number].unit +
                         "\"; the plugin wants it in \"" + one.unit + "\", or a plain number.");
    }
    plugin.attribute.push_back(found), plugin.attribute_scale.push_back(scale);
  }
}

}  // namespace ergode
