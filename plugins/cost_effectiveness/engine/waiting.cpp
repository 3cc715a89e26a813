#include "plugins/cost_effectiveness/engine/waiting.h"

#include <cmath>
#include <limits>

namespace cost_effectiveness {
namespace {

/// Rates, times and speeds are products of decimals: what is a whole number of servers may be a hair less, and one
/// server too few would answer after ages.
constexpr double hair = 1e-9;

}  // namespace

QueueWaiting waiting(double rate_per_s, double service_s, std::uint32_t servers) {
  const double offered = rate_per_s * service_s, c = servers;
  QueueWaiting out;
  out.utilisation = offered / c;
  if (out.utilisation >= 1.0 - hair) {
    out.chance = 1.0, out.wait_s = out.response_s = std::numeric_limits<double>::infinity();
    return out;
  }
  // Erlang's B from server to server, which neither overflows nor cancels; C follows from it.
  double loss = 1.0;
  for (std::uint32_t n = 1; n <= servers; ++n) loss = offered * loss / (n + offered * loss);
  out.chance = loss / (1.0 - out.utilisation * (1.0 - loss));
  out.wait_s = out.chance * service_s / (c - offered);
  out.response_s = out.wait_s + service_s;
  return out;
}

std::uint32_t fewest_servers(double rate_per_s, double service_s, double limit_s) {
  constexpr double most = 1e6;
  if (!(service_s <= limit_s) || rate_per_s * service_s > most) return 0;
  auto servers = static_cast<std::uint32_t>(std::floor(rate_per_s * service_s * (1.0 + hair))) + 1;
  // Waiting falls at least geometrically beyond the offered load; where the limit is the service itself it never ends.
  constexpr std::uint32_t most_more = 100000;
  for (const std::uint32_t end = servers + most_more; servers < end; ++servers)
    if (waiting(rate_per_s, service_s, servers).response_s <= limit_s) return servers;
  return 0;
}

}  // namespace cost_effectiveness
