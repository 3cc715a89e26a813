#include "core/random/correlated_arrivals.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/text.h"
#include "core/random/two_moments.h"

namespace ergode {
namespace {

using Made = std::variant<MarkovianArrivalProcess, std::string>;

constexpr double most_phases = 50.0;  ///< of one of two laws: a process may have 100

std::string wrong(const char* name, double seen, const std::string& wanted) {
  return std::string(name) + " is " + number_text(seen) + ", wanted " + wanted;
}

/// Two laws of gaps: how often each is, and its mean in means of all.
struct TwoKinds {
  std::array<double, 2> often{}, mean{};
};
/// @param between  variance of the two means over the squared mean; below 1 where equally likely ones are wanted
TwoKinds two_kinds(double between, bool equally) {
  const double apart = std::sqrt(between);
  if (equally) return {{0.5, 0.5}, {1.0 - apart, 1.0 + apart}};
  // often[0] often[1] = 1 / (4 (1 + between)), of which the lesser keeps its digits this way.
  const double more = 0.5 * (1.0 + std::sqrt(between / (1.0 + between))), less = 0.25 / ((1.0 + between) * more);
  return {{more, less}, {0.5 / more, 0.5 / less}};
}

}  // namespace

// Of two phases the product of the rates that bring arrivals is the correlations' decay times that of the rates at
// which gaps end, sums likewise: two quadratic equations, whose roots are the four rates.
ModulatedRates modulated_of_exponentials(double mean, double fast, double slow, double decay) {
  const double turns = mean * fast * slow * (1.0 - decay), sum = fast + slow - turns, product = decay * fast * slow;
  const double root = std::sqrt(sum * sum - 4.0 * product);
  const double often = 0.5 * (sum + root), seldom = often > 0.0 ? product / often : 0.0;
  const double leaves_seldom = (fast * slow * (1.0 - decay) - seldom * turns) / (often - seldom);
  return {{often, seldom}, {turns - leaves_seldom, leaves_seldom}};
}

Made modulated_of_moments(double mean_s, double scv, double decay) {
  if (std::string why = wrong_moments(mean_s, scv); !why.empty()) return why;
  if (!(scv > 1.0))
    return wrong("scv", scv, "more than 1: Poisson arrivals of a changing rate vary more than those of one");
  if (!(decay >= 0.0 && decay < 1.0)) return wrong("decay", decay, "a number from 0 to less than 1");
  const auto [p, rate] = balanced_exponentials(mean_s, scv);
  const ModulatedRates law = modulated_of_exponentials(mean_s, rate[0], rate[1], decay);
  return MarkovianArrivalProcess::modulated(law.rate, law.leaving);
}

Made modulated_of_correlation(double mean_s, double scv, double correlation) {
  if (!(scv > 1.0) || !wrong_moments(mean_s, scv).empty()) return modulated_of_moments(mean_s, scv, 0.0);
  const double most = 0.5 * (1.0 - 1.0 / scv);
  if (!(correlation >= 0.0 && correlation < most))
    return wrong("correlation", correlation,
                 "from 0 to less than (1 - 1 / scv) / 2 = " + number_text(most, 6) + " with scv = " + number_text(scv));
  return modulated_of_moments(mean_s, scv, correlation / most);
}

Made arrivals_of_moments(double mean_s, double scv, double correlation, double decay) {
  if (std::string why = wrong_moments(mean_s, scv); !why.empty()) return why;
  constexpr double least = 1.0 / most_phases;
  if (!(scv >= least))
    return wrong("scv", scv, "at least " + number_text(least) + ", that of " + number_text(most_phases) + " phases");
  if (!(decay > -1.0 && decay < 1.0)) return wrong("decay", decay, "a number between -1 and 1");
  const bool equally = decay < 0.0;
  // What the laws themselves must vary bounds what is left for their means.
  const double room = (scv - least) / (1.0 + least),
               far = std::fabs(decay) / scv * (equally ? std::min(room, 1.0) : room);
  const double between = correlation == 0.0 ? 0.0 : correlation * scv / decay;
  const double within = (scv - between) / (1.0 + between);
  if (!(between >= 0.0 && (!equally || between < 1.0) && within >= least * (1.0 - 1e-12)))
    return wrong("correlation", correlation,
                 (equally ? "from " + number_text(-far, 6) + " to 0" : "from 0 to " + number_text(far, 6)) +
                     " with scv = " + number_text(scv) + " and decay = " + number_text(decay));
  const std::size_t kinds = between == 0.0 ? 1 : 2;
  const TwoKinds kind = between == 0.0 ? TwoKinds{{1.0, 0.0}, {1.0, 1.0}} : two_kinds(between, equally);
  const PhaseChain law = phases_of_moments(1.0, std::max(within, least));
  const std::size_t k = law.initial.size(), n = kinds * k;
  std::vector<double> d0(n * n, 0.0), d1(n * n, 0.0);
  for (std::size_t of = 0; of < kinds; ++of)
    for (std::size_t i = 0; i < k; ++i) {
      const double scale = 1.0 / (mean_s * kind.mean[of]);
      const std::size_t row = (of * k + i) * n;
      double ends = 0.0;
      for (std::size_t j = 0; j < k; ++j) {
        const double rate = law.generator[i * k + j] * scale;
        d0[row + of * k + j] = rate, ends -= rate;
      }
      for (std::size_t to = 0; to < kinds; ++to) {
        const double next = (to == of ? decay : 0.0) + (1.0 - decay) * kind.often[to];
        for (std::size_t j = 0; j < k; ++j) d1[row + to * k + j] = ends * next * law.initial[j];
      }
    }
  return MarkovianArrivalProcess::make(std::move(d0), std::move(d1));
}

}  // namespace ergode
