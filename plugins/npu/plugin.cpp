// The plugin: one call of the simulator is one run without chance; the station serves one customer at a time.
#include <algorithm>
#include <cmath>
#include <exception>
#include <iterator>
#include <optional>
#include <stdexcept>

#include "plugins/abi/ergode_plugin.h"
#include "plugins/npu/setup.h"
#include "plugins/support/bad_input.h"
#include "plugins/support/shape_station.h"
#include "plugins/support/station_calls.h"

namespace npu {
namespace {

ergode_cell number(double x) { return {nullptr, x}; }
ergode_cell count(std::uint64_t x) { return {nullptr, static_cast<double>(x)}; }
std::uint64_t last_finish(const NpuResult& result) {
  std::uint64_t out = 0;
  for (const LayerRecord& layer : result.layers) out = std::max(out, layer.finish);
  return out;
}
/// What a core's clock makes of cycles, with periods of whole picoseconds.
double seconds_of(const Hardware& h, std::uint64_t cycles) {
  constexpr std::uint64_t ps_of_mhz = 1000000;
  return static_cast<double>(cycles) * static_cast<double>(ps_of_mhz / h.core_mhz) * 1e-12;
}

/// Rows of the tables, in the order of plugin.json.
class NpuTables {
 public:
  NpuTables(const ergode_host& host, const NpuSetup& setup, const LanguageResult& result)
      : host_(host), h_(setup.hardware), all_(result), r_(result.run) {
    for (const LayerRecord& one : r_.layers) {
      if (by_number_.size() <= one.number) by_number_.resize(one.number + 1, nullptr);
      by_number_[one.number] = &one;
    }
  }
  void write() const {
    layers(), cores(), models(), requests(), channels(), rooflines(), utilisation(), bandwidth(), tiles();
  }

 private:
  enum Table : std::uint32_t { layer, core, model, request, channel, limit, busy, memory, tile };
  template <class... Cells>
  void row(Table table, Cells... cells) const {
    const ergode_cell all[] = {cells...};
    host_.row(host_.context, table, all, sizeof...(cells));
  }
  static ergode_cell text(const char* words) { return {words, 0.0}; }
  static ergode_cell text(const std::string& words) { return {words.c_str(), 0.0}; }
  ergode_cell us(std::uint64_t cycles) const { return number(1e6 * seconds_of(h_, cycles)); }
  ergode_cell share(std::uint64_t part, std::uint64_t of) const {
    return number(of == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(of));
  }
  double gb_per_s(std::uint64_t requests, std::uint64_t cycles) const {
    return cycles == 0 ? 0.0 : static_cast<double>(requests) * h_.request_bytes / seconds_of(h_, cycles) / 1e9;
  }

  void layers() const {
    for (const LayerRecord& one : r_.layers)
      row(layer, text(one.model), text(one.layer), text(layer_kind_text(one.work.kind)), count(one.start),
          count(one.finish), count(one.finish - one.start));
  }
  void cores() const {
    for (std::size_t c = 0; c < r_.cores.size(); ++c) {
      const CoreCounts& one = r_.cores[c];
      row(core, count(c), share(one.systolic, r_.cycles), share(one.pe, r_.cycles), share(one.vector, r_.cycles),
          share(one.idle, r_.cycles), share(one.memory_idle, r_.cycles), count(one.products), count(one.preloads),
          count(one.vectors));
    }
  }
  void models() const {
    for (const ModelRecord& one : r_.models)
      if (one.done)
        row(model, text(one.name), us(one.asked), us(one.start), us(one.finish), us(one.finish - one.asked));
  }
  void requests() const {
    for (std::size_t i = 0; i < all_.requests.size(); ++i) {
      const LanguageRecord& one = all_.requests[i];
      if (one.finish == 0) continue;
      const double later = static_cast<double>(one.tokens > 1 ? one.tokens - 1 : 1);
      row(request, count(i), us(one.arrival), us(one.start - std::min(one.start, one.arrival)),
          us(one.first_token - one.start), us(one.finish - one.start), count(one.tokens),
          number(1e6 * seconds_of(h_, one.finish - one.first_token) / later));
    }
  }
  void channels() const {
    for (std::size_t k = 0; k < r_.channel_requests.size(); ++k) {
      const RowCounts& rows = r_.channel_rows[k];
      const double peak = h_.peak_gb_per_s() / h_.channels;
      row(channel, count(k), count(r_.channel_requests[k]), number(gb_per_s(r_.channel_requests[k], r_.cycles) / peak),
          count(rows.hits), count(rows.misses), count(rows.conflicts));
    }
  }
  void rooflines() const {
    constexpr const char* limits[] = {"nothing", "array", "vector unit", "memory"};
    for (const LayerRecord& one : r_.layers) {
      if (one.work.bytes <= 0.0) continue;
      const double flops = one.work.array_flops + one.work.vector_flops;
      const double s = seconds_of(h_, one.finish - one.start);
      const NpuRoofline bound = roofline(h_, one.work);
      row(limit, text(one.model), text(one.layer), number(flops), number(one.work.bytes),
          number(static_cast<double>(one.requests) * h_.request_bytes), number(flops / one.work.bytes),
          number(s > 0.0 ? flops / s / 1e9 : 0.0), number(flops / bound.seconds / 1e9), number(1e6 * s),
          number(1e6 * bound.seconds), text(limits[static_cast<std::size_t>(bound.limit)]));
    }
  }
  void utilisation() const {
    for (std::size_t c = 0; c < r_.cores.size(); ++c) {
      WindowRecord before;
      before.systolic.resize(r_.cores.size()), before.vector = before.systolic;
      for (const WindowRecord& one : r_.windows) {
        const std::uint64_t cycles = one.cycle - before.cycle;
        if (cycles > 0)
          row(busy, count(c), us(before.cycle), us(one.cycle), share(one.systolic[c] - before.systolic[c], cycles),
              share(one.vector[c] - before.vector[c], cycles));
        before = one;
      }
    }
  }
  void bandwidth() const {
    std::uint64_t cycle = 0, served = 0;
    for (const WindowRecord& one : r_.windows) {
      if (one.cycle > cycle) {
        const double seen = gb_per_s(one.served - served, one.cycle - cycle);
        row(memory, us(cycle), us(one.cycle), number(seen), number(seen / h_.peak_gb_per_s()));
      }
      cycle = one.cycle, served = one.served;
    }
  }
  void tiles() const {
    for (const TileRecord& one : r_.tiles) {
      // A layer that has not ended is none of a whole run.
      if (one.layer >= by_number_.size() || by_number_[one.layer] == nullptr) continue;
      const LayerRecord& of = *by_number_[one.layer];
      const std::string name = of.layer.empty() ? of.model : of.layer;
      row(tile, count(one.core), text(name), us(one.start), us(one.finish), text(layer_kind_text(of.work.kind)),
          text(of.model));
    }
  }

