#pragma once
#include <string>
#include <vector>

#include "core/results/result_set.h"

namespace ergode {

/// A table of a run as a report shows it, and who tells it.
struct ToldTable {
  ResultTable table;
  std::vector<std::string> solvers;  ///< at least one, in the order of the results
};

/// The unit in which the measures of a run are times, where all that are have one: "min"; else empty.
std::string time_unit_of(const ResultSet& run);

/// All tables of a run and of the solvers beside it, in their order. What several solvers tell in the same words and
/// digits is one table. Columns of times and rates are in `time_unit`, where there is one and their numbers can be
/// read in it; others are as they are.
std::vector<ToldTable> told_tables(const std::vector<ResultSet>& results, const std::string& time_unit);

}  // namespace ergode
