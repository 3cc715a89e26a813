#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/catalogue/catalogue.h"
#include "core/des/lowering.h"
#include "core/plugin/plugin_station.h"

namespace ergode {

/// What of a plugin an element is.
enum class PluginCapability { simulator, station };

/// The property of an element that holds a parameter of its plugin: "token_server_max_batch".
std::string plugin_key(std::string_view plugin, std::string_view parameter);
/// The property "plugin", then the parameters of all plugins that have this capability, each shown where its plugin is
/// chosen: made of their manifests. For the start of a program, when plugins are registered.
std::vector<PropertySpec> plugin_properties(PluginCapability capability, const std::string& help);

/// Whether the element names a plugin that is here; otherwise PLG010 at the property "plugin", with one that is called
/// alike.
/// @param known  the plugins with this capability, by name; @param with  "a station", as the message says it
void refuse_missing_plugin(Lowering& model, const Element& element, const std::vector<std::string>& known,
                           const std::string& with);

/// The values that an element gives the parameters of its plugin, else their defaults; PLG031 of files that may not be
/// read, and `code` of values that the manifest does not allow, each at its property.
/// @param files  gets the bytes of the files among them, by parameter, where it is not null
PluginValues read_plugin_values(Lowering& model, PropertyReader& read, const Element& element,
                                const PluginManifest& manifest, PluginCapability capability, const std::string& code,
                                std::vector<std::string>* files = nullptr);

/// What the plugin of an element told, at that element: what points into its own input ("/parameters/rate") is at the
/// property that holds the value.
Diagnostics told_at(const ElementId& element, const PluginManifest& manifest, Diagnostics told);

/// SI value of one unit of a manifest.
double scale_of_plugin_unit(const std::string& unit);

}  // namespace ergode
