#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/diagnostic.h"
#include "core/document/document.h"

namespace ergode {

/// An SCXML document as a model: one drawn chart and one component of it.
struct ScxmlImport {
  std::optional<Document> document;  ///< Absent when the text is not well-formed XML or no SCXML document.
  /// SCX codes; each names the element and its line and column. Nothing is left out without one.
  Diagnostics diagnostics;
  /// Nothing was left out that changes what the chart does. Otherwise the document is a drawing to work on, not to run.
  bool complete = true;
  /// Event names of the SCXML document -> names in the model, where they differ (`In-s1` is no identifier).
  std::map<std::string, std::string> events;
};

/// Reads an SCXML document (W3C Recommendation, 1 September 2015) with a data model of numbers, truth values and texts
/// in ECMAScript notation. Never throws. Element ids depend on the document alone: the same text gives the same model.
///
/// States keep their ids as names, and as property `scxml_id` where an id is no identifier. Parallel states become
/// states with regions; several targets go through a bar; `if` becomes conditions on assignments and events; `foreach`
/// over a constant array is unrolled; texts become numbers; an expression that ECMAScript itself cannot evaluate
/// becomes the event error.execution, as at run time.
/// @param folder  where files named by `src` are looked for; empty: nowhere.
ScxmlImport parse_scxml(std::string_view bytes, const std::string& name, const std::string& folder = {});
ScxmlImport read_scxml(const std::string& path);

}  // namespace ergode
