#include "app/session/catalogue.h"

#include "core/catalogue/model_kinds.h"
#include "solvers/reliability/notation.h"
#include "statecharts/notation/notation.h"

namespace ergode {

const Catalogue& catalogue() {
  static const Catalogue all = [] {
    Catalogue made;
    for (KindSpec& kind : model_kinds()) made.add(std::move(kind));
    made.add(statechart_notation());
    made.add(system_notation());
    made.add(reliability_notation());
    return made;
  }();
  return all;
}

}  // namespace ergode
