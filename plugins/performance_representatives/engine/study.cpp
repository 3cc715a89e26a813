#include "plugins/performance_representatives/engine/study.h"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include "plugins/performance_representatives/engine/draws.h"

namespace performance_representatives {
namespace {

double median_time(const TimeSource& target, const Point& point, std::uint32_t repeats) {
  std::vector<double> all;
  for (std::uint32_t r = 0; r < std::max(1U, repeats); ++r) all.push_back(target(point));
  std::sort(all.begin(), all.end());
  const std::size_t n = all.size();
  return n % 2 == 1 ? all[n / 2] : 0.5 * (all[n / 2 - 1] + all[n / 2]);
}

std::vector<Timed> timed(const TimeSource& target, const std::vector<Point>& points, std::uint32_t repeats) {
  std::vector<Timed> out;
  for (const Point& one : points) out.push_back({one, median_time(target, one, repeats)});
  return out;
}

void append(std::vector<Timed>& to, const std::vector<Timed>& more) { to.insert(to.end(), more.begin(), more.end()); }

/// Measured points in an order whose beginnings are samples: corners, then the others at random.
std::vector<Timed> in_order_of_samples(std::vector<Timed> all, const std::vector<Point>& corners, std::uint64_t seed) {
  Draws draw(seed);
  draw.shuffle(all);
  const std::set<Point> first(corners.begin(), corners.end());
  std::stable_partition(all.begin(), all.end(), [&first](const Timed& one) { return first.count(one.point) > 0; });
  return all;
}

/// What is drawn for one purpose does not depend on how much was drawn for another.
enum Stream : std::uint64_t { for_samples = 1, for_random, for_tests };
std::uint64_t seed_for(std::uint64_t seed, Stream stream) { return seed * 4 + stream; }

class TypeStudy {
 public:
  TypeStudy(const LayerType& type, const std::vector<SizeRange>& ranges, const StudyOptions& options,
            const TimeSource& target)
      : type_(type), ranges_(ranges), options_(options), target_(target) {
    for (const auto* set : {&type.sweeps, &type.representatives, &type.random, &type.tests, &type.any})
      append(all_, *set);
  }

  Studied run() {
    std::vector<Axis> axes;
    for (std::size_t at = 0; at < ranges_.size(); ++at) {
      out_.axes.push_back(find_axis(at));
      axes.push_back(out_.axes.back().axis);
    }
    out_.grid.emplace(axes);
    out_.wanted = out_.grid->sample(options_.samples, seed_for(options_.estimator.seed, for_samples));
    if (target_) ask();
    else sort_measured();
    learn();
    return std::move(out_);
  }

 private:
  Point base() const {
    Point out;
    for (const SizeRange& range : ranges_) {
      const std::int64_t low = range.low.value_or(1), high = range.high.value_or(low);
      out.push_back(std::clamp(range.base.value_or(low), low, high));
    }
    return out;
  }

  AxisFound find_axis(std::size_t at) const {
    const SizeRange& range = ranges_[at];
    AxisFound out;
    std::vector<std::int64_t> values;
    for (const Timed& one : all_) values.push_back(one.point[at]);
    const auto end = [&values](bool greatest) -> std::int64_t {
      if (values.empty()) return 1;
      return greatest ? *std::max_element(values.begin(), values.end())
                      : *std::min_element(values.begin(), values.end());
    };
    out.axis.low = range.low.value_or(end(false)), out.axis.high = range.high.value_or(end(true));
    if (out.axis.low > out.axis.high)
      throw std::invalid_argument("the range of " + range.name + ", " + std::to_string(out.axis.low) + " to " +
                                  std::to_string(out.axis.high) + ", is empty");
    if (range.width.value_or(0) > 0) {
      out.axis.width = *range.width, out.axis.offset = range.offset.value_or(0);
      out.steps.width = out.axis.width, out.steps.offset = out.axis.offset, out.steps.because = "given";
      return out;
    }
    // Of one value there is nothing to sweep, and no stair to find.
    if (out.axis.low == out.axis.high) {
      out.steps.because = "one value";
      return out;
    }
    if (target_) out.sweeps = {swept(at, out.axis)};
    else
      for (const auto* set : {&type_.sweeps, &type_.any, &type_.representatives})
        if (out.sweeps.empty()) out.sweeps = sweeps_in(*set, at);
    StepRules rules = options_.steps;
    rules.hints = range.hints;
    if (out.sweeps.empty()) out.steps.because = "no sweep: four points that differ in it alone";
    else out.steps = find_steps(out.sweeps, rules);
    out.axis.width = out.steps.width, out.axis.offset = out.steps.offset;
    return out;
  }
  SizeSweep swept(std::size_t at, const Axis& axis) const {
    SizeSweep out;
    Point point = base();
    for (point[at] = axis.low; point[at] <= axis.high; ++point[at]) {
      out.values.push_back(point[at]);
      out.times.push_back(median_time(target_, point, options_.repeats));
    }
    return out;
  }

