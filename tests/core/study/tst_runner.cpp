#include <QtTest>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <random>
#include <stdexcept>
#include <thread>

#include "core/base/sha256.h"
#include "core/random/random_stream.h"
#include "core/study/result_builder.h"
#include "core/study/runner.h"

using namespace ergode;
using namespace std::chrono_literals;

namespace {

/// A component that fails at an exponential time; three measures, one of each way of counting.
struct FailureModel : ReplicationSource {
  std::vector<MeasureSpec> specs;
  std::uint64_t throw_at = ~0ULL;
  bool exhausts = false;  // the memory, where it throws
  std::uint64_t endless_at = ~0ULL;
  std::shared_ptr<std::atomic<int>> stuck = std::make_shared<std::atomic<int>>(0);  // workers in an endless replication
  bool first_endless = false;
  std::shared_ptr<std::atomic<int>> begun = std::make_shared<std::atomic<int>>(0);  // replications
  std::chrono::microseconds pace{0};
  std::uint64_t paced_from = 0;
  static constexpr double mission = 10.0;

  FailureModel() : specs(3) {
    specs[0] = {.id = "failed",
                .label = "Failed by the end",
                .kind = &measure_kind("probability_by"),
                .proportion = true,
                .headline = true,
                .grid_s = {0, 2.5, 5, 7.5, 10}};
    specs[1] = {.id = "down",
                .label = "Time down",
                .kind = &measure_kind("final_value"),
                .unit = "min",
                .unit_scale = 60,
                .grid_s = {0, 5, 10}};
    specs[2] = {
        .id = "time", .label = "Time to failure", .kind = &measure_kind("time_to"), .unit = "s", .samples = true};
    const auto split = std::make_shared<const Split>(
        Split{"cause", "", {{"none", "none"}, {"own", "own"}, {"some", "some"}, {"all", "all"}}});
    for (MeasureSpec& spec : specs) spec.split = split;
  }
  std::span<const MeasureSpec> measures() const override { return specs; }
  std::string method = "failures";
  std::string identity() const override { return method; }
  double share = std::nan("");
  double share_under_way() const override { return share; }
  bool speaks = false;
  std::optional<Diagnostic> late(double waited_s) const override {
    if (!speaks || waited_s < 3.0) return std::nullopt;
    return Diagnostic{.severity = Severity::warning, .code = "RUN031"};
  }

  struct Worker : ReplicationWorker {
    const FailureModel& model;
    explicit Worker(const FailureModel& m) : model(m) {}
    ReplicationEnd run(std::uint64_t replication, Tallies& into, const std::atomic<bool>& give_up) override {
      ++*model.begun;
      if (replication == model.throw_at && model.exhausts) throw std::bad_alloc();
      if (replication == model.throw_at) throw std::runtime_error("division by zero in guard");
      if (model.pace.count() > 0 && replication >= model.paced_from) std::this_thread::sleep_for(model.pace);
      if (replication >= model.endless_at || (model.first_endless && replication == 0)) {
        into.measures[0].hit(0);  // Something half done that must not be counted.
        ++*model.stuck;
        while (!give_up.load(std::memory_order_relaxed)) std::this_thread::sleep_for(1ms);
        return ReplicationEnd::given_up;
      }
      RandomStream stream(stream_key(5, "failure"), replication);
      const double time = 20 * stream.exponential();
      const SplitPart part = stream.uniform() < 0.25 ? 3 : 1;
      const bool failed = time <= mission;
      into.measures[0].observe(failed, failed ? part : 0);
      for (std::size_t i = 0; i < 5; ++i)
        if (model.specs[0].grid_s[i] >= time) {
          into.measures[0].hit_from(i);
          break;
        }
      into.measures[1].observe(failed ? mission - time : 0.0, part);
      for (std::size_t i = 0; i < 3; ++i) into.measures[1].add_curve(i, std::max(0.0, model.specs[1].grid_s[i] - time));
      if (failed) into.measures[2].observe(time);
      ++into.events;
      into.add_fingerprint(replication, stream.draws() ^ static_cast<std::uint64_t>(time * 1e6));
      return ReplicationEnd::whole;
    }
  };
  std::unique_ptr<ReplicationWorker> make_worker() const override { return std::make_unique<Worker>(*this); }
};

RunOutcome run(const FailureModel& model, const StoppingRule& rule, unsigned threads) {
  RunControl control;
  return run_replications(model, rule, threads, control, {});
}

/// Every number of the results as text that keeps all bits.
QByteArray bits(const RunOutcome& outcome, const FailureModel& model) {
  ResultSet set;
  summarise(outcome, model.specs, 0.95, "test", set);
  QByteArray out = QByteArray::fromStdString(set.fingerprint + set.stop_reason);
  const auto add = [&](double x) { out += QByteArray::number(std::bit_cast<quint64>(x), 16) + ' '; };
  for (const MeasureResult& m : set.measures) {
    for (const double x : {m.estimate, m.lower, m.upper, m.standard_error}) add(x);
    if (m.shares)
      for (const auto& [part, share] : *m.shares) add(share);
    for (const auto& [p, x] : m.quantiles) add(x);
  }
  for (const Series& s : set.series)
    for (const auto* list : {&s.x, &s.y, &s.lower, &s.upper})
      for (const double x : *list) add(x);
  return out;
}

double seconds_since(std::chrono::steady_clock::time_point begun) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

}  // namespace

