#include "plugins/host/simulator_solver.h"

#include <filesystem>
#include <limits>
#include <mutex>

#include "core/base/read_file.h"
#include "core/base/sha256.h"
#include "core/base/shell_word.h"
#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/document/property_path.h"
#include "core/format/hash.h"
#include "core/random/random_stream.h"
#include "core/study/precision_goals.h"
#include "core/study/recorded_options.h"
#include "core/study/result_builder.h"
#include "core/study/runner.h"
#include "plugins/host/simulator_host.h"

namespace ergode {
namespace {

using OutputKind = PluginOutput::Kind;

struct SimulatorSettings {
  double time_limit_s = 0.0;  ///< 0: as the manifest says
};

const OptionTable<SimulatorSettings>& simulator_options() {
  static const OptionTable<SimulatorSettings> table = [] {
    OptionTable<SimulatorSettings> made;
    made.number(
        {"time-limit", "S", "as the plugin says", "Longest time of one replication [s]."},
        "a number of seconds, 0 for what the plugin says", [](double x) { return x >= 0.0 && x <= 1e6; },
        &SimulatorSettings::time_limit_s);
    return made;
  }();
  return table;
}

std::string_view measure_word(OutputKind kind) {
  switch (kind) {
    case OutputKind::count:
      return "count";
    case OutputKind::indicator:
      return "probability_by";
    case OutputKind::observations:
      return "observed_mean";
    case OutputKind::value:
      break;
  }
  return "final_value";
}

MeasureSpec measure_of(const PluginOutput& output) {
  MeasureSpec out;
  out.id = output.name, out.label = output.label;
  out.kind = &measure_kind(measure_word(output.kind));
  const Unit unit = parse_unit(output.unit).value_or(Unit{});
  out.unit = output.unit, out.unit_scale = unit.scale;
  out.proportion = output.kind == OutputKind::indicator;
  out.samples = output.kind != OutputKind::indicator;
  if (output.minimum) out.support.least = *output.minimum * unit.scale;
  if (output.maximum) out.support.greatest = *output.maximum * unit.scale;
  if (output.kind == OutputKind::count) out.support.counts = true, out.support.least = std::max(0.0, out.support.least);
  if (output.kind == OutputKind::indicator) out.support = {0.0, 1.0, false};
  out.headline = output.headline;
  return out;
}

class SimulatorSource : public ReplicationSource {
 public:
  SimulatorSource(const FoundPlugin& plugin, PluginInput input, PluginProcess::Limits limits, std::uint64_t seed)
      : plugin_(plugin), input_(std::move(input)), limits_(limits), seed_(seed) {
    for (const PluginOutput& output : outputs()) {
      specs_.push_back(measure_of(output));
      // Observations of one run still vary among themselves.
      specs_.back().fixed = plugin.manifest->simulator->deterministic && output.kind != OutputKind::observations;
    }
  }
  std::unique_ptr<ReplicationWorker> make_worker() const override;
  std::span<const MeasureSpec> measures() const override { return specs_; }
  std::string identity() const override { return "plugin " + plugin_.name + ", seed " + std::to_string(seed_); }

  const std::vector<PluginOutput>& outputs() const { return plugin_.manifest->simulator->outputs; }
  const SimulatorNews& first() const { return first_; }
  /// Of the replications that failed, the one with the least number.
  std::optional<Diagnostic> failure() const {
    const std::lock_guard lock(mutex_);
    return failure_;
  }

 private:
  friend class SimulatorWorker;
  const FoundPlugin& plugin_;
  PluginInput input_;
  PluginProcess::Limits limits_;
  std::uint64_t seed_;
  std::vector<MeasureSpec> specs_;
  mutable SimulatorNews first_;  ///< written by the one worker that plays the first replication
  mutable std::mutex mutex_;
  mutable std::optional<Diagnostic> failure_;
  mutable std::uint64_t failed_in_ = std::numeric_limits<std::uint64_t>::max();
};

class SimulatorWorker : public ReplicationWorker {
 public:
  explicit SimulatorWorker(const SimulatorSource& source)
      : source_(source),
        simulator_(source.plugin_, source.input_, source.limits_, source.seed_, source.plugin_.name,
                   [this] { return give_up_ != nullptr && give_up_->load(std::memory_order_relaxed); }) {}

