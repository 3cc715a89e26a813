#pragma once
#include <map>
#include <string>
#include <vector>

#include "solvers/cluster/lowering/rental_words.h"
#include "solvers/cluster/rounds/round_job.h"

namespace ergode {

/// Whether jobs of a trace for which the table has no throughput are left out.
inline constexpr RentalWord<bool> missing_throughput_words[] = {{"refuse", "are a mistake", false},
                                                                {"leave_out", "are left out, which is told", true}};

/// "LM with batch size 5 on 2 GPUs": what a table of throughputs must know.
inline std::string work_of(const RoundJob& job) {
  return job.model + " with batch size " + std::to_string(job.batch_size) + " on " + std::to_string(job.gpus) + " GPUs";
}

/// Which jobs are left out and why, for people.
/// @param missing  work_of() -> places in the trace, from 0; not empty
std::string left_out_text(const std::string& trace, const std::string& table,
                          const std::map<std::string, std::vector<std::size_t>>& missing);

}  // namespace ergode
