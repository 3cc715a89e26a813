#pragma once
#include <iosfwd>
#include <string>
#include <vector>

#include "app/session/company.h"
#include "core/document/document.h"

namespace ergode::cli {

/// The estimates, and beside them what exact solvers say: one column each when all were asked for, else the first.
/// Then the tables of those that have columns, twenty rows each.
void print_run_table(const ResultSet& results, const CompanyResults& company, bool all);

/// Writes the run as one JSON document with the exact values beside its estimates, the same for a run that has just
/// ended and for one from a store.
/// @param all  with every solver that was asked, whose diagnostics name elements of this model; null: only the values.
void write_run_json(std::ostream& out, const ResultSet& results, const CompanyResults& company,
                    const std::vector<Declined>& declined, const Document* all = nullptr);
/// The same as text.
std::string run_json_text(const ResultSet& results, const CompanyResults& company,
                          const std::vector<Declined>& declined);

}  // namespace ergode::cli
