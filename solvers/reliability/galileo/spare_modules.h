#pragma once
#include <vector>

#include "solvers/reliability/galileo/fault_tree.h"

namespace ergode {

/// Which parts of a tree stand by until a spare gate uses them.
///
/// The module of an input r of a spare gate is what is joined to r by inputs and gates without passing from a spare
/// gate to its inputs or the other way (Junges, Guck, Katoen, Stoelinga, Uncovering dynamic fault trees, DSN 2016).
/// What is joined in this way to the top event, or stands in no module, is active from the start; so is the module of
/// the first input of an active spare gate. Another module becomes active when an active spare gate uses its r, and
/// stays so.
struct SpareModules {
  struct Module {
    int representative = -1;   ///< the input r
    std::vector<int> users;    ///< spare gates that have it as an input
    std::vector<int> members;  ///< elements of the module
    bool active = false;       ///< from the start
  };
  std::vector<Module> modules;               ///< one per input of a spare gate
  std::vector<std::vector<int>> modules_of;  ///< by element: modules it stands in
  std::vector<bool> active;                  ///< by element: from the start

  /// O(inputs of spare gates * tree). @param tree  sound; not kept
  explicit SpareModules(const FaultTree& tree);
};

/// The factor on an event's rate while it stands by, 0 to 1: as written, else 0 under a cold spare gate, else 1.
/// @param event  a basic event of the tree
TreeValue dormancy_in(const FaultTree& tree, const SpareModules& modules, int event);

}  // namespace ergode
