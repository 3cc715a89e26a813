#pragma once
#include <cmath>
#include <functional>
#include <map>
#include <vector>

namespace ergode::test {

/// The steady state of a Markov chain that is given by a function from a state to where it goes at which rate: states
/// found one after the other, balance equations by Gauss and Seidel. For some thousands of states.
class PlainChain {
 public:
  using State = std::vector<int>;
  using Go = std::function<void(State to, double rate)>;
  PlainChain(const State& start, const std::function<void(const State&, const Go&)>& moves) {
    number_of(start);
    std::vector<double> leaving;
    std::vector<std::vector<std::pair<std::size_t, double>>> coming;
    for (std::size_t s = 0; s < states_.size(); ++s) {
      double all = 0.0;
      moves(State(states_[s]), [&](State to, double rate) {
        if (rate <= 0.0 || to == states_[s]) return;
        const std::size_t t = number_of(to);
        coming.resize(states_.size());
        coming[t].emplace_back(s, rate);
        all += rate;
      });
      leaving.push_back(all);
    }
    coming.resize(states_.size());
    p_.assign(states_.size(), 1.0 / static_cast<double>(states_.size()));
    for (double change = 1.0; change > 1e-13;) {
      double sum = 0.0;
      change = 0.0;
      for (std::size_t s = 0; s < p_.size(); ++s) {
        double in = 0.0;
        for (const auto& [from, rate] : coming[s]) in += p_[from] * rate;
        const double now = in / leaving[s];
        change = std::max(change, std::fabs(now - p_[s]));
        sum += p_[s] = now;
      }
      for (double& p : p_) p /= sum;
    }
  }
  /// The mean of a quantity over time.
  double mean(const std::function<double(const State&)>& of) const {
    double sum = 0.0;
    for (std::size_t s = 0; s < p_.size(); ++s) sum += p_[s] * of(states_[s]);
    return sum;
  }

 private:
  std::size_t number_of(const State& state) {
    const auto [at, fresh] = number_.emplace(state, states_.size());
    if (fresh) states_.push_back(state);
    return at->second;
  }
  std::map<State, std::size_t> number_;
  std::vector<State> states_;
  std::vector<double> p_;
};

/// One number of a state, and the state with it changed.
inline double at(const PlainChain::State& s, std::size_t i) { return static_cast<double>(s[i]); }
inline PlainChain::State with(PlainChain::State s, std::size_t i, int change) {
  s[i] += change;
  return s;
}

}  // namespace ergode::test
