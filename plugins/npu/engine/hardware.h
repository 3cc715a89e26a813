#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace npu {

/// One core: a weight-stationary systolic array of height x width, a vector unit, two halves each of scratchpad and
/// accumulator. Latencies in core cycles.
struct CoreHardware {
  std::uint32_t height = 128, width = 128;
  std::uint64_t scratchpad_kb = 32768, accumulator_kb = 4096;
  std::uint64_t vector_bits = 65536;  ///< processed in a cycle
  std::uint32_t add = 1, mul = 1, mac = 1, div = 1, exp = 1, gelu = 1, add_tree = 1;
  std::uint32_t scalar_sqrt = 1, scalar_add = 1, scalar_mul = 1;
};

enum class DramKind : std::uint8_t { simple, hbm2, ddr4 };
enum class SharingPolicy : std::uint8_t { simple, time_multiplex, partition_cpu, spatial_split };

/// An accelerator. Frequencies in MHz.
struct Hardware {
  std::vector<CoreHardware> cores;
  std::uint64_t core_mhz = 1000, network_mhz = 1000, dram_mhz = 1200;
  DramKind dram = DramKind::simple;
  std::uint32_t channels = 16;
  std::uint32_t request_bytes = 32;  ///< a power of two
  std::uint32_t dram_latency = 10;   ///< of the simple DRAM [DRAM cycles]
  double dram_gb = 0.0;              ///< 0: not checked
  std::uint32_t burst_cycles = 1;    ///< for the peak bandwidth alone
  std::uint32_t network_latency = 1;
  std::uint32_t ports = 1;      ///< injection ports of a core
  std::uint32_t precision = 2;  ///< bytes of an element
  SharingPolicy policy = SharingPolicy::simple;
  std::vector<std::uint32_t> partition;  ///< of each core; empty: all are one
  bool corrected = false;                ///< without the reference program's peculiarities

  double peak_gflops() const;         ///< of all arrays
  double peak_vector_gflops() const;  ///< of all vector units
  double peak_gb_per_s() const;
};

/// m8, tpu, half: the presets of Ham et al. (ONNXim, IEEE Computer Architecture Letters 23(2), 2024), by the names of
/// its configurations: m8_simple, m8_ddr4, tpu_simple, tpu_hbm2, half_simple, half_hbm2.
std::optional<Hardware> find_hardware(std::string_view name);

/// Why it cannot be simulated; empty: it can.
std::string hardware_fault(const Hardware& hardware);

}  // namespace npu
