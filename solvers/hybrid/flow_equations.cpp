#include "solvers/hybrid/flow_equations.h"

#include <algorithm>

#include "core/expression/machine_code.h"
#include "solvers/hybrid/shared_functions.h"

namespace ergode {

FlowEquations::FlowEquations(std::vector<Equation> flows, std::vector<Equation> hazards,
                             const std::vector<std::uint8_t>& moves, std::size_t places)
    : flows_(std::move(flows)), hazards_(std::move(hazards)), moves_(moves), first_own_(moves.size()), base_(places) {
  std::vector<Program*> programs;
  for (std::vector<Equation>* some : {&flows_, &hazards_})
    for (Equation& one : *some) programs.push_back(&one.program);
  still_ = take_out_still(programs, static_cast<std::uint32_t>(first_own_),
                          [&](std::uint32_t slot) { return moves_[slot] == 0; });
  moves_.resize(first_own_ + still_.size(), 0);
  shared_ = share_functions(programs, static_cast<std::uint32_t>(moves_.size()));
  moves_.resize(moves_.size() + shared_.size(), 1);
  first_base_ = moves_.size();
  slots_ = first_base_ + places;
  programs.clear();
  for (Program& one : still_) programs.push_back(&one);
  make_machine_code(programs);
  for (std::vector<Equation>* some : {&flows_, &hazards_})
    for (Equation& one : *some)
      one.stays = std::none_of(one.program.slots().begin(), one.program.slots().end(),
                               [&](std::uint32_t slot) { return moves_[slot] != 0; });
  std::vector<ProgramLines::Line> lines;
  using Into = ProgramLines::Line::Into;
  for (std::size_t k = 0; k < shared_.size(); ++k)
    lines.push_back({&shared_[k], static_cast<std::uint32_t>(first_own_ + still_.size() + k), Into::slot});
  for (const Equation& flow : flows_)
    beginnings_.push_back(Program::apply(
        Program::Op::add, {Program::load(static_cast<std::uint32_t>(first_base_) + flow.place), flow.program}));
  for (std::size_t f = 0; f < flows_.size(); ++f) lines.push_back({&beginnings_[f], flows_[f].place, Into::set});
  for (const Equation& flow : flows_) lines.push_back({&flow.program, flow.place, Into::sum});
  for (const Equation& hazard : hazards_) lines.push_back({&hazard.program, hazard.place, Into::negated});
  lines_ = ProgramLines(std::move(lines));
  flow_lines_ = lines_;
}

void FlowEquations::read_by(const Program& program) {
  const auto slots = program.slots();
  for (std::size_t i = slots.size(); i-- > 0 && slots[i] >= first_own_;) read_[slots[i] - first_own_] = 1;
}

bool FlowEquations::Selection::is_of(std::span<const std::uint32_t> some_flows,
                                     std::span<const std::uint32_t> some_hazards) const {
  return std::ranges::equal(flows, some_flows) && std::ranges::equal(hazards, some_hazards);
}

void FlowEquations::choose(std::span<const std::uint32_t> flows, std::span<const std::uint32_t> hazards,
                           double* slots) {
  // Most events change what equations read and not which of them hold, or bring back those of a while ago.
  if (known_.empty() || !known_[current_].is_of(flows, hazards)) {
    const auto known = std::ranges::find_if(known_, [&](const Selection& one) { return one.is_of(flows, hazards); });
    current_ = static_cast<std::size_t>(known - known_.begin());
    if (known == known_.end()) {
      if (known_.size() < most_known) known_.emplace_back();
      else current_ = oldest_++ % most_known;
      select(flows, hazards, known_[current_]);
    }
    lines_.choose(known_[current_].lines);
    flow_lines_.choose(known_[current_].flow_lines);
  }
  work_out_still(slots);
}

void FlowEquations::select(std::span<const std::uint32_t> flows, std::span<const std::uint32_t> hazards,
                           Selection& out) {
  out.flows.assign(flows.begin(), flows.end()), out.hazards.assign(hazards.begin(), hazards.end());
  for (auto* list : {&out.still_read, &out.still_flows, &out.still_hazards, &moving_flows_, &moving_hazards_})
    list->clear();
  begun_.assign(base_.size(), 0);
  const auto first_flow = static_cast<std::uint32_t>(shared_.size());
  const auto first_hazard = first_flow + 2 * static_cast<std::uint32_t>(flows_.size());
  for (const std::uint32_t f : flows) {
    const Equation& flow = flows_[f];
    // Sums keep their order: what stays is added before what moves, or where it stands.
    if (begun_[flow.place] == 0 && flow.stays) {
      out.still_flows.push_back(f);
      continue;
    }
    moving_flows_.push_back(first_flow + f + (begun_[flow.place] == 0 ? 0 : static_cast<std::uint32_t>(flows_.size())));
    begun_[flow.place] = 1;
  }
  for (const std::uint32_t h : hazards)
    if (hazards_[h].stays) out.still_hazards.push_back(h);
    else moving_hazards_.push_back(first_hazard + h);

  read_.assign(first_base_ - first_own_, 0);
  for (const std::uint32_t f : flows) read_by(flows_[f].program);
  with_shared({moving_flows_}, out.flow_lines);
  for (const std::uint32_t h : hazards) read_by(hazards_[h].program);
  with_shared({moving_flows_, moving_hazards_}, out.lines);
  // So may what stays, where a part of it is a part of something that moves, too.
  for (std::size_t k = still_.size(); k-- > 0;)
    if (read_[k] != 0) read_by(still_[k]);
  for (std::uint32_t k = 0; k < still_.size(); ++k)
    if (read_[k] != 0) out.still_read.push_back(k);
}

void FlowEquations::with_shared(std::initializer_list<std::span<const std::uint32_t>> parts,
                                std::vector<std::uint32_t>& out) {
  // A shared function may read those before it, hence backwards.
  for (std::size_t k = shared_.size(); k-- > 0;)
    if (read_[still_.size() + k] != 0) read_by(shared_[k]);
  out.clear();
  for (std::uint32_t k = 0; k < shared_.size(); ++k)
    if (read_[still_.size() + k] != 0) out.push_back(k);
  for (const auto& part : parts) out.insert(out.end(), part.begin(), part.end());
}

void FlowEquations::work_out_still(double* slots) {
  const Selection& now = known_[current_];
  for (const std::uint32_t k : now.still_read) slots[first_own_ + k] = still_[k].evaluate(slots);
  std::fill(base_.begin(), base_.end(), 0.0);
  for (const std::uint32_t f : now.still_flows) base_[flows_[f].place] += flows_[f].program.evaluate(slots);
  std::copy(base_.begin(), base_.end(), slots + first_base_);
  has_value_ = true;
  for (const std::uint32_t h : now.still_hazards) {
    const double rate = hazards_[h].program.evaluate(slots);
    has_value_ = has_value_ && rate >= 0.0;
    base_[hazards_[h].place] = -rate;
  }
}

void FlowEquations::still_rates(double* out) const { std::copy(base_.begin(), base_.end(), out); }

}  // namespace ergode
