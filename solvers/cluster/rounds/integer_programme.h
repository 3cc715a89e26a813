#pragma once
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace ergode {

/// A linear programme, some of whose variables are whole: maximise sum cost x, rows within bounds.
class IntegerProgramme {
 public:
  static constexpr double infinite = std::numeric_limits<double>::infinity();

  /// @returns its number. Bounds may be infinite.
  int variable(double low, double high, double cost, bool whole);
  struct Term {
    int variable;
    double factor;
  };
  void row(double low, double high, std::span<const Term> terms);

  struct Solution {
    std::vector<double> x;
    double value = 0.0;
    double bound = 0.0;   ///< no solution is above it
    bool proven = false;  ///< within the gap; else the best that was found
  };
  /// How hard to look. The number of nodes decides first, so that answers do not depend on how fast a machine is.
  struct Effort {
    double gap = 1e-3;           ///< relative, >= 0
    int most_nodes = 100;        ///< of the search tree, >= 1
    double time_limit_s = 15.0;  ///< > 0
    /// Asked at every node and between passes of cuts: true ends the search with what it has. Empty: nobody asks.
    std::function<bool()> give_up = {};
  };
  /// By branch and cut, on one thread, always along the same path.
  /// @param start  a solution that is known already, by variable; may be empty
  /// @returns nothing where there is no solution, or none was found.
  /// Forrest and others, COIN-OR branch and cut (CBC), EPL 2.0.
  std::optional<Solution> maximise(const Effort& effort, std::span<const double> start = {}) const;

 private:
  std::vector<double> low_, high_, cost_;
  std::vector<int> whole_;
  std::vector<double> row_low_, row_high_;
  std::vector<std::vector<Term>> rows_;
};

}  // namespace ergode
