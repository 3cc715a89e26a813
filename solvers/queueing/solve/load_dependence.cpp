#include "solvers/queueing/solve/load_dependence.h"

#include <algorithm>
#include <cmath>

#include "core/base/special_values.h"
#include "core/base/text.h"

namespace ergode {
namespace {

constexpr std::uint32_t longest = 100'000;

/// Whether a speed is the same for `from` customers and any more.
bool settled(const Program& speed, std::uint32_t slot, double from) {
  std::vector<Range> ranges(slot + 1, Range{-infinity, infinity});
  ranges[slot] = {from, infinity};
  return speed.range(ranges).certain();
}

/// From how many customers on a speed is the same; more than `longest`: it is not known to be.
std::uint32_t settles_at(const Program& speed, std::uint32_t slot) {
  if (!settled(speed, slot, longest)) return longest + 1;
  // Narrower ranges have narrower bounds, so what holds from some number on holds from any greater one.
  std::uint32_t changes = 0, same = longest;
  while (same - changes > 1) {
    const std::uint32_t middle = changes + (same - changes) / 2;
    (settled(speed, slot, middle) ? same : changes) = middle;
  }
  return same;
}

}  // namespace

std::variant<std::vector<double>, std::string> speeds_by_number(const NetworkModel::Node& station,
                                                                const NetworkModel::Rules& rules, std::uint32_t most) {
  const Program& speed = rules.speed;
  const std::string at = " at \"" + station.name + "\"";
  for (const std::uint32_t slot : speed.slots())
    if (slot != station.number) return "The speed" + at + " depends on more than the number of customers there.";
  const double servers = station.servers.value();
  const std::uint32_t settles = speed.is_constant() ? 1 : settles_at(speed, station.number);
  // So many servers are at work once there are as many customers.
  const double needed = std::max<double>(settles, std::min(servers, longest + 1.0));
  const double length = std::min<double>(needed, most == NetworkModel::unlimited ? needed : std::max(1U, most));
  if (length > longest)
    return "That the speed" + at + " settles with up to " + std::to_string(longest) + " customers cannot be proven.";
  std::vector<double> slots(station.number + 1, 0.0), out;
  for (double n = 1; n <= length; ++n) {
    slots[station.number] = n;
    const double one = speed.evaluate(slots.data());
    if (!(one > 0.0 && std::isfinite(one)))
      return "The speed" + at + " is " + number_text(one) + " with " + number_text(n) + " customers there.";
    out.push_back(one * std::min(n, servers));
  }
  return out;
}

}  // namespace ergode
