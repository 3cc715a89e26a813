#include "tests/solvers/markov/chain_check.h"
#include "tests/solvers/markov/markov_models.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// Three pumps of examples/04_repairable_system as a birth and death process, by its spectral representation: Karlin
/// and McGregor, The differential equations of birth-and-death processes, and the Stieltjes moment problem, 1957.
///     P(0 -> j in t) = pi_j * sum over k of w_k Q_j(x_k) exp(-x_k t),   1 / w_k = sum over j of pi_j Q_j(x_k)^2
/// with Q_0 = 1, -x Q_n = death_n Q_{n-1} - (birth_n + death_n) Q_n + birth_n Q_{n+1} and pi_j the potential
/// coefficients.
class BirthAndDeath {
 public:
  /// @param states  0 ... states - 1; with `absorbing` the last one is left for a further, absorbing one at birth
  BirthAndDeath(std::vector<long double> birth, std::vector<long double> death, bool absorbing)
      : birth_(std::move(birth)), death_(std::move(death)), absorbing_(absorbing) {
    const std::size_t n = birth_.size();
    potential_ = {1.0L};
    for (std::size_t j = 1; j < n; ++j) potential_.push_back(potential_.back() * birth_[j - 1] / death_[j]);
    // The roots interlace: between a sign change of the last polynomial, bisection.
    const long double most =
        2.0L * (*std::max_element(birth_.begin(), birth_.end()) + *std::max_element(death_.begin(), death_.end()));
    constexpr int steps = 400000;
    long double low = absorbing_ ? 0.0L : -most / steps / 3, before = last(low);
    for (int i = 1; i <= steps; ++i) {
      const long double high = most * i / steps;
      const long double now = last(high);
      if ((before < 0) != (now < 0)) roots_.push_back(root(low, high));
      low = high, before = now;
    }
    if (roots_.size() != n) throw std::runtime_error("roots missing");
    for (long double& x : roots_) {
      if (!absorbing_ && std::fabs(x) < most / steps) x = 0.0L;
      long double sum = 0.0L;
      const std::vector<long double> q = polynomials(x);
      for (std::size_t j = 0; j < n; ++j) sum += potential_[j] * q[j] * q[j];
      weights_.push_back(1.0L / sum);
    }
  }
  long double probability(std::size_t j, long double t) const {
    long double sum = 0.0L;
    for (std::size_t k = 0; k < roots_.size(); ++k)
      sum += weights_[k] * polynomials(roots_[k])[j] * std::exp(-roots_[k] * t);
    return potential_[j] * sum;
  }
  /// Integral of the probability from 0 to t.
  long double integral(std::size_t j, long double t) const {
    long double sum = 0.0L;
    for (std::size_t k = 0; k < roots_.size(); ++k)
      sum +=
          weights_[k] * polynomials(roots_[k])[j] * (roots_[k] == 0.0L ? t : -std::expm1(-roots_[k] * t) / roots_[k]);
    return potential_[j] * sum;
  }

 private:
  std::vector<long double> polynomials(long double x) const {
    std::vector<long double> q = {1.0L};
    for (std::size_t n = 0; n < birth_.size(); ++n) {
      const long double rate = n + 1 < birth_.size() || absorbing_ ? birth_[n] : 1.0L;
      const long double leaving = (n + 1 < birth_.size() || absorbing_ ? birth_[n] : 0.0L) + death_[n];
      q.push_back(((leaving - x) * q[n] - (n > 0 ? death_[n] * q[n - 1] : 0.0L)) / rate);
    }
    return q;
  }
  long double last(long double x) const { return polynomials(x).back(); }
  long double root(long double low, long double high) const {
    const bool negative = last(low) < 0;
    for (int i = 0; i < 200; ++i) {
      const long double middle = 0.5L * (low + high);
      ((last(middle) < 0) == negative ? low : high) = middle;
    }
    return 0.5L * (low + high);
  }

  std::vector<long double> birth_, death_, potential_, roots_, weights_;
  bool absorbing_;
};

}  // namespace

class TestRepairableSystem : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void the_example_has_its_closed_form_data() {
    QTest::addColumn<QString>("scenario");
    QTest::addColumn<int>("crews");
    QTest::newRow("one crew") << "" << 1;
    QTest::newRow("two crews") << "two_crews" << 2;
  }
  void the_example_has_its_closed_form() {
    QFETCH(QString, scenario);
    QFETCH(int, crews);
    const long double lambda = 2e-3L, mu = 0.05L, end = 1000.0L;
    const auto repair = [&](int down) { return std::min(down, crews) * mu; };
    const BirthAndDeath whole({3 * lambda, 2 * lambda, lambda, 0}, {0, repair(1), repair(2), repair(3)}, false);
    const BirthAndDeath first({3 * lambda, 2 * lambda}, {0, repair(1)}, true);
    const ResultSet got =
        solved(example("04_repairable_system"), {.solver = "ctmc-transient", .scenario = scenario.toStdString()});
    const auto compare = [&](const char* id, long double wanted) {
      compare_within(estimate(got, id), static_cast<double>(wanted), 1e-9);
    };
    const long double up = whole.probability(0, end) + whole.probability(1, end);
    compare("availability_at_end", up);
    compare("interval_availability", (whole.integral(0, end) + whole.integral(1, end)) / end);
    compare("failed_by_end", 1 - first.probability(0, end) - first.probability(1, end));
    compare("system_failures", 2 * lambda * whole.integral(1, end));
    compare("pumps_down", (whole.integral(1, end) + 2 * whole.integral(2, end) + 3 * whole.integral(3, end)) / end);
    for (std::size_t m = 0; m <= 3; ++m) compare(("down_" + std::to_string(m)).c_str(), whole.probability(m, end));
    const long double reached = 1 - first.probability(0, end) - first.probability(1, end);
    const long double alive = first.integral(0, end) + first.integral(1, end);
    compare("time_to_failure", (alive - end * (1 - reached)) / reached);
    QCOMPARE(got.provenance.options.at("states"), std::string("4"));
  }
  void the_long_run_has_its_closed_form() {
    const ResultSet got = solved(example("04_repairable_system"), {.solver = "ctmc-steady-state"});
    const double r = 2e-3 / 0.05, sum = 1 + 3 * r + 6 * r * r + 6 * r * r * r;
    compare_within(estimate(got, "availability_at_end"), (1 + 3 * r) / sum, 1e-12);
    compare_within(estimate(got, "down_3"), 6 * r * r * r / sum, 1e-12);
    compare_within(estimate(got, "system_failures"), 2 * 2e-3 * 3 * r / sum, 1e-12);
    compare_within(estimate(got, "time_to_failure"), 2500.0, 1e-12);
  }
  void counting_pumps_changes_nothing() {
    compare_lumped(example("04_repairable_system"));
    QCOMPARE(chain_of(example("04_repairable_system"), false).generator.size(), std::size_t{13});
  }
};

QTEST_APPLESS_MAIN(TestRepairableSystem)
#include "tst_repairable_system.moc"
