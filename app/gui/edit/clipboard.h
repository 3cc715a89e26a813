#pragma once
#include <QMimeData>
#include <optional>
#include <string>
#include <vector>

#include "core/catalogue/catalogue.h"
#include "core/document/command.h"

namespace ergode {

inline constexpr const char* elements_mime = "application/x-ergode-elements";

/// The selected nodes with their contents and the edges between them, as JSON text; empty when there is no node.
std::string copy_elements(const Document& document, const std::vector<ElementId>& ids);

/// Puts copied elements into a diagram, shifted by an offset, with new ids; edges between them keep their ends.
/// Kinds the notation refuses at the outermost level are left out.
/// @returns nothing when the text holds no elements that fit. `made`: the outermost new nodes.
/// @param parent  where the outermost go; null: the diagram.
/// @param verb    what the undo step is called
std::optional<Command> paste_elements(const Document& document, const NotationSpec& notation, ElementId diagram,
                                      ElementId parent, const std::string& text, Point offset, const std::string& verb,
                                      std::vector<ElementId>& made);

}  // namespace ergode
