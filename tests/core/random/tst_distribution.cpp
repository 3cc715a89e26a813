#include <QtTest>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "core/random/distribution.h"

using namespace ergode;

namespace {

Distribution make(const char* family, const std::vector<NamedArgument>& args) {
  auto made = make_distribution(family, args);
  if (const auto* error = std::get_if<std::string>(&made)) qFatal("%s", error->c_str());
  return std::get<Distribution>(made);
}

std::string error_of(const char* family, const std::vector<NamedArgument>& args) {
  const auto made = make_distribution(family, args);
  return std::holds_alternative<std::string>(made) ? std::get<std::string>(made) : "no error";
}

/// Every continuous family, with an awkward member of some.
std::vector<Distribution> continuous() {
  return {make("exponential", {{"rate", {1.1e-3}}}),
          make("exponential", {{"mean", {8}}}),
          make("weibull", {{"shape", {0.7}}, {"scale", {3}}}),
          make("weibull", {{"shape", {2.5}}, {"scale", {3}}}),
          make("lognormal", {{"mu", {0.3}}, {"sigma", {0.5}}, {"scale", {2}}}),
          make("lognormal", {{"mean", {5}}, {"sd", {2}}}),
          make("lognormal", {{"median", {1.5}}, {"ef", {3}}}),
          make("gamma", {{"shape", {3.61}}, {"rate", {1.09}}}),
          make("gamma", {{"shape", {0.6}}, {"scale", {2}}}),
          make("beta", {{"a", {1.469}}, {"b", {17.58}}}),
          make("uniform", {{"low", {-1}}, {"high", {6}}}),
          make("triangular", {{"low", {0}}, {"mode", {1}}, {"high", {4}}}),
          make("triangular", {{"low", {1}}, {"mode", {1}}, {"high", {4}}}),
          make("triangular", {{"low", {0}}, {"mode", {4}}, {"high", {4}}}),
          make("normal", {{"mean", {10}}, {"sd", {2}}}),
          make("truncated_normal", {{"mean", {1}}, {"sd", {2}}, {"low", {0}}, {"high", {3}}}),
          make("truncated_normal", {{"mean", {0}}, {"sd", {1}}, {"low", {8}}}),
          make("truncated_normal", {{"mean", {0}}, {"sd", {1}}, {"low", {2}}, {"high", {2.01}}}),
          make("erlang", {{"k", {4}}, {"rate", {0.5}}}),
          make("erlang", {{"k", {50}}, {"mean", {10}}}),
          make("hyperexponential", {{"p", {0.3, 0.7}}, {"rate", {0.2, 3}}}),
          make("phase_type", {{"initial", {0.6, 0.4}}, {"generator", {-2, 1, 0.5, -1}}}),
          make("hypoexponential", {{"rate", {2, 3, 0.5}}}),
          make("coxian", {{"rate", {2, 1}}, {"p", {0.4}}}),
          make("truncated_exponential", {{"mean", {2}}, {"limit", {4}}}),
          make("truncated_exponential", {{"mean", {200}}, {"limit", {4}}}),
          make("pareto", {{"shape", {9}}, {"scale", {2}}}),
          make("pareto", {{"shape", {1.2}}, {"scale", {1}}, {"limit", {50}}}),
          make("pareto", {{"shape", {2}}, {"scale", {1}}, {"limit", {30}}}),
          make("pareto", {{"shape", {0.5}}, {"scale", {1}}, {"limit", {1.001}}}),
          make("hypererlang", {{"p", {0.3, 0.7}}, {"k", {3, 1}}, {"rate", {5, 0.4}}}),
          make("hypererlang", {{"p", {0.5, 0.5}}, {"k", {40, 2}}, {"rate", {4, 4}}}),
          make("quantile_table", {{"p", {0, 0.04, 0.2, 0.55, 1}}, {"values", {1, 2, 2.25, 4, 9}}}),
          make("fitted", {{"mean", {2}}, {"scv", {0.3}}}),
          make("fitted", {{"mean", {2}}, {"scv", {0.9}}}),
          make("fitted", {{"mean", {2}}, {"scv", {1}}}),
          make("fitted", {{"mean", {2}}, {"scv", {4}}}),
          make("hyperexponential", {{"mean", {2}}, {"scv", {1.5}}}),
          make("hypererlang", {{"mean", {2}}, {"scv", {0.4}}}),
          make("hypoexponential", {{"mean", {2}}, {"scv", {0.6}}}),
          make("coxian", {{"mean", {2}}, {"scv", {0.4}}}),
          make("coxian", {{"mean", {2}}, {"scv", {2.5}}}),
          make("phase_type", {{"mean", {2}}, {"scv", {0.4}}}),
          make("pareto", {{"mean", {2}}, {"scv", {0.05}}})};
}

/// Integral over the quantile function: E g(X) = integral_0^1 g(Q(p)) dp, by the midpoint rule on p = s^2 (3 - 2 s),
/// which is fine at both ends.
template <class G>
double expectation(const Distribution& d, G g) {
  constexpr int n = 4000;
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    const double s = (i + 0.5) / n;
    sum += g(d.quantile(s * s * (3 - 2 * s))) * 6 * s * (1 - s) / n;
  }
  return sum;
}

}  // namespace

