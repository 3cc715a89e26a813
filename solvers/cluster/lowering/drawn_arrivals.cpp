#include "solvers/cluster/lowering/drawn_arrivals.h"

namespace ergode {

namespace {

bool is_positive(Lowering& model, const Element& at, const char* code, const char* property, const Distribution& law) {
  const double least = least_of(law);
  if (least >= 0.0 && law.mean() > 0.0 && std::isfinite(law.mean())) return true;
  model.refuse_once(at, code, property,
                    "Its mean is " + number_text(law.mean(), 6) + " and its least value " + number_text(least, 6) +
                        " in SI units; wanted a finite mean above 0 and nothing below.");
  return false;
}

}  // namespace

Distribution drawn_positive_law(Lowering& model, Scope& scope, const Element& at, const char* code,
                                const char* property, const char* otherwise, Dimension dimension) {
  const auto law = drawn_law(model, scope, at, property, otherwise, dimension);
  return law && is_positive(model, at, code, property, *law) ? *law : Distribution::deterministic(1.0);
}

JobLaw drawn_times(Lowering& model, Scope& scope, const Element& at, const char* code, const char* property,
                   const char* otherwise) {
  const auto law = drawn_job_law(model, scope, at, property, otherwise, Dimension::of_time());
  if (law && (law->known() == nullptr || is_positive(model, at, code, property, *law->known()))) return *law;
  return Distribution::deterministic(1.0);
}

}  // namespace ergode
