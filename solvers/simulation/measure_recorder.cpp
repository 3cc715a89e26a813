#include "solvers/simulation/measure_recorder.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ergode {

MeasureRecorder::MeasureRecorder(const AnalysisModel& model) : model_(model), fresh_(model.measures.size()) {
  of_observer_.resize(model.charts.table->observers().size());
  for (std::size_t m = 0; m < model.measures.size(); ++m) {
    const Measure& measure = model.measures[m];
    const std::string& kind = measure.spec.kind;
    Follow& f = fresh_[m];
    f.program = &measure.program;
    f.grid = !measure.spec.grid_s.empty();
    f.kind = kind == measure_kind::probability_at   ? Kind::at
             : kind == measure_kind::probability_by ? Kind::by
             : kind == measure_kind::time_average   ? Kind::average
             : kind == measure_kind::count          ? Kind::count
             : kind == measure_kind::time_to        ? Kind::time_to
                                                    : Kind::final_value;
    if (f.kind == Kind::at && measure.at_s < model.horizon_s) early_.push_back(static_cast<std::uint32_t>(m));
    if (f.kind == Kind::average) averages_.push_back(static_cast<std::uint32_t>(m));
    for (const std::uint32_t slot : f.program->slots())
      f.flows = f.flows || (f.kind == Kind::average && model.charts.hybrid &&
                            (slot == World::now_slot || model.charts.continuous(slot)));
    if (f.flows) flowing_.push_back(static_cast<std::uint32_t>(m));
    if (measure.counts_event) {
      if (event_measures_.empty()) event_measures_.resize(model.charts.event_names.size());
      event_measures_[static_cast<std::size_t>(measure.event)].push_back(static_cast<std::uint32_t>(m));
    } else {
      of_observer_[measure.observer] = static_cast<std::uint32_t>(m);
    }
  }
}

void MeasureRecorder::begin(ChartReplication& charts, Tallies& into) {
  charts_ = &charts, world_ = &charts.world();
  into_ = &into;
  moment_ = 0.0;
  cause_ = Cause::none;
  follow_ = fresh_;
}

void MeasureRecorder::start() {
  cause_ = charts_->cause();
  for (std::size_t m = 0; m < follow_.size(); ++m) {
    if (model_.measures[m].counts_event) continue;
    Follow& f = follow_[m];
    f.value = f.program->evaluate(world_->slots());
    if (f.value != 0.0) became(m, f.value);
  }
  world_->clear_changed();
}

void MeasureRecorder::became(std::size_t m, double value) {
  Follow& f = follow_[m];
  if (value == 0.0) return;
  if (f.kind == Kind::count) f.parts[static_cast<std::size_t>(cause_)] += 1.0;
  if (f.reached >= 0.0 || (f.kind != Kind::by && f.kind != Kind::time_to)) return;
  f.reached = moment_;
  f.cause = cause_;
  if (f.kind == Kind::by && f.grid) into_->measures[m].hit_from(grid_index(m, moment_));
}

void MeasureRecorder::update() {
  const Cause cause = charts_->cause();
  if (cause != cause_) {
    // An average belongs to the cause in force while it grows.
    for (const std::uint32_t m : averages_) account(m, moment_, false);
    cause_ = cause;
  }
  for (const std::uint32_t o : world_->changed()) {
    const std::size_t m = of_observer_[o];
    Follow& f = follow_[m];
    const double value = f.program->evaluate(world_->slots());
    if (value == f.value) continue;
    const bool rising = f.value == 0.0;
    if (f.kind == Kind::at || f.kind == Kind::average) account(m, moment_, false);
    f.value = value;
    f.since = moment_;
    if (rising) became(m, value);
  }
  world_->clear_changed();
}

void MeasureRecorder::sample_early(double next_s) {
  if (!world_->changed().empty() || charts_->cause() != cause_) update();
  for (const std::uint32_t m : early_) {
    Follow& f = follow_[m];
    if (f.sampled >= 0.0 || model_.measures[m].at_s >= next_s) continue;
    f.sampled = f.value;
    f.cause = cause_;
  }
}

