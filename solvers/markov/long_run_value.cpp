#include "solvers/markov/long_run_value.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>
#include <utility>

#include "solvers/markov/lone_delays.h"
#include "solvers/markov/long_run.h"
#include "solvers/markov/qualify.h"
#include "solvers/markov/relevance.h"
#include "solvers/markov/state_space.h"
#include "solvers/markov/symmetry.h"

namespace ergode {
namespace {

constexpr double most_states = 20'000.0;
constexpr double state_operations = 1e7;  // a state costs the size of the model
constexpr double most_entries = 2e6;
constexpr double all_operations = 1e8;             // for all that is asked of one model
constexpr double most_operations = 3e7;            // for the whole, and for all parts together
constexpr double operations_per_component = 20.0;  // of finding who hangs on whom
constexpr double operations_per_chain = 300.0;     // before a state is made, for each component

/// The states to which it comes back. @returns nothing where a value is no number
std::optional<ValueChain> recurrent(const StateSpace& space, const std::vector<double>& distribution) {
  constexpr std::uint32_t nowhere = ~std::uint32_t{0};
  ValueChain out;
  std::vector<std::uint32_t> place(distribution.size(), nowhere);
  for (std::size_t s = 0; s < distribution.size(); ++s) {
    if (!(distribution[s] > 0.0)) continue;
    if (!std::isfinite(space.observed[0][s])) return std::nullopt;
    place[s] = static_cast<std::uint32_t>(out.value.size());
    out.value.push_back(space.observed[0][s]), out.share.push_back(distribution[s]);
  }
  const RateRows& rows = space.generator.rows();
  for (std::size_t s = 0; s < distribution.size(); ++s)
    for (std::uint32_t at = rows.start[s]; place[s] != nowhere && at < rows.start[s + 1]; ++at)
      if (place[rows.other[at]] != nowhere) out.jumps.push_back({place[s], place[rows.other[at]], rows.rate[at]});
  return out;
}

LongRunValue told(ValueChain chain, bool memoryless) {
  LongRunValue out;
  const auto [least, most] = std::minmax_element(chain.value.begin(), chain.value.end());
  out.least = *least, out.most = *most;
  for (std::size_t i = 0; i < chain.value.size(); ++i) out.mean += chain.share[i] * chain.value[i];
  for (const ValueChain::Jump& jump : chain.jumps)
    out.falls_per_s +=
        chain.share[jump.from] * jump.rate * std::max(0.0, chain.value[jump.from] - chain.value[jump.to]);
  out.memoryless = memoryless;
  if (memoryless) out.chain = std::move(chain);
  return out;
}

/// A program as a sum of others times constants, as far as its operations say so.
struct Term {
  double factor = 1.0;
  Program program;  ///< a constant 1, or not constant
};
using Sum = std::vector<Term>;

Program as_program(const Sum& sum) {
  Program out(0.0);
  for (const Term& term : sum)
    out = Program::apply(Program::Op::add,
                         {out, Program::apply(Program::Op::multiply, {Program(term.factor), term.program})});
  return out;
}
/// Its value where it is a constant.
std::optional<double> constant(const Sum& sum) {
  double out = 0.0;
  for (const Term& term : sum) {
    if (!term.program.is_constant()) return std::nullopt;
    out += term.factor * term.program.value();
  }
  return out;
}
Sum times(Sum sum, double factor) {
  for (Term& term : sum) term.factor *= factor;
  return sum;
}

Sum terms_of(const Program& program) {
  using Op = Program::Op;
  if (program.is_constant()) return {{program.value(), Program(1.0)}};
  std::vector<Sum> stack;
  for (const Program::Instruction& one : program.code()) {
    if (one.op == Op::constant) stack.push_back({{one.value, Program(1.0)}});
    if (one.op == Op::load) stack.push_back({{1.0, Program::load(one.slot)}});
    const auto count = static_cast<std::size_t>(Program::operands_of(one.op));
    if (count == 0) continue;
    std::vector<Sum> operands(std::make_move_iterator(stack.end() - static_cast<std::ptrdiff_t>(count)),
                              std::make_move_iterator(stack.end()));
    stack.resize(stack.size() - count);
    Sum& first = operands.front();
    Sum& last = operands.back();
    std::optional<double> factor;
    switch (one.op) {
      case Op::add:
      case Op::subtract:
        if (one.op == Op::subtract) last = times(std::move(last), -1.0);
        if (first.size() < last.size()) first.swap(last);
        first.insert(first.end(), std::make_move_iterator(last.begin()), std::make_move_iterator(last.end()));
        stack.push_back(std::move(first));
        continue;
      case Op::negate:
        stack.push_back(times(std::move(first), -1.0));
        continue;
      case Op::multiply:
        if (constant(first)) std::swap(first, last);
        factor = constant(last);
        break;
      case Op::divide:
        if (const auto by = constant(last); by && *by != 0.0) factor = 1.0 / *by;
        break;
      default:
        break;
    }
    if (factor) {
      stack.push_back(times(std::move(first), *factor));
      continue;
    }
    std::vector<Program> programs;
    for (const Sum& operand : operands) programs.push_back(as_program(operand));
    stack.push_back({{1.0, Program::apply(one.op, programs)}});
  }
  return stack.size() == 1 ? std::move(stack.back()) : Sum{{1.0, program}};
}

std::vector<std::uint32_t> owners_of(const CompiledModel& charts) {
  std::vector<std::uint32_t> out(charts.table->size(), 1);
  for (const CountSlot& slot : charts.count_slots) out[slot.slot] = slot.count;
  return out;
}

/// Of who reads whom, which is written down whole: the square of an array whose members all read all.
double entries_at_most(const AnalysisModel& model) {
  const CompiledModel& charts = model.charts;
  const std::vector<std::uint32_t> owners = owners_of(charts);
  std::vector<double> read;
  for (const Program& one : charts.programs) {
    double all = 0.0;
    for (const std::uint32_t slot : one.slots()) all += owners[slot];
    read.push_back(all);
  }
  double out = static_cast<double>(charts.instances.size());
  const auto add = [&](std::int32_t number) { out += number >= 0 ? read[static_cast<std::size_t>(number)] : 0.0; };
  for (const TimerSpec& timer : charts.timers) add(timer.program);
  const auto act = [&](const ActionSpec& action) {
    add(action.program), add(action.condition);
    if (action.kind == ActionSpec::Kind::send || action.kind == ActionSpec::Kind::cancel)
      out += static_cast<double>(action.last) - action.first + 1.0;
  };
  for (std::uint32_t i = 0; i < charts.instances.size() && out <= most_entries; ++i) {
    const auto transitions = charts.charts[charts.instances[i].chart].chart.transitions.size();
    for (std::uint32_t t = 0; t < transitions; ++t) add(charts.guard(i, t).program);
    each_action(charts, i, act);
  }
  return out;
}

class LongRunOfCharts {
 public:
  explicit LongRunOfCharts(const AnalysisModel& model)
      : model_(model), relevance_(model, {}), owners_(owners_of(model.charts)) {}

