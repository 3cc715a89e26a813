#include "solvers/cluster/running/round_part.h"
#include "solvers/cluster/running/flowing_rates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "solvers/cluster/running/failing_hosts.h"
#include "solvers/cluster/running/job_state.h"
#include "solvers/cluster/running/live_rounds.h"
#include "solvers/cluster/running/rows_left_out.h"
#include "solvers/cluster/running/running_rounds.h"

namespace ergode {
namespace {

/// Ends a schedule between two rounds.
class AskedWatch : public RoundWatch {
 public:
  explicit AskedWatch(const std::function<bool()>& give_up) : give_up_(give_up) {}
  bool go_on(double) override { return !give_up_ || !give_up_(); }

 private:
  const std::function<bool()>& give_up_;
};

/// @throws GivenUp
ScheduledTrace scheduled(const RoundModel::Scheduler& one, const std::function<bool()>& give_up) {
  ScheduledTrace out;
  AskedWatch watch(give_up);
  const RoundModel::Workload& work = *one.workload;
  if (one.options.policy == RoundPolicy::shockwave) {
    PlanOptions plan = one.plan;
    plan.give_up = give_up;
    using Clock = ShockwavePlanner::Clock;
    ShockwavePlanner planner(plan, one.replan_rounds, one.plans_by_moments() ? Clock::published : Clock::rounds);
    out.run = run_rounds(work.jobs, *one.speeds, one.options, &planner, &watch);
    out.plans = planner.log();
  } else {
    out.run = run_rounds(work.jobs, *one.speeds, one.options, nullptr, &watch);
  }
  // A plan that was cut short must not be played, even where it was the last one.
  if (out.run.stopped || (give_up && give_up())) throw GivenUp();
  out.held_gpu_s.assign(work.jobs.size(), 0.0);
  for (const Round& round : out.run.rounds)
    for (const std::uint32_t job : round.jobs)
      out.held_gpu_s[job] += work.jobs[job].gpus * (round.end_s - round.start_s);
  std::vector<double> exclusive_s;
  for (const JobProfile& profile : work.profiles) exclusive_s.push_back(profile.exclusive_s);
  out.fairness = fairness_of(work.jobs, out.run, exclusive_s, one.options.gpus, one.unfair_above);
  return out;
}

/// What a job has had of its rounds when a run ends.
struct RoundsSoFar {
  std::int64_t rounds = 0, preemptions = 0;
  double held_gpu_s = 0.0;
  bool runs = false;
};
std::vector<RoundsSoFar> rounds_until(const RoundModel::Scheduler& one, const ScheduledTrace& made, double end_s) {
  std::vector<RoundsSoFar> out(one.workload->jobs.size());
  std::vector<std::size_t> last(out.size(), 0);  // round in which a job ran last, from 1
  for (std::size_t r = 0; r < made.run.rounds.size() && made.run.rounds[r].start_s <= end_s; ++r) {
    const Round& round = made.run.rounds[r];
    for (const std::uint32_t job : round.jobs) {
      RoundsSoFar& its = out[job];
      its.preemptions += its.rounds > 0 && last[job] != r ? 1 : 0;
      ++its.rounds, last[job] = r + 1;
      its.held_gpu_s += one.workload->jobs[job].gpus * held_until(end_s, round.start_s, round.end_s);
      its.runs = round.end_s > end_s;
    }
  }
  return out;
}

std::vector<RoundHistory::Stretch> stretches_of(const RoundRun& run) {
  std::vector<RoundHistory::Stretch> out;
  const auto& rounds = run.rounds;
  std::vector<std::size_t> last(run.jobs.size(), rounds.size());  // round in which a job ran last
  std::vector<std::size_t> row(last.size());
  for (std::size_t r = 0; r < rounds.size(); ++r)
    for (const std::uint32_t job : rounds[r].jobs) {
      const double end_s = std::min(rounds[r].end_s, run.jobs[job].finish_s);
      if (r > 0 && last[job] == r - 1) {
        out[row[job]].to_s = end_s;
      } else {
        row[job] = out.size();
        out.push_back({job, rounds[r].start_s, end_s});
      }
      last[job] = r;
    }
  return out;
}

/// A schedule as tables tell it: `jobs` are as they were at the end of the run, those who come later left out.
RoundHistory history_of(const RoundModel::Scheduler& one, const ScheduledTrace& made, double end_s) {
  const RoundModel::Workload& work = *one.workload;
  RoundHistory out{.rounds = made.run.rounds, .stretches = stretches_of(made.run), .plans = made.plans};
  out.totals = made.fairness, out.all_rounds = static_cast<std::int64_t>(made.run.rounds.size());
  const std::vector<RoundsSoFar> had = rounds_until(one, made, end_s);
  for (std::size_t i = 0; i < work.jobs.size(); ++i) {
    const RoundJobOutcome& end = made.run.jobs[i];
    out.rows.push_back({.number = work.numbers[i],
                        .job = work.jobs[i],
                        .trains = work.jobs[i].model,
                        .epochs = work.profiles[i].batch.size(),
                        .exclusive_s = work.profiles[i].exclusive_s,
                        .batches = work.profiles[i].schedule(),
                        .start_s = end.start_s,
                        .finish_s = end.finish_s,
                        .rho = made.fairness.rho[i],
                        .rho_contended = made.fairness.rho_contended[i],
                        .rounds = had[i].rounds,
                        .preemptions = had[i].preemptions,
                        .held_gpu_s = had[i].held_gpu_s,
                        .runs = had[i].runs});
  }
  return out;
}

/// Those that are played and those that are not, in one model: timers of the former first.
class BothRounds : public RunningPart {
 public:
  BothRounds(std::unique_ptr<RunningPart> played, std::unique_ptr<RunningPart> live)
      : parts_{std::move(played), std::move(live)} {}
  std::uint32_t first_timer() const override { return parts_[0]->first_timer(); }
  void start(std::uint64_t replication) override {
    for (const auto& part : parts_) part->start(replication);
  }
  void fire(std::uint32_t timer) override {
    const std::uint32_t of_first = parts_[1]->first_timer() - parts_[0]->first_timer();
    if (timer < of_first) parts_[0]->fire(timer);
    else parts_[1]->fire(timer - of_first);
  }
  void woken(std::uint32_t reader) override {
    for (const auto& part : parts_) part->woken(reader);
  }
  bool settle() override {
    const bool played = parts_[0]->settle();
    return parts_[1]->settle() || played;
  }
  void end(double end_s) override {
    for (const auto& part : parts_) part->end(end_s);
  }
  void heed(const std::function<bool()>& give_up) override {
    for (const auto& part : parts_) part->heed(give_up);
  }
  void save(ByteWriter& into) const override {
    for (const auto& part : parts_) part->save(into);
  }
  void restore(ByteReader& from, std::uint64_t path) override {
    for (const auto& part : parts_) part->restore(from, path);
  }
  void waiting(std::vector<Waiting>& out) const override {
    for (const auto& part : parts_) part->waiting(out);
  }
  void active(std::set<ElementId>& out) const override {
    for (const auto& part : parts_) part->active(out);
  }

