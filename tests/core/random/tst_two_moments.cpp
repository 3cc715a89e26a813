// Laws and arrivals of a given mean, spread and correlation have them: worked out of their phases by a plain
// elimination in long double, of the Pareto law out of its density.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "core/random/correlated_arrivals.h"
#include "core/random/distribution.h"

using namespace ergode;

namespace {

using PhaseRow = std::vector<long double>;
using PhaseMatrix = std::vector<PhaseRow>;

/// A x = b
PhaseRow solved(PhaseMatrix a, PhaseRow b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k; i < n; ++i)
      if (std::fabs(a[i][k]) > std::fabs(a[best][k])) best = i;
    std::swap(a[k], a[best]), std::swap(b[k], b[best]);
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const long double f = a[i][k] / a[k][k];
      for (std::size_t j = k; j < n; ++j) a[i][j] -= f * a[k][j];
      b[i] -= f * b[k];
    }
  }
  for (std::size_t k = 0; k < n; ++k) b[k] /= a[k][k];
  return b;
}
long double dot(const PhaseRow& a, const PhaseRow& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0L);
}

struct Moments {
  long double mean = 0, scv = 0;
};
Moments of_phases(const Distribution& law) {
  const auto phases = law.phases();
  if (!phases) return {};
  const std::size_t n = phases->rate.size();
  PhaseMatrix leaves(n, PhaseRow(n, 0));
  for (std::size_t i = 0; i < n; ++i) {
    leaves[i][i] += phases->rate[i];
    for (const auto& jump : phases->jumps[i])
      leaves[i][jump.phase] -= static_cast<long double>(phases->rate[i]) * jump.probability;
  }
  const PhaseRow first = solved(leaves, PhaseRow(n, 1)), second = solved(leaves, first);
  const PhaseRow initial(phases->initial.begin(), phases->initial.end());
  const long double mean = dot(initial, first);
  return {mean, 2 * dot(initial, second) / mean / mean - 1};
}

struct Correlated {
  long double mean = 0, scv = 0;
  std::array<long double, 3> correlation{};
};
Correlated of_arrivals(const MarkovianArrivalProcess& process) {
  const std::size_t n = process.phases();
  PhaseMatrix minus(n, PhaseRow(n)), with(n, PhaseRow(n)), all(n, PhaseRow(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      minus[i][j] = -process.without()[i * n + j], with[i][j] = process.with()[i * n + j];
    }
  // The diagonal anew: rounded to double it loses what is small beside the rest of its row.
  for (std::size_t i = 0; i < n; ++i) {
    minus[i][i] = 0;
    const long double off = std::accumulate(minus[i].begin(), minus[i].end(), 0.0L);
    minus[i][i] = std::accumulate(with[i].begin(), with[i].end(), 0.0L) - off;
    for (std::size_t j = 0; j < n; ++j) all[j][i] = with[i][j] - minus[i][j];  // turned, for pi (D0 + D1) = 0
  }
  std::fill(all[n - 1].begin(), all[n - 1].end(), 1);
  PhaseRow unit(n, 0);
  unit[n - 1] = 1;
  const PhaseRow pi = solved(all, unit);
  PhaseRow after(n, 0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) after[j] += pi[i] * with[i][j];
  const long double rate = std::accumulate(after.begin(), after.end(), 0.0L);
  for (long double& p : after) p /= rate;
  const PhaseRow first = solved(minus, PhaseRow(n, 1)), second = solved(minus, first);
  Correlated out;
  out.mean = dot(after, first);
  const long double variance = 2 * dot(after, second) - out.mean * out.mean;
  out.scv = variance / out.mean / out.mean;
  // E X0 Xk = after M (M D1)^k M 1 with M = (-D0)^-1, from the right.
  PhaseRow later = first;
  for (long double& correlation : out.correlation) {
    PhaseRow next(n, 0);
    for (std::size_t i = 0; i < n; ++i) next[i] = dot(with[i], later);
    later = solved(minus, next);
    correlation = (dot(after, solved(minus, later)) - out.mean * out.mean) / variance;
  }
  return out;
}

std::string error_of(const char* family, double mean, double scv) {
  const NamedArgument of[] = {{"mean", {mean}}, {"scv", {scv}}};
  const auto made = make_distribution(family, of);
  return std::holds_alternative<std::string>(made) ? std::get<std::string>(made) : "";
}
std::string why(const std::variant<MarkovianArrivalProcess, std::string>& made) {
  return std::holds_alternative<std::string>(made) ? std::get<std::string>(made) : "";
}
void near_to(long double seen, double wanted, double digits, const std::string& of) {
  QVERIFY2(std::fabs(seen - wanted) <= digits * std::fabs(wanted) + 1e-15,
           qPrintable(QString("%1: %2, wanted %3").arg(of.c_str()).arg(double(seen), 0, 'g', 17).arg(wanted)));
}
void check(const std::variant<MarkovianArrivalProcess, std::string>& made, double mean, double scv, double correlation,
           double decay) {
  QVERIFY2(why(made).empty(), why(made).c_str());
  const Correlated found = of_arrivals(std::get<MarkovianArrivalProcess>(made));
  const std::string of = std::to_string(scv) + " " + std::to_string(correlation) + " " + std::to_string(decay);
  near_to(found.mean, mean, 1e-9, of), near_to(found.scv, scv, 1e-9, of);
  for (std::size_t lag = 0; lag < 3; ++lag)
    QVERIFY2(std::fabs(found.correlation[lag] - correlation * std::pow(decay, double(lag))) < 1e-9, of.c_str());
}

}  // namespace

