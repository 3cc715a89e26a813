#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/diagnostic.h"

namespace ergode {

/// What is measured of a device beside its time; the first is time itself.
enum class DeviceQuantity : std::uint8_t { time, frequency, memory_frequency, temperature, power };
inline constexpr std::size_t device_quantities = 5;
/// Column of a file without its unit, for people and JSON: "time", "frequency", ...
const char* device_quantity_name(DeviceQuantity quantity);

/// Runs of one application on devices that should be alike.
struct DeviceMeasurements {
  std::string app;                                            ///< empty: the file does not say
  std::vector<std::string> gpus;                              ///< names in the order of appearance
  std::vector<std::string> nodes, cabinets;                   ///< by GPU; empty: the file has no such column
  std::vector<std::uint32_t> gpu_of;                          ///< by run
  std::array<std::vector<double>, device_quantities> values;  ///< by run; empty: the file has no such column

  bool has(DeviceQuantity quantity) const { return !values[static_cast<std::size_t>(quantity)].empty(); }
  const std::vector<double>& of(DeviceQuantity quantity) const { return values[static_cast<std::size_t>(quantity)]; }
};

/// Reads a CSV file whose first row names its columns: gpu and perf_ms (or perf, perf_median) at least; app, node,
/// cabinet, run, freq_mhz, mem_mhz, temp_c, power_w as there are, each perhaps with _median behind it. Other columns
/// are passed over. Values stay in the units of the file, as only their ratios matter.
/// @returns one set for each application in the order of appearance, none of them empty; or what is wrong: DEV001 no
///     CSV, no such column or one that is there twice, DEV002 rows (no number, a time not above 0, a GPU that changes
///     its node or cabinet, a run that is there twice), the first twenty of them. O(length).
std::variant<std::vector<DeviceMeasurements>, Diagnostics> read_device_measurements(std::string_view text,
                                                                                    const std::string& file);

}  // namespace ergode
