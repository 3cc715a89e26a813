#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/stats/mean_interval.h"
#include "core/stats/warm_up.h"

namespace ergode {

/// A mean of one long run with its interval, by nonoverlapping batch means.
struct BatchMeans {
  double value = 0.0;           ///< NaN where nothing is left
  double standard_error = 0.0;  ///< NaN with too few batches
  Interval ends;                ///< the support without a standard error
  std::size_t batches = 0;      ///< of which the interval is made
  double batch_size = 0.0;      ///< their weight: observations, or seconds
  double correlation = 0.0;     ///< of neighbours
  bool independent = false;     ///< they pass von Neumann's test: the interval may be trusted
  /// Of those before they were joined: how many differ from an end of theirs at which most of them lie (availability:
  /// in how many something failed). Few of them say little of how far the mean may be off: the interval cannot be
  /// trusted.
  std::uint64_t apart = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::uint64_t fewest_apart = 30;
  bool too_few_apart() const { return apart < fewest_apart; }
  bool controlled = false;  ///< a control variate was used
};

/// Deviations of neighbouring batches of equal weight from the mean of them all, made to an interval of that mean:
/// joined to as many groups, at most 64, as pass von Neumann's test against positive correlation (level 10 %), at least
/// 24. What correlation is left widens the variance by (1 + r) / (1 - r), and skewness is allowed for
/// (mean_interval()). Groups that begin with the last batch; what does not fill one is left out of the spread.
/// von Neumann, Annals of Math. Statistics 12(4), 1941; Chen and Kelton, Quantile and tolerance-interval estimation in
/// simulation, EJOR 168(2), 2006, and Tafazzoli, Wilson, Lada and Steiger, Performance of Skart, INFORMS J. on
/// Computing 23(2), 2011 (groups until they seem independent, and the correction).
/// @param value    the mean; deviations are those of single batches from it, of mean nearly zero
/// @param widened  factor of the standard error, for what was estimated besides
BatchMeans of_deviations(double value, const std::vector<double>& deviations, double batch_size, const Support& support,
                         double confidence, double widened = 1.0);

/// One quantity of one run without end, in equal batches whose number stays between 1,024 and 2,048: when they are
/// full, neighbours are joined, and batches are twice as large from then on. 64 KiB, whatever was observed. One thread.
///
/// Either observations, each of weight 1 (observe()), or a value that holds for a time (hold(), weight in s).
///
///     GrowingBatches batches(5.0);
///     for (...) batches.observe(x);
///     const BatchMeans mean = batches.mean(batches.warm_up(WarmUpRule::mser_5).batches, {}, 0.95);
class GrowingBatches {
 public:
  static constexpr std::size_t most_batches = 2048;  ///< even

  /// @param first_batch  weight of a batch as long as none were joined, > 0: observations (whole), or s
  explicit GrowingBatches(double first_batch) : size_(first_batch) { batches_.reserve(most_batches); }

  /// One more observation. O(1), no allocation.
  void observe(double x) {
    if (empty_) pivot_ = x, empty_ = false;
    const double off = x - pivot_;
    open_.sum += off, open_.squares += off * off, open_.weight += 1.0;
    if (open_.weight >= size_) close();
  }
  /// The value was x for so long [s], >= 0. O(1 + batches that it enters).
  void hold(double x, double duration_s);
  /// Each of them, in their order.
  void observe(std::span<const double> all) {
    for (const double x : all) observe(x);
  }
  /// Weight that the batch which is filled at present still takes, > 0.
  double left() const { return size_ - open_.weight; }
  /// It is full: over the time that was left() the value and its square had these integrals.
  void fill(double sum, double squares);
  /// Likewise over a time `duration_s` that is less than left().
  void part(double sum, double squares, double duration_s);
  /// Something of this size happened now: of what is counted over time, with hold(0, ...) between. O(1).
  void add(double amount) { open_.sum += amount; }

  /// Whether batches were filled since control().
  bool awaits_control() const { return controlled_ < batches_.size(); }
  /// A control variate: something that was observed besides, minus its mean, which is known, came to so much from the
  /// beginning of the run to now. Whatever it came to since the last call is of the batches that were filled since, so
  /// call it when awaits_control(). mean() then takes off what the control explains: with b the slope of the regression
  /// of 64 groups of batches on it, mean - b (control - 0), with the standard error of the constant of that regression.
  /// Where more than 99 % are explained the quantity is the control itself, whose known mean nobody wants to hear from
  /// a simulation: then it is left alone. So it is as long as means of groups vary by more than 20 % of the mean: what
  /// the control explains is a line only near the mean, and runs that are stopped by a precision would stop too soon.
  /// Lavenberg and Welch, A perspective on the use of control variables to increase the efficiency of Monte Carlo
  /// simulations, Management Science 27(3), 1981; Lavenberg, Moeller and Welch, Statistical results on control
  /// variables with application to queueing network simulation, Operations Research 30(1), 1982.
  void control(double total);
  /// Each of them, in their order, while the control came to `total`, evenly as far as anybody knows.
  void observe(std::span<const double> all, double total);

  /// Weight of whole batches.
  double weight() const { return size_ * static_cast<double>(batches_.size()); }
  /// Which batches to leave out. O(batches).
  WarmUp warm_up(WarmUpRule rule) const;
  /// Whole batches.
  std::size_t batches() const { return batches_.size(); }
  /// Of whole batches after the first `left_out`. O(batches).
  BatchMeans mean(std::size_t left_out, const Support& support, double confidence) const;
  /// The variance of the observations (divisor n), or over time, with the interval that its batch means have (delta
  /// method).
  BatchMeans variance(std::size_t left_out, double confidence) const;
  /// The mean of one quantity over the mean of another that was followed over the same time, with batches of the same
  /// first weight: what is left of batch i is (x_i - r y_i) / mean y, made to an interval as of a mean (delta method).
  /// Controls play no part. NaN without batches where the mean of `per` cannot be told from 0 at this confidence.
  /// O(batches).
  /// @param left_out  share of the run, at its beginning
  static BatchMeans ratio(const GrowingBatches& over, const GrowingBatches& per, double left_out, double confidence);

 private:
  struct Batch {
    double sum = 0.0, squares = 0.0, weight = 0.0;  ///< of x - pivot
    double control = 0.0;
  };
  /// Takes from deviations and their mean `off` what the control explains.
  /// @returns factor of the standard error; 0: there is no control, or it is of no use
  double take_control(std::size_t left_out, std::vector<double>& deviations, double& off) const;
  /// Means of whole batches of this weight, which is that of its own times a power of 2.
  std::vector<double> means(double size) const;
  void close();

  double size_;
  double pivot_ = 0.0;  ///< the first value: sums of squares cancel less around it
  bool empty_ = true;
  Batch open_;
  std::vector<Batch> batches_;
  std::size_t controlled_ = 0;  ///< batches of which control() was told; joined ones count where part of them was
  double control_ = 0.0;        ///< what it was told last
};

}  // namespace ergode