class TestDistribution : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void mean_and_variance_match_quadrature();
  void pdf_is_the_derivative_of_the_cdf();
  void quantile_inverts_the_cdf();
  void samples_have_the_mean_and_variance();
  void samples_pass_kolmogorov_smirnov();
  void lognormal_forms_agree_with_their_definitions();
  void phase_type_of_erlang_is_erlang();
  void coxian_is_a_mixture_of_sums();
  void phases_whose_rates_lie_far_apart();
  void densities_are_numbers_however_far_out();
  void phases_have_the_mean_of_the_distribution();
  void narrow_windows_keep_their_digits();
  void heavy_tails_have_the_moments_that_they_have();
  void fitted_laws_have_the_moments_asked_for();
  void hypererlang_is_the_chain_of_its_phases();
  void empirical_is_a_step_function();
  void quantile_tables_are_linear_between_their_points();
  void deterministic_draws_nothing();
  void one_uniform_families_draw_one_uniform();
  void every_published_form_can_be_built();
  void errors_show_the_value_seen_and_wanted();
};

void TestDistribution::mean_and_variance_match_quadrature() {
  for (const Distribution& d : continuous()) {
    const double mean = expectation(d, [](double x) { return x; });
    const double variance = expectation(d, [&](double x) { return (x - mean) * (x - mean); });
    const double sd = std::sqrt(d.variance());
    QVERIFY2(std::fabs(mean - d.mean()) < 1e-3 * sd, d.text().c_str());
    QVERIFY2(std::fabs(variance / d.variance() - 1) < 1e-2, d.text().c_str());
  }
}

void TestDistribution::pdf_is_the_derivative_of_the_cdf() {
  for (const Distribution& d : continuous())
    for (const double p : {0.1, 0.3, 0.62, 0.9}) {
      const double x = d.quantile(p);
      const double h = 1e-4 * std::sqrt(d.variance());
      const double slope = (d.cdf(x + h) - d.cdf(x - h)) / (2 * h);
      QVERIFY2(std::fabs(slope / d.pdf(x) - 1) < 1e-4, d.text().c_str());
    }
}

void TestDistribution::quantile_inverts_the_cdf() {
  for (const Distribution& d : continuous()) {
    for (const double p : {1e-6, 0.01, 0.25, 0.5, 0.8, 0.99, 0.9999}) {
      const double x = d.quantile(p);
      QVERIFY2(std::fabs(d.cdf(x) - p) < 1e-10, (d.text() + " at " + std::to_string(p)).c_str());
      QVERIFY2(std::fabs(d.quantile(d.cdf(x)) - x) < 1e-9 * std::max(std::fabs(x), std::sqrt(d.variance())),
               d.text().c_str());
    }
    QVERIFY(d.quantile(0.0) <= d.quantile(1e-6));
    QVERIFY(d.quantile(1.0) >= d.quantile(0.9999));
    QVERIFY(std::isnan(d.quantile(1.1)));
  }
}

void TestDistribution::samples_have_the_mean_and_variance() {
  constexpr int n = 200000;
  for (const Distribution& d : continuous()) {
    RandomStream stream(stream_key(3, d.text()), 0);
    double sum = 0, square = 0, fourth = 0;
    for (int i = 0; i < n; ++i) {
      const double e = d.sample(stream) - d.mean();
      sum += e;
      square += e * e;
      fourth += e * e * e * e;
    }
    // Five standard errors: false alarm 6e-7 each by the central limit theorem; the seed is fixed.
    QVERIFY2(std::fabs(sum / n) < 5 * std::sqrt(d.variance() / n), d.text().c_str());
    const double error = std::sqrt((fourth / n - square / n * square / n) / n);
    QVERIFY2(std::fabs(square / n - d.variance()) < 5 * error, d.text().c_str());
  }
}

