#include "solvers/reliability/ccf_exposure.h"

#include <algorithm>
#include <cmath>

#include "core/base/special_values.h"
#include "solvers/reliability/ccf_group.h"
#include "statecharts/compile/compiler.h"

namespace ergode {
namespace {

constexpr std::size_t most_configurations = 4096;
using Leaves = std::vector<int>;

/// What one member can be in: the innermost active states of each configuration. Too many: empty, and `too_many`.
std::vector<Leaves> configurations(const StateChart& chart, int state, bool& too_many) {
  const State& s = chart.states[static_cast<std::size_t>(state)];
  std::vector<Leaves> out;
  if (s.kind == State::Kind::parallel) {
    out.emplace_back();
    for (const int region : s.children) {
      const std::vector<Leaves> inner = configurations(chart, region, too_many);
      too_many = too_many || out.size() * inner.size() > most_configurations;
      if (too_many) return {};
      std::vector<Leaves> wider;
      for (const Leaves& have : out)
        for (const Leaves& more : inner) {
          wider.push_back(have);
          wider.back().insert(wider.back().end(), more.begin(), more.end());
        }
      out = std::move(wider);
    }
  } else if (s.kind == State::Kind::composite) {
    for (const int child : s.children)
      for (Leaves& inner : configurations(chart, child, too_many)) out.push_back(std::move(inner));
  } else if (s.kind == State::Kind::atomic || s.kind == State::Kind::final) {
    out.push_back({state});
  }
  too_many = too_many || out.size() > most_configurations;
  return out;
}

/// One member of the group.
class MemberExposure {
 public:
  MemberExposure(const CcfGroup& group, const std::string& cause, std::size_t member, const ModelCompiler& compiler)
      : group_(group),
        cause_(cause),
        member_(member),
        model_(compiler.model()),
        instance_(group.members[member]),
        owner_(model_.instances[instance_]),
        chart_(compiler.chart_of(instance_)) {
    for (const Transition& way : chart_.transitions)
      if (driven(way))
        for (const int target : way.targets) {
          const State::Kind kind = chart_.states[static_cast<std::size_t>(target)].kind;
          if (kind == State::Kind::atomic || kind == State::Kind::composite || kind == State::Kind::parallel ||
              kind == State::Kind::final)
            struck_.push_back(target);
        }
  }

  std::vector<ElementId> without_role() const {
    std::vector<ElementId> out;
    for (std::uint32_t t = 0; t < chart_.transitions.size(); ++t) {
      const Transition& way = chart_.transitions[t];
      if (way.role == TransitionRole::none && enters(way) && (driven(way) || by_itself(t))) out.push_back(way.element);
    }
    return out;
  }

  std::vector<CcfExposure> look() {
    if (chart_.states.empty()) return {};
    if (group_.demand) return demands();
    std::vector<CcfExposure> out;
    bool too_many = false;
    const std::vector<Leaves> all = configurations(chart_, 0, too_many);
    if (too_many) return {{.states = {chart_.name}, .independent = std::nullopt}};
    for (const Leaves& leaves : all) {
      leaves_ = leaves;
      bound_slots();
      if (struck()) out.push_back(own_rates());
    }
    return out;
  }

 private:
  enum class Holds { never, maybe, always };

  bool driven(const Transition& way) const {
    return group_.demand ? way.demand_cause == cause_ && !way.demand_negated
                         : way.trigger.kind == Trigger::Kind::common_cause && way.trigger.cause == cause_;
  }
  /// By a clock or a probability of its own.
  bool by_itself(std::uint32_t t) const {
    const Trigger::Kind kind = chart_.transitions[t].trigger.kind;
    return kind == Trigger::Kind::rate || kind == Trigger::Kind::after || kind == Trigger::Kind::at ||
           kind == Trigger::Kind::every || model_.guards[owner_.rows + t].weight >= 0;
  }
  bool enters(const Transition& way) const {
    return std::any_of(struck_.begin(), struck_.end(), [&](int state) {
      return !chart_.inside(way.source, state) &&
             std::any_of(way.targets.begin(), way.targets.end(), [&](int to) { return chart_.inside(to, state); });
    });
  }
  bool fails(const Transition& way) const {
    return way.role == TransitionRole::failure || (way.role == TransitionRole::none && enters(way));
  }

