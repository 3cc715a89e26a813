#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "core/study/solver.h"
#include "solvers/hybrid/continuous_path.h"
#include "solvers/hybrid/flow_equations.h"
#include "solvers/hybrid/ode_integrator.h"
#include "solvers/hybrid/sign_search.h"
#include "solvers/hybrid/turning_points.h"
#include "statecharts/execute/chart_replication.h"

namespace ergode {

class DormandPrince;

/// Integrates the continuous variables of one replication between its events, and finds the moments when a condition on
/// them changes or a clock whose rate depends on them goes off. Between two events the model is a system of ordinary
/// differential equations; with random jumps, a piecewise-deterministic Markov process.
///
/// Clocks of continuously changing rate become equations of their own: what is left of the unit-exponential hazard
/// falls at the present rate, and the clock goes off where it reaches zero. Conditions are found as zeros of the
/// differences of the two sides of every comparison.
///
/// An explicit formula (dormand_prince.h), and from where the equations turn out to be stiff to the end of the history
/// backward differentiation (bdf.h); or one of them alone, as OdeOptions says. Started afresh at the beginning of a
/// history, so a replication gives the same bits whatever ran before it, and after every event that changes what is
/// integrated: an equation, a condition, a variable, a clock, or a slot that these read. Others leave the step alone.
/// Errors are controlled per step by the tolerances of
/// OdeOptions, not bounded as a whole. A condition that is the same at both ends of a step is searched for changes
/// within it (sign_search.h) wherever its value, as the integrator interpolates it, may come back: as a variable that
/// bends, or as abs, a square, sin or a product of what does not. Where an equation may have a narrow peak
/// (hidden_turns(), time_peaks()) a step ends, so that the formula cannot step over it.
///
/// In the order start(), then advance() and commit() in turn; at() between the two. Whether anything happened since the
/// last step is read from the fingerprint of the world. One per history and thread.
/// Davis, Piecewise-deterministic Markov processes, J. Royal Stat. Soc. B 46(3), 1984.
class ContinuousFlow : private OdeSystem, public ContinuousPath {
 public:
  /// Takes all conditions apart and compiles the equations: once per history, O(their instructions).
  /// @param charts   of the history whose variables flow; must outlive it. Comparisons that its measures look at are
  ///                 found too.
  /// @param options  method and tolerances
  /// @param horizon_s  mission time, > 0: up to there functions of time are looked at for peaks (time_peaks())
  ContinuousFlow(ChartReplication& charts, const OdeOptions& options, double horizon_s);
  ~ContinuousFlow() override;

  /// Forgets the previous replication: at time zero, and whenever the charts were set to another moment.
  void start();
  /// Goes on from now towards `until_s` and stops early at a step of the integrator or when something changes. The
  /// charts are not touched. Only where now < until_s. One step of the integrator, none where nothing flows.
  /// @returns the time reached [s], in (now, until_s]
  /// @throws ModelFailure  RUN030: the equations cannot be integrated (no step is small enough, no value, a rate that
  ///                       stays negative), or they change more than a thousand times within a billionth of the time
  ///                       gone by.
  double advance(double until_s);
  /// Hands what was reached by advance() to the charts: moves the clock, sets variables, comes to rest, then lets
  /// clocks go off whose hazard has run out and which are still running, and comes to rest after each.
  void commit();
  const double* at(double time_s) override;
  void at(std::span<const double> times_s, std::uint32_t slot, double* out) override;

