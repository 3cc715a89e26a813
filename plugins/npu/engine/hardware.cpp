#include "plugins/npu/engine/hardware.h"

#include <algorithm>
#include <bit>

namespace npu {

double Hardware::peak_gflops() const {
  double sum = 0.0;
  for (const CoreHardware& core : cores) sum += 2.0 * core.height * core.width * static_cast<double>(core_mhz) / 1000.0;
  return sum;
}

double Hardware::peak_vector_gflops() const {
  double sum = 0.0;
  for (const CoreHardware& core : cores)
    sum += static_cast<double>(core.vector_bits / 8) / precision * 2.0 * static_cast<double>(core_mhz) / 1000.0;
  return sum;
}

double Hardware::peak_gb_per_s() const {
  return static_cast<double>(dram_mhz) * channels * request_bytes / burst_cycles / 1000.0;
}

std::optional<Hardware> find_hardware(std::string_view name) {
  Hardware h;
  const std::size_t cut = name.find('_');
  const std::string_view size = name.substr(0, cut);
  const std::string_view dram = cut == std::string_view::npos ? "" : name.substr(cut + 1);
  if (dram == "hbm2" && size != "m8") h.dram = DramKind::hbm2;
  else if (dram == "ddr4" && size == "m8") h.dram = DramKind::ddr4;
  else if (dram != "simple") return std::nullopt;
  if (size == "m8") {
    CoreHardware core;
    core.height = core.width = 8, core.scratchpad_kb = 64, core.accumulator_kb = 16, core.vector_bits = 2048;
    h.cores = {core};
    h.network_mhz = 2000, h.dram_mhz = 400, h.channels = 2, h.precision = 1;
    return h;
  }
  if (size != "tpu" && size != "half") return std::nullopt;
  CoreHardware core;
  if (size == "half") core.scratchpad_kb = 16384, core.vector_bits = 16384;
  h.cores.assign(4, core);
  h.ports = 16, h.dram_gb = 16.0;
  return h;
}

std::string hardware_fault(const Hardware& h) {
  constexpr std::size_t most_cores = 64;
  constexpr std::uint32_t most_ports = 64;
  if (h.cores.empty() || h.cores.size() > most_cores) return "there are no cores, or more than 64";
  for (const CoreHardware& c : h.cores) {
    constexpr std::uint32_t largest_side = 4096;
    constexpr std::uint64_t largest_kb = std::uint64_t{1} << 24;
    if (c.height != c.width) return "the systolic array is not square: mappings are for square ones";
    if (c.height == 0 || c.height > largest_side) return "the systolic array has no rows, or more than 4096";
    if (c.scratchpad_kb > largest_kb || c.accumulator_kb > largest_kb) return "a core's memory is above 16 GB";
    if (c.height != h.cores[0].height || c.scratchpad_kb != h.cores[0].scratchpad_kb ||
        c.accumulator_kb != h.cores[0].accumulator_kb)
      return "cores have arrays or memories of different sizes: tiles are made for one size";
    if (c.vector_bits < 8 || c.vector_bits % 8 != 0) return "the vector unit's width is not whole bytes";
    // A mapping needs blocks of d x d in half of each memory.
    const std::uint64_t d = c.height, element = std::max(h.precision, 1U);
    if (c.scratchpad_kb * 1024 / (d * element * 2) < 2 * d)
      return "half of the scratchpad holds no two blocks of the array's size";
    if (c.accumulator_kb * 1024 / (d * 4 * 2) < d) return "half of the accumulator holds no block of the array's size";
  }
  if (h.precision == 0 || h.precision > 8) return "elements have 1 to 8 bytes";
  if (!std::has_single_bit(h.request_bytes) || h.request_bytes < h.precision || h.request_bytes > 4096)
    return "the bytes of a DRAM request are no power of two between an element and 4096";
  constexpr std::uint64_t fastest_mhz = 1000000;
  for (const std::uint64_t mhz : {h.core_mhz, h.network_mhz, h.dram_mhz})
    if (mhz == 0 || mhz > fastest_mhz) return "a clock is 0 or above 1,000,000 MHz";
  if (h.channels == 0 || (h.channels > 16 && h.channels != 32 && h.channels != 64))
    return "channels are 1 to 16, 32 or 64";
  if (h.dram != DramKind::simple && !std::has_single_bit(h.channels))
    return "banked DRAM wants a power of two of channels";
  // What a column is wide is fixed by the device: 32 bytes of HBM2, and 64 of which 32 may be asked of DDR4.
  if (h.ports == 0 || h.ports > most_ports) return "injection ports of a core are 1 to 64";
  if (h.burst_cycles == 0) return "a burst takes no cycle";
  if (!h.partition.empty() && h.partition.size() != h.cores.size()) return "not every core has a partition";
  return {};
}

}  // namespace npu
