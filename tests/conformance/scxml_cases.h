#pragma once
#include <QtTest>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "app/session/chart_trace.h"
#include "core/base/csv.h"
#include "core/base/text.h"
#include "statecharts/exchange/scxml_reader.h"
#include "tests/conformance/cases.h"

namespace ergode::test {

inline std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// One row of an expected.csv.
struct CaseRow {
  std::string name, file, quantity, value, tolerance, source;
};

inline std::vector<CaseRow> case_rows(const std::string& folder) {
  const auto parsed = parse_csv(bytes_of(folder + "/expected.csv"));
  std::vector<CaseRow> out;
  const auto& rows = std::get<std::vector<std::vector<std::string>>>(parsed);
  for (std::size_t i = 1; i < rows.size(); ++i)
    out.push_back({rows[i].at(0), rows[i].at(1), rows[i].at(2), rows[i].at(3), rows[i].at(4), rows[i].at(5)});
  return out;
}

/// Counts rows: in scope and right, wrong, left out with a reason. Prints everything that is not right.
class CaseTally {
 public:
  void right() { ++right_; }
  void wrong(const CaseRow& row, const std::string& seen) {
    ++wrong_;
    qWarning("WRONG %s, %s: %s; wanted %s", row.file.c_str(), row.quantity.c_str(), seen.c_str(), row.value.c_str());
  }
  void left_out(const CaseRow& row, const std::string& reason) {
    ++left_out_;
    qInfo("left out: %s, %s: %s", row.file.c_str(), row.quantity.c_str(), reason.c_str());
  }
  /// Every row of the set was looked at, and every one in scope is right.
  void check(std::size_t rows) const {
    qInfo("%d rows right, %d wrong, %d left out", right_, wrong_, left_out_);
    QCOMPARE(wrong_, 0);
    QCOMPARE(static_cast<std::size_t>(right_ + left_out_), rows);
  }

 private:
  int right_ = 0, wrong_ = 0, left_out_ = 0;
};

/// Why an import cannot be run; empty: it can.
inline std::string why_not_run(const ScxmlImport& import) {
  for (const Diagnostic& d : import.diagnostics)
    if (d.severity == Severity::error) return d.message;
  if (import.complete) return {};
  for (const Diagnostic& d : import.diagnostics)
    if (d.severity == Severity::warning) return d.code + " " + d.pointer + " " + d.message;
  return "incomplete without a diagnostic";
}

inline std::string joined(std::vector<std::string> words) {
  std::sort(words.begin(), words.end());
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : "|") + word;
  return out;
}

/// An event as the model calls it.
inline std::string event_of(const ScxmlImport& import, const std::string& name) {
  const auto found = import.events.find(name);
  return found == import.events.end() ? name : found->second;
}

}  // namespace ergode::test
