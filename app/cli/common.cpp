#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include "app/cli/commands.h"
#include "app/session/import.h"
#include "app/session/store_path.h"
#include "core/base/atomic_file.h"
#include "core/base/file_access.h"
#include "core/base/text.h"
#include "core/format/model_file.h"
#include "core/report/report_html.h"
#include "core/results/result_json.h"
#include "solvers/run_options.h"

namespace ergode::cli {

Diagnostic chart_left_incomplete(const std::string& path) {
  return {.code = "SCX020",
          .message = path + " is not run, because parts of it were left out (see above), which changes what it does.",
          .hint = "`ergode import` makes a model of the rest."};
}

Opened open_model(const std::string& path, Diagnostics* kept) {
  Opened out;
  out.path = path;
  out.folder = path == "-" ? "." : folder_of(path);
  if (is_imported(path)) {
    ImportedModel imported = import_model(path);
    if (kept != nullptr) *kept = imported.diagnostics;
    else print_diagnostics(imported.diagnostics, nullptr);
    out.document = std::move(imported.document);
    out.complete = imported.complete;
    return out;
  }
  ReadOutcome read = read_model(path);
  if (kept != nullptr) *kept = read.diagnostics;
  else print_diagnostics(read.diagnostics, read.document ? &*read.document : nullptr);
  out.document = std::move(read.document);
  return out;
}

namespace {

Talk how = Talk::normal;
bool plain = false;

/// Colours for people at a terminal, unless they said no in one of the usual ways (no-color.org).
bool colours(std::FILE* to) {
  const char* terminal = std::getenv("TERM");
  const char* no = std::getenv("NO_COLOR");
  return !plain && isatty(fileno(to)) != 0 && (no == nullptr || *no == '\0') &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

std::string severity_text(Severity severity, std::FILE* to) {
  if (!colours(to)) return to_text(severity);
  const char* colour = severity == Severity::error     ? "\x1b[1;31m"
                       : severity == Severity::warning ? "\x1b[33m"
                                                       : "\x1b[36m";
  return colour + std::string(to_text(severity)) + "\x1b[0m";
}

}  // namespace

Talk talk() { return how; }

void add_talk_flags(CLI::App& command) {
  command.add_flag_callback(
      "-q,--quiet", [] { how = Talk::quiet; }, "No messages but errors.");
  command.add_flag_callback(
      "-v,--verbose", [] { how = Talk::verbose; }, "Say more: what was tried and left out, and why.");
  command.add_flag_callback(
      "--no-color", [] { plain = true; }, "No colours on a terminal (NO_COLOR does the same).");
}

void add_force_flag(CLI::App& command, bool& force) {
  command.add_flag("--force", force,
                   "Overwrite a file that this program did not make; never a model or a result store.");
}

void tell(const std::string& message) {
  if (how != Talk::quiet) std::fprintf(stderr, "%s\n", visible(message).c_str());
}

namespace {

void print_one(const Diagnostic& d, const Document* document, std::FILE* to) {
  std::string place = document != nullptr ? document->path(d.element) : std::string();
  if (!d.pointer.empty()) place += (place.empty() ? "" : ", ") + d.pointer;
  if (d.column > 0) place += ", column " + std::to_string(d.column);
  std::fprintf(to, "%s %s%s%s: %s\n", severity_text(d.severity, to).c_str(), d.code.c_str(), place.empty() ? "" : " ",
               visible(place).c_str(), visible(d.message).c_str());
  if (!d.hint.empty()) std::fprintf(to, "    %s\n", visible(d.hint).c_str());
  for (const QuickFix& fix : d.fixes) std::fprintf(to, "    fix: %s\n", visible(fix.label).c_str());
}

}  // namespace

void complain(const std::string& code, const std::string& message, const std::string& hint, Severity severity) {
  print_one({.severity = severity, .code = code, .message = message, .hint = hint}, nullptr, stderr);
}

void print_diagnostics(const Diagnostics& list, const Document* document, std::FILE* to) {
  for (const Diagnostic& d : list)
    if (to != stderr || how != Talk::quiet || d.severity == Severity::error) print_one(d, document, to);
}

std::string json_text(const Value& json) { return json.dump(2, Value::BadText::replace); }

Value diagnostics_json(const Diagnostics& list, const Document* document) {
  Value out = Value::array();
  for (const Diagnostic& d : list) {
    Value one = to_json(d);
    if (document != nullptr && d.element) one["path"] = document->path(d.element);
    for (const QuickFix& fix : d.fixes) one["fixes"].push_back(fix.label);
    out.push_back(std::move(one));
  }
  return out;
}

void RunFlags::add_to(CLI::App& command, const std::vector<std::string>& which) {
  std::vector<RunOption> offered = run_options();
  std::erase_if(offered,
                [&](const RunOption& spec) { return std::find(which.begin(), which.end(), spec.name) == which.end(); });
  offered.insert(offered.end(), own.begin(), own.end());
  for (const RunOption& spec : offered) {
    std::string help = spec.help;
    if (!spec.default_text.empty()) help += " Default: " + spec.default_text + ".";
    CLI::Option* flag = command.add_option("--" + spec.name, values[spec.name], help)->type_name(spec.value);
    // Joined by line ends, for with a comma as its delimiter the library would take a value of nothing but commas for
    // none, and the next flag for the value.
    if (spec.repeats) flag->multi_option_policy(CLI::MultiOptionPolicy::Join);
  }
  command
      .add_option(
          "--set", sets,
          "Value of a parameter, or of a property of an element by its name, for this run, with its unit: --set "
          "\"mu = 2e-4 /h\" --set desk.servers=3. May be repeated.")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  add_allow_folder(command, allowed_folders);
}

void add_allow_folder(CLI::App& command, std::vector<std::string>& folders) {
  command
      .add_option("--allow-folder", folders,
                  "The model may name data files in this folder and below, besides its own. May be repeated.")
      ->type_name("FOLDER")
      ->check(CLI::ExistingDirectory)
      ->allow_extra_args(false);
}

void permit_named_files(const Document& document, RunRequest& request) {
  for (const Element* element : document.of(Section::parameter)) {
    const auto given = request.overrides.find(element->name());
    if (element->text("type") != "file" || given == request.overrides.end()) continue;
    std::error_code none;
    const std::filesystem::path here = std::filesystem::absolute(std::string(trim(given->second)), none);
    if (none || !std::filesystem::is_regular_file(here, none)) continue;
    given->second = here.lexically_normal().string();
    request.allowed_folders.push_back(here.parent_path().string());
  }
}

std::optional<int> RunFlags::fill(RunRequest& request) const {
  for (const auto& [name, text] : values) {
    if (text.empty()) continue;
    std::string joined = text;
    std::replace(joined.begin(), joined.end(), '\n', ',');
    const std::string& called = name;
    const auto its_own =
        std::find_if(own.begin(), own.end(), [&called](const RunOption& option) { return option.name == called; });
    if (const auto problem =
            its_own != own.end() ? set_run_option(request, *its_own, joined) : set_run_option(request, name, joined)) {
      print_diagnostics({*problem}, nullptr);
      return usage;
    }
  }
  for (const std::string& text : sets) {
    const auto equals = text.find('=');
    const std::string name(trim(text.substr(0, equals)));
    const std::vector<std::string> words = split(name, '.');
    const bool good =
        std::all_of(words.begin(), words.end(), [](const std::string& word) { return is_identifier(word); });
    if (equals == std::string::npos || !good) {
      complain("RUN010", "--set is \"" + text + "\"; wanted NAME=VALUE.");
      return usage;
    }
    const std::string value(trim(text.substr(equals + 1)));
    const auto [known, first] = request.overrides.try_emplace(name, value);
    if (!first) {
      complain("RUN010",
               "--set gives " + name + " twice: \"" + known->second + "\" and \"" + value + "\"; wanted one value.",
               "Leave one of them out.");
      return usage;
    }
  }
  request.allowed_folders = allowed_folders;
  return std::nullopt;
}

std::string text_table(const std::vector<std::vector<std::string>>& given, const std::vector<bool>& right) {
  std::vector<std::vector<std::string>> rows = given;
  for (auto& row : rows)
    for (std::string& cell : row) cell = visible(cell);
  const auto width = [](const std::string& text) {
    std::size_t n = 0;
    for (const char c : text) n += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    return n;
  };
  std::vector<std::size_t> widths;
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (widths.size() <= i) widths.resize(i + 1);
      widths[i] = std::max(widths[i], width(row[i]));
    }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string gap(widths[i] - width(row[i]), ' ');
      line += (i == 0 ? "" : "  ") + (i < right.size() && right[i] ? gap + row[i] : row[i] + gap);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

Value problems_json(const Diagnostics& found, const Document* document) {
  std::size_t errors = 0, warnings = 0;
  for (const Diagnostic& d : found) (d.severity == Severity::error ? errors : warnings) += d.severity != Severity::info;
  Value out = {{"valid", errors == 0}, {"errors", errors}, {"warnings", warnings}};
  out["problems"] = diagnostics_json(found, document);
  return out;
}

std::size_t output_width() {
  winsize size{};
  if (isatty(STDOUT_FILENO) != 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const char* said = std::getenv("COLUMNS");
  const auto columns = said == nullptr ? std::nullopt : whole_number(said);
  return columns && *columns > 0 ? static_cast<std::size_t>(*columns) : std::numeric_limits<std::size_t>::max();
}

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0, now = 0;
  for (const char c : text) {
    now = c == '\n' ? 0 : now + ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0);
    widest = std::max(widest, now);
  }
  return widest;
}

std::string store_path(const std::string& model_path, const std::string& out) {
  if (out.empty()) return default_store_path(model_path);
  return (std::filesystem::path(out) / std::filesystem::path(default_store_path(model_path)).filename()).string();
}

int may_write(const Output& to) {
  const auto refused = refuse_overwrite(to.path, to.rule);
  if (!refused) return ok;
  print_diagnostics({*refused}, nullptr);
  return usage;
}

int may_write_report(const Output& to) {
  if (const int code = may_write(to); code != ok) return code;
  const auto refused = refuse_report_name(to.path);
  if (!refused) return ok;
  print_diagnostics({*refused}, nullptr);
  return usage;
}

int write_output(const Output& to, const std::string& text) {
  if (to.path == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return ok;  // whether it arrived is looked at once, at the end
  }
  if (const int code = may_write(to); code != ok) return code;
  if (const auto problem = write_file_atomically(to.path, text)) {
    print_diagnostics({*problem}, nullptr);
    return run_error;
  }
  tell("wrote " + to.path);
  return ok;
}

}  // namespace ergode::cli
