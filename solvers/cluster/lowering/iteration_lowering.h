#pragma once
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/des/lowering.h"

namespace ergode {

/// The way of schedulers of iterations into the model: names, slots, streams, checks, and a part of the loop. Streams
/// of jobs that flow to one, and to no pool, fleet, GPU cluster or round scheduler, are its own.
///
/// ITR001 a name, ITR002 a value out of its range, ITR003 a file that is not named or cannot be read, ITR004 jobs that
/// go to several places, ITR005 no speedup, ITR006 a flow between what it may not join, ITR007 (a warning) a parameter
/// that should name a trace and names none, ITR008 jobs that are customers of a network before, and what is taken of
/// these, ITR009 a rate or a condition of hosts that flows, ITR010 (a warning) a condition of hosts that never changes,
/// ITR011 rows of a trace, ITR012 jobs that cannot be run here, ITR013 (a warning) jobs that lose hosts so often that
/// they hardly end, ITR014 (a warning) workers of a file's jobs where jobs are drawn.
std::unique_ptr<NotationLowering> iteration_lowering();

/// O(edges of cluster diagrams).
std::set<ElementId> iteration_streams(const Document& document);

/// What an expression may read of a scheduler of iterations, as NAME.WORD, and what it observes; empty for other kinds.
std::vector<std::string> iteration_slots_of_kind(std::string_view kind);
std::vector<std::string> iteration_streams_of_kind(std::string_view kind);

}  // namespace ergode