 private:
  std::array<std::unique_ptr<RunningPart>, 2> parts_;
};

}  // namespace

std::unique_ptr<RunningPart> RoundPart::run(World& world, std::uint64_t seed) const {
  if (!model.any_live()) return std::make_unique<RunningRounds>(*this, world, costs_, end_);
  auto live = [&] { return std::make_unique<LiveRounds>(model, world, seed, log_, costs_, end_); };
  if (!model.any_played()) return live();
  auto played = std::make_unique<RunningRounds>(*this, world, played_costs_, played_end_);
  return std::make_unique<BothRounds>(std::move(played), live());
}

std::vector<LoweredPart::Thing> RoundPart::things() const {
  std::vector<Thing> out;
  for (const RoundModel::Scheduler& one : model.schedulers)
    out.push_back({one.element, "the round scheduler \"" + one.name + "\""});
  return out;
}

void RoundPart::know_slots(const KnownSlots& known, Diagnostics& problems) {
  for (const RoundModel::Scheduler& one : model.schedulers)
    know_conditions(one.failures, "RND009", one.element, one.name, known.flowing, problems);
  know_rates(model.streams, "RND009", known.flowing, problems);
}

std::vector<LoweredPart::Stay> RoundPart::stays() const {
  std::vector<Stay> out;
  for (const RoundModel::Scheduler& one : model.schedulers)
    if (!one.played())
      out.push_back({.streams = {one.response_time, one.fairness, one.cost, one.job_lost_work, one.job_restarts},
                     .come = one.submitted,
                     .present = one.jobs,
                     .element = one.element,
                     .name = "jobs at \"" + one.name + "\"",
                     .refused = one.rejected,
                     .why_refused = "want more than it has"});
  return out;
}

Diagnostics RoundPart::told() const { return rows_left_out(model.schedulers, log_, RoundRecord::most_jobs); }

std::vector<Program*> RoundPart::programs() {
  std::vector<Program*> out;
  for (RoundModel::Stream& one : model.streams) out.push_back(&one.rate);
  for (RoundModel::Scheduler& one : model.schedulers)
    for (Program& program : one.failures.up_while) out.push_back(&program);
  return out;
}

// The others wait for the first; where it gives up the next one finds nothing and is asked to give up as well.
const std::vector<ScheduledTrace>& RoundPart::schedules(const std::function<bool()>& give_up) const {
  const std::lock_guard lock(working_);
  if (!worked_out_) {
    std::vector<ScheduledTrace> made;
    for (const RoundModel::Scheduler& one : model.schedulers)
      made.push_back(one.played() ? scheduled(one, give_up) : ScheduledTrace());
    schedules_ = std::move(made), worked_out_ = true;
  }
  return schedules_;
}

std::vector<ResultTable> RoundPart::tables(std::span<const MeanOverTime>, const std::string& solver) const {
  std::vector<ResultTable> out;
  bool worked_out = false;
  {
    const std::lock_guard lock(working_);
    worked_out = worked_out_;
  }
  const std::vector<RoundRecord> live = log_.records();
  const std::vector<CostRecord> costs = costs_.records(), played_costs = played_costs_.records();
  const bool both = model.any_live() && model.any_played();
  const auto add = [&](ResultTable table) {
    table.solver = solver;
    out.push_back(std::move(table));
  };
  for (std::size_t i = 0; i < model.schedulers.size(); ++i) {
    const RoundModel::Scheduler& one = model.schedulers[i];
    const std::string suffix = model.tables.suffix(one.name);
    const double end_s = both && one.played() ? played_end_.at_s() : end_.at_s();
    if (one.played() && !worked_out) continue;  // the run was stopped before it had a schedule
    if (!one.played() && (i >= live.size() || live[i].history.rows.empty())) continue;
    const RoundHistory history = one.played() ? history_of(one, schedules()[i], end_s) : live[i].told(one);
    for (ResultTable& table : round_tables(one, history, end_s, suffix)) add(std::move(table));
  }
  for (std::size_t i = 0; i < model.schedulers.size(); ++i) {
    const RoundModel::Scheduler& one = model.schedulers[i];
    const std::vector<CostRecord>& records = both && one.played() ? played_costs : costs;
    if (i >= records.size() || !records[i].begun || (one.played() && !worked_out)) continue;
    ResultTable table = table_of_costs(records[i], one.name, "GPUs", one.budget_per_s);
    table.name += model.tables.suffix(one.name);
    add(std::move(table));
  }
  return out;
}

}  // namespace ergode
