#include <QtTest>
#include <cmath>

#include "core/stats/interval.h"
#include "core/study/result_builder.h"

using namespace ergode;

namespace {

/// Common-cause groups split like this.
std::shared_ptr<const Split> by_cause() {
  return std::make_shared<const Split>(
      Split{"cause",
            "",
            {{"none", "none"}, {"independent", "independent"}, {"non_lethal", "non-lethal"}, {"lethal", "lethal"}}});
}

}  // namespace

class TestResultBuilder : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void proportions_are_scaled_with_their_interval();
  void shares_add_up_to_the_estimate();
  void always_up_has_an_interval_whatever_the_parts();
  void hits_count_intervals_of_the_grid();
  void an_event_that_never_occurred_is_not_available();
  void values_that_are_no_numbers_are_said();
  void a_ratio_over_nothing_is_said();
  void means_carry_student_intervals_in_their_unit();
  void without_a_replication_every_measure_says_so();
  void merged_tallies_equal_one();
  void an_estimate_lies_in_its_interval();
  void times_of_few_replications_are_remarked_on();
};

void TestResultBuilder::an_estimate_lies_in_its_interval() {
  // Ratios whose pairs hardly differ: the ends are apart by roundings, and the ratio is rounded by itself.
  MeasureSpec spec;
  spec.id = "r", spec.kind = &measure_kind("ratio");
  for (int k = 1; k <= 2000; ++k) {
    MeasureTally tally(spec);
    for (int i = 0; i < 7; ++i) {
      const double per = 3.0 + 0.1 * k;
      tally.observe_ratio(per * 0.10826697191539195, per * (1.0 + i * 1e-17));
    }
    const Estimate e = estimate(tally, spec, 0.95);
    QVERIFY2(e.lower <= e.value && e.value <= e.upper, qPrintable(QString::number(k)));
  }
  // What integration may be off by is the least that an interval reaches to.
  MeasureSpec level;
  level.id = "level", level.kind = &measure_kind("final_value"), level.numerical_error = 1e-6;
  level.unit_scale = 0.5, level.support = {0.0, 2.0};
  MeasureTally same(level), spread(level), full(level);
  for (int i = 0; i < 9; ++i) same.observe(1.0), spread.observe(i), full.observe(2.0);
  const Estimate narrow = estimate(same, level, 0.95), end = estimate(full, level, 0.95);
  QVERIFY(narrow.lower <= 2.0 - 2e-6 && narrow.upper >= 2.0 + 2e-6);
  QCOMPARE(end.upper, 4.0);
  level.numerical_error = 0.0;
  const Estimate without = estimate(spread, level, 0.95);
  level.numerical_error = 1e-6;
  QCOMPARE(estimate(spread, level, 0.95).lower, without.lower);
}

void TestResultBuilder::times_of_few_replications_are_remarked_on() {
  MeasureSpec spec;
  spec.id = "t", spec.kind = &measure_kind("time_to"), spec.support.least = 0.0;
  const auto remarked = [&](int happened, std::uint64_t replications) {
    RunOutcome outcome;
    outcome.tallies = Tallies(std::span(&spec, 1));
    outcome.tallies.replications = replications;
    for (int i = 0; i < happened; ++i) outcome.tallies.measures[0].observe(1.0 + i);
    ResultSet out;
    summarise(outcome, std::span(&spec, 1), 0.95, "s", out);
    return std::any_of(out.diagnostics.begin(), out.diagnostics.end(),
                       [](const Diagnostic& d) { return d.code == "RUN035"; });
  };
  QVERIFY(remarked(1, 60) && remarked(5, 60) && remarked(9, 10));
  QVERIFY(!remarked(0, 60) && !remarked(10, 60) && !remarked(5, 5));
}