class TestRunner : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void batches_tile_the_replications();
  void estimates_hold_the_closed_form();
  void bits_are_the_same_at_any_number_of_threads();
  void precision_stop_is_the_same_at_any_number_of_threads();
  void cancelling_keeps_the_contiguous_prefix();
  void cancelling_ends_an_endless_replication();
  void a_run_taken_up_again_has_the_bits_of_one_that_was_not_interrupted();
  void a_run_of_a_second_has_something_to_go_on_from();
  void a_saved_state_that_is_damaged_or_of_another_run_is_refused();
  void an_altered_state_of_the_right_digest_ends_nothing_but_its_run();
  void wall_time_ends_an_endless_run();
  void no_replication_within_the_wall_time_is_no_answer();
  void who_waits_for_a_first_replication_is_told_once();
  void who_waits_for_one_replication_that_others_overtake_is_told_so();
  void how_far_the_first_replication_is_can_be_asked_while_none_has_ended();
  void an_exception_keeps_what_came_before_it();
  void a_worker_that_cannot_be_made_fails_the_run();
  void pausing_holds_the_replications();
  void snapshots_are_published_and_converge();
  void every_convergence_line_reaches_the_present_count();
  void a_slow_model_is_seen_to_move_five_times_a_second();
};

void TestRunner::batches_tile_the_replications() {
  for (const std::uint64_t target : {0ULL, 1ULL, 33ULL, 1000000ULL}) {
    std::uint64_t at = 0;
    for (std::uint64_t i = 0; i < 1000; ++i) {
      const BatchBounds b = batch_bounds(i, target);
      QCOMPARE(b.first, at);
      QVERIFY(b.end - b.first <= 4096 && (b.end - b.first) * 32 <= std::max<std::uint64_t>(b.first, 32));
      QVERIFY(b.end > b.first || at == target);
      at = b.end;
    }
    QVERIFY(target == 0 || at == target);
  }
}

void TestRunner::estimates_hold_the_closed_form() {
  const FailureModel model;
  const RunOutcome outcome = run(model, {.max_replications = 200000}, 2);
  QCOMPARE(outcome.stop_reason, std::string("replications"));
  QCOMPARE(outcome.status, RunStatus::complete);
  QCOMPARE(outcome.tallies.replications, std::uint64_t{200000});
  QCOMPARE(outcome.tallies.events, std::uint64_t{200000});
  ResultSet set;
  summarise(outcome, model.specs, 0.999, "test", set);
  const double p = -std::expm1(-0.5);
  // A 99.9 % interval at a fixed seed; the same stream decides it for ever.
  QVERIFY(set.measures[0].lower < p && p < set.measures[0].upper);
  const double down = 10 - 20 * p;
  QVERIFY(set.measures[1].lower < down / 60 && down / 60 < set.measures[1].upper);
  const double time = (20 * p - 10 * std::exp(-0.5)) / p;
  QVERIFY(set.measures[2].lower < time && time < set.measures[2].upper);
  QVERIFY(std::fabs(set.measures[2].quantiles.at(0.5) + 20 * std::log(1 - p / 2)) < 0.05);
  const Series& curve = set.series[0];
  QCOMPARE(curve.kind, std::string("curve"));
  QCOMPARE(curve.y.size(), std::size_t{5});
  QCOMPARE(curve.y[0], 0.0);
  QCOMPARE(curve.y[4], set.measures[0].estimate);
  QVERIFY(curve.lower[2] < -std::expm1(-0.25) && -std::expm1(-0.25) < curve.upper[2]);
}

