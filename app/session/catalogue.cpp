#include "app/session/catalogue.h"

#include "core/catalogue/model_kinds.h"
#include "core/des/lowering.h"
#include "solvers/reliability/notation.h"
#include "statecharts/notation/notation.h"

namespace ergode {

namespace {

Catalogue& registry() {
  static Catalogue all = [] {
    Catalogue made;
    for (KindSpec& kind : model_kinds()) made.add(std::move(kind));
    made.add(statechart_notation());
    made.add(system_notation());
    made.add(reliability_notation());
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
