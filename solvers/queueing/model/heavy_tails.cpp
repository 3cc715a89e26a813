#include "solvers/queueing/model/heavy_tails.h"

#include <cmath>
#include <limits>

#include "core/base/text.h"
#include "solvers/queueing/model/traffic.h"

namespace ergode {
namespace {

using Kind = NetworkModel::Kind;
using M = NetworkModel;

/// Long services hold up those who came later.
bool holds_up(const M::Node& node) {
  using D = M::Discipline;
  return node.kind == Kind::station && node.capacity == M::unlimited && node.discipline != D::lcfs_pr &&
         node.discipline != D::srpt && !node.has(M::shares | M::by_attained);
}

/// Moments below this one must be finite.
double moment_wanted(const M::Node& node, double share, bool open) {
  constexpr double of_the_variance = 2.0;
  if (!open || !holds_up(node)) return of_the_variance;
  const double servers = node.servers.is_constant() ? std::max(1.0, node.servers.value()) : 1.0;
  const double spare = std::max(1.0, servers - std::floor(share * servers));
  return std::isfinite(spare) ? (spare + 3.0) / spare : of_the_variance;
}

}  // namespace

Diagnostics heavy_tails(const NetworkModel& model) {
  Diagnostics out;
  bool any = false;
  for (const M::Node& node : model.nodes)
    for (const M::Duration& time : node.time) any = any || (time.drawn && std::isfinite(time.law.tail_index()));
  if (!any) return out;
  const Traffic found = traffic(model, ClosedVisits::found);
  const OfferedLoads loads = offered_loads(model, {}, ClosedVisits::found);
  for (std::size_t n = 0; n < model.nodes.size(); ++n) {
    const M::Node& node = model.nodes[n];
    const bool gap = node.kind == Kind::source;
    if (!gap && node.kind != Kind::station && node.kind != Kind::delay) continue;
    for (std::size_t c = 0; c < node.time.size(); ++c) {
      const M::Duration& time = node.time[c];
      const double tail = time.law.tail_index();
      if (!time.drawn || std::isinf(tail)) continue;
      if (!gap && found.why_not[c].empty() && found.arrivals[c][n] == 0.0) continue;  // nobody of it comes
      const double wanted = moment_wanted(node, loads.share[n], gap || found.closed[c] == 0);
      // Without a mean the queue has no long run at all, which QN010 says.
      if (tail > wanted || tail <= 1.0) continue;
      const bool waits = wanted > 2.0;
      const std::string what = gap                        ? "Gaps between arrivals from"
                               : node.kind == Kind::delay ? "Stays at"
                                                          : "Service times at";
      out.push_back(
          {.severity = Severity::warning,
           .code = "QN020",
           .element = node.element,
           .pointer = gap                        ? "interarrival"
                      : node.kind == Kind::delay ? "time"
                                                 : "service",
           .message = what + " \"" + node.name + "\" have so heavy a tail (pareto, shape " + number_text(tail, 4) +
                      ") that intervals of one long run are too narrow" +
                      (waits ? " for waiting times and for the numbers of those who wait" : "") +
                      ": they ask for a shape above " + number_text(wanted, 4) + ".",
           .hint = "A limit of the law, as the longest time that comes about, or replications of a mission."});
      break;
    }
  }
  return out;
}

}  // namespace ergode
