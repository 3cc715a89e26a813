#include "solvers/reliability/ccf_process.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/reliability/member_subset.h"

namespace ergode {

CcfProcess::CcfProcess(const BfrRates& rates, const DelayLaw& law, int n) : n_(n), rho_(rates.rho), law_(law) {
  rate_ = {n * rates.lambda_ind, rates.mu, rates.omega};
  for (int k = 0; k <= n; ++k) struck_.push_back(std::pow(rho_, k) * std::pow(1.0 - rho_, n - k));
  find_mixed();
}

CcfProcess::CcfProcess(const OrderRates& rates, const DelayLaw& law) : n_(rates.n()), binomial_(false), law_(law) {
  double sum = 0.0;
  for (int k = 2; k < n_; ++k) {
    sum += ergode::binomial(n_, k) * rates.specific[static_cast<std::size_t>(k - 1)];
    order_cumulative_.push_back(sum);
  }
  rate_ = {n_ * rates.specific.front(), sum, rates.specific.back()};
  struck_.assign(static_cast<std::size_t>(n_) + 1, 0.0);
  for (int k = 2; k < n_ && sum > 0.0; ++k)
    struck_[static_cast<std::size_t>(k)] = rates.specific[static_cast<std::size_t>(k - 1)] / sum;
  find_mixed();
}

void CcfProcess::find_mixed() {
  for (int k = 1; k <= n_; ++k) {
    const double each = struck_[static_cast<std::size_t>(k)];
    if (!(each > 0.0)) continue;
    sizes_.push_back(k);
    mixed_[non_lethal] = mixed_[non_lethal] || ergode::binomial(n_, k) * each < 0.1;
  }
}

double CcfProcess::next_shock(Source source, RandomStream& epochs, double now_s) const {
  if (rate_[source] <= 0.0) return std::numeric_limits<double>::infinity();
  return now_s + epochs.exponential() / rate_[source];
}

int CcfProcess::affect(Source source, bool spread, RandomStream& marks, RandomStream& delays,
                       std::span<ShockEffect> effects, double& ratio) const {
  int count = 0;
  ratio = 1.0;
  const auto strike = [&](int member, SplitPart cause) {
    effects[static_cast<std::size_t>(count++)] = {member, 0.0, cause};
  };
  if (source == independent) {
    random_subset(marks, n_, 1, [&](int member) { strike(member, Cause::independent); });
    if (!law_.delays_single) return count;
  } else if (source == lethal) {
    for (int member = 0; member < n_; ++member) strike(member, Cause::lethal);
  } else if (spread) {
    const auto place = static_cast<std::size_t>(marks.uniform() * static_cast<double>(sizes_.size()));
    random_subset(marks, n_, sizes_[std::min(place, sizes_.size() - 1)],
                  [&](int member) { strike(member, Cause::non_lethal); });
  } else if (binomial_) {
    for (int member = 0; member < n_; ++member)
      if (marks.uniform() < rho_) strike(member, Cause::non_lethal);
  } else {
    const double u = marks.uniform() * order_cumulative_.back();
    const auto chosen = std::upper_bound(order_cumulative_.begin(), order_cumulative_.end() - 1, u);
    const int k = 2 + static_cast<int>(chosen - order_cumulative_.begin());
    random_subset(marks, n_, k, [&](int member) { strike(member, Cause::non_lethal); });
  }
  if (source == non_lethal && !sizes_.empty())
    ratio = count == 0 ? 0.0
                       : 1.0 / (static_cast<double>(sizes_.size()) * ergode::binomial(n_, count) *
                                struck_[static_cast<std::size_t>(count)]);
  // One delay for each member whoever was struck, so that the streams of two parameter sets stay in step.
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
