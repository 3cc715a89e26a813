#pragma once
#include <vector>

#include "core/base/diagnostic.h"
#include "core/document/document.h"

namespace ergode {

/// Ready-made steps that mend what a diagnostic complains about, best first; none where somebody has to think.
///
///     EXP002  create the parameter
///     EXP004  give a plain number the unit that its place wants
///     MEA002, MEA003  give a measure the unit of its expression, and ask of a number what one can ask of it
///     DOC002, PAR003, PAR007  take one of the words that the property may be
///     DOC007  place the element anew
///
/// and what the notations offer for their own problems (NotationSpec::fixes).
/// Each costs a copy of the document.
std::vector<QuickFix> quick_fixes(const Document& document, const Diagnostic& problem);

}  // namespace ergode
