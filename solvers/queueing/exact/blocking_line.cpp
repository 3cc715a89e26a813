#include "solvers/queueing/exact/blocking_line.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

namespace ergode {
namespace {

/// Who is where; the first station always has enough.
struct Standing {
  std::vector<std::uint32_t> present, held;  ///< by station; held: done, and no room behind
  bool operator<(const Standing& other) const {
    return present != other.present ? present < other.present : held < other.held;
  }
};

class Line {
 public:
  explicit Line(std::span<const LineStation> line) : line_(line) {}

  /// Busy servers, that is to say such as are not held up and have somebody to serve.
  std::uint32_t busy(const Standing& s, std::size_t i) const {
    const std::uint32_t free = line_[i].servers - s.held[i];
    if (line_[i].holds_before && full(s, i + 1)) return 0;
    return i == 0 ? free : std::min(free, s.present[i] - s.held[i]);
  }
  /// A service at a station ends.
  Standing next(Standing s, std::size_t i) const {
    if (i + 1 < line_.size() && full(s, i + 1)) {
      ++s.held[i];
      return s;
    }
    if (i + 1 < line_.size()) ++s.present[i + 1];
    for (std::size_t from = i;; --from) {
      if (from == 0) return s;
      --s.present[from];
      if (s.held[from - 1] == 0) return s;
      --s.held[from - 1], ++s.present[from];  // whose server is free now, too
    }
  }

 private:
  bool full(const Standing& s, std::size_t i) const { return i < line_.size() && s.present[i] >= line_[i].room; }
  std::span<const LineStation> line_;
};

}  // namespace

std::optional<double> saturated_throughput(std::span<const LineStation> line, double most_steps) {
  if (line.size() < 2) return {};
  const Line moves(line);
  struct Move {
    std::size_t from, to;
    double rate;
  };
  // In the order in which they are reached neighbours stand together.
  std::vector<Standing> states = {
      {std::vector<std::uint32_t>(line.size(), 0), std::vector<std::uint32_t>(line.size(), 0)}};
  std::map<Standing, std::size_t> number = {{states[0], 0}};
  std::vector<Move> all;
  std::size_t band = 1;
  constexpr std::size_t most_states = 20'000;
  for (std::size_t from = 0; from < states.size(); ++from)
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::uint32_t busy = moves.busy(states[from], i);
      if (busy == 0) continue;
      Standing then = moves.next(states[from], i);
      const auto [found, fresh] = number.try_emplace(then, states.size());
      if (fresh) states.push_back(std::move(then));
      all.push_back({from, found->second, busy * line[i].rate_per_s});
      band = std::max(band, from > found->second ? from - found->second : found->second - from);
      const double width = static_cast<double>(band);
      if (states.size() > most_states || static_cast<double>(states.size()) * width * width > most_steps) return {};
    }
  const std::size_t n = states.size(), width = 2 * band + 1;
  std::vector<double> rates(n * width, 0.0), leaves(n, 0.0), share(n, 0.0);
  const auto at = [&](std::size_t from, std::size_t to) -> double& { return rates[from * width + band + to - from]; };
  for (const Move& move : all) at(move.from, move.to) += move.rate;
  for (std::size_t s = n; s-- > 1;) {
    const std::size_t first = s > band ? s - band : 0;
    for (std::size_t to = first; to < s; ++to) leaves[s] += at(s, to);
    for (std::size_t from = first; from < s; ++from) {
      const double factor = at(from, s) / leaves[s];
      if (factor == 0.0) continue;
      for (std::size_t to = first; to < s; ++to) at(from, to) += factor * at(s, to);
    }
  }
  share[0] = 1.0;
  double sum = 1.0, out = 0.0;
  for (std::size_t s = 1; s < n; ++s) {
    for (std::size_t from = s > band ? s - band : 0; from < s; ++from) share[s] += share[from] * at(from, s);
    share[s] /= leaves[s];
    sum += share[s];
  }
  const std::size_t last = line.size() - 1;
  for (std::size_t s = 0; s < n; ++s) out += share[s] * moves.busy(states[s], last) * line[last].rate_per_s;
  return out / sum;
}

}  // namespace ergode
