#include "plugins/host/station_host.h"

#include <algorithm>

#include "core/base/read_file.h"
#include "core/base/sha256.h"
#include "plugins/host/native_station.h"
#include "plugins/host/plugin_process.h"
#include "plugins/host/simulator_solver.h"

namespace ergode {
namespace {

/// A call for one event of a network [s]: who watches a history step by step waits for each.
constexpr double longest_event_s = 10.0;

class HostedStation : public PluginStation, PluginListener {
 public:
  HostedStation(const FoundPlugin& plugin, PluginInput input, std::uint64_t seed, std::string name,
                std::function<bool()> give_up)
      : process_(plugin, PluginProcess::Capability::station, std::move(input),
                 {.time_s = plugin.manifest->time_limit_s}),
        seed_(seed),
        name_("station " + std::move(name)),
        longest_s_(plugin.manifest->time_limit_s) {
    process_.heed(std::move(give_up));
  }
  ~HostedStation() override { process_.stop(); }

  void begin(std::uint64_t replication, std::uint64_t life, StationNews& news) override {
    news_ = &news;
    process_.limit(longest_s_);
    replication_ = replication;
    process_.create(replication, plugin_seed(seed_, name_of_life(name_, life), replication), *this);
    process_.limit(std::min(longest_s_, longest_event_s));
  }
  double arrive(double now_s, std::uint64_t job, std::span<const double> attributes, StationNews& news) override {
    news_ = &news;
    return process_.arrive(now_s, job, attributes, *this);
  }
  double advance(double now_s, StationNews& news) override {
    news_ = &news;
    return process_.advance(now_s, *this);
  }
  void finish(double now_s, StationNews& news) override {
    news_ = &news;
    process_.limit(longest_s_);
    process_.finish(now_s, *this);
  }

 private:
  void observe(std::size_t output, std::span<const double> values) override {
    for (const double value : values) news_->observations.push_back({static_cast<std::uint32_t>(output), value});
  }
  void row(std::size_t table, std::vector<ResultTable::Cell> cells) override {
    if (replication_ == 0) news_->rows.push_back({static_cast<std::uint32_t>(table), std::move(cells)});
  }
  void told(Diagnostic what) override {
    if (replication_ == 0) news_->told.push_back(std::move(what));
  }
  void departed(std::uint64_t job, std::span<const double> attributes, bool changed) override {
    news_->departures.push_back({job, changed});
    if (changed) news_->attributes.insert(news_->attributes.end(), attributes.begin(), attributes.end());
  }

  PluginProcess process_;
  std::uint64_t seed_;
  std::string name_;
  double longest_s_;
  std::uint64_t replication_ = 0;
  StationNews* news_ = nullptr;
};

}  // namespace

std::string identity_of_plugin(const FoundPlugin& plugin) {
  std::string bytes;
  for (const std::string& file : plugin.own_files())
    if (const auto read = read_bytes(file); std::holds_alternative<std::string>(read))
      bytes += sha256_hex(std::get<std::string>(read));
  return plugin.manifest->version + ", sha256 " + sha256_hex(bytes);
}

StationPlugin station_plugin(const FoundPlugin& plugin) {
  return {
      .manifest = *plugin.manifest,
      .identity = [&plugin] { return identity_of_plugin(plugin); },
      .make =
          [&plugin](PluginValues values, std::uint64_t seed, const std::string& name, std::function<bool()> give_up) {
            PluginInput input = plugin_input(*plugin.manifest, std::move(values.numbers), values.words);
            if (runs_in_process(plugin)) return native_station(plugin, std::move(input), seed, name);
            return std::unique_ptr<PluginStation>(
                std::make_unique<HostedStation>(plugin, std::move(input), seed, name, std::move(give_up)));
          }};
}

void register_known_stations() {
  static const bool once = [] {
    for (const FoundPlugin& plugin : known_plugins())
      if (plugin.state == PluginState::ready && plugin.manifest && plugin.manifest->station)
        register_station_plugin(station_plugin(plugin));
    return true;
  }();
  static_cast<void>(once);
}

}  // namespace ergode