  std::optional<LongRunValue> look(const Program& program) {
    try {
      double read = static_cast<double>(model_.charts.instances.size());
      for (const std::uint32_t slot : program.slots()) read += owners_[slot];
      all_.spend(operations_per_component * read);
      if (!of_charts_alone(program)) return std::nullopt;
      if (auto whole = within([&] { return chain(program, relevance_.read_by(program)); })) return whole;
      return within([&] { return in_parts(program); });
    } catch (const OverBudget&) {
      return std::nullopt;
    }
  }

 private:
  /// What it takes counts for the model as a whole. @throws OverBudget where that is too much
  template <class Find>
  std::optional<LongRunValue> within(const Find& find) {
    budget_ = Budget({}, {.operations = std::min(most_operations, all_.operations())});
    const double before = budget_.operations();
    std::optional<LongRunValue> out;
    try {
      out = find();
    } catch (const OverBudget&) {
      all_.spend(before);
      return std::nullopt;
    }
    all_.spend(std::max(0.0, before - budget_.operations()));
    return out;
  }
  bool of_charts_alone(const Program& program) const {
    const std::vector<std::uint32_t> roots = relevance_.read_by(program);
    if (roots.empty() || relevance_.reads_others(program)) return false;
    const std::vector<std::uint32_t> components = relevance_.reach(roots);
    if (std::any_of(components.begin(), components.end(),
                    [this](std::uint32_t i) { return relevance_.reads_others(i); }))
      return false;
    const Rows& hearers = model_.charts.hearers;
    for (const EventNames::Mention& raised : model_.charts.table->events.raised)
      if (raised.event < hearers.rows())
        for (auto at = hearers.begin(raised.event); at != hearers.end(raised.event); ++at)
          if (std::binary_search(components.begin(), components.end(), *at)) return false;
    return true;
  }

