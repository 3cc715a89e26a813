#pragma once
#include "solvers/cluster/lowering/fleet_words.h"

namespace ergode {

/// Where the differences between the accelerators of a pool come from: what of a fleet says something of class A.
inline constexpr RentalWord<VariationSource> pool_variation_words[] = {
    {"none", "all alike", VariationSource::none},
    {"longhorn", "as measured on Longhorn (V100): ResNet-50", VariationSource::longhorn},
    {"sgemm_longhorn", "as measured on Longhorn (V100): SGEMM", VariationSource::sgemm_longhorn},
    {"frontera", "as measured on Frontera (RTX 5000): ResNet-50", VariationSource::frontera},
    {"frontera_32", "as the 32 GPUs of Frontera that PAL was tried on", VariationSource::frontera_32},
    {"lonestar6", "as measured on Lonestar6 (A100): ResNet-50", VariationSource::lonestar6},
    {"power_cap", "made by a power cap: temperature, frequency, time", VariationSource::power_cap}};

}  // namespace ergode
