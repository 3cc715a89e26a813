#include "solvers/cluster/lowering/stream_flows.h"

namespace ergode {

std::set<ElementId> streams_that_flow_to(const Document& document, std::string_view kind) {
  std::set<ElementId> out;
  for (const Element* diagram : document.of(Section::diagram)) {
    if (diagram->text("notation") != "cluster") continue;
    for (const Element* edge : document.edges(diagram->id)) {
      const Element *from = document.find(edge->source), *to = document.find(edge->target);
      if (edge->kind == "job_flow" && from != nullptr && to != nullptr && from->kind == "job_stream" &&
          to->kind == kind)
        out.insert(from->id);
    }
  }
  return out;
}

}  // namespace ergode
