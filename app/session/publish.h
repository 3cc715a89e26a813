#pragma once
#include <optional>
#include <string>

#include "core/document/document.h"
#include "core/results/result_set.h"
#include "core/study/solver.h"

namespace ergode {

/// The HTML report of a run; exact results of its company are set beside it, but for those of the long run.
/// The document must be the one that was run (same semantic hash); null when it is not at hand.
std::string make_report(const Document* document, const ResultSet& run, const std::string& folder = {});

/// One diagram as SVG in the print theme, with the model's hashes in its metadata. The same bytes from the command line
/// and the desktop, whatever the screen looks like. @returns nothing when there is no such diagram.
std::optional<std::string> make_diagram_svg(const Document& document, ElementId diagram, bool transparent = false);

}  // namespace ergode
