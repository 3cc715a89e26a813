#include <QtTest>
#include <cmath>

#include "core/des/advance.h"
#include "core/study/result_builder.h"
#include "core/study/runner.h"
#include "solvers/simulation/stream_recorder.h"
#include "statecharts/compile/compiler.h"
#include "tests/solvers/solver_check.h"
#include "tests/support/queue_part.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// The measures of a model in which somebody makes the queue's observations; a mission of `horizon_s`.
std::vector<Measure> lowered(const Document& document, double horizon_s, Diagnostics& problems) {
  const ParameterTable parameters = ParameterTable::resolve(document, "", {}, problems);
  ModelCompiler compiler(document, parameters, {}, problems, std::make_shared<SlotTable>());
  return lower_measures(document, parameters, compiler, horizon_s, *parse_unit("s"), QueuePart::streams(), problems);
}

/// Models want a component; this one does nothing.
ModelBuilder with_a_chart(const std::string& horizon) {
  ModelBuilder m(horizon);
  ChartBuilder c(m, "Nothing");
  c.initial(c.state("Still"));
  m.component("nothing", "Nothing");
  return m;
}

/// A world's table with nothing but the time.
const SlotTable& clock_alone() {
  static const SlotTable table = [] {
    SlotTable out;
    out.close();
    return out;
  }();
  return table;
}

/// Replications of one desk.
struct StreamDesk : ReplicationSource {
  static constexpr double arrivals = 0.8, services = 1.0;
  std::vector<Measure> asked;
  std::vector<MeasureSpec> specs;
  double horizon_s;

  StreamDesk(const Document& document, double horizon) : horizon_s(horizon) {
    Diagnostics problems;
    asked = lowered(document, horizon_s, problems);
    if (has_errors(problems)) qFatal("%s", listed(problems).c_str());
    for (const Measure& measure : asked) specs.push_back(measure.spec);
  }
  std::span<const MeasureSpec> measures() const override { return specs; }
  std::string identity() const override { return "desk"; }

  struct Worker : ReplicationWorker {
    const StreamDesk& desk;
    World world{clock_alone()};
    QueuePart queue{world, arrivals, services, 7};
    NothingFlows flow;
    Advance<NothingFlows, QueuePart> loop{world, flow, queue};
    StreamRecorder recorder;
    std::vector<double> observed;
    explicit Worker(const StreamDesk& d)
        : desk(d), recorder(d.asked, QueuePart::streams(), d.horizon_s), observed(d.asked.size()) {}
    ReplicationEnd run(std::uint64_t replication, Tallies& into, const std::atomic<bool>&) override {
      recorder.begin(world, into);
      world.start();
      queue.start(replication);
      NobodyWatches nobody;
      while (loop.step(desk.horizon_s, nobody)) {
      }
      recorder.finish(observed);
      into.events += world.events;
      into.add_fingerprint(replication, world.fingerprint);
      return ReplicationEnd::whole;
    }
  };
  std::unique_ptr<ReplicationWorker> make_worker() const override { return std::make_unique<Worker>(*this); }

  ResultSet run(std::uint64_t replications, unsigned threads = 2, double confidence = 0.999) const {
    RunControl control;
    const RunOutcome outcome = run_replications(*this, {.max_replications = replications}, threads, control, {});
    ResultSet out;
    summarise(outcome, specs, confidence, "test", out);
    return out;
  }
};

ModelBuilder asking() {
  ModelBuilder m = with_a_chart("200 s");
  const auto ask = [&](const char* name, const char* type, const char* of, Value more = Value::object()) {
    more["of"] = of;
    m.measure(name, type, "", std::move(more));
  };
  ask("served", "observed_mean", "desk.service_time");
  ask("served_p95", "observed_quantile", "desk.service_time", {{"level", "0.5"}});
  ask("longest", "observed_maximum", "desk.service_time");
  ask("begun", "observed_count", "desk.service_time");
  ask("per_second", "observed_rate", "desk.service_time");
  ask("first", "observed_count", "desk.waiting_time", {{"class", "first"}});
  ask("second", "observed_count", "desk.waiting_time", {{"class", "second"}});
  return m;
}

}  // namespace

