#include "solvers/simulation/long_run/one_long_run.h"
#include "solvers/simulation/known_means.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <thread>

#include "core/base/special_values.h"
#include "core/base/text.h"
#include "core/results/value_text.h"
#include "core/stats/sequential.h"
#include "core/study/precision_goals.h"
#include "core/study/result_builder.h"
#include "core/study/runner.h"
#include "solvers/simulation/long_run/long_run_question.h"
#include "solvers/simulation/long_run/long_run_recorder.h"
#include "solvers/simulation/model_history.h"
#include "solvers/simulation/replication_pulse.h"
#include "solvers/simulation/simulation_options.h"
#include "solvers/simulation/unfinished.h"

namespace ergode {
namespace {

constexpr double publish_period_s = 0.5;
constexpr double zero_patience_s = 3.0;           // with what cannot be told from 0, as run_replications() has
constexpr double growth_without_precision = 1.1;  // between looks
constexpr double points_on_the_way = 20.0;        // of the course of a run whose length is given
constexpr std::size_t convergence_limit = 400, distribution_points = 100;

constexpr std::array<double, 5> table_levels = {0.5, 0.9, 0.95, 0.99, 0.999};

WarmUpRule rule_of(const std::string& word) {
  return word == "none" ? WarmUpRule::none : word == "mser-5" ? WarmUpRule::mser_5 : WarmUpRule::heidelberger_welch;
}

Interval within(Interval ends, const Support& support) {
  return {std::max(ends.lower, support.least), std::min(ends.upper, support.greatest)};
}

double finite(double x) { return std::isfinite(x) ? x : nan; }

class OneLongRun {
 public:
  OneLongRun(const AnalysisModel& model, const RunRequest& request, RunControl& control, ResultSet out)
      : model_(model),
        request_(request),
        options_(simulation_options().read(request)),
        control_(control),
        out_(std::move(out)),
        groups_(model),
        history_(model, groups_, request.seed.value_or(model.seed)),
        recorder_(model, rule_of(options_.warm_up), options_.control_variates != "none"),
        convergence_(model.measures.size()),
        widths_(model.measures.size()),
        goals_(long_run_goals(model, request)) {
    const PrecisionGoals never = long_run_never_reaches(model, request);
    for (std::size_t m = 0; m < model.measures.size(); ++m)
      if (const MeasureSpec& spec = model.measures[m].spec; never.of(m) > 0.0)
        never_.push_back(
            {.measure = spec.id, .element = spec.element, .wanted = never.of(m), .reached = infinity, .sound = false});
  }

  ResultSet solve() {
    try {
      out_.stop_reason = go_on();
      control_.show_first(std::nullopt);
      out_.status = out_.stop_reason == "cancelled" ? RunStatus::partial : RunStatus::complete;
    } catch (const ModelFailure& failure) {
      out_.status = RunStatus::failed;
      out_.stop_reason = failure.diagnostic.message;
      out_.diagnostics.push_back(failure.diagnostic);
    }
    if (out_.status != RunStatus::failed) {
      ResultSet last = results(true);
      publish(last);
      return last;
    }
    return results(true);
  }

