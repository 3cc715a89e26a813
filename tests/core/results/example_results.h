#pragma once
#include <cstdint>
#include <limits>
#include <string>

#include "core/base/element_id.h"
#include "core/results/result_set.h"

/// A result set with something in every field, for the tests of this room.
inline ergode::ResultSet example_results(std::uint64_t id) {
  using namespace ergode;
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  ResultSet r;
  Provenance& p = r.provenance;
  p.run_id = ElementId(id).text();
  p.version = "0.1.0";
  p.model_name = "Four diesels, \"EDG\"";
  p.model_path = "models/edg.ergode";
  p.semantic_hash = "ba7816bf";
  p.file_hash = "e3b0c442";
  p.solver = "simulation";
  p.seed = 18446744073709551615ULL;
  p.generator = "Philox4x32-10";
  p.stream_rule = "by name";
  p.scenario = "base";
  p.overrides = {{"mu", "2e-4 /h"}};
  p.parameters = {{"n", "4"}, {"lambda_ind", "1.1e-3 /h"}};
  p.options = {{"confidence", "0.95"}};
  p.command = "ergode run models/edg.ergode --seed 18446744073709551615";
  p.made = {"2024-05-01T10:00:00Z", "2024-05-01T10:00:07Z", "host", "g++ 12", 7.25, 2};
  r.status = RunStatus::partial;
  r.stop_reason = "cancelled";
  r.replications = 1234567;
  r.events = 99999999999ULL;
  r.fingerprint = "0123456789abcdef";
  MeasureResult m;
  m.id = "failed_4";
  m.label = "All four, failed";
  m.kind = "probability_at";
  m.element = ElementId(0xabcdef);
  m.estimate = 0.1 + 0.2;
  m.lower = 3.12376286e-4;
  m.upper = 1.0 / 3;
  m.replications = 1234567;
  m.solver = "simulation";
  m.method = "wilson";
  m.standard_error = 1e-300;
  m.shares = {{"none", 0.0}, {"independent", 0.1}, {"non_lethal", 0.2}, {"lethal", 0.0}};
  MeasureResult t;
  t.id = "time";
  t.kind = "time_to";
  t.unit = "h";
  t.estimate = t.lower = t.upper = t.standard_error = nan;
  t.not_available = "the event never occurred";
  t.quantiles = {{0.05, 1.5}, {0.5, 2.25}};
  t.quantile_intervals = {{0.5, {2.0, std::numeric_limits<double>::quiet_NaN()}}};
  t.variance = 0.5, t.variance_interval = {0.25, 0.75};
  r.measures = {m, t};
  Series s;
  s.measure = "failed_4";
  s.kind = "curve";
  s.label = "All four failed";
  s.x_label = "Time";
  s.x_unit = "h";
  s.y_label = "Probability";
  s.x = {0, 12, 24};
  s.y = {0, 0.1, 0.3};
  s.lower = {0, 0.05, nan};
  s.upper = {0, 0.2, 0.4};
  s.solver = "simulation";
  Series exact = s;
  exact.exact = true;
  exact.lower.clear();
  exact.upper.clear();
  r.series = {s, exact};
  r.split = {
      "cause",
      "the gravest",
      {{"none", "none"}, {"independent", "independent"}, {"non_lethal", "non-lethal"}, {"lethal", "lethal", false}}};
  ResultTable table{"modules", "What was solved apart", "ctmc-transient", true, {{"Module"}, {"Time", "h"}}, {},
                    "A note."};
  table.rows = {{"pumps, both", 1.0 / 3}, {"valve", nan}};
  r.tables = {table};
  Diagnostic d;
  d.severity = Severity::warning;
  d.code = "MEA003";
  d.element = ElementId(77);
  d.pointer = "expression";
  d.message = "The grid is coarse.";
  d.hint = "Use more points.";
  d.column = 3;
  r.diagnostics = {d};
  ResultSet beside;
  beside.provenance.run_id = ElementId(1000).text();
  beside.provenance.solver = "ctmc-steady-state";
  beside.long_run = true;
  beside.measures = {m};
  beside.measures.front().exact = true, beside.measures.front().shares.reset();
  beside.series = {exact};
  r.company = {std::make_shared<const ResultSet>(beside)};
  r.declined = {{"ccf-closed-form", {d}}};
  return r;
}
