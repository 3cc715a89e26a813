#include "core/base/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "core/base/element_id.h"

namespace ergode {
namespace {

Diagnostic refusal(const std::string& path, int reason) {
  Diagnostic d;
  d.code = "RES001";
  d.pointer = path;
  d.message = "Cannot write " + path + ": " + std::generic_category().message(reason) + ".";
  if (reason == ENOSPC || reason == EDQUOT || reason == EFBIG)
    d.hint = "Free some space and save again; the earlier file is unchanged.";
  else if (reason == EACCES || reason == EPERM || reason == EROFS) d.hint = "Choose a folder you may write to.";
  return d;
}

/// @returns 0, or the errno of the first failure.
int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return written < 0 ? errno : ENOSPC;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

int write_in_place(const std::string& path, std::string_view text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return errno;
  int fault = write_all(file, text);
  if (::close(file) != 0 && fault == 0) fault = errno;
  return fault;
}

/// What a kill left beside `target` earlier. Young files may be another program's, which is writing now.
void remove_left_over(const std::string& target) {
  namespace fs = std::filesystem;
  const fs::path path(target);
  const std::string begin = path.filename().string() + ".tmp-";
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::error_code failed;
  for (fs::directory_iterator file(folder, failed), end; !failed && file != end; file.increment(failed)) {
    const std::string name = file->path().filename().string();
    if (name.size() != begin.size() + 16 || !name.starts_with(begin)) continue;
    std::error_code unknown;
    const auto written = fs::last_write_time(file->path(), unknown);
    if (!unknown && fs::file_time_type::clock::now() - written > std::chrono::minutes(10))
      fs::remove(file->path(), unknown);
  }
}

/// The rename itself must outlive a power cut too; a folder that cannot be opened is no reason to fail.
void sync_folder(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const int file = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  ::fsync(file);
  ::close(file);
}

}  // namespace

std::string link_end(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr int most_links = 40;  // as the system itself allows
  fs::path at = path;
  for (int links = 0; links < most_links; ++links) {
    std::error_code failed;
    if (!fs::is_symlink(at, failed)) return at.string();
    const fs::path next = fs::read_symlink(at, failed);
    if (failed) return path;
    at = next.is_absolute() ? next : at.parent_path() / next;
  }
  return path;
}

std::optional<Diagnostic> write_file_atomically(const std::string& path, std::string_view text) {
  std::string target = link_end(path);
  struct stat before {};
  const bool exists = ::stat(path.c_str(), &before) == 0;
  if (!exists && errno == ELOOP) return refusal(path, ELOOP);
  if (exists) {
    if (S_ISDIR(before.st_mode)) return refusal(path, EISDIR);
    if (!S_ISREG(before.st_mode)) {
      const int fault = write_in_place(path, text);
      return fault != 0 ? std::optional(refusal(path, fault)) : std::nullopt;
    }
  }
  remove_left_over(target);
  // In the same folder, so that renaming stays within one file system, where it is atomic.
  const std::string beside = target + ".tmp-" + ElementId::make().text();
  const int file = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) return refusal(path, errno);
  int fault = write_all(file, text);
  if (fault == 0 && exists && ::fchmod(file, before.st_mode & 07777) != 0) fault = errno;
  if (fault == 0 && ::fsync(file) != 0 && errno != EINVAL) fault = errno;
  if (::close(file) != 0 && fault == 0) fault = errno;
  if (fault == 0 && ::rename(beside.c_str(), target.c_str()) != 0) fault = errno;
  if (fault != 0) {
    ::unlink(beside.c_str());
    return refusal(path, fault);
  }
  sync_folder(target);
  return std::nullopt;
}

}  // namespace ergode
