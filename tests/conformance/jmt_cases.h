#pragma once
#include <cctype>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "core/base/csv.h"
#include "core/base/read_file.h"
#include "solvers/queueing/exchange/jmt.h"
#include "tests/conformance/cases.h"
#include "tests/solvers/solver_check.h"

namespace ergode::test {

/// A stored result of the Java Modelling Tools.
struct JmtRow {
  std::string name, file, quantity, text, tolerance, source;
  double value = 0;  ///< of its text
};

/// Rows of the table whose case begins like that and which are to be compared; or those for information only.
inline std::vector<JmtRow> jmt_rows(const std::string& set, bool information = false) {
  std::vector<JmtRow> out;
  const auto text = read_text(case_folder("jmt") + "/expected.csv");
  const auto table = parse_csv(std::get<std::string>(text));
  for (const std::vector<std::string>& cells : std::get<std::vector<std::vector<std::string>>>(table))
    if (cells.size() >= 6 && cells[0].rfind(set, 0) == 0 && (cells[4] == "info") == information)
      out.push_back(
          {cells[0], cells[1], cells[2], cells[3], cells[4], cells[5], std::strtod(cells[3].c_str(), nullptr)});
  return out;
}

/// What the title of a station or class becomes.
inline std::string jmt_name(const std::string& title) {
  std::string out;
  for (const char c : title) out += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return out;
}

inline std::optional<Document> jmt_document(const std::string& file, std::string& why) {
  const auto text = read_text(case_folder("jmt") + "/" + file);
  if (std::holds_alternative<Diagnostic>(text)) throw std::runtime_error("cannot read " + file);
  ReadOutcome read = import_network(std::get<std::string>(text), "model");
  why = listed(read.diagnostics);
  return std::move(read.document);
}

}  // namespace ergode::test
