#include "solvers/queueing/exact/station_function.h"

#include <algorithm>

namespace ergode {
namespace {

using Polynomial = std::vector<WideDouble>;

/// P(x + shift), coefficients >= 0, shift > 0: Horner's scheme again and again, O(degree^2), nothing cancels.
void shift_argument(Polynomial& p, double shift, Effort& effort) {
  const WideDouble by(shift);
  for (std::size_t first = 0; first + 1 < p.size(); ++first) {
    effort.spend(static_cast<double>(p.size() - first));
    for (std::size_t i = p.size() - 1; i-- > first;) p[i] += by * p[i + 1];
  }
}

/// Weights 1 / (speed(1) .. speed(n)) for n <= degree with an open load: the sum over m open customers of
/// binomial(n + m, m) load^m times the weight of n + m.
Polynomial weights_without_tail(const NetworkStation& station, double load, int degree, Effort& effort) {
  Polynomial weights(static_cast<std::size_t>(degree) + 1);
  WideDouble weight(1.0);
  for (int n = 0; n <= degree; ++n) {
    if (n > 0) weight = weight * WideDouble(1.0 / rate_multiplier(station, n));
    WideDouble term = weight;
    weights[static_cast<std::size_t>(n)] = term;
    const int settled = static_cast<int>(station.rate_multipliers.size());
    for (int m = 1; load > 0; ++m) {
      effort.spend(1.0);
      const double factor = load / rate_multiplier(station, n + m) * (n + m) / m;
      term = term * WideDouble(factor);
      weights[static_cast<std::size_t>(n)] += term;
      // Past the last multiplier factors only fall: what remains is below a geometric series.
      if (n + m > settled && factor < 1 && ratio(term, weights[static_cast<std::size_t>(n)]) < 1e-17 * (1 - factor))
        break;
    }
  }
  return weights;
}

/// (x + load)^c / (c! c), by powers of x.
Polynomial waiting_weights(WideDouble inverse_factorial, int servers, double load) {
  Polynomial p(static_cast<std::size_t>(servers) + 1);
  p.back() = inverse_factorial * WideDouble(1.0 / servers);
  for (int j = servers; j-- > 0 && load > 0;)
    p[static_cast<std::size_t>(j)] = p[static_cast<std::size_t>(j) + 1] * WideDouble(load * (j + 1.0) / (servers - j));
  return p;
}

}  // namespace

StationFunction station_function(const NetworkStation& station, double open_load, int population, Effort& effort) {
  const int speeds =
      station.kind == StationKind::queue ? station.servers : static_cast<int>(station.rate_multipliers.size());
  const double top = rate_multiplier(station, speeds);
  bool never_above_top = true;  // queues: always
  if (station.kind == StationKind::load_dependent)
    for (const double each : station.rate_multipliers) never_above_top = never_above_top && each <= top;

  Polynomial p;
  StationFunction result;
  // With few customers the weights themselves are shorter than what leads to the tail; with open ones they are series,
  // slow near saturation, and pay only where shifting a polynomial of that degree would cost more.
  const bool few = open_load <= 0 ? population < speeds : speeds > 1000 && population < speeds / 2;
  if (never_above_top && !few) {
    WideDouble weight(1.0);
    p.push_back(weight);
    for (int n = 1; n < speeds; ++n) {
      weight = weight * WideDouble(1.0 / rate_multiplier(station, n));
      p.push_back(weight * WideDouble(1.0 - rate_multiplier(station, n) / top));
    }
    while (p.size() > 1 && p.back().is_zero()) p.pop_back();
    if (station.kind == StationKind::queue)
      result.waiting = waiting_weights(weight * WideDouble(1.0 / speeds), speeds, open_load);
    if (open_load > 0) shift_argument(p, open_load, effort);
    result.tail_speed = top - open_load;
  } else {
    p = weights_without_tail(station, open_load, population + 1, effort);
  }
  const WideDouble constant = p.front();
  result.log_scale = constant.log();
  if (result.tail_speed > 0) result.log_scale -= std::log1p(-open_load / top);
  // The same scale: F(0) was its constant over 1 - load/c.
  for (WideDouble& each : result.waiting) each = each / constant * WideDouble(1.0 / (1.0 - open_load / top));
  for (const WideDouble& each : p) result.polynomial.push_back(each / constant);
  for (std::size_t n = 1; n < p.size(); ++n)
    result.derivative.push_back(WideDouble(static_cast<double>(n)) * result.polynomial[n]);
  return result;
}

}  // namespace ergode
