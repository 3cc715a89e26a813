// Drawings with several places that run jobs, of one kind or of each: every table has a name of its own and is the one
// that its place has alone.
#include <QtTest>
#include <set>

#include "core/des/lowering.h"
#include "core/results/result_csv.h"
#include "solvers/cluster/lowering/batch_lowering.h"
#include "solvers/cluster/lowering/fleet_lowering.h"
#include "solvers/cluster/lowering/gang_lowering.h"
#include "solvers/cluster/lowering/iteration_lowering.h"
#include "solvers/cluster/lowering/rental_lowering.h"
#include "solvers/cluster/lowering/round_lowering.h"
#include "tests/solvers/cluster/drawn_hosts.h"

using namespace ergode;
using namespace ergode::test;

namespace {

struct Place {
  const char *kind, *name;
};
const Place all_places[] = {{"rental", "cloud"},           {"host_pool", "pool"},
                            {"gpu_cluster", "grid"},       {"gpu_fleet", "fleet"},
                            {"round_scheduler", "rounds"}, {"iteration_scheduler", "training"},
                            {"gpu_cluster", "grid_2"},     {"iteration_scheduler", "again"}};

/// Three jobs at each of these places.
ResultSet run_of(const std::vector<Place>& places) {
  ModelBuilder m("2000 s");
  m.header("time_unit", "s");
  const ElementId diagram = m.diagram("Cluster", "cluster");
  for (const Place& place : places) {
    const std::string name = place.name;
    Value properties = {{"name", name}};
    if (name == "fleet") properties["variation"] = "none";
    const ElementId at = m.node(diagram, {}, place.kind, std::move(properties));
    const ElementId jobs = m.node(diagram, {}, "job_stream",
                                  {{"name", "for_" + name},
                                   {"interarrival", std::to_string(100 + name.size()) + " s"},
                                   {"size", "30 s"},
                                   {"limit", "1 h"},
                                   {"most_jobs", "3"}});
    m.edge(diagram, "job_flow", jobs, at);
    m.measure("submitted_" + name, "final_value", "for_" + name + ".submitted");
  }
  RunRequest request;
  request.replications = 1, request.seed = 1;
  return solved(m.document(), request);
}

}  // namespace

class TestSeveralPlaces : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    register_lowering(rental_lowering), register_lowering(batch_lowering), register_lowering(fleet_lowering);
    register_lowering(round_lowering), register_lowering(gang_lowering), register_lowering(iteration_lowering);
  }

  void tables_of_each_place_are_told_apart() {
    const std::vector<Place> places(std::begin(all_places), std::end(all_places));
    const ResultSet r = run_of(places);
    std::set<std::string> names;
    for (const ResultTable& table : r.tables) QVERIFY2(names.insert(table.name).second, table.name.c_str());
    std::size_t compared = 0;
    for (const Place& place : places) {
      const ResultSet alone = run_of({place});
      QVERIFY(!alone.tables.empty());
      for (const ResultTable& wanted : alone.tables) {
        const ResultTable& seen = table_named(r, (wanted.name + "_" + place.name).c_str());
        QCOMPARE(table_csv(seen), table_csv(wanted));
        QCOMPARE(seen.title, wanted.title);
        ++compared;
      }
      QCOMPARE(table_named(alone, "jobs").rows.size(), std::size_t{3});
    }
    QCOMPARE(compared, r.tables.size());
  }

  // A file for each, none over another.
  void files_of_each_place_are_there() {
    QTemporaryDir folder;
    const std::string path = folder.filePath("out.csv").toStdString();
    const ResultSet r = run_of({all_places[2], all_places[5]});
    QVERIFY(!export_csv(r, path));
    const std::vector<std::string> files = csv_files(r, path);
    QCOMPARE(std::set<std::string>(files.begin(), files.end()).size(), files.size());
    for (const char* name : {"out.jobs_grid.csv", "out.jobs_training.csv"})
      QVERIFY2(QFile::exists(folder.filePath(name)), name);
  }
};

QTEST_GUILESS_MAIN(TestSeveralPlaces)
#include "tst_several_places.moc"
