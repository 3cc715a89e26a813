// From drawn plugin stations to what runs of them: values of parameters, attributes, streams.
#include "core/base/text.h"
#include "core/plugin/plugin_properties.h"
#include "solvers/queueing/lowering/lowering_steps.h"
#include "solvers/queueing/lowering/words.h"

namespace ergode {

void NetworkLowering::declare_plugin(Lowering& model, const Element& element, Node& node) {
  node.plugin = static_cast<std::uint32_t>(net().plugins.size());
  NetworkModel::Plugin made{.what = find_station_plugin(trim(element.text("plugin")))};
  if (made.what != nullptr) {
    // A station that is created anew tells each time that it ends.
    const bool ends = is_written(element, "up") && trim(element.text("when_down")) == "lose";
    std::vector<std::string> classes;
    for (const NetworkModel::JobClass& one : net().classes)
      if (!one.name.empty()) classes.push_back(one.name);
    for (const PluginOutput& output : made.what->manifest.station->outputs) {
      StreamSpec spec{node.name + "." + output.name, output.unit, element.id};
      spec.at_the_end = output.kind != PluginOutput::Kind::observations && !ends;
      made.output_scale.push_back(scale_of_plugin_unit(output.unit));
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
    std::vector<std::string> names;
    for (const StationPlugin& one : station_plugins()) names.push_back(one.manifest.name);
    refuse_missing_plugin(model, element, names, "a station");
    return;
  }
  const PluginManifest& manifest = plugin.what->manifest;
  plugin.values = read_plugin_values(model, read, element, manifest, PluginCapability::station, "QN004");
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
