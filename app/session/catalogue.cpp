#include "app/session/catalogue.h"

#include <array>

#include "core/catalogue/model_kinds.h"
#include "core/des/lowering.h"
#include "plugins/host/simulator_host.h"
#include "plugins/host/station_host.h"
#include "solvers/cluster/notations.h"
#include "solvers/markov/long_run_value.h"
#include "solvers/queueing/notation.h"
#include "solvers/reliability/notation.h"
#include "solvers/simulators/notation.h"
#include "statecharts/notation/notation.h"

namespace ergode {

namespace {

Catalogue& registry() {
  static Catalogue all = [] {
    register_known_stations(), register_known_simulators();  // kinds are made of their manifests
    register_long_run_values();
    Catalogue made;
    for (KindSpec& kind : model_kinds()) made.add(std::move(kind));
    const auto enter = [&](NotationSpec notation) {
      if (notation.lowering) register_lowering(notation.lowering);
      made.add(std::move(notation));
    };
    for (NotationSpec& notation :
         std::array{statechart_notation(), system_notation(), reliability_notation(), queueing_notation()})
      enter(std::move(notation));
    for (NotationSpec& notation : cluster_notations()) enter(std::move(notation));
    enter(simulators_notation());
    return made;
  }();
  return all;
}

}  // namespace

const Catalogue& catalogue() { return registry(); }
void register_notation(NotationSpec notation) {
  if (notation.lowering) register_lowering(notation.lowering);
  registry().add(std::move(notation));
}

}  // namespace ergode
