#include "solvers/cluster/lowering/stream_flows.h"

#include <algorithm>
#include <iterator>

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

TableNames table_names(const Document& document) {
  constexpr std::string_view places[] = {"rental",    "host_pool",       "gpu_cluster",
                                         "gpu_fleet", "round_scheduler", "iteration_scheduler"};
  std::size_t found = 0;
  for (const Element* diagram : document.of(Section::diagram)) {
    if (diagram->text("notation") != "cluster") continue;
    for (const Element* node : document.nodes(diagram->id))
      found += std::find(std::begin(places), std::end(places), node->kind) != std::end(places) ? 1 : 0;
  }
  return {.several_places = found > 1};
}

}  // namespace ergode
