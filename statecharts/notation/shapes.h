#pragma once
#include "core/drawing/node_pen.h"

namespace ergode {

// How the nodes of charts and systems are drawn, in the notation of UML state machines (OMG, UML 2.5.1, clause 14).
// Each draws one node into its box, in drawing units; texts are cut off at its border. Signs write their name beside
// them.
void draw_state(NodePen& pen);
void draw_region(NodePen& pen);
void draw_disc(NodePen& pen);  ///< Initial states and junctions.
void draw_final(NodePen& pen);
void draw_choice(NodePen& pen);
void draw_history(NodePen& pen);
void draw_point(NodePen& pen);  ///< Entry point; an exit point carries a cross.
void draw_exit(NodePen& pen);
void draw_cross(NodePen& pen);  ///< The end of everything.
void draw_bar(NodePen& pen);
void draw_variable(NodePen& pen);
void draw_component(NodePen& pen);

}  // namespace ergode
