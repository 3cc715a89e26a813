#include "solvers/queueing/model/flow_rules.h"

#include <algorithm>

namespace ergode {
namespace {

constexpr const char* apart = "Classes, pools, regions and notes stand by themselves; no flow leads from or to them.";

/// What does not let flows out, or in; whoever is not here does both.
struct Rule {
  const char* kind;
  const char *nothing_from, *nothing_to;
};
constexpr Rule rules[] = {{"job_class", apart, apart},
                          {"pool", apart, apart},
                          {"region", apart, apart},
                          {"note", apart, apart},
                          {"sink", "Nobody comes out of a sink.", nullptr},
                          {"source", nullptr, "Nobody enters a source."}};

const Rule* rule_of(const std::string& kind) {
  const auto* const found =
      std::find_if(std::begin(rules), std::end(rules), [&](const Rule& r) { return kind == r.kind; });
  return found == std::end(rules) ? nullptr : found;
}

}  // namespace

std::string why_no_flow(const std::string& from, const std::string& to) {
  const Rule *out = rule_of(from), *in = rule_of(to);
  if (out != nullptr && out->nothing_from == apart) return apart;
  if (in != nullptr && in->nothing_to == apart) return apart;
  // A place is emptied by transitions only, and only places are emptied by them.
  if (from == "place" && to != "transition") return "From a place flows lead to transitions.";
  if (to == "transition" && from != "place") return "Transitions take from places.";
  if (out != nullptr && out->nothing_from != nullptr) return out->nothing_from;
  if (in != nullptr && in->nothing_to != nullptr) return in->nothing_to;
  return "";
}

std::string called(const Element& node) {
  std::string kind = node.kind == "job_class" ? "class" : node.kind;
  std::replace(kind.begin(), kind.end(), '_', ' ');
  return kind + (node.name().empty() ? "" : " \"" + node.name() + "\"");
}

}  // namespace ergode
