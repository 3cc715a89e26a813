#include "solvers/queueing/exchange/jmt_laws.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "core/base/text.h"
#include "core/random/distribution.h"
#include "core/random/markovian_arrival_process.h"

namespace ergode {
namespace {

std::string seconds(double value) { return number_text(value, 17) + " s"; }
std::string per_second(double value) { return number_text(value, 17) + " /s"; }

/// The rows of a matrix, its entries below arrays named "vector".
std::vector<std::vector<double>> matrix_below(const pugi::xml_node& node, const char* name) {
  std::vector<std::vector<double>> out;
  for (const pugi::xml_node& row : named_below(node, name).children("subParameter")) {
    out.emplace_back();
    for (const pugi::xml_node& entry : row.children("subParameter"))
      out.back().push_back(jmt_number(entry.child_value("value")));
  }
  return out;
}
std::string matrix_text(const std::vector<std::vector<double>>& rows) {
  std::string out;
  for (const auto& row : rows) {
    out += out.empty() ? "[[" : ", [";
    for (std::size_t j = 0; j < row.size(); ++j) out += (j > 0 ? ", " : "") + per_second(row[j]);
    out += "]";
  }
  return out + "]";
}
std::vector<double> flat(const std::vector<std::vector<double>>& rows) {
  std::vector<double> out;
  for (const auto& row : rows) out.insert(out.end(), row.begin(), row.end());
  return out;
}
/// The long run's mean gap; 0 where it is no process, which the model then says.
double mean_of(const std::variant<MarkovianArrivalProcess, std::string>& made) {
  const auto* process = std::get_if<MarkovianArrivalProcess>(&made);
  return process != nullptr ? process->mean_s() : 0.0;
}
std::string of_kind(const char* what, char kind) { return std::string(what) + "-Distribution_Interval" + kind; }

/// Two kinds of intervals, each with a law of its gaps and one of its length.
JmtLaw burst(const pugi::xml_node& strategy) {
  std::string lists[2];
  for (int which = 0; which < 2; ++which)
    for (const char kind : {'A', 'B'}) {
      const JmtLaw law =
          jmt_distribution(named_below(strategy, of_kind(which == 0 ? "Value" : "Length", kind).c_str()));
      if (!law.why.empty()) return law;
      if (law.text.empty() || law.has_memory()) return {"", 0.0, "a burst without laws of its own"};
      lists[which] += (kind == 'A' ? "[" : ", ") + law.text;
    }
  std::string text = "burst(gaps = " + lists[0] + "], lengths = " + lists[1] + "]";
  const pugi::xml_node turns = named_below(strategy, "Round-Robin");
  const std::string in_turn = turns ? turns.child_value("value") : "false";
  if (in_turn != "true" && in_turn != "false")
    return {"", 0.0, "a burst whose \"Round-Robin\" is neither true nor false"};
  if (in_turn == "false") {
    const double p = number_below(strategy, "Probability");
    if (!(p >= 0 && p <= 1)) return {"", 0.0, "a burst without a probability from 0 to 1"};
    text += ", probability = " + number_text(p, 17);
  }
  return {text + ")", 0.0, "", JmtLaw::Memory::burst};
}

/// @param missing  the first number that is none, by its name
JmtLaw distribution_of(const std::string& law, const pugi::xml_node& of, std::string& missing) {
  const auto p = [&](const char* name) {
    const double value = number_below(of, name);
    if (!std::isfinite(value) && missing.empty()) missing = name;
    return value;
  };
  const auto matrix = [&](const char* name) {
    const auto rows = matrix_below(of, name);
    const auto all_finite = [](const std::vector<double>& row) {
      return std::all_of(row.begin(), row.end(), [](double one) { return std::isfinite(one); });
    };
    if ((rows.empty() || !std::all_of(rows.begin(), rows.end(), all_finite)) && missing.empty()) missing = name;
    return rows;
  };
  if (law.empty() || law == "null") return {};
  if (law == "Exponential") return {"exponential(rate = " + per_second(p("lambda")) + ")", 1 / p("lambda"), ""};
  if (law == "DeterministicDistr") return {seconds(p("t")), p("t"), ""};
  if (law == "Erlang")
    return {"erlang(k = " + number_text(p("r"), 17) + ", rate = " + per_second(p("alpha")) + ")", p("r") / p("alpha"),
            ""};
  if (law == "HyperExp")
    return {"hyperexponential(p = [" + number_text(p("p"), 17) + ", " + number_text(1 - p("p"), 17) + "], rate = [" +
                per_second(p("lambda1")) + ", " + per_second(p("lambda2")) + "])",
            p("p") / p("lambda1") + (1 - p("p")) / p("lambda2"), ""};
  if (law == "CoxianDistr" || law == "Coxian")
    return {"coxian(rate = [" + per_second(p("lambda0")) + ", " + per_second(p("lambda1")) + "], p = [" +
                number_text(1 - p("phi0"), 17) + "])",
            1 / p("lambda0") + (1 - p("phi0")) / p("lambda1"), ""};
  if (law == "Normal")  // cut at zero there too
    return {
        "truncated_normal(mean = " + seconds(p("mean")) + ", sd = " + seconds(p("standardDeviation")) + ", low = 0 s)",
        p("mean"), ""};
  if (law == "Uniform")
    return {"uniform(low = " + seconds(p("min")) + ", high = " + seconds(p("max")) + ")", (p("min") + p("max")) / 2,
            ""};
  if (law == "GammaDistr" || law == "Gamma")
    return {"gamma(shape = " + number_text(p("alpha"), 17) + ", scale = " + seconds(p("beta")) + ")",
            p("alpha") * p("beta"), ""};
  if (law == "Lognormal")
    return {
        "lognormal(mu = " + number_text(p("mu"), 17) + ", sigma = " + number_text(p("sigma"), 17) + ", scale = 1 s)",
        std::exp(p("mu") + p("sigma") * p("sigma") / 2), ""};
  if (law == "Weibull")
    return {"weibull(shape = " + number_text(p("r"), 17) + ", scale = " + seconds(p("alpha")) + ")",
            p("alpha") * std::tgamma(1 + 1 / p("r")), ""};
  if (law == "Pareto")
    return {"pareto(shape = " + number_text(p("alpha"), 17) + ", scale = " + seconds(p("k")) + ")",
            p("alpha") > 1 ? p("alpha") * p("k") / (p("alpha") - 1) : 0.0, ""};
  if (law == "PhaseTypeDistr") {
    const auto initial = flat(matrix("alpha"));
    const auto generator = matrix("T");
    std::string list;
    for (const double one : initial) list += (list.empty() ? "[" : ", ") + number_text(one, 17);
    const NamedArgument arguments[] = {{"initial", initial}, {"generator", flat(generator)}};
    const auto made = make_distribution("phase_type", arguments);
    const auto* known = std::get_if<Distribution>(&made);
    return {"phase_type(initial = " + list + "], generator = " + matrix_text(generator) + ")",
            known != nullptr ? known->mean() : 0.0, ""};
  }
  if (law == "MAPDistr") {
    const auto d0 = matrix("D0"), d1 = matrix("D1");
    return {"map(d0 = " + matrix_text(d0) + ", d1 = " + matrix_text(d1) + ")",
            mean_of(MarkovianArrivalProcess::make(flat(d0), flat(d1))), "", JmtLaw::Memory::phases};
  }
  if (law == "MMPP2Distr") {
    const std::vector<double> rates{p("lambda0"), p("lambda1")}, switching{p("sigma0"), p("sigma1")};
    return {"mmpp(rates = [" + per_second(rates[0]) + ", " + per_second(rates[1]) + "], switching = [" +
                per_second(switching[0]) + ", " + per_second(switching[1]) + "])",
            mean_of(MarkovianArrivalProcess::modulated(rates, switching)), "", JmtLaw::Memory::phases};
  }
  if (law == "Burst") return burst(of);
  if (law == "Replayer") {
    const std::string file = named_below(of, "fileName").child_value("value");
    return {"trace(file = \"" + file + "\", unit = \"s\", at_end = repeat)", 0.0, "", JmtLaw::Memory::list};
  }
  return {"", 0.0, "distribution \"" + law + "\""};
}

}  // namespace

std::string last_word(const std::string& path) { return path.substr(path.rfind('.') + 1); }

double jmt_number(const char* text) { return parse_number(text).value_or(std::numeric_limits<double>::quiet_NaN()); }

pugi::xml_node named_below(const pugi::xml_node& node, const char* name) {
  return node.find_node([&](const pugi::xml_node& one) {
    return std::string(one.name()) == "subParameter" && one.attribute("name").value() == std::string(name);
  });
}

double number_below(const pugi::xml_node& node, const char* name) {
  return jmt_number(named_below(node, name).child_value("value"));
}

JmtLaw jmt_law(const pugi::xml_node& strategy) {
  const std::string kind = last_word(strategy.attribute("classPath").value());
  if (kind == "ZeroServiceTimeStrategy") return {"0 s", 0.0, ""};
  if (kind == "DisabledServiceTimeStrategy") return {};
  if (kind != "ServiceTimeStrategy") return {"", 0.0, "service \"" + kind + "\""};
  return jmt_distribution(strategy);
}

JmtLaw jmt_distribution(const pugi::xml_node& of) {
  const std::string law = last_word(of.child("subParameter").attribute("classPath").value());
  std::string missing;
  JmtLaw out = distribution_of(law, of, missing);
  if (!missing.empty()) return {"", 0.0, "distribution \"" + law + "\" without a number \"" + missing + "\""};
  return out;
}

}  // namespace ergode
