#include "solvers/reliability/ccf_expansion.h"

#include <cmath>
#include <numeric>

namespace ergode {
namespace {

std::string joined(const std::vector<std::string>& members, const std::vector<std::size_t>& chosen) {
  std::string text;
  for (const std::size_t i : chosen) text += (text.empty() ? "" : ", ") + members[i];
  return text;
}

/// Steps to the next k-subset in lexicographic order; false after the last one.
bool advance(std::vector<std::size_t>& chosen, std::size_t n) {
  const std::size_t k = chosen.size();
  std::size_t i = k;
  while (i > 0 && chosen[i - 1] == n - k + i - 1) --i;
  if (i == 0) return false;
  ++chosen[i - 1];
  for (std::size_t j = i; j < k; ++j) chosen[j] = chosen[j - 1] + 1;
  return true;
}

}  // namespace

CcfExpansion expand(const OrderRates& rates, const std::vector<std::string>& members, std::size_t cap) {
  const int n = rates.n();
  CcfExpansion result;
  result.set_count = std::ldexp(1.0, n) - 1.0;
  double sum = 0.0;
  for (int k = 1; k <= n; ++k) {
    ExpandedOrder order;
    order.k = k;
    order.combinations = binomial(n, k);
    order.specific = rates.specific[static_cast<std::size_t>(k - 1)];
    order.total = order.combinations * order.specific;
    sum += order.total;
    result.orders.push_back(order);
  }
  if (sum > 0.0)
    for (ExpandedOrder& order : result.orders) order.share = order.total / sum;

  if (static_cast<int>(members.size()) != n) return result;
  for (int k = 1; k <= n; ++k) {
    std::vector<std::size_t> chosen(static_cast<std::size_t>(k));
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
    do {
      if (result.sets.size() >= cap) return result;
      result.sets.push_back({k, joined(members, chosen), rates.specific[static_cast<std::size_t>(k - 1)]});
    } while (advance(chosen, members.size()));
  }
  return result;
}

}  // namespace ergode