 private:
  /// A state of an instance: its bit in the configurations. None: always active.
  struct StateBit {
    std::uint32_t word = 0;
    std::uint64_t bit = 0;
  };
  StateBit state_bit(std::uint32_t instance, std::int32_t state) const;
  bool active(StateBit state) const { return state.bit == 0 || (charts_.configuration()[state.word] & state.bit) != 0; }
  /// Whoever looks at a root while a state is active.
  struct Onlooker {
    StateBit while_active;
    bool switches = false;  ///< an equation changes here
  };
  /// The difference of the two sides of a comparison, which changes its sign where the comparison does.
  struct RootFunction {
    Program difference;  ///< over slots_
    std::vector<Onlooker> onlookers;
    bool switches = false;              ///< for those who look at present
    bool turns = false;                 ///< not affine: it may change twice within a straight line
    bool ends_step = false;             ///< an equation may have a narrow peak here: no step goes over it
    std::vector<std::uint32_t> values;  ///< that it reads: places in y
    OdeCondition form;                  ///< .limit: where it is constant
    std::int64_t limit = -1;            ///< slot of the limit, where it is not
  };
  /// Takes apart guards of eventless transitions, edges, equations and what measures look at; a difference that does
  /// not flow is left out. Once, in the constructor.
  void find_roots(double horizon_s);
  /// @param state     of the instance, while whose activity somebody looks at it; -1: always
  /// @param switches  an equation changes at all of them, not only at jumps
  void add_roots(const Program& program, std::uint32_t instance, std::int32_t state, bool switches = false);
  /// Sets peaks_. At most 2^23 evaluations of equations, once per history.
  void find_peaks(double horizon_s);
  /// Roots of the form variable minus limit are handed to the integrator as such, which need not call back for them.
  void find_forms();
  /// Whether anybody looks at it in the present configuration; sets RootFunction::switches for those who do.
  bool looked_at(RootFunction& root);
  /// The program with comparisons frozen (conditions_), so that it is smooth within a step; its roots are added.
  Program smooth(std::int32_t program, std::uint32_t instance, std::int32_t state);
  void still_derivatives(double* out) override;
  bool derivatives(double time_s, const double* y, double* rate) override;
  std::size_t states(std::size_t) const override { return model_.continuous_slots.size(); }
  bool state_derivatives(double time_s, const double* y, double* rate) override;
  void conditions(double time_s, const double* y, double* out) override;
  double condition(std::size_t number, double time_s, const double* y) override;
  void looked_at(std::vector<OdeCondition>& conditions) override;
  bool moves(std::uint32_t slot) const { return slot == World::now_slot || model_.continuous(slot); }
  void add_root(Program difference, Onlooker who, bool ends_step);
  /// A step of the integrator, or as much of it as lies before the first change that its ends do not show. Where it
  /// went over a possible peak of an equation it is made again up to there.
  /// @returns the time reached; found_ says which roots passed zero
  double step(double until_s);
  /// Into lists, by what there is to look for in each of those that are active.
  void sort_roots();
  void add_bend(std::uint32_t root);
  /// An affine root where the variables are y.
  double affine_value(const RootFunction& root, double time_s, const double* y);
  /// Whether an affine root with the same sign at both ends of a step may have another between, by its value in the
  /// middle: `middle` are the values there.
  bool may_come_back(const RootFunction& root, double from_s, double to_s, const double* middle);
  /// The first change of a root within the last step, by bounds on its values; nothing: none, or the one known already.
  std::optional<double> hidden_change(std::uint32_t root, double from_s, double to_s);
  /// Notes clocks whose hazard ran out; at an exact zero goes a hair beyond it, so that strict comparisons hold.
  /// @throws ModelFailure  RUN030: more than a thousand times within a billionth of the time gone by
  void roots_found(double until_s);
  /// Takes configuration, slots and hazards from the charts and begins anew from now. O(slots + hazards + roots).
  void restart();
  /// What an event may change for the integrator: states and slots that anything integrated or looked for depends on.
  void find_inputs();
  /// Whether something happened since the last restart that changed any of it, a variable or the rest of a clock. What
  /// measures see is brought up to date. O(slots) where something happened.
  bool disturbed();
  /// From now on backward differentiation. @throws ModelFailure  RUN030: it cannot be made
  void use_bdf();
  OdeSystem& system() { return *this; }
  bool idle() const { return active_flows_.empty() && active_hazards_.empty(); }
  /// Time and continuous variables into slots_.
  void put(double time_s, const double* y);
  /// RUN030, naming the first flow of the model, or its first clock of continuously changing rate.
  [[noreturn]] void fail(const std::string& what) const;

  ChartReplication& charts_;
  const CompiledModel& model_;
  OdeOptions options_;
  std::vector<double> peaks_;                          ///< of functions of time alone [s], ascending: steps end there
  std::vector<std::uint32_t> hazards_;                 ///< timers of continuously changing rate
  std::vector<StateBit> flow_states_, hazard_states_;  ///< while they are active
  std::vector<RootFunction> roots_;                    ///< each once, however many look at it
  /// By difference: place in roots_; only while they are found.
  std::map<std::vector<std::tuple<Program::Op, std::uint32_t, std::uint64_t>>, std::size_t> known_roots_;
  /// What comparisons in the equations are frozen to, each in a slot of its own until the next start: a step that goes
  /// over a switch would otherwise put it at the wrong place.
  std::vector<Program> conditions_;
  FlowEquations equations_;
  std::vector<std::uint32_t> active_flows_;    ///< places in the model's flows
  std::vector<std::uint32_t> active_hazards_;  ///< places in hazards_
  std::vector<std::uint32_t> active_roots_;    ///< places in roots_
  std::vector<std::uint32_t> roots_before_;    ///< those before the latest restart
  std::vector<std::uint32_t> active_turns_;    ///< those of them that turn
  std::vector<std::uint32_t> active_bends_;    ///< those that are affine in variables, which may bend
  std::vector<std::uint32_t> bending_;         ///< variables, as values, that bends compare with what stays
  bool bends_unevenly_ = false;                ///< a bend is something else than such a comparison
  std::vector<std::uint32_t> active_ends_;     ///< those of them where a step must end
  std::vector<int> found_;                     ///< as OdeIntegrator::found()
  std::vector<Range> ranges_;                  ///< by slot, as slots_; scratch
  std::vector<double> ends_[3];                ///< scratch: values at both ends and in the middle
  SignSearch search_;
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};
  std::vector<std::uint32_t> index_of_slot_;  ///< place among the rates; nowhere: it does not flow
  std::vector<double> slots_;                 ///< as the equations see them
  std::vector<double> reached_;               ///< variables, then hazards, at `time_`
  std::vector<double> between_, middle_;      ///< scratch: the same at other times
  double time_ = 0.0;                         ///< reached by advance() [s]
  double horizon_s_ = 0.0;                    ///< mission time [s]
  std::uint64_t fingerprint_ = 0;             ///< of the world, when disturbed() was last known
  std::vector<StateBit> words_;               ///< of the configurations: states that matter to the integrator
  std::vector<std::uint64_t> words_before_;   ///< what they were
  std::vector<std::uint32_t> inputs_;         ///< slots that it reads and that do not flow
  bool undisturbed_ = false;                  ///< nothing of it changed when something last happened
  double stall_time_ = 0.0;                   ///< since when something changes all the time,
  std::uint32_t stalls_ = 0;                  ///< and how often
  bool fresh_ = true, integrating_ = false;   ///< to be restarted; something flows
  std::vector<std::uint32_t> spent_;          ///< timers whose hazard has run out
  std::unique_ptr<DormandPrince> explicit_;   ///< null: stiff equations are expected
  std::unique_ptr<OdeIntegrator> bdf_;        ///< made when it is needed
  OdeIntegrator* integrator_ = nullptr;       ///< the one in use
};

}  // namespace ergode
