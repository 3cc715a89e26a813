#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ergode {

/// How continuous variables are integrated between events.
/// Dormand and Prince, A family of embedded Runge-Kutta formulae, J. Comp. Appl. Math. 6(1), 1980; Hindmarsh et al.,
/// SUNDIALS, ACM TOMS 31(3), 2005 (backward differentiation).
enum class OdeMethod {
  automatic,  ///< Explicit, and from where the equations turn out to be stiff, backward differentiation.
  stiff,      ///< Backward differentiation with Newton's method.
  nonstiff    ///< Explicit: Dormand and Prince.
};
/// The word of the option: "automatic", "stiff", "nonstiff". Static.
const char* to_text(OdeMethod method);
/// Tolerances of the integration, each step's local error being kept below relative * |x| + absolute of every variable.
struct OdeOptions {
  OdeMethod method = OdeMethod::automatic;
  double relative = 1e-8;   ///< Local error allowed, relative to each variable;
  double absolute = 1e-10;  ///< and absolute, in SI units.
};

/// Which measures must reach the precision that is asked of a run.
enum class PrecisionFor {
  headline,  ///< The headline ones; all where none is headline.
  all        ///< Every measure of the model.
};
/// The word of the option. Static.
const char* to_text(PrecisionFor which);

/// What the user asks for besides the model. One table of options (see run_options()) describes every field and
/// checks its range; a request that is put together by hand is taken as it is.
///
///     RunRequest request;
///     request.solver = "ctmc-transient", request.scenario = "no repair";
///     request.overrides["lambda"] = "2e-4 /h";          // an expression with its unit
///     const ResultSet results = solver.solve(Question(document, request), control);
///
/// Absent numbers are those of the model's header. What limits a run: replications, precision and wall time, whichever
/// comes first (stopping_rule()).
struct RunRequest {
  std::string solver = "simulation";  ///< SolverSpec::name
  std::string scenario;               ///< Name of a scenario of the model; empty: base values.
  /// Parameter name -> expression text, after the scenario; or a property's path -> its text (core/document/
  /// property_path.h).
  std::map<std::string, std::string> overrides;
  std::optional<std::uint64_t> seed;          ///< Empty: the model's own.
  std::string model_path;                     ///< For provenance; may be empty.
  std::string folder;                         ///< Of the model file: files that the model names lie there or below.
  std::vector<std::string> allowed_folders;   ///< Where they may lie besides, because the user said so.
  std::optional<std::uint64_t> replications;  ///< Empty: the model's own number.
  unsigned threads = 0;                       ///< 0: all cores.
  /// Stop when the relative half-width of every measure that is waited for is at most this, or what is said of it by
  /// name, or by the model (precision_goals()). In (0, 1).
  std::optional<double> precision;
  PrecisionFor precision_for = PrecisionFor::headline;
  std::map<std::string, double> precision_of;  ///< By MeasureSpec::id, in (0, 1).
  std::optional<double> wall_time_s;           ///< Stop after this long; an exact solver then has no answer.
  double confidence = 0.95;                    ///< of all intervals, in (0, 1)
  OdeOptions ode;
  /// Options of solvers as texts that their tables have taken (RunOption::set); what is not given has its default.
  std::map<std::string, std::string> options = {};
};

}  // namespace ergode
