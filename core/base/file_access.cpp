#include "core/base/file_access.h"

#include <algorithm>
#include <system_error>

namespace ergode {
namespace {

namespace fs = std::filesystem;

/// Links followed as far as the path exists; empty when that cannot be done (a circle of links).
fs::path resolved(const fs::path& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  if (error) return {};
  fs::path out = fs::weakly_canonical(absolute, error);
  if (error) return {};
  // What leads nowhere yet may lead anywhere when it is opened.
  return fs::is_symlink(fs::symlink_status(out, error)) ? fs::path() : out;
}

bool lies_in(const fs::path& file, const std::string& folder) {
  if (folder.empty()) return false;
  fs::path root = resolved(folder);
  if (!root.has_filename()) root = root.parent_path();  // "data/" is "data"
  if (root.empty()) return false;
  const auto [end, rest] = std::mismatch(root.begin(), root.end(), file.begin(), file.end());
  return end == root.end() && rest != file.end();
}

}  // namespace

std::variant<fs::path, FileRefusal> permitted_file(const FileAccess& access, std::string_view name) {
  const fs::path named{std::string(name)};
  if (named.empty() || name.find('\0') != std::string_view::npos)
    return FileRefusal{"The file has no name; wanted one in the model's folder.", {}};
  if (named.is_relative() && access.folder.empty())
    return FileRefusal{"\"" + named.string() + "\" is looked for in the model's folder, but the model is in no file.",
                       {}};
  const fs::path path = resolved(named.is_absolute() ? named : fs::path(access.folder) / named);
  if (path.empty()) return FileRefusal{"\"" + named.string() + "\" cannot be followed; wanted a file.", {}};
  if (lies_in(path, access.folder)) return path;
  for (const std::string& folder : access.allowed)
    if (lies_in(path, folder)) return path;
  return FileRefusal{"\"" + named.string() + "\" lies outside the model's folder; wanted a file in it or below.",
                     path.parent_path().string()};
}

std::string folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

std::string excerpt(std::string_view content) {
  constexpr std::size_t most = 12;
  if (content.size() <= most) return std::string(content);
  std::size_t end = most;  // not within a letter of several bytes
  while (end > 0 && (static_cast<unsigned char>(content[end]) & 0xC0U) == 0x80U) --end;
  return std::string(content.substr(0, end)) + "...";
}

}  // namespace ergode
