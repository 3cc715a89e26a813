#include "solvers/cluster/rounds/round_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <queue>

#include "solvers/cluster/rounds/integer_programme.h"

namespace ergode {
namespace {

/// One job's part of the objective as it gets more rounds: concave welfare, convex time that is left.
class JobGains {
 public:
  JobGains(const PlannedJob& job, double priority, std::size_t jobs, const PlanOptions& options)
      : job_(&job),
        factor_(priority / (static_cast<double>(jobs) * options.rounds)),
        round_s_(options.round_s),
        // Of more rounds nothing is gained.
        useful_(static_cast<int>(std::min<double>(
            options.rounds, std::ceil((job.epochs - job.progress) * job.epoch_s / options.round_s * (1 - 1e-12))))) {}
  double epochs(int rounds) const { return std::min(rounds * round_s_ / job_->epoch_s, job_->epochs - job_->progress); }
  double welfare(int rounds) const { return factor_ * piecewise_log((job_->progress + epochs(rounds)) / job_->epochs); }
  double left_s(int rounds) const { return std::max(0.0, job_->remaining_s - epochs(rounds) * job_->epoch_s); }
  int useful() const { return useful_; }
  int gpus() const { return job_->gpus; }
  /// The least rounds from `least` on with which no more than this is left; useful() and one more where there are none.
  int rounds_for(double left, int least) const {
    int rounds = least;
    while (rounds <= useful_ && left_s(rounds) > left) ++rounds;
    return rounds;
  }

