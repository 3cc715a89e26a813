#pragma once
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "core/base/csv.h"
#include "core/base/read_file.h"
#include "solvers/cluster/traces/gavel_trace.h"
#include "solvers/cluster/traces/throughput_table.h"
#include "tests/conformance/traces.h"

namespace ergode::test {

inline std::string trace_text(const std::string& name) {
  auto read = read_text(trace_folder() + "/" + name);
  if (const auto* problem = std::get_if<Diagnostic>(&read)) throw std::runtime_error(problem->message);
  return std::get<std::string>(std::move(read));
}

template <typename Value>
Value good(std::variant<Value, Diagnostics> read) {
  if (const auto* found = std::get_if<Diagnostics>(&read)) throw std::runtime_error(found->front().message);
  return std::get<Value>(std::move(read));
}

inline std::vector<RoundJob> training_jobs(const std::string& name) {
  return good(read_training_trace(trace_text(name), name));
}
/// @param column  of steps per second, of the two clusters that were measured
inline Throughputs v100_throughputs(const std::string& column = "steps_per_s_tacc") {
  const std::string name = "shockwave_v100_throughputs.csv";
  return good(read_throughputs(trace_text(name), name, column));
}
/// Rows of a table by the names of its columns, as texts.
inline std::vector<std::map<std::string, std::string>> named_rows(const std::string& name) {
  const auto rows = std::get<0>(parse_csv(trace_text(name)));
  std::vector<std::map<std::string, std::string>> out;
  for (std::size_t r = 1; r < rows.size(); ++r) {
    out.emplace_back();
    for (std::size_t i = 0; i < rows[r].size(); ++i) out.back()[rows[0][i]] = rows[r][i];
  }
  return out;
}

}  // namespace ergode::test
