#pragma once
#include <QtTest>
#include <cmath>
#include <string>

#include "core/format/model_file.h"
#include "solvers/registry.h"
#include "tests/support/model_builder.h"

namespace ergode::test {

inline constexpr double hour = 3600.0;  ///< [s]

inline Document example(const std::string& folder) {
  ReadOutcome read = parse_model(project_file("examples/" + folder + "/model.ergode"));
  if (!read.document) throw std::runtime_error(listed(read.diagnostics));
  return std::move(*read.document);
}

using Overrides = std::map<std::string, std::string>;

/// One solver's answer; throws when the run failed.
inline ResultSet solved(const Document& document, RunRequest request) {
  const Solver* solver = find_solver(request.solver);
  RunControl control;
  ResultSet out = solver->solve(document, request, control);
  if (out.status == RunStatus::failed) throw std::runtime_error(out.stop_reason + "\n" + listed(out.diagnostics));
  return out;
}

inline double estimate(const ResultSet& results, const std::string& id) {
  const MeasureResult* m = results.measure(id);
  if (m == nullptr) throw std::runtime_error("no measure " + id);
  return m->estimate;
}

/// The table of that name.
/// @throws std::runtime_error  there is none of that name
inline const ResultTable& table_named(const ResultSet& results, const std::string& name) {
  for (const ResultTable& one : results.tables)
    if (one.name == name) return one;
  throw std::runtime_error("no table " + name);
}

/// Within a share of the exact value, or that much of it where it is below 1.
inline void compare_close(double value, double exact, double tolerance) {
  QVERIFY2(std::abs(value - exact) <= tolerance * std::max(1.0, std::abs(exact)),
           qPrintable(QString("%1 against %2").arg(value, 0, 'g', 15).arg(exact, 0, 'g', 15)));
}

/// The exact value lies in the interval the solver gives, whatever its confidence.
inline void compare_inside(const ResultSet& results, const std::string& id, double exact) {
  const MeasureResult* m = results.measure(id);
  QVERIFY2(m != nullptr, id.c_str());
  QVERIFY2(m->lower <= exact && exact <= m->upper && m->lower < m->upper,
           qPrintable(QString("%1: exact %2, interval [%3, %4]")
                          .arg(id.c_str())
                          .arg(exact, 0, 'g', 10)
                          .arg(m->lower, 0, 'g', 10)
                          .arg(m->upper, 0, 'g', 10)));
}

}  // namespace ergode::test