 private:
  const PlannedJob* job_;
  double factor_, round_s_;
  int useful_;
};

std::vector<JobGains> gains_of(std::span<const PlannedJob> jobs, std::span<const double> priorities,
                               const PlanOptions& options) {
  std::vector<JobGains> out;
  for (std::size_t i = 0; i < jobs.size(); ++i) out.emplace_back(jobs[i], priorities[i], jobs.size(), options);
  return out;
}

/// Rounds by marginal gains from `rounds` on; nothing where these are too many already.
std::optional<std::vector<int>> filled(const std::vector<JobGains>& jobs, std::vector<int> rounds,
                                       std::int64_t gpu_rounds) {
  for (std::size_t i = 0; i < jobs.size(); ++i) gpu_rounds -= std::int64_t{rounds[i]} * jobs[i].gpus();
  if (gpu_rounds < 0) return std::nullopt;
  using Gain = std::pair<double, std::size_t>;
  std::priority_queue<Gain> next;
  const auto offer = [&](std::size_t i) {
    if (rounds[i] >= jobs[i].useful()) return;
    const double gain = jobs[i].welfare(rounds[i] + 1) - jobs[i].welfare(rounds[i]);
    if (gain > 0.0) next.push({gain / jobs[i].gpus(), i});
  };
  for (std::size_t i = 0; i < jobs.size(); ++i) offer(i);
  while (!next.empty() && gpu_rounds > 0) {
    const std::size_t i = next.top().second;
    next.pop();
    if (jobs[i].gpus() > gpu_rounds) continue;
    ++rounds[i], gpu_rounds -= jobs[i].gpus();
    offer(i);
  }
  return rounds;
}

/// Makespans that some job can have, the least possible first.
std::vector<double> makespans_of(const std::vector<JobGains>& jobs, std::span<const int> least) {
  double lowest = 0.0;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    lowest = std::max(lowest, jobs[i].left_s(std::max(least[i], jobs[i].useful())));
  std::vector<double> out = {lowest};
  for (std::size_t i = 0; i < jobs.size(); ++i)
    for (int n = least[i]; n < jobs[i].useful() && jobs[i].left_s(n) > lowest; ++n) out.push_back(jobs[i].left_s(n));
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

RoundCounts by_gains(std::span<const PlannedJob> jobs, std::span<const double> priorities, const PlanOptions& options,
                     std::span<const int> least) {
  const std::vector<JobGains> gains = gains_of(jobs, priorities, options);
  const std::vector<double> makespans = makespans_of(gains, least);
  const std::int64_t gpu_rounds = std::int64_t{options.gpus} * options.rounds;
  RoundCounts out{{least.begin(), least.end()}, -INFINITY, PlanMethod::heuristic};
  std::vector<double> known(makespans.size(), NAN);
  const auto value = [&](std::size_t at) {
    if (!std::isnan(known[at])) return known[at];
    std::vector<int> rounds;
    for (std::size_t i = 0; i < gains.size(); ++i) rounds.push_back(gains[i].rounds_for(makespans[at], least[i]));
    const auto found = filled(gains, std::move(rounds), gpu_rounds);
    known[at] = found ? plan_welfare(jobs, priorities, options, *found) : -INFINITY;
    if (known[at] > out.welfare) out.rounds = *found, out.welfare = known[at];
    return known[at];
  };
  // Welfare less the price of the makespan is concave in the makespan but for whole rounds, and too short ones are not
  // possible: thirds, then all around.
  std::size_t low = 0, high = makespans.size() - 1;
  constexpr std::size_t around = 8;
  while (high - low > around) {
    const std::size_t a = low + (high - low) / 3, b = high - (high - low) / 3;
    if (value(a) < value(b) || value(a) == -INFINITY) low = a;
    else high = b;
  }
  for (std::size_t at = low; at <= high; ++at) value(at);
  return out;
}

std::optional<RoundCounts> by_programme(std::span<const PlannedJob> jobs, std::span<const double> priorities,
                                        const PlanOptions& options, std::span<const int> least,
                                        const RoundCounts& known) {
  const std::vector<JobGains> gains = gains_of(jobs, priorities, options);
  const double lowest = makespans_of(gains, least).front();
  using Term = IntegerProgramme::Term;
  constexpr double infinite = IntegerProgramme::infinite;
  IntegerProgramme programme;
  const int makespan = programme.variable(lowest, infinite, -options.makespan_weight, false);
  std::vector<Term> gpus;
  std::vector<int> counts;
  std::vector<double> start = {lowest};
  for (std::size_t i = 0; i < gains.size(); ++i) {
    const JobGains& job = gains[i];
    const int most = std::max(least[i], job.useful());
    start[0] = std::max(start[0], job.left_s(known.rounds[i])), start.push_back(known.rounds[i]);
    counts.push_back(programme.variable(least[i], most, 0.0, true));
    gpus.push_back({counts.back(), static_cast<double>(job.gpus())});
    // Gains fall from round to round, so the programme takes them in their order.
    std::vector<Term> steps = {{counts.back(), -1.0}}, shorter = {{makespan, 1.0}};
    for (int n = least[i]; n < most; ++n) {
      steps.push_back({programme.variable(0.0, 1.0, job.welfare(n + 1) - job.welfare(n), false), 1.0});
      start.push_back(n < known.rounds[i] ? 1.0 : 0.0);
      shorter.push_back({steps.back().variable, job.left_s(n) - job.left_s(n + 1)});
    }
    programme.row(-least[i], -least[i], steps);
    if (job.left_s(least[i]) > lowest) programme.row(job.left_s(least[i]), infinite, shorter);
  }
  programme.row(-infinite, static_cast<double>(options.gpus) * options.rounds, gpus);
  const auto found =
      programme.maximise({options.gap, options.most_nodes, options.time_limit_s, options.give_up}, start);
  if (!found) return std::nullopt;
  RoundCounts out;
  if (!found->proven) out.method = PlanMethod::heuristic;
  for (const int i : counts) out.rounds.push_back(static_cast<int>(found->x[static_cast<std::size_t>(i)]));
  out.welfare = plan_welfare(jobs, priorities, options, out.rounds);
  return out;
}

}  // namespace

double piecewise_log(double part) {
  constexpr int pieces = 5;
  static const std::array<double, pieces + 1> logs = [] {
    std::array<double, pieces + 1> out{std::log(1e-6)};
    for (std::size_t i = 1; i <= pieces; ++i) out[i] = std::log(static_cast<double>(i) / pieces);
    return out;
  }();
  const double at = std::clamp(part, 0.0, 1.0) * pieces;
  const auto i = static_cast<std::size_t>(std::min<double>(pieces - 1, std::floor(at)));
  return logs[i] + (at - static_cast<double>(i)) * (logs[i + 1] - logs[i]);
}

double plan_welfare(std::span<const PlannedJob> jobs, std::span<const double> priorities, const PlanOptions& options,
                    std::span<const int> rounds) {
  double sum = 0.0, longest = 0.0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const JobGains job(jobs[i], priorities[i], jobs.size(), options);
    sum += job.welfare(rounds[i]);
    longest = std::max(longest, job.left_s(rounds[i]));
  }
  return sum - options.makespan_weight * longest;
}

std::optional<std::vector<int>> fair_rounds(std::span<const PlannedJob> jobs, const PlanOptions& options,
                                            std::int64_t first_round) {
  const double share = std::min(1.0, options.gpus / static_cast<double>(jobs.size()));
  const double end = options.round_s * static_cast<double>(first_round + options.rounds);
  std::vector<int> out;
  std::int64_t left = std::int64_t{options.gpus} * options.rounds;
  for (const PlannedJob& job : jobs) {
    const double most_left = share * (options.most_rho * job.finish_by_s - end);
    const JobGains gains(job, 1.0, jobs.size(), options);
    const int rounds = gains.rounds_for(most_left, 0);
    if (most_left < 0.0 || rounds > gains.useful()) return std::nullopt;
    left -= std::int64_t{rounds} * job.gpus;
    out.push_back(rounds);
  }
  if (left < 0) return std::nullopt;
  return out;
}

std::vector<double> late_priorities(std::span<const PlannedJob> jobs, const PlanOptions& options,
                                    std::int64_t first_round) {
  const double share = std::min(1.0, options.gpus / static_cast<double>(jobs.size()));
  const double now = options.round_s * static_cast<double>(first_round);
  std::vector<double> out;
  for (const PlannedJob& job : jobs) {
    const double ratio = (now + job.remaining_s / share) / job.finish_by_s;
    constexpr double almost_done = 100.0, most = 1e9;
    const double power = job.remaining_s < options.round_s ? almost_done : options.priority_power;
    out.push_back(ratio > options.most_rho ? std::min(most, std::pow(ratio, power)) : 1.0);
  }
  return out;
}

RoundCounts planned_counts(std::span<const PlannedJob> jobs, std::span<const double> priorities,
                           const PlanOptions& options, std::span<const int> least) {
  RoundCounts known = by_gains(jobs, priorities, options, least);
  if (options.heuristic) return known;
  auto found = by_programme(jobs, priorities, options, least, known);
  return found && found->welfare >= known.welfare ? *std::move(found) : known;
}

}  // namespace ergode
