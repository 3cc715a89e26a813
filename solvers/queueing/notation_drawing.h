#pragma once

namespace ergode {

class NodePen;

// How the nodes of queueing networks look (KindSpec::draw). Whatever the size of the node: what does not fit is cut
// off.
void draw_source(NodePen& pen);
void draw_sink(NodePen& pen);
void draw_station(NodePen& pen);
void draw_delay(NodePen& pen);
/// Of a long node with round ends: who is inside, along its lower edge.
void draw_those_inside(NodePen& pen);
void draw_router(NodePen& pen);
void draw_class_switch(NodePen& pen);
void draw_class(NodePen& pen);

}  // namespace ergode
