#include <QtTest>
#include <random>

#include "solvers/queueing/exact/saturation_sectors.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/solvers/queueing/drawn_network.h"

using namespace ergode;
using namespace ergode::test;

namespace {

using Demands = std::vector<std::array<double, 2>>;

/// Utilisations of a closed network of two classes by exact mean value analysis, written for this test.
std::vector<double> utilisations(const Demands& demand, int first, int second) {
  const std::size_t stations = demand.size();
  std::vector<std::vector<double>> before(static_cast<std::size_t>(second) + 1, std::vector<double>(stations, 0.0));
  std::vector<double> out(stations, 0.0);
  for (int a = 0; a <= first; ++a) {
    auto row = before;
    for (int b = 0; b <= second; ++b) {
      const auto place = static_cast<std::size_t>(b);
      std::vector<double> queue(stations, 0.0);
      std::fill(out.begin(), out.end(), 0.0);
      for (int c = 0; c < 2; ++c) {
        const int n = c == 0 ? a : b;
        if (n == 0) continue;
        const std::vector<double>& less = c == 0 ? before[place] : row[place - 1];
        double cycle = 0.0;
        for (std::size_t k = 0; k < stations; ++k) cycle += demand[k][static_cast<std::size_t>(c)] * (1.0 + less[k]);
        for (std::size_t k = 0; k < stations; ++k) {
          const double d = demand[k][static_cast<std::size_t>(c)];
          queue[k] += n / cycle * d * (1.0 + less[k]);
          out[k] += n / cycle * d;
        }
      }
      row[place] = queue;
    }
    before = row;
  }
  return out;
}

}  // namespace

/// Oracle: exact mean value analysis of hundreds of customers, and the closed form for two stations.
class TestSaturationSectors : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void two_stations_have_the_published_sector() {
    // D = (3, 1), (1, 2): X = (1/5, 2/5), so both saturate for shares 1/5 to 3/5 of the first class.
    const auto found = saturation_sectors({{3.0, 1.0}, {1.0, 2.0}});
    QCOMPARE(found.size(), std::size_t{3});
    QCOMPARE(found[0].stations, std::vector<std::size_t>{1});
    QVERIFY(std::fabs(found[0].to - 0.2) < 1e-12 && std::fabs(found[1].to - 0.6) < 1e-12);
    QCOMPARE(found[1].stations, (std::vector<std::size_t>{0, 1}));
    QCOMPARE(found[2].stations, std::vector<std::size_t>{0});
    QCOMPARE(found[2].to, 1.0);
  }
  void drawn_networks_have_them_as_a_table() {
    register_lowering(network_lowering);
    DrawnNetwork d;
    const auto station = [&](const char* name, const char* times) {
      return d.node("station", name, {{"discipline", "ps"}, {"service_of", times}});
    };
    const ElementId cpu = station("cpu", "a = exponential(mean = 3 s), b = exponential(mean = 1 s)"),
                    disk = station("disk", "a = exponential(mean = 1 s), b = exponential(mean = 2 s)");
    d.node("job_class", "a", {{"population", "4"}, {"reference", "cpu"}});
    d.node("job_class", "b", {{"population", "6"}, {"reference", "cpu"}});
    d.flow(cpu, disk), d.flow(disk, cpu);
    const ResultSet r = solved(d.m.document(), {.solver = "mva", .options = {{"mva-method", "bounds"}}});
    const auto table =
        std::find_if(r.tables.begin(), r.tables.end(), [](const ResultTable& t) { return t.name == "bottlenecks"; });
    QVERIFY(table != r.tables.end());
    QCOMPARE(table->rows.size(), std::size_t{3});
    const auto& row = table->rows[1];
    QVERIFY(std::fabs(std::get<double>(row[0]) - 0.2) < 1e-12 && std::fabs(std::get<double>(row[1]) - 0.6) < 1e-12);
    QCOMPARE(std::get<std::string>(row[2]), std::string("cpu, disk"));
    // Four of ten are of the first class.
    QCOMPARE(std::get<std::string>(row[3]), std::string("yes"));
    QCOMPARE(std::get<std::string>(table->rows[0][3]), std::string());
  }
  void one_that_asks_most_of_both_is_the_bottleneck_of_all_mixes() {
    const auto found = saturation_sectors({{3.0, 3.0}, {1.0, 2.0}, {2.0, 1.0}});
    QCOMPARE(found.size(), std::size_t{1});
    QCOMPARE(found[0].stations, std::vector<std::size_t>{0});
    QCOMPARE(found[0].from, 0.0);
    QCOMPARE(found[0].to, 1.0);
  }
  void stations_of_one_class_each_saturate_together() {
    const auto found = saturation_sectors({{2.0, 0.0}, {0.0, 1.0}});
    QCOMPARE(found.size(), std::size_t{1});
    QCOMPARE(found[0].stations, (std::vector<std::size_t>{0, 1}));
  }
  void equal_stations_saturate_together() {
    const auto found = saturation_sectors({{2.0, 1.0}, {2.0, 1.0}, {1.0, 3.0}});
    QCOMPARE(found.back().stations, (std::vector<std::size_t>{0, 1}));
    QCOMPARE(found.front().stations, std::vector<std::size_t>{2});
  }
  void many_customers_saturate_just_those() {
    std::mt19937 draw(1);
    std::uniform_int_distribution<int> demand(1, 8);
    int looked_at = 0;
    for (int network = 0; network < 40; ++network) {
      Demands demands;
      for (int k = 0; k < 4; ++k) demands.push_back({1.0 * demand(draw), 1.0 * demand(draw)});
      for (const SaturationSector& sector : saturation_sectors(demands)) {
        if (sector.to - sector.from < 0.15) continue;  // the ends of a sector are reached slowly
        const double share = 0.5 * (sector.from + sector.to);
        // With twice as many customers half of the idle time is left at those, at others nearly all of it.
        const auto idle = [&](int all) {
          const int first = static_cast<int>(std::lround(all * share));
          return utilisations(demands, first, all - first);
        };
        const std::vector<double> some = idle(150), more = idle(300);
        for (std::size_t k = 0; k < more.size(); ++k) {
          const bool saturated = std::find(sector.stations.begin(), sector.stations.end(), k) != sector.stations.end();
          const double left = 1.0 - more[k] < 1e-6 ? 0.0 : (1.0 - more[k]) / (1.0 - some[k]);
          QVERIFY2(saturated ? left < 0.65 : left > 0.8,
                   qPrintable(QString("network %1, station %2: %3").arg(network).arg(k).arg(left)));
          ++looked_at;
        }
      }
    }
    QVERIFY(looked_at > 150);
  }
};

QTEST_APPLESS_MAIN(TestSaturationSectors)
#include "tst_saturation_sectors.moc"
