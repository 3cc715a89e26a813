#include "solvers/queueing/chain/truncation_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

namespace ergode {
namespace {

constexpr double outward = 1e-6;  // by which what was worked out is taken for more than it is

/// Of a chain that leaves some states for one that absorbs, or for outside: what gathers until then, and the
/// probability of the former. States in order, rates as far as `band` apart.
class BandElimination {
 public:
  BandElimination(std::size_t states, std::size_t band)
      : states_(states),
        band_(band),
        rate_(states * (2 * band + 1), 0.0),
        absorbed_(states, 0.0),
        out_(states, 0.0),
        gathers_(states, 0.0) {}
  double& rate(std::size_t from, std::size_t to) { return rate_[from * (2 * band_ + 1) + to + band_ - from]; }
  double& absorbed(std::size_t from) { return absorbed_[from]; }
  double& outside(std::size_t from) { return out_[from]; }
  double& gathers(std::size_t at) { return gathers_[at]; }

  /// Last states first; then `gathers` is by state the sum until the end, `absorbed` the probability of ending there.
  /// @returns false: somebody asked to stop
  bool solve(const Budget& budget) {
    std::vector<double> leaving(states_);
    for (std::size_t k = states_; k-- > 0;) {
      if (k % 256 == 0 && budget.stop_requested()) return false;
      const std::size_t first = k > band_ ? k - band_ : 0;
      double sum = absorbed_[k] + out_[k];
      for (std::size_t j = first; j < k; ++j) sum += rate(k, j);
      leaving[k] = sum;
      for (std::size_t i = first; i < k; ++i) {
        if (rate(i, k) <= 0.0) continue;
        const double part = rate(i, k) / sum;
        for (std::size_t j = first; j < k; ++j)
          if (j != i) rate(i, j) += part * rate(k, j);
        absorbed_[i] += part * absorbed_[k], out_[i] += part * out_[k], gathers_[i] += part * gathers_[k];
      }
    }
    for (std::size_t k = 0; k < states_; ++k) {
      for (std::size_t j = k > band_ ? k - band_ : 0; j < k; ++j)
        gathers_[k] += rate(k, j) * gathers_[j], absorbed_[k] += rate(k, j) * absorbed_[j];
      gathers_[k] /= leaving[k], absorbed_[k] /= leaving[k];
    }
    return true;
  }

 private:
  std::size_t states_, band_;
  std::vector<double> rate_, absorbed_, out_, gathers_;
};

class CutMoves {
 public:
  CutMoves(const NetworkChain& chain, const NetworkSpace& space, std::uint64_t limit,
           std::span<const double> distribution, const TailDrift& drift, const Budget& budget)
      : chain_(chain), space_(space), limit_(limit), distribution_(distribution), drift_(drift), budget_(budget) {}

  double weight() {
    if (limit_ < drift_.beyond()) return no_bound;
    look();
    if (!fall_short()) return no_bound;
    const double more = gathered();
    if (!std::isfinite(more)) return no_bound;
    double sum = 0.0;
    for (const Cut& one : cut_) sum += distribution_[one.state] * (one.weighs + one.rate * 2.0 * more);
    return (1.0 + outward) * sum / drift_.rate();
  }

 private:
  struct Cut {
    std::uint32_t state;
    double rate, weighs;  ///< of moves that are another where the network is not cut; times g on both sides of them
    double change;        ///< mean change of g, without a limit [1/s]
  };

  void look() {
    NetworkState here = chain_.blank();
    for (std::uint32_t s = 0; s < space_.states.size(); ++s) {
      here.read(space_.states[s]);
      g_.push_back(drift_(here)), customers_.push_back(drift_.customers(here));
    }
    for (std::uint32_t s = 0; s < space_.states.size(); ++s) {
      if (customers_[s] + drift_.most_at_once() <= limit_) continue;
      here.read(space_.states[s]);
      struct Move {
        double g, difference;
      };
      std::map<std::u32string, Move> moves;
      Cut cut{s, 0.0, 0.0, 0.0};
      const auto add = [&](double sign) {
        return [&, sign](const NetworkState& to, double rate) {
          const auto [at, fresh] = moves.try_emplace(to.key(), Move{0.0, 0.0});
          if (fresh) at->second.g = drift_(to);
          at->second.difference += sign * rate;
          if (sign > 0.0) cut.change += rate * (at->second.g - g_[s]);
        };
      };
      chain_.moves(here, std::numeric_limits<std::uint64_t>::max(), add(1.0));
      chain_.moves(here, limit_, add(-1.0));
      for (const auto& [key, move] : moves) {
        if (key == space_.states[s]) continue;
        cut.rate += std::fabs(move.difference), cut.weighs += std::fabs(move.difference) * (move.g + g_[s]);
      }
      cut_.push_back(cut);
    }
  }

