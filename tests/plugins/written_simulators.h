#pragma once
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "core/plugin/plugin_simulator.h"
#include "core/random/random_stream.h"

namespace ergode::test {

/// Simulators that are written here, in the process of the test, with what they did.
struct WrittenSimulators {
  std::atomic<int> constant_runs{0}, drawn_runs{0};
};
inline WrittenSimulators& written_simulators() {
  static WrittenSimulators all;
  return all;
}

inline PluginManifest written_manifest(const std::string& name, bool deterministic) {
  using Type = PluginParameter::Type;
  using Kind = PluginOutput::Kind;
  PluginManifest out;
  out.name = name, out.label = "Written here", out.version = "1.0.0", out.library = "none";
  out.parameters = {{.name = "size",
                     .label = "Size",
                     .type = Type::number,
                     .unit = "s",
                     .default_text = "2 s",
                     .minimum = 0.0,
                     .help = "Seconds."},
                    {.name = "fail_from",
                     .label = "Fails from",
                     .type = Type::integer,
                     .default_text = "-1",
                     .help = "Replication; -1: never."},
                    {.name = "table", .label = "A file", .type = Type::file, .help = "Its length is `length`."},
                    {.name = "delay",
                     .label = "Delay",
                     .type = Type::number,
                     .unit = "ms",
                     .default_text = "0 ms",
                     .minimum = 0.0,
                     .help = "Nothing is made of it."}};
  PluginManifest::Simulator& made = out.simulator.emplace();
  made.deterministic = deterministic;
  made.outputs = {{.name = "seconds", .label = "Seconds", .unit = "ms", .kind = Kind::value, .minimum = 0.0},
                  {.name = "pieces", .label = "Pieces", .kind = Kind::count},
                  {.name = "large", .label = "It is large", .kind = Kind::indicator},
                  {.name = "waits", .label = "Waits", .unit = "ms", .kind = Kind::observations, .minimum = 0.0},
                  {.name = "length", .label = "Length", .kind = Kind::value, .headline = false}};
  made.tables = {{.name = "points",
                  .title = "Points",
                  .columns = {{"Name", "", true}, {"Cost", "USD"}, {"Error", ""}, {"Front", "", true}},
                  .scatter = TableScatter{"Cost", "Error", "Front", "Name"}}};
  return out;
}

/// Seconds are its size, times an exponential where it draws; pieces are those seconds, cut; large from 2 s on; waits
/// are a half and three halves of it. It takes `lasts` of real time.
class WrittenSimulator : public PluginSimulator {
 public:
  WrittenSimulator(PluginManifest manifest, PluginValues values, std::uint64_t seed, const std::string& name,
                   std::function<bool()> give_up, std::chrono::milliseconds lasts)
      : manifest_(std::move(manifest)),
        values_(std::move(values)),
        key_(stream_key(seed, name)),
        give_up_(std::move(give_up)),
        lasts_(lasts) {}
  void run(std::uint64_t replication, SimulatorNews& news) override {
    const bool draws = !manifest_.simulator->deterministic;
    ++(draws ? written_simulators().drawn_runs : written_simulators().constant_runs);
    for (auto left = lasts_; left.count() > 0; left -= std::chrono::milliseconds(20)) {
      if (give_up_()) throw PluginGaveUp{};
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    if (values_.numbers[1] >= 0.0 && static_cast<double>(replication) >= values_.numbers[1])
      throw PluginFailure({.code = "PLG023", .message = "It fails in " + std::to_string(replication) + "."});
    SimulatorListener to(manifest_, news, replication == 0);
    double seconds = values_.numbers[0];
    if (draws) {
      RandomStream stream;
      stream.restart(key_, replication);
      seconds *= stream.exponential();
    }
    const auto observe = [&](std::size_t output, double value) { to.observe(output, std::span(&value, 1)); };
    observe(0, 1000.0 * seconds), observe(1, std::floor(seconds)), observe(2, seconds >= 2.0 ? 1.0 : 0.0);
    observe(3, 500.0 * seconds), observe(3, 1500.0 * seconds);
    observe(4, static_cast<double>(values_.words[2].size()));
    to.row(0, {std::string("cheap"), 1.0, 5.0, std::string("yes")});
    to.row(0, {std::string("dear"), 9.0, 2.0, std::string("yes")});
    to.row(0, {std::string("bad"), 8.0, 7.0, std::string("")});
    to.told({.severity = Severity::warning, .code = "PLG026", .pointer = "/parameters/size", .message = "Look here."});
    to.close(replication);
  }

 private:
  PluginManifest manifest_;
  PluginValues values_;
  std::uint64_t key_;
  std::function<bool()> give_up_;
  std::chrono::milliseconds lasts_;
};

inline void register_written_simulator(const std::string& name, bool deterministic, int lasts_ms = 0) {
  const PluginManifest manifest = written_manifest(name, deterministic);
  register_simulator_plugin({.manifest = manifest,
                             .identity = [] { return std::string("1.0.0, written"); },
                             .make =
                                 [manifest, lasts_ms](PluginValues values, std::uint64_t seed, const std::string& named,
                                                      std::function<bool()> give_up) {
                                   return std::make_unique<WrittenSimulator>(manifest, std::move(values), seed, named,
                                                                             std::move(give_up),
                                                                             std::chrono::milliseconds(lasts_ms));
                                 }});
}

}  // namespace ergode::test