void TestResultBuilder::proportions_are_scaled_with_their_interval() {
  const MeasureSpec spec{.id = "cdf", .unit = "1/yr", .unit_scale = 1.0 / 31536000, .factor = 2e-9, .proportion = true};
  MeasureTally tally(spec);
  for (int i = 0; i < 100; ++i) tally.observe(i < 10 ? 1 : 0);
  const MeasureResult r = summarise_measure(tally, spec, 0.95, "simulation");
  const double scale = 2e-9 * 31536000;
  QVERIFY(std::fabs(r.estimate / (0.1 * scale) - 1) < 1e-14);
  QVERIFY(std::fabs(r.lower / (0.05522914 * scale) - 1) < 1e-7);
  QVERIFY(std::fabs(r.upper / (0.17436566 * scale) - 1) < 1e-7);
  QVERIFY(std::fabs(r.standard_error / (0.03 * scale) - 1) < 1e-12);
  QCOMPARE(r.method, std::string("wilson"));
  MeasureTally rare(spec);
  for (int i = 0; i < 100; ++i) rare.observe(0);
  const MeasureResult none = summarise_measure(rare, spec, 0.95, "simulation");
  QCOMPARE(none.method, std::string("clopper-pearson"));
  QVERIFY(none.estimate == 0 && none.lower == 0 && none.upper > 0);
  QVERIFY(std::isinf(relative_half_width(estimate(rare, spec, 0.95), spec.support)));
}

void TestResultBuilder::always_up_has_an_interval_whatever_the_parts() {
  // 0.7 + 0.1 + 0.2 misses 1 by a rounding: it is the end of the support all the same, and was seen 100 times.
  MeasureSpec spec;
  spec.id = "up", spec.kind = &measure_kind("time_average"), spec.support = {0.0, 1.0};
  MeasureTally tally(spec);
  for (int i = 0; i < 100; ++i)
    tally.observe_split(i % 2 == 0 ? std::array<double, 4>{0.7, 0.1, 0.2, 0.0}
                                   : std::array<double, 4>{1.0, 0.0, 0.0, 0.0});
  const MeasureResult r = summarise_measure(tally, spec, 0.95, "simulation");
  QCOMPARE(r.method, std::string("no-variation"));
  QVERIFY(std::fabs(r.lower - std::pow(0.025, 0.01)) < 1e-12);
  QCOMPARE(r.upper, 1.0);
}

void TestResultBuilder::shares_add_up_to_the_estimate() {
  const MeasureSpec proportion{.id = "p", .proportion = true, .split = by_cause()};
  MeasureTally p(proportion);
  for (int i = 0; i < 12; ++i) p.observe(i % 2, static_cast<SplitPart>(i % 4));
  const auto shares = *summarise_measure(p, proportion, 0.95, "s").shares;
  QCOMPARE(shares.at("independent"), 0.25);
  QCOMPARE(shares.at("lethal"), 0.25);
  QCOMPARE(shares.at("none") + shares.at("independent") + shares.at("non_lethal") + shares.at("lethal"), 0.5);

  const MeasureSpec average{.id = "a", .split = by_cause()};
  MeasureTally a(average);
  a.observe_split(std::array<double, 4>{0, 0.5, 0, 0.25});
  a.observe(1.25, 2);
  const MeasureResult r = summarise_measure(a, average, 0.95, "s");
  QCOMPARE(r.estimate, 1.0);
  QCOMPARE(r.shares->at("independent"), 0.25);
  QCOMPARE(r.shares->at("non_lethal"), 0.625);
  QCOMPARE(r.shares->at("lethal"), 0.125);
}

void TestResultBuilder::hits_count_intervals_of_the_grid() {
  const MeasureSpec spec{.id = "p", .proportion = true, .grid_s = {0, 1, 2, 3}};
  MeasureTally t(spec);
  t.hit(1, 3);
  t.hit(3);
  t.hit_from(2);
  t.hit_from(4);  // After the last grid point: nowhere.
  t.hit(2, 2);
  QCOMPARE(t.hits(), (std::vector<std::uint64_t>{0, 1, 2, 2}));
  MeasureTally without{MeasureSpec{.id = "p", .proportion = true}};
  without.hit_from(0);
  QVERIFY(without.hits().empty());
}

