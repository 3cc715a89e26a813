#include "plugins/npu/engine/simulator.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace npu {
namespace {

struct ActiveLayer {
  std::uint32_t request = 0, index = 0;
  std::size_t left = 0;
  std::uint64_t start = 0, requests = 0;
};

struct ActiveModel {
  std::uint32_t number = 0, partition = 0;
  std::string name;
  std::vector<SimulatedLayer> layers;
  std::deque<std::uint32_t> ready;
  std::size_t left = 0;
  std::deque<std::unique_ptr<TileJob>> tiles;  // of spatial_split
  std::function<std::optional<ModelInstance>()> again;
  bool started = false;
};

/// Shares cores between models.
class Scheduler {
 public:
  Scheduler(const Hardware& h, ModelSource* source) : hw_(h), source_(source), queues_(h.cores.size()) {}
  bool active() const { return !models_.empty(); }
  std::uint64_t cycle = 0;
  std::vector<LayerRecord> records;
  std::vector<ModelRecord> model_records;
  std::vector<TileRecord> tile_records;
  std::vector<ModelInstance> again;  // that are to be released

  void release(const ModelInstance& instance, AddressSpace& space, std::uint64_t asked) {
    auto model = std::make_unique<ActiveModel>();
    model->number = numbers_++, model->partition = instance.partition, model->name = instance.name;
    model->layers = instance.build(space), model->left = model->layers.size(), model->again = instance.again;
    model_records.push_back({instance.name, asked, 0, 0, false});
    for (std::uint32_t i = 0; i < model->layers.size(); ++i)
      if (model->layers[i].waits_for == 0) model->ready.push_back(i);
    models_.push_back(std::move(model));
    refresh();
  }
  std::unique_ptr<TileJob> get_tile(std::size_t core) {
    auto* queue = &queues_[core];
    if (hw_.policy == SharingPolicy::spatial_split) {
      queue = &models_[core % models_.size()]->tiles;
      if (queue->empty()) return nullptr;
    }
    if (queue->empty()) {
      refresh();
      return nullptr;
    }
    auto out = std::move(queue->front());
    queue->pop_front();
    return out;
  }
  void finish(const TileJob& job, std::uint32_t core) {
    ActiveLayer& layer = layers_[job.tile.layer];
    constexpr std::size_t most_tiles = 100000;
    if (!job.tile.skip && tile_records.size() < most_tiles)
      tile_records.push_back({core, job.tile.layer, job.started, cycle});
    if (--layer.left == 0) {
      const auto at = std::find_if(models_.begin(), models_.end(),
                                   [&layer](const auto& one) { return one->number == layer.request; });
      ActiveModel& model = **at;
      records.push_back({model.name, model.layers[layer.index].name, layer.start, cycle, job.tile.layer,
                         model.layers[layer.index].work, layer.requests});
      --running_, --model.left;
      if (model.left == 0) {
        model_records[model.number].finish = cycle, model_records[model.number].done = true;
        if (source_ != nullptr) source_->finished(cycle);
        if (model.again)
          if (auto next = model.again()) again.push_back(std::move(*next));
      }
      for (const std::uint32_t next : model.layers[layer.index].consumers)
        if (--model.layers[next].waits_for == 0) model.ready.push_back(next);
    }
    refresh();
  }

