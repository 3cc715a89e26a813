#pragma once
#include <optional>
#include <string>

#include "core/base/unit.h"
#include "core/document/document.h"
#include "core/expression/parameters.h"

namespace ergode {

/// The unit in which somebody has written a value, for messages that show it: the first in the text of an expression
/// that measures what is wanted, be it written there ("-6 min", "exponential(mean = 5 min)") or that of a parameter
/// named there; else the usual one.
/// @param text   of the expression; whatever cannot be read has no unit
/// @param usual  symbol: says what is measured; precondition: a unit. Empty: dimensionless
/// O(text).
Unit written_unit(const std::string& text, const ParameterTable& parameters, const std::string& usual);

/// The unit of time in which somebody has written how long something takes, be it as a time or as a rate: "s" of
/// "exponential(mean = 0.2 s)", "min" of "exponential(rate = mu)" where mu is shown in /min, or of one of several
/// arguments, "gold = 2 min, bulk = 5 min". Nothing: there is none.
/// O(text * parameters named there).
std::optional<std::string> written_time_unit(const std::string& text, const Document& document);

/// "6 min": a value in SI in that unit, to six digits.
std::string in_unit(double si, const Unit& unit);

}  // namespace ergode
