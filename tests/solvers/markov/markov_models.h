#pragma once
#include "solvers/markov/state_space.h"
#include "tests/solvers/solver_check.h"

namespace ergode::test {

/// The chain of a model; throws when it has none.
inline StateSpace chain_of(const Document& document, bool lumping = true) {
  Diagnostics problems;
  const auto model = build_model(document, {}, "", problems);
  if (model == nullptr) throw std::runtime_error(listed(problems));
  auto made = generate_states(*model, {.lumping = lumping});
  if (auto* problem = std::get_if<Diagnostic>(&made)) throw std::runtime_error(problem->message);
  return std::get<StateSpace>(std::move(made));
}

/// All measures have the same values, within 1e-10 of each other, lumped and component by component.
inline void compare_lumped(const Document& document, const std::string& solver = "ctmc-transient") {
  RunRequest request{.solver = solver};
  const ResultSet one = solved(document, request);
  request.options["lumping"] = "off";
  const ResultSet other = solved(document, request);
  QVERIFY(!one.measures.empty());
  for (const MeasureResult& m : one.measures) {
    const double wanted = estimate(other, m.id);
    QVERIFY2(std::fabs(m.estimate - wanted) <= 1e-10 * std::max(1.0, std::fabs(wanted)),
             qPrintable(QString("%1: lumped %2, unlumped %3")
                            .arg(m.id.c_str())
                            .arg(m.estimate, 0, 'g', 15)
                            .arg(wanted, 0, 'g', 15)));
  }
}

/// n machines that fail at 0.1 /h and wait for one of `crews` that repair at 0.5 /h.
struct Machines {
  ModelBuilder m{"20 h"};
  explicit Machines(int n, int crews = 1, const std::string& repair = "rate(0.5 /h)") {
    ChartBuilder c(m, "Machine");
    const ElementId up = c.state("Up"), down = c.state("Down");
    const ElementId waiting = c.state("Waiting", down), repaired = c.state("Repair", down);
    c.initial(up), c.initial(waiting, down);
    c.transition(up, down, "rate(0.1 /h)", "", "record(failure)", {{"role", "failure"}});
    c.transition(waiting, repaired, "when(count(M[*].Repair) < " + std::to_string(crews) + ")");
    c.transition(repaired, up, repair, "", "", {{"role", "repair"}});
    m.component("M", "Machine", std::to_string(n));
    m.header("replications", "20000");
  }
  void ask() {
    m.measure("all_down", "probability_at", "count(M[*].Down) == count(M[*].Up) + count(M[*].Down)");
    m.measure("all_down_by", "probability_by", "count(M[*].Up) == 0");
    m.measure("mean_down", "time_average", "count(M[*].Down)");
    m.measure("failures", "count", "", {{"event", "failure"}});
    m.measure("halves", "count", "count(M[*].Down) >= 2");
    m.measure("first", "time_to", "count(M[*].Down) > 0");
    m.measure("at_end", "final_value", "count(M[*].Up)");
  }
};

}  // namespace ergode::test
