#include "solvers/markov/relevance.h"

#include <algorithm>
#include <numeric>

#include "solvers/markov/symmetry.h"

namespace ergode {
namespace {

void keep_each_once(std::vector<std::uint32_t>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace

std::vector<std::uint8_t> initial_ways(const StateChart& chart) {
  std::vector<std::uint8_t> out(chart.transitions.size(), 0);
  for (const State& state : chart.states)
    if (state.initial >= 0) out[static_cast<std::size_t>(state.initial)] = 1;
  return out;
}

Relevance::Relevance(const AnalysisModel& model, const std::vector<std::uint32_t>& roots)
    : model_(model.charts), groups_(model.groups), roots_(roots) {
  for (const ChartTables& tables : model_.charts) {
    std::vector<std::uint64_t> mask(tables.words, 0);
    const std::vector<std::uint8_t> initial = initial_ways(tables.chart);
    for (std::size_t t = 0; t < tables.chart.transitions.size(); ++t) {
      const auto source = static_cast<std::size_t>(tables.chart.transitions[t].source);
      if (initial[t] == 0) mask[source / 64] |= std::uint64_t{1} << source % 64;
    }
    leads_on_.push_back(std::move(mask));
  }
  find_owners();
  find_reads();
}

std::vector<std::uint32_t> Relevance::roots_of(const AnalysisModel& model) {
  std::vector<std::uint32_t> out(model.charts.instances.size());
  std::iota(out.begin(), out.end(), 0U);
  // Whoever raises an event that is counted matters, and anybody may.
  if (std::any_of(model.measures.begin(), model.measures.end(), [](const Measure& m) { return m.counts_event; }))
    return out;
  const Relevance all(model, {});
  out.clear();
  for (const Measure& measure : model.measures) {
    const auto read = all.read_by(measure.program);
    out.insert(out.end(), read.begin(), read.end());
  }
  keep_each_once(out);
  return out;
}

void Relevance::find_owners() {
  owners_.resize(model_.table->size());
  for (const CountSlot& slot : model_.count_slots)
    for (std::uint32_t i = slot.first; i < slot.first + slot.count; ++i) owners_[slot.slot].push_back(i);
  // A variable hangs on everybody who may assign it.
  const auto variables = variables_of(model_);
  const auto assigns = [&](std::uint32_t instance, const ActionSpec& action) {
    if (action.kind == ActionSpec::Kind::assign) owners_[action.slot].push_back(instance);
  };
  for (std::uint32_t i = 0; i < model_.instances.size(); ++i) {
    for (const std::uint32_t slot : variables[i]) owners_[slot].push_back(i);
    each_action(model_, i, [&](const ActionSpec& action) { assigns(i, action); });
  }
  for (const FlowSpec& flow : model_.flows) owners_[flow.slot].push_back(flow.instance);
  for (auto& list : owners_) keep_each_once(list);
}

std::vector<std::uint32_t> Relevance::read_by(const Program& program) const {
  std::vector<std::uint32_t> out;
  for (const std::uint32_t slot : program.slots()) out.insert(out.end(), owners_[slot].begin(), owners_[slot].end());
  keep_each_once(out);
  return out;
}

bool Relevance::reads_others(const Program& program) const {
  const auto slots = program.slots();
  return std::any_of(slots.begin(), slots.end(), [this](std::uint32_t slot) { return owners_[slot].empty(); });
}

void Relevance::find_reads() {
  reads_.resize(model_.instances.size());
  reads_others_.resize(model_.instances.size(), 0);
  const auto take = [&](std::uint32_t instance, const Program& program) {
    for (const std::uint32_t slot : program.slots())
      reads_[instance].insert(reads_[instance].end(), owners_[slot].begin(), owners_[slot].end());
    if (reads_others(program)) reads_others_[instance] = 1;
  };
  const auto number = [&](std::uint32_t instance, std::int32_t program) {
    if (program >= 0) take(instance, model_.programs[static_cast<std::size_t>(program)]);
  };
  for (std::uint32_t i = 0; i < model_.instances.size(); ++i) {
    const auto action = [&](const ActionSpec& a) {
      number(i, a.program), number(i, a.condition);
      for (std::uint32_t p = a.parameters; p != a.parameters_end; ++p) number(i, model_.event_parameters[p].program);
      // Whoever hears of this component depends on it.
      if (a.kind == ActionSpec::Kind::send || a.kind == ActionSpec::Kind::cancel)
        for (std::uint32_t to = a.first; to <= a.last && to < reads_.size(); ++to) reads_[to].push_back(i);
    };
    each_action(model_, i, action);
    const auto transitions = model_.charts[model_.instances[i].chart].chart.transitions.size();
    for (std::uint32_t t = 0; t < transitions; ++t) {
      const GuardSpec guard = model_.guard(i, t);
      number(i, guard.program), number(i, guard.weight);
    }
  }
  for (const TimerSpec& timer : model_.timers) number(timer.instance, timer.program);
  for (const FlowSpec& flow : model_.flows) number(flow.instance, flow.program);
  for (const CcfGroup& group : groups_)
    for (std::size_t m = 0; m < group.exposed.size(); ++m) take(group.members[m], group.exposed[m]);
  for (auto& list : reads_) keep_each_once(list);
}

double Relevance::entries() const {
  double out = 0.0;
  for (const auto& list : reads_) out += static_cast<double>(list.size());
  return out;
}

bool Relevance::moves(std::uint32_t instance, const std::uint64_t* configuration) const {
  const Instance& owner = model_.instances[instance];
  const std::vector<std::uint64_t>& mask = leads_on_[owner.chart];
  for (std::size_t w = 0; w < mask.size(); ++w)
    if ((configuration[owner.configuration + w] & mask[w]) != 0) return true;
  return false;
}

void Relevance::look(const std::uint64_t* configuration, std::vector<std::uint8_t>& matters) const {
  matters.assign(model_.instances.size(), 0);
  open_ = roots_;
  for (const std::uint32_t i : open_) matters[i] = 1;
  while (!open_.empty()) {
    const std::uint32_t i = open_.back();
    open_.pop_back();
    if (!moves(i, configuration)) continue;
    for (const std::uint32_t read : reads_[i])
      if (matters[read] == 0) matters[read] = 1, open_.push_back(read);
  }
}

std::vector<std::uint32_t> Relevance::reach(const std::vector<std::uint32_t>& from) const {
  std::vector<std::uint32_t> out = from;
  std::vector<std::uint8_t> seen(model_.instances.size(), 0);
  for (const std::uint32_t i : out) seen[i] = 1;
  for (std::size_t at = 0; at < out.size(); ++at)
    for (const std::uint32_t read : reads_[out[at]])
      if (seen[read] == 0) seen[read] = 1, out.push_back(read);
  keep_each_once(out);
  return out;
}

}  // namespace ergode
