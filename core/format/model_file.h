#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/document/document.h"

namespace ergode {

/// Version of the file format that this program writes. Older versions are migrated; newer ones are refused (FMT005).
inline constexpr int schema_version = 1;

/// A model, or why there is none.
struct ReadOutcome {
  std::optional<Document> document;  ///< Absent when there are errors.
  Diagnostics diagnostics;           ///< With JSON pointers; FMT codes.
};

/// Reads a model file; "-" is standard input. Never throws; every defect found is reported, not only the first.
///
/// The file is one JSON object: `format` "ergode-model", `schema` 1, and the lists of elements, one element per line:
/// `model`, `parameters`, `diagrams` (each with `nodes` and `edges`), `measures`, `scenarios`, `studies`, `exclusions`;
/// `layout` stands apart: element id -> [x, y, width, height] for nodes, {"points": ..., "label": ...} for edges.
/// Kinds, properties and top-level keys that this version does not know are kept and written back.
///
/// FMT000, 003, 014, 015: the file cannot be taken as a text; FMT001 no model; FMT002, 003, 004 the JSON is wrong;
/// FMT005 its version; FMT006 a part has another type than wanted; FMT007, 008, 010, 011, 012, 016 keys, ids,
/// references, layout and containment. O(size). What the elements mean is not looked at: see app/session/check.h.
ReadOutcome read_model(const std::string& path);
/// The same from UTF-8 text.
ReadOutcome parse_model(std::string_view text);

/// Keys of the file's one object that this version knows.
const std::vector<std::string>& model_file_keys();

/// The canonical text: stable order, two spaces of indent, an element per line. parse_model(write_model(d)) equals d,
/// but for layouts that are not finite, which are left out. O(size).
std::string write_model(const Document& document);

/// Writes the canonical text atomically; the earlier file stays whole when this fails (FMT009 in place of RES001).
std::optional<Diagnostic> save_model(const Document& document, const std::string& path);

}  // namespace ergode