void TestDistribution::samples_pass_kolmogorov_smirnov() {
  constexpr int n = 20000;
  for (const Distribution& d : continuous()) {
    RandomStream stream(stream_key(4, d.text()), 0);
    std::vector<double> values(n);
    for (double& x : values) x = d.sample(stream);
    std::sort(values.begin(), values.end());
    double distance = 0;
    for (int i = 0; i < n; ++i) {
      const double f = d.cdf(values[static_cast<std::size_t>(i)]);
      distance = std::max({distance, (i + 1.0) / n - f, f - static_cast<double>(i) / n});
    }
    // 2 exp(-2 c^2) = 1e-6 a test at c = 2.694; the seed is fixed.
    QVERIFY2(distance * std::sqrt(n) < 2.694, (d.text() + " " + std::to_string(distance * std::sqrt(n))).c_str());
  }
}

void TestDistribution::lognormal_forms_agree_with_their_definitions() {
  const Distribution a = make("lognormal", {{"mean", {5}}, {"sd", {2}}});
  QVERIFY(std::fabs(a.mean() - 5) < 1e-12 && std::fabs(a.variance() - 4) < 1e-12);
  const Distribution b = make("lognormal", {{"median", {1.5}}, {"ef", {8}}});
  QVERIFY(std::fabs(b.quantile(0.5) - 1.5) < 1e-12 && std::fabs(b.quantile(0.95) - 12) < 1e-10);
  const Distribution c = make("lognormal", {{"mu", {0.3}}, {"sigma", {0.5}}, {"scale", {3600}}});
  QVERIFY(std::fabs(std::log(c.quantile(0.5) / 3600) - 0.3) < 1e-12);
}

void TestDistribution::phase_type_of_erlang_is_erlang() {
  const Distribution erlang = make("erlang", {{"k", {3}}, {"rate", {2}}});
  const Distribution phases =
      make("phase_type", {{"initial", {1, 0, 0}}, {"generator", {-2, 2, 0, 0, -2, 2, 0, 0, -2}}});
  QVERIFY(std::fabs(erlang.mean() - phases.mean()) < 1e-14);
  QVERIFY(std::fabs(erlang.variance() - phases.variance()) < 1e-14);
  for (const double x : {0.0, 0.1, 1.0, 3.0, 10.0, 200.0}) {
    QVERIFY(std::fabs(erlang.cdf(x) - phases.cdf(x)) < 1e-13);
    QVERIFY(std::fabs(erlang.pdf(x) - phases.pdf(x)) < 1e-13);
  }
  const Distribution atom = make("phase_type", {{"initial", {0.25}}, {"generator", {-1}}});
  QCOMPARE(atom.cdf(0.0), 0.75);
  QCOMPARE(atom.quantile(0.5), 0.0);
}

void TestDistribution::coxian_is_a_mixture_of_sums() {
  // Ends after the first phase with probability 0.6, else after the sum of both: convolution of two exponentials.
  const Distribution d = make("coxian", {{"rate", {2, 1}}, {"p", {0.4}}});
  const Distribution both = make("hypoexponential", {{"rate", {2, 1}}});
  for (const double x : {0.1, 1.0, 4.0}) {
    const double first = -std::expm1(-2 * x), sum = 1 - 2 * std::exp(-x) + std::exp(-2 * x);
    QVERIFY(std::fabs(both.cdf(x) - sum) < 1e-12);
    QVERIFY(std::fabs(d.cdf(x) - (0.6 * first + 0.4 * sum)) < 1e-12);
  }
  QCOMPARE(error_of("coxian", {{"rate", {2, 1}}, {"p", {0.4, 0.1}}}),
           std::string("coxian: p has 2 values, wanted 1, one less than rate has"));
  QCOMPARE(error_of("coxian", {{"rate", {2, 1}}, {"p", {1.4}}}),
           std::string("coxian: p is 1.4, wanted probabilities from 0 to 1"));
  QCOMPARE(error_of("hypoexponential", {{"rate", {2, 0}}}),
           std::string("hypoexponential: rate is 0, wanted rates > 0"));
}

