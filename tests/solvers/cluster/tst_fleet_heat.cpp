// Temperature, clock and power of the GPUs of a fleet: what is drawn follows the published statistics, worked out here
// from their formulas, and jobs draw the power of the GPUs that they have.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

#include "core/base/text.h"
#include "core/des/lowering.h"
#include "solvers/cluster/devices/device_profiles.h"
#include "solvers/cluster/lowering/fleet_lowering.h"
#include "tests/solvers/cluster/drawn_hosts.h"
#include "tests/solvers/queueing/saved_moment.h"

using namespace ergode;
using namespace ergode::test;

namespace {

ResultTable devices_of(Value properties, const std::string& file = {}) {
  DrawnFleetModel drawn("10 s", std::move(properties));
  if (!file.empty()) drawn.file("gpus.csv", file);
  drawn.stream("users", {{"rate", "1 /s"}, {"size", "1 s"}});
  drawn.m.measure("busy", "time_average", "fleet.busy");
  return table_named(drawn.run(1), "devices");
}

double mean_of_column(const std::vector<double>& x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

/// By counting who is below whom.
std::vector<double> plain_ranks(const std::vector<double>& x) {
  std::vector<double> out;
  for (const double a : x) {
    double rank = 0;
    for (const double b : x) rank += b < a ? 1.0 : b == a ? 0.5 : 0.0;
    out.push_back(rank);
  }
  return out;
}
double plain_spearman(const std::vector<double>& x, const std::vector<double>& y) {
  const auto a = plain_ranks(x), b = plain_ranks(y);
  const double ma = mean_of_column(a), mb = mean_of_column(b);
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    ab += (a[i] - ma) * (b[i] - mb), aa += (a[i] - ma) * (a[i] - ma), bb += (b[i] - mb) * (b[i] - mb);
  return ab / std::sqrt(aa * bb);
}

}  // namespace

class TestFleetHeat : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(fleet_lowering); }

  // T ~ N(65.47, 6.23) within 48 and 82; f = 1362.7 - 1.925 (T - 66) + N(0, 19.35); t = 2431.1 (f / 1365)^-0.938 with a
  // residual of 0.00263; 297 W but for the tail, which is 5 to 20 % slower and draws down to 250.4 W.
  void devices_of_a_power_cap_are_those_of_its_model() {
    const ResultTable all = devices_of({{"nodes", "2500"}, {"gpus_per_node", "4"}, {"variation", "power_cap"}});
    const auto slow = column_of(all, "slowdown_A"), warm = column_of(all, "temperature_c"),
               clock = column_of(all, "frequency_mhz"), watts = column_of(all, "power_w");
    const double n = static_cast<double>(slow.size());
    QCOMPARE(slow.size(), std::size_t{10000});
    const double middle = std::pow((1362.7 - 1.925 * (65.47 - 66)) / 1365, -0.938);
    double in_tail = 0, residual = 0, about_clock = 0, power = 0;
    for (std::size_t i = 0; i < slow.size(); ++i) {
      QVERIFY(warm[i] >= 48 && warm[i] <= 82 && clock[i] >= 1290 && clock[i] <= 1530);
      about_clock += (clock[i] - (1362.7 - 1.925 * (warm[i] - 66))) / n;
      const double beyond = slow[i] * middle / std::pow(clock[i] / 1365, -0.938);
      if (watts[i] == 297.0) {
        residual += std::log(beyond) * std::log(beyond);
        QVERIFY(std::fabs(std::log(beyond)) < 5 * 0.00263);
        continue;
      }
      ++in_tail, power += watts[i];
      // How much slower and how far below the cap go together.
      QVERIFY(std::fabs(std::log(beyond / (1.05 + 0.15 * (297 - watts[i]) / (297 - 250.4)))) < 5 * 0.00263);
    }
    QVERIFY(std::fabs(in_tail / n - 6.0 / 392) < 3.3 * std::sqrt(6.0 / 392 / n));
    QVERIFY(std::fabs(power / in_tail - (297 + 250.4) / 2) < 3.3 * 46.6 / std::sqrt(12 * in_tail));
    QVERIFY(std::fabs(std::sqrt(residual / (n - in_tail)) - 0.00263) < 3.3 * 0.00263 / std::sqrt(2 * n));
    QVERIFY(std::fabs(about_clock) < 3.3 * 19.35 / std::sqrt(n) && std::fabs(mean_of_column(warm) - 65.47) < 0.25);
  }

  // Published: Spearman of time and temperature 0.4343 over runs, 99 % of them at the cap.
  void gpus_of_longhorn_are_warm_and_slow_as_published() {
    const ResultTable all = devices_of({{"nodes", "1000"}, {"gpus_per_node", "4"}, {"variation", "sgemm_longhorn"}});
    const auto slow = column_of(all, "slowdown_A"), warm = column_of(all, "temperature_c"),
               watts = column_of(all, "power_w");
    QVERIFY(std::fabs(plain_spearman(slow, warm) - 0.4343) < 0.05);
    QVERIFY(std::fabs(mean_of_column(warm) - 65.47) < 3.3 * 6.23 / std::sqrt(4000.0));
    QVERIFY(std::all_of(watts.begin(), watts.end(), [](double w) { return w == 297.0; }));
    // Speeds are those of the law, which nothing else moves.
    QVERIFY(column_of(all, "frequency_mhz").empty());
    QVERIFY(column_of(devices_of({{"nodes", "4"}, {"variation", "longhorn"}}), "temperature_c").empty());
  }

  // In a file whose slower GPUs are warmer and draw less, without exception, so do those that are drawn.
  void measured_gpus_are_as_warm_as_their_file() {
    std::ostringstream text;
    text << "app,gpu,perf_ms,temp_c,power_w\n";
    for (int g = 0; g < 40; ++g) text << "A,g" << g << ',' << 100 + g << ',' << 50 + g / 2.0 << ',' << 300 - g << '\n';
    const ResultTable all =
        devices_of({{"nodes", "500"}, {"variation", "measured"}, {"measurements", "gpus.csv"}}, text.str());
    const auto slow = column_of(all, "slowdown_A"), warm = column_of(all, "temperature_c"),
               watts = column_of(all, "power_w");
    QCOMPARE(warm.size(), std::size_t{2000});
    for (std::size_t i = 0; i < warm.size(); ++i) {
      // time = slowdown * 119.5, and all three are lines of the number of the GPU.
      const double g = slow[i] * 119.5 - 100;
      QVERIFY(std::fabs(warm[i] - (50 + g / 2)) < 1e-6 && std::fabs(watts[i] - (300 - g)) < 1e-6);
    }
  }

  // Means, standard deviations and ends as PAL's artifact says, by the middles of a million parts.
  void the_32_gpus_of_frontera_are_those_of_pal() {
    const double wanted[4][4] = {{1.0219, 0.0409, 0.9886, 1.1172},
                                 {1.0067, NAN, NAN, 1.0591},
                                 {1.0067, NAN, NAN, 1.0591},
                                 {1.0, 0.0005, NAN, NAN}};
    for (std::size_t c = 0; c < 4; ++c) {
      const SlownessProfile profile = profile_of_32_frontera(c);
      constexpr int parts = 1000000;
      double sum = 0, squares = 0;
      for (int i = 0; i < parts; ++i) {
        const double x = profile.quantile((i + 0.5) / parts) - 1;
        sum += x, squares += x * x;
      }
      const double mean = sum / parts, sd = std::sqrt(squares / parts - mean * mean);
      QVERIFY(std::fabs(1 + mean - wanted[c][0]) < 5e-5);
      if (!std::isnan(wanted[c][1])) QVERIFY(std::fabs(sd - wanted[c][1]) < 5e-5);
      if (!std::isnan(wanted[c][2])) QCOMPARE(profile.quantile(0), wanted[c][2]);
      if (!std::isnan(wanted[c][3])) QCOMPARE(profile.quantile(1), wanted[c][3]);
      QCOMPARE(profile.quantile(0.5), 1.0);
    }
    const ResultTable all = devices_of({{"nodes", "500"}, {"variation", "frontera_32"}});
    QVERIFY(std::fabs(mean_of_column(column_of(all, "slowdown_A")) - 1.0219) < 3.3 * 0.0409 / std::sqrt(2000.0));
  }

  // Each job draws what its GPUs draw, from its start to its end.
  void jobs_draw_the_power_of_their_gpus() {
    for (const bool said : {false, true}) {
      Value v = {{"nodes", "8"}, {"variation", "power_cap"}, {"tail_probability", "0.5"}};
      if (said) v["power"] = "100 W";
      DrawnFleetModel drawn("100000 s", v);
      drawn.stream("users", {{"interarrival", "exponential(mean = 10 s)"},
                             {"size", "exponential(mean = 60 s)"},
                             {"gpus", "uniform(low = 0, high = 6)"},
                             {"most_jobs", "400"}});
      drawn.m.measure("power", "time_average", "fleet.power", {{"unit", "W"}});
      const ResultSet r = drawn.run(1);
      const auto watts = column_of(table_named(r, "devices"), "power_w");
      const ResultTable& jobs = table_named(r, "jobs");
      const auto start = column_of(jobs, "start_s"), end = column_of(jobs, "completion_s");
      double joules = 0;
      for (std::size_t i = 0; i < jobs.rows.size(); ++i)
        for (const std::string& gpu : split(std::get<std::string>(jobs.rows[i][14]), ' '))
          joules += (said ? 100.0 : watts[std::stoul(gpu)]) * (end[i] - start[i]);
      QVERIFY(joules > 0 && std::fabs(estimate(r, "power") * 100000 / joules - 1) < 1e-9);
      const ResultTable& spend = table_named(r, "spend");
      QVERIFY(std::fabs(column_of(spend, "energy_so_far").back() * 3.6e6 / joules - 1) < 1e-9);
    }
  }

  void a_saved_moment_keeps_the_power_of_its_gpus() {
    DrawnFleetModel drawn("1000 s", {{"nodes", "2"}, {"variation", "power_cap"}, {"tail_probability", "0.5"}});
    drawn.stream("users",
                 {{"rate", "0.8 /s"}, {"size", "exponential(mean = 1.5 s)"}, {"gpus", "uniform(low = 0, high = 6)"}});
    compare_saved_moment(drawn.m.document());
  }
};

QTEST_GUILESS_MAIN(TestFleetHeat)
#include "tst_fleet_heat.moc"
