#include "solvers/markov/classes.h"

#include <algorithm>
#include <limits>

namespace ergode {

Classes find_classes(const RateRows& rows) {
  constexpr std::uint32_t unseen = std::numeric_limits<std::uint32_t>::max();
  const std::size_t n = rows.size();
  Classes out;
  out.of.assign(n, unseen);
  std::vector<std::uint32_t> order(n, unseen), low(n), stack, path, edge(rows.start.begin(), rows.start.end() - 1);
  // `edge` says how far the transitions of each state have been gone through: what a recursion would keep on its stack.
  std::uint32_t next = 0;
  for (std::uint32_t root = 0; root < n; ++root) {
    if (order[root] != unseen) continue;
    path.push_back(root);
    while (!path.empty()) {
      const std::uint32_t s = path.back();
      if (order[s] == unseen) order[s] = low[s] = next++, stack.push_back(s);
      if (edge[s] < rows.start[s + 1]) {
        const std::uint32_t t = rows.other[edge[s]];
        if (order[t] == unseen) {
          path.push_back(t);
          continue;
        }
        if (out.of[t] == unseen) low[s] = std::min(low[s], low[t]);
        ++edge[s];
        continue;
      }
      path.pop_back();
      if (low[s] != order[s]) continue;
      const auto number = static_cast<std::uint32_t>(out.bottom.size());
      for (std::uint32_t member = unseen; member != s;) {
        member = stack.back();
        stack.pop_back();
        out.of[member] = number;
      }
      out.bottom.push_back(1);
    }
  }
  for (std::uint32_t s = 0; s < n; ++s)
    for (std::uint32_t e = rows.start[s]; e < rows.start[s + 1]; ++e)
      if (out.of[rows.other[e]] != out.of[s]) out.bottom[out.of[s]] = 0;
  out.bottoms = static_cast<std::size_t>(std::count(out.bottom.begin(), out.bottom.end(), 1));
  return out;
}

}  // namespace ergode
