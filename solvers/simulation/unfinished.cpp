#include "solvers/simulation/unfinished.h"

#include <algorithm>

#include "core/base/text.h"

namespace ergode {
namespace {

constexpr double most_unfinished = 0.05;

/// Whether a measure tells how those are who leave, not how many leave.
bool tells_of_stays(const Measure& measure, const LoweredPart::Stay& stay) {
  using Meaning = MeasureKind::Meaning;
  const Meaning asked = measure.spec.kind->meaning;
  if (measure.stream < 0 || asked == Meaning::observed_count || asked == Meaning::observed_rate) return false;
  if (measure.of_class >= 0 && stay.of_class >= 0 && measure.of_class != stay.of_class) return false;
  const auto stream = static_cast<std::uint32_t>(measure.stream);
  return std::find(stay.streams.begin(), stay.streams.end(), stream) != stay.streams.end();
}

}  // namespace

UnfinishedStays::UnfinishedStays(const AnalysisModel& model) {
  for (const auto& part : model.others)
    for (LoweredPart::Stay& stay : part->stays()) {
      std::string asking;
      for (const Measure& measure : model.measures)
        if (tells_of_stays(measure, stay)) asking += (asking.empty() ? "\"" : ", \"") + measure.spec.id + "\"";
      if (!asking.empty() || stay.refused >= 0) counted_.push_back({std::move(stay), std::move(asking)});
    }
}

void UnfinishedStays::count(const double* slots, std::span<double> sums) const {
  for (std::size_t i = 0; i < counted_.size(); ++i) {
    const LoweredPart::Stay& stay = counted_[i].stay;
    sums[3 * i] += slots[stay.come];
    sums[3 * i + 1] += slots[stay.present];
    if (stay.refused >= 0) sums[3 * i + 2] += slots[stay.refused];
  }
}

void UnfinishedStays::warn(std::span<const double> sums, std::uint64_t replications, Diagnostics& out) const {
  if (replications == 0) return;
  for (std::size_t i = 0; i < counted_.size(); ++i) {
    const auto& [stay, measures] = counted_[i];
    const double n = static_cast<double>(replications), come = sums[3 * i] / n, present = sums[3 * i + 1] / n;
    const std::string of_them = "Of " + number_text(come, 3) + " " + stay.name + " that come in a mission ";
    if (const double refused = sums[3 * i + 2] / n; refused > 0.0)
      out.push_back({.severity = Severity::warning,
                     .code = "RUN044",
                     .element = stay.element,
                     .message = of_them + number_text(refused, 3) + " " + stay.why_refused +
                                " and are refused, on average" +
                                (measures.empty() ? "." : ": " + measures + " count only the others.")});
    if (measures.empty() || !(present > most_unfinished * come)) continue;
    out.push_back({.severity = Severity::warning,
                   .code = "RUN043",
                   .element = stay.element,
                   .message = of_them + number_text(present, 3) + " " + stay.left +
                              " at its end, on average: " + measures + " count only the others.",
                   .hint = "Look at how many there are over time. Where they become ever more these measures say "
                           "nothing of them; else make the mission time longer."});
  }
}

}  // namespace ergode
