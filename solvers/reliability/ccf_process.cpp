#include "solvers/reliability/ccf_process.h"

#include <algorithm>
#include <limits>

#include "solvers/reliability/member_subset.h"

namespace ergode {

CcfProcess::CcfProcess(const BfrRates& rates, const DelayLaw& law, int n) : n_(n), rho_(rates.rho), law_(law) {
  rate_ = {n * rates.lambda_ind, rates.mu, rates.omega};
}

CcfProcess::CcfProcess(const OrderRates& rates, const DelayLaw& law) : n_(rates.n()), binomial_(false), law_(law) {
  double sum = 0.0;
  for (int k = 2; k < n_; ++k) {
    sum += ergode::binomial(n_, k) * rates.specific[static_cast<std::size_t>(k - 1)];
    order_cumulative_.push_back(sum);
  }
  rate_ = {n_ * rates.specific.front(), sum, rates.specific.back()};
}

double CcfProcess::next_shock(Source source, RandomStream& epochs, double now_s) const {
  if (rate_[source] <= 0.0) return std::numeric_limits<double>::infinity();
  return now_s + epochs.exponential() / rate_[source];
}

int CcfProcess::affect(Source source, RandomStream& marks, RandomStream& delays, std::span<ShockEffect> effects) const {
  int count = 0;
  const auto strike = [&](int member, Cause cause) {
    effects[static_cast<std::size_t>(count++)] = {member, 0.0, cause};
  };
  if (source == independent) {
    random_subset(marks, n_, 1, [&](int member) { strike(member, Cause::independent); });
    if (!law_.delays_single) return count;
  } else if (source == lethal) {
    for (int member = 0; member < n_; ++member) strike(member, Cause::lethal);
  } else if (binomial_) {
    for (int member = 0; member < n_; ++member)
      if (marks.uniform() < rho_) strike(member, Cause::non_lethal);
  } else {
    const double u = marks.uniform() * order_cumulative_.back();
    const auto chosen = std::upper_bound(order_cumulative_.begin(), order_cumulative_.end() - 1, u);
    const int k = 2 + static_cast<int>(chosen - order_cumulative_.begin());
    random_subset(marks, n_, k, [&](int member) { strike(member, Cause::non_lethal); });
  }
  if (law_.kind == DelayLaw::Kind::none) return count;
  int next = 0;
  for (int member = 0; member < n_; ++member) {
    const double delay_s = law_.sample(delays);
    if (next < count && effects[static_cast<std::size_t>(next)].member == member)
      effects[static_cast<std::size_t>(next++)].delay_s = delay_s;
  }
  return count;
}

}  // namespace ergode
