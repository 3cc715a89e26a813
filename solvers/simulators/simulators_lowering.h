#pragma once
#include <memory>

#include "core/des/lowering.h"

namespace ergode {

/// Checks (SIM001 names; PLG010, PLG031, SIM002 values of parameters), slots and streams of drawn simulators, and their
/// part.
std::unique_ptr<NotationLowering> simulators_lowering();

}  // namespace ergode
