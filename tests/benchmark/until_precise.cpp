// M/M/1 at a load of 0.9, drawn, until one measure is known to 3 % at 99 %: how long a run takes, and how many
// intervals hold what theory knows. The same 200 seeds each time, so that coverage is the same on every machine.
#include <algorithm>
#include <chrono>
#include <map>
#include <stdexcept>

#include "app/session/catalogue.h"
#include "core/format/model_file.h"
#include "solvers/registry.h"
#include "tests/benchmark/benchmark.h"

namespace ergode::bench {
namespace {

constexpr int seeds = 200;
constexpr double wanted_s = 0.5;  // for a run

/// The measure that ends a run, as it is written, and its exact value.
struct Asked {
  std::string measure;
  double exact;
};
const Asked number{R"("type": "steady_state_mean", "expression": "desk.number")", 9.0};
const Asked response{R"("type": "steady_state_mean", "of": "desk.response_time", "unit": "s")", 10.0};

Document queue(const Asked& asked) {
  catalogue();  // knows how networks are lowered
  ReadOutcome read = parse_model(R"json({"format": "ergode-model", "schema": 1,
 "model": {"id": "0000000000000001", "name": "queue", "horizon": "50000 s", "time_unit": "s"}, "parameters": [],
 "diagrams": [{"id": "0000000000000010", "name": "Net", "notation": "queueing", "nodes": [
{"id": "0000000000000101", "kind": "source", "name": "in", "rate": "0.9 /s"},
{"id": "0000000000000102", "kind": "station", "name": "desk", "service": "exponential(mean = 1 s)"
},
{"id": "0000000000000103", "kind": "sink", "name": "out"}], "edges": [
{"id": "0000000000000104", "kind": "flow", "source": "0000000000000101", "target": "0000000000000102"},
{"id": "0000000000000105", "kind": "flow", "source": "0000000000000102", "target": "0000000000000103"}]
}],
 "measures": [{"id": "0000000000000106", "name": "asked", )json" +
                                 asked.measure + "}]}");
  if (!read.document) throw std::runtime_error("the benchmark's model is broken: " + read.diagnostics.front().message);
  return std::move(*read.document);
}

struct Found {
  double median_s = 0.0;
  int hold = 0;
};
/// Both rows of a measure are of the same runs.
const Found& found(const Asked& asked) {
  static std::map<const Asked*, Found> known;
  Found& out = known[&asked];
  if (out.median_s > 0.0) return out;
  const Document document = queue(asked);
  std::vector<double> seconds;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    RunRequest request;
    request.seed = seed, request.precision = 0.03, request.confidence = 0.99;
    request.options["output-analysis"] = "batch-means";
    RunControl control;
    const auto begin = std::chrono::steady_clock::now();
    const ResultSet r = find_solver("simulation")->solve(document, request, control);
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    const MeasureResult* const m = r.measure("asked");
    if (m == nullptr || r.stop_reason != "precision") throw std::runtime_error("a run did not end by precision");
    out.hold += m->lower <= asked.exact && asked.exact <= m->upper ? 1 : 0;
  }
  std::nth_element(seconds.begin(), seconds.begin() + seeds / 2, seconds.end());
  out.median_s = seconds[seeds / 2];
  return out;
}

Named time_of(const std::string& name, const Asked& asked) {
  return {name, [name, &asked](double) {
            return Row{name, "runs/s", "half a second, the median of 200 runs by the clock",
                       1.0 / found(asked).median_s, 1.0 / wanted_s};
          }};
}
Named coverage_of(const std::string& name, const Asked& asked) {
  return {name, [name, &asked](double) {
            return Row{name, "of 200", "99 % of 200 intervals", static_cast<double>(found(asked).hold), 0.99 * seeds};
          }};
}

}  // namespace

std::vector<Named> precision_benchmarks() {
  return {time_of("number_until_precise", number), coverage_of("number_until_precise_holds", number),
          time_of("response_until_precise", response), coverage_of("response_until_precise_holds", response)};
}

}  // namespace ergode::bench
