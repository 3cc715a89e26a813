#pragma once
#include <optional>
#include <string>

#include "core/base/diagnostic.h"
#include "core/document/document.h"

namespace ergode {

struct ExportedText {
  std::optional<std::string> text;  ///< Absent when the format cannot say what the chart does.
  Diagnostics diagnostics;          ///< SCX101 and following; each names the element.
};

/// Writes a statechart diagram as an SCXML document (W3C Recommendation, 1 September 2015, ECMAScript data model).
///
/// A choice becomes a state that is left at once, a delay an event sent with that delay and cancelled on leaving,
/// quantities become numbers in SI. Rates, distributions, probabilities, common causes, conditions on other components
/// and clocks that keep their age have no counterpart: they are refused.
ExportedText write_scxml(const Document& document, const Element& diagram);

}  // namespace ergode
