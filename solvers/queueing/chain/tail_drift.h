#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "solvers/queueing/chain/network_chain.h"

namespace ergode {

/// Of what nothing bounds.
inline constexpr double no_bound = std::numeric_limits<double>::infinity();

/// A function g >= 1 of a network's states that grows exponentially with the number of its customers and falls in the
/// mean wherever there are many: sum of rate(x, y) (g(y) - g(x)) <= -rate() g(x) in every state x with at least
/// beyond() customers, without a limit. So the network settles, and what is beyond has an end (Foster, On the
/// stochastic matrices associated with certain queuing processes, Annals of Mathematical Statistics 24, 1953; Meyn and
/// Tweedie, Stability of Markovian processes III, Advances in Applied Probability 25, 1993).
///
/// g is a sum over stations without a limit. Each part is the mean of exp(s W), W the work that all who are there will
/// still bring to that station on all their ways: what happens elsewhere leaves it as it is in the mean, arrivals raise
/// it by a factor, each busy server lowers it at the rate s, and that is so whoever is served next. Where many are
/// elsewhere and the station is idle, parts of other stations must fall faster than this one rises: exponents are
/// chosen so. Rates, speeds and servers that are expressions count with the worst that they can be where so many are at
/// the station (Program::range()), whatever the limits at which the network is cut.
class TailDrift {
 public:
  /// @param share  of the greatest exponent with which the station itself settles; in (0, 1)
  /// @returns why there is none: a clause. Closed classes, regions, places, ways for those who give up, phases that
  ///     begin again; stations that need others to be kept away from them; circles that are too tight.
  static std::variant<TailDrift, std::string> find(const NetworkChain& chain, double share);

  double operator()(const NetworkState& state) const;
  double rate() const { return rate_; }             ///< [1/s] > 0
  std::uint64_t beyond() const { return beyond_; }  ///< customers
  std::uint64_t customers(const NetworkState& state) const { return chain_->open_customers(state); }
  /// Customers who come at one moment at most.
  std::uint64_t most_at_once() const { return most_at_once_; }

  /// @name A number c with |f(x)| <= c g(x) in every state, of
  /// @{
  double numbers(std::uint32_t node) const;     ///< customers there, waiting, being served
  double flows() const { return flows_; }       ///< all that comes or goes anywhere [1/s]
  double values(const Program& program) const;  ///< an expression; infinite where none is known
                                                /// @}

 private:
  /// What customers weigh for one station.
  struct Part {
    std::size_t station = 0;
    double s = 0.0;                          ///< [1/s]
    std::vector<std::vector<double>> at;     ///< [station * classes + class][phase]; phase 0: not begun
    std::vector<double> leaves;              ///< [node * classes + class]
    std::vector<std::vector<double>> phase;  ///< by source, phase of its gap
    std::vector<double> grows;               ///< by source: rate at which phases and arrivals raise it at most [1/s]
    std::uint32_t busy = 1;                  ///< from so many customers on it falls
    double falls = 0.0;                      ///< at this rate at least [1/s]
  };
  explicit TailDrift(const NetworkChain& chain) : chain_(&chain) {}
  std::string why_not() const;
  bool weigh(Part& part) const;
  bool weigh_phases(Part& part, std::size_t source, double factor) const;
  double mean_of(const NetworkModel::Ways& ways, bool fixed, bool alike, const std::vector<double>& enters) const;
  std::vector<Range> ranges(std::size_t station, std::uint32_t at_least, double most) const;
  double rises(const Part& part, const std::vector<Range>& ranges) const;
  double falls_from(const Part& part, std::uint32_t at_least) const;
  bool steepest(Part& part) const;
  bool busy_from(Part& part) const;
  bool comes(std::size_t station, std::size_t of_class) const { return !phases(station, of_class).rate.empty(); }
  const Phases& phases(std::size_t station, std::size_t of_class) const {
    return chain_->stations_[station].phases[of_class];
  }
  bool unlimited(std::size_t station) const;
  double least(const Part& part, std::size_t station) const;
  double most(const Part& part, std::size_t station) const;
  bool join();
  bool bound_flows();

  const NetworkChain* chain_;
  std::vector<Part> parts_;
  double rate_ = 0.0, growth_ = 0.0, flows_ = 0.0;  ///< growth: log g >= growth (customers - rooms)
  double rooms_ = 0.0;                              ///< of limited stations together
  std::uint64_t beyond_ = 0, most_at_once_ = 1;
};

}  // namespace ergode
