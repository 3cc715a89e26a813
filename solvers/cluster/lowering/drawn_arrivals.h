#pragma once
#include <cmath>
#include <string>

#include "core/base/text.h"
#include "core/des/lowering.h"
#include "core/expression/parameters.h"
#include "solvers/cluster/lowering/drawn_law.h"
#include "solvers/cluster/lowering/rental_words.h"

namespace ergode {

/// A law of a positive quantity that a property says: a finite mean above 0 and nothing below. Else it is refused with
/// this code, and a constant 1.
Distribution drawn_positive_law(Lowering& model, Scope& scope, const Element& at, const char* code,
                                const char* property, const char* otherwise, Dimension dimension);

/// The same of times of jobs, where it is known before a run (JobLaw::known()); else they are looked at as they are
/// drawn.
JobLaw drawn_times(Lowering& model, Scope& scope, const Element& at, const char* code, const char* property,
                   const char* otherwise);

/// When jobs of a stream come that draws them: at random at a rate, which may change, or after gaps; nothing of those
/// that were customers. What is wrong is refused with `code`.
template <typename Stream>
void lower_arrivals(Lowering& model, Scope& scope, const Element& element, const char* code, Stream& stream) {
  stream.has_rate = !trim(element.text("rate")).empty();
  if (!stream.has_rate) {
    if (!stream.handed.any()) stream.gap = drawn_times(model, scope, element, code, "interarrival", default_job_gap);
    return;
  }
  stream.rate = model.program(element, "rate", ValueType::real(Dimension::per_time()), scope);
  stream.reader = model.slots.wake(stream.rate);
  if (!stream.rate.is_constant() || (stream.rate.value() > 0.0 && std::isfinite(stream.rate.value()))) return;
  model.refuse(element, code, "rate",
               "The rate is " + number_text(stream.rate.value() * 3600.0, 6) + " /h; wanted a finite rate above 0 /h.");
}

}  // namespace ergode
