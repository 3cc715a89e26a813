#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "core/des/lowering.h"
#include "solvers/cluster/model/table_names.h"

namespace ergode {

/// Job streams that flow to a place of this kind, whatever else they flow to. O(edges of cluster diagrams).
std::set<ElementId> streams_that_flow_to(const Document& document, std::string_view kind);
/// How tables are called, by how many places of any kind run jobs in the drawing. O(nodes of cluster diagrams).
TableNames table_names(const Document& document);

/// The codes of what is wrong with flows, and what a place is called: "GPU cluster".
struct FlowWords {
  const char *several, *between, *place;
};

/// A flow makes its stream one of its place. Refused: streams that flow to several places, and flows that begin at
/// something else. Flows of others are passed over: they are told where these are read.
/// @param stream_number, place_number  of those that are the caller's own
/// @param streams, places              by number
/// @param at                           of a stream: its place; none: it has none
template <typename Streams, typename Places, typename Stream>
void join_stream(Lowering& model, const Element& flow, const std::map<ElementId, std::uint32_t>& stream_number,
                 const std::map<ElementId, std::uint32_t>& place_number, Streams& streams, const Places& places,
                 std::uint32_t Stream::*at, std::uint32_t none, const FlowWords& words) {
  const auto stream = stream_number.find(flow.source), place = place_number.find(flow.target);
  const Element *from = model.document.find(flow.source), *to = model.document.find(flow.target);
  if (from == nullptr || to == nullptr) return;
  const std::string wanted = std::string("; wanted one ") + words.place + ".";
  if (place == place_number.end()) {
    if (stream != stream_number.end())
      model.refuse(flow, words.several, "", "\"" + from->name() + "\" flows to \"" + to->name() + "\" too" + wanted,
                   "Take it away, or draw a stream for each.");
    return;
  }
  if (stream == stream_number.end()) {
    if (from->kind != "job_stream")
      model.refuse(flow, words.between, "",
                   "Jobs flow from \"" + from->name() + "\" to \"" + to->name() + "\". Jobs come from a job stream.",
                   "Take it away.");
    return;
  }
  std::uint32_t& its = streams[stream->second].*at;
  if (its == none) {
    its = place->second;
    return;
  }
  model.refuse(
      flow, words.several, "",
      "Jobs of \"" + from->name() + "\" go to \"" + places[its].name + "\" and to \"" + to->name() + "\"" + wanted,
      "Draw a stream for each.");
}

}  // namespace ergode
