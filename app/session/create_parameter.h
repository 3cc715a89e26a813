#pragma once
#include <optional>
#include <string>

#include "core/base/diagnostic.h"
#include "core/document/document.h"

namespace ergode {

/// The undefined name that an EXP002 complains about, when a parameter of that name would mend it: a plain word at the
/// place of the complaint, not a call, not the beginning of a path.
std::optional<std::string> undefined_name(const Document& document, const Diagnostic& problem);

/// Makes that parameter, without a value (which is then asked for, once), with the unit that its place wants: "/h" in
/// `rate(lambda)`, "h" in `after(mttr)`, the unit of the property where it stands alone there, in the model's time
/// unit.
std::optional<QuickFix> create_parameter_fix(const Document& document, const Diagnostic& problem);

}  // namespace ergode