class TestTwoMoments : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void phases_have_the_moments_that_were_asked_for() {
    const std::vector<double> low{0.005, 0.0051,   0.01, 0.2,     0.21, 0.25, 1.0 / 3,
                                  0.4,   0.499999, 0.5,  0.50001, 0.7,  0.999},
        high{1.001, 1.5, 4, 90, 1e6};
    for (const char* family : {"phase_type", "coxian", "hypererlang", "hypoexponential", "hyperexponential"})
      for (const double mean : {1e-6, 2.0, 4e7})
        for (const auto* list : {&low, &high})
          for (const double scv : *list) {
            const std::string of = std::string(family) + " " + std::to_string(scv);
            if (scv < 0.02 && mean != 2.0) continue;  // so many phases once
            if (list == &low ? of.starts_with("hyperex") : of.starts_with("hypo")) continue;
            const NamedArgument two[] = {{"mean", {mean}}, {"scv", {scv}}};
            const auto made = make_distribution(family, two);
            QVERIFY2(std::holds_alternative<Distribution>(made), of.c_str());
            const auto& law = std::get<Distribution>(made);
            const Moments found = of_phases(law);
            near_to(found.mean, mean, 1e-9, of), near_to(found.scv, scv, 1e-9, of);
            near_to(law.mean(), mean, 1e-9, of), near_to(law.variance(), scv * mean * mean, 1e-9, of);
            // No law of so few phases varies less.
            if (std::string_view(family) != "hypererlang")
              QCOMPARE(law.phases()->rate.size(),
                       static_cast<std::size_t>(scv > 1 || (scv >= 0.5 && std::string_view(family) == "coxian")
                                                    ? 2
                                                    : std::ceil(1 / scv - 1e-9)));
          }
  }

  // P(X > x) = (scale / x)^shape: both are read off the law.
  void pareto_has_the_moments_that_were_asked_for() {
    for (const double scv : {1e-4, 0.05, 1.0, 4.0, 90.0}) {
      const NamedArgument two[] = {{"mean", {7}}, {"scv", {scv}}};
      const auto made = make_distribution("pareto", two);
      const auto& law = std::get<Distribution>(made);
      const long double s = law.quantile(0),
                        a = std::log(1 - law.cdf(static_cast<double>(s) * 1.1)) / std::log(1 / 1.1L);
      near_to(a * s / (a - 1), 7, 1e-9, "mean");
      near_to(1 / (a * (a - 2)), scv, 1e-9 * 90, "scv " + std::to_string(scv));
      near_to(law.mean(), 7, 1e-12, "mean"), near_to(law.variance() / 49, scv, 1e-9, "scv");
    }
    QVERIFY(error_of("pareto", 1, 1e5).empty());
  }

  void what_a_law_cannot_be_is_told_with_its_range() {
    QCOMPARE(error_of("hyperexponential", 2, 0.5),
             std::string("hyperexponential: scv is 0.5, wanted at least 1: a mixture of exponentials varies no less "
                         "than one"));
    QCOMPARE(error_of("hypoexponential", 2, 1.5),
             std::string("hypoexponential: scv is 1.5, wanted from 0.005 to 1: a sum of exponentials varies no more "
                         "than one"));
    QCOMPARE(error_of("coxian", 2, 0.004),
             std::string("coxian: scv is 0.004, wanted at least 0.005, that of 200 phases"));
    QCOMPARE(error_of("phase_type", 2, 0.004),
             std::string("phase_type: scv is 0.004, wanted at least 0.005, that of 200 phases"));
    QVERIFY(error_of("hypererlang", 2, 1e-7).ends_with(", wanted at least 0.000001, that of 1000000 phases"));
    QVERIFY(error_of("pareto", 2, 2e6).ends_with(", wanted at most 1000000"));
    for (const char* family : {"pareto", "coxian", "phase_type", "hypererlang", "hyperexponential"}) {
      QVERIFY(error_of(family, 0, 2).find("mean is 0, wanted a number > 0") != std::string::npos);
      QVERIFY(error_of(family, 1, -1).find("scv is -1, wanted a number > 0") != std::string::npos);
    }
  }

  // Whatever is asked for: a law that has it, or a sentence with the value seen and what is wanted.
  void extreme_moments_are_had_or_told() {
    const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    const double means[] = {-inf, -1, -0.0, 0, 5e-324, 1e-300, 9e-101, 1e-100, 1, 1e100, 1.1e100, 1e300, inf, nan};
    const double scvs[] = {-inf, -1,        0, 1e-300, 1e-12,   1e-6, 0.004, 0.02, 0.3, 1 - 1e-13,
                           1,    1 + 1e-13, 2, 1e6,    1000001, 1e12, 1e300, inf,  nan};
    const double mores[] = {-inf,        -1,     1e-16 - 1, -0.5, -1e-300, 0,     1e-300, 0.2,
                            0.5 - 1e-16, 0.9999, 1 - 1e-16, 1,    2,       1e300, inf,    nan};
    int made = 0, told = 0;
    const auto judge = [&](const std::string& of, const std::string& why, double mean, double scv, double wanted_mean,
                           double wanted_scv, bool nan_given) {
      if (!why.empty()) {
        ++told;
        const bool clear = why.find(", wanted ") != std::string::npos && why.find(" is ") != std::string::npos;
        QVERIFY2(clear && (nan_given || why.find("nan") == std::string::npos), (of + ": " + why).c_str());
        return;
      }
      ++made;
      QVERIFY2(
          std::fabs(mean / wanted_mean - 1) < 1e-6 && std::fabs(scv - wanted_scv) < 1e-6 * std::max(1.0, wanted_scv),
          qPrintable(QString("%1: mean %2, scv %3").arg(of.c_str()).arg(mean).arg(scv)));
    };
    for (const double mean : means)
      for (const double scv : scvs) {
        const std::string of = "mean " + std::to_string(mean) + ", scv " + std::to_string(scv);
        for (const char* family : {"gamma", "lognormal", "weibull", "pareto", "hyperexponential", "hypererlang",
                                   "hypoexponential", "coxian", "phase_type", "fitted"}) {
          const NamedArgument arguments[] = {{"mean", {mean}}, {"scv", {scv}}};
          const auto found = make_distribution(family, arguments);
          const auto* law = std::get_if<Distribution>(&found);
          judge(std::string(family) + " " + of, law != nullptr ? "" : std::get<std::string>(found),
                law != nullptr ? law->mean() : 0, law != nullptr ? law->variance() / law->mean() / law->mean() : 0,
                mean, scv, std::isnan(mean) || std::isnan(scv));
        }
        for (const double more : mores) {
          const auto process = [&](const char* which, const auto& found, double other) {
            const auto* law = std::get_if<MarkovianArrivalProcess>(&found);
            judge(which + (" " + of) + ", " + std::to_string(more) + ", " + std::to_string(other),
                  law != nullptr ? "" : std::get<std::string>(found), law != nullptr ? law->mean_s() : 0,
                  law != nullptr ? law->scv() : 0, mean, scv, std::isnan(mean + scv + more + other));
          };
          process("decay", modulated_of_moments(mean, scv, more), 0);
          process("correlation", modulated_of_correlation(mean, scv, more), 0);
          for (const double other : mores) process("map", arrivals_of_moments(mean, scv, more, other), other);
        }
      }
    QVERIFY(made > 500 && told > 500);
    QCOMPARE(why(modulated_of_correlation(1e-300, 4, 0.2)),
             std::string("mean is 1e-300, wanted one from 1e-100 to 1e100 in SI units"));
    QCOMPARE(error_of("hyperexponential", 1, 1e12),
             std::string("hyperexponential: scv is 1e+12, wanted at most 1000000"));
  }

  void modulated_arrivals_have_moments_and_correlations() {
    for (const double mean : {1e-3, 2.0, 5e6})
      for (const double scv : {1.001, 1.5, 4.0, 30.0, 1e4})
        for (const double decay : {0.0, 0.01, 0.5, 0.99, 0.9999}) {
          const double correlation = decay * (1 - 1 / scv) / 2;
          const auto made = modulated_of_moments(mean, scv, decay);
          check(made, mean, scv, correlation, decay);
          check(modulated_of_correlation(mean, scv, correlation), mean, scv, correlation, decay);
          // Arrivals leave the state as it is.
          const auto& d1 = std::get<MarkovianArrivalProcess>(made).with();
          QVERIFY(d1.size() == 4 && d1[1] == 0 && d1[2] == 0);
        }
    QCOMPARE(why(modulated_of_correlation(1, 4, 0.375)),
             std::string("correlation is 0.375, wanted from 0 to less than (1 - 1 / scv) / 2 = 0.375 with scv = 4"));
    QVERIFY(why(modulated_of_correlation(1, 1, 0.1)).starts_with("scv is 1, wanted more than 1"));
    QVERIFY(why(modulated_of_moments(1, 2, 1)).starts_with("decay is 1, wanted a number from 0 to less than 1"));
    QVERIFY(why(modulated_of_moments(-1, 2, 0.5)).starts_with("mean is -1, wanted"));
  }

  void arrivals_have_any_correlation_within_their_range() {
    for (const double mean : {1e-3, 2.0, 5e6})
      for (const double scv : {0.02, 0.05, 0.3, 0.5, 1.0, 1.5, 4.0, 100.0})
        for (const double decay : {-0.99, -0.5, 0.1, 0.5, 0.98}) {
          const double room = (scv - 0.02) / 1.02;
          const double most = (decay < 0 ? std::min(1.0, room) : room) * decay / scv;
          for (const double part : {0.0, 0.01, 0.5, 0.99})
            check(arrivals_of_moments(mean, scv, part * most, decay), mean, scv, part * most, decay);
          const std::string told = why(arrivals_of_moments(mean, scv, 1.01 * most + (most < 0 ? -1e-9 : 1e-9), decay));
          QVERIFY2(told.starts_with("correlation is ") && told.find("with scv = ") != std::string::npos, told.c_str());
        }
    QCOMPARE(why(arrivals_of_moments(1, 1, -0.1, 0.5)),
             std::string("correlation is -0.1, wanted from 0 to 0.480392 with scv = 1 and decay = 0.5"));
    QCOMPARE(why(arrivals_of_moments(1, 1, 0.1, -0.5)),
             std::string("correlation is 0.1, wanted from -0.480392 to 0 with scv = 1 and decay = -0.5"));
    QVERIFY(why(arrivals_of_moments(1, 1, 0.1, 0)).starts_with("correlation is 0.1, wanted from 0 to 0 with"));
    QVERIFY(
        why(arrivals_of_moments(1, 0.01, 0, 0)).starts_with("scv is 0.01, wanted at least 0.02, that of 50 phases"));
    QVERIFY(why(arrivals_of_moments(1, 1, 0, 1)).starts_with("decay is 1, wanted a number between -1 and 1"));
  }
};

QTEST_APPLESS_MAIN(TestTwoMoments)
#include "tst_two_moments.moc"