std::size_t MeasureRecorder::grid_index(std::size_t m, double time_s) const {
  // Evenly spaced from zero: the first point not before `time_s`, corrected for rounding.
  const std::vector<double>& grid = model_.measures[m].spec.grid_s;
  const double step = grid[1] - grid[0];
  auto index = static_cast<std::size_t>(std::clamp(std::ceil(time_s / step), 0.0, static_cast<double>(grid.size())));
  while (index > 0 && grid[index - 1] >= time_s) --index;
  while (index < grid.size() && grid[index] < time_s) ++index;
  return index;
}

void MeasureRecorder::account(std::size_t m, double end_s, bool last) {
  Follow& f = follow_[m];
  if (f.flows) return;  // follow() does it
  const bool average = f.kind == Kind::average;
  if (average) f.parts[static_cast<std::size_t>(cause_)] += f.value * (end_s - f.since);
  if (f.grid && (average || f.value != 0.0)) {
    const std::size_t first = grid_index(m, f.since);
    const std::size_t end = last ? model_.measures[m].spec.grid_s.size() : grid_index(m, end_s);
    if (!average) into_->measures[m].hit(first, end);
    for (std::size_t i = first; average && i < end; ++i) into_->measures[m].add_curve(i, f.value);
  }
  f.since = end_s;
}

// Three points of Gauss and Legendre: exact for polynomials of degree five, more than a step of the integrator asks
// for.
void MeasureRecorder::follow(double from_s, double to_s, ContinuousPath& path) {
  static constexpr std::array<std::pair<double, double>, 3> points = {
      {{-0.7745966692414834, 5.0 / 18.0}, {0.0, 8.0 / 18.0}, {0.7745966692414834, 5.0 / 18.0}}};
  for (const std::uint32_t m : flowing_) {
    Follow& f = follow_[m];
    for (const auto& [place, weight] : points) {
      const double time = 0.5 * (from_s + to_s) + 0.5 * (to_s - from_s) * place;
      f.parts[static_cast<std::size_t>(cause_)] += weight * (to_s - from_s) * f.program->evaluate(path.at(time));
    }
    if (!f.grid) continue;
    const std::vector<double>& grid = model_.measures[m].spec.grid_s;
    const bool last = to_s >= model_.horizon_s;
    for (std::size_t i = grid_index(m, from_s); i < grid.size() && (grid[i] < to_s || (last && grid[i] <= to_s)); ++i)
      into_->measures[m].add_curve(i, f.program->evaluate(path.at(grid[i])));
  }
}

void MeasureRecorder::finish() {
  if (!world_->changed().empty() || charts_->cause() != cause_) update();
  const double end = model_.horizon_s;
  for (std::size_t m = 0; m < follow_.size(); ++m) {
    Follow& f = follow_[m];
    MeasureTally& tally = into_->measures[m];
    switch (f.kind) {
      case Kind::at:
        account(m, end, true);
        if (f.sampled >= 0.0) tally.observe(f.sampled, f.cause);
        else tally.observe(f.value, cause_);
        break;
      case Kind::by:
        tally.observe(f.reached >= 0.0 && f.reached <= model_.measures[m].at_s ? 1.0 : 0.0, f.cause);
        break;
      case Kind::average:
        account(m, end, true);
        for (double& part : f.parts) part /= end;
        tally.observe_split(f.parts);
        break;
      case Kind::count:
        tally.observe_split(f.parts);
        break;
      case Kind::time_to:
        if (f.reached >= 0.0) tally.observe(f.reached, f.cause);
        break;
      case Kind::final_value:
        tally.observe(f.value, cause_);
        break;
    }
  }
}

void MeasureRecorder::event(std::uint32_t event, double now_s) {
  (void)now_s;
  for (const std::uint32_t m : event_measures_[event])
    follow_[m].parts[static_cast<std::size_t>(charts_->cause())] += 1.0;
}

}  // namespace ergode
