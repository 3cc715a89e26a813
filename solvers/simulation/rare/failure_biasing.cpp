#include "solvers/simulation/rare/failure_biasing.h"

#include <cmath>
#include <limits>
#include <utility>

#include "core/base/text.h"
#include "solvers/simulation/model_history.h"
#include "solvers/simulation/rare/biased_chances.h"
#include "solvers/simulation/rare/running_clocks.h"
#include "solvers/simulation/rare/scheduled_times.h"
#include "solvers/simulation/rare/weight_warnings.h"
#include "solvers/simulation/rare/weighted_recorder.h"

namespace ergode {

namespace {

// A failure that repairs itself at once could otherwise be forced without end.
constexpr std::uint32_t most_raised = 1000;

// What the laws of the mixture do, with delta the probability that was asked for. Chances are met several at a time (a
// group is demanded as a whole), so each is taken less often. Where failures matter early, because what could save is
// still to come, those spread over the mission are mostly too late: hence a law in a hurry.
//
// Where moments are known in advance, one more law looks for failures shortly before or after them. Its exponent spends
// about one failure on the decades that are told apart: more would be too many at once, fewer too seldom.
std::vector<BiasedLaw> laws_of(double delta, bool scheduled) {
  if (scheduled)
    return {{.share = FailureBiasingSource::own_share},
            {.share = 0.15, .clocks = 0.4 * delta, .chances = 0.1 * delta},
            {.share = 0.25, .clocks = delta, .chances = 0.3 * delta},
            {.share = 0.2, .clocks = delta, .chances = 0.3 * delta, .window = 0.1},
            {.share = 0.25, .clocks = delta, .chances = 0.3 * delta, .focus = 0.07}};
  return {{.share = FailureBiasingSource::own_share},
          {.share = 0.2, .clocks = 0.4 * delta, .chances = 0.1 * delta},
          {.share = 0.35, .clocks = delta, .chances = 0.3 * delta},
          {.share = 0.3, .clocks = delta, .chances = 0.3 * delta, .window = 0.1}};
}

}  // namespace

/// One replication after the other under one of the biased laws.
class FailureBiasingWorker : public ReplicationWorker {
 public:
  explicit FailureBiasingWorker(const FailureBiasingSource& source)
      : source_(source),
        model_(*source.model_),
        key_(stream_key(source.seed_, "failure biasing")),
        history_(model_, source.groups_, source.seed_),
        world_(history_.world()),
        charts_(history_.charts()),
        groups_(history_.groups()),
        visits_(model_),
        times_(model_),
        chances_(model_, groups_, visits_, source.seed_, "failure biasing"),
        recorder_(model_),
        weight_(laws_of(source.delta_, times_.any())),
        laws_(weight_.laws().size()),
        clocks_(model_, charts_, groups_) {
    charts_.set_demand_source(&chances_);
    charts_.set_chance_source(&chances_);
    groups_.set_mark_source(&chances_);
  }

  ReplicationEnd run(std::uint64_t replication, Tallies& into, const std::atomic<bool>& give_up) override {
    return source_.failure().noting(replication, [&] { return replicate(replication, into, give_up); });
  }

 private:
  ReplicationEnd replicate(std::uint64_t replication, Tallies& into, const std::atomic<bool>& give_up) {
    stream_.restart(key_, replication);
    weight_.start();
    law_ = draw_law();
    chances_.start(replication, weight_, law_);
    history_.start(replication);
    touched_ = false, raised_ = 0;
    times_.start();
    visits_.no_delays();
    recorder_.begin();
    recorder_.start(charts_, weight_);
    const double end = model_.horizon_s;
    std::uint32_t round = 0;
    while (!recorder_.finished() && next_moment(end)) {
      if (++round % 256 != 0) continue;
      if (give_up.load(std::memory_order_relaxed)) return ReplicationEnd::given_up;
      source_.pulse().tell(world_.events, world_.now() / end);
    }
    if (!recorder_.finished()) recorder_.finish(charts_, weight_);
    recorder_.commit(into);
    into.measures.back().observe(weight_.now());
    into.events += world_.events;
    into.add_fingerprint(replication, world_.fingerprint);
    visits_.hand_over(into);
    return ReplicationEnd::whole;
  }

