#include "solvers/cluster/lowering/drawn_arrivals.h"

namespace ergode {

Distribution drawn_positive_law(Lowering& model, Scope& scope, const Element& at, const char* code,
                                const char* property, const char* otherwise, Dimension dimension) {
  const Distribution none = Distribution::deterministic(1.0);
  const auto drawn = drawn_law(model, scope, at, property, otherwise, dimension);
  if (!drawn) return none;
  const double least = least_of(*drawn);
  if (least >= 0.0 && drawn->mean() > 0.0 && std::isfinite(drawn->mean())) return *drawn;
  model.refuse_once(at, code, property,
                    "Its mean is " + number_text(drawn->mean(), 6) + " and its least value " + number_text(least, 6) +
                        " in SI units; wanted a finite mean above 0 and nothing below.");
  return none;
}

}  // namespace ergode
