#pragma once
#include <string>
#include <vector>

#include "core/document/command.h"

namespace ergode {

/// A word in a property's text that means an element.
struct Use {
  ElementId element;  ///< whose property it is
  std::string property;
  int begin = 0;  ///< byte offset of the word in the text
};

/// Every expression, trigger, action, argument and reference that names an element, in document order, and by place in
/// each text; by the names that notations declare (core/catalogue/names.h), and where a property names elements of a
/// kind (PropertySpec::reference: the class of a measure, times by class, lists of stations). Texts that do not parse
/// have none; neither has an element without name. O(text of all properties).
std::vector<Use> uses_of(const Document& document, ElementId id);

/// Renames an element together with everything that uses its name, as one undo step. Only the words that mean this
/// element change; the rest of each text stays as the user wrote it. Names and labels of measures that are the ones
/// which the notation gives (KindSpec::figures) are made anew, and ratios name them as they are then; what a user wrote
/// stays, and kept runs have the names that they were made with. Whether the new name is free or well formed is the
/// caller's to ask; empty for an unknown element or its own name.
Command rename_element(const Document& document, ElementId id, const std::string& new_name);

}  // namespace ergode
