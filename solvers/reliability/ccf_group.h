#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/document/document.h"
#include "core/expression/parameters.h"
#include "core/expression/program.h"
#include "core/results/split.h"
#include "core/study/run_request.h"
#include "solvers/reliability/ccf_exposure.h"
#include "solvers/reliability/ccf_parameters.h"
#include "solvers/reliability/delay_law.h"

namespace ergode {

class ModelCompiler;

/// A common-cause group with its numbers worked out: all that solvers, reports and previews know of it. Vectors by
/// member have the order of `members`. Values passed their validation, unless lowering found errors.
struct CcfGroup {
  std::string name;  ///< as drawn, not empty
  ElementId element;
  std::string model;                   ///< bfr | beta | mgl | alpha_staggered | alpha_nonstaggered
  bool demand = false;                 ///< probabilities on joint demands; else rates in operation
  int cause = -1;                      ///< number in CompiledModel::cause_names; -1: no chart uses it, or not known yet
  std::vector<std::uint32_t> members;  ///< instances, each once, by the edges drawn; 2 to ccf_group_limit
  std::vector<std::string> member_names;  ///< "EDG[1]"
  BfrRates bfr;        ///< for bfr; lambda_ind is 0, because independent failures are drawn in the chart
  double total = 0.0;  ///< of one member, as given [1/s] or probability; 0 for bfr
  /// Rates [1/s] or probabilities of each specific set, from any model: what the group itself drives. Without failures
  /// of a single member where the chart draws them.
  OrderRates orders;
  bool independent_in_chart = false;   ///< failures of one member alone are the chart's; always so for bfr
  double independent_part = 0.0;       ///< of one member, that the parameters imply [1/s] or probability; 0 for bfr
  std::vector<CcfExposure> exposures;  ///< ccf_exposures(): where members can be struck; may be empty
  DelayLaw delay;                      ///< in operation; of groups on demand none
  std::vector<Program> exposed;        ///< per member: condition under which the group can strike it
};

/// Every group drawn in a system diagram, with its members looked up in the model that is being compiled. Problems are
/// appended (CCF001 - CCF029); with errors the groups are incomplete. Names of states in `exposed` add slots, so it
/// comes before ModelCompiler::finish(); `cause` gets its number after that, by build_model().
///
/// Warnings: CCF025 nobody drives a cause that a chart waits for, CCF026 and CCF027 see find_double_counting(), CCF028
/// failures_without_role(), CCF029 a group that never fails anybody as it is drawn.
std::vector<CcfGroup> lower_groups(const Document& document, const ParameterTable& parameters, ModelCompiler& compiler,
                                   Diagnostics& problems);
/// One group with the values of the request's scenario and overrides, whatever else is unfinished in the model: for a
/// preview while it is drawn. Only problems of the group itself are appended. Compiles the charts of the whole model:
/// cost as ModelCompiler. @returns nothing when there is no such group.
std::optional<CcfGroup> lower_group(const Document& document, ElementId group, const RunRequest& request,
                                    Diagnostics& problems);
/// What the groups divide measures by: the gravest cause among the failures standing. Parts are numbered as in Cause;
/// those that no group can bring about do not occur. Null without groups.
std::shared_ptr<const Split> split_by_cause(const std::vector<CcfGroup>& groups);
}  // namespace ergode
