#include "solvers/queueing/exchange/jmt_laws.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "core/base/text.h"

namespace ergode {
namespace {

std::string seconds(double value) { return number_text(value, 17) + " s"; }
std::string per_second(double value) { return number_text(value, 17) + " /s"; }

}  // namespace

std::string last_word(const std::string& path) { return path.substr(path.rfind('.') + 1); }

double number_below(const pugi::xml_node& node, const char* name) {
  const pugi::xml_node found = node.find_node([&](const pugi::xml_node& one) {
    return std::string(one.name()) == "subParameter" && one.attribute("name").value() == std::string(name);
  });
  if (!found) return std::numeric_limits<double>::quiet_NaN();
  const char* const text = found.child_value("value");
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  return end == text ? std::numeric_limits<double>::quiet_NaN() : value;
}

JmtLaw jmt_law(const pugi::xml_node& strategy) {
  const std::string kind = last_word(strategy.attribute("classPath").value());
  if (kind == "ZeroServiceTimeStrategy") return {"0 s", 0.0, ""};
  if (kind == "DisabledServiceTimeStrategy") return {};
  if (kind != "ServiceTimeStrategy") return {"", 0.0, "service \"" + kind + "\""};
  const std::string law = last_word(strategy.child("subParameter").attribute("classPath").value());
  const auto p = [&](const char* name) { return number_below(strategy, name); };
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
  return {"", 0.0, "distribution \"" + law + "\""};
}

}  // namespace ergode