  std::size_t draw_law() {
    double left = stream_.uniform();
    std::size_t law = 0;
    while (law + 1 < laws_ && (left -= weight_.laws()[law].share) >= 0.0) ++law;
    return law;
  }

  using Clock = RunningClocks::Clock;

  /// What runs at present.
  void survey() {
    clocks_.survey();
    const double now = charts_.now();
    ahead_ = times_.next() - now, behind_ = std::isfinite(times_.last()) ? now - times_.last() : times_.last();
    // Far from a time that is asked for nothing is gained by looking at it.
    const bool far = times_.next_is_asked() && ahead_ > times_.reach_s() * (1.0 + 1e-9);
    others_ =
        clocks_.others || charts_.pending_events() > 0 || (std::isfinite(ahead_) && !far) || behind_ < times_.reach_s();
  }

  /// What of a history is due before its clock moves on: the measures look at it as it was, then `leave` says what the
  /// stretch came to for the weight.
  template <class Leave>
  struct Leaving {
    FailureBiasingWorker& worker;
    const Leave& leave;
    void until(double time_s) {
      worker.recorder_.until(time_s, worker.charts_, worker.weight_);
      leave();
    }
    template <class Path>
    void follow(double, double, Path&&) {}
  };
  /// Time passes to a moment at which nothing happens.
  template <class Leave>
  void pass(double time_s, const Leave& leave) {
    Leaving<Leave> watch{*this, leave};
    history_.pass(time_s, watch);
  }
  /// The next event, which is due by the end. Measures look only when everything of a moment has happened.
  template <class Leave>
  void go_on(double end, const Leave& leave) {
    if (!(history_.next_time() > world_.now())) leave();
    Leaving<Leave> watch{*this, leave};
    history_.step(end, watch);
  }

  /// Goes to the next event, or to the end. @returns whether there was one.
  bool next_moment(double end) {
    bias_ = !recorder_.everything_seen() && raised_ < most_raised;
    if (!bias_) chances_.stop();
    visits_.look_at_delays(charts_, end, weight_.now());
    if (times_.look(charts_)) look_elsewhere();
    survey();
    return others_ ? among_others(end) : jump(end);
  }

  // From one known moment to the next the focused law looks ahead to the next, behind to the last, or at neither: at
  // each of many moments in a few paths, because failures near all of them would be too many.
  void look_elsewhere() {
    const std::size_t law = weight_.focused_law();
    if (law == laws_) return;
    const double share = std::max(0.1, 1.0 / (1.0 + times_.ahead()));
    const bool behind = std::isfinite(times_.last()), ahead = std::isfinite(times_.next());
    const double look_ahead = !ahead ? 0.0 : behind ? 0.5 * share : share, look_behind = !behind ? 0.0 : 0.5 * share;
    weight_.begin_focus(look_ahead, look_behind);
    const double drawn = stream_.uniform();
    side_ = law != law_ || drawn >= look_ahead + look_behind ? Side::neither
            : drawn < look_ahead                             ? Side::ahead
                                                             : Side::behind;
  }

