#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/report/report_section.h"
#include "solvers/reliability/ccf_parameters.h"
#include "solvers/reliability/delay_law.h"

namespace ergode {

/// A common-cause group as resolved for one run.
struct CcfGroupFacts {
  std::string name;
  std::string model;            ///< As in the file: "bfr", "beta", "mgl", "alpha_staggered", "alpha_nonstaggered".
  std::string source;           ///< Where its numbers come from; may be empty.
  bool on_demand = false;       ///< Probabilities instead of rates.
  std::optional<BfrRates> bfr;  ///< The rates (1/s) or probabilities it was given as.
  OrderRates rates;             ///< 1/s or probabilities
  DelayLaw law;
  std::vector<std::string> members;  ///< "EDG[1]", ...
};

/// The group for a report: its parameters as given, the equivalent alpha factors, Greek letters and beta factor, and
/// what it expands into. Rates are shown per hour.
ReportSection ccf_report_section(const CcfGroupFacts& group);

}  // namespace ergode
