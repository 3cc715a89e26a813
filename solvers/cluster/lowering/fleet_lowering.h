#pragma once
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/des/lowering.h"

namespace ergode {

/// The way of fleets of GPUs into the model: names, slots, streams of observations, traces, measurements, checks, and a
/// part of the loop. Streams of jobs that flow to a fleet are its own.
///
/// DEV011 a name, DEV012 a value out of its range, DEV013 jobs that go to several places, DEV014 a file that cannot be
/// read, or its rows, DEV015 jobs that need more memory than a GPU has, DEV016 (warning) jobs that want more GPUs than
/// there are, DEV017 (warning) a fleet to which no jobs come, DEV018 a rate that flows, DEV019 a baseline
/// where jobs do not end by themselves, DEV020 jobs that are customers of a network before, DEV021 (warning) a
/// parameter that should name a trace and names none. DEV001 and DEV002 are those of measurements
/// (devices/device_measurements.h).
std::unique_ptr<NotationLowering> fleet_lowering();

/// Streams of jobs that flow to a fleet of GPUs and to no pool of hosts. O(edges of cluster diagrams).
std::set<ElementId> fleet_streams(const Document& document);
/// What an expression may read of a fleet, as NAME.WORD, and what it observes; empty for other kinds.
std::vector<std::string> fleet_slots_of_kind(std::string_view kind);
std::vector<std::string> fleet_streams_of_kind(std::string_view kind);

}  // namespace ergode
