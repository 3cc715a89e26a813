#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/study/budget.h"
#include "solvers/markov/decision_diagram.h"
#include "solvers/model/analysis_model.h"

namespace ergode {

/// A part of a model that neither reads the rest nor is struck together with it.
struct Module {
  /// Conditions on it that the measures hang on: once they hold they hold for ever. Each is a variable of the diagram.
  struct Outcome {
    Program condition;
    std::uint32_t variable = 0;
  };
  std::vector<Outcome> outcomes;     ///< by variable, at least one; variables of one module follow each other
  std::vector<std::uint32_t> roots;  ///< components that say whether they hold
};

/// Components that are alike and independent of each other and of everything else: each is a module, one is solved for
/// all of them, and what is asked is how many are in a state, or how often they raise an event.
struct Crowd {
  std::uint32_t first = 0, count = 0;  ///< its members: instances first ... first + count - 1
  std::uint32_t slot = 0;              ///< how many of them are in the state; not where events are counted
  std::vector<Crowd> others = {};      ///< where events are counted: who else raises them
};

/// The measures of a model as Boolean functions of independent modules. Dugan, Sullivan, Coppit, Developing a low-cost
/// high-quality software tool for dynamic fault-tree analysis, IEEE Trans. Reliability 49(1), 2000; here for any model.
struct Modules {
  std::vector<Module> modules;
  DecisionDiagram diagram;
  std::vector<DecisionDiagram::Function> functions;  ///< by measure
  std::vector<Crowd> crowds;  ///< instead of all that: one for each measure; without members: not answered
};

/// Takes a model apart. Each measure must be a probability at or by a time, a time average or a time to an event, of a
/// condition on states that are never left. Such a condition is followed through components that only wait for a
/// condition of this kind and then stay ("static gates"), down to components of which independent parts are made; a
/// module is the largest condition that hangs on one part alone.
///
/// @returns nothing when a measure asks for something else, when all hangs together, or when the diagram has more than
/// two million nodes, or stopped; also for conditions of more than 1,000 slots or 2^20 rows of a truth table, and for
/// gates in a circle. @throws OverBudget when that takes too long (RUN003).
std::optional<Modules> find_modules(const AnalysisModel& model, const Budget& budget = {});

/// The measures, ascending, that are of the kind that find_modules() wants: whether there is more than one module is
/// not asked. @throws OverBudget as find_modules().
std::vector<std::size_t> modular_measures(const AnalysisModel& model, const Budget& budget = {});

/// What a measure asks of one array, as find_crowds() wants it: whether the members are alike and independent is not
/// asked. Nothing: it asks something else.
std::optional<Crowd> crowd_of(const AnalysisModel& model, std::size_t measure);

/// Takes a model apart whose measures each ask how many members of one array are in one state: the value at the end, a
/// probability at a time or a time average of any function of that number that is nowhere negative; of states that are
/// never left also a probability by a time and a time to an event, of conditions that more members only make true. Or
/// how often an event comes that independent components raise: the expectation is the sum of theirs.
/// @returns nothing when a measure asks for something else, or when members are not alike, read another component,
/// share a shock or do not begin alike. O(what the model's tables say). @throws OverBudget when that takes too long.
std::optional<Modules> find_crowds(const AnalysisModel& model, const Budget& budget = {});

}  // namespace ergode
