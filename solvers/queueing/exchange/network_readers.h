#pragma once
#include <pugixml.hpp>
#include <string>

#include "core/format/model_file.h"

namespace ergode {

/// The formats of import_network(), each from the tree of a file, whatever its root is.
ReadOutcome read_jsimg(const pugi::xml_node& file, const std::string& name);
ReadOutcome read_jmva(const pugi::xml_node& file, const std::string& name);
ReadOutcome read_pnml(const pugi::xml_node& file, const std::string& name);

}  // namespace ergode
