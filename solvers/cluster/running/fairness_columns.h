#pragma once
#include <functional>
#include <string>

#include "core/results/result_table.h"

namespace ergode {

/// Adds the columns `rho` and `rho_contended` to a table of jobs that share a cluster, from its columns `arrival_s` and
/// `completion_s`; rejected jobs have none and count for nobody. Says in the note what they are.
///
/// @param exclusive_s  of a row: what the job takes with all that it wants and nobody else
/// @param gpus         or hosts, of the cluster
/// @param what         "GPUs" or "hosts"
/// O(rows log rows)
void add_fairness_columns(ResultTable& jobs, double gpus, const std::string& what,
                          const std::function<double(std::size_t row)>& exclusive_s);

/// A number of the row's column. Precondition: there is such a column, and it has numbers.
double number_in(const ResultTable& table, std::size_t row, const std::string& column);

}  // namespace ergode
