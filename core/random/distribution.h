#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/random/random_stream.h"

namespace ergode {

/// A distribution as the time to leave a Markov chain of phases.
struct Phases {
  std::vector<double> initial;  ///< probability of beginning in each phase; what is missing to 1 takes no time at all
  std::vector<double> rate;     ///< of leaving each phase, > 0
  struct Jump {
    std::uint32_t phase = 0;
    double probability = 0.0;
  };
  std::vector<std::vector<Jump>> jumps;  ///< by phase: where its end leads; what is missing to 1 ends the time
};

/// A probability distribution of one real variable: a small value that many threads may sample at once.
///
/// Quantities are in the variable's own unit (SI inside the engine). Sampling is by inversion, one uniform a sample,
/// except: gamma (Marsaglia and Tsang 2000, rejection), beta (two gammas), erlang (`k` uniforms up to k = 32, then as
/// gamma), hyperexponential (two uniforms), phase_type (two uniforms a phase visited), deterministic (none).
/// All methods are exact up to rounding.
class Distribution {
 public:
  enum class Family : std::uint8_t {
    deterministic,
    exponential,
    weibull,
    lognormal,
    gamma,
    beta,
    uniform,
    triangular,
    truncated_normal,
    erlang,
    hyperexponential,
    phase_type,
    empirical,
    truncated_exponential
  };

  /// All mass at 0.
  Distribution() = default;
  static Distribution deterministic(double value);
  static Distribution exponential(double rate);  ///< rate > 0

  /// One draw from the distribution.
  double sample(RandomStream& stream) const {
    if (family_ == Family::exponential) return stream.exponential() * a_;
    if (family_ == Family::deterministic) return a_;
    return sample_other(stream);
  }

  double mean() const;
  double variance() const;
  /// P(X <= x).
  double cdf(double x) const;
  /// Density at `x`; 0 for deterministic and empirical distributions, which have none.
  double pdf(double x) const;
  /// Smallest x with cdf(x) >= p, for p in [0, 1]; p = 0 and p = 1 give the ends of the support (possibly infinite).
  /// NaN for other p. Cost: closed form or Boost.Math's inverse; hyperexponential and phase_type by root finding.
  double quantile(double p) const;
  /// "weibull(shape=1.5, scale=36000)", numbers in the variable's unit; of tables only the size: "empirical(12
  /// values)".
  std::string text() const;
  Family family() const { return family_; }
  /// The phases, if there are at most `most`: exponential, hyperexponential and phase_type (coxian, hypoexponential)
  /// distributions, erlang, and gamma of a whole shape.
  std::optional<Phases> phases(std::size_t most = 1000) const;

 private:
  friend class DistributionBuilder;
  struct Table {
    std::vector<double> values;   ///< empirical: sorted values. hyperexponential, phase_type: rates of the phases.
    std::vector<double> weights;  ///< Cumulated probabilities of the branches or of the first phase.
    std::vector<double> jumps;    ///< phase_type: row-major cumulated jump probabilities; what is missing to 1 leaves.
    double mean = 0.0, variance = 0.0;
  };
  double sample_other(RandomStream& stream) const;
  double cdf_of_phases(double x, bool density) const;

  Family family_ = Family::deterministic;
  // Meaning by family, see distribution.cpp: value | mean | scale, shape | mu, sigma, scale | ...
  double a_ = 0.0, b_ = 0.0, c_ = 0.0, d_ = 0.0;
  double e_ = 0.0, f_ = 0.0;  ///< Derived constants of the sampler.
  std::shared_ptr<const Table> table_;
};

/// How an argument's unit follows from the unit of the variable: the same, its inverse (a rate), or none.
enum class ArgumentDimension : std::uint8_t { same, inverse, none };

struct DistributionArgument {
  std::string name;
  ArgumentDimension dimension = ArgumentDimension::same;
  bool list = false;  ///< Takes any number of values >= 1, else exactly one.
  bool required = true;
  std::string help;  ///< Meaning and range.
};

/// One way to write a distribution; a family may have several, told apart by the names of their arguments.
struct DistributionForm {
  std::string family;  ///< "exponential"
  std::vector<DistributionArgument> arguments;
  std::string reference;       ///< Author, title, year.
  std::string help;            ///< One sentence.
  bool dimensionless = false;  ///< The variable itself is a pure number, whatever its arguments (beta).
};

/// Every form there is: the form, the expression language, the validator and the manual all read this one table.
std::span<const DistributionForm> distribution_forms();

/// The form of `family` that has exactly the named arguments, in any order (optional ones may be absent), or null.
const DistributionForm* find_distribution_form(std::string_view family, std::span<const std::string_view> names);

struct NamedArgument {
  std::string name;
  std::vector<double> values;
};

/// Builds a distribution from one of its forms.
/// @returns the distribution, or one sentence that names the argument, the value seen and the values wanted.
std::variant<Distribution, std::string> make_distribution(std::string_view family, std::span<const NamedArgument> args);

}  // namespace ergode
