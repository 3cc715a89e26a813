#include "solvers/simulation/rare/splitting.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/simulation/rare/failure_biasing.h"
#include "solvers/simulation/rare/weighted_recorder.h"

namespace ergode {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double wanted_share = 0.2;  // of a pilot's paths to reach the next level; near the best, e^-2
constexpr std::size_t most_levels = 200;
constexpr std::uint64_t pilot_paths = 1000, most_pilot_paths = 100000;  // more when none gets any further

}  // namespace

/// Paths of one thread: from the start or from a saved state to the next level or the end.
class SplittingPaths {
 public:
  explicit SplittingPaths(const SplittingSource& source)
      : model_(*source.model_),
        importance_(*model_.importance),
        stream_key_(ergode::stream_key(source.seed_, "splitting")),
        charts_(model_.charts, source.seed_),
        groups_(model_, source.groups_, source.seed_),
        recorder_(model_) {
    charts_.set_demand_source(&groups_);
    for (const std::string& name : model_.charts.stream_names) keys_.push_back(ergode::stream_key(source.seed_, name));
  }

  struct State {
    ChartReplication::Saved charts;
    CcfRuntime::Saved groups;
  };

  /// @param first  number of the first path; every path of a run has its own.
  void begin(std::uint64_t first) {
    path_ = first;
    stream_.restart(stream_key_, first);
    recorder_.begin();
  }
  WeightedRecorder& recorder() { return recorder_; }
  ChartReplication& charts() { return charts_; }
  double uniform() { return stream_.uniform(); }

  /// Goes on from a saved state, or starts when there is none, with draws of its own.
  void go(const State* from, double weight) {
    const std::uint64_t path = path_++;
    if (from == nullptr) {
      groups_.start(path);
      charts_.start(path);
    } else {
      fresh_ = from->charts;
      for (std::size_t i = 0; i < fresh_.streams.size(); ++i) fresh_.streams[i].restart(keys_[i], path);
      charts_.restore(fresh_);
      groups_.restore(from->groups, path);
      stream_.restart(stream_key_, path);
      for (std::uint32_t t = 0; t < model_.charts.timers.size(); ++t)
        if (model_.charts.timers[t].kind == Trigger::Kind::rate && charts_.waiting(t))
          charts_.redraw(t, charts_.now() + stream_.exponential() / charts_.rate_in_force(t));
    }
    recorder_.start(charts_, weight);
  }

  enum class End { reached, over, given_up };
  /// Follows the path until the importance is at least `level` or a condition holds, else to the end of the mission.
  /// @param highest  gets the greatest importance that was seen, infinity when a condition held.
  End follow(double level, double weight, const std::atomic<bool>& give_up, double* highest = nullptr) {
    const double end = model_.horizon_s;
    for (std::uint32_t round = 1;; ++round) {
      const double clock = charts_.next_time(), shock = groups_.next_time();
      const double next = std::min(clock, shock);
      // A condition counts only when everything of the moment has happened.
      if (next > charts_.now()) {
        recorder_.look(charts_, weight);
        const double value = recorder_.reached() ? infinity : importance_.evaluate(charts_.slots());
        if (highest != nullptr) *highest = std::max(*highest, value);
        if (value >= level) return End::reached;
        if (!(next <= end)) return End::over;
        recorder_.until(next, charts_, weight);
      }
      if (clock <= shock) charts_.step();
      else groups_.strike(charts_);
      if (round % 1024 == 0 && give_up.load(std::memory_order_relaxed)) return End::given_up;
    }
  }
  /// Follows the path to the end and records.
  bool finish(double weight, const std::atomic<bool>& give_up) {
    const double end = model_.horizon_s;
    for (std::uint32_t round = 1; !recorder_.finished(); ++round) {
      const double clock = charts_.next_time(), shock = groups_.next_time();
      const double next = std::min(clock, shock);
      if (!(next <= end)) break;
      if (next > charts_.now()) recorder_.until(next, charts_, weight);
      if (clock <= shock) charts_.step();
      else groups_.strike(charts_);
      if (round % 1024 == 0 && give_up.load(std::memory_order_relaxed)) return false;
    }
    if (!recorder_.finished()) recorder_.finish(charts_, weight);
    return true;
  }

  void save(State& into) const {
    charts_.save(into.charts);
    groups_.save(into.groups);
  }
  void account(Tallies& into, std::uint64_t replication) const {
    into.events += charts_.events() + groups_.shocks();
    into.add_fingerprint(replication, charts_.fingerprint());
  }

