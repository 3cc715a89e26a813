#include "app/session/store_path.h"

#include <filesystem>

namespace ergode {

std::string default_store_path(const std::string& model_path) {
  return std::filesystem::path(model_path).replace_extension(".results.sqlite").string();
}

void remove_store(const std::string& path) {
  std::error_code ignored;
  for (const char* part : {"", "-wal", "-shm"}) std::filesystem::remove(path + part, ignored);
}

}  // namespace ergode
