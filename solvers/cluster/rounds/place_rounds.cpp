#include <algorithm>
#include <numeric>

#include "solvers/cluster/rounds/integer_programme.h"
#include "solvers/cluster/rounds/round_plan.h"

namespace ergode {
namespace {

/// Who runs in which round of a window.
class Placing {
 public:
  Placing(std::span<const PlannedJob> jobs, std::span<const double> priorities, const PlanOptions& options,
          std::span<const int> counts)
      : jobs_(jobs),
        counts_(counts),
        window_(static_cast<std::size_t>(options.rounds)),
        runs_(jobs.size() * window_, false),
        free_(window_, options.gpus) {
    for (std::size_t i = 0; i < jobs.size(); ++i) urgency_.push_back(counts[i] > 0 ? priorities[i] / counts[i] : 0.0);
  }

  /// What a round later costs: the sum of all is the sum of q_i (mean index of its rounds).
  double urgency(std::size_t job) const { return urgency_[job]; }
  bool runs(std::size_t job, std::size_t round) const { return runs_[job * window_ + round]; }
  std::size_t window() const { return window_; }
  bool whole() const { return whole_; }

  /// Those in all rounds first: they have no choice. Then the most urgent for each GPU, in the earliest rounds with
  /// room.
  void by_urgency() {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < jobs_.size(); ++i)
      if (counts_[i] > 0) order.push_back(i);
    const auto in_all = [&](std::size_t i) { return static_cast<std::size_t>(counts_[i]) == window_; };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return in_all(a) != in_all(b) ? in_all(a) : urgency_[a] / jobs_[a].gpus > urgency_[b] / jobs_[b].gpus;
    });
    for (const std::size_t i : order) {
      int left = counts_[i];
      for (std::size_t r = 0; r < window_ && left > 0; ++r)
        if (free_[r] >= jobs_[i].gpus) put(i, r), --left;
      while (left > 0 && make_room(i)) --left;
      whole_ = whole_ && left == 0;
    }
  }

 private:
  void put(std::size_t job, std::size_t round) { runs_[job * window_ + round] = true, free_[round] -= jobs_[job].gpus; }
  void take(std::size_t job, std::size_t round) {
    runs_[job * window_ + round] = false, free_[round] += jobs_[job].gpus;
  }
  /// Moves somebody else from a round in which the job does not run to one with room, so that it can run there.
  bool make_room(std::size_t job) {
    for (std::size_t r = 0; r < window_; ++r) {
      if (runs(job, r)) continue;
      for (std::size_t k = 0; k < jobs_.size(); ++k) {
        if (!runs(k, r) || free_[r] + jobs_[k].gpus < jobs_[job].gpus) continue;
        for (std::size_t to = 0; to < window_; ++to) {
          if (runs(k, to) || free_[to] < jobs_[k].gpus) continue;
          take(k, r), put(k, to), put(job, r);
          return true;
        }
      }
    }
    return false;
  }

  std::span<const PlannedJob> jobs_;
  std::span<const int> counts_;
  std::size_t window_;
  std::vector<bool> runs_;
  std::vector<int> free_;
  std::vector<double> urgency_;
  bool whole_ = true;
};

std::optional<PlacedRounds> by_ranking_programme(std::span<const PlannedJob> jobs, const PlanOptions& options,
                                                 std::span<const int> counts, const Placing& known) {
  using Term = IntegerProgramme::Term;
  IntegerProgramme programme;
  const std::size_t window = known.window();
  std::vector<std::vector<Term>> rounds(window);
  std::vector<std::uint32_t> of_variable;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (counts[i] == 0) continue;
    std::vector<Term> of_job;
    for (std::size_t r = 0; r < window; ++r) {
      const int y = programme.variable(0.0, 1.0, -known.urgency(i) * static_cast<double>(r), true);
      of_job.push_back({y, 1.0}), rounds[r].push_back({y, static_cast<double>(jobs[i].gpus)});
      of_variable.push_back(static_cast<std::uint32_t>(i));
    }
    programme.row(counts[i], counts[i], of_job);
  }
  for (const auto& round : rounds) programme.row(-IntegerProgramme::infinite, options.gpus, round);
  const auto found = programme.maximise({options.gap, options.most_nodes, options.time_limit_s, options.give_up});
  if (!found) return std::nullopt;
  PlacedRounds out{std::vector<std::vector<std::uint32_t>>(window),
                   found->proven ? PlanMethod::programme : PlanMethod::heuristic, true};
  for (std::size_t y = 0; y < of_variable.size(); ++y)
    if (found->x[y] > 0.5) out.jobs[y % window].push_back(of_variable[y]);
  return out;
}

}  // namespace

PlacedRounds place_rounds(std::span<const PlannedJob> jobs, std::span<const double> priorities,
                          const PlanOptions& options, std::span<const int> counts) {
  Placing placing(jobs, priorities, options, counts);
  placing.by_urgency();
  if (!options.heuristic)
    if (auto found = by_ranking_programme(jobs, options, counts, placing)) return *std::move(found);
  PlacedRounds out{std::vector<std::vector<std::uint32_t>>(placing.window()), PlanMethod::heuristic, placing.whole()};
  for (std::size_t r = 0; r < placing.window(); ++r)
    for (std::size_t i = 0; i < jobs.size(); ++i)
      if (placing.runs(i, r)) out.jobs[r].push_back(static_cast<std::uint32_t>(i));
  return out;
}

}  // namespace ergode
