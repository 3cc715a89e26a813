#include "solvers/queueing/model/blocking_lines.h"

#include <algorithm>
#include <limits>

#include "core/base/special_values.h"
#include "solvers/queueing/exact/blocking_line.h"

namespace ergode {
namespace {

using M = NetworkModel;
using Kind = NetworkModel::Kind;

bool blocks(const M::Node& node) {
  return node.kind == Kind::station && node.capacity != M::unlimited &&
         (node.when_full == M::WhenFull::block || node.when_full == M::WhenFull::block_before);
}

class Lines {
 public:
  Lines(const NetworkModel& model, const StationLimits& limits)
      : model_(model), limits_(limits), before_(model.nodes.size()) {
    for (std::uint32_t n = 0; n < model.nodes.size(); ++n)
      for (const M::Leaving how : {M::Leaving::done, M::Leaving::refused, M::Leaving::reneged})
        for (const M::Ways& ways : model.nodes[n].ways_of(how))
          for (const std::uint32_t to : ways.target)
            if (before_[to].empty() || before_[to].back() != n) before_[to].push_back(n);
  }

  std::vector<BlockingLine> look() const {
    std::vector<BlockingLine> out;
    for (std::uint32_t n = 0; n < model_.nodes.size(); ++n) {
      if (next_of(n) == M::none || previous_of(n) != M::none) continue;
      BlockingLine line{.stations = {n}, .of_class = only_class(n)};
      for (std::uint32_t next = next_of(n); next != M::none; next = next_of(next)) line.stations.push_back(next);
      out.push_back(std::move(line));
    }
    constexpr double most_steps = 3e7;  // some hundredths of a second for all together
    for (BlockingLine& line : out) let_through(line, most_steps / static_cast<double>(out.size()));
    return out;
  }

 private:
  /// The one class that has ways from there; none: there are several.
  std::uint32_t only_class(std::uint32_t n) const {
    std::uint32_t out = M::none;
    for (std::uint32_t c = 0; c < model_.nodes[n].ways.size(); ++c) {
      if (model_.nodes[n].ways[c].target.empty()) continue;
      if (out != M::none) return M::none;
      out = c;
    }
    return out;
  }
  /// Nothing but its servers, and room behind it, holds up who is there.
  bool plain(const M::Node& node) const {
    using D = M::Discipline;
    constexpr std::uint32_t harmless =
        M::may_block | M::holds_before | M::lets_in | M::raises_events | M::tells_stays | M::tells_services;
    const bool in_line = node.discipline == D::fcfs || node.discipline == D::lcfs || node.discipline == D::siro;
    return node.kind == Kind::station && (node.features & ~harmless) == 0 && node.region == M::none && in_line &&
           node.servers.is_constant() && (node.capacity == M::unlimited || blocks(node));
  }
  /// The next station of a line; none: here it ends, or is none.
  std::uint32_t next_of(std::uint32_t n) const {
    const M::Node& node = model_.nodes[n];
    const std::uint32_t c = only_class(n);
    if (c == M::none || !plain(node) || model_.classes[c].population > 0 || node.ways[c].target.size() != 1 ||
        node.ways[c].becomes[0] != c)
      return M::none;
    const std::uint32_t to = node.ways[c].target[0];
    const bool alone = before_[to].size() == 1 && to != n && only_class(to) == c;
    return alone && blocks(model_.nodes[to]) && plain(model_.nodes[to]) ? to : M::none;
  }
  std::uint32_t previous_of(std::uint32_t n) const {
    return before_[n].size() == 1 && next_of(before_[n][0]) == n ? before_[n][0] : M::none;
  }
  /// Whether it has room for all who come: they wait in it, or before it where nobody's server is held for that.
  bool waits_without_end(std::uint32_t n) const {
    if (!blocks(model_.nodes[n])) return true;
    return std::all_of(before_[n].begin(), before_[n].end(), [&](std::uint32_t from) {
      return model_.nodes[from].kind == Kind::source || model_.nodes[from].kind == Kind::delay;
    });
  }

  void let_through(BlockingLine& line, double most_steps) const {
    std::vector<LineStation> all;
    bool exponential = true;
    line.most_per_s = infinity;
    for (std::size_t i = 0; i < line.stations.size(); ++i) {
      const M::Node& node = model_.nodes[line.stations[i]];
      const M::Duration& time = node.time[line.of_class];
      const double work_s = limits_.work(node, line.of_class), servers = node.servers.value();
      if (work_s > 0.0) line.most_per_s = std::min(line.most_per_s, servers / work_s);
      const bool before =
          i + 1 < line.stations.size() && model_.nodes[line.stations[i + 1]].when_full == M::WhenFull::block_before;
      exponential = exponential && time.drawn && time.law.family() == Distribution::Family::exponential &&
                    time.process == M::none && work_s > 0.0 && !(before && servers > 1.0);
      all.push_back({exponential ? 1.0 / work_s : 1.0, static_cast<std::uint32_t>(servers), node.capacity, before});
    }
    if (!exponential) return;
    if (const auto whole = saturated_throughput(all, most_steps / 2.0)) {
      line.most_per_s = std::min(line.most_per_s, *whole);
      const bool free_behind = !model_.nodes[line.stations.back()].has(M::may_block);
      line.exactly = free_behind && waits_without_end(line.stations[0]);
      return;
    }
    const double each = most_steps / static_cast<double>(2 * all.size());
    for (std::size_t from = 0; from + 1 < all.size(); ++from)
      for (std::size_t size = 2; from + size <= all.size(); ++size) {
        const auto part = saturated_throughput(std::span(all).subspan(from, size), each);
        if (!part) break;
        line.most_per_s = std::min(line.most_per_s, *part);
      }
  }

  const NetworkModel& model_;
  const StationLimits& limits_;
  std::vector<std::vector<std::uint32_t>> before_;
};

}  // namespace

std::vector<BlockingLine> blocking_lines(const NetworkModel& model, const StationLimits& limits) {
  const bool any = std::any_of(model.nodes.begin(), model.nodes.end(), blocks);
  return any ? Lines(model, limits).look() : std::vector<BlockingLine>();
}

}  // namespace ergode
