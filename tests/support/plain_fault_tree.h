#pragma once
#include <random>
#include <string>
#include <vector>

namespace ergode::test {

/// A small dynamic fault tree, and its meaning worked out as plainly as it can be: every combination of what has failed
/// and of what gates remember is a state, told apart whether it matters or not. Shares no code with the project.
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
    int needed = 0;             ///< vote
    double rate = 0.0;          ///< event
    double dormancy = 1.0;      ///< event that stands by
    double probability = 1.0;   ///< dependency
  };
  std::vector<Node> nodes;  ///< children before parents
  int top = 0;

  /// In the Galileo format.
  std::string text() const;
  /// Probability that the top has failed by a time, by uniformisation of the whole chain.
  double probability_by(double time) const;
};

/// A random tree of up to `events` events in which every kind of element may occur. Inputs of spare gates are events of
/// their own; sequences and mutual exclusions hold events that no dependency forces.
PlainTree random_tree(std::mt19937& random, int events, int gates);

}  // namespace ergode::test
