#pragma once
#include <string>

#include "core/document/command.h"

namespace ergode {

/// Renames an element together with every expression, trigger, action, argument and reference that names it, as one
/// undo step. Only the words that mean this element change; the rest of each text stays as the user wrote it. Texts
/// that do not parse are left alone.
Command rename_element(const Document& document, ElementId id, const std::string& new_name);

}  // namespace ergode