void TestRunner::bits_are_the_same_at_any_number_of_threads() {
  const FailureModel model;
  const StoppingRule rule{.max_replications = 150001};
  const QByteArray one = bits(run(model, rule, 1), model);
  for (const unsigned threads : {2U, 3U, 8U}) QCOMPARE(bits(run(model, rule, threads), model), one);
}

void TestRunner::precision_stop_is_the_same_at_any_number_of_threads() {
  const FailureModel model;
  const StoppingRule rule{.precision = {.relative = {0.01, 0.0, 0.0}}};
  const RunOutcome one = run(model, rule, 1);
  QCOMPARE(one.stop_reason, std::string("precision"));
  // z^2 (1 - p) / (p precision^2) replications, up to one batch (3 %) and the noise of p.
  const double p = -std::expm1(-0.5);
  const double wanted = 1.96 * 1.96 * (1 - p) / p / 1e-4;
  QVERIFY(std::fabs(static_cast<double>(one.tallies.replications) / wanted - 1) < 0.1);
  QVERIFY(worst_relative_half_width(one.tallies, model.specs, rule.precision, 0.95) <= 0.01);
  for (const unsigned threads : {2U, 3U, 8U}) QCOMPARE(bits(run(model, rule, threads), model), bits(one, model));
}

void TestRunner::cancelling_keeps_the_contiguous_prefix() {
  FailureModel model;
  for (const unsigned threads : {1U, 3U}) {
    RunControl control;
    model.pace = 100us;
    RunOutcome partial;
    std::thread runner([&] { partial = run_replications(model, {}, threads, control, {}); });
    std::this_thread::sleep_for(150ms);
    control.stop.request_stop();
    runner.join();
    QCOMPARE(partial.status, RunStatus::partial);
    QCOMPARE(partial.stop_reason, std::string("cancelled"));
    const std::uint64_t n = partial.tallies.replications;
    QVERIFY(n > 0 && partial.tallies.measures[0].n() == n);
    model.pace = 0us;
    const RunOutcome whole = run(model, {.max_replications = n}, 1);
    QCOMPARE(partial.tallies.fingerprint, whole.tallies.fingerprint);
    QCOMPARE(partial.tallies.measures[0].hits(), whole.tallies.measures[0].hits());
    QCOMPARE(partial.tallies.measures[0].successes(), whole.tallies.measures[0].successes());
  }
}

void TestRunner::cancelling_ends_an_endless_replication() {
  FailureModel model;
  model.endless_at = 20;
  RunControl control;
  RunOutcome outcome;
  std::thread runner([&] { outcome = run_replications(model, {}, 2, control, {}); });
  while (*model.stuck < 2) std::this_thread::sleep_for(1ms);
  control.stop.request_stop();
  runner.join();
  QCOMPARE(outcome.tallies.replications, std::uint64_t{20});
  QCOMPARE(outcome.tallies.measures[0].hits()[0], std::uint64_t{0});
  QCOMPARE(outcome.status, RunStatus::partial);
}

/// What a run that is cancelled after a while leaves behind.
std::string interrupted(FailureModel model, unsigned threads, std::chrono::milliseconds after,
                        const std::string& from = {}) {
  model.pace = 100us;
  RunControl control;
  control.checkpoint_period_s = 1e-3;
  control.resume_from = from;
  std::thread runner([&] { run_replications(model, {.max_replications = 20001}, threads, control, {}); });
  std::this_thread::sleep_for(after);
  control.stop.request_stop();
  runner.join();
  const auto saved = control.checkpoint();
  return saved == nullptr ? std::string() : *saved;
}