  ReplicationEnd run(std::uint64_t replication, Tallies& into, const std::atomic<bool>& give_up) override {
    give_up_ = &give_up;
    try {
      simulator_.run(replication, news_);
    } catch (const PluginGaveUp&) {
      return ReplicationEnd::given_up;
    } catch (const PluginFailure& failure) {
      const std::lock_guard lock(source_.mutex_);
      if (replication < source_.failed_in_) source_.failed_in_ = replication, source_.failure_ = failure.what_happened;
      throw;
    }
    tally(replication, into);
    if (replication == 0) source_.first_ = std::move(news_);
    return ReplicationEnd::whole;
  }

 private:
  void tally(std::uint64_t replication, Tallies& into) const {
    std::uint64_t hash = 0, observed = 0;
    for (std::size_t i = 0; i < news_.once.size(); ++i) {
      const MeasureSpec& spec = source_.specs_[i];
      const bool many = source_.outputs()[i].kind == OutputKind::observations;
      double sum = 0.0;
      for (const double value : many ? std::span<const double>(news_.observations[i]) : std::span(&news_.once[i], 1)) {
        hash = detail::mix64(hash ^ std::bit_cast<std::uint64_t>(value)) + i;
        sum += value * spec.unit_scale;
        ++observed;
        if (many) into.measures[i].sample(value * spec.unit_scale);
      }
      if (many) into.measures[i].observe_ratio(sum, static_cast<double>(news_.observations[i].size()));
      else into.measures[i].observe(sum);
    }
    into.events += observed;
    into.add_fingerprint(replication, hash);
  }

