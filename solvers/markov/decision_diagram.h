#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/study/budget.h"

namespace ergode {

/// Reduced ordered binary decision diagrams over variables 0, 1, 2, ...: a function is a number, equal functions have
/// equal numbers. Smaller variables are asked first. Nodes are never given back. One thread. Bryant, Graph-based
/// algorithms for Boolean function manipulation, IEEE Trans. Computers 35(8), 1986.
class DecisionDiagram {
 public:
  using Function = std::uint32_t;
  static constexpr Function no = 0, yes = 1;

  static constexpr std::size_t default_nodes = 2000000;  ///< with what is remembered of them, at most 700 MB

  /// @param most_nodes  beyond which if_then_else() gives up; also at four times as many different questions.
  explicit DecisionDiagram(std::size_t most_nodes = default_nodes);

  /// The function that is the variable, a number below 2^32 - 1. Amortised O(1).
  Function variable(std::uint32_t number);
  /// Nothing when the diagram has grown too large or beyond the memory allowed, or somebody asked to stop; what was
  /// drawn up to then stays, and the diagram may be used further. O(product of the sizes), without recursion.
  /// @param condition, then, otherwise  functions of this diagram
  /// @throws OverBudget when the time is over
  std::optional<Function> if_then_else(Function condition, Function then, Function otherwise,
                                       const Budget& budget = {});

  bool constant(Function f) const { return f <= yes; }
  /// The first variable that a function depends on; greater than every variable for constants.
  std::uint32_t first_variable(Function f) const { return nodes_[f].variable; }
  /// What is left of the function when its first variable is known; a constant stays.
  Function with(Function f, bool value) const { return value ? nodes_[f].high : nodes_[f].low; }
  /// Nodes drawn so far, the two constants and those of functions nobody needs any more included. A function has a
  /// greater number than all that it is made of.
  std::size_t size() const { return nodes_.size(); }

 private:
  struct Node {
    std::uint32_t variable;
    Function low, high;
  };
  struct Hash {
    std::size_t operator()(const std::array<std::uint32_t, 3>& key) const {
      std::uint64_t h = 0x9e3779b97f4a7c15ULL;
      for (const std::uint32_t word : key) h = (h ^ word) * 0xff51afd7ed558ccdULL, h ^= h >> 32U;
      return static_cast<std::size_t>(h);
    }
  };
  /// A choice between two functions below a variable that waits for its branches.
  struct Open {
    std::array<std::uint32_t, 3> key;
    std::uint32_t variable = 0;
    Function low = 0;
    int done = 0;  ///< branches
  };
  Function node(std::uint32_t variable, Function low, Function high);
  /// What needs no branches: constants, and what is known.
  std::optional<Function> at_once(const std::array<std::uint32_t, 3>& key) const;

  std::size_t most_nodes_;
  std::uint64_t steps_ = 0;
  std::vector<Node> nodes_;
  std::unordered_map<std::array<std::uint32_t, 3>, Function, Hash> unique_, known_;
};

}  // namespace ergode
