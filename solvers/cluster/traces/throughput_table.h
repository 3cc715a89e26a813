#pragma once
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/diagnostic.h"
#include "solvers/cluster/rounds/round_job.h"

namespace ergode {

/// A table of throughputs as CSV: columns model, batch_size, num_gpus, and one of steps per second, the first whose
/// name begins with "steps_per_s" or the one that is named. Zero says that it was not measured; other columns are not
/// read.
///
/// @param file    its name, for messages
/// @param column  of steps per second; empty: the first
/// @returns the table, or RND011: text that is no CSV, a missing column, rows with other values than wanted, each with
///     its row (from 1, the head too) and the value seen, and measurements that are there twice; at most 20 of them.
///     O(length)
std::variant<Throughputs, Diagnostics> read_throughputs(std::string_view text, const std::string& file,
                                                        std::string_view column = {});

/// The columns of steps per second that a table has, by their names. O(its head)
std::vector<std::string> columns_of_throughputs(std::string_view text);

}  // namespace ergode
