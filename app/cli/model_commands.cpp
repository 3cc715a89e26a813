#include <filesystem>
#include <iostream>

#include "app/cli/commands.h"
#include "app/session/check.h"
#include "core/base/text.h"
#include "core/document/command.h"
#include "core/format/hash.h"
#include "core/format/model_file.h"
#include "core/random/distribution.h"
#include "solvers/registry.h"

namespace ergode::cli {
namespace {

struct Flags {
  std::string model;
  bool json = false, force = false;
  RunFlags run;
};

int validate(const Flags& flags) {
  RunRequest request;
  if (const auto code = flags.run.fill(request)) return *code;
  Diagnostics found;
  const Opened opened = open_model(flags.model, &found);
  const Document* document = opened.document ? &*opened.document : nullptr;
  request.folder = opened.folder;
  if (document != nullptr)
    for (Diagnostic& d : check_model(*document, request)) found.push_back(std::move(d));
  std::size_t errors = 0, warnings = 0;
  for (const Diagnostic& d : found) (d.severity == Severity::error ? errors : warnings) += d.severity != Severity::info;
  if (flags.json) {
    nlohmann::ordered_json out = {{"valid", errors == 0}, {"errors", errors}, {"warnings", warnings}};
    out["problems"] = diagnostics_json(found, document);
    std::cout << out.dump(2) << "\n";
  } else {
    print_diagnostics(found, document, stdout);
    std::cout << flags.model << ": " << errors << (errors == 1 ? " error, " : " errors, ") << warnings
              << (warnings == 1 ? " warning\n" : " warnings\n");
  }
  return errors == 0 ? ok : model_invalid;
}

int hash(const Flags& flags) {
  const Opened opened = open_model(flags.model);
  if (!opened.document) return model_invalid;
  if (flags.json) {
    std::cout << nlohmann::ordered_json{{"semantic", semantic_hash(*opened.document)},
                                        {"file", file_hash(*opened.document)}}
                     .dump(2)
              << "\n";
    return ok;
  }
  std::cout << "semantic=" << semantic_hash(*opened.document) << "\nfile=" << file_hash(*opened.document) << "\n";
  return ok;
}

// The smallest model that runs: one component that fails and is repaired.
Document new_model(const std::string& name) {
  Document document;
  Edit edit(document, "New model");
  const auto add = [&](Section section, std::string kind, Value properties, ElementId diagram = {},
                       std::optional<Rect> bounds = {}) {
    Element e;
    e.section = section, e.kind = std::move(kind), e.properties = std::move(properties), e.diagram = diagram;
    e.layout.bounds = bounds;
    return edit.insert(std::move(e));
  };
  const auto join = [&](ElementId diagram, ElementId from, ElementId to, Value properties) {
    Element e;
    e.section = Section::edge, e.kind = "transition", e.diagram = diagram, e.source = from, e.target = to,
    e.properties = std::move(properties);
    edit.insert(std::move(e));
  };
  Element header = document.model();
  header.properties = {{"name", name}, {"horizon", "mission_time"}, {"time_unit", "h"}};
  edit.replace(header.id, header);
  add(Section::parameter, "parameter",
      {{"name", "lambda"}, {"value", "1e-3 /h"}, {"unit", "/h"}, {"minimum", "0 /h"}, {"description", "Failure rate"}});
  add(Section::parameter, "parameter",
      {{"name", "mttr"}, {"type", "time"}, {"value", "8 h"}, {"unit", "h"}, {"description", "Mean time to repair"}});
  add(Section::parameter, "parameter",
      {{"name", "mission_time"}, {"type", "time"}, {"value", "24 h"}, {"unit", "h"}, {"description", "Mission time"}});
  const ElementId system = add(Section::diagram, "diagram", {{"name", "Main"}, {"notation", "system"}});
  const ElementId chart = add(Section::diagram, "diagram", {{"name", "Unit"}, {"notation", "statechart"}});
  add(Section::node, "component", {{"name", "unit"}, {"chart", "Unit"}}, system, Rect{80, 60, 160, 70});
  const ElementId start = add(Section::node, "initial", Value::object(), chart, Rect{40, 80, 20, 20});
  const ElementId up = add(Section::node, "state", {{"name", "Up"}}, chart, Rect{120, 60, 140, 60});
  const ElementId down = add(Section::node, "state", {{"name", "Down"}}, chart, Rect{420, 60, 140, 60});
  join(chart, start, up, Value::object());
  join(chart, up, down, {{"trigger", "rate(lambda)"}, {"role", "failure"}});
  join(chart, down, up, {{"trigger", "after(exponential(mean = mttr))"}, {"role", "repair"}});
  add(Section::measure, "measure",
      {{"name", "unavailability"}, {"type", "time_average"}, {"expression", "in(unit.Down)"}, {"headline", "true"}});
  return edit.document();
}

int make_new(const Flags& flags) {
  if (flags.model != "-" && !flags.force && std::filesystem::exists(flags.model)) {
    std::fprintf(stderr, "error FMT009: %s exists; --force replaces it.\n", flags.model.c_str());
    return usage;
  }
  return write_output(flags.model, write_model(new_model(std::filesystem::path(flags.model).stem().string())));
}

int list_solvers(const Flags& flags) {
  RunRequest request;
  if (const auto code = flags.run.fill(request)) return *code;
  std::optional<Opened> opened;
  if (!flags.model.empty()) {
    opened = open_model(flags.model);
    if (!opened->document) return model_invalid;
    request.folder = opened->folder;
    const Diagnostics problems = check_model(*opened->document, request);
    if (has_errors(problems)) {
      print_diagnostics(problems, &*opened->document);
      return model_invalid;
    }
  }
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const auto& solver : solvers()) {
    const SolverSpec& spec = solver->spec();
    nlohmann::ordered_json one = {{"name", spec.name},
                                  {"label", spec.label},
                                  {"description", spec.description},
                                  {"reference", spec.reference},
                                  {"exact", spec.exact}};
    Diagnostics reasons;
    if (opened) {
      reasons = solver->fits(*opened->document, request);
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
          std::cout << "     because " << opened->document->path(d.element) << ": " << d.message << "\n";
    }
    out.push_back(std::move(one));
  }
  if (flags.json) std::cout << out.dump(2) << "\n";
  return ok;
}

}  // namespace

