// A neural accelerator cycle by cycle: core cycles a second, against the speed at which its reference program ran the
// same.
#include <cstdint>
#include <string>

#include "plugins/npu/engine/single_layer.h"
#include "tests/benchmark/benchmark.h"

namespace ergode::bench {
namespace {

/// Core cycles of a square product on a server with some of its cores.
double npu_cycles(const char* hardware, std::uint32_t cores, std::uint64_t size) {
  npu::Hardware h = npu::find_hardware(hardware).value();
  h.cores.resize(cores, h.cores[0]);
  npu::AddressSpace space;
  return static_cast<double>(npu::simulate(h, space, {npu::one_gemm(h, space, {size, size, size}, false)}).cycles);
}

/// What a simulator of cycles cannot do without: for each a visit of every core, bank and port, with one counter each.
double npu_cycles_by_hand(std::uint32_t cores) {
  constexpr std::uint32_t channels = 16, ports = 16, banks = 32;
  constexpr std::uint64_t cycles = 200000;
  std::uint64_t ready[channels] = {}, next[64 * ports] = {}, sum = 0;
  for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) {
    for (std::uint32_t p = 0; p < cores * ports; ++p)
      if (next[p] <= cycle) next[p] = cycle + 1 + (p * 7 + cycle) % 5, ++sum;
    for (std::uint64_t& channel : ready)
      if (channel <= cycle) channel = cycle + 1 + (cycle * 2654435761U >> 7) % banks % 3, sum += channel;
  }
  return sum > 0 ? static_cast<double>(cycles) : 0.0;
}

Named npu_benchmark(const std::string& name, const char* hardware, std::uint32_t cores, std::uint64_t size) {
  return {name, [=](double seconds) {
            return compare(
                name, "core cycles/s", "a loop over ports and channels with a counter each", seconds,
                [=] { return npu_cycles(hardware, cores, size); }, [=] { return npu_cycles_by_hand(cores); });
          }};
}

}  // namespace

std::vector<Named> npu_benchmarks() {
  std::vector<Named> out;
  constexpr std::uint64_t size = 1024;
  for (const std::uint32_t cores : {1U, 2U, 4U, 8U})
    out.push_back(npu_benchmark("npu_product_1024_cores_" + std::to_string(cores), "tpu_hbm2", cores, size));
  out.push_back(npu_benchmark("npu_product_1024_simple_dram", "tpu_simple", 4, size));
  constexpr std::uint64_t large = 2048;
  out.push_back(npu_benchmark("npu_product_2048_cores_4", "tpu_hbm2", 4, large));
  return out;
}

}  // namespace ergode::bench
