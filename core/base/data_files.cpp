#include "core/base/data_files.h"

#include <chrono>
#include <map>
#include <system_error>

#include "core/base/read_file.h"
#include "core/base/sha256.h"

namespace ergode {
namespace {

namespace fs = std::filesystem;

// Times of files are as coarse as two seconds (FAT); a change within that may leave no trace in them.
constexpr std::chrono::seconds coarsest_clock(2);

/// Size and time of the file as it is now; both zero when there is none.
void look_at(FileRead& file) {
  std::error_code none;
  file.size = fs::file_size(file.path, none);
  if (none) file.size = 0;
  file.written = fs::last_write_time(file.path, none);
  if (none) file.written = {};
  else file.settled = file.written + coarsest_clock < fs::file_time_type::clock::now();
}

}  // namespace

bool unchanged(const FileRead& file) {
  FileRead now{.name = file.name, .path = file.path, .sha256 = {}};
  look_at(now);
  if (file.settled && now.size == file.size && now.written == file.written) return true;
  const auto bytes = read_bytes(file.path);
  const auto* text = std::get_if<std::string>(&bytes);
  // No hash stands for a file that cannot be read: as it could not then, it is unchanged.
  return (text != nullptr ? sha256_hex(*text) : std::string()) == file.sha256;
}

struct DataFiles::Kept {
  struct File {
    FileRead read;
    std::variant<Text, FileRefusal, Diagnostic> text;
  };
  std::map<std::string, File, std::less<>> files;
};

DataFiles::DataFiles(FileAccess access) : access_(std::move(access)), kept_(std::make_shared<Kept>()) {}

std::variant<DataFiles::Text, FileRefusal, Diagnostic> DataFiles::text(std::string_view name) const {
  const auto permitted = permitted_file(access_, name);
  if (const auto* refusal = std::get_if<FileRefusal>(&permitted)) return *refusal;
  const std::string plain = fs::path(name).lexically_normal().generic_string();
  if (const auto known = kept_->files.find(plain); known != kept_->files.end()) return known->second.text;
  Kept::File file{.read = {.name = plain, .path = std::get<fs::path>(permitted).string(), .sha256 = {}}, .text = {}};
  // Before it is read: a change meanwhile then shows as one.
  look_at(file.read);
  auto bytes = read_bytes(file.read.path);
  if (auto* problem = std::get_if<Diagnostic>(&bytes)) file.text = std::move(*problem);
  else {
    std::string& text = std::get<std::string>(bytes);
    file.read.sha256 = sha256_hex(text);
    if (auto defect = encoding_defect(text, file.read.path)) file.text = std::move(*defect);
    else file.text = Text{file.read.path, std::make_shared<const std::string>(std::move(text))};
  }
  return kept_->files.emplace(plain, std::move(file)).first->second.text;
}

std::vector<FileRead> DataFiles::read() const {
  std::vector<FileRead> out;
  for (const auto& [name, file] : kept_->files) out.push_back(file.read);
  return out;
}

}  // namespace ergode
