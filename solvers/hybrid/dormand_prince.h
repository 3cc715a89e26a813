#pragma once
#include <array>
#include <limits>

#include "core/study/run_request.h"
#include "solvers/hybrid/ode_integrator.h"

namespace ergode {

/// The explicit Runge-Kutta formula of order 5 with an error estimate of order 4 and an interpolating polynomial, for
/// equations that are not stiff. Six evaluations of the derivatives a step; the error of a step is kept below the
/// tolerances in the greatest of all components. A linear piece is one step whatever its length, and a zero in it is
/// found by one secant.
///
/// Dormand and Prince, J. Comput. Appl. Math. 6(1), 1980, pp. 19-26; interpolation, control of steps and the test of
/// stiffness: Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, 2nd ed., II.4-II.6, and II, IV.2.
class DormandPrince : public OdeIntegrator {
 public:
  DormandPrince(OdeSystem& system, std::size_t size, std::size_t conditions, const OdeOptions& options);

  void restart(double time_s, const double* y) override;
  double step(double until_s) override;
  const double* values() const override { return reached_.data(); }
  double end() const override { return end_; }
  double length() const override { return end_ - begin_; }
  bool look(double time_s, double* out) override;
  /// Whether stability and not accuracy has kept the latest steps short.
  bool stiff() const { return signs_of_stiffness_ >= most_signs; }

 private:
  static constexpr int most_signs = 250, most_without_value = 1000, stages = 7;
  void guess_length();
  void make_step(double until_s);
  template <std::size_t Stage>
  bool evaluate_stage(double h, std::vector<double>& into);
  bool evaluate_stages(double h);
  double error(double h) const;
  void watch_stiffness(double h);
  void prepare_look();
  void begin_looking(double target_s);
  double zero_of(std::size_t number, double low_s, double low, double high_s, double high);
  double first_zero(double target_s);

  OdeSystem& system_;
  std::size_t size_;
  OdeOptions options_;
  double begin_ = 0.0, end_ = 0.0;  ///< of the step [s]
  double low_ = 0.0;                ///< how far its zeros have been looked for, and handed out [s]
  double next_ = 0.0;               ///< length of the next step [s]; 0: to be guessed
  static constexpr double least_digits = -9.2;
  double last_digits_ = least_digits;  ///< logarithm of the error of the step before, over what is allowed
  int signs_of_stiffness_ = 0, signs_against_ = 0, without_value_ = 0;
  std::vector<double> from_, to_, reached_, trial_, before_last_;
  std::array<std::vector<double>, stages> k_;
  std::array<std::vector<double>, 4> polynomial_;
  bool prepared_ = false;
  std::vector<double> low_values_, high_values_;
};

}  // namespace ergode