// Oracles: the sum of two exponentials of rates a and b has 1 - (a exp(-b x) - b exp(-a x)) / (a - b); fast phases that
// lead to each other and seldom out are one phase of that rate.
void TestDistribution::phases_whose_rates_lie_far_apart() {
  for (const double a : {1e5, 1e7, 1e9, 1e12, 1e15})
    for (const bool slow_first : {false, true}) {
      const Distribution d =
          make("hypoexponential", {{"rate", slow_first ? std::vector{1.0, a} : std::vector{a, 1.0}}});
      for (const double x : {0.01, 0.5, 1.0, 3.0, 20.0, 1e4, 1e300}) {
        const double wanted = -std::expm1(-x) - (std::exp(-x) - std::exp(-a * x)) / (a - 1.0),
                     density = a / (a - 1.0) * (std::exp(-x) - std::exp(-a * x));
        QVERIFY2(std::fabs(d.cdf(x) - wanted) < 1e-13, qPrintable(QString("%1 %2: %3").arg(a).arg(x).arg(d.cdf(x))));
        QVERIFY2(std::fabs(d.pdf(x) - density) < 1e-12, qPrintable(QString("%1 %2: %3").arg(a).arg(x).arg(d.pdf(x))));
      }
      QVERIFY(std::fabs(d.quantile(0.5) - std::log(2.0)) < 2.0 / a + 1e-12);
    }
  // Two phases that swap a billion times a unit, one of which ends at rate 1: half of the time is spent in it.
  const Distribution swap = make("phase_type", {{"initial", {1, 0}}, {"generator", {-1e9 - 1, 1e9, 1e9, -1e9}}});
  for (const double x : {0.1, 1.0, 5.0}) QVERIFY(std::fabs(swap.cdf(x) + std::expm1(-0.5 * x)) < 1e-7);
  // Either side of where the method changes: a third of the chain waits at rate 1e-4.
  const Distribution mixed = make("phase_type", {{"initial", {2.0 / 3, 1.0 / 3}}, {"generator", {-1, 0, 0, -1e-4}}});
  for (const double x : {9999.0, 10001.0}) {
    const double wanted = 2.0 / 3 * -std::expm1(-x) + 1.0 / 3 * -std::expm1(-1e-4 * x);
    QVERIFY(std::fabs(mixed.cdf(x) - wanted) < 1e-13);
  }
}

void TestDistribution::densities_are_numbers_however_far_out() {
  for (const double shape : {0.5, 1.0, 1.5, 3.0, 40.0}) {
    const Distribution d = make("weibull", {{"shape", {shape}}, {"scale", {2}}});
    for (const double x : {1e4, 1e100, 1e300, std::numeric_limits<double>::infinity()}) {
      QVERIFY2(d.pdf(x) >= 0.0 && d.pdf(x) < 1e-10,
               qPrintable(QString("%1 at %2: %3").arg(shape).arg(x).arg(d.pdf(x))));
    }
  }
}

void TestDistribution::phases_have_the_mean_of_the_distribution() {
  int seen = 0;
  for (const Distribution& d : continuous()) {
    const auto phases = d.phases();
    if (!phases) continue;
    ++seen;
    // Expected visits by iterating the jumps.
    std::vector<double> now = phases->initial, next;
    double mean = 0.0;
    for (int step = 0; step < 2000; ++step) {
      next.assign(now.size(), 0.0);
      for (std::size_t i = 0; i < now.size(); ++i) {
        mean += now[i] / phases->rate[i];
        for (const Phases::Jump& jump : phases->jumps[i]) next[jump.phase] += now[i] * jump.probability;
      }
      now.swap(next);
    }
    QVERIFY2(std::fabs(mean / d.mean() - 1) < 1e-12, d.text().c_str());
  }
  QCOMPARE(seen, 20);
  QVERIFY(make("gamma", {{"shape", {3}}, {"rate", {2}}}).phases().has_value());
  QVERIFY(!make("erlang", {{"k", {5}}, {"rate", {2}}}).phases(4).has_value());
}

void TestDistribution::narrow_windows_keep_their_digits() {
  const Distribution d = make("truncated_normal", {{"mean", {0}}, {"sd", {1}}, {"low", {2}}, {"high", {2.000001}}});
  QVERIFY(std::fabs(d.variance() / (1e-12 / 12) - 1) < 1e-6);
  const Distribution e = make("truncated_exponential", {{"mean", {1e9}}, {"limit", {1}}});
  QVERIFY(std::fabs(e.mean() - 0.5) < 1e-9 && std::fabs(e.variance() * 12 - 1) < 1e-9);
}

