// What a trace of times says of itself, and laws that are like it, as texts for a model.
#include <cmath>
#include <iostream>

#include "app/cli/commands.h"
#include "core/base/csv.h"
#include "core/base/plural.h"
#include "core/base/read_file.h"
#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/base/unit.h"
#include "core/random/fit_laws.h"
#include "core/random/trace.h"

namespace ergode::cli {
namespace {

struct FitFlags {
  std::string file, column = "1", unit = "s", as = "gaps";
  std::size_t lags = 5;
  bool json = false;
};

int refuse(const char* code, const std::string& message, const std::string& hint = {}) {
  complain(code, message, hint);
  return model_invalid;
}

Value number_or_null(double value) { return std::isfinite(value) ? Value(value) : Value(nullptr); }

void print_json(const FitFlags& flags, const TraceMoments& m, const std::vector<LawFit>& fits) {
  Value moments = {{"count", m.count},   {"mean", m.mean},         {"variance", number_or_null(m.variance)},
                   {"scv", m.scv},       {"skewness", m.skewness}, {"least", m.least},
                   {"median", m.median}, {"greatest", m.greatest}};
  moments["autocorrelation"] = Value::array();
  for (const double one : m.autocorrelation) moments["autocorrelation"].push_back(one);
  Value out = {{"file", flags.file}, {"column", flags.column}, {"unit", flags.unit}, {"moments", std::move(moments)}};
  out["fits"] = Value::array();
  for (const LawFit& fit : fits) {
    if (fit.text.empty()) out["fits"].push_back({{"law", fit.name}, {"why_not", fit.why}});
    else
      out["fits"].push_back({{"law", fit.name},
                             {"text", fit.text},
                             {"parameters", fit.parameters},
                             {"log_likelihood", number_or_null(fit.log_likelihood)},
                             {"aic", number_or_null(fit.aic)},
                             {"distance", fit.distance}});
  }
  std::cout << json_text(out) << "\n";
}

void print_text(const FitFlags& flags, const TraceMoments& m, const std::vector<LawFit>& fits) {
  const std::string in = " [" + flags.unit + "]";
  std::vector<std::vector<std::string>> rows = {{"values", std::to_string(m.count)},
                                                {"mean" + in, number_text(m.mean, 6)},
                                                {"variance over squared mean", number_text(m.scv, 6)},
                                                {"skewness", number_text(m.skewness, 6)},
                                                {"least" + in, number_text(m.least, 6)},
                                                {"median" + in, number_text(m.median, 6)},
                                                {"greatest" + in, number_text(m.greatest, 6)}};
  for (std::size_t lag = 0; lag < m.autocorrelation.size(); ++lag)
    rows.push_back({"correlation at lag " + std::to_string(lag + 1), number_text(m.autocorrelation[lag], 4)});
  std::cout << text_table(rows, {false, true}) << "\n";
  rows = {{"law", "log-likelihood", "AIC", "distance"}};
  std::string texts, why;
  for (const LawFit& fit : fits) {
    if (fit.text.empty()) {
      why += fit.name + ": none, " + fit.why + ".\n";
      continue;
    }
    rows.push_back(
        {fit.name, number_text(fit.log_likelihood, 8), number_text(fit.aic, 8), number_text(fit.distance, 4)});
    texts += fit.text + "\n";
  }
  std::cout << text_table(rows, {false, true, true, true}) << "\n"
            << texts << (why.empty() ? "" : "\n") << why
            << "\nAIC: the least is best. Distance: the greatest between distribution functions (Kolmogorov and "
               "Smirnov).\n";
}

int fit(const FitFlags& flags) {
  const auto unit = parse_unit(flags.unit);
  if (!unit || !(unit->dimension == Dimension::of_time())) {
    complain("RUN010", "--unit is \"" + quotable(flags.unit) + "\"; wanted a unit of time: s, ms, min, h.");
    return usage;
  }
  constexpr std::size_t most = 20;
  const auto text = read_text(flags.file);
  if (const auto* problem = std::get_if<Diagnostic>(&text)) return refuse("FIT001", problem->message);
  auto read = csv_numbers(std::get<std::string>(text), flags.file, flags.column, most);
  if (const auto* why = std::get_if<std::string>(&read)) return refuse("FIT001", *why + ".");
  auto& numbers = std::get<CsvNumbers>(read);
  const bool times = flags.as == "times";
  check_trace(numbers, flags.file, times, flags.unit, most);
  for (const std::string& problem : numbers.problems) complain("FIT002", problem + ".");
  if (numbers.untold > 0) complain("FIT002", counted(numbers.untold, "more row") + " of this kind.");
  if (!numbers.problems.empty()) return model_invalid;
  std::vector<double> values = std::move(numbers.values);
  if (times) {
    for (std::size_t i = 0; i + 1 < values.size(); ++i) values[i] = values[i + 1] - values[i];
    if (!values.empty()) values.pop_back();
  }
  if (values.size() < 2)
    return refuse("FIT003", flags.file + " has " + counted(values.size(), times ? "gap" : "value") + "; wanted two.");
  const TraceMoments moments = moments_of(values, flags.lags);
  if (moments.least == moments.greatest)
    return refuse("FIT003",
                  "All " + std::to_string(values.size()) + " values are " + number_text(moments.least) + " " +
                      flags.unit + "; wanted some that differ.",
                  "Write " + number_text(moments.least) + " " + flags.unit + " into the model.");
  const std::vector<LawFit> fits = fit_laws(values, flags.unit);
  flags.json ? print_json(flags, moments, fits) : print_text(flags, moments, fits);
  return ok;
}

}  // namespace

void add_fit(CLI::App& app, Action& chosen) {
  auto flags = std::make_shared<FitFlags>();
  CLI::App* sub = app.add_subcommand("fit", R"(Examples:
  ergode fit gaps.csv                                        the first column, gaps in seconds
  ergode fit log.csv --column arrived --unit ms --as times   gaps between times that are written down
  ergode fit services.csv --json

Fits laws to a trace of times between arrivals, or of services. Printed are moments, correlations, and for each law its text for a model, its log-likelihood and its distance from the trace: exponential, two moments, hyper-Erlang by EM, lognormal, gamma, Weibull and Poisson arrivals of two modulated rates (mmpp, for sources only) by maximum likelihood.)");
  sub->add_option("FILE", flags->file, "A CSV file, with a header or without.")->required();
  sub->add_option("--column", flags->column, "Its header's text, or its number; default: 1.")->type_name("NAME");
  sub->add_option("--unit", flags->unit, "Of the values; default: s.")->type_name("UNIT");
  sub->add_option("--as", flags->as, "gaps (as services are too) or times; default: gaps.")
      ->check(CLI::IsMember({"gaps", "times"}));
  sub->add_option("--lags", flags->lags, "Correlations that are told; default: 5.")
      ->type_name("N")
      ->check(CLI::Range(0, 1000));
  sub->add_flag("--json", flags->json, "Print one JSON document.");
  sub->callback([flags, &chosen] { chosen = [flags] { return fit(*flags); }; });
}

}  // namespace ergode::cli
