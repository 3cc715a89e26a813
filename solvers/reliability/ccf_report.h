#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/document/document.h"
#include "core/report/report_section.h"
#include "solvers/reliability/ccf_parameters.h"
#include "solvers/reliability/delay_law.h"

namespace ergode {

struct AnalysisModel;

/// A common-cause group as resolved for one run.
struct CcfGroupFacts {
  std::string name;
  std::string model;            ///< As in the file: "bfr", "beta", "mgl", "alpha_staggered", "alpha_nonstaggered".
  std::string source;           ///< Where its numbers come from; may be empty.
  bool on_demand = false;       ///< Probabilities instead of rates.
  std::optional<BfrRates> bfr;  ///< The rates (1/s) or probabilities it was given as.
  OrderRates rates;             ///< 1/s or probabilities
  /// False: `rates` are those of the shocks alone, because the independent failures in the chart are no constant rate.
  bool independent_known = true;
  DelayLaw law;
  std::vector<std::string> members;  ///< "EDG[1]", ...
};

/// The group for a report: its parameters as given, the equivalent alpha factors, Greek letters and beta factor, and
/// what it expands into. Rates are shown per hour.
ReportSection ccf_report_section(const CcfGroupFacts& group);

/// One section per group of a compiled model, in its order. The independent failures of a binomial group's members are
/// read from their chart where they are constant rates with the role of a failure.
std::vector<ReportSection> ccf_report_sections(const Document& document, const AnalysisModel& model);

}  // namespace ergode