 private:
  bool idle_queues() const {
    return std::all_of(queues_.begin(), queues_.end(), [](const auto& q) { return q.empty(); });
  }
  std::vector<std::size_t> cores_of(std::uint32_t partition) const {
    std::vector<std::size_t> out;
    for (std::size_t c = 0; c < queues_.size(); ++c)
      if (hw_.policy != SharingPolicy::partition_cpu || hw_.partition.empty() || hw_.partition[c] == partition)
        out.push_back(c);
    return out;
  }
  void start(ActiveModel& model, const std::vector<std::size_t>& cores, std::size_t position) {
    if (model.ready.empty()) return;
    const std::uint32_t index = model.ready.front();
    model.ready.pop_front();
    TileList list = model.layers[index].tiles();
    const auto id = static_cast<std::uint32_t>(layers_.size());
    layers_.push_back({model.number, index, list.tiles.size(), cycle, 0});
    for (const Tile& tile : list.tiles) layers_.back().requests += tile.addresses.size();
    if (!model.started) model_records[model.number].start = cycle, model.started = true;
    ++running_, ++counter_;
    for (Tile& tile : list.tiles) {
      const std::size_t core = tile.core >= 0 ? cores[(static_cast<std::size_t>(tile.core) + counter_) % cores.size()]
                                              : cores[(position + turn_++) % cores.size()];
      tile.layer = id;
      auto job = std::make_unique<TileJob>();
      job->tile = std::move(tile);
      job->scratchpad_blocks = list.scratchpad_blocks, job->accumulator_blocks = list.accumulator_blocks;
      (hw_.policy == SharingPolicy::spatial_split ? model.tiles : queues_[core]).push_back(std::move(job));
    }
  }
  void remove_finished() {
    models_.erase(std::remove_if(models_.begin(), models_.end(), [](const auto& m) { return m->left == 0; }),
                  models_.end());
  }
  void refresh() {
    switch (hw_.policy) {
      case SharingPolicy::simple:
        if (!models_.empty() && models_[0]->left == 0) models_.erase(models_.begin());
        if (!models_.empty() && running_ == 0 && idle_queues()) start(*models_[0], cores_of(0), 0);
        break;
      case SharingPolicy::time_multiplex:
        remove_finished();
        if (!models_.empty() && idle_queues()) {
          multiplexed_ = (multiplexed_ + 1) % models_.size();
          start(*models_[multiplexed_], cores_of(0), 0);
        }
        break;
      case SharingPolicy::partition_cpu:
        remove_finished();
        for (std::size_t c = 0; c < queues_.size(); ++c) {
          if (!queues_[c].empty()) continue;
          const std::uint32_t partition = hw_.partition.empty() ? 0 : hw_.partition[c];
          const auto at = std::find_if(models_.begin(), models_.end(),
                                       [partition](const auto& m) { return m->partition == partition; });
          if (at == models_.end()) continue;
          const auto cores = cores_of(partition);
          start(**at, cores, static_cast<std::size_t>(std::find(cores.begin(), cores.end(), c) - cores.begin()));
        }
        break;
      case SharingPolicy::spatial_split:
        remove_finished();
        for (const auto& model : models_)
          if (model->tiles.empty()) start(*model, cores_of(0), 0);
        break;
    }
  }

  const Hardware& hw_;
  ModelSource* source_;
  std::vector<std::deque<std::unique_ptr<TileJob>>> queues_;
  std::vector<std::unique_ptr<ActiveModel>> models_;
  std::vector<ActiveLayer> layers_;
  std::size_t running_ = 0, counter_ = 0, turn_ = 0, multiplexed_ = 0;
  std::uint32_t numbers_ = 0;
};

}  // namespace

