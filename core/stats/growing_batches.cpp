#include "core/stats/growing_batches.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/special_values.h"
#include "core/stats/mean_interval.h"
#include "core/stats/tally.h"

namespace ergode {
namespace {

constexpr std::array<std::size_t, 4> group_counts = {64, 48, 32, 24};
// Of a series without correlation von Neumann's ratio is normal with this mean and spread; one-sided, 10 %.
constexpr double normal_90 = 1.2815515655446004;
constexpr double most_explained = 0.99, most_spread = 0.2;

struct Groups {
  std::vector<double> means;
  double correlation = 0.0, squares = 0.0;
  bool independent = false;
};

Groups joined(const std::vector<double>& deviations, std::size_t count) {
  Groups out;
  const std::size_t each = deviations.size() / count, first = deviations.size() - each * count;
  double mean = 0.0;
  for (std::size_t g = 0; g < count; ++g) {
    double sum = 0.0;
    for (std::size_t i = 0; i < each; ++i) sum += deviations[first + g * each + i];
    out.means.push_back(sum / static_cast<double>(each));
    mean += out.means.back();
  }
  const double n = static_cast<double>(count);
  mean /= n;
  double products = 0.0, differences = 0.0;
  for (std::size_t g = 0; g < count; ++g) {
    const double off = out.means[g] - mean;
    out.squares += off * off;
    if (g == 0) continue;
    products += off * (out.means[g - 1] - mean);
    const double step = out.means[g] - out.means[g - 1];
    differences += step * step;
  }
  if (!(out.squares > 0.0)) return out;
  const double ratio = differences / out.squares;
  out.independent = ratio >= 2.0 - 2.0 * normal_90 * std::sqrt((n - 2.0) / (n * n - 1.0));
  // Deviations from their own mean correlate by -(1 + 3 r) / n too much (Marriott and Pope, Biometrika 41, 1954).
  const double r = products / out.squares;
  out.correlation = std::min(r + (1.0 + 3.0 * r) / n, 0.95);
  return out;
}

}  // namespace

BatchMeans of_deviations(double value, const std::vector<double>& deviations, double batch_size, const Support& support,
                         double confidence, double widened) {
  BatchMeans out{.value = value, .standard_error = nan, .ends = {support.least, support.greatest}};
  if (deviations.size() < group_counts.back()) return out;
  Groups groups;
  for (const std::size_t count : group_counts) {
    if (count > deviations.size()) continue;
    groups = joined(deviations, count);
    if (groups.independent) break;
  }
  const auto [least, greatest] = std::minmax_element(deviations.begin(), deviations.end());
  for (const double end : {*least, *greatest}) {
    const auto there = static_cast<std::size_t>(std::count(deviations.begin(), deviations.end(), end));
    if (2 * there > deviations.size() && there < deviations.size()) out.apart = deviations.size() - there;
  }
  const double n = static_cast<double>(groups.means.size());
  out.batches = groups.means.size();
  out.batch_size = batch_size * static_cast<double>(deviations.size() / out.batches);
  out.correlation = groups.correlation, out.independent = groups.independent;
  const double r = std::max(0.0, groups.correlation);
  widened *= std::sqrt((1.0 + r) / (1.0 - r));
  out.standard_error = widened * std::sqrt(groups.squares / (n * (n - 1.0)));
  if (!(groups.squares > 0.0)) {
    out.standard_error = 0.0, out.ends = {value, value};
    return out;
  }
  Tally spread;
  for (const double mean : groups.means) spread.observe(value + widened * mean);
  // Few batches that differ from all others are no fewer observations: batches hold many of them.
  const Interval ends = mean_interval(spread, support, confidence).ends;
  out.ends = {std::min(ends.lower, value), std::max(ends.upper, value)};
  return out;
}

void GrowingBatches::close() {
  batches_.push_back(open_);
  open_ = {};
  if (batches_.size() < most_batches) return;
  for (std::size_t i = 0; i < most_batches / 2; ++i) {
    const Batch &a = batches_[2 * i], &b = batches_[2 * i + 1];
    batches_[i] = {a.sum + b.sum, a.squares + b.squares, a.weight + b.weight, a.control + b.control};
  }
  batches_.resize(most_batches / 2);
  size_ *= 2.0, controlled_ /= 2;
}

void GrowingBatches::control(double total) {
  if (!awaits_control()) return;
  batches_[controlled_].control += total - std::exchange(control_, total);
  controlled_ = batches_.size();
}

void GrowingBatches::observe(std::span<const double> all, double total) {
  const double each = (total - control_) / static_cast<double>(all.size());
  for (const double x : all) open_.control += each, observe(x);
  control_ = total, controlled_ = batches_.size();
}

double GrowingBatches::take_control(std::size_t left_out, std::vector<double>& deviations, double& off) const {
  if (controlled_ == 0 || deviations.size() < group_counts.front()) return 0.0;
  double mean = 0.0;
  for (std::size_t b = left_out; b < batches_.size(); ++b) mean += batches_[b].control / size_;
  mean /= static_cast<double>(deviations.size());
  std::vector<double> controls;
  for (std::size_t b = left_out; b < batches_.size(); ++b) controls.push_back(batches_[b].control / size_ - mean);
  // Of long groups, because what counts is how both go together over long times.
  const std::size_t count = group_counts.front();
  const std::vector<double> x = joined(controls, count).means, y = joined(deviations, count).means;
  double xx = 0.0, xy = 0.0, yy = 0.0;
  for (std::size_t g = 0; g < count; ++g) xx += x[g] * x[g], xy += x[g] * y[g], yy += y[g] * y[g];
  if (!(xx > 0.0) || !(yy > 0.0) || xy * xy > most_explained * xx * yy) return 0.0;
  if (yy > static_cast<double>(count) * most_spread * most_spread * (pivot_ + off) * (pivot_ + off)) return 0.0;
  const double slope = xy / xx, n = static_cast<double>(count);
  for (std::size_t i = 0; i < deviations.size(); ++i) deviations[i] -= slope * controls[i];
  off -= slope * mean;
  return std::sqrt((n - 1.0) / (n - 2.0) * (1.0 + n * mean * mean / xx));
}

void GrowingBatches::part(double sum, double squares, double duration_s) {
  if (empty_) pivot_ = duration_s > 0.0 ? sum / duration_s : 0.0, empty_ = false;
  open_.sum += sum - pivot_ * duration_s;
  open_.squares += squares - pivot_ * (2.0 * sum - pivot_ * duration_s);
  open_.weight += duration_s;
}

void GrowingBatches::fill(double sum, double squares) {
  part(sum, squares, left());
  open_.weight = size_;
  close();
}

void GrowingBatches::hold(double x, double duration_s) {
  if (empty_) pivot_ = x, empty_ = false;
  const double off = x - pivot_;
  while (open_.weight + duration_s >= size_) {
    const double part = size_ - open_.weight;
    open_.sum += off * part, open_.squares += off * off * part;
    open_.weight = size_;  // not a sum of parts, so that batches are alike to the bit
    duration_s -= part;
    close();
  }
  open_.sum += off * duration_s, open_.squares += off * off * duration_s, open_.weight += duration_s;
}

WarmUp GrowingBatches::warm_up(WarmUpRule rule) const {
  std::vector<double> means;
  means.reserve(batches_.size());
  for (const Batch& b : batches_) means.push_back(b.sum / b.weight);
  return ergode::warm_up(rule, means);
}

BatchMeans GrowingBatches::mean(std::size_t left_out, const Support& support, double confidence) const {
  std::vector<double> deviations;
  double sum = 0.0;
  for (std::size_t b = std::min(left_out, batches_.size()); b < batches_.size(); ++b) {
    deviations.push_back(batches_[b].sum / size_);
    sum += deviations.back();
  }
  double off = deviations.empty() ? nan : sum / static_cast<double>(deviations.size());
  for (double& d : deviations) d -= off;
  const double widened = take_control(left_out, deviations, off);
  BatchMeans out = of_deviations(pivot_ + off, deviations, size_, support, confidence, widened > 0.0 ? widened : 1.0);
  out.controlled = widened > 0.0;
  return out;
}

std::vector<double> GrowingBatches::means(double size) const {
  const auto each = static_cast<std::size_t>(std::llround(size / size_));
  std::vector<double> out;
  for (std::size_t first = 0; first + each <= batches_.size(); first += each) {
    double sum = 0.0;
    for (std::size_t b = first; b < first + each; ++b) sum += batches_[b].sum;
    out.push_back(pivot_ + sum / size);
  }
  return out;
}

BatchMeans GrowingBatches::ratio(const GrowingBatches& over, const GrowingBatches& per, double left_out,
                                 double confidence) {
  // One of them may have been told of a batch's end, by rounding, and the other not yet.
  const double size = std::max(over.size_, per.size_);
  std::vector<double> x = over.means(size), y = per.means(size);
  const std::size_t whole = std::min(x.size(), y.size());
  const auto first = static_cast<std::ptrdiff_t>(left_out * static_cast<double>(whole));
  const auto kept = [&](std::vector<double>& means) {
    means.resize(whole);
    means.erase(means.begin(), means.begin() + first);
    double mean = 0.0;
    for (const double one : means) mean += one / static_cast<double>(means.size());
    for (double& one : means) one -= mean;
    return mean;
  };
  const double mean_x = kept(x), mean_y = kept(y), ratio = mean_x / mean_y;
  const BatchMeans below = of_deviations(mean_y, y, size, {}, confidence);
  if (below.ends.lower <= 0.0 && below.ends.upper >= 0.0) return {.value = nan, .standard_error = nan};
  const BatchMeans above = of_deviations(mean_x, x, size, {}, confidence);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = (x[i] - ratio * y[i]) / mean_y;
  BatchMeans out = of_deviations(ratio, x, size, {}, confidence);
  // What was seen in few batches is no better known because the other varies in all of them.
  out.apart = std::min({out.apart, above.apart, below.apart});
  return out;
}

BatchMeans GrowingBatches::variance(std::size_t left_out, double confidence) const {
  double sum = 0.0, squares = 0.0, count = 0.0;
  left_out = std::min(left_out, batches_.size());
  for (std::size_t b = left_out; b < batches_.size(); ++b)
    sum += batches_[b].sum / size_, squares += batches_[b].squares / size_, count += 1.0;
  const double off = sum / count, value = std::max(0.0, squares / count - off * off);
  std::vector<double> deviations;
  for (std::size_t b = left_out; b < batches_.size(); ++b)
    deviations.push_back(batches_[b].squares / size_ - 2.0 * off * batches_[b].sum / size_ + off * off - value);
  BatchMeans out = of_deviations(count > 0.0 ? value : nan, deviations, size_, {.least = 0.0}, confidence);
  if (out.batches < 2) return out;
  const double half = student_factor(static_cast<double>(out.batches) - 1.0, confidence) * out.standard_error;
  const Interval ends = variance_interval(value, half);
  out.ends = {std::min(out.ends.lower, ends.lower), std::max(out.ends.upper, ends.upper)};
  return out;
}

}  // namespace ergode
