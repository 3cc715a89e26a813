#include <algorithm>
#include <array>
#include <limits>

#include "reliability_check.h"
#include "solvers/reliability/bfr_closed_form.h"
#include "solvers/reliability/ccf_demand.h"
#include "solvers/reliability/ccf_process.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// Wilson's interval at 99.9 % (z = 3.2905267) contains p: false alarms in one of a thousand comparisons.
void compare_frequency(long hits, long runs, double p) {
  const double z = 3.2905267, n = static_cast<double>(runs), f = static_cast<double>(hits) / n;
  const double middle = (f + z * z / (2 * n)) / (1 + z * z / n);
  const double half = z / (1 + z * z / n) * std::sqrt(f * (1 - f) / n + z * z / (4 * n * n));
  QVERIFY2(std::abs(p - middle) <= half, qPrintable(QString("frequency %1, probability %2").arg(f).arg(p)));
}

/// Failure counts at `end_s` of the pure process over many replications.
std::vector<long> simulate(const CcfProcess& process, double end_s, int runs) {
  std::vector<long> hits(static_cast<std::size_t>(process.n() + 1), 0);
  std::array<ShockEffect, ccf_group_limit> effects;
  std::array<double, ccf_group_limit> fails{};
  for (int run = 0; run < runs; ++run) {
    const auto replication = static_cast<std::uint64_t>(run);
    fails.fill(std::numeric_limits<double>::infinity());
    RandomStream marks(stream_key(7, "marks"), replication), delays(stream_key(7, "delays"), replication);
    for (const auto source : {CcfProcess::independent, CcfProcess::non_lethal, CcfProcess::lethal}) {
      RandomStream epochs(stream_key(7, std::to_string(source)), replication);
      for (double s = process.next_shock(source, epochs, 0.0); s <= end_s; s = process.next_shock(source, epochs, s)) {
        const int count = process.affect(source, marks, delays, effects);
        for (int i = 0; i < count; ++i) {
          const ShockEffect& e = effects[static_cast<std::size_t>(i)];
          double& at = fails[static_cast<std::size_t>(e.member)];
          at = std::min(at, s + e.delay_s);
        }
      }
    }
    ++hits[static_cast<std::size_t>(std::count_if(fails.begin(), fails.end(), [&](double t) { return t <= end_s; }))];
  }
  return hits;
}

void compare_process(const CcfProcess& process, const std::vector<double>& wanted) {
  constexpr int runs = 400000;
  const std::vector<long> hits = simulate(process, 24 * hour, runs);
  for (std::size_t m = 0; m < wanted.size(); ++m) compare_frequency(hits[m], runs, wanted[m]);
}

}  // namespace

