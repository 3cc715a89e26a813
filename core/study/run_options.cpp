#include "core/study/run_options.h"

#include <charconv>
#include <cmath>

#include "core/base/text.h"
#include "core/base/unit.h"

namespace ergode {
namespace {

const RunOptionSpec specs[] = {
    {"solver", "NAME", "simulation",
     "Solver that answers the measures, or all: simulation and every exact solver that fits, side by side; `ergode "
     "solvers MODEL` lists those that can, and why others cannot."},
    {"scenario", "NAME", "", "Named set of parameter values of the model."},
    {"seed", "N", "the model's",
     "Seed of the random streams; the same seed gives the same bits with any number of threads."},
    {"replications", "N", "the model's", "Number of replications (1e6 is fine)."},
    {"threads", "N", "all cores", "Threads that run replications."},
    {"precision", "R", "", "Stop when the relative half-width of every headline measure is at most R (0.01 is 1 %)."},
    {"wall-time", "TIME", "",
     "Stop after this long: 90 s, 5 min, 2 h. The time depends on the machine, so the number reached is recorded."},
    {"confidence", "P", "0.95", "Confidence of the intervals."},
    {"ode-method", "stiff|nonstiff", "stiff", "How continuous variables are integrated: BDF or Adams formulas."},
    {"ode-relative-tolerance", "E", "1e-8", "Local error of the integration, relative to each variable."},
    {"ode-absolute-tolerance", "E", "1e-10", "Local error of the integration in SI units."},
    {"method", "NAME", "the solver's",
     "ctmc-transient: uniformisation or cvode; ctmc-steady-state: direct or iterative."},
    {"error-bound", "E", "1e-12", "Numerical error that Markov solvers may make."},
    {"state-limit", "N", "2000000", "States at which Markov solvers give up."},
    {"lumping", "on|off", "on", "Markov solvers count interchangeable components of an array instead of naming them."},
    {"variance-reduction", "NAME", "none",
     "Method of the simulation for rare events: none, failure-biasing (failures by rates, shocks, demands and rare "
     "branches are made likelier and weighted), splitting (paths are multiplied on their way to the event), auto "
     "(tries "
     "them in a pilot run, says which it takes and why)."},
    {"bias-probability", "P", "0.5",
     "Failure biasing: probability that a failure comes before the next repair; spread equally over the failures."},
    {"importance", "EXPR", "failures standing",
     "Splitting: expression of the model that grows towards the rare event, as in count(pump[*].Failed)."},
    {"levels", "LIST", "by a pilot run", "Splitting: values of the importance at which paths are split: 1, 2, 3."},
    {"effort", "N", "1000",
     "Splitting: paths from each level. A replication is one whole repetition; 100 are made when no number is given."},
};

std::optional<std::uint64_t> whole(std::string_view text) {
  std::uint64_t exact = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exact);
  if (error == std::errc() && end == text.data() + text.size()) return exact;
  const auto value = parse_number(text);
  if (!value || *value < 0 || *value > 9e15 || *value != std::floor(*value)) return std::nullopt;
  return static_cast<std::uint64_t>(*value);
}

Diagnostic refused(std::string_view name, std::string_view text, const char* wanted) {
  return {.code = "RUN010",
          .message = "--" + std::string(name) + " is \"" + std::string(text) + "\"; wanted " + wanted + "."};
}

std::optional<double> seconds(std::string_view text) {
  const auto split = text.find_first_not_of("0123456789.eE+-");
  const auto value = parse_number(text.substr(0, split));
  const auto unit = parse_unit(split == std::string_view::npos ? "s" : text.substr(split));
  if (!value || !unit || !(unit->dimension == Dimension::of_time()) || !(*value > 0)) return std::nullopt;
  const double out = unit->to_si(*value);
  return std::isfinite(out) ? std::optional(out) : std::nullopt;
}

}  // namespace

