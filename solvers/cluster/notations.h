#pragma once
#include <vector>

#include "core/catalogue/catalogue.h"

namespace ergode {

/// All that this room brings: streams of jobs and rentals, batch clusters, rounds, fleets, clusters of gangs,
/// iterations.
std::vector<NotationSpec> cluster_notations();

}  // namespace ergode