  // All clocks that run are exponential: when and what the next jump is are drawn here. Under a biased law a failure
  // comes before the next repair with the law's probability, each failure equally likely; where only failures can
  // happen, one comes before the end.
  bool jump(double end) {
    recorder_.look(charts_, weight_);
    if (clocks_.running.empty() || recorder_.finished()) return false;
    // The world must not go to their own times: the jump is drawn here, and one clock gets its time below.
    for (const Clock& c : clocks_.running)
      if (clocks_.time_of(c.number) != clocks_.parked) clocks_.set_time(c.number, clocks_.parked);
    touched_ = true;
    const double now = charts_.now(), left = end - now;
    const bool only_failures = bias_ && left > 0.0 && clocks_.failures == clocks_.running.size();
    const double happens = -std::expm1(-clocks_.total_rate * left), natural = clocks_.failure_rate / clocks_.total_rate;
    const auto raised = [&](std::size_t law) {
      const double delta = weight_.laws()[law].clocks;
      return delta > 0.0 && (only_failures || (bias_ && clocks_.repairs && clocks_.failures > 0 && natural < delta));
    };
    // A law of little bias does not insist: it forces a failure only so often.
    const auto insists = [&](std::size_t law) { return std::min(1.0, 2.0 * weight_.laws()[law].clocks); };
    const bool mine = raised(law_);
    raised_ += only_failures || clocks_.repairs ? 1 : 0;
    const bool forced = only_failures && mine && stream_.uniform() < insists(law_);
    const double mine_hazard = hurried(law_, end);
    // Forced: the exponential given that it ends by the end of the mission, by inversion; under a law in a hurry an
    // exponential of the greater hazard instead, which may miss the mission.
    const double hold = !forced ? stream_.exponential() / clocks_.total_rate
                        : mine_hazard > clocks_.total_rate
                            ? stream_.exponential() / mine_hazard
                            : std::min(left, -std::log1p(-stream_.uniform() * happens) / clocks_.total_rate);
    const double stop = times_.stop(now);
    const bool stops = stop < now + hold && stop < end, over = !stops && !(now + hold <= end);
    const double passes = stops ? stop - now : over ? left : hold;
    const Clock chosen = forced                                            ? clocks_.equally(stream_)
                         : only_failures || !mine                          ? clocks_.naturally(stream_, false)
                         : stream_.uniform() < weight_.laws()[law_].clocks ? clocks_.equally(stream_)
                                                                           : clocks_.naturally(stream_, true);
    for (std::size_t m = 0; m < laws_; ++m) {
      if (!only_failures || !raised(m)) continue;
      if (const double hazard = hurried(m, end); hazard > clocks_.total_rate)
        weight_.hurry(m, insists(m), hazard - clocks_.total_rate);
      else weight_.force(m, insists(m), clocks_.total_rate, left);
    }
    if (stops) {
      pass(stop, [&] { visit(passes), weight_.pass(passes); });
      return true;
    }
    const auto leave = [&] {
      visit(passes);
      weight_.settle();
      for (std::size_t m = 0; m < laws_; ++m) {
        if (!raised(m)) continue;
        const double d = weight_.laws()[m].clocks, n = static_cast<double>(clocks_.failures);
        if (only_failures) {
          // Likelihood of this moment when forced, over the model's; the choice is an equal one.
          const double hazard = hurried(m, end);
          const double when = hazard > clocks_.total_rate
                                  ? std::exp((clocks_.total_rate - hazard) * (over ? left : hold)) *
                                        (over ? 1.0 : hazard / clocks_.total_rate)
                              : over ? 0.0
                                     : 1.0 / happens;
          weight_.drawn(m,
                        1.0 - insists(m) + insists(m) * when * (over ? 1.0 : clocks_.total_rate / (n * chosen.rate)));
        } else if (!over)
          weight_.drawn(m, chosen.fails ? d * clocks_.total_rate / (n * chosen.rate) : (1.0 - d) / (1.0 - natural));
      }
      if (!over) take(chosen, hold);
    };
    if (over) return pass(end, leave), false;
    clocks_.set_time(chosen.number, now + hold);
    go_on(end, leave);
    return true;
  }

