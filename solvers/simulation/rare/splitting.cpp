#include "solvers/simulation/rare/splitting.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <thread>

#include "core/base/special_values.h"
#include "core/base/text.h"
#include "solvers/simulation/rare/splitting_paths.h"
#include "solvers/simulation/rare/weight_warnings.h"

namespace ergode {
namespace {

constexpr double patience_s = 3.0;    // with a pilot run that does not end
constexpr double wanted_share = 0.2;  // of a pilot's paths to reach the next level; near the best, e^-2
constexpr std::size_t most_levels = 200;
constexpr std::uint64_t pilot_paths = 1000, most_pilot_paths = 100000;  // more when none gets any further

}  // namespace

class SplittingWorker : public ReplicationWorker {
 public:
  explicit SplittingWorker(const SplittingSource& source) : source_(source), paths_(source) {}

  ReplicationEnd run(std::uint64_t replication, Tallies& into, const std::atomic<bool>& give_up) override {
    return source_.failure().noting(replication, [&] { return replicate(replication, into, give_up); });
  }

 private:
  ReplicationEnd replicate(std::uint64_t replication, Tallies& into, const std::atomic<bool>& give_up) {
    const std::uint64_t effort = source_.options_.effort;
    // The upper half of a path's number is the repetition, so none has another's draws; 0 is the pilot run.
    paths_.begin((replication + 1) << 32U);
    double weight = 1.0;
    here_.size = 0;
    // Probabilities are counted on the last stage alone, where paths stand for the product of all shares.
    paths_.recorder().mute(true);
    for (const double level : source_.options_.levels) {
      const double share = weight / static_cast<double>(effort);
      if (!paths_.stage(effort, share, here_, level, there_, give_up)) return ReplicationEnd::given_up;
      weight *= static_cast<double>(there_.size) / static_cast<double>(effort);
      std::swap(here_, there_);
      // Nobody got here: this repetition observes zero, which is what keeps the mean unbiased.
      if (here_.size == 0) break;
    }
    paths_.recorder().mute(false);
    if (weight > 0.0 && !paths_.finish(effort, weight / static_cast<double>(effort), here_, give_up))
      return ReplicationEnd::given_up;
    paths_.recorder().commit(into);
    paths_.account(into, replication);
    return ReplicationEnd::whole;
  }

  const SplittingSource& source_;
  SplittingPaths paths_;
  SplittingPaths::Pool here_, there_;
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

/// Ends the pilot run when it is to end, and says so when it takes long: there is no runner yet to do it.
class PilotWatch {
 public:
  PilotWatch(const SplittingSource& source, const PilotLimits& pilot, std::atomic<bool>& stopped) {
    if (pilot.control != nullptr)
      thread_ = std::jthread(
          [this, &source, pilot, &stopped](const std::stop_token& over) { watch(source, pilot, stopped, over); });
  }

 private:
  void watch(const SplittingSource& source, const PilotLimits& pilot, std::atomic<bool>& stopped,
             const std::stop_token& over) {
    const auto begun = std::chrono::steady_clock::now();
    bool told = false;
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, over, std::chrono::milliseconds(10), [] { return false; }) &&
           !over.stop_requested()) {
      const double waited_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
      if (pilot.control->stop.stop_requested() || (pilot.time_s && waited_s > *pilot.time_s)) stopped.store(true);
      if (told || waited_s < patience_s) continue;
      const auto late = source.late(waited_s);
      if (late) pilot.control->tell(*late);
      told = late.has_value();
    }
  }
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::jthread thread_;
};

}  // namespace

SplittingSource::SplittingSource(std::shared_ptr<const AnalysisModel> model, std::uint64_t seed,
                                 SplittingOptions options, const PilotLimits& pilot, PrecisionGoals goals)
    : model_(std::move(model)),
      groups_(*model_),
      seed_(seed),
      options_(std::move(options)),
      goals_(std::move(goals)),
      // A repetition is itself a mean over many paths: fewer will do.
      specs_(weighted_specs(*model_, {.fewest_effective = 20.0, .greatest_share = 0.25})) {
  if (!options_.levels.empty()) return;
  std::atomic<bool> stopped{false};
  const PilotWatch watch(*this, pilot, stopped);
  SplittingPaths paths(*this);
  SplittingPaths::Pool here, there;
  paths.begin(0);
  paths.recorder().mute(true);
  double level = paths.importance_at_start();
  std::uint64_t count = pilot_paths;
  while (options_.levels.size() < most_levels) {
    std::vector<double> highest(count, -infinity);
    const double offset = paths.uniform();
    for (std::uint64_t j = 0; j < count; ++j) {
      const SplittingPaths::State* const from = SplittingPaths::pick(here, j, count, offset).state;
      // A level that no path reaches: what happens in the middle of steps is looked at, too.
      paths.travel(from, 0.0, std::numeric_limits<double>::max(), stopped, &highest[j]);
      if (stopped) return;
    }
    const double next = next_level(highest, level);
    if (next == infinity) return;
    if (next > level) paths.stage(count, 0.0, here, next, there, stopped);
    if (stopped) return;
    if (!(next > level) || there.size == 0) {
      stuck_ = count >= most_pilot_paths;
      if (stuck_) return;
      count *= 10;
      continue;
    }
    level = next;
    options_.levels.push_back(level);
    std::swap(here, there);
    count = pilot_paths;
  }
}

bool SplittingSource::trusted(const Tallies& tallies) const { return nothing_unseen(*model_, tallies, specs_, goals_); }

std::string SplittingSource::identity() const {
  std::string out = "splitting, effort " + std::to_string(options_.effort) + ", levels";
  for (const double level : options_.levels) out += " " + number_text(level);
  return out + ", seed " + std::to_string(seed_);
}

std::unique_ptr<ReplicationWorker> SplittingSource::make_worker() const {
  return std::make_unique<SplittingWorker>(*this);
}

}  // namespace ergode
