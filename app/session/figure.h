#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/document/document.h"
#include "core/drawing/diagram_picture.h"
#include "core/results/result_set.h"

namespace ergode {

/// Formats in which diagrams and plots are written without a screen: "svg", "pdf". The desktop adds "png". Static.
const std::vector<std::string>& figure_formats();
/// The format that the name of a file means, by its extension in any case; RES011 with the formats there are when it
/// means none of them.
/// @param more  formats besides, "png".
std::optional<std::string> figure_format(const std::string& path, Diagnostics& problems,
                                         const std::vector<std::string>& more = {});

/// One diagram in the print theme, with the model's hashes in its metadata and no date: the same bytes from the command
/// line and the desktop, whatever the screen looks like. @returns nothing when there is no such diagram.
/// @param drawn   what is drawn besides the document: numbers of a run.
/// @param format  one of figure_formats(); the result is the whole file, UTF-8 or bytes.
std::optional<std::string> make_diagram(const Document& document, ElementId diagram, const std::string& format,
                                        bool transparent = false, const DrawOptions& drawn = {});

/// The plot of a measure as reports show it, in the print theme, with the run's provenance and no date.
/// What stands beside the run is drawn beside it.
/// @param kind     "curve", "convergence" or "distribution"; empty: the first of them that the measure has.
/// @returns nothing when the run has no such series; RES012 lists the measures with plots.
std::optional<std::string> make_plot(const ResultSet& run, const std::string& measure, const std::string& kind,
                                     const std::string& format, Diagnostics& problems);

}  // namespace ergode
