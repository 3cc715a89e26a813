#include "solvers/cluster/notations.h"

#include "solvers/cluster/notation.h"
#include "solvers/cluster/notation_fleet.h"
#include "solvers/cluster/notation_gangs.h"
#include "solvers/cluster/notation_iterations.h"
#include "solvers/cluster/notation_rounds.h"

namespace ergode {

// Each has a part of its own in the loop. The first draws the kinds that the others flow from or add to.
std::vector<NotationSpec> cluster_notations() {
  return {cluster_notation(), batch_notation(), rounds_notation(),
          fleet_notation(),   gangs_notation(), iterations_notation()};
}

}  // namespace ergode