void add_validate(CLI::App& app, Action& chosen) {
  auto flags = std::make_shared<Flags>();
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
  auto flags = std::make_shared<Flags>();
  CLI::App* sub = app.add_subcommand("hash", R"(Example:
  ergode hash plant.ergode

Prints the sha256 of what the model means (layout and notes left out) and of its canonical file.)");
  sub->add_option("MODEL", flags->model, "Model file; - reads standard input.")->required();
  sub->add_flag("--json", flags->json, "Print one JSON document.");
  sub->callback([flags, &chosen] { chosen = [flags] { return hash(*flags); }; });
}

void add_new(CLI::App& app, Action& chosen) {
  auto flags = std::make_shared<Flags>();
  CLI::App* sub = app.add_subcommand("new", R"(Example:
  ergode new plant.ergode && ergode run plant.ergode

Writes a small model that runs: one component that fails and is repaired.)");
  sub->add_option("FILE", flags->model, "File to write; - writes to standard output.")->required();
  sub->add_flag("--force", flags->force, "Replace an existing file.");
  sub->callback([flags, &chosen] { chosen = [flags] { return make_new(*flags); }; });
}

void add_solvers(CLI::App& app, Action& chosen) {
  auto flags = std::make_shared<Flags>();
  CLI::App* sub = app.add_subcommand("solvers", R"(Examples:
  ergode solvers
  ergode solvers plant.ergode --set repair_crews=0

Lists the solvers; with a model, which of them can answer it, and why others cannot.)");
  sub->add_option("MODEL", flags->model, "Model file; - reads standard input.");
  flags->run.add_to(*sub, {"scenario"});
  sub->add_flag("--json", flags->json, "Print one JSON document.");
  sub->callback([flags, &chosen] { chosen = [flags] { return list_solvers(*flags); }; });
}

}  // namespace ergode::cli
