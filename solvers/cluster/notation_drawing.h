#pragma once

namespace ergode {

class NodePen;

// How the nodes of clusters look (KindSpec::draw). Whatever the size of the node: what does not fit is cut off.
void draw_job_stream(NodePen& pen);
void draw_rental(NodePen& pen);
void draw_host_pool(NodePen& pen);
void draw_provisioner(NodePen& pen);

}  // namespace ergode