  const ergode_host& host_;
  const Hardware& h_;
  const LanguageResult& all_;
  const NpuResult& r_;
  std::vector<const LayerRecord*> by_number_;
};

int32_t run(const ergode_input* input, const ergode_host* host) {
  try {
    const NpuSetup setup = read_npu_setup(*input);
    const LanguageResult all =
        run_setup(setup, {}, [host](std::uint64_t) { return host->cancelled(host->context) != 0; });
    const NpuResult& r = all.run;
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
    observe(static_cast<double>(r.cycles)), observe(us * seconds_of(h, last_finish(r)));
    observe(share(&CoreCounts::systolic)), observe(share(&CoreCounts::pe)), observe(share(&CoreCounts::vector));
    observe(static_cast<double>(r.requests) * h.request_bytes / seconds_of(h, r.cycles) / giga);
    const std::uint64_t rows = r.rows.hits + r.rows.misses + r.rows.conflicts;
    observe(rows == 0 ? 0.0 : static_cast<double>(r.rows.hits) / static_cast<double>(rows));
    observe(all.most_bytes / giga);
    std::vector<double> latencies, first_tokens, tokens;
    for (const LanguageRecord& one : all.requests) {
      if (one.finish == 0) continue;
      latencies.push_back(us * seconds_of(h, one.finish - std::min(one.finish, one.arrival)));
      first_tokens.push_back(us * seconds_of(h, one.first_token - std::min(one.first_token, one.arrival)));
      if (one.tokens > 1)
        tokens.push_back(us * seconds_of(h, one.finish - one.first_token) / static_cast<double>(one.tokens - 1));
    }
    if (all.requests.empty())
      for (const ModelRecord& one : r.models)
        if (one.done) latencies.push_back(us * seconds_of(h, one.finish - std::min(one.finish, one.asked)));
    std::uint32_t output = 8;
    for (const std::vector<double>* values : {&latencies, &first_tokens, &tokens}) {
      if (!values->empty())
        host->observe(host->context, output, values->data(), static_cast<std::uint32_t>(values->size()));
      ++output;
    }
    // Each request and its answer pass the network: one of them with the data, the other with eight bytes.
    constexpr double header = 8.0;
    const double network =
        static_cast<double>(r.requests) * (h.request_bytes + header) / seconds_of(h, r.cycles) / giga;
    host->observe(host->context, output, &network, 1);
    if (!all.fits)
      host->tell(host->context, ERGODE_WARNING, "/parameters/language",
                 ("Weights, caches and activations are " + std::to_string(all.most_bytes / giga) +
                  " GB, more than the memory has.")
                     .c_str());
    if (input->replication != 0) return ERGODE_OK;
    for (const auto* told : {&setup.unread, &setup.uncounted})
      for (const auto& [name, why] : *told)
        host->tell(host->context, ERGODE_WARNING, ("/parameters/" + name).c_str(), why.c_str());
    NpuTables(*host, setup, all).write();
    return ERGODE_OK;
  } catch (const std::exception& what) {
    return plugin_support::told(*host, what);
  }
}

/// One server. A shape is simulated when it comes for the first time.
class NpuSimulation {
 public:
  static constexpr double most_rows = 8192;
  explicit NpuSimulation(const ergode_input& input) : setup_(read_npu_setup(input)) {}
  double seconds(std::optional<std::uint64_t> rows, const ergode_host& host) const {
    const NpuResult r =
        run_setup(setup_, rows, [&host](std::uint64_t) { return host.cancelled(host.context) != 0; }).run;
    if (r.cancelled) throw std::runtime_error("The simulation of a shape was cancelled.");
    return seconds_of(setup_.hardware, last_finish(r));
  }

 private:
  const NpuSetup setup_;
};

constexpr ergode_simulator the_simulator = {sizeof(ergode_simulator), 0, run};
constexpr ergode_station the_station =
    plugin_support::StationCalls<plugin_support::ShapeStation<NpuSimulation>, plugin_support::told>::table;
constexpr ergode_plugin the_plugin = {
    sizeof(ergode_plugin), ERGODE_PLUGIN_ABI_MAJOR, ERGODE_PLUGIN_ABI_MINOR, 0, &the_simulator, &the_station};

}  // namespace
}  // namespace npu

const ergode_plugin* ergode_plugin_entry(uint32_t host_abi_major) {
  return host_abi_major == ERGODE_PLUGIN_ABI_MAJOR ? &npu::the_plugin : nullptr;
}
