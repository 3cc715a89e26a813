#include "solvers/simulation/rare/failure_biasing.h"

#include <cmath>
#include <limits>

#include "solvers/simulation/rare/weighted_recorder.h"

namespace ergode {

std::vector<MeasureSpec> weighted_specs(const AnalysisModel& model) {
  std::vector<MeasureSpec> out;
  bool headline = false;
  for (const std::uint32_t m : weighted_measures(model)) {
    MeasureSpec spec = model.measures[m].spec;
    spec.proportion = false, spec.samples = false, spec.weighted = true;
    headline = headline || spec.headline;
    out.push_back(std::move(spec));
  }
  if (!headline)
    for (MeasureSpec& spec : out) spec.headline = true;
  return out;
}

/// One replication after the other under the biased law.
class FailureBiasingWorker : public ReplicationWorker {
 public:
  explicit FailureBiasingWorker(const FailureBiasingSource& source)
      : source_(source),
        model_(*source.model_),
        key_(stream_key(source.seed_, "failure biasing")),
        charts_(model_.charts, source.seed_),
        groups_(model_, source.groups_, source.seed_),
        recorder_(model_),
        // Clocks that are chosen among by hand stand here: later than anything, and still a time.
        parked_(2.0 * model_.horizon_s + 1.0) {
    charts_.set_demand_source(&groups_);
  }

  ReplicationEnd run(std::uint64_t replication, Tallies& into, const std::atomic<bool>& give_up) override {
    return source_.failure().noting(replication, [&] { return replicate(replication, into, give_up); });
  }

 private:
  ReplicationEnd replicate(std::uint64_t replication, Tallies& into, const std::atomic<bool>& give_up) {
    stream_.restart(key_, replication);
    groups_.start(replication);
    charts_.start(replication);
    weight_ = 1.0, forgone_ = 0.0;
    touched_ = false;
    recorder_.begin();
    recorder_.start(charts_, weight_);
    const double end = model_.horizon_s;
    std::uint32_t round = 0;
    while (!recorder_.finished() && next_moment(end))
      if (++round % 256 == 0 && give_up.load(std::memory_order_relaxed)) return ReplicationEnd::given_up;
    if (!recorder_.finished()) recorder_.finish(charts_, weight_);
    recorder_.commit(into);
    into.measures.back().observe(weight_ + forgone_);
    into.events += charts_.events() + groups_.shocks();
    into.add_fingerprint(replication, charts_.fingerprint());
    return ReplicationEnd::whole;
  }

  /// An exponential clock: of a transition, or past those of a kind of common-cause shock.
  struct Clock {
    std::uint32_t number;
    double rate;
  };
  std::uint32_t clocks_of_charts() const { return static_cast<std::uint32_t>(model_.charts.timers.size()); }
  double time_of(std::uint32_t clock) const {
    const std::uint32_t charts = clocks_of_charts();
    return clock < charts ? charts_.time_of(clock) : groups_.shock_time(clock - charts);
  }
  void set_time(std::uint32_t clock, double time_s) {
    const std::uint32_t charts = clocks_of_charts();
    if (clock < charts) charts_.redraw(clock, time_s);
    else groups_.redraw_shock(clock - charts, time_s);
  }
  bool is_failure(std::uint32_t clock) const {
    return clock >= clocks_of_charts() || role_of(clock) == TransitionRole::failure;
  }
  TransitionRole role_of(std::uint32_t timer) const { return model_.charts.roles[model_.charts.timers[timer].row]; }

  /// What runs at present.
  void survey() {
    failures_.clear(), rates_.clear();
    failure_rate_ = total_rate_ = 0.0;
    repairs_ = false;
    others_ = charts_.pending_events() > 0;
    for (std::uint32_t t = 0; t < clocks_of_charts(); ++t) {
      if (!charts_.waiting(t)) continue;
      repairs_ = repairs_ || role_of(t) == TransitionRole::repair;
      if (model_.charts.timers[t].kind == Trigger::Kind::rate) add({t, charts_.rate_in_force(t)});
      else others_ = others_ || charts_.time_of(t) <= model_.horizon_s;
    }
    for (std::uint32_t s = 0; s < groups_.shock_clocks(); ++s) add({clocks_of_charts() + s, groups_.shock_rate(s)});
  }
  void add(Clock clock) {
    rates_.push_back(clock);
    total_rate_ += clock.rate;
    if (is_failure(clock.number)) failures_.push_back(clock), failure_rate_ += clock.rate;
  }

  /// Goes to the next event, or to the end. @returns whether there was one.
  bool next_moment(double end) {
    survey();
    return others_ ? among_others(end) : jump(end);
  }

