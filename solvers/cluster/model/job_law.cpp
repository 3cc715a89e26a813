#include "solvers/cluster/model/job_law.h"

#include <cmath>

#include "core/base/text.h"
#include "core/des/world.h"

namespace ergode {

double JobLaw::sample(const double* slots, RandomStream& stream) const {
  if (!found_) return law_.sample(stream);
  std::string why_not;
  double out = 0.0;
  bool fine = false;
  if (const auto* fixed = std::get_if<Program>(&found_->value)) {
    out = fixed->evaluate(slots), fine = out > 0.0 && std::isfinite(out);
  } else {
    const auto& law = std::get<VaryingLaw>(found_->value);
    VaryingLaw::Draft draft = law.draft();
    out = law.sample(slots, stream, draft, why_not), fine = out >= 0.0 && std::isfinite(out);
  }
  if (fine && why_not.empty()) return out;
  throw ModelFailure({.code = "RUN002",
                      .element = found_->element,
                      .pointer = found_->property,
                      .message = why_not.empty()
                                     ? "It came to " + number_text(out) + " s; wanted a finite time above 0 s."
                                     : "With what a simulator found: " + why_not + "."});
}

}  // namespace ergode