  // Where g does not fall as it does beyond, and by how much.
  bool fall_short() {
    short_.assign(g_.size(), 0.0);
    for (std::uint32_t s = 0; s < g_.size(); ++s) {
      double change = 0.0;
      for (std::uint32_t e = space_.generator.rows().start[s]; e < space_.generator.rows().start[s + 1]; ++e)
        change += space_.generator.rows().rate[e] * (g_[space_.generator.rows().other[e]] - g_[s]);
      short_[s] = change;
    }
    for (const Cut& one : cut_) short_[one.state] = one.change;
    for (std::uint32_t s = 0; s < g_.size(); ++s) {
      const double noise = 1e-13 * space_.generator.exit()[s] * g_[s];
      short_[s] = std::max(0.0, short_[s] + drift_.rate() * g_[s] + noise);
      if (short_[s] > 0.0) last_ = std::max(last_, customers_[s]);
    }
    return drift_.rate() > 1e-12 * space_.generator.fastest();
  }

  /// Of what falls short, the most that gathers from anywhere until the most probable state is reached; infinite where
  /// that cannot be said.
  double gathered() {
    const std::uint64_t widest = limit_ - std::min<std::uint64_t>(limit_, drift_.most_at_once());
    if (last_ > widest) return no_bound;
    const std::uint64_t within = std::min(widest, last_ + std::max<std::uint64_t>(16, last_ / 2));
    home_ = 0;
    for (std::uint32_t s = 0; s < g_.size(); ++s) {
      if (customers_[s] > within) continue;
      order_.push_back(s);
      if (distribution_[s] > distribution_[home_] || customers_[home_] > within) home_ = s;
    }
    if (std::none_of(order_.begin(), order_.end(), [&](std::uint32_t s) { return s != home_ && short_[s] > 0.0; }))
      return 0.0;
    order_.erase(std::find(order_.begin(), order_.end(), home_));
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return customers_[a] < customers_[b]; });
    place_.assign(g_.size(), nowhere);
    for (std::uint32_t k = 0; k < order_.size(); ++k) place_[order_[k]] = k;
    std::size_t band = 1;
    for (const std::uint32_t s : order_)
      each(s, [&](std::uint32_t to, double) {
        const std::uint32_t k = place_[s], t = place_[to];
        if (t != nowhere) band = std::max<std::size_t>(band, t > k ? t - k : k - t);
      });
    const auto states = static_cast<double>(order_.size()), wide = static_cast<double>(band);
    const bool direct = states * wide * wide <= 3e8 && states * wide <= 1e7;
    const double most = direct ? eliminated(band) : iterated();
    return std::isfinite(most) ? (1.0 + outward) * most : no_bound;
  }

  // Whoever gets outside comes back to where it falls short at worst.
  double eliminated(std::size_t band) const {
    BandElimination elimination(order_.size(), band);
    for (std::uint32_t k = 0; k < order_.size(); ++k) {
      elimination.gathers(k) = short_[order_[k]];
      each(order_[k], [&](std::uint32_t to, double rate) {
        if (to == home_) elimination.absorbed(k) += rate;
        else if (place_[to] == nowhere) elimination.outside(k) += rate;
        else elimination.rate(k, place_[to]) += rate;
      });
    }
    if (!elimination.solve(budget_)) return no_bound;
    double most = 0.0;
    for (std::uint32_t k = 0; k < order_.size(); ++k)
      if (short_[order_[k]] > 0.0) most = std::max(most, elimination.gathers(k) / elimination.absorbed(k));
    return most;
  }

