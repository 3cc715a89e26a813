#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/value.h"
#include "core/document/document.h"
#include "core/expression/parameters.h"
#include "core/plugin/manifest.h"

namespace ergode {

/// A model that holds nothing but the plugin's parameters, so that whoever knows the parameters of models (forms,
/// --set, checks of units and bounds, scenarios, provenance) knows those of plugins. Ids are the same whenever it is
/// made.
Document parameters_document(const PluginManifest& manifest);

/// Values for a plugin.
struct PluginInput {
  std::vector<double> numbers;   ///< By parameter in its unit; booleans 0 or 1, choices their index, files 0.
  Value json = Value::object();  ///< Name -> number, truth value or text.
};
/// @param table  of parameters_document(), without errors
PluginInput plugin_input(const PluginManifest& manifest, const ParameterTable& table);

/// PAR005 for each number that is finite as it was given and none in the plugin's unit (1e306 s in ms): doubles end at
/// 1.8e308, and what is beyond cannot be sent. @param table  of parameters_document()
Diagnostics beyond_units(const PluginManifest& manifest, const ParameterTable& table);

/// The same from values that stand elsewhere, as properties of a drawn station. @param numbers  by parameter, as in
/// PluginInput; @param words  by parameter: of choices and files
PluginInput plugin_input(const PluginManifest& manifest, std::vector<double> numbers,
                         const std::vector<std::string>& words);

}  // namespace ergode
