#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace ergode {

/// Reduced ordered binary decision diagrams over variables 0, 1, 2, ...: a function is a number, equal functions have
/// equal numbers. Bryant, Graph-based algorithms for Boolean function manipulation, IEEE Trans. Computers 35(8), 1986.
class DecisionDiagram {
 public:
  using Function = std::uint32_t;
  static constexpr Function no = 0, yes = 1;

  /// @param most_nodes  beyond which if_then_else() gives up.
  explicit DecisionDiagram(std::size_t most_nodes = 2000000);

  /// The function that is the variable.
  Function variable(std::uint32_t number);
  /// Nothing when the diagram has grown too large. O(product of the sizes).
  std::optional<Function> if_then_else(Function condition, Function then, Function otherwise);

  bool constant(Function f) const { return f <= yes; }
  /// The first variable that a function depends on; greater than every variable for constants.
  std::uint32_t first_variable(Function f) const { return nodes_[f].variable; }
  Function with(Function f, bool value) const { return value ? nodes_[f].high : nodes_[f].low; }
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
  Function node(std::uint32_t variable, Function low, Function high);

  std::size_t most_nodes_;
  std::vector<Node> nodes_;
  std::unordered_map<std::array<std::uint32_t, 3>, Function, Hash> unique_, known_;
};

}  // namespace ergode
