#include "app/session/stamp.h"

#include <chrono>
#include <cmath>
#include <ctime>
#include <new>

#include "core/base/process.h"
#include "core/catalogue/measure_kinds.h"
#include "core/study/runner.h"
#include "solvers/model/provenance.h"
#include "solvers/registry.h"

namespace ergode {
namespace {

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

}  // namespace

RunStart start_of_run() { return {ElementId::make().text(), utc_now()}; }

ResultSet solve_stamped(const Solver& solver, const Question& question, RunControl& control, const RunStart& start) {
  const RunRequest& request = question.request();
  const auto begin = std::chrono::steady_clock::now();
  ResultSet out;
  try {
    out = solver.solve(question, control);
  } catch (const std::bad_alloc&) {
    const std::string why = solver.spec().name + " needs more memory than this process can get.";
    out = {};
    out.status = RunStatus::failed, out.stop_reason = why;
    out.diagnostics = {{.code = "RUN004", .message = why, .hint = "Wanted a smaller model, or a larger limit."}};
  }
  Provenance::Made& made = out.provenance.made;
  // Where a clock or a user stopped the run, only the number of replications makes the same numbers again.
  const bool stopped = out.stop_reason == "wall_time" || out.stop_reason == "cancelled";
  // One long run has no such number: its command makes the whole of it. Plugins have a command of their own.
  const bool long_run = request.options.contains("output-analysis");
  if (stopped && out.replications > 0 && !long_run && find_solver(solver.spec().name) == &solver) {
    RunRequest same = request;
    same.seed = out.provenance.seed, same.replications = out.replications;
    same.precision.reset(), same.precision_of.clear(), same.precision_for = PrecisionFor::headline,
                                                       same.wall_time_s.reset();
    out.provenance.command = provenance_of(question.with(same), nullptr, solver.spec().name).command;
  }
  out.long_run = solver.spec().long_run;
  out.provenance.run_id = start.run_id;
  made.started_utc = start.started_utc;
  made.finished_utc = utc_now();
  made.elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() - control.paused_s;
  made.host = host_name();
  made.compiler = "g++ " __VERSION__;
  made.threads = solver.spec().exact || long_run ? 1 : threads_of(request.threads);
  return out;
}

void tell_of_means_alone(const Solver& solver, const Document& document, ResultSet& out) {
  std::string names;
  for (const MeasureResult& one : out.measures) {
    const MeasureKind* const kind = find_measure_kind(one.kind);
    if (kind == nullptr || !one.quantiles.empty() || !std::isfinite(one.estimate)) continue;
    const Element* const measure = document.named(Section::measure, one.id);
    if (kind->lasting || (kind->may_sample && measure != nullptr && measure->text("distribution") == "true"))
      names += (names.empty() ? "" : ", ") + one.id;
  }
  if (names.empty() || !solver.spec().exact) return;
  out.diagnostics.push_back({.severity = Severity::info,
                             .code = "SOL007",
                             .message = solver.spec().name + " answers the mean alone of: " + names + ".",
                             .hint = "The distribution is told by the simulation and, of networks, by ctmc-network."});
}

}  // namespace ergode
