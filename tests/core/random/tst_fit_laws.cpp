// Laws fitted to traces: parameters of known laws are found again, likelihoods are those of their densities.
#include <QtTest>
#include <array>
#include <cmath>
#include <numeric>
#include <regex>

#include "core/random/fit_laws.h"
#include "core/random/hyper_erlang_em.h"
#include "core/random/markovian_arrival_process.h"
#include "core/random/modulated_em.h"

using namespace ergode;

namespace {

Distribution made(const char* family, const std::vector<NamedArgument>& arguments) {
  auto law = make_distribution(family, arguments);
  if (const auto* why = std::get_if<std::string>(&law)) qFatal("%s", why->c_str());
  return std::get<Distribution>(std::move(law));
}
std::vector<double> sample(const Distribution& law, std::size_t n, std::uint64_t seed = 1) {
  RandomStream stream(stream_key(seed, law.text()), 0);
  std::vector<double> out(n);
  for (double& x : out) x = law.sample(stream);
  return out;
}
const LawFit& named(const std::vector<LawFit>& all, const std::string& name) {
  for (const LawFit& one : all)
    if (one.name == name) return one;
  qFatal("no %s", name.c_str());
}
double likelihood(const Distribution& law, const std::vector<double>& values) {
  double sum = 0;
  for (const double x : values) sum += std::log(law.pdf(x));
  return sum;
}
std::vector<double> numbers_in(const std::string& text) {
  std::vector<double> out;
  const std::regex number("[0-9][0-9.]*(e[-+]?[0-9]+)?");
  for (std::sregex_iterator i(text.begin(), text.end(), number), end; i != end; ++i) out.push_back(std::stod(i->str()));
  return out;
}
bool close(double a, double b, double relative) { return std::fabs(a - b) <= relative * std::fabs(b); }

using Matrix = std::array<double, 4>;
Matrix times(const Matrix& a, const Matrix& b) {
  return {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]};
}
/// By halving the time often and Taylor's series.
Matrix exponential(const Matrix& a, double x) {
  constexpr int halvings = 20;
  Matrix step{1, 0, 0, 1}, power{1, 0, 0, 1};
  for (int k = 1; k < 12; ++k) {
    for (double& p : power = times(power, a)) p *= x / std::pow(2.0, halvings) / k;
    for (std::size_t i = 0; i < 4; ++i) step[i] += power[i];
  }
  for (int i = 0; i < halvings; ++i) step = times(step, step);
  return step;
}

/// Of gaps that follow a chain of two states: r are the rates of arrivals, then of leaving.
double sequence_likelihood(const std::vector<double>& r, const std::vector<double>& values) {
  const Matrix d0{-r[0] - r[2], r[2], r[3], -r[1] - r[3]};
  const double rate = (r[0] * r[3] + r[1] * r[2]) / (r[2] + r[3]);
  double a = r[0] * r[3] / (r[2] + r[3]) / rate, b = 1 - a, sum = 0;
  for (const double x : values) {
    const Matrix e = exponential(d0, x);
    const double to_a = (a * e[0] + b * e[2]) * r[0], to_b = (a * e[1] + b * e[3]) * r[1];
    sum += std::log(to_a + to_b);
    a = to_a / (to_a + to_b), b = to_b / (to_a + to_b);
  }
  return sum;
}

}  // namespace

