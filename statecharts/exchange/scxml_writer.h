#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/document/document.h"

namespace ergode {

/// What the writers of foreign formats return.
struct ExportedText {
  std::optional<std::string> text;  ///< UTF-8, lines end in LF; absent when `diagnostics` has errors.
  /// Those of the lowering, then: SCX101 (errors) what SCXML cannot say, SCX201 what Boost.Statechart cannot, SCX102 an
  /// initial value that is not a constant, SCX103 and SCX203 (info) what is said otherwise or left out without changing
  /// what the chart does. Each names the element, and its property in `pointer`.
  Diagnostics diagnostics;
};

/// The statechart diagrams of a document, in document order: what this and the other writers take.
std::vector<const Element*> statechart_diagrams(const Document& document);

/// Writes a statechart diagram as an SCXML document (W3C Recommendation, 1 September 2015, ECMAScript data model).
///
/// A choice becomes a state that is left at once, a delay an event sent with that delay and cancelled on leaving,
/// quantities become numbers in SI. Rates, distributions, probabilities, common causes, conditions on other components
/// and clocks that keep their age have no counterpart: they are refused. Parameters are written with the values of the
/// document without a scenario, those of the chart with their defaults. Ids are those of ChartExport::id(). Never
/// throws. Time O(states * transitions).
/// @param diagram  one of statechart_diagrams().
ExportedText write_scxml(const Document& document, const Element& diagram);

}  // namespace ergode