// By a clock that stands still before the first second is over: the period would be five.
void TestRunner::a_run_of_a_second_has_something_to_go_on_from() {
  FailureModel model;
  model.pace = 100us;
  std::atomic<int> asked{0};
  RunControl control;
  control.checkpoint_period_s = 5.0;
  control.clock_s = [&asked] { return std::min(0.9, 0.05 * asked.fetch_add(1)); };
  std::thread runner([&] { run_replications(model, {.max_replications = 100'000'000}, 2, control, {}); });
  for (int i = 0; i < 2000 && control.checkpoint() == nullptr; ++i) std::this_thread::sleep_for(5ms);
  const auto early = control.checkpoint();  // another comes when it is stopped
  control.stop.request_stop();
  runner.join();
  QVERIFY(early != nullptr);
}

void TestRunner::a_run_taken_up_again_has_the_bits_of_one_that_was_not_interrupted() {
  const FailureModel model;
  const StoppingRule rule{.max_replications = 20001};
  const QByteArray whole = bits(run(model, rule, 1), model);
  for (const unsigned threads : {1U, 2U, 3U}) {
    const std::string once = interrupted(model, threads, 60ms);
    const std::string twice = interrupted(model, 4 - threads, 60ms, once);
    for (const std::string& saved : {once, twice}) {
      QVERIFY(!saved.empty());
      RunControl control;
      control.resume_from = saved;
      const RunOutcome outcome = run_replications(model, rule, 4 - threads, control, {});
      QCOMPARE(QString::fromStdString(outcome.error), QString());
      QCOMPARE(bits(outcome, model), whole);
    }
  }
}

void TestRunner::a_saved_state_that_is_damaged_or_of_another_run_is_refused() {
  FailureModel model;
  const std::string saved = interrupted(model, 2, 60ms);
  const auto taken_up = [&](const std::string& from) {
    RunControl control;
    control.resume_from = from;
    const RunOutcome outcome = run_replications(model, {.max_replications = 20001}, 2, control, {});
    return outcome.tallies.replications == 0 && outcome.status == RunStatus::failed ? outcome.error : "ran";
  };
  for (std::size_t i = 0; i < saved.size(); i += 37) {
    std::string damaged = saved;
    damaged[i] = static_cast<char>(damaged[i] ^ 4);
    QVERIFY(taken_up(damaged).find("damaged") != std::string::npos);
    QVERIFY(taken_up(saved.substr(0, i)).find(i == 0 ? "ran" : "damaged") != std::string::npos);
  }
  model.method = "other";
  QVERIFY(taken_up(saved).find("of another run: it was failures") != std::string::npos);
}

namespace {

/// One measure of each estimator, among them a stream with more values than are kept as they are.
struct EveryTally : ReplicationSource {
  std::vector<MeasureSpec> specs;
  std::uint64_t throws_at = 0;
  explicit EveryTally(std::uint64_t at = ~0ULL) : specs(6), throws_at(at) {
    specs[0] = {.id = "by", .kind = &measure_kind("probability_by"), .proportion = true, .grid_s = {0, 5, 10}};
    specs[1] = {.id = "final", .kind = &measure_kind("final_value"), .unit = "s", .grid_s = {0, 5, 10}};
    specs[2] = {.id = "observed", .kind = &measure_kind("final_value"), .unit = "s", .samples = true};
    specs[3].id = "few", specs[3].kind = &measure_kind("time_to"), specs[3].samples = true;
    specs[4].id = "ratio", specs[5].id = "settles";
    for (const MeasureKind& kind : measure_kinds()) {
      if (kind.estimator == MeasureKind::Estimator::ratio && specs[4].kind->estimator != kind.estimator)
        specs[4].kind = &kind;
      if (kind.estimator == MeasureKind::Estimator::long_run) specs[5].kind = &kind;
    }
    specs[0].split = std::make_shared<const Split>(Split{"cause", "", {{"none", "none"}, {"own", "own"}}});
  }
  std::span<const MeasureSpec> measures() const override { return specs; }
  std::size_t sums() const override { return 2; }
  std::string identity() const override { return "every tally"; }