/// Intervals are at 99.9 % and seeds are fixed: about ten comparisons, a false alarm of 1 % for a fresh seed.
class TestStreams : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void observations_of_replications_have_their_closed_forms();
  void classes_part_the_observations();
  void one_long_run_covers_the_wait_of_the_queue();
  void the_same_bits_at_any_number_of_threads();
  void a_short_run_says_so();
  void a_name_that_nobody_has_is_said_with_those_there_are();
};

void TestStreams::observations_of_replications_have_their_closed_forms() {
  const ModelBuilder m = asking();
  const ResultSet r = StreamDesk(m.document(), 200.0).run(4000);
  // A service time is drawn when it begins: by Wald's identity the ratio of the means is its mean, exactly.
  compare_inside(r, "served", 1.0);
  const MeasureResult& served = *r.measure("served");
  QCOMPARE(served.method, std::string("fieller"));
  // About 600,000 exponential services: quantiles to a standard error of 0.006 at most.
  QVERIFY(std::fabs(served.quantiles.at(0.95) - std::log(20.0)) < 0.03);
  QVERIFY(std::fabs(served.quantiles.at(0.5) - std::log(2.0)) < 0.01);
  for (const double p : {0.05, 0.5, 0.75, 0.95, 0.99}) {
    const auto [lower, upper] = served.quantile_intervals.at(p);
    QVERIFY2(lower <= -std::log1p(-p) && -std::log1p(-p) <= upper && upper - lower < 0.1, std::to_string(p).c_str());
  }
  QVERIFY(served.variance_interval.lower <= 1.0 && 1.0 <= served.variance_interval.upper);
  QVERIFY(std::fabs(served.variance - 1.0) < 0.02);
  const auto distribution = std::find_if(r.series.begin(), r.series.end(), [](const Series& s) {
    return s.measure == "served" && s.kind == "distribution";
  });
  QVERIFY(distribution != r.series.end());
  QVERIFY(distribution->x.size() > 10 && distribution->lower.size() == distribution->x.size());
  for (std::size_t i = 0; i < distribution->x.size(); ++i) {
    const double share = -std::expm1(-distribution->x[i]);
    // The last points have a handful of observations beyond them.
    if (share < 0.999) QVERIFY(distribution->lower[i] <= share && share <= distribution->upper[i]);
  }
  // The median of about 155 services: biased by less than one over their number.
  QVERIFY(std::fabs(r.measure("served_p95")->estimate - std::log(2.0)) < 0.01);
  // The greatest of n exponentials is the n-th harmonic number on average.
  const double n = r.measure("begun")->estimate;
  QVERIFY(std::fabs(r.measure("longest")->estimate - (std::log(n) + 0.5772)) < 0.1);
  QVERIFY(std::fabs(r.measure("per_second")->estimate - n / 200.0) < 1e-12);
  QCOMPARE(r.measure("per_second")->unit, std::string("/s"));
}

void TestStreams::classes_part_the_observations() {
  const ModelBuilder m = asking();
  const ResultSet r = StreamDesk(m.document(), 200.0).run(200);
  const double first = r.measure("first")->estimate, second = r.measure("second")->estimate;
  QVERIFY(std::fabs(first + second - r.measure("begun")->estimate) < 1e-9);
  QVERIFY(first >= second && first - second <= 1.0);  // by turns
}

