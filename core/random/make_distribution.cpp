#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/special_values.h"
#include "core/base/text.h"
#include "core/random/distribution.h"
#include "core/random/moment_arguments.h"
#include "core/random/remake_distribution.h"
#include "core/random/two_moments.h"

namespace ergode {
namespace {

std::string list_text(const std::vector<double>& values) {
  std::string out;
  for (std::size_t i = 0; i < values.size() && i < 6; ++i) out += (i != 0 ? ", " : "") + number_text(values[i]);
  return values.size() > 6 ? out + ", ..." : out;
}

/// Solves A x = b by elimination with row exchange; nothing when A is singular.
std::optional<std::vector<double>> solve_linear(std::vector<double> a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::fabs(a[i * n + k]) > std::fabs(a[pivot * n + k])) pivot = i;
    if (a[pivot * n + k] == 0.0) return std::nullopt;
    for (std::size_t j = 0; j < n; ++j) std::swap(a[k * n + j], a[pivot * n + j]);
    std::swap(b[k], b[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] / a[k * n + k];
      for (std::size_t j = k; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a[k * n + j] * b[j];
    b[k] /= a[k * n + k];
  }
  return b;
}

}  // namespace

/// Checks arguments and fills a Distribution; `error` keeps the first finding.
class DistributionBuilder {
 public:
  DistributionBuilder(std::string_view family, std::span<const NamedArgument> args) : family_(family), args_(args) {}

  std::variant<Distribution, std::string> build() {
    if (!fill()) return error_.empty() ? std::string(family_) + ": no such distribution" : error_;
    return std::move(made_);
  }

 private:
  using Family = Distribution::Family;

  bool fail(std::string what) {
    if (error_.empty()) error_ = std::string(family_) + ": " + std::move(what);
    return false;
  }
  const NamedArgument* find(std::string_view name) const {
    for (const NamedArgument& arg : args_)
      if (arg.name == name) return &arg;
    return nullptr;
  }
  bool has(std::string_view name) const { return find(name) != nullptr; }
  const std::vector<double>& list(std::string_view name) const { return find(name)->values; }
  double value(std::string_view name, double otherwise = 0.0) const {
    const NamedArgument* arg = find(name);
    return arg != nullptr ? arg->values.front() : otherwise;
  }
  bool wrong(std::string_view name, double seen, std::string_view wanted) {
    return fail(std::string(name) + " is " + number_text(seen) + ", wanted " + std::string(wanted));
  }
  bool positive(std::string_view name) { return value(name) > 0.0 || wrong(name, value(name), "a number > 0"); }
  bool above(std::string_view name, double x, std::string_view low_name, double low) {
    return x > low || wrong(name, x, "more than " + std::string(low_name) + " = " + number_text(low));
  }
  bool may_be(double mean, double scv) {
    std::string why = wrong_moments(mean, scv);
    return why.empty() || fail(std::move(why));
  }
  void set(Family family, double a, double b = 0.0, double c = 0.0) {
    made_.family_ = family;
    made_.a_ = a;
    made_.b_ = b;
    made_.c_ = c;
  }

  bool fill();
  bool truncated_normal();
  bool truncated_exponential();
  bool hyperexponential(std::span<const double> p, std::span<const double> rate);
  bool hypererlang(const std::vector<double>& p, const std::vector<double>& k, const std::vector<double>& rate);
  bool pareto();
  bool fitted();
  bool of_moments();
  bool coxian(const std::vector<double>& rate, const std::vector<double>& go_on);
  bool phase_type();
  bool phase_type(const std::vector<double>& initial, const std::vector<double>& s);
  bool empirical();
  bool quantile_table();