  /// One stage: `effort` paths from the states in `from` (none: the start); the states at `level` come to `to`.
  bool stage(std::uint64_t effort, const std::vector<State>& from, std::size_t from_size, double level,
             std::vector<State>& to, std::size_t& to_size, const std::atomic<bool>& give_up) {
    to_size = 0;
    const double offset = uniform();
    for (std::uint64_t j = 0; j < effort; ++j) {
      go(pick(from, from_size, j, effort, offset), 0.0);
      const End end = follow(level, 0.0, give_up);
      if (end == End::given_up) return false;
      if (end == End::over) continue;
      if (to.size() == to_size) to.emplace_back();
      save(to[to_size++]);
    }
    return true;
  }
  /// Systematic sampling: every state is gone on from equally often in the mean.
  static const State* pick(const std::vector<State>& from, std::size_t size, std::uint64_t j, std::uint64_t effort,
                           double offset) {
    if (size == 0) return nullptr;
    const double share = (static_cast<double>(j) + offset) / static_cast<double>(effort);
    return &from[std::min(size - 1, static_cast<std::size_t>(share * static_cast<double>(size)))];
  }

 private:
  const AnalysisModel& model_;
  const Program& importance_;
  std::uint64_t stream_key_;
  ChartReplication charts_;
  CcfRuntime groups_;
  WeightedRecorder recorder_;
  std::vector<std::uint64_t> keys_;
  RandomStream stream_;
  ChartReplication::Saved fresh_;
  std::uint64_t path_ = 0;
};

class SplittingWorker : public ReplicationWorker {
 public:
  explicit SplittingWorker(const SplittingSource& source) : source_(source), paths_(source) {}

  ReplicationEnd run(std::uint64_t replication, Tallies& into, const std::atomic<bool>& give_up) override {
    return source_.failure().noting(replication, [&] { return replicate(replication, into, give_up); });
  }

 private:
  ReplicationEnd replicate(std::uint64_t replication, Tallies& into, const std::atomic<bool>& give_up) {
    const std::uint64_t effort = source_.options_.effort;
    paths_.begin((replication + 1) << 32U);
    double weight = 1.0;
    std::size_t size = 0, reached = 0;
    for (const double level : source_.options_.levels) {
      if (!paths_.stage(effort, here_, size, level, there_, reached, give_up)) return ReplicationEnd::given_up;
      weight *= static_cast<double>(reached) / static_cast<double>(effort);
      std::swap(here_, there_);
      size = reached;
      if (size == 0) break;
    }
    if (weight > 0.0) {
      const double offset = paths_.uniform(), share = weight / static_cast<double>(effort);
      // What was followed so far has recorded nothing: its weight is zero.
      for (std::uint64_t j = 0; j < effort; ++j) {
        paths_.go(SplittingPaths::pick(here_, size, j, effort, offset), share);
        if (!paths_.finish(share, give_up)) return ReplicationEnd::given_up;
        paths_.account(into, replication);
      }
    }
    paths_.recorder().commit(into);
    return ReplicationEnd::whole;
  }

  const SplittingSource& source_;
  SplittingPaths paths_;
  std::vector<SplittingPaths::State> here_, there_;
};

namespace {

/// The greatest value that at least the wanted share of the paths reached; else the least above `above` that any did;
/// infinity when enough came to the end of the way.
double next_level(std::vector<double> highest, double above) {
  std::sort(highest.begin(), highest.end());
  const auto place = static_cast<std::size_t>((1.0 - wanted_share) * static_cast<double>(highest.size()));
  const double level = highest[std::min(place, highest.size() - 1)];
  if (level > above) return level;
  const auto next = std::upper_bound(highest.begin(), highest.end(), above);
  return next == highest.end() ? above : *next;
}

}  // namespace

SplittingSource::SplittingSource(std::shared_ptr<const AnalysisModel> model, std::uint64_t seed,
                                 SplittingOptions options)
    : model_(std::move(model)),
      groups_(*model_),
      seed_(seed),
      options_(std::move(options)),
      specs_(weighted_specs(*model_)) {
  if (!options_.levels.empty()) return;
  static const std::atomic<bool> never{false};
  SplittingPaths paths(*this);
  std::vector<SplittingPaths::State> here, there;
  std::size_t size = 0, reached = 0;
  paths.begin(0);
  paths.go(nullptr, 0.0);
  double level = model_->importance->evaluate(paths.charts().slots());
  std::uint64_t count = pilot_paths;
  while (options_.levels.size() < most_levels) {
    std::vector<double> highest(count, -infinity);
    const double offset = paths.uniform();
    for (std::uint64_t j = 0; j < count; ++j) {
      paths.go(SplittingPaths::pick(here, size, j, count, offset), 0.0);
      paths.follow(infinity, 0.0, never, &highest[j]);
    }
    const double next = next_level(highest, level);
    if (next == infinity) return;
    if (next > level) paths.stage(count, here, size, next, there, reached, never);
    if (!(next > level) || reached == 0) {
      stuck_ = count >= most_pilot_paths;
      if (stuck_) return;
      count *= 10;
      continue;
    }
    level = next;
    options_.levels.push_back(level);
    std::swap(here, there);
    size = reached, count = pilot_paths;
  }
}

std::unique_ptr<ReplicationWorker> SplittingSource::make_worker() const {
  return std::make_unique<SplittingWorker>(*this);
}

}  // namespace ergode
