#include "solvers/hybrid/dormand_prince.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <utility>

namespace ergode {
namespace {

constexpr double machine_epsilon = std::numeric_limits<double>::epsilon();

// What each stage takes of the slopes before it; the last is the solution.
constexpr double a1[] = {1.0 / 5.0};
constexpr double a2[] = {3.0 / 40.0, 9.0 / 40.0};
constexpr double a3[] = {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0};
constexpr double a4[] = {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0};
constexpr double a5[] = {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0};
constexpr double a6[] = {35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0};
constexpr double stage_times[6] = {1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0};
// The difference of the two solutions, and what the interpolating polynomial takes of the slopes.
constexpr double e[7] = {71.0 / 57600.0,      0.0,          -71.0 / 16695.0, 71.0 / 1920.0,
                         -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0};
constexpr double d[7] = {-12715105075.0 / 11282082432.0,  0.0,
                         87487479700.0 / 32700410799.0,   -10690763975.0 / 1880347072.0,
                         701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0,
                         69997945.0 / 29380423.0};

// Two values side by side in a register; each is worked out as it would be alone.
using Lanes = double __attribute__((vector_size(16), may_alias));

Lanes* pairs(double* row) { return reinterpret_cast<Lanes*>(row); }
Lanes absolute(Lanes x) {
  using Bits = long long __attribute__((vector_size(16)));
  constexpr long long magnitude = std::numeric_limits<long long>::max();
  return reinterpret_cast<Lanes>(reinterpret_cast<Bits>(x) & Bits{magnitude, magnitude});
}
Lanes greater(Lanes x, Lanes y) { return x < y ? y : x; }

// Values that were written one by one a moment ago are read one by one: processors hand on what was just written to
// what reads all of it or a part of it, but not several pieces together.
Lanes just_written(const double* row, std::size_t p) {
  const volatile double* const at = row + 2 * p;
  return Lanes{at[0], at[1]};
}

// The sum of slopes times a row of coefficients, from left to right without those that are zero. The last is the
// latest.
template <const auto& row, std::size_t j = 0>
Lanes weighted(const std::array<double*, 7>& k, std::size_t p, Lanes sum = Lanes()) {
  constexpr bool last = j + 1 == std::size(row);
  const auto term = [&] { return row[j] * (last ? just_written(k[j], p) : pairs(k[j])[p]); };
  if constexpr (j == 0) sum = term();
  else if constexpr (row[j] != 0.0) sum += term();
  if constexpr (!last) return weighted<row, j + 1>(k, p, sum);
  else return sum;
}

// x to a power, to a few parts in a thousand: how long a step may be need not be known better, and the whole next step
// waits for it, so it is two looks into tables side by side. Of x >= 2^-34 and anything beyond, infinity included.
class RoughPower {
 public:
  explicit RoughPower(double power) {
    for (std::size_t part = 0; part < parts; ++part)
      of_part_[part] = std::pow(1.0 + (static_cast<double>(part) + 0.5) / parts, power);
    for (std::size_t octave = 0; octave < octaves; ++octave)
      of_octave_[octave] = std::exp2(power * (static_cast<double>(octave) - below));
  }
  double of(double x) const {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const auto octave = static_cast<std::int64_t>(bits >> 52U & 0x7ffU) - (1023 - below);
    return of_part_[bits >> 47U & (parts - 1)] *
           of_octave_[static_cast<std::size_t>(std::clamp<std::int64_t>(octave, 0, octaves - 1))];
  }