class TestFitLaws : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void moments_by_hand() {
    const TraceMoments m = moments_of(std::vector{1.0, 2.0, 3.0, 4.0}, 9);
    QCOMPARE(m.mean, 2.5);
    QCOMPARE(m.variance, 5.0 / 3);
    QCOMPARE(m.scv, 5.0 / 3 / 6.25);
    QCOMPARE(m.median, 2.5);
    QCOMPARE(m.skewness, 0.0);
    QCOMPARE(m.autocorrelation.size(), std::size_t{3});
    QCOMPARE(m.autocorrelation[0], 0.25);
    QCOMPARE(moments_of(std::vector{0.0, 0.0, 3.0}, 1).skewness, 1.0 / std::sqrt(2.0));
    QVERIFY(moments_of(std::vector{2.0, 2.0}, 1).autocorrelation.empty());
  }

  void likelihood_never_falls() {
    const std::vector<double> traces[] = {
        sample(made("lognormal", {{"mean", {5}}, {"sd", {9}}}), 3000),
        sample(made("uniform", {{"low", {1}}, {"high", {2}}}), 3000),
        sample(made("hyperexponential", {{"p", {0.9, 0.1}}, {"rate", {5, 0.1}}}), 3000)};
    int steps = 0, rises = 0;
    for (const auto& values : traces)
      for (const std::vector<double>& k :
           {std::vector{1.0}, {1.0, 1.0}, {5.0, 2.0}, {1.0, 4.0, 9.0}, {30.0, 1.0, 1.0}}) {
        const HyperErlangFit fit = fit_hyper_erlang(gathered(values, 300), k, 200);
        for (std::size_t i = 1; i < fit.steps.size(); ++i, ++steps) {
          // Up to the rounding of a sum of 3000 logarithms.
          QVERIFY2(fit.steps[i] >= fit.steps[i - 1] - 1e-9 * std::fabs(fit.steps[i]), qPrintable(QString("%1").arg(i)));
          rises += fit.steps[i] > fit.steps[i - 1] ? 1 : 0;
        }
        QVERIFY(std::fabs(std::accumulate(fit.law.p.begin(), fit.law.p.end(), 0.0) - 1) < 1e-12);
        // Where the likelihood is greatest, and after every step, the mean is that of the values.
        double mean = 0;
        for (std::size_t b = 0; b < k.size(); ++b) mean += fit.law.p[b] * fit.law.k[b] / fit.law.rate[b];
        QVERIFY(close(mean, moments_of(values, 0).mean, 1e-12));
      }
    QVERIFY(steps > 300 && rises > 300);
  }

  // Few values are not gathered: the likelihood told is that of the density, and steps end where no rate or
  // probability can be moved to gain.
  void the_end_is_a_maximum_of_the_density() {
    const std::vector<double> values = sample(made("lognormal", {{"mean", {5}}, {"sd", {6}}}), 300);
    const HyperErlangFit fit = fit_hyper_erlang(gathered(values, 400), {3, 1}, 5000);
    const auto with = [&](double p, double a, double b) {
      return likelihood(made("hypererlang", {{"p", {p, 1 - p}}, {"k", fit.law.k}, {"rate", {a, b}}}), values);
    };
    const double p = fit.law.p[0], a = fit.law.rate[0], b = fit.law.rate[1];
    QVERIFY(close(with(p, a, b), fit.log_likelihood, 1e-9));
    for (const double off : {0.97, 1.03})
      QVERIFY(with(p * off, a, b) < fit.log_likelihood && with(p, a * off, b) < fit.log_likelihood &&
              with(p, a, b * off) < fit.log_likelihood);
  }

  void values_are_gathered_with_their_means() {
    const std::vector<double> values = sample(made("lognormal", {{"mean", {5}}, {"sd", {9}}}), 5000);
    const WeightedValues few = gathered(values, 100);
    QVERIFY(few.value.size() <= 100 && few.value.size() > 40);
    double count = 0, sum = 0;
    for (std::size_t i = 0; i < few.value.size(); ++i) count += few.weight[i], sum += few.weight[i] * few.value[i];
    QCOMPARE(count, 5000.0);
    QVERIFY(close(sum, std::accumulate(values.begin(), values.end(), 0.0), 1e-12));
    QVERIFY(std::is_sorted(few.value.begin(), few.value.end()));
    QCOMPARE(gathered(std::vector{3.0, 1.0}, 5).value, (std::vector{1.0, 3.0}));
  }

  // 20,000 draws of a law that is told apart from others: within 5 standard errors, some percent, of fixed seeds.
  void parameters_are_found_again() {
    constexpr std::size_t n = 20000;
    const auto of = [&](const char* family, const std::vector<NamedArgument>& arguments, const char* name) {
      const std::vector<double> values = sample(made(family, arguments), n);
      const LawFit fit = named(fit_laws(values, "s"), name);
      // No worse than the law that they were drawn from, on the values themselves.
      const bool exact = std::string(name) != "hyper-Erlang";
      const double truth = likelihood(made(family, arguments), values);
      if (!(fit.log_likelihood >= truth - (exact ? 1e-6 * n * 1e-3 : 3.0)))
        qFatal("%s: %f, truth %f", name, fit.log_likelihood, truth);
      // Those drawn from it lie near: 2 exp(-2 c^2) = 1e-6 at c = 2.694.
      if (!(fit.distance * std::sqrt(n) < 2.694)) qFatal("%s: distance %f", name, fit.distance);
      return numbers_in(fit.text);
    };
    const auto exponential = of("exponential", {{"mean", {3}}}, "exponential");
    QVERIFY(close(exponential[0], 3, 5 / std::sqrt(n)));
    const auto lognormal = of("lognormal", {{"mu", {0.5}}, {"sigma", {0.8}}, {"scale", {1}}}, "lognormal");
    QVERIFY(std::fabs(lognormal[0] - 0.5) < 5 * 0.8 / std::sqrt(n) && close(lognormal[1], 0.8, 5 / std::sqrt(2.0 * n)));
    QCOMPARE(lognormal[2], 1.0);
    for (const double shape : {0.4, 2.5, 40.0}) {
      const auto gamma = of("gamma", {{"shape", {shape}}, {"scale", {2}}}, "gamma");
      QVERIFY(close(gamma[0], shape, 0.06) && close(gamma[1], 2, 0.08));
      const auto weibull = of("weibull", {{"shape", {shape}}, {"scale", {2}}}, "Weibull");
      QVERIFY(close(weibull[0], shape, 0.03) && close(weibull[1], 2, 0.06 / shape));
    }
    const auto mixed = of("hypererlang", {{"p", {0.3, 0.7}}, {"k", {5, 1}}, {"rate", {1, 4}}}, "hyper-Erlang");
    QCOMPARE(mixed.size(), std::size_t{6});
    const std::size_t five = mixed[2] == 5.0 ? 0 : 1;
    QCOMPARE(mixed[2 + five], 5.0);
    QCOMPARE(mixed[3 - five], 1.0);
    QVERIFY(close(mixed[five], 0.3, 0.1) && close(mixed[4 + five], 1, 0.1) && close(mixed[5 - five], 4, 0.1));
    const auto moments = numbers_in(named(fit_laws(std::vector{1.0, 2.0, 3.0, 4.0}, "ms"), "two moments").text);
    QVERIFY(close(moments[0], 2.5, 1e-8) && close(moments[1], 5.0 / 3 / 6.25, 1e-8));
  }

  void modulated_rates_are_found_again() {
    const auto process = std::get<MarkovianArrivalProcess>(
        MarkovianArrivalProcess::modulated(std::vector{10.0, 0.5}, std::vector{1.0, 0.5}));
    RandomStream stream(stream_key(3, "trace"), 0);
    std::uint32_t phase = process.begin(stream);
    std::vector<double> values(400000);
    for (double& x : values) x = process.next(phase, stream);
    const std::vector<LawFit> all = fit_laws(values, "s");
    const LawFit& fit = named(all, "MMPP of two states");
    QVERIFY2(!fit.text.empty(), fit.why.c_str());
    const std::vector<double> found = numbers_in(fit.text);
    QCOMPARE(found.size(), std::size_t{4});
    const double truth[] = {10, 0.5, 1, 0.5};
    for (std::size_t i = 0; i < 4; ++i) QVERIFY2(close(found[i], truth[i], 0.1), fit.text.c_str());
    const auto again = std::get<MarkovianArrivalProcess>(
        MarkovianArrivalProcess::modulated(std::span(found).first(2), std::span(found).last(2)));
    const TraceMoments m = moments_of(values, 1);
    QVERIFY(close(again.mean_s(), m.mean, 0.02) && close(again.scv(), m.scv, 0.02));
    QVERIFY(close(again.autocorrelation(1), m.autocorrelation[0], 0.05));
    // A law of independent gaps with the same spread says less.
    QVERIFY(fit.aic < named(all, "hyper-Erlang").aic);
  }

  // No less likely than the rates that made the trace, and than all rates near by: by products of matrices.
  void modulated_rates_are_the_most_likely() {
    for (const std::array<double, 4>& truth :
         {std::array{5.0, 0.5, 0.2, 0.1}, std::array{10.0, 0.5, 1.0, 0.5}, std::array{3.0, 1.0, 0.3, 0.3}}) {
      const auto process = std::get<MarkovianArrivalProcess>(
          MarkovianArrivalProcess::modulated(std::vector{truth[0], truth[1]}, std::vector{truth[2], truth[3]}));
      RandomStream stream(stream_key(7, "likely"), 0);
      std::uint32_t phase = process.begin(stream);
      std::vector<double> values(20000);
      for (double& x : values) x = process.next(phase, stream);
      const LawFit fit = named(fit_laws(values, "s"), "MMPP of two states");
      QVERIFY2(!fit.text.empty(), fit.why.c_str());
      const double own = sequence_likelihood(numbers_in(fit.text), values);
      QVERIFY(own >= sequence_likelihood({truth.begin(), truth.end()}, values));
      for (std::size_t i = 0; i < 4; ++i)
        for (const double factor : {0.98, 1.02}) {
          std::vector<double> beside = numbers_in(fit.text);
          beside[i] *= factor;
          QVERIFY(sequence_likelihood(beside, values) < own);
        }
      // From far away it comes to the same place, and no step loses anything.
      const ModulatedFit far = fit_modulated(values, {{8.0, 0.1}, {1.0, 1.0}}, 3000);
      QVERIFY2(close(far.log_likelihood, fit.log_likelihood, 1e-5), fit.text.c_str());
      for (std::size_t i = 1; i < far.steps.size(); ++i)
        QVERIFY(far.steps[i] >= far.steps[i - 1] - 1e-6 * std::fabs(far.steps[i]));
    }
  }
  // Times as they are written are known by their digits alone: squares and cubes of them are not all numbers.
  void values_near_the_ends_of_all_numbers() {
    const std::vector<double> plain = {1.0, 4.0, 2.0, 8.0, 1.0, 3.0};
    const TraceMoments m = moments_of(plain, 2);
    for (const int power : {1000, -1000}) {
      std::vector<double> moved;
      for (const double x : plain) moved.push_back(std::ldexp(x, power));
      const TraceMoments far = moments_of(moved, 2);
      QCOMPARE(far.scv, m.scv);
      QCOMPARE(far.skewness, m.skewness);
      QCOMPARE(far.autocorrelation[1], m.autocorrelation[1]);
      QCOMPARE(far.mean, std::ldexp(m.mean, power));
    }
    for (const LawFit& fit : fit_laws(std::vector{1e-300, 1e300, 2.0, 1e-300, 1e300, 3.0}, "s")) {
      QVERIFY2(fit.text.empty() || std::isfinite(fit.log_likelihood), fit.name.c_str());
      QVERIFY2(fit.why.find("nan") == std::string::npos, fit.why.c_str());
    }
  }

  // Products of matrices, one for each gap; traces of whose moments two rates can be made.
  void the_likelihood_of_a_sequence_follows_its_phases() {
    const auto process = std::get<MarkovianArrivalProcess>(
        MarkovianArrivalProcess::modulated(std::vector{10.0, 0.5}, std::vector{1.0, 0.5}));
    int compared = 0;
    for (std::uint64_t trial = 0; trial < 10; ++trial) {
      RandomStream stream(stream_key(5, "short"), trial);
      std::uint32_t phase = process.begin(stream);
      std::vector<double> values(300);
      for (double& x : values) x = process.next(phase, stream);
      const LawFit fit = named(fit_laws(values, "s"), "MMPP of two states");
      if (fit.text.empty()) continue;
      ++compared;
      const std::vector<double> r = numbers_in(fit.text);
      const double sum = sequence_likelihood(r, values);
      QVERIFY2(close(fit.log_likelihood, sum, 1e-8), qPrintable(QString("%1 %2").arg(fit.log_likelihood).arg(sum)));
      QVERIFY(close(fit.aic, 8 - 2 * sum, 1e-8));
    }
    QVERIFY2(compared >= 3, qPrintable(QString::number(compared)));
  }

  void what_does_not_fit_says_why() {
    const auto zero = fit_laws(std::vector{0.0, 1.0, 2.0}, "s");
    for (const char* name : {"lognormal", "gamma", "Weibull", "hyper-Erlang"})
      QCOMPARE(named(zero, name).why, std::string("1 value is 0, wanted values > 0"));
    QVERIFY(!named(zero, "exponential").text.empty() && !named(zero, "two moments").text.empty());
    QCOMPARE(named(zero, "MMPP of two states").why,
             std::string("the squared coefficient of variation is 1, wanted more than 1"));
    const auto alone = sample(made("hyperexponential", {{"p", {0.9, 0.1}}, {"rate", {5, 0.1}}}), 1000, 2);
    const std::string why = named(fit_laws(alone, "s"), "MMPP of two states").why;
    QVERIFY2(why.find("neighbours have the correlation") == 0 || why.empty(), why.c_str());
  }
};

QTEST_APPLESS_MAIN(TestFitLaws)
#include "tst_fit_laws.moc"