std::span<const RunOptionSpec> run_option_specs() { return specs; }

std::optional<Diagnostic> set_run_option(RunRequest& request, std::string_view name, std::string_view text) {
  text = trim(text);
  if (name == "solver") request.solver = text;
  else if (name == "scenario") request.scenario = text;
  else if (name == "seed") {
    const auto value = whole(text);
    if (!value) return refused(name, text, "a whole number >= 0");
    request.seed = *value;
  } else if (name == "replications") {
    const auto value = whole(text);
    if (!value || *value == 0) return refused(name, text, "a whole number >= 1");
    request.replications = *value;
  } else if (name == "threads") {
    const auto value = whole(text);
    if (!value || *value == 0 || *value > 1024) return refused(name, text, "1 to 1024");
    request.threads = static_cast<unsigned>(*value);
  } else if (name == "precision") {
    const auto value = parse_number(text);
    if (!value || !(*value > 0 && *value < 1)) return refused(name, text, "a number between 0 and 1");
    request.precision = *value;
  } else if (name == "wall-time") {
    const auto value = seconds(text);
    if (!value) return refused(name, text, "a time > 0, as in 90 s");
    request.wall_time_s = *value;
  } else if (name == "confidence") {
    const auto value = parse_number(text);
    if (!value || !(*value > 0 && *value < 1)) return refused(name, text, "a number between 0 and 1");
    request.confidence = *value;
  } else if (name == "ode-method") {
    if (text != "stiff" && text != "nonstiff") return refused(name, text, "stiff or nonstiff");
    request.ode.stiff = text == "stiff";
  } else if (name == "ode-relative-tolerance" || name == "ode-absolute-tolerance") {
    const bool relative = name == "ode-relative-tolerance";
    const auto value = parse_number(text);
    if (!value || !(*value > 0 && *value <= 0.1)) return refused(name, text, "a number above 0, at most 0.1");
    (relative ? request.ode.relative : request.ode.absolute) = *value;
  } else if (name == "method") {
    if (text != "uniformisation" && text != "cvode" && text != "direct" && text != "iterative")
      return refused(name, text, "uniformisation, cvode, direct or iterative");
    request.method = text;
  } else if (name == "error-bound") {
    const auto value = parse_number(text);
    if (!value || !(*value > 0 && *value < 1)) return refused(name, text, "a number between 0 and 1");
    request.error_bound = *value;
  } else if (name == "state-limit") {
    const auto value = whole(text);
    if (!value || *value == 0 || *value > 1000000000) return refused(name, text, "1 to 1000000000");
    request.state_limit = *value;
  } else if (name == "lumping") {
    if (text != "on" && text != "off") return refused(name, text, "on or off");
    request.lumping = text == "on";
  } else if (name == "variance-reduction") {
    if (text != "none" && text != "auto" && text != "failure-biasing" && text != "splitting")
      return refused(name, text, "none, auto, failure-biasing or splitting");
    request.variance_reduction = text;
  } else if (name == "bias-probability") {
    const auto value = parse_number(text);
    if (!value || !(*value > 0 && *value < 1)) return refused(name, text, "a number between 0 and 1");
    request.bias_probability = *value;
  } else if (name == "importance") {
    request.importance = text;
  } else if (name == "levels") {
    request.levels.clear();
    for (const std::string& part : split(text, ',')) {
      const auto value = parse_number(trim(part));
      if (!value || (!request.levels.empty() && !(*value > request.levels.back())))
        return refused(name, text, "ascending numbers separated by commas");
      request.levels.push_back(*value);
    }
  } else if (name == "effort") {
    const auto value = whole(text);
    if (!value || *value < 2 || *value > 1000000) return refused(name, text, "2 to 1000000");
    request.effort = *value;
  } else {
    return Diagnostic{.code = "RUN010", .message = "There is no run option \"" + std::string(name) + "\"."};
  }
  return std::nullopt;
}

}  // namespace ergode
