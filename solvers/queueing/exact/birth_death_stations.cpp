#include "solvers/queueing/exact/birth_death_stations.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/text.h"
#include "solvers/queueing/exact/effort.h"
#include "solvers/queueing/exact/wide_double.h"

namespace ergode {
namespace {

std::optional<Diagnostic> check(double arrival_rate, double service_rate, int servers) {
  if (!std::isfinite(arrival_rate) || arrival_rate < 0)
    return queueing_error("QUE102", "The arrival rate is " + number_text(arrival_rate) + " /s; wanted at least 0 /s.");
  if (!std::isfinite(service_rate) || service_rate <= 0)
    return queueing_error("QUE102", "The service rate is " + number_text(service_rate) + " /s; wanted above 0 /s.");
  if (servers < 1)
    return queueing_error("QUE102", "There are " + std::to_string(servers) + " servers; wanted at least 1.");
  return {};
}

std::optional<Diagnostic> check_stable(double offered, int servers) {
  if (offered < servers) return {};
  return queueing_error("QUE103", "The station has the load " + number_text(offered, 6) + "; wanted below " +
                                      std::to_string(servers) + ".");
}

/// 1 / B by Jagerman's recursion: positive terms; infinite where B is below all numbers.
double inverse_loss(int servers, double offered, const Budget* budget) {
  constexpr int portion = 1024;
  std::optional<Effort> effort;
  if (budget != nullptr) effort.emplace(*budget);
  double inverse = 1;
  for (int n = 1; n <= servers && std::isfinite(inverse); ++n) {
    if (effort && n % portion == 0) effort->spend(portion);
    inverse = 1 + inverse * n / offered;
  }
  return inverse;
}

double loss(int servers, double offered, const Budget* budget = nullptr) {
  return offered > 0 ? 1 / inverse_loss(servers, offered, budget) : 0;
}

/// From B to C without a difference that cancels.
double waiting(int servers, double offered, const Budget* budget = nullptr) {
  const double b = loss(servers, offered, budget);
  return servers * b / (servers - offered * (1 - b));
}

std::vector<WideDouble> weights(double offered, int servers, int capacity) {
  std::vector<WideDouble> w{WideDouble(1.0)};
  for (int n = 1; n <= capacity; ++n) w.push_back(w.back() * WideDouble(offered / std::min(n, servers)));
  return w;
}

}  // namespace

Solved<StationMeans> mm1(double arrival_rate, double service_rate) { return mmc(arrival_rate, service_rate, 1); }

Solved<StationMeans> mmc(double arrival_rate, double service_rate, int servers) {
  if (auto bad = check(arrival_rate, service_rate, servers)) return *bad;
  const double offered = arrival_rate / service_rate;
  if (auto bad = check_stable(offered, servers)) return *bad;
  StationMeans m;
  m.utilisation = offered / servers, m.throughput = arrival_rate;
  m.wait_probability = waiting(servers, offered);
  m.waiting_s = m.wait_probability / (servers * service_rate - arrival_rate);
  m.response_s = m.waiting_s + 1 / service_rate;
  m.waiting_number = arrival_rate * m.waiting_s, m.number = m.waiting_number + offered;
  WideDouble term(1.0), sum(1.0);
  for (int n = 1; n < servers; ++n) {
    term = term * WideDouble(offered / n), sum += term;
    // Once terms fall by half and more, what follows is below any digit: a million idle servers cost nothing.
    if (n > 2 * offered && ratio(term, sum) < 1e-20) break;
  }
  sum += term * WideDouble(offered / (servers - offered));  // all from `servers` on
  m.empty = ratio(WideDouble(1.0), sum);
  return m;
}

Solved<StationMeans> mmc_unequal(double arrival_rate, const std::vector<double>& service_rates) {
  double sum = 0;
  for (const double rate : service_rates) {
    if (auto bad = check(arrival_rate, rate, 1)) return *bad;
    sum += rate;
  }
  const auto servers = static_cast<int>(service_rates.size());
  return mmc(arrival_rate, servers > 0 ? sum / servers : 1, servers);
}

Solved<StationMeans> mminf(double arrival_rate, double service_rate) {
  if (auto bad = check(arrival_rate, service_rate, 1)) return *bad;
  const double offered = arrival_rate / service_rate;
  return StationMeans{.utilisation = offered,
                      .response_s = 1 / service_rate,
                      .number = offered,
                      .throughput = arrival_rate,
                      .empty = std::exp(-offered)};
}

Solved<std::vector<double>> mmck_distribution(double arrival_rate, double service_rate, int servers, int capacity) {
  if (auto bad = check(arrival_rate, service_rate, servers)) return *bad;
  if (capacity < servers)
    return queueing_error("QUE102", "The capacity is " + std::to_string(capacity) + "; wanted at least the " +
                                        std::to_string(servers) + " servers.");
  const std::vector<WideDouble> w = weights(arrival_rate / service_rate, servers, capacity);
  WideDouble sum;
  for (const WideDouble& each : w) sum += each;
  std::vector<double> p;
  for (const WideDouble& each : w) p.push_back(ratio(each, sum));
  return p;
}

Solved<StationMeans> mmck(double arrival_rate, double service_rate, int servers, int capacity) {
  const auto answer = mmck_distribution(arrival_rate, service_rate, servers, capacity);
  if (const auto* bad = std::get_if<Diagnostic>(&answer)) return *bad;
  const auto& p = std::get<std::vector<double>>(answer);
  StationMeans m;
  double busy = 0, let_in = 0, all_busy = 0;
  for (int n = 0; n <= capacity; ++n) {
    const double here = p[static_cast<std::size_t>(n)];
    m.number += n * here, busy += std::min(n, servers) * here, m.waiting_number += std::max(0, n - servers) * here;
    if (n < capacity) let_in += here;
    if (n < capacity && n >= servers) all_busy += here;
  }
  m.empty = p.front(), m.loss_probability = p.back();
  m.throughput = busy * service_rate, m.utilisation = busy / servers;
  // Nobody came: one who did would find the station empty.
  m.response_s = arrival_rate > 0 ? m.number / m.throughput : 1 / service_rate;
  m.waiting_s = arrival_rate > 0 ? m.waiting_number / m.throughput : 0;
  m.wait_probability = all_busy / let_in;
  return m;
}

Solved<StationMeans> erlang_a(double arrival_rate, double service_rate, int servers, double abandonment_rate) {
  if (!std::isfinite(abandonment_rate) || abandonment_rate < 0)
    return queueing_error("QUE102",
                          "The abandonment rate is " + number_text(abandonment_rate) + " /s; wanted at least 0 /s.");
  if (abandonment_rate == 0) return mmc(arrival_rate, service_rate, servers);
  if (auto bad = check(arrival_rate, service_rate, servers)) return *bad;
  const double offered = arrival_rate / service_rate;
  WideDouble term(1.0), sum(1.0), busy, queue, waits;
  for (int n = 1; n <= servers; ++n) {
    term = term * WideDouble(offered / n);
    sum += term, busy += term * WideDouble(n);
  }
  waits = term;
  for (int q = 1;; ++q) {
    const double factor = arrival_rate / (servers * service_rate + q * abandonment_rate);
    term = term * WideDouble(factor);
    sum += term, waits += term, busy += term * WideDouble(servers), queue += term * WideDouble(q);
    if (term.is_zero() || (factor < 1 && q * ratio(term, sum) < 1e-18 * (1 - factor) * (1 - factor))) break;
  }
  StationMeans m;
  m.empty = ratio(WideDouble(1.0), sum), m.wait_probability = ratio(waits, sum);
  const double busy_servers = ratio(busy, sum);
  m.utilisation = busy_servers / servers, m.throughput = busy_servers * service_rate;
  m.waiting_number = ratio(queue, sum), m.number = m.waiting_number + busy_servers;
  if (arrival_rate > 0) {
    m.waiting_s = m.waiting_number / arrival_rate, m.response_s = m.number / arrival_rate;
    m.loss_probability = abandonment_rate * m.waiting_s;
  } else {
    m.response_s = 1 / service_rate;
  }
  return m;
}

Solved<double> erlang_b(int servers, double offered) {
  if (auto bad = check(offered, 1, servers)) return *bad;
  return loss(servers, offered);
}

Solved<double> erlang_c(int servers, double offered, const Budget& budget) {
  if (auto bad = check(offered, 1, servers)) return *bad;
  if (auto bad = check_stable(offered, servers)) return *bad;
  return waiting(servers, offered, &budget);
}

Solved<double> engset(int sources, int servers, double offered_each) {
  if (auto bad = check(offered_each, 1, servers)) return *bad;
  if (sources < 1)
    return queueing_error("QUE102", "There are " + std::to_string(sources) + " sources; wanted at least 1.");
  if (servers >= sources || offered_each == 0) return 0.0;
  double inverse = 1;  // of the time congestion of the others
  for (int n = 1; n <= servers; ++n) inverse = 1 + inverse * n / ((sources - n) * offered_each);
  return 1 / inverse;
}

}  // namespace ergode
