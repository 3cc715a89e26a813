#pragma once

namespace ergode {

/// Quantile of the standard normal distribution, relative error about 1e-16.
///
/// @param p  probability in (0, 1); 0 and 1 give minus and plus infinity, all else NaN.
/// Near 1 it is as exact as p: for an upper tail below 1e-9 ask for minus the quantile of 1 - p, worked out as such.
/// Costs about 5 ns in the middle, 15 ns in the tails.
/// Wichura, Algorithm AS 241, Applied Statistics 37(3), 1988, pp. 477-484 (PPND16).
double normal_quantile(double p) noexcept;

/// P(Z <= z) of a standard normal Z, accurate in the lower tail down to 1e-308: use normal_cdf(-z) for the upper one.
/// By the error function of the C library.
double normal_cdf(double z) noexcept;
/// Density of the standard normal distribution at z.
double normal_pdf(double z) noexcept;

}  // namespace ergode
