#include "plugins/host/simulator_solver.h"

#include <filesystem>
#include <limits>
#include <mutex>

#include "core/base/read_file.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/document/property_path.h"
#include "core/format/hash.h"
#include "core/random/random_stream.h"
#include "core/study/precision_goals.h"
#include "core/study/result_builder.h"
#include "core/study/runner.h"
#include "plugins/host/plugin_process.h"

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
        {"time-limit", "S", "", "Longest time of one replication [s]; 0: as the plugin's manifest says."},
        "a number >= 0", [](double x) { return x >= 0.0 && x <= 1e6; }, &SimulatorSettings::time_limit_s);
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

/// What the first replication told beside its observations; written by the one worker that runs it.
struct FirstReplication {
  std::vector<std::vector<std::vector<ResultTable::Cell>>> rows;  ///< by table
  Diagnostics told;
  bool cut = false;
};
constexpr std::size_t most_plugin_rows = 100'000;
constexpr std::size_t most_told = 100;

class SimulatorSource : public ReplicationSource {
 public:
  SimulatorSource(const FoundPlugin& plugin, PluginInput input, PluginProcess::Limits limits, std::uint64_t seed)
      : plugin_(plugin), input_(std::move(input)), limits_(limits), seed_(seed) {
    for (const PluginOutput& output : outputs()) specs_.push_back(measure_of(output));
    first_.rows.resize(plugin.manifest->simulator->tables.size());
  }
  std::unique_ptr<ReplicationWorker> make_worker() const override;
  std::span<const MeasureSpec> measures() const override { return specs_; }
  std::string identity() const override { return "plugin " + plugin_.name + ", seed " + std::to_string(seed_); }

  const std::vector<PluginOutput>& outputs() const { return plugin_.manifest->simulator->outputs; }
  const FirstReplication& first() const { return first_; }
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
  mutable FirstReplication first_;
  mutable std::mutex mutex_;
  mutable std::optional<Diagnostic> failure_;
  mutable std::uint64_t failed_in_ = std::numeric_limits<std::uint64_t>::max();
};

class SimulatorWorker : public ReplicationWorker, PluginListener {
 public:
  explicit SimulatorWorker(const SimulatorSource& source)
      : source_(source),
        process_(source.plugin_, PluginProcess::Capability::simulator, source.input_, source.limits_),
        once_(source.outputs().size()),
        sums_(once_.size()) {}
  ~SimulatorWorker() override { process_.stop(); }

  ReplicationEnd run(std::uint64_t replication, Tallies& into, const std::atomic<bool>& give_up) override {
    try {
      into_ = &into, replication_ = replication;
      hash_ = 0, observed_ = 0;
      for (std::size_t i = 0; i < once_.size(); ++i) once_[i] = 0, sums_[i] = 0.0;
      if (process_.run(replication, plugin_seed(source_.seed_, source_.plugin_.name, replication), *this,
                       [&give_up] { return give_up.load(std::memory_order_relaxed); }) == PluginProcess::End::given_up)
        return ReplicationEnd::given_up;
      tally();
      return ReplicationEnd::whole;
    } catch (const PluginFailure& failure) {
      const std::lock_guard lock(source_.mutex_);
      if (replication < source_.failed_in_) source_.failed_in_ = replication, source_.failure_ = failure.what_happened;
      throw;
    }
  }

