#include "solvers/hybrid/continuous_flow.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/expression/machine_code.h"
#include "solvers/hybrid/bdf.h"
#include "solvers/hybrid/dormand_prince.h"

namespace ergode {
namespace {

// Equal for equal programs.
std::vector<std::tuple<Program::Op, std::uint32_t, std::uint64_t>> key_of(const Program& program) {
  std::vector<std::tuple<Program::Op, std::uint32_t, std::uint64_t>> out;
  for (const Program::Instruction& now : program.code())
    out.emplace_back(now.op, now.slot, std::bit_cast<std::uint64_t>(now.value));
  return out;
}

// Those of the first numbers for which it holds: always as many steps, none of them a guess.
template <typename Holds>
void keep_if(std::vector<std::uint32_t>& out, std::size_t count, const Holds& holds) {
  out.resize(count);
  std::size_t kept = 0;
  for (std::uint32_t n = 0; n < count; ++n) {
    out[kept] = n;
    kept += holds(n) ? 1 : 0;
  }
  out.resize(kept);
}

}  // namespace

ContinuousFlow::ContinuousFlow(ChartReplication& charts, const OdeOptions& options, double horizon_s)
    : charts_(charts), model_(charts.model()), options_(options), horizon_s_(horizon_s) {
  const CompiledModel& model = model_;
  index_of_slot_.resize(model.table->size(), nowhere);
  for (std::uint32_t i = 0; i < model.continuous_slots.size(); ++i) index_of_slot_[model.continuous_slots[i]] = i;
  for (std::uint32_t t = 0; t < model.timers.size(); ++t)
    if (model.timers[t].hazard) hazards_.push_back(t);
  slots_.resize(model.table->size());
  find_roots(horizon_s);
  find_inputs();
  reached_.resize(model.continuous_slots.size() + hazards_.size());
  between_.resize(reached_.size()), middle_.resize(reached_.size());
  if (reached_.empty()) return;
  if (options.method != OdeMethod::stiff)
    explicit_ = std::make_unique<DormandPrince>(system(), reached_.size(), hazards_.size() + roots_.size(), options);
  start();
}

ContinuousFlow::~ContinuousFlow() = default;

void ContinuousFlow::add_root(Program difference, Onlooker who, bool ends_step) {
  const auto moving = [&](std::uint32_t slot) { return moves(slot); };
  if (std::none_of(difference.slots().begin(), difference.slots().end(), moving)) return;
  const auto [known, fresh] = known_roots_.emplace(key_of(difference), roots_.size());
  if (fresh) {
    RootFunction& made = roots_.emplace_back();
    made.turns = !is_affine(difference, moving);
    for (const std::uint32_t slot : difference.slots())
      if (model_.continuous(slot)) made.values.push_back(index_of_slot_[slot]);
    made.difference = std::move(difference);
  }
  roots_[known->second].onlookers.push_back(who);
  roots_[known->second].ends_step = roots_[known->second].ends_step || ends_step;
}

void ContinuousFlow::add_roots(const Program& program, std::uint32_t instance, std::int32_t state, bool switches) {
  for (Program::Switch& found : program.switching(static_cast<std::uint32_t>(slots_.size()), conditions_))
    add_root(std::move(found.difference), {state_bit(instance, state), switches || found.jump}, false);
  slots_.resize(model_.table->size() + conditions_.size());
}

Program ContinuousFlow::smooth(std::int32_t program, std::uint32_t instance, std::int32_t state) {
  const Program& drawn = model_.programs[static_cast<std::size_t>(program)];
  add_roots(drawn, instance, state, true);
  Program out = drawn.without_switches(static_cast<std::uint32_t>(slots_.size()), conditions_);
  slots_.resize(model_.table->size() + conditions_.size());
  for (Program& turn : hidden_turns(out, [&](std::uint32_t slot) { return moves(slot); }))
    add_root(std::move(turn), {state_bit(instance, state), false}, true);
  return out;
}

ContinuousFlow::StateBit ContinuousFlow::state_bit(std::uint32_t instance, std::int32_t state) const {
  if (state < 0) return {};
  const auto s = static_cast<std::uint32_t>(state);
  return {model_.instances[instance].configuration + s / 64, std::uint64_t{1} << (s % 64)};
}

void ContinuousFlow::find_roots(double horizon_s) {
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
  std::vector<FlowEquations::Equation> flows, hazards;
  for (const FlowSpec& flow : model_.flows) {
    flow_states_.push_back(state_bit(flow.instance, static_cast<std::int32_t>(flow.state)));
    flows.push_back(
        {smooth(flow.program, flow.instance, static_cast<std::int32_t>(flow.state)), index_of_slot_[flow.slot]});
  }
  for (const std::uint32_t t : hazards_) {
    const TimerSpec& timer = model_.timers[t];
    const int source = model_.charts[model_.instances[timer.instance].chart].ways[timer.transition].source;
    hazard_states_.push_back(state_bit(timer.instance, source));
    hazards.push_back({smooth(timer.program, timer.instance, source),
                       static_cast<std::uint32_t>(model_.continuous_slots.size() + hazards.size())});
  }
  find_peaks(horizon_s);
  // What measures look at changes no equation, but its roots are found all the same, so that they see the moment.
  for (const Program& observed : model_.table->observers()) add_roots(observed, 0, -1);
  known_roots_.clear();
  std::vector<std::uint8_t> moves(slots_.size(), 0);
  moves[World::now_slot] = 1;
  for (const std::uint32_t slot : model_.continuous_slots) moves[slot] = 1;
  equations_ =
      FlowEquations(std::move(flows), std::move(hazards), moves, model_.continuous_slots.size() + hazards_.size());
  slots_.resize(equations_.slots());
  ranges_.resize(slots_.size());
  find_forms();
  std::vector<Program*> evaluated;
  for (Program& one : conditions_) evaluated.push_back(&one);
  for (RootFunction& root : roots_)
    if (root.form.general()) evaluated.push_back(&root.difference);
  make_machine_code(evaluated);
}

void ContinuousFlow::find_inputs() {
  const auto reads = [&](const Program& program) {
    for (const std::uint32_t slot : program.slots())
      if (slot < model_.table->size() && !moves(slot)) inputs_.push_back(slot);
  };
  for (const FlowSpec& flow : model_.flows) reads(model_.programs[static_cast<std::size_t>(flow.program)]);
  for (const std::uint32_t t : hazards_) reads(model_.programs[static_cast<std::size_t>(model_.timers[t].program)]);
  for (const RootFunction& root : roots_) reads(root.difference);
  for (const Program& condition : conditions_) reads(condition);
  std::sort(inputs_.begin(), inputs_.end());
  inputs_.erase(std::unique(inputs_.begin(), inputs_.end()), inputs_.end());
  std::map<std::uint32_t, std::uint64_t> bits;
  const auto watched = [&](StateBit state) {
    if (state.bit != 0) bits[state.word] |= state.bit;
  };
  for (const auto* all : {&flow_states_, &hazard_states_}) std::for_each(all->begin(), all->end(), watched);
  for (const RootFunction& root : roots_)
    for (const Onlooker& who : root.onlookers) watched(who.while_active);
  for (const auto& [word, mask] : bits) words_.push_back({word, mask});
  words_before_.resize(words_.size());
}

bool ContinuousFlow::disturbed() {
  if (fingerprint_ == charts_.world().fingerprint) return false;
  fingerprint_ = charts_.world().fingerprint;
  const double* const slots = charts_.slots();
  const std::size_t variables = model_.continuous_slots.size();
  undisturbed_ = true;
  for (std::size_t w = 0; w < words_.size(); ++w)
    undisturbed_ = undisturbed_ && (charts_.configuration()[words_[w].word] & words_[w].bit) == words_before_[w];
  for (const std::uint32_t slot : inputs_) undisturbed_ = undisturbed_ && slots[slot] == slots_[slot];
  for (std::size_t i = 0; i < variables; ++i)
    undisturbed_ = undisturbed_ && slots[model_.continuous_slots[i]] == reached_[i];
  for (const std::uint32_t h : active_hazards_)
    undisturbed_ = undisturbed_ && charts_.hazard_left(hazards_[h]) == reached_[variables + h];
  if (undisturbed_) std::copy_n(slots, model_.table->size(), slots_.begin());
  return !undisturbed_;
}

// Each different equation once; thousands of them share what one may cost.
void ContinuousFlow::find_peaks(double horizon_s) {
  constexpr std::size_t most_points = 1U << 16U, least_points = 1U << 10U, most_together = 1U << 22U;
  std::map<std::vector<std::tuple<Program::Op, std::uint32_t, std::uint64_t>>, const Program*> different;
  const auto add = [&](std::int32_t number) {
    const Program& program = model_.programs[static_cast<std::size_t>(number)];
    const auto slots = program.slots();
    if (std::find(slots.begin(), slots.end(), World::now_slot) != slots.end())
      different.emplace(key_of(program), &program);
  };
  for (const FlowSpec& flow : model_.flows) add(flow.program);
  for (const std::uint32_t t : hazards_) add(model_.timers[t].program);
  const std::size_t points =
      std::clamp(most_together / std::max<std::size_t>(different.size(), 1), least_points, most_points);
  for (const auto& [key, program] : different) {
    const std::vector<double> found = time_peaks(*program, World::now_slot, horizon_s, points);
    peaks_.insert(peaks_.end(), found.begin(), found.end());
  }
  std::sort(peaks_.begin(), peaks_.end());
}

// Most roots are where a variable reaches a limit that stays.
void ContinuousFlow::find_forms() {
  for (std::uint32_t r = 0; r < roots_.size(); ++r) {
    RootFunction& root = roots_[r];
    root.form.number = static_cast<std::uint32_t>(hazards_.size()) + r;
    const auto code = root.difference.code();
    if (code.size() != 3 || code[2].op != Program::Op::subtract) continue;
    const auto variable = [&](const Program::Instruction& now) {
      return now.op == Program::Op::load && model_.continuous(now.slot);
    };
    const bool above = variable(code[0]);
    const Program::Instruction &value = code[above ? 0 : 1], &limit = code[above ? 1 : 0];
    if (!variable(value) || variable(limit) || (limit.op == Program::Op::load && limit.slot == World::now_slot))
      continue;
    root.form.sign = above ? 1.0 : -1.0;
    root.form.value = index_of_slot_[value.slot];
    if (limit.op == Program::Op::load) root.limit = limit.slot;
    else root.form.limit = limit.value;
  }
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
                      .hint =
                          "Look for flows that grow without bound, negative rates and divisions by zero. What falls "
                          "to zero is a rounding below it at times: rates read it as max(0, x)."});
}

