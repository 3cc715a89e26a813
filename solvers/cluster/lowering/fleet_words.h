#pragma once
#include "solvers/cluster/lowering/rental_words.h"
#include "solvers/cluster/model/fleet_model.h"

namespace ergode {

inline constexpr RentalWord<PlacementPolicy> placement_words[] = {
    {"pal", "slow GPUs and far nodes weighed together (PAL)", PlacementPolicy::pal},
    {"pm_first", "the fastest GPUs wherever they are (PM-First)", PlacementPolicy::pm_first},
    {"packed", "as few nodes as can be, speeds ignored", PlacementPolicy::packed},
    {"random", "any free GPUs", PlacementPolicy::random}};

inline constexpr RentalWord<std::optional<PlacementPolicy>> baseline_words[] = {
    {"none", "nothing", std::nullopt},
    {"random", "any free GPUs", PlacementPolicy::random},
    {"packed", "as few nodes as can be, speeds ignored", PlacementPolicy::packed},
    {"pm_first", "the fastest GPUs wherever they are (PM-First)", PlacementPolicy::pm_first},
    {"pal", "slow GPUs and far nodes weighed together (PAL)", PlacementPolicy::pal}};

inline constexpr RentalWord<FleetOrder> fleet_order_words[] = {
    {"fifo", "first come first served; who does not fit stops those behind", FleetOrder::fifo},
    {"first_fit", "in the order of arrival, whoever fits", FleetOrder::first_fit}};

/// Where the differences between the GPUs of a fleet come from.
enum class VariationSource : std::uint8_t {
  longhorn,
  sgemm_longhorn,
  frontera,
  frontera_32,
  lonestar6,
  power_cap,
  measured,
  none
};
inline constexpr RentalWord<VariationSource> variation_words[] = {
    {"longhorn", "as measured on Longhorn (V100): ResNet-50, BERT, PageRank", VariationSource::longhorn},
    {"sgemm_longhorn", "the same, class A as SGEMM", VariationSource::sgemm_longhorn},
    {"frontera", "as measured on Frontera (RTX 5000): ResNet-50, BERT, PageRank", VariationSource::frontera},
    {"frontera_32", "as the 32 GPUs of Frontera that PAL was tried on", VariationSource::frontera_32},
    {"lonestar6", "as measured on Lonestar6 (A100): ResNet-50; other classes alike", VariationSource::lonestar6},
    {"power_cap", "made by a power cap: temperature, frequency, time (class A)", VariationSource::power_cap},
    {"measured", "as measured by you: a file", VariationSource::measured},
    {"none", "all alike", VariationSource::none}};

inline constexpr RentalWord<std::uint32_t> application_words[] = {{"A", "A: bound by compute (ResNet-50)", 0},
                                                                  {"B", "B: in between (BERT)", 1},
                                                                  {"C", "C: in between (BERT)", 2},
                                                                  {"D", "D: bound by memory (PageRank)", 3}};

/// What is meant where nothing is written.
inline constexpr const char *default_fleet_nodes = "16", *default_node_gpus = "4", *default_job_gpus = "1";

}  // namespace ergode
