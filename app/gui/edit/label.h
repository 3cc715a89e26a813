#pragma once
#include <optional>
#include <string>

#include "core/document/command.h"

namespace ergode {

/// The text that is edited in place on the canvas: a transition's `trigger [guard] / action`, a note's text, else the
/// name.
std::string editable_label(const Element& element);

/// Parts of a transition's label; brackets and slashes inside parentheses or brackets belong to the expressions.
struct TransitionLabel {
  std::string trigger, guard, action;
};
/// @returns nothing when a bracket does not close; `column` is then where it opens (1-based).
std::optional<TransitionLabel> parse_transition_label(const std::string& text, int& column);

/// One undo step that makes `text` the label. Names are changed with all their references.
/// @returns nothing and a sentence in `why_not` when the text cannot be a label of this element.
std::optional<Command> relabel(const Document& document, ElementId id, const std::string& text, std::string& why_not);

}  // namespace ergode
