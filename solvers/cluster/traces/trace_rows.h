#pragma once
#include <string>
#include <unordered_map>

#include "solvers/cluster/traces/job_trace.h"

namespace ergode {

/// Takes the rows of a trace one by one: what no trace may hold is told and left out.
class TraceRows {
 public:
  TraceRows(std::string file, std::size_t most) : file_(std::move(file)), most_(most) {}
  JobTrace& trace() { return trace_; }
  const std::string& file() const { return file_; }

  /// "file, row 5: what"
  void problem(std::uint32_t row, const std::string& what);
  /// Problems of numbers that any format has: NaN values are those that have been told already.
  /// @param in_order  submissions must not fall
  void add(std::uint32_t row, const std::string& name, const BatchJob& job, double wait_s, bool in_order,
           const std::string& user = {});

 private:
  std::string file_;
  std::size_t most_;
  JobTrace trace_;
  std::unordered_map<std::string, std::uint32_t> known_;  ///< names -> their row
  double before_s_ = -std::numeric_limits<double>::infinity();
};

}  // namespace ergode
