#include "solvers/simulation/rare/splitting_paths.h"

#include <algorithm>
#include <limits>

#include "core/base/special_values.h"
#include "core/random/random_stream.h"

namespace ergode {
namespace {

// Rare branches and demands are met on every level, by several of its paths each time.
std::vector<BiasedLaw> laws() { return {{1.0, 0.0, 0.25}}; }

}  // namespace

SplittingPaths::SplittingPaths(const SplittingSource& source)
    : source_(source),
      model_(*source.model_),
      stream_key_(stream_key(source.seed_, "splitting")),
      history_(model_, source.groups_, source.seed_),
      visits_(model_),
      times_(model_),
      chances_(model_, history_.groups(), visits_, source.seed_, "splitting"),
      recorder_(model_),
      weight_(laws()) {
  history_.charts().set_demand_source(&chances_);
  history_.charts().set_chance_source(&chances_);
  history_.groups().set_mark_source(&chances_);
  keys_ = model_.charts.stream_keys(source.seed_);
  chances_.set_watcher([this] {
    if (crossed_inside_ || level_ == infinity) return;
    const double now = value();
    inside_ = std::max(inside_, now);
    if (now < level_) return;
    crossed_inside_ = true;
    crossing_ = chances_.made();
  });
}

double SplittingPaths::importance(const ChartReplication& charts) const {
  return model_.importance ? model_.importance->evaluate(charts.slots()) : charts.failures_standing();
}

void SplittingPaths::begin(std::uint64_t first) {
  next_path_ = first;
  stream_.restart(stream_key_, first);
  recorder_.begin();
  events_ = fingerprint_ = 0;
  visits_.clear();
}

double SplittingPaths::importance_at_start() {
  level_ = infinity;
  set_out(nullptr, next_path_++, 0.0);
  return value();
}

void SplittingPaths::set_out(const State* from, std::uint64_t path, double share) {
  path_ = path;
  steps_ = 0;
  crossed_inside_ = false, inside_ = -infinity, crossed_flowing_s_ = -1.0;
  renew_ = false;
  stream_.restart(stream_key_, path);
  if (from == nullptr || !from->started) {
    weight_.start(from == nullptr ? share : share * from->weight.factor());
    chances_.start(path, weight_, 0);
    if (from != nullptr) chances_.repeat(from->decisions);
    history_.start(path);
  } else {
    weight_ = from->weight;
    weight_.set_factor(share * from->weight.factor());
    // A copy, because many paths set out from one saved history, each with streams of its own number.
    fresh_ = from->history;
    for (std::size_t i = 0; i < fresh_.charts.streams.size(); ++i) fresh_.charts.streams[i].restart(keys_[i], path);
    history_.restore(fresh_, path);
    chances_.start(path, weight_, 0);
    chances_.set_joint(from->joint);
    chances_.repeat(from->decisions);
    // The step that goes on must be the same one; clocks are drawn anew after it.
    if (from->stepping) renew_ = true;
    else renew_exponential_clocks();
  }
  // Events before the saved moment were counted by the path that led there.
  events_before_ = from == nullptr || !from->started ? 0 : history_.world().events;
  recorder_.start(history_.charts(), weight_);
  times_.start();
  if (from == nullptr || !from->started) visits_.no_delays();
  else visits_.forget_delays(history_.charts());
}

void SplittingPaths::renew_exponential_clocks() {
  ChartReplication& charts = history_.charts();
  for (std::uint32_t t = 0; t < model_.charts.timers.size(); ++t) {
    const TimerSpec& timer = model_.charts.timers[t];
    if (timer.kind != Trigger::Kind::rate) continue;
    if (timer.hazard) {
      if (charts.hazard_runs(t)) charts.set_hazard_left(t, stream_.exponential());
    } else if (charts.waiting(t) && charts.rate_in_force(t) > 0.0) {
      charts.redraw(t, charts.now() + stream_.exponential() / charts.rate_in_force(t));
    }
  }
  CcfRuntime& groups = history_.groups();
  for (std::uint32_t s = 0; s < groups.shock_clocks(); ++s)
    history_.world().timers.schedule(groups.first_timer() + s,
                                     charts.now() + stream_.exponential() / groups.shock_rate(s));
}

bool SplittingPaths::step(double end) {
  visits_.look_at_delays(history_.charts(), model_.horizon_s, weight_.now());
  times_.look(history_.charts());
  chances_.begin_step();
  ++steps_;
  const bool more = history_.step(end, watch_);
  if (more && renew_) renew_ = false, renew_exponential_clocks();
  return more;
}

void SplittingPaths::move_on(double next_s) {
  ChartReplication& charts = history_.charts();
  recorder_.until(next_s, charts, weight_);
  const double time = std::min(next_s, model_.horizon_s) - charts.now(), mass = weight_.now() * time;
  const double ahead = times_.next() - charts.now();
  const double behind = std::isfinite(times_.last()) ? charts.now() - times_.last() : times_.last();
  near_.clear();
  const auto taken = [&](std::size_t place, bool fails) {
    visits_.take(place, weight_.now());
    if (fails) visits_.take_near(times_, ahead - time, behind + time, place, weight_.now());
  };
  for (std::uint32_t t = 0; t < model_.charts.timers.size(); ++t) {
    const TimerSpec& timer = model_.charts.timers[t];
    if (timer.kind != Trigger::Kind::rate || timer.hazard || !charts.waiting(t)) continue;
    visits_.expect(timer.row, mass * charts.rate_in_force(t));
    const bool fails = model_.charts.role(timer) == TransitionRole::failure;
    if (fails) near_.emplace_back(timer.row, charts.rate_in_force(t));
    if (charts.time_of(t) == next_s) taken(timer.row, fails);
  }
  CcfRuntime& groups = history_.groups();
  for (std::uint32_t s = 0; s < groups.shock_clocks(); ++s) {
    if (!groups.finds_anybody(s)) continue;
    visits_.expect(visits_.shock(s), mass * groups.shock_rate(s));
    near_.emplace_back(visits_.shock(s), groups.shock_rate(s));
    if (history_.world().timers.time_of(groups.first_timer() + s) == next_s) taken(visits_.shock(s), true);
  }
  visits_.expect_near(times_, ahead, behind, time, near_, [&](double) { return weight_.now(); });
}

// Where the importance flows over the level within a step of the integrator, the moment is found by bisection.
void SplittingPaths::flow(double from_s, double to_s, ContinuousPath& path) {
  if (!model_.importance || crossed_flowing_s_ >= 0.0 || level_ == infinity) return;
  const auto over = [&](double time_s) { return model_.importance->evaluate(path.at(time_s)) >= level_; };
  if (!over(to_s)) return;
  double below = from_s, above = to_s;
  for (int i = 0; i < 60 && above - below > 1e-12 * to_s; ++i) {
    const double middle = 0.5 * (below + above);
    (over(middle) ? above : below) = middle;
  }
  crossed_flowing_s_ = above;
}

SplittingPaths::End SplittingPaths::travel(const State* from, double share, double level,
                                           const std::atomic<bool>& give_up, double* highest) {
  level_ = level;
  set_out(from, next_path_++, share);
  const double end = model_.horizon_s;
  ChartReplication& charts = history_.charts();
  const auto note = [&](double seen) {
    if (highest != nullptr) *highest = std::max(*highest, seen);
  };
  for (std::uint32_t round = 1;; ++round) {
    note(inside_);
    if (crossed_inside_ || crossed_flowing_s_ >= 0.0) return End::reached;
    // A condition counts only when everything of the moment has happened.
    if (!renew_ && history_.moves_on(end)) {
      recorder_.look(charts, weight_);
      const double now = recorder_.reached() ? infinity : value();
      note(now);
      if (now >= level) return End::reached;
    }
    if (!step(end)) return End::over;
    if (round % 1024 != 0) continue;
    if (give_up.load(std::memory_order_relaxed)) return End::given_up;
    tell_pulse();
  }
}

bool SplittingPaths::to_the_end(const State* from, double share, const std::atomic<bool>& give_up) {
  level_ = infinity;
  set_out(from, next_path_++, share);
  for (std::uint32_t round = 1; !recorder_.finished() && step(model_.horizon_s); ++round) {
    if (round % 1024 != 0) continue;
    if (give_up.load(std::memory_order_relaxed)) return false;
    tell_pulse();
  }
  if (!recorder_.finished()) recorder_.finish(history_.charts(), weight_);
  events_ += history_.world().events - events_before_;
  // Not a sum: the order of the paths is part of what happened.
  fingerprint_ = fingerprint_ * 0x9e3779b97f4a7c15ULL + history_.world().fingerprint;
  return true;
}

void SplittingPaths::step_again(std::uint64_t steps, const std::atomic<bool>& give_up) {
  for (std::uint64_t i = 0; i < steps; ++i) {
    if (i % 1024 == 1023 && give_up.load(std::memory_order_relaxed)) return;
    step(model_.horizon_s);
  }
}

void SplittingPaths::tell_pulse() {
  // What share of all paths this is, is not known.
  source_.pulse().tell(events_ + history_.world().events - events_before_, std::numeric_limits<double>::quiet_NaN());
}

// Where a level was reached within a step or a flow, the path is made again up to that step: it is the same, because
// its draws depend on its number alone.
void SplittingPaths::save_after(const State* from, State& into, const std::atomic<bool>& give_up) {
  into.stepping = crossed_inside_;
  into.decisions.clear();
  into.started = true;
  if (crossed_inside_) {
    // A copy, because making the path again sets crossing_ anew.
    const std::vector<BiasedChances::Decisions> decisions = crossing_;
    const std::uint64_t before = steps_ == 0 ? 0 : steps_ - 1;
    into.started = steps_ > 0 || (from != nullptr && from->started);
    if (into.started) {
      visits_.pause(true);
      level_ = infinity;
      set_out(from, path_, weight_.factor());
      step_again(before, give_up);
      visits_.pause(false);
    }
    into.decisions = decisions;
  }
  if (crossed_flowing_s_ >= 0.0 && !crossed_inside_) {
    const double then = crossed_flowing_s_;
    const std::uint64_t before = steps_ - 1;
    visits_.pause(true);
    level_ = infinity;
    set_out(from, path_, weight_.factor());
    step_again(before, give_up);
    step(then);
    visits_.pause(false);
  }
  into.weight = weight_;
  into.joint = chances_.joint();
  if (into.started) history_.save(into.history);
}

bool SplittingPaths::stage(std::uint64_t effort, double share, const Pool& from, double level, Pool& to,
                           const std::atomic<bool>& give_up) {
  to.size = 0;
  const double offset = uniform();
  for (std::uint64_t j = 0; j < effort; ++j) {
    const Picked start = pick(from, j, effort, offset);
    const End end = travel(start.state, share * start.correction, level, give_up);
    if (end == End::given_up) return false;
    events_ += history_.world().events - events_before_;
    if (end == End::over) continue;
    if (to.states.size() == to.size) to.states.emplace_back();
    State& reached = to.states[to.size++];
    save_after(start.state, reached, give_up);
    if (give_up.load(std::memory_order_relaxed)) return false;
    // What the path stands for beside its stage goes with it.
    reached.weight.set_factor(start.correction * (start.state == nullptr ? 1.0 : start.state->weight.factor()));
  }
  to.weigh();
  return true;
}

bool SplittingPaths::finish(std::uint64_t effort, double share, const Pool& from, const std::atomic<bool>& give_up) {
  const double offset = uniform();
  for (std::uint64_t j = 0; j < effort; ++j) {
    const Picked start = pick(from, j, effort, offset);
    if (!to_the_end(start.state, share * start.correction, give_up)) return false;
  }
  return true;
}

void SplittingPaths::Pool::weigh() {
  double sum = 0.0, all = 0.0;
  for (std::size_t i = 0; i < size; ++i) sum += states[i].weight.now();
  cumulative.clear(), correction.clear();
  const double equal = 1.0 / static_cast<double>(size);
  for (std::size_t i = 0; i < size; ++i) {
    const double own = 0.5 * equal + 0.5 * (sum > 0.0 ? states[i].weight.now() / sum : equal);
    cumulative.push_back(all += own);
    correction.push_back(equal / own);
  }
}

SplittingPaths::Picked SplittingPaths::pick(const Pool& from, std::uint64_t j, std::uint64_t effort, double offset) {
  if (from.size == 0) return {};
  const double at = (static_cast<double>(j) + offset) / static_cast<double>(effort) * from.cumulative.back();
  const auto found = std::upper_bound(from.cumulative.begin(), from.cumulative.end(), at);
  const std::size_t i = std::min(from.size - 1, static_cast<std::size_t>(found - from.cumulative.begin()));
  return {&from.states[i], from.correction[i]};
}

void SplittingPaths::account(Tallies& into, std::uint64_t replication) {
  into.events += events_;
  into.add_fingerprint(replication, fingerprint_);
  visits_.hand_over(into);
}

}  // namespace ergode