void TestStreams::one_long_run_covers_the_wait_of_the_queue() {
  ModelBuilder m = with_a_chart("60000 s");
  m.measure("wait", "steady_state_mean", "", {{"of", "desk.waiting_time"}});
  const ResultSet one = StreamDesk(m.document(), 60000.0).run(1);
  const double exact = StreamDesk::arrivals / (StreamDesk::services * (StreamDesk::services - StreamDesk::arrivals));
  compare_inside(one, "wait", exact);
  QCOMPARE(one.measure("wait")->method, std::string("batch-means"));
  const ResultSet many = StreamDesk(m.document(), 60000.0).run(20);
  compare_inside(many, "wait", exact);
  QCOMPARE(many.measure("wait")->method, std::string("replication-deletion"));
  const auto width = [](const ResultSet& r) { return r.measure("wait")->upper - r.measure("wait")->lower; };
  QVERIFY(width(many) < 0.4 * width(one));
}

void TestStreams::the_same_bits_at_any_number_of_threads() {
  ModelBuilder m = asking();
  m.measure("wait", "steady_state_mean", "", {{"of", "desk.waiting_time"}});
  const StreamDesk desk(m.document(), 500.0);
  const ResultSet one = desk.run(100, 1), three = desk.run(100, 3);
  QCOMPARE(one.fingerprint, three.fingerprint);
  for (std::size_t i = 0; i < one.measures.size(); ++i) {
    QCOMPARE(one.measures[i].estimate, three.measures[i].estimate);
    QCOMPARE(one.measures[i].upper, three.measures[i].upper);
  }
}

void TestStreams::a_short_run_says_so() {
  ModelBuilder m = with_a_chart("0.01 s");
  m.measure("wait", "steady_state_mean", "", {{"of", "desk.waiting_time"}});
  const ResultSet r = StreamDesk(m.document(), 0.01).run(1);
  QCOMPARE(r.measure("wait")->not_available, std::string("nothing was observed, or the replications are too short"));
  QVERIFY(std::isnan(r.measure("wait")->estimate));
  ModelBuilder longer = with_a_chart("400 s");
  longer.measure("wait", "steady_state_mean", "", {{"of", "desk.waiting_time"}});
  // Waits remember hundreds of customers at this load.
  QVERIFY(find_code(StreamDesk(longer.document(), 400.0).run(20).diagnostics, "RUN033") != nullptr);
}

void TestStreams::a_name_that_nobody_has_is_said_with_those_there_are() {
  const auto problem = [](const char* type, Value more) {
    ModelBuilder m = with_a_chart("100 s");
    m.measure("x", type, "", std::move(more));
    Diagnostics problems;
    lowered(m.document(), 100.0, problems);
    return problems.empty() ? Diagnostic{} : problems.front();
  };
  const Diagnostic name = problem("observed_mean", {{"of", "desk.wait"}});
  QCOMPARE(name.code, std::string("MEA009"));
  QCOMPARE(name.pointer, std::string("of"));
  QVERIFY(name.hint.find("desk.waiting_time") != std::string::npos);
  QCOMPARE(problem("observed_mean", Value::object()).code, std::string("MEA009"));
  const Diagnostic of_class = problem("observed_count", {{"of", "desk.waiting_time"}, {"class", "third"}});
  QCOMPARE(of_class.pointer, std::string("class"));
  QVERIFY(of_class.hint.find("first, second") != std::string::npos);
  QCOMPARE(problem("observed_quantile", {{"of", "desk.waiting_time"}, {"level", "95"}}).code, std::string("MEA011"));
  QCOMPARE(problem("observed_mean", {{"of", "desk.waiting_time"}, {"unit", "kg"}}).code, std::string("MEA003"));
  QCOMPARE(problem("steady_state_mean", Value::object()).code, std::string("MEA002"));
  // A model whose parts observe nothing says that.
  ModelBuilder m = with_a_chart("100 s");
  m.measure("x", "observed_mean", "", {{"of", "desk.waiting_time"}});
  Diagnostics problems;
  QVERIFY(build_model(m.document(), {}, "", problems) == nullptr);
  QVERIFY(find_code(problems, "MEA009") != nullptr);
  QCOMPARE(find_code(problems, "MEA009")->hint, std::string("No part of this model makes observations."));
}

QTEST_APPLESS_MAIN(TestStreams)
#include "tst_streams.moc"
