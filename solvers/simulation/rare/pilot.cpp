#include "solvers/simulation/rare/pilot.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/base/special_values.h"
#include "core/base/text.h"
#include "core/study/result_builder.h"
#include "solvers/simulation/rare/failure_biasing.h"
#include "solvers/simulation/rare/rare_events.h"
#include "solvers/simulation/rare/splitting.h"
#include "solvers/simulation/rare/weight_warnings.h"
#include "solvers/simulation/rare/weighted_recorder.h"
#include "solvers/simulation/simulation.h"
#include "solvers/simulation/simulation_options.h"

namespace ergode {
namespace {

constexpr std::uint64_t plain_replications = 50000, biased_paths = 4000, split_repetitions = 40, split_effort = 200;
constexpr int rounds = 3;           // each four times as long, while a method is not to be trusted
constexpr int more_rounds = 2;      // likewise, while two methods disagree
constexpr int biased_rounds = 5;    // paths are cheap, and rare places take many before they can be trusted
constexpr double enough_hits = 50;  // of plain simulation: nothing is rare
constexpr double worth_it = 3.0;    // times less work than plain simulation
constexpr double far_apart = 4.5;   // standard errors between two methods
// Work of one event in units of one of plain simulation: failure biasing looks at all clocks, splitting saves states.
constexpr double biased_event = 3.0, split_event = 2.0, start_of_replication = 10.0;

/// Mean and variance of the mean of each probability that counts, the relative precision that is wanted of it (1: just
/// compared), and the work that was done.
struct Trial {
  std::vector<double> mean, variance, wanted;
  double work = 0.0;
  bool trusted = false;
  bool dropped = false;  ///< not trusted because another method sees more, and said so
  int round = 0;         ///< the last one

  /// Work for a relative standard error of what is wanted.
  double cost(std::size_t m) const {
    return mean[m] > 0.0 ? work * variance[m] / std::pow(mean[m] * wanted[m], 2.0) : infinity;
  }
  double worst_cost() const {
    double out = 0.0;
    for (std::size_t m = 0; m < mean.size(); ++m) out = std::max(out, cost(m));
    return out;
  }
};

class Pilot {
 public:
  Pilot(std::shared_ptr<const AnalysisModel> model, const RunRequest& request, RunControl& control)
      : model_(std::move(model)),
        request_(request),
        options_(simulation_options().read(request)),
        control_(control),
        weighted_(weighted_measures(*model_)) {
    const std::vector<MeasureSpec> specs = weighted_specs(*model_, {});
    const PrecisionGoals goals = precision_goals(specs, request);
    const std::vector<std::uint8_t> counts = measures_that_count(specs, goals);
    for (std::size_t m = 0; m < specs.size(); ++m)
      if (counts[m] != 0) asked_.push_back(m), wanted_.push_back(goals.any() ? goals.of(m) : 1.0);
  }

