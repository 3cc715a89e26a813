#include "solvers/simulation/rare/pilot.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "core/base/text.h"
#include "core/study/result_builder.h"
#include "solvers/simulation/rare/failure_biasing.h"
#include "solvers/simulation/rare/rare_events.h"
#include "solvers/simulation/rare/splitting.h"
#include "solvers/simulation/rare/weight_warnings.h"
#include "solvers/simulation/rare/weighted_recorder.h"
#include "solvers/simulation/simulation.h"

namespace ergode {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::uint64_t plain_replications = 50000, biased_paths = 4000, split_repetitions = 40, split_effort = 200;
constexpr int rounds = 3;           // each four times as long, while a method is not to be trusted
constexpr double enough_hits = 50;  // of plain simulation: nothing is rare
constexpr double worth_it = 3.0;    // times less work than plain simulation
constexpr double apart = 4.5;       // standard errors between two methods
// Work of one event in units of one of plain simulation: failure biasing looks at all clocks, splitting saves states.
constexpr double biased_event = 3.0, split_event = 2.0, start_of_replication = 10.0;

/// Mean and variance of the mean of each headline probability, and the work that was done.
struct Trial {
  std::vector<double> mean, variance;
  double work = 0.0;
  bool trusted = false;

  /// Work for a relative standard error of one.
  double cost(std::size_t m) const { return mean[m] > 0.0 ? work * variance[m] / (mean[m] * mean[m]) : infinity; }
  double worst_cost() const {
    double out = 0.0;
    for (std::size_t m = 0; m < mean.size(); ++m) out = std::max(out, cost(m));
    return out;
  }
};

class Pilot {
 public:
  Pilot(std::shared_ptr<const AnalysisModel> model, const RunRequest& request, RunControl& control)
      : model_(std::move(model)), request_(request), control_(control), weighted_(weighted_measures(*model_)) {
    const std::vector<MeasureSpec> specs = weighted_specs(*model_, {});
    for (std::size_t m = 0; m < specs.size(); ++m)
      if (specs[m].headline) asked_.push_back(m);
  }

  MethodChoice choose() {
    if (weighted_.empty()) return {"none", "no measure is a probability at or by a time"};
    const Trial plain = of_plain();
    if (stopped_) return {"none", "the choice was cancelled"};
    if (plain.trusted) return {"none", "none of the probabilities is rare"};
    std::optional<Trial> biased, split;
    if (fits("failure-biasing")) biased = of_biasing();
    if (fits("splitting")) split = of_splitting();
    if (stopped_) return {"none", "the choice was cancelled"};
    std::string tried;
    const Trial* best = nullptr;
    MethodChoice out;
    for (const auto& [name, trial] : {std::pair{"failure-biasing", &biased}, std::pair{"splitting", &split}}) {
      if (!trial->has_value()) {
        tried += std::string("; ") + name + " does not fit the model";
        continue;
      }
      const Trial& t = **trial;
      if (!t.trusted) {
        tried += std::string("; ") + name + " gave no interval to be trusted";
        continue;
      }
      if (best == nullptr || t.worst_cost() < best->worst_cost()) best = &t, out.method = name;
    }
    if (best == nullptr) return {"none", "plain simulation is what is left" + tried};
    if (biased && split && biased->trusted && split->trusted && !agree(*biased, *split))
      return {"none", "failure-biasing and splitting disagree, so neither is trusted"};
    if (!agree(*best, plain)) return {"none", out.method + " and plain simulation disagree, so it is not trusted"};
    // What plain simulation would take is known from the other's estimate even where it saw nothing.
    double gain = infinity;
    std::size_t worst = 0;
    for (std::size_t m = 0; m < asked_.size(); ++m) {
      const double plain_cost = plain.work / static_cast<double>(plain_replications) * (1.0 / best->mean[m] - 1.0);
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
    request.variance_reduction = method;
    Diagnostics problems;
    rare_event_problems(*model_, request, problems);
    return !has_errors(problems);
  }

  RunOutcome run(const ReplicationSource& source, std::uint64_t replications) {
    RunControl own;
    own.clock_s = control_.clock_s;
    const std::stop_callback stop(control_.stop.get_token(), [&] { own.stop.request_stop(); });
    // A limit of time holds for the pilot too; then the machine decides, as it does for the run.
    StoppingRule rule{.max_replications = replications};
    if (request_.wall_time_s) rule.wall_time_s = 0.1 * *request_.wall_time_s;
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

  Trial of_biasing() {
    Trial out;
    std::uint64_t paths = biased_paths;
    for (int round = 0; round < rounds && !out.trusted && !stopped_; ++round, paths *= 4) {
      const FailureBiasingSource source(model_, seed(round), request_.bias_probability);
      out = of_weights(source, run(source, paths), biased_event);
    }
    return out;
  }

  Trial of_splitting() {
    Trial out;
    std::uint64_t repetitions = split_repetitions;
    for (int round = 0; round < rounds - 1 && !out.trusted && !stopped_; ++round, repetitions *= 4) {
      try {
        const SplittingSource source(model_, seed(round), SplittingOptions{split_effort, request_.levels},
                                     control_.stop.get_token());
        if (source.stuck()) return {};
        out = of_weights(source, run(source, repetitions), split_event);
      } catch (const ModelFailure&) {
        return {};
      }
    }
    return out;
  }

  static bool agree(const Trial& a, const Trial& b) {
    for (std::size_t m = 0; m < a.mean.size(); ++m) {
      // Where plain simulation saw nothing its variance is that of the other's estimate.
      const double spread = a.variance[m] + b.variance[m] +
                            (b.mean[m] == 0.0 ? a.mean[m] / static_cast<double>(plain_replications) : 0.0);
      if (std::abs(a.mean[m] - b.mean[m]) >
          apart * std::sqrt(spread) + 4.0 / static_cast<double>(plain_replications) * (b.mean[m] == 0.0))
        return false;
    }
    return true;
  }

  std::shared_ptr<const AnalysisModel> model_;
  const RunRequest& request_;
  RunControl& control_;
  std::vector<std::uint32_t> weighted_;
  std::vector<std::size_t> asked_;  ///< places among the weighted measures
  bool stopped_ = false;
};

}  // namespace

MethodChoice choose_method(const std::shared_ptr<const AnalysisModel>& model, const RunRequest& request,
                           RunControl& control) {
  return Pilot(model, request, control).choose();
}

}  // namespace ergode
