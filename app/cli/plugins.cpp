// Plugins: which there are, what one offers, whether it works, and runs of those that have a model of their own.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <set>

#include "app/cli/commands.h"
#include "app/cli/interrupts.h"
#include "app/cli/plugin_points.h"
#include "app/cli/run_output.h"
#include "app/session/keep.h"
#include "app/session/plugin_page.h"
#include "app/session/publish.h"
#include "app/session/run.h"
#include "app/session/store_path.h"
#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/results/result_csv.h"
#include "core/results/result_json.h"
#include "core/study/precision_goals.h"
#include "plugins/host/check_plugin.h"
#include "plugins/host/discovery.h"
#include "plugins/host/plugin_input.h"
#include "plugins/host/simulator_solver.h"
#include "solvers/run_options.h"

namespace ergode::cli {
namespace {

struct PluginFlags {
  std::string task, name, table, out, report, points;
  std::vector<std::string> measures;
  bool json = false, man = false, force = false;
  RunFlags run;
  std::vector<std::string> given;  ///< names of the flags on the command line
};

std::string offers_of(const FoundPlugin& plugin) {
  if (!plugin.manifest) return "-";
  std::vector<std::string> words;
  if (plugin.manifest->simulator) words.emplace_back("simulator");
  if (plugin.manifest->station) words.emplace_back("station");
  return words.size() == 2 ? words[0] + ", " + words[1] : words.front();
}

Value plugin_json(const FoundPlugin& plugin) {
  Value out = {{"name", plugin.name},       {"state", to_text(plugin.state)},
               {"folder", plugin.folder},   {"source", plugin.source},
               {"load_ms", plugin.load_ms}, {"diagnostics", diagnostics_json(plugin.problems, nullptr)}};
  if (!plugin.manifest) return out;
  const PluginManifest& m = *plugin.manifest;
  out["label"] = m.label, out["version"] = m.version, out["abi"] = m.abi, out["licence"] = m.licence;
  out["description"] = m.description;
  out["offers"] = Value::array();
  if (m.simulator) out["offers"].push_back("simulator");
  if (m.station) out["offers"].push_back("station");
  out["runs_as"] = plugin.native() ? "library" : "command";
  return out;
}

int list_plugins(const PluginFlags& flags) {
  const auto& all = known_plugins();
  if (flags.json) {
    Value out = {{"plugins", Value::array()}, {"places", Value::array()}};
    for (const FoundPlugin& one : all) out["plugins"].push_back(plugin_json(one));
    for (const PluginPlace& place : plugin_places())
      out["places"].push_back({{"folder", place.folder}, {"source", place.source}});
    std::cout << json_text(out) << "\n";
    return ok;
  }
  std::vector<std::vector<std::string>> rows = {
      {"plugin", "version", "interface", "offers", "state", "from", "licence"}};
  for (const FoundPlugin& one : all)
    rows.push_back({one.name, one.manifest ? one.manifest->version : "-",
                    one.manifest ? std::to_string(one.manifest->abi) : "-", offers_of(one), to_text(one.state),
                    one.source, one.manifest ? one.manifest->licence : "-"});
  if (all.empty()) {
    std::string places;
    for (const PluginPlace& place : plugin_places()) places += "\n  " + place.folder;
    std::cout << (places.empty() ? "ERGODE_PLUGINS is off: no plugin is looked for.\n"
                                 : "No plugins. Looked for in:" + places + "\n");
  } else {
    std::cout << text_table(rows, {});
  }
  std::cout << std::flush;
  for (const FoundPlugin& one : all) print_diagnostics(one.problems, nullptr);
  return ok;
}

/// The plugin of this name, or the one in this folder.
const FoundPlugin* plugin_asked(const std::string& name, std::vector<FoundPlugin>& read) {
  if (name.find('/') != std::string::npos || name == ".") {
    read.push_back(read_plugin(name, "path"));
    return &read.back();
  }
  Diagnostic why;
  if (const FoundPlugin* const found = find_plugin(known_plugins(), name, why)) return found;
  print_diagnostics({why}, nullptr);
  return nullptr;
}

int explain_plugin(const PluginFlags& flags) {
  std::vector<FoundPlugin> read;
  const FoundPlugin* const plugin = plugin_asked(flags.name, read);
  if (plugin == nullptr) return usage;
  print_diagnostics(plugin->problems, nullptr);
  if (!plugin->manifest) return model_invalid;
  if (flags.man) {
    std::cout << plugin_man_page(*plugin->manifest);
    return ok;
  }
  if (!flags.json) {
    std::cout << plugin_text(*plugin->manifest, [](const auto& rows) { return text_table(rows, {}); });
    return ok;
  }
  Value out = plugin_json(*plugin);
  out.update(manifest_json(*plugin->manifest));
  std::cout << json_text(out) << "\n";
  return ok;
}

/// Whether it is there or not: who turns one off may have taken it away.
int turn(const std::string& name, bool on) {
  if (!is_identifier(name)) {
    complain("RUN010", "NAME is \"" + quotable(name) + "\"; wanted the name of a plugin.");
    return usage;
  }
  if (const auto problem = turn_plugin(name, on)) return print_diagnostics({*problem}, nullptr), run_error;
  const auto& all = known_plugins();
  if (std::none_of(all.begin(), all.end(), [&](const FoundPlugin& one) { return one.name == name; }))
    tell("There is no plugin " + name + " now.");
  tell(name + (on ? " is on" : " is off") + "; kept in " + plugins_off_file());
  return ok;
}

int check_plugins(const PluginFlags& flags) {
  std::vector<FoundPlugin> read;
  std::vector<const FoundPlugin*> asked;
  if (!flags.name.empty()) {
    if (flags.name.find('/') != std::string::npos || flags.name == ".") read.push_back(read_plugin(flags.name, "path"));
    else
      for (const FoundPlugin& one : known_plugins())
        if (one.name == flags.name) read.push_back(one);
    Diagnostic why;
    if (read.empty()) return find_plugin(known_plugins(), flags.name, why), print_diagnostics({why}, nullptr), usage;
    for (const FoundPlugin& one : read) asked.push_back(&one);
  } else {
    for (const FoundPlugin& one : known_plugins()) asked.push_back(&one);
  }
  RunRequest request;
  if (const auto code = flags.run.fill(request)) return *code;
  const auto limit = request.options.find("time-limit");
  const double limit_s = limit == request.options.end() ? 0.0 : parse_number(limit->second).value_or(0.0);
  bool passed = true;
  Value out = {{"plugins", Value::array()}};
  for (const FoundPlugin* const plugin : asked) {
    const PluginTrial trial = try_plugin(*plugin, limit_s);
    const bool good = !has_errors(trial.problems);
    passed = passed && good;
    if (flags.json) {
      Value one = plugin_json(*plugin);
      one["passed"] = good;
      one["diagnostics"] = diagnostics_json(trial.problems, nullptr);
      one["steps"] = Value::array();
      for (const PluginTrial::Step& step : trial.steps)
        one["steps"].push_back({{"what", step.what}, {"passed", step.passed}, {"ms", step.elapsed_ms}});
      out["plugins"].push_back(std::move(one));
      continue;
    }
    std::cout << plugin->name << ": " << (good ? "works" : "does not work") << "\n";
    for (const PluginTrial::Step& step : trial.steps)
      std::cout << "  " << (step.passed ? "passed  " : "failed  ") << step.what << " ("
                << number_text(step.elapsed_ms, 3) << " ms)\n";
    std::cout << std::flush;
    print_diagnostics(trial.problems, nullptr);
  }
  if (flags.json) std::cout << json_text(out) << "\n";
  return passed ? ok : run_error;
}

/// One `ergode plugins run`.
class PluginRun {
 public:
  explicit PluginRun(const PluginFlags& flags) : flags_(flags) {}

