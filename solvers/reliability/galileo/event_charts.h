#pragma once
#include <string>

#include "solvers/reliability/galileo/drawing.h"
#include "solvers/reliability/galileo/fault_tree.h"

namespace ergode {

/// How one basic event behaves: its law, and what acts on it from outside. Conditions are texts of the expression
/// language, over the components of the tree.
struct EventBehaviour {
  FailureLaw::Kind law = FailureLaw::Kind::exponential;
  int phases = 1;                        ///< of an Erlang law; else 1
  bool stands_by = false, cold = false;  ///< waits for activation; cannot fail before
  std::string activation;                ///< condition
  std::string forced;                    ///< condition under which a dependency makes it fail, or "false"
  std::string allowed = "true";          ///< condition of the constraints on it
  /// Needs a chart of its own; else it shares one with all events of its law.
  bool own() const { return stands_by || forced != "false" || allowed != "true"; }
};

/// Name of the chart that all events of this law share when nothing acts on them from outside: "ExponentialEvent",
/// "ErlangEvent_3".
std::string shared_chart_name(const EventBehaviour& behaviour);

/// Draws the chart: states (Operational, Standby, Active, phases) and Failed. Its parameters are those that
/// event_arguments() sets. Transitions of the law and of dependencies have the role failure.
/// @param chart  its name: of no other chart in the document
void draw_event(Document& document, const NamedElements& ids, const std::string& chart, const std::string& description,
                const EventBehaviour& behaviour);

/// The component's arguments: `lambda = 0.5 /h, dormancy = 0.3`. The tree's unit of time is written as one hour.
/// @param dormancy  of dormancy_in(); written only where the event stands by and its chart reads it
std::string event_arguments(const FailureLaw& law, const EventBehaviour& behaviour, const TreeValue& dormancy);

}  // namespace ergode
