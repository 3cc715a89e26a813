#pragma once
#include <cstddef>
#include <cstdint>

namespace ergode {

/// -log(RandomStream::uniform_of(bits)): exponential with mean 1 by inversion, within one unit in the last place.
/// Between 2^-53 and 37.5.
///
/// It is worked out here and not by std::log, whose last digit depends on the library and, within one library, on the
/// processor: wherever doubles are those of IEEE 754 and no
/// operation is fused, the same bits give the same exponential. Other laws (weibull, lognormal) still ask the library.
/// Pure; no table, no branch.
///
/// Of u = m / 2^h, with m between sqrt(1/2) and sqrt(2), log m = 2 artanh(s) where s = (m - 1) / (m + 1); the larger
/// part of it is m - 1, which is exact, and of the rest a polynomial of degree 6 in s^2 makes what is no product
/// (artanh as in Cody and Waite, Software Manual for the Elementary Functions, 1980; coefficients by Remez's exchange).
double unit_exponential(std::uint64_t bits) noexcept;

/// The same of eight, in vector registers where wide_blocks says so: each costs less than half of a std::log then.
constexpr std::size_t exponentials_at_once = 8;
void unit_exponentials(const std::uint64_t (&bits)[exponentials_at_once], double (&out)[exponentials_at_once]) noexcept;

}  // namespace ergode
