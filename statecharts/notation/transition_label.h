#pragma once
#include <string>
#include <variant>

#include "core/catalogue/catalogue.h"

namespace ergode {

/// "trigger [guard] / action", without the parts that are absent. What is edited in place; type, memory and priority
/// are not part of it.
std::string transition_label(const Element& transition);
/// Reads it back: brackets and slashes inside parentheses or brackets belong to the expressions. A bracket that does
/// not close is refused, with the column where it opens, and so is text between the guard and the slash. Of the parts
/// only blanks around them are lost; they are not parsed.
/// @returns trigger, guard and action, empty where absent, or SCH002
std::variant<PropertyTexts, Diagnostic> read_transition_label(const std::string& text);
/// Its arrow and label; what differs from the default is written as UML writes constraints: {internal, priority 2}. An
/// open arrow head for clocks of a rate or a common cause, a clock sign for delays, the colour of failures, a pill for
/// the cause.
EdgeLook transition_look(const Element& transition);

}  // namespace ergode
