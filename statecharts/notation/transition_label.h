#pragma once
#include <string>
#include <variant>

#include "core/catalogue/catalogue.h"

namespace ergode {

/// "trigger [guard] / action", without the parts that are absent.
std::string transition_label(const Element& transition);
/// Reads it back: brackets and slashes inside parentheses or brackets belong to the expressions. A bracket that does
/// not close is refused, with the column where it opens.
std::variant<PropertyTexts, Diagnostic> read_transition_label(const std::string& text);
/// Its arrow and label; what differs from the default is written as UML writes constraints.
EdgeLook transition_look(const Element& transition);

}  // namespace ergode
