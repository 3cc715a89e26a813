#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace ergode {

/// Quantile of sorted values, linear between order statistics (type 7 of Hyndman and Fan, Sample quantiles in
/// statistical packages, 1996). Precondition: not empty; 0 <= p <= 1. O(1).
double quantile_between(std::span<const double> sorted, double p);

/// Mean of the greatest of k of these values, drawn at random and each once: of k GPUs of a cluster the slowest. NaN
/// where there are less than k. Precondition: k >= 1. O(n).
double mean_greatest_of(std::span<const double> sorted, std::size_t k);

/// A box plot in numbers: fences are 1.5 interquartile ranges beyond the quartiles, whiskers the extreme values within
/// them. Tukey, Exploratory Data Analysis, 1977.
struct BoxStatistics {
  std::size_t count = 0;
  double least = 0.0, q1 = 0.0, median = 0.0, q3 = 0.0, greatest = 0.0;  ///< in the unit of the values
  double lower_whisker = 0.0, upper_whisker = 0.0;
  double mean = 0.0, sd = 0.0;           ///< of all values; divisor n - 1, 0 of one value
  std::vector<std::uint32_t> high, low;  ///< places of the values beyond the fences, ascending

  /// Of a set of devices: (upper - lower whisker) / median. Sinha, Guliani, Jain, Tran, Sinclair and Venkataraman, Not
  /// all GPUs are created equal, SC 2022. Of a normal set about 5.396 times its coefficient of variation.
  double variation() const { return (upper_whisker - lower_whisker) / median; }
  double cv() const { return sd / mean; }
};
/// Precondition: not empty, all finite. O(n log n).
BoxStatistics box_statistics(std::span<const double> values);

/// Product-moment correlation; NaN where one of them does not vary or there are less than two values. O(n).
double pearson_correlation(std::span<const double> x, std::span<const double> y);
/// Ranks from 1, of equal values their mean. O(n log n).
std::vector<double> mean_ranks(std::span<const double> values);
/// Correlation of ranks (Spearman, 1904), which equal values share. O(n log n).
double spearman_correlation(std::span<const double> x, std::span<const double> y);

/// One-way random effects: values of a device vary about its mean (`within`), and these about the mean of all
/// (`between`). Unbalanced, by analysis of variance. Searle, Casella and McCulloch, Variance Components, 1992, 3.6.
struct VarianceComponents {
  std::size_t groups = 0, values = 0;
  double mean = 0.0;                   ///< of all values
  double between = 0.0, within = 0.0;  ///< variances; between is 0 where the estimate is below
  double between_cv() const;           ///< sd over the mean
  double within_cv() const;
  /// Intraclass correlation: between / (between + within); NaN where nothing varies.
  double icc() const;
};
/// @param group_of  by value, 0 ... groups - 1
/// All NaN variances where there are less than two groups, or no group has two values. O(n).
VarianceComponents variance_components(std::span<const double> values, std::span<const std::uint32_t> group_of,
                                       std::size_t groups);

}  // namespace ergode