void ContinuousFlow::start() {
  fresh_ = true, undisturbed_ = false;
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

void ContinuousFlow::still_derivatives(double* out) { equations_.still_rates(out); }

bool ContinuousFlow::derivatives(double time_s, const double* y, double* rate) {
  put(time_s, y);
  return equations_.rates(slots_.data(), rate);
}

bool ContinuousFlow::state_derivatives(double time_s, const double* y, double* rate) {
  put(time_s, y);
  return equations_.flow_rates(slots_.data(), rate);
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

void ContinuousFlow::looked_at(std::vector<OdeCondition>& conditions) {
  conditions.clear();
  const auto variables = static_cast<std::uint32_t>(model_.continuous_slots.size());
  for (const std::uint32_t h : active_hazards_)
    conditions.push_back({.number = h, .value = variables + h, .sign = 1.0});
  for (const std::uint32_t r : active_roots_) {
    conditions.push_back(roots_[r].form);
    if (roots_[r].limit >= 0) conditions.back().limit = slots_[static_cast<std::size_t>(roots_[r].limit)];
  }
}

// Whether anybody looks at it now.
bool ContinuousFlow::looked_at(RootFunction& root) {
  bool any = false;
  root.switches = false;
  for (const Onlooker& who : root.onlookers) {
    if (!active(who.while_active)) continue;
    any = true;
    root.switches = root.switches || who.switches;
  }
  return any;
}

void ContinuousFlow::restart() {
  fresh_ = false;
  fingerprint_ = charts_.world().fingerprint;
  for (std::size_t w = 0; w < words_.size(); ++w)
    words_before_[w] = charts_.configuration()[words_[w].word] & words_[w].bit;
  keep_if(active_flows_, model_.flows.size(), [&](std::size_t f) { return active(flow_states_[f]); });
  keep_if(active_hazards_, hazards_.size(), [&](std::size_t h) { return active(hazard_states_[h]); });
  std::swap(active_roots_, roots_before_);
  keep_if(active_roots_, roots_.size(), [&](std::size_t r) { return looked_at(roots_[r]); });
  if (active_roots_ != roots_before_) sort_roots();
  const std::size_t own = model_.table->size();
  std::copy_n(charts_.slots(), own, slots_.begin());
  for (std::size_t c = 0; c < conditions_.size(); ++c) slots_[own + c] = conditions_[c].evaluate(slots_.data());
  equations_.choose(active_flows_, active_hazards_, slots_.data());
  for (std::size_t i = 0; i < model_.continuous_slots.size(); ++i) reached_[i] = slots_[model_.continuous_slots[i]];
  for (std::size_t h = 0; h < hazards_.size(); ++h)
    reached_[model_.continuous_slots.size() + h] = charts_.hazard_left(hazards_[h]);
  time_ = charts_.now();
  integrating_ = !idle();
  if (integrating_) integrator_->restart(time_, reached_.data());
}

void ContinuousFlow::sort_roots() {
  for (auto* list : {&active_turns_, &active_bends_, &active_ends_, &bending_}) list->clear();
  bends_unevenly_ = false;
  for (const std::uint32_t r : active_roots_) {
    if (roots_[r].turns) active_turns_.push_back(r);
    else if (!roots_[r].values.empty()) add_bend(r);
    if (roots_[r].ends_step) active_ends_.push_back(r);
  }
}

void ContinuousFlow::add_bend(std::uint32_t root) {
  active_bends_.push_back(root);
  const OdeCondition& form = roots_[root].form;
  if (form.general()) bends_unevenly_ = true;
  else if (bending_.empty() || bending_.back() != form.value) bending_.push_back(form.value);
}

double ContinuousFlow::advance(double until_s) {
  spent_.clear();
  // Once is enough for a history: what made it stiff is seldom gone after the next event.
  if (options_.method == OdeMethod::automatic && integrator_ == explicit_.get() && explicit_ != nullptr &&
      explicit_->stiff())
    use_bdf();
  try {
    if (disturbed() || fresh_) restart();
    // A rest so short is no step of an integrator: nothing changes in it beyond rounding.
    const double hair = 1000.0 * std::numeric_limits<double>::epsilon() * std::abs(until_s);
    if (!integrating_ || until_s - time_ <= hair) return time_ = until_s;
    time_ = step(until_s);
  } catch (const OdeFailure& why) {
    fail(why.what());
  }
  const std::size_t variables = model_.continuous_slots.size();
  if (!found_.empty()) roots_found(until_s);
  // A step ends a rounding beyond the zero; a hazard is never negative.
  for (std::size_t h = 0; h < hazards_.size(); ++h) reached_[variables + h] = std::max(reached_[variables + h], 0.0);
  return time_;
}

void ContinuousFlow::roots_found(double until_s) {
  for (const std::uint32_t h : active_hazards_)
    if (found_[h] != 0) spent_.push_back(hazards_[h]);
  // At an exact zero a strict comparison does not hold yet: look a hair behind it.
  put(time_, reached_.data());
  bool exact = false;
  for (std::size_t r = 0; r < roots_.size(); ++r) {
    if (found_[hazards_.size() + r] == 0) continue;
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
}

const double* ContinuousFlow::at(double time_s) {
  if (integrating_ && time_s < time_ && integrator_->look(time_s, between_.data())) put(time_s, between_.data());
  else put(time_s, reached_.data());
  return slots_.data();
}

void ContinuousFlow::at(std::span<const double> times_s, std::uint32_t slot, double* out) {
  const std::uint32_t place = index_of_slot_[slot];
  if (place == nowhere) {
    for (const double time : times_s) *out++ = at(time)[slot];
    return;
  }
  if (integrating_ && times_s.back() < time_ && integrator_->look(times_s, place, out)) return;
  for (const double time : times_s) {
    if (!integrating_ || !(time < time_) || !integrator_->look({&time, 1}, place, out)) *out = reached_[place];
    ++out;
  }
}

}  // namespace ergode
