#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/study/run_request.h"
#include "solvers/hybrid/ode_integrator.h"

namespace ergode {

/// The explicit Runge-Kutta formula of order 5 with an error estimate of order 4 and an interpolating polynomial, for
/// equations that are not stiff. Six evaluations of the derivatives a step, five of what is integrated along the way
/// (the formula gives its second stage no weight); the error of a step is kept below the
/// tolerances in the greatest of all components. A linear piece is one step whatever its length, and a zero in it is
/// found by one secant; other zeros by the Illinois method to the rounding of the time, on the interpolating
/// polynomial. No allocation after the constructor but for conditions; nothing is kept across a restart but memory.
/// After a zero the rest of the step is not made again: the next step() goes on in it.
///
/// Dormand and Prince, J. Comput. Appl. Math. 6(1), 1980, pp. 19-26; interpolation, control of steps and the test of
/// stiffness: Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, 2nd ed., II.4-II.6, and II, IV.2.
class DormandPrince : public OdeIntegrator {
 public:
  /// @param system      must outlive it; called from within restart() and step() only
  /// @param size        values of y, >= 1
  /// @param conditions  numbers of conditions are below this
  /// @param options     the local error of a value is kept below absolute + relative * |value|, in the value's unit
  DormandPrince(OdeSystem& system, std::size_t size, std::size_t conditions, const OdeOptions& options);

  DormandPrince(const DormandPrince&) = delete;
  DormandPrince& operator=(const DormandPrince&) = delete;

  void restart(double time_s, const double* y) override;
  using OdeIntegrator::step;
  double step(double until_s, double limit_s) override;
  const double* values() const override { return reached_; }
  double end() const override { return end_; }
  double length() const override { return end_ - begin_; }
  bool turns(std::size_t place) override { return k_[0][place] * k_[6][place] < 0.0; }
  bool look(double time_s, double* out) override;
  bool look(std::span<const double> times_s, std::size_t place, double* out) override;
  /// Whether stability and not accuracy has kept the latest steps short: 250 signs of it, without six in turn of the
  /// contrary, since the restart.
  bool stiff() const { return signs_of_stiffness_ >= most_signs; }

 private:
  static constexpr int most_signs = 250, most_without_value = 1000, stages = 7;
  /// Sets `next_` from the slope and one more evaluation: the time in which the slope changes by its own size,
  /// shortened by what the tolerances ask; the greatest double for straight lines (Hairer et al., II.4).
  void guess_length();
  /// One accepted step from `end_` on, not past `limit_s`, with a step control of the kind PI: the next length goes
  /// with err^-0.17 * err_before^0.02, both roughly. Rejected steps are made again, ten times shorter where a slope has
  /// no value.
  /// @throws OdeFailure  the length falls below 16 roundings of the time, or the derivatives had no value 1,000 times
  ///                     since the restart.
  void make_step(double limit_s);
  /// Into slope k. @returns false: they have no value there.
  bool derivatives(double time_s, const double* y, std::size_t k) { return system_.derivatives(time_s, y, k_[k]); }
  /// Whether no component of slope k is infinite or NaN.
  bool finite(std::size_t k) const;
  /// Of the stages before the last the states alone: nothing reads the integrals there.
  template <const auto& row>
  void place_stage(double h, std::size_t pairs, double* into);
  bool evaluate_stages(double h);
  /// The greatest component of the difference of both solutions, over what the tolerances allow: accepted up to 1.
  /// @returns false: a slope is infinite or NaN.
  bool error(double h, double& out) const;
  /// A sign of stiffness: h times the eigenvalue that the last two stages show exceeds 3.25, the edge of the region of
  /// stability (Hairer and Wanner, IV.2). Integrals have none.
  void watch_stiffness(double h);
  /// Coefficients of the interpolating polynomial of order 4 of a pair of values, once a step. No evaluation.
  void prepare_look(std::size_t pair);
  bool within(double time_s) const { return time_s >= begin_ && time_s <= end_ && begin_ != end_; }
  /// Component i within the step.
  double value(std::size_t i, double time_s) {
    if (prepared_[i / 2] != steps_) prepare_look(i / 2);
    const double x = (time_s - begin_) / (end_ - begin_), rest = 1.0 - x;
    return from_[i] +
           x * (polynomial_[0][i] + rest * (polynomial_[1][i] + x * (polynomial_[2][i] + rest * polynomial_[3][i])));
  }
  /// All conditions that are looked at, in the order of `looked_at_`; the system is asked only for general ones.
  void conditions(double time_s, const double* y, std::vector<double>& out);
  /// One of them at a time within the step.
  double condition(const OdeCondition& which, double time_s);
  /// A zero between two times at whose ends the signs differ, to 100 roundings of the time; where it is zero or, on the
  /// later end of what is left, has changed its side. Illinois method (Dowell and Jarratt, BIT 11, 1971).
  double zero_of(const OdeCondition& which, double low_s, double low, double high_s, double high);
  /// The first time after `low_` and up to `target_s` at which a condition changes its side, `target_s` where none
  /// does; `found_` says which. Two changes of one condition within the piece are not seen.
  double first_zero(double target_s);

  OdeSystem& system_;
  std::size_t size_;
  OdeOptions options_;
  double begin_ = 0.0, end_ = 0.0;  ///< of the step [s]
  double low_ = 0.0;                ///< how far its zeros have been looked for, and handed out [s]
  double next_ = 0.0;               ///< length of the next step [s]; 0: to be guessed
  static constexpr double least_error = 1e-4;
  double before_ = 1.0;  ///< what the error of the step before does to the length of the next one
  int signs_of_stiffness_ = 0, signs_against_ = 0, without_value_ = 0;  ///< see stiff() and make_step()
  // Rows of values, two of which are worked on at once; an odd one has a zero beside it.
  std::size_t states_, pairs_, state_pairs_;  ///< OdeSystem::states()
  std::vector<double> rows_;
  double *from_, *to_, *reached_, *trial_, *before_last_;  ///< values at both ends, at what step() returned, scratch
  std::array<double*, stages> k_;                          ///< slopes; 6 is that at the end, which the next step takes
  std::array<double*, 4> polynomial_;
  std::uint64_t steps_ = 1;              ///< made, and beginnings
  std::vector<std::uint64_t> prepared_;  ///< by pair: the step that `polynomial_` is of
  std::vector<OdeCondition> looked_at_;  ///< since the restart
  bool any_general_ = false;             ///< of them
  std::vector<double> low_values_, high_values_, general_values_;
};

}  // namespace ergode
