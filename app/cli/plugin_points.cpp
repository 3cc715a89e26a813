#include "app/cli/plugin_points.h"

#include <algorithm>
#include <cmath>
#include <iostream>

#include "app/cli/commands.h"
#include "app/cli/interrupts.h"
#include "app/session/run.h"
#include "core/base/csv.h"
#include "core/base/plural.h"
#include "core/base/read_file.h"
#include "core/base/text.h"
#include "core/base/text_place.h"
#include "plugins/host/plugin_input.h"
#include "plugins/host/simulator_solver.h"

namespace ergode::cli {
namespace {

using CsvRows = std::vector<std::vector<std::string>>;

/// The rows of a table of points with a header, all as long as that; nothing after a message.
std::optional<CsvRows> points_of(const PluginManifest& manifest, const std::string& file) {
  const auto refuse = [&file](const std::string& what) {
    complain("PLG032", "--points " + quotable(file) + ": " + what);
    return std::nullopt;
  };
  auto bytes = read_bytes(file);
  if (const auto* problem = std::get_if<Diagnostic>(&bytes))
    return print_diagnostics({*problem}, nullptr), std::nullopt;
  auto parsed = parse_csv(std::get<std::string>(bytes));
  if (const auto* fault = std::get_if<std::string>(&parsed)) return refuse(*fault);
  CsvRows rows = std::move(std::get<CsvRows>(parsed));
  if (rows.size() < 2) return refuse("there are no points; wanted a header and a row for each.");
  std::vector<std::string> names;
  for (const PluginParameter& p : manifest.parameters)
    if (p.for_simulator) names.push_back(p.name);
  const bool any = std::any_of(rows[0].begin(), rows[0].end(), [&names](const std::string& cell) {
    return std::find(names.begin(), names.end(), cell) != names.end();
  });
  if (!any) {
    const std::string near = nearest_word(rows[0][0], names);
    return refuse("no column of its header (" + quotable(rows[0][0]) + ", ...) names a parameter of " + manifest.name +
                  (near.empty() ? "; `ergode plugins explain " + manifest.name + "` lists them."
                                : "; did you mean " + near + "?"));
  }
  for (std::size_t i = 1; i < rows.size(); ++i)
    if (rows[i].size() != rows[0].size())
      return refuse("row " + std::to_string(i + 1) + " has " + counted(rows[i].size(), "cell") + "; the header has " +
                    std::to_string(rows[0].size()) + ".");
  return rows;
}

/// False after a message.
bool measures_are_known(const PluginManifest& manifest, const std::vector<std::string>& measures) {
  std::vector<std::string> names;
  for (const PluginOutput& one : manifest.simulator->outputs) names.push_back(one.name);
  for (const std::string& asked : measures)
    if (std::find(names.begin(), names.end(), asked) == names.end()) {
      std::string all;
      for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
      complain("RUN010", "--measure is \"" + quotable(asked) + "\"; wanted one of: " + all + ".");
      return false;
    }
  return true;
}

/// Null where there is none, after a message.
std::shared_ptr<const ResultSet> run_to_the_end(const SimulatorSolver& solver, const Question& question) {
  Run run;
  run.start({.question = question, .solver = &solver, .company = {}});
  watch_to_the_end(run, was_interrupted);
  auto result = run.result();
  if (result == nullptr && !was_interrupted()) complain("RUN001", "the run failed: " + run.failure());
  return result;
}

}  // namespace

int measure_points(const FoundPlugin& plugin, const RunRequest& request, const std::string& file,
                   const std::vector<std::string>& asked) {
  const PluginManifest& manifest = *plugin.manifest;
  if (!measures_are_known(manifest, asked)) return usage;
  const std::vector<std::string> measures =
      asked.empty() ? std::vector<std::string>{manifest.simulator->outputs.front().name} : asked;
  auto points = points_of(manifest, file);
  if (!points) return model_invalid;
  const SimulatorSolver solver(plugin);
  const Document parameters = parameters_document(manifest);
  std::vector<std::string> header = points->front();
  for (const std::string& cell : header)
    if (request.overrides.contains(cell)) {
      complain("RUN010", "\"" + cell + "\" is both set and a column of --points; wanted one of the two.");
      return usage;
    }
  header.insert(header.end(), measures.begin(), measures.end());
  watch_interrupts();
  std::cout << csv_row(header);
  for (std::size_t i = 1; i < points->size(); ++i) {
    std::vector<std::string>& row = (*points)[i];
    RunRequest here = request;
    for (std::size_t c = 0; c < row.size(); ++c)
      if (const PluginParameter* const p = manifest.parameter(header[c]); p != nullptr && p->for_simulator)
        here.overrides[p->name] = row[c] + (!p->unit.empty() && parse_number(row[c]) ? " " + p->unit : "");
    const Question question(parameters, here);
    if (const Diagnostics reasons = solver.fits(question); has_errors(reasons)) {
      complain("PLG032", "--points " + quotable(file) + ": row " + std::to_string(i + 1) + " cannot be run.");
      return print_diagnostics(reasons, &question.document()), model_invalid;
    }
    const auto result = run_to_the_end(solver, question);
    if (was_interrupted()) return interrupted;
    if (result == nullptr) return run_error;
    if (result->status != RunStatus::complete) {
      complain("PLG032", "--points " + quotable(file) + ": row " + std::to_string(i + 1) + " failed.");
      return print_diagnostics(result->diagnostics, &question.document()), run_error;
    }
    for (const std::string& measure : measures) {
      const MeasureResult* const found = result->measure(measure);
      const bool known = found != nullptr && std::isfinite(found->estimate);
      row.push_back(known ? number_text(found->estimate) : std::string());
    }
    std::cout << csv_row(row) << std::flush;
  }
  return ok;
}

}  // namespace ergode::cli