  std::string_view family_;
  std::span<const NamedArgument> args_;
  Distribution made_;
  std::string error_;
};

bool DistributionBuilder::fill() {
  for (const NamedArgument& arg : args_)
    for (const double x : arg.values)
      if (!std::isfinite(x)) return wrong(arg.name, x, "a finite number");
  if (family_ == "deterministic") return set(Family::deterministic, value("value")), true;
  if (family_ == "exponential") {
    if (has("mean")) return positive("mean") && (set(Family::exponential, value("mean")), true);
    return positive("rate") && (set(Family::exponential, 1.0 / value("rate")), true);
  }
  if (has("scv") && family_ != "fitted") return of_moments();
  if (family_ == "weibull")
    return positive("shape") && positive("scale") && (set(Family::weibull, value("scale"), value("shape")), true);
  if (family_ == "lognormal") {
    if (has("mu"))
      return positive("sigma") && positive("scale") &&
             (set(Family::lognormal, value("mu"), value("sigma"), value("scale")), true);
    if (has("mean")) {
      if (!positive("mean") || !positive("sd")) return false;
      const double cv = value("sd") / value("mean");
      // mean = scale exp(sigma^2 / 2): with the scale at the mean, mu is -sigma^2 / 2.
      const double sigma2 = std::log1p(cv * cv);
      return set(Family::lognormal, -0.5 * sigma2, std::sqrt(sigma2), value("mean")), true;
    }
    // The error factor is the ratio of the 95 % quantile to the median: exp(1.645 sigma).
    constexpr double z95 = 1.6448536269514722;
    return positive("median") && (value("ef") > 1.0 || wrong("ef", value("ef"), "a number > 1")) &&
           (set(Family::lognormal, 0.0, std::log(value("ef")) / z95, value("median")), true);
  }
  if (family_ == "gamma") {
    if (!positive("shape")) return false;
    if (has("rate")) return positive("rate") && (set(Family::gamma, value("shape"), 1.0 / value("rate")), true);
    return positive("scale") && (set(Family::gamma, value("shape"), value("scale")), true);
  }
  if (family_ == "beta") return positive("a") && positive("b") && (set(Family::beta, value("a"), value("b")), true);
  if (family_ == "uniform")
    return above("high", value("high"), "low", value("low")) &&
           (set(Family::uniform, value("low"), value("high")), true);
  if (family_ == "triangular") {
    const double low = value("low"), mode = value("mode"), high = value("high");
    if (!above("high", high, "low", low)) return false;
    if (mode < low || mode > high)
      return wrong("mode", mode, "a number from " + number_text(low) + " to " + number_text(high));
    return set(Family::triangular, low, mode, high), true;
  }
  if (family_ == "erlang") {
    const double k = value("k");
    if (!(k >= 1.0 && k <= 1e6 && k == std::floor(k))) return wrong("k", k, "a whole number from 1 to 1000000");
    if (has("rate")) return positive("rate") && (set(Family::erlang, k, 1.0 / value("rate")), true);
    return positive("mean") && (set(Family::erlang, k, value("mean") / k), true);
  }
  if (family_ == "truncated_normal" || family_ == "normal") return truncated_normal();
  if (family_ == "truncated_exponential") return truncated_exponential();
  if (family_ == "hyperexponential") return hyperexponential(list("p"), list("rate"));
  if (family_ == "hypererlang") return hypererlang(list("p"), list("k"), list("rate"));
  if (family_ == "pareto") return pareto();
  if (family_ == "fitted") return fitted();
  if (family_ == "hypoexponential") return coxian(list("rate"), std::vector<double>(list("rate").size() - 1, 1.0));
  if (family_ == "coxian") return coxian(list("rate"), list("p"));
  if (family_ == "phase_type") return phase_type();
  if (family_ == "empirical") return empirical();
  if (family_ == "quantile_table") return quantile_table();
  return false;
}

bool DistributionBuilder::truncated_normal() {
  const double mean = value("mean"), sd = value("sd");
  const double low = value("low", -infinity), high = value("high", infinity);
  if (!positive("sd") || !above("high", high, "low", low)) return false;
  set(Family::truncated_normal, mean, sd, low);
  made_.d_ = high;
  const double sign = low > mean ? -1.0 : 1.0;  // The tail in which both ends have accurate probabilities.
  made_.e_ = normal_cdf(sign * (low - mean) / sd);
  made_.f_ = normal_cdf(sign * (high - mean) / sd);
  if (!(std::fabs(made_.f_ - made_.e_) > 1e-290))
    return fail("the window from low = " + number_text(low) + " to high = " + number_text(high) +
                " holds no probability, wanted one nearer to mean = " + number_text(mean));
  return true;
}

bool DistributionBuilder::truncated_exponential() {
  if (!positive("mean") || !positive("limit")) return false;
  set(Family::truncated_exponential, value("mean"), value("limit"));
  made_.e_ = std::expm1(-value("limit") / value("mean"));
  return made_.e_ < 0.0 || wrong("limit", value("limit"), "more than 1e-300 times the mean");
}

bool DistributionBuilder::hyperexponential(std::span<const double> p, std::span<const double> rate) {
  if (p.size() != rate.size())
    return fail("rate has " + std::to_string(rate.size()) + " values, wanted " + std::to_string(p.size()) +
                " as p has");
  auto table = std::make_shared<Distribution::Table>();
  double sum = 0.0, second = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] < 0.0) return wrong("p", p[i], "probabilities >= 0");
    if (!(rate[i] > 0.0)) return wrong("rate", rate[i], "rates > 0");
    table->weights.push_back(sum += p[i]);
    table->mean += p[i] / rate[i];
    second += 2.0 * p[i] / (rate[i] * rate[i]);
  }
  if (std::fabs(sum - 1.0) > 1e-9) return fail("p sums to " + number_text(sum) + ", wanted 1");
  table->values.assign(rate.begin(), rate.end());
  table->variance = second - table->mean * table->mean;
  set(Family::hyperexponential, 0.0);
  made_.table_ = std::move(table);
  return true;
}

