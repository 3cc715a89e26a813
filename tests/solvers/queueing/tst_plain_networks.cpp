// Many elements and disciplines at once, against a program written from their definitions: whatever would be drawn by
// chance is a list here, so that each number must be the same.
#include <QTemporaryDir>
#include <QtTest>
#include <numeric>

#include "core/des/lowering.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/solvers/queueing/drawn_plain_model.h"
#include "tests/solvers/queueing/random_plain_model.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// Whether the plain program itself comes to something else with all times in another unit, which changes nothing but
/// what is rounded away: then the definitions do not say what is right. Rounding grows where stations that share their
/// servers lead to each other: who comes a little later lets the others be done sooner, and they come back sooner.
bool rounding_decides(const PlainModel& model, const std::map<std::string, double>& values) {
  constexpr double unit = 1.1;
  PlainModel other = model;
  other.end *= unit;
  for (double& due : other.due) due *= unit;
  for (PlainBirth& b : other.births) {
    b.at *= unit, b.patience *= unit;
    for (double& work : b.work) work *= unit;
  }
  for (PlainNode& n : other.nodes) {
    if (n.kind == "transport") n.factor *= unit;
    n.firing *= unit;
    for (double* time : {&n.retry, &n.setup, &n.vacation, &n.switchover, &n.to_failure, &n.to_repair}) *time *= unit;
    for (double& time : n.of_class) time *= unit;
  }
  try {
    PlainNetwork plain(other);
    for (const auto& [name, value] : values)
      if (!DrawnPlainModel::alike(plain.values[name] / (DrawnPlainModel::is_time(name) ? unit : 1.0), value))
        return true;
  } catch (const std::logic_error&) {
    return true;  // a way that was allowed is not
  }
  return false;
}

}  // namespace

class TestPlainNetworks : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(network_lowering); }

  void random_networks_are_as_the_definitions_say() {
    // The last ones once differed: those who had begun this moment were not equal to their equals, customers of a batch
    // came all at once, rounding decides.
    std::vector<unsigned> seeds(2500);
    std::iota(seeds.begin(), seeds.end(), 1U);
    seeds.insert(seeds.end(), {3391U, 3998U, 30725U, 31351U, 31935U});
    compare(seeds, false, 2, {"batch",      "block",    "block_before",  "choice",        "class_switch",
                              "delay",      "dps",      "edd",           "exhaustive",    "failure",
                              "fcfs",       "fork",     "gated",         "gps",           "join",
                              "las",        "lcfs",     "lcfs_pr",       "lept",          "limited",
                              "ljf",        "logger",   "lose",          "losing region", "patience",
                              "preemptive", "ps",       "refused",       "release",       "reneged",
                              "repeat",     "resume",   "retry",         "round_robin",   "rounds",
                              "scaler",     "seize",    "semaphore",     "sept",          "setup",
                              "sjf",        "speed",    "speeds",        "srpt",          "semaphore by class",
                              "transport",  "vacation", "waiting region"});
  }

  // Also customers of closed classes, who go round; who choose their way by what they find there; who take units of a
  // pool away from others; and places and transitions between all else.
  void closed_networks_choices_and_lost_units_are_too() {
    std::vector<unsigned> seeds(1200);
    std::iota(seeds.begin(), seeds.end(), 1U);
    seeds.push_back(11775U);  // once the plain program had those whose units came back go to the end of a polled line
    compare(
        seeds, true, 3,
        {"closed",   "shortest_queue", "least_work",   "power_of_d", "fastest", "last_response",  "last_service",
         "preempts", "preempted",      "place",        "transition", "timed",   "tokens",         "inhibitor",
         "batch",    "block",          "class_switch", "fork",       "rounds",  "waiting region", "closed and empty"});
  }

 private:
  static void compare(const std::vector<unsigned>& seeds, bool wide, int most_rounded,
                      std::initializer_list<const char*> often) {
    const auto networks = static_cast<int>(seeds.size());
    std::map<std::string, int> seen, refused;
    int compared = 0;
    long numbers = 0;
    QString wrong;
    int wrongs = 0, rounded = 0;
    for (const unsigned seed : seeds) {
      RandomPlainModel drawn(seed, 1 + static_cast<int>(seed % 4), wide);
      const QTemporaryDir folder;
      DrawnPlainModel drawing(drawn.model, drawn.batch, folder.path().toStdString());
      Diagnostics found;
      if (build_model(drawing.d.m.document(), {}, folder.path().toStdString(), found) == nullptr) {
        ++refused[found.front().code + " " + found.front().message];
        continue;
      }
      QString differs;
      std::map<std::string, double> values;
      try {
        RunRequest request{.seed = 1, .replications = 1, .threads = 1};
        request.folder = folder.path().toStdString();
        drawing.note_choices(drawn.model, request.folder, 1);
        PlainNetwork plain(drawn.model);
        values = plain.values;
        for (const PlainNode& n : drawn.model.nodes)
          if (n.kind == "station") values[n.name + ".lost"] += 0.0, values[n.name + ".gave_up"] += 0.0;
        for (std::size_t p = 0; wide && p < drawn.model.pools.size(); ++p) {
          double& preempted = values["pool" + std::to_string(p) + ".preempted"];
          preempted += 0.0;  // asked for also where nobody is
          if (preempted > 0.0) ++seen["preempted"];
        }
        drawing.ask(values);
        const ResultSet r = solved(drawing.d.m.document(), request);
        for (const auto& [name, value] : values) {
          const double ours = estimate(r, DrawnPlainModel::measure_of(name));
          ++numbers;
          if (!DrawnPlainModel::alike(ours, value))
            differs += QString("\n  %1: %2, plain %3").arg(name.c_str()).arg(ours, 0, 'g', 12).arg(value, 0, 'g', 12);
        }
      } catch (const std::exception& failure) {
        differs = QString("\n  ") + failure.what();
      }
      ++compared;
      for (const auto& [what, count] : drawn.seen) seen[what] += count;
      if (differs.isEmpty()) continue;
      if (!values.empty() && rounding_decides(drawn.model, values)) {
        ++rounded;
        continue;
      }
      if (++wrongs <= 5) wrong += QString("\nnetwork %1:").arg(seed) + differs.left(1500);
    }
    for (const auto& [why, count] : refused) qInfo("%d refused: %s", count, why.c_str());
    QString all;
    for (const auto& [what, count] : seen) all += QString(" %1 %2").arg(what.c_str()).arg(count);
    qInfo("%d networks, %ld numbers, rounding decides %d:%s", compared, numbers, rounded, qPrintable(all));
    QVERIFY2(wrongs == 0, qPrintable(QString("%1 of %2 differ").arg(wrongs).arg(compared) + wrong));
    QCOMPARE(compared, networks);
    QVERIFY2(rounded <= most_rounded, qPrintable(QString("rounding decides %1 networks").arg(rounded)));
    for (const char* what : often) QVERIFY2(seen[what] >= 20, what);
  }
};

QTEST_APPLESS_MAIN(TestPlainNetworks)
#include "tst_plain_networks.moc"
