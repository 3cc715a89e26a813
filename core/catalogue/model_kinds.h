#pragma once
#include "core/catalogue/catalogue.h"

namespace ergode {

/// Kinds that belong to every model whatever its notations: the header, parameters, diagrams, measures, scenarios.
std::vector<KindSpec> model_kinds();

}  // namespace ergode