// Closed forms of the textbook, written down here once more.
void TestDistribution::heavy_tails_have_the_moments_that_they_have() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto pareto = [](double shape) { return make("pareto", {{"shape", {shape}}, {"scale", {2}}}); };
  QCOMPARE(pareto(0.8).mean(), infinity);
  QCOMPARE(pareto(1).mean(), infinity);
  QCOMPARE(pareto(1).variance(), infinity);
  QCOMPARE(pareto(1.5).mean(), 6.0);
  QCOMPARE(pareto(1.5).variance(), infinity);
  QCOMPARE(pareto(2).variance(), infinity);
  QCOMPARE(pareto(3).mean(), 3.0);
  QCOMPARE(pareto(3).variance(), 3.0);
  QCOMPARE(pareto(2).cdf(4.0), 0.75);
  QCOMPARE(pareto(2).pdf(4.0), 2.0 * 4.0 / 64.0);
  QCOMPARE(pareto(2).cdf(1.9), 0.0);
  QCOMPARE(pareto(2).quantile(0.0), 2.0);
  QCOMPARE(pareto(2).quantile(1.0), infinity);
  // With shape 1 and a limit L the mean is ln(L / s) / (1 / s - 1 / L), the second moment s L.
  const Distribution limited = make("pareto", {{"shape", {1}}, {"scale", {2}}, {"limit", {20}}});
  const double mean = std::log(10.0) / (0.5 - 0.05);
  QVERIFY(std::fabs(limited.mean() - mean) < 1e-12);
  QVERIFY(std::fabs(limited.variance() - (40.0 - mean * mean)) < 1e-10);
  QCOMPARE(limited.quantile(1.0), 20.0);
  QCOMPARE(limited.cdf(20.0), 1.0);
  // A window so narrow that it is uniform.
  const Distribution narrow = make("pareto", {{"shape", {1}}, {"scale", {1}}, {"limit", {1 + 1e-6}}});
  QVERIFY(std::fabs(narrow.variance() / (1e-12 / 12) - 1) < 1e-5);
  QCOMPARE(error_of("pareto", {{"shape", {1}}, {"scale", {2}}, {"limit", {2}}}),
           std::string("pareto: limit is 2, wanted more than scale = 2"));
  QCOMPARE(error_of("pareto", {{"shape", {0}}, {"scale", {2}}}),
           std::string("pareto: shape is 0, wanted a number > 0"));
}

void TestDistribution::fitted_laws_have_the_moments_asked_for() {
  using F = Distribution::Family;
  for (const double scv :
       {1e-6, 1.5e-6, 0.001, 0.01, 0.2, 0.25, 0.3, 1.0 / 3, 0.5, 0.7, 0.999, 1.0, 1.001, 2.0, 10.0, 1e6}) {
    const Distribution d = make("fitted", {{"mean", {7}}, {"scv", {scv}}});
    const QString of = QString("scv %1: %2, %3").arg(scv).arg(d.mean(), 0, 'g', 17).arg(d.variance() / 49, 0, 'g', 17);
    QVERIFY2(std::fabs(d.mean() / 7 - 1) < 1e-12, qPrintable(of));
    QVERIFY2(std::fabs(d.variance() / 49 / scv - 1) < (scv < 1e-5 ? 1e-5 : 1e-9), qPrintable(of));
  }
  const auto family = [](double scv) { return make("fitted", {{"mean", {7}}, {"scv", {scv}}}).family(); };
  QVERIFY(family(0) == F::deterministic && family(1) == F::exponential && family(0.25) == F::erlang);
  QVERIFY(family(0.3) == F::hypererlang && family(3) == F::hyperexponential);
  // Balanced means: each branch has half of the mean.
  const auto two = make("fitted", {{"mean", {7}}, {"scv", {3}}}).phases();
  QCOMPARE(two->rate.size(), std::size_t{2});
  for (const std::size_t i : {0U, 1U}) QVERIFY(std::fabs(two->initial[i] / two->rate[i] - 3.5) < 1e-12);
  // From k - 1 and k phases of one rate, k = 4 here.
  QCOMPARE(make("fitted", {{"mean", {7}}, {"scv", {0.3}}}).phases()->rate.size(), std::size_t{4});
  QCOMPARE(error_of("fitted", {{"mean", {7}}, {"scv", {-1}}}),
           std::string("fitted: scv is -1, wanted 0, or at least 0.000001"));
  QCOMPARE(error_of("fitted", {{"mean", {0}}, {"scv", {1}}}), std::string("fitted: mean is 0, wanted a number > 0"));
}

