#pragma once
#include <optional>
#include <string>

#include "core/base/diagnostic.h"
#include "core/document/document.h"
#include "core/drawing/diagram_picture.h"
#include "core/results/result_set.h"

namespace ergode {

/// Numbers of a run at the nodes of a diagram, as the notation says which measures belong to whom (KindSpec::figures).
struct DiagramNumbers {
  std::unordered_map<ElementId, NodeNumbers> of;
  std::string caption;    ///< For the legend: what the colours are, and of which run.
  bool any_kind = false;  ///< The diagram has nodes that numbers could be said of.
};

/// Reads a run with the measures of the document, and what solvers answer unasked; with the company of the run where
/// the run itself says nothing. O(nodes * measures).
/// @param run    null: there are no numbers.
/// @param stale  the document is not the one that was run: marked at every node.
DiagramNumbers diagram_numbers(const Document& document, ElementId diagram, const ResultSet* run, bool stale);

/// The step that adds the usual measures of all elements that nothing asks for yet: "Measure every station". Nothing:
/// no element has any, or all are asked for.
std::optional<QuickFix> measure_everything(const Document& document);

}  // namespace ergode
