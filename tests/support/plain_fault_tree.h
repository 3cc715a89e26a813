#pragma once
#include <random>
#include <string>
#include <vector>

namespace ergode::test {

/// A small dynamic fault tree, and its meaning worked out as plainly as it can be: every combination of what has failed
/// and of what gates remember is a state, told apart whether it matters or not. Shares no code with the project: tests
/// compare the solvers with it.
struct PlainTree {
  enum class Kind {
    event,
    conjunction,
    disjunction,
    vote,
    pand,
    pand_strict,
    por,
    por_strict,
    spare,
    dependency,
    sequence,
    mutex
  };
  struct Node {
    Kind kind = Kind::event;
    std::vector<int> children;  ///< dependency: the trigger, then the dependent events
    int needed = 0;             ///< vote: how many children must have failed
    double rate = 0.0;          ///< event: of its exponential life, per unit of time of the caller
    double dormancy = 1.0;      ///< event that stands by: factor of its rate until a spare gate uses it
    double probability = 1.0;   ///< dependency: that the trigger's failure carries over
  };
  std::vector<Node> nodes;  ///< children before parents
  int top = 0;

  /// In the Galileo format; node i is called "Ni". Rates, dormancies and probabilities are written with 6 decimals:
  /// give it numbers that have no more.
  std::string text() const;
  /// Probability that the top has failed by a time, by uniformisation of the whole chain, to about 1e-14. The chain is
  /// made anew for each call, with a number of states that grows exponentially with the nodes: for trees of a dozen.
  /// @param time  >= 0, in the unit of the rates; its product with the fastest total rate of a state must stay below
  ///              700, where exp() underflows.
  double probability_by(double time) const;
};

/// A random tree of `events` events in which every kind of element may occur. Rates are multiples of 0.1 from 0.1 to
/// 1.5, half of them 1, so that there are events that are alike. Inputs of spare gates are events of their own;
/// sequences and mutual exclusions hold events that no dependency forces.
/// @param gates  static and order gates, >= 1; spare gates and dependencies come on top.
/// The same generator state gives the same tree with the same standard library.
PlainTree random_tree(std::mt19937& random, int events, int gates);

}  // namespace ergode::test
