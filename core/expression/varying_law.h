#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "core/expression/compile.h"
#include "core/random/distribution.h"

namespace ergode {

/// A law whose arguments are expressions: they are worked out each time that somebody draws from it, as in
/// lognormal(mean = 2 ms * tokens, sd = 1 ms). Const, for any number of threads, each with a draft of its own.
class VaryingLaw {
 public:
  /// What a draw works with; made once, then nothing is allocated but what laws with tables need.
  using Draft = std::vector<NamedArgument>;
  Draft draft() const { return shape_; }

  /// One draw [SI]. Uniforms as of Distribution::sample().
  /// @param why_not  a sentence, where the arguments have no such law; the value then means nothing
  double sample(const double* slots, RandomStream& stream, Draft& draft, std::string& why_not) const;
  /// Slots that are read, each at least once.
  std::vector<std::uint32_t> slots() const;
  const std::string& family() const { return family_; }

 private:
  friend Checked<VaryingLaw> compile_varying(const Syntax&, Dimension, Scope&);
  std::string family_;
  bool mean_alone_ = false;      ///< exponential(mean = ...), by far the most frequent
  Draft shape_;                  ///< names of the arguments, each with as many values as it has
  std::vector<Program> values_;  ///< argument by argument
};

/// As compile_random() of the call of a family, but arguments need not be constants; those that are, are checked when
/// somebody draws. Not of values in a file.
Checked<VaryingLaw> compile_varying(const Syntax& call, Dimension dimension, Scope& scope);

}  // namespace ergode
