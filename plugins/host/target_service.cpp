#include "plugins/host/target_service.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>
#include <utility>

#include "core/base/read_file.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/expression/parameters.h"
#include "core/plugin/plugin_simulator.h"
#include "plugins/host/discovery.h"
#include "plugins/host/plugin_input.h"
#include "plugins/host/station_host.h"

namespace ergode {
namespace {

constexpr std::size_t most_answers = 200'000;

/// Hears one replication of a target.
class TargetListener : public PluginListener {
 public:
  TargetListener(const PluginManifest& manifest, SimulatorNews& news) : all_(manifest, news, /*keeps_tables=*/true) {}
  void observe(std::size_t output, std::span<const double> values) override { all_.observe(output, values); }
  // Nobody sees the tables of a target.
  void told(Diagnostic what) override { all_.told(std::move(what)); }
  void close() const { all_.close(0); }

 private:
  SimulatorListener all_;
};

/// "rows=9 hardware=m8_simple", so that somebody can run it again.
std::string words_of(const TargetQuestion& question) {
  std::string out;
  for (const Value* list : {&question.parameters, &question.files})
    for (const auto& [name, value] : list->items())
      out += (out.empty() ? "" : " ") + name + "=" +
             (value.is_string() ? value.text() : value.dump(-1, Value::BadText::replace));
  return visible(out.substr(0, 300));
}

/// As --set takes it: a number alone is in the unit of the manifest.
std::string override_text(const PluginParameter& p, const Value& value) {
  if (value.is_boolean()) return value.boolean() ? "true" : "false";
  if (value.is_number()) return number_text(value.real()) + (p.unit.empty() ? "" : " " + p.unit);
  return value.text();
}

}  // namespace

struct TargetService::Target {
  explicit Target(const FoundPlugin& found)
      : plugin(found),
        document(parameters_document(*found.manifest)),
        process(found, PluginProcess::Capability::simulator, {}, {.time_s = found.manifest->time_limit_s}) {}
  const FoundPlugin& plugin;
  Document document;
  PluginProcess process;
};

TargetService::TargetService(std::string asker, std::function<bool()> give_up)
    : asker_(std::move(asker)), give_up_(std::move(give_up)) {}
TargetService::~TargetService() {
  for (auto& [name, target] : targets_) target->process.stop();
}

void TargetService::refuse(const TargetQuestion& question, const std::string& what, const std::string& hint) {
  throw PluginFailure({.code = "PLG033", .pointer = question.pointer, .message = what, .hint = hint});
}

TargetService::Target& TargetService::target(const std::string& name) {
  if (const auto found = targets_.find(name); found != targets_.end()) return *found->second;
  Diagnostic why;
  const FoundPlugin* const plugin = find_plugin(known_plugins(), name, why);
  if (plugin == nullptr) throw PluginFailure(why);
  if (!plugin->manifest->simulator)
    throw PluginFailure({.code = "PLG011", .message = "The plugin " + plugin->name + " has no simulator to measure."});
  Target& made = *targets_.emplace(name, std::make_unique<Target>(*plugin)).first->second;
  made.process.heed(give_up_);
  sources_["plugin " + name] = identity_of_plugin(*plugin);
  return made;
}

/// What provenance says of it: a file that changes while the asker runs is the one that was there first.
void TargetService::note_file(const std::string& plugin, const std::string& path) {
  if (noted_.contains(path)) return;
  const auto bytes = read_bytes(path);
  if (const auto* problem = std::get_if<Diagnostic>(&bytes)) throw PluginFailure(*problem);
  sources_["file of " + plugin + " " + std::filesystem::path(path).filename().string()] =
      sha256_hex(std::get<std::string>(bytes));
  noted_.insert(path);
}

PluginInput TargetService::input_of(const Target& target, const TargetQuestion& question) {
  const PluginManifest& manifest = *target.plugin.manifest;
  std::vector<std::string> names;
  for (const PluginParameter& p : manifest.parameters)
    if (p.for_simulator) names.push_back(p.name);
  const auto parameter = [&](const std::string& name, bool of_files) -> const PluginParameter& {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      const std::string near = nearest_word(name, names);
      refuse(
          question, manifest.name + " has no parameter \"" + quotable(name) + "\".",
          near.empty() ? "`ergode plugins explain " + manifest.name + "` lists them." : "Did you mean " + near + "?");
    }
    const PluginParameter& p = *manifest.parameter(name);
    if ((p.type == PluginParameter::Type::file) != of_files)
      refuse(question, "The parameter " + name + " of " + manifest.name + (of_files ? " is no file" : " is a file") +
                           "; wanted it among the " + (of_files ? "parameters" : "files") + " of the question.");
    return p;
  };
  std::map<std::string, std::string> overrides;
  for (const auto& [name, value] : question.parameters.items()) {
    const PluginParameter& p = parameter(name, false);
    if (!value.is_boolean() && !value.is_number() && !value.is_string())
      refuse(question, name + " is " + quotable(value.dump(-1, Value::BadText::replace)) +
                           "; wanted a number, a word, true or false.");
    overrides[name] = override_text(p, value);
  }
  Diagnostics problems;
  const auto table = ParameterTable::resolve(target.document, "", overrides, problems);
  if (!has_errors(problems)) problems = beyond_units(manifest, table);
  for (const Diagnostic& d : problems)
    if (d.severity == Severity::error)
      refuse(question, manifest.name + " cannot be asked: " + d.message + " (" + d.code + ")", d.hint);
  PluginInput out = plugin_input(manifest, table);
  for (const auto& [name, path] : question.files.items()) {
    parameter(name, true);
    if (!path.is_string()) refuse(question, name + " is no path; wanted a text.");
    note_file(manifest.name, path.text());
    out.json[name] = path.text();
  }
  return out;
}

