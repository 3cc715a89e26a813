#include "solvers/simulation/measure_recorder.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ergode {

MeasureRecorder::MeasureRecorder(const AnalysisModel& model)
    : model_(model),
      fresh_(model.measures.size()),
      streams_(model.measures, model.charts.table->streams, model.horizon_s),
      observed_(model.measures.size()),
      parts_(model.split ? model.split->parts.size() : 1),
      sums_(model.measures.size() * parts_) {
  of_observer_.resize(model.charts.table->observers().size());
  for (std::size_t m = 0; m < model.measures.size(); ++m) {
    const Measure& measure = model.measures[m];
    Follow& f = fresh_[m];
    f.program = &measure.program;
    f.one_slot = f.program->code().size() == 1;
    if (f.one_slot) f.slot = f.program->slots().front();
    f.grid = !measure.spec.grid_s.empty();
    f.meaning = measure.spec.kind->meaning;
    if (f.meaning == Meaning::at_time && measure.at_s < model.horizon_s)
      early_.push_back(static_cast<std::uint32_t>(m));
    if (measure.spec.kind->source == MeasureKind::Source::measures) ratios_.push_back(static_cast<std::uint32_t>(m));
    if (f.meaning == Meaning::long_run && measure.stream < 0) {
      f.long_run = static_cast<std::int32_t>(long_runs_.size());
      long_runs_.push_back({.measure = static_cast<std::uint32_t>(m), .path = RunPath(model.horizon_s)});
    }
    if (measure.spec.kind->renewal) {
      if (measure.stream < 0) f.cycle = static_cast<std::int32_t>(cycles_.size());
      of_observer_[measure.renewal_observer] = static_cast<std::uint32_t>(model.measures.size() + cycles_.size());
      cycles_.push_back({static_cast<std::uint32_t>(m), &measure.renewal, measure.stream >= 0});
    }
    for (const std::uint32_t slot : f.program->slots())
      f.flows = f.flows || ((f.meaning == Meaning::average || f.long_run >= 0 || f.cycle >= 0) && model.charts.hybrid &&
                            model.charts.continuous(slot));
    if (f.flows) flowing_.push_back(static_cast<std::uint32_t>(m));
    if (f.flows) f.flowing = FlowingExpression(measure.program, model.charts);
    if (measure.spec.lasting) {
      f.lasting = static_cast<std::int32_t>(lasting_.size());
      lasting_.emplace_back(model.horizon_s, MeasureTally::ticks);
    }
    f.plain_average = f.meaning == Meaning::average && !f.grid && !f.flows && f.lasting < 0;
    // With one sum for all parts nobody else need follow it.
    const bool alone = f.plain_average && f.one_slot && parts_ == 1;
    f.integral = alone && model.charts.slots[f.slot].integral != 0;
    f.added_up = alone && !f.integral && model.charts.table->changes_by_set(f.slot);
    if (f.meaning == Meaning::average && !f.integral && !f.added_up)
      (f.plain_average ? plain_averages_ : averages_).push_back(static_cast<std::uint32_t>(m));
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
  if (!streams_.empty()) {
    streams_.begin(*world_, into);
  }
  for (Settling& s : long_runs_) s.path.clear();
  for (std::size_t m = 0; m < fresh_.size(); ++m) {
    if (fresh_[m].integral) world_->mute(model_.measures[m].observer);
    if (fresh_[m].added_up) world_->add_up(fresh_[m].slot, model_.measures[m].observer);
  }
  for (Cycle& c : cycles_) c.begun = false, c.area = 0.0;
  moment_ = 0.0;
  part_ = 0;
  follow_ = fresh_;
  std::fill(sums_.begin(), sums_.end(), 0.0);
}

void MeasureRecorder::start() {
  part_ = part_in_force();
  for (std::size_t m = 0; m < follow_.size(); ++m) {
    if (model_.measures[m].counts_event) continue;
    Follow& f = follow_[m];
    f.value = f.first = f.program->evaluate(world_->slots());
    if (f.value != 0.0) became(m, f.value);
  }
  for (Cycle& c : cycles_) c.held = c.renewal->holds(world_->slots());
  world_->clear_changed();
}

// Everything of this moment is still of the cycle that ends.
void MeasureRecorder::renew(Cycle& c) {
  if (c.stream) streams_.renew(c.measure, c.begun);
  else {
    account(c.measure, moment_, false);
    if (c.begun) into_->measures[c.measure].observe_cycle(c.area, moment_ - c.begin_s);
  }
  c.begun = true, c.begin_s = moment_, c.area = 0.0;
}

void MeasureRecorder::became(std::size_t m, double value) {
  Follow& f = follow_[m];
  if (value == 0.0) return;
  if (f.meaning == Meaning::events) sums(m)[part_] += 1.0;
  if (f.reached >= 0.0 || (f.meaning != Meaning::by_time && f.meaning != Meaning::first_time)) return;
  f.reached = moment_;
  f.part = part_;
  if (f.meaning == Meaning::by_time && f.grid) into_->measures[m].hit_from(grid_index(m, moment_));
}

void MeasureRecorder::update() {
  // An average belongs to the part in force while it grows.
  const SplitPart before = part_, part = part_in_force();
  if (part != before) {
    for (const std::uint32_t m : averages_) account(m, moment_, false);
    part_ = part;
  }
  const double* const slots = world_->slots();
  for (const std::uint32_t o : world_->changed()) {
    // Numbers past the measures are cycles: both are observers to the world.
    const std::size_t m = of_observer_[o];
    if (m >= follow_.size()) {
      Cycle& c = cycles_[m - follow_.size()];
      const bool held = std::exchange(c.held, c.renewal->holds(slots));
      if (c.held && !held) renewed_.push_back(static_cast<std::uint32_t>(m - follow_.size()));
      continue;
    }
    Follow& f = follow_[m];
    const double value = f.one_slot ? slots[f.slot] : f.program->evaluate(slots);
    if (value == f.value) continue;
    if (f.plain_average) {
      sums_[m * parts_ + before] += f.value * (moment_ - f.since);
      f.value = value, f.since = moment_;
      continue;
    }
    const bool rising = f.value == 0.0;
    if (f.meaning == Meaning::at_time || f.meaning == Meaning::average || f.long_run >= 0 || f.cycle >= 0)
      account(m, moment_, false);
    f.value = value;
    f.since = moment_;
    if (rising) became(m, value);
  }
  world_->clear_changed();
  for (const std::uint32_t c : renewed_) renew(cycles_[c]);
  renewed_.clear();
  if (part == before) return;
  // Those that changed just now have nothing more to add.
  for (const std::uint32_t m : plain_averages_) {
    Follow& f = follow_[m];
    if (f.since == moment_) continue;
    sums_[m * parts_ + before] += f.value * (moment_ - f.since);
    f.since = moment_;
  }
}

void MeasureRecorder::sample_early(double next_s) {
  if (!world_->changed().empty() || part_in_force() != part_) update();
  for (const std::uint32_t m : early_) {
    Follow& f = follow_[m];
    if (f.sampled >= 0.0 || model_.measures[m].at_s >= next_s) continue;
    f.sampled = f.value;
    f.part = part_;
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
  if (f.long_run >= 0) {
    long_runs_[static_cast<std::size_t>(f.long_run)].path.hold(f.value, end_s - f.since);
  }
  if (f.cycle >= 0) cycles_[static_cast<std::size_t>(f.cycle)].area += f.value * (end_s - f.since);
  if (f.lasting >= 0) this->last(f, m, f.value, f.since, end_s);
  const bool average = f.meaning == Meaning::average;
  if (average) sums(m)[part_] += f.value * (end_s - f.since);
  if (f.grid && (average || f.value != 0.0)) {
    const std::size_t first = grid_index(m, f.since);
    const std::size_t end = last ? model_.measures[m].spec.grid_s.size() : grid_index(m, end_s);
    if (!average) into_->measures[m].hit(first, end);
    for (std::size_t i = first; average && i < end; ++i) into_->measures[m].add_curve(i, f.value);
  }
  f.since = end_s;
}

void MeasureRecorder::follow(double from_s, double to_s, ContinuousPath& path) {
  for (const std::uint32_t m : flowing_) {
    Follow& f = follow_[m];
    const double added = f.flowing.integral(from_s, to_s, model_.horizon_s, path);
    if (f.cycle >= 0) {
      cycles_[static_cast<std::size_t>(f.cycle)].area += added;
      continue;
    }
    if (f.long_run >= 0) {
      // What has no length holds nothing.
      if (to_s > from_s)
        long_runs_[static_cast<std::size_t>(f.long_run)].path.hold(added / (to_s - from_s), to_s - from_s);
    }
    if (f.lasting >= 0) {
      f.looks.in(from_s, to_s, model_.horizon_s, [&](double at_s, double begin_s, double end_s) {
        this->last(f, m, f.flowing.value(at_s, path), begin_s, end_s);
      });
    }
    if (f.long_run >= 0) continue;
    sums(m)[part_] += added;
    if (!f.grid) continue;
    const std::vector<double>& grid = model_.measures[m].spec.grid_s;
    const bool last = to_s >= model_.horizon_s;
    // Stretches follow each other: the first point not before this one is where the one before ended.
    for (std::size_t& i = f.point; i < grid.size() && (grid[i] < to_s || (last && grid[i] <= to_s)); ++i) {
      into_->measures[m].add_curve(i, f.flowing.value(grid[i], path));
    }
  }
}

void MeasureRecorder::finish() {
  if (!world_->changed().empty() || part_in_force() != part_) update();
  const double end = model_.horizon_s;
  for (std::size_t m = 0; m < follow_.size(); ++m) {
    Follow& f = follow_[m];
    MeasureTally& tally = into_->measures[m];
    double& value = observed_[m];
    switch (f.meaning) {
      case Meaning::at_time:
        account(m, end, true);
        value = f.sampled >= 0.0 ? f.sampled : f.value;
        tally.observe(value, f.sampled >= 0.0 ? f.part : part_);
        break;
      case Meaning::by_time:
        value = f.reached >= 0.0 && f.reached <= model_.measures[m].at_s ? 1.0 : 0.0;
        tally.observe(value, f.part);
        break;
      case Meaning::average:
        if (f.integral) sums(m)[0] = charts_->integral(f.slot, end);
        else if (f.added_up) sums(m)[0] = world_->integral(f.slot, end);
        else account(m, end, true);
        if (f.lasting >= 0) flush(f, tally);
        for (double& sum : sums(m)) sum /= end;
        value = tally.observe_split(sums(m));
        break;
      case Meaning::events:
        value = tally.observe_split(sums(m));
        break;
      case Meaning::first_time:
        if (f.reached >= 0.0) tally.observe(f.reached, f.part);
        break;
      case Meaning::at_end:
        value = f.value;
        tally.observe(value, part_);
        break;
      case Meaning::observed_rate:
        if (model_.measures[m].stream >= 0) break;
        value = (f.value - f.first) / end;
        tally.observe(value);
        break;
      case Meaning::long_run:
        if (f.long_run < 0) break;  // of a stream
        account(m, end, true);
        if (f.lasting >= 0) flush(f, tally);
        tally.observe_long_run(long_runs_[static_cast<std::size_t>(f.long_run)].path);
        break;
      default:
        break;  // of a stream, or of other measures: below
    }
  }
  streams_.finish(observed_);
  for (const std::uint32_t m : ratios_) {
    const Measure& ratio = model_.measures[m];
    const auto scaled = [&](std::int32_t number) {
      const auto place = static_cast<std::size_t>(number);
      return observed_[place] * model_.measures[place].spec.factor;
    };
    const double over = scaled(ratio.over), per = scaled(ratio.per);
    into_->measures[m].observe_ratio(over, per);
  }
}

void MeasureRecorder::event(std::uint32_t event, double now_s) {
  (void)now_s;
  for (const std::uint32_t m : event_measures_[event]) sums(m)[part_in_force()] += 1.0;
}

}  // namespace ergode
