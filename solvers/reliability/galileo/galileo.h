#pragma once
#include <string>
#include <string_view>

#include "core/format/model_file.h"
#include "solvers/reliability/galileo/fault_tree.h"

namespace ergode {

/// A dynamic fault tree in the Galileo format (fault_tree.h) as a model that runs: a statechart for each kind of basic
/// event and for each gate, a component for each element, the top event's probability by the mission time and the time
/// to it. The tree's unit of time is taken as one hour; the mission time is a parameter.
///
/// Meaning, as in the analysis of Volk, Junges, Katoen (Fast dynamic fault tree analysis by model checking techniques,
/// IEEE Trans. Industrial Informatics 14(1), 2018):
/// * gates follow at once, inputs before the gates above them, dependencies after all gates; of several that happen at
///   a moment the earlier in the text comes first;
/// * a spare gate takes the next input in order that neither failed nor is in use elsewhere, and wakes it and what it
///   is joined to (spare_modules.h);
/// * pand and por accept failures at the same moment (variants -excl, < do not); out of order they can fail no more;
/// * under a constraint (seq, mutex) a failure that would break it cannot happen.
///
/// The same text and name always make the same document, ids included. Measures: "failed_by_end" and "time_to_failure".
/// Time and size in proportion to the tree, but for constraints over gates, which are written out (GAL009 beyond 100
/// MB).
/// @param text  UTF-8, with the diagnostics of parse_galileo()
/// @param name  of the model
/// @returns no document when there are errors.
ReadOutcome import_galileo(std::string_view text, const std::string& name);
/// The same for a tree that was read. @param problems  of reading it
ReadOutcome model_of_tree(const FaultTree& tree, const std::string& name, Diagnostics problems);
/// The same for the JSON form, see parse_tree_json().
ReadOutcome import_tree_json(std::string_view text, const std::string& name);

}  // namespace ergode
