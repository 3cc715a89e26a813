#pragma once
#include "core/catalogue/catalogue.h"

namespace ergode {

/// Diagrams of simulators behind the plugin interface: how they are drawn, and what they mean. Kinds are made of the
/// manifests of simulator_plugins(), so these are registered before.
NotationSpec simulators_notation();

}  // namespace ergode
