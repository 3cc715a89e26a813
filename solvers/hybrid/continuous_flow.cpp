#include "solvers/hybrid/continuous_flow.h"

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ergode {

// Owns CVODE's objects; the equations and root functions read the flow that owns it.
struct ContinuousFlow::Integrator {
  SUNContext context = nullptr;
  N_Vector y = nullptr, dense = nullptr;
  SUNMatrix matrix = nullptr;
  SUNLinearSolver linear = nullptr;
  SUNNonlinearSolver nonlinear = nullptr;
  void* memory = nullptr;

  Integrator(ContinuousFlow& flow, std::size_t size, int roots) {
    const auto n = static_cast<sunindextype>(size);
    SUNContext_Create(nullptr, &context);
    y = N_VNew_Serial(n, context), dense = N_VNew_Serial(n, context);
    N_VConst(0.0, y);
    memory = CVodeCreate(flow.options_.stiff ? CV_BDF : CV_ADAMS, context);
    bool good = memory != nullptr && CVodeInit(memory, derivatives, 0.0, y) == CV_SUCCESS;
    good = good && CVodeSStolerances(memory, flow.options_.relative, flow.options_.absolute) == CV_SUCCESS;
    if (flow.options_.stiff) {
      matrix = SUNDenseMatrix(n, n, context);
      linear = SUNLinSol_Dense(y, matrix, context);
      good = good && CVodeSetLinearSolver(memory, linear, matrix) == CVLS_SUCCESS;
    } else {
      nonlinear = SUNNonlinSol_FixedPoint(y, 0, context);
      good = good && CVodeSetNonlinearSolver(memory, nonlinear) == CV_SUCCESS;
    }
    good = good && CVodeRootInit(memory, roots, root_values) == CV_SUCCESS &&
           CVodeSetNoInactiveRootWarn(memory) == CV_SUCCESS && CVodeSetUserData(memory, &flow) == CV_SUCCESS &&
           CVodeSetErrFile(memory, nullptr) == CV_SUCCESS && CVodeSetMaxNumSteps(memory, 100000) == CV_SUCCESS;
    if (!good) flow.fail("the integrator cannot be set up");
  }
  Integrator(const Integrator&) = delete;
  Integrator& operator=(const Integrator&) = delete;
  ~Integrator() {
    CVodeFree(&memory);
    if (nonlinear != nullptr) SUNNonlinSolFree(nonlinear);
    if (linear != nullptr) SUNLinSolFree(linear);
    if (matrix != nullptr) SUNMatDestroy(matrix);
    N_VDestroy(y), N_VDestroy(dense);
    SUNContext_Free(&context);
  }

  static int derivatives(realtype t, N_Vector y, N_Vector out, void* user) {
    auto& flow = *static_cast<ContinuousFlow*>(user);
    double* const rate = N_VGetArrayPointer(out);
    std::fill_n(rate, flow.reached_.size(), 0.0);
    flow.put(t, N_VGetArrayPointer(y));
    for (const std::uint32_t f : flow.active_flows_)
      rate[flow.index_of_slot_[flow.model_.flows[f].slot]] += flow.flow_programs_[f].evaluate(flow.slots_.data());
    for (const std::uint32_t h : flow.active_hazards_) {
      const double value = flow.hazard_programs_[h].evaluate(flow.slots_.data());
      // A rate may look negative inside a trial step; let the integrator try a shorter one.
      if (!(value >= 0.0)) return 1;
      rate[flow.model_.continuous_slots.size() + h] = -value;
    }
    return std::all_of(rate, rate + flow.reached_.size(), [](double r) { return std::isfinite(r); }) ? 0 : 1;
  }

  static int root_values(realtype t, N_Vector y, realtype* out, void* user) {
    auto& flow = *static_cast<ContinuousFlow*>(user);
    const double* const value = N_VGetArrayPointer(y);
    flow.put(t, value);
    const std::size_t variables = flow.model_.continuous_slots.size();
    for (std::size_t h = 0; h < flow.hazards_.size(); ++h) out[h] = 1.0;
    for (const std::uint32_t h : flow.active_hazards_) out[h] = value[variables + h];
    double* const conditions = out + flow.hazards_.size();
    for (std::size_t r = 0; r < flow.roots_.size(); ++r)
      conditions[r] = flow.root_active_[r] != 0 ? flow.roots_[r].difference.evaluate(flow.slots_.data()) : 1.0;
    return 0;
  }
};

ContinuousFlow::ContinuousFlow(ChartReplication& charts, const OdeOptions& options)
    : charts_(charts), model_(charts.model()), options_(options) {
  const CompiledModel& model = model_;
  index_of_slot_.resize(model.table->size());
  for (std::uint32_t i = 0; i < model.continuous_slots.size(); ++i) index_of_slot_[model.continuous_slots[i]] = i;
  for (std::uint32_t t = 0; t < model.timers.size(); ++t)
    if (model.timers[t].hazard) hazards_.push_back(t);
  slots_.resize(model.table->size());
  find_roots();
  root_active_.resize(roots_.size());
  found_.resize(hazards_.size() + roots_.size());
  reached_.resize(model.continuous_slots.size() + hazards_.size());
  if (!reached_.empty())
    cvode_ = std::make_unique<Integrator>(*this, reached_.size(), static_cast<int>(hazards_.size() + roots_.size()));
}

ContinuousFlow::~ContinuousFlow() = default;

void ContinuousFlow::add_roots(const Program& program, std::uint32_t instance, std::int32_t state, bool switches) {
  const auto moves = [&](std::uint32_t slot) { return slot == World::now_slot || model_.continuous(slot); };
  for (Program::Switch& found : program.switching(static_cast<std::uint32_t>(slots_.size()), conditions_))
    if (std::any_of(found.difference.slots().begin(), found.difference.slots().end(), moves))
      roots_.push_back({std::move(found.difference), instance, state, switches || found.jump});
  slots_.resize(model_.table->size() + conditions_.size());
}

Program ContinuousFlow::smooth(std::int32_t program, std::uint32_t instance, std::int32_t state) {
  const Program& drawn = model_.programs[static_cast<std::size_t>(program)];
  add_roots(drawn, instance, state, true);
  Program out = drawn.without_switches(static_cast<std::uint32_t>(slots_.size()), conditions_);
  slots_.resize(model_.table->size() + conditions_.size());
  return out;
}

void ContinuousFlow::find_roots() {
  const auto program = [&](std::int32_t number) -> const Program& {
    return model_.programs[static_cast<std::size_t>(number)];
  };
  for (std::uint32_t i = 0; i < model_.instances.size(); ++i) {
    const Instance& instance = model_.instances[i];
    const StateChart& chart = model_.charts[instance.chart].chart;
    for (std::size_t t = 0; t < chart.transitions.size(); ++t) {
      const GuardSpec& guard = model_.guards[instance.transition_base + t];
      if (!chart.transitions[t].trigger.eventless()) continue;
      const std::int32_t source = chart.transitions[t].source;
      const bool edge = guard.kind == GuardSpec::Kind::becomes;
      if ((edge || guard.kind == GuardSpec::Kind::program) && guard.program >= 0)
        add_roots(program(guard.program), i, source);
      if (edge) add_roots(program(model_.timers[guard.timer].program), i, source);
    }
  }
  for (const FlowSpec& flow : model_.flows)
    flow_programs_.push_back(smooth(flow.program, flow.instance, static_cast<std::int32_t>(flow.state)));
  for (const std::uint32_t t : hazards_) {
    const TimerSpec& timer = model_.timers[t];
    const ChartTables& tables = model_.charts[model_.instances[timer.instance].chart];
    hazard_programs_.push_back(smooth(timer.program, timer.instance, tables.ways[timer.transition].source));
  }
  for (const Program& observed : model_.table->observers()) add_roots(observed, 0, -1);
}

void ContinuousFlow::put(double time_s, const double* y) {
  slots_[World::now_slot] = time_s;
  for (std::size_t i = 0; i < model_.continuous_slots.size(); ++i) slots_[model_.continuous_slots[i]] = y[i];
}

void ContinuousFlow::fail(const std::string& what) const {
  ElementId element;
  if (!model_.flows.empty()) {
    const FlowSpec& flow = model_.flows.front();
    element = model_.charts[model_.instances[flow.instance].chart].chart.states[flow.state].element;
  } else if (!hazards_.empty()) {
    element = model_.element_of(model_.timers[hazards_[0]].instance, model_.timers[hazards_[0]].transition);
  }
  throw ModelFailure({.code = "RUN030",
                      .element = element,
                      .message = "The continuous variables cannot be integrated beyond " +
                                 std::to_string(time_ / 3600.0) + " h: " + what + ".",
                      .hint = "Look for flows that grow without bound, negative rates and divisions by zero."});
}

void ContinuousFlow::restart() {
  fresh_ = false;
  fingerprint_ = charts_.world().fingerprint;
  active_flows_.clear(), active_hazards_.clear();
  for (std::uint32_t f = 0; f < model_.flows.size(); ++f)
    if (charts_.active(model_.flows[f].instance, static_cast<int>(model_.flows[f].state))) active_flows_.push_back(f);
  for (std::uint32_t h = 0; h < hazards_.size(); ++h)
    if (charts_.hazard_runs(hazards_[h])) active_hazards_.push_back(h);
  for (std::size_t r = 0; r < roots_.size(); ++r)
    root_active_[r] = roots_[r].state < 0 || charts_.active(roots_[r].instance, roots_[r].state) ? 1 : 0;
  const std::size_t own = model_.table->size();
  std::copy_n(charts_.slots(), own, slots_.begin());
  for (std::size_t c = 0; c < conditions_.size(); ++c) slots_[own + c] = conditions_[c].evaluate(slots_.data());
  for (std::size_t i = 0; i < model_.continuous_slots.size(); ++i) reached_[i] = slots_[model_.continuous_slots[i]];
  for (std::size_t h = 0; h < hazards_.size(); ++h)
    reached_[model_.continuous_slots.size() + h] = charts_.hazard_left(hazards_[h]);
  time_ = charts_.now();
  integrating_ = !idle();
  if (!integrating_) return;
  std::copy(reached_.begin(), reached_.end(), N_VGetArrayPointer(cvode_->y));
  if (CVodeReInit(cvode_->memory, time_, cvode_->y) != CV_SUCCESS) fail("the integrator cannot be restarted");
}

double ContinuousFlow::advance(double until_s) {
  spent_.clear();
  // Anything that happened may have changed equations and variables; the fingerprint knows of every transition.
  if (fresh_ || fingerprint_ != charts_.world().fingerprint) restart();
  const double hair = 1000.0 * std::numeric_limits<double>::epsilon() * std::abs(until_s);
  if (!integrating_ || until_s - time_ <= hair) return time_ = until_s;
  CVodeSetStopTime(cvode_->memory, until_s);
  double reached = time_;
  const int status = CVode(cvode_->memory, until_s, cvode_->y, &reached, CV_ONE_STEP);
  if (status < 0) fail(CVodeGetReturnFlagName(status));
  const std::size_t variables = model_.continuous_slots.size();
  if (status == CV_ROOT_RETURN) roots_found(reached, until_s);
  time_ = reached;
  std::copy_n(N_VGetArrayPointer(cvode_->y), reached_.size(), reached_.begin());
  for (std::size_t h = 0; h < hazards_.size(); ++h) reached_[variables + h] = std::max(reached_[variables + h], 0.0);
  return time_;
}

void ContinuousFlow::roots_found(double& reached_s, double until_s) {
  CVodeGetRootInfo(cvode_->memory, found_.data());
  for (const std::uint32_t h : active_hazards_)
    if (found_[h] != 0) spent_.push_back(hazards_[h]);
  // At an exact zero a strict comparison does not hold yet: look a hair behind it.
  put(reached_s, N_VGetArrayPointer(cvode_->y));
  bool exact = false;
  for (std::size_t r = 0; r < roots_.size(); ++r) {
    if (found_[hazards_.size() + r] == 0) continue;
    exact = exact || roots_[r].difference.evaluate(slots_.data()) == 0.0;
    fresh_ = fresh_ || roots_[r].switches;
  }
  double end = reached_s, step = 0.0;
  CVodeGetCurrentTime(cvode_->memory, &end), CVodeGetLastStep(cvode_->memory, &step);
  const double beyond =
      reached_s + 1000.0 * std::numeric_limits<double>::epsilon() * (std::abs(reached_s) + std::abs(step));
  if (exact && beyond <= std::min(end, until_s) &&
      CVodeGetDky(cvode_->memory, beyond, 0, cvode_->dense) == CV_SUCCESS) {
    reached_s = beyond;
    N_VScale(1.0, cvode_->dense, cvode_->y);
  }
  // A thousand changes in the same billionth of the time gone by: the model slides along a limit and gets nowhere.
  if (reached_s - stall_time_ > 1e-9 * std::max(1.0, reached_s)) stall_time_ = reached_s, stalls_ = 0;
  else if (++stalls_ > 1000) fail("it changes over and over at one moment");
}

void ContinuousFlow::commit() {
  charts_.world().move(time_);
  if (!integrating_) return;
  const std::size_t variables = model_.continuous_slots.size();
  for (std::size_t i = 0; i < variables; ++i) charts_.set_variable(model_.continuous_slots[i], reached_[i]);
  for (const std::uint32_t h : active_hazards_) charts_.set_hazard_left(hazards_[h], reached_[variables + h]);
  charts_.settle();
  for (const std::uint32_t timer : spent_)
    // What the conditions did may have stopped the clock.
    if (charts_.hazard_runs(timer) && charts_.hazard_left(timer) <= 0.0) charts_.fire_now(timer);
  // The integrator stands beyond a root it has returned; from here on it must begin again.
  if (fingerprint_ != charts_.world().fingerprint) fresh_ = true;
}

const double* ContinuousFlow::at(double time_s) {
  if (integrating_ && time_s < time_ && CVodeGetDky(cvode_->memory, time_s, 0, cvode_->dense) == CV_SUCCESS)
    put(time_s, N_VGetArrayPointer(cvode_->dense));
  else put(time_s, reached_.data());
  return slots_.data();
}

}  // namespace ergode