bool DistributionBuilder::hypererlang(const std::vector<double>& p, const std::vector<double>& k,
                                      const std::vector<double>& rate) {
  for (const auto& [name, values] : {std::pair("k", &k), std::pair("rate", &rate)})
    if (values->size() != p.size())
      return fail(std::string(name) + " has " + std::to_string(values->size()) + " values, wanted " +
                  std::to_string(p.size()) + " as p has");
  auto table = std::make_shared<Distribution::Table>();
  double sum = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] < 0.0) return wrong("p", p[i], "probabilities >= 0");
    if (!(k[i] >= 1.0 && k[i] <= 1e6 && k[i] == std::floor(k[i])))
      return wrong("k", k[i], "whole numbers from 1 to 1000000");
    if (!(rate[i] > 0.0)) return wrong("rate", rate[i], "rates > 0");
    table->weights.push_back(sum += p[i]);
    table->mean += p[i] * k[i] / rate[i];
  }
  if (std::fabs(sum - 1.0) > 1e-9) return fail("p sums to " + number_text(sum) + ", wanted 1");
  // Within branches and between them: nothing cancels.
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double from = k[i] / rate[i] - table->mean;
    table->variance += p[i] * (k[i] / (rate[i] * rate[i]) + from * from);
  }
  table->values = rate, table->jumps = k;
  set(Family::hypererlang, 0.0);
  made_.table_ = std::move(table);
  return true;
}

bool DistributionBuilder::pareto() {
  const double scale = value("scale"), limit = value("limit", infinity);
  if (!positive("shape") || !positive("scale") || !above("limit", limit, "scale", scale)) return false;
  set(Family::pareto, scale, value("shape"), limit);
  made_.e_ = limit == infinity ? 1.0 : -std::expm1(value("shape") * std::log(scale / limit));
  return made_.e_ > 0.0 || wrong("limit", limit, "one so far above scale that there is probability between");
}

bool DistributionBuilder::fitted() {
  const double mean = value("mean"), scv = value("scv");
  if (!may_be(mean, 1.0)) return false;
  if (scv == 0.0) return set(Family::deterministic, mean), true;
  if (!(scv >= 1e-6)) return wrong("scv", scv, "0, or at least 0.000001");
  if (!may_be(mean, scv)) return false;
  if (scv == 1.0) return set(Family::exponential, mean), true;
  if (scv > 1.0) {
    const auto [p, rate] = balanced_exponentials(mean, scv);
    return hyperexponential(p, rate);
  }
  const MixedErlang law = mixed_erlang(mean, scv);
  if (law.shorter == 0.0) return set(Family::erlang, law.k, mean / law.k), true;
  return hypererlang({law.shorter, 1.0 - law.shorter}, {law.k - 1.0, law.k}, {law.rate, law.rate});
}

