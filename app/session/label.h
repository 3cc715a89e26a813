#pragma once
#include <optional>
#include <string>

#include "core/catalogue/catalogue.h"
#include "core/document/command.h"

namespace ergode {

/// The text that is edited in place on the canvas, as the element's notation writes it: a transition's
/// `trigger [guard] / action`, a note's text, else the name.
std::string editable_label(const Document& document, const Element& element);

/// One undo step that makes `text` the label. Names are changed with all their references.
/// @returns nothing and a sentence in `why_not` when the text cannot be a label of this element; an empty command when
///     it is the label already. The command fits this state of the document only.
std::optional<Command> relabel(const Document& document, ElementId id, const std::string& text, std::string& why_not);

/// Why a text is no label where its notation reads it, with the column: what can be said of every half-typed text.
/// Nothing for names.
std::optional<Diagnostic> label_problem(const Document& document, ElementId id, const std::string& text);

/// "Column 8: the bracket does not close", for a problem with a column.
std::string with_column(const Diagnostic& problem);

}  // namespace ergode
