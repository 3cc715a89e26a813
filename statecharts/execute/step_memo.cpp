// Which transitions an event takes, as guards to ask one after the other.
#include "statecharts/execute/step_memo.h"

#include <algorithm>
#include <bit>

#include "statecharts/compile/comparison.h"

namespace ergode {
namespace {

// A model of many components must not fill the memory: 1 MB of steps, and at most 16 MB of what they do.
constexpr std::size_t most_steps = std::size_t{1} << 18U, most_effects = std::size_t{1} << 20U;
// Guards of several regions multiply; past this many the general algorithm is no worse.
constexpr std::size_t most_tests = 64;

}  // namespace

void resolve_conflicts(const ChartTables& tables, const std::vector<std::uint32_t>& selected,
                       std::vector<std::uint32_t>& kept) {
  kept.clear();
  for (const std::uint32_t t : selected) {
    const ChartTables::Way& way = tables.ways[t];
    bool preempted = false;
    for (std::size_t k = 0; k < kept.size() && !preempted;) {
      const ChartTables::Way& other = tables.ways[kept[k]];
      const bool overlap = way.exit_first <= way.exit_last && other.exit_first <= other.exit_last &&
                           way.exit_first <= other.exit_last && other.exit_first <= way.exit_last;
      if (overlap && way.source != other.source && tables.chart.inside(way.source, other.source)) {
        kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(k));
        continue;
      }
      preempted = overlap;
      ++k;
    }
    if (!preempted) kept.push_back(t);
  }
}

StepMemo::StepMemo(const CompiledModel& model) : model_(model), places_(model.instances.size()) {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const ChartTables& tables = model.charts[model.instances[i].chart];
    places_[i].word = model.instances[i].configuration;
    if (tables.words != 1 || !tables.histories.empty()) places_[i].steps = unusable;
  }
}

void StepMemo::forget_all() {
  for (Place& place : places_) place.node = none, place.steps = unusable;
}

bool StepMemo::look_up(std::uint32_t instance, std::uint64_t configuration) {
  Place& place = places_[instance];
  if (place.node == none && place.steps == unusable) return false;
  const std::uint32_t found = node(instance, configuration);
  // A node without room leaves the place as it is: the next configuration may have one.
  if (found == none) return false;
  place.configuration = configuration, place.node = found, place.steps = nodes_[found].steps;
  return true;
}

bool StepMemo::room_for(std::size_t steps) const {
  return steps_.size() + steps <= most_steps && effects_.size() < most_effects;
}

std::uint32_t StepMemo::node(std::uint32_t instance, std::uint64_t configuration) {
  const auto found = known_.find({instance, configuration});
  if (found != known_.end()) return found->second;
  const std::size_t events = model_.charts[model_.instances[instance].chart].events + std::size_t{1};
  if (!room_for(events)) return none;
  const auto made = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({.configuration = configuration, .steps = static_cast<std::uint32_t>(steps_.size())});
  steps_.resize(steps_.size() + events, unknown);
  known_.emplace(Key{instance, configuration}, made);
  return made;
}

StepMemo::Next StepMemo::learn(std::uint32_t instance, std::uint32_t event) {
  instance_ = instance, owner_ = &model_.instances[instance], tables_ = &model_.charts[owner_->chart];
  const Node at = nodes_[places_[instance].node];
  before_ = at.configuration;
  first_test_ = tests_.size();
  const std::size_t outcomes = outcomes_.size(), effects = effects_.size();
  Next made = general;
  if (effects < most_effects && find_candidates(event)) {
    selected_.clear();
    answers_.assign(tables_->ways.size(), Answer::open);
    made = decide(0);
  }
  // Guards and effects noted on the way to an outcome that cannot be remembered are taken back.
  if (made == general) tests_.resize(first_test_), outcomes_.resize(outcomes), effects_.resize(effects);
  return steps_[at.steps + event] = made;
}

StepMemo::Next StepMemo::learn_way(std::uint32_t instance, std::uint32_t transition) {
  instance_ = instance, owner_ = &model_.instances[instance], tables_ = &model_.charts[owner_->chart];
  const std::uint32_t number = places_[instance].node;
  if (nodes_[number].ways == none) {
    if (!room_for(tables_->ways.size())) return general;
    nodes_[number].ways = static_cast<std::uint32_t>(steps_.size());
    steps_.resize(steps_.size() + tables_->ways.size(), unknown);
  }
  before_ = nodes_[number].configuration;
  selected_.assign(1, transition);
  const std::size_t effects = effects_.size();
  const Next made = effects < most_effects ? outcome_of_selected() : general;
  if (made == general) effects_.resize(effects);
  return steps_[nodes_[number].ways + transition] = made;
}

