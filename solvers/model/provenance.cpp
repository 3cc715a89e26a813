#include "solvers/model/provenance.h"

#include <filesystem>

#include "core/base/shell_word.h"
#include "core/base/text.h"
#include "core/format/hash.h"
#include "core/plugin/plugin_simulator.h"
#include "core/plugin/plugin_station.h"
#include "core/random/random_stream.h"
#include "core/study/recorded_options.h"
#include "solvers/registry.h"
#include "solvers/run_options.h"

namespace ergode {
Provenance provenance_of(const Question& question, const AnalysisModel* model, const std::string& solver) {
  const Document& document = question.document();
  const RunRequest& request = question.request();
  Provenance out;
  out.version = ERGODE_VERSION;
  // A model that nobody has named is called like its file.
  out.model_name = std::string(trim(document.model().name()));
  if (out.model_name.empty()) out.model_name = std::filesystem::path(request.model_path).stem().string();
  if (out.model_name.empty()) out.model_name = "Untitled";
  out.model_path = request.model_path;
  out.semantic_hash = semantic_hash(document);
  out.file_hash = file_hash(document);
  if (model != nullptr)
    for (const FileRead& file : model->files) out.data_files[file.name] = file.sha256;
  out.solver = solver;
  out.seed = request.seed.value_or(model != nullptr ? model->seed : 1);
  out.generator = generator_name;
  out.stream_rule = stream_rule_name;
  out.scenario = request.scenario;
  out.overrides = request.overrides;
  if (model != nullptr)
    for (const Parameter& p : model->parameters.all()) out.parameters[p.name] = p.value_text();
  const bool integrates = model == nullptr || model->charts.hybrid;
  RunRequest asked = request;
  asked.solver = solver;
  const Solver* const known = find_solver(solver);
  // Whoever does not sample makes no replications, and has no use for what says when they are enough.
  if (known == nullptr || !known->spec().exact)
    record_stopping(request, model != nullptr ? precision_goals(*model, request).any() : request.precision.has_value(),
                    model != nullptr ? std::to_string(model->replications) : "until stopped", out.options);
  else out.options["wall_time_s"] = request.wall_time_s ? number_text(*request.wall_time_s) : "none";
  if (known != nullptr) record_options(known->options(), asked, out.options);
  if (integrates && (known == nullptr || !known->spec().exact))
    record_options(integration_options(), asked, out.options);
  if (model != nullptr)
    out.options["mission_time"] =
        number_text(model->time_unit.from_si(model->horizon_s), 12) + " " + model->time_unit.symbol;
  // Whoever makes these numbers again needs the same plugins.
  for (const Element& element : document.elements())
    if (const std::string name(trim(element.text("plugin"))); element.is_node() && !name.empty()) {
      const StationPlugin* const station = find_station_plugin(name);
      const SimulatorPlugin* const simulator = find_simulator_plugin(name);
      if (station != nullptr && station->identity) out.options["plugin " + name] = station->identity();
      else if (simulator != nullptr && simulator->identity) out.options["plugin " + name] = simulator->identity();
    }
  // As the table of options writes them; threads are the machine's, and change nothing.
  out.command =
      "ergode run " + shell_word(request.model_path.empty() ? "MODEL" : request.model_path) + " --solver " + solver;
  for (const auto& [name, text] : request.overrides) out.command += " --set " + shell_word(name + "=" + text);
  if (solver == "simulation") asked.seed = out.seed;
  const std::map<std::string, std::string> texts = run_option_texts(asked);
  for (const RunOption& option : run_options())
    if (const auto text = texts.find(option.name); text != texts.end() && option.name != "solver" &&
                                                   option.name != "threads" &&
                                                   options_without_use({*text}, asked, integrates).empty())
      out.command += " --" + option.name + " " + shell_word(text->second);
  return out;
}

}  // namespace ergode
