#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/data_files.h"
#include "core/document/document.h"
#include "core/random/distribution.h"

namespace ergode {

class Scope;  // Its users' headers have a variable named `slots`, which is a word of Qt.

/// A time as somebody sees it who chooses it.
struct LawPreview {
  Distribution law;                  ///< [s]; of what is no law one time in the long run
  std::optional<double> neighbours;  ///< of times that depend on each other: correlation of a time with the next one
};
/// What a text means as a time of an element; or why it is none: it changes during a run, or is a mistake. Files are
/// read through `files`.
std::variant<LawPreview, std::string> law_preview(const Element& element, std::string_view property,
                                                  const std::string& text, Scope& scope, const DataFiles& files);

/// All that may be written there: laws, those of a file, and what is no law. Forms of one kind stand side by side.
std::vector<DistributionForm> forms_at(const Element& element, std::string_view property);
/// Whether an argument of one of these forms is a text in quotes (a file, a column, a unit).
bool is_quoted(const DistributionArgument& argument);
/// Whether a form reads a file.
bool reads_file(const DistributionForm& form);

}  // namespace ergode