// By innermost active state the transitions that may react, up to the first that needs no guard; false when something
// else than the value of a condition decides.
bool StepMemo::find_candidates(std::uint32_t event) {
  leaves_.clear();
  for (std::uint64_t active = before_ & tables_->atomic[0]; active != 0; active &= active - 1) {
    const auto leaf = static_cast<std::uint32_t>(std::countr_zero(active));
    const std::size_t row = std::size_t{leaf} * (tables_->events + 1) + event;
    const std::uint32_t* const begin = tables_->candidates.begin(row);
    const std::uint32_t* end = tables_->candidates.end(row);
    if (begin == end) continue;
    if (event == tables_->events && tables_->is_choice[leaf] != 0) {
      const auto elsewhere = [&](std::uint32_t t) {
        return tables_->ways[t].source != static_cast<std::int32_t>(leaf);
      };
      if (!add_choice(begin, std::find_if(begin, end, elsewhere))) return false;
      continue;
    }
    std::vector<Candidate>& candidates = leaves_.emplace_back();
    for (const std::uint32_t* t = begin; t != end; ++t) {
      const GuardSpec::Kind guard = model_.guards[owner_->rows + *t].kind;
      if (guard == GuardSpec::Kind::never) continue;
      if (guard != GuardSpec::Kind::always && guard != GuardSpec::Kind::program) return false;
      candidates.push_back({*t});
      if (guard == GuardSpec::Kind::always) break;
    }
  }
  return true;
}

// The branches of a choice without weights: the first whose guard holds, or else the first without one.
bool StepMemo::add_choice(const std::uint32_t* begin, const std::uint32_t* end) {
  std::vector<Candidate>& candidates = leaves_.emplace_back();
  const std::uint32_t* otherwise = end;
  for (const std::uint32_t* t = begin; t != end; ++t) {
    const SharedGuard& guard = model_.guards[owner_->rows + *t];
    if (guard.weight >= 0) return false;
    if (guard.otherwise && otherwise == end) {
      otherwise = t;
      continue;
    }
    if (guard.kind == GuardSpec::Kind::never) continue;
    if (guard.kind != GuardSpec::Kind::always && guard.kind != GuardSpec::Kind::program) return false;
    candidates.push_back({*t});
  }
  if (otherwise != end) candidates.push_back({*otherwise, true});
  return true;
}

// What the leaves from this one on add to the transitions selected so far.
StepMemo::Next StepMemo::decide(std::size_t leaf) {
  return leaf == leaves_.size() ? outcome_of_selected() : ask(leaf, 0);
}

StepMemo::Next StepMemo::ask(std::size_t leaf, std::size_t candidate) {
  if (candidate == leaves_[leaf].size()) return decide(leaf + 1);
  const Candidate& it = leaves_[leaf][candidate];
  const GuardSpec guard = model_.guards[owner_->rows + it.transition].of(owner_->member);
  // An outer transition is asked by each of its inner states; its guard is what it was.
  const Answer known = it.otherwise || guard.kind == GuardSpec::Kind::always ? Answer::yes : answers_[it.transition];
  if (known == Answer::yes) return choose(leaf, it.transition);
  if (known == Answer::no) return ask(leaf, candidate + 1);
  if (tests_.size() - first_test_ == most_tests) return general;
  const std::size_t number = tests_.size();
  tests_.push_back(test_of(guard));
  answers_[it.transition] = Answer::yes;
  const Next yes = choose(leaf, it.transition);
  answers_[it.transition] = Answer::no;
  const Next no = yes != general ? ask(leaf, candidate + 1) : general;
  answers_[it.transition] = Answer::open;
  if (no == general) return general;
  tests_[number].yes = yes, tests_[number].no = no;
  return static_cast<Next>(number) | (tests_[number].program >= 0 ? by_program : 0);
}

StepMemo::Next StepMemo::choose(std::size_t leaf, std::uint32_t transition) {
  const bool again = std::find(selected_.begin(), selected_.end(), transition) != selected_.end();
  if (!again) selected_.push_back(transition);
  const Next made = decide(leaf + 1);
  if (!again) selected_.pop_back();
  return made;
}

StepMemo::Test StepMemo::test_of(const GuardSpec& guard) const {
  Test out;
  out.program = guard.program;
  const auto compares = Comparison::of(model_.programs[static_cast<std::size_t>(guard.program)]);
  if (!compares) return out;
  // Within bounds: no branch depends on the form of the comparison.
  const Range range = compares->holds_within();
  out.least = range.lower, out.most = range.upper;
  out.slot = compares->slot, out.program = -1;
  return out;
}

}  // namespace ergode