  /// The same from above, for many states.
  double iterated() const {
    std::vector<double> gains(order_.size()), leaves(order_.size(), 0.0), sum, goes;
    double greatest = 0.0;
    for (std::uint32_t k = 0; k < order_.size(); ++k) {
      gains[k] = short_[order_[k]], greatest = std::max(greatest, gains[k]);
      each(order_[k], [&](std::uint32_t to, double rate) {
        if (to != home_ && place_[to] == nowhere) leaves[k] += rate;
      });
    }
    if (!above(gains, 0.01 * greatest, sum)) return no_bound;
    const double longest = *std::max_element(sum.begin(), sum.end()) / (0.01 * greatest);
    if (!above(leaves, 0.02 / longest, goes)) return no_bound;
    double most = 0.0;
    for (std::uint32_t k = 0; k < order_.size(); ++k)
      if (gains[k] > 0.0) most = std::max(most, goes[k] < 1.0 ? sum[k] / (1.0 - goes[k]) : no_bound);
    return most;
  }
  /// Sweeps forth and back for the solution with more gains, until it is too great everywhere for those that are.
  bool above(const std::vector<double>& gains, double more, std::vector<double>& out) const {
    out.assign(order_.size(), 0.0);
    const auto work = static_cast<double>(space_.generator.transitions());
    constexpr double most_work = 2e9;
    for (double done = 0.0; done < most_work; done += 2.0 * work) {
      if (budget_.stop_requested()) return false;
      bool enough = true;
      const auto sweep = [&](std::uint32_t k) {
        double sum = gains[k] + more, rates = 0.0;
        each(order_[k], [&](std::uint32_t to, double rate) {
          rates += rate;
          if (place_[to] != nowhere) sum += rate * out[place_[to]];
        });
        enough = enough && rates * out[k] >= sum - more;
        out[k] = sum / rates;
      };
      for (std::uint32_t k = 0; k < order_.size(); ++k) sweep(k);
      // Values only grow: what was enough for smaller neighbours is asked again, of all at once.
      if (enough && holds(gains, out)) return true;
      for (std::uint32_t k = static_cast<std::uint32_t>(order_.size()); k-- > 0;) sweep(k);
    }
    return false;
  }
  bool holds(const std::vector<double>& gains, const std::vector<double>& out) const {
    for (std::uint32_t k = 0; k < order_.size(); ++k) {
      double sum = gains[k], rates = 0.0;
      each(order_[k], [&](std::uint32_t to, double rate) {
        rates += rate;
        if (place_[to] != nowhere) sum += rate * out[place_[to]];
      });
      if (rates * out[k] < sum) return false;
    }
    return true;
  }

  template <class Visit>
  void each(std::uint32_t s, const Visit& visit) const {
    const RateRows& rows = space_.generator.rows();
    for (std::uint32_t e = rows.start[s]; e < rows.start[s + 1]; ++e) visit(rows.other[e], rows.rate[e]);
  }

  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};
  const NetworkChain& chain_;
  const NetworkSpace& space_;
  std::uint64_t limit_;
  std::span<const double> distribution_;
  const TailDrift& drift_;
  const Budget& budget_;
  std::vector<double> g_, short_;
  std::vector<std::uint64_t> customers_;
  std::vector<Cut> cut_;
  std::uint64_t last_ = 0;                    ///< customers, where g falls short
  std::uint32_t home_ = 0;                    ///< the most probable state
  std::vector<std::uint32_t> order_, place_;  ///< states without it, as far as need be; by state: where there
};

}  // namespace

double TruncationBound::of(double c, double mean) const {
  if (!(weight < 1.0)) return no_bound;
  return weight * (c + std::fabs(mean)) / (1.0 - weight);
}

TruncationBound bound_truncation(const NetworkChain& chain, const NetworkSpace& space, std::uint64_t limit,
                                 std::span<const double> distribution, const TailDrift& drift, const Budget& budget) {
  return {CutMoves(chain, space, limit, distribution, drift, budget).weight()};
}

}  // namespace ergode
