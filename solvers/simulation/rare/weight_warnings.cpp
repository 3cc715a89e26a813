#include "solvers/simulation/rare/weight_warnings.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/text.h"
#include "core/study/result_builder.h"
#include "solvers/simulation/rare/path_visits.h"

namespace ergode {
namespace {

constexpr double halves_apart = 3.5;  // standard errors; once in 2,000 runs by chance
constexpr double unseen_share = 0.1;  // of the estimate
constexpr double fewest_taken = 10.0;
constexpr double least_taken = 0.6;  // of the weight that was expected

std::string percent(double share) { return number_text(100.0 * share, 3) + " %"; }

std::string degenerate(const Tally& x, const MeasureSpec& spec) {
  if (x.greatest() <= spec.weighted->greatest_share * x.sum() &&
      effective_samples(x) >= spec.weighted->fewest_effective)
    return {};
  return "its weights degenerate: " + number_text(effective_samples(x), 3) + " effective samples (wanted " +
         number_text(spec.weighted->fewest_effective, 3) + "), the greatest is " + percent(x.greatest() / x.sum()) +
         " of the sum (wanted at most " + percent(spec.weighted->greatest_share) + ")";
}

/// The first half is read from the run's convergence, which is kept at points about 5 % apart.
std::string halves_differ(const Tally& x, const std::vector<ConvergencePoint>& points, const MeasureSpec& spec) {
  const double n = static_cast<double>(x.n());
  const auto half = std::find_if(points.begin(), points.end(),
                                 [&](const ConvergencePoint& p) { return 2 * p.replications >= x.n(); });
  if (half == points.end() || half->replications >= x.n() || std::isnan(half->estimate)) return {};
  const double first = static_cast<double>(half->replications), second = n - first;
  const double mean = half->estimate * spec.unit_scale / spec.factor;
  const double rest = (x.sum() - first * mean) / second;
  const double error = std::sqrt(x.variance() * (1.0 / first + 1.0 / second));
  if (!(std::abs(mean - rest) > halves_apart * error)) return {};
  return "the first half of the run gives " + number_text(mean, 4) + ", the second " + number_text(rest, 4) + ", " +
         number_text(std::abs(mean - rest) / error, 3) + " standard errors apart (wanted at most " +
         number_text(halves_apart, 2) + ")";
}

/// Places hardly ever taken, or with far too little weight: what they are, and their expected weight in a replication.
struct Unseen {
  double mass = 0.0;
  std::string what;
};

std::string clock_text(const AnalysisModel& model, std::size_t place) {
  for (std::uint32_t i = 0; i < model.charts.instances.size(); ++i) {
    const Instance& owner = model.charts.instances[i];
    const StateChart& chart = model.charts.charts[owner.chart].chart;
    if (place < owner.transition_base || place >= owner.transition_base + chart.transitions.size()) continue;
    const Transition& way = chart.transitions[place - owner.transition_base];
    return "transitions as that of " + model.charts.name(i) + " from \"" +
           chart.states[static_cast<std::size_t>(way.source)].name + "\"";
  }
  return "shocks";
}

class Places {
 public:
  Places(const AnalysisModel& model, const Tallies& tallies) : model_(model), tallies_(tallies), at_(model) {}

  /// The way to a measure of which most is unknown. Decades are compared by what they lack alone: a failure near a
  /// known moment is a failure of a clock too, and is looked at as both.
  Unseen of(std::size_t measure) const {
    Unseen out;
    double greatest = 0.0;
    std::size_t which = 0;
    for (std::size_t place = 0; place < std::min(at_.clocks(), size()); ++place) {
      const double mass = lacking(place);
      out.mass += mass;
      if (mass > greatest) greatest = mass, which = place;
    }
    if (out.mass > 0.0) out.what = clock_text(model_, which);
    for (std::size_t first = at_.clocks(); first < size(); first += VisitPlaces::decades) {
      if (first >= at_.kinds()) {
        const std::size_t asked = at_.times().measure_of(at_.kind_of(first));
        if (asked != ScheduledTimes::none() && asked != measure) continue;
      }
      double mass = 0.0, most = 0.0;
      int decade = 0;
      for (int i = 0; i < VisitPlaces::decades; ++i) {
        const double lacks = lacking(first + static_cast<std::size_t>(i));
        mass += lacks;
        if (lacks > most) most = lacks, decade = i;
      }
      if (mass > out.mass) out = {mass, near_text(first, decade)};
    }
    return out;
  }