  void ask() {
    const std::uint64_t seed = options_.estimator.seed;
    out_.training = timed(target_, out_.wanted, options_.repeats);
    random_ = timed(target_, out_.grid->sample_range(out_.wanted.size(), seed_for(seed, for_random)), options_.repeats);
    tests_ = timed(target_, out_.grid->sample_range(options_.tests, seed_for(seed, for_tests)), options_.repeats);
  }

  void sort_measured() {
    const auto is_representative = [this](const Timed& one) {
      return out_.grid->representative(one.point) == one.point;
    };
    std::vector<Timed> others;
    for (const Timed& one : medians_of(type_.any)) (is_representative(one) ? out_.training : others).push_back(one);
    for (const Timed& one : type_.representatives)
      if (is_representative(one)) out_.training.push_back(one);
      else ++out_.off_grid;
    if (out_.training.empty())
      for (const Timed& one : type_.sweeps)
        if (is_representative(one)) out_.training.push_back(one);
    const std::uint64_t seed = options_.estimator.seed;
    out_.training = in_order_of_samples(medians_of(out_.training), out_.grid->corners(), seed_for(seed, for_samples));
    if (out_.training.size() > options_.samples) out_.training.resize(options_.samples);
    Draws draw(seed_for(seed, for_random));
    random_ = medians_of(type_.random), tests_ = medians_of(type_.tests);
    draw.shuffle(random_);
    draw.shuffle(others);
    const auto middle = others.begin() + static_cast<std::ptrdiff_t>(tests_.empty() ? others.size() / 2 : 0);
    tests_.insert(tests_.end(), others.begin(), middle);
    random_.insert(random_.end(), middle, others.end());
  }

  void learn() {
    if (out_.training.empty()) return;
    out_.estimator.emplace(out_.training, out_.grid, options_.estimator);
    if (tests_.empty()) return;
    out_.errors = errors_of(*out_.estimator, tests_);
    for (const Timed& one : tests_)
      if (out_.estimator->measured(out_.grid->representative(one.point)))
        out_.known += 1.0 / static_cast<double>(tests_.size());
    EstimatorOptions forest = options_.estimator;
    forest.measured = false;
    for (const std::size_t count : sample_counts(out_.training.size())) {
      const auto first = [count](const std::vector<Timed>& all) {
        return std::vector<Timed>(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
      };
      Compared row{count, errors_of(Estimator(first(out_.training), out_.grid, forest), tests_), std::nullopt};
      if (count <= random_.size()) row.random = errors_of(Estimator(first(random_), std::nullopt, forest), tests_);
      out_.curve.push_back(std::move(row));
    }
  }

  const LayerType& type_;
  const std::vector<SizeRange>& ranges_;
  const StudyOptions& options_;
  const TimeSource& target_;
  std::vector<Timed> all_, random_, tests_;
  Studied out_;
};

}  // namespace

Studied study(const LayerType& type, const std::vector<SizeRange>& ranges, const StudyOptions& options,
              const TimeSource& target) {
  return TypeStudy(type, ranges, options, target).run();
}

std::vector<Timed> medians_of(const std::vector<Timed>& points) {
  std::map<Point, std::vector<double>> times;
  for (const Timed& one : points) times[one.point].push_back(one.time);
  std::vector<Timed> out;
  for (auto& [point, all] : times) {
    std::sort(all.begin(), all.end());
    const std::size_t n = all.size();
    out.push_back({point, n % 2 == 1 ? all[n / 2] : 0.5 * (all[n / 2 - 1] + all[n / 2])});
  }
  return out;
}

std::vector<SizeSweep> sweeps_in(const std::vector<Timed>& points, std::size_t at) {
  constexpr std::size_t shortest = 4;
  std::map<Point, std::map<std::int64_t, double>> lines;
  for (const Timed& one : medians_of(points)) {
    Point others = one.point;
    others[at] = 0;
    lines[others][one.point[at]] = one.time;
  }
  std::vector<SizeSweep> out;
  for (const auto& [others, line] : lines) {
    // The longest run by one step.
    SizeSweep best, here;
    for (const auto& [value, time] : line) {
      if (here.values.size() > 1 && value - here.values.back() != here.step()) {
        const std::int64_t last = here.values.back();
        const double last_time = here.times.back();
        if (here.values.size() > best.values.size()) best = here;
        here.values = {last}, here.times = {last_time};
      }
      here.values.push_back(value), here.times.push_back(time);
    }
    if (here.values.size() > best.values.size()) best = std::move(here);
    if (best.values.size() >= shortest) out.push_back(std::move(best));
  }
  // A coarse sweep cannot see what a fine one does.
  std::int64_t finest = 0;
  for (const SizeSweep& one : out) finest = finest == 0 ? one.step() : std::min(finest, one.step());
  std::erase_if(out, [finest](const SizeSweep& one) { return one.step() != finest; });
  return out;
}

}  // namespace performance_representatives
