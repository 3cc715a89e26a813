#include "solvers/simulation/long_run/long_run_recorder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "solvers/simulation/stream_recorder.h"

namespace ergode {
namespace {

using Meaning = MeasureKind::Meaning;

constexpr double first_batches = 1024.0;      // of the mission
constexpr double first_observations = 5.0;    // of a batch, as MSER-5 has it
constexpr std::uint64_t fewest_cycles = 500;  // as RUN034

/// What a measure that a ratio is made of tends to over a long run.
enum class Tends { to_a_value, to_grow, otherwise };
Tends tendency(const AnalysisModel& model, const Measure& measure) {
  if (measure.own) return Tends::otherwise;
  if (measure.stream >= 0 && model.charts.table->streams[static_cast<std::size_t>(measure.stream)].at_the_end)
    return Tends::otherwise;
  switch (measure.spec.kind->meaning) {
    case Meaning::average:
    case Meaning::observed_rate:
      return Tends::to_a_value;
    case Meaning::at_end:
    case Meaning::observed_count:
      return Tends::to_grow;
    default:
      return Tends::otherwise;
  }
}

std::string no_ratio(const AnalysisModel& model, const Measure& ratio) {
  const Measure &over = model.measures[static_cast<std::size_t>(ratio.over)],
                &per = model.measures[static_cast<std::size_t>(ratio.per)];
  for (const Measure* part : {&over, &per})
    if (tendency(model, *part) == Tends::otherwise)
      return "it is a ratio with \"" + part->spec.id + "\", which is about a mission";
  if (tendency(model, over) == tendency(model, per)) return {};
  return "of \"" + over.spec.id + "\" and \"" + per.spec.id + "\" one grows with the mission and the other does not";
}

}  // namespace

std::string no_long_run_answer(const AnalysisModel& model, const Measure& measure) {
  if (measure.own) return "it is known when time begins";
  if (measure.stream >= 0 && model.charts.table->streams[static_cast<std::size_t>(measure.stream)].at_the_end)
    return "it is observed once, when a replication ends";
  switch (measure.spec.kind->meaning) {
    case Meaning::average:
    case Meaning::long_run:
    case Meaning::regenerative:
    case Meaning::observed_mean:
    case Meaning::observed_share:
    case Meaning::observed_quantile:
    case Meaning::observed_rate:
      return {};
    case Meaning::ratio:
      return no_ratio(model, measure);
    default:
      return "it is about a mission, which one long run does not have";
  }
}

LongRunRecorder::LongRunRecorder(const AnalysisModel& model, WarmUpRule rule, bool controls)
    : model_(model),
      rule_(rule),
      of_measure_(model.measures.size(), -1),
      of_observer_(model.charts.table->observers().size(), -1),
      of_renewal_(of_observer_.size(), -1),
      of_stream_(model.charts.table->streams.size()),
      gathered_(of_stream_.size(), 1) {
  for (std::size_t m = 0; m < model.measures.size(); ++m) {
    if (!no_long_run_answer(model, model.measures[m]).empty()) continue;
    if (const Measure& measure = model.measures[m]; measure.spec.kind->meaning == Meaning::ratio)
      add(static_cast<std::size_t>(measure.over)), add(static_cast<std::size_t>(measure.per));
    else add(m);
  }
  if (controls) choose_controls();
}

void LongRunRecorder::add(std::size_t m) {
  if (of_measure_[m] >= 0) return;
  const Measure& measure = model_.measures[m];
  const auto place = static_cast<std::uint32_t>(follow_.size());
  of_measure_[m] = static_cast<std::int32_t>(place);
  Follow f;
  f.measure = static_cast<std::uint32_t>(m), f.meaning = measure.spec.kind->meaning, f.of_class = measure.of_class;
  // Of what a ratio of counts is made of the rate is followed.
  if (f.meaning == Meaning::at_end || f.meaning == Meaning::observed_count) f.meaning = Meaning::observed_rate;
  f.grows = measure.stream < 0 && f.meaning == Meaning::observed_rate;
  f.most = measure.level;
  f.timed =
      measure.stream >= 0 && observes_times(model_.charts.table->streams[static_cast<std::size_t>(measure.stream)]);
  const bool by_time = measure.stream < 0 || f.meaning == Meaning::observed_rate;
  f.batches = GrowingBatches(by_time ? model_.horizon_s / first_batches : first_observations);
  f.lasting = measure.spec.lasting;
  if (f.meaning == Meaning::observed_mean || f.meaning == Meaning::observed_quantile || f.lasting ||
      (f.meaning == Meaning::long_run && measure.spec.samples))
    f.values = std::make_unique<StreamDistribution>();
  if (measure.spec.kind->renewal) {
    f.renewal = &measure.renewal;
    of_renewal_[measure.renewal_observer] = static_cast<std::int32_t>(place);
  }
  if (measure.stream >= 0) {
    f.stream = static_cast<std::uint32_t>(measure.stream);
    of_stream_[f.stream].push_back(place);
    if (f.renewal != nullptr || f.of_class >= 0) gathered_[f.stream] = 0;
  } else {
    f.program = &measure.program;
    if (f.program->code().size() == 1) f.slot = static_cast<std::int32_t>(f.program->slots().front());
    of_observer_[measure.observer] = static_cast<std::int32_t>(place);
    for (const std::uint32_t slot : f.program->slots())
      f.flows = f.flows || (model_.charts.hybrid && model_.charts.continuous(slot));
    if (f.flows) flowing_.push_back(place), f.flowing = FlowingExpression(measure.program, model_.charts);
    // Of several of one slot the world does it for one.
    f.added_up = f.slot >= 0 && !f.flows && !f.lasting && !f.grows && f.renewal == nullptr &&
                 model_.charts.table->changes_by_set(static_cast<std::uint32_t>(f.slot)) &&
                 std::none_of(follow_.begin(), follow_.end(),
                              [&](const Follow& other) { return other.added_up && other.slot == f.slot; });
  }
  follow_.push_back(std::move(f));
}

// Of its own station, because that explains most; what is of none, or of one of which nothing is known, takes what
// tells most of the whole model. Several at once would cost a batch each, and are alike in a network.
void LongRunRecorder::choose_controls() {
  for (const auto& part : model_.others)
    for (LoweredPart::KnownMean& one : part->known_means())
      if (model_.charts.table->changes_by_set(one.slot)) controls_.push_back({.known = std::move(one)});
  if (controls_.empty()) return;
  std::map<ElementId, std::int32_t> of_element;
  for (std::size_t i = 0; i < controls_.size(); ++i)
    of_element.try_emplace(controls_[i].known.element, static_cast<std::int32_t>(i));
  std::map<std::uint32_t, ElementId> element_of;
  for (const NamedSlot& slot : model_.charts.table->named()) element_of.try_emplace(slot.slot, slot.element);
  for (Follow& f : follow_) {
    const bool mean =
        f.meaning == Meaning::average || f.meaning == Meaning::long_run || f.meaning == Meaning::observed_mean;
    if (!mean || f.renewal != nullptr) continue;
    f.control = 0;
    const auto take = [&](ElementId element) {
      const auto found = of_element.find(element);
      if (found != of_element.end()) f.control = found->second;
      return found != of_element.end();
    };
    if (f.program == nullptr) take(model_.charts.table->streams[f.stream].element);
    else
      for (const std::uint32_t slot : f.program->slots())
        if (const auto found = element_of.find(slot); found != element_of.end() && take(found->second)) break;
  }
}

World::Held LongRunRecorder::take_held(std::uint32_t slot, double end_s) {
  const World::Held held = world_->take_held(slot, end_s);
  for (Control& control : controls_)
    if (control.known.slot == slot) control.taken += held.sum;
  return held;
}

double LongRunRecorder::control_total(const Follow& f, double end_s) const {
  const Control& control = controls_[static_cast<std::size_t>(f.control)];
  return control.taken + world_->integral(control.known.slot, end_s) - control.known.mean * end_s;
}

void LongRunRecorder::begin(World& world) {
  world_ = &world;
  std::vector<std::uint8_t> wanted;
  for (const auto& followers : of_stream_) wanted.push_back(followers.empty() ? 0 : 1);
  world.observations.listen(this, wanted, world.slots() + World::now_slot);
  for (std::uint32_t stream = 0; stream < of_stream_.size(); ++stream) {
    if (of_stream_[stream].empty()) gathered_[stream] = 0;
    if (gathered_[stream] != 0) world.observations.gather(stream);
  }
  for (const Follow& f : follow_)
    if (f.added_up) world.add_up(static_cast<std::uint32_t>(f.slot), model_.measures[f.measure].observer);
  std::vector<std::uint8_t> used(controls_.size(), 0);
  for (const Follow& f : follow_)
    if (f.control >= 0) used[static_cast<std::size_t>(f.control)] = 1;
  for (std::size_t i = 0; i < controls_.size(); ++i)
    if (used[i] != 0) world.add_up(controls_[i].known.slot);
}

void LongRunRecorder::start() {
  for (Follow& f : follow_) {
    if (f.program != nullptr) f.value = f.program->evaluate(world_->slots());
    if (f.renewal != nullptr) f.held = f.renewal->holds(world_->slots());
  }
  world_->clear_changed();
}

void LongRunRecorder::account(Follow& f) {
  const double since_s = std::exchange(f.since_s, moment_), duration_s = moment_ - since_s;
  if (f.flows) return;  // follow() does it
  if (f.added_up) {
    const World::Held held = take_held(static_cast<std::uint32_t>(f.slot), moment_);
    return f.batches.part(held.sum, held.squares, duration_s);
  }
  if (f.lasting) last(f, f.value, since_s, moment_);
  if (f.renewal != nullptr) f.cycle_sum += f.value * duration_s;
  else f.batches.hold(f.grows ? 0.0 : f.value, duration_s), control(f, moment_);
}

// Rounded where they end, so that nothing is lost however short stretches are.
void LongRunRecorder::last(Follow& f, double value, double from_s, double to_s) const {
  // One of them is mostly the end before; a cast where std::round would be a call.
  const auto parts_at = [this](double at_s) { return static_cast<std::uint64_t>(at_s / part_s() + 0.5); };
  const std::uint64_t from = from_s == f.lasted_to_s ? f.lasted_to : parts_at(from_s), to = parts_at(to_s);
  f.lasted_to_s = to_s, f.lasted_to = to;
  if (to > from && std::isfinite(value)) f.values->observe(value, to - from);
}

// Everything of this moment is still of the cycle that ends.
void LongRunRecorder::renew(Follow& f) {
  if (f.program != nullptr) account(f);
  if (f.begun) f.cycles.observe(f.cycle_sum, f.program != nullptr ? moment_ - f.begin_s : f.cycle_n);
  f.begun = true, f.begin_s = moment_, f.cycle_sum = f.cycle_n = 0.0;
}

void LongRunRecorder::update() {
  const double* const slots = world_->slots();
  for (const std::uint32_t o : world_->changed()) {
    if (const std::int32_t place = of_observer_[o]; place >= 0) {
      Follow& f = follow_[static_cast<std::size_t>(place)];
      const double value = f.slot >= 0 ? slots[f.slot] : f.program->evaluate(slots);
      if (value != f.value) account(f), become(f, value);
    }
    if (const std::int32_t place = of_renewal_[o]; place >= 0) {
      Follow& f = follow_[static_cast<std::size_t>(place)];
      const bool held = std::exchange(f.held, f.renewal->holds(slots));
      if (f.held && !held) renewed_.push_back(static_cast<std::uint32_t>(place));
    }
  }
  world_->clear_changed();
  for (const std::uint32_t place : renewed_) renew(follow_[place]);
  renewed_.clear();
}

void LongRunRecorder::end_batches(double next_s) {
  batch_ends_s_ = std::numeric_limits<double>::infinity();
  for (Follow& f : follow_) {
    if (!ends_batches(f)) continue;
    for (double end_s = f.since_s + f.batches.left(); end_s <= next_s; end_s = f.since_s + f.batches.left()) {
      World::Held held;
      if (f.added_up) held = take_held(static_cast<std::uint32_t>(f.slot), end_s);
      else world_->observations.hand_over(f.stream);
      f.batches.fill(held.sum, held.squares);
      control(f, end_s);
      f.since_s = end_s;
    }
    batch_ends_s_ = std::min(batch_ends_s_, f.since_s + f.batches.left());
  }
}

double LongRunRecorder::limit(const Follow& f) const {
  return f.timed ? f.most + rounding_of_times(world_->now()) : f.most;
}

void LongRunRecorder::observed_block(std::uint32_t stream, std::span<const double> values) {
  for (const std::uint32_t place : of_stream_[stream]) {
    Follow& f = follow_[place];
    if (f.meaning == Meaning::observed_rate) {
      f.batches.add(static_cast<double>(values.size()));
    } else if (f.meaning == Meaning::observed_share) {
      for (const double most = limit(f); const double value : values) f.batches.observe(value <= most ? 1.0 : 0.0);
    } else {
      if (f.control >= 0) f.batches.observe(values, control_total(f, world_->now()));
      else f.batches.observe(values);
      if (f.values) f.values->observe(values);
    }
  }
}

void LongRunRecorder::observed(std::uint32_t stream, double value, std::uint32_t of_class) {
  for (const std::uint32_t place : of_stream_[stream]) {
    Follow& f = follow_[place];
    if (f.of_class >= 0 && static_cast<std::uint32_t>(f.of_class) != of_class) continue;
    if (f.renewal != nullptr) {
      f.cycle_sum += value, f.cycle_n += 1.0;
    } else if (f.meaning == Meaning::observed_rate) {
      const double now_s = world_->now();
      f.batches.hold(0.0, now_s - std::exchange(f.since_s, now_s));
      f.batches.add(1.0);
    } else if (f.meaning == Meaning::observed_share) {
      f.batches.observe(value <= limit(f) ? 1.0 : 0.0);
    } else {
      f.batches.observe(value);
      control(f, world_->now());
      if (f.values) f.values->observe(value);
    }
  }
}

void LongRunRecorder::follow(double from_s, double to_s, ContinuousPath& path) {
  for (const std::uint32_t place : flowing_) {
    Follow& f = follow_[place];
    if (f.grows) {
      // To each batch what it grows by in it.
      for (double at_s = from_s; at_s < to_s;) {
        const double full_s = std::max(at_s + f.batches.left(), std::nextafter(at_s, to_s));
        const double end_s = std::min(to_s, full_s);
        become(f, f.flowing.value(end_s, path));
        f.batches.hold(0.0, end_s - at_s);
        at_s = end_s;
      }
      continue;
    }
    const double added = f.flowing.integral(from_s, to_s, model_.horizon_s, path);
    if (f.renewal != nullptr) f.cycle_sum += added;
    else if (to_s > from_s) f.batches.hold(added / (to_s - from_s), to_s - from_s);
    if (f.lasting)
      f.looks.in(from_s, to_s, model_.horizon_s, [&](double at_s, double begin_s, double end_s) {
        last(f, f.flowing.value(at_s, path), begin_s, end_s);
      });
  }
}

LongRunRecorder::Follow* LongRunRecorder::of(std::size_t measure) {
  const std::int32_t place = of_measure_[measure];
  return place < 0 ? nullptr : &follow_[static_cast<std::size_t>(place)];
}

void LongRunRecorder::catch_up() {
  for (Follow& f : follow_) {
    if (f.program == nullptr && gathered_[f.stream] != 0) world_->observations.hand_over(f.stream);
    if (f.program != nullptr) account(f);
    else if (f.meaning == Meaning::observed_rate) f.batches.hold(0.0, moment_ - std::exchange(f.since_s, moment_));
  }
}

LongRunAnswer LongRunRecorder::ratio(std::size_t measure, double confidence) {
  const Measure& asked = model_.measures[measure];
  const auto over = static_cast<std::size_t>(asked.over), per = static_cast<std::size_t>(asked.per);
  LongRunAnswer out;
  for (const std::size_t part : {over, per}) {
    const GrowingBatches& batches = of(part)->batches;
    const WarmUp warm_up = batches.warm_up(rule_);
    if (warm_up.batches > 0)
      out.warm_up =
          std::max(out.warm_up, static_cast<double>(warm_up.batches) / static_cast<double>(batches.batches()));
    out.no_warm_up = out.no_warm_up || warm_up.failed;
  }
  BatchMeans& e = out.estimate = GrowingBatches::ratio(of(over)->batches, of(per)->batches, out.warm_up, confidence);
  const double factor = model_.measures[over].spec.factor / model_.measures[per].spec.factor;
  e.value *= factor, e.standard_error *= factor, e.ends.lower *= factor, e.ends.upper *= factor;
  return out;
}

LongRunAnswer LongRunRecorder::answer(std::size_t measure, double confidence) {
  if (model_.measures[measure].spec.kind->meaning == Meaning::ratio) return ratio(measure, confidence);
  Follow& f = *of(measure);
  LongRunAnswer out;
  const MeasureSpec& spec = model_.measures[measure].spec;
  if (f.renewal != nullptr) {
    out.cycles = f.cycles.n();
    out.estimate = {.value = f.cycles.ratio(),
                    .standard_error = f.cycles.standard_error(),
                    .ends = f.cycles.interval(confidence),
                    .batches = f.cycles.n(),
                    .independent = f.cycles.n() >= fewest_cycles};
    return out;
  }
  const WarmUp warm_up = f.batches.warm_up(rule_);
  const double all = static_cast<double>(f.batches.batches());
  out.warm_up = all > 0.0 ? static_cast<double>(warm_up.batches) / all : 0.0, out.no_warm_up = warm_up.failed;
  out.estimate = f.meaning == Meaning::observed_quantile
                     ? f.values->quantile(model_.measures[measure].level, out.warm_up,
                                          f.values->distribution(out.warm_up), confidence)
                     : f.batches.mean(warm_up.batches, spec.support, confidence);
  if (out.estimate.controlled) out.control = &controls_[static_cast<std::size_t>(f.control)].known;
  // A share that was 0 or 1 throughout does not vary: so many batches as the first might each have been another.
  if (f.meaning == Meaning::observed_share && out.estimate.standard_error == 0.0) {
    const double kept = (1.0 - out.warm_up) * f.batches.weight() / first_observations;
    out.estimate.ends = interval_without_variation(out.estimate.value, static_cast<std::uint64_t>(std::max(1.0, kept)),
                                                   spec.support, confidence)
                            .ends;
  }
  return out;
}

std::optional<BatchMeans> LongRunRecorder::variance(std::size_t measure, double confidence) {
  Follow* const f = of(measure);
  if (f == nullptr || f->renewal != nullptr || f->flows || f->meaning == Meaning::observed_rate) return std::nullopt;
  return f->batches.variance(f->batches.warm_up(rule_).batches, confidence);
}

const StreamDistribution* LongRunRecorder::distribution(std::size_t measure) {
  const Follow* const f = of(measure);
  return f == nullptr ? nullptr : f->values.get();
}

}  // namespace ergode