 private:
  double clock_s() const {
    if (control_.clock_s) return control_.clock_s();
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  double elapsed_s() const { return clock_s() - begun_s_ - control_.paused_s; }

  /// @returns why it ended
  std::string go_on() {
    begun_s_ = clock_s();
    recorder_.begin(history_.world());
    history_.others().heed([this] { return asked_to_stop() != nullptr; });
    bool started = false;
    try {
      history_.start(0);
      started = true;
      recorder_.start();
      return simulate();
    } catch (const GivenUp&) {
      // Up to the moment at which much happened measures have seen all.
      if (started) recorder_.until(length_s_ = history_.world().now());
      const char* const why = asked_to_stop();
      return why != nullptr ? why : "cancelled";
    }
  }

  std::string simulate() {
    next_point_s_ = model_.horizon_s / points_on_the_way;
    const std::uint32_t period = events_between_polls(model_.charts);
    const double most_s = model_.horizon_s * static_cast<double>(options_.longest);
    std::uint32_t left = period;
    const bool waits = goals_.any();
    SequentialPrecision rule(1.0);  // of what is wanted
    for (double end_s = model_.horizon_s, growth = 1.0;; end_s = std::min(end_s * growth, most_s)) {
      while (history_.step(end_s, recorder_)) {
        if (--left != 0) continue;
        left = period;
        if (const char* why = ended()) return why;
      }
      recorder_.until(end_s);
      length_s_ = end_s;
      look();
      // Without a precision to wait for, the mission is what was asked for.
      if (!waits && !request_.wall_time_s) return "mission time";
      // Without one it goes on until its time is over.
      if (!waits) growth = growth_without_precision;
      else if (const auto further = rule.look(reach_, all_precise(awaited_))) growth = *further;
      else return precise();
      if (end_s >= most_s) return rule.precise() && waits ? precise() : "length limit";
      if (const char* why = ended()) return why;
    }
  }

  /// Why a run ends that has reached all it waited for.
  const char* precise() const { return never_.empty() ? "precision" : "precision of what it answers"; }

  const char* asked_to_stop() const {
    if (control_.stop.stop_requested()) return "cancelled";
    return request_.wall_time_s && elapsed_s() >= *request_.wall_time_s ? "wall_time" : nullptr;
  }

  /// Whether somebody, or the time, ends it in the middle; waits while it is paused.
  const char* ended() {
    while (control_.pause.load(std::memory_order_relaxed) && !control_.stop.stop_requested())
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const char* const why = asked_to_stop();
    const World& world = history_.world();
    if (why == nullptr) note_course();
    if (why != nullptr) {
      recorder_.until(world.now());
      length_s_ = world.now();
    } else if (elapsed_s() - published_s_ >= publish_period_s) {
      // As far as it has come: to bring it up to now would let the clock on the wall decide about digits.
      published_s_ = elapsed_s();
      length_s_ = world.now();
      // Only a mission of given length has an end that can be told.
      if (!goals_.any() && !request_.wall_time_s)
        control_.show_first(FirstReplication::of(length_s_ / model_.horizon_s, published_s_));
      publish(results(false));
    }
    return why;
  }

  /// A run that ends at a length that was given is looked at once: on its way, after so many events, it shows where it
  /// goes. As far as its batches have come, so that nothing is cut for it.
  void note_course() {
    const double now_s = history_.world().now();
    if (goals_.any() || request_.wall_time_s || now_s < next_point_s_) return;
    next_point_s_ = now_s + model_.horizon_s / points_on_the_way;
    for (std::size_t m = 0; m < model_.measures.size(); ++m) {
      if (!no_long_run_answer(model_, model_.measures[m]).empty()) continue;
      const Estimate e = shown(recorder_.answer(m, request_.confidence), model_.measures[m].spec);
      if (!std::isnan(e.value)) convergence_[m].push_back({now_s, e});
    }
  }

  /// Of what is waited for the interval allows for a run that ends where it is narrow.
  LongRunAnswer answer(std::size_t m) {
    LongRunAnswer out = recorder_.answer(m, request_.confidence);
    out.estimate = widths_[m].widened(out.estimate, length_s_);
    return out;
  }

  Estimate shown(const LongRunAnswer& answer, const MeasureSpec& spec) const {
    const double scale = spec.factor / spec.unit_scale;
    const Interval ends = within(answer.estimate.ends, spec.support);
    const bool bounded = !std::isnan(answer.estimate.standard_error);
    return {scale * answer.estimate.value, bounded ? finite(scale * ends.lower) : nan,
            bounded ? finite(scale * ends.upper) : nan};
  }

  /// Notes how far the measures are.
  void look() {
    recorder_.catch_up();
    const bool any = std::any_of(model_.measures.begin(), model_.measures.end(), [this](const Measure& m) {
      return m.spec.headline && no_long_run_answer(model_, m).empty();
    });
    const bool waits = goals_.any();
    worst_ = reach_ = 0.0;
    awaited_.clear();
    for (std::size_t m = 0; m < model_.measures.size(); ++m) {
      const MeasureSpec& spec = model_.measures[m].spec;
      if (!no_long_run_answer(model_, model_.measures[m]).empty()) continue;
      LongRunAnswer answer = recorder_.answer(m, request_.confidence);
      if (waits) widths_[m].look(answer.estimate, length_s_);
      answer.estimate = widths_[m].widened(answer.estimate, length_s_);
      const Estimate e = shown(answer, spec);
      if (convergence_[m].size() < convergence_limit && !std::isnan(e.value)) convergence_[m].push_back({length_s_, e});
      const double wanted = goals_.of(m);
      if (waits ? wanted == 0.0 : any && !spec.headline) continue;
      // What never changed says nothing of what it tends to, unless it cannot be anything else.
      const bool changed = answer.estimate.standard_error > 0.0;
      const bool settled = !changed && unchanged_is_known(answer.estimate.value, spec.support);
      const bool trusted =
          settled || (answer.estimate.independent && !answer.estimate.too_few_apart() && !answer.no_warm_up);
      const double reach = relative_reach(e.value, {e.lower, e.upper});
      worst_ = std::max(worst_, trusted ? reach : infinity);
      if (!waits) continue;
      reach_ = std::max(reach_, reach / wanted);
      awaited_.push_back({.measure = spec.id,
                          .element = spec.element,
                          .wanted = wanted,
                          .reached = changed || settled ? reach : infinity,
                          .sound = trusted,
                          .from_zero = settled || !std::isfinite(answer.estimate.value) ||
                                       known_from_zero(e.value, {e.lower, e.upper}, spec.support)});
    }
    if (!told_of_zero_ && elapsed_s() >= zero_patience_s)
      for (Diagnostic& d : waits_for_zero(awaited_)) told_of_zero_ = true, control_.tell(std::move(d));
  }

  void publish(ResultSet results) {
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->done = 0, snapshot->elapsed_s = elapsed_s();
    snapshot->worst_relative_half_width = worst_;
    snapshot->results = std::move(results);
    control_.publish(std::move(snapshot));
  }

  /// @param all  with distributions, which cost some milliseconds each, and what there is to be warned of
  ResultSet results(bool all) {
    if (all) recorder_.catch_up();
    ResultSet out = out_;
    out.replications = 1;
    out.events = history_.world().events;
    Tallies hash;
    hash.add_fingerprint(0, history_.world().fingerprint);
    for (int shift = 60; shift >= 0; shift -= 4) out.fingerprint += "0123456789abcdef"[hash.fingerprint >> shift & 15U];
    ResultTable table{.name = "long_run",
                      .title = "One long run of " + time(length_s_),
                      .solver = "simulation",
                      .columns = {{"Measure"},
                                  {"Quantity"},
                                  {"Unit"},
                                  {"Value"},
                                  {"Lower"},
                                  {"Upper"},
                                  {"Batches"},
                                  {"Observations or time per batch"}},
                      .rows = {}};
    for (std::size_t m = 0; m < model_.measures.size(); ++m) add(m, all, out, table);
    table.note = "Ends of intervals at " + number_text(100.0 * request_.confidence, 4) +
                 " %. Times per batch in s. Variances are of single observations, or of the value over time." +
                 controls_used();
    out.tables.push_back(std::move(table));
    std::vector<AwaitedPrecision> wanted = awaited_;
    wanted.insert(wanted.end(), never_.begin(), never_.end());
    if (!wanted.empty())
      out.tables.push_back(precision_table(wanted, goals_.left_out, "Farther end, relative", "simulation"));
    if (!all) return out;
    for (Diagnostic& d : waits_for_zero(awaited_)) out.diagnostics.push_back(std::move(d));
    const UnfinishedStays unfinished(model_);
    std::vector<double> left(unfinished.sums(), 0.0);
    unfinished.count(history_.world().slots(), left);
    unfinished.warn(left, 1, out.diagnostics);
    std::optional<double> left_s;
    if (request_.wall_time_s) left_s = *request_.wall_time_s - elapsed_s();
    // Measures are answered: what is observed from here on is of no use to them.
    if (out.status != RunStatus::failed) history_.others().end(length_s_);
    if (out.status != RunStatus::failed) add_tables_of_parts(model_, patience_for_tables(control_, left_s), out);
    for (Diagnostic& one : unlikely_means(model_, out)) out.diagnostics.push_back(std::move(one));
    return out;
  }

  /// " Corrected by control variates: queue_length by desk.busy (mean 0.9)."
  std::string controls_used() {
    std::string out;
    for (std::size_t m = 0; m < model_.measures.size(); ++m) {
      if (!no_long_run_answer(model_, model_.measures[m]).empty()) continue;
      const LoweredPart::KnownMean* const by = recorder_.answer(m, request_.confidence).control;
      if (by == nullptr) continue;
      out += out.empty() ? " Corrected by control variates, of which the mean is known: " : ", ";
      out += model_.measures[m].spec.id + " by " + by->name + " (" + number_text(by->mean, 6) + ")";
    }
    return out.empty() ? out : out + ".";
  }

  std::string time(double s) const {
    return number_text(model_.time_unit.from_si(s), 6) + " " + model_.time_unit.symbol;
  }

  void add(std::size_t m, bool all, ResultSet& out, ResultTable& table) {
    const Measure& measure = model_.measures[m];
    const MeasureSpec& spec = measure.spec;
    MeasureResult r;
    r.id = spec.id, r.label = spec.label, r.kind = spec.kind->word, r.unit = spec.unit, r.element = spec.element;
    r.confidence = request_.confidence, r.solver = "simulation";
    r.estimate = r.lower = r.upper = r.standard_error = nan;
    if (const std::string why = no_long_run_answer(model_, measure); !why.empty()) {
      r.not_available = why;
      out.measures.push_back(std::move(r));
      return;
    }
    const LongRunAnswer answer = this->answer(m);
    const Estimate e = shown(answer, spec);
    const double scale = spec.factor / spec.unit_scale;
    r.estimate = e.value, r.lower = e.lower, r.upper = e.upper;
    r.standard_error = scale * answer.estimate.standard_error;
    r.replications = answer.estimate.batches;
    r.method = spec.kind->renewal ? "regenerative" : "batch-means";
    r.warm_up = answer.warm_up;
    if (not_finite(answer)) r.not_available = not_finite_reason;
    else if (std::isnan(r.estimate))
      r.not_available = is_ratio(measure) ? "what it is divided by cannot be told from 0" : spec.kind->unseen;
    const auto row = [&](const std::string& what, const std::string& unit, double factor, const BatchMeans& of,
                         const Support& support) {
      const Interval ends = within(of.ends, support);
      table.rows.push_back({spec.id, what, unit, factor * of.value, finite(factor * ends.lower),
                            finite(factor * ends.upper), static_cast<double>(of.batches),
                            of.batch_size > 0.0 ? of.batch_size : nan});
    };
    row(quantity(measure), spec.unit, scale, answer.estimate, spec.support);
    if (all && !not_finite(answer)) {
      const auto variance = recorder_.variance(m, request_.confidence);
      if (variance && !std::isnan(variance->value)) {
        const Interval ends = within(variance->ends, {.least = 0.0});
        r.variance = scale * scale * variance->value;
        r.variance_interval = {finite(scale * scale * ends.lower), finite(scale * scale * ends.upper)};
        row("variance", squared_unit(spec.unit), scale * scale, *variance, {.least = 0.0});
      }
    }
    const StreamDistribution* values = recorder_.distribution(m);
    if (all && values != nullptr && values->n() > 0) add_distribution(measure, answer.warm_up, *values, r, out, row);
    if (!convergence_[m].empty()) out.series.push_back(convergence(m));
    if (all) warn(measure, answer, out.diagnostics);
    out.measures.push_back(std::move(r));
  }

  static bool is_ratio(const Measure& measure) { return measure.spec.kind->meaning == MeasureKind::Meaning::ratio; }

  /// There were observations, and no mean of them.
  static bool not_finite(const LongRunAnswer& answer) {
    return answer.estimate.batches > 0 && !std::isfinite(answer.estimate.value);
  }

  static std::string quantity(const Measure& measure) {
    switch (measure.spec.kind->meaning) {
      case MeasureKind::Meaning::observed_quantile:
        return "quantile " + number_text(measure.level);
      case MeasureKind::Meaning::observed_share:
        return "share";
      case MeasureKind::Meaning::observed_rate:
        return "rate";
      case MeasureKind::Meaning::ratio:
        return "ratio";
      default:
        return "mean";
    }
  }

  template <class Row>
  void add_distribution(const Measure& measure, double warm_up, const StreamDistribution& values, MeasureResult& r,
                        ResultSet& out, const Row& row) {
    const MeasureSpec& spec = measure.spec;
    const double scale = spec.factor / spec.unit_scale;
    const Quantiles left = values.distribution(warm_up);
    const bool lasting = spec.lasting;
    for (const double p : told_levels) {
      BatchMeans q = values.quantile(p, warm_up, left, request_.confidence);
      if (lasting) q.batch_size *= recorder_.part_s();
      const Interval ends = within(q.ends, spec.support);
      r.quantiles[p] = scale * q.value;
      r.quantile_intervals[p] = {finite(scale * ends.lower), finite(scale * ends.upper)};
      if (std::find(table_levels.begin(), table_levels.end(), p) != table_levels.end())
        row("p" + number_text(100.0 * p), spec.unit, scale, q, spec.support);
    }
    Series curve = distribution_of(spec, "simulation");
    const std::vector<std::pair<double, double>> shares = left.distribution(distribution_points);
    const std::vector<Interval> ends = values.shares(shares, warm_up, request_.confidence);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const auto [x, share] = shares[i];
      curve.x.push_back(scale * x), curve.y.push_back(share);
      curve.lower.push_back(std::clamp(ends[i].lower, 0.0, share));
      curve.upper.push_back(std::clamp(ends[i].upper, share, 1.0));
    }
    out.series.push_back(std::move(curve));
  }