  int execute() {
    std::vector<FoundPlugin> read;
    const FoundPlugin* const plugin = plugin_asked(flags_.name, read);
    if (plugin == nullptr) return usage;
    if (plugin->state == PluginState::refused) return print_diagnostics(plugin->problems, nullptr), run_error;
    print_diagnostics(plugin->problems, nullptr);
    if (!plugin->manifest->simulator) {
      complain("PLG011", "The plugin " + plugin->name + " has no simulator: it is a station for queueing networks.",
               "Draw a plugin station in a queueing network.");
      return usage;
    }
    const SimulatorSolver solver(*plugin);
    RunRequest request;
    if (const auto code = flags_.run.fill(request)) return *code;
    request.solver = plugin->name;
    if (!flags_.points.empty()) return measure_points(*plugin, request, flags_.points, flags_.measures);
    const Question question(parameters_document(*plugin->manifest), request);
    const Diagnostics reasons = solver.fits(question);
    if (has_errors(reasons)) return print_diagnostics(reasons, &question.document()), model_invalid;
    if (!flags_.table.empty() && !has_table(*plugin->manifest)) return usage;
    if (!flags_.report.empty())
      if (const int code = may_write_report(report()); code != ok) return code;
    return solve(solver, question);
  }

 private:
  Output report() const { return {flags_.report, {.force = flags_.force, .inputs = {}}}; }