 private:
  void observe(std::size_t output, std::span<const double> values) override {
    const MeasureSpec& spec = source_.specs_[output];
    const bool many = source_.outputs()[output].kind == OutputKind::observations;
    once_[output] += values.size();
    observed_ += values.size();
    for (const double value : values) {
      hash_ = detail::mix64(hash_ ^ std::bit_cast<std::uint64_t>(value)) + output;
      const double si = value * spec.unit_scale;
      sums_[output] += si;
      if (many) into_->measures[output].sample(si);
    }
  }
  void row(std::size_t table, std::vector<ResultTable::Cell> cells) override {
    if (replication_ != 0) return;
    auto& rows = source_.first_.rows[table];
    if (rows.size() < most_plugin_rows) rows.push_back(std::move(cells));
    else source_.first_.cut = true;
  }
  void told(Diagnostic what) override {
    if (replication_ == 0 && source_.first_.told.size() < most_told) source_.first_.told.push_back(std::move(what));
  }
  /// What was observed once is counted when all of the replication is there.
  void tally() {
    for (std::size_t i = 0; i < once_.size(); ++i) {
      const PluginOutput& output = source_.outputs()[i];
      if (output.kind == OutputKind::observations) {
        into_->measures[i].observe_ratio(sums_[i], static_cast<double>(once_[i]));
        continue;
      }
      const double value = sums_[i];
      std::string wrong;
      if (once_[i] != 1) wrong = "observed " + output.name + " " + std::to_string(once_[i]) + " times; wanted once";
      else if (output.kind == OutputKind::indicator && value != 0.0 && value != 1.0)
        wrong = "observed " + number_text(value, 12) + " as " + output.name + "; wanted 0 or 1 of an indicator";
      else if (output.kind == OutputKind::count && (value < 0.0 || value != std::floor(value)))
        wrong = "observed " + number_text(value, 12) + " as " + output.name + "; wanted a whole number of a count";
      if (!wrong.empty())
        throw PluginFailure({.code = "PLG022",
                             .message = "The plugin " + source_.plugin_.name + " " + wrong + ", in replication " +
                                        std::to_string(replication_) + "."});
      into_->measures[i].observe(value);
    }
    into_->events += observed_;
    into_->add_fingerprint(replication_, hash_);
  }

  const SimulatorSource& source_;
  PluginProcess process_;
  Tallies* into_ = nullptr;
  std::uint64_t replication_ = 0, hash_ = 0, observed_ = 0;
  std::vector<std::uint64_t> once_;  ///< observations so far, by output
  std::vector<double> sums_;         ///< of them [SI]
};

std::unique_ptr<ReplicationWorker> SimulatorSource::make_worker() const {
  return std::make_unique<SimulatorWorker>(*this);
}

std::string shell_word(const std::string& text) {
  constexpr const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-=";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
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
  const bool open = waits || request.wall_time_s;
  out.options["replications"] = request.replications ? std::to_string(*request.replications)
                                : open               ? "until stopped"
                                                     : std::to_string(plugin_replications);
  out.options["confidence"] = number_text(request.confidence);
  const std::string precisions = precisions_text(request);
  out.options["precision"] = precisions.empty() ? "none" : precisions;
  out.options["wall_time_s"] = request.wall_time_s ? number_text(*request.wall_time_s) : "none";
  out.command = "ergode plugins run " + plugin.name;
  for (const auto& [name, text] : request.overrides) out.command += " --set " + shell_word(name + "=" + text);
  out.command += " --seed " + std::to_string(out.seed);
  if (request.replications) out.command += " --replications " + std::to_string(*request.replications);
  if (!precisions.empty()) out.command += " --precision " + shell_word(precisions);
  if (request.confidence != 0.95) out.command += " --confidence " + number_text(request.confidence);
  for (const auto& [name, text] : request.options) out.command += " --" + name + " " + shell_word(text);
  return out;
}

void add_tables_of_plugin(const SimulatorSource& source, const FoundPlugin& plugin, ResultSet& out) {
  const auto& tables = plugin.manifest->simulator->tables;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    ResultTable made{
        .name = tables[t].name, .title = tables[t].title + ", in the first replication", .solver = plugin.name};
    for (const PluginTable::Column& column : tables[t].columns) made.columns.push_back({column.label, column.unit});
    made.rows = source.first().rows[t];
    if (source.first().cut && made.rows.size() == most_plugin_rows)
      made.note = "Cut after " + std::to_string(most_plugin_rows) + " rows.";
    out.tables.push_back(std::move(made));
  }
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

std::vector<RunOption> SimulatorSolver::options() const { return simulator_options().options(); }

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
  ParameterTable::resolve(question.document(), question.request().scenario, question.request().overrides, problems);
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
  const StoppingRule rule = stopping_rule(request, source.measures(), plugin_replications);
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
  }
  if (outcome.status == RunStatus::failed)
    out.diagnostics.push_back(source.failure().value_or(Diagnostic{.code = "RUN001", .message = outcome.error}));
  return out;
}

}  // namespace ergode
