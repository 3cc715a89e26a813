#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "core/study/solver.h"
#include "solvers/hybrid/continuous_path.h"
#include "statecharts/execute/chart_replication.h"

namespace ergode {

/// Integrates the continuous variables of one replication between its events, and finds the moments when a condition
/// on them changes or a clock whose rate depends on them goes off. Between two events the model is a system of ordinary
/// differential equations; with random jumps, a piecewise-deterministic Markov process.
///
/// Clocks of continuously changing rate become equations of their own: what is left of the unit-exponential hazard
/// falls at the present rate, and the clock goes off where it reaches zero. Conditions are found as zeros of the
/// differences of the two sides of every comparison.
///
/// CVODE (Hindmarsh et al., SUNDIALS, ACM Trans. Math. Softw. 31(3), 2005): BDF with a dense Newton iteration, or
/// Adams formulas. Started afresh after every event, so a replication gives the same bits whatever ran before it.
/// Davis, Piecewise-deterministic Markov processes, J. Royal Stat. Soc. B 46(3), 1984.
class ContinuousFlow : public ContinuousPath {
 public:
  /// @param charts  of the history whose variables flow. Comparisons that its measures look at are found too.
  ContinuousFlow(ChartReplication& charts, const OdeOptions& options);
  ~ContinuousFlow() override;

  /// Forgets the previous replication.
  void start() {
    fresh_ = true;
    stall_time_ = 0.0, stalls_ = 0;
  }
  /// Goes on from now towards `until_s` and stops early at a step of the integrator or when something changes. The
  /// charts are not touched. @returns the time reached [s]
  /// @throws ModelFailure  RUN030: the equations cannot be integrated.
  double advance(double until_s);
  /// Hands what was reached by advance() to the charts: variables, conditions, clocks; comes to rest.
  void commit();
  const double* at(double time_s) override;

 private:
  struct Integrator;
  struct RootFunction {
    Program difference;
    std::uint32_t instance = 0;
    std::int32_t state = -1;  ///< of the instance: looked at while it is active; -1: always
    bool switches = false;    ///< an equation changes here
  };
  void find_roots();
  void add_roots(const Program& program, std::uint32_t instance, std::int32_t state, bool switches = false);
  Program smooth(std::int32_t program, std::uint32_t instance, std::int32_t state);
  void roots_found(double& reached_s, double until_s);
  void restart();
  bool idle() const { return active_flows_.empty() && active_hazards_.empty(); }
  void put(double time_s, const double* y);
  [[noreturn]] void fail(const std::string& what) const;

  ChartReplication& charts_;
  const CompiledModel& model_;
  OdeOptions options_;
  std::vector<std::uint32_t> hazards_;  ///< timers of continuously changing rate
  std::vector<RootFunction> roots_;
  std::vector<std::uint8_t> root_active_;
  /// The equations with every comparison frozen in a slot of its own until the next start: a step that goes over a
  /// switch would otherwise put it at the wrong place.
  std::vector<Program> flow_programs_, hazard_programs_, conditions_;
  std::vector<std::uint32_t> active_flows_;    ///< places in the model's flows
  std::vector<std::uint32_t> active_hazards_;  ///< places in hazards_
  std::vector<std::uint32_t> index_of_slot_;
  std::vector<double> slots_;    ///< as the equations see them
  std::vector<double> reached_;  ///< variables, then hazards, at `time_`
  double time_ = 0.0;
  std::uint64_t fingerprint_ = 0;
  double stall_time_ = 0.0;   ///< since when something changes all the time,
  std::uint32_t stalls_ = 0;  ///< and how often
  bool fresh_ = true, integrating_ = false;
  std::vector<int> found_;            ///< which root functions passed zero
  std::vector<std::uint32_t> spent_;  ///< timers whose hazard has run out
  std::unique_ptr<Integrator> cvode_;
};

}  // namespace ergode
