// Forms that are given a mean and a spread have them.
#include <QtTest>
#include <cmath>
#include <set>

#include "core/random/moment_arguments.h"

using namespace ergode;

class TestMomentArguments : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void laws_have_the_moments_they_were_made_of() {
    std::set<std::string> families;
    for (const DistributionForm& form : distribution_forms())
      for (const double mean : {1e-3, 7.0, 4e5})
        for (const double scv : {0.0, 0.01, 0.25, 0.3, 1.0, 4.0, 90.0}) {
          const auto arguments = arguments_of_moments(form, mean, scv);
          if (!arguments) continue;
          const auto made = make_distribution(form.family, *arguments);
          const auto* law = std::get_if<Distribution>(&made);
          QVERIFY2(law != nullptr, form.family.c_str());
          const double found = law->variance() / (mean * mean);
          QVERIFY2(std::fabs(law->mean() / mean - 1) < 1e-9 && std::fabs(found - scv) <= 1e-9 * scv,
                   qPrintable(QString("%1 %2 %3").arg(form.family.c_str()).arg(law->mean() / mean).arg(found)));
          families.insert(form.family);
        }
    QCOMPARE(families.size(), std::size_t{14});
  }

  void what_a_form_cannot_be_is_not_made() {
    const auto can = [](const char* family, std::vector<std::string_view> names, double mean, double scv) {
      return arguments_of_moments(*find_distribution_form(family, names), mean, scv).has_value();
    };
    QVERIFY(!can("exponential", {"mean"}, 2, 0.5) && can("exponential", {"mean"}, 2, 1));
    QVERIFY(!can("erlang", {"k", "mean"}, 2, 0.3) && can("erlang", {"k", "rate"}, 2, 0.2));
    QVERIFY(!can("hyperexponential", {"p", "rate"}, 2, 1) && can("hyperexponential", {"p", "rate"}, 2, 1.1));
    QVERIFY(!can("deterministic", {"value"}, 2, 1) && !can("gamma", {"shape", "rate"}, 2, 0));
    QVERIFY(!can("fitted", {"mean", "scv"}, 0, 1) && !can("fitted", {"mean", "scv"}, 1, -1));
    QVERIFY(!can("empirical", {"values"}, 2, 1) && !can("lognormal", {"median", "ef"}, 2, 1));
  }
};

QTEST_APPLESS_MAIN(TestMomentArguments)
#include "tst_moment_arguments.moc"
