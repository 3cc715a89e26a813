#include "solvers/hybrid/continuous_flow.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/expression/machine_code.h"
#include "solvers/hybrid/bdf.h"
#include "solvers/hybrid/dormand_prince.h"
#include "solvers/hybrid/shared_functions.h"

namespace ergode {

ContinuousFlow::ContinuousFlow(ChartReplication& charts, const OdeOptions& options)
    : charts_(charts), model_(charts.model()), options_(options) {
  const CompiledModel& model = model_;
  index_of_slot_.resize(model.table->size());
  for (std::uint32_t i = 0; i < model.continuous_slots.size(); ++i) index_of_slot_[model.continuous_slots[i]] = i;
  for (std::uint32_t t = 0; t < model.timers.size(); ++t)
    if (model.timers[t].hazard) hazards_.push_back(t);
  slots_.resize(model.table->size());
  find_roots();
  reached_.resize(model.continuous_slots.size() + hazards_.size());
  between_.resize(reached_.size());
  if (reached_.empty()) return;
  if (options.method != OdeMethod::stiff)
    explicit_ = std::make_unique<DormandPrince>(system(), reached_.size(), hazards_.size() + roots_.size(), options);
  start();
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
      const GuardSpec guard = model_.guard(i, static_cast<std::uint32_t>(t));
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
  std::vector<Program*> evaluated;
  for (std::vector<Program>* some : {&flow_programs_, &hazard_programs_})
    for (Program& one : *some) evaluated.push_back(&one);
  first_shared_ = static_cast<std::uint32_t>(slots_.size());
  shared_ = share_functions(evaluated, first_shared_);
  slots_.resize(slots_.size() + shared_.size());
  for (std::vector<Program>* some : {&conditions_, &shared_})
    for (Program& one : *some) evaluated.push_back(&one);
  for (RootFunction& root : roots_) evaluated.push_back(&root.difference);
  make_machine_code(evaluated);
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

void ContinuousFlow::start() {
  fresh_ = true;
  stall_time_ = 0.0, stalls_ = 0;
  integrator_ = explicit_.get();
  if (integrator_ == nullptr && !reached_.empty()) use_bdf();
}

void ContinuousFlow::use_bdf() {
  if (bdf_ == nullptr) {
    try {
      bdf_ = make_bdf(system(), reached_.size(), hazards_.size() + roots_.size(), options_);
    } catch (const OdeFailure& why) {
      fail(why.what());
    }
  }
  integrator_ = bdf_.get();
  fresh_ = true;
}

bool ContinuousFlow::derivatives(double time_s, const double* y, double* rate) {
  double* const slots = slots_.data();
  std::fill_n(rate, reached_.size(), 0.0);
  put(time_s, y);
  for (const Equation& shared : shared_equations_) slots[shared.into] = shared.program->evaluate(slots);
  for (const Equation& flow : flow_equations_) rate[flow.into] += flow.program->evaluate(slots);
  for (const Equation& hazard : hazard_equations_) {
    const double value = hazard.program->evaluate(slots);
    // A rate may look negative inside a trial step; let the integrator try a shorter one.
    if (!(value >= 0.0)) return false;
    rate[hazard.into] = -value;
  }
  // The sum of what is not finite is not finite either; of finite rates it may overflow, which no model comes near.
  double sum = 0.0;
  for (std::size_t i = 0; i < reached_.size(); ++i) sum += std::abs(rate[i]);
  return std::isfinite(sum);
}

void ContinuousFlow::conditions(double time_s, const double* y, double* out) {
  put(time_s, y);
  const std::size_t variables = model_.continuous_slots.size();
  std::fill_n(out, hazards_.size() + roots_.size(), 1.0);
  for (const std::uint32_t h : active_hazards_) out[h] = y[variables + h];
  for (const std::uint32_t r : active_roots_) out[hazards_.size() + r] = roots_[r].difference.evaluate(slots_.data());
}

double ContinuousFlow::condition(std::size_t number, double time_s, const double* y) {
  if (number < hazards_.size()) return y[model_.continuous_slots.size() + number];
  put(time_s, y);
  return roots_[number - hazards_.size()].difference.evaluate(slots_.data());
}

// Which of the shared functions the active equations read, or those that they read.
void ContinuousFlow::find_shared() {
  shared_equations_.clear();
  if (shared_.empty()) return;
  std::vector<std::uint8_t>& read = shared_read_;
  read.assign(shared_.size(), 0);
  const auto take = [&](const Program& program) {
    for (const std::uint32_t slot : program.slots())
      if (slot >= first_shared_) read[slot - first_shared_] = 1;
  };
  for (const std::uint32_t f : active_flows_) take(flow_programs_[f]);
  for (const std::uint32_t h : active_hazards_) take(hazard_programs_[h]);
  for (std::size_t s = shared_.size(); s-- > 0;)
    if (read[s] != 0) take(shared_[s]);
  for (std::uint32_t s = 0; s < shared_.size(); ++s)
    if (read[s] != 0) shared_equations_.push_back({&shared_[s], first_shared_ + s});
}

void ContinuousFlow::restart() {
  fresh_ = false;
  fingerprint_ = charts_.world().fingerprint;
  active_flows_.clear(), active_hazards_.clear(), active_roots_.clear();
  for (std::uint32_t f = 0; f < model_.flows.size(); ++f)
    if (charts_.active(model_.flows[f].instance, static_cast<int>(model_.flows[f].state))) active_flows_.push_back(f);
  for (std::uint32_t h = 0; h < hazards_.size(); ++h)
    if (charts_.hazard_runs(hazards_[h])) active_hazards_.push_back(h);
  for (std::uint32_t r = 0; r < roots_.size(); ++r)
    if (roots_[r].state < 0 || charts_.active(roots_[r].instance, roots_[r].state)) active_roots_.push_back(r);
  find_shared();
  flow_equations_.clear(), hazard_equations_.clear();
  for (const std::uint32_t f : active_flows_)
    flow_equations_.push_back({&flow_programs_[f], index_of_slot_[model_.flows[f].slot]});
  for (const std::uint32_t h : active_hazards_)
    hazard_equations_.push_back({&hazard_programs_[h], static_cast<std::uint32_t>(model_.continuous_slots.size()) + h});
  const std::size_t own = model_.table->size();
  std::copy_n(charts_.slots(), own, slots_.begin());
  for (std::size_t c = 0; c < conditions_.size(); ++c) slots_[own + c] = conditions_[c].evaluate(slots_.data());
  for (std::size_t i = 0; i < model_.continuous_slots.size(); ++i) reached_[i] = slots_[model_.continuous_slots[i]];
  for (std::size_t h = 0; h < hazards_.size(); ++h)
    reached_[model_.continuous_slots.size() + h] = charts_.hazard_left(hazards_[h]);
  time_ = charts_.now();
  integrating_ = !idle();
  if (integrating_) integrator_->restart(time_, reached_.data());
}

double ContinuousFlow::advance(double until_s) {
  spent_.clear();
  // Once is enough for a history: what made it stiff is seldom gone after the next event.
  if (options_.method == OdeMethod::automatic && integrator_ == explicit_.get() && explicit_ != nullptr &&
      explicit_->stiff())
    use_bdf();
  try {
    // Anything that happened may have changed equations and variables; the fingerprint knows of every transition.
    if (fresh_ || fingerprint_ != charts_.world().fingerprint) restart();
    const double hair = 1000.0 * std::numeric_limits<double>::epsilon() * std::abs(until_s);
    if (!integrating_ || until_s - time_ <= hair) return time_ = until_s;
    time_ = integrator_->step(until_s);
  } catch (const OdeFailure& why) {
    fail(why.what());
  }
  const std::size_t variables = model_.continuous_slots.size();
  std::copy_n(integrator_->values(), reached_.size(), reached_.begin());
  if (!integrator_->found().empty()) roots_found(until_s);
  for (std::size_t h = 0; h < hazards_.size(); ++h) reached_[variables + h] = std::max(reached_[variables + h], 0.0);
  return time_;
}

void ContinuousFlow::roots_found(double until_s) {
  const std::vector<int>& found = integrator_->found();
  for (const std::uint32_t h : active_hazards_)
    if (found[h] != 0) spent_.push_back(hazards_[h]);
  // At an exact zero a strict comparison does not hold yet: look a hair behind it.
  put(time_, reached_.data());
  bool exact = false;
  for (std::size_t r = 0; r < roots_.size(); ++r) {
    if (found[hazards_.size() + r] == 0) continue;
    exact = exact || roots_[r].difference.evaluate(slots_.data()) == 0.0;
    fresh_ = fresh_ || roots_[r].switches;
  }
  const double beyond =
      time_ + 1000.0 * std::numeric_limits<double>::epsilon() * (std::abs(time_) + std::abs(integrator_->length()));
  if (exact && beyond <= std::min(integrator_->end(), until_s) && integrator_->look(beyond, between_.data())) {
    time_ = beyond;
    reached_ = between_;
  }
  // A thousand changes in the same billionth of the time gone by: the model slides along a limit and gets nowhere.
  if (time_ - stall_time_ > 1e-9 * std::max(1.0, time_)) stall_time_ = time_, stalls_ = 0;
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
  if (integrating_ && time_s < time_ && integrator_->look(time_s, between_.data())) put(time_s, between_.data());
  else put(time_s, reached_.data());
  return slots_.data();
}

}  // namespace ergode
