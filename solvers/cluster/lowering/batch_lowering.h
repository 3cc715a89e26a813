#pragma once
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/des/lowering.h"

namespace ergode {

/// The way of pools of hosts into the model: names, slots, streams of observations, traces, checks, and a part of the
/// loop. Streams of jobs that flow to a pool are its own; the others are those of rentals (rental_lowering.h).
///
/// BAT001 a name, BAT002 a value out of its range, BAT003 jobs that go to several places, or a provisioner to none,
/// BAT004 a trace that cannot be read, or rows of it, BAT005 jobs without a limit where the scheduler plans with it,
/// BAT006 a flow between what it may not join, BAT007 a provisioner beside another scheduler than that of minutes, or
/// beside jobs that do not come by one trace, BAT008 (warning) jobs that want more hosts
/// than there are, BAT009 (warning) a pool to which no jobs come, BAT010 a rate that flows, BAT011 (warning) a
/// provisioner that is tried on what it has learned from, BAT012 hosts that fail beside a provisioner, BAT013 (warning)
/// a condition of hosts that never changes, BAT014 (warning) jobs that fail for ever, BAT015 jobs that are customers of
/// a network before, and what is taken of these, BAT016 (warning) a parameter that should name a trace and names none,
/// BAT018 (warning) rows of a trace that are no jobs that ran.
std::unique_ptr<NotationLowering> batch_lowering();

/// Streams of jobs that flow to a pool of hosts. O(edges of cluster diagrams).
std::set<ElementId> pool_streams(const Document& document);
/// What an expression may read of a node of this kind, as NAME.WORD, and what it observes. Empty: nothing.
std::vector<std::string> batch_slots_of_kind(std::string_view kind);
std::vector<std::string> batch_streams_of_kind(std::string_view kind);

}  // namespace ergode
