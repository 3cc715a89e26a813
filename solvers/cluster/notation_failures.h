#pragma once
#include <vector>

#include "core/catalogue/catalogue.h"

namespace ergode {

/// Properties of rentals by contract, and a budget in money instead of GPUs.
std::vector<PropertySpec> contract_properties();
PropertySpec money_of_rental();
/// Properties of places whose hosts fail, and of what jobs save there.
/// @param restart  with the time to restart
std::vector<PropertySpec> host_failure_properties(bool restart = true);
/// The same where jobs run in rounds.
std::vector<PropertySpec> round_failure_properties();

}  // namespace ergode
