#include <QtTest>

#include "core/results/occurrence.h"

using namespace ergode;

namespace {

MeasureResult mean_over(std::uint64_t observations, const char* kind = "time_to") {
  MeasureResult m;
  m.kind = kind;
  m.estimate = 486.8, m.lower = 480.0, m.upper = 494.0;
  m.unit = "h";
  m.replications = observations;
  return m;
}

}  // namespace

class TestOccurrence : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  // Oracle: shares worked by hand.
  void the_share_of_the_histories_that_enter_is_said() {
    const auto note = [](std::uint64_t observations, std::uint64_t of) {
      return QString::fromStdString(occurrence_note(mean_over(observations), of));
    };
    QCOMPARE(note(1738, 10000), QStringLiteral("in 17.4 % of the histories"));
    QCOMPARE(note(1, 2), QStringLiteral("in 50 % of the histories"));
    QCOMPARE(note(1, 300), QStringLiteral("in 0.333 % of the histories"));
    QCOMPARE(note(99999, 100000), QStringLiteral("in 99.999 % of the histories"));
    QCOMPARE(note(9996, 10000), QStringLiteral("in 99.96 % of the histories"));
    QCOMPARE(note(19999998, 20000000), QStringLiteral("in 99.99999 % of the histories"));
  }

  void nothing_is_said_where_every_history_enters() {
    QVERIFY(occurrence_note(mean_over(500), 500).empty());
    QVERIFY(occurrence_note(mean_over(500), 0).empty());
    for (const char* kind : {"probability_at", "probability_by", "time_average", "count", "final_value", "ratio",
                             "steady_state_mean", "regenerative_mean", "observed_count", "of a newer version"})
      QVERIFY2(occurrence_note(mean_over(100, kind), 500).empty(), kind);
    QCOMPARE(QString::fromStdString(occurrence_note(mean_over(100, "observed_maximum"), 500)),
             QStringLiteral("in 20 % of the histories"));
  }

  void a_quantile_of_observations_says_what_it_is_a_mean_of() {
    QCOMPARE(QString::fromStdString(occurrence_note(mean_over(500, "observed_quantile"), 500)),
             QStringLiteral("the mean of each mission's own quantile"));
    QCOMPARE(QString::fromStdString(occurrence_note(mean_over(100, "observed_quantile"), 500)),
             QStringLiteral("the mean of each mission's own quantile, in 20 % of the histories"));
  }

  void nothing_is_said_of_what_is_no_estimate() {
    MeasureResult none = mean_over(0);
    none.not_available = "the event never occurred";
    QVERIFY(occurrence_note(none, 500).empty());
    MeasureResult exact = mean_over(0);
    exact.exact = true;
    QVERIFY(occurrence_note(exact, 500).empty());
  }

  // A count of weighted histories says nothing of their probability.
  void weighted_histories_have_no_share() {
    MeasureResult weighted = mean_over(400);
    weighted.effective_samples = 12.5;
    QCOMPARE(QString::fromStdString(occurrence_note(weighted, 500)),
             QStringLiteral("in those histories in which it happened"));
  }
};

QTEST_APPLESS_MAIN(TestOccurrence)
#include "tst_occurrence.moc"
