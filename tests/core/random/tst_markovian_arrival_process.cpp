// Arrivals with memory: moments against closed forms of two phases, draws against moments.
#include <QtTest>
#include <cmath>
#include <numeric>

#include "core/random/markovian_arrival_process.h"

using namespace ergode;

namespace {

MarkovianArrivalProcess made(std::variant<MarkovianArrivalProcess, std::string> found) {
  if (const auto* why = std::get_if<std::string>(&found)) qFatal("%s", why->c_str());
  return std::get<MarkovianArrivalProcess>(std::move(found));
}
MarkovianArrivalProcess mmpp(double a, double b, double leaves_a, double leaves_b) {
  return made(MarkovianArrivalProcess::modulated(std::vector{a, b}, std::vector{leaves_a, leaves_b}));
}
std::string refused(std::vector<double> d0, std::vector<double> d1) {
  const auto found = MarkovianArrivalProcess::make(std::move(d0), std::move(d1));
  return std::holds_alternative<std::string>(found) ? std::get<std::string>(found) : "none";
}
bool nearly(double a, double b, double relative = 1e-12) { return std::fabs(a - b) <= relative * std::fabs(b); }

}  // namespace

class TestMarkovianArrivalProcess : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  // Fischer and Meier-Hellstern, The Markov-modulated Poisson process cookbook, Performance Evaluation 18, 1993: of two
  // phases mean, dispersion of counts, and the ratio in which correlations fall are rational in the four rates.
  void two_modulated_rates_have_their_closed_forms() {
    for (const auto& [a, b, s, t] :
         {std::array{10.0, 1.0, 0.1, 0.02}, {3.0, 0.0, 1.0, 2.0}, {5.0, 5.0, 1.0, 3.0}, {1e3, 1.0, 1e-3, 1e-4}}) {
      const MarkovianArrivalProcess p = mmpp(a, b, s, t);
      const double rate = (a * t + b * s) / (s + t);
      QVERIFY(nearly(p.rate(), rate));
      const double dispersion = 1 + 2 * s * t * (a - b) * (a - b) / ((s + t) * (s + t) * (a * t + b * s));
      QVERIFY2(nearly(p.dispersion(), dispersion, 1e-9),
               qPrintable(QString("%1 %2").arg(p.dispersion()).arg(dispersion)));
      const double falls = a * b / (a * b + a * t + b * s);
      for (const std::size_t lag : {1U, 2U, 5U})
        QVERIFY(std::fabs(p.autocorrelation(lag + 1) - falls * p.autocorrelation(lag)) < 1e-12);
      // Counts in the long run vary as gaps and all their correlations do: Cox and Lewis 1966.
      const double all = p.scv() * (1 + 2 * p.autocorrelation(1) / (1 - falls));
      QVERIFY2(nearly(all, dispersion, 1e-9), qPrintable(QString("%1 %2").arg(all).arg(dispersion)));
    }
    // Interrupted: gaps are a hyperexponential law, without memory.
    QVERIFY(std::fabs(mmpp(3, 0, 1, 2).autocorrelation(1)) < 1e-14);
    QVERIFY(nearly(mmpp(5, 5, 1, 3).scv(), 1.0));
  }

  void independent_gaps_have_no_memory() {
    // Erlang of three phases: squared coefficient of variation 1/3.
    const auto p = made(MarkovianArrivalProcess::make({-6, 6, 0, 0, -6, 6, 0, 0, -6}, {0, 0, 0, 0, 0, 0, 6, 0, 0}));
    QVERIFY(nearly(p.rate(), 2.0) && nearly(p.scv(), 1.0 / 3) && nearly(p.dispersion(), 1.0 / 3));
    QVERIFY(std::fabs(p.autocorrelation(1)) < 1e-13);
    const auto poisson = made(MarkovianArrivalProcess::make({-4}, {4}));
    QVERIFY(nearly(poisson.rate(), 4.0) && nearly(poisson.scv(), 1.0) && nearly(poisson.dispersion(), 1.0));
  }

  // Means of 200 blocks; five standard errors: false alarm 6e-7 each, the seed is fixed.
  void draws_have_mean_spread_and_correlations() {
    const MarkovianArrivalProcess all[] = {
        mmpp(10, 1, 0.5, 0.2), made(MarkovianArrivalProcess::make({-1, 0.4, 0.6, -1}, {0.4, 0.2, 0, 0.4})),
        made(MarkovianArrivalProcess::make({-5, 0, 0, -1}, {0.5, 4.5, 0.9, 0.1}))};  // correlations change sign
    for (std::size_t k = 0; k < 3; ++k) {
      const MarkovianArrivalProcess& p = all[k];
      RandomStream stream(stream_key(7, "gaps"), k);
      std::uint32_t phase = p.begin(stream);
      for (int i = 0; i < 1000; ++i) p.next(phase, stream);  // from any time to just after an arrival
      constexpr int blocks = 200;
      constexpr std::size_t length = 5000;
      const double mean = 1 / p.rate();
      std::vector<double> of[5];
      for (int b = 0; b < blocks; ++b) {
        std::vector<double> gap(length);
        for (double& g : gap) g = p.next(phase, stream);
        double sums[5] = {};
        for (std::size_t i = 0; i + 3 < length; ++i) {
          sums[0] += gap[i], sums[1] += (gap[i] - mean) * (gap[i] - mean);
          for (std::size_t lag = 1; lag <= 3; ++lag) sums[1 + lag] += (gap[i] - mean) * (gap[i + lag] - mean);
        }
        for (int m = 0; m < 5; ++m) of[m].push_back(sums[m] / static_cast<double>(length - 3));
      }
      for (std::size_t m = 0; m < 5; ++m) {
        const double average = std::accumulate(of[m].begin(), of[m].end(), 0.0) / blocks;
        double square = 0;
        for (const double x : of[m]) square += (x - average) * (x - average);
        const double error = std::sqrt(square / (blocks - 1) / blocks);
        const double wanted = m == 0 ? mean : m == 1 ? p.variance() : p.variance() * p.autocorrelation(m - 1);
        QVERIFY2(std::fabs(average - wanted) < 5 * error,
                 qPrintable(QString("%1, %2: %3 +- %4, wanted %5").arg(k).arg(m).arg(average).arg(error).arg(wanted)));
      }
    }
  }

  void the_first_phase_is_that_of_any_time() {
    const MarkovianArrivalProcess p = mmpp(10, 1, 3, 1);
    QVERIFY(nearly(p.stationary()[0], 0.25) && nearly(p.after_arrival()[0], 10 * 0.25 / (10 * 0.25 + 0.75)));
    int first = 0;
    for (std::uint64_t r = 0; r < 40000; ++r) {
      RandomStream stream(stream_key(1, "phase"), r);
      first += p.begin(stream) == 0 ? 1 : 0;
    }
    QVERIFY(std::abs(first - 10000) < 5 * 87);  // five standard deviations
  }

  void what_is_no_process_is_refused() {
    QCOMPARE(refused({-1, 0.5, 0.5}, {1}), std::string("d0 has 3 values, wanted as many rows as columns"));
    QCOMPARE(refused({-1}, {1, 2}), std::string("d1 has 2 values, wanted 1 as d0 has"));
    QCOMPARE(refused({-1, -0.5, 0, -1}, {1.5, 0, 0, 1}),
             std::string("d0, row 1, column 2, is -0.5 /s, wanted a finite rate >= 0 off the diagonal"));
    QCOMPARE(refused({-1}, {-1}), std::string("d1, row 1, column 1, is -1 /s, wanted a finite rate >= 0"));
    QCOMPARE(refused({-2}, {1}), std::string("row 1 of d0 and d1 together sums to -1 /s, wanted 0"));
    QCOMPARE(refused({-1, 0, 0, -1}, {1, 0, 0, 1}),
             std::string("not every phase is reached from every other, wanted an irreducible chain"));
    QCOMPARE(refused({-1, 1, 1, -1}, {0, 0, 0, 0}),
             std::string("d1 is 0 all over, wanted a transition that brings an arrival"));
    QCOMPARE(std::get<std::string>(MarkovianArrivalProcess::modulated(std::vector{1.0, 2.0}, std::vector{1.0})),
             std::string("switching has 1 values, wanted 4 (2 rows of 2), or the two rates of leaving a state"));
  }
};

QTEST_APPLESS_MAIN(TestMarkovianArrivalProcess)
#include "tst_markovian_arrival_process.moc"
