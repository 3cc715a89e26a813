#include "core/random/moment_arguments.h"

#include <cmath>

#include "core/random/two_moments.h"

namespace ergode {
namespace {

using Arguments = std::optional<std::vector<NamedArgument>>;

std::vector<NamedArgument> one(const char* name, double value) { return {NamedArgument{name, {value}}}; }
std::vector<NamedArgument> two(const char* name, double value, const char* other, double its) {
  return {NamedArgument{name, {value}}, NamedArgument{other, {its}}};
}

}  // namespace

std::optional<double> weibull_shape(double scv) {
  // The spread falls with the shape.
  const auto spread = [](double shape) {
    return std::expm1(std::lgamma(1.0 + 2.0 / shape) - 2.0 * std::lgamma(1.0 + 1.0 / shape));
  };
  double low = 0.05, high = 1000.0;
  if (!(scv < spread(low) && scv > spread(high))) return std::nullopt;
  for (int i = 0; i < 200; ++i) {
    const double middle = std::sqrt(low * high);
    (spread(middle) > scv ? low : high) = middle;
  }
  return std::sqrt(low * high);
}

Arguments arguments_of_moments(const DistributionForm& form, double mean, double scv) {
  const auto has = [&](const char* name) {
    for (const DistributionArgument& one : form.arguments)
      if (one.name == name) return true;
    return false;
  };
  constexpr double hair = 1e-9;
  if (!wrong_moments(mean, scv).empty()) return std::nullopt;
  if (has("scv")) {
    // It checks its ranges itself.
    std::vector<NamedArgument> given = two("mean", mean, "scv", scv);
    return std::holds_alternative<Distribution>(make_distribution(form.family, given)) ? Arguments(std::move(given))
                                                                                       : std::nullopt;
  }
  if (form.family == "deterministic") return scv == 0.0 ? Arguments(one("value", mean)) : std::nullopt;
  if (scv == 0.0) return std::nullopt;
  if (form.family == "exponential") {
    if (std::fabs(scv - 1.0) > hair) return std::nullopt;
    return has("mean") ? one("mean", mean) : one("rate", 1.0 / mean);
  }
  if (form.family == "erlang") {
    const double k = std::round(1.0 / scv);
    if (k < 1.0 || k > 1e6 || std::fabs(k * scv - 1.0) > hair) return std::nullopt;
    return has("mean") ? two("k", k, "mean", mean) : two("k", k, "rate", k / mean);
  }
  if (form.family == "gamma")
    return has("scale") ? two("shape", 1.0 / scv, "scale", mean * scv)
                        : two("shape", 1.0 / scv, "rate", 1.0 / (mean * scv));
  if (form.family == "lognormal" && has("mean")) return two("mean", mean, "sd", mean * std::sqrt(scv));
  if (form.family == "weibull") {
    const auto shape = weibull_shape(scv);
    if (!shape) return std::nullopt;
    return two("shape", *shape, "scale", mean / std::tgamma(1.0 + 1.0 / *shape));
  }
  if (form.family == "uniform") {
    const double half = mean * std::sqrt(3.0 * scv);
    return two("low", mean - half, "high", mean + half);
  }
  if (form.family == "pareto") {
    const auto [shape, scale] = pareto_of_moments(mean, scv);
    return two("shape", shape, "scale", scale);
  }
  if (form.family == "hyperexponential" && scv > 1.0) {
    const auto [p, rate] = balanced_exponentials(mean, scv);
    return std::vector<NamedArgument>{{"p", {p[0], p[1]}}, {"rate", {rate[0], rate[1]}}};
  }
  return std::nullopt;
}

}  // namespace ergode
