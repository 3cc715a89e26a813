#include <algorithm>
#include <filesystem>
#include <iostream>

#include "app/cli/commands.h"
#include "app/session/check.h"
#include "app/session/gallery.h"
#include "core/base/plural.h"
#include "core/base/read_file.h"
#include "core/base/text.h"
#include "core/format/hash.h"
#include "core/format/model_file.h"
#include "core/random/distribution.h"
#include "plugins/host/discovery.h"
#include "plugins/host/simulator_solver.h"
#include "solvers/registry.h"

namespace ergode::cli {
namespace {

struct ModelCommandsFlags {
  std::string model, from = "single_repairable";
  bool json = false, force = false, list = false;
  RunFlags run;
};

int validate(const ModelCommandsFlags& flags) {
  RunRequest request;
  if (const auto code = flags.run.fill(request)) return *code;
  Diagnostics found;
  const Opened opened = open_model(flags.model, &found);
  const Document* document = opened.document ? &*opened.document : nullptr;
  request.folder = opened.folder;
  if (document != nullptr && !opened.complete) found.push_back(chart_left_incomplete(flags.model));
  if (document != nullptr) permit_named_files(*document, request);
  if (document != nullptr)
    for (Diagnostic& d : check_model(*document, request)) found.push_back(std::move(d));
  std::size_t errors = 0, warnings = 0;
  for (const Diagnostic& d : found) (d.severity == Severity::error ? errors : warnings) += d.severity != Severity::info;
  if (flags.json) {
    std::cout << json_text(problems_json(found, document)) << "\n";
  } else {
    print_diagnostics(found, document, stdout);
    std::cout << visible(flags.model) << ": " << counted(errors, "error") << ", " << counted(warnings, "warning")
              << "\n";
  }
  return errors == 0 ? ok : model_invalid;
}

int hash(const ModelCommandsFlags& flags) {
  const Opened opened = open_model(flags.model);
  if (!opened.document) return model_invalid;
  if (flags.json) {
    std::cout << Value{{"semantic", semantic_hash(*opened.document)}, {"file", file_hash(*opened.document)}}.dump(2)
              << "\n";
    return ok;
  }
  std::cout << "semantic=" << semantic_hash(*opened.document) << "\nfile=" << file_hash(*opened.document) << "\n";
  return ok;
}

int list_gallery() {
  std::vector<std::vector<std::string>> rows = {{"name", "model", "question"}};
  for (const auto* list : {&model_templates(), &example_models()})
    for (const GalleryModel& model : *list) rows.push_back({model.name, model.title, model.question});
  std::cout << text_table(rows, {false, false, false});
  return ok;
}

int make_new(const ModelCommandsFlags& flags) {
  if (flags.list) return list_gallery();
  if (flags.model.empty()) {
    complain("RUN010", "name the file to write, or ask for --list.");
    return usage;
  }
  const Output to{flags.model, {.force = flags.force, .models = true}};
  if (const int code = may_write(to); code != ok) return code;
  const GalleryModel* model = find_in_gallery(flags.from);
  if (model == nullptr) {
    std::vector<std::string> names;
    for (const auto* list : {&model_templates(), &example_models()})
      for (const GalleryModel& known : *list) names.push_back(known.name);
    const std::string near = nearest_word(flags.from, names);
    complain("RUN010", "there is no template \"" + flags.from + "\".",
             near.empty() ? "`ergode new --list` shows them." : "Did you mean " + near + "?");
    return usage;
  }
  const std::string stem = flags.model == "-" ? model->title : std::filesystem::path(flags.model).stem().string();
  if (const int code = write_output(to, write_model(named_copy(*model, stem))); code != ok) return code;
  if (model->data.empty()) return ok;
  if (flags.model == "-") {
    for (const auto& file : model->data)
      tell("the model names " + file.first + ", which a file of its own gets beside it");
    return ok;
  }
  const std::filesystem::path folder = std::filesystem::absolute(flags.model).parent_path();
  std::vector<std::string> written;
  const auto problem = write_gallery_data(*model, folder.string(), &written);
  for (const std::string& path : written) tell("wrote " + path);
  for (const auto& [name, text] : model->data) {
    const std::string path = (folder / name).string();
    if (problem || std::find(written.begin(), written.end(), path) != written.end()) continue;
    const auto there = read_bytes(path);
    const auto* const bytes = std::get_if<std::string>(&there);
    // Examples call their traces alike: the model of one would read that of another.
    if (bytes == nullptr) print_diagnostics({std::get<Diagnostic>(there)}, nullptr);
    else if (*bytes == text) tell(path + " is there already, and the same");
    else
      tell(path +
           " is there already and holds something else, which this model will read; in a folder of its own it gets its "
           "own");
  }
  if (problem) return print_diagnostics({*problem}, nullptr), run_error;
  return ok;
}

Value described(const Solver& solver) {
  const SolverSpec& spec = solver.spec();
  Value out = {{"name", spec.name},
               {"label", spec.label},
               {"description", spec.description},
               {"reference", spec.reference},
               {"exact", spec.exact}};
  return out;
}

/// One solver with its own options.
int show_solver(const Solver& solver, const ModelCommandsFlags& flags) {
  Value out = described(solver);
  out["options"] = Value::array();
  // Options are shared by solvers of one kind, and what this one makes of them is what counts here.
  const std::vector<std::string>& methods = solver.spec().methods;
  const auto wanted = [&](const RunOption& option) {
    return option.name == "method" && !methods.empty() ? listed_words(methods) : option.wanted;
  };
  for (const RunOption& option : solver.options())
    out["options"].push_back({{"name", option.name},
                              {"value", option.value},
                              {"default", option.default_text},
                              {"wanted", wanted(option)},
                              {"only_for", option.only_for},
                              {"help", option.help}});
  if (flags.json) {
    std::cout << json_text(out) << "\n";
    return ok;
  }
  std::cout << solver.spec().name << ": " << solver.spec().description << "\n    " << solver.spec().reference << "\n";
  if (!out["options"].empty()) std::cout << "\nOptions of its own, beside those that every run has:\n";
  for (const RunOption& option : solver.options())
    std::cout << "  --" << option.name << " " << option.value << "\n      " << option.help
              << " Wanted: " << wanted(option) << "; default: " << option.default_text << ".\n";
  return ok;
}

/// Whether a word can only be meant as the name of a solver: no file is called so, nor would a model be.
bool means_a_solver(const std::string& word) {
  std::error_code unknown;
  return !word.empty() && word != "-" && !std::filesystem::exists(word, unknown) &&
         !std::filesystem::path(word).has_extension() && !std::filesystem::path(word).has_parent_path();
}

int list_solvers(const ModelCommandsFlags& flags) {
  // A file of that name is meant where there is one.
  if (const Solver* solver = find_solver(flags.model); solver != nullptr && !std::filesystem::exists(flags.model))
    return show_solver(*solver, flags);
  for (const FoundPlugin& plugin : known_plugins())
    if (plugin.name == flags.model && plugin.manifest && plugin.manifest->simulator &&
        !std::filesystem::exists(flags.model))
      return show_solver(SimulatorSolver(plugin), flags);
  if (means_a_solver(flags.model)) {
    std::vector<std::string> names;
    for (const auto& solver : solvers()) names.push_back(solver->spec().name);
    const std::string near = nearest_word(flags.model, names);
    complain(
        "RUN010", "there is no solver and no file \"" + flags.model + "\".",
        near.empty() ? "Wanted one of " + listed_words(names) + ", or a model file." : "Did you mean " + near + "?");
    return usage;
  }
  RunRequest request;
  if (const auto code = flags.run.fill(request)) return *code;
  std::optional<Opened> opened;
  std::optional<Question> question;
  if (!flags.model.empty()) {
    opened = open_model(flags.model);
    if (!opened->document) return model_invalid;
    request.folder = opened->folder;
    question.emplace(Question::of(*opened->document, request));
    const Diagnostics problems = check_model(*question);
    if (has_errors(problems)) {
      print_diagnostics(problems, &*opened->document);
      return model_invalid;
    }
  }
  Value out = Value::array();
  for (const auto& solver : solvers()) {
    const SolverSpec& spec = solver->spec();
    Value one = described(*solver);
    Diagnostics reasons;
    if (opened) {
      reasons = solver->fits(*question);
      one["fits"] = !has_errors(reasons);
      one["reasons"] = diagnostics_json(reasons, &*opened->document);
    }
    if (!flags.json) {
      std::cout << (!opened               ? ""
                    : has_errors(reasons) ? "no   "
                                          : "yes  ")
                << spec.name << ": " << spec.description << "\n";
      if (!opened) std::cout << "    " << spec.reference << "\n";
      for (const Diagnostic& d : reasons)
        if (d.severity == Severity::error)
          std::cout << "     because "
                    << visible((d.element ? opened->document->path(d.element) + ": " : "") + d.message) << "\n";
    }
    out.push_back(std::move(one));
  }
  if (flags.json) std::cout << json_text(out) << "\n";
  return ok;
}

}  // namespace

void add_validate(CLI::App& app, Action& chosen) {
  auto flags = std::make_shared<ModelCommandsFlags>();
  CLI::App* sub = app.add_subcommand("validate", R"(Examples:
  ergode validate plant.ergode
  ergode validate plant.ergode --scenario stress --json

Checks a model as the workbench's problems panel does: structure, names, expressions, units, charts, groups, measures.)");
  sub->add_option("MODEL", flags->model, "Model file; - reads standard input.")->required();
  flags->run.add_to(*sub, {"scenario"});
  sub->add_flag("--json", flags->json, "Print one JSON document.");
  sub->callback([flags, &chosen] { chosen = [flags] { return validate(*flags); }; });
}

void add_hash(CLI::App& app, Action& chosen) {
  auto flags = std::make_shared<ModelCommandsFlags>();
  CLI::App* sub = app.add_subcommand("hash", R"(Example:
  ergode hash plant.ergode

Prints the sha256 of what the model means (layout and notes left out) and of its canonical file.)");
  sub->add_option("MODEL", flags->model, "Model file; - reads standard input.")->required();
  sub->add_flag("--json", flags->json, "Print one JSON document.");
  sub->callback([flags, &chosen] { chosen = [flags] { return hash(*flags); }; });
}

void add_new(CLI::App& app, Action& chosen) {
  auto flags = std::make_shared<ModelCommandsFlags>();
  CLI::App* sub = app.add_subcommand("new", R"(Examples:
  ergode new plant.ergode && ergode run plant.ergode
  ergode new pumps.ergode --template redundant_pair
  ergode new --list                              templates and examples, each with its question

Writes a model that runs, to build upon: a copy of a template or of an example, as the workbench's start page does.)");
  sub->add_option("FILE", flags->model, "File to write; - writes to standard output.");
  sub->add_option("--template", flags->from, "Template or example to copy; default: " + flags->from + ".")
      ->type_name("NAME");
  sub->add_flag("--list", flags->list, "List templates and examples.");
  sub->add_flag("--force", flags->force, "Replace an existing file, a model too; never a result store.");
  sub->callback([flags, &chosen] { chosen = [flags] { return make_new(*flags); }; });
}

void add_solvers(CLI::App& app, Action& chosen) {
  auto flags = std::make_shared<ModelCommandsFlags>();
  CLI::App* sub = app.add_subcommand("solvers", R"(Examples:
  ergode solvers
  ergode solvers simulation
  ergode solvers plant.ergode --set repair_crews=0

Lists the solvers; with the name of one, its options; with a model, which of them can answer it, and why others cannot.)");
  sub->add_option("MODEL", flags->model, "Name of a solver, or a model file; - reads standard input.");
  flags->run.add_to(*sub, {"scenario"});
  sub->add_flag("--json", flags->json, "Print one JSON document.");
  sub->callback([flags, &chosen] { chosen = [flags] { return list_solvers(*flags); }; });
}

}  // namespace ergode::cli
