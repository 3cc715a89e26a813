#pragma once
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/des/lowering.h"

namespace ergode {

/// The way of round schedulers into the model: names, slots, streams, checks, and a part of the loop.
///
/// Streams of jobs that flow to one, and to no pool, fleet or GPU cluster, are its own.
///
/// RND001 a name, RND002 a value out of its range, RND003 a file that is not named or cannot be read, RND004 jobs that
/// go to several places, RND005 no speedup, RND006 a flow between what it may not join, RND007 drawn jobs without a
/// throughput, RND008 epochs of a model of which nobody knows how long they are, RND009 a rate or a condition of hosts
/// that flows, RND010 jobs that are customers of a network before, and what is taken of these, RND011 rows of a trace
/// or of a table of throughputs, RND012 jobs that cannot be run here, RND013 a trace that was given for this run with a
/// table that was not (a warning, or, where the table beside it is taken, an info), RND014 (a warning) a table with
/// which jobs take other times than the trace lists, RND015 (a warning) jobs that are left out, RND016 (a warning) a
/// parameter that should name a trace and names none, RND017 (a warning) a condition of hosts that never changes,
/// RND018 (a warning) steps of several sorts under a policy that compares them, RND019 (a warning) jobs that lose hosts
/// too often.
std::unique_ptr<NotationLowering> round_lowering();

/// Streams of jobs that flow to a round scheduler and to no pool, fleet or GPU cluster. O(edges of cluster diagrams).
std::set<ElementId> round_streams(const Document& document);

/// What an expression may read of a round scheduler, as NAME.WORD; empty for other kinds.
std::vector<std::string> round_slots_of_kind(std::string_view kind);
/// What it observes, as NAME.WORD.
std::vector<std::string> round_streams_of_kind(std::string_view kind);

}  // namespace ergode
