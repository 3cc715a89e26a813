#pragma once
#include "core/base/diagnostic.h"
#include "core/document/document.h"
#include "core/study/solver.h"

namespace ergode {

enum class TriedOut { every_scenario, asked };

/// Every check there is, the same for the desktop's problems panel, `ergode validate` and before each run: required
/// properties, references, expressions and units, charts, components, common-cause groups, measures, scenarios.
/// Pure; may run on a copy in the background. Errors first, then warnings, each in document order.
/// @param question  with the scenario and the overrides to check with; every scenario of the model is checked too.
/// The first fifty problems that have quick fixes carry them. Cost: lowering and compiling the model, once more for
/// each scenario; what was made stays with the question.
/// @param tried  whether also the scenarios that were not asked for are tried out (tried_out()); all else is checked
Diagnostics check_model(const Question& question, TriedOut tried = TriedOut::every_scenario);
/// The same for a model that is checked only once.
Diagnostics check_model(const Document& document, const RunRequest& request = {});

/// Whether there is anything to integrate in the model: continuous variables, or rates that change continuously. True
/// of a model with errors, of which it is not known. Compiles the model where nobody has.
bool integrates(const Question& question);

/// What the run itself found: of its diagnostics those that the check before it had not said with the same code and
/// words. O(product of both).
Diagnostics found_by_the_run(const ResultSet& results, const Diagnostics& by_the_check);

}  // namespace ergode