  bool active(int state) const {
    return std::any_of(leaves_.begin(), leaves_.end(), [&](int leaf) { return chart_.inside(leaf, state); });
  }

  /// Counts of states that this member decides are narrowed to what the configuration says; the rest may be anything.
  void bound_slots() {
    slots_.assign(model_.table->size(), {-infinity, infinity});
    for (const CountSlot& slot : model_.count_slots) {
      const bool mine = instance_ >= slot.first && instance_ < slot.first + slot.count;
      const double here = mine && active(slot.state) ? 1.0 : 0.0;
      slots_[slot.slot] = {here, here + slot.count - (mine ? 1.0 : 0.0)};
    }
  }
  Holds holds(const Program& condition) const {
    const Range range = condition.range(slots_);
    if (range.lower == 0.0 && range.upper == 0.0) return Holds::never;
    return range.lower > 0.0 ? Holds::always : Holds::maybe;
  }
  Holds guard(std::uint32_t transition) const {
    const GuardSpec spec = model_.guard(instance_, static_cast<std::uint32_t>(transition));
    if (spec.kind == GuardSpec::Kind::never) return Holds::never;
    if (spec.kind == GuardSpec::Kind::always) return Holds::always;
    return spec.program < 0 ? Holds::maybe : holds(model_.programs[static_cast<std::size_t>(spec.program)]);
  }

  bool struck() const {
    if (holds(group_.exposed[member_]) == Holds::never) return false;
    for (std::uint32_t t = 0; t < chart_.transitions.size(); ++t) {
      const Transition& way = chart_.transitions[t];
      if (way.trigger.kind == Trigger::Kind::common_cause && way.trigger.cause == cause_ && active(way.source) &&
          guard(t) != Holds::never)
        return true;
    }
    return false;
  }

  std::optional<double> rate_of(const TimerSpec& timer) const {
    if (timer.kind == Trigger::Kind::rate && timer.constant) return 1.0 / timer.value;
    const Distribution* law =
        timer.random ? &model_.distributions[static_cast<std::size_t>(timer.distribution)] : nullptr;
    if (timer.kind == Trigger::Kind::after && law != nullptr && law->family() == Distribution::Family::exponential)
      return 1.0 / law->mean();
    return std::nullopt;
  }

  CcfExposure own_rates() const {
    CcfExposure out;
    std::string name;
    for (const int leaf : leaves_) name += (name.empty() ? "" : " + ") + state_path(chart_, leaf);
    out.states.push_back(name);
    for (const TimerSpec& timer : model_.timers) {
      if (timer.instance != instance_) continue;
      const Transition& way = chart_.transitions[timer.transition];
      if (!fails(way) || way.trigger.kind == Trigger::Kind::common_cause || !active(way.source)) continue;
      const Holds open = guard(timer.transition);
      const std::optional<double> rate = rate_of(timer);
      if (open == Holds::never || (rate && *rate == 0.0)) continue;
      out.edges.push_back(way.element);
      // The edge is named all the same: somebody may want to know why the amount is not known.
      if (open == Holds::maybe || !rate || timer.alternatives > 1) out.independent = std::nullopt;
      else if (out.independent) *out.independent += *rate;
    }
    return out;
  }

