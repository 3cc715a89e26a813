#include "statecharts/execute/step_memo.h"

#include <algorithm>
#include <bit>

namespace ergode {
namespace {

constexpr std::size_t most_steps = std::size_t{1} << 18U;  // 10 MB

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
  general_.kind = Kind::general;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const ChartTables& tables = model.charts[model.instances[i].chart];
    places_[i].usable = tables.words == 1 && tables.histories.empty();
  }
}

std::uint32_t StepMemo::node(std::uint32_t instance, std::uint64_t configuration) {
  const auto found = known_.find({instance, configuration});
  if (found != known_.end()) return found->second;
  const std::size_t events = model_.charts[model_.instances[instance].chart].events + std::size_t{1};
  if (steps_.size() + events > most_steps) return none;
  const auto made = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({configuration, static_cast<std::uint32_t>(steps_.size())});
  steps_.resize(steps_.size() + events);
  known_.emplace(Key{instance, configuration}, made);
  return made;
}

const StepMemo::Step& StepMemo::learn(std::uint32_t instance, std::uint32_t at, std::uint32_t event) {
  const std::uint64_t before = nodes_[at].configuration;
  const std::size_t place = nodes_[at].steps + event;
  const ChartTables& tables = model_.charts[model_.instances[instance].chart];
  Step made;
  made.kind = Kind::general;
  std::uint64_t after = before;
  if (select(instance, before, event)) {
    resolve_conflicts(tables, selected_, kept_);
    const std::uint32_t next = kept_.empty() || !apply(instance, after) ? none : node(instance, after);
    if (kept_.empty()) made.kind = Kind::nothing;
    if (next != none) {
      made.kind = Kind::taken, made.next = after, made.node = next;
      made.eventless = (after & tables.eventless[0]) != 0;
      made.rows = static_cast<std::uint32_t>(rows_.size());
      for (const std::uint32_t t : kept_) rows_.push_back(model_.instances[instance].transition_base + t);
      made.rows_end = static_cast<std::uint32_t>(rows_.size());
    }
  }
  return steps_[place] = made;
}

// The transitions that react; false when a guard decides while running.
bool StepMemo::select(std::uint32_t instance, std::uint64_t configuration, std::uint32_t event) {
  const Instance& owner = model_.instances[instance];
  const ChartTables& tables = model_.charts[owner.chart];
  selected_.clear();
  for (std::uint64_t leaves = configuration & tables.atomic[0]; leaves != 0; leaves &= leaves - 1) {
    const auto leaf = static_cast<std::uint32_t>(std::countr_zero(leaves));
    if (tables.is_choice[leaf] != 0) return false;
    const std::size_t row = std::size_t{leaf} * (tables.events + 1) + event;
    for (const std::uint32_t* t = tables.candidates.begin(row); t != tables.candidates.end(row); ++t) {
      const GuardSpec::Kind guard = model_.guards[owner.rows + *t].kind;
      if (guard == GuardSpec::Kind::never) continue;
      if (guard != GuardSpec::Kind::always) return false;
      if (std::find(selected_.begin(), selected_.end(), *t) == selected_.end()) selected_.push_back(*t);
      break;
    }
  }
  return true;
}

bool StepMemo::plain(const Instance& owner, std::uint32_t state) const {
  const StateInfo& info = model_.states[owner.state_base + state];
  return info.timers == info.timers_end && info.slots == info.slots_end && info.entry == info.entry_end &&
         info.exit == info.exit_end;
}

// The configuration after the kept transitions; false when they do more than leaving and entering.
bool StepMemo::apply(std::uint32_t instance, std::uint64_t& configuration) const {
  const Instance& owner = model_.instances[instance];
  const ChartTables& tables = model_.charts[owner.chart];
  for (const std::uint32_t t : kept_) {
    const ChartTables::Way& way = tables.ways[t];
    const std::size_t row = owner.rows + t;
    if (way.remembers || model_.roles[row] != TransitionRole::none || !model_.transition_actions.empty(row))
      return false;
    for (std::uint32_t s = way.exit_first; s <= way.exit_last && way.exit_first <= way.exit_last; ++s) {
      if ((configuration >> s & 1U) == 0) continue;
      if (!plain(owner, s)) return false;
      configuration &= ~(std::uint64_t{1} << s);
    }
  }
  for (const std::uint32_t t : kept_) {
    const std::uint32_t row = tables.ways[t].entry;
    for (const std::uint32_t* s = tables.entries.begin(row); s != tables.entries.end(row); ++s) {
      if ((*s & ChartTables::initial_flag) != 0) {
        if (!model_.transition_actions.empty(owner.rows + (*s & ~ChartTables::initial_flag))) return false;
        continue;
      }
      if (!plain(owner, *s) || tables.is_final[*s] != 0) return false;
      configuration |= std::uint64_t{1} << *s;
    }
  }
  return true;
}

}  // namespace ergode
