#include "core/base/read_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <vector>

#include "core/base/text.h"
#include "core/base/text_place.h"

namespace ergode {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int file, bool owned) : file_(file), owned_(owned) {}
  ~Descriptor() {
    if (owned_ && file_ >= 0) ::close(file_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return file_; }

 private:
  int file_;
  bool owned_;
};

Diagnostic refusal(const char* code, const std::string& path, std::string message, std::string hint = {}) {
  return {.code = code, .pointer = quotable(path, 200), .message = std::move(message), .hint = std::move(hint)};
}

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

/// What somebody can do about a file that is not there: its nearest neighbour by name, with or without its ending.
std::string hint_for_missing(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr int most_looked_at = 1000;
  const fs::path wanted(path), folder = wanted.has_parent_path() ? wanted.parent_path() : fs::path(".");
  std::error_code failed;
  fs::directory_iterator entry(folder, failed);
  if (failed) return "There is no folder " + quotable(folder.string(), 200) + ".";
  std::vector<std::string> names;
  int seen = 0;
  for (; !failed && entry != fs::directory_iterator() && seen < most_looked_at; entry.increment(failed), ++seen) {
    const fs::path name = entry->path().filename();
    if (name.stem() == wanted.filename() && name.extension() == ".ergode")
      return "Did you mean " + quotable((wanted.parent_path() / name).string(), 200) + "?";
    names.push_back(name.string());
  }
  const std::string near = nearest_word(wanted.filename().string(), names);
  if (near.empty()) return "Check its name, and the folder you are in.";
  return "Did you mean " + quotable((wanted.parent_path() / near).string(), 200) + "?";
}

std::string megabytes(std::size_t bytes) { return std::to_string(bytes >> 20U) + " MB"; }

}  // namespace

std::variant<std::string, Diagnostic> read_bytes(const std::string& path, std::size_t most) {
  const bool standard = path == "-";
  const std::string name = standard ? "Standard input" : quotable(path, 200);
  const auto system = [&](int reason) {
    const std::string hint = reason == ENOENT                      ? hint_for_missing(path)
                             : reason == EACCES || reason == EPERM ? "Ask its owner for the right to read it."
                                                                   : "";
    return refusal("FMT000", path, name + " cannot be read: " + std::generic_category().message(reason) + ".", hint);
  };
  const auto too_large = [&](const std::string& size) {
    return refusal("FMT003", path, name + " has " + size + "; at most " + megabytes(most) + " are read.");
  };
  // Opening a pipe or some devices would wait for the other side.
  const Descriptor file(standard ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY),
                        !standard);
  if (file.get() < 0)
    return errno == ENXIO ? refusal("FMT014", path, name + " is a socket or device; wanted a file.") : system(errno);
  struct stat about {};
  if (::fstat(file.get(), &about) != 0) return system(errno);
  const bool regular = S_ISREG(about.st_mode);
  if (!regular && (!standard || S_ISDIR(about.st_mode)))
    return refusal("FMT014", path, name + " is " + kind_of(about.st_mode) + "; wanted a file.",
                   S_ISFIFO(about.st_mode) ? "Standard input can be read: name it -." : "");
  const auto size = static_cast<std::size_t>(regular ? about.st_size : 0);
  if (size > most) return too_large(std::to_string(size >> 20U) + " MB");
  // Files in /proc say they are empty; others grow while they are read.
  std::string out;
  out.reserve(size + 1);
  char part[65536];
  while (true) {
    const ssize_t count = ::read(file.get(), part, sizeof part);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system(errno);
    if (count == 0) return out;
    out.append(part, static_cast<std::size_t>(count));
    if (out.size() > most) return too_large("more");
  }
}

std::optional<Diagnostic> encoding_defect(std::string_view text, const std::string& name) {
  const auto bad = invalid_utf8(text);
  if (!bad) return std::nullopt;
  const TextPlace place = place_of(text, *bad);
  return Diagnostic{.code = "FMT015",
                    .pointer = std::to_string(place.line) + ":" + std::to_string(place.column),
                    .message = name + " is not UTF-8: line " + std::to_string(place.line) + ", column " +
                               std::to_string(place.column) + ", byte " + std::to_string(*bad) + " is " +
                               quotable(text.substr(*bad, 1)) + ".",
                    .hint = "Save it as UTF-8."};
}

std::variant<std::string, Diagnostic> read_text(const std::string& path, std::size_t most) {
  auto read = read_bytes(path, most);
  auto* text = std::get_if<std::string>(&read);
  if (text == nullptr) return read;
  if (auto defect = encoding_defect(*text, path == "-" ? "Standard input" : quotable(path, 200)))
    return std::move(*defect);
  if (text->starts_with("\xef\xbb\xbf")) text->erase(0, 3);
  return read;
}

}  // namespace ergode
