#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/des/lowering.h"
#include "solvers/cluster/model/job_count.h"

namespace ergode {

/// The property `most_jobs` of a stream: at most so many jobs come, a whole number from 1 to 1e12; jobs_without_end
/// where it says nothing.
/// RNT022 (warning): measures of the long run read the stream, or what it flows to.
/// @param code  of what is wrong
std::uint64_t drawn_most_jobs(Lowering& model, Scope& scope, const Element& stream, const char* code);

/// Of the jobs of a trace the first.
template <typename Job>
void keep_first(std::vector<Job>& jobs, std::uint64_t most) {
  if (jobs.size() > most) jobs.resize(static_cast<std::size_t>(most));
}

}  // namespace ergode
