#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/catalogue/catalogue.h"
#include "core/document/command.h"

namespace ergode {

/// What a user can do to a diagram, each as one undo step. Pure functions of the document: they neither look at the
/// screen nor at the selection, so tests call them as the tools do. Refusals come back as a sentence in `why_not`.

/// A new node of `kind` with its default size, centred at `at`, inside `parent` (null: the diagram). Named after its
/// kind where the kind has names: "State3"; what it must refer to is filled in when there is only one such thing (the
/// only chart of a new component). The id of the new node is stored in `made`.
Command add_node(const Document& document, const NotationSpec& notation, ElementId diagram, ElementId parent,
                 const std::string& kind, Point at, ElementId& made);

/// A new diagram, named as its kind says: "Chart1", with what such a diagram begins with. Its id is stored in `made`.
Command add_diagram(const Document& document, const NotationSpec& notation, const DiagramKind& kind, ElementId& made);

/// What a reference property can name in this model, in document order; empty for other properties.
std::vector<std::string> names_for(const Document& document, const PropertySpec& property);
/// Likewise of a property of any type: arguments name classes, and each has its own.
std::vector<std::string> named_by(const Document& document, const PropertySpec& property);

/// The edge the notation draws between two nodes.
std::optional<Command> connect(const Document& document, const NotationSpec& notation, ElementId source,
                               ElementId target, ElementId& made, std::string& why_not);
/// Another source or target for an edge.
std::optional<Command> reconnect(const Document& document, const NotationSpec& notation, ElementId edge,
                                 ElementId source, ElementId target, std::string& why_not);

/// Where one of these nodes, or of what they contain, is drawn though its layout has no place, all nodes of the diagram
/// get as their own the place where they are drawn. So nothing else moves when one of them does.
void settle_places(Edit& edit, const std::vector<ElementId>& ids);

/// Moves nodes (and their contents) and, when `parent` is given, puts them into it: an empty id means the diagram
/// itself.
Command move_nodes(const Document& document, const std::vector<ElementId>& ids, double dx, double dy,
                   std::optional<ElementId> parent = {});
/// Unknown ids leave the document as it is, here and below: the command is then empty. Places in scene coordinates.
Command resize_node(const Document& document, ElementId id, Rect bounds);
Command set_way_points(const Document& document, ElementId edge, std::vector<Point> points);
/// @param offset  from the automatic place; none: back to it.
Command move_label(const Document& document, ElementId edge, std::optional<Point> offset);
/// With what cannot stand without them (Edit::remove).
Command remove_elements(const Document& document, const std::vector<ElementId>& ids,
                        const std::string& verb = "Delete");
/// Sets a property of several elements; a text equal to the default removes it.
Command set_property(const Document& document, const Catalogue& catalogue, const std::vector<ElementId>& ids,
                     const std::string& property, const std::string& text);

enum class Alignment { left, centre, right, top, middle, bottom };
/// Moves nodes, with what is inside them, to a common edge or middle of the box around all of them.
Command align(const Document& document, const std::vector<ElementId>& ids, Alignment how);
/// Equal gaps between three or more nodes.
Command distribute(const Document& document, const std::vector<ElementId>& ids, bool horizontally);

/// Outermost nodes of a selection: a node inside another selected one moves with it.
std::vector<ElementId> outermost(const Document& document, const std::vector<ElementId>& ids);
/// Whether `inner` is `outer` or somewhere inside it.
bool inside(const Document& document, ElementId inner, ElementId outer);
/// Innermost container at a point, not within any of `except`; null: the diagram.
ElementId container_at(const Document& document, const Catalogue& catalogue, ElementId diagram, Point at,
                       const std::vector<ElementId>& except = {});

/// "3 elements", "state Running", "GPU cluster \"cluster\"".
std::string count_text(const Document& document, const std::vector<ElementId>& ids);

}  // namespace ergode
