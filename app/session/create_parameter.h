#pragma once
#include <optional>
#include <string>

#include "core/base/diagnostic.h"
#include "core/document/command.h"
#include "core/document/document.h"

namespace ergode {

/// The undefined name that an EXP002 complains about, when a parameter of that name would mend it: a plain word at the
/// place of the complaint, not a call, not the beginning of a path.
std::optional<std::string> undefined_name(const Document& document, const Diagnostic& problem);

/// What a new parameter's value is to be a number of: things are counted in whole numbers.
enum class NumberOf { anything, things };

/// A parameter without a value, which is then asked for, once. Whether the name is free is the caller's to know.
/// @param unit  may be empty: the value then brings its own.
void insert_parameter(Edit& edit, const std::string& name, NumberOf what, const std::string& unit);

/// The unit that a parameter wants which `divided` (`1/d`, `1/d^2`) divides by, when that stands alone in its field or
/// in a rate(...) or after(...); empty: not known.
std::string unit_of_divisor(const Document& document, ElementId element, const std::string& property,
                            const std::string& divided, const std::string& name);

/// Makes that parameter, without a value (which is then asked for, once), with the unit that its place wants: "/h" in
/// `rate(lambda)`, "h" in `after(mttr)` and `rate(1/mttr)`, the unit of the property where it stands alone there, in
/// the model's time unit; as a whole number where a property that is one is to be the name alone.
std::optional<QuickFix> create_parameter_fix(const Document& document, const Diagnostic& problem);

}  // namespace ergode
