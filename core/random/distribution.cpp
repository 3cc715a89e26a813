#include "core/random/distribution.h"

#include <algorithm>
#include <cmath>

#include "core/base/special_values.h"
#include "core/base/text.h"
#include "core/random/cumulated.h"

// Meaning of the constants by family:
//   deterministic          a value
//   exponential            a mean
//   weibull                a scale, b shape
//   lognormal              a mu, b sigma, c scale
//   gamma                  a shape, b scale
//   erlang                 a k, b mean of one phase
//   beta                   a, b shapes
//   uniform                a low, b high
//   triangular             a low, b mode, c high
//   truncated_normal       a mean, b sd, c low, d high; e, f probabilities beyond low and high in the tail they lie in:
//                          the upper one when low > mean, else the lower one
//   truncated_exponential  a mean, b limit, e expm1(-limit / mean)
//   pareto                 a scale, b shape, c limit, e probability beyond scale that lies within the limit
namespace ergode {
namespace {

/// Marsaglia and Tsang, A simple method for generating gamma variables, ACM TOMS 26(3), 2000.
double sample_gamma(double shape, RandomStream& stream) {
  // Below 1 the method does not hold: a draw of shape + 1 times U^(1 / shape) has the shape wanted.
  const double boosted = shape < 1.0 ? shape + 1.0 : shape;
  const double d = boosted - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  for (;;) {
    const double x = stream.normal();
    const double u = stream.uniform();
    const double root = 1.0 + c * x;
    // The cube would be negative: no value of the density.
    if (root <= 0.0) continue;
    const double v = root * root * root;
    if (std::log(u) >= 0.5 * x * x + d - d * v + d * std::log(v)) continue;
    return shape < 1.0 ? d * v * std::pow(stream.uniform(), 1.0 / shape) : d * v;
  }
}

double sample_erlang(unsigned phases, RandomStream& stream) {
  // From here on a few draws of the rejection cost less than k uniforms.
  if (phases > 32) return sample_gamma(static_cast<double>(phases), stream);
  double sum = 0.0;
  while (phases > 0) {  // 16 uniforms of at least 2^-54 do not underflow.
    double product = 1.0;
    for (unsigned i = std::min(phases, 16U); i > 0; --i, --phases) product *= stream.uniform();
    sum -= std::log(product);
  }
  return sum;
}

}  // namespace

Distribution Distribution::deterministic(double value) {
  Distribution d;
  d.a_ = value;
  return d;
}

Distribution Distribution::exponential(double rate) {
  Distribution d;
  d.family_ = Family::exponential;
  d.a_ = 1.0 / rate;
  return d;
}

double Distribution::sample_other(RandomStream& stream) const {
  switch (family_) {
    case Family::deterministic:
      return a_;
    case Family::exponential:
      return stream.exponential() * a_;
    case Family::weibull:
      return a_ * std::pow(stream.exponential(), 1.0 / b_);
    case Family::lognormal:
      return c_ * std::exp(a_ + b_ * stream.normal());
    case Family::gamma:
      return b_ * sample_gamma(a_, stream);
    case Family::erlang:
      return b_ * sample_erlang(static_cast<unsigned>(a_), stream);
    case Family::beta: {
      const double x = sample_gamma(a_, stream);
      const double y = sample_gamma(b_, stream);
      // Both underflow only for tiny shapes, where nearly all mass is at the two ends.
      if (x + y > 0.0) return x / (x + y);
      return stream.uniform() * (a_ + b_) < a_ ? 1.0 : 0.0;
    }
    case Family::hyperexponential: {
      // Rounding may leave the last cumulated probability just below 1.
      const std::size_t i = std::min(branch_of(table_->weights, stream.uniform()), table_->values.size() - 1);
      return stream.exponential() / table_->values[i];
    }
    case Family::phase_type: {
      const std::size_t n = table_->values.size();
      double time = 0.0;
      for (std::size_t phase = branch_of(table_->weights, stream.uniform()); phase < n;) {
        time += stream.exponential() / table_->values[phase];
        phase = branch_of(std::span(table_->jumps).subspan(phase * n, n), stream.uniform());
      }
      return time;
    }
    case Family::hypererlang: {
      const std::size_t i = std::min(branch_of(table_->weights, stream.uniform()), table_->values.size() - 1);
      return sample_erlang(static_cast<unsigned>(table_->jumps[i]), stream) / table_->values[i];
    }
    case Family::uniform:
    case Family::triangular:
    case Family::truncated_normal:
    case Family::truncated_exponential:
    case Family::pareto:
    case Family::empirical:
    case Family::quantile_table:
      return quantile(stream.uniform());  // Inverses in closed form.
  }
  return a_;
}

std::optional<Phases> Distribution::phases(std::size_t most) const {
  Phases out;
  switch (family_) {
    case Family::exponential:
      return Phases{{1.0}, {1.0 / a_}, {{}}};
    case Family::gamma:
    case Family::erlang: {
      // Only a whole shape is a chain of that many equal phases.
      if (a_ != std::floor(a_) || a_ < 1.0 || a_ > static_cast<double>(most)) return std::nullopt;
      const auto n = static_cast<std::uint32_t>(a_);
      out.initial.assign(n, 0.0), out.rate.assign(n, 1.0 / b_), out.jumps.resize(n);
      out.initial[0] = 1.0;
      for (std::uint32_t i = 0; i + 1 < n; ++i) out.jumps[i] = {{i + 1, 1.0}};
      return out;
    }
    case Family::hyperexponential:
    case Family::phase_type: {
      const std::size_t n = table_->values.size();
      if (n > most) return std::nullopt;
      out.rate = table_->values, out.jumps.resize(n);
      for (std::size_t i = 0; i < n; ++i) {
        out.initial.push_back(share_of(table_->weights, i));
        for (std::uint32_t j = 0; j < n && !table_->jumps.empty(); ++j)
          if (const double p = share_of(std::span(table_->jumps).subspan(i * n, n), j); p > 0.0)
            out.jumps[i].push_back({j, p});
      }
      return out;
    }
    case Family::hypererlang: {
      const std::vector<double>& rates = table_->values;
      const std::vector<double>& counts = table_->jumps;
      // Branches of one rate share a chain, which each enters where its number of phases is left.
      const bool one_rate = std::all_of(rates.begin(), rates.end(), [&](double rate) { return rate == rates[0]; });
      double n = 0.0;
      for (const double count : counts) n = one_rate ? std::max(n, count) : n + count;
      if (n > static_cast<double>(most)) return std::nullopt;
      const auto size = static_cast<std::size_t>(n);
      out.initial.assign(size, 0.0), out.rate.assign(size, rates[0]), out.jumps.resize(size);
      std::size_t last = one_rate ? size : 0;
      for (std::size_t i = 0; i < rates.size(); ++i) {
        const auto count = static_cast<std::size_t>(counts[i]);
        if (!one_rate) last += count;
        out.initial[last - count] += share_of(table_->weights, i);
        for (std::size_t phase = last - count; phase < last; ++phase) {
          out.rate[phase] = rates[i], out.jumps[phase].clear();
          if (phase + 1 < last) out.jumps[phase].push_back({static_cast<std::uint32_t>(phase + 1), 1.0});
        }
      }
      return out;
    }
    default:
      return std::nullopt;
  }
}

std::string Distribution::text() const {
  const auto with = [](const char* family, std::initializer_list<std::pair<const char*, double>> args) {
    std::string out = family;
    const char* before = "(";
    for (const auto& [name, value] : args) {
      out += before;
      out += name;
      out += '=';
      out += number_text(value);
      before = ", ";
    }
    return out + ")";
  };
  const auto sized = [this](const char* family, const char* what) {
    return std::string(family) + "(" + std::to_string(table_->values.size()) + what + ")";
  };
  switch (family_) {
    case Family::deterministic:
      return with("deterministic", {{"value", a_}});
    case Family::exponential:
      return with("exponential", {{"mean", a_}});
    case Family::weibull:
      return with("weibull", {{"shape", b_}, {"scale", a_}});
    case Family::lognormal:
      return with("lognormal", {{"mu", a_}, {"sigma", b_}, {"scale", c_}});
    case Family::gamma:
      return with("gamma", {{"shape", a_}, {"scale", b_}});
    case Family::erlang:
      return with("erlang", {{"k", a_}, {"mean", a_ * b_}});
    case Family::beta:
      return with("beta", {{"a", a_}, {"b", b_}});
    case Family::uniform:
      return with("uniform", {{"low", a_}, {"high", b_}});
    case Family::triangular:
      return with("triangular", {{"low", a_}, {"mode", b_}, {"high", c_}});
    case Family::truncated_normal:
      return with("truncated_normal", {{"mean", a_}, {"sd", b_}, {"low", c_}, {"high", d_}});
    case Family::truncated_exponential:
      return with("truncated_exponential", {{"mean", a_}, {"limit", b_}});
    case Family::hyperexponential:
      return sized("hyperexponential", " phases");
    case Family::hypererlang:
      return sized("hypererlang", " branches");
    case Family::phase_type:
      return sized("phase_type", " phases");
    case Family::pareto:
      if (c_ == infinity) return with("pareto", {{"shape", b_}, {"scale", a_}});
      return with("pareto", {{"shape", b_}, {"scale", a_}, {"limit", c_}});
    case Family::empirical:
      return sized("empirical", " values");
    case Family::quantile_table:
      return sized("quantile_table", " quantiles");
  }
  return {};
}

}  // namespace ergode
