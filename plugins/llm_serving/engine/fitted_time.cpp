#include "plugins/llm_serving/engine/fitted_time.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace llm_serving {
namespace {

constexpr std::size_t curve_terms = 10;

std::array<double, curve_terms> terms_of(const Pass& p) {
  const double c = p.context, t = p.tokens, r = p.requests;
  return {1.0, c, t, r, c * c, t * t, r * r, c * t, c * r, t * r};
}

/// Not below 0, whatever lies beyond the passes that were measured.
class CurvedTime : public PassModel {
 public:
  explicit CurvedTime(std::vector<double> coefficients) : coefficients_(std::move(coefficients)) {}
  double ms(const Pass& pass) const override {
    const auto terms = terms_of(pass);
    return std::max(0.0, std::inner_product(terms.begin(), terms.end(), coefficients_.begin(), 0.0));
  }
  double least_ms() const override { return 0.0; }

 private:
  std::vector<double> coefficients_;
};

std::vector<double> fit_curve(const std::vector<MeasuredPass>& points) {
  std::vector<std::vector<double>> columns(curve_terms);
  std::vector<double> y;
  for (const MeasuredPass& one : points) {
    const auto terms = terms_of(one.pass);
    for (std::size_t t = 0; t < curve_terms; ++t) columns[t].push_back(terms[t]);
    y.push_back(one.ms);
  }
  return least_squares(columns, y);
}

template <class Time>
double r_squared(const std::vector<MeasuredPass>& points, const Time& time) {
  double mean = 0.0, spread = 0.0, missed = 0.0;
  for (const MeasuredPass& one : points) mean += one.ms / static_cast<double>(points.size());
  for (const MeasuredPass& one : points)
    spread += (one.ms - mean) * (one.ms - mean), missed += std::pow(one.ms - time(one.pass), 2);
  return spread > 0.0 ? 1.0 - missed / spread : 1.0;
}

}  // namespace

std::vector<double> least_squares(const std::vector<std::vector<double>>& columns, const std::vector<double>& y) {
  // What is left of a column after the earlier ones decides whether it says anything new.
  const std::size_t terms = columns.size();
  std::vector<std::vector<double>> q;
  std::vector<std::vector<double>> r(terms, std::vector<double>(terms, 0.0));
  std::vector<std::size_t> taken;
  std::vector<double> along, rest = y;
  const auto dot = [](const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  };
  for (std::size_t t = 0; t < terms; ++t) {
    std::vector<double> column = columns[t];
    const double whole = std::sqrt(dot(column, column));
    const std::size_t rank = q.size();
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
    r[rank][rank] = left;
    along.push_back(dot(column, rest));
    for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= along.back() * column[i];
    q.push_back(std::move(column)), taken.push_back(t);
  }
  std::vector<double> solution(q.size()), out(terms, 0.0);
  for (std::size_t k = q.size(); k-- > 0;) {
    double value = along[k];
    for (std::size_t j = k + 1; j < q.size(); ++j) value -= r[k][j] * solution[j];
    solution[k] = value / r[k][k], out[taken[k]] = solution[k];
  }
  return out;
}

std::optional<FittedProfile> fit_profile(const std::vector<MeasuredPass>& points, double factor, double all_reduce_ms) {
  const auto line = fit_linear_time(points);
  if (!line) return std::nullopt;
  FittedProfile out;
  out.line = line->time;
  constexpr std::size_t fold = 5, enough = 25;
  if (points.size() < enough) return out;
  std::vector<MeasuredPass> fitted, tested;
  for (std::size_t i = 0; i < points.size(); ++i) (i % fold == fold - 1 ? tested : fitted).push_back(points[i]);
  const auto some = fit_linear_time(fitted);
  const CurvedTime curve(fit_curve(fitted));
  out.line_tested = r_squared(tested, [&](const Pass& p) { return some->time.of(p); });
  out.curve_tested = r_squared(tested, [&](const Pass& p) { return curve.ms(p); });
  // As good to the last digits is a line.
  constexpr double gain = 1e-9;
  if (!(out.curve_tested > out.line_tested + gain)) return out;
  std::vector<double> all = fit_curve(points);
  for (double& one : all) one *= factor;
  all[0] += all_reduce_ms;
  out.curve = std::make_shared<CurvedTime>(std::move(all));
  return out;
}

}  // namespace llm_serving
