#include "app/session/import.h"

#include <algorithm>
#include <filesystem>

#include "core/base/read_file.h"
#include "solvers/queueing/exchange/jmt.h"
#include "solvers/reliability/galileo/galileo.h"
#include "statecharts/exchange/prism/prism_reader.h"
#include "statecharts/exchange/scxml_reader.h"

namespace ergode {
namespace {

std::string extension_of(const std::string& path) { return std::filesystem::path(path).extension().string(); }

// Extensions that PRISM's own examples have.
bool is_program(const std::string& path) {
  const std::string extension = extension_of(path);
  return extension == ".prism" || extension == ".sm" || extension == ".ctmc";
}

// Of the Java Modelling Tools, and Petri nets; their own tests end in .xml.
bool is_network(const std::string& path) {
  const std::string extension = extension_of(path);
  return extension == ".jsimg" || extension == ".jsim" || extension == ".jmva" || extension == ".pnml" ||
         extension == ".xml";
}

ImportedModel import_text(const std::string& path) {
  // XML says itself how it is encoded.
  auto opened = is_network(path) ? read_bytes(path) : read_text(path);
  if (auto* problem = std::get_if<Diagnostic>(&opened)) return {std::nullopt, {std::move(*problem)}, false};
  const std::string& text = std::get<std::string>(opened);
  const std::string name = std::filesystem::path(path).stem().string();
  if (is_program(path)) {
    PrismImport read(text, name);
    const bool complete = read.document.has_value();
    return {std::move(read.document), std::move(read.diagnostics), complete};
  }
  const auto import = is_network(path)                ? import_network
                      : extension_of(path) == ".json" ? import_tree_json
                                                      : import_galileo;
  ReadOutcome read = import(text, name);
  const bool whole = read.document.has_value();
  return {std::move(read.document), std::move(read.diagnostics), whole};
}

}  // namespace

const std::vector<std::string>& imported_extensions() {
  static const std::vector<std::string> extensions = {".scxml", ".dft",  ".json", ".prism", ".sm", ".ctmc",
                                                      ".jsimg", ".jsim", ".jmva", ".pnml",  ".xml"};
  return extensions;
}

bool is_imported(const std::string& path) {
  const auto& known = imported_extensions();
  return std::find(known.begin(), known.end(), extension_of(path)) != known.end();
}

bool is_chart_file(const std::string& path) { return extension_of(path) == ".scxml"; }

ImportedModel import_model(const std::string& path) {
  if (!is_chart_file(path)) return import_text(path);
  ScxmlImport read = read_scxml(path);
  return {std::move(read.document), std::move(read.diagnostics), read.complete};
}

}  // namespace ergode
