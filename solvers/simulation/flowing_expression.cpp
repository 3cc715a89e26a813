#include "solvers/simulation/flowing_expression.h"

#include <algorithm>
#include <array>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>

#include "core/des/world.h"
#include "solvers/hybrid/turning_points.h"

namespace ergode {
namespace {

constexpr unsigned most_halvings = 1000, deepest_halving = 40;

/// A kink costs some thirty halvings. What is left when there are no more is as good as fifteen points are.
template <class Function>
double adaptive_integral(const Function& f, double begin, double end, unsigned& halvings,
                         unsigned depth = deepest_halving) {
  constexpr double relative = 1e-9, nothing = 1e-280;  // below it roundings are no part of the value any more
  const double middle = 0.5 * (begin + end), half = 0.5 * (end - begin);
  double error = 0.0, magnitude = 0.0;
  // From -1 to 1, where both of what comes back are on one scale.
  const double out = half * boost::math::quadrature::gauss_kronrod<double, 15>::integrate(
                                [&](double x) { return f(middle + half * x); }, -1.0, 1.0, 0U, 0.0, &error, &magnitude);
  if (depth == 0 || halvings == 0 || !(error > relative * magnitude + nothing) || !(begin < middle && middle < end))
    return out;
  --halvings;
  const double first = adaptive_integral(f, begin, middle, halvings, depth - 1);
  return first + adaptive_integral(f, middle, end, halvings, depth - 1);
}

}  // namespace

FlowingExpression::FlowingExpression(const Program& program, const CompiledModel& model)
    : program_(&program), one_slot_(program.code().size() == 1 && !program.slots().empty()) {
  if (one_slot_) slot_ = program.slots().front();
  affine_ = one_slot_ ||
            is_affine(program, [&](std::uint32_t slot) { return slot == World::now_slot || model.continuous(slot); });
}

double FlowingExpression::integral(double from_s, double to_s, double horizon_s, ContinuousPath& path) const {
  const double length_s = to_s - from_s;
  if (!affine_) {
    constexpr double looks = 64.0;
    const double pieces = std::clamp(std::ceil(looks * length_s / horizon_s), 1.0, looks);
    double out = 0.0;
    for (double p = 0.0; p < pieces; ++p) {
      unsigned halvings = most_halvings;
      out += adaptive_integral([&](double at_s) { return value(at_s, path); }, from_s + length_s * (p / pieces),
                               from_s + length_s * ((p + 1.0) / pieces), halvings);
    }
    return out;
  }
  static constexpr std::array<double, 3> points = {-0.7745966692414834, 0.0, 0.7745966692414834};
  static constexpr std::array<double, 3> weights = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
  std::array<double, 3> times, values;
  for (std::size_t p = 0; p < points.size(); ++p) times[p] = 0.5 * (from_s + to_s) + 0.5 * length_s * points[p];
  if (one_slot_) path.at(times, slot_, values.data());
  else
    for (std::size_t p = 0; p < points.size(); ++p) values[p] = program_->evaluate(path.at(times[p]));
  double out = 0.0;
  for (std::size_t p = 0; p < points.size(); ++p) out += weights[p] * length_s * values[p];
  return out;
}

}  // namespace ergode