void TestDistribution::hypererlang_is_the_chain_of_its_phases() {
  for (const double other : {2.0, 5.0}) {  // of one rate, and of two
    const Distribution d = make("hypererlang", {{"p", {0.3, 0.7}}, {"k", {3, 1}}, {"rate", {2, other}}});
    const Distribution chain =
        make("phase_type",
             {{"initial", {0.3, 0, 0, 0.7}}, {"generator", {-2, 2, 0, 0, 0, -2, 2, 0, 0, 0, -2, 0, 0, 0, 0, -other}}});
    QVERIFY(std::fabs(d.mean() - chain.mean()) < 1e-14 && std::fabs(d.variance() - chain.variance()) < 1e-13);
    for (const double x : {0.0, 0.1, 1.0, 3.0, 10.0}) {
      QVERIFY(std::fabs(d.cdf(x) - chain.cdf(x)) < 1e-13);
      QVERIFY(std::fabs(d.pdf(x) - chain.pdf(x)) < 1e-12);
    }
    QCOMPARE(d.phases()->rate.size(), std::size_t{other == 2.0 ? 3U : 4U});
    QVERIFY(!d.phases(2).has_value());
  }
  QCOMPARE(error_of("hypererlang", {{"p", {1}}, {"k", {1.5}}, {"rate", {1}}}),
           std::string("hypererlang: k is 1.5, wanted whole numbers from 1 to 1000000"));
  QCOMPARE(error_of("hypererlang", {{"p", {1}}, {"k", {1, 2}}, {"rate", {1}}}),
           std::string("hypererlang: k has 2 values, wanted 1 as p has"));
}

void TestDistribution::empirical_is_a_step_function() {
  const Distribution d = make("empirical", {{"values", {3, 1, 2, 2}}});
  QCOMPARE(d.mean(), 2.0);
  QCOMPARE(d.variance(), 0.5);
  QCOMPARE(d.cdf(0.99), 0.0);
  QCOMPARE(d.cdf(2.0), 0.75);
  QCOMPARE(d.quantile(0.25), 1.0);
  QCOMPARE(d.quantile(0.26), 2.0);
  QCOMPARE(d.quantile(1.0), 3.0);
  RandomStream stream(stream_key(1, "empirical"), 0);
  std::map<double, int> seen;
  for (int i = 0; i < 40000; ++i) ++seen[d.sample(stream)];
  QCOMPARE(seen.size(), std::size_t{3});
  QVERIFY(std::abs(seen[2.0] - 20000) < 500);  // five standard deviations
}

void TestDistribution::quantile_tables_are_linear_between_their_points() {
  // A quarter of all is 2: a step of the distribution function.
  const Distribution d = make("quantile_table", {{"p", {0, 0.5, 0.75, 1}}, {"values", {0, 2, 2, 6}}});
  QCOMPARE(d.mean(), 0.5 * 1 + 0.25 * 2 + 0.25 * 4);
  // Within the pieces and between their means 1, 2 and 4.
  QCOMPARE(d.variance(), 0.5 * (4.0 / 12 + 1.0) + 0.25 * 0.0 + 0.25 * (16.0 / 12 + 4.0));
  QCOMPARE(d.quantile(0.25), 1.0);
  QCOMPARE(d.quantile(0.6), 2.0);
  QCOMPARE(d.quantile(0.875), 4.0);
  QCOMPARE(d.cdf(1.0), 0.25);
  QCOMPARE(d.cdf(2.0), 0.75);
  QVERIFY(d.cdf(-1.0) == 0.0 && d.cdf(6.0) == 1.0 && d.pdf(1.0) == 0.25 && d.pdf(7.0) == 0.0);
  QCOMPARE(error_of("quantile_table", {{"p", {0, 1}}, {"values", {1, 2, 3}}}),
           std::string("quantile_table: values has 3 values, wanted 2 as p has"));
  QCOMPARE(error_of("quantile_table", {{"p", {0, 0.5, 0.5, 1}}, {"values", {1, 2, 3, 4}}}),
           std::string("quantile_table: p is 0.5, wanted more than the 0.5 before it"));
  QCOMPARE(error_of("quantile_table", {{"p", {0, 0.5, 1}}, {"values", {1, 2, 1.5}}}),
           std::string("quantile_table: values is 1.5, wanted at least the 2 before it"));
  QCOMPARE(error_of("quantile_table", {{"p", {0.1, 1}}, {"values", {1, 2}}}),
           std::string("quantile_table: p is 0.1, wanted 0 as the first"));
}

