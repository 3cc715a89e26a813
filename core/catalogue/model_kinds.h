#pragma once
#include "core/catalogue/catalogue.h"

namespace ergode {

/// PropertySpec::reference of a text that names a sort by which observations are told apart, a class of customers or a
/// stream of jobs: an element of a kind that is told apart (KindSpec::told_apart).
inline constexpr const char* observed_sort = "sort";

/// Kinds that belong to every model whatever its notations: the header, parameters, diagrams, measures, scenarios.
/// Made anew at each call, for the catalogue.
std::vector<KindSpec> model_kinds();

/// What a measure may ask, in the field's words: the rows of measure_kinds(). Static.
const std::vector<Choice>& measure_types();

}  // namespace ergode
