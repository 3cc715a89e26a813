#include "solvers/simulation/rare/weighted_recorder.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/simulation/part_in_force.h"

namespace ergode {

std::vector<std::uint32_t> weighted_measures(const AnalysisModel& model) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t m = 0; m < model.measures.size(); ++m) {
    if (model.measures[m].spec.kind->proportion) out.push_back(m);
  }
  return out;
}

std::vector<MeasureSpec> weighted_specs(const AnalysisModel& model, const WeightHealth& health) {
  std::vector<MeasureSpec> out;
  bool headline = false;
  for (const std::uint32_t m : weighted_measures(model)) {
    MeasureSpec spec = model.measures[m].spec;
    // An indicator times a weight is neither 0 or 1 nor bounded by one, and its distribution means nothing.
    spec.proportion = false, spec.samples = false, spec.weighted = health;
    spec.support = {.least = 0.0};
    headline = headline || spec.headline;
    out.push_back(std::move(spec));
  }
  if (!headline)
    for (MeasureSpec& spec : out) spec.headline = true;
  return out;
}

WeightedRecorder::WeightedRecorder(const AnalysisModel& model)
    : model_(model), of_observer_(model.charts.table->observers().size(), -1) {
  for (const std::uint32_t m : weighted_measures(model)) {
    const Measure& measure = model.measures[m];
    of_observer_[measure.observer] = static_cast<std::int32_t>(follow_.size());
    Follow f;
    f.by = measure.spec.kind->meaning == MeasureKind::Meaning::by_time;
    f.at_s = measure.at_s;
    f.program = &measure.program;
    f.grid = &measure.spec.grid_s;
    f.parts.resize(model.parts());
    f.curve.resize(measure.spec.grid_s.size());
    follow_.push_back(std::move(f));
  }
}

void WeightedRecorder::begin() {
  for (Follow& f : follow_) {
    std::fill(f.parts.begin(), f.parts.end(), 0.0);
    std::fill(f.curve.begin(), f.curve.end(), 0.0);
  }
}

void WeightedRecorder::start(ChartReplication& charts, const PathWeight& weight) {
  moment_ = charts.now();
  open_ = unseen_ = follow_.size();
  reached_any_ = false;
  for (Follow& f : follow_) {
    f.value = f.seen = f.done = false;
    // A path goes on from where no condition has held before.
    f.sampled = f.at_s < moment_;
    const auto& grid = *f.grid;
    f.point = static_cast<std::size_t>(std::lower_bound(grid.begin(), grid.end(), moment_) - grid.begin());
    if (f.program->evaluate(charts.slots()) != 0.0) f.value = true, became(f, part_in_force(model_, charts), weight);
  }
  charts.world().clear_changed();
}

// The condition has begun to hold at moment_.
void WeightedRecorder::became(Follow& f, SplitPart part, const PathWeight& weight) {
  reached_any_ = true;
  const bool first = !f.seen;
  if (first) f.seen = true, --unseen_;
  if (!f.by || !first) return;
  const double now = muted_ ? 0.0 : weight.now();
  if (moment_ <= f.at_s) f.parts[part] += now;
  for (std::size_t i = f.point; i < f.curve.size(); ++i) f.curve[i] += now;
  if (!f.done) f.done = true, --open_;
}

void WeightedRecorder::look(ChartReplication& charts, const PathWeight& weight) {
  if (charts.world().changed().empty()) return;
  for (const std::uint32_t o : charts.world().changed()) {
    if (of_observer_[o] < 0) continue;
    Follow& f = follow_[static_cast<std::size_t>(of_observer_[o])];
    const bool value = f.program->evaluate(charts.slots()) != 0.0;
    if (value == f.value) continue;
    f.value = value;
    if (value) became(f, part_in_force(model_, charts), weight);
  }
  charts.world().clear_changed();
}

void WeightedRecorder::until(double next_s, ChartReplication& charts, const PathWeight& weight) {
  look(charts, weight);
  const auto weight_at = [&](double t) { return muted_ ? 0.0 : weight.after(t - moment_); };
  for (Follow& f : follow_) {
    const auto& grid = *f.grid;
    for (; f.point < grid.size() && grid[f.point] < next_s; ++f.point)
      if (!f.by && f.value) f.curve[f.point] += weight_at(grid[f.point]);
    if (f.done || !(f.at_s < next_s)) continue;
    if (!f.by && !f.sampled && f.value) f.parts[part_in_force(model_, charts)] += weight_at(f.at_s);
    f.sampled = true;
    // A curve may go on beyond the time that is asked for.
    if (f.point >= grid.size()) f.done = true, --open_;
  }
  moment_ = next_s;
}

void WeightedRecorder::finish(ChartReplication& charts, const PathWeight& weight) {
  look(charts, weight);
  until(std::numeric_limits<double>::infinity(), charts, weight);
}

void WeightedRecorder::commit(Tallies& into) {
  for (std::size_t i = 0; i < follow_.size(); ++i) {
    into.measures[i].observe_split(follow_[i].parts);
    for (std::size_t point = 0; point < follow_[i].curve.size(); ++point)
      into.measures[i].add_curve(point, follow_[i].curve[point]);
  }
}

}  // namespace ergode