void TestDistribution::deterministic_draws_nothing() {
  RandomStream stream(1, 0);
  QCOMPARE(make("deterministic", {{"value", {7}}}).sample(stream), 7.0);
  QCOMPARE(stream.draws(), std::uint64_t{0});
}

void TestDistribution::one_uniform_families_draw_one_uniform() {
  using F = Distribution::Family;
  for (const Distribution& d : continuous()) {
    if (d.family() == F::gamma || d.family() == F::beta || d.family() == F::erlang || d.family() == F::phase_type ||
        d.family() == F::hypererlang)
      continue;
    RandomStream stream(1, 0);
    d.sample(stream);
    QCOMPARE(stream.draws(), std::uint64_t{d.family() == F::hyperexponential ? 2U : 1U});
  }
}

void TestDistribution::every_published_form_can_be_built() {
  for (const DistributionForm& form : distribution_forms()) {
    std::vector<NamedArgument> args;
    std::vector<std::string_view> names;
    double next = 1.0;
    for (const DistributionArgument& arg : form.arguments) {
      names.push_back(arg.name);
      args.push_back({arg.name, {arg.name == "generator" ? -1.0 : arg.name == "p" || arg.name == "scv" ? 1.0 : next}});
      if (form.family == "quantile_table") args.back().values = {0.0, 1.0};
      if (form.family == "coxian" && arg.name == "rate") args.back().values.push_back(2.0);  // one more than p
      next += 1.0;
      QVERIFY(!arg.help.empty());
    }
    QCOMPARE(find_distribution_form(form.family, names), &form);
    QCOMPARE(error_of(form.family.c_str(), args), std::string("no error"));
    QVERIFY(!form.reference.empty() && !form.help.empty());
  }
}

void TestDistribution::errors_show_the_value_seen_and_wanted() {
  QCOMPARE(error_of("exponential", {{"rate", {-2}}}), std::string("exponential: rate is -2, wanted a number > 0"));
  QCOMPARE(error_of("lognormal", {{"median", {1}}, {"ef", {1}}}),
           std::string("lognormal: ef is 1, wanted a number > 1"));
  QCOMPARE(error_of("uniform", {{"low", {3}}, {"high", {2}}}),
           std::string("uniform: high is 2, wanted more than low = 3"));
  QCOMPARE(error_of("exponential", {{"mean", {1, 2}}}),
           std::string("exponential: mean has 2 values (1, 2), wanted exactly one"));
  QCOMPARE(error_of("erlang", {{"k", {2.5}}, {"rate", {1}}}),
           std::string("erlang: k is 2.5, wanted a whole number from 1 to 1000000"));
  QCOMPARE(error_of("hyperexponential", {{"p", {0.5, 0.4}}, {"rate", {1, 2}}}),
           std::string("hyperexponential: p sums to 0.9, wanted 1"));
  QCOMPARE(error_of("weibull", {{"shape", {1}}}),
           std::string("weibull(shape) is no form of this distribution, wanted weibull(shape, scale) or weibull(mean, "
                       "scv)"));
  QVERIFY(error_of("exponential", {{"mean", {std::nan("")}}}).find("mean is nan, wanted a finite number") !=
          std::string::npos);
  QVERIFY(
      error_of("cauchy", {}).find("there is no distribution 'cauchy', wanted one of deterministic, exponential, ") ==
      0);
  QVERIFY(error_of("cauchy", {}).find(", normal, ") != std::string::npos);
  QVERIFY(error_of("phase_type", {{"initial", {1, 0}}, {"generator", {-1, 1, 1, -1}}}).find("singular") !=
          std::string::npos);
  QVERIFY(error_of("truncated_normal", {{"mean", {0}}, {"sd", {1}}, {"low", {50}}}).find("holds no probability") !=
          std::string::npos);
}

QTEST_APPLESS_MAIN(TestDistribution)
#include "tst_distribution.moc"
