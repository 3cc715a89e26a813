// The plugin: one call of the simulator is one run without chance; the station serves one customer at a time.
#include <algorithm>
#include <cmath>
#include <deque>
#include <exception>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>

#include "plugins/abi/ergode_plugin.h"
#include "plugins/npu/setup.h"
#include "plugins/support/station_calls.h"

namespace npu {
namespace {

int32_t told(const ergode_host& host, const std::exception& what) {
  const auto* bad = dynamic_cast<const NpuBadInput*>(&what);
  host.tell(host.context, ERGODE_ERROR, bad != nullptr ? bad->pointer.c_str() : nullptr, what.what());
  return ERGODE_FAILED;
}
ergode_cell number(double x) { return {nullptr, x}; }
ergode_cell count(std::uint64_t x) { return {nullptr, static_cast<double>(x)}; }
std::uint64_t last_finish(const NpuResult& result) {
  std::uint64_t out = 0;
  for (const LayerRecord& layer : result.layers) out = std::max(out, layer.finish);
  return out;
}
/// What a core's clock makes of cycles, with periods of whole picoseconds.
double seconds(const Hardware& h, std::uint64_t cycles) {
  constexpr std::uint64_t ps_of_mhz = 1000000;
  return static_cast<double>(cycles) * static_cast<double>(ps_of_mhz / h.core_mhz) * 1e-12;
}

int32_t run(const ergode_input* input, const ergode_host* host) {
  try {
    const NpuSetup setup = read_npu_setup(*input);
    const NpuResult r = run_setup(setup, {}, [host](std::uint64_t) { return host->cancelled(host->context) != 0; });
    if (r.cancelled) return ERGODE_CANCELLED;
    auto observe = [host, output = std::uint32_t{0}](double value) mutable {
      host->observe(host->context, output++, &value, 1);
    };
    const Hardware& h = setup.hardware;
    const auto share = [&r](std::uint64_t CoreCounts::*of) {
      double sum = 0.0;
      for (const CoreCounts& core : r.cores) sum += static_cast<double>(core.*of);
      return sum / static_cast<double>(r.cycles) / static_cast<double>(r.cores.size());
    };
    constexpr double us = 1e6, giga = 1e9;
    observe(static_cast<double>(r.cycles)), observe(us * seconds(h, last_finish(r)));
    observe(share(&CoreCounts::systolic)), observe(share(&CoreCounts::pe)), observe(share(&CoreCounts::vector));
    observe(static_cast<double>(r.requests) * h.request_bytes / seconds(h, r.cycles) / giga);
    const std::uint64_t rows = r.rows.hits + r.rows.misses + r.rows.conflicts;
    observe(rows == 0 ? 0.0 : static_cast<double>(r.rows.hits) / static_cast<double>(rows));
    if (input->replication != 0) return ERGODE_OK;
    for (const LayerRecord& layer : r.layers) {
      const ergode_cell cells[] = {{layer.model.c_str(), 0.0},
                                   {layer.layer.c_str(), 0.0},
                                   count(layer.start),
                                   count(layer.finish),
                                   count(layer.finish - layer.start)};
      host->row(host->context, 0, cells, std::size(cells));
    }
    for (std::size_t c = 0; c < r.cores.size(); ++c) {
      const CoreCounts& core = r.cores[c];
      const auto part = [&r](std::uint64_t x) {
        return number(static_cast<double>(x) / static_cast<double>(r.cycles));
      };
      const ergode_cell cells[] = {
          count(c),           part(core.systolic),    part(core.pe),        part(core.vector),
          part(core.idle),    part(core.memory_idle), count(core.products), count(core.preloads),
          count(core.vectors)};
      host->row(host->context, 1, cells, std::size(cells));
    }
    return ERGODE_OK;
  } catch (const std::exception& what) {
    return told(*host, what);
  }
}

/// One server. A shape is simulated when it comes for the first time.
class NpuStation {
 public:
  NpuStation(const ergode_input& input, const ergode_host& host) : host_(host), setup_(read_npu_setup(input)) {}
  double arrive(double now_s, std::uint64_t job, const double* attributes) {
    const double rows = attributes[0];
    constexpr double most_rows = 8192;
    const auto key = rows >= 1.0 ? static_cast<std::uint64_t>(std::min(std::round(rows), most_rows)) : 0;
    auto at = times_.find(key);
    if (at == times_.end()) {
      const NpuResult r = run_setup(setup_, key > 0 ? std::optional<std::uint64_t>(key) : std::nullopt,
                                    [this](std::uint64_t) { return host_.cancelled(host_.context) != 0; });
      if (r.cancelled) throw std::runtime_error("The simulation of a shape was cancelled.");
      at = times_.emplace(key, seconds(setup_.hardware, last_finish(r))).first;
    }
    waiting_.push_back({job, at->second});
    if (waiting_.size() == 1) end_s_ = now_s + at->second;
    return next();
  }
  double advance(double now_s) {
    while (!waiting_.empty() && end_s_ <= now_s) {
      constexpr double us = 1e6;
      observe(0, us * waiting_.front().service_s);
      host_.depart(host_.context, waiting_.front().job, nullptr);
      waiting_.pop_front();
      if (!waiting_.empty()) end_s_ += waiting_.front().service_s;
    }
    return next();
  }
  void finish(double) const { observe(1, static_cast<double>(times_.size())); }
  const ergode_host& host() const { return host_; }

 private:
  struct Waiting {
    std::uint64_t job = 0;
    double service_s = 0.0;
  };
  double next() const { return waiting_.empty() ? std::numeric_limits<double>::infinity() : end_s_; }
  void observe(std::uint32_t output, double value) const { host_.observe(host_.context, output, &value, 1); }
  const ergode_host& host_;
  const NpuSetup setup_;
  std::map<std::uint64_t, double> times_;
  std::deque<Waiting> waiting_;
  double end_s_ = 0.0;
};

constexpr ergode_simulator the_simulator = {sizeof(ergode_simulator), 0, run};
constexpr ergode_station the_station = plugin_support::StationCalls<NpuStation, told>::table;
constexpr ergode_plugin the_plugin = {
    sizeof(ergode_plugin), ERGODE_PLUGIN_ABI_MAJOR, ERGODE_PLUGIN_ABI_MINOR, 0, &the_simulator, &the_station};

}  // namespace
}  // namespace npu

const ergode_plugin* ergode_plugin_entry(uint32_t host_abi_major) {
  return host_abi_major == ERGODE_PLUGIN_ABI_MAJOR ? &npu::the_plugin : nullptr;
}