class TestCcfProcess : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void binomial_shocks_agree_with_the_closed_form() {
    for (const DelayLaw& law : {no_delay, exponential_delay, uniform})
      compare_process(CcfProcess(stress, law, 4), failed_count_distribution(stress, law, 4, 24 * hour));
  }
  void order_rates_agree_with_the_closed_form() {
    const OrderRates rates = from_mgl({.5, .7, .6, .5}, 0.025 / hour);
    compare_process(CcfProcess(rates, uniform), failed_count_distribution(rates, uniform, 24 * hour));
  }
  void delay_law_and_rho_leave_the_epochs_and_delays_alone() {
    RandomStream marks(1, 0), delays(2, 0), more_marks(1, 0), more_delays(2, 0);
    std::array<ShockEffect, 4> few, many;
    const CcfProcess rare(per_hour(0, 1, 0.3, 0), exponential_delay, 4),
        often(per_hour(0, 1, 0.8, 0), exponential_delay, 4);
    for (int shock = 0; shock < 100; ++shock) {
      const int a = rare.affect(CcfProcess::non_lethal, marks, delays, few);
      const int b = often.affect(CcfProcess::non_lethal, more_marks, more_delays, many);
      for (int i = 0; i < a; ++i) {
        const auto same = std::find_if(many.begin(), many.begin() + b, [&](const ShockEffect& e) {
          return e.member == few[static_cast<std::size_t>(i)].member;
        });
        QVERIFY(same != many.begin() + b);
        QCOMPARE(same->delay_s, few[static_cast<std::size_t>(i)].delay_s);
      }
    }
  }
  void lethal_spread_and_last_delay_have_the_harmonic_means() {
    const CcfProcess process(per_hour(0, 0, 0, 1), exponential_delay, 4);
    RandomStream marks(3, 0), delays(4, 0);
    std::array<ShockEffect, 4> effects;
    double spread = 0.0, last = 0.0;
    constexpr int shocks = 400000;
    for (int i = 0; i < shocks; ++i) {
      process.affect(CcfProcess::lethal, marks, delays, effects);
      const auto [low, high] =
          std::minmax_element(effects.begin(), effects.end(),
                              [](const ShockEffect& a, const ShockEffect& b) { return a.delay_s < b.delay_s; });
      spread += high->delay_s - low->delay_s;
      last += high->delay_s;
      QCOMPARE(low->cause, Cause::lethal);
    }
    // Standard deviations are 2 h * sqrt(1 + 1/4 + 1/9 [+ 1/16]); 3.29 standard errors.
    const double error = 3.29 * 2 * hour * 1.2 / std::sqrt(double{shocks});
    QVERIFY(std::abs(spread / shocks - 2 * hour * (1 + 1 / 2.0 + 1 / 3.0)) < error);
    QVERIFY(std::abs(last / shocks - 2 * hour * 25 / 12.0) < error);
  }
  void source_without_rate_never_strikes_and_draws_nothing() {
    RandomStream epochs(5, 0);
    QCOMPARE(CcfProcess(per_hour(1, 0, 0, 0), no_delay, 4).next_shock(CcfProcess::lethal, epochs, 3.0),
             std::numeric_limits<double>::infinity());
    QCOMPARE(epochs.draws(), std::uint64_t{0});
  }
  void demand_probabilities_match_the_published_gates() {
    compare_relative(CcfDemand(from_alpha({.8, .2}, .3, Testing::non_staggered)).all_fail(), .136, 1e-13);
    compare_relative(CcfDemand(from_alpha({.8, .2}, .3, Testing::staggered)).all_fail(), .114144, 1e-13);
    compare_printed(CcfDemand(order_rates({1e-3, 2e-4, 0.3, 1e-6}, 3)).all_fail(), "6.4404771336446e-6");
  }
  void demand_distribution_equals_enumeration_of_all_events() {
    const OrderRates q = from_mgl({.4, .5, .6}, .3);
    std::vector<double> wanted(5, 0.0);
    for (unsigned happened = 0; happened < (1u << 15); ++happened) {
      double p = 1.0;
      unsigned failed = 0;
      for (unsigned set = 1; set < 16; ++set) {
        const double each = q.specific[static_cast<std::size_t>(__builtin_popcount(set) - 1)];
        const bool occurs = (happened >> (set - 1)) & 1u;
        p *= occurs ? each : 1.0 - each;
        if (occurs) failed |= set;
      }
      wanted[static_cast<std::size_t>(__builtin_popcount(failed))] += p;
    }
    const CcfDemand demand(q);
    for (std::size_t m = 0; m < 5; ++m) compare_relative(demand.failed_count()[m], wanted[m], 1e-11);
  }
  void a_certain_event_of_any_order_fails_every_member() {
    for (std::size_t order = 0; order < 3; ++order) {
      OrderRates q = from_mgl({.5, .5}, .1);
      q.specific[order] = 1.0;
      const CcfDemand demand(q);
      QCOMPARE(demand.failed_count(), (std::vector<double>{0, 0, 0, 1}));
      RandomStream stream(7, 0);
      std::array<SplitPart, 3> cause;
      std::array<std::uint8_t, 3> failed;
      demand.sample_causes(stream, cause), demand.sample(stream, failed);
      QCOMPARE(std::count(cause.begin(), cause.end(), Cause::none), 0);
      QCOMPARE(std::count(failed.begin(), failed.end(), 1), 3);
    }
  }
  void sampled_demands_agree_with_their_distribution() {
    const OrderRates q = from_mgl({.4, .5, .6}, .3);
    const CcfDemand demand(q);
    std::vector<long> hits(5, 0), by_cause(5, 0), each(4, 0);
    long all = 0;
    constexpr int runs = 400000;
    for (int run = 0; run < runs; ++run) {
      RandomStream stream(stream_key(11, "demand"), static_cast<std::uint64_t>(run));
      std::array<std::uint8_t, 4> failed;
      demand.sample(stream, failed);
      ++hits[static_cast<std::size_t>(std::count(failed.begin(), failed.end(), 1))];
      for (std::size_t i = 0; i < 4; ++i) each[i] += failed[i];
      std::array<SplitPart, 4> cause;
      demand.sample_causes(stream, cause);
      ++by_cause[static_cast<std::size_t>(4 - std::count(cause.begin(), cause.end(), Cause::none))];
      all += std::count(cause.begin(), cause.end(), Cause::lethal) == 4;
    }
    double one = 0.0;
    for (std::size_t m = 0; m < 5; ++m) {
      compare_frequency(hits[m], runs, demand.failed_count()[m]);
      compare_frequency(by_cause[m], runs, demand.failed_count()[m]);
      one += static_cast<double>(m) / 4 * demand.failed_count()[m];
    }
    for (std::size_t i = 0; i < 4; ++i) compare_frequency(each[i], runs, one);
    compare_frequency(all, runs, q.specific[3]);
  }
};

QTEST_APPLESS_MAIN(TestCcfProcess)
#include "tst_ccf_process.moc"