void TestResultBuilder::an_event_that_never_occurred_is_not_available() {
  const std::vector<MeasureSpec> specs{
      {.id = "t", .kind = &measure_kind("time_to"), .unit = "h", .unit_scale = 3600, .samples = true}};
  RunOutcome outcome;
  outcome.tallies = Tallies(specs);
  outcome.tallies.replications = 1000;
  outcome.tallies.fingerprint = 0x0123456789abcdefULL;
  outcome.convergence.resize(1);
  ResultSet set;
  summarise(outcome, specs, 0.95, "s", set);
  QVERIFY(std::isnan(set.measures[0].estimate) && std::isnan(set.measures[0].lower));
  QCOMPARE(set.measures[0].not_available, std::string("the event never occurred"));
  QCOMPARE(set.measures[0].replications, std::uint64_t{0});
  QVERIFY(set.measures[0].quantiles.empty());
  QCOMPARE(set.fingerprint, std::string("0123456789abcdef"));
}

void TestResultBuilder::values_that_are_no_numbers_are_said() {
  const std::vector<MeasureSpec> specs{
      {.id = "x", .kind = &measure_kind("final_value"), .samples = true},
      {.id = "w", .kind = &measure_kind("probability_by"), .weighted = WeightHealth{}}};
  RunOutcome outcome;
  outcome.tallies = Tallies(specs);
  Tallies other(specs);
  const double values[] = {1.0, std::nan(""), 2.0, INFINITY};
  for (std::uint64_t r = 0; r < 4; ++r) {
    Tallies& to = r < 2 ? outcome.tallies : other;
    to.measures[0].observe(values[r]), to.measures[1].observe(0.0);
    for (MeasureTally& tally : to.measures) tally.end_replication(r);
    ++to.replications;
  }
  outcome.tallies.merge(other);
  ResultSet set;
  set.provenance.seed = 7;
  summarise(outcome, specs, 0.95, "s", set);
  QCOMPARE(set.diagnostics.size(), std::size_t{2});
  QCOMPARE(set.diagnostics[0].code, std::string("RUN028"));
  QVERIFY2(set.diagnostics[0].message.find("2 observations of 4 replications, first in replication 1 of seed 7") !=
               std::string::npos,
           set.diagnostics[0].message.c_str());
  QCOMPARE(set.diagnostics[1].code, std::string("RUN026"));
  QVERIFY(set.diagnostics[1].message.find("no replication of 4 reached it") != std::string::npos);
  QVERIFY(std::isnan(set.measures[0].estimate));
  QVERIFY(set.measures[0].not_available.find("infinite, no number") != std::string::npos);
  // The median of the two that are numbers is not that of all four.
  QVERIFY(set.measures[0].quantiles.empty());
  QVERIFY(std::none_of(set.series.begin(), set.series.end(), [](const Series& s) { return s.kind == "distribution"; }));
}

void TestResultBuilder::a_ratio_over_nothing_is_said() {
  const std::vector<MeasureSpec> specs{{.id = "x", .kind = &measure_kind("ratio")},
                                       {.id = "y", .kind = &measure_kind("ratio")}};
  RunOutcome outcome;
  outcome.tallies = Tallies(specs);
  for (const double per : {0.0, 0.0, 0.0}) {
    outcome.tallies.measures[0].observe_ratio(2.0, per);
    outcome.tallies.measures[1].observe_ratio(2.0, 1.0);
    ++outcome.tallies.replications;
  }
  ResultSet set;
  summarise(outcome, specs, 0.95, "s", set);
  QVERIFY(!set.measures[0].answered() && set.measures[1].answered());
  QCOMPARE(set.diagnostics.size(), std::size_t{1});
  QCOMPARE(set.diagnostics[0].code, std::string("RUN028"));
  QCOMPARE(set.diagnostics[0].severity, Severity::warning);
  QVERIFY2(set.diagnostics[0].message.find("\"x\" has no value") != std::string::npos &&
               set.diagnostics[0].message.find("3 replications") != std::string::npos,
           set.diagnostics[0].message.c_str());
}

