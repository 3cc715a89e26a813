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

/// A distribution as the time to leave a Markov chain of phases; all lists are indexed by phase.
struct Phases {
  std::vector<double> initial;  ///< probability of beginning in each phase; what is missing to 1 takes no time at all
  std::vector<double> rate;     ///< of leaving each phase, > 0, one per unit of the variable (1/s)
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
/// gamma), hyperexponential (two uniforms), hypererlang (one uniform and an erlang), phase_type (two uniforms a phase
/// visited), deterministic (none). All methods are exact up to rounding.
///
/// Const but for assignment: copies share their tables. 72 bytes; sampling allocates nothing.
///
/// What the families are, with x in the variable's unit; F is the distribution function and Z standard normal:
///
///     deterministic        x = value
///     exponential          F = 1 - exp(-x / mean), x >= 0
///     weibull              F = 1 - exp(-(x / scale)^shape), x >= 0
///     lognormal            x = scale * exp(mu + sigma Z)
///     gamma                density ~ x^(shape - 1) exp(-x / scale), x >= 0
///     erlang               gamma with the whole shape k and the scale mean / k
///     beta                 density ~ x^(a - 1) (1 - x)^(b - 1), 0 <= x <= 1
///     uniform              F = (x - low) / (high - low)
///     triangular           density rises linearly from low to mode and falls to high
///     truncated_normal     mean + sd Z, given that low <= x <= high
///     truncated_exponential   exponential, given that x <= limit
///     hyperexponential     exponential with rate i, taken with probability p i
///     phase_type           time to leave a Markov chain of n phases: F = 1 - initial exp(generator x) 1
///     empirical            one of the given values, each with probability 1 / n
///     pareto               F = 1 - (scale / x)^shape, x >= scale; with a limit, given that x <= limit
///     hypererlang          erlang of k i phases of rate i, taken with probability p i
///     quantile_table       F^-1 is linear between given quantiles, from that of 0 to that of 1
///
/// Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions, 2nd ed., 1994 and 1995; Neuts, Matrix-Geometric
/// Solutions in Stochastic Models, 1981 (phase type); Devroye, Non-Uniform Random Variate Generation, 1986 (inversion,
/// chapter II).
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
    truncated_exponential,
    pareto,
    hypererlang,
    quantile_table
  };

  /// All mass at 0: deterministic(0).
  Distribution() = default;
  /// All mass at `value`, which is not checked; make_distribution() checks.
  static Distribution deterministic(double value);
  static Distribution exponential(double rate);  ///< mean 1 / rate; rate > 0, not checked

  /// One draw from the distribution, in the variable's unit. Two draws in one argument list come in no fixed order.
  double sample(RandomStream& stream) const {
    if (family_ == Family::exponential) return stream.exponential() * a_;
    if (family_ == Family::deterministic) return a_;
    return sample_other(stream);
  }

  /// In the variable's unit, and that squared; infinite where they are so: the mean of a pareto one without a limit and
  /// of a shape up to 1, its variance up to 2. Closed forms, integrals by Gauss and Legendre where a truncated density
  /// is nearly even; O(1) for tables, whose moments are kept. Those of an empirical distribution are of its values
  /// (divisor n).
  double mean() const;
  double variance() const;
  /// E |X|^k is finite for k below it: the shape of a pareto one without a limit, infinite of all others. O(1).
  double tail_index() const;
  /// P(X <= x), in [0, 1]. Closed forms, Boost.Math for gamma and beta, O(log n) for n empirical values or quantiles,
  /// O(n) for a hyperexponential or hypererlang one. A phase_type one costs O(q x n^2) by uniformisation (Jensen,
  /// Markoff chains as an aid in the study of Markoff processes, Skand. Aktuarietidskr. 36, 1953), q being the greatest
  /// of its n rates, and beyond q x = 1e4 O(n^3 log(q x)), see stiff_phases.h.
  double cdf(double x) const;
  /// Density at `x`, one per unit of the variable; infinite at ends where it has a pole; 0 for deterministic and
  /// empirical distributions, which have none. Cost as of cdf().
  double pdf(double x) const;
  /// Smallest x with cdf(x) >= p, for p in [0, 1]; p = 0 and p = 1 give the ends of the support (possibly infinite).
  /// NaN for other p. Cost: closed form or Boost.Math's inverse; hyperexponential, hypererlang and phase_type by root
  /// finding, some dozens of cdf() (Alefeld, Potra and Shi, Algorithm 748, ACM TOMS 21(3), 1995).
  double quantile(double p) const;
  /// "weibull(shape=1.5, scale=36000)", numbers in the variable's unit; of tables only the size: "empirical(12
  /// values)".
  std::string text() const;
  /// How it is sampled and what a solver may know of it; several forms may make one family (a normal is a
  /// truncated_normal).
  Family family() const { return family_; }
  /// The phases, if there are at most `most`: exponential, hyperexponential, hypererlang and phase_type (coxian,
  /// hypoexponential) distributions, erlang, and gamma of a whole shape.
  /// For solvers of Markov chains; exact. Nothing for every other family, and for more phases than `most`.
  std::optional<Phases> phases(std::size_t most = 1000) const;

 private:
  friend class DistributionBuilder;
  struct Table {
    std::vector<double> values;   ///< empirical: sorted values. hyper..., phase_type: rates of the phases.
                                  ///< quantile_table: quantiles, not falling.
    std::vector<double> weights;  ///< Cumulated probabilities of the branches or of the first phase.
                                  ///< quantile_table: of the values, rising from 0 to 1.
    std::vector<double> jumps;    ///< phase_type: row-major cumulated jump probabilities; what is missing to 1 leaves.
                                  ///< hypererlang: phases of the branches.
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

/// An argument of a form, as the form sheet and the manual show it.
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

/// Every form there is, those of a family side by side: the form, the expression language, the validator and the manual
/// all read this one table. Lives as long as the program; thread-safe.
std::span<const DistributionForm> distribution_forms();
/// "pareto(shape, scale, limit?)": what may be left out has a question mark.
std::string form_text(const DistributionForm& form);

/// The form of `family` that has exactly the named arguments, in any order (optional ones may be absent), or null; a
/// name that comes twice fits none. O(forms).
const DistributionForm* find_distribution_form(std::string_view family, std::span<const std::string_view> names);

/// Values of one argument in the variable's own unit, the inverse of it, or none, as its form says; one value unless
/// the argument is a list. A matrix is a list row after row.
struct NamedArgument {
  std::string name;
  std::vector<double> values;
};

/// Builds a distribution from one of its forms; O(n log n) of n empirical values, O(n^3) of n phases, of which there
/// may be 200.
/// @returns the distribution, or one sentence that names the argument, the value seen and the values wanted: arguments
///     out of range or not finite, lists of the wrong length, probabilities that do not sum to 1 (within 1e-9), no such
///     family or form.
std::variant<Distribution, std::string> make_distribution(std::string_view family, std::span<const NamedArgument> args);

}  // namespace ergode