 private:
  std::size_t size() const { return tallies_.sums.size() / PathVisits::sums_of_place; }
  double lacking(std::size_t place) const {
    const double* sums = &tallies_.sums[PathVisits::sums_of_place * place];
    if (sums[2] >= fewest_taken && sums[1] >= least_taken * sums[0]) return 0.0;
    return sums[0] / static_cast<double>(tallies_.replications);
  }
  std::string near_text(std::size_t place, int decade) const {
    const bool of_clock = place < at_.kinds();
    return (of_clock ? clock_text(model_, at_.clock_of(place)) : std::string("failures")) + " within " +
           number_text(model_.time_unit.from_si(at_.edge(decade + 1)), 3) + " " + model_.time_unit.symbol +
           (at_.is_before(place) ? " before " : " after ") +
           (of_clock ? std::string("a moment that is known in advance") : moment_text(at_.kind_of(place)));
  }
  std::string moment_text(std::size_t kind) const {
    if (at_.times().measure_of(kind) != ScheduledTimes::none()) return "the time that is asked for";
    if (!at_.times().is_clock(kind)) return "a delayed event";
    return "that of " + clock_text(model_, model_.charts.timers[at_.times().timer_of(kind)].row);
  }

  const AnalysisModel& model_;
  const Tallies& tallies_;
  VisitPlaces at_;
};

std::string unseen(const Places& places, std::size_t measure, const Tally& x) {
  const Unseen found = places.of(measure);
  if (!(found.mass > unseen_share * x.mean())) return {};
  return found.what + ", expected " + number_text(found.mass, 3) +
         " times in a replication, were taken too seldom to know what lies behind them (wanted less than a tenth of "
         "the estimate, " +
         number_text(x.mean(), 3) + ")";
}

}  // namespace

bool nothing_unseen(const AnalysisModel& model, const Tallies& tallies, std::span<const MeasureSpec> specs,
                    const PrecisionGoals& goals) {
  const Places places(model, tallies);
  const std::vector<std::uint8_t> counts = measures_that_count(specs, goals);
  for (std::size_t m = 0; m < specs.size(); ++m)
    if (counts[m] != 0 && !unseen(places, m, tallies.measures[m].values()).empty()) return false;
  return true;
}

bool weights_trusted(const AnalysisModel& model, const RunOutcome& outcome, const MeasureSpec& spec,
                     std::size_t place) {
  const Tally& x = outcome.tallies.measures[place].values();
  return x.sum() > 0.0 && degenerate(x, spec).empty() && halves_differ(x, outcome.convergence[place], spec).empty() &&
         unseen(Places(model, outcome.tallies), place, x).empty();
}

void warn_of_weights(const AnalysisModel& model, const RunOutcome& outcome, std::span<const MeasureSpec> specs,
                     Diagnostics& out) {
  if (outcome.tallies.replications < 2) return;
  const Places places(model, outcome.tallies);
  for (std::size_t m = 0; m < specs.size(); ++m) {
    const Tally& x = outcome.tallies.measures[m].values();
    if (x.sum() == 0.0) continue;  // no estimate, and said so
    for (const std::string& what :
         {degenerate(x, specs[m]), halves_differ(x, outcome.convergence[m], specs[m]), unseen(places, m, x)})
      if (!what.empty())
        out.push_back({.severity = Severity::warning,
                       .code = "RUN023",
                       .element = specs[m].element,
                       .message = "The interval of \"" + specs[m].id + "\" may be too narrow: " + what + ".",
                       .hint = "Make more replications, or choose another method, bias or importance."});
  }
}

}  // namespace ergode