  MethodChoice choose() {
    if (weighted_.empty()) return {"none", "no measure is a probability at or by a time"};
    const Trial plain = of_plain();
    if (stopped_) return {"none", "the choice was cancelled"};
    if (plain.trusted) return {"none", "none of the probabilities is rare"};
    std::optional<Trial> biased, split;
    if (fits("failure-biasing")) biased = of_biasing(0, biased_rounds);
    if (fits("splitting")) split = of_splitting(0, rounds - 1);
    std::string tried;
    if (biased && split) tried = settle(*biased, *split);
    if (stopped_) return {"none", "the choice was cancelled"};
    const Trial* best = nullptr;
    MethodChoice out;
    for (const auto& [name, trial] : {std::pair{"failure-biasing", &biased}, std::pair{"splitting", &split}}) {
      if (!trial->has_value()) {
        tried += std::string("; ") + name + " does not fit the model";
        continue;
      }
      const Trial& t = **trial;
      if (!t.trusted) {
        if (!t.dropped) tried += std::string("; ") + name + " gave no interval to be trusted";
        continue;
      }
      if (best == nullptr || t.worst_cost() < best->worst_cost()) best = &t, out.method = name;
    }
    if (best == nullptr) return {"none", "plain simulation is what is left" + tried};
    if (!agree(*best, plain)) return {"none", out.method + " and plain simulation disagree, so it is not trusted"};
    // What plain simulation would take is known from the other's estimate even where it saw nothing.
    double gain = infinity;
    std::size_t worst = 0;
    for (std::size_t m = 0; m < asked_.size(); ++m) {
      // A proportion p of n costs work / n * (1 - p) / p for a relative standard error of one.
      const double plain_cost = plain.work / static_cast<double>(plain_replications) * (1.0 / best->mean[m] - 1.0) /
                                (wanted_[m] * wanted_[m]);
      if (best->cost(m) > best->cost(worst)) worst = m;
      gain = std::min(gain, plain_cost / best->cost(m));
    }
    const std::string& id = model_->measures[weighted_[asked_[worst]]].spec.id;
    const std::string measured = "\"" + id + "\" is about " + number_text(best->mean[worst], 2);
    if (gain < worth_it)
      return {"none", measured + ", and " + out.method + " needs only " + number_text(gain, 2) + " times less work"};
    out.reason = measured + ", and " + out.method + " needs about " + number_text(gain, 2) +
                 " times less work than plain simulation" + tried;
    if (biased && split && biased->trusted && split->trusted) {
      const bool first = out.method == "failure-biasing";
      const double times = (first ? *split : *biased).worst_cost() / best->worst_cost();
      out.reason += "; " + std::string(first ? "splitting" : "failure-biasing") + " needs " + number_text(times, 2) +
                    " times as much";
    }
    return out;
  }

 private:
  bool fits(const char* method) const {
    RunRequest request = request_;
    request.options["variance-reduction"] = method;
    Diagnostics problems;
    rare_event_problems(*model_, request, problems);
    return !has_errors(problems);
  }

  // A limit of time holds for the pilot too; then the machine decides, as it does for the run.
  std::optional<double> pilot_time() const {
    return request_.wall_time_s ? std::optional(0.1 * *request_.wall_time_s) : std::nullopt;
  }

  RunOutcome run(const ReplicationSource& source, std::uint64_t replications) {
    RunControl own;
    own.clock_s = control_.clock_s, own.outer = &control_;
    const std::stop_callback stop(control_.stop.get_token(), [&] { own.stop.request_stop(); });
    StoppingRule rule{.max_replications = replications};
    rule.wall_time_s = pilot_time();
    RunOutcome out = run_replications(source, rule, request_.threads, own, {});
    stopped_ = stopped_ || out.status == RunStatus::partial || control_.stop.stop_requested();
    return out;
  }
  // The pilot's draws are its own.
  std::uint64_t seed(int round) const {
    return stream_key(request_.seed.value_or(model_->seed), "pilot " + std::to_string(round));
  }

  Trial of_plain() {
    const SimulationSource source(model_, seed(0));
    const RunOutcome outcome = run(source, plain_replications);
    const double n = static_cast<double>(outcome.tallies.replications);
    Trial out;
    out.wanted = wanted_;
    out.work = static_cast<double>(outcome.tallies.events) + start_of_replication * n;
    out.trusted = outcome.status == RunStatus::complete && n > 0.0;
    for (const std::size_t m : asked_) {
      const MeasureTally& tally = outcome.tallies.measures[weighted_[m]];
      const double hits = static_cast<double>(tally.successes()), p = n > 0.0 ? hits / n : 0.0;
      out.mean.push_back(p), out.variance.push_back(n > 0.0 ? p * (1.0 - p) / n : 0.0);
      out.trusted = out.trusted && hits >= enough_hits;
    }
    return out;
  }

  Trial of_weights(const ReplicationSource& source, const RunOutcome& outcome, double event) const {
    Trial out;
    out.wanted = wanted_;
    const double n = static_cast<double>(outcome.tallies.replications);
    out.work = event * static_cast<double>(outcome.tallies.events) + start_of_replication * n;
    out.trusted = outcome.status == RunStatus::complete && n > 0.0;
    for (const std::size_t m : asked_) {
      const Tally& x = outcome.tallies.measures[m].values();
      out.mean.push_back(x.mean()), out.variance.push_back(x.variance() / std::max(1.0, n));
      out.trusted = out.trusted && weights_trusted(*model_, outcome, source.measures()[m], m);
    }
    return out;
  }

