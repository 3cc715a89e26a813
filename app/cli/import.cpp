#include <filesystem>

#include "app/cli/commands.h"
#include "app/session/import.h"
#include "core/format/model_file.h"

namespace ergode::cli {
namespace {

struct ImportFlags {
  std::string file, out;
  bool force = false;
};

int import(const ImportFlags& flags) {
  if (!is_imported(flags.file)) {
    complain("FMT013",
             flags.file + " is of no format that is imported; wanted .scxml, .dft, .json, .prism, .sm or .ctmc.");
    return usage;
  }
  const Opened opened = open_model(flags.file);
  if (!opened.document) return model_invalid;
  const std::string out =
      flags.out.empty() ? std::filesystem::path(flags.file).replace_extension(".ergode").string() : flags.out;
  return write_output({out, {.force = flags.force, .models = true, .inputs = {flags.file}}},
                      write_model(*opened.document));
}

}  // namespace

void add_import(CLI::App& app, Action& chosen) {
  auto flags = std::make_shared<ImportFlags>();
  CLI::App* sub = app.add_subcommand("import", R"(Examples:
  ergode import tree.dft -o tree.ergode
  ergode import machine.scxml
  ergode run tree.dft --set "mission_time = 100 h"

Turns a file of another format into a model file: SCXML documents (.scxml: one drawn chart and one component of it) and
dynamic fault trees in the Galileo format (.dft) or in JSON (.json), Markov chains in the PRISM language (.prism, .sm,
.ctmc), queueing networks of the Java Modelling Tools (.jsimg, .jmva) and Petri nets (.pnml). What cannot be carried
over is named with its place. Such files can also be named wherever a model is wanted.)");
  sub->add_option("FILE", flags->file, "File to import.")->required();
  sub->add_option("-o,--out", flags->out,
                  "Model file to write; default: the same name with .ergode; - writes to standard output.")
      ->type_name("FILE");
  sub->add_flag("--force", flags->force, "Replace an existing file, a model too; never a result store.");
  sub->callback([flags, &chosen] { chosen = [flags] { return import(*flags); }; });
}

}  // namespace ergode::cli