  bool has_table(const PluginManifest& manifest) const {
    std::string names =
        flags_.run.values.contains("precision") && !flags_.run.values.at("precision").empty() ? "precision" : "";
    if (names == flags_.table) return true;
    for (const PluginTable& table : manifest.simulator->tables) {
      if (table.name == flags_.table) return true;
      names += (names.empty() ? "" : ", ") + table.name;
    }
    complain("RUN010", "--table is \"" + quotable(flags_.table) + "\"; " +
                           (names.empty() ? "the plugin has no tables." : "wanted one of: " + names + "."));
    return false;
  }

  int solve(const SimulatorSolver& solver, const Question& question) {
    Run::Order order{.question = question, .solver = &solver, .company = {}};
    watch_interrupts();
    Run run;
    run.start(std::move(order));
    watch_to_the_end(run, was_interrupted);
    const auto result = run.result();
    if (result == nullptr) {
      if (was_interrupted()) return nothing_kept(), interrupted;
      complain("RUN001", "the run failed: " + run.failure());
      return run_error;
    }
    print_diagnostics(result->diagnostics, &question.document());
    if (was_interrupted() && result->replications == 0) return nothing_kept(), interrupted;
    int code = keep(solver.spec().name, result);
    // Before anything is printed: whoever reads that may close the pipe.
    if (!flags_.report.empty())
      if (const int wrote = write_output(report(), make_report(question, *result)); wrote != ok) code = wrote;
    show(*result);
    if (was_interrupted() && result->status != RunStatus::complete) return interrupted;
    if (result->status == RunStatus::failed) return run_error;
    if (const auto which = precision_not_reached(*result); which && result->status == RunStatus::complete) {
      complain("RUN006", "The precision was not reached: stopped by " + result->stop_reason + ". " + *which);
      code = code == ok ? not_reached : code;
    }
    return code;
  }

  static void nothing_kept() { tell("Stopped before there was a result: nothing was kept."); }

  /// --out names a store, or a folder, where the store is named after the plugin.
  std::string store(const std::string& plugin) const {
    std::error_code ignored;  // the store says what is wrong
    if (flags_.out.ends_with('/')) std::filesystem::create_directories(flags_.out, ignored);
    if (std::filesystem::is_directory(flags_.out, ignored)) return store_path(plugin, flags_.out);
    return default_store_path(flags_.out);
  }

  int keep(const std::string& plugin, const std::shared_ptr<const ResultSet>& result) const {
    if (flags_.out.empty()) return ok;
    const Kept kept = keep_runs(store(plugin), {result});
    print_diagnostics(kept.diagnostics, nullptr);
    if (kept.store.empty()) return run_error;
    tell("run " + result->provenance.run_id + " kept in " + kept.store +
         ", which `ergode results`, `ergode report` and `ergode export` read by its path");
    return ok;
  }

  void show(const ResultSet& result) const {
    if (!flags_.table.empty() && flags_.json) {
      const Value all = to_json(result);
      for (const Value& table : all.contains("tables") ? all.at("tables") : Value::array())
        if (table.at("name").text() == flags_.table) std::cout << json_text(table) << "\n";
      return;
    }
    if (!flags_.table.empty()) {
      for (const ResultTable& table : result.tables)
        if (table.name == flags_.table) std::cout << table_csv(table);
      return;
    }
    if (flags_.json) {
      write_run_json(std::cout, result, {}, {});
      return;
    }
    print_run_table(result, {}, false);
    std::cout << "\n"
              << counted(result.replications, "replication") << ", seed " << result.provenance.seed << ", stopped by "
              << (result.status == RunStatus::failed ? "a failure of the plugin" : result.stop_reason) << "\n";
  }

