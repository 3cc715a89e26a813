#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "core/study/solver.h"
#include "solvers/hybrid/continuous_path.h"
#include "solvers/hybrid/ode_integrator.h"
#include "statecharts/execute/chart_replication.h"

namespace ergode {

class DormandPrince;

/// Integrates the continuous variables of one replication between its events, and finds the moments when a condition
/// on them changes or a clock whose rate depends on them goes off. Between two events the model is a system of ordinary
/// differential equations; with random jumps, a piecewise-deterministic Markov process.
///
/// Clocks of continuously changing rate become equations of their own: what is left of the unit-exponential hazard
/// falls at the present rate, and the clock goes off where it reaches zero. Conditions are found as zeros of the
/// differences of the two sides of every comparison.
///
/// An explicit formula (dormand_prince.h), and from where the equations turn out to be stiff to the end of the history
/// backward differentiation (bdf.h); or one of them alone, as OdeOptions says. Started afresh after every event, so a
/// replication gives the same bits whatever ran before it.
/// Davis, Piecewise-deterministic Markov processes, J. Royal Stat. Soc. B 46(3), 1984.
class ContinuousFlow : public ContinuousPath, private OdeSystem {
 public:
  /// @param charts  of the history whose variables flow. Comparisons that its measures look at are found too.
  ContinuousFlow(ChartReplication& charts, const OdeOptions& options);
  ~ContinuousFlow() override;

  /// Forgets the previous replication.
  void start();
  /// Goes on from now towards `until_s` and stops early at a step of the integrator or when something changes. The
  /// charts are not touched. @returns the time reached [s]
  /// @throws ModelFailure  RUN030: the equations cannot be integrated.
  double advance(double until_s);
  /// Hands what was reached by advance() to the charts: variables, conditions, clocks; comes to rest.
  void commit();
  const double* at(double time_s) override;

 private:
  struct RootFunction {
    Program difference;
    std::uint32_t instance = 0;
    std::int32_t state = -1;  ///< of the instance: looked at while it is active; -1: always
    bool switches = false;    ///< an equation changes here
  };
  void find_roots();
  void add_roots(const Program& program, std::uint32_t instance, std::int32_t state, bool switches = false);
  Program smooth(std::int32_t program, std::uint32_t instance, std::int32_t state);
  bool derivatives(double time_s, const double* y, double* rate) override;
  void conditions(double time_s, const double* y, double* out) override;
  double condition(std::size_t number, double time_s, const double* y) override;
  void roots_found(double until_s);
  void restart();
  void find_shared();
  void use_bdf();
  OdeSystem& system() { return *this; }
  bool idle() const { return active_flows_.empty() && active_hazards_.empty(); }
  void put(double time_s, const double* y);
  [[noreturn]] void fail(const std::string& what) const;

  ChartReplication& charts_;
  const CompiledModel& model_;
  OdeOptions options_;
  std::vector<std::uint32_t> hazards_;  ///< timers of continuously changing rate
  std::vector<RootFunction> roots_;
  /// The equations with every comparison frozen in a slot of its own until the next start: a step that goes over a
  /// switch would otherwise put it at the wrong place.
  std::vector<Program> flow_programs_, hazard_programs_, conditions_;
  /// What several of the equations have in common, read from slots behind those of the conditions.
  std::vector<Program> shared_;
  std::uint32_t first_shared_ = 0;
  /// What is evaluated while nothing happens, put together at a restart: a program and where its value goes, a slot or
  /// a place among the rates.
  struct Equation {
    const Program* program;
    std::uint32_t into;
  };
  std::vector<Equation> shared_equations_, flow_equations_, hazard_equations_;
  std::vector<std::uint8_t> shared_read_;      ///< scratch
  std::vector<std::uint32_t> active_flows_;    ///< places in the model's flows
  std::vector<std::uint32_t> active_hazards_;  ///< places in hazards_
  std::vector<std::uint32_t> active_roots_;    ///< places in roots_
  std::vector<std::uint32_t> index_of_slot_;
  std::vector<double> slots_;    ///< as the equations see them
  std::vector<double> reached_;  ///< variables, then hazards, at `time_`
  std::vector<double> between_;  ///< scratch: the same at another time
  double time_ = 0.0;
  std::uint64_t fingerprint_ = 0;
  double stall_time_ = 0.0;   ///< since when something changes all the time,
  std::uint32_t stalls_ = 0;  ///< and how often
  bool fresh_ = true, integrating_ = false;
  std::vector<std::uint32_t> spent_;         ///< timers whose hazard has run out
  std::unique_ptr<DormandPrince> explicit_;  ///< null: stiff equations are expected
  std::unique_ptr<OdeIntegrator> bdf_;       ///< made when it is needed
  OdeIntegrator* integrator_ = nullptr;      ///< the one in use
};

}  // namespace ergode
