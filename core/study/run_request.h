#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ergode {

/// How continuous variables are integrated between events.
enum class OdeMethod {
  automatic,  ///< Explicit, and from where the equations turn out to be stiff, backward differentiation.
  stiff,      ///< Backward differentiation with Newton's method.
  nonstiff    ///< Explicit: Dormand and Prince.
};
const char* to_text(OdeMethod method);
struct OdeOptions {
  OdeMethod method = OdeMethod::automatic;
  double relative = 1e-8;   ///< Local error allowed, relative to each variable;
  double absolute = 1e-10;  ///< and absolute, in SI units.
};

/// What the user asks for besides the model. One table of options (see run_option_specs()) describes every field.
struct RunRequest {
  std::string solver = "simulation";
  std::string scenario;                          ///< Name of a scenario of the model; empty: base values.
  std::map<std::string, std::string> overrides;  ///< Parameter name -> expression text, after the scenario.
  std::optional<std::uint64_t> seed;             ///< Empty: the model's own.
  std::string model_path;                        ///< For provenance; may be empty.
  std::string folder;                            ///< Of the model file: files that the model names lie there or below.
  std::vector<std::string> allowed_folders;      ///< Where they may lie besides, because the user said so.
  std::optional<std::uint64_t> replications;     ///< Empty: the model's own number.
  unsigned threads = 0;                          ///< 0: all cores.
  std::optional<double> precision;    ///< Stop when every headline measure's relative half-width is below this.
  std::optional<double> wall_time_s;  ///< Stop after this long.
  double confidence = 0.95;
  OdeOptions ode;
  std::string method;                       ///< Of a solver that has several; empty: its own choice.
  double error_bound = 1e-12;               ///< Numerical error that Markov solvers may make, per unit of reward.
  std::uint64_t state_limit = 2000000;      ///< States at which Markov solvers give up.
  bool lumping = true;                      ///< Markov solvers count interchangeable components instead of naming them.
  std::string variance_reduction = "none";  ///< none, auto, failure-biasing, splitting
  double bias_probability = 0.5;  ///< Failure biasing: probability that the next of failures and repairs is a failure.
  std::string importance;         ///< Splitting: expression of the model that grows towards the rare event.
  std::vector<double> levels;     ///< Splitting: values of the importance, ascending; empty: found by a pilot run.
  std::uint64_t effort = 1000;    ///< Splitting: paths from each level.
};

}  // namespace ergode