  /// Choices from which the demand is asked, with the failures of the choices that lead to it or that it leads to.
  std::vector<CcfExposure> demands() const {
    std::vector<CcfExposure> out;
    for (std::size_t s = 0; s < chart_.states.size(); ++s) {
      const auto asks = [&](const Transition& t) {
        return t.source == static_cast<int>(s) && t.demand_cause == cause_;
      };
      if (chart_.states[s].kind != State::Kind::choice ||
          std::none_of(chart_.transitions.begin(), chart_.transitions.end(), asks))
        continue;
      CcfExposure one;
      one.states.push_back(state_path(chart_, static_cast<int>(s)));
      std::vector<int> linked = {static_cast<int>(s)};
      for (std::size_t at = 0; at < linked.size(); ++at)
        for (const Transition& t : chart_.transitions)
          for (const int target : t.targets) {
            const auto kind = [&](int state) { return chart_.states[static_cast<std::size_t>(state)].kind; };
            if (kind(t.source) != State::Kind::choice || kind(target) != State::Kind::choice) continue;
            const int other = t.source == linked[at] ? target : target == linked[at] ? t.source : -1;
            if (other >= 0 && std::find(linked.begin(), linked.end(), other) == linked.end()) linked.push_back(other);
          }
      for (std::uint32_t t = 0; t < chart_.transitions.size(); ++t) {
        const Transition& way = chart_.transitions[t];
        const GuardSpec spec = model_.guard(instance_, static_cast<std::uint32_t>(t));
        if (!fails(way) || spec.weight < 0 || std::find(linked.begin(), linked.end(), way.source) == linked.end())
          continue;
        const Program& weight = model_.programs[static_cast<std::size_t>(spec.weight)];
        if (weight.is_constant() && weight.value() == 0.0) continue;
        one.edges.push_back(way.element);
        if (!weight.is_constant()) one.independent = std::nullopt;
        else if (one.independent) one.independent = 1.0 - (1.0 - *one.independent) * (1.0 - weight.value());
      }
      out.push_back(std::move(one));
    }
    return out;
  }

  const CcfGroup& group_;
  const std::string& cause_;
  std::size_t member_;
  const CompiledModel& model_;
  std::uint32_t instance_;
  const Instance& owner_;
  const StateChart& chart_;
  std::vector<int> struck_;  ///< states that the group strikes into
  Leaves leaves_;
  std::vector<Range> slots_;
};

bool same_amount(const std::optional<double>& a, const std::optional<double>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return std::abs(*a - *b) <= 1e-12 * std::max(*a, *b);
}

template <class T>
void append_new(std::vector<T>& to, const std::vector<T>& from) {
  for (const T& item : from)
    if (std::find(to.begin(), to.end(), item) == to.end()) to.push_back(item);
}

}  // namespace

std::vector<ElementId> failures_without_role(const CcfGroup& group, const std::string& cause,
                                             const ModelCompiler& compiler) {
  std::vector<ElementId> out;
  for (std::size_t m = 0; m < group.members.size(); ++m)
    append_new(out, MemberExposure(group, cause, m, compiler).without_role());
  return out;
}

std::vector<CcfExposure> ccf_exposures(const CcfGroup& group, const std::string& cause, const ModelCompiler& compiler) {
  std::vector<CcfExposure> out;
  const auto chart_of = [&](std::size_t m) { return compiler.model().instances[group.members[m]].chart; };
  bool alike = true;
  for (std::size_t m = 1; m < group.members.size(); ++m) alike = alike && chart_of(m) == chart_of(0);
  for (std::size_t m = 0; m < group.members.size() && m < group.exposed.size(); ++m)
    for (CcfExposure& found : MemberExposure(group, cause, m, compiler).look()) {
      if (!alike)
        for (std::string& state : found.states) state = compiler.chart_of(group.members[m]).name + "." + state;
      const auto same = std::find_if(out.begin(), out.end(), [&](const CcfExposure& known) {
        return same_amount(known.independent, found.independent);
      });
      if (same == out.end()) {
        out.push_back(std::move(found));
        continue;
      }
      append_new(same->states, found.states);
      append_new(same->edges, found.edges);
    }
  return out;
}

std::string states_text(const CcfExposure& exposure, std::size_t most) {
  std::string out;
  for (std::size_t i = 0; i < exposure.states.size() && i < most; ++i)
    out += (out.empty() ? "" : ", ") + exposure.states[i];
  if (exposure.states.size() > most) out += " and " + std::to_string(exposure.states.size() - most) + " more";
  return out;
}

}  // namespace ergode