// As arguments_of_moments() has it, without lists where a law needs none: laws whose arguments change are made anew
// with every draw.
bool DistributionBuilder::of_moments() {
  const double mean = value("mean"), scv = value("scv");
  if (!positive("mean") || !positive("scv") || !may_be(mean, scv)) return false;
  // Fewer phases have no smaller one, and there may be 200.
  constexpr double least = 0.005;
  if (family_ == "gamma") return set(Family::gamma, 1.0 / scv, mean * scv), true;
  if (family_ == "lognormal")
    return set(Family::lognormal, -0.5 * std::log1p(scv), std::sqrt(std::log1p(scv)), mean), true;
  if (family_ == "weibull") {
    const auto shape = weibull_shape(scv);
    if (!shape) return wrong("scv", scv, "that of a shape from 0.05 to 1000");
    return set(Family::weibull, mean / std::tgamma(1.0 + 1.0 / *shape), *shape), true;
  }
  if (family_ == "pareto") {
    const auto [shape, scale] = pareto_of_moments(mean, scv);
    made_.e_ = 1.0;
    return set(Family::pareto, scale, shape, infinity), true;
  }
  if (family_ == "hyperexponential") {
    if (!(scv >= 1.0)) return wrong("scv", scv, "at least 1: a mixture of exponentials varies no less than one");
    const auto [p, rate] = balanced_exponentials(mean, scv);
    return hyperexponential(p, rate);
  }
  if (family_ == "hypererlang") {
    if (!(scv >= 1e-6)) return wrong("scv", scv, "at least 0.000001, that of 1000000 phases");
    if (scv > 1.0) {
      const auto [p, rate] = balanced_exponentials(mean, scv);
      return hypererlang({p[0], p[1]}, {1.0, 1.0}, {rate[0], rate[1]});
    }
    const MixedErlang law = mixed_erlang(mean, scv);
    if (law.shorter == 0.0) return hypererlang({1.0}, {law.k}, {law.rate});
    return hypererlang({law.shorter, 1.0 - law.shorter}, {law.k - 1.0, law.k}, {law.rate, law.rate});
  }
  if (!(scv >= least)) return wrong("scv", scv, "at least 0.005, that of 200 phases");
  if (family_ == "hypoexponential") {
    if (scv > 1.0) return wrong("scv", scv, "from 0.005 to 1: a sum of exponentials varies no more than one");
    const std::vector<double> rate = sum_of_exponentials(mean, scv);
    return coxian(rate, std::vector<double>(rate.size() - 1, 1.0));
  }
  if (family_ == "coxian") {
    const CoxianChain chain = coxian_of_moments(mean, scv);
    return coxian(chain.rate, chain.go_on);
  }
  const PhaseChain chain = phases_of_moments(mean, scv);
  return phase_type(chain.initial, chain.generator);
}

bool DistributionBuilder::coxian(const std::vector<double>& rate, const std::vector<double>& go_on) {
  const std::size_t n = rate.size();
  if (go_on.size() + 1 != n)
    return fail("p has " + std::to_string(go_on.size()) + " values, wanted " + std::to_string(n - 1) +
                ", one less than rate has");
  std::vector<double> initial(n, 0.0), s(n * n, 0.0);
  initial[0] = 1.0;
  for (std::size_t i = 0; i < n; ++i) {
    if (!(rate[i] > 0.0)) return wrong("rate", rate[i], "rates > 0");
    s[i * n + i] = -rate[i];
    if (i + 1 == n) break;
    if (!(go_on[i] >= 0.0 && go_on[i] <= 1.0)) return wrong("p", go_on[i], "probabilities from 0 to 1");
    s[i * n + i + 1] = rate[i] * go_on[i];
  }
  return phase_type(initial, s);
}

bool DistributionBuilder::phase_type() { return phase_type(list("initial"), list("generator")); }

bool DistributionBuilder::phase_type(const std::vector<double>& initial, const std::vector<double>& s) {
  const std::size_t n = initial.size();
  if (n > 200) return fail("initial has " + std::to_string(n) + " values, wanted at most 200");
  if (s.size() != n * n)
    return fail("generator has " + std::to_string(s.size()) + " values, wanted " + std::to_string(n * n) + " (" +
                std::to_string(n) + " rows of " + std::to_string(n) + ")");
  auto table = std::make_shared<Distribution::Table>();
  double sum = 0.0;
  for (const double p : initial) {
    if (p < 0.0) return wrong("initial", p, "probabilities >= 0");
    table->weights.push_back(sum += p);
  }
  if (std::fabs(sum - 1.0) < 1e-9) table->weights.back() = 1.0;  // Written to a few digits: no atom at 0 meant.
  if (sum > 1.0 + 1e-9) return fail("initial sums to " + number_text(sum) + ", wanted at most 1");
  for (std::size_t i = 0; i < n; ++i) {
    const double rate = -s[i * n + i];
    if (!(rate > 0.0)) return wrong("generator", s[i * n + i], "a diagonal < 0");
    table->values.push_back(rate);
    double out = 0.0;
    for (std::size_t j = 0; j < n; ++j) {
      if (j != i && s[i * n + j] < 0.0) return wrong("generator", s[i * n + j], "rates >= 0 off the diagonal");
      if (j != i) out += s[i * n + j];
      // A phase all of whose rate leads to others must not end the time by rounding.
      table->jumps.push_back(out > rate * (1.0 - 1e-12) ? 1.0 : out / rate);
    }
    if (out > rate * (1.0 + 1e-9))
      return fail("row " + std::to_string(i + 1) + " of generator sums to " + number_text(out - rate) +
                  ", wanted at most 0");
  }
  std::vector<double> minus(s.size());
  std::transform(s.begin(), s.end(), minus.begin(), [](double x) { return -x; });
  // Moments of the time to leave: initial (-S)^-1 1 and 2 initial (-S)^-2 1 (Neuts). A phase that is never left for
  // good makes S singular.
  const auto first = solve_linear(minus, std::vector<double>(n, 1.0));
  const auto second = first ? solve_linear(minus, *first) : std::nullopt;
  if (!second || !std::all_of(first->begin(), first->end(), [](double x) { return x > 0.0 && x < 1e300; }))
    return fail("generator is singular, wanted one in which every phase can be left for good");
  double square = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    table->mean += initial[i] * (*first)[i];
    square += 2.0 * initial[i] * (*second)[i];
  }
  table->variance = square - table->mean * table->mean;
  set(Family::phase_type, 0.0);
  made_.table_ = std::move(table);
  return true;
}

