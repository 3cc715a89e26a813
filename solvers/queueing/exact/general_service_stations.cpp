#include "solvers/queueing/exact/general_service_stations.h"

#include <cmath>
#include <optional>

#include "core/base/text.h"
#include "solvers/queueing/exact/birth_death_stations.h"

namespace ergode {
namespace {

bool at_least_zero(double value) { return std::isfinite(value) && value >= 0; }

std::optional<Diagnostic> check(const GeneralService& s) {
  if (!at_least_zero(s.arrival_rate))
    return queueing_error("QUE102",
                          "The arrival rate is " + number_text(s.arrival_rate) + " /s; wanted at least 0 /s.");
  if (!at_least_zero(s.mean_s) || s.mean_s == 0)
    return queueing_error("QUE102", "The mean service time is " + number_text(s.mean_s) + " s; wanted above 0 s.");
  // A constant time may be off by a digit.
  if (!at_least_zero(s.second_moment_s2) || s.second_moment_s2 < s.mean_s * s.mean_s * (1 - 1e-12))
    return queueing_error("QUE102", "The second moment of service is " + number_text(s.second_moment_s2) +
                                        " s^2; wanted at least the squared mean " + number_text(s.mean_s * s.mean_s) +
                                        " s^2.");
  return {};
}

std::optional<Diagnostic> check_load(double load) {
  if (load < 1) return {};
  return queueing_error("QUE103", "The station has the load " + number_text(load, 6) + "; wanted below 1.");
}

StationMeans means(double arrival_rate, double service_s, double response_s, double empty) {
  StationMeans m;
  m.utilisation = arrival_rate * service_s, m.throughput = arrival_rate, m.empty = empty;
  m.response_s = response_s, m.waiting_s = response_s - service_s;
  m.number = arrival_rate * response_s, m.waiting_number = arrival_rate * m.waiting_s;
  return m;
}

/// Waiting of each class: what is found in service or ahead, and what overtakes.
Solved<std::vector<StationMeans>> priorities(const std::vector<GeneralService>& classes, bool preemptive) {
  double load = 0, residual = 0;
  for (const GeneralService& c : classes) {
    if (auto bad = check(c)) return *bad;
    load += c.arrival_rate * c.mean_s, residual += c.arrival_rate * c.second_moment_s2 / 2;
  }
  if (auto bad = check_load(load)) return *bad;
  std::vector<StationMeans> result;
  double above = 0, residual_seen = preemptive ? 0 : residual;
  for (const GeneralService& c : classes) {
    const double with_own = above + c.arrival_rate * c.mean_s;
    if (preemptive) residual_seen += c.arrival_rate * c.second_moment_s2 / 2;
    const double wait = residual_seen / ((1 - above) * (1 - with_own));
    const double service = preemptive ? c.mean_s / (1 - above) : c.mean_s;
    result.push_back(means(c.arrival_rate, c.mean_s, wait + service, 1 - load));
    above = with_own;
  }
  return result;
}

/// Integrals over an even grid, `step` apart, of values at its nodes: from the left up to each node. Simpson's rule
/// over pairs of steps; in the middle of a pair the parabola's part.
std::vector<double> running_integral(const std::vector<double>& y, double step) {
  std::vector<double> sum(y.size(), 0.0);
  for (std::size_t i = 0; i + 2 < y.size(); i += 2) {
    sum[i + 1] = sum[i] + step * (5 * y[i] + 8 * y[i + 1] - y[i + 2]) / 12;
    sum[i + 2] = sum[i] + step * (y[i] + 4 * y[i + 1] + y[i + 2]) / 3;
  }
  return sum;
}

}  // namespace

Solved<StationMeans> mg1(const GeneralService& service) {
  if (auto bad = check(service)) return *bad;
  const double load = service.arrival_rate * service.mean_s;
  if (auto bad = check_load(load)) return *bad;
  const double wait = service.arrival_rate * service.second_moment_s2 / (2 * (1 - load));
  StationMeans m = means(service.arrival_rate, service.mean_s, service.mean_s + wait, 1 - load);
  m.waiting_s = wait, m.waiting_number = service.arrival_rate * wait, m.wait_probability = load;
  return m;
}

Solved<StationMeans> mg1_processor_sharing(const GeneralService& service) {
  if (auto bad = check(service)) return *bad;
  const double load = service.arrival_rate * service.mean_s;
  if (auto bad = check_load(load)) return *bad;
  return means(service.arrival_rate, service.mean_s, service.mean_s / (1 - load), 1 - load);
}

Solved<std::vector<StationMeans>> mg1_priorities(const std::vector<GeneralService>& classes) {
  return priorities(classes, false);
}

Solved<std::vector<StationMeans>> mg1_preemptive_resume(const std::vector<GeneralService>& classes) {
  return priorities(classes, true);
}

Solved<StationMeans> mg1_srpt(double arrival_rate, const ServiceDensity& service) {
  const double mean = service.mean_s;
  if (auto bad = check({arrival_rate, mean, mean * mean})) return *bad;
  if (!(service.lower_s >= 0) || !(service.upper_s > service.lower_s) || !service.density)
    return queueing_error("QUE102", "The support of the density is from " + number_text(service.lower_s) + " s to " +
                                        number_text(service.upper_s) + " s; wanted a lower end of at least 0 s.");
  if (auto bad = check_load(arrival_rate * mean)) return *bad;
  // Times t = lower + e^v, so that poles at the lower end and heavy tails decay exponentially; a finite support is
  // t = lower + width / (1 + e^-v), which does so at both ends.
  const bool bounded = std::isfinite(service.upper_s);
  const double from = bounded ? -40 : -60, to = bounded ? 40 : 100, width = service.upper_s - service.lower_s;
  constexpr std::size_t nodes = 40001;
  const double step = (to - from) / (nodes - 1);
  std::vector<double> time(nodes), speed(nodes), density(nodes), first(nodes), second(nodes), backward(nodes);
  for (std::size_t i = 0; i < nodes; ++i) {
    const double v = from + step * static_cast<double>(i);
    const double share = 1 / (1 + std::exp(-v)), rest = 1 / (1 + std::exp(v));
    time[i] = service.lower_s + (bounded ? width * share : mean * std::exp(v));
    speed[i] = bounded ? width * share * rest : mean * std::exp(v);
    density[i] = service.density(time[i]) * speed[i];
    if (!at_least_zero(density[i]))
      return queueing_error("QUE102", "The density at " + number_text(time[i]) + " s is " +
                                          number_text(density[i] / speed[i]) + " /s; wanted at least 0 /s.");
    first[i] = density[i] * time[i], second[i] = first[i] * time[i];
    backward[nodes - 1 - i] = density[i];
  }
  const std::vector<double> tail = running_integral(backward, step);  // not 1 minus: it multiplies great times
  const std::vector<double> load = running_integral(first, step), moment = running_integral(second, step);
  if (std::abs(tail.back() - 1) > 1e-6 || std::abs(load.back() - mean) > 1e-6 * mean)
    return queueing_error("QUE102", "The density has the integral " + number_text(tail.back()) + " and the mean " +
                                        number_text(load.back()) + " s; wanted 1 and " + number_text(mean) + " s.");
  std::vector<double> integrand(nodes);
  for (std::size_t i = 0; i < nodes; ++i) {
    const double left = 1 - arrival_rate * load[i], larger = tail[nodes - 1 - i];
    const double wait = arrival_rate * (moment[i] + time[i] * time[i] * larger) / (2 * left * left);
    integrand[i] = density[i] * wait + larger / left * speed[i];
  }
  // Below the lower end every job is served at full speed but for those who are shorter: there are none.
  const double response = running_integral(integrand, step).back() + service.lower_s;
  return means(arrival_rate, mean, response, 1 - arrival_rate * mean);
}

namespace {

std::optional<Diagnostic> check_variability(const GeneralArrivals& s) {
  for (const double each : {s.arrival_variability, s.service_variability})
    if (!at_least_zero(each))
      return queueing_error("QUE102",
                            "A squared coefficient of variation is " + number_text(each) + "; wanted at least 0.");
  return {};
}

/// Waiting of M/M/c times a factor.
Solved<StationMeans> scaled_waiting(const GeneralArrivals& s, double factor) {
  auto answer = mmc(s.arrival_rate, s.service_rate, s.servers);
  if (const auto* bad = std::get_if<Diagnostic>(&answer)) return *bad;
  const StationMeans& exact = std::get<StationMeans>(answer);
  StationMeans m;
  m.utilisation = exact.utilisation, m.throughput = exact.throughput;
  m.waiting_s = exact.waiting_s * factor, m.waiting_number = exact.waiting_number * factor;
  m.response_s = m.waiting_s + 1 / s.service_rate;
  m.number = m.waiting_number + s.arrival_rate / s.service_rate;
  return m;
}

}  // namespace

Solved<StationMeans> allen_cunneen(const GeneralArrivals& s) {
  if (auto bad = check_variability(s)) return *bad;
  return scaled_waiting(s, (s.arrival_variability + s.service_variability) / 2);
}

Solved<StationMeans> kraemer_langenbach_belz(const GeneralArrivals& s) {
  if (auto bad = check_variability(s)) return *bad;
  const double a = s.arrival_variability, b = s.service_variability;
  const double load = s.arrival_rate / (s.service_rate * s.servers);
  double exponent = 0;
  if (a < 1 && a + b > 0) exponent = -2 * (1 - load) / (3 * load) * (1 - a) * (1 - a) / (a + b);
  if (a > 1) exponent = -(1 - load) * (a - 1) / (a + 4 * b);
  // Without arrivals nobody waits; the exponent is not to be asked then.
  return scaled_waiting(s, s.arrival_rate > 0 ? (a + b) / 2 * std::exp(exponent) : 0);
}

}  // namespace ergode
