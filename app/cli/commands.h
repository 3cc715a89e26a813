#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/overwrite.h"
#include "core/base/diagnostic.h"
#include "core/base/value.h"
#include "core/document/document.h"
#include "core/study/solver.h"

namespace ergode::cli {

/// Exit codes; documented in the help and never changed: done; the run failed, or output could not be written; a wrong
/// command line; a model with errors; precision not reached, or partial results; a comparison out of tolerance;
/// interrupted with partial results kept.
enum Exit {
  ok = 0,
  run_error = 1,
  usage = 2,
  model_invalid = 3,
  not_reached = 4,
  out_of_tolerance = 5,
  interrupted = 130
};

/// What a subcommand does when it was chosen; returns the exit code.
using Action = std::function<int()>;

/// Each adds its subcommand and sets `chosen` when the user names it.
/// `chosen` must live until it is called, which is after parsing.
void add_run(CLI::App& app, Action& chosen);
void add_validate(CLI::App& app, Action& chosen);
void add_results(CLI::App& app, Action& chosen);
void add_export(CLI::App& app, Action& chosen);
void add_report(CLI::App& app, Action& chosen);
void add_hash(CLI::App& app, Action& chosen);
void add_import(CLI::App& app, Action& chosen);
void add_importance(CLI::App& app, Action& chosen);
void add_ccf(CLI::App& app, Action& chosen);
void add_fit(CLI::App& app, Action& chosen);
void add_devices(CLI::App& app, Action& chosen);
void add_plugins(CLI::App& app, Action& chosen);
void add_new(CLI::App& app, Action& chosen);
void add_solvers(CLI::App& app, Action& chosen);
void add_sweep(CLI::App& app, Action& chosen);
/// `manual` (a man page) and `completion`: made of the commands added before.
void add_manual(CLI::App& app, Action& chosen);
/// The first sentence of what a command says of itself after its examples, on one line.
std::string summary(const CLI::App& command);

/// `run` of an SCXML document: the configurations a chart goes through.
struct ChartRunFlags {
  std::string model, events, horizon;
  std::uint64_t seed = 1;
  bool json = false;
};
/// @returns exit code; the trace goes to standard output, messages to standard error.
int run_chart(const ChartRunFlags& flags);
/// `export --format scxml` and the other formats of charts.
int export_as(const std::string& model, const std::string& chart, const std::string& format, const std::string& out,
              bool force);

/// Files that the command line gives to parameters of type file are looked for in the current folder, then in the
/// model's; whoever names one there may read it.
void permit_named_files(const Document& document, RunRequest& request);

/// A model as opened by a subcommand.
struct Opened {
  std::optional<Document> document;  ///< absent: the diagnostics were printed
  std::string path, folder;          ///< as typed; and what its data files are looked for in
  bool complete = true;              ///< nothing that changes what it does was left out when it was imported
};
/// Why a chart is not run of whose document something was left out that changes what it does.
Diagnostic chart_left_incomplete(const std::string& path);
/// Reads a model, or imports one (.scxml); "-" is standard input. Prints diagnostics to stderr, or keeps them in `kept`
/// when given.
Opened open_model(const std::string& path, Diagnostics* kept = nullptr);

/// How much a command says beside its results.
enum class Talk { quiet, normal, verbose };
/// As the flags of the command that was chosen say; for the whole process.
Talk talk();
/// -q, --verbose and --no-color: every command has them.
void add_talk_flags(CLI::App& command);
/// --force of commands that write files.
void add_force_flag(CLI::App& command, bool& force);

/// A message to standard error, unless nothing but errors is wanted. One line; a line end is added.
void tell(const std::string& message);
/// One error of the command itself, to standard error; or what has to be known although it is none, however little is
/// wanted.
void complain(const std::string& code, const std::string& message, const std::string& hint = {},
              Severity severity = Severity::error);

/// "error SCH001 EDG / Running: message (column 7)" with the hint on a line of its own. To standard error
/// only errors when nothing else is wanted. Whatever came from a file is printed visibly.
void print_diagnostics(const Diagnostics& list, const Document* document, std::FILE* to = stderr);
/// For --json: a list of objects with severity, code, message and place.
Value diagnostics_json(const Diagnostics& list, const Document* document);

/// --allow-folder, for every command that reads what a model names.
void add_allow_folder(CLI::App& command, std::vector<std::string>& folders);

/// The options of a run from the common table, --set and --allow-folder.
struct RunFlags {
  std::vector<RunOption> own;  ///< options beside those of the common table, offered too; set before add_to()
  std::map<std::string, std::string> values;
  std::vector<std::string> sets, allowed_folders;
  /// @param which  names of the options to offer.
  void add_to(CLI::App& command, const std::vector<std::string>& which);
  /// @returns exit code usage after a message, or nothing.
  std::optional<int> fill(RunRequest& request) const;
};

/// {valid, errors, warnings, problems}: what `validate --json` prints, and others of a model that they do not run.
Value problems_json(const Diagnostics& found, const Document* document);

/// As printed: indented; bytes that are no UTF-8 are replaced.
std::string json_text(const Value& json);

/// Columns of text, aligned; numbers to the right. Widths count characters, not bytes.
/// @param right  by column: set to the right.
std::string text_table(const std::vector<std::vector<std::string>>& rows, const std::vector<bool>& right);
/// Characters in a line of the terminal that is written to, else of COLUMNS; elsewhere lines may be of any length.
std::size_t output_width();
/// Characters of the longest line.
std::size_t widest_line(const std::string& text);

/// Where the records of a model are: --out FOLDER, or beside the model.
std::string store_path(const std::string& model_path, const std::string& out);

/// Where output goes: a file or, for "-", standard output; and what it may be put upon.
struct Output {
  std::string path;
  OverwriteRule rule = {};
};
/// Whether it may be written; a message when not. @returns ok or usage.
int may_write(const Output& to);
/// The same for a report: also says `usage`, RES011, where the file's name promises another format than HTML.
int may_write_report(const Output& to);
/// Writes, a file atomically, if it may be written; prints its path to standard error.
/// @returns ok, usage where it may not, run_error where it cannot; a message was printed.
int write_output(const Output& to, const std::string& text);

}  // namespace ergode::cli
