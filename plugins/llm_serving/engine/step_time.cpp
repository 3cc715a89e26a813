#include "plugins/llm_serving/engine/step_time.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace llm_serving {

TimeTable::TimeTable(std::vector<std::vector<double>> axes, std::vector<double> values)
    : axes_(std::move(axes)), stride_(axes_.size()), values_(std::move(values)) {
  std::size_t size = 1;
  for (std::size_t d = axes_.size(); d-- > 0;) {
    const std::vector<double>& axis = axes_[d];
    if (axis.empty()) throw std::invalid_argument("an axis without values");
    if (std::adjacent_find(axis.begin(), axis.end(), [](double a, double b) { return !(a < b); }) != axis.end())
      throw std::invalid_argument("an axis whose values do not rise");
    stride_[d] = size, size *= axis.size();
  }
  if (size != values_.size())
    throw std::invalid_argument(std::to_string(values_.size()) + " values; wanted " + std::to_string(size));
}

double TimeTable::least() const {
  const std::size_t n = values_.size();
  if (n > 1 && values_[n - 1] < values_[n - 2]) return 0.0;
  return std::max(0.0, *std::min_element(values_.begin(), values_.end()));
}

double TimeTable::at(const std::vector<double>& point) const { return at(point.data()); }

double TimeTable::at(const double* point) const {
  constexpr std::size_t most_axes = 4;
  std::array<double, most_axes> part{};
  std::array<std::size_t, most_axes> step{};
  std::size_t base = 0;
  for (std::size_t d = 0; d < axes_.size(); ++d) {
    const std::vector<double>& axis = axes_[d];
    if (axis.size() == 1 || point[d] <= axis.front()) continue;
    // The last cell serves beyond the end too, so that its slope goes on.
    const auto above = std::upper_bound(axis.begin() + 1, axis.end() - 1, point[d]);
    const std::size_t low = static_cast<std::size_t>(above - axis.begin()) - 1;
    base += low * stride_[d];
    part[d] = (point[d] - axis[low]) / (axis[low + 1] - axis[low]), step[d] = stride_[d];
  }
  double out = 0.0;
  for (std::size_t corner = 0; corner < (std::size_t{1} << axes_.size()); ++corner) {
    double weight = 1.0;
    std::size_t where = base;
    for (std::size_t d = 0; d < axes_.size(); ++d) {
      const bool upper = ((corner >> d) & 1U) != 0;
      weight *= upper ? part[d] : 1.0 - part[d];
      if (upper) where += step[d];
    }
    if (weight != 0.0) out += weight * values_[where];
  }
  return out;
}

const std::vector<NamedStepTime>& known_step_times() {
  static const std::vector<NamedStepTime> all = [] {
    std::vector<NamedStepTime> out;
    StepTime t;
    t.target = {6.938699571857084, 4.85907942e-05, 1.84383603e-02, -4.33144783e-02, 0.0};
    t.draft = {0.4471109584339972, 2.89700974e-06, 5.52805909e-03 + 4.38694070e-05, 4.52175870e-01, 0.0};
    t.overhead = {0.0, 0.05};
    out.push_back({"h100_llama8b_tuner",
                   "H100, Llama 8B, EAGLE: the authors' tuner (R2 0.96); without speculation it falls with the batch.",
                   t});
    t.target = {18.34535, 6.24369264e-05, 6.40216301e-02, -3.97382298e-02, -0.112291902};
    t.draft = {0.0, 0.0, 0.0, 0.0, 0.04};
    out.push_back({"h100x4_llama70b_tuner", "Four H100, Llama 70B, n-grams: the authors' tuner.", t});
    constexpr double per_draft_token = 8.41429603e-4;
    t.target = {5.88590713, 3.92645679e-5, 2.10103129e-2, 0.0, 0.0};
    t.draft = {2.13526175 + per_draft_token, 2.37768493e-6, 0.0, per_draft_token, 0.0};
    t.overhead = {1.20683946, 0.0};
    out.push_back({"h100_llama8b", "H100, Llama 3.1 8B, EAGLE: fitted by the authors' later benchmark.", t});
    t.target = {10.815, 0.0, 0.0, 0.08807, 0.0};
    t.draft = {}, t.overhead = {};
    // Prefill and decode were fitted apart: 10.61 + 0.0560 a token.
    t.prefill_table.emplace_back(std::vector<std::vector<double>>{{0.0, 1000.0}}, std::vector<double>{10.61, 66.61});
    out.push_back(
        {"a100_vicuna7b", "A100 80 GB, Vicuna 7B, no drafter: fitted to measured steps of vLLM (R2 0.97).", t});
    return out;
  }();
  return all;
}

const StepTime* find_step_time(std::string_view name) {
  for (const NamedStepTime& one : known_step_times())
    if (one.name == name) return &one.time;
  return nullptr;
}

std::optional<FittedTime> fit_linear_time(const std::vector<MeasuredPass>& points) {
  constexpr std::size_t terms = 4;
  if (points.size() < 2) return std::nullopt;
  const auto row = [](const Pass& p) { return std::array<double, terms>{1.0, p.context, p.tokens, p.requests}; };
  // Gram-Schmidt, the base first: what is left of a column after the earlier ones decides whether it says anything new.
  std::vector<std::vector<double>> q;
  std::array<std::array<double, terms>, terms> r{};
  std::array<std::size_t, terms> taken{};
  std::size_t rank = 0;
  std::array<double, terms> along{};
  std::vector<double> rest(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) rest[i] = points[i].ms;
  const std::vector<double> seen = rest;
  const auto dot = [](const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  };
  for (std::size_t t = 0; t < terms; ++t) {
    std::vector<double> column(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) column[i] = row(points[i].pass)[t];
    const double whole = std::sqrt(dot(column, column));
    for (int twice = 0; twice < 2; ++twice)  // the second time for what rounding left
      for (std::size_t k = 0; k < rank; ++k) {
        const double part = dot(q[k], column);
        r[k][rank] += part;
        for (std::size_t i = 0; i < column.size(); ++i) column[i] -= part * q[k][i];
      }
    const double left = std::sqrt(dot(column, column));
    if (!(left > 1e-9 * whole)) {
      for (std::size_t k = 0; k < rank; ++k) r[k][rank] = 0.0;
      continue;
    }
    for (double& x : column) x /= left;
    r[rank][rank] = left, along[rank] = dot(column, rest);
    for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= along[rank] * column[i];
    q.push_back(std::move(column)), taken[rank++] = t;
  }
  std::array<double, terms> found{}, solution{};
  for (std::size_t k = rank; k-- > 0;) {
    double value = along[k];
    for (std::size_t j = k + 1; j < rank; ++j) value -= r[k][j] * solution[j];
    solution[k] = value / r[k][k], found[taken[k]] = solution[k];
  }
  double mean = 0.0, spread = 0.0;
  for (const double y : seen) mean += y / static_cast<double>(seen.size());
  for (const double y : seen) spread += (y - mean) * (y - mean);
  const double missed = dot(rest, rest);
  return FittedTime{{found[0], found[1], found[2], found[3], 0.0}, spread > 0.0 ? 1.0 - missed / spread : 1.0};
}

}  // namespace llm_serving
