#include <algorithm>
#include <filesystem>
#include <iostream>

#include "app/cli/commands.h"
#include "app/cli/run_output.h"
#include "app/session/exchange.h"
#include "app/session/figure.h"
#include "app/session/journal.h"
#include "app/session/keep.h"
#include "app/session/publish.h"
#include "app/session/run_name.h"
#include "core/base/plural.h"
#include "core/base/read_file.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/format/hash.h"
#include "core/results/result_csv.h"
#include "core/results/result_json.h"
#include "core/results/result_store.h"
#include "plugins/host/discovery.h"
#include "plugins/host/plugin_input.h"

namespace ergode::cli {
namespace {

struct ResultCommandsFlags {
  std::string model, run, from, out, format, diagram, plot, kind, chart, label, note;
  std::vector<std::string> allowed_folders;
  bool json = false, provenance = false, transparent = false, force = false;
  std::optional<bool> star;
};

Output output(const ResultCommandsFlags& flags) {
  return {flags.out.empty() ? "-" : flags.out, {.force = flags.force, .inputs = {flags.model}}};
}

/// Runs whose store could not be written are elsewhere: whoever looks for them where they should be is told.
void tell_of_second_store(const ResultCommandsFlags& flags) {
  const std::string elsewhere = second_store(store_path(flags.model, flags.from));
  std::error_code none;
  if (!std::filesystem::exists(elsewhere, none)) return;
  tell("runs that could not be kept here are in " + elsewhere + "; `ergode results " + flags.model + " --store " +
       std::filesystem::path(elsewhere).parent_path().string() + "` shows them");
}

std::optional<ResultStore> open_store(const ResultCommandsFlags& flags) {
  auto opened = ResultStore::open(store_path(flags.model, flags.from), ResultStore::Access::existing);
  if (auto* store = std::get_if<ResultStore>(&opened)) return std::move(*store);
  print_diagnostics({std::get<Diagnostic>(opened)}, nullptr);
  tell_of_second_store(flags);
  return std::nullopt;
}

std::optional<ResultSet> load(const ResultCommandsFlags& flags) {
  const auto store = open_store(flags);
  if (!store) return std::nullopt;
  auto loaded = store->load(flags.run.empty() ? "latest" : flags.run);
  if (auto* set = std::get_if<ResultSet>(&loaded)) return std::move(*set);
  print_diagnostics({std::get<Diagnostic>(loaded)}, nullptr);
  tell_of_second_store(flags);
  return std::nullopt;
}

/// The user's remarks on a run; what is not given stays.
int annotate(const ResultCommandsFlags& flags) {
  if (flags.run.empty()) {
    complain("RUN010", "Remarks are on one run; wanted its id, or latest, after the model.");
    return usage;
  }
  auto store = open_store(flags);
  if (!store) return run_error;
  const auto run = store->load(flags.run);
  const auto listed = store->list();
  for (const Diagnostic* problem : {std::get_if<Diagnostic>(&run), std::get_if<Diagnostic>(&listed)})
    if (problem != nullptr) return print_diagnostics({*problem}, nullptr), run_error;
  const std::string& run_id = std::get<ResultSet>(run).provenance.run_id;
  RunRecord remarks;
  for (const RunRecord& record : std::get<std::vector<RunRecord>>(listed))
    if (record.run_id == run_id) remarks = record;
  const auto remark = [](const std::string& given, std::string& kept) {
    if (!given.empty()) kept = given == "-" ? "" : given;
  };
  remark(flags.label, remarks.label), remark(flags.note, remarks.note);
  if (const auto problem = store->annotate(run_id, remarks.label, remarks.note, flags.star.value_or(remarks.star)))
    return print_diagnostics({*problem}, nullptr), run_error;
  return ok;
}

/// The command that goes on with a run, or why none does, as it would itself say.
void tell_what_goes_on(const ResultCommandsFlags& flags, const ResultStore& store,
                       const std::vector<RunRecord>& records) {
  if (std::none_of(records.begin(), records.end(), [](const RunRecord& r) { return r.resumable; })) return;
  Diagnostics unread;
  const Opened opened = open_model(flags.model, &unread);
  if (!opened.document) return;  // a store alone: there is nothing to go on with
  for (const RunRecord& r : records) {
    if (!r.resumable) continue;
    const auto found = find_resumable(store, r.run_id, *opened.document, {opened.folder, {}});
    if (const auto* why = std::get_if<Diagnostic>(&found)) tell(why->message);
    else
      tell("`ergode run " + flags.model + " --resume " + r.run_id + (flags.from.empty() ? "" : " --out " + flags.from) +
           "` goes on with " + r.run_id);
  }
}

int results(const ResultCommandsFlags& flags) {
  if (!flags.label.empty() || !flags.note.empty() || flags.star) return annotate(flags);
  if (!flags.run.empty()) {
    const auto set = load(flags);
    if (!set) return run_error;
    if (set->status != RunStatus::complete)
      tell("run " + set->provenance.run_id + " is " + to_text(set->status) + " after " +
           counted(set->replications, "replication") + ": " + set->stop_reason);
    if (flags.provenance) std::cout << json_text(run_to_json(*set)) << "\n";
    else if (flags.json) write_run_json(std::cout, *set, set->company, set->declined);
    else std::cout << measures_csv(*set);
    return ok;
  }
  const auto store = open_store(flags);
  if (!store) return run_error;
  const auto listed = store->list();
  if (const auto* problem = std::get_if<Diagnostic>(&listed)) return print_diagnostics({*problem}, nullptr), run_error;
  const auto& records = std::get<std::vector<RunRecord>>(listed);
  if (flags.json) {
    Value out = Value::array();
    for (const RunRecord& r : records)
      out.push_back({{"run_id", r.run_id},
                     {"started_utc", r.started_utc},
                     {"status", to_text(r.status)},
                     {"stop_reason", r.stop_reason},
                     {"solver", r.solver},
                     {"scenario", r.scenario},
                     {"overrides", r.overrides},
                     {"seed", r.seed},
                     {"replications", r.replications},
                     {"elapsed_s", r.elapsed_s},
                     {"semantic_hash", r.semantic_hash},
                     {"version", r.version},
                     {"interrupted", r.interrupted},
                     {"resumable", r.resumable},
                     {"altered", r.altered},
                     {"label", r.label},
                     {"note", r.note},
                     {"star", r.star}});
    std::cout << json_text(out) << "\n";
    return ok;
  }
  // What was set tells runs of a sweep apart.
  const bool any_set =
      std::any_of(records.begin(), records.end(), [](const RunRecord& r) { return !r.overrides.empty(); });
  std::vector<std::vector<std::string>> rows = {{"run", "started (UTC)", "status", "solver",
                                                 any_set ? "scenario, set" : "scenario", "seed", "replications",
                                                 "seconds", "label"}};
  for (const RunRecord& r : records)
    rows.push_back({r.run_id, r.started_utc,
                    (r.interrupted ? "interrupted" : to_text(r.status)) + std::string(r.altered ? ", altered" : ""),
                    r.solver, r.overrides.empty() ? r.scenario : visible(run_name(r.scenario, r.overrides)),
                    std::to_string(r.seed), std::to_string(r.replications), number_text(r.elapsed_s, 3),
                    (r.star ? "* " : "") + r.label});
  std::cout << text_table(rows, {false, false, false, false, false, true, true, true, false});
  tell_what_goes_on(flags, *store, records);
  for (const RunRecord& r : records)
    if (r.altered)
      tell("what is listed of run " + visible(r.run_id) +
           " is not what was written with it: another program or the medium changed it; its record (`--run " +
           visible(r.run_id) + "`) has what it was");
  tell_of_second_store(flags);
  return ok;
}

/// Of a diagram or plot: said by --format, else by the name of the file; SVG on standard output.
std::optional<std::string> drawn_format(const ResultCommandsFlags& flags) {
  Diagnostics problems;
  const bool named = !flags.out.empty() && flags.out != "-";
  const std::string path = !flags.format.empty() ? "." + flags.format : named ? flags.out : "x.svg";
  auto format = figure_format(path == "." + flags.format ? "x" + path : path, problems);
  if (format && named && !flags.format.empty()) format = figure_format(flags.out, problems);
  if (format && named && !flags.format.empty() && *format != flags.format) {
    complain("RES011", "--format is " + flags.format + ", but the file is " + flags.out + ".");
    return std::nullopt;
  }
  print_diagnostics(problems, nullptr);
  return format;
}

int export_results(const ResultCommandsFlags& flags) {
  const auto& formats = chart_formats();
  const bool named = std::filesystem::path(flags.out).extension() == ".scxml" && flags.format.empty();
  if (named || std::find(formats.begin(), formats.end(), flags.format) != formats.end())
    return export_as(flags.model, flags.chart, named ? "scxml" : flags.format, flags.out, flags.force);
  if (!flags.diagram.empty()) {
    const Opened opened = open_model(flags.model);
    if (!opened.document) return model_invalid;
    const Element* diagram = opened.document->named(Section::diagram, flags.diagram);
    if (diagram == nullptr) {
      std::vector<std::string> names;
      for (const Element* d : opened.document->of(Section::diagram)) names.push_back(d->name());
      const std::string near = nearest_word(flags.diagram, names);
      complain("DOC005", "the model has no diagram \"" + flags.diagram + "\".",
               near.empty() ? "" : "Did you mean " + near + "?");
      return usage;
    }
    const auto format = drawn_format(flags);
    if (!format) return usage;
    return write_output(output(flags), *make_diagram(*opened.document, diagram->id, *format, flags.transparent));
  }
  if (!flags.plot.empty()) {
    const auto format = drawn_format(flags);
    if (!format) return usage;
    const auto set = load(flags);
    if (!set) return run_error;
    Diagnostics problems;
    const auto bytes = make_plot(*set, flags.plot, flags.kind, *format, problems);
    if (!bytes) return print_diagnostics(problems, nullptr), usage;
    return write_output(output(flags), *bytes);
  }
  const std::string extension = flags.out == "-" ? "" : std::filesystem::path(flags.out).extension().string();
  std::string format = flags.format;
  if (format.empty()) format = extension.empty() ? "csv" : extension.substr(1);
  if (format != "csv" && format != "json") {
    complain("RES011", "\"" + format +
                           "\" is no format that a run is written in; wanted csv or json (--diagram and "
                           "--plot: svg or pdf" +
                           (format == "png" ? "; the workbench writes png" : "") + ").");
    return usage;
  }
  const auto set = load(flags);
  if (!set) return run_error;
  if (format == "json") return write_output(output(flags), run_json_text(*set, set->company, set->declined));
  if (flags.out.empty() || flags.out == "-") return write_output({"-"}, measures_csv(*set));
  for (const std::string& file : csv_files(*set, flags.out))
    if (const int code = may_write({file, output(flags).rule}); code != ok) return code;
  if (const auto problem = export_csv(*set, flags.out)) return print_diagnostics({*problem}, nullptr), run_error;
  tell("wrote " + flags.out);
  return ok;
}

void warn_of_report(std::string message) {
  print_diagnostics({{.severity = Severity::warning, .code = "RES010", .message = std::move(message)}}, nullptr);
}

/// The first file of a plugin that was another one when it made the run; empty: none.
std::string changed_file(const FoundPlugin& plugin, const Provenance& then) {
  for (const std::string& file : plugin.own_files()) {
    const auto bytes = read_bytes(file);
    const auto hash = then.data_files.find(std::filesystem::path(file).filename().string());
    const bool same = hash != then.data_files.end() && std::holds_alternative<std::string>(bytes) &&
                      sha256_hex(std::get<std::string>(bytes)) == hash->second;
    if (!same) return file;
  }
  return {};
}

/// The model of a run that was made without a model file: the parameters of the plugin, where that is still here.
std::optional<Document> model_of_plugin(const ResultSet& set) {
  const std::string name = set.provenance.solver.substr(0, set.provenance.solver.find(' '));
  Diagnostic why;
  const FoundPlugin* const plugin = find_plugin(known_plugins(), name, why);
  if (plugin == nullptr || !plugin->manifest->simulator) return std::nullopt;
  Document out = parameters_document(*plugin->manifest);
  if (semantic_hash(out) != set.provenance.semantic_hash) return std::nullopt;
  if (const std::string file = changed_file(*plugin, set.provenance); !file.empty())
    warn_of_report("The numbers of the report are those of the run; since then " + quotable(file) + " has changed.");
  return out;
}

constexpr std::string_view store_ending = ".results.sqlite";

/// The model of whoever names its store: the file beside that, where there is one.
std::string model_meant(const std::string& model) {
  if (!model.ends_with(store_ending)) return model;
  const std::string beside = model.substr(0, model.size() - store_ending.size()) + ".ergode";
  std::error_code none;
  return std::filesystem::exists(beside, none) ? beside : model;
}

/// Whether there is a store and no model file of this name.
bool names_store(const ResultCommandsFlags& flags, const std::string& model) {
  std::error_code none;
  const bool file = std::filesystem::exists(model, none) && !std::filesystem::is_directory(model, none);
  return model != "-" && (!file || model.ends_with(store_ending)) &&
         std::filesystem::exists(store_path(flags.model, flags.from), none);
}

std::string report_path(const ResultCommandsFlags& flags) {
  if (!flags.out.empty()) return flags.out;
  std::filesystem::path path(flags.model);
  if (flags.model.ends_with(store_ending)) path.replace_extension();
  return path.replace_extension(".report.html").string();
}

int report(const ResultCommandsFlags& flags) {
  const std::string model = model_meant(flags.model);
  const bool alone = names_store(flags, model);
  Opened opened;
  if (!alone) opened = open_model(model);
  if (!alone && !opened.document) return model_invalid;
  const auto set = load(flags);
  if (!set) return run_error;
  if (alone) opened.document = model_of_plugin(*set);
  const bool same = opened.document && semantic_hash(*opened.document) == set->provenance.semantic_hash;
  const FileAccess files{opened.folder, flags.allowed_folders};
  if (const auto changed = same && !alone ? changed_data(set->provenance, files) : std::nullopt)
    warn_of_report("The numbers of the report are those of the run; since then: " + *changed);
  if (!opened.document)
    warn_of_report("There is no model file \"" + quotable(flags.model) +
                   "\", and no plugin whose parameters are those of the run; the report is made without a model.");
  else if (!same) warn_of_report("The model has changed since the run; the report is made without it.");
  // The latest run may be a point of a sweep.
  if (const auto& sets = set->provenance.overrides; flags.run.empty() && !sets.empty()) {
    std::string with;
    for (const auto& [name, value] : sets) with += (with.empty() ? "" : ", ") + name + " = " + value;
    tell("report of the latest run, " + set->provenance.run_id + ", made with " + visible(with));
  }
  const Output to{report_path(flags), {.force = flags.force, .inputs = {model}}};
  if (const int code = may_write_report(to); code != ok) return code;
  return write_output(to, make_report(same ? &*opened.document : nullptr, *set, files));
}

}  // namespace

void add_results(CLI::App& app, Action& chosen) {
  auto flags = std::make_shared<ResultCommandsFlags>();
  CLI::App* sub = app.add_subcommand("results", R"(Examples:
  ergode results plant.ergode                    list the runs of a model, the newest first
  ergode results plant.ergode latest             measures of a run as CSV
  ergode results plant.ergode 3f9c --provenance  who made it, from what and how
  ergode results plant.ergode latest --label "base case" --star
  ergode results single_server.results.sqlite    runs of a store that has no model, as of `ergode plugins run --out`

Lists the runs of a model, prints one of them, or marks it. Runs are never overwritten. RUN is an id, the beginning of one,
or "latest".)");
  sub->add_option("MODEL", flags->model, "Model file, or a store of results.")->required();
  sub->add_option("RUN", flags->run, "Run to show.");
  sub->add_option("--store", flags->from, "Folder of the store, as given to `run --out`.")->type_name("FOLDER");
  sub->add_flag("--json", flags->json, "Print JSON.");
  sub->add_flag("--provenance", flags->provenance, "Print the provenance of the run.");
  sub->add_option("--label", flags->label, "Label the run with a few words; - takes the label away.")
      ->type_name("TEXT");
  sub->add_option("--note", flags->note, "A note on the run; - takes it away.")->type_name("TEXT");
  sub->add_flag_callback(
      "--star", [flags] { flags->star = true; }, "Mark the run.");
  sub->add_flag_callback(
      "--no-star", [flags] { flags->star = false; }, "Take the mark away.");
  sub->callback([flags, &chosen] { chosen = [flags] { return results(*flags); }; });
}

void add_export(CLI::App& app, Action& chosen) {
  auto flags = std::make_shared<ResultCommandsFlags>();
  CLI::App* sub = app.add_subcommand("export", R"(Examples:
  ergode export plant.ergode latest --out run.csv          measures; run.distributions.csv: quantiles,
                                                            variances; run.series.csv: curves
  ergode export plant.ergode latest --format json --out run.json
  ergode export single_server.results.sqlite --out run.csv  of a run that has no model; a file for each table, too
  ergode export plant.ergode --diagram EDG --out edg.svg
  ergode export plant.ergode --diagram EDG --out edg.pdf
  ergode export plant.ergode latest --plot core_damage --out core_damage.pdf
  ergode export plant.ergode --format scxml --chart EDG --out edg.scxml
  ergode export plant.ergode --format boost-statechart --chart EDG --out edg.cpp

Exports a run, a diagram or a plot as SVG or PDF, or a statechart as SCXML or as a C++ program. Without --out it goes to standard output.)");
  sub->add_option("MODEL", flags->model, "Model file, or a store of results.")->required();
  sub->add_option("RUN", flags->run, "Run to export; default: the latest.");
  sub->add_option("--diagram", flags->diagram, "Export this diagram instead of a run.")->type_name("NAME");
  sub->add_option("--plot", flags->plot, "Export the plot of this measure of the run.")->type_name("MEASURE");
  sub->add_option("--kind", flags->kind, "Which plot; default: the first that the measure has.")
      ->check(CLI::IsMember({"curve", "convergence", "distribution"}));
  sub->add_flag("--transparent", flags->transparent, "Diagram without background.");
  sub->add_option(
         "--format", flags->format,
         "csv or json for a run, svg or pdf for a diagram or plot, scxml or boost-statechart for a chart; default: by "
         "the name of the file.")
      ->type_name("FORMAT");
  sub->add_option("--chart", flags->chart, "Statechart to export; default: the only one.")->type_name("NAME");
  sub->add_option("-o,--out,--to", flags->out, "File to write.")->type_name("FILE");
  add_force_flag(*sub, flags->force);
  sub->add_option("--store", flags->from, "Folder of the store, as given to `run --out`.")->type_name("FOLDER");
  sub->callback([flags, &chosen] { chosen = [flags] { return export_results(*flags); }; });
}

void add_report(CLI::App& app, Action& chosen) {
  auto flags = std::make_shared<ResultCommandsFlags>();
  CLI::App* sub = app.add_subcommand("report", R"(Examples:
  ergode report plant.ergode                     report of the latest run: plant.report.html
  ergode report plant.ergode 3f9c --out a.html
  ergode report single_server.results.sqlite     of a run that has no model, as of `ergode plugins run --out`

Writes a self-contained HTML report: summary, assumptions, diagrams, data, results, checks, provenance.)");
  sub->add_option("MODEL", flags->model, "Model file, or a store of results.")->required();
  sub->add_option("RUN", flags->run, "Run to report; default: the latest.");
  sub->add_option("-o,--out,--to", flags->out, "File to write; - writes to standard output.")->type_name("FILE");
  add_force_flag(*sub, flags->force);
  sub->add_option("--store", flags->from, "Folder of the store, as given to `run --out`.")->type_name("FOLDER");
  add_allow_folder(*sub, flags->allowed_folders);
  sub->callback([flags, &chosen] { chosen = [flags] { return report(*flags); }; });
}

}  // namespace ergode::cli
