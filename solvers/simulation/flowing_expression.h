#pragma once
#include <cstdint>

#include "core/expression/program.h"
#include "solvers/hybrid/continuous_path.h"
#include "statecharts/compile/compiled_model.h"

namespace ergode {

/// An expression that reads variables that flow: what it is between two events. Its program must outlive it.
class FlowingExpression {
 public:
  FlowingExpression() = default;
  FlowingExpression(const Program& program, const CompiledModel& model);

  /// At a moment of a stretch in which nothing happens.
  double value(double at_s, ContinuousPath& path) const {
    double out = 0.0;
    if (!one_slot_) return program_->evaluate(path.at(at_s));
    path.at({&at_s, 1}, slot_, &out);
    return out;
  }
  /// Over a stretch in which nothing happens, in the value's unit times s. The integrator chooses its steps by the
  /// variables alone, and its polynomials are of degree five at most: of what is affine in the variables three points
  /// of Gauss and Legendre are exact. Whatever else is made of them is looked at in every 64th of the mission, halved
  /// where the rules of Gauss and Kronrod of 7 and 15 points differ by more than a billionth of the integral of its
  /// magnitude, a thousand times at most: as near as roundings let it, but for more waves than that. Where a value is
  /// infinite or none, so may be the integral.
  /// Piessens et al., Quadpack, 1983.
  /// @param horizon_s  mission time
  double integral(double from_s, double to_s, double horizon_s, ContinuousPath& path) const;

 private:
  const Program* program_ = nullptr;
  std::uint32_t slot_ = 0;
  bool one_slot_ = false;  ///< the expression is what `slot_` holds
  bool affine_ = true;
};

}  // namespace ergode