  struct Worker : ReplicationWorker {
    std::uint64_t throws_at;
    explicit Worker(std::uint64_t at) : throws_at(at) {}
    ReplicationEnd run(std::uint64_t replication, Tallies& into, const std::atomic<bool>&) override {
      if (replication == throws_at) throw std::runtime_error("enough");
      RandomStream stream(stream_key(5, "every"), replication);
      const double time = 20 * stream.exponential();
      into.measures[0].observe(time <= 10.0, time <= 10.0 ? 1 : 0);
      if (time <= 10.0) into.measures[0].hit_from(static_cast<std::size_t>(std::ceil(time / 5.0)));
      into.measures[1].observe(time);
      for (std::size_t i = 0; i < 3; ++i) into.measures[1].add_curve(i, time * static_cast<double>(i));
      into.measures[2].observe(1.0 + stream.uniform());
      for (int i = 0; i < 40; ++i) into.measures[2].sample(i == 0 ? -1.5 : 1.0 + stream.uniform());
      if (time <= 1.0) into.measures[3].observe(std::floor(100.0 * time));
      into.measures[4].observe_ratio(time, stream.exponential());
      RunPath path(10.0);
      for (int i = 0; i < 20; ++i) path.hold(stream.uniform(), 0.5);
      into.measures[5].observe_long_run(path);
      into.sums[0] += time, ++into.events;
      return ReplicationEnd::whole;
    }
  };
  std::unique_ptr<ReplicationWorker> make_worker() const override { return std::make_unique<Worker>(throws_at); }
};

}  // namespace

void TestRunner::an_altered_state_of_the_right_digest_ends_nothing_but_its_run() {
  const EveryTally model;
  std::uint64_t made = 1200;  // 48,000 observations
  RunControl first;
  first.checkpoint_period_s = 1.0;
  QVERIFY(!run_replications(EveryTally(made), {}, 1, first, {}).error.empty());
  QVERIFY(first.checkpoint() != nullptr);
  constexpr std::size_t digest = 64;
  const std::string body = first.checkpoint()->substr(digest);
  std::memcpy(&made, body.data() + body.size() - 3 * sizeof made, sizeof made);
  const auto taken_up = [&](std::string altered) {
    altered.insert(0, sha256_hex(altered));
    RunControl again;
    again.resume_from = altered;
    const auto results = [&](const RunOutcome& so_far) {
      ResultSet set;
      summarise(so_far, model.specs, 0.95, "test", set);
      return set;
    };
    try {
      return run_replications(model, {.max_replications = made + 50}, 1, again, results).error;
    } catch (const std::exception& e) {
      return std::string(e.what());
    }
  };
  QCOMPARE(QString::fromStdString(taken_up(body)), QString());
  std::mt19937_64 random(7);
  std::size_t refused = 0, tried = 0;
  const auto alter = [&](std::size_t bytes, const auto& place) {
    std::string altered = body;
    for (std::size_t i = 0; i < bytes; ++i) {
      char& c = altered[place()];
      c = static_cast<char>(static_cast<unsigned char>(c) ^ (1 + random() % 255));
    }
    ++tried, refused += taken_up(std::move(altered)).empty() ? 0 : 1;
  };
  // Before and after the long lists of numbers stand sizes and counts.
  for (std::size_t at = 0; at < body.size(); at += at < 300 || at + 1200 > body.size() ? 1 : 97)
    alter(1, [at] { return at; });
  for (const std::size_t bytes : {1U, 2U, 8U, 64U})
    for (int i = 0; i < 200; ++i) alter(bytes, [&] { return random() % body.size(); });
  QVERIFY2(refused > tried / 4, qPrintable(QString("%1 of %2").arg(refused).arg(tried)));
}

void TestRunner::no_replication_within_the_wall_time_is_no_answer() {
  FailureModel model;
  model.endless_at = 0;
  const RunOutcome outcome = run(model, {.wall_time_s = 0.05}, 2);
  QCOMPARE(outcome.stop_reason, std::string("wall_time"));
  QCOMPARE(outcome.status, RunStatus::partial);
}

