#include "core/random/uniform_blocks.h"

#include "core/random/random_stream.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace ergode {

#ifdef __SSE2__
bool wide_blocks = __builtin_cpu_supports("avx2") != 0;

namespace {

// Two blocks in the low halves of 64-bit lanes; what stands in the high halves is never read.
struct Pair {
  __m128i c0, c1, c2, c3;
};

[[gnu::always_inline]] inline void round(Pair& p, __m128i k0, __m128i k1) {
  const __m128i first = _mm_mul_epu32(p.c0, _mm_set1_epi64x(0xD2511F53)),
                second = _mm_mul_epu32(p.c2, _mm_set1_epi64x(0xCD9E8D57));
  p.c0 = _mm_xor_si128(_mm_xor_si128(_mm_srli_epi64(second, 32), p.c1), k0);
  p.c2 = _mm_xor_si128(_mm_xor_si128(_mm_srli_epi64(first, 32), p.c3), k1);
  p.c1 = second, p.c3 = first;
}

// The words of two blocks as 64-bit draws: word 1 above word 0, word 3 above word 2.
[[gnu::always_inline]] inline void store(const Pair& p, std::uint64_t* bits) {
  const __m128i low = _mm_set1_epi64x(0xffffffff);
  const __m128i a = _mm_or_si128(_mm_and_si128(p.c0, low), _mm_slli_epi64(p.c1, 32));
  const __m128i b = _mm_or_si128(_mm_and_si128(p.c2, low), _mm_slli_epi64(p.c3, 32));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(bits), _mm_unpacklo_epi64(a, b));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(bits + 2), _mm_unpackhi_epi64(a, b));
}

__m128i both(std::uint64_t low, std::uint64_t high) {
  return _mm_set_epi64x(static_cast<long long>(high), static_cast<long long>(low));
}

struct Keys {
  __m128i k0, k1;
  void next() {
    k0 = _mm_add_epi32(k0, _mm_set1_epi64x(0x9E3779B9)), k1 = _mm_add_epi32(k1, _mm_set1_epi64x(0xBB67AE85));
  }
};

// Only low halves of the keys are read either.
Keys keys_of(std::uint64_t low, std::uint64_t high) { return {both(low, high), both(low >> 32U, high >> 32U)}; }

// Processors with AVX2 have four blocks in one register: the same words in half the instructions.
struct Four {
  __m256i c0, c1, c2, c3, k0, k1;
};

[[gnu::target("avx2"), gnu::always_inline]] inline void next_round(Four& p) {
  const __m256i first = _mm256_mul_epu32(p.c0, _mm256_set1_epi64x(0xD2511F53)),
                second = _mm256_mul_epu32(p.c2, _mm256_set1_epi64x(0xCD9E8D57));
  p.c0 = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(second, 32), p.c1), p.k0);
  p.c2 = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(first, 32), p.c3), p.k1);
  p.c1 = second, p.c3 = first;
  p.k0 = _mm256_add_epi32(p.k0, _mm256_set1_epi64x(0x9E3779B9));
  p.k1 = _mm256_add_epi32(p.k1, _mm256_set1_epi64x(0xBB67AE85));
}

[[gnu::target("avx2"), gnu::always_inline]] inline void store(const Four& p, std::uint64_t* bits) {
  const __m256i low = _mm256_set1_epi64x(0xffffffff);
  const __m256i a = _mm256_or_si256(_mm256_and_si256(p.c0, low), _mm256_slli_epi64(p.c1, 32));
  const __m256i b = _mm256_or_si256(_mm256_and_si256(p.c2, low), _mm256_slli_epi64(p.c3, 32));
  const __m256i even = _mm256_unpacklo_epi64(a, b), odd = _mm256_unpackhi_epi64(a, b);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(bits), _mm256_permute2x128_si256(even, odd, 0x20));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(bits + 4), _mm256_permute2x128_si256(even, odd, 0x31));
}

[[gnu::target("avx2"), gnu::always_inline]] inline Four four(__m256i blocks, std::uint64_t replication, __m256i keys) {
  const __m256i same = _mm256_set1_epi64x(static_cast<long long>(replication));
  return {blocks, _mm256_srli_epi64(blocks, 32), same, _mm256_srli_epi64(same, 32), keys, _mm256_srli_epi64(keys, 32)};
}

