#pragma once
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/document/document.h"

namespace ergode {

/// A property of an element as it is called from outside, where a value is given for one run: "desk.servers". Elements
/// of one name are told apart by their diagram: "Net.desk.servers". "model.horizon" is of the header.
struct PropertyPath {
  ElementId element;
  std::string property;
};

/// Whether a name of a value that is set is such a path, and not that of a parameter.
bool is_property_path(std::string_view name);
/// The element by what stands before the last dot; whether it has such a property, or could, nobody asks here.
/// @returns PAR009 where no element is called so (with the nearest), or several are (with their paths). O(elements).
std::variant<PropertyPath, Diagnostic> find_property(const Document& document, std::string_view path);
/// The elements that find_property() finds, each under its name, with its diagram where another has the same name; in
/// document order, the header first. O(elements log elements).
struct NamedElement {
  std::string path;
  const Element* element = nullptr;  ///< of the document
};
std::vector<NamedElement> elements_with_paths(const Document& document);

/// The document with the properties that `values` names by paths, as texts; other names are left out.
/// @param problems  PAR009 of find_property(), and where two paths are of one property; appended
Document with_properties(const Document& document, const std::map<std::string, std::string>& values,
                         Diagnostics& problems);

}  // namespace ergode