std::vector<double> TargetService::run(Target& target, const TargetQuestion& question, PluginInput input) {
  SimulatorNews news;
  TargetListener listener(*target.plugin.manifest, news);
  target.process.give(std::move(input));
  target.process.run(0, question.seed, listener);
  listener.close();
  for (Diagnostic& one : news.told) {
    // Of a thousand points each may say the same with other numbers.
    const bool known = std::any_of(told_.begin(), told_.end(), [&one](const Diagnostic& other) {
      return other.pointer == one.pointer && other.severity == one.severity;
    });
    if (!known) told_.push_back(std::move(one));
  }
  std::vector<double> out;
  const auto& outputs = target.plugin.manifest->simulator->outputs;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& seen = news.observations[i];
    if (outputs[i].kind != PluginOutput::Kind::observations) out.push_back(news.once[i]);
    else if (seen.empty()) out.push_back(std::numeric_limits<double>::quiet_NaN());
    else out.push_back(std::accumulate(seen.begin(), seen.end(), 0.0) / static_cast<double>(seen.size()));
  }
  return out;
}

double TargetService::measure(const TargetQuestion& question) {
  try {
    Target& one = target(question.plugin);
    const PluginManifest& manifest = *one.plugin.manifest;
    const auto& outputs = manifest.simulator->outputs;
    const auto output = std::find_if(outputs.begin(), outputs.end(),
                                     [&](const PluginOutput& each) { return each.name == question.output; });
    if (output == outputs.end()) {
      std::string all;
      for (const PluginOutput& each : outputs) all += (all.empty() ? "" : ", ") + each.name;
      refuse(question,
             manifest.name + " measures no \"" + quotable(question.output) + "\"; wanted one of: " + all + ".");
    }
    std::string key = manifest.name;
    for (const Value* list : {&question.parameters, &question.files})
      key += "\n" + list->dump(-1, Value::BadText::replace);
    if (!manifest.simulator->deterministic) key += "\n" + std::to_string(question.seed);
    auto answer = answers_.find(key);
    if (answer == answers_.end()) {
      std::vector<double> found = run(one, question, input_of(one, question));
      if (answers_.size() >= most_answers) answers_.clear();
      answer = answers_.emplace(std::move(key), std::move(found)).first;
    }
    const double value = answer->second[static_cast<std::size_t>(output - outputs.begin())];
    if (std::isnan(value)) refuse(question, manifest.name + " observed no " + question.output + ".");
    return value;
  } catch (PluginFailure& failure) {
    Diagnostic& d = failure.what_happened;
    d.pointer = question.pointer;
    // Where a run fails at once a message is all that there is room for.
    if (!d.hint.empty() && (d.code == "PLG010" || d.code == "PLG033")) d.message += " " + std::exchange(d.hint, {});
    if (d.code == "PLG021") d.hint = "The limit of a plugin that is measured is the one of its manifest.";
    const std::string with = words_of(question);
    d.message += " It was asked by " + asker_ + (with.empty() ? "." : ", with " + with + ".");
    throw PluginFailure(d);
  }
}

}  // namespace ergode