bool DistributionBuilder::empirical() {
  auto table = std::make_shared<Distribution::Table>();
  table->values = list("values");
  std::sort(table->values.begin(), table->values.end());
  const double n = static_cast<double>(table->values.size());
  for (const double x : table->values) table->mean += x / n;
  for (const double x : table->values) table->variance += (x - table->mean) * (x - table->mean) / n;
  set(Family::empirical, 0.0);
  made_.table_ = std::move(table);
  return true;
}

bool DistributionBuilder::quantile_table() {
  const std::vector<double>&p = list("p"), &values = list("values");
  if (p.size() != values.size())
    return fail("values has " + std::to_string(values.size()) + " values, wanted " + std::to_string(p.size()) +
                " as p has");
  if (p.size() < 2) return fail("p has one value, wanted two at least: 0 and 1");
  if (p.front() != 0.0) return wrong("p", p.front(), "0 as the first");
  if (p.back() != 1.0) return wrong("p", p.back(), "1 as the last");
  auto table = std::make_shared<Distribution::Table>();
  for (std::size_t i = 1; i < p.size(); ++i) {
    if (!(p[i] > p[i - 1])) return wrong("p", p[i], "more than the " + number_text(p[i - 1]) + " before it");
    if (!(values[i] >= values[i - 1]))
      return wrong("values", values[i], "at least the " + number_text(values[i - 1]) + " before it");
    table->mean += (p[i] - p[i - 1]) * (0.5 * values[i] + 0.5 * values[i - 1]);
  }
  for (std::size_t i = 1; i < p.size(); ++i) {
    const double a = values[i - 1] - table->mean, b = values[i] - table->mean;
    table->variance += (p[i] - p[i - 1]) * (a * a + a * b + b * b) / 3.0;
  }
  table->values = values, table->weights = p;
  set(Family::quantile_table, 0.0);
  made_.table_ = std::move(table);
  return true;
}

std::variant<Distribution, std::string> make_distribution(std::string_view family,
                                                          std::span<const NamedArgument> args) {
  std::vector<std::string_view> names;
  for (const NamedArgument& arg : args) names.push_back(arg.name);
  const DistributionForm* form = find_distribution_form(family, names);
  if (form == nullptr) {
    std::string wanted, families;
    for (const DistributionForm& other : distribution_forms()) {
      if (other.family == family) wanted += (wanted.empty() ? "" : " or ") + form_text(other);
      if (&other == distribution_forms().data() || other.family != (&other - 1)->family)
        families += (families.empty() ? "" : ", ") + other.family;
    }
    if (wanted.empty()) return "there is no distribution '" + std::string(family) + "', wanted one of " + families;
    std::string seen;
    for (const std::string_view name : names) seen += (seen.empty() ? "" : ", ") + std::string(name);
    return std::string(family) + "(" + seen + ") is no form of this distribution, wanted " + wanted;
  }
  for (const DistributionArgument& spec : form->arguments)
    for (const NamedArgument& arg : args) {
      if (arg.name != spec.name) continue;
      if (arg.values.empty() || (!spec.list && arg.values.size() != 1))
        return std::string(family) + ": " + arg.name + " has " + std::to_string(arg.values.size()) + " values (" +
               list_text(arg.values) + "), wanted " + (spec.list ? "at least one" : "exactly one");
    }
  return DistributionBuilder(family, args).build();
}

std::variant<Distribution, std::string> remake_distribution(std::string_view family,
                                                            std::span<const NamedArgument> args) {
  return DistributionBuilder(family, args).build();
}

}  // namespace ergode
