#include "solvers/markov/state_costs.h"

#include <string>
#include <vector>

#include "core/base/text.h"
#include "solvers/markov/least_states.h"
#include "solvers/markov/relevance.h"

namespace ergode {

std::optional<Diagnostic> surely_too_many(const AnalysisModel& model, const StateSpaceOptions& options) {
  std::vector<std::uint32_t> kept;
  if (!options.pruning) {
    for (std::uint32_t i = 0; i < model.charts.instances.size(); ++i) kept.push_back(i);
  } else {
    kept = options.roots.empty() ? Relevance::roots_of(model) : options.roots;
  }
  const double least = least_states(model, kept), width = static_cast<double>(model.charts.instances.size());
  const auto refused = [&](const std::string& limit, const char* hint) {
    return Diagnostic{.code = "MKV010",
                      .message = "The model has at least " + number_text(least, 3) +
                                 " states, counted from components that move on their own; " + limit + ".",
                      .hint = hint};
  };
  if (least > static_cast<double>(options.state_limit))
    return refused("the state limit is " + std::to_string(options.state_limit), "Raise --state-limit, or simulate.");
  const Budget& budget = options.budget;
  if (least * bytes_per_component_state * width > static_cast<double>(budget.bytes()))
    return refused("of " + number_text(width) + " components they would take " +
                       memory_text(least * bytes_per_component_state * width) + ", and allowed are " +
                       budget.bytes_text(),
                   "Simulate, or take the model apart.");
  // Each is left in some way at least.
  const double operations = least * (operations_per_outcome + operations_per_component * width);
  if (options.budget.counts() && operations > budget.operations())
    return refused("of " + number_text(width) + " components they would take " + number_text(operations, 3) +
                       " operations, and allowed are " + budget.operations_text(),
                   "Ask for it alone, or for all solvers.");
  budget.spend(operations_to_begin * width);
  return std::nullopt;
}

}  // namespace ergode
