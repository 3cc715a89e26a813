#pragma once
#include <functional>
#include <string>
#include <vector>

#include "core/base/value.h"
#include "core/plugin/manifest.h"

namespace ergode {

// What people read of a plugin; all of it made of its manifest alone.

/// Lines of cells as aligned text.
using TextTableWriter = std::function<std::string(const std::vector<std::vector<std::string>>&)>;

/// For a terminal: what it is, its parameters, what it measures, and how it is run.
std::string plugin_text(const PluginManifest& manifest, const TextTableWriter& table);
/// A man page (groff_man(7)).
std::string plugin_man_page(const PluginManifest& manifest);
/// A page of the help in Markdown.
std::string plugin_markdown(const PluginManifest& manifest);
/// Parameters, outputs, tables and attributes.
Value manifest_json(const PluginManifest& manifest);

}  // namespace ergode
