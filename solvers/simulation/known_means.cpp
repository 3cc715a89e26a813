#include "solvers/simulation/known_means.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/base/text.h"

namespace ergode {
namespace {

/// What a program is for each one of a slot, where it is the slot times a factor > 0.
std::optional<double> factor_of(const Program& program, std::uint32_t slot) {
  const auto read = program.slots();
  if (read.size() != 1 || *read.begin() != slot) return std::nullopt;
  std::vector<double> slots(slot + std::size_t{1}, 0.0);
  const auto at = [&](double value) {
    slots[slot] = value;
    return program.evaluate(slots.data());
  };
  const double each = at(1.0);
  if (!(each > 0.0) || at(0.0) != 0.0) return std::nullopt;
  for (const double many : {0.5, 2.0, 3.0, 64.0})
    if (std::fabs(at(many) - many * each) > 1e-9 * many * each) return std::nullopt;
  return each;
}

}  // namespace

Diagnostics unlikely_means(const AnalysisModel& model, const ResultSet& out) {
  constexpr double half_widths = 3.0, apart = 0.02;
  Diagnostics found;
  for (const auto& part : model.others)
    for (const LoweredPart::KnownMean& known : part->known_means())
      for (std::size_t m = 0; m < std::min(model.measures.size(), out.measures.size()); ++m) {
        const Measure& measure = model.measures[m];
        const MeasureResult& seen = out.measures[m];
        if (measure.spec.kind->meaning != MeasureKind::Meaning::long_run || measure.stream >= 0 ||
            seen.id != measure.spec.id || !seen.answered())
          continue;
        const auto factor = factor_of(measure.program, known.slot);
        if (!factor) continue;
        const double wanted = *factor * known.mean / measure.spec.unit_scale * measure.spec.factor;
        const double lower = seen.estimate - half_widths * (seen.estimate - seen.lower),
                     upper = seen.estimate + half_widths * (seen.upper - seen.estimate);
        if ((wanted < lower || wanted > upper) && std::fabs(wanted - seen.estimate) > apart * wanted)
          found.push_back(
              {.severity = Severity::warning,
               .code = "RUN050",
               .element = known.element,
               .message = "\"" + seen.id + "\" came to " + number_text(seen.estimate, 4) + " (" +
                          number_text(seen.lower, 4) + " to " + number_text(seen.upper, 4) +
                          "), where the laws of what comes and how long it takes make it " + number_text(wanted, 4) +
                          ": times that carry the mean are so seldom that this run saw too few of them, and "
                          "what depends on them is as wrong.",
               .hint = "Make the run much longer, or ask a solver that needs no observations."});
        break;
      }
  return found;
}

}  // namespace ergode
