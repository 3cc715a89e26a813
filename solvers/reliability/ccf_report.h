#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/document/document.h"
#include "core/report/report_section.h"
#include "solvers/reliability/ccf_expansion.h"
#include "solvers/reliability/ccf_parameters.h"
#include "solvers/reliability/delay_law.h"

namespace ergode {

struct RunRequest;
struct CcfGroup;

/// A group as it acts on members in certain states: what it and the members' own failures come to together.
struct CcfCase {
  std::string states;  ///< "Running.FirstHour"; empty: nobody can be struck
  /// Own failures of a member there, drawn in its chart [1/s] or probability; none: no constant, so that `rates` are
  /// those of the group alone.
  std::optional<double> independent;
  OrderRates rates;  ///< of each specific set [1/s] or probability
  CcfExpansion expansion;
};

/// A common-cause group as resolved for one run: what report and desktop show. A copy: keeps nothing of the model.
/// Numbers in SI; times scale() they are in unit().
struct CcfGroupFacts {
  std::string name;
  std::string model;            ///< As in the file: "bfr", "beta", "mgl", "alpha_staggered", "alpha_nonstaggered".
  std::string source;           ///< Where its numbers come from; may be empty.
  bool on_demand = false;       ///< Probabilities instead of rates.
  bool drives_single = false;   ///< The group causes failures of one member alone; else the chart draws them.
  std::optional<BfrRates> bfr;  ///< The rates (1/s) or probabilities it was given as.
  DelayLaw law;
  std::vector<std::string> members;  ///< "EDG[1]", ...
  std::vector<CcfCase> cases;        ///< At least one, with different rates.

  const char* unit() const { return on_demand ? "" : "/h"; }
  double scale() const { return on_demand ? 1.0 : 3600.0; }  ///< From SI to the unit shown.
};

/// One case per exposure of the group: own failures add to its orders where the chart draws them.
/// Where nobody can be struck there is one case without states, of the group alone.
/// @param group        its `source` is read from the document by its element
/// @param listed_sets  most basic events to list in each case.
CcfGroupFacts ccf_group_facts(const Document& document, const CcfGroup& group, std::size_t listed_sets = 24);

/// The same for a group as it is being drawn, with the values that a run asked for like this would have, whatever else
/// is unfinished in the model. Problems of the group are appended; with errors the facts are incomplete. Nothing: there
/// is no such group.
std::optional<CcfGroupFacts> ccf_group_facts(const Document& document, ElementId group, const RunRequest& request,
                                             Diagnostics& problems, std::size_t listed_sets = 24);

/// "exponential with mean 2 h; failures of one member alone are not delayed".
std::string delay_text(const CcfGroupFacts& group);

/// The group for a report: its parameters as given and, for each case, the equivalent alpha factors, Greek letters and
/// beta factor, and what it expands into. Rates are shown per hour. O(cases * (n + sets listed)).
/// @param group  with at least one member
ReportSection ccf_report_section(const CcfGroupFacts& group);

/// One section per group, in their order.
std::vector<DataSection> ccf_report_sections(const Document& document, const std::vector<CcfGroup>& groups);

}  // namespace ergode
