#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/base/element_id.h"

namespace ergode {

class ModelCompiler;
struct CcfGroup;

/// States in which members of a group can be struck by it, and what else fails them there. A member is in one of the
/// configurations named at a time, so rates of different exposures never add up.
struct CcfExposure {
  /// Innermost active states, "Running.FirstHour"; those of parallel regions joined by " + ". On demand: the choice.
  std::vector<std::string> states;
  /// The members' own failures beside the group's: constant rates [1/s], on demand probabilities, added up. None: one
  /// of them is no constant, or its guard may or may not hold.
  std::optional<double> independent = 0.0;
  /// Drawn edges that make up `independent`, each once; those without role too (failures_without_role()). Also those
  /// that kept it from being known.
  std::vector<ElementId> edges;
};

/// Drawn edges by which members enter a state that the group strikes into, by a rate, delay or probability of their own
/// or by the group itself, and that have no role: causes of failure, and nobody has said so. Each once.
/// @param cause     the word in ccf(...) that the group drives
/// @param compiler  in which the group was lowered
std::vector<ElementId> failures_without_role(const CcfGroup& group, const std::string& cause,
                                             const ModelCompiler& compiler);

/// The exposures of a group, one per different amount of own failures, in the order of the charts' states. A failure is
/// a transition with that role, or without one when it enters a state that the group strikes into. In operation a state
/// counts when a transition `ccf(cause)` can leave it and `exposed` can hold in it, by interval arithmetic over what
/// else the model may do; on demand a choice that asks ccf(cause) counts, with the branches of the choices before and
/// after it. Empty: no member can ever be struck. Time O(members * configurations of a chart * its transitions); charts
/// of more than 4,096 configurations give one exposure without a known rate.
std::vector<CcfExposure> ccf_exposures(const CcfGroup& group, const std::string& cause, const ModelCompiler& compiler);

/// "Running.FirstHour, Running.Later", at most `most` of them in words, then "and 3 more".
std::string states_text(const CcfExposure& exposure, std::size_t most = 6);

}  // namespace ergode
