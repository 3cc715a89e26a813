#include "app/session/overwrite.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/base/atomic_file.h"

namespace ergode {
namespace {

namespace fs = std::filesystem;

constexpr std::streamsize looked_at = 8192;  // at each end: where every writer of ours says who it is

/// The first and last few kilobytes.
std::string ends_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string first(static_cast<std::size_t>(looked_at), '\0'), last = first;
  file.read(first.data(), looked_at);
  first.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
  // A file shorter than that has set the end-of-file bit, which would refuse to seek.
  file.clear();
  file.seekg(0, std::ios::end);
  const auto size = static_cast<std::streamoff>(file.tellg());
  file.seekg(std::max<std::streamoff>(0, size - looked_at));
  file.read(last.data(), looked_at);
  last.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
  return first + last;
}

bool is_output(const std::string& text) {
  // HTML, SVG and what is drawn, PDF, C++ and SCXML, JSON, the two tables as CSV, and what belongs to them.
  static constexpr const char* marks[] = {"content=\"Ergode", "program: Ergode", "/Producer (Ergode)",
                                          "written by Ergode", "\"ergode-results\""};
  static constexpr const char* beginnings[] = {"id,label,kind,unit,", "measure,kind,solver,x,", "{\n  \"file\": "};
  return text.empty() ||
         std::any_of(std::begin(marks), std::end(marks),
                     [&](const char* mark) { return text.find(mark) != std::string::npos; }) ||
         std::any_of(std::begin(beginnings), std::end(beginnings),
                     [&](const char* beginning) { return text.starts_with(beginning); });
}

constexpr const char* store_ending = ".results.sqlite";

bool holds_database(const std::string& path) {
  std::error_code failed;
  return fs::is_regular_file(path, failed) && ends_of(path).starts_with("SQLite format 3");
}

/// A store, or what a database keeps beside itself: a stray one makes the database unreadable, or worse.
bool belongs_to_a_store(const std::string& path) {
  for (const std::string_view companion : {"-wal", "-shm", "-journal"})
    if (path.ends_with(companion)) {
      const std::string store = path.substr(0, path.size() - companion.size());
      return store.ends_with(store_ending) || holds_database(store);
    }
  return path.ends_with(store_ending);
}

}  // namespace

std::optional<Diagnostic> refuse_overwrite(const std::string& path, const OverwriteRule& rule) {
  std::error_code failed;
  if (path == "-") return std::nullopt;
  if (belongs_to_a_store(path) || belongs_to_a_store(link_end(path)))
    return Diagnostic{.code = "FMT009",
                      .pointer = path,
                      .message = path + " is the name of a result store or of its database's files; it is not written.",
                      .hint = "Give another name."};
  if (!fs::is_regular_file(path, failed)) return std::nullopt;
  const auto refused = [&](const std::string& what, std::string hint) {
    return Diagnostic{.code = "FMT009", .pointer = path, .message = path + " " + what, .hint = std::move(hint)};
  };
  for (const std::string& input : rule.inputs)
    if (fs::equivalent(path, input, failed))
      return refused("is what the command reads; it is not overwritten.", "Give another name.");
  const std::string text = ends_of(path);
  if (text.starts_with("SQLite format 3"))
    return refused("is a result store or another database; it is not overwritten.", "Give another name.");
  const std::string extension = fs::path(path).extension().string();
  // By its name as well: a model that somebody damaged is still somebody's work.
  const bool model = extension == ".ergode" || text.substr(0, 200).find("\"ergode-model\"") != std::string::npos;
  if (model && !(rule.models && rule.force))
    return refused("is a model; it is not overwritten.", rule.models ? "--force replaces it." : "Give another name.");
  if (model || rule.force || (is_output(text) && !rule.models)) return std::nullopt;
  return refused("exists, and is no output of this program.", "--force replaces it.");
}

}  // namespace ergode