[[gnu::target("avx2"), gnu::always_inline]] inline __m256i load(const std::uint64_t* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

[[gnu::target("avx2")]] void philox_blocks_wide(std::uint64_t key, std::uint64_t replication, std::uint64_t block,
                                                std::uint64_t* bits) {
  const __m256i first = _mm256_set1_epi64x(static_cast<long long>(block));
  Four p = four(_mm256_add_epi64(first, _mm256_set_epi64x(3, 2, 1, 0)), replication,
                _mm256_set1_epi64x(static_cast<long long>(key)));
  for (int r = 0; r < 10; ++r) next_round(p);
  store(p, bits);
}

// A round waits for the one before it: of two times four streams one works while the other waits.
[[gnu::target("avx2")]] void stream_blocks_wide(const std::uint64_t* keys, std::uint64_t replication,
                                                const std::uint64_t* blocks, std::uint64_t* bits) {
  Four near = four(load(blocks), replication, load(keys)), far = four(load(blocks + 4), replication, load(keys + 4));
  for (int r = 0; r < 10; ++r) next_round(near), next_round(far);
  store(near, bits), store(far, bits + 8);
}

}  // namespace

void philox_blocks(std::uint64_t key, std::uint64_t replication, std::uint64_t block,
                   std::uint64_t (&bits)[2 * blocks_at_once]) noexcept {
  if (wide_blocks) return philox_blocks_wide(key, replication, block, bits);
  const __m128i c2 = both(replication, replication), c3 = both(replication >> 32U, replication >> 32U);
  Pair near{both(block, block + 1), both(block >> 32U, (block + 1) >> 32U), c2, c3};
  Pair far{both(block + 2, block + 3), both((block + 2) >> 32U, (block + 3) >> 32U), c2, c3};
  Keys keys = keys_of(key, key);
  for (int r = 0; r < 10; ++r) {
    round(near, keys.k0, keys.k1), round(far, keys.k0, keys.k1);
    keys.next();
  }
  store(near, bits), store(far, bits + 4);
}

void stream_blocks(const std::uint64_t (&keys)[streams_at_once], std::uint64_t replication,
                   const std::uint64_t (&blocks)[streams_at_once],
                   std::uint64_t (&bits)[2 * streams_at_once]) noexcept {
  if (wide_blocks) return stream_blocks_wide(keys, replication, blocks, bits);
  const __m128i c2 = both(replication, replication), c3 = both(replication >> 32U, replication >> 32U);
  for (std::size_t s = 0; s < streams_at_once; s += 2) {
    Pair pair{both(blocks[s], blocks[s + 1]), both(blocks[s] >> 32U, blocks[s + 1] >> 32U), c2, c3};
    Keys two = keys_of(keys[s], keys[s + 1]);
    for (int r = 0; r < 10; ++r, two.next()) round(pair, two.k0, two.k1);
    store(pair, bits + 2 * s);
  }
}
#else
bool wide_blocks = false;

namespace {

void one_block(std::uint64_t key, std::uint64_t replication, std::uint64_t block, std::uint64_t* bits) noexcept {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto r = philox4x32_10({low(block), low(block >> 32U), low(replication), low(replication >> 32U)},
                               {low(key), low(key >> 32U)});
  bits[0] = static_cast<std::uint64_t>(r[1]) << 32U | r[0];
  bits[1] = static_cast<std::uint64_t>(r[3]) << 32U | r[2];
}

}  // namespace

void philox_blocks(std::uint64_t key, std::uint64_t replication, std::uint64_t block,
                   std::uint64_t (&bits)[2 * blocks_at_once]) noexcept {
  for (std::uint64_t b = 0; b < blocks_at_once; ++b) one_block(key, replication, block + b, bits + 2 * b);
}

void stream_blocks(const std::uint64_t (&keys)[streams_at_once], std::uint64_t replication,
                   const std::uint64_t (&blocks)[streams_at_once],
                   std::uint64_t (&bits)[2 * streams_at_once]) noexcept {
  for (std::uint64_t s = 0; s < streams_at_once; ++s) one_block(keys[s], replication, blocks[s], bits + 2 * s);
}
#endif

}  // namespace ergode