void TestRunner::wall_time_ends_an_endless_run() {
  const FailureModel model;
  const auto begun = std::chrono::steady_clock::now();
  const RunOutcome outcome = run(model, {.wall_time_s = 0.2}, 2);
  QVERIFY(seconds_since(begun) >= 0.2);
  QCOMPARE(outcome.stop_reason, std::string("wall_time"));
  QCOMPARE(outcome.status, RunStatus::complete);
  QVERIFY(outcome.tallies.replications > 0);
  QVERIFY(outcome.elapsed_s >= 0.2);
}

void TestRunner::who_waits_for_a_first_replication_is_told_once() {
  for (const bool endless : {true, false}) {
    FailureModel model;
    model.speaks = true;
    model.endless_at = endless ? 0 : 5;
    RunControl outer, control;
    control.outer = &outer;
    double clock = 0.0;
    // Asked by one thread, every 10 ms. It stands until both workers wait, however slow the machine is.
    control.clock_s = [&] { return *model.stuck == 2 ? clock += 0.25 : clock; };
    const RunOutcome outcome = run_replications(model, {.wall_time_s = 8.0}, 2, control, {});
    QCOMPARE(outcome.stop_reason, std::string("wall_time"));
    QVERIFY(control.told().empty());
    QCOMPARE(outer.told().size(), endless ? 1U : 0U);
    QCOMPARE(outcome.late.has_value(), endless);
    ResultSet kept;
    summarise(outcome, model.specs, 0.95, "test", kept);
    QCOMPARE(std::count_if(kept.diagnostics.begin(), kept.diagnostics.end(),
                           [](const Diagnostic& d) { return d.code == "RUN031"; }),
             endless ? 1 : 0);
  }
}

void TestRunner::who_waits_for_one_replication_that_others_overtake_is_told_so() {
  FailureModel model;
  model.speaks = true, model.first_endless = true;
  RunControl control;
  double clock = 0.0;
  // It stands until the other worker is at its second one, however slow the machine is.
  control.clock_s = [&] { return *model.begun >= 3 ? clock += 0.25 : clock; };
  const RunOutcome outcome = run_replications(model, {.wall_time_s = 5.0}, 2, control, {});
  QCOMPARE(outcome.tallies.replications, 0U);
  QCOMPARE(control.told().size(), 1U);
  const std::string said = control.told().front().message;
  QVERIFY2(said.find("Replication 0 has not ended") == 0 && said.find("later ones have") != std::string::npos,
           said.c_str());
}

void TestRunner::how_far_the_first_replication_is_can_be_asked_while_none_has_ended() {
  for (const double share : {0.25, std::nan("")}) {
    FailureModel model;
    model.endless_at = 0, model.share = share;
    RunControl control;
    double clock = 0.0;
    std::optional<FirstReplication> seen;
    control.clock_s = [&] {
      if (control.first()) seen = control.first();
      return *model.stuck == 1 ? clock += 0.25 : clock;
    };
    run_replications(model, {.wall_time_s = 2.0}, 1, control, {});
    QCOMPARE(seen.has_value(), !std::isnan(share));
    if (seen) {
      QCOMPARE(seen->share, 0.25);
      QVERIFY2(seen->left_s > 0.0 && seen->left_s <= 6.0, qPrintable(QString::number(seen->left_s)));
    }
    QVERIFY(!control.first());
  }
}

void TestRunner::an_exception_keeps_what_came_before_it() {
  FailureModel model;
  model.throw_at = 5000;
  const RunOutcome one = run(model, {.max_replications = 100000}, 1);
  QCOMPARE(one.status, RunStatus::failed);
  QCOMPARE(one.error, std::string("replication 5000: division by zero in guard"));
  QCOMPARE(one.stop_reason, one.error);
  QVERIFY(one.tallies.replications > 4800 && one.tallies.replications <= 5000);
  for (const unsigned threads : {2U, 8U})
    QCOMPARE(bits(run(model, {.max_replications = 100000}, threads), model), bits(one, model));
  model.exhausts = true;
  QCOMPARE(run(model, {.max_replications = 100000}, 2).error,
           std::string("replication 5000 needs more memory than there is"));
  // A rule that is satisfied earlier never hears of it.
  QCOMPARE(run(model, {.max_replications = 4000}, 4).status, RunStatus::complete);
}