  /// @param roots    components that move, with all that they hang on; others stay as they begin
  /// @param lumping  members that are alike may be exchanged
  /// @throws OverBudget
  std::optional<LongRunValue> chain(const Program& program, const std::vector<std::uint32_t>& roots,
                                    bool lumping = true) {
    const CompiledModel& charts = model_.charts;
    budget_.spend(operations_per_chain * static_cast<double>(charts.instances.size()));
    const std::vector<std::uint32_t> components = relevance_.reach(roots);
    // Each state is made by setting the whole model to it, and looking at all clocks of these components.
    const double whole = static_cast<double>(charts.timers.size() + charts.instances.size());
    double clocks = 0.0;
    for (const std::uint32_t i : components)
      clocks += static_cast<double>(charts.charts[charts.instances[i].chart].chart.transitions.size());
    if (clocks * whole > most_operations) return std::nullopt;
    const auto states = static_cast<std::uint64_t>(std::min(most_states, state_operations / whole));
    const auto lone = lone_delays(model_, relevance_, components);
    if (!lone) return std::nullopt;
    std::optional<AnalysisModel> changed;
    if (!lone->empty() && !make_exponential(changed.emplace(model_).charts, *lone)) return std::nullopt;
    const AnalysisModel& model = changed ? *changed : model_;
    if (!why_not_markov(model, components).empty()) return std::nullopt;
    StateSpaceOptions options{.state_limit = states, .lumping = lumping, .pruning = true, .roots = roots};
    options.observed = {&program};
    options.budget = budget_;
    const auto generated = generate_states(model, options);
    const auto* const space = std::get_if<StateSpace>(&generated);
    if (space == nullptr || space->stopped) return std::nullopt;
    const auto solved = solve_long_run(space->generator, space->initial, {.budget = budget_});
    const auto* const limit = std::get_if<LongRun>(&solved);
    if (limit == nullptr || limit->bottom_classes != 1) return std::nullopt;
    auto again = recurrent(*space, limit->distribution);
    if (!again || again->value.size() < 2) return std::nullopt;
    return told(std::move(*again), lone->empty());
  }

  /// Terms of components that do not hang together, each for itself: they never jump at one moment.
  std::optional<LongRunValue> in_parts(const Program& program) {
    const Sum terms = terms_of(program);
    std::vector<std::size_t> part(terms.size());
    std::iota(part.begin(), part.end(), std::size_t{0});
    std::vector<std::size_t> owner(model_.charts.instances.size(), terms.size());
    const auto part_of = [&](std::size_t t) {
      while (part[t] != t) t = part[t] = part[part[t]];
      return t;
    };
    const auto take = [&](std::uint32_t component, std::size_t t) {
      if (owner[component] == terms.size()) owner[component] = t;
      else part[part_of(t)] = part_of(owner[component]);
    };
    for (std::size_t t = 0; t < terms.size(); ++t) {
      budget_.spend(operations_per_component * static_cast<double>(owner.size()));
      for (const std::uint32_t i : relevance_.reach(relevance_.read_by(terms[t].program))) take(i, t);
    }
    for (const CcfGroup& group : model_.groups) {
      std::size_t one = terms.size();
      for (const std::uint32_t i : group.members)
        if (owner[i] != terms.size()) {
          if (one == terms.size()) one = owner[i];
          else part[part_of(owner[i])] = part_of(one);
        }
    }
    std::vector<Sum> parts(terms.size());
    for (std::size_t t = 0; t < terms.size(); ++t) parts[part_of(t)].push_back(terms[t]);
    LongRunValue out;
    std::size_t moving = 0;
    double constants = 0.0;
    for (const Sum& its : parts) {
      if (its.empty()) continue;
      std::optional<LongRunValue> of_part;
      if (const auto value = constant(its)) of_part = LongRunValue{.mean = *value, .least = *value, .most = *value};
      else of_part = its.size() == 1 ? crowd(its[0]) : std::nullopt;
      if (!of_part && its.size() < terms.size()) {
        const Program sum = as_program(its);
        of_part = chain(sum, relevance_.read_by(sum));
      }
      if (!of_part) return std::nullopt;
      out.mean += of_part->mean, out.falls_per_s += of_part->falls_per_s;
      out.least += of_part->least, out.most += of_part->most;
      out.memoryless = out.memoryless && of_part->memoryless;
      if (of_part->least == of_part->most) constants += of_part->mean;
      else if (++moving == 1) out.chain = std::move(of_part->chain);
    }
    if (moving != 1) out.chain.reset();
    if (out.chain)
      for (double& value : out.chain->value) value += constants;
    return out;
  }