  Series convergence(std::size_t m) const {
    const MeasureSpec& spec = model_.measures[m].spec;
    Series out = series_of(spec, "convergence", "simulation");
    out.x_label = "Length of the run", out.x_unit = model_.time_unit.symbol;
    for (const auto& [length_s, e] : convergence_[m]) {
      out.x.push_back(model_.time_unit.from_si(length_s)), out.y.push_back(e.value);
      out.lower.push_back(e.lower), out.upper.push_back(e.upper);
    }
    return out;
  }

  void warn(const Measure& measure, const LongRunAnswer& answer, Diagnostics& to) const {
    Diagnostic out{.severity = Severity::warning,
                   .code = "RUN039",
                   .element = measure.spec.element,
                   .message = "\"" + measure.spec.id + "\": ",
                   .hint = goals_.any() ? "Let the run be longer: --longest."
                                        : "Make the run longer: a longer mission time, or a --precision to wait for."};
    const BatchMeans& e = answer.estimate;
    if (not_finite(answer)) {
      out.code = "RUN028";
      out.message +=
          "it was infinite, no number or too great to be added up at some moment; wanted a finite number at all times.";
      out.hint = "Step through the run: look for " + std::string(not_finite_causes);
    } else if (is_ratio(measure) && std::isnan(e.value)) {
      out.message += "what it is divided by cannot be told from 0 in this run.";
    } else if (std::isnan(e.standard_error)) out.message += "too little was observed for an interval.";
    else if (e.standard_error == 0.0) {
      if (measure.spec.support.least == measure.spec.support.greatest) return;
      out.message += "it stayed the same all along, which does not say what it tends to.";
    } else if (measure.spec.kind->renewal) {
      if (e.independent) return;
      out.message += std::to_string(answer.cycles) + " cycles were completed; wanted at least 500.";
    } else if (answer.no_warm_up) {
      out.message += "the rule " + options_.warm_up +
                     " found no warm-up after which the run is stationary; half of it was left out.";
    } else if (e.too_few_apart()) {
      out.message += "it departed from one and the same value in only " + std::to_string(e.apart) +
                     " of its batches; wanted at least " + std::to_string(BatchMeans::fewest_apart) +
                     ", because its interval may be too narrow.";
    } else if (!e.independent) {
      out.message += "the means of its " + std::to_string(e.batches) + " batches depend on each other (correlation " +
                     number_text(e.correlation, 2) + "), so its interval may be too narrow.";
    } else {
      return;
    }
    to.push_back(std::move(out));
  }

  const AnalysisModel& model_;
  const RunRequest& request_;
  const SimulationOptions options_;
  RunControl& control_;
  ResultSet out_;
  CcfProgram groups_;
  ModelHistory history_;
  LongRunRecorder recorder_;
  std::vector<std::vector<std::pair<double, Estimate>>> convergence_;  ///< by measure: length [s] and what was known
  std::vector<WidthBefore> widths_;                                    ///< by measure, while the run waits
  double begun_s_ = 0.0, published_s_ = 0.0, length_s_ = 0.0, next_point_s_ = 0.0;
  const PrecisionGoals goals_;
  std::vector<AwaitedPrecision> awaited_;  ///< at the last look
  std::vector<AwaitedPrecision> never_;    ///< of measures that it does not answer, for which it does not wait
  double reach_ = infinity;                ///< the greatest of what is reached over what is wanted
  double worst_ = infinity;                ///< what is reached, of all that count; infinity where it cannot be trusted
  bool told_of_zero_ = false;
};

}  // namespace

ResultSet solve_one_long_run(const AnalysisModel& model, const RunRequest& request, RunControl& control,
                             ResultSet out) {
  return OneLongRun(model, request, control, std::move(out)).solve();
}

}  // namespace ergode