void TestRunner::a_worker_that_cannot_be_made_fails_the_run() {
  struct : FailureModel {
    std::unique_ptr<ReplicationWorker> make_worker() const override { throw std::runtime_error("no memory"); }
  } model;
  const RunOutcome outcome = run(model, {.max_replications = 10}, 2);
  QCOMPARE(outcome.status, RunStatus::failed);
  QCOMPARE(outcome.error, std::string("the run could not go on: no memory"));
}

void TestRunner::pausing_holds_the_replications() {
  FailureModel model;
  model.pace = 100us;
  RunControl control;
  control.pause = true;
  // A second passes each time somebody looks.
  int looks = 0, looks_during_pause = 0;
  control.clock_s = [&] {
    looks_during_pause += control.pause ? 1 : 0;
    return static_cast<double>(++looks);
  };
  RunOutcome outcome;
  std::thread runner([&] {
    outcome =
        run_replications(model, {.max_replications = 100}, 2, control, [](const RunOutcome&) { return ResultSet(); });
  });
  std::this_thread::sleep_for(200ms);
  const bool nothing_yet = control.latest() == nullptr;
  control.pause = false;
  runner.join();
  QVERIFY(nothing_yet);
  QCOMPARE(outcome.tallies.replications, std::uint64_t{100});
  QVERIFY(outcome.elapsed_s <= looks - looks_during_pause + 1);  // The pause does not count.
  QCOMPARE(bits(outcome, model), bits(run(model, {.max_replications = 100}, 1), model));
}

void TestRunner::snapshots_are_published_and_converge() {
  const FailureModel model;
  RunControl control;
  int made = 0;
  const auto begun = std::chrono::steady_clock::now();
  const RunOutcome outcome = run_replications(model, {.wall_time_s = 0.5}, 2, control, [&](const RunOutcome& so_far) {
    ++made;
    ResultSet set;
    summarise(so_far, model.specs, 0.95, "test", set);
    return set;
  });
  QVERIFY2(made >= 1 && made <= 2 + static_cast<int>(seconds_since(begun) / 0.05), std::to_string(made).c_str());
  const auto last = control.latest();
  QVERIFY(last);
  QCOMPARE(last->done, outcome.tallies.replications);
  QCOMPARE(last->results.measures.size(), std::size_t{3});
  QVERIFY(last->worst_relative_half_width < 0.1);
  for (const auto& points : outcome.convergence) {
    QVERIFY(points.size() >= 20 && points.size() <= 400);
    QCOMPARE(points.back().replications, outcome.tallies.replications);
    for (std::size_t i = 1; i < points.size(); ++i) QVERIFY(points[i].replications > points[i - 1].replications);
  }
}

void TestRunner::every_convergence_line_reaches_the_present_count() {
  const FailureModel model;
  RunControl control;
  int wrong = 0, seen = 0;
  run_replications(model, {.wall_time_s = 0.5}, 2, control, [&](const RunOutcome& so_far) {
    ResultSet set;
    summarise(so_far, model.specs, 0.95, "test", set);
    for (const Series& s : set.series) {
      if (s.kind != "convergence") continue;
      ++seen;
      const MeasureResult& m = *set.measure(s.measure);
      wrong +=
          s.x.back() != static_cast<double>(set.replications) || s.y.back() != m.estimate || s.upper.back() != m.upper;
    }
    return set;
  });
  QVERIFY(seen >= 9);
  QCOMPARE(wrong, 0);
}

// Batches have reached their full size of 4,096 replications, which take four seconds each.
void TestRunner::a_slow_model_is_seen_to_move_five_times_a_second() {
  FailureModel model;
  model.paced_from = 150000;
  model.pace = 1ms;
  RunControl control;
  std::vector<std::uint64_t> counts;
  run_replications(model, {.wall_time_s = 4.0}, 2, control, [&](const RunOutcome& so_far) {
    if (so_far.tallies.replications > model.paced_from) counts.push_back(so_far.tallies.replications);
    return ResultSet();
  });
  QVERIFY2(counts.size() >= 15, std::to_string(counts.size()).c_str());
  QVERIFY(std::is_sorted(counts.begin(), counts.end()));
}

QTEST_GUILESS_MAIN(TestRunner)
#include "tst_runner.moc"
