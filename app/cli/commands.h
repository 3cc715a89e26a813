#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/document/document.h"
#include "core/study/solver.h"

namespace ergode::cli {

/// Exit codes; documented in the help and never changed.
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
void add_run(CLI::App& app, Action& chosen);
void add_validate(CLI::App& app, Action& chosen);
void add_results(CLI::App& app, Action& chosen);
void add_export(CLI::App& app, Action& chosen);
void add_report(CLI::App& app, Action& chosen);
void add_hash(CLI::App& app, Action& chosen);
void add_import(CLI::App& app, Action& chosen);
void add_importance(CLI::App& app, Action& chosen);
void add_new(CLI::App& app, Action& chosen);
void add_solvers(CLI::App& app, Action& chosen);

/// `run` of an SCXML document: the configurations a chart goes through.
struct ChartRunFlags {
  std::string model, events, horizon, seed;
  bool json = false, quiet = false;
};
int run_chart(const ChartRunFlags& flags);
/// `export --format scxml` and the other formats of charts.
int export_as(const std::string& model, const std::string& chart, const std::string& format, const std::string& out);

/// A model as opened by a subcommand.
struct Opened {
  std::optional<Document> document;  ///< absent: the diagnostics were printed
  std::string path, folder;
};
/// Reads a model, or imports one (.scxml); "-" is standard input. Prints diagnostics to stderr, or keeps them in `kept`
/// when given.
Opened open_model(const std::string& path, Diagnostics* kept = nullptr);

/// "error SCH001 EDG / Running: message (column 7)" with the hint on a line of its own.
void print_diagnostics(const Diagnostics& list, const Document* document, std::FILE* to = stderr);
nlohmann::ordered_json diagnostics_json(const Diagnostics& list, const Document* document);

/// The options of a run from the common table, and --set.
struct RunFlags {
  std::map<std::string, std::string> values;
  std::vector<std::string> sets;
  /// @param which  names of the options to offer.
  void add_to(CLI::App& command, const std::vector<std::string>& which);
  /// @returns exit code usage after a message, or nothing.
  std::optional<int> fill(RunRequest& request) const;
};

/// Columns of text, aligned; numbers to the right.
std::string text_table(const std::vector<std::vector<std::string>>& rows, const std::vector<bool>& right);

/// Where the records of a model are: --out FOLDER, or beside the model.
std::string store_path(const std::string& model_path, const std::string& out);

/// Writes to a file (atomically) or, for "-", to standard output. Prints the path to stderr.
int write_output(const std::string& path, const std::string& text);

}  // namespace ergode::cli
