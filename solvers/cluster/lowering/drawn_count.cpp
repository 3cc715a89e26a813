#include "solvers/cluster/lowering/drawn_count.h"

#include <cmath>

#include "core/base/text.h"

namespace ergode {

std::uint64_t drawn_most_jobs(Lowering& model, Scope& scope, const Element& stream, const char* code) {
  if (trim(stream.text("most_jobs")).empty()) return jobs_without_end;
  constexpr double most = 1e12;
  const std::size_t known = model.problems.size();
  PropertyReader read(scope, model.problems);
  const double value = read.quantity(stream, "most_jobs", Dimension(), 1.0);
  if (value >= 1.0 && value <= most && value == std::floor(value)) return static_cast<std::uint64_t>(value);
  if (model.problems.size() == known)
    model.refuse(
        stream, code, "most_jobs",
        "The value is " + number_text(value, 9) + "; wanted a whole number from 1 to " + number_text(most) + ".");
  return jobs_without_end;
}

}  // namespace ergode