  /// Hazard [1/s] of the first failure under a law that wants it within a part of the mission; 0: one that does not.
  double hurried(std::size_t law, double end) const {
    const BiasedLaw& l = weight_.laws()[law];
    return l.window < 1.0 ? -std::log1p(-l.clocks) / (l.window * end) : 0.0;
  }
  /// The clocks run for `time` [s] from now on.
  void visit(double time) {
    // Simpson's rule over the stretch, in which the weight changes smoothly.
    const double mass = time / 6.0 * (weight_.now() + 4.0 * weight_.after(0.5 * time) + weight_.after(time));
    near_.clear();
    for (const Clock& c : clocks_.running) {
      visits_.expect(clocks_.place_of(c), mass * c.rate);
      if (c.fails) near_.emplace_back(clocks_.place_of(c), c.rate);
    }
    visits_.expect_near(times_, ahead_, behind_, time, near_, [&](double t) { return weight_.after(t); });
  }
  /// The clock goes off after `time` [s].
  void take(const Clock& c, double time) {
    visits_.take(clocks_.place_of(c), weight_.now());
    if (c.fails) visits_.take_near(times_, ahead_ - time, behind_ + time, clocks_.place_of(c), weight_.now());
  }
  /// Of the failures together [1/s]: so great that one comes before the next repair, or within the law's window.
  double wanted_hazard(std::size_t law, double end) const {
    const BiasedLaw& l = weight_.laws()[law];
    double time = clocks_.repairs ? until_repair_ : l.window * end;
    if (law == weight_.focused_law()) {
      if (!clocks_.repairs) return 0.0;
      if (ahead_ > 0.0) time = std::min(time, ahead_);
    }
    return -std::log1p(-l.clocks) / time;
  }

  // The focused law: beside the failures' own clocks one more that comes ever faster towards the moment ahead, or ever
  // slower after the moment behind, and is each failure's with the same probability.
  void focus(double now) {
    const std::size_t law = weight_.focused_law();
    if (law == laws_) return;
    const double reach = times_.reach_s(), nearest = 1e-6 * reach;
    // The stop at the end of the reach may lie a rounding error before it.
    focus_ahead_ = ahead_ <= reach * (1.0 + 1e-9) ? ahead_ + nearest : 0.0;
    focus_behind_ = behind_ < reach * (1.0 - 1e-9) ? behind_ + nearest : 0.0;
    weight_.focus(focus_ahead_, focus_behind_);
    if (side_ == Side::neither) return;
    const double scale = stream_.exponential() / weight_.laws()[law].focus;
    const double after = side_ == Side::ahead ? -focus_ahead_ * std::expm1(-scale) : focus_behind_ * std::expm1(scale);
    const bool comes = side_ == Side::ahead ? focus_ahead_ > 0.0 && after < ahead_ : focus_behind_ > 0.0;
    if (!comes || !(now + after <= 2.0 * model_.horizon_s)) return;
    const Clock chosen = clocks_.equally(stream_);
    if (now + after < clocks_.time_of(chosen.number)) clocks_.set_time(chosen.number, now + after), touched_ = true;
  }

