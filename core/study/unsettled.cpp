#include "core/study/unsettled.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/base/text.h"
#include "core/stats/long_run.h"

namespace ergode {
namespace {

// Of a long run: more correlation of its parts means that it is not much longer than what it remembers, and with fewer
// parts that differ from the rest intervals hold the mean less often than they say (measured in tst_one_run.cpp).
constexpr double greatest_correlation = 0.4;
constexpr std::uint64_t fewest_different = 5;

/// What keeps a long run from being trusted, behind the name of one measure or the names of several.
struct Unsettled {
  std::string of_one, of_several;
  std::string hint = "Make the mission time longer: it has not settled, or hardly longer than it remembers.";
};

/// Nothing where it may be trusted, or the measure asks for no long run.
std::optional<Unsettled> unsettled(const MeasureTally& tally, const MeasureSpec& spec, double confidence) {
  if (tally.long_run().n() == 0) return std::nullopt;
  const LongRunEstimate run = tally.long_run().estimate(spec.support, confidence);
  const auto both = [](const std::string& text) { return Unsettled{.of_one = text, .of_several = text}; };
  if (run.standard_error == 0.0) {
    if (spec.support.least == spec.support.greatest) return std::nullopt;
    return Unsettled{
        " stayed the same all along in every replication, which does not say what it tends to; its interval is that "
        "value alone.",
        " each stayed the same all along in every replication, which does not say what they tend to; their intervals "
        "are these values alone.",
        "Make the mission time longer, unless it never changes."};
  }
  if (std::isnan(run.standard_error)) return both(": too little was observed for an interval.");
  if (run.correlation > greatest_correlation)
    return both(": what neighbouring parts of a replication differ from the mean by correlates by " +
                number_text(run.correlation, 2) + " (wanted at most " + number_text(greatest_correlation, 2) + ").");
  if (run.drifts) {
    const std::string share = number_text(100.0 * run.removed, 2) + " % of each replication is left out.";
    return Unsettled{" still drifts when its warm-up of " + share, " still drift when their warm-up of " + share};
  }
  if (run.differ >= fewest_different) return std::nullopt;
  Unsettled out = both(" departed from one and the same value in only " + std::to_string(run.differ) + " of " +
                       std::to_string(run.parts) + " parts of what was simulated (wanted at least " +
                       std::to_string(fewest_different) + ").");
  out.hint = "Make the mission time longer, or more replications: what it depends on came too seldom.";
  return out;
}

}  // namespace

bool UnsettledMeasures::look(const MeasureTally& tally, const MeasureSpec& spec, double confidence, Diagnostics& out) {
  auto why = unsettled(tally, spec, confidence);
  if (!why) return false;
  const std::string name = "\"" + spec.id + "\"";
  const auto same =
      std::find_if(groups_.begin(), groups_.end(), [&](const Group& g) { return g.of_one == why->of_one; });
  if (same != groups_.end()) {
    same->names += ", " + name;
    out[same->at].message = same->names + same->of_several;
    return true;
  }
  out.push_back({.severity = Severity::warning,
                 .code = "RUN033",
                 .element = spec.element,
                 .message = name + why->of_one,
                 .hint = std::move(why->hint)});
  groups_.push_back({out.size() - 1, name, std::move(why->of_one), std::move(why->of_several)});
  return true;
}

}  // namespace ergode
