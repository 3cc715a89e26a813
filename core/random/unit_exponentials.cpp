#include "core/random/unit_exponentials.h"

#include <bit>

#include "core/random/random_stream.h"
#include "core/random/uniform_blocks.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace ergode {
namespace {

constexpr std::uint64_t exponent_bits = 0xfff0000000000000ULL, one_bits = std::bit_cast<std::uint64_t>(1.0),
                        root_half_bits = 0x3fe6a09e667f3bcdULL;
// log 2 in two parts: the upper times a small whole number is exact.
constexpr double log2_upper = 0x1.62e42fee00000p-1, log2_lower = 0x1.a39ef35793c76p-33;
// (2 artanh(s) / s - 2) / s^2 = r0 + r1 s^2 + ... within 5e-16 of it, for m between sqrt(1/2) and sqrt(2).
constexpr double r0 = 0x1.5555555555558p-1, r1 = 0x1.99999999952a7p-2, r2 = 0x1.2492492df7089p-2,
                 r3 = 0x1.c71c62defb200p-3, r4 = 0x1.7462b656c14b7p-3, r5 = 0x1.39fe2deade69cp-3,
                 r6 = 0x1.2b5a86b02b622p-3;

}  // namespace

// Whoever changes a step here changes it in four_exponentials() too: the same operations in the same order, none fused,
// give the same bits.
double unit_exponential(std::uint64_t bits) noexcept {
  const auto u = std::bit_cast<std::uint64_t>(RandomStream::uniform_of(bits));
  const std::uint64_t above_root = u - root_half_bits;
  const auto halvings = -static_cast<double>(static_cast<std::int64_t>(above_root) >> 52);  // u = m / 2^halvings
  const double f = std::bit_cast<double>(u - (above_root & exponent_bits)) - 1.0;
  const double s = f / (2.0 + f), z = s * s, w = z * z;
  const double even = z * (r0 + w * (r2 + w * (r4 + w * r6))), odd = w * (r1 + w * (r3 + w * r5));
  return ((s * (f - (even + odd)) + halvings * log2_lower) - f) + halvings * log2_upper;
}

#ifdef __x86_64__
namespace {

[[gnu::target("avx2"), gnu::always_inline]] inline __m256d all(double x) { return _mm256_set1_pd(x); }
[[gnu::target("avx2"), gnu::always_inline]] inline __m256i all_bits(std::uint64_t x) {
  return _mm256_set1_epi64x(static_cast<long long>(x));
}

// There is no instruction that makes a double of 64 bits: of each half one is made by putting it behind an exponent.
[[gnu::target("avx2"), gnu::always_inline]] inline __m256d four_uniforms(__m256i bits) {
  const __m256i k = _mm256_srli_epi64(bits, 11);
  const __m256i upper = _mm256_or_si256(_mm256_srli_epi64(k, 32), all_bits(std::bit_cast<std::uint64_t>(0x1p84))),
                lower = _mm256_blend_epi32(k, all_bits(std::bit_cast<std::uint64_t>(0x1p52)), 0b10101010);
  const __m256d whole =
      _mm256_add_pd(_mm256_sub_pd(_mm256_castsi256_pd(upper), all(0x1p84 + 0x1p52)), _mm256_castsi256_pd(lower));
  return _mm256_max_pd(_mm256_mul_pd(whole, all(0x1p-53)), all(0x1p-54));
}

[[gnu::target("avx2"), gnu::always_inline]] inline __m256d four_exponentials(__m256i bits) {
  const __m256i u = _mm256_castpd_si256(four_uniforms(bits));
  const __m256i above_root = _mm256_sub_epi64(u, all_bits(root_half_bits));
  // With the exponent's offset there is no sign to shift.
  const __m256i exponent = _mm256_srli_epi64(_mm256_add_epi64(above_root, all_bits(one_bits)), 52);
  const __m256d halvings =
      _mm256_sub_pd(all(0x1p52 + 1023.0),
                    _mm256_castsi256_pd(_mm256_or_si256(exponent, all_bits(std::bit_cast<std::uint64_t>(0x1p52)))));
  const __m256d f = _mm256_sub_pd(
      _mm256_castsi256_pd(_mm256_sub_epi64(u, _mm256_and_si256(above_root, all_bits(exponent_bits)))), all(1.0));
  const __m256d s = _mm256_div_pd(f, _mm256_add_pd(all(2.0), f)), z = _mm256_mul_pd(s, s), w = _mm256_mul_pd(z, z);
  const auto then = [&](double r, __m256d rest) __attribute__((target("avx2"), always_inline)) {
    return _mm256_add_pd(all(r), _mm256_mul_pd(w, rest));
  };
  const __m256d even = _mm256_mul_pd(z, then(r0, then(r2, then(r4, all(r6))))),
                odd = _mm256_mul_pd(w, then(r1, then(r3, all(r5))));
  const __m256d correction = _mm256_add_pd(_mm256_mul_pd(s, _mm256_sub_pd(f, _mm256_add_pd(even, odd))),
                                           _mm256_mul_pd(halvings, all(log2_lower)));
  return _mm256_add_pd(_mm256_sub_pd(correction, f), _mm256_mul_pd(halvings, all(log2_upper)));
}

[[gnu::target("avx2")]] void unit_exponentials_wide(const std::uint64_t* bits, double* out) {
  for (std::size_t i = 0; i < exponentials_at_once; i += 4)
    _mm256_storeu_pd(out + i, four_exponentials(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(bits + i))));
}

}  // namespace
#endif

void unit_exponentials(const std::uint64_t (&bits)[exponentials_at_once],
                       double (&out)[exponentials_at_once]) noexcept {
#ifdef __x86_64__
  if (wide_blocks) return unit_exponentials_wide(bits, out);
#endif
  for (std::size_t i = 0; i < exponentials_at_once; ++i) out[i] = unit_exponential(bits[i]);
}

}  // namespace ergode
