#pragma once
#include <vector>

#include "core/base/diagnostic.h"
#include "core/document/document.h"

namespace ergode {

/// EXP004 about plain numbers: the same with each of the units that the place may mean, the field's own first, then
/// those of the model's time. Nothing where names are involved: what is wrong there may be the name.
std::vector<QuickFix> give_unit(const Document& document, const Diagnostic& problem);

/// MEA003: each of the units that the measure may be shown in. MEA002 about a number where a condition is wanted: the
/// types that ask for a number, with its unit.
std::vector<QuickFix> unit_of_measure(const Document& document, const Diagnostic& problem);

/// A word that is none of the choices of its property: those, the nearest first.
std::vector<QuickFix> choose(const Document& document, const Diagnostic& problem);

/// DOC002 for every word that is none of its property's choices and of which nothing has been said.
/// O(properties of all elements, and parameters where a word is unknown).
void check_choices(const Document& document, Diagnostics& problems);

}  // namespace ergode
