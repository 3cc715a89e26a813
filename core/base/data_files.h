#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/base/file_access.h"

namespace ergode {

/// A file as it was when a model was made of it.
/// Stands in the provenance of every answer, so that a run can say which data it was made of.
struct FileRead {
  std::string name;    ///< as the model names it, without detours ("./a.csv" is "a.csv")
  std::string path;    ///< what was opened
  std::string sha256;  ///< of its bytes; empty: it could not be read
  std::uintmax_t size = 0;
  std::filesystem::file_time_type written = {};  ///< when it was changed last
  bool settled = false;  ///< that was so long before it was read that a later change shows in `written`
};

/// Whether the file still holds the bytes it held (or still cannot be read). Looks at size and time alone where these
/// suffice, else reads it.
/// Size and time suffice when the file was at least two seconds old when it was read, the coarsest clock of a file
/// system.
bool unchanged(const FileRead& file);

/// The data files that one model reads. Each is opened once, so that whoever asks while the model is made sees the same
/// bytes, and what was read can be told afterwards. A handle: copies share what was read. For one thread.
///
/// Memory: the texts, as long as a handle or anybody who got one keeps them.
class DataFiles {
 public:
  /// @param access  decides what may be named; without any, nothing may.
  DataFiles(FileAccess access = {});

  /// The text of a file, shared by all who asked for it.
  struct Text {
    std::string name;                         ///< for messages: the path that was opened
    std::shared_ptr<const std::string> text;  ///< UTF-8
  };
  /// The text of a file that the model names.
  /// @returns a refusal when the model may not name it (permitted_file), a problem when it cannot be read (read_bytes)
  ///          or is no UTF-8.
  std::variant<Text, FileRefusal, Diagnostic> text(std::string_view name) const;

  /// All files asked for so far that the model may name, by name; those that could not be read with an empty hash.
  std::vector<FileRead> read() const;

 private:
  struct Kept;
  FileAccess access_;
  std::shared_ptr<Kept> kept_;
};

}  // namespace ergode
