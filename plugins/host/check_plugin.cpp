#include "plugins/host/check_plugin.h"

#include <chrono>
#include <cmath>
#include <map>
#include <set>

#include "core/base/text.h"
#include "plugins/host/plugin_process.h"
#include "plugins/host/simulator_solver.h"
#include "plugins/host/target_service.h"

namespace ergode {
namespace {

/// Keeps all that a plugin tells.
struct TrialListener : PluginListener {
  std::map<std::size_t, std::vector<double>> observed;
  std::vector<std::vector<ResultTable::Cell>> rows;
  std::set<std::uint64_t> left;
  std::uint64_t departures = 0;
  Diagnostics told_so_far;
  TargetService* targets = nullptr;  ///< of those that ask others

  void observe(std::size_t output, std::span<const double> values) override {
    auto& all = observed[output];
    all.insert(all.end(), values.begin(), values.end());
  }
  void row(std::size_t, std::vector<ResultTable::Cell> cells) override { rows.push_back(std::move(cells)); }
  void told(Diagnostic what) override { told_so_far.push_back(std::move(what)); }
  void departed(std::uint64_t job, std::span<const double>, bool) override { ++departures, left.insert(job); }
  double measure(const TargetQuestion& question) override { return targets->measure(question); }
};

PluginInput default_input(const PluginManifest& manifest) {
  Diagnostics problems;
  const Document document = parameters_document(manifest);
  const auto table = ParameterTable::resolve(document, "", {}, problems);
  if (has_errors(problems)) throw PluginFailure(problems.front());
  return plugin_input(manifest, table);
}

/// Does a step and notes how long it took; @returns false after a failure.
bool trial_step(PluginTrial& trial, std::string what, const std::function<void()>& step) {
  const auto begin = std::chrono::steady_clock::now();
  PluginTrial::Step made{.what = std::move(what)};
  try {
    step();
    made.passed = true;
  } catch (const PluginFailure& failure) {
    trial.problems.push_back(failure.what_happened);
  }
  made.elapsed_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  trial.steps.push_back(std::move(made));
  return trial.steps.back().passed;
}

[[noreturn]] void trial_failure(const FoundPlugin& plugin, const char* code, const std::string& what,
                                const std::string& hint = {}) {
  throw PluginFailure({.code = code, .message = "The plugin " + plugin.name + " " + what, .hint = hint});
}

void try_simulator(const FoundPlugin& plugin, PluginProcess::Limits limits, PluginTrial& trial) {
  PluginProcess process(plugin, PluginProcess::Capability::simulator, default_input(*plugin.manifest), limits);
  TargetService targets(plugin.name, {});
  if (plugin.manifest->simulator->measures_targets) process.offer_targets();
  const auto replicate = [&](std::uint64_t number) {
    TrialListener heard;
    heard.targets = &targets;
    process.run(number, plugin_seed(1, plugin.name, number), heard);
    const auto& outputs = plugin.manifest->simulator->outputs;
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (outputs[i].kind != PluginOutput::Kind::observations && heard.observed[i].size() != 1)
        trial_failure(plugin, "PLG022",
                      "observed " + outputs[i].name + " " + std::to_string(heard.observed[i].size()) +
                          " times in a replication; wanted once.");
    return heard;
  };
  TrialListener first;
  if (!trial_step(trial, "simulator: starts", [&] { process.start(); })) return;
  if (!trial_step(trial, "simulator: a replication with default values", [&] { first = replicate(0); })) return;
  for (const Diagnostic& d : first.told_so_far) trial.problems.push_back(d);
  trial_step(trial, "simulator: another, and the first again with the same numbers", [&] {
    const TrialListener other = replicate(1), again = replicate(0);
    if (again.observed != first.observed)
      trial_failure(plugin, "PLG027",
                    "observed something else when replication 0 was run again: it remembers what it ran before.",
                    "Draw from the seed of the input alone, or say \"one_run_per_process\" in its manifest.");
    const bool claims = plugin.manifest->simulator->deterministic;
    if (claims && other.observed != first.observed)
      trial_failure(plugin, "PLG027",
                    "observed something else with another seed, and its manifest says that it is deterministic.",
                    "Take \"deterministic\" out of its manifest, or let nothing depend on seed and replication.");
    bool constant = !claims && other.observed == first.observed;
    for (const auto& [output, values] : first.observed) constant = constant && !values.empty();
    if (constant && !first.observed.empty())
      trial.problems.push_back({.severity = Severity::warning,
                                .code = "PLG027",
                                .message = "The plugin " + plugin.name +
                                           " observed the same in replications 0 and 1: it may not use its seed.",
                                .hint = "If it draws nothing, say \"deterministic\": true in \"simulator\" of its "
                                        "manifest; it is then run once."});
  });
}

void try_station(const FoundPlugin& plugin, PluginProcess::Limits limits, PluginTrial& trial) {
  PluginProcess process(plugin, PluginProcess::Capability::station, default_input(*plugin.manifest), limits);
  trial_step(trial, "station: serves a hundred customers, one after the other", [&] {
    TrialListener heard;
    std::vector<double> attributes;
    for (const PluginAttribute& one : plugin.manifest->station->attributes) attributes.push_back(one.otherwise);
    process.create(0, plugin_seed(1, plugin.name, 0), heard);
    double now = 0.0;
    for (std::uint64_t job = 0; job < 100; ++job) {
      double next = process.arrive(now, job, attributes, heard);
      for (int calls = 0; heard.departures <= job; ++calls) {
        if (!std::isfinite(next)) trial_failure(plugin, "PLG025", "waits for nothing although a customer is there.");
        if (calls == 1'000'000) trial_failure(plugin, "PLG025", "did not let a customer go in a million steps.");
        next = process.advance(now = next, heard);
      }
      if (heard.departures != job + 1 || !heard.left.contains(job))
        trial_failure(plugin, "PLG022", "let somebody leave who was not there.");
    }
    process.finish(now, heard);
  });
}

}  // namespace

PluginTrial try_plugin(const FoundPlugin& plugin, double time_limit_s) {
  PluginTrial out;
  out.problems = plugin.problems;
  if (plugin.state == PluginState::refused || plugin.state == PluginState::off || !plugin.manifest) return out;
  PluginProcess::Limits limits;
  limits.time_s = time_limit_s > 0.0 ? time_limit_s : plugin.manifest->time_limit_s;
  try {
    if (plugin.manifest->simulator) try_simulator(plugin, limits, out);
    const bool starts = out.steps.empty() || out.steps.front().passed;  // else the station would say the same
    if (plugin.manifest->station && starts) try_station(plugin, limits, out);
  } catch (const PluginFailure& failure) {
    out.problems.push_back(failure.what_happened);
  }
  return out;
}

}  // namespace ergode
