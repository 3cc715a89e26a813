#pragma once
#include <vector>

#include "core/base/diagnostic.h"
#include "core/document/document.h"

namespace ergode {

/// SCH001: adds the initial state, or leads it to the first state.
std::vector<QuickFix> chart_fixes(const Document& document, const Diagnostic& problem);

/// SYS004: adds a component, one step for each chart. MEA008: asks for the first failure that is drawn.
std::vector<QuickFix> system_fixes(const Document& document, const Diagnostic& problem);

}  // namespace ergode
