#include <QtTest>
#include <cmath>
#include <limits>

#include "core/base/text.h"
#include "core/results/answer.h"
#include "core/results/value_text.h"

using namespace ergode;

namespace {

MeasureResult estimate(double value, double lower, double upper) {
  MeasureResult m;
  m.estimate = value, m.lower = lower, m.upper = upper;
  return m;
}

}  // namespace

class TestValueText : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  // Oracle: the rule of JCGM 100:2008, 7.2.6, worked by hand.
  void digits_follow_the_precision_data() {
    QTest::addColumn<double>("value");
    QTest::addColumn<double>("lower");
    QTest::addColumn<double>("upper");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("interval");
    const auto row = [](const char* name, double v, double l, double u, const char* text, const char* interval) {
      QTest::newRow(name) << v << l << u << text << interval;
    };
    row("18 events", 3.79546e-06, 2.24942e-06, 5.99843e-06, "3.8e-06", "[2.2e-06, 6.0e-06]");
    row("a million replications", 0.319, 0.318086, 0.319914, "0.31900", "[0.31809, 0.31991]");
    row("one event", 0.0005, 1.26588e-05, 0.00278264, "0.00050", "[0.000013, 0.0028]");
    row("nothing seen", 0.0, 0.0, 3.7e-06, "0", "[0, 3.7e-06]");
    row("hours", 481.251, 459.305, 503.196, "481", "[459, 503]");
    row("thousands of hours", 25431.0, 24100.0, 26800.0, "25400", "[24100, 26800]");
    row("near one", 0.992139, 0.991332, 0.992946, "0.99214", "[0.99133, 0.99295]");
    row("half width just below a power of ten", 0.5, 0.4004, 0.5996, "0.50", "[0.40, 0.60]");
    row("no more digits than six", 0.123456789, 0.123456788, 0.123456790, "0.123457", "[0.123457, 0.123457]");
    row("millions", 12345678.0, 12300000.0, 12400000.0, "1.2346e+07", "[1.2300e+07, 1.2400e+07]");
    row("open above", 2.5, 1.0, std::numeric_limits<double>::infinity(), "2.5", "[1.0, ∞]");
    row("negative", -12.34, -14.0, -10.0, "-12.3", "[-14.0, -10.0]");
  }
  void digits_follow_the_precision() {
    QFETCH(double, value);
    QFETCH(double, lower);
    QFETCH(double, upper);
    const MeasureResult m = estimate(value, lower, upper);
    QTEST(QString::fromStdString(value_text(m)), "text");
    QTEST(QString::fromStdString(interval_text(m)), "interval");
  }

  void quantiles_of_whole_numbers_are_whole() {
    MeasureResult m;
    m.quantiles = {{0.5, 3.0}, {0.99, 18.0}};
    m.quantile_intervals = {{0.5, {2.0, 3.0}}, {0.99, {17.0, std::numeric_limits<double>::quiet_NaN()}}};
    const auto whole = quantile_texts(m);
    QCOMPARE(whole.at(0.5).value, std::string("3"));
    QCOMPARE(whole.at(0.99).lower, std::string("17"));
    QCOMPARE(whole.at(0.99).upper, std::string());
    m.quantiles[0.5] = 2.6;
    QCOMPARE(quantile_texts(m).at(0.99).value, std::string("18.00"));
    m.variance = 6.25, m.variance_interval = {4.0, 9.0};
    QCOMPARE(deviation_texts(m).value, std::string("2.50"));
    QCOMPARE(deviation_texts(m).upper, std::string("3.00"));
    QVERIFY(deviation_texts(MeasureResult()).value.empty());
  }

  void a_rounded_estimate_is_within_half_a_step_of_a_tenth_of_its_half_width() {
    for (int i = 0; i < 4000; ++i) {
      const double value = std::exp(-30.0 + 0.013 * i) * (i % 2 == 0 ? 1 : -1),
                   half = std::fabs(value) * (0.001 + 0.0007 * (i % 997));
      const auto back = parse_number(value_text(estimate(value, value - half, value + half)));
      QVERIFY(back.has_value());
      QVERIFY2(std::fabs(*back - value) <= 0.0505 * half + 0.5e-5 * std::fabs(value),
               qPrintable(QString::number(value)));
    }
  }

  void exact_values_have_six_digits_and_no_trailing_zeros() {
    MeasureResult m = estimate(0.32694100, 0.326941, 0.326941);
    m.exact = true;
    QCOMPARE(value_text(m), std::string("0.326941"));
    m.estimate = m.lower = m.upper = 2500;
    QCOMPARE(value_text(m), std::string("2500"));
    QCOMPARE(interval_text(m), std::string());
    m.not_available = "the event never occurred";
    QCOMPARE(value_text(m), std::string("–"));
  }

  void parts_are_rounded_like_the_estimate_they_add_up_to() {
    const MeasureResult m = estimate(0.0118, 0.0102, 0.0134);
    QCOMPARE(part_text(m, 0.0076543), std::string("0.0077"));
    QCOMPARE(part_text(m, 0.0), std::string("0"));
  }

  void kinds_of_answers_are_told_apart() {
    MeasureResult m = estimate(0.5, 0.4, 0.6);
    QCOMPARE(answer_of(m, false), Answer::estimate);
    m.exact = true;
    QCOMPARE(answer_of(m, false), Answer::bounds);
    QCOMPARE(answer_of(m, true), Answer::long_run);
    m.lower = m.upper = 0.5;
    QCOMPARE(answer_of(m, false), Answer::exact);
  }

  void no_axis_is_a_probability_of_unit_one() {
    MeasureResult m;
    for (const char* kind : {"probability_at", "probability_by", "time_average", "count", "time_to", "final_value"})
      for (const char* series : {"curve", "convergence", "distribution"}) {
        m.kind = kind;
        m.unit = m.kind == "time_to" ? "h" : "";
        const AxisWords words = axis_words(m, series, "h");
        QVERIFY(!words.x.empty() && !words.y.empty());
        QVERIFY(axis_title(words.y, words.y_unit).find("[1]") == std::string::npos);
      }
    m.kind = "probability_by";
    m.unit = "/year";
    QCOMPARE(axis_words(m, "curve", "h").y, std::string("Frequency by time t"));
    QCOMPARE(axis_title("Model time t", "h"), std::string("Model time t [h]"));
  }
};

QTEST_APPLESS_MAIN(TestValueText)
#include "tst_value_text.moc"