  // All clocks that run are exponential: when and what the next jump is are drawn here.
  bool jump(double end) {
    recorder_.look(charts_, weight_);
    if (rates_.empty() || recorder_.finished()) return false;
    for (const Clock& c : rates_)
      if (time_of(c.number) != parked_) set_time(c.number, parked_);
    touched_ = true;
    const bool bias = !recorder_.everything_seen();
    const double now = charts_.now(), left = end - now;
    const bool forced = bias && failures_.size() == rates_.size() && recorder_.nothing_holds();
    double hold = stream_.exponential() / total_rate_;
    if (forced) {
      const double happens = -std::expm1(-total_rate_ * left);
      hold = std::min(left, -std::log1p(-stream_.uniform() * happens) / total_rate_);
      forgone_ += weight_ * (1.0 - happens);
      weight_ *= happens;
    }
    if (!(now + hold <= end)) return false;
    // The weight changes with the jump: until then the old one holds.
    recorder_.until(now + hold, charts_, weight_);
    const bool biased = bias && repairs_ && !failures_.empty() && failure_rate_ < source_.delta_ * total_rate_;
    const std::uint32_t chosen = forced ? equally() : biased ? balanced() : naturally();
    set_time(chosen, now + hold);
    if (chosen < clocks_of_charts()) charts_.step();
    else groups_.strike(charts_);
    return true;
  }

  std::uint32_t naturally() {
    double left = stream_.uniform() * total_rate_;
    for (const Clock& c : rates_)
      if ((left -= c.rate) < 0.0) return c.number;
    return rates_.back().number;
  }
  std::uint32_t equally() {
    const auto n = static_cast<double>(failures_.size());
    const Clock& c = failures_[std::min(failures_.size() - 1, static_cast<std::size_t>(stream_.uniform() * n))];
    weight_ *= c.rate / total_rate_ * n;
    return c.number;
  }
  std::uint32_t balanced() {
    if (stream_.uniform() < source_.delta_) {
      weight_ /= source_.delta_;
      return equally();
    }
    weight_ *= (1.0 - failure_rate_ / total_rate_) / (1.0 - source_.delta_);
    double left = stream_.uniform() * (total_rate_ - failure_rate_);
    std::uint32_t last = 0;
    for (const Clock& c : rates_) {
      if (is_failure(c.number)) continue;
      last = c.number;
      if ((left -= c.rate) < 0.0) break;
    }
    return last;
  }

  double next_repair() const {
    double out = std::numeric_limits<double>::infinity();
    for (std::uint32_t t = 0; t < clocks_of_charts(); ++t)
      if (charts_.waiting(t) && role_of(t) == TransitionRole::repair) out = std::min(out, charts_.time_of(t));
    return out;
  }

  // Other clocks run too: their times are known, the failures' are drawn anew at raised hazards.
  bool among_others(double end) {
    const double now = charts_.now();
    if (touched_)
      for (const Clock& c : rates_) set_time(c.number, now + stream_.exponential() / c.rate);
    touched_ = false;
    double growth = 0.0, each = 0.0;
    if (!recorder_.everything_seen() && repairs_ && !failures_.empty()) {
      const double time = std::min(next_repair(), end) - now;
      const double raised = -std::log1p(-source_.delta_) / time;
      if (time > 0.0 && raised > failure_rate_ && std::isfinite(raised)) {
        each = raised / static_cast<double>(failures_.size());
        growth = raised - failure_rate_;
        for (const Clock& c : failures_) set_time(c.number, now + stream_.exponential() / each);
        touched_ = true;
      }
    }
    const double clock = charts_.next_time(), shock = groups_.next_time();
    const double next = std::min(clock, shock);
    const bool over = !(next <= end);
    // Measures look only when everything of the moment has happened.
    if (over || next > now) recorder_.until(over ? end : next, charts_, weight_, growth);
    weight_ *= std::exp(growth * ((over ? end : next) - now));
    if (over) return charts_.advance(end), false;
    const std::uint32_t number =
        clock <= shock ? charts_.next_timer() : clocks_of_charts() + static_cast<std::uint32_t>(groups_.next_shock());
    for (const Clock& c : failures_)
      if (each > 0.0 && c.number == number) weight_ *= c.rate / each;
    if (clock <= shock) charts_.step();
    else groups_.strike(charts_);
    return true;
  }

  const FailureBiasingSource& source_;
  const AnalysisModel& model_;
  std::uint64_t key_;
  ChartReplication charts_;
  CcfRuntime groups_;
  WeightedRecorder recorder_;
  RandomStream stream_;
  double parked_;
  double weight_ = 1.0;   ///< of the path so far
  double forgone_ = 0.0;  ///< weight of the paths that forcing left out: nothing is observed on them
  bool touched_ = false;  ///< exponential clocks stand at times that are not of their law
  std::vector<Clock> failures_, rates_;
  double failure_rate_ = 0.0, total_rate_ = 0.0;
  bool others_ = false, repairs_ = false;
};

FailureBiasingSource::FailureBiasingSource(std::shared_ptr<const AnalysisModel> model, std::uint64_t seed, double delta)
    : model_(std::move(model)), groups_(*model_), seed_(seed), delta_(delta), specs_(weighted_specs(*model_)) {
  MeasureSpec weight;
  weight.id = "weight";
  specs_.push_back(weight);
}

std::unique_ptr<ReplicationWorker> FailureBiasingSource::make_worker() const {
  return std::make_unique<FailureBiasingWorker>(*this);
}

}  // namespace ergode
