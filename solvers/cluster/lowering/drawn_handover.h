#pragma once
#include <array>
#include <span>
#include <string>

#include "core/des/lowering.h"
#include "solvers/cluster/model/handed_jobs.h"

namespace ergode {

/// A property of jobs that an attribute of customers may stand for.
struct TakenWord {
  const char* word;
  Dimension dimension;
};

/// What jobs have that are done, in the order in which whoever runs them hands it over.
/// @param devices  what they ran on: "gpus", "hosts"
inline std::array<TakenWord, 4> words_of_jobs(const char* devices) {
  return {{{"wait", Dimension::of_time()},
           {"response_time", Dimension::of_time()},
           {"run_time", Dimension::of_time()},
           {devices, Dimension()}}};
}
/// The same of jobs that share their GPUs, round by round or iteration by iteration.
inline std::array<TakenWord, 2> words_of_sharing_jobs() {
  return {{{"response_time", Dimension::of_time()}, {"gpus", Dimension()}}};
}

/// Reads the properties `sink` and `taken` of a stream of jobs, and declares what it takes.
/// @param words  at most four
/// @param code   of what is wrong
HandedJobs declare_handed_jobs(Lowering& model, const Element& stream, std::span<const TakenWord> words,
                               const char* code);
/// What jobs have that want more than there is.
inline std::array<TakenWord, 2> words_of_rejected_jobs(const char* devices) {
  return {{{"run_time", Dimension::of_time()}, {devices, Dimension()}}};
}

/// What becomes of jobs that are done, and of those that are rejected, where sources of a queueing network take them.
/// After all is declared; what is wrong is told at the source, QN021.
/// @param done      what those have that are done; at most four
/// @param rejected  and those that want more than there is; none: no job is rejected there
HandedOn handed_on(Lowering& model, const Element& from, std::span<const TakenWord> done,
                   std::span<const TakenWord> rejected = {});
/// Of streams that flow where jobs do not come from sinks.
void refuse_handed_jobs(Lowering& model, const Element& stream, const char* code, const std::string& whereto);

}  // namespace ergode