  const SimulatorSource& source_;
  HostedSimulator simulator_;
  SimulatorNews news_;
  const std::atomic<bool>* give_up_ = nullptr;
};

std::unique_ptr<ReplicationWorker> SimulatorSource::make_worker() const {
  return std::make_unique<SimulatorWorker>(*this);
}

/// When nobody says how many: without chance one tells all.
std::uint64_t replications_of(const FoundPlugin& plugin) {
  return plugin.manifest->simulator->deterministic ? 1 : plugin_replications;
}

/// Who makes these numbers, of what: with the hashes of the plugin's own files.
Provenance provenance_of_plugin(const FoundPlugin& plugin, const Question& question, const ParameterTable& parameters,
                                bool waits) {
  const RunRequest& request = question.request();
  Provenance out;
  out.version = ERGODE_VERSION;
  out.model_name = plugin.manifest->label;
  out.model_path = plugin.folder;
  out.semantic_hash = semantic_hash(question.document());
  out.file_hash = file_hash(question.document());
  for (const std::string& file : plugin.own_files())
    if (const auto bytes = read_bytes(file); std::holds_alternative<std::string>(bytes))
      out.data_files[std::filesystem::path(file).filename().string()] = sha256_hex(std::get<std::string>(bytes));
  out.solver = plugin.name + " " + plugin.manifest->version;
  out.seed = request.seed.value_or(1);
  out.generator = "the plugin's";
  out.stream_rule = "a seed below 2^53 for each replication, from seed, plugin and number of the replication";
  out.overrides = request.overrides;
  for (const Parameter& p : parameters.all()) out.parameters[p.name] = p.value_text();
  record_stopping(request, waits, std::to_string(replications_of(plugin)), out.options);
  record_options(simulator_run_options(), request, out.options);
  out.command = "ergode plugins run " + plugin.name;
  for (const auto& [name, text] : request.overrides) out.command += " --set " + shell_word(name + "=" + text);
  out.command += " --seed " + std::to_string(out.seed);
  if (request.replications) out.command += " --replications " + std::to_string(*request.replications);
  if (const std::string precisions = precisions_text(request); !precisions.empty())
    out.command += " --precision " + shell_word(precisions);
  if (request.confidence != 0.95) out.command += " --confidence " + number_text(request.confidence);
  for (const auto& [name, text] : request.options) out.command += " --" + name + " " + shell_word(text);
  return out;
}

void add_tables_of_plugin(const SimulatorSource& source, const FoundPlugin& plugin, ResultSet& out) {
  const auto& tables = plugin.manifest->simulator->tables;
  for (std::size_t t = 0; t < tables.size(); ++t)
    out.tables.push_back(table_of_plugin(*plugin.manifest, tables, t, source.first().rows, tables[t].name,
                                         ", in the first replication"));
}

}  // namespace

std::uint64_t plugin_seed(std::uint64_t seed, std::string_view what, std::uint64_t replication) {
  return detail::mix64(stream_key(seed, what) ^ detail::mix64(replication + 0x9e3779b97f4a7c15ULL)) >> 11U;
}

SimulatorSolver::SimulatorSolver(const FoundPlugin& plugin)
    : plugin_(plugin),
      spec_{.name = plugin.name,
            .label = plugin.manifest->label,
            .description = plugin.manifest->description,
            .reference = plugin.manifest->reference} {}

std::vector<RunOption> simulator_run_options() { return simulator_options().options(); }
std::vector<RunOption> SimulatorSolver::options() const { return simulator_run_options(); }

Diagnostics SimulatorSolver::fits(const Question& question) const {
  Diagnostics problems;
  for (const Element& e : question.document().elements())
    if (e.section != Section::model && e.section != Section::parameter) {
      problems.push_back({.code = "PLG011",
                          .element = e.id,
                          .message = plugin_.name + " has a model of its own, and answers nothing about a drawn one.",
                          .hint = "Run it with `ergode plugins run " + plugin_.name + "`."});
      return problems;
    }
  const auto parameters =
      ParameterTable::resolve(question.document(), question.request().scenario, question.request().overrides, problems);
  if (!has_errors(problems)) problems = beyond_units(*plugin_.manifest, parameters);
  // Paths are properties of what is drawn, which parameters pass over.
  for (const auto& [name, text] : question.request().overrides)
    if (is_property_path(name))
      problems.push_back({.code = "PAR006",
                          .message = "--set names \"" + quotable(name) + "\", which is no parameter of the plugin " +
                                     plugin_.name + "; nothing is drawn here."});
  std::vector<std::string> names;
  for (const PluginOutput& one : plugin_.manifest->simulator->outputs) names.push_back(one.name);
  for (Diagnostic& d : unknown_precisions(names, question.request())) problems.push_back(std::move(d));
  return problems;
}

ResultSet SimulatorSolver::solve(const Question& question, RunControl& control) const {
  const RunRequest& request = question.request();
  ResultSet out;
  const auto parameters =
      ParameterTable::resolve(question.document(), request.scenario, request.overrides, out.diagnostics);
  const Diagnostics reasons = fits(question);
  if (has_errors(reasons)) {
    out.diagnostics = reasons;
    out.provenance = provenance_of_plugin(plugin_, question, parameters, false);
    out.status = RunStatus::failed, out.stop_reason = "The parameters have errors.";
    return out;
  }
  PluginProcess::Limits limits;
  const double asked_s = simulator_options().read(request).time_limit_s;
  limits.time_s = asked_s > 0.0 ? asked_s : plugin_.manifest->time_limit_s;
  const SimulatorSource source(plugin_, plugin_input(*plugin_.manifest, parameters), limits, request.seed.value_or(1));
  const StoppingRule rule = stopping_rule(request, source.measures(), replications_of(plugin_));
  out.provenance = provenance_of_plugin(plugin_, question, parameters, rule.precision.any());
  const auto summarised = [&](const RunOutcome& outcome, ResultSet& into) {
    summarise(outcome, source.measures(), request.confidence, plugin_.name, into);
    summarise_precision(outcome, source.measures(), rule, true, plugin_.name, into);
  };
  const auto results = [&](const RunOutcome& outcome) {
    ResultSet partial;
    partial.provenance = out.provenance;
    summarised(outcome, partial);
    return partial;
  };
  const RunOutcome outcome = run_replications(source, rule, request.threads, control, results);
  summarised(outcome, out);
  if (outcome.tallies.replications > 0) {
    add_tables_of_plugin(source, plugin_, out);
    for (const Diagnostic& d : source.first().told) out.diagnostics.push_back(d);
    // Whoever makes these numbers again needs the same.
    for (const auto& [name, identity] : source.first().sources) out.provenance.options[name] = identity;
  }
  if (outcome.status == RunStatus::failed)
    out.diagnostics.push_back(source.failure().value_or(Diagnostic{.code = "RUN001", .message = outcome.error}));
  return out;
}

}  // namespace ergode
