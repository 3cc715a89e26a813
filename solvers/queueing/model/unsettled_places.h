#pragma once
#include <span>

#include "core/base/diagnostic.h"
#include "core/des/backlog.h"
#include "core/des/known_slots.h"
#include "solvers/queueing/model/traffic.h"

namespace ergode {

/// Stations, places where customers wait for units of a pool, and regions before which they wait, of which theory says
/// neither that what comes is more than they can do (overloads()) nor that it is less. None in parts of a network of
/// which something was said that may be another word for it: of a pool, a region, or stations among which customers
/// choose. None of a network with plugin stations, which a trial would disturb, where gaps have no finite variance,
/// whose mean a trial does not see, or where services follow lists of more than 500 times.
/// @param loads  by offered_loads()
/// @param told   by overloads(); what is unsure is kept for where a trial tells nothing
UnsettledPlaces unsettled_places(const NetworkModel& model, const KnownSlots& known, const OfferedLoads& loads,
                                 const ToldOverloads& told);

/// QN010 (warning) for each of these that grew.
/// @param places  by unsettled_places()
Diagnostics grown(const NetworkModel& model, const UnsettledPlaces& places, std::span<const SeenToGrow> seen);

}  // namespace ergode
