#pragma once
#include <algorithm>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>

namespace ergode {

/// The integral of a smooth function over [begin, end], halved where Gauss and Kronrod's rules of 7 and 15 points
/// differ by more than a billionth of the integral of its magnitude: as near as roundings let it, whatever the
/// function makes of a variable between two steps of the integrator. A kink costs some thirty halvings. Where a value
/// is infinite or none, so is the integral.
/// Piessens et al., Quadpack, 1983.
/// @param f         evaluated inside only, never at the ends
/// @param halvings  that may still be made, of which those that are are taken: what is left over then is as good as
///                  fifteen points are
/// @param depth     of halvings, one within the other
template <class Function>
double stretch_integral(const Function& f, double begin, double end, unsigned& halvings, unsigned depth = 40) {
  constexpr double relative = 1e-9, nothing = 1e-280;  // below it roundings are no part of the value any more
  const double middle = 0.5 * (begin + end), half = 0.5 * (end - begin);
  double error = 0.0, magnitude = 0.0;
  // From -1 to 1, where both of what comes back are on one scale.
  const double out = half * boost::math::quadrature::gauss_kronrod<double, 15>::integrate(
                                [&](double x) { return f(middle + half * x); }, -1.0, 1.0, 0U, 0.0, &error, &magnitude);
  if (depth == 0 || halvings == 0 || !(error > relative * magnitude + nothing) || !(begin < middle && middle < end))
    return out;
  --halvings;
  const double first = stretch_integral(f, begin, middle, halvings, depth - 1);
  return first + stretch_integral(f, middle, end, halvings, depth - 1);
}

}  // namespace ergode
