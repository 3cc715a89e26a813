#include "solvers/model/provenance.h"

#include "core/base/text.h"
#include "core/format/hash.h"
#include "core/random/random_stream.h"

namespace ergode {
namespace {

/// The options of the method for rare events, for the record and for the command line.
std::string rare_event_options(const RunRequest& request, std::map<std::string, std::string>& options) {
  std::string out = " --variance-reduction " + request.variance_reduction;
  if (request.variance_reduction == "failure-biasing") {
    options["bias_probability"] = number_text(request.bias_probability);
    return out + " --bias-probability " + options["bias_probability"];
  }
  if (request.variance_reduction == "auto") {
    options["bias_probability"] = number_text(request.bias_probability);
    out += " --bias-probability " + options["bias_probability"];
  }
  options["importance"] = request.importance.empty() ? "failures standing" : request.importance;
  options["effort"] = std::to_string(request.effort);
  if (!request.importance.empty()) out += " --importance '" + request.importance + "'";
  out += " --effort " + options["effort"];
  if (request.levels.empty()) return out;
  std::string& levels = options["levels"];
  for (const double level : request.levels) levels += (levels.empty() ? "" : ", ") + number_text(level);
  return out + " --levels '" + levels + "'";
}

}  // namespace

Provenance provenance_of(const Document& document, const RunRequest& request, const AnalysisModel* model,
                         const std::string& solver) {
  Provenance out;
  out.version = ERGODE_VERSION;
  out.model_name = document.model().name();
  out.model_path = request.model_path;
  out.semantic_hash = semantic_hash(document);
  out.file_hash = file_hash(document);
  out.solver = solver;
  out.seed = request.seed.value_or(model != nullptr ? model->seed : 1);
  out.generator = generator_name;
  out.stream_rule = stream_rule_name;
  out.scenario = request.scenario;
  out.overrides = request.overrides;
  if (model != nullptr)
    for (const Parameter& p : model->parameters.all()) out.parameters[p.name] = p.value_text();
  const bool open = request.precision || request.wall_time_s;
  out.options["replications"] = request.replications       ? std::to_string(*request.replications)
                                : open || model == nullptr ? "until stopped"
                                                           : std::to_string(model->replications);
  out.options["confidence"] = number_text(request.confidence);
  out.options["precision"] = request.precision ? number_text(*request.precision) : "none";
  out.options["wall_time_s"] = request.wall_time_s ? number_text(*request.wall_time_s) : "none";
  if (request.variance_reduction != "none" && solver == "simulation")
    out.options["variance_reduction"] = request.variance_reduction;
  if (model != nullptr)
    out.options["mission_time"] =
        number_text(model->time_unit.from_si(model->horizon_s), 12) + " " + model->time_unit.symbol;
  const auto quoted = [](const std::string& text) { return "'" + text + "'"; };
  out.command =
      "ergode run " + quoted(request.model_path.empty() ? "MODEL" : request.model_path) + " --solver " + solver;
  if (!request.scenario.empty()) out.command += " --scenario " + quoted(request.scenario);
  for (const auto& [name, text] : request.overrides) out.command += " --set " + quoted(name + "=" + text);
  if (!request.method.empty()) out.command += " --method " + request.method;
  if (request.error_bound != RunRequest().error_bound)
    out.command += " --error-bound " + number_text(request.error_bound);
  if (request.state_limit != RunRequest().state_limit)
    out.command += " --state-limit " + std::to_string(request.state_limit);
  if (!request.lumping) out.command += " --lumping off";
  if (solver == "simulation") {
    out.command += " --seed " + std::to_string(out.seed);
    if (request.replications) out.command += " --replications " + std::to_string(*request.replications);
    if (request.precision) out.command += " --precision " + number_text(*request.precision);
    if (request.wall_time_s) out.command += " --wall-time " + number_text(*request.wall_time_s);
    if (request.confidence != 0.95) out.command += " --confidence " + number_text(request.confidence);
    if (request.variance_reduction != "none") out.command += rare_event_options(request, out.options);
  }
  return out;
}

}  // namespace ergode