  // Rounds from `first` on, up to one that can be trusted.
  Trial of_biasing(int first, int end) {
    Trial out;
    for (int round = first; round < end && !out.trusted && !stopped_; ++round) {
      const FailureBiasingSource source(model_, seed(round), options_.bias_probability);
      out = of_weights(source, run(source, biased_paths << (2 * std::min(round, biased_rounds - 1))), biased_event);
      out.round = round;
    }
    return out;
  }

  Trial of_splitting(int first, int end) {
    Trial out;
    for (int round = first; round < end && !out.trusted && !stopped_; ++round) {
      try {
        // Where methods disagree more effort tells more than more repetitions: levels then lose fewer ways.
        const std::uint64_t effort = split_effort << (round < rounds - 1 ? 0 : round - rounds + 2);
        const std::uint64_t repetitions = split_repetitions << (2 * std::min(round, rounds - 2));
        const SplittingSource source(model_, seed(round), SplittingOptions{effort, options_.levels},
                                     {&control_, pilot_time()});
        if (source.stuck()) return {};
        out = of_weights(source, run(source, repetitions), split_event);
        out.round = round;
      } catch (const ModelFailure&) {
        return {};
      }
    }
    return out;
  }

  // Two methods that can be trusted and disagree: both try on, longer than before. What a method has not met makes its
  // estimate too small, never too great, so the smaller one is dropped when they do not come together.
  std::string settle(Trial& biased, Trial& split) {
    for (int more = 0; more < more_rounds; ++more) {
      if (stopped_ || !biased.trusted || !split.trusted || agree(biased, split)) return {};
      biased = of_biasing(biased.round + 1, biased.round + 2);
      if (split.trusted) split = of_splitting(std::max(split.round + 1, rounds - 1), std::max(split.round + 2, rounds));
    }
    if (stopped_ || !biased.trusted || !split.trusted || agree(biased, split)) return {};
    std::size_t worst = 0;
    double most = -1.0;
    for (std::size_t m = 0; m < asked_.size(); ++m) {
      const double away = std::abs(biased.mean[m] - split.mean[m]) / std::sqrt(biased.variance[m] + split.variance[m]);
      if (away > most) most = away, worst = m;
    }
    const bool drops_split = split.mean[worst] < biased.mean[worst];
    Trial& low = drops_split ? split : biased;
    const Trial& high = drops_split ? biased : split;
    low.trusted = false, low.dropped = true;
    return std::string("; ") + (drops_split ? "splitting" : "failure-biasing") + " gave only " +
           number_text(low.mean[worst], 2) + " where the other gave " + number_text(high.mean[worst], 2) +
           ", and is not trusted";
  }

  static bool agree(const Trial& a, const Trial& b) {
    for (std::size_t m = 0; m < a.mean.size(); ++m) {
      // Where plain simulation saw nothing its variance is that of the other's estimate.
      const double spread = a.variance[m] + b.variance[m] +
                            (b.mean[m] == 0.0 ? a.mean[m] / static_cast<double>(plain_replications) : 0.0);
      if (std::abs(a.mean[m] - b.mean[m]) >
          far_apart * std::sqrt(spread) + 4.0 / static_cast<double>(plain_replications) * (b.mean[m] == 0.0))
        return false;
    }
    return true;
  }

  std::shared_ptr<const AnalysisModel> model_;
  const RunRequest& request_;
  const SimulationOptions options_;
  RunControl& control_;
  std::vector<std::uint32_t> weighted_;
  std::vector<std::size_t> asked_;  ///< places among the weighted measures, of those that count
  std::vector<double> wanted_;      ///< of these, as Trial has it
  bool stopped_ = false;
};

}  // namespace

MethodChoice choose_method(const std::shared_ptr<const AnalysisModel>& model, const RunRequest& request,
                           RunControl& control) {
  return Pilot(model, request, control).choose();
}

}  // namespace ergode