  // Other clocks run too: their times are known, the failures' are drawn anew at hazards so great that one comes before
  // the next repair with the law's probability, or within the mission where nothing is down.
  bool among_others(double end) {
    const double now = charts_.now();
    for (const Clock& c : clocks_.running)
      if (touched_ || clocks_.time_of(c.number) == clocks_.parked)
        clocks_.set_time(c.number, now + stream_.exponential() / c.rate);
    touched_ = false;
    const double n = static_cast<double>(clocks_.failures);
    bool raise = false;
    if (bias_ && clocks_.failures > 0 && clocks_.failure_rate > 0.0) {
      const double repair = clocks_.repairs ? std::min(clocks_.next_repair(), end) - now : 0.0;
      raise = !clocks_.repairs || repair > 0.0;
      until_repair_ = repair;
      ++raised_;
    }
    // Under each law the failures' hazards together, 0: the model's own.
    const auto raised = [&](std::size_t law) {
      const double hazard = raise ? wanted_hazard(law, end) : 0.0;
      return hazard > clocks_.failure_rate && std::isfinite(hazard) ? hazard : 0.0;
    };
    for (std::size_t m = 0; m < laws_; ++m)
      if (const double hazard = raised(m); hazard > 0.0) weight_.grow(m, hazard - clocks_.failure_rate);
    if (const double hazard = raised(law_); hazard > 0.0) {
      for (const Clock& c : clocks_.running)
        if (c.fails) clocks_.set_time(c.number, now + stream_.exponential() * n / hazard);
      touched_ = true;
    }
    if (raise) focus(now);
    const double next = history_.next_time(), stop = times_.stop(now);
    const double reached = std::min({stop, next, end}), passes = reached - now;
    if (reached < next) {
      pass(reached, [&] { visit(passes), weight_.pass(passes); });
      return reached < end;
    }
    const std::uint32_t number = world_.timers.next();
    go_on(end, [&] {
      visit(passes);
      for (const Clock& c : clocks_.running) {
        if (!c.fails || c.number != number) continue;
        for (std::size_t m = 0; m < laws_; ++m)
          if (const double hazard = raised(m); hazard > 0.0) weight_.drawn(m, hazard / (n * c.rate));
        if (!raise || weight_.focused_law() == laws_) continue;
        const double hazard = raised(weight_.focused_law()), base = n * (hazard > 0.0 ? hazard / n : c.rate);
        const double strength = weight_.laws()[weight_.focused_law()].focus;
        weight_.focus_drawn(focus_ahead_ > 0.0 ? 1.0 + strength / (focus_ahead_ - passes) / base : 1.0,
                            focus_behind_ > 0.0 ? 1.0 + strength / (focus_behind_ + passes) / base : 1.0);
      }
      weight_.pass(passes);
      for (const Clock& c : clocks_.running)
        if (c.number == number) take(c, passes);
    });
    return true;
  }

  const FailureBiasingSource& source_;
  const AnalysisModel& model_;
  std::uint64_t key_;
  ModelHistory history_;
  World& world_;
  ChartReplication& charts_;
  CcfRuntime& groups_;
  PathVisits visits_;
  ScheduledTimes times_;
  BiasedChances chances_;
  WeightedRecorder recorder_;
  PathWeight weight_;
  std::size_t laws_, law_ = 0;
  RandomStream stream_;
  bool touched_ = false;  ///< exponential clocks stand at times that are not of their law
  RunningClocks clocks_;
  bool others_ = false;
  double ahead_ = 0.0, behind_ = 0.0;  ///< to the next known moment, from the last [s]; infinity: none
  enum class Side : std::uint8_t { neither, ahead, behind };
  Side side_ = Side::neither;
  double focus_ahead_ = 0.0, focus_behind_ = 0.0;  ///< as PathWeight::focus() was told
  double until_repair_ = 0.0;
  std::vector<std::pair<std::size_t, double>> near_;  ///< scratch: clocks of failures, place and rate
  bool bias_ = true;
  std::uint32_t raised_ = 0;  ///< moments at which failures were made likelier
};

FailureBiasingSource::FailureBiasingSource(std::shared_ptr<const AnalysisModel> model, std::uint64_t seed, double delta,
                                           PrecisionGoals goals)
    : model_(std::move(model)),
      groups_(*model_),
      seed_(seed),
      delta_(delta),
      goals_(std::move(goals)),
      specs_(weighted_specs(*model_, {.fewest_effective = 100.0, .greatest_share = 0.1})) {
  MeasureSpec weight;
  weight.id = "weight";
  specs_.push_back(weight);
}

bool FailureBiasingSource::trusted(const Tallies& tallies) const {
  return nothing_unseen(*model_, tallies, std::span(specs_).first(specs_.size() - 1), goals_);
}

std::string FailureBiasingSource::identity() const {
  return "failure biasing, probability " + number_text(delta_) + ", seed " + std::to_string(seed_);
}

std::unique_ptr<ReplicationWorker> FailureBiasingSource::make_worker() const {
  return std::make_unique<FailureBiasingWorker>(*this);
}

}  // namespace ergode