 private:
  static constexpr std::size_t parts = 32, octaves = 80;
  static constexpr int below = 34;
  std::array<double, parts> of_part_{};
  std::array<double, octaves> of_octave_{};
};

// Step control of the kind PI, and the exponent of a first guess.
const RoughPower of_error(-0.17), of_error_before(0.02), of_bend(-1.0 / 6.0);

}  // namespace

DormandPrince::DormandPrince(OdeSystem& system, std::size_t size, std::size_t conditions, const OdeOptions& options)
    : system_(system),
      size_(size),
      options_(options),
      states_(system.states(size)),
      pairs_((size + 1) / 2),
      state_pairs_((states_ + 1) / 2),
      rows_(2 * pairs_ * (5 + stages + 4)),
      prepared_(pairs_),
      general_values_(conditions) {
  double* next = rows_.data();
  const auto row = [&] { return std::exchange(next, next + 2 * pairs_); };
  for (double** some : {&from_, &to_, &reached_, &trial_, &before_last_}) *some = row();
  for (double*& some : k_) some = row();
  for (double*& some : polynomial_) some = row();
  looked_at_.resize(conditions);
  for (std::uint32_t c = 0; c < conditions; ++c) looked_at_[c].number = c;
}

void DormandPrince::restart(double time_s, const double* y) {
  begin_ = end_ = low_ = time_s;
  next_ = 0.0, before_ = of_error_before.of(least_error), ++steps_;
  signs_of_stiffness_ = signs_against_ = without_value_ = 0;
  found_.clear();
  std::copy_n(y, size_, to_);
  std::copy_n(y, size_, reached_);
  for (double* const row : k_) system_.still_derivatives(row);
  if (!derivatives(time_s, to_, 6) || !finite(6)) throw OdeFailure("the derivatives have no value");
  system_.looked_at(looked_at_);
  any_general_ = std::any_of(looked_at_.begin(), looked_at_.end(),
                             [](const OdeCondition& condition) { return condition.general(); });
  low_values_.resize(looked_at_.size()), high_values_.resize(looked_at_.size());
  conditions(time_s, to_, low_values_);
}

bool DormandPrince::finite(std::size_t k) const {
  Lanes sum = {};
  for (std::size_t p = 0; p < pairs_; ++p) sum += absolute(just_written(k_[k], p));
  return std::isfinite(sum[0]) && std::isfinite(sum[1]);
}

// As long as the slope takes to change by its own size, shortened by what the tolerances ask; for straight lines
// without end. A step that was guessed too long is rejected.
void DormandPrince::guess_length() {
  Lanes sizes = {}, speeds = {}, turns = {};
  const Lanes* const y = pairs(to_);
  const Lanes* const slope = pairs(k_[6]);
  const auto unit = [&](std::size_t p) { return 1.0 / (options_.absolute + options_.relative * absolute(y[p])); };
  for (std::size_t p = 0; p < pairs_; ++p) {
    sizes = greater(sizes, absolute(y[p]) * unit(p));
    speeds = greater(speeds, absolute(slope[p]) * unit(p));
  }
  const double size = std::max(sizes[0], sizes[1]), speed = std::max(speeds[0], speeds[1]);
  const double probe = size > 0.0 && speed > 0.0 ? 0.01 * size / speed : 1e-6 * std::max(1.0, std::abs(end_));
  for (std::size_t p = 0; p < pairs_; ++p) pairs(trial_)[p] = y[p] + probe * slope[p];
  // Into a row that each stage writes whole: where integrals are left out, what has no value would stay.
  if (!derivatives(end_ + probe, trial_, 2) || !finite(2)) {
    next_ = 0.1 * probe;
    return;
  }
  for (std::size_t p = 0; p < pairs_; ++p)
    turns = greater(turns, absolute(just_written(k_[2], p) - slope[p]) * unit(p));
  const double turn = std::max(turns[0], turns[1]), greatest = std::max(speed, turn);
  next_ = std::numeric_limits<double>::max();
  if (!(turn > 16.0 * machine_epsilon * speed)) return;
  const double time = greatest * probe / turn;
  next_ = 0.35 * time * of_bend.of(std::max(1.0, 1e-3 * greatest * time));
}

template <const auto& row>
void DormandPrince::place_stage(double h, std::size_t pairs_of_them, double* into) {
  const std::array<double*, stages> k = k_;
  const Lanes* const from = pairs(from_);
  Lanes* const to = pairs(into);
  for (std::size_t p = 0; p < pairs_of_them; ++p) to[p] = from[p] + h * weighted<row>(k, p);
}

bool DormandPrince::evaluate_stages(double h) {
  const auto time = [&](std::size_t stage) { return begin_ + stage_times[stage] * h; };
  place_stage<a1>(h, state_pairs_, trial_);
  if (!system_.state_derivatives(time(0), trial_, k_[1])) return false;
  place_stage<a2>(h, state_pairs_, trial_);
  if (!derivatives(time(1), trial_, 2)) return false;
  place_stage<a3>(h, state_pairs_, trial_);
  if (!derivatives(time(2), trial_, 3)) return false;
  place_stage<a4>(h, state_pairs_, trial_);
  if (!derivatives(time(3), trial_, 4)) return false;
  place_stage<a5>(h, state_pairs_, before_last_);
  if (!derivatives(time(4), before_last_, 5)) return false;
  place_stage<a6>(h, pairs_, to_);
  return derivatives(time(5), to_, 6);
}

/// @returns false: a slope is infinite or no number.
bool DormandPrince::error(double h, double& out) const {
  const std::array<double*, stages> k = k_;
  Lanes greatest = {}, all = {};
  for (std::size_t p = 0; p < pairs_; ++p) {
    const Lanes scale =
        options_.absolute + options_.relative * greater(absolute(pairs(from_)[p]), absolute(pairs(to_)[p]));
    const Lanes sum = weighted<e>(k, p);
    greatest = greater(greatest, absolute(sum) * (h / scale));  // the sum comes last
    all += absolute(sum);
  }
  // Of all slopes the second is not in the sum.
  for (std::size_t p = 0; p < state_pairs_; ++p) all += absolute(pairs(k[1])[p]);
  out = std::max(greatest[0], greatest[1]);
  return std::isfinite(all[0]) && std::isfinite(all[1]);
}

// The last two stages stand at one time: how far their slopes differ, over how far they do, is a bound of the greatest
// eigenvalue from below.
void DormandPrince::watch_stiffness(double h) {
  double slopes = 0.0, places = 0.0;
  for (std::size_t i = 0; i < states_; ++i) {
    const double slope = k_[6][i] - k_[5][i], place = to_[i] - before_last_[i];
    slopes += slope * slope, places += place * place;
  }
  if (places > 0.0 && h * h * slopes > 3.25 * 3.25 * places) {
    signs_against_ = 0;
    ++signs_of_stiffness_;
  } else if (++signs_against_ == 6) {
    signs_of_stiffness_ = 0;
  }
}

void DormandPrince::make_step(double until_s) {
  begin_ = end_;
  std::swap(from_, to_);
  std::swap(k_[0], k_[6]);
  bool rejected = false;
  for (;;) {
    double h = next_;
    // A rest that would be a hair is taken along.
    if (begin_ + 1.01 * h >= until_s) h = until_s - begin_;
    if (!(h > 16.0 * machine_epsilon * std::abs(begin_))) throw OdeFailure("a step cannot be made small enough");
    double wrong = 0.0;
    const bool has_value = evaluate_stages(h) && error(h, wrong);
    if (!has_value) wrong = std::numeric_limits<double>::infinity();
    // It would creep up to where the equations end, for ever.
    if (!has_value && ++without_value_ > most_without_value)
      throw OdeFailure("the derivatives have no value in its neighbourhood");
    // An error that grows from step to step is met before it is too great.
    const double factor = 0.9 * before_ * of_error.of(std::max(wrong, 1e-10));
    if (!(wrong <= 1.0)) {
      next_ = h * (std::isfinite(wrong) ? std::max(0.1, factor) : 0.1);
      rejected = true;
      continue;
    }
    const double longer = h * std::clamp(factor, 0.2, rejected ? 1.0 : 10.0);
    next_ = h < next_ ? std::max(next_, longer) : longer;
    end_ = h == until_s - begin_ ? until_s : begin_ + h;
    ++steps_;
    before_ = of_error_before.of(std::max(wrong, least_error));
    watch_stiffness(h);
    return;
  }
}

void DormandPrince::prepare_look(std::size_t p) {
  const double h = end_ - begin_;
  const Lanes change = pairs(to_)[p] - pairs(from_)[p], bow = h * pairs(k_[0])[p] - change;
  pairs(polynomial_[0])[p] = change, pairs(polynomial_[1])[p] = bow;
  pairs(polynomial_[2])[p] = change - h * pairs(k_[6])[p] - bow;
  pairs(polynomial_[3])[p] = h * weighted<d>(k_, p);
  prepared_[p] = steps_;
}

bool DormandPrince::look(double time_s, double* out) {
  if (!within(time_s)) return false;
  for (std::size_t i = 0; i < size_; ++i) out[i] = value(i, time_s);
  return true;
}

bool DormandPrince::look(std::span<const double> times_s, std::size_t place, double* out) {
  if (!within(times_s.front()) || !(times_s.back() <= end_)) return false;
  for (const double time : times_s) *out++ = value(place, time);
  return true;
}

double DormandPrince::step(double until_s, double limit_s) {
  found_.clear();
  if (next_ == 0.0) guess_length();
  if (low_ >= end_) make_step(limit_s);
  const double target = std::min(end_, until_s);
  if (target == end_)
    for (std::size_t p = 0; p < pairs_; ++p) pairs(reached_)[p] = pairs(to_)[p];
  else look(target, reached_);
  low_ = low_values_.empty() ? target : first_zero(target);
  return low_;
}

void DormandPrince::conditions(double time_s, const double* y, std::vector<double>& out) {
  for (std::size_t c = 0; c < looked_at_.size(); ++c) out[c] = looked_at_[c].at(y[looked_at_[c].value]);
  if (!any_general_) return;
  system_.conditions(time_s, y, general_values_.data());
  for (std::size_t c = 0; c < looked_at_.size(); ++c)
    if (looked_at_[c].general()) out[c] = general_values_[looked_at_[c].number];
}

double DormandPrince::condition(const OdeCondition& which, double time_s) {
  if (which.general()) {
    look(time_s, trial_);
    return system_.condition(which.number, time_s, trial_);
  }
  return which.at(value(which.value, time_s));
}

// The zero between two times at whose ends the signs differ: Illinois, to the rounding of the time. The later end of
// what is left.
double DormandPrince::zero_of(const OdeCondition& which, double low_s, double low, double high_s, double high) {
  const double close = 100.0 * machine_epsilon * (std::abs(end_) + (end_ - begin_));
  int side = 0;
  for (int tries = 1; high_s - low_s > close; ++tries) {
    double middle = high_s - high * (high_s - low_s) / (high - low);
    // Now and then halves, for what is flat or infinite at an end.
    if (tries % 8 == 0 || !std::isfinite(middle)) middle = 0.5 * (low_s + high_s);
    middle = std::clamp(middle, low_s + 0.5 * close, high_s - 0.5 * close);
    const double value = condition(which, middle);
    if (value == 0.0) return middle;
    if (std::signbit(value) == std::signbit(low)) {
      low_s = middle, low = value;
      if (side == -1) high *= 0.5;
      side = -1;
    } else {
      high_s = middle, high = value;
      if (side == 1) low *= 0.5;
      side = 1;
    }
  }
  return high_s;
}

double DormandPrince::first_zero(double target_s) {
  conditions(target_s, reached_, high_values_);
  bool same_sides = true;
  for (std::size_t c = 0; c < looked_at_.size(); ++c) same_sides = same_sides && low_values_[c] * high_values_[c] > 0.0;
  if (same_sides) {
    std::swap(low_values_, high_values_);
    return target_s;
  }
  // A condition that is zero at the beginning is looked at a little later: on which side does it go on?
  const double later = low_ + 0.1 * (target_s - low_);
  double first = target_s;
  for (std::size_t c = 0; c < looked_at_.size(); ++c) {
    double from = low_, low = low_values_[c];
    const double high = high_values_[c];
    if (low == 0.0) {
      from = later, low = condition(looked_at_[c], later);
      if (low == 0.0) continue;
      low_values_[c] = low;
    }
    if (high != 0.0 && std::signbit(high) == std::signbit(low)) continue;
    if (found_.empty()) found_.assign(general_values_.size(), 0);
    found_[looked_at_[c].number] = 1;
    const double zero = high == 0.0 ? target_s : zero_of(looked_at_[c], from, low, target_s, high);
    first = std::min(first, zero);
  }
  if (found_.empty()) {
    std::swap(low_values_, high_values_);
    return target_s;
  }
  if (first < target_s) {
    look(first, reached_);
    conditions(first, reached_, high_values_);
  }
  for (std::size_t c = 0; c < looked_at_.size(); ++c) {
    int& found = found_[looked_at_[c].number];
    if (found != 0)
      found = high_values_[c] == 0.0 || std::signbit(high_values_[c]) != std::signbit(low_values_[c]) ? 1 : 0;
  }
  std::swap(low_values_, high_values_);
  return first;
}

}  // namespace ergode