  /// How many of an array's members are in a state, where these are alike and each hangs on itself alone: one moves
  /// while the others stand still.
  std::optional<LongRunValue> crowd(const Term& term) {
    const auto slots = term.program.slots();
    if (slots.size() != 1 || term.program.code().size() != 1) return std::nullopt;
    const auto& counts = model_.charts.count_slots;
    const auto count =
        std::find_if(counts.begin(), counts.end(), [&](const CountSlot& one) { return one.slot == slots.front(); });
    if (count == counts.end() || count->count < 2) return std::nullopt;
    const std::uint32_t end = count->first + count->count;
    for (std::uint32_t i = count->first; i < end; ++i)
      if (const auto& reads = relevance_.reads(i); !reads.empty() && (reads.size() > 1 || reads[0] != i))
        return std::nullopt;
    for (const CcfGroup& group : model_.groups)
      for (const std::uint32_t i : group.members)
        if (i >= count->first && i < end) return std::nullopt;
    if (!alike_) alike_ = symmetric_arrays(model_, {}, {}, budget_);
    if (std::none_of(alike_->begin(), alike_->end(), [&](const SymmetricArray& array) {
          return array.first <= count->first && end <= array.first + array.count;
        }))
      return std::nullopt;
    const auto one = chain(term.program, {count->first}, false);  // which one moves must stay known
    if (!one) return std::nullopt;
    // The others are where all are at the beginning: all or none of them in the state.
    const double others = one->least >= count->count - 1.0 ? count->count - 1.0 : 0.0, all = count->count;
    const auto of_all = [&](double value) { return term.factor * all * (value - others); };
    LongRunValue out{.mean = of_all(one->mean), .least = of_all(one->least), .most = of_all(one->most)};
    out.memoryless = one->memoryless;
    // As often as it falls it rises, each time by one.
    out.falls_per_s = std::abs(term.factor) * all * one->falls_per_s;
    if (out.least > out.most) std::swap(out.least, out.most);
    if (one->chain && one->chain->value.size() == 2)
      out.chain = of_many(*one->chain, others, count->count, term.factor);
    return out;
  }

  /// How many of n are in a state that each enters and leaves by itself: births and deaths, binomial in the long run.
  static ValueChain of_many(const ValueChain& one, double others, std::uint32_t n, double factor) {
    const std::size_t in = one.value[0] > others ? 0 : 1;
    double leaves = 0.0, enters = 0.0;
    for (const ValueChain::Jump& jump : one.jumps) (jump.from == in ? leaves : enters) = jump.rate;
    // From the most likely number on, as far as doubles tell.
    constexpr double least_share = 1e-14;
    const double each = one.share[in], left = one.share[1 - in];
    const auto middle = std::min(n, static_cast<std::uint32_t>(each * (n + 1.0)));
    std::vector<double> down, up;
    double share = 1.0;
    for (std::uint32_t k = middle; k > 0 && share > least_share; --k)
      share *= k * left / ((n - k + 1.0) * each), down.push_back(share);
    share = 1.0;
    for (std::uint32_t k = middle; k < n && share > least_share; ++k)
      share *= (n - k) * each / ((k + 1.0) * left), up.push_back(share);
    ValueChain out;
    out.share.assign(down.rbegin(), down.rend());
    out.share.push_back(1.0);
    out.share.insert(out.share.end(), up.begin(), up.end());
    const double all = std::accumulate(out.share.begin(), out.share.end(), 0.0);
    const auto first = middle - static_cast<std::uint32_t>(down.size());
    for (std::uint32_t s = 0; s < out.share.size(); ++s) {
      const double k = first + s;
      out.share[s] /= all, out.value.push_back(factor * k);
      if (s > 0) out.jumps.push_back({s, s - 1, k * leaves});
      if (s + 1 < out.share.size()) out.jumps.push_back({s, s + 1, (n - k) * enters});
    }
    return out;
  }

  const AnalysisModel& model_;
  Relevance relevance_;
  std::vector<std::uint32_t> owners_;  ///< by slot: how many components it tells of
  std::optional<std::vector<SymmetricArray>> alike_;
  Budget all_ = Budget({}, {.operations = all_operations});
  Budget budget_;
};

}  // namespace

struct LongRunValues::Parts {
  AnalysisModel charts;
  std::optional<LongRunOfCharts> finder;  ///< none: nothing moves, or too many read too many
  std::deque<std::pair<Program, std::optional<LongRunValue>>> found;
};

LongRunValues::LongRunValues(const AnalysisModel& model) : parts_(std::make_unique<Parts>()) {
  parts_->charts.charts = model.charts, parts_->charts.groups = model.groups;
  parts_->charts.horizon_s = model.horizon_s;
  if (!model.charts.instances.empty() && entries_at_most(parts_->charts) <= most_entries)
    parts_->finder.emplace(parts_->charts);
}
LongRunValues::~LongRunValues() = default;

const LongRunValue* LongRunValues::of(const Program& program) {
  auto& found = parts_->found;
  auto known =
      std::find_if(found.begin(), found.end(), [&](const auto& one) { return one.first.code() == program.code(); });
  if (known == found.end())
    known = found.insert(found.end(),
                         {program, parts_->finder ? parts_->finder->look(program) : std::optional<LongRunValue>()});
  return known->second ? &*known->second : nullptr;
}

void register_long_run_values() {
  know_long_run_by([](const AnalysisModel& model) {
    return [values = std::make_shared<LongRunValues>(model)](const Program& program) { return values->of(program); };
  });
}

}  // namespace ergode
