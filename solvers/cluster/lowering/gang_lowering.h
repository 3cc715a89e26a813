#pragma once
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/des/lowering.h"

namespace ergode {

/// The way of clusters of GPUs into the model: names, slots, streams of observations, traces, checks, and a part of the
/// loop. Streams of jobs that flow to one, and to no pool, are its own.
///
/// GNG001 a name, GNG002 a value out of its range, GNG003 jobs that go to several places, GNG004 a trace that cannot be
/// read, or rows of it, GNG005 no speedup, GNG006 a flow between what it may not join, GNG007 (warning) jobs that never
/// fit and are rejected, GNG008 (warning) a cluster to which no jobs come, or rows of a trace that are no jobs for it,
/// GNG009 a rate that flows, GNG010 jobs that are customers of a network before, and what is taken of these,
/// GNG011 (warning) a parameter that should name a trace and names none.
std::unique_ptr<NotationLowering> gang_lowering();

/// Streams of jobs that flow to a cluster of GPUs and to no pool of hosts. O(edges of cluster diagrams).
std::set<ElementId> gang_streams(const Document& document);
/// What an expression may read of a node of this kind, as NAME.WORD, and what it observes. Empty: nothing.
std::vector<std::string> gang_slots_of_kind(std::string_view kind);
std::vector<std::string> gang_streams_of_kind(std::string_view kind);

}  // namespace ergode