void TestResultBuilder::means_carry_student_intervals_in_their_unit() {
  const std::vector<MeasureSpec> specs{{.id = "t",
                                        .kind = &measure_kind("time_to"),
                                        .unit = "h",
                                        .unit_scale = 3600,
                                        .samples = true,
                                        .grid_s = {0, 7200}}};
  RunOutcome outcome;
  outcome.tallies = Tallies(specs);
  for (const double hours : {1.0, 2.0, 3.0, 4.0}) {
    outcome.tallies.measures[0].observe(hours * 3600);
    outcome.tallies.measures[0].add_curve(1, hours * 3600);
  }
  outcome.tallies.replications = 4;
  ResultSet set;
  summarise(outcome, specs, 0.95, "s", set);
  const MeasureResult& r = set.measures[0];
  const double half = 3.182446 * std::sqrt(5.0 / 3 / 4);  // t(0.975, 3) of the published table
  QVERIFY(std::fabs(r.estimate - 2.5) < 1e-12);
  QVERIFY(std::fabs(r.upper - (2.5 + half)) < 1e-6);
  QCOMPARE(r.method, std::string("student-t"));
  QVERIFY(!r.shares);
  QCOMPARE(r.quantiles.at(0.5), 2.0);
  const Series& curve = set.series[0];
  QCOMPARE(curve.x, (std::vector<double>{0, 2}));
  QCOMPARE(curve.y[0], 0.0);
  QVERIFY(std::fabs(curve.upper[1] - r.upper) < 1e-9);
  QCOMPARE(set.series[1].kind, std::string("distribution"));
  QCOMPARE(set.series[1].x, (std::vector<double>{1, 2, 3, 4}));
  QCOMPARE(set.series[1].y.back(), 1.0);
}

void TestResultBuilder::without_a_replication_every_measure_says_so() {
  const std::vector<MeasureSpec> specs{{.id = "time", .kind = &measure_kind("time_to"), .samples = true},
                                       {.id = "limit", .kind = &measure_kind("steady_state_mean")}};
  RunOutcome outcome;
  outcome.tallies = Tallies(specs);
  ResultSet out;
  summarise(outcome, specs, 0.95, "test", out);
  for (const MeasureResult& m : out.measures) QCOMPARE(m.not_available, std::string("no replication was made"));
}

void TestResultBuilder::merged_tallies_equal_one() {
  const std::vector<MeasureSpec> specs{{.id = "p", .proportion = true, .split = by_cause(), .grid_s = {0, 1}},
                                       {.id = "m", .samples = true}};
  Tallies one(specs), a(specs), b(specs);
  for (std::uint64_t i = 0; i < 100; ++i)
    for (Tallies* t : {&one, i < 40 ? &a : &b}) {
      t->measures[0].observe(i % 3 == 0, SplitPart{3});
      t->measures[0].hit_from(i % 3);
      t->measures[1].observe(static_cast<double>(i));
      t->add_fingerprint(i, i * i);
      ++t->replications;
    }
  a.merge(b);
  QCOMPARE(a.replications, one.replications);
  QCOMPARE(a.fingerprint, one.fingerprint);
  QCOMPARE(a.measures[0].successes(SplitPart{3}), std::uint64_t{34});
  QCOMPARE(a.measures[0].hits(), one.measures[0].hits());
  QCOMPARE(a.measures[1].distribution().quantile(0.5), 49.0);
  QVERIFY(std::fabs(a.measures[1].values().variance() - one.measures[1].values().variance()) < 1e-10);
  a.clear();
  QCOMPARE(a.measures[0].n() + a.measures[1].n() + a.replications + a.fingerprint, std::uint64_t{0});
  QCOMPARE(a.measures[0].hits(), (std::vector<std::uint64_t>{0, 0}));
}

QTEST_APPLESS_MAIN(TestResultBuilder)
#include "tst_result_builder.moc"
