#include "solvers/cluster/model/handed_jobs.h"

#include <cmath>

#include "core/base/text.h"
#include "core/des/world.h"

namespace ergode {

double checked_of_customer(double value, double least, const char* word, ElementId stream, const std::string& name) {
  if (value >= least && std::isfinite(value)) return value;
  throw ModelFailure({.code = "RUN002",
                      .element = stream,
                      .pointer = "taken",
                      .message = std::string("A customer brings a ") + word + " of " + number_text(value, 6) +
                                 " in SI units to \"" + name + "\"; wanted a finite one from " + number_text(least) +
                                 " on."});
}

}  // namespace ergode
