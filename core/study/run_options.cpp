#include "core/study/run_options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>

#include "core/base/text.h"
#include "core/base/unit.h"

namespace ergode {
namespace {

std::optional<std::uint64_t> whole(std::string_view text) {
  std::uint64_t exact = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exact);
  if (error == std::errc() && end == text.data() + text.size()) return exact;
  const auto value = parse_number(text);
  if (!value || !(*value >= 0 && *value <= 9e15) || *value != std::floor(*value)) return std::nullopt;
  return static_cast<std::uint64_t>(*value);
}

std::optional<double> seconds(std::string_view text) {
  const auto split = text.find_first_not_of("0123456789.eE+-");
  const auto value = parse_number(text.substr(0, split));
  const auto unit = parse_unit(split == std::string_view::npos ? "s" : text.substr(split));
  if (!value || !unit || !(unit->dimension == Dimension::of_time())) return std::nullopt;
  const double time_s = unit->to_si(*value);
  return time_s > 0 && std::isfinite(time_s) ? std::optional(time_s) : std::nullopt;
}

/// One option: what the manual says of it, and how it goes from text into a request and back.
struct Option {
  RunOptionSpec spec;
  std::string wanted;  ///< "a whole number >= 0"
  std::function<bool(RunRequest&, std::string_view)> set;
  std::function<std::string(const RunRequest&)> get;
  const char* only_for = "";  ///< "splitting"; empty: for every request
  std::function<bool(const RunRequest&)> applies = {};
  bool integration = false;  ///< means something only where something is integrated
};

template <typename Field>
Option word(RunOptionSpec spec, Field field, std::vector<std::string> words) {
  std::string list;
  for (std::size_t i = 0; i < words.size(); ++i)
    list += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  return {std::move(spec), list.empty() ? "a name" : list,
          [field, words](RunRequest& r, std::string_view text) {
            if (!words.empty() && std::find(words.begin(), words.end(), text) == words.end()) return false;
            r.*field = std::string(text);
            return true;
          },
          [field](const RunRequest& r) { return r.*field; }};
}

Option number(RunOptionSpec spec, const char* wanted, std::function<bool(double)> good,
              std::function<std::optional<double>(const RunRequest&)> get,
              std::function<void(RunRequest&, double)> put) {
  return {std::move(spec), wanted,
          [good = std::move(good), put = std::move(put)](RunRequest& r, std::string_view text) {
            const auto value = parse_number(text);
            if (!value || !good(*value)) return false;
            put(r, *value);
            return true;
          },
          [get = std::move(get)](const RunRequest& r) {
            const auto value = get(r);
            return value ? number_text(*value) : std::string();
          }};
}

Option count(RunOptionSpec spec, const char* wanted, std::uint64_t least, std::uint64_t greatest,
             std::function<std::optional<std::uint64_t>(const RunRequest&)> get,
             std::function<void(RunRequest&, std::uint64_t)> put) {
  return {std::move(spec), wanted,
          [least, greatest, put = std::move(put)](RunRequest& r, std::string_view text) {
            const auto value = whole(text);
            if (!value || *value < least || *value > greatest) return false;
            put(r, *value);
            return true;
          },
          [get = std::move(get)](const RunRequest& r) {
            const auto value = get(r);
            return value ? std::to_string(*value) : std::string();
          }};
}

bool between_0_and_1(double x) { return x > 0 && x < 1; }
bool tolerance(double x) { return x > 0 && x <= 0.1; }
bool simulates(const RunRequest& r) { return r.solver == "simulation" || r.solver == "all"; }
bool splits(const RunRequest& r) {
  return simulates(r) && (r.variance_reduction == "splitting" || r.variance_reduction == "auto");
}
bool biases(const RunRequest& r) {
  return simulates(r) && (r.variance_reduction == "failure-biasing" || r.variance_reduction == "auto");
}

bool set_levels(RunRequest& r, std::string_view text) {
  std::vector<double> levels;
  for (const std::string& part : split(text, ',')) {
    const auto value = parse_number(trim(part));
    if (!value || !std::isfinite(*value) || (!levels.empty() && !(*value > levels.back()))) return false;
    levels.push_back(*value);
  }
  r.levels = std::move(levels);
  return true;
}
std::string levels_text(const RunRequest& r) {
  std::string out;
  for (const double level : r.levels) out += (out.empty() ? "" : ", ") + number_text(level);
  return out;
}

std::vector<Option> make_options() {
  using Request = RunRequest;
  constexpr auto any = ~std::uint64_t{0};
  const char* const fraction = "a number between 0 and 1";
  const char* const small = "a number above 0, at most 0.1";
  std::vector<Option> out;
  const auto only = [&](const char* what, bool (*applies)(const RunRequest&)) {
    out.back().only_for = what, out.back().applies = applies;
  };
  out.push_back(word({"solver", "NAME", "simulation",
                      "Solver that answers the measures, or all: simulation and every exact solver that fits, side by "
                      "side; `ergode solvers MODEL` lists those that can, and why others cannot."},
                     &Request::solver, {}));
  out.push_back(word({"scenario", "NAME", "", "Named set of parameter values of the model."}, &Request::scenario, {}));
  out.push_back(count(
      {"seed", "N", "the model's",
       "Seed of the random streams; the same seed gives the same bits with any number of threads."},
      "a whole number >= 0", 0, any, [](const Request& r) { return r.seed; },
      [](Request& r, std::uint64_t n) { r.seed = n; }));
  only("the simulation", simulates);
  out.push_back(count(
      {"replications", "N", "the model's", "Number of replications (1e6 is fine)."}, "a whole number >= 1", 1, any,
      [](const Request& r) { return r.replications; }, [](Request& r, std::uint64_t n) { r.replications = n; }));
  only("the simulation", simulates);
  out.push_back(count(
      {"threads", "N", "all cores", "Threads that run replications."}, "1 to 1024", 1, 1024,
      [](const Request& r) { return r.threads == 0 ? std::nullopt : std::optional<std::uint64_t>(r.threads); },
      [](Request& r, std::uint64_t n) { r.threads = static_cast<unsigned>(n); }));
  only("the simulation", simulates);
  out.push_back(number(
      {"precision", "R", "", "Stop when the relative half-width of every headline measure is at most R (0.01 is 1 %)."},
      fraction, between_0_and_1, [](const Request& r) { return r.precision; },
      [](Request& r, double x) { r.precision = x; }));
  only("the simulation", simulates);
  out.push_back({{"wall-time", "TIME", "",
                  "Stop after this long: 90 s, 5 min, 2 h. The time depends on the machine, so the number reached is "
                  "recorded. Markov solvers end without an answer."},
                 "a time > 0, as in 90 s",
                 [](Request& r, std::string_view text) {
                   const auto time_s = seconds(text);
                   if (time_s) r.wall_time_s = time_s;
                   return time_s.has_value();
                 },
                 [](const Request& r) { return r.wall_time_s ? number_text(*r.wall_time_s) + " s" : std::string(); }});
  only("the simulation and Markov chains",
       [](const Request& r) { return simulates(r) || r.solver.starts_with("ctmc"); });
  out.push_back(number(
      {"confidence", "P", "0.95", "Confidence of the intervals."}, fraction, between_0_and_1,
      [](const Request& r) { return r.confidence; }, [](Request& r, double x) { r.confidence = x; }));
  only("the simulation", simulates);
  out.push_back({{"ode-method", "automatic|stiff|nonstiff", "automatic",
                  "How continuous variables are integrated: nonstiff by an explicit formula (Dormand and Prince), "
                  "stiff by backward "
                  "differentiation (BDF), automatic by the first until the equations turn out to be stiff."},
                 "automatic, stiff or nonstiff",
                 [](Request& r, std::string_view text) {
                   for (const OdeMethod method : {OdeMethod::automatic, OdeMethod::stiff, OdeMethod::nonstiff})
                     if (text == to_text(method)) return r.ode.method = method, true;
                   return false;
                 },
                 [](const Request& r) { return std::string(to_text(r.ode.method)); }});
  only("the simulation", simulates);
  out.back().integration = true;
  out.push_back(number(
      {"ode-relative-tolerance", "E", "1e-8", "Local error of the integration, relative to each variable."}, small,
      tolerance, [](const Request& r) { return r.ode.relative; }, [](Request& r, double x) { r.ode.relative = x; }));
  only("the simulation", simulates);
  out.back().integration = true;
  out.push_back(number(
      {"ode-absolute-tolerance", "E", "1e-10", "Local error of the integration in SI units."}, small, tolerance,
      [](const Request& r) { return r.ode.absolute; }, [](Request& r, double x) { r.ode.absolute = x; }));
  only("the simulation", simulates);
  out.back().integration = true;
  out.push_back(word({"method", "NAME", "the solver's",
                      "ctmc-transient: uniformisation or cvode; ctmc-steady-state: direct or iterative."},
                     &Request::method, {"uniformisation", "cvode", "direct", "iterative"}));
  only("Markov solvers", [](const Request& r) { return r.solver != "simulation"; });
  out.push_back(number(
      {"error-bound", "E", "1e-12", "Numerical error that Markov solvers may make."}, fraction, between_0_and_1,
      [](const Request& r) { return r.error_bound; }, [](Request& r, double x) { r.error_bound = x; }));
  out.push_back(count(
      {"state-limit", "N", "2000000", "States at which Markov solvers give up."}, "1 to 1000000000", 1, 1000000000,
      [](const Request& r) { return r.state_limit; }, [](Request& r, std::uint64_t n) { r.state_limit = n; }));
  out.push_back({{"lumping", "on|off", "on",
                  "Markov solvers count interchangeable components of an array instead of naming them."},
                 "on or off",
                 [](Request& r, std::string_view text) {
                   r.lumping = text == "on";
                   return r.lumping || text == "off";
                 },
                 [](const Request& r) { return std::string(r.lumping ? "on" : "off"); }});
  out.push_back(word({"variance-reduction", "NAME", "none",
                      "Method of the simulation for rare events: none, failure-biasing (failures by rates, shocks, "
                      "demands and rare branches are made likelier and weighted), splitting (paths are multiplied on "
                      "their way to the event), auto (tries them in a pilot run, says which it takes and why)."},
                     &Request::variance_reduction, {"none", "auto", "failure-biasing", "splitting"}));
  only("the simulation", simulates);
  out.push_back(number(
      {"bias-probability", "P", "0.5",
       "Failure biasing: probability that a failure comes before the next repair; spread equally over "
       "the failures."},
      fraction, between_0_and_1, [](const Request& r) { return r.bias_probability; },
      [](Request& r, double x) { r.bias_probability = x; }));
  only("--variance-reduction failure-biasing or auto", biases);
  out.push_back(word({"importance", "EXPR", "failures standing",
                      "Splitting: expression of the model that grows towards the rare event, as in "
                      "count(pump[*].Failed)."},
                     &Request::importance, {}));
  only("--variance-reduction splitting or auto", splits);
  out.push_back(
      {{"levels", "LIST", "by a pilot run", "Splitting: values of the importance at which paths are split: 1, 2, 3."},
       "ascending numbers separated by commas",
       set_levels,
       levels_text});
  only("--variance-reduction splitting or auto", splits);
  out.push_back(count(
      {"effort", "N", "1000",
       "Splitting: paths from each level. A replication is one whole repetition; 100 are made when no "
       "number is given."},
      "2 to 1000000", 2, 1000000, [](const Request& r) { return r.effort; },
      [](Request& r, std::uint64_t n) { r.effort = n; }));
  only("--variance-reduction splitting or auto", splits);
  return out;
}

const std::vector<Option>& options() {
  static const std::vector<Option> table = make_options();
  return table;
}

const Option* find_option(std::string_view name) {
  for (const Option& option : options())
    if (option.spec.name == name) return &option;
  return nullptr;
}

}  // namespace

