#pragma once
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

/// Reads the properties `sink` and `taken` of a stream of jobs, and declares what it takes.
/// @param words  at most four
/// @param code   of what is wrong
HandedJobs declare_handed_jobs(Lowering& model, const Element& stream, std::span<const TakenWord> words,
                               const char* code);
/// What becomes of jobs that are done, where a source of a queueing network takes them. After all is declared; what is
/// wrong is told at the source, QN021.
/// @param words  that its jobs have; at most four
HandedOn handed_on(Lowering& model, const Element& from, std::span<const TakenWord> words);
/// Of streams that flow where jobs do not come from sinks.
void refuse_handed_jobs(Lowering& model, const Element& stream, const char* code, const std::string& whereto);

}  // namespace ergode
