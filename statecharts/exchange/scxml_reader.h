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
  /// SCX codes; each names the element and its line and column ("line:column" in `pointer`). Nothing is left out
  /// without one. Errors, without a document: SCX001 no well-formed XML or an encoding that is not read, SCX002 another
  /// root element. Warnings and remarks: SCX004 namespace, SCX005 no counterpart, SCX006 targets and initial states,
  /// SCX007 an id twice, SCX008 an expression that cannot be carried over, SCX009 one that is an error at run time,
  /// SCX010 nested too deep (states 100, content 60), SCX011 scripts, files, loops, SCX012 log elements, SCX013 ids
  /// and names of events, data and sends that are changed, SCX014 texts kept as numbers, SCX015 an event or time that
  /// is missing, SCX016 late binding, SCX017 what the Recommendation forbids, SCX018 attributes it does not know,
  /// SCX019 types that are not settled.
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
///
/// The model has a mission time of 10 s, the chart, named after the attribute `name` of the document, and one component
/// of it. The chart is laid out by layout_chart(). The document is translated again and again, until nothing new turns
/// up about the types of its variables, up to 8 times.
/// @param bytes   in one of the encodings of xml_as_utf8().
/// @param name    of the chart where the document has none.
/// @param folder  where files named by `src` are looked for; empty: nowhere. Nothing outside of it is read.
ScxmlImport parse_scxml(std::string_view bytes, const std::string& name, const std::string& folder = {});
/// The same from a file: the chart's name is the file's without extension, `folder` the file's own. A file that cannot
/// be read gives its diagnostic and no document.
ScxmlImport read_scxml(const std::string& path);

}  // namespace ergode
