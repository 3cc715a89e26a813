#pragma once
#include <cstdint>
#include <span>

namespace ergode {

/// What is left of a job's runtime [s] while nobody knows when its batch size changes: its batch sizes are taken for
/// draws from a multinomial law with a Dirichlet prior that favours none of those that its profile has, and the epochs
/// seen so far for observations.
///
///     c_b = E / modes + number of epochs 0 ... p with b,   m_b = E c_b / sum c
///     l_b = m_b less one for each of these epochs, but never from below one
///     R = sum l_b (mean duration of b) (E - p) / max(floor(sum l_b + 1), E - p)
///
/// @param batch_by_epoch  of the profile, E of them, not empty
/// @param epoch_s         their durations; > 0
/// @param progress        p, epochs done, >= 0
/// @returns R >= 0, which may be 0 in the last epoch; 1 where no epoch is left. O(E log modes)
/// Zheng et al., Shockwave, NSDI 2023, section 5, with the rounding of its artifact.
double remaining_runtime(std::span<const int> batch_by_epoch, std::span<const double> epoch_s, std::int64_t progress);

}  // namespace ergode
