#include <algorithm>

#include "core/random/distribution.h"

namespace ergode {
namespace {

using Dim = ArgumentDimension;

constexpr const char* johnson1 =
    "Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions, vol. 1, 2nd ed., 1994";
constexpr const char* johnson2 =
    "Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions, vol. 2, 2nd ed., 1995";
constexpr const char* atwood = "Atwood et al., Handbook of Parameter Estimation for PRA, NUREG/CR-6823, 2003";
constexpr const char* neuts = "Neuts, Matrix-Geometric Solutions in Stochastic Models, 1981";
constexpr const char* cox =
    "Cox, A use of complex probabilities in the theory of stochastic processes, Proc. Cambridge Phil. Soc. 51, 1955";
constexpr const char* tijms = "Tijms, Stochastic Models: An Algorithmic Approach, 1994";
constexpr const char* hyper_erlang =
    "Thuemmler, Buchholz and Telek, A novel approach for phase-type fitting with the EM algorithm, IEEE Trans. "
    "Dependable and Secure Computing 3(3), 2006";
constexpr const char* whitt =
    "Whitt, Approximating a point process by a renewal process, I: two basic methods, Operations Research 30(1), 1982";
constexpr const char* marie =
    "Marie, Calculating equilibrium probabilities for lambda(n)/C_k/1/N queues, Performance Evaluation Review 9(2), "
    "1980";
constexpr const char* aldous =
    "Aldous and Shepp, The least variable phase type distribution is Erlang, Stochastic Models 3, 1987";
constexpr const char* law = "Law, Simulation Modeling and Analysis, 5th ed., 2015";

DistributionArgument scv_within(const char* range) {
  return {"scv", Dim::none, false, true,
          std::string("squared coefficient of variation: variance over squared mean, ") + range};
}

std::vector<DistributionForm> make_forms() {
  const DistributionArgument shape{"shape", Dim::none, false, true, "shape, > 0"};
  const DistributionArgument low{"low", Dim::same, false, true, "lower end"};
  const DistributionArgument high{"high", Dim::same, false, true, "upper end, > low"};
  const DistributionArgument mean{"mean", Dim::same, false, true, "mean, > 0"};
  const DistributionArgument scv = scv_within("> 0, up to 1000000");
  return {
      {"deterministic", {{"value", Dim::same, false, true, "the value"}}, law, "Always the same value."},
      {"exponential", {{"rate", Dim::inverse, false, true, "rate, > 0"}}, johnson1, "Memoryless, given by its rate."},
      {"exponential", {mean}, johnson1, "Memoryless, given by its mean."},
      {"weibull",
       {shape, {"scale", Dim::same, false, true, "63.2 % quantile, > 0"}},
       johnson1,
       "Wear-in (shape < 1) or wear-out (shape > 1)."},
      {"weibull", {mean, scv}, johnson1, "Weibull of this mean and spread; shapes from 0.05 to 1000."},
      {"lognormal",
       {{"mu", Dim::none, false, true, "mean of ln(X / scale)"},
        {"sigma", Dim::none, false, true, "standard deviation of ln X, > 0"},
        {"scale", Dim::same, false, true,
         "what X is divided by before its logarithm is taken, > 0; often one unit: 1 h"}},
       johnson1,
       "scale * exp(mu + sigma Z) with Z standard normal."},
      {"lognormal",
       {mean, {"sd", Dim::same, false, true, "standard deviation, > 0"}},
       johnson1,
       "Lognormal given by its own mean and standard deviation."},
      {"lognormal", {mean, scv}, johnson1, "Lognormal given by its own mean and spread."},
      {"lognormal",
       {{"median", Dim::same, false, true, "median, > 0"},
        {"ef", Dim::none, false, true, "error factor: 95th percentile over median, > 1"}},
       atwood,
       "Lognormal given by its median and error factor."},
      {"gamma", {shape, {"rate", Dim::inverse, false, true, "rate, > 0"}}, johnson1, "Mean shape / rate."},
      {"gamma", {shape, {"scale", Dim::same, false, true, "scale, > 0"}}, johnson1, "Mean shape * scale."},
      {"gamma", {mean, scv}, johnson1, "Gamma given by its mean and spread: shape 1 / scv."},
      {"beta",
       {{"a", Dim::none, false, true, "first shape, > 0"}, {"b", Dim::none, false, true, "second shape, > 0"}},
       johnson2,
       "On [0, 1], mean a / (a + b).",
       true},
      {"uniform", {low, high}, johnson2, "Equally likely between two ends."},
      {"triangular",
       {low, {"mode", Dim::same, false, true, "most likely value, between low and high"}, high},
       law,
       "Density rises from low to mode and falls to high."},
      {"truncated_normal",
       {{"mean", Dim::same, false, true, "mean before truncation"},
        {"sd", Dim::same, false, true, "standard deviation before truncation, > 0"},
        {"low", Dim::same, false, false, "lower end; absent: none"},
        {"high", Dim::same, false, false, "upper end, > low; absent: none"}},
       johnson1,
       "Normal, given that it lies between low and high."},
      {"normal",
       {{"mean", Dim::same, false, true, "mean before truncation"},
        {"sd", Dim::same, false, true, "standard deviation before truncation, > 0"},
        {"low", Dim::same, false, false, "lower end; absent: none"},
        {"high", Dim::same, false, false, "upper end, > low; absent: none"}},
       johnson1,
       "Normal; a delay needs low = 0, as it must not be negative."},
      {"erlang",
       {{"k", Dim::none, false, true, "phases, 1 to 1000000"},
        {"rate", Dim::inverse, false, true, "rate of each phase, > 0"}},
       johnson1,
       "Sum of k exponentials of the same rate."},
      {"erlang",
       {{"k", Dim::none, false, true, "phases, 1 to 1000000"},
        {"mean", Dim::same, false, true, "mean of the sum, > 0"}},
       johnson1,
       "Sum of k exponentials, given by the mean of the sum."},
      {"hyperexponential",
       {{"p", Dim::none, true, true, "probabilities of the branches, sum 1"},
        {"rate", Dim::inverse, true, true, "their rates, each > 0"}},
       neuts,
       "One of several exponentials, picked at random."},
      {"hyperexponential",
       {mean, scv_within("from 1 to 1000000")},
       whitt,
       "One of two exponentials of this mean and spread, which make the same share of the mean."},
      {"hypererlang",
       {{"p", Dim::none, true, true, "probabilities of the branches, sum 1"},
        {"k", Dim::none, true, true, "their phases, each 1 to 1000000"},
        {"rate", Dim::inverse, true, true, "their rates of each phase, each > 0"}},
       hyper_erlang,
       "One of several Erlang variables, picked at random."},
      {"hypererlang",
       {mean, scv_within("from 0.000001 to 1000000")},
       tijms,
       "Of this mean and spread: up to 1 a mixture of k - 1 and k phases of one rate, above two exponentials with "
       "balanced means."},
      {"hypoexponential",
       {{"rate", Dim::inverse, true, true, "rates of the phases, one after the other, each > 0"}},
       neuts,
       "Sum of exponentials of their own rates."},
      {"hypoexponential",
       {mean, scv_within("from 0.005 to 1")},
       aldous,
       "Sum of as few exponentials as have this mean and spread, all but the last of one rate."},
      {"coxian",
       {{"rate", Dim::inverse, true, true, "rates of the phases, each > 0"},
        {"p", Dim::none, true, true, "probability of going on after each phase but the last"}},
       cox,
       "A chain of phases that may end after each of them."},
      {"coxian",
       {mean, scv_within("from 0.005 to 1000000")},
       marie,
       "A chain of phases of this mean and spread: two from 0.5 on, below as few of one rate as there may be, which "
       "may end after the first."},
      {"phase_type",
       {{"initial", Dim::none, true, true, "probabilities of the first phase, sum <= 1; the rest is at 0"},
        {"generator", Dim::inverse, true, true,
         "rates between phases, row after row; diagonal < 0, others >= 0, row sums <= 0"}},
       neuts,
       "Time to leave a Markov chain of transient phases."},
      {"phase_type",
       {mean, scv_within("from 0.005 to 1000000")},
       aldous,
       "Of this mean and spread in as few phases as there may be: up to 1 a chain of one rate that may begin in its "
       "second phase, above two exponentials with balanced means."},
      {"empirical",
       {{"values", Dim::same, true, true, "observations"}},
       law,
       "One of the observations, each equally likely (a step function, no interpolation)."},
      {"quantile_table",
       {{"p", Dim::none, true, true, "probabilities, rising from 0 to 1"},
        {"values", Dim::same, true, true, "their quantiles, not falling"}},
       law,
       "Known by quantiles, linear between them."},
      {"truncated_exponential",
       {mean, {"limit", Dim::same, false, true, "upper end, > 0"}},
       johnson1,
       "Density proportional to exp(-x / mean) on [0, limit]; mean is the one before truncation."},
      {"pareto",
       {shape,
        {"scale", Dim::same, false, true, "least value, > 0"},
        {"limit", Dim::same, false, false, "greatest value, > scale; absent: none"}},
       johnson1,
       "Heavy tail: beyond x with probability (scale / x)^shape; without a limit the mean is infinite up to shape 1, "
       "the variance up to shape 2."},
      {"pareto",
       {mean, scv_within("> 0, up to 1000000")},
       johnson1,
       "Pareto of this mean and spread, without a limit: the shape is above 2."},
      {"fitted",
       {mean, scv_within("0, or from 0.000001 to 1000000")},
       tijms,
       "A law of this mean and spread: the value itself (scv 0), a mixture of erlang laws of k - 1 and k phases (below "
       "1), exponential (1), or two exponentials with balanced means (above 1)."},
  };
}

}  // namespace

std::span<const DistributionForm> distribution_forms() {
  static const std::vector<DistributionForm> forms = make_forms();
  return forms;
}

std::string form_text(const DistributionForm& form) {
  std::string out = form.family + "(";
  for (std::size_t i = 0; i < form.arguments.size(); ++i) {
    if (i != 0) out += ", ";
    out += form.arguments[i].name;
    if (!form.arguments[i].required) out += "?";
  }
  return out + ")";
}

const DistributionForm* find_distribution_form(std::string_view family, std::span<const std::string_view> names) {
  for (const DistributionForm& form : distribution_forms()) {
    if (form.family != family) continue;
    std::size_t met = 0;
    bool complete = true;
    for (const DistributionArgument& arg : form.arguments) {
      const auto times = std::count(names.begin(), names.end(), arg.name);
      if (times > 1 || (times == 0 && arg.required)) complete = false;
      met += static_cast<std::size_t>(times);
    }
    if (complete && met == names.size()) return &form;
  }
  return nullptr;
}

}  // namespace ergode
