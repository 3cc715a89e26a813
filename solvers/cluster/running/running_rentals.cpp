#include "solvers/cluster/running/running_rentals.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "core/base/text.h"
#include "solvers/cluster/running/handed_over.h"
#include "solvers/cluster/running/next_arrival.h"

namespace ergode {

using Happens = JobProgress::Happens;

RunningRentals::RunningRentals(const RentalModel& model, World& world, std::uint64_t seed, SpendLog& log,
                               RentalJobLog& jobs)
    : model_(model),
      world_(world),
      first_(world.add_timers(static_cast<std::uint32_t>(model.streams.size() + model.rentals.size()))),
      log_(log),
      job_log_(jobs),
      draws_(model.streams.size()),
      states_(model.rentals.size()),
      holders_(model.streams.size()) {
  for (const Stream& stream : model.streams)
    for (const char* purpose : {".gaps", ".sizes", ".widths", ".failures", ".interruptions", ".waits"})
      keys_.push_back(stream_key(seed, stream.element.text() + purpose));
  for (const Rental& one : model.rentals)
    rules_.push_back({one.failure_rate, one.checkpoint_period_s, one.checkpoint_cost_s, one.restart_s});
}

void RunningRentals::restart_draws(std::uint64_t replication) {
  for (std::size_t s = 0; s < draws_.size(); ++s) {
    Draws& draws = draws_[s];
    std::size_t key = 6 * s;
    for (RandomStream* one :
         {&draws.gaps, &draws.sizes, &draws.widths, &draws.failures, &draws.interruptions, &draws.waits})
      one->restart(keys_[key++], replication);
  }
}

// Rates may read what charts do, and these enter their states after other parts start.
void RunningRentals::start(std::uint64_t replication) {
  restart_draws(replication);
  for (State& state : states_) {
    state.jobs.clear(), state.gaps.clear(), state.due.clear();
    state.came = 0, state.next = 0;
    state.holders = 0, state.reserved = state.beyond = 0.0;
    state.price = {};
  }
  std::fill(holders_.begin(), holders_.end(), std::uint64_t{0});
  logs_ = replication == 0;
  if (logs_) log_.begin(this, model_.rentals.size()), job_log_.begin(this, model_);
  begun_ = false;
}

bool RunningRentals::settle() {
  if (begun_) return false;
  begun_ = true;
  for (std::uint32_t r = 0; r < model_.rentals.size(); ++r) {
    const Rental& one = model_.rentals[r];
    if (one.shares()) world_.set(one.gpus, one.cluster());
    note_spend(r, 0.0);
  }
  for (std::uint32_t s = 0; s < model_.streams.size(); ++s) await_job(s);
  return true;
}

void RunningRentals::await_job(std::uint32_t stream) {
  await_drawn_job(world_, first_ + stream, model_.streams[stream], draws_[stream].gaps);
}

void RunningRentals::woken(std::uint32_t reader) {
  if (!begun_) return;
  // No memory: a changed rate is a fresh wait.
  for (std::uint32_t s = 0; s < model_.streams.size(); ++s)
    if (model_.streams[s].reader == reader) await_job(s);
  for (std::uint32_t r = 0; r < model_.rentals.size(); ++r)
    if (model_.rentals[r].interruptions.reader == reader) follow_rate(r);
}

void RunningRentals::fire(std::uint32_t timer) {
  ++world_.events;
  const auto streams = static_cast<std::uint32_t>(model_.streams.size());
  if (timer < streams) job_comes(timer);
  else something_happens(timer - streams);
}

double RunningRentals::width_of(std::uint32_t stream) {
  const Stream& one = model_.streams[stream];
  const Width& width = model_.rentals[one.rental].plan.widths[one.of_class];
  return width.mixed() && draws_[stream].widths.uniform() < width.share ? width.other : width.gpus;
}

void RunningRentals::job_comes(std::uint32_t stream) {
  const Stream& one = model_.streams[stream];
  const Rental& rental = model_.rentals[one.rental];
  State& state = states_[one.rental];
  if (state.jobs.size() - state.gaps.size() >= most_jobs)
    throw ModelFailure({.code = "RUN002",
                        .element = rental.element,
                        .message = "There are " + std::to_string(most_jobs) + " jobs at \"" + rental.name +
                                   "\" at one time; wanted fewer.",
                        .hint = "Its GPUs may be too few for all that comes."});
  Job job{.came_s = world_.now(), .stream = stream};
  if (logs_) job.row = job_log_.job_comes(this, one.rental, stream, world_.now());
  const double work_s = one.size.sample(draws_[stream].sizes);
  double start_up_s = one.start_up_s;
  if (!rental.shares()) {
    job.width = width_of(stream);
    start_up_s += take_gpus(one.rental, job);
  }
  job.progress.begin(world_.now(), work_s, start_up_s, rules_[one.rental]);
  if (rental.failure_rate > 0.0) job.progress.threshold = draws_[stream].failures.exponential();
  for (const std::uint32_t slot : {one.submitted, one.jobs, rental.jobs}) add(slot, 1.0);
  world_.tell(one.name, one.element, "job comes");
  if (rental.shares()) {
    job.alone_s = work_s / one.speedup.speed(rental.cluster());
    pass_all(one.rental);
    state.jobs.push_back(job);
    divide(one.rental);
  } else {
    job.progress.speed = one.speedup.speed(job.width);
    job.alone_s = work_s / job.progress.speed;
    count_gpus(one.rental, stream, job.width);
    std::uint32_t place = 0;
    if (state.gaps.empty()) place = static_cast<std::uint32_t>(state.jobs.size()), state.jobs.emplace_back();
    else place = state.gaps.back(), state.gaps.pop_back();
    state.jobs[place] = job;
    add_due(one.rental, place);
    await_event(one.rental);
  }
  await_job(stream);
}

double RunningRentals::next_s(std::uint32_t rental, Job& job) const {
  double after_s = 0.0;
  job.progress.next(after_s, rules_[rental]);
  const double at_s = world_.now() + after_s;
  job.hold_is_next = job.hold.at_s < at_s;
  return job.hold_is_next ? job.hold.at_s : at_s;
}

void RunningRentals::add_due(std::uint32_t rental, std::uint32_t place) {
  State& state = states_[rental];
  state.due.push_back({next_s(rental, state.jobs[place]), state.came++, place});
  std::push_heap(state.due.begin(), state.due.end(), std::greater<>());
}

void RunningRentals::something_happens(std::uint32_t rental) {
  State& state = states_[rental];
  const JobRules& rules = rules_[rental];
  double after_s = 0.0;
  if (model_.rentals[rental].shares()) {
    // Asked before time passes: afterwards rounding could make it another.
    const Happens what = state.jobs[state.next].progress.next(after_s, rules);
    pass_all(rental);
    happens(rental, state.jobs[state.next], what);
    if (what == Happens::done) {
      const Job gone = state.jobs[state.next];
      state.jobs.erase(state.jobs.begin() + state.next);
      leaves(rental, gone);
    }
    return divide(rental);
  }
  std::pop_heap(state.due.begin(), state.due.end(), std::greater<>());
  Due& due = state.due.back();
  Job& job = state.jobs[due.job];
  if (job.hold_is_next) {
    job.progress.pass(world_.now(), rules);
    hold_changes(rental, job);
  } else {
    const Happens what = job.progress.next(after_s, rules);
    job.progress.pass(world_.now(), rules);
    if (what == Happens::done) {
      happens(rental, job, what);
      state.gaps.push_back(due.job);
      state.due.pop_back();
      give_gpus_back(rental, job);
      leaves(rental, job);
      count_gpus(rental, job.stream, -job.width);
      return await_event(rental);
    }
    if (job.progress.phase == JobProgress::Phase::waiting) {
      add(model_.rentals[rental].waiting, -1.0);
      job.progress.begin_again(take_gpus(rental, job), rules);
      count_gpus(rental, job.stream, job.width);
    } else {
      happens(rental, job, what);
    }
  }
  due.at_s = next_s(rental, job);
  std::push_heap(state.due.begin(), state.due.end(), std::greater<>());
  await_event(rental);
}

void RunningRentals::happens(std::uint32_t rental, Job& job, Happens what) {
  const Rental& here = model_.rentals[rental];
  if (what == Happens::failure) {
    const double lost_s = job.progress.saved_s - job.progress.left_s;
    job.lost_s += lost_s, ++job.failures;
    add(here.failures, 1.0), add(here.lost, lost_s);
  }
  if (what == Happens::failure || what == Happens::checkpoint_due)
    world_.tell(here.name, here.element, what == Happens::failure ? "GPU of a job fails" : "checkpoint");
  job.progress.happened(what, rules_[rental], [&] { return draws_[job.stream].failures.exponential(); });
  // Its last checkpoint has failed: it does not begin again before its GPUs go.
  if (what == Happens::failure && job.hold.stage == GpuHold::Stage::saving) job.progress.save_for_the_last_time();
}

void RunningRentals::leaves(std::uint32_t rental, const Job& job) {
  const Rental& here = model_.rentals[rental];
  const Stream& stream = model_.streams[job.stream];
  for (const std::uint32_t slot : {stream.jobs, here.jobs}) world_.set(slot, world_.slots()[slot] - 1.0);
  world_.observations.observe(here.response_time, world_.now() - job.came_s, stream.of_class);
  if (job.alone_s > 0.0)
    world_.observations.observe(here.slowdown, (world_.now() - job.came_s) / job.alone_s, stream.of_class);
  world_.observations.observe(here.gpu_time, job.progress.gpu_time_s, stream.of_class);
  RentalJobLog::Done what = so_far(rental, job, world_.now());
  what.end_s = world_.now();
  world_.observations.observe(here.cost, what.cost, stream.of_class);
  world_.observations.observe(here.lost_work, job.lost_s, stream.of_class);
  world_.observations.observe(here.job_interruptions, job.interruptions, stream.of_class);
  if (logs_) job_log_.job_done(this, rental, job.row, what);
  world_.tell(stream.name, stream.element, "job done");
  hand_on(world_, stream.handed_on.done, job.came_s, {world_.now() - job.came_s, job.progress.gpu_time_s});
}

RentalJobLog::Done RunningRentals::so_far(std::uint32_t rental, const Job& job, double now_s) const {
  const Rental& here = model_.rentals[rental];
  const double cost = here.contract == RentalModel::Contract::on_demand ? job.progress.gpu_time_s * here.price_per_s()
                                                                        : job.paid + cost_of(rental, job.hold, now_s);
  return {.until_s = now_s,
          .alone_s = job.alone_s,
          .gpu_time_s = job.progress.gpu_time_s,
          .lost_s = job.lost_s,
          .cost = cost,
          .interruptions = job.interruptions,
          .failures = job.failures,
          .waits = job.progress.phase == JobProgress::Phase::waiting};
}

void RunningRentals::end(double end_s) {
  if (!logs_) return;
  log_.end(this, end_s);
  for (std::uint32_t r = 0; r < states_.size(); ++r) {
    const auto tell = [&](Job job) {
      job.progress.pass(end_s, rules_[r]);
      job_log_.job_done(this, r, job.row, so_far(r, job, end_s));
    };
    if (model_.rentals[r].shares())
      for (const Job& job : states_[r].jobs) tell(job);
    else
      for (const Due& due : states_[r].due) tell(states_[r].jobs[due.job]);
  }
}

void RunningRentals::await_event(std::uint32_t rental) {
  const State& state = states_[rental];
  const std::uint32_t timer = first_ + static_cast<std::uint32_t>(model_.streams.size()) + rental;
  if (state.due.empty()) world_.timers.cancel(timer);
  else world_.timers.schedule(timer, std::max(world_.now(), state.due.front().at_s));
}

void RunningRentals::pass_all(std::uint32_t rental) {
  for (Job& job : states_[rental].jobs) job.progress.pass(world_.now(), rules_[rental]);
}

// All jobs have been worked off until now.
void RunningRentals::divide(std::uint32_t rental) {
  const Rental& here = model_.rentals[rental];
  State& state = states_[rental];
  const std::uint32_t timer = first_ + static_cast<std::uint32_t>(model_.streams.size()) + rental;
  if (here.policy == RentalModel::Policy::hesrpt) divide_by_size(here, state);
  else if (here.policy == RentalModel::Policy::greedy) divide_greedily(here, state);
  else
    for (Job& job : state.jobs) job.progress.gpus = equal_share(here.cluster(), state.jobs.size());
  shares_.assign(here.streams.size(), 0.0);
  double least_s = JobProgress::never;
  for (std::size_t j = 0; j < state.jobs.size(); ++j) {
    Job& job = state.jobs[j];
    const Stream& stream = model_.streams[job.stream];
    job.progress.speed = stream.speedup.speed(job.progress.gpus);
    shares_[stream.of_class] += job.progress.gpus;
    double after_s = 0.0;
    job.progress.next(after_s, rules_[rental]);
    if (after_s < least_s) least_s = after_s, state.next = static_cast<std::uint32_t>(j);
  }
  double in_use = 0.0;
  for (std::size_t s = 0; s < shares_.size(); ++s) {
    world_.set(model_.streams[here.streams[s]].gpus, shares_[s]);
    in_use += shares_[s];
  }
  note_spend(rental, in_use);
  if (least_s < JobProgress::never) world_.timers.schedule(timer, world_.now() + least_s);
  else world_.timers.cancel(timer);
}

void RunningRentals::divide_by_size(const Rental& rental, State& state) {
  ranked_.resize(state.jobs.size()), shares_.resize(state.jobs.size());
  for (std::uint32_t j = 0; j < ranked_.size(); ++j) ranked_[j] = j;
  // Of equal ones who came first gets more.
  std::sort(ranked_.begin(), ranked_.end(), [&](std::uint32_t a, std::uint32_t b) {
    const double left_a = state.jobs[a].progress.left_s, left_b = state.jobs[b].progress.left_s;
    return left_a != left_b ? left_a > left_b : a > b;
  });
  hesrpt_shares(rental.share_exponent, shares_);
  for (std::size_t rank = 0; rank < ranked_.size(); ++rank)
    state.jobs[ranked_[rank]].progress.gpus = rental.cluster() * shares_[rank];
}

void RunningRentals::divide_greedily(const Rental& rental, State& state) {
  alike_.assign(rental.streams.size(), {});
  for (std::size_t s = 0; s < alike_.size(); ++s) alike_[s].speedup = &model_.streams[rental.streams[s]].speedup;
  for (const Job& job : state.jobs) ++alike_[model_.streams[job.stream].of_class].jobs;
  greedy_shares(rental.cluster(), alike_);
  for (Job& job : state.jobs) job.progress.gpus = alike_[model_.streams[job.stream].of_class].gpus;
}

void RunningRentals::save(ByteWriter& into) const { into(begun_, states_, holders_); }

void RunningRentals::restore(ByteReader& from, std::uint64_t path) {
  from(begun_, states_, holders_);
  restart_draws(path);
  logs_ = false;
}

void RunningRentals::waiting(std::vector<Waiting>& out) const {
  const auto streams = static_cast<std::uint32_t>(model_.streams.size());
  for (std::uint32_t s = 0; s < streams; ++s)
    if (world_.timers.armed(first_ + s))
      out.push_back({world_.timers.time_of(first_ + s), model_.streams[s].name, "job", model_.streams[s].element});
  for (std::uint32_t r = 0; r < model_.rentals.size(); ++r) {
    const State& state = states_[r];
    const auto tell = [&](double at_s, const Job& job) {
      double after_s = 0.0;
      const Happens what = job.progress.next(after_s, rules_[r]);
      const char* const words = job.hold_is_next                  ? "spot GPUs are called back"
                                : what == Happens::done           ? "job is done"
                                : what == Happens::failure        ? "GPU of a job fails"
                                : what == Happens::checkpoint_due ? "checkpoint"
                                                                  : "job goes on";
      out.push_back({at_s, model_.streams[job.stream].name, words, model_.rentals[r].element});
    };
    if (!model_.rentals[r].shares())
      for (const Due& due : state.due) tell(due.at_s, state.jobs[due.job]);
    else if (!state.jobs.empty() && world_.timers.armed(first_ + streams + r))
      tell(world_.timers.time_of(first_ + streams + r), state.jobs[state.next]);
  }
}

void RunningRentals::active(std::set<ElementId>& out) const {
  for (const Stream& one : model_.streams)
    if (world_.slots()[one.jobs] > 0.0) out.insert(one.element);
  for (const Rental& one : model_.rentals)
    if (world_.slots()[one.jobs] > 0.0) out.insert(one.element);
}

}  // namespace ergode
