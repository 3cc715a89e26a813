#pragma once
#include <string>
#include <vector>

#include "solvers/reliability/galileo/conditions.h"
#include "solvers/reliability/galileo/drawing.h"

namespace ergode {

/// What all charts of one tree are drawn from; references of whoever imports the tree. A chart has the name of its
/// element's component, or of the module (TreeConditions::module_name()).
struct TreeDrawing {
  Document& document;
  const NamedElements& ids;
  const FaultTree& tree;
  const SpareModules& modules;
  const TreeConditions& conditions;
  const std::vector<std::string>& names;  ///< of components and charts, by element
};

/// Draws the chart of a gate: Operational (pand: one state per input waited for when simultaneous failures do not
/// count; spare: one per input in use), Failed, and Failsafe where the order can rule a failure out. Nothing in it
/// takes time: all transitions are when(...). O(inputs), of a spare gate O(inputs^2 + gates that share them).
/// @param element  a gate of the tree
void draw_gate(const TreeDrawing& drawing, int element);
/// Draws the chart of a dependency: Waiting, Triggered, and NotPropagated when it is probabilistic.
void draw_dependency(const TreeDrawing& drawing, int element);
/// Draws the chart of a module of several elements that wait for a spare gate: Standby, Active.
void draw_module(const TreeDrawing& drawing, std::size_t module);

}  // namespace ergode
