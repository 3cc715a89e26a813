#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/document/document.h"

namespace ergode {

/// A model made from a file of another program.
struct ImportedModel {
  std::optional<Document> document;
  Diagnostics diagnostics;
  bool complete = false;  ///< it may be run: nothing that changes what it does was left out
};

/// The file's name says that it is imported rather than opened: `.scxml` (statecharts), `.dft` (dynamic fault trees in
/// the Galileo format), `.json` (the same in JSON), `.prism`, `.sm` and `.ctmc` (Markov chains in the PRISM language),
/// `.jsimg`, `.jsim` and `.jmva` (queueing networks of the Java Modelling Tools), `.pnml` (Petri nets), `.xml` (one of
/// the last four, by its root).
/// Extensions in lower case; the file is not looked at.
bool is_imported(const std::string& path);
/// An SCXML document: one chart, run on its own.
bool is_chart_file(const std::string& path);
/// Extensions, for messages and file dialogs: ".scxml", ".dft", ".json" ...
const std::vector<std::string>& imported_extensions();
/// Reads the file by what its extension says, one of imported_extensions(). What it cannot express or
/// does not know stands in the diagnostics; `document` is absent where there is no model.
ImportedModel import_model(const std::string& path);

}  // namespace ergode
