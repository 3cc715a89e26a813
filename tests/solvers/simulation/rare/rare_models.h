#pragma once
#include "core/base/text.h"
#include "tests/solvers/solver_check.h"
#include "tests/support/bfr_chain.h"

namespace ergode::test {

/// Two unlike units A and B, each up, or down in one of `phases` phases of repair; the measure is that both are down.
struct TwoUnits {
  double fails[2];  ///< [1/h]
  double phase[2];  ///< rate of each phase of repair [1/h]
  int phases = 1;
  double load = 0;  ///< B fails by this factor more while A is down

  /// Drawn with one exponential clock per phase, or with one delay of that Erlang law.
  Document model(bool one_delay, const std::string& mission) const {
    ModelBuilder m(mission);
    for (int unit = 0; unit < 2; ++unit) {
      const std::string name(1, "AB"[unit]);
      ChartBuilder c(m, "Unit" + name);
      const ElementId up = c.state("Up"), down = c.state("Down");
      c.initial(up);
      std::string rate = number_text(fails[unit]) + " /h";
      if (unit == 1 && load > 0) rate += " * if(in(A.Down), " + number_text(1 + load) + ", 1)";
      c.transition(up, down, "rate(" + rate + ")", "", "", {{"role", "failure"}});
      const std::string clock = number_text(phase[unit]) + " /h";
      if (one_delay) {
        c.transition(down, up, "after(gamma(shape = " + std::to_string(phases) + ", rate = " + clock + "))", "", "",
                     {{"role", "repair"}});
      } else {
        ElementId before;
        for (int i = 1; i <= phases; ++i) {
          const ElementId state = c.state("P" + std::to_string(i), down);
          if (i == 1) c.initial(state, down);
          else c.transition(before, state, "rate(" + clock + ")", "", "", {{"role", "repair"}});
          before = state;
        }
        c.transition(before, up, "rate(" + clock + ")", "", "", {{"role", "repair"}});
      }
      m.component(name, "Unit" + name);
    }
    m.measure("both_by", "probability_by", "in(A.Down) and in(B.Down)", {{"curve", 4}, {"headline", "true"}});
    m.measure("both_at", "probability_at", "in(A.Down) and in(B.Down)", {{"curve", 4}});
    m.header("seed", 1);
    return m.document();
  }

  /// By the mission time (absorbing) or at it, by uniformisation of the chain of both units' phases.
  double exact(double mission_h, bool by) const {
    const int n = phases + 1;
    const auto at = [&](int a, int b) { return static_cast<std::size_t>(a * n + b); };
    Generator q(at(n - 1, n - 1) + 1, std::vector<double>(at(n - 1, n - 1) + 1, 0.0));
    const auto go = [&](std::size_t from, std::size_t to, double rate) { q[from][to] += rate, q[from][from] -= rate; };
    for (int a = 0; a < n; ++a)
      for (int b = 0; b < n; ++b) {
        if (by && a > 0 && b > 0) continue;
        go(at(a, b), at((a + 1) % n, b), (a == 0 ? fails[0] : phase[0]) / hour);
        go(at(a, b), at(a, (b + 1) % n), (b == 0 ? fails[1] * (a > 0 ? 1 + load : 1) : phase[1]) / hour);
      }
    std::vector<double> start(q.size(), 0.0);
    start[0] = 1.0;
    const std::vector<double> p = transient(q, start, mission_h * hour, 1e-20);
    double out = 0;
    for (int a = 1; a < n; ++a)
      for (int b = 1; b < n; ++b) out += p[at(a, b)];
    return out;
  }
};

/// All of the example's pumps down, by or at its mission time.
inline double four_pumps(bool by, double mission_h = 1000) {
  Generator q(5, std::vector<double>(5, 0.0));
  for (int down = 0; down < 5; ++down) {
    const auto i = static_cast<std::size_t>(down);
    if (by && down == 4) continue;
    if (down < 4) q[i][i + 1] = (4 - down) * 1.5e-4 / hour;
    if (down > 0) q[i][i - 1] = 0.1 / hour;
    q[i][i] = -(down < 4 ? q[i][i + 1] : 0) - (down > 0 ? q[i][i - 1] : 0);
  }
  return transient(q, {1, 0, 0, 0, 0}, mission_h * hour, 1e-20)[4];
}

}  // namespace ergode::test
