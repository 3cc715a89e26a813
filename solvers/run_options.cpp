#include "solvers/run_options.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/base/unit.h"
#include "core/study/precision_goals.h"
#include "solvers/registry.h"

namespace ergode {
namespace {

std::optional<double> seconds(std::string_view text) {
  const auto split = text.find_first_not_of("0123456789.eE+-");
  const auto value = parse_number(text.substr(0, split));
  const auto unit = parse_unit(split == std::string_view::npos ? "s" : text.substr(split));
  if (!value || !unit || !(unit->dimension == Dimension::of_time())) return std::nullopt;
  const double time_s = unit->to_si(*value);
  return time_s > 0 && std::isfinite(time_s) ? std::optional(time_s) : std::nullopt;
}

bool tolerance(double x) { return x > 0 && x <= 0.1; }

RunOption word(RunOption head, std::string RunRequest::*field) {
  head.wanted = "a name";
  head.set = [field](RunRequest& r, std::string_view text) { return r.*field = std::string(text), true; };
  head.get = [field](const RunRequest& r) { return r.*field; };
  return head;
}

RunOption number(RunOption head, const char* wanted, bool (*good)(double),
                 std::function<std::optional<double>(const RunRequest&)> get,
                 std::function<void(RunRequest&, double)> put) {
  head.wanted = wanted;
  head.set = [good, put = std::move(put)](RunRequest& r, std::string_view text) {
    const auto value = parse_number(text);
    if (!value || !good(*value)) return false;
    put(r, *value);
    return true;
  };
  head.get = [get = std::move(get)](const RunRequest& r) {
    const auto value = get(r);
    return value ? number_text(*value) : std::string();
  };
  return head;
}

RunOption count(RunOption head, const char* wanted, std::uint64_t least, std::uint64_t greatest,
                std::function<std::optional<std::uint64_t>(const RunRequest&)> get,
                std::function<void(RunRequest&, std::uint64_t)> put) {
  head.wanted = wanted;
  head.set = [least, greatest, put = std::move(put)](RunRequest& r, std::string_view text) {
    const auto value = whole_number(text);
    if (!value || *value < least || *value > greatest) return false;
    put(r, *value);
    return true;
  };
  head.get = [get = std::move(get)](const RunRequest& r) {
    const auto value = get(r);
    return value ? std::to_string(*value) : std::string();
  };
  return head;
}

// Seeds, replications and the like.
RunOption sampled(RunOption option) {
  option.sampling = true;
  return option;
}
RunOption integrated(RunOption option) {
  option.sampling = option.integration = true;
  return option;
}

std::vector<RunOption> common_options() {
  using Request = RunRequest;
  constexpr auto any = ~std::uint64_t{0};
  const char* const fraction = "a number between 0 and 1";
  const char* const small = "a number above 0, at most 0.1";
  std::vector<RunOption> out;
  out.push_back(
      word({"solver", "NAME", "simulation",
            "Solver that answers the measures, or of one run all: simulation and every exact solver that fits, side by "
            "side; `ergode solvers MODEL` lists those that can, and why others cannot."},
           &Request::solver));
  out.push_back(word({"scenario", "NAME", "", "Named set of parameter values of the model."}, &Request::scenario));
  out.push_back(sampled(count(
      {"seed", "N", "the model's",
       "Seed of the random streams; the same seed gives the same bits with any number of threads."},
      "a whole number from 0 to 9e15, in plain digits to 18446744073709551615", 0, any,
      [](const Request& r) { return r.seed; }, [](Request& r, std::uint64_t n) { r.seed = n; })));
  out.push_back(sampled(count(
      {"replications", "N", "the model's", "Number of replications (1e6 is fine)."},
      "a whole number from 1 to 9e15, in plain digits to 18446744073709551615", 1, any,
      [](const Request& r) { return r.replications; }, [](Request& r, std::uint64_t n) { r.replications = n; })));
  out.push_back(sampled(count(
      {"threads", "N", "all cores", "Threads that run replications."}, "1 to 1024", 1, 1024,
      [](const Request& r) { return r.threads == 0 ? std::nullopt : std::optional<std::uint64_t>(r.threads); },
      [](Request& r, std::uint64_t n) { r.threads = static_cast<unsigned>(n); })));
  RunOption precision{
      "precision", "R or NAME=R", "",
      "Stop when the relative half-width of every headline measure is at most R (0.01 or 1 %; of all measures with "
      "--precision-measures all, or where none is headline), or of the "
      "measure NAME what is said of it; one that has a precision in the model is held to that. Several "
      "are separated by commas: 0.03, response=0.01."};
  precision.wanted = "numbers between 0 and 1, of the run or of measures by name: 0.03, response=0.01";
  precision.set = [](Request& r, std::string_view text) { return read_precisions(text, r); };
  precision.get = [](const Request& r) { return precisions_text(r); };
  precision.repeats = true;
  out.push_back(sampled(std::move(precision)));
  RunOption precision_measures{
      "precision-measures", "NAME", to_text(PrecisionFor::headline),
      "Which measures must reach the precision that is asked of the run: headline, those that are marked so (all where "
      "none is), or all, every measure of the model. The results say which decided, and for which nobody waited."};
  precision_measures.wanted = "headline or all";
  precision_measures.set = [](Request& r, std::string_view text) {
    for (const PrecisionFor one : {PrecisionFor::headline, PrecisionFor::all})
      if (text == to_text(one)) return r.precision_for = one, true;
    return false;
  };
  precision_measures.get = [](const Request& r) { return std::string(to_text(r.precision_for)); };
  precision_measures.only_for = "--precision";
  precision_measures.applies = [](const Request& r) { return r.precision.has_value(); };
  out.push_back(sampled(std::move(precision_measures)));
  RunOption wall_time{"wall-time", "TIME", "",
                      "Stop after this long: 90 s, 5 min, 2 h. The time depends on the machine, so the number reached "
                      "is recorded. Exact solvers end without an answer."};
  wall_time.wanted = "a time > 0, as in 90 s";
  wall_time.set = [](Request& r, std::string_view text) {
    const auto time_s = seconds(text);
    if (time_s) r.wall_time_s = time_s;
    return time_s.has_value();
  };
  wall_time.get = [](const Request& r) { return r.wall_time_s ? number_text(*r.wall_time_s) + " s" : std::string(); };
  wall_time.only_for = "the simulation, Markov chains and queueing networks";
  wall_time.applies = [](const Request& r) {
    const Solver* solver = find_solver(r.solver);
    return solver == nullptr || solver->spec().takes_long;
  };
  out.push_back(std::move(wall_time));
  out.push_back(sampled(number(
      {"confidence", "P", "0.95", "Confidence of the intervals."}, fraction, between_0_and_1,
      [](const Request& r) { return r.confidence; }, [](Request& r, double x) { r.confidence = x; })));
  RunOption method{
      "ode-method", "NAME", "automatic",
      "How continuous variables are integrated: nonstiff by an explicit formula (Dormand and Prince), stiff "
      "by backward differentiation (BDF), automatic by the first until the equations turn out to be stiff."};
  method.wanted = "automatic, stiff or nonstiff";
  method.set = [](Request& r, std::string_view text) {
    for (const OdeMethod one : {OdeMethod::automatic, OdeMethod::stiff, OdeMethod::nonstiff})
      if (text == to_text(one)) return r.ode.method = one, true;
    return false;
  };
  method.get = [](const Request& r) { return std::string(to_text(r.ode.method)); };
  out.push_back(integrated(std::move(method)));
  out.push_back(integrated(number(
      {"ode-relative-tolerance", "E", "1e-8", "Local error of the integration, relative to each variable."}, small,
      tolerance, [](const Request& r) { return r.ode.relative; }, [](Request& r, double x) { r.ode.relative = x; })));
  out.push_back(integrated(number(
      {"ode-absolute-tolerance", "E", "1e-10", "Local error of the integration in SI units."}, small, tolerance,
      [](const Request& r) { return r.ode.absolute; }, [](Request& r, double x) { r.ode.absolute = x; })));
  return out;
}

const RunOption* find_option(std::string_view name) {
  for (const RunOption& option : run_options())
    if (option.name == name) return &option;
  return nullptr;
}

// Whether somebody samples: by its own choice, beside others, or under a name that is not known yet.
bool samples(const RunRequest& request) {
  const Solver* solver = find_solver(request.solver);
  return solver == nullptr || !solver->spec().exact;
}

}  // namespace

const std::vector<RunOption>& run_options() {
  static std::vector<RunOption> all;
  static std::size_t counted = 0;
  if (counted == solvers().size()) return all;
  counted = solvers().size();
  all = common_options();
  for (const auto& solver : solvers())
    for (RunOption& option : solver->options())
      if (std::none_of(all.begin(), all.end(), [&](const RunOption& o) { return o.name == option.name; }))
        all.push_back(std::move(option));
  return all;
}

std::vector<RunOption> integration_options() {
  std::vector<RunOption> out;
  for (const RunOption& option : run_options())
    if (option.integration) out.push_back(option);
  return out;
}

std::map<std::string, std::string> run_option_texts(const RunRequest& request) {
  const RunRequest fresh;
  std::map<std::string, std::string> out;
  for (const RunOption& option : run_options())
    if (std::string text = option.get(request); text != option.get(fresh)) out[option.name] = std::move(text);
  return out;
}

Diagnostics options_without_use(const std::map<std::string, std::string>& given, const RunRequest& request,
                                bool integrates) {
  Diagnostics out;
  for (const auto& [name, text] : given) {
    const RunOption* option = find_option(name);
    if (text.empty() || option == nullptr) continue;
    std::string what;
    if (option->applies && !option->applies(request)) what = option->only_for;
    else if (option->sampling && !samples(request)) what = "the simulation";
    else if (option->integration && !integrates)
      what = "models with continuous variables or continuously changing rates";
    else continue;
    out.push_back({.code = "RUN010",
                   .message = "--" + name + " is for " + what + ", and means nothing for this run.",
                   .hint = "Leave it out."});
  }
  return out;
}

std::optional<Diagnostic> set_run_option(RunRequest& request, const RunOption& option, std::string_view text) {
  RunRequest changed = request;
  if (!option.set(changed, trim(text)))
    return Diagnostic{
        .code = "RUN010",
        .message = "--" + option.name + " is \"" + quotable(trim(text)) + "\"; wanted " + option.wanted + "."};
  request = std::move(changed);
  return std::nullopt;
}

std::optional<Diagnostic> set_run_option(RunRequest& request, std::string_view name, std::string_view text) {
  if (const RunOption* option = find_option(name)) return set_run_option(request, *option, text);
  return Diagnostic{.code = "RUN010", .message = "There is no run option \"" + std::string(name) + "\"."};
}

}  // namespace ergode
