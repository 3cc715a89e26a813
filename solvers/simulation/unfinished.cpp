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
  if (measure.of_class >= 0 && measure.of_class != stay.of_class) return false;
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
      if (!asking.empty()) counted_.push_back({std::move(stay), std::move(asking)});
    }
}

void UnfinishedStays::count(const double* slots, std::span<double> sums) const {
  for (std::size_t i = 0; i < counted_.size(); ++i) {
    sums[2 * i] += slots[counted_[i].stay.come];
    sums[2 * i + 1] += slots[counted_[i].stay.present];
  }
}

void UnfinishedStays::warn(std::span<const double> sums, std::uint64_t replications, Diagnostics& out) const {
  if (replications == 0) return;
  for (std::size_t i = 0; i < counted_.size(); ++i) {
    const double n = static_cast<double>(replications), come = sums[2 * i] / n, present = sums[2 * i + 1] / n;
    if (!(present > most_unfinished * come)) continue;
    out.push_back({.severity = Severity::warning,
                   .code = "RUN043",
                   .element = counted_[i].stay.element,
                   .message = "Of " + number_text(come, 3) + " " + counted_[i].stay.name + " that come in a mission " +
                              number_text(present, 3) + " are there at its end, on average: " + counted_[i].measures +
                              " count only those that are done.",
                   .hint = "Look at how many there are over time. Where they become ever more these measures say "
                           "nothing of them; else make the mission time longer."});
  }
}

}  // namespace ergode
