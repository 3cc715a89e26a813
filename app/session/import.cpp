#include "app/session/import.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "solvers/reliability/galileo/galileo.h"

namespace ergode {

namespace {

using Importer = ReadOutcome (*)(std::string_view text, const std::string& name);

Importer importer(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".dft") return import_galileo;
  return nullptr;
}

}  // namespace

bool is_imported(const std::string& path) { return importer(path) != nullptr; }

ReadOutcome read_any_model(const std::string& path) {
  const Importer import = importer(path);
  if (import == nullptr) return read_model(path);
  std::ifstream file(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file.is_open() || file.bad()) {
    ReadOutcome out;
    out.diagnostics.push_back({.code = "FMT001", .message = path + " cannot be read."});
    return out;
  }
  return import(text, std::filesystem::path(path).stem().string());
}

}  // namespace ergode
