// A published list of training jobs read as it is: by fleets of GPUs and by schedulers of iterations.
#include <QtTest>
#include <algorithm>
#include <cmath>

#include "core/base/read_file.h"
#include "solvers/cluster/traces/fleet_trace.h"
#include "solvers/cluster/traces/iteration_trace.h"
#include "tests/conformance/traces.h"

using namespace ergode;
using namespace ergode::test;

namespace {

std::string tiresias_list() {
  const std::string folder = trace_folder();
  if (folder.empty()) return {};
  return std::get<std::string>(read_text(folder + "/tiresias_60_job.csv"));
}

}  // namespace

class TestGpuJobTraces : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_fleet_runs_a_list_of_tiresias() {
    const std::string text = tiresias_list();
    if (text.empty()) QSKIP("no cases folder");
    auto trace = std::get<0>(read_fleet_trace(text, "tiresias_60_job.csv"));
    QCOMPARE(trace.jobs.size(), std::size_t{60});
    double gpu_s = 0.0;
    for (FleetJob& job : trace.jobs) {
      gpu_s += job.gpus * job.run_s;
      job.of_class = 0, job.penalty = 1.16;
    }
    QCOMPARE(gpu_s, 26624.0);
    const std::vector<double> alike(64, 1.0);
    const ByClass<std::vector<double>> all{alike, alike, alike, alike};
    RandomStream draws(1, 0);
    const FleetRun run = run_fleet(
        trace.jobs, FleetScheduler(FleetOrder::fifo, GpuPlacer(PlacementPolicy::pal, 16, 4, all), all), draws);
    // Alike GPUs and one node where it can be: only those of eight GPUs are on two.
    for (std::size_t j = 0; j < trace.jobs.size(); ++j)
      QCOMPARE(run.jobs[j].slowdown, trace.jobs[j].gpus > 4 ? 1.16 : 1.0);
  }

  void iterations_of_a_list_of_tiresias_are_packed() {
    const std::string text = tiresias_list();
    if (text.empty()) QSKIP("no cases folder");
    const auto trace = std::get<0>(read_iteration_trace(text, "tiresias_60_job.csv", {}));
    QCOMPARE(trace.jobs.size(), std::size_t{60});
    IterationOptions options{.gpus = 8};
    const IterationRun partial = run_iterations(trace.jobs, options);
    options.partial = false;
    const IterationRun full = run_iterations(trace.jobs, options);
    QCOMPARE(partial.iterations, std::uint64_t{43825});
    double full_s = 0.0, partial_s = 0.0;
    for (std::size_t j = 0; j < trace.jobs.size(); ++j)
      full_s += full.jobs[j].gpu_s, partial_s += partial.jobs[j].gpu_s;
    QVERIFY(std::fabs(full_s - 26624.0) < 1e-6);
    // What is saved is 1 - (2 k + 1) / (3 k) of each job, and never more than a third.
    double saved_s = 0.0;
    for (const IterationJob& job : trace.jobs)
      saved_s += static_cast<double>(job.iterations) * job.workers * (job.costs.forward_s + job.costs.backward_s) *
                 (1.0 - (2.0 * job.workers + 1.0) / (3.0 * job.workers));
    QVERIFY(std::fabs(full_s - partial_s - saved_s) < 1e-6 * full_s);
    QVERIFY(partial.makespan_s < full.makespan_s && partial.mean_jct_s < full.mean_jct_s);
  }
};

QTEST_APPLESS_MAIN(TestGpuJobTraces)
#include "tst_gpu_job_traces.moc"
