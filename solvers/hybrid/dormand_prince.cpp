#include "solvers/hybrid/dormand_prince.h"

#include <algorithm>
#include <cmath>

namespace ergode {
namespace {

constexpr double rounding = std::numeric_limits<double>::epsilon();

// Row s: what stage s + 1 takes of the slopes before it; the last is the solution.
constexpr double a[6][6] = {
    {1.0 / 5.0},
    {3.0 / 40.0, 9.0 / 40.0},
    {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0},
    {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0},
    {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0},
    {35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0},
};
constexpr double c[6] = {1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0};
// The difference of the two solutions, and what the interpolating polynomial takes of the slopes.
constexpr double e[7] = {71.0 / 57600.0,      0.0,          -71.0 / 16695.0, 71.0 / 1920.0,
                         -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0};
constexpr double d[7] = {-12715105075.0 / 11282082432.0,  0.0,
                         87487479700.0 / 32700410799.0,   -10690763975.0 / 1880347072.0,
                         701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0,
                         69997945.0 / 29380423.0};

}  // namespace

DormandPrince::DormandPrince(OdeSystem& system, std::size_t size, std::size_t conditions, const OdeOptions& options)
    : system_(system), size_(size), options_(options), low_values_(conditions), high_values_(conditions) {
  for (auto* v : {&from_, &to_, &reached_, &trial_, &before_last_}) v->resize(size);
  for (auto& v : k_) v.resize(size);
  for (auto& v : polynomial_) v.resize(size);
}

void DormandPrince::restart(double time_s, const double* y) {
  begin_ = end_ = low_ = time_s;
  next_ = 0.0, last_digits_ = least_digits, prepared_ = false;
  signs_of_stiffness_ = signs_against_ = without_value_ = 0;
  found_.clear();
  std::copy_n(y, size_, to_.begin());
  reached_ = to_;
  if (!system_.derivatives(time_s, to_.data(), k_[6].data())) throw OdeFailure("the derivatives have no value");
  system_.conditions(time_s, to_.data(), low_values_.data());
}

// As long as the slope takes to change by its own size, shortened by what the tolerances ask; for straight lines
// without end. A step that was guessed too long is rejected.
void DormandPrince::guess_length() {
  const std::vector<double>& slope = k_[6];
  double size = 0.0, speed = 0.0;
  for (std::size_t i = 0; i < size_; ++i) {
    const double scale = options_.absolute + options_.relative * std::abs(to_[i]);
    size = std::max(size, std::abs(to_[i]) / scale), speed = std::max(speed, std::abs(slope[i]) / scale);
  }
  const double probe = size > 0.0 && speed > 0.0 ? 0.01 * size / speed : 1e-6 * std::max(1.0, std::abs(end_));
  for (std::size_t i = 0; i < size_; ++i) trial_[i] = to_[i] + probe * slope[i];
  if (!system_.derivatives(end_ + probe, trial_.data(), k_[1].data())) {
    next_ = 0.1 * probe;
    return;
  }
  double bend = 0.0;
  for (std::size_t i = 0; i < size_; ++i) {
    const double scale = options_.absolute + options_.relative * std::abs(to_[i]);
    bend = std::max(bend, std::abs(k_[1][i] - slope[i]) / (scale * probe));
  }
  next_ = std::numeric_limits<double>::max();
  if (!(bend > 16.0 * rounding * speed / probe)) return;
  const double time = std::max(speed, bend * probe) / bend;
  next_ = 0.5 * time / std::pow(std::max(1.0, 1e-3 * std::max(speed, bend * probe) * time), 1.0 / 6.0);
}

template <std::size_t Stage>
bool DormandPrince::evaluate_stage(double h, std::vector<double>& into) {
  const double* k[Stage];
  for (std::size_t j = 0; j < Stage; ++j) k[j] = k_[j].data();
  const double* const from = from_.data();
  double* const to = into.data();
  for (std::size_t i = 0; i < size_; ++i) {
    double sum = a[Stage - 1][0] * k[0][i];
    for (std::size_t j = 1; j < Stage; ++j) sum += a[Stage - 1][j] * k[j][i];
    to[i] = from[i] + h * sum;
  }
  return system_.derivatives(begin_ + c[Stage - 1] * h, to, k_[Stage].data());
}

bool DormandPrince::evaluate_stages(double h) {
  return evaluate_stage<1>(h, trial_) && evaluate_stage<2>(h, trial_) && evaluate_stage<3>(h, trial_) &&
         evaluate_stage<4>(h, trial_) && evaluate_stage<5>(h, before_last_) && evaluate_stage<6>(h, to_);
}

double DormandPrince::error(double h) const {
  double out = 0.0;
  for (std::size_t i = 0; i < size_; ++i) {
    double sum = 0.0;
    for (std::size_t j = 0; j < stages; ++j) sum += e[j] * k_[j][i];
    const double scale = options_.absolute + options_.relative * std::max(std::abs(from_[i]), std::abs(to_[i]));
    out = std::max(out, std::abs(h * sum) / scale);
  }
  return out;
}

// The last two stages stand at one time: how far their slopes differ, over how far they do, is a bound of the greatest
// eigenvalue from below.
void DormandPrince::watch_stiffness(double h) {
  double slopes = 0.0, places = 0.0;
  for (std::size_t i = 0; i < size_; ++i) {
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
    if (!(h > 16.0 * rounding * std::abs(begin_))) throw OdeFailure("a step cannot be made small enough");
    const bool has_value = evaluate_stages(h);
    const double wrong = has_value ? error(h) : std::numeric_limits<double>::infinity();
    // It would creep up to where the equations end, for ever.
    if (!has_value && ++without_value_ > most_without_value)
      throw OdeFailure("the derivatives have no value in its neighbourhood");
    // An error that grows from step to step is met before it is too great.
    const double digits = std::log(std::max(wrong, 1e-10));
    const double factor = 0.9 * std::exp(0.04 * last_digits_ - 0.17 * digits);
    if (!(wrong <= 1.0)) {
      next_ = h * (std::isfinite(wrong) ? std::max(0.1, factor) : 0.1);
      rejected = true;
      continue;
    }
    const double longer = h * std::clamp(factor, 0.2, rejected ? 1.0 : 10.0);
    next_ = h < next_ ? std::max(next_, longer) : longer;
    end_ = h == until_s - begin_ ? until_s : begin_ + h;
    prepared_ = false;
    last_digits_ = std::max(digits, least_digits);
    watch_stiffness(h);
    return;
  }
}

void DormandPrince::prepare_look() {
  const double h = end_ - begin_;
  for (std::size_t i = 0; i < size_; ++i) {
    const double change = to_[i] - from_[i], bow = h * k_[0][i] - change;
    double sum = 0.0;
    for (std::size_t j = 0; j < stages; ++j) sum += d[j] * k_[j][i];
    polynomial_[0][i] = change, polynomial_[1][i] = bow;
    polynomial_[2][i] = change - h * k_[6][i] - bow, polynomial_[3][i] = h * sum;
  }
  prepared_ = true;
}

bool DormandPrince::look(double time_s, double* out) {
  if (!(time_s >= begin_ && time_s <= end_) || begin_ == end_) return false;
  if (!prepared_) prepare_look();
  const double x = (time_s - begin_) / (end_ - begin_), rest = 1.0 - x;
  for (std::size_t i = 0; i < size_; ++i)
    out[i] = from_[i] +
             x * (polynomial_[0][i] + rest * (polynomial_[1][i] + x * (polynomial_[2][i] + rest * polynomial_[3][i])));
  return true;
}

double DormandPrince::step(double until_s) {
  found_.clear();
  if (next_ == 0.0) guess_length();
  if (low_ >= end_) make_step(until_s);
  const double target = std::min(end_, until_s);
  if (target == end_) reached_ = to_;
  else look(target, reached_.data());
  low_ = low_values_.empty() ? target : first_zero(target);
  return low_;
}

// The zero between two times at whose ends the signs differ: Illinois, to the rounding of the time. The later end of
// what is left.
double DormandPrince::zero_of(std::size_t number, double low_s, double low, double high_s, double high) {
  const double close = 100.0 * rounding * (std::abs(end_) + (end_ - begin_));
  int side = 0;
  for (int tries = 1; high_s - low_s > close; ++tries) {
    double middle = high_s - high * (high_s - low_s) / (high - low);
    // Now and then halves, for what is flat or infinite at an end.
    if (tries % 8 == 0 || !std::isfinite(middle)) middle = 0.5 * (low_s + high_s);
    middle = std::clamp(middle, low_s + 0.5 * close, high_s - 0.5 * close);
    look(middle, trial_.data());
    const double value = system_.condition(number, middle, trial_.data());
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
  system_.conditions(target_s, reached_.data(), high_values_.data());
  // A condition that is zero at the beginning is looked at a little later: on which side does it go on?
  const double later = low_ + 0.1 * (target_s - low_);
  double first = target_s;
  bool any = false, looked = false;
  for (std::size_t i = 0; i < low_values_.size(); ++i) {
    double from = low_, low = low_values_[i];
    const double high = high_values_[i];
    if (low == 0.0) {
      if (!looked) look(later, before_last_.data());
      looked = true, from = later, low = system_.condition(i, later, before_last_.data());
      if (low == 0.0) continue;
      low_values_[i] = low;
    }
    if (high != 0.0 && std::signbit(high) == std::signbit(low)) continue;
    if (!any) found_.assign(low_values_.size(), 0), any = true;
    found_[i] = 1;
    const double zero = high == 0.0 ? target_s : zero_of(i, from, low, target_s, high);
    first = std::min(first, zero);
  }
  if (!any) {
    std::swap(low_values_, high_values_);
    return target_s;
  }
  if (first < target_s) {
    look(first, reached_.data());
    system_.conditions(first, reached_.data(), high_values_.data());
  }
  for (std::size_t i = 0; i < found_.size(); ++i)
    found_[i] =
        found_[i] != 0 && (high_values_[i] == 0.0 || std::signbit(high_values_[i]) != std::signbit(low_values_[i])) ? 1
                                                                                                                    : 0;
  std::swap(low_values_, high_values_);
  return first;
}

}  // namespace ergode