  const PluginFlags& flags_;
};

int plugins(const PluginFlags& flags) {
  const std::set<std::string> common = {"TASK", "--json", "--quiet", "--verbose", "--no-color"};
  std::set<std::string> known = common;
  if (flags.task == "explain") known.insert({"NAME", "--man"});
  if (flags.task == "check") known.insert({"NAME", "--time-limit"});
  if (flags.task == "enable" || flags.task == "disable") known = {"TASK", "NAME", "--quiet", "--verbose", "--no-color"};
  for (const std::string& name : flags.given)
    if (flags.task != "run" && !known.contains(name)) {
      complain("RUN010", name + " means nothing for `ergode plugins " + flags.task + "`.", "Leave it out.");
      return usage;
    }
  if (std::find(flags.given.begin(), flags.given.end(), "--allow-folder") != flags.given.end()) {
    complain("RUN010", "--allow-folder is for files that a model names; a plugin's are named by you.", "Leave it out.");
    return usage;
  }
  if (flags.man && (flags.task == "run" || flags.json)) {
    complain("RUN010", "--man is for `ergode plugins explain`, without --json.", "Leave it out.");
    return usage;
  }
  if (flags.name.empty() && flags.task != "list" && flags.task != "check") {
    complain("RUN010", "NAME is missing: of which plugin?", "`ergode plugins list` shows all.");
    return usage;
  }
  if (flags.task == "list") return list_plugins(flags);
  if (flags.task == "explain") return explain_plugin(flags);
  if (flags.task == "check") return check_plugins(flags);
  if (flags.task == "enable" || flags.task == "disable") return turn(flags.name, flags.task == "enable");
  return PluginRun(flags).execute();
}

}  // namespace

void add_plugins(CLI::App& app, Action& chosen) {
  auto flags = std::make_shared<PluginFlags>();
  CLI::App* sub = app.add_subcommand("plugins", R"(Examples:
  ergode plugins list
  ergode plugins explain single_server
  ergode plugins check                            try every plugin that is there
  ergode plugins check ./my_plugin                the one in a folder
  ergode plugins run single_server --set "service_rate = 45 /h" --replications 1000
  ergode plugins run token_server --set max_batch=16 --precision 0.05 --json
  ergode plugins run token_server --table requests > requests.csv    (with --json: as JSON)
  ergode plugins run token_server --report token_server.html
  ergode plugins run npu --replications 1 --points sizes.csv --measure cycles > measured.csv
  ergode plugins disable token_server             leave it out until it is enabled again

Lists plugins, explains one, tries them, and runs simulators that have a model of their own: 100 replications
with seed 1, where nothing else is said. Plugins are looked for in the folders of ERGODE_PLUGIN_PATH, in
~/.local/share/ergode/plugins, and beside the program; ERGODE_PLUGINS=off looks for none,
ERGODE_PLUGINS_OFF=NAME,NAME leaves some out.)");
  sub->add_option("TASK", flags->task, "list, explain, check, run, disable or enable.")
      ->required()
      ->check(CLI::IsMember({"list", "explain", "check", "run", "disable", "enable"}));
  sub->add_option("NAME", flags->name, "The plugin; for check and run also the path of its folder.");
  flags->run.own = simulator_run_options();
  flags->run.add_to(*sub,
                    {"replications", "seed", "threads", "precision", "precision-measures", "wall-time", "confidence"});
  sub->add_flag("--json", flags->json, "Print one JSON document.");
  sub->add_option("--table", flags->table, "run: print one table whole, as CSV; with --json as JSON.")
      ->type_name("NAME");
  sub->add_option(
         "--out", flags->out,
         "run: keep the run in this store of results, FILE.results.sqlite, or NAME.results.sqlite of this folder; "
         "`ergode results`, `ergode report` and `ergode export` read it by its path.")
      ->type_name("FILE");
  CLI::Option* points =
      sub->add_option("--points", flags->points,
                      "run: once for each row of this table (CSV), whose header names parameters, and "
                      "print the table with what was measured.")
          ->type_name("FILE");
  for (const char* other : {"--json", "--table", "--out"}) points->excludes(sub->get_option(other));
  sub->add_option("--measure", flags->measures, "run --points: what is printed, mean; default: the first measure.")
      ->type_name("NAME")
      ->needs(points);
  sub->add_option("--report", flags->report, "run: write a report as one HTML file.")
      ->type_name("FILE")
      ->excludes(points);
  sub->add_flag("--force", flags->force, "run: --report may replace a file.");
  sub->add_flag("--man", flags->man, "explain: print a man page of the plugin.");
  sub->callback([sub, flags, &chosen] {
    for (const CLI::Option* option : sub->get_options())
      if (option->count() > 0) flags->given.push_back(option->get_name());
    chosen = [flags] { return plugins(*flags); };
  });
}

}  // namespace ergode::cli
