#pragma once
#include <vector>

#include "core/base/diagnostic.h"
#include "core/document/document.h"

namespace ergode {

/// SCH001: adds the initial state, or leads it to the first state. Nothing for other problems, or where there is no
/// state to begin in. Fixes are commands against this document, not yet done.
std::vector<QuickFix> chart_fixes(const Document& document, const Diagnostic& problem);

/// SYS004: adds a component, one fix for each of the first four charts. MEA008: asks for the probability of the first
/// failure that is drawn: by its role or a common cause, else by a rate. Nothing for other problems.
std::vector<QuickFix> system_fixes(const Document& document, const Diagnostic& problem);

}  // namespace ergode
