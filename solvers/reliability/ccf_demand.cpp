#include "solvers/reliability/ccf_demand.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "solvers/reliability/bfr_closed_form.h"
#include "solvers/reliability/member_subset.h"

namespace ergode {
CcfDemand::CcfDemand(const OrderRates& q) : n_(q.n()) {
  // An event with probability Q is the arrival of at least one of a Poisson number with mean -log(1 - Q).
  std::vector<double> exposure;
  for (int k = 1; k <= n_; ++k) {
    log_miss_.push_back(std::log1p(-q.specific[static_cast<std::size_t>(k - 1)]));
    exposure.push_back(-log_miss_.back());
    sets_.push_back(binomial(n_, k));
  }
  // What is certain strikes every set of its order, and each member is in one of them.
  const bool certain = std::any_of(q.specific.begin(), q.specific.end(), [](double p) { return p >= 1.0; });
  failed_count_ =
      certain ? std::vector<double>(static_cast<std::size_t>(n_) + 1, 0.0) : failed_count_distribution(exposure);
  if (certain) failed_count_.back() = 1.0;
  cumulative_.resize(failed_count_.size());
  std::partial_sum(failed_count_.begin(), failed_count_.end(), cumulative_.begin());
}

void CcfDemand::sample(RandomStream& stream, std::span<std::uint8_t> failed) const {
  std::fill(failed.begin(), failed.end(), std::uint8_t{0});
  const double u = stream.uniform();
  int m = 0;
  while (m < n_ && u >= cumulative_[static_cast<std::size_t>(m)]) ++m;
  random_subset(stream, n_, m, [&](int i) { failed[static_cast<std::size_t>(i)] = 1; });
}

void CcfDemand::sample_causes(RandomStream& stream, std::span<SplitPart> cause) const {
  std::fill(cause.begin(), cause.end(), Cause::none);
  for (int k = 1; k <= n_; ++k) {
    const double log_miss = log_miss_[static_cast<std::size_t>(k - 1)];
    if (log_miss == 0.0) continue;
    const SplitPart reason = k == 1 ? Cause::independent : k == n_ ? Cause::lethal : Cause::non_lethal;
    // Orders ascending: a graver reason replaces one that a member has already.
    // Steps from event to event over the sets of this order: the gaps are geometric.
    double rank = -1.0;
    while (true) {
      rank += 1.0 + std::floor(std::log(stream.uniform()) / log_miss);
      if (rank >= sets_[static_cast<std::size_t>(k - 1)]) break;
      take_ranked_subset(rank, n_, k, [&](int i) { cause[static_cast<std::size_t>(i)] = reason; });
    }
  }
}

}  // namespace ergode