NpuResult simulate(const Hardware& h, AddressSpace& space, std::vector<ModelInstance> models,
                   const std::function<bool(std::uint64_t cycle)>& stop, ModelSource* source) {
  if (const std::string fault = hardware_fault(h); !fault.empty()) throw std::invalid_argument(fault);
  if (h.policy == SharingPolicy::partition_cpu)
    for (const ModelInstance& one : models)
      if (h.partition.empty() ? one.partition != 0
                              : std::find(h.partition.begin(), h.partition.end(), one.partition) == h.partition.end())
        throw std::invalid_argument("no core is in partition " + std::to_string(one.partition) + " of " + one.name);
  std::stable_sort(models.begin(), models.end(),
                   [](const auto& a, const auto& b) { return a.request_ps < b.request_ps; });
  const auto cores_count = static_cast<std::uint32_t>(h.cores.size());
  const std::uint32_t ports = h.ports, first_channel = cores_count * ports;
  std::vector<Core> cores;
  for (std::uint32_t c = 0; c < cores_count; ++c)
    cores.emplace_back(h.cores[c], static_cast<std::uint8_t>(c), h.corrected);
  Network network(first_channel + h.channels, h.network_latency);
  const auto dram = make_dram(h);
  const ChannelHash channel_of(h.channels, h.request_bytes);
  Scheduler scheduler(h, source);
  constexpr std::uint64_t ps = 1000000;
  const std::uint64_t core_period = ps / h.core_mhz, dram_period = ps / h.dram_mhz, network_period = ps / h.network_mhz;
  std::uint64_t core_time = 0, dram_time = 0, network_time = 0, cycle = 0;
  std::size_t released = 0;
  NpuResult out;
  const auto running = [&] {
    return released < models.size() || scheduler.active() || !scheduler.again.empty() ||
           (source != nullptr && source->left()) ||
           std::any_of(cores.begin(), cores.end(), [](const Core& core) { return core.busy(); });
  };
  Timeline timeline;
  const auto served = [&] {
    std::uint64_t sum = 0;
    for (std::uint32_t k = 0; k < h.channels; ++k) sum += dram->served(k);
    return sum;
  };
  // Goes on to what comes next while nothing is there, by steps after which the clocks stand to each other as before.
  const std::uint64_t round = std::lcm(std::lcm(core_period, dram_period), network_period);
  const auto sleep = [&] {
    if (scheduler.active() || !scheduler.again.empty() || !dram->empty() || !network.empty()) return;
    for (const Core& core : cores)
      if (core.busy() || core.finished() || core.asks()) return;
    std::uint64_t cycles = UINT64_MAX;
    if (released < models.size()) {
      const std::uint64_t at = models[released].request_ps, next = core_time + core_period;
      cycles = at > next ? (at - next) / core_period : 0;
    }
    if (source != nullptr && source->left()) {
      const std::uint64_t until = source->sleeps_until();
      cycles = std::min(cycles, until > cycle ? until - cycle : 0);
    }
    if (cycles == UINT64_MAX) return;
    const std::uint64_t rounds = std::min(cycles / (round / core_period), dram->may_skip() / (round / dram_period));
    core_time += rounds * round, dram_time += rounds * round, network_time += rounds * round;
    cycle += rounds * (round / core_period);
    for (Core& core : cores) core.skip(rounds * (round / core_period));
    dram->skip(rounds * (round / dram_period)), network.skip(rounds * (round / network_period));
  };
  std::uint64_t looked = 0;
  while (running()) {
    // Whether all is idle is looked at now and then: it takes a visit of all.
    constexpr std::uint64_t look_idle = 64;
    if (cycle >= looked) looked = cycle + look_idle, sleep();
    const std::uint64_t now = std::min({core_time, dram_time, network_time});
    const bool core_tick = core_time <= now, dram_tick = dram_time <= now, network_tick = network_time <= now;
    if (core_tick) {
      core_time += core_period, scheduler.cycle = cycle;
      constexpr std::uint64_t look_every = 8192;
      if (stop && cycle % look_every == 0 && stop(cycle)) {
        out.cancelled = true;
        break;
      }
      if (source != nullptr)
        if (const auto model = source->next(cycle, !scheduler.active(), space)) scheduler.release(*model, space, cycle);
      while (!scheduler.again.empty()) {
        const ModelInstance next = std::move(scheduler.again.front());
        scheduler.again.erase(scheduler.again.begin());
        scheduler.release(next, space, cycle);
      }
      while (released < models.size() && models[released].request_ps <= core_time)
        scheduler.release(models[released], space, models[released].request_ps / core_period), ++released;
      for (std::uint32_t c = 0; c < cores_count; ++c) {
        Core& core = cores[c];
        if (core.finished()) scheduler.finish(*core.take_finished(), c);
        if (scheduler.active() && core.tiles() < 2)
          if (auto job = scheduler.get_tile(c)) job->started = cycle, core.admit(std::move(job));
        core.step();
      }
      ++cycle;
      while (cycle >= timeline.next()) timeline.record(timeline.next(), cores, served());
    }
    if (dram_tick) dram_time += dram_period, dram->step();
    if (network_tick) {
      network_time += network_period;
      for (std::uint32_t c = 0; c < cores_count; ++c)
        for (std::uint32_t q = 0; q < ports; ++q) {
          if (cores[c].asks()) {
            const MemoryRequest request = cores[c].take_request();
            network.push(c * ports + q, first_channel + channel_of(request.address), request);
          }
          if (network.arrived(c * ports + q)) cores[c].answer(network.take(c * ports + q));
        }
      for (std::uint32_t k = 0; k < h.channels; ++k) {
        if (network.arrived(first_channel + k) && !dram->full(k)) dram->push(k, network.take(first_channel + k));
        if (dram->done(k)) {
          const MemoryRequest request = dram->take(k);
          network.push(first_channel + k, request.core * ports + k % ports, request);
        }
      }
      network.step();
    }
  }
  timeline.record(cycle, cores, served());
  out.cycles = cycle, out.layers = std::move(scheduler.records), out.models = std::move(scheduler.model_records);
  out.tiles = std::move(scheduler.tile_records), out.windows = timeline.take();
  for (const Core& core : cores) out.cores.push_back(core.counts());
  for (std::uint32_t k = 0; k < h.channels; ++k) {
    const RowCounts rows = dram->rows(k);
    out.channel_rows.push_back(rows), out.channel_requests.push_back(dram->served(k));
    out.rows.hits += rows.hits, out.rows.misses += rows.misses, out.rows.conflicts += rows.conflicts;
  }
  out.requests = served();
  return out;
}

}  // namespace npu