std::span<const RunOptionSpec> run_option_specs() {
  static const std::vector<RunOptionSpec> specs = [] {
    std::vector<RunOptionSpec> out;
    for (const Option& option : options()) out.push_back(option.spec);
    return out;
  }();
  return specs;
}

std::map<std::string, std::string> run_option_texts(const RunRequest& request) {
  const RunRequest fresh;
  std::map<std::string, std::string> out;
  for (const Option& option : options())
    if (std::string text = option.get(request); text != option.get(fresh)) out[option.spec.name] = std::move(text);
  return out;
}

Diagnostics options_without_use(const std::map<std::string, std::string>& given, const RunRequest& request,
                                bool integrates) {
  Diagnostics out;
  for (const auto& [name, text] : given) {
    const Option* option = find_option(name);
    if (text.empty() || option == nullptr) continue;
    const bool of_request = !option->applies || option->applies(request);
    if (of_request && (integrates || !option->integration)) continue;
    const std::string what =
        of_request ? "models with continuous variables or continuously changing rates" : option->only_for;
    out.push_back({.code = "RUN010",
                   .message = "--" + name + " is for " + what + ", and means nothing for this run.",
                   .hint = "Leave it out."});
  }
  return out;
}

std::optional<Diagnostic> set_run_option(RunRequest& request, std::string_view name, std::string_view text) {
  const Option* option = find_option(name);
  if (option == nullptr)
    return Diagnostic{.code = "RUN010", .message = "There is no run option \"" + std::string(name) + "\"."};
  RunRequest changed = request;
  if (!option->set(changed, trim(text)))
    return Diagnostic{.code = "RUN010",
                      .message = "--" + std::string(name) + " is \"" + std::string(trim(text)) + "\"; wanted " +
                                 option->wanted + "."};
  request = std::move(changed);
  return std::nullopt;
}

const char* to_text(OdeMethod method) {
  return method == OdeMethod::automatic ? "automatic" : method == OdeMethod::stiff ? "stiff" : "nonstiff";
}

}  // namespace ergode
