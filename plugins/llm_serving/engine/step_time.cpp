#include "plugins/llm_serving/engine/step_time.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "plugins/llm_serving/engine/fitted_time.h"

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
  if (points.size() < 2) return std::nullopt;
  std::vector<std::vector<double>> columns(4);
  std::vector<double> ms;
  for (const MeasuredPass& one : points) {
    const Pass& p = one.pass;
    columns[0].push_back(1.0), columns[1].push_back(p.context);
    columns[2].push_back(p.tokens), columns[3].push_back(p.requests);
    ms.push_back(one.ms);
  }
  const std::vector<double> found = least_squares(columns, ms);
  const LinearTime time{found[0], found[1], found[2], found[3], 0.0};
  double mean = 0.0, spread = 0.0, missed = 0.0;
  for (const double y : ms) mean += y / static_cast<double>(ms.size());
  for (std::size_t i = 0; i < ms.size(); ++i)
    spread += (ms[i] - mean) * (ms[i] - mean), missed += std::pow(ms[i] - time.of(points[i].pass), 2);
  return FittedTime{time, spread > 0.0 ? 1.0 - missed / spread : 1.0};
}

}  // namespace llm_serving
