#include "app/session/store_path.h"

#include <filesystem>

namespace ergode {

std::string default_store_path(const std::string& model_path) {
  if (model_path.ends_with(".results.sqlite")) return model_path;
  std::filesystem::path path(model_path);
  if (path.extension() == ".ergode") return path.replace_extension(".results.sqlite").string();
  return (path += ".results.sqlite").string();
}

void remove_store(const std::string& path) {
  std::error_code ignored;
  for (const char* part : {"", "-journal", "-wal", "-shm"}) std::filesystem::remove(path + part, ignored);
}

}  // namespace ergode
