#pragma once
#include <string>

#include "core/des/lowering.h"

namespace ergode {

/// The file that a property names, itself or by a parameter; empty where the property says nothing, or, which is told
/// as a warning, where the parameter has no value.
/// @param code     of the warning
/// @param instead  what is done then: "jobs are drawn"
std::string drawn_file(Lowering& model, PropertyReader& read, const Element& element, const char* property,
                       const char* code, const char* instead);

}  // namespace ergode
